// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * fake_cm - the calls of librdmacm that act on a channel or an id.
 *
 * Each asks the script, does its work under the lock, and, where librdmacm does, looks at its id
 * again after its "system call": an id that a reader destroyed on the event is then touched after
 * its end.
 */
#include "fake_kernel.h"

#include "host/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

static uint32_t acks; /* counted up by every ack that somebody waits for */
static uint32_t ack_waiters;

/* Every call reads its id and rdma_destroy_id() writes it: TSan compares them, AddressSanitizer
 * knows the dead. */
static struct fake_id *id_used(struct rdma_cm_id *id, void *caller, const char *by)
{
	struct fake_id *fid = fake_id_of(id);

	fake_mark_read(&fid->life, caller);
	if (fid->life != ID_ALIVE)
		fake_panic("%s on an id that was destroyed", by);
	return fid;
}

/* Where librdmacm reads id->qp, which rdma_create_qp() and rdma_destroy_qp() write. */
static struct ibv_qp *qp_used(struct fake_id *fid, void *caller)
{
	fake_mark_read(&fid->id.qp, caller);
	return fid->id.qp;
}

static int finish(struct fake_id *fid, const struct verdict *v, void *caller, const char *by)
{
	script_linger(v);
	id_used(&fid->id, caller, by);
	return script_ok();
}

static socklen_t addr_len(const struct sockaddr *addr)
{
	if (!addr)
		return 0;
	if (addr->sa_family == AF_INET)
		return sizeof(struct sockaddr_in);
	return addr->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6) : 0;
}

/* ---- Channels and ids. */

struct rdma_event_channel *rdma_create_event_channel(void)
{
	struct verdict v = script_call(FAKE_RDMA_CREATE_EVENT_CHANNEL);
	struct fake_channel *channel;

	if (v.fail || fake_config.no_device) {
		script_fail(v.fail ? v.error : ENODEV);
		return NULL;
	}
	channel = calloc(1, sizeof *channel);
	if (!channel)
		return NULL;
	channel->channel.fd = (int)syscall(SYS_eventfd2, 0, EFD_CLOEXEC);
	if (channel->channel.fd < 0) {
		free(channel);
		return NULL;
	}
	fake_lock();
	kernel_add(channel);
	fake_books.channels.made++;
	fake_unlock();
	script_ok();
	return &channel->channel;
}

void rdma_destroy_event_channel(struct rdma_event_channel *channel)
{
	struct fake_channel *c = fake_channel_of(channel);

	fake_lock();
	fake_books.channels.freed++;
	if (c->ids) {
		fake_fault("rdma_destroy_event_channel() with %u ids on it", c->ids);
		fake_unlock();
		return;
	}
	kernel_remove(c);
	fake_unlock();
	free(c);
	script_ok();
}

int rdma_create_id(struct rdma_event_channel *channel, struct rdma_cm_id **id, void *context,
		   enum rdma_port_space ps)
{
	struct verdict v = script_call(FAKE_RDMA_CREATE_ID);
	struct fake_id *fid;

	if (v.fail)
		return script_fail(v.error);
	fake_lock();
	if (!channel)
		fake_fault("rdma_create_id() without a channel: synchronous ids are not modelled");
	fid = channel ? id_new(fake_channel_of(channel), context, ps) : NULL;
	if (fid) {
		fid->known = true;
		fake_books.ids.made++;
	}
	fake_unlock();
	if (!fid)
		return script_fail(ENOMEM);
	*id = &fid->id;
	return script_ok();
}

/* Waits, with the lock let go meanwhile, until every event read is acked. */
static void wait_for_acks(struct fake_id *fid)
{
	uint64_t deadline_ns = clock_deadline_ns(fake_config.panic_ns);

	while (fid->acked != fid->reported) {
		uint64_t now_ns = clock_now_ns();
		uint32_t seen = acks;

		if (now_ns >= deadline_ns)
			fake_panic("destroy blocks: %u unacked events", fid->reported - fid->acked);
		ack_waiters++;
		fake_unlock();
		fake_wait(&acks, seen, deadline_ns - now_ns);
		fake_lock();
		ack_waiters--;
	}
}

