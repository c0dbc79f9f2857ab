// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * fake_verbs - one device, "fake0", and the calls of libibverbs: PDs, CQs, QPs and their limits,
 * ports and GIDs.
 *
 * Objects in use are not freed (EBUSY), as the kernel has it. ibv_modify_qp() takes RESET, INIT,
 * RTR, RTS in order.
 */
#include "fake_kernel.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct fake_pd {
	struct ibv_pd pd;
	int users;
	TAILQ_ENTRY(fake_pd) all;
};

struct fake_cq {
	struct ibv_cq cq;
	int users;
	TAILQ_ENTRY(fake_cq) all;
};

struct fake_qp {
	struct ibv_qp qp;
	TAILQ_ENTRY(fake_qp) all;
};

static TAILQ_HEAD(, fake_pd) pds = TAILQ_HEAD_INITIALIZER(pds);
static TAILQ_HEAD(, fake_cq) cqs = TAILQ_HEAD_INITIALIZER(cqs);
static TAILQ_HEAD(, fake_qp) qps = TAILQ_HEAD_INITIALIZER(qps);
static uint32_t last_qp_num = 16;

static int query_port(struct ibv_context *context, uint8_t port_num, struct ibv_port_attr *attr,
		      size_t len);
static int poll_cq(struct ibv_cq *cq, int num_entries, struct ibv_wc *wc);

static struct ibv_device device = {
	.node_type = IBV_NODE_CA,
	.transport_type = IBV_TRANSPORT_IB,
	.name = "fake0",
	.dev_name = "uverbs0",
	.dev_path = "/sys/class/infiniband_verbs/uverbs0",
	.ibdev_path = "/sys/class/infiniband/fake0",
};

static struct verbs_context verbs = {
	.query_port = query_port,
	.sz = sizeof(struct verbs_context),
	.context = {
		.device = &device,
		.ops = { .poll_cq = poll_cq },
		.cmd_fd = -1,
		.async_fd = -1,
		.num_comp_vectors = 1,
		.mutex = PTHREAD_MUTEX_INITIALIZER,
		.abi_compat = __VERBS_ABI_IS_EXTENDED,
	},
};
struct ibv_context *const fake_context = &verbs.context;

/* librdmacm's own, for callers that bring none: not counted. */
static struct fake_pd default_pd = { .pd.context = &verbs.context };

struct ibv_pd *fake_default_pd(void)
{
	return &default_pd.pd;
}

void verbs_refresh(void)
{
	device.transport_type = fake_config.transport;
	device.node_type =
		fake_config.transport == IBV_TRANSPORT_IWARP ? IBV_NODE_RNIC : IBV_NODE_CA;
}

static bool full(struct fake_pair pair, int max)
{
	return pair.made - pair.freed >= (uint32_t)max;
}

/* ---- PDs and CQs. */

struct ibv_pd *ibv_alloc_pd(struct ibv_context *context)
{
	struct verdict v = script_call(FAKE_IBV_ALLOC_PD);
	struct fake_pd *pd = NULL;

	if (v.fail) {
		script_fail(v.error);
		return NULL;
	}
	fake_lock();
	if (!full(fake_books.pds, fake_config.max_pd))
		pd = calloc(1, sizeof *pd);
	if (pd) {
		pd->pd.context = context;
		TAILQ_INSERT_TAIL(&pds, pd, all);
		fake_books.pds.made++;
	}
	fake_unlock();
	if (!pd) {
		script_fail(ENOMEM);
		return NULL;
	}
	script_ok();
	return &pd->pd;
}

int ibv_dealloc_pd(struct ibv_pd *pd)
{
	struct fake_pd *p = (struct fake_pd *)pd;

	fake_lock();
	if (p->users) {
		fake_fault("ibv_dealloc_pd() with %d QPs on it", p->users);
		fake_unlock();
		return EBUSY;
	}
	TAILQ_REMOVE(&pds, p, all);
	fake_books.pds.freed++;
	fake_unlock();
	free(p);
	return script_ok();
}

struct ibv_cq *ibv_create_cq(struct ibv_context *context, int cqe, void *cq_context,
			     struct ibv_comp_channel *channel, int comp_vector)
{
	struct verdict v = script_call(FAKE_IBV_CREATE_CQ);
	struct fake_cq *cq = NULL;
	int error = 0;

