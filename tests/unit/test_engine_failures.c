// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The engine when connections fail: each is counted by step, event and status, takes no further
 * step, is cleaned up, and the rest go on. One reaper, so that the Nth call and the Nth event are
 * the Nth connection's.
 */
#include "run_use.h"

#include <string.h>

enum { N = 100, NTH = 7 };

/* A trip in which count connections fail, all in the same way, the first of them as the NTH call
 * has it. */
static void trip_with_failures(struct trip *trip, uint32_t count, enum step step,
			       enum event_kind event, int32_t status)
{
	struct ledger ledger;

	trip_make(trip);
	assert_int_equal(trip->ret, 0);
	trip_failed_as(trip, count, step, event, status);
	ledger = trip_ledger(trip);
	if (count == 1 && trip->plan.connections > 1)
		assert_int_equal(ledger.rows[0].first[0], NTH - 1);
	ledger_free(&ledger);
	assert_int_equal(trip_done(trip, step), trip->plan.connections - count);
	assert_int_equal(trip_done(trip, STEP_DESTROY_ID), trip->plan.connections - count);
	trip_adds_up(trip);
	trip_free(trip);
	assert_int_equal(fake_check(), 0);
}

static void one_fails_reaped(enum reap reap, void (*script)(void), enum step step,
			     enum event_kind event, int32_t status)
{
	struct trip trip;

	fake_reset();
	trip_plan(&trip, N);
	trip.plan.reap = reap;
	trip.plan.window = reap == REAP_DEFERRED ? WINDOW_UNLIMITED : 8;
	script();
	trip_with_failures(&trip, 1, step, event, status);
}

static void one_fails(void (*script)(void), enum step step, enum event_kind event, int32_t status)
{
	for (enum reap reap = 0; reap < REAPS; reap++)
		one_fails_reaped(reap, script, step, event, status);
}

/* ---- Calls. */

static void call__that_fails__costs_one_connection(void **state)
{
	static const struct {
		enum fake_call call;
		enum step step;
	} calls[] = {
		{ FAKE_RDMA_CREATE_ID, STEP_CREATE_ID },
		{ FAKE_RDMA_BIND_ADDR, STEP_BIND_ADDR },
		{ FAKE_RDMA_RESOLVE_ADDR, STEP_RESOLVE_ADDR },
		{ FAKE_RDMA_RESOLVE_ROUTE, STEP_RESOLVE_ROUTE },
		{ FAKE_RDMA_CREATE_QP, STEP_CREATE_QP },
		{ FAKE_RDMA_CONNECT, STEP_CONNECT },
		{ FAKE_RDMA_DISCONNECT, STEP_DISCONNECT },
	};
	static const int errors[] = { ENOMEM, EINVAL, 0 };

	(void)state;
	for (size_t c = 0; c < sizeof(calls) / sizeof(*calls); c++) {
		for (size_t e = 0; e < sizeof(errors) / sizeof(*errors); e++) {
			struct trip trip;

			fake_reset();
			trip_plan(&trip, N);
			trip.plan.bind_first = true;
			trip.setup.has_source = true;
			trip.setup.source = server_at(0);
			fake_fail(calls[c].call, NTH, errors[e]);
			trip_with_failures(&trip, 1, calls[c].step, EVENT_CALL, -errors[e]);
		}
	}
}

static void qps__of_which_there_are_338__let_338_connect(void **state)
{
	struct trip trip;

	(void)state;
	trip_plan(&trip, 1000);
	fake_fail(FAKE_RDMA_CREATE_QP, FAKE_FROM(339), ENOMEM);
	trip_with_failures(&trip, 662, STEP_CREATE_QP, EVENT_CALL, -ENOMEM);
}

static void cq__that_cannot_be_made__fails_all_and_frees_all(void **state)
{
	struct trip trip;

	(void)state;
	trip_plan(&trip, N);
	fake_fail(FAKE_IBV_CREATE_CQ, FAKE_EACH, ENOMEM);
	trip_with_failures(&trip, N, STEP_CREATE_QP, EVENT_CALL, -ENOMEM);
}

