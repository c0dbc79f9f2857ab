// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * fake_get - reading events, and what librdmacm does in the reading thread before it hands one out.
 *
 * That thread queries the addresses on ADDR_RESOLVED, makes the new id on CONNECT_REQUEST and, for
 * an id with a QP, moves the QP on CONNECT_RESPONSE and sends the RTU: the script's modify_qp_ns is
 * slept here, without the lock.
 */
#include "fake_kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

/* Allocated by the reader, freed by whoever acks: both seen by TSan. */
struct fake_event {
	struct rdma_cm_event event; /* first: what callers hold */
	struct fake_id *owner;
	uint8_t data[REP_DATA];
};

static void take_data(struct fake_event *e, const struct fake_node *node, const struct fake_id *fid)
{
	struct rdma_conn_param *conn = &e->event.param.conn;

	memcpy(e->data, node->data, sizeof e->data);
	conn->private_data_len = node->data_len;
	conn->private_data = node->data_len ? e->data : NULL;
	if (node->type != RDMA_CM_EVENT_CONNECT_REQUEST &&
	    node->type != RDMA_CM_EVENT_CONNECT_RESPONSE)
		return;
	conn->qp_num = fid->peer_qp_num;
	conn->responder_resources = fid->responder_resources;
	conn->initiator_depth = fid->initiator_depth;
	conn->retry_count = conn->rnr_retry_count = 7;
}

/* The new id is as librdmacm makes it: the listener's channel, and the listener's context as it is
 * now. */
static void take_request(struct fake_event *e, struct fake_id *listener, struct fake_id *fid)
{
	e->event.id = &fid->id;
	e->event.listen_id = &listener->id;
	fid->id.context = listener->id.context;
	if (fid->id.channel != listener->id.channel)
		kernel_move(fid, fake_channel_of(listener->id.channel));
	fid->known = true;
	id_on_device(fid);
	id_show_addresses(fid);
	fake_books.ids.made++;
}

static void route_resolved(struct fake_id *fid)
{
	if (fid->id.route.path_rec)
		return;
	fid->id.route.path_rec = calloc(1, sizeof *fid->id.route.path_rec);
	fid->id.route.num_paths = fid->id.route.path_rec != NULL;
}

enum taken { TAKEN, TAKEN_QP_TO_MOVE, NONE_THERE };

static enum taken take(struct rdma_event_channel *channel, struct fake_event *e, bool *new_device)
{
	struct fake_node *node;
	struct fake_id *fid;
	enum taken taken = TAKEN;

	fake_lock();
	node = kernel_pop(fake_channel_of(channel));
	if (!node) {
		fake_unlock();
		return NONE_THERE;
	}
	fid = node->owner;
	e->owner = fid;
	e->event.id = &fid->id;
	e->event.event = node->type;
	e->event.status = node->status;
	take_data(e, node, node->request ? node->request : fid);
	if (node->request) {
		take_request(e, fid, node->request);
	} else if (node->type == RDMA_CM_EVENT_ADDR_RESOLVED) {
		*new_device = !fid->id.verbs;
		id_on_device(fid);
		id_show_addresses(fid);
	} else if (node->type == RDMA_CM_EVENT_ROUTE_RESOLVED) {
		route_resolved(fid);
	} else if (node->type == RDMA_CM_EVENT_CONNECT_RESPONSE && !node->raw && fid->id.qp) {
		taken = TAKEN_QP_TO_MOVE;
	} else if (node->type == RDMA_CM_EVENT_REJECTED) {
		qp_set_state(fid->id.qp, IBV_QPS_ERR);
	}
	free(node);
	fake_unlock();
	return taken;
}

/* ESTABLISHED; or CONNECT_ERROR with status -1 and the cause in errno, and nothing is heard of the
 * connection again. */
static int move_qp(struct fake_event *e)
{
	struct verdict v = script_call(FAKE_MOVE_QP);
	struct fake_id *fid = e->owner;
	int error = v.fail ? v.error : 0;
	bool failed = v.fail;

	fake_sleep(fake_config.modify_qp_ns);
	fake_lock();
	if (!failed) {
		qp_set_state(fid->id.qp, IBV_QPS_RTS);
		error = wire_rtu(fid);
		failed = error;
	}
	if (failed) {
		qp_set_state(fid->id.qp, IBV_QPS_ERR);
		fid->connect_error = true;
	}
	fake_unlock();
	script_linger(&v);
	e->event.event = failed ? RDMA_CM_EVENT_CONNECT_ERROR : RDMA_CM_EVENT_ESTABLISHED;
	e->event.status = failed ? script_fail(error) : script_ok();
	return e->event.status;
}

