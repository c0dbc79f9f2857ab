// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Files of samples: what is in them, and what is said of those that are none. */
#include "cmocka_all.h"
#include "core/samples_file.h"
#include "data.h"

#include <errno.h>

#define HEADER "connection,side,outcome,connect_begin_ns,connect_ns,round\n"

struct rows {
	size_t n;
	struct sample_row last;
	int give_up; /* returned for the first row */
};

static int count_row(void *arg, const struct sample_row *row)
{
	struct rows *rows = arg;

	rows->n++;
	rows->last = *row;
	return rows->give_up;
}

static int read_bytes(const char *text, size_t size, struct rows *rows, struct samples_error *error)
{
	FILE *file = fmemopen((char *)(uintptr_t)text, size, "r");
	int ret;

	assert_non_null(file);
	ret = samples_read(file, count_row, rows, error);
	fclose(file);
	return ret;
}

static int read_text(const char *text, struct rows *rows, struct samples_error *error)
{
	return read_bytes(text, strlen(text), rows, error);
}

static void row__has_its_side_round_outcome_and_steps(void **state)
{
	struct rows rows = { 0 };
	struct samples_error error;

	(void)state;
	assert_int_equal(read_text(HEADER "0,client,ok,5,6,2\n", &rows, &error), 0);
	assert_int_equal(rows.n, 1);
	assert_int_equal(rows.last.side, SIDE_CLIENT);
	assert_int_equal(rows.last.round, 2);
	assert_int_equal(rows.last.failed_in, STEPS);
	assert_true(rows.last.steps[STEP_CONNECT].done);
	assert_int_equal(rows.last.steps[STEP_CONNECT].begin_ns, 5);
	assert_int_equal(rows.last.steps[STEP_CONNECT].ns, 6);
	assert_false(rows.last.steps[STEP_CREATE_ID].begun);

	assert_int_equal(read_text(HEADER "0,server,none,,,1\n", &rows, &error), 0);
	assert_int_equal(rows.last.side, SIDE_SERVER);
	assert_int_equal(rows.last.failed_in, STEPS);
	assert_false(rows.last.steps[STEP_CONNECT].begun);

	/* A failed step has not been done, whatever it says of its time. */
	assert_int_equal(read_text(HEADER "0,client,connect:REJECTED:28,5,6,1\n", &rows, &error),
			 0);
	assert_int_equal(rows.last.failed_in, STEP_CONNECT);
	assert_true(rows.last.steps[STEP_CONNECT].begun);
	assert_false(rows.last.steps[STEP_CONNECT].done);
	assert_int_equal(
		read_text(HEADER "0,client,create_qp:call failed:-12,,,1\n", &rows, &error), 0);
	assert_int_equal(rows.last.failed_in, STEP_CREATE_QP);
}

static void columns__are_found_by_name_and_unknown_ones_passed_over(void **state)
{
	struct rows rows = { 0 };
	struct samples_error error;

	(void)state;
	assert_int_equal(read_text("connect_ns,new,outcome,warp_ns,connect_begin_ns,side,\n"
				   "7,\"x\",ok,,3,client,\r\n"
				   "\n"
				   "8,,ok,y,4,client,",
				   &rows, &error),
			 0);
	assert_int_equal(rows.n, 2);
	assert_int_equal(rows.last.round, 1);
	assert_int_equal(rows.last.steps[STEP_CONNECT].ns, 8);
	assert_int_equal(rows.last.steps[STEP_CONNECT].begin_ns, 4);
}

