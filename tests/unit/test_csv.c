// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Figures and samples as CSV: whole, against tests/data, and where rows differ. */
#include "cmocka_all.h"
#include "core/timeline.h"
#include "data.h"
#include "out/csv.h"

#include <errno.h>

static int print_figures(FILE *file, const struct result *result)
{
	return csv_print(file, result, true);
}

static int print_more_figures(FILE *file, const struct result *result)
{
	return csv_print(file, result, false);
}

static void figures__of_the_made_up_result__are_as_written(void **state)
{
	struct result result = data_result(DATA("result.json"));
	char *want = data_read(DATA("result.csv")), *got = data_printed(print_figures, &result);

	(void)state;
	assert_string_equal(got, want);
	free(got);
	got = data_printed(print_more_figures, &result);
	assert_string_equal(got, strchr(want, '\n') + 1);
	free(got);
	free(want);
	result_free(&result);
}

static void figures__of_rounds__are_numbered_from_1(void **state)
{
	struct result result;
	char *got;

	(void)state;
	assert_int_equal(result_init(&result, 3), 0);
	for (uint32_t i = 0; i < 3; i += 2) {
		result.rounds[i].figures[SIDE_SERVER][STEP_ACCEPT] =
			(struct figures){ .count = i + 1, .failed = 1, .total_ns = 0, .sum_ns = 9 };
	}
	strcpy(result.run.run_id, "0123456789abcdef");
	got = data_printed(print_more_figures, &result);
	/* A rate over no time is none; no row of a round in which nobody did anything. */
	assert_string_equal(got, "0123456789abcdef,1,server,accept,1,1,0,9,0,0,0,0,0,0,0,0,0,,\n"
				 "0123456789abcdef,3,server,accept,3,1,0,9,0,0,0,0,0,0,0,0,0,,\n");
	free(got);
	result_free(&result);
}

static void figures__of_a_failed_step__are_empty(void **state)
{
	struct result result;
	char *got;

	(void)state;
	assert_int_equal(result_init(&result, 1), 0);
	result.rounds[0].figures[SIDE_CLIENT][STEP_CONNECT].failed = 5;
	got = data_printed(print_more_figures, &result);
	assert_string_equal(got, ",1,client,connect,0,5,,,,,,,,,,,,,\n");
	free(got);
	result_free(&result);
}

/* ---- samples ---- */

static void stamp(struct timeline *timeline, uint32_t index, enum step step, uint64_t begin_ns,
		  uint64_t end_ns)
{
	*timeline_span(timeline, step, index) = (struct span){ begin_ns, end_ns };
}

static void detail(struct timeline *timeline, uint32_t index, const char *source,
		   const char *destination, uint32_t attempts)
{
	struct detail *detail = &timeline->details[index];

	assert_int_equal(address_parse(&detail->source, source), 0);
	assert_int_equal(address_parse(&detail->destination, destination), 0);
	detail->attempts = attempts;
}

/* One that went well, one that was never begun, one that was rejected and one whose last stamp is a
 * trace before its first. */
static struct timeline client_side(uint64_t from_ns)
{
	struct timeline t;

	assert_int_equal(timeline_init(&t, SIDE_CLIENT, 4), 0);
	assert_int_equal(timeline_add_details(&t), 0);
	detail(&t, 0, "10.0.0.1:40000", "10.0.0.2:7471", 1);
	for (enum step step = 0; step < STEPS; step++) {
		if (step_is_of(step, SIDE_CLIENT) && step != STEP_BIND_ADDR)
			stamp(&t, 0, step, from_ns + 100 + 1000 * step,
			      from_ns + 101 + 1001 * step);
	}
	t.details[0].kernel_ns[KERNEL_REQ_SENT] = from_ns + 6101;
	t.details[0].kernel_ns[KERNEL_RESPONSE_QUEUED] = from_ns + 6104;
	t.details[0].kernel_ns[KERNEL_RTU_SENT] = from_ns + 6105;
	detail(&t, 2, "[fd00::1]:40001", "[fd00::2]:7471", 3);
	stamp(&t, 2, STEP_CREATE_ID, from_ns, from_ns + UINT64_C(5000000000000));
	stamp(&t, 2, STEP_CONNECT, from_ns + 7000, from_ns + 7500);
	t.outcomes[2] = (struct outcome){ STEP_CONNECT, EVENT_REJECTED, 28 };
	stamp(&t, 3, STEP_CREATE_ID, from_ns + 50, from_ns + 49);
	stamp(&t, 3, STEP_RESOLVE_ADDR, from_ns + 60, 0);
	t.outcomes[3] = (struct outcome){ STEP_RESOLVE_ADDR, EVENT_TIMEOUT, 0 };
	return t;
}

