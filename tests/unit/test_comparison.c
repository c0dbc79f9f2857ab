// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The verdicts: what is needed for one, and what forbids it. */
#include "cmocka_all.h"
#include "contest_use.h"

#include <math.h>

static void ends_in(struct result_set base, struct result_set new, enum verdict verdict)
{
	struct contest contest = contest_of(base, new, 0.03);
	const struct finding *f = contest_find(&contest, "connect.us");

	assert_non_null(f);
	if (f->verdict != verdict)
		fail_msg("%d, not %d: ratio %g, %g to %g, p %g", (int)f->verdict, (int)verdict,
			 f->ratio, f->interval.low, f->interval.high, f->p);
	contest_free(&contest);
}

static void verdict__of_sets_far_apart__is_faster_or_slower(void **state)
{
	(void)state;
	ends_in(CONTEST_SET(100, 101, 102, 103), CONTEST_SET(120, 121, 122, 123), VERDICT_SLOWER);
	ends_in(CONTEST_SET(120, 121, 122, 123), CONTEST_SET(100, 101, 102, 103), VERDICT_FASTER);
	ends_in(CONTEST_SET(100, 101, 102), CONTEST_SET(120, 121, 122, 123, 124), VERDICT_SLOWER);
	ends_in(CONTEST_SET(100, 101, 102, 103), CONTEST_SET(0, 0, 0, 0), VERDICT_FASTER);
}

static void verdict__of_a_difference_within_the_margin__is_no_difference(void **state)
{
	(void)state;
	ends_in(CONTEST_SET(1000, 1001, 1002, 1003), CONTEST_SET(1000, 1001, 1002, 1003),
		VERDICT_SAME);
	/* Sure, but less than 3 %. */
	ends_in(CONTEST_SET(1000, 1001, 1002, 1003, 1004),
		CONTEST_SET(1020, 1021, 1022, 1023, 1024), VERDICT_SAME);
}

static void verdict__that_the_runs_leave_open__is_no_difference_shown(void **state)
{
	(void)state;
	/* Nothing tells them apart, and they are all over the place. */
	ends_in(CONTEST_SET(80, 90, 100, 110, 120), CONTEST_SET(85, 95, 105, 115, 125),
		VERDICT_OPEN);
	/* Sure that they differ, but not that it is by 3 %. */
	ends_in(CONTEST_SET(1000, 1001, 1002, 1003, 1004),
		CONTEST_SET(1010, 1020, 1035, 1050, 1060), VERDICT_OPEN);
	/* The interval alone is no verdict: p is 0.1143. */
	ends_in(CONTEST_SET(100, 101, 102, 130), CONTEST_SET(120, 121, 122, 123), VERDICT_OPEN);
}

static void verdict__needs_as_many_runs_as_can_make_p_small(void **state)
{
	(void)state;
	ends_in(CONTEST_SET(100), CONTEST_SET(200), VERDICT_TOO_FEW);
	ends_in(CONTEST_SET(100, 101, 102), CONTEST_SET(200, 201, 202), VERDICT_TOO_FEW);
	ends_in(CONTEST_SET(100, 101, 102), CONTEST_SET(200, 201, 202, 203), VERDICT_TOO_FEW);
	ends_in(CONTEST_SET(100, 100, 100), CONTEST_SET(100, 100, 100), VERDICT_TOO_FEW);
}

static void finding__of_one_value_each__has_a_ratio_and_no_interval(void **state)
{
	struct contest contest = contest_of(CONTEST_SET(100), CONTEST_SET(150), 0.03);
	const struct finding *f = contest_find(&contest, "connect.p99");

	(void)state;
	assert_true(f->ratio == 1.5 && f->p == 1 && f->n == 1);
	assert_true(isnan(f->interval.low) && isnan(f->interval.high));
	contest_free(&contest);
}

static void margin__is_what_it_is_told_to_be(void **state)
{
	struct contest contest = contest_of(CONTEST_SET(1000, 1001, 1002, 1003),
					    CONTEST_SET(1010, 1011, 1012, 1013), 0);

	(void)state;
	assert_int_equal(contest_find(&contest, "connect.us")->verdict, VERDICT_SLOWER);
	contest_free(&contest);
	contest = contest_of(CONTEST_SET(100, 101, 102, 103), CONTEST_SET(120, 121, 122, 123), 0.5);
	assert_int_equal(contest_find(&contest, "connect.us")->verdict, VERDICT_SAME);
	contest_free(&contest);
}

