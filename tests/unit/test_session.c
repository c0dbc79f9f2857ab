// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A server's session, met by a client by hand: whose requests it takes, and what it does with
 * connections that fail. */
#include "hand_use.h"

enum { N = 100, NTH = 7 };

static void request__that_is_not_of_the_run__is_rejected_and_counted(void **state)
{
	static const uint8_t junk[56] = { 'c', 'm', 't', 'i', 'm', 'e', 1 };
	struct rdma_cm_id *ids[2];
	struct result result;
	struct host host;
	struct hand hand;

	(void)state;
	host_plan(&host);
	host_open(&host);
	hand_open(&hand, &host, 3);
	ids[0] = hand_connect(&hand, 0);
	hand_is_rejected(&hand, hand_send(&hand, NULL, 0));	       /* no ticket */
	hand_is_rejected(&hand, hand_send(&hand, junk, sizeof(junk))); /* what is no ticket */
	hand_is_rejected(&hand,
			 hand_send_ticket(&hand, hand.run + 1000, 1)); /* of an unknown run */
	hand_is_rejected(&hand,
			 hand_send_ticket(&hand, hand.run, 0)); /* of a connection that there is */
	hand_is_rejected(&hand, hand_send_ticket(&hand, hand.run, 3)); /* beyond the last */
	hand_is_rejected(&hand, hand_send_ticket(&hand, hand.run, UINT32_MAX));
	ids[1] = hand_connect(&hand, 2);
	hand_barrier(&hand, BARRIER_DISCONNECT, 2);
	hand_finish(&hand, &result);
	assert_int_equal(result.rounds[0].strangers, 3);
	assert_int_equal(result.rounds[0].doubles, 1);
	assert_int_equal(result.rounds[0].out_of_range, 2);
	assert_int_equal(result.rounds[0].connected, 2);
	assert_int_equal(count_of(&result, SIDE_SERVER, STEP_ACCEPT), 2);
	assert_int_equal(result.rounds[0].ledger.n, 0);
	/* Of three that it was asked for, one never came. */
	assert_int_equal(host_end(&host, 1), RUN_FAILURES);
	result_free(&result);
	done(ids[0]);
	done(ids[1]);
	hand_close(&hand);
	host_close(&host);
}

/* A double of a connection that has come and gone is one still. */
static void request__of_a_connection_that_has_gone__is_a_double(void **state)
{
	struct result result;
	struct host host;
	struct hand hand;

	(void)state;
	host_plan(&host);
	host_open(&host);
	hand_open(&hand, &host, 1);
	struct rdma_cm_id *id = hand_connect(&hand, 0);

	hand_barrier(&hand, BARRIER_DISCONNECT, 1);
	assert_int_equal(rdma_disconnect(id), 0);
	assert_ptr_equal(expect(hand.channel, RDMA_CM_EVENT_DISCONNECTED, 0), id);
	done(id);
	hand_is_rejected(&hand, hand_send_ticket(&hand, hand.run, 0));
	hand_barrier(&hand, BARRIER_DESTROY, 1);
	hand_finish(&hand, &result);
	assert_int_equal(result.rounds[0].doubles, 1);
	assert_int_equal(count_of(&result, SIDE_SERVER, STEP_DISCONNECT), 1);
	assert_int_equal(host_end(&host, 1), RUN_WELL);
	result_free(&result);
	hand_close(&hand);
	host_close(&host);
}

/* All requests are there before the first is dealt with: each must be accepted, and once. */
static void requests__in_a_burst__are_each_accepted_once(void **state)
{
	enum { BURST = 128 };
	static const uint32_t acceptors[] = { 1, 2, 4 };

	(void)state;
	for (size_t a = 0; a < 3; a++) {
		struct rdma_cm_id *ids[BURST];
		struct result result;
		struct host host;
		struct hand hand;

		fake_reset();
		host_plan(&host);
		host.plan.acceptors = acceptors[a];
		host_open(&host);
		hand_open(&hand, &host, BURST);
		for (uint32_t nth = 1; nth <= acceptors[a]; nth++)
			fake_slow(FAKE_RDMA_ACCEPT, (int)nth, 30 * NS_PER_MS);
		hand_send_all(&hand, ids, BURST);
		for (uint32_t i = 0; i < BURST; i++)
			expect(hand.channel, RDMA_CM_EVENT_ESTABLISHED, 0);
		hand_barrier(&hand, BARRIER_DISCONNECT, BURST);
		hand_finish(&hand, &result);
		assert_int_equal(fake_counts().calls[FAKE_RDMA_ACCEPT], BURST);
		assert_int_equal(count_of(&result, SIDE_SERVER, STEP_ACCEPT), BURST);
		assert_int_equal(count_of(&result, SIDE_SERVER, STEP_ESTABLISH), BURST);
		assert_int_equal(result.rounds[0].doubles, 0);
		result_free(&result);
		for (uint32_t i = 0; i < BURST; i++)
			done(ids[i]);
		hand_close(&hand);
		host_close(&host);
		assert_int_equal(fake_check(), 0);
	}
}

