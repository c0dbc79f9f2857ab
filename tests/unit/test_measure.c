// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What is taken out of a round, how it is named, and what a set-up is in words. */
#include "cmocka_all.h"
#include "core/measure.h"
#include "core/setup.h"
#include "data.h"

#include <errno.h>

static int parse(struct measure *measure, const char *text)
{
	return measure_parse(measure, text, text + strlen(text));
}

static void named(const char *text, enum side side, enum step step, enum measure_kind kind)
{
	struct measure m;

	if (parse(&m, text))
		fail_msg("%s is refused", text);
	assert_int_equal(m.side, side);
	assert_int_equal(m.step, step);
	assert_int_equal(m.kind, kind);
}

static void name__of_a_measure__is_side_step_and_field(void **state)
{
	const char *limit = "connect.p99=1.05";
	struct measure m;

	(void)state;
	named("connect.us", SIDE_CLIENT, STEP_CONNECT, MEASURE_EACH);
	named("create_qp.p50", SIDE_CLIENT, STEP_CREATE_QP, MEASURE_P50);
	named("client.create_qp.p99", SIDE_CLIENT, STEP_CREATE_QP, MEASURE_P99);
	named("server.create_qp.p99", SIDE_SERVER, STEP_CREATE_QP, MEASURE_P99);
	named("accept.us", SIDE_SERVER, STEP_ACCEPT, MEASURE_EACH);
	named("all.total", SIDE_CLIENT, STEPS, MEASURE_TOTAL);
	named("client.all.total", SIDE_CLIENT, STEPS, MEASURE_TOTAL);
	assert_int_equal(measure_parse(&m, limit, strchr(limit, '=')), 0);
	assert_int_equal(m.kind, MEASURE_P99);
}

static void name__of_anything_else__is_refused(void **state)
{
	static const char *const bad[] = { "",
					   ".",
					   "connect",
					   "connect.",
					   ".us",
					   "connect.us.",
					   "connect.us.us",
					   "connect.total",
					   "connect.p90",
					   "conect.us",
					   "client.accept.us",
					   "server.connect.us",
					   "server.all.total",
					   "all.us",
					   "all.p50",
					   "client.us",
					   "client..us",
					   "client.client.connect.us",
					   "connect.us ",
					   "a_word_that_is_longer_than_any_name_there_is.us" };
	struct measure m = { .kind = MEASURE_KINDS };

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		if (parse(&m, bad[i]) != -EINVAL)
			fail_msg("'%s' is taken", bad[i]);
	}
	assert_int_equal(m.kind, MEASURE_KINDS);
}

static double value(const struct result *r, const char *text, const bool *summed)
{
	static const bool none[STEPS];
	struct measure m;
	double ns;

	assert_int_equal(parse(&m, text), 0);
	return measure_of_round(&m, &r->rounds[0], summed ? summed : none, &ns) ? ns : -1;
}

static void value__is_the_one_that_the_report_has(void **state)
{
	struct result r = data_result(DATA("result.json"));

	(void)state;
	assert_true(value(&r, "create_id.us", NULL) == 16810);
	assert_true(value(&r, "create_id.p50", NULL) == 16000);
	assert_true(value(&r, "create_id.p99", NULL) == 24000);
	assert_true(value(&r, "accept.us", NULL) == 402100);
	assert_true(value(&r, "bind_addr.us", NULL) == -1);
	assert_true(value(&r, "server.destroy_qp.us", NULL) == -1);
	result_free(&r);
}

static void total__is_of_the_steps_it_is_to_sum_and_of_all_of_them(void **state)
{
	struct result r = data_result(DATA("result.json"));
	bool summed[STEPS] = { [STEP_CREATE_ID] = true, [STEP_CONNECT] = true };

	(void)state;
	assert_true(value(&r, "all.total", summed) == 168100000.0 + 6065000000.0);
	summed[STEP_BIND_ADDR] = true;
	assert_true(value(&r, "all.total", summed) == -1);
	assert_true(value(&r, "all.total", NULL) == -1);
	result_free(&r);
}