static void device__that_has_room_for_64__lets_64_connect(void **state)
{
	struct trip trip;

	(void)state;
	trip_plan(&trip, N);
	fake_config.max_qp = 64;
	trip_with_failures(&trip, N - 64, STEP_CREATE_QP, EVENT_CALL, -ENOMEM);
}

static void engine__without_a_channel__opens_not_and_holds_nothing(void **state)
{
	static const enum reap reaps[] = { REAP_CONCURRENT, REAP_INLINE };
	struct trip trip;

	(void)state;
	for (size_t r = 0; r < sizeof(reaps) / sizeof(*reaps); r++) {
		fake_reset();
		trip_plan(&trip, N);
		trip.plan.reap = reaps[r];
		trip.plan.threads = 4;
		fake_fail(FAKE_RDMA_CREATE_EVENT_CHANNEL, reaps[r] == REAP_INLINE ? 1 : 3, ENODEV);
		assert_int_equal(engine_open(&trip.engine, &trip.plan, &trip.setup, &trip.observer,
					     &trip.stop),
				 -ENODEV);
		assert_int_equal(fake_check(), 0);
		trip_free(&trip);
	}
}

/* ---- Resolution, and its tries. */

static void script_bad_try(enum fake_call call, int nth)
{
	if (call == FAKE_RDMA_RESOLVE_ADDR)
		fake_answer(call, nth, RDMA_CM_EVENT_ADDR_ERROR, -ETIMEDOUT);
	else
		fake_answer(call, nth, RDMA_CM_EVENT_ROUTE_ERROR, -ETIMEDOUT);
}

static const enum fake_call resolutions[] = { FAKE_RDMA_RESOLVE_ADDR, FAKE_RDMA_RESOLVE_ROUTE };

static enum step step_of(enum fake_call call)
{
	return call == FAKE_RDMA_RESOLVE_ADDR ? STEP_RESOLVE_ADDR : STEP_RESOLVE_ROUTE;
}

static void resolution__that_always_fails__is_tried_as_often_as_asked(void **state)
{
	static const uint32_t retries[] = { 0, 2, 5 };

	(void)state;
	for (size_t c = 0; c < 2; c++) {
		for (size_t r = 0; r < 3; r++) {
			struct trip trip;

			fake_reset();
			trip_plan(&trip, 1);
			trip.plan.retries = retries[r];
			script_bad_try(resolutions[c], FAKE_EACH);
			trip_make(&trip);
			trip_failed_as(&trip, 1, step_of(resolutions[c]),
				       c ? EVENT_ROUTE_ERROR : EVENT_ADDR_ERROR, -ETIMEDOUT);
			assert_int_equal(fake_counts().calls[resolutions[c]], 1 + retries[r]);
			trip_free(&trip);
		}
	}
}

static void resolution__that_works_at_last__has_the_time_of_every_try(void **state)
{
	enum { TRIES = 3, EACH_MS = 5 };

	(void)state;
	for (size_t c = 0; c < 2; c++) {
		struct trip trip;

		fake_reset();
		trip_plan(&trip, 1);
		trip.plan.retries = TRIES - 1;
		for (int nth = 1; nth < TRIES; nth++)
			script_bad_try(resolutions[c], nth);
		fake_answer_late(resolutions[c], FAKE_EACH, EACH_MS * NS_PER_MS);
		trip_make(&trip);
		const struct span *span = timeline_span(&trip.timeline, step_of(resolutions[c]), 0);

		assert_int_equal(trip_done(&trip, STEP_DESTROY_ID), 1);
		assert_int_equal(fake_counts().calls[resolutions[c]], TRIES);
		assert_true(span->end_ns - span->begin_ns >= TRIES * EACH_MS * NS_PER_MS);
		trip_adds_up(&trip);
		trip_free(&trip);
	}
}