static void value__of_a_result__is_the_median_over_its_rounds(void **state)
{
	const double base[] = { 900, 100, 101, 900, 102, 103 }, new[] = { 200, 202 };
	struct contest contest = contest_of(contest_set(2, 3, base), contest_set(2, 1, new), 0.03);
	const struct finding *f = contest_find(&contest, "connect.us");

	(void)state;
	assert_int_equal(comparison_at(&contest.c, 0, 0)->n, 2);
	assert_true(comparison_at(&contest.c, 0, 0)->median_ns == 102000);
	assert_true(f->median_ns == 201000);
	assert_int_equal(f->verdict, VERDICT_TOO_FEW);
	assert_string_equal(contest_caution(&contest), "");
	contest_free(&contest);
}

static void rounds__of_one_result__stand_in_with_a_caution(void **state)
{
	const double base[] = { 100, 102, 101, 103 }, new[] = { 120, 123, 121, 122 };
	struct contest contest = contest_of(contest_set(1, 4, base), contest_set(1, 4, new), 0.03);

	(void)state;
	assert_int_equal(contest_find(&contest, "connect.us")->verdict, VERDICT_SLOWER);
	assert_int_equal(contest_find(&contest, "connect.us")->n, 4);
	assert_int_equal(contest.c.n_cautions, 2);
	assert_non_null(strstr(contest.c.cautions[0], "base has one result, so its 4 rounds"));
	assert_non_null(strstr(contest.c.cautions[1], "new has one result, so its 4 rounds"));
	contest_free(&contest);
}

static struct contest with_windows(uint32_t base, uint32_t new)
{
	struct result_set sets[] = { CONTEST_SET(100, 101, 102, 103),
				     CONTEST_SET(120, 121, 122, 123) };

	for (size_t i = 0; i < 4; i++) {
		sets[0].results[i].run.window = base;
		sets[1].results[i].run.window = new;
	}
	return contest_of(sets[0], sets[1], 0.03);
}

static void percentiles__of_different_windows__have_no_verdict(void **state)
{
	struct contest contest = with_windows(32, 64);

	(void)state;
	assert_int_equal(contest_find(&contest, "connect.us")->verdict, VERDICT_SLOWER);
	assert_int_equal(contest_find(&contest, "connect.p50")->verdict, VERDICT_WINDOWS);
	assert_int_equal(contest_find(&contest, "connect.p99")->verdict, VERDICT_WINDOWS);
	assert_int_equal(contest_find(&contest, "all.total")->verdict, VERDICT_SLOWER);
	assert_int_equal(contest.c.n_cautions, 2);
	assert_string_equal(contest.c.cautions[0],
			    "the set-ups differ: window 32 in base; 64 in new");
	assert_non_null(strstr(contest.c.cautions[1], "no verdict on percentiles"));
	contest_free(&contest);
}

static void percentiles__of_windows_that_let_all_in__are_judged(void **state)
{
	struct contest contest = with_windows(0, 1000);

	(void)state;
	assert_int_equal(contest_find(&contest, "connect.p50")->verdict, VERDICT_SLOWER);
	assert_string_equal(contest_caution(&contest),
			    "the set-ups differ: window unlimited in base; 1000 in new");
	contest_free(&contest);
}

static void percentiles__of_a_window_that_differs_within_a_file__have_no_verdict(void **state)
{
	struct result_set base = CONTEST_SET(100, 101, 102, 103),
			  new = CONTEST_SET(120, 121, 122, 123);

	(void)state;
	new.results[3].run.window = 1;
	struct contest contest = contest_of(base, new, 0.03);

	assert_int_equal(contest_find(&contest, "connect.p50")->verdict, VERDICT_WINDOWS);
	assert_string_equal(contest.c.cautions[0],
			    "the set-ups differ: window 32 in base; 32, 1 in new");
	contest_free(&contest);
}

static void total__of_different_numbers_of_connections__has_no_verdict(void **state)
{
	struct result_set base = CONTEST_SET(100, 101, 102, 103),
			  new = CONTEST_SET(120, 121, 122, 123);

	(void)state;
	for (size_t i = 0; i < 4; i++)
		new.results[i].run.connections = 2000;
	struct contest contest = contest_of(base, new, 0.03);

	assert_int_equal(contest_find(&contest, "connect.us")->verdict, VERDICT_SLOWER);
	assert_int_equal(contest_find(&contest, "connect.p99")->verdict, VERDICT_SLOWER);
	assert_int_equal(contest_find(&contest, "all.total")->verdict, VERDICT_CONNECTIONS);
	contest_free(&contest);
}

