// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The figures of a step, held against tests/data/stats.txt, which tests/data/stats.py worked out,
 * and at the edges. */
#include "cmocka_all.h"
#include "core/stats.h"
#include "core/timeline.h"
#include "data.h"

#include <inttypes.h>
#include <math.h>

#define S UINT64_C(1000000000)

static uint64_t next_number(char **at)
{
	return strtoull(*at, at, 10);
}

static void check_order(const struct figures *f)
{
	assert_true(f->min_ns <= f->p50_ns && f->p50_ns <= f->p90_ns && f->p90_ns <= f->p99_ns);
	assert_true(f->p99_ns <= f->p999_ns && f->p999_ns <= f->max_ns);
	assert_true(f->min_ns <= f->mean_ns && f->mean_ns <= f->max_ns);
	if (f->count)
		assert_int_equal(f->mean_ns, (f->sum_ns + f->count / 2) / f->count);
}

static void check_set(char *line)
{
	struct figures want = { 0 },
		       got = { .failed = 3, .step = STEP_CONNECT, .side = SIDE_SERVER };
	uint64_t *durations_ns, first_ns, last_ns;
	char *name = line, *at = strchr(line, ' ');
	size_t n = 0;

	assert_non_null(at);
	*at++ = '\0';
	first_ns = next_number(&at);
	last_ns = next_number(&at);
	want.count = (uint32_t)next_number(&at);
	want.sum_ns = next_number(&at);
	want.mean_ns = next_number(&at);
	want.stddev_ns = next_number(&at);
	want.min_ns = next_number(&at);
	want.p50_ns = next_number(&at);
	want.p90_ns = next_number(&at);
	want.p99_ns = next_number(&at);
	want.p999_ns = next_number(&at);
	want.max_ns = next_number(&at);
	assert_true(want.count > 0);

	durations_ns = calloc(want.count, sizeof(*durations_ns));
	assert_non_null(durations_ns);
	while (*at == ' ') {
		uint64_t times = next_number(&at), ns;

		assert_int_equal(*at++, 'x');
		ns = next_number(&at);
		while (times--) {
			assert_true(n < want.count);
			durations_ns[n++] = ns;
		}
	}
	assert_int_equal(n, want.count);

	figures_compute(&got, durations_ns, n, first_ns, last_ns);
	print_message("%s\n", name);
	assert_int_equal(got.count, want.count);
	assert_int_equal(got.total_ns, last_ns - first_ns);
	assert_int_equal(got.sum_ns, want.sum_ns);
	assert_int_equal(got.mean_ns, want.mean_ns);
	assert_int_equal(got.stddev_ns, want.stddev_ns);
	assert_int_equal(got.min_ns, want.min_ns);
	assert_int_equal(got.p50_ns, want.p50_ns);
	assert_int_equal(got.p90_ns, want.p90_ns);
	assert_int_equal(got.p99_ns, want.p99_ns);
	assert_int_equal(got.p999_ns, want.p999_ns);
	assert_int_equal(got.max_ns, want.max_ns);
	assert_int_equal(got.failed, 3);
	assert_int_equal(got.step, STEP_CONNECT);
	assert_int_equal(got.side, SIDE_SERVER);
	check_order(&got);
	free(durations_ns);
}

static void figures__of_made_up_durations__are_what_exact_arithmetic_gives(void **state)
{
	char *text = data_read(DATA("stats.txt")), *rest = text, *line;
	int sets = 0;

	(void)state;
	while ((line = strsep(&rest, "\n")) && *line) {
		check_set(line);
		sets++;
	}
	assert_int_equal(sets, 15);
	free(text);
}

static void percentile__of_one_sample__is_that_sample(void **state)
{
	struct figures f = { 0 };
	uint64_t one = 400;

	(void)state;
	figures_compute(&f, &one, 1, 1000, 1400);
	assert_int_equal(f.count, 1);
	assert_int_equal(f.min_ns, 400);
	assert_int_equal(f.p50_ns, 400);
	assert_int_equal(f.p999_ns, 400);
	assert_int_equal(f.max_ns, 400);
	assert_int_equal(f.mean_ns, 400);
	assert_int_equal(f.stddev_ns, 0);
}

static void figures__of_no_sample__are_no_data(void **state)
{
	struct figures f = { .count = 7, .min_ns = 7, .failed = 2, .step = STEP_ACCEPT };

	(void)state;
	figures_compute(&f, NULL, 0, UINT64_MAX, 0);
	assert_int_equal(f.count, 0);
	assert_int_equal(f.total_ns, 0);
	assert_int_equal(f.min_ns, 0);
	assert_int_equal(f.failed, 2);
	assert_int_equal(f.step, STEP_ACCEPT);
	assert_true(figures_per_second(&f) == 0);
	assert_true(figures_in_flight(&f) == 0);
}

static void sum__beyond_64_bits__leaves_the_mean_exact(void **state)
{
	uint64_t durations_ns[] = { UINT64_MAX, UINT64_MAX - 4 };
	struct figures f = { 0 };

	(void)state;
	figures_compute(&f, durations_ns, 2, 0, UINT64_MAX);
	assert_true(f.mean_ns == UINT64_MAX - 2);
	assert_int_equal(f.stddev_ns, 2);
	assert_true(f.sum_ns == UINT64_MAX);
}

