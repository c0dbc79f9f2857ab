// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Limits on figures: every field and side, texts that are none, and the worst of several rounds. */
#include "cmocka_all.h"
#include "core/result.h"
#include "core/threshold.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static struct threshold parsed(const char *text, bool above)
{
	struct threshold threshold;
	char why[256] = "";

	if (threshold_parse(&threshold, text, above, why, sizeof(why)))
		fail_msg("%s is refused: %s", text, why);
	assert_string_equal(threshold.text, text);
	assert_string_equal(why, "");
	return threshold;
}

static void refused(const char *text, const char *wanted)
{
	struct threshold before, threshold;
	char why[256] = "";

	memset(&before, 0x5a, sizeof(before));
	threshold = before;
	if (!threshold_parse(&threshold, text, true, why, sizeof(why)))
		fail_msg("%s is taken", text);
	assert_memory_equal(&threshold, &before, sizeof(before));
	if (!strstr(why, wanted))
		fail_msg("of %s it says \"%s\", not \"%s\"", text, why, wanted);
}

static enum threshold_state state_of(const char *text, bool above, const struct result *result,
				     double *value)
{
	struct threshold threshold = parsed(text, above);

	return threshold_check(&threshold, result, value);
}

/* The figure itself is no violation on either side; a hair beyond it is. */
static void is(const struct result *result, const char *figure, const char *at, const char *below,
	       const char *beyond)
{
	const struct {
		const char *limit;
		bool above;
		enum threshold_state state;
	} cases[] = {
		{ at, true, THRESHOLD_HOLDS },	   { at, false, THRESHOLD_HOLDS },
		{ below, true, THRESHOLD_BROKEN }, { below, false, THRESHOLD_HOLDS },
		{ beyond, true, THRESHOLD_HOLDS }, { beyond, false, THRESHOLD_BROKEN },
	};
	char text[64];
	double value;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		snprintf(text, sizeof(text), "%s=%s", figure, cases[i].limit);
		if (state_of(text, cases[i].above, result, &value) != cases[i].state)
			fail_msg("%s %s", cases[i].above ? "above" : "below", text);
	}
}

static void has_no_data(const struct result *result, const char *text)
{
	double value = 4711;

	for (int above = 0; above < 2; above++) {
		if (state_of(text, above, result, &value) != THRESHOLD_NO_DATA)
			fail_msg("%s has data: %g", text, value);
	}
	assert_true(value == 4711);
}

static const struct figures connects = { .count = 1000,
					 .failed = 3,
					 .total_ns = 2000000,
					 .sum_ns = 40000000,
					 .mean_ns = 40000,
					 .stddev_ns = 5,
					 .min_ns = 1,
					 .p50_ns = 50,
					 .p90_ns = 90,
					 .p99_ns = 5000000,
					 .p999_ns = 999000000,
					 .max_ns = UINT64_C(120000000001) };

static struct result of_rounds(size_t n)
{
	struct result result;

	assert_int_equal(result_init(&result, n), 0);
	for (size_t i = 0; i < n; i++)
		result.rounds[i].figures[SIDE_CLIENT][STEP_CONNECT] = connects;
	return result;
}

static void figure__by_its_name_in_json__is_that_figure(void **state)
{
	struct result r = of_rounds(1);

	(void)state;
	is(&r, "connect.count", "1000", "999", "1001");
	is(&r, "connect.count", "1k", "0", "1M");
	is(&r, "connect.failed", "3", "2", "4");
	is(&r, "connect.total", "2ms", "1999999ns", "2000001ns");
	is(&r, "connect.sum", "40ms", "39ms", "40.000001ms");
	is(&r, "connect.mean", "40us", "39999ns", "40001ns");
	is(&r, "connect.stddev", "5ns", "4ns", "6ns");
	is(&r, "connect.p50", "50ns", "49ns", "51ns");
	is(&r, "connect.p90", "0.09us", "89ns", "91ns");
	is(&r, "connect.p99", "5ms", "4999us", "5001us");
	is(&r, "connect.p999", "999ms", "998ms", "1s");
	is(&r, "connect.max", "120.000000001s", "120", "121");
	is(&r, "connect.spread", "120s", "119999999999ns", "120000000001ns");
	is(&r, "connect.per_second", "500000", "499999.999", "500000.001");
	is(&r, "connect.per_second", "500k", "499k", "1M");
	is(&r, "connect.in_flight", "20", "19.99", "20.01");
	/* 1 ns is the shortest time that a limit can be. */
	assert_int_equal(state_of("connect.min=1ns", true, &r, &(double){ 0 }), THRESHOLD_HOLDS);
	assert_int_equal(state_of("connect.min=1ns", false, &r, &(double){ 0 }), THRESHOLD_HOLDS);
	result_free(&r);
}

