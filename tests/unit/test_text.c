// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The default report: whole, against tests/data/result.text, and line by line where runs differ. */
#include "cmocka_all.h"
#include "data.h"
#include "out/text.h"

#include <errno.h>

static void duration__has_three_digits_and_is_never_rounded_to_0(void **state)
{
	static const struct {
		uint64_t ns;
		const char *text;
	} cases[] = {
		{ 0, "0 ns" },
		{ 1, "1 ns" },
		{ 400, "400 ns" },
		{ 999, "999 ns" },
		{ 1000, "1.00 us" },
		{ 1005, "1.01 us" },
		{ 9994, "9.99 us" },
		{ 9995, "10.0 us" },
		{ 99949, "99.9 us" },
		{ 99950, "100 us" },
		{ 999499, "999 us" },
		{ 999500, "1.00 ms" },
		{ 38700000, "38.7 ms" },
		{ 999500000, "1.00 s" },
		{ 120000000000, "120 s" },
		{ 5000000000000, "5000 s" },
		{ 999999999999, "1000 s" },
		{ UINT64_MAX, "18446744074 s" },
	};
	char buf[TEXT_DURATION];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_string_equal(text_duration(cases[i].ns, buf), cases[i].text);
}

static void report__of_the_made_up_result__is_as_written(void **state)
{
	struct result result = data_result(DATA("result.json"));
	char *want = data_read(DATA("result.text")), *got = data_printed(text_print, &result);

	(void)state;
	assert_string_equal(got, want);
	free(got);
	free(want);
	result_free(&result);
}

static void has(const struct result *result, const char *line)
{
	char *text = data_printed(text_print, result);

	if (!strstr(text, line))
		fail_msg("\"%s\" is not in\n%s", line, text);
	free(text);
}

static void has_not(const struct result *result, const char *words)
{
	char *text = data_printed(text_print, result);

	if (strstr(text, words))
		fail_msg("\"%s\" is in\n%s", words, text);
	free(text);
}

static void report__of_a_server__is_in_its_own_words(void **state)
{
	struct result r = data_result(DATA("result.json"));
	struct round *round = &r.rounds[0];

	(void)state;
	r.run.reported_by = SIDE_SERVER;
	round->begin_ns[SIDE_CLIENT] = 0;
	memset(round->figures[SIDE_CLIENT], 0, sizeof(round->figures[SIDE_CLIENT]));
	has(&r,
	    "cmtime 0.1.0  server 10.0.0.2 <- client 10.0.0.1  rxe0 (RoCE v2)  10000 connections"
	    "  window 64  2 acceptors\n");
	has(&r, "\nserver accept        9992       0    6060.00     402.10          - ");
	has(&r, "\nserver establish     9990       2    6061.00    1201.20        2.0 ");
	has(&r, "\n9990 of 10000 connected, 1648 connects/s\n");
	has_not(&r, "\nconnect ");
	has_not(&r, "--window.\nA connect");
	has_not(&r, "waiting behind");
	*r.run.ends[SIDE_CLIENT].address = '\0';
	*r.run.ends[SIDE_CLIENT].host = '\0';
	has(&r, "cmtime 0.1.0  server 10.0.0.2  rxe0 ");
	result_free(&r);
}

static void window__is_named_and_explained(void **state)
{
	struct result r = data_result(DATA("result.json"));

	(void)state;
	has(&r, "  window 64  1 reaper\n");
	has(&r, "\nA connect's own time includes waiting behind up to 63 others; see --window.\n");
	r.run.window = 2;
	has(&r, "\nA connect's own time includes waiting behind up to 1 other; see --window.\n");
	r.run.window = 0;
	has(&r, "  window unlimited  ");
	has(&r, "\nA connect's own time includes waiting behind all others; see --window.\n");
	r.run.window = 64;
	r.run.connections = 10;
	has(&r, " behind up to 9 others;");
	r.run.window = 1;
	has_not(&r, "waiting behind");
	r.run.window = WINDOW_UNKNOWN;
	has(&r, "  10 connections  1 reaper\n");
	has_not(&r, "waiting behind");
	r.run.window = 64;
	r.run.connections = 1;
	has(&r, "  1 connection  window 64");
	has_not(&r, "waiting behind");
	result_free(&r);
}

