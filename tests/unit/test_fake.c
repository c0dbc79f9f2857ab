// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What the fake promises the other tests: an RDMA CM's events, waits and errors, as scripted.
 *
 * And what it must not do: order two threads in ThreadSanitizer's eyes. For that, the program runs
 * itself with the name of a scene, which is right or wrong in a known way, and looks at how it
 * ends.
 */
#include "fake_use.h"
#include "host/clock.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

/* ---- Events. */

static void client__of_a_remote_server__hears_every_answer_in_order(void **state)
{
	struct rdma_event_channel *channel = channel_new(true);
	struct rdma_cm_id *id;
	struct fake_counts counts;

	(void)state;
	fake_remote_accepts(PORT);
	id = resolved(channel, PORT);
	assert_string_equal(ibv_get_device_name(id->verbs->device), "fake0");
	assert_int_equal(id->port_num, 1);
	assert_int_equal(ntohs(rdma_get_dst_port(id)), PORT);
	assert_int_not_equal(rdma_get_src_port(id), 0);
	assert_int_equal(rdma_connect(id, &param), 0);
	assert_ptr_equal(expect(channel, RDMA_CM_EVENT_ESTABLISHED, 0), id);
	assert_int_equal(id->qp->state, IBV_QPS_RTS);
	assert_int_equal(rdma_disconnect(id), 0);
	assert_ptr_equal(expect(channel, RDMA_CM_EVENT_DISCONNECTED, 0), id);
	expect_none(channel);
	counts = fake_counts();
	assert_int_equal(counts.gets, 4);
	assert_int_equal(counts.acks, 4);
	done(id);
	qps_done();
	rdma_destroy_event_channel(channel);
}

static void server__of_an_accepted_client__is_established_once_the_client_has_read(void **state)
{
	struct pair p = { .cc = channel_new(false), .sc = channel_new(false) };

	(void)state;
	p.listener = listener_new(p.sc, PORT, 0);
	p.client = resolved(p.cc, PORT);
	assert_int_equal(rdma_connect(p.client, &param), 0);
	assert_false(readable(p.cc));
	p.server = expect(p.sc, RDMA_CM_EVENT_CONNECT_REQUEST, 0);
	assert_ptr_equal(p.server->context, p.listener->context);
	assert_int_equal(rdma_get_src_port(p.server), rdma_get_dst_port(p.client));
	assert_int_equal(rdma_get_dst_port(p.server), rdma_get_src_port(p.client));
	qp_for(p.server);
	assert_int_equal(rdma_accept(p.server, &param), 0);
	assert_false(readable(p.sc));
	expect(p.cc, RDMA_CM_EVENT_ESTABLISHED, 0);
	assert_ptr_equal(expect(p.sc, RDMA_CM_EVENT_ESTABLISHED, 0), p.server);
	pair_done(&p);
}

static void disconnect__of_one_side__waits_for_the_others_answer(void **state)
{
	struct pair p;

	(void)state;
	pair_up(&p);
	assert_int_equal(rdma_disconnect(p.client), 0);
	assert_false(readable(p.cc));
	expect(p.sc, RDMA_CM_EVENT_DISCONNECTED, 0);
	assert_int_equal(rdma_disconnect(p.server), 0);
	expect(p.cc, RDMA_CM_EVENT_DISCONNECTED, 0);
	assert_int_equal(rdma_disconnect(p.server), 0);
	assert_int_equal(rdma_disconnect(p.client), 0);
	expect_none(p.sc);
	expect_none(p.cc);
	pair_done(&p);
}

static void disconnect__that_nobody_answers__ends_with_a_timeout(void **state)
{
	struct pair p;

	(void)state;
	fake_config.dreq_timeout_ns = 10 * NS_PER_MS;
	fake_config.timewait_ns = 10 * NS_PER_MS;
	pair_up(&p);
	assert_int_equal(rdma_disconnect(p.client), 0);
	expect(p.cc, RDMA_CM_EVENT_DISCONNECTED, -ETIMEDOUT);
	expect(p.cc, RDMA_CM_EVENT_TIMEWAIT_EXIT, 0);
	pair_done(&p);
}

static void private_data__of_a_request__arrives_padded_to_56_bytes(void **state)
{
	struct rdma_conn_param with = { .private_data = "hello", .private_data_len = 5 };
	struct pair p = { .cc = channel_new(false), .sc = channel_new(false) };
	struct rdma_cm_event *event;
	uint8_t want[56] = "hello";

	(void)state;
	p.listener = listener_new(p.sc, PORT, 0);
	p.client = resolved(p.cc, PORT);
	with.private_data_len = 57;
	assert_int_equal(rdma_connect(p.client, &with), -1);
	assert_int_equal(errno, EINVAL);
	with.private_data_len = 5;
	assert_int_equal(rdma_connect(p.client, &with), 0);
	assert_int_equal(rdma_get_cm_event(p.sc, &event), 0);
	assert_ptr_equal(event->listen_id, p.listener);
	assert_int_equal(event->param.conn.private_data_len, sizeof want);
	assert_memory_equal(event->param.conn.private_data, want, sizeof want);
	p.server = event->id;
	rdma_ack_cm_event(event);
	pair_done(&p);
}

