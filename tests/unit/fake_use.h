/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * fake_use - for tests that call the CM themselves: ids half-way, connections that are up, the next
 * event.
 *
 * Each asserts that all went well. One test program includes it once; main thread.
 */
#ifndef CMTIME_TESTS_FAKE_USE_H
#define CMTIME_TESTS_FAKE_USE_H

#include "cmocka_all.h"

#include "fake.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>

#define FAKE_TEST(name) cmocka_unit_test_setup_teardown(name, fake_setup, fake_teardown)

enum { PORT = 7471 };

static struct sockaddr_in server_addr = { .sin_family = AF_INET };
static struct rdma_conn_param param = { .responder_resources = 1, .initiator_depth = 1 };
static struct ibv_pd *pd;
static struct ibv_cq *cq;

static inline struct sockaddr *to(uint16_t port)
{
	server_addr.sin_port = htons(port);
	server_addr.sin_addr.s_addr = htonl(0x0a000001);
	return (struct sockaddr *)&server_addr;
}

static inline struct rdma_event_channel *channel_new(bool nonblocking)
{
	struct rdma_event_channel *channel = rdma_create_event_channel();

	assert_non_null(channel);
	if (nonblocking)
		assert_int_equal(fcntl(channel->fd, F_SETFL, O_NONBLOCK), 0);
	return channel;
}

static inline bool readable(struct rdma_event_channel *channel)
{
	struct pollfd fd = { .fd = channel->fd, .events = POLLIN };

	return poll(&fd, 1, 0) == 1;
}

static inline void wait_readable(struct rdma_event_channel *channel)
{
	struct pollfd fd = { .fd = channel->fd, .events = POLLIN };

	assert_int_equal(poll(&fd, 1, -1), 1);
}

/* Reads, checks and acks the next event; its id. */
static inline struct rdma_cm_id *expect(struct rdma_event_channel *channel,
					enum rdma_cm_event_type type, int status)
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

static inline void expect_none(struct rdma_event_channel *channel)
{
	struct rdma_cm_event *event;

	assert_false(readable(channel));
	assert_int_equal(fcntl(channel->fd, F_SETFL, O_NONBLOCK), 0);
	assert_int_equal(rdma_get_cm_event(channel, &event), -1);
	assert_int_equal(errno, EAGAIN);
}

static inline void qp_for(struct rdma_cm_id *id)
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

static inline void qps_done(void)
{
	if (pd) {
		assert_int_equal(ibv_destroy_cq(cq), 0);
		assert_int_equal(ibv_dealloc_pd(pd), 0);
	}
	pd = NULL;
	cq = NULL;
}

/* An id on its way to that port: the next call is rdma_connect(). */
static inline struct rdma_cm_id *resolved(struct rdma_event_channel *channel, uint16_t port)
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

static inline struct rdma_cm_id *listener_new(struct rdma_event_channel *channel, uint16_t port,
					      int backlog)
{
	struct sockaddr_in any = { .sin_family = AF_INET, .sin_port = htons(port) };
	struct rdma_cm_id *id;

	assert_int_equal(rdma_create_id(channel, &id, &server_addr, RDMA_PS_TCP), 0);
	assert_int_equal(rdma_bind_addr(id, (struct sockaddr *)&any), 0);
	assert_int_equal(rdma_listen(id, backlog), 0);
	return id;
}

static inline void done(struct rdma_cm_id *id)
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

static inline void pair_up(struct pair *p)
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

static inline void pair_done(struct pair *p)
{
	done(p->client);
	done(p->server);
	done(p->listener);
	qps_done();
	rdma_destroy_event_channel(p->cc);
	rdma_destroy_event_channel(p->sc);
}

#endif