static void rate__is_connections_over_the_total(void **state)
{
	struct figures f = { .count = 10000, .total_ns = 4 * S, .sum_ns = 256 * S };

	(void)state;
	assert_true(fabs(figures_per_second(&f) - 2500) < 1e-9);
	assert_true(fabs(figures_in_flight(&f) - 64) < 1e-9);
	f.total_ns = 0;
	assert_true(figures_per_second(&f) == 0);
	assert_true(figures_in_flight(&f) == 0);
}

static struct timeline connects(uint32_t n, uint64_t apart_ns, uint64_t each_ns)
{
	struct timeline timeline;

	assert_int_equal(timeline_init(&timeline, SIDE_CLIENT, n), 0);
	for (uint32_t i = 0; i < n; i++) {
		uint64_t begin_ns = S + i * apart_ns;

		*timeline_span(&timeline, STEP_CONNECT, i) =
			(struct span){ begin_ns, begin_ns + each_ns };
	}
	return timeline;
}

static void step__of_a_timeline__runs_from_its_first_begin_to_its_last_end(void **state)
{
	struct timeline timeline = connects(10000, 1000, S);
	struct figures f = { 0 };

	(void)state;
	assert_int_equal(figures_of(&f, &timeline, STEP_CONNECT), 0);
	assert_int_equal(f.step, STEP_CONNECT);
	assert_int_equal(f.side, SIDE_CLIENT);
	assert_int_equal(f.count, 10000);
	assert_int_equal(f.failed, 0);
	assert_int_equal(f.total_ns, 9999 * 1000 + S);
	assert_int_equal(f.sum_ns, 10000 * S);
	assert_int_equal(f.mean_ns, S);
	assert_int_equal(f.stddev_ns, 0);
	check_order(&f);
	timeline_free(&timeline);
}

static void connection__that_failed_in_the_step__is_no_sample_of_it(void **state)
{
	struct timeline timeline = connects(4, 100, 50);
	struct figures f;

	(void)state;
	/* Rejected a long time after: its end is stamped, and no completion. */
	timeline_span(&timeline, STEP_CONNECT, 3)->end_ns = 9 * S;
	timeline.outcomes[3] = (struct outcome){ STEP_CONNECT, EVENT_REJECTED, 28 };
	/* Failed in its call: begun, never ended. */
	timeline_span(&timeline, STEP_CONNECT, 0)->end_ns = 0;
	timeline.outcomes[0] = (struct outcome){ STEP_CONNECT, EVENT_CALL, -12 };
	/* Passed this step, failed in a later one. */
	timeline.outcomes[1] = (struct outcome){ STEP_DISCONNECT, EVENT_TIMEOUT, 0 };

	assert_int_equal(figures_of(&f, &timeline, STEP_CONNECT), 0);
	assert_int_equal(f.count, 2);
	assert_int_equal(f.failed, 2);
	assert_int_equal(f.max_ns, 50);
	assert_int_equal(f.total_ns, 250);
	assert_int_equal(figures_of(&f, &timeline, STEP_DISCONNECT), 0);
	assert_int_equal(f.count, 0);
	assert_int_equal(f.failed, 1);
	timeline_free(&timeline);
}

static void step__of_the_other_side__is_no_data(void **state)
{
	struct timeline timeline = connects(2, 1, 1);
	struct figures f;

	(void)state;
	assert_int_equal(figures_of(&f, &timeline, STEP_ACCEPT), 0);
	assert_int_equal(f.count, 0);
	assert_int_equal(f.failed, 0);
	assert_int_equal(f.step, STEP_ACCEPT);
	timeline_free(&timeline);
}

static void end__stamped_before_its_begin__is_no_time_and_not_a_huge_one(void **state)
{
	struct timeline timeline;
	struct figures f;

	(void)state;
	assert_int_equal(timeline_init(&timeline, SIDE_SERVER, 2), 0);
	*timeline_span(&timeline, STEP_ESTABLISH, 0) = (struct span){ 1000, 990 };
	assert_int_equal(figures_of(&f, &timeline, STEP_ESTABLISH), 0);
	assert_int_equal(f.count, 1);
	assert_int_equal(f.max_ns, 0);
	assert_int_equal(f.total_ns, 0);
	*timeline_span(&timeline, STEP_ESTABLISH, 1) = (struct span){ 1000, 1030 };
	assert_int_equal(figures_of(&f, &timeline, STEP_ESTABLISH), 0);
	assert_int_equal(f.max_ns, 30);
	assert_int_equal(f.total_ns, 30);
	check_order(&f);
	timeline_free(&timeline);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figures__of_made_up_durations__are_what_exact_arithmetic_gives),
		cmocka_unit_test(percentile__of_one_sample__is_that_sample),
		cmocka_unit_test(figures__of_no_sample__are_no_data),
		cmocka_unit_test(sum__beyond_64_bits__leaves_the_mean_exact),
		cmocka_unit_test(rate__is_connections_over_the_total),
		cmocka_unit_test(step__of_a_timeline__runs_from_its_first_begin_to_its_last_end),
		cmocka_unit_test(connection__that_failed_in_the_step__is_no_sample_of_it),
		cmocka_unit_test(step__of_the_other_side__is_no_data),
		cmocka_unit_test(end__stamped_before_its_begin__is_no_time_and_not_a_huge_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