void kernel_acked(struct fake_id *fid)
{
	fid->acked++;
	if (ack_waiters)
		fake_wake(&acks);
}

int rdma_destroy_id(struct rdma_cm_id *id)
{
	struct verdict v = script_call(FAKE_RDMA_DESTROY_ID);
	struct fake_id *fid = id_used(id, CALLER, "rdma_destroy_id()");

	if (v.fail)
		return script_fail(v.error);
	fake_lock();
	wire_destroy(fid);
	wait_for_acks(fid);
	if (fid->id.qp)
		fake_fault("rdma_destroy_id() before rdma_destroy_qp(): the QP leaks");
	id_forget(fid);
	fake_books.ids.freed++;
	fake_unlock();
	fake_mark_acquire(&fid->life); /* the acks: librdmacm, too, orders them before this */
	fake_mark_write(&fid->life, CALLER);
	fid->life = ID_DEAD;
	free(fid->id.route.path_rec);
	free(fid);
	return script_ok();
}

int rdma_migrate_id(struct rdma_cm_id *id, struct rdma_event_channel *channel)
{
	struct verdict v = script_call(FAKE_RDMA_MIGRATE_ID);
	struct fake_id *fid = id_used(id, CALLER, "rdma_migrate_id()");

	if (v.fail)
		return script_fail(v.error);
	if (!channel)
		return script_fail(EINVAL);
	fake_lock();
	kernel_move(fid, fake_channel_of(channel));
	wait_for_acks(fid);
	fake_unlock();
	return script_ok();
}

int rdma_set_option(struct rdma_cm_id *id, int level, int optname, void *optval, size_t optlen)
{
	struct verdict v = script_call(FAKE_RDMA_SET_OPTION);
	struct fake_id *fid = id_used(id, CALLER, "rdma_set_option()");
	bool wide = optname == RDMA_OPTION_ID_REUSEADDR || optname == RDMA_OPTION_ID_AFONLY;

	if (v.fail)
		return script_fail(v.error);
	if (level != RDMA_OPTION_ID || optname > RDMA_OPTION_ID_ACK_TIMEOUT)
		return script_fail(ENOSYS);
	if (optlen != (wide ? sizeof(int) : sizeof(uint8_t)))
		return script_fail(EINVAL);
	fake_lock();
	if (optname == RDMA_OPTION_ID_REUSEADDR)
		fid->reuseaddr = *(int *)optval;
	fake_unlock();
	return script_ok();
}

/* ---- Addresses. */

void id_on_device(struct fake_id *fid)
{
	verbs_refresh();
	fid->id.verbs = fake_context;
	fid->id.port_num = 1;
	fid->id.pd = fake_default_pd();
}

void id_show_addresses(struct fake_id *fid)
{
	fid->id.route.addr.src_storage = fid->src;
	fid->id.route.addr.dst_storage = fid->dst;
}

int rdma_bind_addr(struct rdma_cm_id *id, struct sockaddr *addr)
{
	struct verdict v = script_call(FAKE_RDMA_BIND_ADDR);
	struct fake_id *fid = id_used(id, CALLER, "rdma_bind_addr()");
	int error;

	if (v.fail)
		return script_fail(v.error);
	if (!addr_len(addr))
		return script_fail(EINVAL);
	fake_lock();
	error = fid->state == CM_IDLE ? port_bind(fid, addr) : EINVAL;
	if (!error) {
		id_show_addresses(fid);
		if (!address_is_any(addr))
			id_on_device(fid);
	}
	fake_unlock();
	if (error)
		return script_fail(error);
	if (!address_is_any(addr))
		fake_mark_write(&fid->id.verbs, CALLER);
	return script_ok();
}

/* The state that an answer leaves behind, when it is the script's. */
static void state_after(struct fake_id *fid, enum rdma_cm_event_type event)
{
	switch (event) {
	case RDMA_CM_EVENT_ROUTE_ERROR:
		fid->state = CM_ADDR_RESOLVED;
		break;
	case RDMA_CM_EVENT_REJECTED:
	case RDMA_CM_EVENT_UNREACHABLE:
	case RDMA_CM_EVENT_CONNECT_ERROR:
		fid->state = CM_DEAD;
		break;
	case RDMA_CM_EVENT_ESTABLISHED:
		fid->state = CM_ESTABLISHED;
		break;
	case RDMA_CM_EVENT_DISCONNECTED:
		fid->state = CM_TIMEWAIT;
		break;
	default:
		break;
	}
}