/* After a CONNECT_ERROR librdmacm swallows what else it hears of the end. */
static bool swallowed(struct fake_event *e)
{
	bool swallow;

	if (e->event.event != RDMA_CM_EVENT_REJECTED &&
	    e->event.event != RDMA_CM_EVENT_DISCONNECTED)
		return false;
	fake_lock();
	swallow = e->owner->connect_error;
	if (swallow)
		kernel_acked(e->owner);
	fake_unlock();
	return swallow;
}

/* Sleeps as ucma does: a signal ends it, unless its handler was installed with SA_RESTART. 0 or
 * EINTR. */
static int sleep_on(struct fake_channel *channel)
{
	uint32_t seen;
	int error = 0;

	fake_lock();
	seen = channel->arrivals;
	channel->sleepers++;
	while (!error && TAILQ_EMPTY(&channel->queue) && seen == channel->arrivals) {
		fake_unlock();
		error = fake_wait(&channel->arrivals, seen, UINT64_MAX);
		fake_lock();
	}
	channel->sleepers--;
	fake_unlock();
	return error;
}

/* 0 or an errno. */
static int next_event(struct rdma_event_channel *channel, struct fake_event *e, void *caller)
{
	bool new_device = false;
	int error;

	for (;;) {
		switch (take(channel, e, &new_device)) {
		case TAKEN_QP_TO_MOVE:
			move_qp(e);
			return 0;
		case TAKEN:
			if (swallowed(e))
				continue;
			if (new_device)
				fake_mark_write(&e->event.id->verbs, caller);
			script_ok();
			return 0;
		case NONE_THERE:
			break;
		}
		if (fcntl(channel->fd, F_GETFL) & O_NONBLOCK)
			return EAGAIN;
		error = sleep_on(fake_channel_of(channel));
		if (error)
			return error;
	}
}

int rdma_get_cm_event(struct rdma_event_channel *channel, struct rdma_cm_event **event)
{
	struct verdict v = script_call(FAKE_RDMA_GET_CM_EVENT);
	struct fake_event *e;
	int error;

	if (v.fail)
		return script_fail(v.error);
	if (!event)
		return script_fail(EINVAL);
	e = calloc(1, sizeof *e);
	if (!e)
		return script_fail(ENOMEM);
	error = next_event(channel, e, CALLER);
	if (error) {
		free(e);
		return script_fail(error);
	}
	fake_lock();
	fake_books.gets++;
	fake_unlock();
	*event = &e->event;
	return 0;
}

int rdma_ack_cm_event(struct rdma_cm_event *event)
{
	struct fake_event *e = (struct fake_event *)event;

	if (!event)
		return script_fail(EINVAL);
	fake_mark_release(&e->owner->life);
	fake_lock();
	kernel_acked(e->owner);
	fake_books.acks++;
	fake_unlock();
	free(e);
	return script_ok();
}

#define NAME(event)                                                                                \
	case event:                                                                                \
		return #event

const char *rdma_event_str(enum rdma_cm_event_type event)
{
	switch (event) {
		NAME(RDMA_CM_EVENT_ADDR_RESOLVED);
		NAME(RDMA_CM_EVENT_ADDR_ERROR);
		NAME(RDMA_CM_EVENT_ROUTE_RESOLVED);
		NAME(RDMA_CM_EVENT_ROUTE_ERROR);
		NAME(RDMA_CM_EVENT_CONNECT_REQUEST);
		NAME(RDMA_CM_EVENT_CONNECT_RESPONSE);
		NAME(RDMA_CM_EVENT_CONNECT_ERROR);
		NAME(RDMA_CM_EVENT_UNREACHABLE);
		NAME(RDMA_CM_EVENT_REJECTED);
		NAME(RDMA_CM_EVENT_ESTABLISHED);
		NAME(RDMA_CM_EVENT_DISCONNECTED);
		NAME(RDMA_CM_EVENT_DEVICE_REMOVAL);
		NAME(RDMA_CM_EVENT_MULTICAST_JOIN);
		NAME(RDMA_CM_EVENT_MULTICAST_ERROR);
		NAME(RDMA_CM_EVENT_ADDR_CHANGE);
		NAME(RDMA_CM_EVENT_TIMEWAIT_EXIT);
	}
	return "UNKNOWN EVENT";
}
