// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The names of steps and sides: what scripts and files spell. */
#include "cmocka_all.h"
#include "core/step.h"

static void step__by_its_name__is_found_again(void **state)
{
	(void)state;
	for (enum step step = 0; step < STEPS; step++) {
		assert_int_equal(step_from_name(step_name(step)), step);
		assert_true(step_is_of(step, SIDE_CLIENT) || step_is_of(step, SIDE_SERVER));
	}
	for (enum side side = 0; side < SIDES; side++)
		assert_int_equal(side_from_name(side_name(side)), side);
}

static void step__of_an_unknown_name__is_none(void **state)
{
	(void)state;
	assert_int_equal(step_from_name("conect"), STEPS);
	assert_int_equal(step_from_name(""), STEPS);
	assert_int_equal(side_from_name("both"), SIDES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(step__by_its_name__is_found_again),
		cmocka_unit_test(step__of_an_unknown_name__is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