/* True: the script answers, with another event or with none. Else it may still delay what comes. */
static bool script_answers(struct fake_id *fid, const struct verdict *v)
{
	struct verdict late = { .late_ns = v->late_ns };
	struct fake_node *node;

	kernel_asked(fid);
	if (!v->drop && !v->replace) {
		fid->answer = *v;
		return false;
	}
	if (v->replace) {
		node = node_new(fid, v->by, v->by_status);
		node->raw = true;
		if (v->by == RDMA_CM_EVENT_REJECTED)
			node_data(node, NULL, 0, REJ_DATA);
		state_after(fid, v->by);
		fid->answer = late;
		kernel_answer(node);
	}
	return true;
}

/* Not bound: a source port that others may have, too. */
static void src_by_dst(struct fake_id *fid, const struct sockaddr *dst)
{
	uint16_t port = fid->state == CM_IDLE ? port_shared() : ntohs(address_port(&fid->src));
	struct sockaddr_storage src = { 0 };

	if (fid->src.ss_family && !address_is_any((struct sockaddr *)&fid->src))
		return;
	memcpy(&src, dst, addr_len(dst));
	((struct sockaddr_in *)&src)->sin_port = htons(port);
	fid->src = src;
}

int rdma_resolve_addr(struct rdma_cm_id *id, struct sockaddr *src_addr, struct sockaddr *dst_addr,
		      int timeout_ms)
{
	struct verdict v = script_call(FAKE_RDMA_RESOLVE_ADDR);
	struct fake_id *fid = id_used(id, CALLER, "rdma_resolve_addr()");
	int error = 0;

	if (!addr_len(dst_addr) || (src_addr && !addr_len(src_addr)))
		return script_fail(EINVAL);
	fake_lock();
	script_record_try(fid, src_addr, dst_addr, timeout_ms);
	if (!v.fail && fid->state == CM_IDLE && src_addr)
		error = port_bind(fid, src_addr);
	if (!v.fail && !error && fid->state > CM_BOUND)
		error = EINVAL;
	if (!v.fail && !error) {
		src_by_dst(fid, dst_addr);
		fid->state = CM_BOUND;
		memcpy(&fid->dst, dst_addr, addr_len(dst_addr));
		if (!script_answers(fid, &v)) {
			if (!fake_config.no_device)
				fid->state = CM_ADDR_RESOLVED;
			kernel_answer(fake_config.no_device
					      ? node_new(fid, RDMA_CM_EVENT_ADDR_ERROR, -ENODEV)
					      : node_new(fid, RDMA_CM_EVENT_ADDR_RESOLVED, 0));
		}
	}
	fake_unlock();
	if (v.fail || error)
		return script_fail(v.fail ? v.error : error);
	script_linger(&v);
	id_used(id, CALLER, "rdma_resolve_addr()");
	memcpy(&id->route.addr.dst_storage, dst_addr, addr_len(dst_addr));
	return script_ok();
}

int rdma_resolve_route(struct rdma_cm_id *id, int timeout_ms)
{
	struct verdict v = script_call(FAKE_RDMA_RESOLVE_ROUTE);
	struct fake_id *fid = id_used(id, CALLER, "rdma_resolve_route()");
	int error = 0;

	(void)timeout_ms;
	if (v.fail)
		return script_fail(v.error);
	fake_mark_read(&id->verbs, CALLER);
	fake_lock();
	if (fid->state != CM_ADDR_RESOLVED)
		error = EINVAL;
	else if (!script_answers(fid, &v)) {
		fid->state = CM_ROUTE_RESOLVED;
		kernel_answer(node_new(fid, RDMA_CM_EVENT_ROUTE_RESOLVED, 0));
	}
	fake_unlock();
	return error ? script_fail(error) : finish(fid, &v, CALLER, "rdma_resolve_route()");
}

/* ---- Connections. */