/* ---- Connections that fail, among a client's that is none by hand. */

static void serve_with_failures(struct host *host, struct guest *guest, uint32_t acceptors,
				uint64_t step_timeout_ns)
{
	host_plan(host);
	host->plan.acceptors = acceptors;
	host_open(host);
	guest_plan(guest, host, N);
	guest->plan.step_timeout_ns = step_timeout_ns;
	guest_run(guest);
	assert_int_equal(guest->ret, 0);
	client_adds_up(&guest->result);
	host_wait(host, 1);
}

static void end_with_failures(struct host *host, struct guest *guest)
{
	host_close(host);
	guest_free(guest);
	assert_int_equal(fake_check(), 0);
}

static void qp__that_the_server_cannot_make__costs_one_connection(void **state)
{
	(void)state;
	for (uint32_t acceptors = 1; acceptors <= 2; acceptors++) {
		struct guest guest;
		struct host host;

		fake_reset();
		fake_fail(FAKE_RDMA_CREATE_QP, N + NTH, ENOMEM); /* the client's come first */
		serve_with_failures(&host, &guest, acceptors, 60 * NS_PER_S);
		assert_int_equal(
			failed_as(&guest.result, SIDE_CLIENT, 1, STEP_CONNECT, EVENT_REJECTED), 28);
		assert_int_equal(
			failed_as(&guest.result, SIDE_SERVER, 1, STEP_CREATE_QP, EVENT_CALL),
			-ENOMEM);
		assert_int_equal(guest.result.rounds[0].connected, N - 1);
		assert_int_equal(count_of(&guest.result, SIDE_SERVER, STEP_DESTROY_ID), N - 1);
		assert_int_equal(host_end(&host, 1), RUN_FAILURES);
		end_with_failures(&host, &guest);
	}
}

static void qps__that_run_out_at_the_server__cost_all_that_follow(void **state)
{
	struct guest guest;
	struct host host;

	(void)state;
	fake_fail(FAKE_RDMA_CREATE_QP, FAKE_FROM(N + 40), ENOMEM);
	serve_with_failures(&host, &guest, 4, 60 * NS_PER_S);
	assert_int_equal(
		failed_as(&guest.result, SIDE_CLIENT, N - 39, STEP_CONNECT, EVENT_REJECTED), 28);
	assert_int_equal(failed_as(&guest.result, SIDE_SERVER, N - 39, STEP_CREATE_QP, EVENT_CALL),
			 -ENOMEM);
	assert_int_equal(count_of(&guest.result, SIDE_SERVER, STEP_ESTABLISH), 39);
	end_with_failures(&host, &guest);
}

static void accept__that_fails__costs_one_connection(void **state)
{
	(void)state;
	for (uint32_t acceptors = 1; acceptors <= 2; acceptors++) {
		struct guest guest;
		struct host host;

		fake_reset();
		fake_fail(FAKE_RDMA_ACCEPT, NTH, EINVAL);
		serve_with_failures(&host, &guest, acceptors, 60 * NS_PER_S);
		assert_int_equal(
			failed_as(&guest.result, SIDE_CLIENT, 1, STEP_CONNECT, EVENT_REJECTED), 28);
		assert_int_equal(failed_as(&guest.result, SIDE_SERVER, 1, STEP_ACCEPT, EVENT_CALL),
				 -EINVAL);
		assert_int_equal(count_of(&guest.result, SIDE_SERVER, STEP_ESTABLISH), N - 1);
		assert_int_equal(count_of(&guest.result, SIDE_CLIENT, STEP_DISCONNECT), N - 1);
		end_with_failures(&host, &guest);
	}
}

/* The RTU is lost: the server hears of the connection only when it ends. Bounded, counted, and no
 * negative time. */
static void rtu__that_is_lost__ends_as_a_failure_to_establish(void **state)
{
	struct guest guest;
	struct host host;

	(void)state;
	fake_event_drop(FAKE_SERVER, RDMA_CM_EVENT_ESTABLISHED, NTH);
	serve_with_failures(&host, &guest, 1, NS_PER_S);
	assert_int_equal(count_of(&guest.result, SIDE_CLIENT, STEP_DISCONNECT), N);
	assert_int_equal(
		failed_as(&guest.result, SIDE_SERVER, 1, STEP_ESTABLISH, EVENT_DISCONNECTED), 0);
	assert_int_equal(count_of(&guest.result, SIDE_SERVER, STEP_ESTABLISH), N - 1);
	assert_int_equal(count_of(&guest.result, SIDE_SERVER, STEP_DISCONNECT), N);
	assert_int_equal(guest.result.rounds[0].ledger.n, 1);
	end_with_failures(&host, &guest);
}