static void setup__of_a_run__is_in_words(void **state)
{
	struct result r = data_result(DATA("result.json"));
	char text[RESULT_NAME], all[2048] = "";

	(void)state;
	for (size_t i = 0; i < setup_size(); i++) {
		size_t n = strlen(all);

		snprintf(all + n, sizeof(all) - n, "%s %s\n", setup_name(i),
			 setup_value(i, &r.run, text));
	}
	assert_non_null(strstr(all, "reporting side client\n"));
	assert_non_null(strstr(all, "\nconnections 10000\nwindow 64\nreap concurrent\n"));
	assert_non_null(strstr(all, "\nstep time-out 120 s\n"));
	assert_non_null(strstr(all, "\nhost alpha\nhost beta\n"));
	assert_non_null(strstr(all, "\ntransport RoCE v2\n"));
	result_free(&r);
}

static void setup__of_the_client__is_followed_by_the_server_s(void **state)
{
	(void)state;
	for (size_t i = 0; i < setup_size(); i++) {
		if (setup_side(i) != SIDE_CLIENT)
			continue;
		assert_in_range(++i, 1, setup_size() - 1);
		assert_int_equal(setup_side(i), SIDE_SERVER);
		assert_string_equal(setup_name(i), setup_name(i - 1));
	}
}

static void setup__of_a_sysctl__is_found_by_its_name(void **state)
{
	struct run_info run = { .ends[SIDE_SERVER] = {
					.settings = { { "other", "1" }, { "RLIMIT_NOFILE", "4k" } },
					.n_settings = 2 } };
	char text[RESULT_NAME];
	int found = 0;

	(void)state;
	for (size_t i = 0; i < setup_size(); i++) {
		if (strcmp(setup_name(i), "RLIMIT_NOFILE"))
			continue;
		assert_string_equal(setup_value(i, &run, text),
				    setup_side(i) == SIDE_SERVER ? "4k" : "");
		found++;
	}
	assert_int_equal(found, 2);
}

static void setup__without_data__is_empty(void **state)
{
	struct run_info run = { .window = WINDOW_UNKNOWN };
	char text[RESULT_NAME];

	(void)state;
	for (size_t i = 1; i < setup_size(); i++) {
		setup_value(i, &run, text);
		if (*text && strcmp(text, "no") && strcmp(text, "0"))
			fail_msg("%s is %s", setup_name(i), text);
	}
}

static void window__is_what_bounds_the_connections_in_flight(void **state)
{
	(void)state;
	assert_int_equal(setup_window(&(struct run_info){ .window = 32, .connections = 100 }), 32);
	assert_int_equal(setup_window(&(struct run_info){ .window = 320, .connections = 100 }),
			 100);
	assert_int_equal(setup_window(&(struct run_info){ .window = 0, .connections = 100 }), 100);
	assert_int_equal(
		setup_window(&(struct run_info){ .window = WINDOW_UNKNOWN, .connections = 9 }),
		WINDOW_UNKNOWN);
	assert_int_equal(setup_window(&(struct run_info){ .window = 0 }), WINDOW_UNKNOWN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(name__of_a_measure__is_side_step_and_field),
		cmocka_unit_test(name__of_anything_else__is_refused),
		cmocka_unit_test(value__is_the_one_that_the_report_has),
		cmocka_unit_test(total__is_of_the_steps_it_is_to_sum_and_of_all_of_them),
		cmocka_unit_test(setup__of_a_run__is_in_words),
		cmocka_unit_test(setup__of_the_client__is_followed_by_the_server_s),
		cmocka_unit_test(setup__of_a_sysctl__is_found_by_its_name),
		cmocka_unit_test(setup__without_data__is_empty),
		cmocka_unit_test(window__is_what_bounds_the_connections_in_flight),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
