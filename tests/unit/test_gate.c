// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The gate: never more than the window inside, and no waiter left asleep. */
#include "cmocka_all.h"
#include "host/clock.h"
#include "host/stop.h"
#include "run/gate.h"

#include <errno.h>
#include <pthread.h>

static void gate__with_a_full_window__is_closed(void **state)
{
	struct gate gate;

	(void)state;
	assert_int_equal(gate_init(&gate, 3), 0);
	for (int i = 0; i < 3; i++)
		assert_true(gate_enter(&gate));
	assert_false(gate_enter(&gate));
	gate_leave(&gate);
	assert_true(gate_enter(&gate));
	assert_int_equal(gate_in_flight(&gate), 3);
	gate_free(&gate);
}

static void gate__of_window_1__waits_for_none(void **state)
{
	struct gate gate;

	(void)state;
	assert_int_equal(gate_init(&gate, 1), 0);
	assert_int_equal(gate_low(&gate), 0);
	gate_free(&gate);
}

static void gate__unlimited__never_closes(void **state)
{
	struct gate gate;

	(void)state;
	assert_int_equal(gate_init(&gate, 0), 0);
	for (int i = 0; i < 100000; i++)
		assert_true(gate_enter(&gate));
	gate_free(&gate);
}

static void wait__that_nobody_ends__ends_at_its_deadline(void **state)
{
	struct gate gate;

	(void)state;
	assert_int_equal(gate_init(&gate, 2), 0);
	gate_enter(&gate);
	assert_int_equal(gate_wait(&gate, 0, NULL, clock_deadline_ns(NS_PER_MS)), -ETIMEDOUT);
	gate_leave(&gate);
	assert_int_equal(gate_wait(&gate, 0, NULL, NEVER_NS), 0);
	gate_free(&gate);
}

static void wait__when_a_parent_stops__is_cancelled(void **state)
{
	struct stop parent, stop;
	struct gate gate;

	(void)state;
	assert_int_equal(stop_init(&parent), 0);
	assert_int_equal(stop_init_within(&stop, &parent), 0);
	assert_int_equal(gate_init(&gate, 2), 0);
	gate_enter(&gate);
	stop_set(&parent, STOP_DONE);
	assert_int_equal(gate_wait(&gate, 0, &stop, NEVER_NS), -ECANCELED);
	assert_int_equal(stop_reason(&stop), STOP_DONE);
	gate_free(&gate);
	stop_free(&stop);
	stop_free(&parent);
}

static void stop__set_after_its_parent__keeps_the_parents_reason(void **state)
{
	struct stop parent, stop;

	(void)state;
	assert_int_equal(stop_init(&parent), 0);
	assert_int_equal(stop_init_within(&stop, &parent), 0);
	stop_set(&parent, 2); /* SIGINT; the peer then goes because of it */
	stop_set(&stop, STOP_PEER_LOST);
	assert_int_equal(stop_reason(&stop), 2);
	stop_free(&stop);
	stop_free(&parent);
}

/* A few threads leave as fast as they can while main enters and waits: a lost wake-up would hang,
 * and fail by deadline. */
enum { LEAVERS = 3, ROUNDS = 20000, WINDOW = 8 };

struct leaver {
	struct gate *gate;
	atomic_uint *entered;
};

static void *leave_all(void *arg)
{
	struct leaver *leaver = arg;

	for (;;) {
		unsigned int entered = atomic_load(leaver->entered);

		if (entered == UINT32_MAX)
			return NULL;
		if (entered && atomic_compare_exchange_weak(leaver->entered, &entered, entered - 1))
			gate_leave(leaver->gate);
	}
}

static void gate__left_by_many_threads__always_wakes_its_waiter(void **state)
{
	pthread_t threads[LEAVERS];
	atomic_uint entered = 0;
	struct gate gate;
	struct leaver leaver = { &gate, &entered };

	(void)state;
	assert_int_equal(gate_init(&gate, WINDOW), 0);
	for (int i = 0; i < LEAVERS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, leave_all, &leaver), 0);
	for (int i = 0; i < ROUNDS; i++) {
		while (!gate_enter(&gate))
			assert_int_equal(gate_wait(&gate, gate_low(&gate), NULL,
						   clock_deadline_ns(20 * NS_PER_S)),
					 0);
		assert_true(gate_in_flight(&gate) <= WINDOW);
		atomic_fetch_add(&entered, 1);
	}
	assert_int_equal(gate_wait(&gate, 0, NULL, clock_deadline_ns(20 * NS_PER_S)), 0);
	atomic_store(&entered, UINT32_MAX);
	for (int i = 0; i < LEAVERS; i++)
		pthread_join(threads[i], NULL);
	gate_free(&gate);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gate__with_a_full_window__is_closed),
		cmocka_unit_test(gate__of_window_1__waits_for_none),
		cmocka_unit_test(gate__unlimited__never_closes),
		cmocka_unit_test(wait__that_nobody_ends__ends_at_its_deadline),
		cmocka_unit_test(wait__when_a_parent_stops__is_cancelled),
		cmocka_unit_test(stop__set_after_its_parent__keeps_the_parents_reason),
		cmocka_unit_test(gate__left_by_many_threads__always_wakes_its_waiter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