static void resolution__tried_again__asks_for_the_same_destination(void **state)
{
	enum { CONNECTIONS = 6, TRIES = 3 };
	struct fake_try try, first[CONNECTIONS];
	uint32_t tries[CONNECTIONS] = { 0 };
	struct trip trip;

	(void)state;
	trip_plan(&trip, CONNECTIONS);
	for (uint16_t p = 0; p < 4; p++) {
		trip.setup.ports[p] = PORT + p;
		fake_remote_accepts(PORT + p);
	}
	trip.setup.n_ports = 4;
	trip.plan.timeout_ms = 1234;
	script_bad_try(FAKE_RDMA_RESOLVE_ADDR, FAKE_EACH);
	trip_make(&trip);
	for (size_t i = 0; fake_try_at(i, &try); i++) {
		uint32_t id = try.id - 1;

		assert_true(id < CONNECTIONS);
		assert_int_equal(try.timeout_ms, 1234);
		if (!tries[id]++)
			first[id] = try;
		assert_memory_equal(&try.dst, &first[id].dst, sizeof(try.dst));
	}
	for (int i = 0; i < CONNECTIONS; i++)
		assert_int_equal(tries[i], TRIES);
	trip_free(&trip);
}

static void try__whose_call_fails__is_the_last(void **state)
{
	struct trip trip;

	(void)state;
	trip_plan(&trip, 1);
	script_bad_try(FAKE_RDMA_RESOLVE_ADDR, 1);
	fake_fail(FAKE_RDMA_RESOLVE_ADDR, 2, EADDRINUSE);
	trip_with_failures(&trip, 1, STEP_RESOLVE_ADDR, EVENT_CALL, -EADDRINUSE);
}

static void address__without_a_device__is_said_to_have_none(void **state)
{
	struct trip trip;

	(void)state;
	trip_plan(&trip, N);
	trip.plan.retries = 0;
	fake_answer(FAKE_RDMA_RESOLVE_ADDR, FAKE_EACH, RDMA_CM_EVENT_ADDR_ERROR, -ENODEV);
	trip_with_failures(&trip, N, STEP_RESOLVE_ADDR, EVENT_ADDR_ERROR, -ENODEV);
}

/* ---- Connecting. */

static int reject_status;

static void reject_one(void)
{
	fake_answer(FAKE_RDMA_CONNECT, NTH, RDMA_CM_EVENT_REJECTED, reject_status);
}

static void reject__of_one_connection__is_counted_and_the_rest_go_on(void **state)
{
	static const struct {
		int status;
		const char *reason;
	} rejects[] = {
		{ 28, "consumer defined" },
		{ 8, "invalid service id" },
		{ 10, "stale connection" },
		{ -ECONNREFUSED, "ECONNREFUSED: Connection refused" },
	};
	char reason[100];

	(void)state;
	for (size_t r = 0; r < sizeof(rejects) / sizeof(*rejects); r++) {
		reject_status = rejects[r].status;
		one_fails(reject_one, STEP_CONNECT, EVENT_REJECTED, reject_status);
		assert_string_equal(
			outcome_reason(EVENT_REJECTED, reject_status, reason, sizeof(reason)),
			rejects[r].reason);
	}
}

static void refuse_to_move_a_qp(void)
{
	fake_fail(FAKE_MOVE_QP, NTH, EINVAL);
}

static void fail_to_move_a_qp_for_no_reason(void)
{
	fake_fail(FAKE_MOVE_QP, NTH, 0);
}

static void connect_error__of_librdmacm_itself__has_its_errno(void **state)
{
	(void)state;
	one_fails(refuse_to_move_a_qp, STEP_CONNECT, EVENT_CONNECT_ERROR, -EINVAL);
	one_fails(fail_to_move_a_qp_for_no_reason, STEP_CONNECT, EVENT_CONNECT_ERROR, 0);
}

static void connect_error_of_the_kernel(void)
{
	fake_answer(FAKE_RDMA_CONNECT, NTH, RDMA_CM_EVENT_CONNECT_ERROR, -ENOMEM);
}

static void unreachable(void)
{
	fake_answer(FAKE_RDMA_CONNECT, NTH, RDMA_CM_EVENT_UNREACHABLE, -ETIMEDOUT);
}

static void remove_the_device_while_connecting(void)
{
	fake_answer(FAKE_RDMA_CONNECT, NTH, RDMA_CM_EVENT_DEVICE_REMOVAL, 0);
}

static void disconnect_while_connecting(void)
{
	fake_answer(FAKE_RDMA_CONNECT, NTH, RDMA_CM_EVENT_DISCONNECTED, 0);
}

static void establish_with_a_status(void)
{
	fake_answer(FAKE_RDMA_CONNECT, NTH, RDMA_CM_EVENT_ESTABLISHED, -EIO);
}