static void side__is_the_one_that_is_named_or_else_the_client(void **state)
{
	struct threshold t;

	(void)state;
	for (enum step step = 0; step < STEPS; step++) {
		for (enum side side = 0; side < SIDES; side++) {
			char text[64];

			snprintf(text, sizeof(text), "%s.%s.p50=1s", side_name(side),
				 step_name(step));
			if (!step_is_of(step, side)) {
				refused(text, "with a step of that side such as ");
				continue;
			}
			t = parsed(text, true);
			assert_int_equal(t.side, side);
			assert_int_equal(t.step, step);
			t = parsed(strchr(text, '.') + 1, false);
			assert_int_equal(t.side,
					 step_is_of(step, SIDE_CLIENT) ? SIDE_CLIENT : SIDE_SERVER);
			assert_int_equal(t.step, step);
			assert_false(t.above);
		}
	}
}

static void figure__of_a_side__is_that_side_s(void **state)
{
	struct result r = of_rounds(1);

	(void)state;
	r.rounds[0].figures[SIDE_CLIENT][STEP_CREATE_QP] =
		(struct figures){ .count = 1, .p50_ns = 10 };
	r.rounds[0].figures[SIDE_SERVER][STEP_CREATE_QP] =
		(struct figures){ .count = 1, .p50_ns = 20 };
	r.rounds[0].figures[SIDE_SERVER][STEP_ACCEPT] =
		(struct figures){ .count = 1, .p50_ns = 30 };
	is(&r, "create_qp.p50", "10ns", "9ns", "11ns");
	is(&r, "client.create_qp.p50", "10ns", "9ns", "11ns");
	is(&r, "server.create_qp.p50", "20ns", "19ns", "21ns");
	is(&r, "accept.p50", "30ns", "29ns", "31ns");
	is(&r, "server.accept.p50", "30ns", "29ns", "31ns");
	result_free(&r);
}

static void text__that_is_no_limit__is_refused_and_told_what_is(void **state)
{
	static const char *const no_steps[] = {
		"",
		"=",
		".",
		"..=",
		"connect",
		"connect=5ms",
		"connect=5.5ms",
		"p99=5ms",
		".p99=5ms",
		" connect.p99=5ms",
		"Connect.p99=5ms",
		"connec.p99=5ms",
		"connects.p99=5ms",
		"create id.p99=5ms",
		"none.p99=5ms",
		"peer.connect.p99=5ms",
		"client",
		"client.",
		"client.connect",
		"client.p99=5ms",
		"client.client.connect.p99=5ms",
		"a-word-that-is-longer-than-any-of-ours.p99=5ms",
	};
	static const char *const no_figures[] = {
		"connect.",
		"connect.=5ms",
		"connect.p99",
		"connect.p99:5ms",
		"connect.p99_ns=5ms",
		"connect.p95=5ms",
		"connect.P99=5ms",
		"connect.step=5ms",
		"connect.connect.p99=5ms",
		"connect.p99.=5ms",
		"connect.req=5",
		"connect.req_lost=5",
		"connect.req_retries_=5",
		"server.accept.client=5",
		"connect.a-word-that-is-longer-than-any-of-ours=5ms",
	};
	static const char *const no_times[] = { "",
						"0",
						"-1",
						"5m",
						"5 ms",
						"ms",
						"5ms ",
						"1e3",
						"unlimited",
						"=5ms",
						"99999999999999999999" };
	static const char *const no_counts[] = { "",	"-1",  "0.5",
						 "5ms", "1e3", "5K",
						 " 5",	"nan", "9223372036854775808" };
	static const char *const no_rates[] = { "",    "-1",	"1e3",
						"5/s", "0x10",	"nan",
						"inf", "1.2.3", "1.",
						".5",  "5 ",	"1kk",
						"1,5", "1e400", "1000000000000000000000000000" };
	char text[64];

	(void)state;
	for (size_t i = 0; i < sizeof(no_steps) / sizeof(*no_steps); i++)
		refused(no_steps[i], "[SIDE.]STEP.FIELD=VALUE with a step");
	for (size_t i = 0; i < sizeof(no_figures) / sizeof(*no_figures); i++)
		refused(no_figures[i], "a figure of a step: count, failed, ");
	for (size_t i = 0; i < sizeof(no_times) / sizeof(*no_times); i++) {
		snprintf(text, sizeof(text), "connect.p99=%s", no_times[i]);
		refused(text, "a time such as 5ms after the =");
	}
	for (size_t i = 0; i < sizeof(no_counts) / sizeof(*no_counts); i++) {
		snprintf(text, sizeof(text), "connect.failed=%s", no_counts[i]);
		refused(text, "a count after the =");
		snprintf(text, sizeof(text), "connect.req_retries=%s", no_counts[i]);
		refused(text, "a count after the =");
	}
	for (size_t i = 0; i < sizeof(no_rates) / sizeof(*no_rates); i++) {
		snprintf(text, sizeof(text), "connect.per_second=%s", no_rates[i]);
		refused(text, "a number after the =");
	}
}

