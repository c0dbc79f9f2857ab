// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The engine when somebody must end it: connections that hear nothing are given up, and a stop in
 * the midst of any step leaves every connection with its figures or an outcome, and nothing behind.
 */
#include "run_use.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

/* So long that no machine stands still as long. */
enum { N = 100, NTH = 7, TIMEOUT_MS = 1000 };

/* ---- A connection that hears nothing. */

static const struct {
	enum fake_call call;
	enum step step;
} awaited[] = {
	{ FAKE_RDMA_RESOLVE_ADDR, STEP_RESOLVE_ADDR },
	{ FAKE_RDMA_RESOLVE_ROUTE, STEP_RESOLVE_ROUTE },
	{ FAKE_RDMA_CONNECT, STEP_CONNECT },
	{ FAKE_RDMA_DISCONNECT, STEP_DISCONNECT },
};

enum { AWAITED = sizeof(awaited) / sizeof(*awaited) };

/* And then it does, too late, and something else besides. */
static void one_hears_too_late(enum reap reap)
{
	struct trip trip;

	fake_reset();
	trip_plan(&trip, N);
	trip.plan.reap = reap;
	trip.plan.window = reap == REAP_DEFERRED ? WINDOW_UNLIMITED : 8;
	trip.plan.step_timeout_ns = TIMEOUT_MS * NS_PER_MS;
	fake_answer_drop(FAKE_RDMA_CONNECT, NTH);
	trip_open(&trip);
	trip_until(&trip, STEP_CONNECT);
	assert_int_equal(trip.ret, 0);
	fake_raise(trip.engine.conns[NTH - 1].id, RDMA_CM_EVENT_ESTABLISHED, 0);
	fake_raise(trip.engine.conns[NTH - 1].id, RDMA_CM_EVENT_DISCONNECTED, 0);
	trip_until(&trip, STEP_DESTROY_ID);
	assert_int_equal(trip.ret, 0);
	trip_close(&trip);
	trip_failed_as(&trip, 1, STEP_CONNECT, EVENT_TIMEOUT, 0);
	assert_int_equal(trip.timeline.outcomes[NTH - 1].event, EVENT_TIMEOUT);
	assert_int_equal(trip_done(&trip, STEP_DESTROY_ID), N - 1);
	trip_adds_up(&trip);
	trip_free(&trip);
	assert_int_equal(fake_check(), 0);
}

static void connection__that_hears_nothing__is_given_up_and_the_rest_go_on(void **state)
{
	(void)state;
	for (enum reap reap = 0; reap < REAPS; reap++)
		one_hears_too_late(reap);
}

/* More than a window full hears nothing: the window empties and fills again, the time-out at a
 * time. */
static void connections__more_than_a_window__that_hear_nothing_are_given_up(void **state)
{
	(void)state;
	for (int i = 0; i < AWAITED; i++) {
		struct trip trip;

		fake_reset();
		trip_plan(&trip, 12);
		trip.plan.window = 4;
		trip.plan.reap = i % 2 ? REAP_INLINE : REAP_CONCURRENT;
		trip_open(&trip);
		trip_until(&trip, awaited[i].step - 1);
		fake_answer_drop(awaited[i].call, FAKE_EACH);
		trip.plan.step_timeout_ns = 20 * NS_PER_MS;
		trip_until(&trip, awaited[i].step);
		trip_until(&trip, STEP_DESTROY_ID);
		assert_int_equal(trip.ret, 0);
		trip_close(&trip);
		trip_failed_as(&trip, 12, awaited[i].step, EVENT_TIMEOUT, 0);
		trip_adds_up(&trip);
		trip_free(&trip);
		assert_int_equal(fake_check(), 0);
	}
}

/* The step as a whole may take longer: it is each connection's own time that counts. */
static void step__that_takes_longer_than_the_time_out__costs_nobody(void **state)
{
	enum { FEW = 24, LATE_MS = 40, PATIENCE_MS = 600 };
	struct figures figures;
	struct trip trip;

	(void)state;
	trip_plan(&trip, FEW);
	trip.plan.window = 1;
	trip.plan.step_timeout_ns = PATIENCE_MS * NS_PER_MS;
	fake_answer_late(FAKE_RDMA_CONNECT, FAKE_EACH, LATE_MS * NS_PER_MS);
	trip_make(&trip);
	assert_int_equal(trip_done(&trip, STEP_DESTROY_ID), FEW);
	assert_int_equal(figures_of(&figures, &trip.timeline, STEP_CONNECT), 0);
	assert_true(figures.total_ns > trip.plan.step_timeout_ns);
	trip_free(&trip);
}