static void reject__with_private_data__reaches_the_client_as_28(void **state)
{
	struct pair p = { .cc = channel_new(false), .sc = channel_new(false) };
	struct rdma_cm_event *event;

	(void)state;
	p.listener = listener_new(p.sc, PORT, 0);
	p.client = resolved(p.cc, PORT);
	assert_int_equal(rdma_connect(p.client, &param), 0);
	p.server = expect(p.sc, RDMA_CM_EVENT_CONNECT_REQUEST, 0);
	assert_int_equal(rdma_reject(p.server, "no", 2), 0);
	assert_int_equal(rdma_get_cm_event(p.cc, &event), 0);
	assert_int_equal(event->event, RDMA_CM_EVENT_REJECTED);
	assert_int_equal(event->status, 28);
	assert_int_equal(event->param.conn.private_data_len, 148);
	assert_memory_equal(event->param.conn.private_data, "no", 3);
	rdma_ack_cm_event(event);
	pair_done(&p);
}

static void connect__to_a_port_without_a_listener__is_rejected_as_8(void **state)
{
	struct rdma_event_channel *channel = channel_new(true);
	struct rdma_cm_id *id = resolved(channel, PORT);

	(void)state;
	assert_int_equal(rdma_connect(id, &param), 0);
	expect(channel, RDMA_CM_EVENT_REJECTED, 8);
	done(id);
	qps_done();
	rdma_destroy_event_channel(channel);
}

static void connect__beyond_the_backlog__is_lost_until_it_is_unreachable(void **state)
{
	struct rdma_event_channel *cc = channel_new(false), *sc = channel_new(true);
	struct rdma_cm_id *listener = listener_new(sc, PORT, 1), *first, *second, *server;

	(void)state;
	fake_config.unreachable_ns = 10 * NS_PER_MS;
	first = resolved(cc, PORT);
	second = resolved(cc, PORT);
	assert_int_equal(rdma_connect(first, &param), 0);
	assert_int_equal(rdma_connect(second, &param), 0);
	assert_ptr_equal(expect(cc, RDMA_CM_EVENT_UNREACHABLE, -ETIMEDOUT), second);
	server = expect(sc, RDMA_CM_EVENT_CONNECT_REQUEST, 0);
	expect_none(sc);
	done(first);
	done(second);
	done(server);
	done(listener);
	qps_done();
	rdma_destroy_event_channel(cc);
	rdma_destroy_event_channel(sc);
}

static void listen__on_a_port_that_is_taken__fails(void **state)
{
	struct rdma_event_channel *channel = channel_new(true);
	struct sockaddr_in addr = { .sin_family = AF_INET };
	struct rdma_cm_id *id, *other;

	(void)state;
	addr.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(rdma_create_id(channel, &id, NULL, RDMA_PS_TCP), 0);
	assert_int_equal(rdma_bind_addr(id, (struct sockaddr *)&addr), 0);
	assert_int_equal(rdma_listen(id, 0), 0);
	assert_int_equal(id->port_num, 1);
	addr.sin_port = rdma_get_src_port(id);
	assert_int_not_equal(addr.sin_port, 0);
	assert_int_equal(rdma_create_id(channel, &other, NULL, RDMA_PS_TCP), 0);
	assert_int_equal(rdma_bind_addr(other, (struct sockaddr *)&addr), -1);
	assert_int_equal(errno, EADDRINUSE);
	addr.sin_addr.s_addr = htonl(INADDR_ANY);
	assert_int_equal(rdma_bind_addr(other, (struct sockaddr *)&addr), -1);
	assert_int_equal(errno, EADDRNOTAVAIL);
	done(id);
	done(other);
	rdma_destroy_event_channel(channel);
}

static void request__to_an_id_without_a_qp__is_established_by_hand(void **state)
{
	struct rdma_conn_param with = { .responder_resources = 1,
					.initiator_depth = 1,
					.qp_num = 0x77 };
	struct pair p = { .cc = channel_new(true), .sc = channel_new(true) };
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RTR };
	int mask;

	(void)state;
	p.listener = listener_new(p.sc, PORT, 0);
	p.client = resolved(p.cc, PORT);
	rdma_destroy_qp(p.client);
	assert_int_equal(rdma_connect(p.client, &with), 0);
	p.server = expect(p.sc, RDMA_CM_EVENT_CONNECT_REQUEST, 0);
	assert_int_equal(rdma_init_qp_attr(p.server, &attr, &mask), 0);
	assert_int_equal(attr.dest_qp_num, 0x77);
	assert_int_equal(rdma_accept(p.server, &with), 0);
	expect(p.cc, RDMA_CM_EVENT_CONNECT_RESPONSE, 0);
	expect_none(p.sc);
	assert_int_equal(rdma_establish(p.client), 0);
	expect(p.sc, RDMA_CM_EVENT_ESTABLISHED, 0);
	pair_done(&p);
}