int rdma_listen(struct rdma_cm_id *id, int backlog)
{
	static const struct sockaddr_in any = { .sin_family = AF_INET };
	struct verdict v = script_call(FAKE_RDMA_LISTEN);
	struct fake_id *fid = id_used(id, CALLER, "rdma_listen()");
	int error = 0;

	if (v.fail)
		return script_fail(v.error);
	fake_lock();
	if (fid->state == CM_IDLE)
		error = port_bind(fid, (const struct sockaddr *)&any);
	if (!error)
		error = fid->state == CM_BOUND ? port_listen(fid) : EINVAL;
	if (!error) {
		fid->side = FAKE_SERVER;
		fid->accepted = true;
		fid->backlog = backlog > 0 && backlog < fake_config.max_backlog
				       ? backlog
				       : fake_config.max_backlog;
		id_show_addresses(fid);
	}
	fake_unlock();
	return error ? script_fail(error) : script_ok();
}

static bool params_are_valid(const struct fake_id *fid, const struct rdma_conn_param *param,
			     uint8_t max_data)
{
	if (!param)
		return fid->id.qp;
	if (param->private_data && param->private_data_len > max_data)
		return false;
	return (param->responder_resources == RDMA_MAX_RESP_RES ||
		param->responder_resources <= 128) &&
	       (param->initiator_depth == RDMA_MAX_INIT_DEPTH || param->initiator_depth <= 128);
}

static void take_params(struct fake_id *fid, const struct rdma_conn_param *param)
{
	fid->qp_num = fid->id.qp ? fid->id.qp->qp_num : param->qp_num;
	fid->responder_resources = param ? param->responder_resources : 128;
	fid->initiator_depth = param ? param->initiator_depth : 128;
}

int rdma_connect(struct rdma_cm_id *id, struct rdma_conn_param *conn_param)
{
	struct verdict v = script_call(FAKE_RDMA_CONNECT);
	struct fake_id *fid = id_used(id, CALLER, "rdma_connect()");
	const void *data = conn_param ? conn_param->private_data : NULL;
	uint8_t len = data ? conn_param->private_data_len : 0;
	int error = 0;

	qp_used(fid, CALLER);
	if (v.fail)
		return script_fail(v.error);
	fake_lock();
	if (fid->state != CM_ROUTE_RESOLVED || !params_are_valid(fid, conn_param, REQ_DATA))
		error = EINVAL;
	if (!error) {
		take_params(fid, conn_param);
		fid->state = CM_REQ_SENT;
		if (!script_answers(fid, &v))
			wire_req(fid, data, len);
	}
	fake_unlock();
	return error ? script_fail(error) : finish(fid, &v, CALLER, "rdma_connect()");
}

int rdma_accept(struct rdma_cm_id *id, struct rdma_conn_param *conn_param)
{
	struct verdict v = script_call(FAKE_RDMA_ACCEPT);
	struct fake_id *fid = id_used(id, CALLER, "rdma_accept()");
	const void *data = conn_param ? conn_param->private_data : NULL;
	uint8_t len = data ? conn_param->private_data_len : 0;
	struct ibv_qp *qp = qp_used(fid, CALLER);
	int error = 0;

	if (v.fail)
		return script_fail(v.error);
	fake_lock();
	if (!params_are_valid(fid, conn_param, REP_DATA))
		error = EINVAL;
	if (!error) {
		take_params(fid, conn_param);
		qp_set_state(qp, IBV_QPS_RTS);
		fid->answer = v;
		error = wire_rep(fid, data, len);
	}
	if (error)
		qp_set_state(qp, IBV_QPS_ERR);
	fake_unlock();
	return error ? script_fail(error) : finish(fid, &v, CALLER, "rdma_accept()");
}

int rdma_reject(struct rdma_cm_id *id, const void *private_data, uint8_t private_data_len)
{
	struct verdict v = script_call(FAKE_RDMA_REJECT);
	struct fake_id *fid = id_used(id, CALLER, "rdma_reject()");
	int error;

	if (v.fail)
		return script_fail(v.error);
	if (private_data_len > REJ_DATA)
		return script_fail(EINVAL);
	fake_lock();
	error = wire_rej(fid, private_data, private_data ? private_data_len : 0);
	fake_unlock();
	return error ? script_fail(error) : script_ok();
}

