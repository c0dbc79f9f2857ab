// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The old table: to the byte, for there are scripts that cut it by columns. */
#include "cmocka_all.h"
#include "data.h"
#include "out/classic.h"

#include <errno.h>

#define HEADER "step              total ms     max ms     min us  us / conn\n"

static void table__of_the_made_up_result__is_the_old_one_to_the_byte(void **state)
{
	struct result result = data_result(DATA("result.json"));
	char *want = data_read(DATA("result.classic")), *got = data_printed(classic_print, &result);

	(void)state;
	assert_string_equal(got, want);
	free(got);
	free(want);
	result_free(&result);
}

static void row__is_laid_out_as_in_2013(void **state)
{
	struct result r;
	char *got;

	(void)state;
	assert_int_equal(result_init(&r, 1), 0);
	r.run.connections = 10000;
	r.rounds[0].figures[SIDE_CLIENT][STEP_CREATE_ID] = (struct figures){
		.count = 10000, .total_ns = 34450000, .max_ns = 80000, .min_ns = 1000
	};
	got = data_printed(classic_print, &r);
	assert_memory_equal(got,
			    HEADER "create id    :       34.45       0.08       1.00       3.44\n"
				   "resolve addr :           -          -          -          -\n",
			    3 * 60);
	free(got);
	result_free(&r);
}

static char *line_of(const struct result *result, const char *label)
{
	static char line[128];
	char *text = data_printed(classic_print, result);
	const char *at = strstr(text, label);

	snprintf(line, sizeof(line), "%s", at ? at : "");
	line[strcspn(line, "\n")] = '\0';
	free(text);
	return line;
}

static void disconnect__has_the_destruction_of_qps_inside_and_destroy_has_not(void **state)
{
	struct result r;
	struct figures *client;

	(void)state;
	assert_int_equal(result_init(&r, 1), 0);
	r.run.connections = 1000;
	client = r.rounds[0].figures[SIDE_CLIENT];
	client[STEP_DISCONNECT] = (struct figures){
		.count = 1000, .total_ns = 300000000, .max_ns = 5000000, .min_ns = 70000
	};
	client[STEP_DESTROY_QP] = (struct figures){
		.count = 1000, .total_ns = 134000000, .max_ns = 9000000, .min_ns = 10000
	};
	client[STEP_DESTROY_ID] = (struct figures){
		.count = 1000, .total_ns = 13000000, .max_ns = 400000, .min_ns = 400
	};
	assert_string_equal(line_of(&r, "disconnect"),
			    "disconnect   :      434.00       5.00      70.00     434.00");
	assert_string_equal(line_of(&r, "destroy"),
			    "destroy      :       13.00       0.40       0.40      13.00");
	result_free(&r);
}

static void cost__of_a_connection__is_over_those_asked_for(void **state)
{
	struct result r;

	(void)state;
	assert_int_equal(result_init(&r, 1), 0);
	r.run.connections = 100;
	r.rounds[0].figures[SIDE_CLIENT][STEP_CONNECT] = (struct figures){
		.count = 50, .failed = 50, .total_ns = 1000000, .max_ns = 20000, .min_ns = 20000
	};
	assert_string_equal(line_of(&r, "connect"),
			    "connect      :        1.00       0.02      20.00      10.00");
	result_free(&r);
}

static void ids__that_were_bound__have_a_row_and_others_none(void **state)
{
	struct result r;

	(void)state;
	assert_int_equal(result_init(&r, 1), 0);
	r.run.connections = 1;
	r.rounds[0].begin_ns[SIDE_CLIENT] = 1;
	assert_string_equal(line_of(&r, "bind addr"), "");
	r.rounds[0].figures[SIDE_CLIENT][STEP_BIND_ADDR] =
		(struct figures){ .count = 1, .total_ns = 2000, .max_ns = 2000, .min_ns = 2000 };
	assert_string_equal(line_of(&r, "bind addr"),
			    "bind addr    :        0.00       0.00       2.00       2.00");
	result_free(&r);
}

static void table__of_a_server__has_its_own_steps(void **state)
{
	struct result r = data_result(DATA("result.json"));

	(void)state;
	r.run.reported_by = SIDE_SERVER;
	assert_string_equal(line_of(&r, "create qp"),
			    "create qp    :     6058.00       0.50     130.00     605.80");
	assert_string_equal(line_of(&r, "connect"),
			    "connect      :           -          -          -          -");
	result_free(&r);
}

static void table__that_cannot_be_written__is_an_error(void **state)
{
	struct result r = data_result(DATA("result.json"));

	(void)state;
	assert_int_equal(data_on_full_disk(classic_print, &r), -ENOSPC);
	result_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table__of_the_made_up_result__is_the_old_one_to_the_byte),
		cmocka_unit_test(row__is_laid_out_as_in_2013),
		cmocka_unit_test(disconnect__has_the_destruction_of_qps_inside_and_destroy_has_not),
		cmocka_unit_test(cost__of_a_connection__is_over_those_asked_for),
		cmocka_unit_test(ids__that_were_bound__have_a_row_and_others_none),
		cmocka_unit_test(table__of_a_server__has_its_own_steps),
		cmocka_unit_test(table__that_cannot_be_written__is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
