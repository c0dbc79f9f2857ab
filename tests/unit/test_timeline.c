// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The cells of a round: there for every step a side does, and empty until stamped. */
#include "cmocka_all.h"
#include "core/timeline.h"

#include <string.h>

static void timeline__of_a_side__has_cells_for_its_steps_alone(void **state)
{
	struct timeline timeline;

	(void)state;
	for (enum side side = 0; side < SIDES; side++) {
		assert_int_equal(timeline_init(&timeline, side, 3), 0);
		assert_int_equal(timeline.side, side);
		assert_int_equal(timeline.connections, 3);
		for (enum step step = 0; step < STEPS; step++)
			assert_int_equal(timeline.spans[step] != NULL, step_is_of(step, side));
		timeline_free(&timeline);
	}
}

static void timeline__when_fresh__has_nothing_done_and_nothing_failed(void **state)
{
	struct timeline timeline;

	(void)state;
	assert_int_equal(timeline_init(&timeline, SIDE_CLIENT, 100), 0);
	for (uint32_t i = 0; i < 100; i++) {
		assert_int_equal(timeline.outcomes[i].event, EVENT_NONE);
		assert_false(span_done(timeline_span(&timeline, STEP_CONNECT, i)));
	}
	timeline_free(&timeline);
}

static void span__with_one_stamp_of_two__is_not_done(void **state)
{
	(void)state;
	assert_false(span_done(&(struct span){ .begin_ns = 5 }));
	assert_false(span_done(&(struct span){ .end_ns = 5 }));
	assert_true(span_done(&(struct span){ .begin_ns = 5, .end_ns = 5 }));
}

static void timeline__cells__are_each_connection_s_own(void **state)
{
	struct timeline timeline;

	(void)state;
	assert_int_equal(timeline_init(&timeline, SIDE_SERVER, 2), 0);
	*timeline_span(&timeline, STEP_ACCEPT, 1) = (struct span){ 1, 2 };
	assert_false(span_done(timeline_span(&timeline, STEP_ACCEPT, 0)));
	assert_true(span_done(timeline_span(&timeline, STEP_ACCEPT, 1)));
	assert_false(span_done(timeline_span(&timeline, STEP_CREATE_QP, 1)));
	timeline_free(&timeline);
}

static void timeline__freed__holds_nothing_and_may_be_freed_again(void **state)
{
	struct timeline timeline, empty = { 0 };

	(void)state;
	assert_int_equal(timeline_init(&timeline, SIDE_CLIENT, 1), 0);
	timeline_free(&timeline);
	assert_memory_equal(&timeline, &empty, sizeof(empty));
	timeline_free(&timeline);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(timeline__of_a_side__has_cells_for_its_steps_alone),
		cmocka_unit_test(timeline__when_fresh__has_nothing_done_and_nothing_failed),
		cmocka_unit_test(span__with_one_stamp_of_two__is_not_done),
		cmocka_unit_test(timeline__cells__are_each_connection_s_own),
		cmocka_unit_test(timeline__freed__holds_nothing_and_may_be_freed_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