/* The server's: nobody asked it for addresses. */
static struct timeline server_side(uint64_t from_ns)
{
	struct timeline t;

	assert_int_equal(timeline_init(&t, SIDE_SERVER, 3), 0);
	for (enum step step = 0; step < STEPS; step++) {
		if (step_is_of(step, SIDE_SERVER))
			stamp(&t, 1, step, from_ns + 10 * step, from_ns + 11 * step);
	}
	stamp(&t, 2, STEP_ACCEPT, from_ns, from_ns + 30);
	t.outcomes[2] = (struct outcome){ STEP_CREATE_QP, EVENT_CALL, -ENOMEM };
	return t;
}

static void samples__of_both_sides_and_rounds__are_as_written(void **state)
{
	char *want = data_read(DATA("samples.csv")), *got = NULL;
	size_t size;
	FILE *file = open_memstream(&got, &size);

	(void)state;
	assert_non_null(file);
	assert_int_equal(csv_samples_header(file), 0);
	for (uint32_t round = 1; round <= 2; round++) {
		/* Wherever a host's clock stands, begins count from its side's first. */
		struct timeline client = client_side(round == 1 ? 1 : UINT64_C(1) << 62);
		struct timeline server = server_side(round * 77777);

		assert_int_equal(csv_samples(file, round, &client), 0);
		assert_int_equal(csv_samples(file, round, &server), 0);
		timeline_free(&client);
		timeline_free(&server);
	}
	fclose(file);
	assert_string_equal(got, want);
	free(got);
	free(want);
}

static void samples__of_a_side_that_nobody_came_to__are_rows_without_data(void **state)
{
	struct timeline timeline;
	char *got = NULL;
	size_t size;
	FILE *file = open_memstream(&got, &size);

	(void)state;
	assert_non_null(file);
	assert_int_equal(timeline_init(&timeline, SIDE_SERVER, 1), 0);
	assert_int_equal(csv_samples(file, 7, &timeline), 0);
	fclose(file);
	assert_string_equal(got, "0,server,,,none,0,,,,,,,,,,,,,,,,,,,,,,,7,,,,,,,,\n");
	free(got);
	timeline_free(&timeline);
}

/* ---- a full disk ---- */

static void figures__that_cannot_be_written__are_an_error(void **state)
{
	struct result result;

	(void)state;
	/* One round's stay in the stream's buffer, those of many don't. */
	for (size_t rounds = 1; rounds < 100; rounds++) {
		assert_int_equal(result_init(&result, rounds), 0);
		for (size_t i = 0; i < rounds; i++)
			result.rounds[i].begin_ns[SIDE_CLIENT] = 1;
		assert_int_equal(data_on_full_disk(print_figures, &result), -ENOSPC);
		result_free(&result);
	}
}

static int print_samples(FILE *file, const struct result *result)
{
	struct timeline timeline;
	int ret;

	assert_int_equal(timeline_init(&timeline, SIDE_CLIENT, result->run.connections), 0);
	ret = csv_samples(file, 1, &timeline);
	timeline_free(&timeline);
	return ret;
}

static int print_samples_header(FILE *file, const struct result *result)
{
	(void)result;
	return csv_samples_header(file);
}

static void samples__that_cannot_be_written__are_an_error(void **state)
{
	struct result result = { 0 };

	(void)state;
	assert_int_equal(data_on_full_disk(print_samples_header, &result), -ENOSPC);
	for (uint32_t n = 1; n < 300; n++) {
		result.run.connections = n;
		assert_int_equal(data_on_full_disk(print_samples, &result), -ENOSPC);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figures__of_the_made_up_result__are_as_written),
		cmocka_unit_test(figures__of_rounds__are_numbered_from_1),
		cmocka_unit_test(figures__of_a_failed_step__are_empty),
		cmocka_unit_test(samples__of_both_sides_and_rounds__are_as_written),
		cmocka_unit_test(samples__of_a_side_that_nobody_came_to__are_rows_without_data),
		cmocka_unit_test(figures__that_cannot_be_written__are_an_error),
		cmocka_unit_test(samples__that_cannot_be_written__are_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