/* The reader is gone: its connections are given up like any that hear nothing. */
static void reaper__that_cannot_read__costs_its_connections_and_no_more(void **state)
{
	struct trip trip;

	(void)state;
	trip_plan(&trip, N);
	trip.plan.window = WINDOW_UNLIMITED;
	trip.plan.step_timeout_ns = 20 * NS_PER_MS;
	fake_fail(FAKE_RDMA_GET_CM_EVENT, 1, EIO);
	trip_make(&trip);
	assert_int_equal(trip.ret, 0);
	trip_failed_as(&trip, N, STEP_RESOLVE_ADDR, EVENT_TIMEOUT, 0);
	trip_free(&trip);
}

/* ---- A stop. */

/* Set once that many are in flight, of which half have heard nothing. */
static struct {
	struct stop *stop;
	enum step step;
} half;

static void stop_with_half_in_flight(void *arg, enum step step, uint32_t done, uint32_t of,
				     uint32_t failed, uint32_t in_flight)
{
	(void)arg;
	(void)failed;
	if (step == half.step && in_flight == of / 2 && done == of - of / 2)
		stop_set(half.stop, STOP_PEER_LOST);
}

static void stop__with_half_of_them_in_flight__aborts_those(void **state)
{
	(void)state;
	for (enum reap reap = 0; reap < REAPS; reap++) {
		for (int i = 0; i < AWAITED; i++) {
			struct trip trip;

			fake_reset();
			trip_plan(&trip, N);
			trip.plan.reap = reap;
			trip.plan.threads = 2;
			trip.plan.window = WINDOW_UNLIMITED;
			trip.observer.update = stop_with_half_in_flight;
			half.stop = &trip.stop;
			half.step = awaited[i].step;
			fake_answer_drop(awaited[i].call, FAKE_EVERY(2));
			trip_make(&trip);
			assert_int_equal(trip.ret, -ECANCELED);
			trip_failed_as(&trip, N / 2, awaited[i].step, EVENT_ABORTED, 0);
			assert_int_equal(trip_done(&trip, awaited[i].step), N / 2);
			trip_adds_up(&trip);
			trip_free(&trip);
			assert_int_equal(fake_check(), 0);
		}
	}
}

static void stop__between_two_legs__aborts_all_in_the_next(void **state)
{
	(void)state;
	for (enum step step = STEP_CREATE_ID; step <= STEP_DESTROY_QP; step++) {
		struct trip trip;

		if (!step_is_of(step, SIDE_CLIENT) || step == STEP_BIND_ADDR)
			continue;
		fake_reset();
		trip_plan(&trip, N);
		trip_open(&trip);
		trip_until(&trip, step);
		assert_int_equal(trip.ret, 0);
		stop_set(&trip.stop, STOP_DONE);
		trip_until(&trip, STEP_DESTROY_ID);
		assert_int_equal(trip.ret, -ECANCELED);
		trip_close(&trip);
		trip_failed_as(&trip, N,
			       step_after(step) == STEP_BIND_ADDR ? STEP_RESOLVE_ADDR
								  : step_after(step),
			       EVENT_ABORTED, 0);
		trip_adds_up(&trip);
		trip_free(&trip);
		assert_int_equal(fake_check(), 0);
	}
}

/* From another thread, at the 50th call of a kind, as a signal would. */
struct stopper {
	struct stop *stop;
	enum fake_call call;
	atomic_bool quit;
};

static void *stop_at_50(void *arg)
{
	struct stopper *stopper = arg;

	while (!atomic_load(&stopper->quit)) {
		if (fake_counts().calls[stopper->call] >= 50) {
			stop_set(stopper->stop, STOP_DONE);
			break;
		}
		sched_yield();
	}
	return NULL;
}