static void total__is_of_the_steps_that_all_files_have(void **state)
{
	struct result_set base = CONTEST_SET(100, 101, 102, 103),
			  new = CONTEST_SET(100, 101, 102, 103);

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		contest_step(&base.results[i].rounds[0], SIDE_CLIENT, STEP_CREATE_ID, 10);
		contest_step(&new.results[i].rounds[0], SIDE_CLIENT, STEP_CREATE_ID, 10);
		contest_step(&new.results[i].rounds[0], SIDE_CLIENT, STEP_BIND_ADDR, 50);
	}
	struct contest contest = contest_of(base, new, 0.03);
	const struct finding *f = contest_find(&contest, "all.total");

	assert_true(f->median_ns == 111.5e6 && f->ratio == 1);
	assert_int_equal(contest_find(&contest, "bind_addr.us")->verdict, VERDICT_MISSING);
	assert_true(isnan(contest_find(&contest, "bind_addr.us")->ratio));
	assert_string_equal(
		contest_caution(&contest),
		"the total of all steps is without those that a file has not: bind addr");
	contest_free(&contest);
}

static void measure__that_no_file_has__is_left_out(void **state)
{
	struct contest contest = contest_of(CONTEST_SET(1, 2), CONTEST_SET(1, 2), 0.03);

	(void)state;
	assert_null(contest_find(&contest, "destroy_id.us"));
	assert_int_equal(contest.c.n_measures, 4);
	contest_free(&contest);
}

static void ratio__to_zero__is_none(void **state)
{
	struct contest contest =
		contest_of(CONTEST_SET(0, 1, 2, 3), CONTEST_SET(120, 121, 122, 123), 0.03);
	const struct finding *f = contest_find(&contest, "connect.us");

	(void)state;
	assert_int_equal(f->verdict, VERDICT_ZERO);
	assert_true(isnan(f->ratio) && isnan(f->interval.low) && f->p < 0.05);
	contest_free(&contest);
}

static void us__of_the_server__is_the_mean_of_the_connections_own(void **state)
{
	struct result_set base = CONTEST_SET(1), new = CONTEST_SET(1);

	(void)state;
	contest_step(&base.results[0].rounds[0], SIDE_SERVER, STEP_ACCEPT, 10);
	contest_step(&new.results[0].rounds[0], SIDE_SERVER, STEP_ACCEPT, 10);
	new.results[0].rounds[0].figures[SIDE_SERVER][STEP_ACCEPT].mean_ns = 20000;
	struct contest contest = contest_of(base, new, 0.03);

	assert_true(contest_find(&contest, "accept.us")->ratio == 2);
	contest_free(&contest);
}

static void results__without_rounds__have_no_measure(void **state)
{
	struct contest contest = contest_of(contest_set(2, 0, NULL), contest_set(1, 0, NULL), 0.03);

	(void)state;
	assert_int_equal(contest.c.n_measures, 0);
	contest_free(&contest);
	contest = contest_of(contest_set(2, 0, NULL), CONTEST_SET(1, 2), 0.03);
	assert_int_equal(contest_find(&contest, "connect.us")->verdict, VERDICT_MISSING);
	contest_free(&contest);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(verdict__of_sets_far_apart__is_faster_or_slower),
		cmocka_unit_test(verdict__of_a_difference_within_the_margin__is_no_difference),
		cmocka_unit_test(verdict__that_the_runs_leave_open__is_no_difference_shown),
		cmocka_unit_test(verdict__needs_as_many_runs_as_can_make_p_small),
		cmocka_unit_test(finding__of_one_value_each__has_a_ratio_and_no_interval),
		cmocka_unit_test(margin__is_what_it_is_told_to_be),
		cmocka_unit_test(value__of_a_result__is_the_median_over_its_rounds),
		cmocka_unit_test(rounds__of_one_result__stand_in_with_a_caution),
		cmocka_unit_test(percentiles__of_different_windows__have_no_verdict),
		cmocka_unit_test(percentiles__of_windows_that_let_all_in__are_judged),
		cmocka_unit_test(
			percentiles__of_a_window_that_differs_within_a_file__have_no_verdict),
		cmocka_unit_test(total__of_different_numbers_of_connections__has_no_verdict),
		cmocka_unit_test(total__is_of_the_steps_that_all_files_have),
		cmocka_unit_test(measure__that_no_file_has__is_left_out),
		cmocka_unit_test(ratio__to_zero__is_none),
		cmocka_unit_test(us__of_the_server__is_the_mean_of_the_connections_own),
		cmocka_unit_test(results__without_rounds__have_no_measure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
