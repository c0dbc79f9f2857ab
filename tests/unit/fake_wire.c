// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * fake_wire - what ids send each other: REQ, REP, REJ, RTU, DREQ, DREP, and what each does to the
 * other's state.
 *
 * After drivers/infiniband/core/{cm,cma,ucma}.c of Linux 6.1, over RoCE. A message arrives at once;
 * the event that reports it may be late. Everything here is under the fake's lock.
 */
#include "fake_kernel.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct fake_ids fake_all_ids = TAILQ_HEAD_INITIALIZER(fake_all_ids);

static struct fake_ids *ports[65536]; /* who is bound there */
static uint32_t next_port;
static bool remote_anywhere, remote_at[65536];
static uint32_t serials;

/* ---- Ports. */

__be16 address_port(const void *addr)
{
	return ((const struct sockaddr_in *)addr)
		->sin_port; /* at the same place in a sockaddr_in6 */
}

static uint16_t port_of(const void *addr)
{
	return ntohs(address_port(addr));
}

static void port_set(void *addr, uint16_t port)
{
	((struct sockaddr_in *)addr)->sin_port = htons(port);
}

bool address_is_any(const void *addr)
{
	const struct sockaddr_in *in = addr;
	const struct sockaddr_in6 *in6 = addr;

	if (in->sin_family == AF_INET)
		return in->sin_addr.s_addr == htonl(INADDR_ANY);
	return IN6_IS_ADDR_UNSPECIFIED(&in6->sin6_addr);
}

static bool same_address(const void *a, const void *b)
{
	const struct sockaddr_in *x = a, *y = b;
	const struct sockaddr_in6 *x6 = a, *y6 = b;

	if (x->sin_family != y->sin_family)
		return false;
	if (x->sin_family == AF_INET)
		return x->sin_addr.s_addr == y->sin_addr.s_addr;
	return IN6_ARE_ADDR_EQUAL(&x6->sin6_addr, &y6->sin6_addr);
}

static bool port_in_use(uint32_t port)
{
	return ports[port] && !TAILQ_EMPTY(ports[port]);
}

/* 0 or an errno, as cma_check_port() has them. */
static int port_conflict(const struct fake_id *fid, const void *addr, uint16_t port)
{
	struct fake_id *other;

	if (!ports[port])
		return 0;
	TAILQ_FOREACH(other, ports[port], on_port)
	{
		if (other == fid ||
		    (fid->reuseaddr && other->reuseaddr && other->state != CM_LISTEN))
			continue;
		if (address_is_any(addr) || address_is_any(&other->src))
			return EADDRNOTAVAIL;
		if (same_address(addr, &other->src))
			return EADDRINUSE;
	}
	return 0;
}

static uint32_t port_free(void)
{
	uint32_t first = fake_config.port_first, n = fake_config.port_last - first + 1u;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t port = first + next_port++ % n;

		if (!port_in_use(port))
			return port;
	}
	return 0;
}

int port_bind(struct fake_id *fid, const struct sockaddr *addr)
{
	uint32_t port = port_of(addr);
	int error;

	if (!port) {
		port = port_free();
		if (!port)
			return EADDRNOTAVAIL;
	}
	error = port_conflict(fid, addr, (uint16_t)port);
	if (error)
		return error;
	if (!ports[port]) {
		ports[port] = malloc(sizeof *ports[port]);
		if (!ports[port])
			return ENOMEM;
		TAILQ_INIT(ports[port]);
	}
	TAILQ_INSERT_TAIL(ports[port], fid, on_port);
	fid->port = (uint16_t)port;
	memcpy(&fid->src, addr,
	       addr->sa_family == AF_INET ? sizeof(struct sockaddr_in)
					  : sizeof(struct sockaddr_in6));
	port_set(&fid->src, fid->port);
	fid->state = CM_BOUND;
	return 0;
}

int port_listen(struct fake_id *fid)
{
	struct fake_id *other;

	TAILQ_FOREACH(other, ports[fid->port], on_port)
	{
		if (other != fid && (address_is_any(&fid->src) || address_is_any(&other->src) ||
				     same_address(&fid->src, &other->src)))
			return EADDRINUSE;
	}
	fid->state = CM_LISTEN;
	return 0;
}