static void connect__that_ends_in_another_event__fails_as_that(void **state)
{
	(void)state;
	one_fails(connect_error_of_the_kernel, STEP_CONNECT, EVENT_CONNECT_ERROR, -ENOMEM);
	one_fails(unreachable, STEP_CONNECT, EVENT_UNREACHABLE, -ETIMEDOUT);
	one_fails(remove_the_device_while_connecting, STEP_CONNECT, EVENT_DEVICE_REMOVAL, 0);
	one_fails(disconnect_while_connecting, STEP_CONNECT, EVENT_DISCONNECTED, 0);
	one_fails(establish_with_a_status, STEP_CONNECT, EVENT_ESTABLISHED, -EIO);
}

/* ---- Connected, and lost. */

static void disconnect_at_once(void)
{
	fake_event_follow(FAKE_CLIENT, RDMA_CM_EVENT_ESTABLISHED, NTH, RDMA_CM_EVENT_DISCONNECTED,
			  0, 0);
}

static void remove_the_device_at_once(void)
{
	fake_event_follow(FAKE_CLIENT, RDMA_CM_EVENT_ESTABLISHED, NTH, RDMA_CM_EVENT_DEVICE_REMOVAL,
			  0, 0);
}

/* Not deferred: what follows the 7th answer would then stand behind the last one, and be read in
 * the next leg. */
static void connection__lost_once_established__fails_in_disconnect(void **state)
{
	(void)state;
	for (enum reap reap = REAP_CONCURRENT; reap <= REAP_INLINE; reap++) {
		one_fails_reaped(reap, disconnect_at_once, STEP_DISCONNECT, EVENT_DISCONNECTED, 0);
		one_fails_reaped(reap, remove_the_device_at_once, STEP_DISCONNECT,
				 EVENT_DEVICE_REMOVAL, 0);
	}
}

static void lose_the_drep(void)
{
	fake_answer(FAKE_RDMA_DISCONNECT, NTH, RDMA_CM_EVENT_DISCONNECTED, -ETIMEDOUT);
}

static void disconnect__that_nobody_answered__is_counted(void **state)
{
	(void)state;
	one_fails(lose_the_drep, STEP_DISCONNECT, EVENT_DISCONNECTED, -ETIMEDOUT);
}

/* The peer's DISCONNECTED was read before our call began, and only then posted: no answer to it,
 * and none will come. */
static struct trip *crossing;

static void post_an_earlier_disconnected(void *arg, enum step step, uint32_t done, uint32_t of,
					 uint32_t failed, uint32_t in_flight)
{
	struct conn *conn = &crossing->engine.conns[NTH - 1];

	(void)arg;
	(void)of;
	(void)failed;
	if (step != STEP_DISCONNECT || done != N - 1 || in_flight != 1)
		return;
	uint64_t begin_ns = timeline_span(&crossing->engine.timeline, step, NTH - 1)->begin_ns;

	conn_post(conn, MAIL_DISCONNECTED,
		  &(struct event){ .at_ns = begin_ns - 1, .kind = EVENT_DISCONNECTED });
}

static void disconnected__that_crosses_the_call__is_no_answer_and_no_negative_time(void **state)
{
	struct trip trip;

	(void)state;
	trip_plan(&trip, N);
	trip.observer.update = post_an_earlier_disconnected;
	crossing = &trip;
	fake_answer_drop(FAKE_RDMA_DISCONNECT, NTH);
	trip_with_failures(&trip, 1, STEP_DISCONNECT, EVENT_DISCONNECTED, 0);
}

static void remove_the_device_in_the_end(void)
{
	fake_event_follow(FAKE_CLIENT, RDMA_CM_EVENT_DISCONNECTED, FAKE_EACH,
			  RDMA_CM_EVENT_DEVICE_REMOVAL, 0, 0);
}

static void device__removed_once_all_is_done__fails_nobody(void **state)
{
	struct trip trip;

	(void)state;
	trip_plan(&trip, N);
	trip.plan.threads = 4;
	remove_the_device_in_the_end();
	trip_make(&trip);
	assert_int_equal(trip_done(&trip, STEP_DESTROY_ID), N);
	trip_adds_up(&trip);
	trip_free(&trip);
}