	if (v.fail) {
		script_fail(v.error);
		return NULL;
	}
	fake_lock();
	if (cqe < 1 || cqe > fake_config.max_cqe || comp_vector >= context->num_comp_vectors)
		error = EINVAL;
	else if (full(fake_books.cqs, fake_config.max_cq) || !(cq = calloc(1, sizeof *cq)))
		error = ENOMEM;
	if (cq) {
		cq->cq.context = context;
		cq->cq.channel = channel;
		cq->cq.cq_context = cq_context;
		cq->cq.cqe = cqe;
		TAILQ_INSERT_TAIL(&cqs, cq, all);
		fake_books.cqs.made++;
	}
	fake_unlock();
	if (error) {
		script_fail(error);
		return NULL;
	}
	script_ok();
	return &cq->cq;
}

int ibv_destroy_cq(struct ibv_cq *cq)
{
	struct fake_cq *c = (struct fake_cq *)cq;

	fake_lock();
	if (c->users) {
		fake_fault("ibv_destroy_cq() with %d queues on it", c->users);
		fake_unlock();
		return EBUSY;
	}
	TAILQ_REMOVE(&cqs, c, all);
	fake_books.cqs.freed++;
	fake_unlock();
	free(c);
	return script_ok();
}

static int poll_cq(struct ibv_cq *cq, int num_entries, struct ibv_wc *wc)
{
	(void)cq;
	(void)num_entries;
	(void)wc;
	return 0;
}

/* ---- QPs. */

static int qp_fault(struct ibv_pd *pd, const struct ibv_qp_init_attr *attr)
{
	if (!pd || !attr->send_cq || !attr->recv_cq)
		return EINVAL;
	if (attr->cap.max_send_wr > (uint32_t)fake_config.max_qp_wr ||
	    attr->cap.max_recv_wr > (uint32_t)fake_config.max_qp_wr)
		return EINVAL;
	return full(fake_books.qps, fake_config.max_qp) ? ENOMEM : 0;
}

static void qp_uses(const struct ibv_qp *qp, int step)
{
	((struct fake_pd *)qp->pd)->users += step;
	((struct fake_cq *)qp->send_cq)->users += step;
	((struct fake_cq *)qp->recv_cq)->users += step;
}

struct ibv_qp *qp_new(struct ibv_pd *pd, struct ibv_qp_init_attr *attr)
{
	struct fake_qp *qp = NULL;
	int error;

	fake_lock();
	error = qp_fault(pd, attr);
	if (!error && !(qp = calloc(1, sizeof *qp)))
		error = ENOMEM;
	if (qp) {
		qp->qp.context = pd->context;
		qp->qp.qp_context = attr->qp_context;
		qp->qp.pd = pd;
		qp->qp.send_cq = attr->send_cq;
		qp->qp.recv_cq = attr->recv_cq;
		qp->qp.srq = attr->srq;
		qp->qp.qp_type = attr->qp_type;
		qp->qp.qp_num = ++last_qp_num & 0xffffff;
		qp->qp.state = IBV_QPS_RESET;
		qp_uses(&qp->qp, 1);
		TAILQ_INSERT_TAIL(&qps, qp, all);
		fake_books.qps.made++;
	}
	fake_unlock();
	if (error) {
		script_fail(error);
		return NULL;
	}
	return &qp->qp;
}

struct ibv_qp *ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *qp_init_attr)
{
	struct verdict v = script_call(FAKE_IBV_CREATE_QP);
	struct ibv_qp *qp;

	if (v.fail) {
		script_fail(v.error);
		return NULL;
	}
	qp = qp_new(pd, qp_init_attr);
	if (qp)
		script_ok();
	return qp;
}

void qp_set_state(struct ibv_qp *qp, enum ibv_qp_state state)
{
	if (qp)
		qp->state = state;
}

static bool may_follow(enum ibv_qp_state now, enum ibv_qp_state next)
{
	switch (next) {
	case IBV_QPS_RESET:
	case IBV_QPS_ERR:
		return true;
	case IBV_QPS_INIT:
		return now == IBV_QPS_RESET || now == IBV_QPS_INIT;
	case IBV_QPS_RTR:
		return now == IBV_QPS_INIT;
	case IBV_QPS_RTS:
		return now == IBV_QPS_RTR || now == IBV_QPS_RTS;
	default:
		return now == IBV_QPS_RTS;
	}
}