uint16_t port_shared(void)
{
	uint32_t n = fake_config.port_last - fake_config.port_first + 1u;

	return (uint16_t)(fake_config.port_first + next_port++ % n);
}

static void port_release(struct fake_id *fid)
{
	if (fid->port)
		TAILQ_REMOVE(ports[fid->port], fid, on_port);
	fid->port = 0;
}

/* The listener that a request for that address reaches. */
static struct fake_id *port_listener(const void *addr)
{
	struct fake_id *fid;
	uint16_t port = port_of(addr);

	if (!ports[port])
		return NULL;
	TAILQ_FOREACH(fid, ports[port], on_port)
	{
		if (fid->state == CM_LISTEN &&
		    (address_is_any(&fid->src) || same_address(&fid->src, addr)))
			return fid;
	}
	return NULL;
}

/* ---- Ids. */

struct fake_id *id_new(struct fake_channel *channel, void *context, enum rdma_port_space ps)
{
	struct fake_id *fid = calloc(1, sizeof *fid);

	if (!fid)
		return NULL;
	fid->id.channel = &channel->channel;
	fid->id.context = context;
	fid->id.ps = ps;
	fid->id.qp_type = ps == RDMA_PS_UDP || ps == RDMA_PS_IPOIB ? IBV_QPT_UD : IBV_QPT_RC;
	fid->life = ID_ALIVE;
	fid->serial = ++serials;
	channel->ids++;
	TAILQ_INSERT_TAIL(&fake_all_ids, fid, all);
	return fid;
}

void id_forget(struct fake_id *fid)
{
	port_release(fid);
	kernel_heard(fid);
	fake_channel_of(fid->id.channel)->ids--;
	TAILQ_REMOVE(&fake_all_ids, fid, all);
}

/* An event for the id, unless its owner has not accepted it yet (ucma drops those). */
static void tell(struct fake_id *fid, enum rdma_cm_event_type type, int status)
{
	if (fid->side == FAKE_CLIENT || fid->accepted)
		kernel_post(node_new(fid, type, status));
}

static void part(struct fake_id *fid)
{
	if (fid->peer)
		fid->peer->peer = NULL;
	fid->peer = NULL;
}

/* ---- Connecting. */

static void schedule(struct fake_id *fid, enum fake_work work, uint64_t after_ns)
{
	struct fake_node *node;

	if (!after_ns)
		return;
	node = node_new(fid, RDMA_CM_EVENT_UNREACHABLE, 0);
	node->work = work;
	kernel_schedule(node, after_ns);
}

static void answer_rej(struct fake_id *client, int reason, const void *data, uint8_t len)
{
	struct fake_node *node = node_new(client, RDMA_CM_EVENT_REJECTED, reason);

	node_data(node, data, len, REJ_DATA);
	client->state = CM_DEAD;
	kernel_answer(node);
}

static void answer_rep(struct fake_id *client, const void *data, uint8_t len)
{
	struct fake_node *node = node_new(client, RDMA_CM_EVENT_CONNECT_RESPONSE, 0);

	node_data(node, data, len, REP_DATA);
	client->state = CM_REP_RCVD;
	kernel_answer(node);
}

static void request(struct fake_id *listener, struct fake_id *client, const void *data, uint8_t len)
{
	struct fake_node *node = node_new(listener, RDMA_CM_EVENT_CONNECT_REQUEST, 0);
	struct fake_id *fid = id_new(fake_channel_of(listener->id.channel), listener->id.context,
				     listener->id.ps);

	if (!fid)
		fake_panic("no memory for an id");
	fid->side = FAKE_SERVER;
	fid->state = CM_REQ_RCVD;
	fid->src = client->dst;
	fid->dst = client->src;
	fid->peer_qp_num = client->qp_num;
	fid->responder_resources = client->initiator_depth;
	fid->initiator_depth = client->responder_resources;
	fid->peer = client;
	client->peer = fid;
	listener->backlog--;
	node->request = fid;
	node_data(node, data, len, REQ_DATA);
	kernel_post(node);
}

