// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The end of a session while something of it is still under way: requests in a queue, calls not yet
 * returned, events on their way. Its memory is freed then, so these are tests for ThreadSanitizer
 * and AddressSanitizer above all.
 */
#include "hand_use.h"

enum { N = 40 };

/* A server to which a client sends N requests and leaves at once, without looking at one answer. */
static void leave_with_requests_under_way(uint32_t acceptors, void (*script)(void))
{
	struct rdma_cm_id *ids[N];
	struct host host;
	struct hand hand;

	fake_reset();
	host_plan(&host);
	host.plan.acceptors = acceptors;
	host_open(&host);
	script();
	for (uint32_t run = 1; run <= 3; run++) {
		hand_open(&hand, &host, N);
		hand_send_all(&hand, ids, N);
		control_close(hand.control);
		assert_int_equal(host_end(&host, run), RUN_LOST);
		for (uint32_t i = 0; i < N; i++)
			done(ids[i]);
		hand.control = NULL;
		hand_close(&hand);
	}
	host_close(&host);
	assert_int_equal(fake_check(), 0);
}

static void accept_slowly(void)
{
	fake_slow(FAKE_RDMA_ACCEPT, FAKE_EACH, NS_PER_MS);
}

static void return_slowly_from_accept(void)
{
	fake_linger(FAKE_RDMA_ACCEPT, FAKE_EACH, NS_PER_MS);
}

static void fail_every_other_accept(void)
{
	fake_fail(FAKE_RDMA_ACCEPT, FAKE_EVERY(2), EINVAL);
}

static void remove_the_device(void)
{
	fake_event_follow(FAKE_SERVER, RDMA_CM_EVENT_ESTABLISHED, FAKE_EACH,
			  RDMA_CM_EVENT_DEVICE_REMOVAL, 0, 0);
	fake_event_late(FAKE_SERVER, RDMA_CM_EVENT_ESTABLISHED, FAKE_EVERY(3), NS_PER_MS);
}

static void (*const scripts[])(void) = { accept_slowly, return_slowly_from_accept,
					 fail_every_other_accept, remove_the_device };

static void session__whose_client_leaves__ends_with_requests_under_way(void **state)
{
	static const uint32_t acceptors[] = { 1, 2, 4 };

	(void)state;
	for (size_t s = 0; s < sizeof(scripts) / sizeof(*scripts); s++) {
		for (size_t a = 0; a < 3; a++)
			leave_with_requests_under_way(acceptors[a], scripts[s]);
	}
}

/* The client has connected, and goes: the server's connections hear of their end from all sides. */
static void session__whose_client_leaves__ends_with_events_under_way(void **state)
{
	(void)state;
	for (uint32_t run = 1; run <= 10; run++) {
		struct rdma_cm_id *ids[N];
		struct host host;
		struct hand hand;

		fake_reset();
		host_plan(&host);
		host.plan.acceptors = 1 + run % 3;
		host.plan.listeners = 1;
		host_open(&host);
		fake_event_follow(FAKE_SERVER, RDMA_CM_EVENT_DISCONNECTED, FAKE_EVERY(2),
				  RDMA_CM_EVENT_DEVICE_REMOVAL, 0, 0);
		hand_open(&hand, &host, N);
		for (uint32_t i = 0; i < N; i++)
			ids[i] = hand_connect(&hand, i);
		for (uint32_t i = 0; i < N / 2; i++)
			rdma_disconnect(ids[i]);
		hand_say(&hand, abort_to_json("enough"));
		for (uint32_t i = N / 2; i < N; i++)
			rdma_disconnect(ids[i]);
		assert_int_equal(host_end(&host, 1), RUN_LOST);
		for (uint32_t i = 0; i < N; i++)
			done(ids[i]);
		hand_close(&hand);
		host_close(&host);
		assert_int_equal(fake_check(), 0);
	}
}