int rdma_establish(struct rdma_cm_id *id)
{
	struct verdict v = script_call(FAKE_RDMA_ESTABLISH);
	struct fake_id *fid = id_used(id, CALLER, "rdma_establish()");
	int error;

	if (v.fail)
		return script_fail(v.error);
	if (qp_used(fid, CALLER))
		return script_fail(EINVAL);
	fake_lock();
	error = wire_rtu(fid);
	fake_unlock();
	return error ? script_fail(error) : script_ok();
}

int rdma_disconnect(struct rdma_cm_id *id)
{
	struct verdict v = script_call(FAKE_RDMA_DISCONNECT);
	struct fake_id *fid = id_used(id, CALLER, "rdma_disconnect()");
	struct ibv_qp *qp = qp_used(fid, CALLER);
	int error = 0;

	if (v.fail)
		return script_fail(v.error);
	fake_lock();
	if (!fid->id.verbs)
		error = EINVAL;
	qp_set_state(qp, IBV_QPS_ERR);
	if (!error && (fid->state != CM_ESTABLISHED || !script_answers(fid, &v)))
		error = wire_disconnect(fid);
	fake_unlock();
	return error ? script_fail(error) : finish(fid, &v, CALLER, "rdma_disconnect()");
}

/* ---- An id's QP. */

/* As librdmacm does without CQs from the caller: one for each queue that has work. */
static int own_cqs(struct fake_id *fid, struct ibv_qp_init_attr *attr)
{
	if (!attr->send_cq && attr->cap.max_send_wr)
		attr->send_cq = fid->id.send_cq =
			ibv_create_cq(fid->id.verbs, (int)attr->cap.max_send_wr, fid, NULL, 0);
	if (!attr->recv_cq && attr->cap.max_recv_wr)
		attr->recv_cq = fid->id.recv_cq =
			ibv_create_cq(fid->id.verbs, (int)attr->cap.max_recv_wr, fid, NULL, 0);
	return (attr->cap.max_send_wr && !attr->send_cq) ||
	       (attr->cap.max_recv_wr && !attr->recv_cq);
}

static void drop_own_cqs(struct fake_id *fid)
{
	if (fid->id.send_cq)
		ibv_destroy_cq(fid->id.send_cq);
	if (fid->id.recv_cq)
		ibv_destroy_cq(fid->id.recv_cq);
	fid->id.send_cq = fid->id.recv_cq = NULL;
}

int rdma_create_qp(struct rdma_cm_id *id, struct ibv_pd *pd, struct ibv_qp_init_attr *qp_init_attr)
{
	struct verdict v = script_call(FAKE_RDMA_CREATE_QP);
	struct fake_id *fid = id_used(id, CALLER, "rdma_create_qp()");
	struct ibv_qp *qp;

	if (v.fail)
		return script_fail(v.error);
	fake_mark_read(&id->verbs, CALLER);
	if (id->qp || !id->verbs || (pd && pd->context != id->verbs))
		return script_fail(EINVAL);
	qp = own_cqs(fid, qp_init_attr) ? NULL : qp_new(pd ? pd : id->pd, qp_init_attr);
	if (!qp) {
		int error = errno;

		drop_own_cqs(fid);
		return script_fail(error);
	}
	fake_mark_write(&id->qp, CALLER);
	qp_set_state(qp, IBV_QPS_INIT);
	fake_lock();
	id->pd = qp->pd;
	id->qp = qp;
	fake_unlock();
	return script_ok();
}

void rdma_destroy_qp(struct rdma_cm_id *id)
{
	struct fake_id *fid = id_used(id, CALLER, "rdma_destroy_qp()");
	struct ibv_qp *qp = id->qp;

	fake_mark_write(&id->qp, CALLER);
	fake_lock();
	id->qp = NULL;
	fake_unlock();
	if (!qp)
		fake_panic("rdma_destroy_qp() of no QP");
	ibv_destroy_qp(qp);
	drop_own_cqs(fid);
	script_ok();
}

/* ---- Looking. */

__be16 rdma_get_src_port(struct rdma_cm_id *id)
{
	return address_port(&id->route.addr.src_storage);
}

__be16 rdma_get_dst_port(struct rdma_cm_id *id)
{
	return address_port(&id->route.addr.dst_storage);
}
