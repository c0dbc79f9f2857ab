// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * That what a script asks the fake for is what comes: failures, answers, limits, counts.
 */
#include "fake_use.h"
#include "host/clock.h"

#include <errno.h>

static void nth_call__scripted_to_fail__fails_alone(void **state)
{
	struct rdma_event_channel *channel = channel_new(true);
	struct rdma_cm_id *ids[5] = { NULL };

	(void)state;
	fake_fail(FAKE_RDMA_CREATE_ID, 2, ENOMEM);
	fake_fail(FAKE_RDMA_CREATE_ID, FAKE_FROM(4), 0);
	for (int i = 0; i < 5; i++) {
		bool fails = i == 1 || i >= 3;

		errno = 0;
		assert_int_equal(rdma_create_id(channel, &ids[i], NULL, RDMA_PS_TCP),
				 fails ? -1 : 0);
		assert_int_equal(errno, i == 1 ? ENOMEM : fails ? 0 : EXDEV);
	}
	done(ids[0]);
	done(ids[2]);
	rdma_destroy_event_channel(channel);
}

static void answers__as_scripted__are_replaced_dropped_doubled_and_late(void **state)
{
	struct rdma_event_channel *channel = channel_new(true);
	struct rdma_cm_id *id;
	struct fake_try first, second;
	uint64_t since_ns;

	(void)state;
	fake_answer(FAKE_RDMA_RESOLVE_ADDR, 1, RDMA_CM_EVENT_ADDR_ERROR, -ETIMEDOUT);
	fake_answer_drop(FAKE_RDMA_RESOLVE_ROUTE, 1);
	fake_answer_late(FAKE_RDMA_RESOLVE_ROUTE, 2, 20 * NS_PER_MS);
	fake_event_twice(FAKE_CLIENT, RDMA_CM_EVENT_REJECTED, FAKE_EACH);
	assert_int_equal(rdma_create_id(channel, &id, NULL, RDMA_PS_TCP), 0);
	assert_int_equal(rdma_resolve_addr(id, NULL, to(PORT), 2000), 0);
	expect(channel, RDMA_CM_EVENT_ADDR_ERROR, -ETIMEDOUT);
	assert_int_equal(rdma_resolve_addr(id, NULL, to(PORT), 2000), 0);
	expect(channel, RDMA_CM_EVENT_ADDR_RESOLVED, 0);
	assert_true(fake_try_at(0, &first) && fake_try_at(1, &second) && !fake_try_at(2, &second));
	assert_int_equal(first.id, second.id);
	assert_memory_equal(&first.dst, &second.dst, sizeof first.dst);

	assert_int_equal(rdma_resolve_route(id, 2000), 0);
	expect_none(channel);
	since_ns = clock_now_ns();
	assert_int_equal(rdma_resolve_route(id, 2000), 0);
	wait_readable(channel);
	assert_true(clock_now_ns() - since_ns >= 20 * NS_PER_MS);
	expect(channel, RDMA_CM_EVENT_ROUTE_RESOLVED, 0);
	assert_int_equal(rdma_connect(id, &param), 0);
	expect(channel, RDMA_CM_EVENT_REJECTED, 8);
	expect(channel, RDMA_CM_EVENT_REJECTED, 8);
	done(id);
	rdma_destroy_event_channel(channel);
}

static void event__scripted_to_follow__comes_unasked_on_the_same_id(void **state)
{
	struct rdma_event_channel *channel = channel_new(true);
	struct rdma_cm_id *id;

	(void)state;
	fake_remote_accepts(PORT);
	fake_event_follow(FAKE_CLIENT, RDMA_CM_EVENT_ESTABLISHED, 1, RDMA_CM_EVENT_DISCONNECTED, 0,
			  0);
	id = resolved(channel, PORT);
	assert_int_equal(rdma_connect(id, &param), 0);
	expect(channel, RDMA_CM_EVENT_ESTABLISHED, 0);
	assert_ptr_equal(expect(channel, RDMA_CM_EVENT_DISCONNECTED, 0), id);
	assert_int_equal(rdma_disconnect(id), 0);
	fake_raise(id, RDMA_CM_EVENT_DEVICE_REMOVAL, 0);
	expect(channel, RDMA_CM_EVENT_DEVICE_REMOVAL, 0);
	expect_none(channel);
	done(id);
	qps_done();
	rdma_destroy_event_channel(channel);
}

static void qp__that_cannot_be_moved__ends_as_connect_error_with_the_cause_in_errno(void **state)
{
	struct rdma_event_channel *channel = channel_new(true);
	struct rdma_cm_event *event;
	struct rdma_cm_id *id;

	(void)state;
	fake_remote_accepts(PORT);
	fake_fail(FAKE_MOVE_QP, 1, EINVAL);
	id = resolved(channel, PORT);
	assert_int_equal(rdma_connect(id, &param), 0);
	errno = 0;
	assert_int_equal(rdma_get_cm_event(channel, &event), 0);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(event->event, RDMA_CM_EVENT_CONNECT_ERROR);
	assert_int_equal(event->status, -1);
	rdma_ack_cm_event(event);
	done(id);
	qps_done();
	rdma_destroy_event_channel(channel);
}