static void stop__at_any_moment__leaves_nobody_without_an_outcome(void **state)
{
	static const enum fake_call calls[] = { FAKE_RDMA_CREATE_ID,	 FAKE_RDMA_RESOLVE_ADDR,
						FAKE_RDMA_RESOLVE_ROUTE, FAKE_RDMA_CREATE_QP,
						FAKE_RDMA_CONNECT,	 FAKE_MOVE_QP,
						FAKE_RDMA_GET_CM_EVENT,	 FAKE_RDMA_DISCONNECT,
						FAKE_RDMA_DESTROY_ID };

	(void)state;
	for (size_t c = 0; c < sizeof(calls) / sizeof(*calls); c++) {
		for (enum reap reap = 0; reap < REAPS; reap++) {
			struct stopper stopper = { .call = calls[c] };
			pthread_t thread;
			struct trip trip;

			fake_reset();
			trip_plan(&trip, N);
			trip.plan.reap = reap;
			trip.plan.threads = 3;
			trip.plan.window = reap == REAP_DEFERRED ? WINDOW_UNLIMITED : 16;
			fake_slow(calls[c], FAKE_EACH, NS_PER_MS / 20);
			/* Unasked events keep reapers busy with connections that have left the leg.
			 */
			fake_event_follow(FAKE_CLIENT, RDMA_CM_EVENT_ESTABLISHED, FAKE_EVERY(3),
					  RDMA_CM_EVENT_DISCONNECTED, 0, 0);
			stopper.stop = &trip.stop;
			assert_int_equal(pthread_create(&thread, NULL, stop_at_50, &stopper), 0);
			trip_make(&trip);
			atomic_store(&stopper.quit, true);
			pthread_join(thread, NULL);
			assert_true(trip.ret == -ECANCELED || trip.leg == trip.n_legs);
			trip_adds_up(&trip);
			trip_free(&trip);
			assert_int_equal(fake_check(), 0);
		}
	}
}

/* A reaper that is in the midst of a connection's leg when it is cut: it is waited for, and aborts
 * it itself. */
static void stop__under_a_reaper_that_issues__waits_for_its_call(void **state)
{
	static const struct leg first = { .first = STEP_CREATE_ID, .last = STEP_CREATE_ID },
				all = { .first = STEP_RESOLVE_ADDR, .last = STEP_CONNECT };
	struct stopper stopper = { .call = FAKE_RDMA_RESOLVE_ROUTE };
	pthread_t thread;
	struct trip trip;

	(void)state;
	trip_plan(&trip, N);
	trip.plan.threads = 3;
	trip_open(&trip);
	fake_slow(FAKE_RDMA_RESOLVE_ROUTE, FAKE_EACH, NS_PER_MS / 2);
	stopper.stop = &trip.stop;
	assert_int_equal(engine_run(&trip.engine, &first), 0);
	assert_int_equal(pthread_create(&thread, NULL, stop_at_50, &stopper), 0);
	int ret = engine_run(&trip.engine, &all);

	assert_int_equal(gate_in_flight(&trip.engine.gate), 0);
	atomic_store(&stopper.quit, true);
	pthread_join(thread, NULL);
	assert_int_equal(ret, -ECANCELED);
	trip_close(&trip);
	for (int i = 0; i < N; i++) {
		bool failed = trip.timeline.outcomes[i].event == EVENT_ABORTED;

		assert_int_equal(failed, !span_done(timeline_span(&trip.timeline, STEP_CONNECT,
								  (uint32_t)i)));
	}
	trip_free(&trip);
}

/* A mail "overdue" that its owner reads only when main has gone on must not abort what had ended
 * well. */
static void mail__of_a_cut_that_is_read_late__changes_no_outcome(void **state)
{
	struct trip trip;

	(void)state;
	trip_plan(&trip, N);
	trip_open(&trip);
	trip_until(&trip, STEP_CONNECT);
	/* What engine_close() sets, and what may still wait in a mailbox then. */
	atomic_store(&trip.engine.cut, true);
	trip.engine.leg = (struct leg){ .first = STEP_DESTROY_QP, .last = STEP_DESTROY_QP };
	for (int i = 0; i < N; i++)
		conn_post(&trip.engine.conns[i], MAIL_OVERDUE, NULL);
	trip_close(&trip);
	for (int i = 0; i < N; i++)
		assert_int_equal(trip.timeline.outcomes[i].event, EVENT_NONE);
	trip_free(&trip);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RUN_TEST(connection__that_hears_nothing__is_given_up_and_the_rest_go_on),
		RUN_TEST(connections__more_than_a_window__that_hear_nothing_are_given_up),
		RUN_TEST(step__that_takes_longer_than_the_time_out__costs_nobody),
		RUN_TEST(reaper__that_cannot_read__costs_its_connections_and_no_more),
		RUN_TEST(stop__with_half_of_them_in_flight__aborts_those),
		RUN_TEST(stop__between_two_legs__aborts_all_in_the_next),
		RUN_TEST(stop__at_any_moment__leaves_nobody_without_an_outcome),
		RUN_TEST(stop__under_a_reaper_that_issues__waits_for_its_call),
		RUN_TEST(mail__of_a_cut_that_is_read_late__changes_no_outcome),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