static void fault__of_a_row__is_named_with_its_line(void **state)
{
	static const struct {
		const char *row, *says;
	} cases[] = {
		{ "0,client,ok,5,6", "5 columns, and the first line has 6" },
		{ "0,client,ok,5,6,1,7", "more columns than the first line has (6)" },
		{ "0,both,ok,5,6,1", "side: 'both'" },
		{ "0,client,well,5,6,1", "outcome: 'well'" },
		{ "0,client,warp:REJECTED:28,5,6,1", "outcome: 'warp:REJECTED:28'" },
		{ "0,client,connect,5,6,1", "outcome: 'connect'" },
		{ "0,client,ok,-5,6,1", "connect_begin_ns: '-5'" },
		{ "0,client,ok, 5,6,1", "connect_begin_ns: ' 5'" },
		{ "0,client,ok,5,6e3,1", "connect_ns: '6e3'" },
		{ "0,client,ok,5,18446744073709551616,1", "connect_ns: '18446744073709551616'" },
		{ "0,client,ok,5,99999999999999999999999,1", "connect_ns: '9999" },
		{ "0,client,ok,18446744073709551615,1,1", "connect: its end does not fit" },
		{ "0,client,ok,5,6,0", "round: they count from 1" },
		{ "0,client,ok,5,6,1001", "round: '1001'" },
		{ "0,client,ok,5,6,", "round: ''" },
		{ "0,client,\x1b[31m,5,6,1", "outcome: '?[31m'" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct rows rows = { 0 };
		struct samples_error error;
		char text[256];

		snprintf(text, sizeof(text), HEADER "0,client,ok,5,6,1\n%s\n", cases[i].row);
		assert_int_equal(read_text(text, &rows, &error), -EPROTO);
		assert_int_equal(rows.n, 1);
		assert_int_equal(error.line, 3);
		if (!strstr(error.text, cases[i].says))
			fail_msg("'%s' is said, not '%s'", error.text, cases[i].says);
	}
}

static void header__of_something_else__is_refused(void **state)
{
	static const char *const headers[] = {
		"side,outcome,connect_ns\n",
		"side,connect_begin_ns,connect_ns\n",
		"outcome,connect_begin_ns,connect_ns\n",
		"side,outcome,connect_begin_ns,connect_ns,connect_ns\n",
		"run_id,round,side,step,count\n",
		"\n",
		"{}\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(headers) / sizeof(*headers); i++) {
		struct rows rows = { 0 };
		struct samples_error error;

		assert_int_equal(read_text(headers[i], &rows, &error), -EPROTO);
		assert_int_equal(error.line, 1);
	}
}

static void line__without_an_end_in_sight__is_refused(void **state)
{
	static const char nul[] = HEADER "0,client,ok,\0,6,1\n0,client,ok,5,6,1\n";
	struct rows rows = { 0 };
	struct samples_error error;
	char *text = malloc(2 * SAMPLES_LINE);

	(void)state;
	assert_non_null(text);
	strcpy(text, HEADER);
	memset(text + strlen(HEADER), '1', SAMPLES_LINE);
	strcpy(text + strlen(HEADER) + SAMPLES_LINE, "\n");
	assert_int_equal(read_text(text, &rows, &error), -EPROTO);
	assert_int_equal(error.line, 2);
	memset(text, ',', SAMPLES_COLUMNS);
	strcpy(text + SAMPLES_COLUMNS, "\n");
	assert_int_equal(read_text(text, &rows, &error), -EPROTO);
	assert_non_null(strstr(error.text, "more than 512 columns"));
	free(text);
	assert_int_equal(read_bytes(nul, sizeof(nul) - 1, &rows, &error), -EPROTO);
	assert_int_equal(error.line, 2);
	assert_int_equal(rows.n, 0);
}

static void taker__that_gives_up__ends_the_reading(void **state)
{
	struct rows rows = { .give_up = -ENOMEM };
	struct samples_error error;

	(void)state;
	assert_int_equal(read_text(HEADER "0,client,ok,5,6,1\n1,client,ok,5,6,1\n", &rows, &error),
			 -ENOMEM);
	assert_int_equal(rows.n, 1);
}

static void file__that_cannot_be_read__is_an_error(void **state)
{
	struct rows rows = { 0 };
	struct samples_error error;
	FILE *folder = fopen("/", "r");

	(void)state;
	if (!folder)
		skip();
	assert_int_equal(samples_read(folder, count_row, &rows, &error), -EISDIR);
	assert_int_equal(error.line, 0);
	fclose(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(row__has_its_side_round_outcome_and_steps),
		cmocka_unit_test(columns__are_found_by_name_and_unknown_ones_passed_over),
		cmocka_unit_test(fault__of_a_row__is_named_with_its_line),
		cmocka_unit_test(header__of_something_else__is_refused),
		cmocka_unit_test(line__without_an_end_in_sight__is_refused),
		cmocka_unit_test(taker__that_gives_up__ends_the_reading),
		cmocka_unit_test(file__that_cannot_be_read__is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