int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int attr_mask)
{
	struct verdict v = script_call(FAKE_IBV_MODIFY_QP);
	bool good;

	if (v.fail)
		return v.error;
	if (!(attr_mask & IBV_QP_STATE))
		return script_ok();
	fake_lock();
	good = may_follow(qp->state, attr->qp_state);
	if (good)
		qp->state = attr->qp_state;
	fake_unlock();
	return good ? script_ok() : EINVAL;
}

int ibv_destroy_qp(struct ibv_qp *qp)
{
	struct fake_qp *q = (struct fake_qp *)qp;

	fake_lock();
	qp_uses(qp, -1);
	TAILQ_REMOVE(&qps, q, all);
	fake_books.qps.freed++;
	fake_unlock();
	free(q);
	return script_ok();
}

static void attr_for_rtr(struct fake_id *fid, struct ibv_qp_attr *attr, int *mask)
{
	attr->path_mtu = IBV_MTU_1024;
	attr->dest_qp_num = fid->peer_qp_num;
	attr->max_dest_rd_atomic = 1;
	attr->ah_attr.port_num = 1;
	attr->ah_attr.is_global = 1;
	*mask = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
		IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
}

static void attr_for_rts(struct ibv_qp_attr *attr, int *mask)
{
	attr->timeout = 18;
	attr->retry_cnt = attr->rnr_retry = 7;
	attr->max_rd_atomic = 1;
	*mask = IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
		IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC;
}

int rdma_init_qp_attr(struct rdma_cm_id *id, struct ibv_qp_attr *qp_attr, int *qp_attr_mask)
{
	struct verdict v = script_call(FAKE_RDMA_INIT_QP_ATTR);
	struct fake_id *fid = fake_id_of(id);
	enum ibv_qp_state to = qp_attr->qp_state;
	int error = 0;

	if (v.fail)
		return script_fail(v.error);
	fake_mark_read(&fid->life, CALLER);
	memset(qp_attr, 0, sizeof *qp_attr);
	qp_attr->qp_state = to;
	fake_lock();
	if (to == IBV_QPS_INIT && id->verbs) {
		qp_attr->port_num = 1;
		*qp_attr_mask =
			IBV_QP_STATE | IBV_QP_ACCESS_FLAGS | IBV_QP_PKEY_INDEX | IBV_QP_PORT;
	} else if (to == IBV_QPS_RTR && fid->state >= CM_REQ_RCVD) {
		attr_for_rtr(fid, qp_attr, qp_attr_mask);
	} else if (to == IBV_QPS_RTS && fid->state >= CM_REQ_RCVD) {
		attr_for_rts(qp_attr, qp_attr_mask);
	} else {
		error = EINVAL;
	}
	fake_unlock();
	return error ? script_fail(error) : script_ok();
}

/* ---- The device. */

int ibv_query_device(struct ibv_context *context, struct ibv_device_attr *device_attr)
{
	struct verdict v = script_call(FAKE_IBV_QUERY_DEVICE);

	(void)context;
	if (v.fail)
		return v.error;
	memset(device_attr, 0, sizeof *device_attr);
	strcpy(device_attr->fw_ver, "1.2.3");
	device_attr->node_guid = device_attr->sys_image_guid = ibv_get_device_guid(&device);
	device_attr->max_qp = fake_config.max_qp;
	device_attr->max_qp_wr = fake_config.max_qp_wr;
	device_attr->max_sge = 16;
	device_attr->max_cq = fake_config.max_cq;
	device_attr->max_cqe = fake_config.max_cqe;
	device_attr->max_pd = fake_config.max_pd;
	device_attr->max_qp_rd_atom = device_attr->max_qp_init_rd_atom = 128;
	device_attr->phys_port_cnt = 1;
	return script_ok();
}