static void peer__that_is_destroyed__is_heard_of_at_the_other_end(void **state)
{
	struct pair p;

	(void)state;
	pair_up(&p);
	done(p.server);
	expect(p.cc, RDMA_CM_EVENT_DISCONNECTED, 0);
	assert_int_equal(rdma_disconnect(p.client), 0);
	expect_none(p.cc);

	rdma_destroy_qp(p.client);
	rdma_destroy_id(p.client);
	p.client = resolved(p.cc, PORT);
	assert_int_equal(rdma_connect(p.client, &param), 0);
	p.server = expect(p.sc, RDMA_CM_EVENT_CONNECT_REQUEST, 0);
	done(p.client);
	assert_int_equal(rdma_accept(p.server, &param), -1);
	assert_int_equal(errno, EINVAL);
	done(p.server);

	p.client = resolved(p.cc, PORT);
	assert_int_equal(rdma_connect(p.client, &param), 0);
	done(p.listener);
	expect(p.cc, RDMA_CM_EVENT_REJECTED, 28);
	done(p.client);
	qps_done();
	rdma_destroy_event_channel(p.cc);
	rdma_destroy_event_channel(p.sc);
}

static void migrate_id__with_an_unread_event__takes_it_to_the_new_channel(void **state)
{
	struct rdma_event_channel *from = channel_new(true), *there = channel_new(true);
	struct rdma_cm_id *id;

	(void)state;
	assert_int_equal(rdma_create_id(from, &id, NULL, RDMA_PS_TCP), 0);
	assert_int_equal(rdma_resolve_addr(id, NULL, to(PORT), 2000), 0);
	assert_int_equal(rdma_migrate_id(id, there), 0);
	expect_none(from);
	expect(there, RDMA_CM_EVENT_ADDR_RESOLVED, 0);
	done(id);
	rdma_destroy_event_channel(from);
	rdma_destroy_event_channel(there);
}

/* ---- Waits. */

static void *get_one(void *channel)
{
	struct rdma_cm_event *event;

	if (rdma_get_cm_event(channel, &event))
		return (void *)(intptr_t)errno;
	rdma_ack_cm_event(event);
	return NULL;
}

static void nothing(int number)
{
	(void)number;
}

static atomic_int handled;

static void count(int number)
{
	(void)number;
	atomic_fetch_add(&handled, 1);
}

static void get_cm_event__when_its_signal_restarts_calls__blocks_on(void **state)
{
	struct sigaction action = { .sa_handler = count, .sa_flags = SA_RESTART };
	struct rdma_event_channel *channel = channel_new(false);
	struct rdma_cm_id *id;
	pthread_t thread;
	void *result;

	(void)state;
	assert_int_equal(rdma_create_id(channel, &id, NULL, RDMA_PS_TCP), 0);
	sigaction(SIGUSR2, &action, NULL);
	pthread_create(&thread, NULL, get_one, channel);
	for (int i = 0; i < 5; i++) {
		usleep(10000);
		assert_int_not_equal(pthread_tryjoin_np(thread, &result), 0);
		pthread_kill(thread, SIGUSR2);
	}
	assert_int_equal(rdma_resolve_addr(id, NULL, to(PORT), 2000), 0);
	pthread_join(thread, &result);
	assert_null(result);
	assert_true(atomic_load(&handled) > 0);
	done(id);
	rdma_destroy_event_channel(channel);
}

static void get_cm_event__without_an_event__blocks_until_a_signal_or_an_event(void **state)
{
	struct sigaction action = { .sa_handler = nothing };
	struct rdma_event_channel *channel = channel_new(false);
	struct rdma_cm_id *id;
	pthread_t thread;
	void *result;

	(void)state;
	assert_int_equal(rdma_create_id(channel, &id, NULL, RDMA_PS_TCP), 0);
	sigaction(SIGUSR1, &action, NULL);
	pthread_create(&thread, NULL, get_one, channel);
	do {
		usleep(10000);
		pthread_kill(thread, SIGUSR1);
	} while (pthread_tryjoin_np(thread, &result));
	assert_int_equal((intptr_t)result, EINTR);

	pthread_create(&thread, NULL, get_one, channel);
	usleep(20000);
	assert_int_equal(rdma_resolve_addr(id, NULL, to(PORT), 2000), 0);
	pthread_join(thread, &result);
	assert_null(result);
	expect_none(channel);
	done(id);
	rdma_destroy_event_channel(channel);
}

