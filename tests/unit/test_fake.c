// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What the fake promises the other tests: an RDMA CM's events, waits and errors, as scripted.
 *
 * And what it must not do: order two threads in ThreadSanitizer's eyes. For that, the program runs
 * itself with the name of a scene, which is right or wrong in a known way, and looks at how it
 * ends.
 */
#include "cmocka_all.h"

#include "fake.h"
#include "host/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

enum { PORT = 7471 };

static struct sockaddr_in server_addr = { .sin_family = AF_INET };
static struct rdma_conn_param param = { .responder_resources = 1, .initiator_depth = 1 };
static struct ibv_pd *pd;
static struct ibv_cq *cq;

static struct sockaddr *to(uint16_t port)
{
	server_addr.sin_port = htons(port);
	server_addr.sin_addr.s_addr = htonl(0x0a000001);
	return (struct sockaddr *)&server_addr;
}

static struct rdma_event_channel *channel_new(bool nonblocking)
{
	struct rdma_event_channel *channel = rdma_create_event_channel();

	assert_non_null(channel);
	if (nonblocking)
		assert_int_equal(fcntl(channel->fd, F_SETFL, O_NONBLOCK), 0);
	return channel;
}

static bool readable(struct rdma_event_channel *channel)
{
	struct pollfd fd = { .fd = channel->fd, .events = POLLIN };

	return poll(&fd, 1, 0) == 1;
}

/* Reads, checks and acks the next event; its id. */
static struct rdma_cm_id *expect(struct rdma_event_channel *channel, enum rdma_cm_event_type type,
				 int status)
{
	struct rdma_cm_event *event;
	struct rdma_cm_id *id;

	assert_int_equal(rdma_get_cm_event(channel, &event), 0);
	assert_string_equal(rdma_event_str(event->event), rdma_event_str(type));
	assert_int_equal(event->status, status);
	id = event->id;
	assert_int_equal(rdma_ack_cm_event(event), 0);
	return id;
}

static void expect_none(struct rdma_event_channel *channel)
{
	struct rdma_cm_event *event;

	assert_false(readable(channel));
	assert_int_equal(fcntl(channel->fd, F_SETFL, O_NONBLOCK), 0);
	assert_int_equal(rdma_get_cm_event(channel, &event), -1);
	assert_int_equal(errno, EAGAIN);
}

static void qp_for(struct rdma_cm_id *id)
{
	struct ibv_qp_init_attr attr = { .qp_type = IBV_QPT_RC, .cap = { 1, 1, 1, 1, 0 } };

	if (!pd) {
		pd = ibv_alloc_pd(id->verbs);
		cq = ibv_create_cq(id->verbs, 16, NULL, NULL, 0);
		assert_non_null(pd);
		assert_non_null(cq);
	}
	attr.send_cq = attr.recv_cq = cq;
	assert_int_equal(rdma_create_qp(id, pd, &attr), 0);
}

static void qps_done(void)
{
	if (pd) {
		assert_int_equal(ibv_destroy_cq(cq), 0);
		assert_int_equal(ibv_dealloc_pd(pd), 0);
	}
	pd = NULL;
	cq = NULL;
}

/* An id on its way to that port: the next call is rdma_connect(). */
static struct rdma_cm_id *resolved(struct rdma_event_channel *channel, uint16_t port)
{
	struct rdma_cm_id *id;

	assert_int_equal(rdma_create_id(channel, &id, NULL, RDMA_PS_TCP), 0);
	assert_int_equal(rdma_resolve_addr(id, NULL, to(port), 2000), 0);
	assert_ptr_equal(expect(channel, RDMA_CM_EVENT_ADDR_RESOLVED, 0), id);
	assert_int_equal(rdma_resolve_route(id, 2000), 0);
	assert_ptr_equal(expect(channel, RDMA_CM_EVENT_ROUTE_RESOLVED, 0), id);
	qp_for(id);
	return id;
}

static struct rdma_cm_id *listener_new(struct rdma_event_channel *channel, uint16_t port,
				       int backlog)
{
	struct sockaddr_in any = { .sin_family = AF_INET, .sin_port = htons(port) };
	struct rdma_cm_id *id;

	assert_int_equal(rdma_create_id(channel, &id, &server_addr, RDMA_PS_TCP), 0);
	assert_int_equal(rdma_bind_addr(id, (struct sockaddr *)&any), 0);
	assert_int_equal(rdma_listen(id, backlog), 0);
	return id;
}

