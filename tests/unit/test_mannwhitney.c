// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The test's p, held against what scipy said (tests/data/compare.py). */
#include "cmocka_all.h"
#include "core/mannwhitney.h"
#include "sample_use.h"

#include <errno.h>
#include <math.h>

static void check(const char *name, char *rest)
{
	double want = sample_number(&rest), got = -1;
	struct sample x = sample_next(&rest), y = sample_next(&rest);

	assert_int_equal(mannwhitney_p(x.values, x.n, y.values, y.n, &got), 0);
	if (fabs(got - want) > 1e-12 * want)
		fail_msg("%s: %.17g, not %.17g", name, got, want);
	assert_int_equal(mannwhitney_p(y.values, y.n, x.values, x.n, &got), 0);
	if (fabs(got - want) > 1e-12 * want)
		fail_msg("%s, the other way round: %.17g, not %.17g", name, got, want);
}

static void p__of_every_pair_of_samples__is_what_scipy_says(void **state)
{
	(void)state;
	sample_each("mannwhitney", check);
}

static void p__of_eight_and_ten_thousand__is_exact_and_sound(void **state)
{
	static double x[8], y[10000];
	double p;

	(void)state;
	for (size_t i = 0; i < 8; i++)
		x[i] = 1250.0 * (double)i + 600.5;
	for (size_t i = 0; i < 10000; i++)
		y[i] = (double)i;
	assert_int_equal(mannwhitney_p(x, 8, y, 10000, &p), 0);
	assert_true(p > 0.9 && p <= 1);
	for (size_t i = 0; i < 8; i++)
		x[i] = 20000.0 + (double)i;
	assert_int_equal(mannwhitney_p(x, 8, y, 10000, &p), 0);
	/* The one order of C(10008, 8) that has all of x at that end. */
	assert_true(fabs(p / mannwhitney_least_p(8, 10000) - 1) < 1e-9 || p < 2.0 / 1e15);
}

static void p__of_no_values__is_an_error(void **state)
{
	double one = 1, p = 42;

	(void)state;
	assert_int_equal(mannwhitney_p(&one, 1, NULL, 0, &p), -EINVAL);
	assert_int_equal(mannwhitney_p(NULL, 0, &one, 1, &p), -EINVAL);
	assert_true(p == 42);
}

static void p__that_few_values_can_reach__is_two_orders_of_all(void **state)
{
	(void)state;
	assert_true(mannwhitney_least_p(0, 5) == 1);
	assert_true(mannwhitney_least_p(1, 1) == 1);
	assert_true(fabs(mannwhitney_least_p(3, 3) - 0.1) < 1e-15);
	assert_true(fabs(mannwhitney_least_p(4, 4) - 2.0 / 70) < 1e-15);
	assert_true(fabs(mannwhitney_least_p(3, 4) - 2.0 / 35) < 1e-15);
	assert_true(fabs(mannwhitney_least_p(5, 3) - 2.0 / 56) < 1e-15);
	assert_true(mannwhitney_least_p(10000, 10000) < 1e-14);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(p__of_every_pair_of_samples__is_what_scipy_says),
		cmocka_unit_test(p__of_eight_and_ten_thousand__is_exact_and_sound),
		cmocka_unit_test(p__of_no_values__is_an_error),
		cmocka_unit_test(p__that_few_values_can_reach__is_two_orders_of_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
