// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Numbers as people write them: what is taken, and above all what is not. */
#include "cmocka_all.h"
#include "core/number.h"

#include <errno.h>

static void count__with_a_unit__is_multiplied(void **state)
{
	uint64_t n;

	(void)state;
	assert_int_equal(number_count("100", 1, 1000000, &n), 0);
	assert_int_equal(n, 100);
	assert_int_equal(number_count("10k", 1, 1000000, &n), 0);
	assert_int_equal(n, 10000);
	assert_int_equal(number_count("1M", 1, 1000000, &n), 0);
	assert_int_equal(n, 1000000);
}

static void count__of_anything_else__is_refused(void **state)
{
	static const char *const bad[] = { "",
					   "-1",
					   "+1",
					   " 1",
					   "1 ",
					   "10x",
					   "1e3",
					   "0x10",
					   "1.5",
					   "k",
					   "1kk",
					   "1K",
					   "1,0",
					   "٣",
					   "4294967297",
					   "18446744073709551616",
					   "99999999999999999999999999",
					   "18446744073709551615M" };
	uint64_t n = 7;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_not_equal(number_count(bad[i], 1, 1000000, &n), 0);
	assert_int_equal(number_count("0", 1, 10, &n), -ERANGE);
	assert_int_equal(number_count("11", 1, 10, &n), -ERANGE);
	assert_int_equal(n, 7);
}

static void time__with_each_unit__is_nanoseconds(void **state)
{
	uint64_t ns;

	(void)state;
	assert_int_equal(number_time_ns("250ns", &ns), 0);
	assert_int_equal(ns, 250);
	assert_int_equal(number_time_ns("250us", &ns), 0);
	assert_int_equal(ns, 250000);
	assert_int_equal(number_time_ns("5ms", &ns), 0);
	assert_int_equal(ns, 5000000);
	assert_int_equal(number_time_ns("1.5s", &ns), 0);
	assert_int_equal(ns, 1500000000);
	assert_int_equal(number_time_ns("120", &ns), 0);
	assert_int_equal(ns, 120000000000);
	assert_int_equal(number_time_ns("0.000000001", &ns), 0);
	assert_int_equal(ns, 1);
}

static void time__of_anything_else__is_refused(void **state)
{
	static const char *const bad[] = { "",
					   "0",
					   "0s",
					   "-1s",
					   "s",
					   "1.s",
					   ".5s",
					   "1 s",
					   "1m",
					   "1h",
					   "1e3",
					   "0.4ns",
					   "1s1ms",
					   "0.0000000001s",
					   "99999999999999999999s",
					   "18446744073s" };
	uint64_t ns = 7;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_not_equal(number_time_ns(bad[i], &ns), 0);
	assert_int_equal(ns, 7);
}

static void decimal__is_whole_or_has_a_fraction(void **state)
{
	double value;

	(void)state;
	assert_int_equal(number_decimal("0", &value), 0);
	assert_true(value == 0);
	assert_int_equal(number_decimal("3", &value), 0);
	assert_true(value == 3);
	assert_int_equal(number_decimal("1.05", &value), 0);
	assert_true(value == 1.05);
	assert_int_equal(number_decimal("0.125", &value), 0);
	assert_true(value == 0.125);
}

static void decimal__of_anything_else__is_refused(void **state)
{
	static const char *const bad[] = { "",	  ".",	  "1.",	   ".5",
					   "-1",  "+1",	  " 1",	   "1 ",
					   "1e3", "0x10", "nan",   "inf",
					   "1%",  "1,5",  "1.2.3", "99999999999999999999" };
	double value = 7;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_not_equal(number_decimal(bad[i], &value), 0);
	assert_true(value == 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(count__with_a_unit__is_multiplied),
		cmocka_unit_test(count__of_anything_else__is_refused),
		cmocka_unit_test(time__with_each_unit__is_nanoseconds),
		cmocka_unit_test(time__of_anything_else__is_refused),
		cmocka_unit_test(decimal__is_whole_or_has_a_fraction),
		cmocka_unit_test(decimal__of_anything_else__is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