/* False: the listener's backlog is full, and it is as if the REQ had been lost. */
static bool try_req(struct fake_id *fid, const void *data, uint8_t len)
{
	struct fake_id *listener = port_listener(&fid->dst);

	if (listener && listener->backlog <= 0)
		return false;
	if (listener) {
		request(listener, fid, data, len);
	} else if (remote_anywhere || remote_at[port_of(&fid->dst)]) {
		fid->remote = true;
		answer_rep(fid, NULL, 0);
	} else {
		answer_rej(fid, REJ_NO_SERVICE, NULL, 0);
	}
	return true;
}

static void retry_later(struct fake_id *fid, const void *data, uint8_t len)
{
	struct fake_node *node;

	if (!fake_config.req_retry_ns)
		return;
	node = node_new(fid, RDMA_CM_EVENT_UNREACHABLE, 0);
	node->work = WORK_RETRY_REQ;
	node_data(node, data, len, len);
	kernel_schedule(node, fake_config.req_retry_ns);
}

void wire_req(struct fake_id *fid, const void *data, uint8_t len)
{
	fid->state = CM_REQ_SENT;
	if (try_req(fid, data, len))
		return;
	retry_later(fid, data, len);
	schedule(fid, WORK_UNREACHABLE, fake_config.unreachable_ns);
}

int wire_rep(struct fake_id *fid, const void *data, uint8_t len)
{
	struct fake_id *client = fid->peer;

	if (fid->state != CM_REQ_RCVD || !client || client->state != CM_REQ_SENT)
		return EINVAL;
	fid->state = CM_REP_SENT;
	fid->accepted = true;
	client->peer_qp_num = fid->qp_num;
	answer_rep(client, data, len);
	return 0;
}

int wire_rej(struct fake_id *fid, const void *data, uint8_t len)
{
	struct fake_id *client = fid->peer;

	if (fid->state != CM_REQ_RCVD || !client || client->state != CM_REQ_SENT)
		return EINVAL;
	fid->state = CM_DEAD;
	part(fid);
	answer_rej(client, REJ_CONSUMER, data, len);
	return 0;
}

int wire_rtu(struct fake_id *fid)
{
	struct verdict follow = fid->on_rtu;
	struct fake_id *server = fid->peer;

	if (fid->state != CM_REP_RCVD || (!server && !fid->remote))
		return EINVAL;
	fid->state = CM_ESTABLISHED;
	memset(&fid->on_rtu, 0, sizeof fid->on_rtu);
	if (server && server->state == CM_REP_SENT) {
		server->state = CM_ESTABLISHED;
		kernel_answer(node_new(server, RDMA_CM_EVENT_ESTABLISHED, 0));
	}
	kernel_follow(fid, &follow, 0);
	return 0;
}

/* ---- Disconnecting. */

static void enter_timewait(struct fake_id *fid)
{
	struct fake_node *node;

	fid->state = CM_TIMEWAIT;
	if (!fake_config.timewait_ns)
		return;
	node = node_new(fid, RDMA_CM_EVENT_TIMEWAIT_EXIT, 0);
	kernel_schedule(node, fake_config.timewait_ns);
}

/* The DREP comes, or nothing comes for too long. */
static void drep_at(struct fake_id *fid, int status)
{
	if (fid->state != CM_DREQ_SENT)
		return;
	enter_timewait(fid);
	kernel_answer(node_new(fid, RDMA_CM_EVENT_DISCONNECTED, status));
}

static void dreq_at(struct fake_id *fid)
{
	if (fid->state != CM_ESTABLISHED && fid->state != CM_REP_SENT)
		return;
	fid->state = CM_DREQ_RCVD;
	tell(fid, RDMA_CM_EVENT_DISCONNECTED, 0);
	if (fake_config.auto_drep && fid->peer) {
		enter_timewait(fid);
		drep_at(fid->peer, 0);
	}
}

