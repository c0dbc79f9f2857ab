// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Kendall's S and its p over series, held against tests/data/compare.py. */
#include "cmocka_all.h"
#include "core/trend.h"
#include "sample_use.h"

#include <math.h>

static void check(const char *name, char *rest)
{
	double s = sample_number(&rest), p = sample_number(&rest);
	struct trend trend = { 0 };

	while (*rest) {
		struct sample series = sample_next(&rest);

		trend_add(&trend, series.values, series.n);
	}
	if (trend.s != s || fabs(trend_p(&trend) - p) > 1e-12)
		fail_msg("%s: S %g and p %.17g, not %g and %.17g", name, trend.s, trend_p(&trend),
			 s, p);
}

static void trend__of_every_set_of_series__is_as_worked_out(void **state)
{
	(void)state;
	sample_each("trend", check);
}

static void trend__of_one_cold_round__is_none(void **state)
{
	const double values[] = { 900, 101, 99, 100, 102, 98, 100.5, 99.5, 101.5, 98.5 };
	struct trend trend = { 0 };

	(void)state;
	assert_true(trend_p(&trend) == 1);
	trend_add(&trend, values, 10);
	assert_true(trend_p(&trend) > 0.1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(trend__of_every_set_of_series__is_as_worked_out),
		cmocka_unit_test(trend__of_one_cold_round__is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