static void remove_from_all(void *arg, enum step step, uint32_t done, uint32_t of, uint32_t failed,
			    uint32_t in_flight)
{
	(void)arg;
	(void)done;
	(void)of;
	(void)failed;
	if (step == STEP_CONNECT && in_flight == N)
		fake_raise_all(RDMA_CM_EVENT_DEVICE_REMOVAL, 0);
}

static void device__removed_under_all__fails_all_and_ends_the_run(void **state)
{
	struct trip trip;

	(void)state;
	trip_plan(&trip, N);
	trip.plan.threads = 4;
	trip.plan.window = WINDOW_UNLIMITED;
	trip.observer.update = remove_from_all;
	fake_answer_drop(FAKE_RDMA_CONNECT, FAKE_EACH);
	trip_with_failures(&trip, N, STEP_CONNECT, EVENT_DEVICE_REMOVAL, 0);
}

/* ---- Failures of every kind in one run. */

static void failures__of_many_kinds__are_each_counted_as_what_they_are(void **state)
{
	struct trip trip;
	struct ledger ledger;

	(void)state;
	trip_plan(&trip, N);
	trip.plan.threads = 4;
	trip.plan.retries = 0;
	fake_fail(FAKE_RDMA_CREATE_ID, 1, ENOMEM);
	script_bad_try(FAKE_RDMA_RESOLVE_ADDR, 2);
	script_bad_try(FAKE_RDMA_RESOLVE_ROUTE, 3);
	fake_fail(FAKE_RDMA_CREATE_QP, 4, ENOMEM);
	fake_answer(FAKE_RDMA_CONNECT, 5, RDMA_CM_EVENT_REJECTED, 28);
	fake_answer(FAKE_RDMA_CONNECT, 6, RDMA_CM_EVENT_REJECTED, 10);
	fake_answer(FAKE_RDMA_CONNECT, 7, RDMA_CM_EVENT_UNREACHABLE, -ETIMEDOUT);
	lose_the_drep();
	trip_make(&trip);
	ledger = trip_ledger(&trip);
	assert_int_equal(ledger.n, 8);
	for (size_t i = 0; i < ledger.n; i++)
		assert_int_equal(ledger.rows[i].count, 1);
	ledger_free(&ledger);
	assert_int_equal(trip_done(&trip, STEP_CONNECT), N - 7);
	assert_int_equal(trip_done(&trip, STEP_DISCONNECT), N - 8);
	assert_int_equal(trip_done(&trip, STEP_DESTROY_ID), N - 8);
	trip_adds_up(&trip);
	trip_free(&trip);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RUN_TEST(call__that_fails__costs_one_connection),
		RUN_TEST(qps__of_which_there_are_338__let_338_connect),
		RUN_TEST(cq__that_cannot_be_made__fails_all_and_frees_all),
		RUN_TEST(device__that_has_room_for_64__lets_64_connect),
		RUN_TEST(engine__without_a_channel__opens_not_and_holds_nothing),
		RUN_TEST(resolution__that_always_fails__is_tried_as_often_as_asked),
		RUN_TEST(resolution__that_works_at_last__has_the_time_of_every_try),
		RUN_TEST(resolution__tried_again__asks_for_the_same_destination),
		RUN_TEST(try__whose_call_fails__is_the_last),
		RUN_TEST(address__without_a_device__is_said_to_have_none),
		RUN_TEST(reject__of_one_connection__is_counted_and_the_rest_go_on),
		RUN_TEST(connect_error__of_librdmacm_itself__has_its_errno),
		RUN_TEST(connect__that_ends_in_another_event__fails_as_that),
		RUN_TEST(connection__lost_once_established__fails_in_disconnect),
		RUN_TEST(disconnect__that_nobody_answered__is_counted),
		RUN_TEST(disconnected__that_crosses_the_call__is_no_answer_and_no_negative_time),
		RUN_TEST(device__removed_once_all_is_done__fails_nobody),
		RUN_TEST(device__removed_under_all__fails_all_and_ends_the_run),
		RUN_TEST(failures__of_many_kinds__are_each_counted_as_what_they_are),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
