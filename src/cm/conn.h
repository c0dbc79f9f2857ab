/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * conn - a connection on one side, as an actor: it has a mailbox, and at any time at most one
 * owner.
 *
 * Everything but the mailbox belongs to the owner (cm/mailbox.h). What a mail means is its crew's:
 * the client's (run/client.c) or a server session's (run/session.c). The memory outlives the
 * rdma_cm_id.
 */
#ifndef CMTIME_CM_CONN_H
#define CMTIME_CM_CONN_H

#include "cm/channel.h"
#include "cm/mailbox.h"
#include "core/outcome.h"
#include "core/timeline.h"

#include <stdbool.h>
#include <stdint.h>

struct conn;
struct rdma_cm_id;

/* A CM event, as far as a connection wants to know it: when it was read, what it is, -errno or the
 * CM's reason. */
struct event {
	uint64_t at_ns;
	enum event_kind kind;
	int32_t status;
};

/* Those who share a round on one side. */
struct crew {
	/* Acts on one mail, as the connection's owner. event is set for mails that carry one. */
	void (*act)(struct conn *conn, enum mail mail, const struct event *event);
	struct timeline *timeline;
};

struct conn {
	enum context context; /* CONTEXT_CONN; first, as cm/channel.h wants it */
	struct mailbox box;
	struct event letters[MAILS]; /* a mail's event: written by its one poster while the mailbox
					doesn't hold it */
	struct crew *crew;
	struct rdma_cm_id *id; /* NULL: none (yet, or any more) */
	uint32_t index;
	uint32_t tries;	    /* of the step under way */
	enum step awaiting; /* the step whose event is due; STEPS: none */
	bool has_qp;
	bool gone;	   /* server: counted as disconnected or lost */
	struct conn *next; /* in the acceptors' queue */
	struct event lost; /* what came unasked for: DISCONNECTED, DEVICE_REMOVAL; kind EVENT_NONE:
			      nothing */
};

void conn_init(struct conn *conn, struct crew *crew, uint32_t index);

/*
 * Posts a mail; if nobody owns the connection, acts on it, and on what else comes in the meantime,
 * in this thread. event: NULL for mails that carry none. An event of a kind that still waits unread
 * is a double and dropped.
 */
void conn_post(struct conn *conn, enum mail mail, const struct event *event);

/* The owner: this connection's cell in that step. */
struct span *conn_span(const struct conn *conn, enum step step);

/* The owner: records the first failure; later ones are its consequences. */
void conn_fail(struct conn *conn, enum step step, enum event_kind event, int32_t status);

/* The owner: its step under way has taken another try. */
void conn_count_tries(const struct conn *conn);

/* The owner: has it failed? */
bool conn_failed(const struct conn *conn);

#endif