/* No DREQ before both sides have passed the connect barrier. */
static void rtu__that_is_late__is_waited_for_before_anybody_disconnects(void **state)
{
	struct guest guest;
	struct host host;

	(void)state;
	fake_event_late(FAKE_SERVER, RDMA_CM_EVENT_ESTABLISHED, NTH, 50 * NS_PER_MS);
	fake_event_late(FAKE_SERVER, RDMA_CM_EVENT_ESTABLISHED, N, 50 * NS_PER_MS);
	serve_with_failures(&host, &guest, 2, 60 * NS_PER_S);
	all_did_all(&guest.result);
	end_with_failures(&host, &guest);
}

static void disconnect__that_fails_at_the_server__is_its_failure(void **state)
{
	struct guest guest;
	struct host host;

	(void)state;
	/* The client's window is one: the second call is the server's answer to the first. */
	host_plan(&host);
	host_open(&host);
	guest_plan(&guest, &host, N);
	guest.plan.window = 1;
	guest.plan.step_timeout_ns = NS_PER_S;
	fake_fail(FAKE_RDMA_DISCONNECT, 2, EINVAL);
	guest_run(&guest);
	assert_int_equal(guest.ret, 0);
	client_adds_up(&guest.result);
	assert_int_equal(failed_as(&guest.result, SIDE_SERVER, 1, STEP_DISCONNECT, EVENT_CALL),
			 -EINVAL);
	failed_as(&guest.result, SIDE_CLIENT, 1, STEP_DISCONNECT, EVENT_TIMEOUT);
	assert_int_equal(count_of(&guest.result, SIDE_SERVER, STEP_DISCONNECT), N - 1);
	assert_int_equal(count_of(&guest.result, SIDE_CLIENT, STEP_DISCONNECT), N - 1);
	end_with_failures(&host, &guest);
}

static void device__removed_under_an_accepted_connection__fails_that_one(void **state)
{
	struct guest guest;
	struct host host;

	(void)state;
	fake_config.dreq_timeout_ns = 20 * NS_PER_MS; /* nobody answers its client's DREQ */
	fake_event_follow(FAKE_SERVER, RDMA_CM_EVENT_ESTABLISHED, NTH, RDMA_CM_EVENT_DEVICE_REMOVAL,
			  0, 0);
	serve_with_failures(&host, &guest, 2, 60 * NS_PER_S);
	assert_int_equal(
		failed_as(&guest.result, SIDE_SERVER, 1, STEP_DISCONNECT, EVENT_DEVICE_REMOVAL), 0);
	assert_int_equal(count_of(&guest.result, SIDE_SERVER, STEP_ESTABLISH), N);
	end_with_failures(&host, &guest);
}

static void device__removed_after_the_disconnect__fails_nobody(void **state)
{
	struct guest guest;
	struct host host;

	(void)state;
	fake_event_follow(FAKE_SERVER, RDMA_CM_EVENT_DISCONNECTED, FAKE_EACH,
			  RDMA_CM_EVENT_DEVICE_REMOVAL, 0, 0);
	serve_with_failures(&host, &guest, 2, 60 * NS_PER_S);
	assert_int_equal(guest.result.rounds[0].ledger.n, 0);
	assert_int_equal(count_of(&guest.result, SIDE_SERVER, STEP_DISCONNECT), N);
	end_with_failures(&host, &guest);
}

static void events__that_come_twice__are_counted_once(void **state)
{
	struct guest guest;
	struct host host;

	(void)state;
	fake_event_twice(FAKE_SERVER, RDMA_CM_EVENT_ESTABLISHED, FAKE_EVERY(3));
	fake_event_twice(FAKE_SERVER, RDMA_CM_EVENT_DISCONNECTED, FAKE_EVERY(2));
	serve_with_failures(&host, &guest, 2, 60 * NS_PER_S);
	all_did_all(&guest.result);
	end_with_failures(&host, &guest);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RUN_TEST(request__that_is_not_of_the_run__is_rejected_and_counted),
		RUN_TEST(request__of_a_connection_that_has_gone__is_a_double),
		RUN_TEST(requests__in_a_burst__are_each_accepted_once),
		RUN_TEST(qp__that_the_server_cannot_make__costs_one_connection),
		RUN_TEST(qps__that_run_out_at_the_server__cost_all_that_follow),
		RUN_TEST(accept__that_fails__costs_one_connection),
		RUN_TEST(rtu__that_is_lost__ends_as_a_failure_to_establish),
		RUN_TEST(rtu__that_is_late__is_waited_for_before_anybody_disconnects),
		RUN_TEST(disconnect__that_fails_at_the_server__is_its_failure),
		RUN_TEST(device__removed_under_an_accepted_connection__fails_that_one),
		RUN_TEST(device__removed_after_the_disconnect__fails_nobody),
		RUN_TEST(events__that_come_twice__are_counted_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