int wire_disconnect(struct fake_id *fid)
{
	if (fid->state < CM_REQ_SENT)
		return EINVAL;
	if (fid->state == CM_DREQ_RCVD) {
		enter_timewait(fid);
		if (fid->peer)
			drep_at(fid->peer, 0);
	} else if (fid->state == CM_ESTABLISHED) {
		fid->state = CM_DREQ_SENT;
		if (fid->peer)
			dreq_at(fid->peer);
		else
			drep_at(fid, 0); /* the kernel answers for ids that are gone, and so does
					    somebody elsewhere */
		if (fid->state == CM_DREQ_SENT)
			schedule(fid, WORK_DREQ_TIMEOUT, fake_config.dreq_timeout_ns);
	}
	return 0;
}

void wire_destroy(struct fake_id *fid)
{
	struct fake_id *peer = fid->peer;
	enum cm_state was = fid->state;

	part(fid);
	fid->state = CM_DEAD;
	if (peer && (was == CM_REQ_RCVD || was == CM_REP_SENT) &&
	    (peer->state == CM_REQ_SENT || peer->state == CM_REP_RCVD)) {
		answer_rej(peer, REJ_CONSUMER, NULL, 0);
	} else if (peer && was == CM_REP_RCVD && peer->state == CM_REP_SENT) {
		peer->state = CM_DEAD;
		tell(peer, RDMA_CM_EVENT_REJECTED, REJ_CONSUMER);
	} else if (peer && was == CM_ESTABLISHED) {
		dreq_at(peer);
	} else if (peer && was == CM_DREQ_RCVD) {
		drep_at(peer, 0);
	}
	kernel_purge(fid);
}

void wire_late(struct fake_node *node)
{
	struct fake_id *fid = node->owner;

	if (node->work == WORK_DREQ_TIMEOUT) {
		drep_at(fid, -ETIMEDOUT);
		return;
	}
	if (fid->state != CM_REQ_SENT || fid->peer)
		return;
	if (node->work == WORK_UNREACHABLE) {
		fid->state = CM_DEAD;
		kernel_answer(node_new(fid, RDMA_CM_EVENT_UNREACHABLE, -ETIMEDOUT));
	} else if (!try_req(fid, node->data, node->data_len)) {
		retry_later(fid, node->data, node->data_len);
	}
}

void wire_unasked(struct fake_id *fid, enum rdma_cm_event_type type)
{
	if (type != RDMA_CM_EVENT_DISCONNECTED)
		return;
	if (fid->state != CM_ESTABLISHED && fid->state != CM_REP_SENT)
		return;
	fid->state = CM_DREQ_RCVD;
	if (fid->peer && fid->peer->state == CM_ESTABLISHED)
		fid->peer->state = CM_DREQ_SENT;
}

/* ---- The script's side. */

void fake_remote_accepts(uint16_t port)
{
	fake_lock();
	if (port)
		remote_at[port] = true;
	else
		remote_anywhere = true;
	fake_unlock();
}

static void raise_at(struct fake_id *fid, enum rdma_cm_event_type event, int status)
{
	struct verdict v = { .follow = true, .then = event, .then_status = status };

	if (fid->known)
		kernel_follow(fid, &v, 0);
}

void fake_raise(struct rdma_cm_id *id, enum rdma_cm_event_type event, int status)
{
	fake_lock();
	raise_at(fake_id_of(id), event, status);
	fake_unlock();
}

void fake_raise_all(enum rdma_cm_event_type event, int status)
{
	struct fake_id *fid;

	fake_lock();
	TAILQ_FOREACH(fid, &fake_all_ids, all)
	{
		raise_at(fid, event, status);
	}
	fake_unlock();
}

void wire_reset(void)
{
	struct fake_id *fid;

	while ((fid = TAILQ_FIRST(&fake_all_ids))) {
		TAILQ_REMOVE(&fake_all_ids, fid, all);
		free(fid->id.route.path_rec);
		free(fid);
	}
	for (int port = 0; port < 65536; port++) {
		free(ports[port]);
		ports[port] = NULL;
	}
	memset(remote_at, 0, sizeof remote_at);
	remote_anywhere = false;
	next_port = 0;
	serials = 0;
}
