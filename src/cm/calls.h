/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * calls - the librdmacm call behind each step: nothing but the call, as the connection's owner
 * makes it.
 *
 * errno is cleared before each call, for a call that fails and leaves it alone: its status is then
 * 0, unknown.
 */
#ifndef CMTIME_CM_CALLS_H
#define CMTIME_CM_CALLS_H

#include "core/step.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

struct channel;
struct conn;
struct detail;
struct devices;
struct rdma_cm_id;

enum call_state {
	CALL_ENDED,	/* the step is over */
	CALL_EVENT_DUE, /* its event will come, or has come */
	CALL_FAILED,	/* no event will come */
};

enum { CALL_PORTS = 64 };

/* What a client's calls need to know; the same for all connections of a run. */
struct call_setup {
	struct sockaddr_storage source, destination;
	bool has_source;
	uint16_t ports[CALL_PORTS]; /* of the destination: connection i goes to port i modulo
				       n_ports */
	uint32_t n_ports;
	bool has_ticket; /* requests carry run and index as private data (core/ticket.h) */
	uint64_t run;
	int timeout_ms;
	struct devices *devices;
};

/*
 * A client's step on conn; channel is where a new id's events shall come. *status is set for
 * CALL_FAILED: -errno, or 0. rdma_create_id(3), rdma_bind_addr(3), rdma_resolve_addr(3),
 * rdma_resolve_route(3), rdma_connect(3); the rest as below.
 */
enum call_state call_begin(struct conn *conn, enum step step, const struct call_setup *setup,
			   struct channel *channel, int32_t *status);

/* Makes the PD and CQ of an id's device, so that no connection's create_qp holds them. A failure
 * shows there again. */
void call_prepare(struct rdma_cm_id *id, struct devices *devices);

/* The same of every device of this host: a server does not know which its requests will come by.
 * rdma_get_devices(3) */
void call_prepare_all(struct devices *devices);

/* rdma_create_qp(3) with the device's PD and CQ: a QP as small as they come, since none is ever
 * used. */
enum call_state call_create_qp(struct conn *conn, struct devices *devices, int32_t *status);

/* rdma_accept(3), rdma_disconnect(3), rdma_destroy_qp(3), rdma_destroy_id(3). */
enum call_state call_accept(struct conn *conn, int32_t *status);
enum call_state call_disconnect(struct conn *conn, int32_t *status);
void call_destroy_qp(struct conn *conn);
void call_destroy_id(struct conn *conn);

/* A request's id becomes the connection's: its events go there from now on. */
void call_take(struct conn *conn, struct rdma_cm_id *id);

/*
 * The addresses and ports of both ends, as that side's id has them, into detail; left alone where
 * there is no id any more, or no address yet. rdma_get_local_addr(3)
 */
void call_note_addresses(const struct conn *conn, enum side side, struct detail *detail);

/* Turns a request away with the CM's "consumer defined" reason and frees its id: rdma_reject(3). */
void call_reject(struct rdma_cm_id *id);

#endif
