// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The interval, held against those of all draws there are (tests/data/compare.py). */
#include "cmocka_all.h"
#include "core/bootstrap.h"
#include "core/sample.h"
#include "sample_use.h"

#include <errno.h>

static void within(const char *name, double value, double low, double high)
{
	if (value < low * (1 - 1e-12) || value > high * (1 + 1e-12))
		fail_msg("%s: %.17g is not from %.17g to %.17g", name, value, low, high);
}

static void check(const char *name, char *rest)
{
	double ends[4];
	struct interval got;

	for (int i = 0; i < 4; i++)
		ends[i] = sample_number(&rest);
	struct sample x = sample_next(&rest), y = sample_next(&rest);

	assert_int_equal(bootstrap_ratio(x.values, x.n, y.values, y.n, &got), 0);
	within(name, got.low, ends[0], ends[1]);
	within(name, got.high, ends[2], ends[3]);
}

static void interval__of_few_values__is_that_of_all_draws(void **state)
{
	(void)state;
	sample_each("bootstrap", check);
}

static void interval__of_the_same_values__is_the_same_again(void **state)
{
	const double x[] = { 3, 1, 4, 1, 5, 9, 2, 6 }, y[] = { 2, 7, 1, 8, 2, 8 };
	struct interval first, second;

	(void)state;
	assert_int_equal(bootstrap_ratio(x, 8, y, 6, &first), 0);
	assert_int_equal(bootstrap_ratio(x, 8, y, 6, &second), 0);
	assert_memory_equal(&first, &second, sizeof(first));
	assert_true(x[0] == 3 && y[1] == 7);
}

static void interval__of_one_value_each__is_their_ratio(void **state)
{
	const double x = 6, y = 4;
	struct interval got;

	(void)state;
	assert_int_equal(bootstrap_ratio(&x, 1, &y, 1, &got), 0);
	assert_true(got.low == 1.5 && got.high == 1.5);
}

/* Medians of 401 values from 1 to 2: the interval of one is about 2 / sqrt(401) / 2 wide, either
 * side. */
static void interval__of_many_values__gets_narrow(void **state)
{
	double x[401];
	struct interval got;

	(void)state;
	for (int i = 0; i < 401; i++)
		x[i] = 1 + i / 400.0;
	assert_int_equal(bootstrap_ratio(x, 401, x, 401, &got), 0);
	assert_true(got.low > 0.94 && got.low < 0.97);
	assert_true(got.high > 1.03 && got.high < 1.06);
}

static void interval__of_no_values__is_an_error(void **state)
{
	const double one = 1;
	struct interval got;

	(void)state;
	assert_int_equal(bootstrap_ratio(&one, 1, NULL, 0, &got), -EINVAL);
	assert_int_equal(bootstrap_ratio(NULL, 0, &one, 1, &got), -EINVAL);
}

static void median__is_the_middle_or_between_the_two_there(void **state)
{
	double odd[] = { 3, 1, 2 }, even[] = { 4, 1, 3, 2 };

	(void)state;
	sample_sort(odd, 3);
	sample_sort(even, 4);
	assert_true(sample_median(odd, 3) == 2);
	assert_true(sample_median(even, 4) == 2.5);
	assert_true(sample_median(odd, 1) == 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(interval__of_few_values__is_that_of_all_draws),
		cmocka_unit_test(interval__of_the_same_values__is_the_same_again),
		cmocka_unit_test(interval__of_one_value_each__is_their_ratio),
		cmocka_unit_test(interval__of_many_values__gets_narrow),
		cmocka_unit_test(interval__of_no_values__is_an_error),
		cmocka_unit_test(median__is_the_middle_or_between_the_two_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