static void reaping__is_named_where_it_is_not_the_usual(void **state)
{
	struct result r = data_result(DATA("result.json"));

	(void)state;
	strcpy(r.run.reap, "inline");
	has(&r, "  window 64  inline reaping\n");
	strcpy(r.run.reap, "deferred");
	r.run.threads = 4;
	r.run.listeners = 3;
	has(&r, "  window 64  4 deferred reapers  3 listeners\n");
	result_free(&r);
}

static void counters__that_a_host_has_not__are_said_to_be_missing(void **state)
{
	struct result r = data_result(DATA("result.json"));

	(void)state;
	r.rounds[0].n_cm = 0;
	has(&r, "\nCM messages: not available on this host\n");
	has_not(&r, "max_backlog");
	result_free(&r);
}

static void counters__of_ports_the_run_did_not_use__are_left_out(void **state)
{
	struct result r = data_result(DATA("result.json"));
	struct cm_counts other = { .host = "alpha", .device = "mlx5_1", .port = 1 };

	(void)state;
	other.msg[CM_REQ].sent = 555;
	assert_int_equal(round_add_cm(&r.rounds[0], &other), 0);
	has(&r, "\nCM messages (whole port): 10024 REQ, 26 retried");
	strcpy(other.device, "rxe0");
	other.port = 2;
	assert_int_equal(round_add_cm(&r.rounds[0], &other), 0);
	other.port = 1;
	strcpy(other.host, "gamma");
	assert_int_equal(round_add_cm(&r.rounds[0], &other), 0);
	has(&r, "\nCM messages (whole port): 10024 REQ, 26 retried");
	/* Ends that are not known exclude nothing. */
	memset(r.run.ends, 0, sizeof(r.run.ends));
	has(&r, "\nCM messages (whole port): 11689 REQ, 26 retried");
	result_free(&r);
}

static void retries__of_none__are_0_and_need_no_advice(void **state)
{
	struct result r = data_result(DATA("result.json"));

	(void)state;
	for (size_t i = 0; i < r.rounds[0].n_cm; i++) {
		for (enum cm_message m = 0; m < CM_MESSAGES; m++) {
			r.rounds[0].cm[i].msg[m].retries = 0;
			r.rounds[0].cm[i].msg[m].duplicates = 0;
		}
	}
	has(&r, "\nCM messages (whole port): 10024 REQ, 0 retried; 9990 DREQ, 0 retried\n");
	has_not(&r, "max_backlog");
	result_free(&r);
}

static void step__nobody_did__has_dashes(void **state)
{
	struct result r;

	(void)state;
	assert_int_equal(result_init(&r, 1), 0);
	strcpy(r.run.version, "0.1.0");
	r.run.connections = 5;
	r.rounds[0].begin_ns[SIDE_CLIENT] = 1;
	r.rounds[0].figures[SIDE_CLIENT][STEP_CONNECT].failed = 5;
	has(&r, "cmtime 0.1.0  client  5 connections  window unlimited\n");
	has(&r, "\ncreate id           0       0          -          -          -        -        -"
		"        -        -\n");
	has(&r, "\nconnect             0       5          -          -          -        -        -"
		"        -        -\n");
	has(&r, "\n0 of 5 connected\n");
	has_not(&r, "bind addr");
	has_not(&r, "server");
	result_free(&r);
}

static void failure__of_one_connection__is_singular_and_complete(void **state)
{
	struct outcome full = { STEP_CREATE_QP, EVENT_CALL, -ENOMEM };
	struct result r;

	(void)state;
	assert_int_equal(result_init(&r, 1), 0);
	assert_int_equal(ledger_add(&r.rounds[0].ledger, SIDE_SERVER, &full, 339), 0);
	has(&r,
	    "\n1 failed in server create qp: call failed, ENOMEM: Cannot allocate memory (-12): "
	    "connection 339\n");
	for (uint32_t i = 340; i < 344; i++)
		assert_int_equal(ledger_add(&r.rounds[0].ledger, SIDE_SERVER, &full, i), 0);
	has(&r, "\n5 failed in server create qp: ");
	has(&r, " (-12): connections 339, 340, 341, 342, 343\n");
	assert_int_equal(ledger_add(&r.rounds[0].ledger, SIDE_SERVER, &full, 344), 0);
	has(&r, " (-12): connections 339, 340, 341, 342, 343, ...\n");
	result_free(&r);
}