static void qps__beyond_the_device_limit__are_refused(void **state)
{
	struct rdma_event_channel *channel = channel_new(true);
	struct ibv_qp_init_attr attr = { .qp_type = IBV_QPT_RC, .cap = { 1, 1, 1, 1, 0 } };
	struct ibv_device_attr device;
	struct ibv_port_attr port;
	struct rdma_cm_id *id, *other;

	(void)state;
	fake_config.max_qp = 1;
	id = resolved(channel, PORT);
	assert_int_equal(ibv_query_device(id->verbs, &device), 0);
	assert_int_equal(device.max_qp, 1);
	assert_int_equal(ibv_query_port(id->verbs, 1, &port), 0);
	assert_int_equal(port.link_layer, IBV_LINK_LAYER_ETHERNET);
	assert_int_equal(rdma_create_id(channel, &other, NULL, RDMA_PS_TCP), 0);
	assert_int_equal(rdma_resolve_addr(other, NULL, to(PORT), 2000), 0);
	expect(channel, RDMA_CM_EVENT_ADDR_RESOLVED, 0);
	attr.send_cq = attr.recv_cq = cq;
	assert_int_equal(rdma_create_qp(other, pd, &attr), -1);
	assert_int_equal(errno, ENOMEM);
	assert_null(other->qp);
	done(id);
	done(other);
	qps_done();
	rdma_destroy_event_channel(channel);
}

static void request__dropped_for_the_backlog__is_tried_again(void **state)
{
	struct rdma_event_channel *cc = channel_new(true), *sc = channel_new(false);
	struct rdma_cm_id *listener = listener_new(sc, PORT, 1), *first, *second, *servers[2];

	(void)state;
	fake_config.req_retry_ns = 5 * NS_PER_MS;
	first = resolved(cc, PORT);
	second = resolved(cc, PORT);
	assert_int_equal(rdma_connect(first, &param), 0);
	assert_int_equal(rdma_connect(second, &param), 0);
	servers[0] = expect(sc, RDMA_CM_EVENT_CONNECT_REQUEST, 0);
	servers[1] = expect(sc, RDMA_CM_EVENT_CONNECT_REQUEST, 0);
	expect_none(cc);
	done(first);
	done(second);
	done(servers[0]);
	done(servers[1]);
	done(listener);
	qps_done();
	rdma_destroy_event_channel(cc);
	rdma_destroy_event_channel(sc);
}

static void events__of_a_slow_kernel__come_after_the_call_returned(void **state)
{
	struct pair p;
	uint64_t since_ns;

	(void)state;
	fake_config.kernel_ns = 2 * NS_PER_MS;
	fake_config.auto_drep = true;
	pair_up(&p);
	since_ns = clock_now_ns();
	assert_int_equal(rdma_disconnect(p.client), 0);
	wait_readable(p.cc);
	assert_true(clock_now_ns() - since_ns >= 2 * NS_PER_MS);
	expect(p.cc, RDMA_CM_EVENT_DISCONNECTED, 0);
	expect(p.sc, RDMA_CM_EVENT_DISCONNECTED, 0);
	pair_done(&p);
}

static void accept__scripted_to_lose_its_rtu__is_never_established(void **state)
{
	struct pair p = { .cc = channel_new(true), .sc = channel_new(true) };

	(void)state;
	fake_answer_drop(FAKE_RDMA_ACCEPT, 1);
	p.listener = listener_new(p.sc, PORT, 0);
	p.client = resolved(p.cc, PORT);
	assert_int_equal(rdma_connect(p.client, &param), 0);
	p.server = expect(p.sc, RDMA_CM_EVENT_CONNECT_REQUEST, 0);
	qp_for(p.server);
	assert_int_equal(rdma_accept(p.server, &param), 0);
	expect(p.cc, RDMA_CM_EVENT_ESTABLISHED, 0);
	expect_none(p.sc);
	assert_int_equal(rdma_disconnect(p.client), 0);
	expect(p.sc, RDMA_CM_EVENT_DISCONNECTED, 0);
	pair_done(&p);
}

static void check__of_what_is_left__counts_it(void **state)
{
	struct rdma_event_channel *channel = channel_new(true);
	struct rdma_cm_event *event;
	struct rdma_cm_id *id;

	(void)state;
	assert_int_equal(rdma_create_id(channel, &id, NULL, RDMA_PS_TCP), 0);
	assert_int_equal(rdma_resolve_addr(id, NULL, to(PORT), 2000), 0);
	assert_int_equal(rdma_get_cm_event(channel, &event), 0);
	assert_int_equal(fake_check(), 3);
	rdma_ack_cm_event(event);
	assert_int_equal(fake_check(), 2);
	done(id);
	rdma_destroy_event_channel(channel);
	assert_int_equal(fake_check(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FAKE_TEST(nth_call__scripted_to_fail__fails_alone),
		FAKE_TEST(answers__as_scripted__are_replaced_dropped_doubled_and_late),
		FAKE_TEST(event__scripted_to_follow__comes_unasked_on_the_same_id),
		FAKE_TEST(qp__that_cannot_be_moved__ends_as_connect_error_with_the_cause_in_errno),
		FAKE_TEST(qps__beyond_the_device_limit__are_refused),
		FAKE_TEST(request__dropped_for_the_backlog__is_tried_again),
		FAKE_TEST(events__of_a_slow_kernel__come_after_the_call_returned),
		FAKE_TEST(accept__scripted_to_lose_its_rtu__is_never_established),
		FAKE_TEST(check__of_what_is_left__counts_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