/* Whoever waits when a run is cut was cut, and has not timed out. */
static void connection__that_waits_when_the_client_goes__is_cut_short(void **state)
{
	struct rdma_cm_id *id;
	struct host host;
	struct hand hand;

	(void)state;
	host_plan(&host);
	host_open(&host);
	fake_event_drop(FAKE_SERVER, RDMA_CM_EVENT_ESTABLISHED, FAKE_EACH);
	hand_open(&hand, &host, 1);
	id = hand_connect(&hand, 0);
	hand_say(&hand, abort_to_json("enough"));
	assert_int_equal(host_end(&host, 1), RUN_LOST);
	failed_as(&host.last, SIDE_SERVER, 1, STEP_ESTABLISH, EVENT_ABORTED);
	assert_int_equal(host.last.rounds[0].connected, 0);
	done(id);
	hand_close(&hand);
	host_close(&host);
}

static void connection__that_waits_at_the_end_of_a_run__has_timed_out(void **state)
{
	struct rdma_cm_id *id;
	struct result result;
	struct host host;
	struct hand hand;

	(void)state;
	host_plan(&host);
	host_open(&host);
	fake_event_drop(FAKE_SERVER, RDMA_CM_EVENT_ESTABLISHED, FAKE_EACH);
	hand_open(&hand, &host, 1);
	id = hand_connect(&hand, 0);
	hand_finish(&hand, &result);
	failed_as(&result, SIDE_SERVER, 1, STEP_ESTABLISH, EVENT_TIMEOUT);
	result_free(&result);
	done(id);
	hand_close(&hand);
	host_close(&host);
}

/* A client that asks for the result and goes: what could not be sent is not counted twice. */
static void result__that_nobody_takes__is_reported_as_it_is(void **state)
{
	struct rdma_cm_id *ids[N];
	struct host host;
	struct hand hand;

	(void)state;
	host_plan(&host);
	host_open(&host);
	fake_fail(FAKE_RDMA_ACCEPT, FAKE_EVERY(2), EINVAL);
	fake_slow(FAKE_RDMA_DESTROY_ID, FAKE_EACH, NS_PER_MS);
	hand_open(&hand, &host, N);
	for (uint32_t i = 0; i < N; i++) {
		ids[i] = hand_send_ticket(&hand, hand.run, i);
		expect(hand.channel, i % 2 ? RDMA_CM_EVENT_REJECTED : RDMA_CM_EVENT_ESTABLISHED,
		       i % 2 ? 28 : 0);
	}
	hand_barrier(&hand, BARRIER_DISCONNECT, N / 2);
	hand_say(&hand, message_to_json(MESSAGE_FINISH));
	hand_say(&hand, abort_to_json("enough"));
	assert_int_equal(host_end(&host, 1), RUN_LOST);
	failed_as(&host.last, SIDE_SERVER, N / 2, STEP_ACCEPT, EVENT_CALL);
	assert_int_equal(host.last.rounds[0].connected, N / 2);
	for (uint32_t i = 0; i < N; i++)
		done(ids[i]);
	hand_close(&hand);
	host_close(&host);
}

/* Requests of a run that has ended, and whose session is no more. */
static void request__of_a_run_that_has_ended__is_a_strangers(void **state)
{
	struct rdma_cm_id *id;
	struct result result;
	struct host host;
	struct hand hand;

	(void)state;
	host_plan(&host);
	host_open(&host);
	hand_open(&hand, &host, 2);
	id = hand_connect(&hand, 0);
	hand_barrier(&hand, BARRIER_DISCONNECT, 1);
	hand_finish(&hand, &result);
	host_end(&host, 1);
	done(id);
	hand_is_rejected(&hand, hand_send_ticket(&hand, hand.run, 1));
	assert_int_equal(atomic_load(&host.server->strangers), 1);
	result_free(&result);
	hand_close(&hand);
	host_close(&host);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RUN_TEST(session__whose_client_leaves__ends_with_requests_under_way),
		RUN_TEST(session__whose_client_leaves__ends_with_events_under_way),
		RUN_TEST(connection__that_waits_when_the_client_goes__is_cut_short),
		RUN_TEST(connection__that_waits_at_the_end_of_a_run__has_timed_out),
		RUN_TEST(result__that_nobody_takes__is_reported_as_it_is),
		RUN_TEST(request__of_a_run_that_has_ended__is_a_strangers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