static void rounds__give_each_step_s_median_and_range(void **state)
{
	struct result r;

	(void)state;
	assert_int_equal(result_init(&r, 3), 0);
	r.run.connections = 4;
	r.run.window = 32;
	for (uint32_t i = 0; i < 3; i++) {
		struct figures *f = &r.rounds[i].figures[SIDE_CLIENT][STEP_CONNECT];

		r.rounds[i].connected = f->count = 4 - (i == 1);
		f->failed = i == 1;
		f->total_ns = f->count * (1000 + i * 500);
		f->p50_ns = 5000000 - i * 1000000;
		f->p99_ns = 7000000;
	}
	struct outcome rejected = { STEP_CONNECT, EVENT_REJECTED, 28 };

	assert_int_equal(ledger_add(&r.rounds[1].ledger, SIDE_CLIENT, &rejected, 2), 0);
	has(&r, "\n3 rounds: the median, and from the lowest to the highest\nstep ");
	has(&r, "\nconnect       11       1      1.50 us (1.00-2.00)      4.00 ms (3.00-5.00)"
		"      7.00 ms (7.00-7.00)\n");
	has(&r, "\nround 1: 4 of 4 connected, 1000000 connects/s\nround 2: 3 of 4 connected, ");
	has(&r,
	    "\n1 failed in connect: REJECTED by the application, consumer defined (28): connection "
	    "2\nround 3: 4 of 4 connected");
	has_not(&r, "disconnect");
	result_free(&r);
}

static void retries__that_a_step_s_time_takes__are_counted_in_words(void **state)
{
	struct result r;

	(void)state;
	assert_int_equal(result_init(&r, 1), 0);
	r.rounds[0].retries[RETRY_REQ].timeout_ns = 6144000000;
	r.rounds[0].retries[RETRY_REQ].count[0] = 5;
	has_not(&r, "REQ retries");
	r.rounds[0].retries[RETRY_REQ].count[1] = 1;
	r.rounds[0].retries[RETRY_REQ].count[15] = 2;
	has(&r, "\n3 took as long in connect as REQ retries take, 6.14 s each: 5 without, 1 with "
		"1, 2 with "
		"15\n");
	result_free(&r);
}

static void reject__by_the_cm__is_told_from_the_application_s(void **state)
{
	struct outcome nobody_there = { STEP_CONNECT, EVENT_REJECTED, 8 };
	struct outcome iwarp = { STEP_CONNECT, EVENT_REJECTED, -ECONNREFUSED };
	struct result r;

	(void)state;
	assert_int_equal(result_init(&r, 1), 0);
	assert_int_equal(ledger_add(&r.rounds[0].ledger, SIDE_CLIENT, &nobody_there, 0), 0);
	assert_int_equal(ledger_add(&r.rounds[0].ledger, SIDE_CLIENT, &iwarp, 1), 0);
	has(&r, "\n1 failed in connect: REJECTED by the CM, ");
	has(&r, "\n1 failed in connect: REJECTED by the application, ECONNREFUSED");
	result_free(&r);
}

static void report__that_cannot_be_written__is_an_error(void **state)
{
	struct result r = data_result(DATA("result.json"));

	(void)state;
	assert_int_equal(data_on_full_disk(text_print, &r), -ENOSPC);
	result_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(duration__has_three_digits_and_is_never_rounded_to_0),
		cmocka_unit_test(report__of_the_made_up_result__is_as_written),
		cmocka_unit_test(report__of_a_server__is_in_its_own_words),
		cmocka_unit_test(window__is_named_and_explained),
		cmocka_unit_test(reaping__is_named_where_it_is_not_the_usual),
		cmocka_unit_test(counters__that_a_host_has_not__are_said_to_be_missing),
		cmocka_unit_test(counters__of_ports_the_run_did_not_use__are_left_out),
		cmocka_unit_test(retries__of_none__are_0_and_need_no_advice),
		cmocka_unit_test(step__nobody_did__has_dashes),
		cmocka_unit_test(failure__of_one_connection__is_singular_and_complete),
		cmocka_unit_test(rounds__give_each_step_s_median_and_range),
		cmocka_unit_test(retries__that_a_step_s_time_takes__are_counted_in_words),
		cmocka_unit_test(reject__by_the_cm__is_told_from_the_application_s),
		cmocka_unit_test(report__that_cannot_be_written__is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