static int query_port(struct ibv_context *context, uint8_t port_num, struct ibv_port_attr *attr,
		      size_t len)
{
	struct verdict v = script_call(FAKE_IBV_QUERY_PORT);

	(void)context;
	if (v.fail)
		return v.error;
	if (port_num != 1)
		return EINVAL;
	memset(attr, 0, len);
	attr->state = IBV_PORT_ACTIVE;
	attr->max_mtu = IBV_MTU_4096;
	attr->active_mtu = IBV_MTU_1024;
	attr->gid_tbl_len = 2;
	attr->pkey_tbl_len = 1;
	attr->active_width = 1;
	attr->active_speed = 1;
	attr->phys_state = 5;
	attr->link_layer = fake_config.link_layer;
	return script_ok();
}

/* What the header's inline of that name falls back to. */
#undef ibv_query_port
int ibv_query_port(struct ibv_context *context, uint8_t port_num,
		   struct _compat_ibv_port_attr *port_attr)
{
	return query_port(context, port_num, (struct ibv_port_attr *)port_attr,
			  offsetof(struct ibv_port_attr, port_cap_flags2));
}

/* 0: link-local; 1: 10.0.0.1, mapped. */
static int gid_at(uint32_t index, union ibv_gid *gid)
{
	static const uint8_t table[2][16] = { { 0xfe, 0x80, [8] = 0x02, [15] = 0x01 },
					      { [10] = 0xff, 0xff, 10, 0, 0, 1 } };

	if (index > 1)
		return EINVAL;
	memcpy(gid->raw, table[index], sizeof gid->raw);
	return 0;
}

int ibv_query_gid(struct ibv_context *context, uint8_t port_num, int index, union ibv_gid *gid)
{
	struct verdict v = script_call(FAKE_IBV_QUERY_GID);

	(void)context;
	if (v.fail)
		return script_fail(v.error);
	if (port_num != 1 || gid_at((uint32_t)index, gid))
		return script_fail(EINVAL);
	return script_ok();
}

int _ibv_query_gid_ex(struct ibv_context *context, uint32_t port_num, uint32_t gid_index,
		      struct ibv_gid_entry *entry, uint32_t flags, size_t entry_size)
{
	struct verdict v = script_call(FAKE_IBV_QUERY_GID);

	(void)context;
	(void)flags;
	if (v.fail)
		return v.error;
	if (port_num != 1 || gid_index > 1)
		return EINVAL;
	memset(entry, 0, entry_size);
	gid_at(gid_index, &entry->gid);
	entry->gid_index = gid_index;
	entry->port_num = port_num;
	entry->gid_type = fake_config.link_layer == IBV_LINK_LAYER_ETHERNET ? IBV_GID_TYPE_ROCE_V2
									    : IBV_GID_TYPE_IB;
	entry->ndev_ifindex = 1;
	return script_ok();
}

const char *ibv_get_device_name(struct ibv_device *d)
{
	return d->name;
}

__be64 ibv_get_device_guid(struct ibv_device *d)
{
	(void)d;
	return htobe64(UINT64_C(0x0200000000000001));
}

struct ibv_context **rdma_get_devices(int *num_devices)
{
	struct ibv_context **list = calloc(2, sizeof *list);

	if (list && !fake_config.no_device)
		list[0] = fake_context;
	if (num_devices)
		*num_devices = list && list[0];
	return list;
}

void rdma_free_devices(struct ibv_context **list)
{
	free(list);
}

const char *ibv_node_type_str(enum ibv_node_type node_type)
{
	return node_type == IBV_NODE_RNIC ? "iWARP NIC"
	       : node_type == IBV_NODE_CA ? "InfiniBand channel adapter"
					  : "unknown";
}

const char *ibv_event_type_str(enum ibv_event_type event)
{
	return event == IBV_EVENT_DEVICE_FATAL ? "local catastrophic error" : "unknown";
}

const char *ibv_port_state_str(enum ibv_port_state port_state)
{
	return port_state == IBV_PORT_ACTIVE ? "active" : "invalid state";
}

#define FREE_ALL(list)                                                                             \
	while (!TAILQ_EMPTY(&(list))) {                                                            \
		void *first = TAILQ_FIRST(&(list));                                                \
		TAILQ_REMOVE(&(list), TAILQ_FIRST(&(list)), all);                                  \
		free(first);                                                                       \
	}

void verbs_reset(void)
{
	FREE_ALL(qps);
	FREE_ALL(cqs);
	FREE_ALL(pds);
	default_pd.users = 0;
	last_qp_num = 16;
}
