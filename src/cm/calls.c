// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* calls - a switch of librdmacm calls. */
#include "cm/calls.h"

#include "cm/channel.h"
#include "cm/conn.h"
#include "cm/device.h"
#include "cm/endpoint.h"
#include "core/ticket.h"

#include <errno.h>
#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>

/* The most retries the CM's fields hold: a lost packet is no reason to lose an idle connection. */
enum { RETRIES = 7 };

static const struct rdma_conn_param conn_param = { .responder_resources = 1,
						   .initiator_depth = 1,
						   .retry_count = RETRIES,
						   .rnr_retry_count = RETRIES };

static enum call_state ended(int ret, enum call_state good, int32_t *status)
{
	if (!ret)
		return good;
	*status = -errno;
	return CALL_FAILED;
}

static int resolve_addr(struct conn *conn, const struct call_setup *setup, struct sockaddr *source)
{
	struct sockaddr_storage destination = setup->destination;

	endpoint_set_port(&destination, setup->ports[conn->index % setup->n_ports]);
	return rdma_resolve_addr(conn->id, source, (struct sockaddr *)&destination,
				 setup->timeout_ms);
}

static enum call_state call_connect(struct conn *conn, const struct call_setup *setup,
				    int32_t *status)
{
	struct rdma_conn_param param = conn_param;
	uint8_t data[TICKET_BYTES];

	if (setup->has_ticket) {
		ticket_write(&(struct ticket){ .run = setup->run, .index = conn->index }, data);
		param.private_data = data;
		param.private_data_len = sizeof(data);
	}
	return ended(rdma_connect(conn->id, &param), CALL_EVENT_DUE, status);
}

enum call_state call_begin(struct conn *conn, enum step step, const struct call_setup *setup,
			   struct channel *channel, int32_t *status)
{
	/* librdmacm takes it as not const, and leaves it alone. */
	struct sockaddr *source = (struct sockaddr *)&setup->source;

	errno = 0;
	switch (step) {
	case STEP_CREATE_ID:
		return ended(rdma_create_id(channel->events, &conn->id, conn, RDMA_PS_TCP),
			     CALL_ENDED, status);
	case STEP_BIND_ADDR:
		return ended(rdma_bind_addr(conn->id, source), CALL_ENDED, status);
	case STEP_RESOLVE_ADDR:
		return ended(resolve_addr(conn, setup, setup->has_source ? source : NULL),
			     CALL_EVENT_DUE, status);
	case STEP_RESOLVE_ROUTE:
		return ended(rdma_resolve_route(conn->id, setup->timeout_ms), CALL_EVENT_DUE,
			     status);
	case STEP_CREATE_QP:
		return call_create_qp(conn, setup->devices, status);
	case STEP_CONNECT:
		return call_connect(conn, setup, status);
	case STEP_DISCONNECT:
		return call_disconnect(conn, status) == CALL_FAILED ? CALL_FAILED : CALL_EVENT_DUE;
	case STEP_DESTROY_QP:
		call_destroy_qp(conn);
		return CALL_ENDED;
	case STEP_DESTROY_ID:
		call_destroy_id(conn);
		return CALL_ENDED;
	default:
		*status = -EINVAL;
		return CALL_FAILED;
	}
}

void call_prepare(struct rdma_cm_id *id, struct devices *devices)
{
	const struct device *device;

	if (id->verbs)
		(void)devices_find(devices, id->verbs, &device);
}

void call_prepare_all(struct devices *devices)
{
	struct ibv_context **all = rdma_get_devices(NULL);
	const struct device *device;

	for (struct ibv_context **verbs = all; verbs && *verbs; verbs++)
		(void)devices_find(devices, *verbs, &device);
	if (all)
		rdma_free_devices(all);
}

enum call_state call_create_qp(struct conn *conn, struct devices *devices, int32_t *status)
{
	const struct device *device;
	int ret = devices_find(devices, conn->id->verbs, &device);

	if (ret) {
		*status = ret;
		return CALL_FAILED;
	}
	struct ibv_qp_init_attr attr = {
		.send_cq = device->cq,
		.recv_cq = device->cq,
		.qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1 },
	};

	errno = 0;
	ret = rdma_create_qp(conn->id, device->pd, &attr);
	conn->has_qp = !ret;
	return ended(ret, CALL_ENDED, status);
}

enum call_state call_accept(struct conn *conn, int32_t *status)
{
	struct rdma_conn_param param = conn_param;

	errno = 0;
	return ended(rdma_accept(conn->id, &param), CALL_EVENT_DUE, status);
}

enum call_state call_disconnect(struct conn *conn, int32_t *status)
{
	errno = 0;
	return ended(rdma_disconnect(conn->id), CALL_ENDED, status);
}

void call_destroy_qp(struct conn *conn)
{
	if (conn->has_qp)
		rdma_destroy_qp(conn->id);
	conn->has_qp = false;
}

void call_destroy_id(struct conn *conn)
{
	if (conn->id)
		rdma_destroy_id(conn->id);
	conn->id = NULL;
}

void call_take(struct conn *conn, struct rdma_cm_id *id)
{
	conn->id = id;
	id->context = conn;
}

void call_reject(struct rdma_cm_id *id)
{
	rdma_reject(id, NULL, 0);
	rdma_destroy_id(id);
}

void call_note_addresses(const struct conn *conn, enum side side, struct detail *detail)
{
	if (!conn->id)
		return;
	struct address local = address_of(rdma_get_local_addr(conn->id));
	struct address peer = address_of(rdma_get_peer_addr(conn->id));

	if (address_is_none(&local))
		return;
	detail->source = side == SIDE_CLIENT ? local : peer;
	detail->destination = side == SIDE_CLIENT ? peer : local;
	if (!detail->attempts)
		detail->attempts = 1;
}