static atomic_bool destroyed;

static void *destroy(void *id)
{
	rdma_destroy_id(id);
	atomic_store(&destroyed, true);
	return NULL;
}

static void destroy_id__with_an_unacked_event__blocks(void **state)
{
	struct rdma_event_channel *channel = channel_new(false);
	struct rdma_cm_event *event;
	struct rdma_cm_id *id;
	pthread_t thread;

	(void)state;
	assert_int_equal(rdma_create_id(channel, &id, NULL, RDMA_PS_TCP), 0);
	assert_int_equal(rdma_resolve_addr(id, NULL, to(PORT), 2000), 0);
	assert_int_equal(rdma_get_cm_event(channel, &event), 0);
	pthread_create(&thread, NULL, destroy, id);
	usleep(50000);
	assert_false(atomic_load(&destroyed));
	rdma_ack_cm_event(event);
	pthread_join(thread, NULL);
	assert_true(atomic_load(&destroyed));
	rdma_destroy_event_channel(channel);
}

static void destroy_id__with_an_unread_event__takes_the_event_along(void **state)
{
	struct rdma_event_channel *channel = channel_new(false);
	struct rdma_cm_id *id;

	(void)state;
	assert_int_equal(rdma_create_id(channel, &id, NULL, RDMA_PS_TCP), 0);
	assert_int_equal(rdma_resolve_addr(id, NULL, to(PORT), 2000), 0);
	assert_true(readable(channel));
	done(id);
	expect_none(channel);
	assert_int_equal(fake_counts().discarded, 1);
	rdma_destroy_event_channel(channel);
}

static atomic_bool moved;

static void *get_and_move(void *channel)
{
	void *result = get_one(channel);

	atomic_store(&moved, true);
	return result;
}

/* Whether another thread reads an event while one is moving a QP. */
static bool read_beside(struct rdma_event_channel *channel)
{
	struct rdma_cm_id *id = resolved(channel, PORT), *other;
	pthread_t thread;
	void *result;
	bool beside;

	atomic_store(&moved, false);
	assert_int_equal(rdma_create_id(channel, &other, NULL, RDMA_PS_TCP), 0);
	assert_int_equal(rdma_connect(id, &param), 0);
	pthread_create(&thread, NULL, get_and_move, channel);
	while (readable(channel))
		usleep(1000);
	assert_int_equal(rdma_resolve_addr(other, NULL, to(PORT), 2000), 0);
	expect(channel, RDMA_CM_EVENT_ADDR_RESOLVED, 0);
	beside = !atomic_load(&moved);
	pthread_join(thread, &result);
	assert_null(result);
	done(id);
	done(other);
	return beside;
}

static void get_cm_event__that_moves_a_qp__holds_up_its_own_thread_alone(void **state)
{
	struct rdma_event_channel *channel = channel_new(false);
	bool beside = false;

	(void)state;
	fake_remote_accepts(0);
	fake_config.modify_qp_ns = 50 * NS_PER_MS;
	for (int i = 0; i < 20 && !beside; i++) /* a busy machine may make this thread late */
		beside = read_beside(channel);
	assert_true(beside);
	qps_done();
	rdma_destroy_event_channel(channel);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FAKE_TEST(client__of_a_remote_server__hears_every_answer_in_order),
		FAKE_TEST(server__of_an_accepted_client__is_established_once_the_client_has_read),
		FAKE_TEST(disconnect__of_one_side__waits_for_the_others_answer),
		FAKE_TEST(disconnect__that_nobody_answers__ends_with_a_timeout),
		FAKE_TEST(private_data__of_a_request__arrives_padded_to_56_bytes),
		FAKE_TEST(reject__with_private_data__reaches_the_client_as_28),
		FAKE_TEST(connect__to_a_port_without_a_listener__is_rejected_as_8),
		FAKE_TEST(connect__beyond_the_backlog__is_lost_until_it_is_unreachable),
		FAKE_TEST(listen__on_a_port_that_is_taken__fails),
		FAKE_TEST(request__to_an_id_without_a_qp__is_established_by_hand),
		FAKE_TEST(peer__that_is_destroyed__is_heard_of_at_the_other_end),
		FAKE_TEST(migrate_id__with_an_unread_event__takes_it_to_the_new_channel),
		FAKE_TEST(get_cm_event__without_an_event__blocks_until_a_signal_or_an_event),
		FAKE_TEST(get_cm_event__when_its_signal_restarts_calls__blocks_on),
		FAKE_TEST(destroy_id__with_an_unacked_event__blocks),
		FAKE_TEST(destroy_id__with_an_unread_event__takes_the_event_along),
		FAKE_TEST(get_cm_event__that_moves_a_qp__holds_up_its_own_thread_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