static void rounds__all_keep_a_limit_or_the_worst_is_named(void **state)
{
	struct result r = of_rounds(3);
	double value = 0;

	(void)state;
	r.rounds[1].figures[SIDE_CLIENT][STEP_CONNECT].p99_ns = 7000000;
	r.rounds[2].figures[SIDE_CLIENT][STEP_CONNECT].p99_ns = 3000000;
	assert_int_equal(state_of("connect.p99=7ms", true, &r, &value), THRESHOLD_HOLDS);
	assert_int_equal(state_of("connect.p99=6ms", true, &r, &value), THRESHOLD_BROKEN);
	assert_true(value == 7000000);
	assert_int_equal(state_of("connect.p99=3ms", false, &r, &value), THRESHOLD_HOLDS);
	assert_int_equal(state_of("connect.p99=4ms", false, &r, &value), THRESHOLD_BROKEN);
	assert_true(value == 3000000);
	/* A round that has it not is no better than one beyond the limit. */
	r.rounds[2].figures[SIDE_CLIENT][STEP_CONNECT] = (struct figures){ .failed = 4 };
	has_no_data(&r, "connect.p99=1s");
	assert_int_equal(state_of("connect.failed=3", true, &r, &value), THRESHOLD_BROKEN);
	assert_true(value == 4);
	result_free(&r);
}

static void figure__that_the_run_has_not__is_no_data(void **state)
{
	struct result r = of_rounds(1), none = { 0 };
	double value;

	(void)state;
	has_no_data(&none, "connect.count=0");
	has_no_data(&r, "disconnect.p50=1s");
	has_no_data(&r, "disconnect.count=0");
	has_no_data(&r, "server.accept.count=0");
	has_no_data(&r, "accept.failed=0");
	/* Of a side that took part, nobody did it is a number. */
	r.rounds[0].begin_ns[SIDE_CLIENT] = 1;
	assert_int_equal(state_of("disconnect.count=1", false, &r, &value), THRESHOLD_BROKEN);
	assert_int_equal(state_of("disconnect.failed=0", true, &r, &value), THRESHOLD_HOLDS);
	has_no_data(&r, "disconnect.p50=1s");
	has_no_data(&r, "disconnect.per_second=1");
	has_no_data(&r, "bind_addr.count=0");
	/* Nor is there a rate over no time: null in JSON. */
	r.rounds[0].figures[SIDE_CLIENT][STEP_CONNECT].total_ns = 0;
	has_no_data(&r, "connect.per_second=1");
	has_no_data(&r, "connect.in_flight=1");
	result_free(&r);
}

static void counters__are_those_of_the_step_on_the_run_s_ports(void **state)
{
	struct cm_counts own = {
		.host = "alpha", .device = "rxe0", .port = 1, .step = STEP_CONNECT
	};
	struct result r = of_rounds(1);
	struct cm_counts other = own, later = own;

	(void)state;
	has_no_data(&r, "connect.req_retries=0");
	for (enum cm_message m = 0; m < CM_MESSAGES; m++)
		own.msg[m] = (struct cm_count){ 10 * m + 1, 10 * m + 2, 10 * m + 3, 10 * m + 4 };
	other.port = 2;
	other.msg[CM_REQ].retries = 1000;
	later.step = STEP_DISCONNECT;
	later.msg[CM_DREQ].sent = 7;
	assert_int_equal(round_add_cm(&r.rounds[0], &own), 0);
	assert_int_equal(round_add_cm(&r.rounds[0], &other), 0);
	assert_int_equal(round_add_cm(&r.rounds[0], &later), 0);
	strcpy(r.run.ends[SIDE_CLIENT].device, "rxe0");
	r.run.ends[SIDE_CLIENT].port = 1;
	for (enum cm_message m = 0; m < CM_MESSAGES; m++) {
		for (int k = 0; k < CM_COUNTERS; k++) {
			char key[CM_KEY], figure[64], at[16], below[16], beyond[16];
			int count = 10 * (int)m + k + 1;

			snprintf(figure, sizeof(figure), "connect.%s", cm_key(key, m, k));
			snprintf(at, sizeof(at), "%d", count);
			snprintf(below, sizeof(below), "%d", count - 1);
			snprintf(beyond, sizeof(beyond), "%d", count + 1);
			is(&r, figure, at, below, beyond);
		}
	}
	is(&r, "disconnect.dreq_sent", "7", "6", "8");
	is(&r, "client.disconnect.dreq_sent", "7", "6", "8");
	has_no_data(&r, "create_qp.req_sent=0");
	result_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figure__by_its_name_in_json__is_that_figure),
		cmocka_unit_test(side__is_the_one_that_is_named_or_else_the_client),
		cmocka_unit_test(figure__of_a_side__is_that_side_s),
		cmocka_unit_test(text__that_is_no_limit__is_refused_and_told_what_is),
		cmocka_unit_test(rounds__all_keep_a_limit_or_the_worst_is_named),
		cmocka_unit_test(figure__that_the_run_has_not__is_no_data),
		cmocka_unit_test(counters__are_those_of_the_step_on_the_run_s_ports),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