static void done(struct rdma_cm_id *id)
{
	if (id->qp)
		rdma_destroy_qp(id);
	assert_int_equal(rdma_destroy_id(id), 0);
}

/* Both ends of a connection in this process, up. */
struct pair {
	struct rdma_event_channel *cc, *sc;
	struct rdma_cm_id *listener, *client, *server;
};

static void pair_up(struct pair *p)
{
	p->cc = channel_new(false);
	p->sc = channel_new(false);
	p->listener = listener_new(p->sc, PORT, 0);
	p->client = resolved(p->cc, PORT);
	assert_int_equal(rdma_connect(p->client, &param), 0);
	p->server = expect(p->sc, RDMA_CM_EVENT_CONNECT_REQUEST, 0);
	qp_for(p->server);
	assert_int_equal(rdma_accept(p->server, &param), 0);
	expect(p->cc, RDMA_CM_EVENT_ESTABLISHED, 0);
	assert_ptr_equal(expect(p->sc, RDMA_CM_EVENT_ESTABLISHED, 0), p->server);
}

static void pair_done(struct pair *p)
{
	done(p->client);
	done(p->server);
	done(p->listener);
	qps_done();
	rdma_destroy_event_channel(p->cc);
	rdma_destroy_event_channel(p->sc);
}

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
	usleep(20000);
	pthread_kill(thread, SIGUSR1);
	pthread_join(thread, &result);
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

static void *get_four(void *channel)
{
	for (int i = 0; i < 4; i++) {
		if (get_one(channel))
			return channel;
	}
	return NULL;
}

static void get_cm_event__that_moves_a_qp__holds_up_its_own_thread_alone(void **state)
{
	enum { THREADS = 4, EACH = 4 };
	struct rdma_event_channel *channel = channel_new(false);
	struct rdma_cm_id *ids[THREADS * EACH];
	pthread_t threads[THREADS];
	uint64_t took_ns;
	void *result;

	(void)state;
	fake_remote_accepts(0);
	fake_config.modify_qp_ns = 25 * NS_PER_MS;
	for (int i = 0; i < THREADS * EACH; i++)
		ids[i] = resolved(channel, PORT);
	for (int i = 0; i < THREADS * EACH; i++)
		assert_int_equal(rdma_connect(ids[i], &param), 0);
	took_ns = clock_now_ns();
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, get_four, channel);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], &result);
		assert_null(result);
	}
	took_ns = clock_now_ns() - took_ns;
	assert_in_range(took_ns, 100 * NS_PER_MS, 350 * NS_PER_MS);
	for (int i = 0; i < THREADS * EACH; i++)
		done(ids[i]);
	qps_done();
	rdma_destroy_event_channel(channel);
}

/* ---- Scripts. */

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
	assert_int_equal(rdma_resolve_route(id, 2000), 0);
	expect_none(channel);
	usleep(60000);
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

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, fake_setup, fake_teardown)
	const struct CMUnitTest tests[] = {
		TEST(client__of_a_remote_server__hears_every_answer_in_order),
		TEST(server__of_an_accepted_client__is_established_once_the_client_has_read),
		TEST(disconnect__of_one_side__waits_for_the_others_answer),
		TEST(disconnect__that_nobody_answers__ends_with_a_timeout),
		TEST(private_data__of_a_request__arrives_padded_to_56_bytes),
		TEST(reject__with_private_data__reaches_the_client_as_28),
		TEST(connect__to_a_port_without_a_listener__is_rejected_as_8),
		TEST(connect__beyond_the_backlog__is_lost_until_it_is_unreachable),
		TEST(listen__on_a_port_that_is_taken__fails),
		TEST(get_cm_event__without_an_event__blocks_until_a_signal_or_an_event),
		TEST(destroy_id__with_an_unacked_event__blocks),
		TEST(destroy_id__with_an_unread_event__takes_the_event_along),
		TEST(get_cm_event__that_moves_a_qp__holds_up_its_own_thread_alone),
		TEST(nth_call__scripted_to_fail__fails_alone),
		TEST(answers__as_scripted__are_replaced_dropped_doubled_and_late),
		TEST(event__scripted_to_follow__comes_unasked_on_the_same_id),
		TEST(qp__that_cannot_be_moved__ends_as_connect_error_with_the_cause_in_errno),
		TEST(qps__beyond_the_device_limit__are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
