/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * session - a round as the server sees it: its connections, how far they have come, and their
 * figures.
 *
 * Opened, waited on and closed by the session's own thread. Readers and acceptors own its
 * connections while they act on them, and find them by session_claim().
 */
#ifndef CMTIME_RUN_SESSION_H
#define CMTIME_RUN_SESSION_H

#include "cm/conn.h"
#include "core/result.h"
#include "core/timeline.h"
#include "run/gate.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct devices;
struct request;
struct stop;

struct session {
	struct crew crew; /* first: a connection's crew is its session */
	uint64_t run;
	uint32_t connections;
	struct devices *devices;
	struct timeline timeline;
	struct conn *conns;
	atomic_bool *claimed; /* [connection] */
	/* Each begins with all connections and counts down. */
	struct gate arriving; /* not yet established, nor lost after they were accepted */
	struct gate staying;  /* not yet disconnected, nor lost after they were accepted */
	struct gate queued;   /* begins empty: requests on their way to an acceptor */
	atomic_uint requests; /* claimed so far */
	atomic_uint doubles, out_of_range;
	/* Of a destruction under way; changed by the session's thread while none is. */
	struct gate destroying;
	enum step destroys;
	bool destroys_timed;
	enum event_kind waiting;
	atomic_bool described;
	struct endpoint_info end;    /* the host; what it ran on, once the first connection is
					destroyed */
	struct cm_timeouts timeouts; /* likewise */
	uint32_t strangers_before;   /* the server's count of them when the session began */
	struct session *next;	     /* the server's list */
};

/* How far all connections are to have come. */
enum milestone { MILESTONE_ESTABLISHED, MILESTONE_DISCONNECTED };

/* details: somebody will look at them (struct timeline). devices must outlive it. 0 or -ENOMEM and
 * the like, logged. */
int session_open(struct session *session, uint64_t run, uint32_t connections, bool details,
		 struct devices *devices);

/*
 * A request with that index becomes a connection of this session, which owns its id from then on.
 * Any reader. NULL: out of range, or a double, and counted as such; the caller still has the
 * request.
 */
struct conn *session_claim(struct session *session, uint32_t index, const struct request *request);

/* Waits until so many connections have come so far. 0, -ETIMEDOUT, -ECANCELED (stop). */
int session_wait(struct session *session, enum milestone milestone, uint32_t connections,
		 const struct stop *stop, uint64_t deadline_ns);

/* How many have; a number that changes whenever anything happens. */
uint32_t session_established(const struct session *session);
uint64_t session_activity(const struct session *session);

/*
 * Destroys every QP, then every id, and times it if timed; whoever still waits to be established is
 * recorded with that event: EVENT_TIMEOUT, or EVENT_ABORTED where the run was cut. No request may
 * be on its way: the session has left the server's list and its channels have been quiesced. Twice
 * is fine.
 */
void session_destroy(struct session *session, bool timed, enum event_kind waiting);

/* The server's half of a round: begin, figures, outcomes, refusals. After session_destroy(). 0 or
 * -ENOMEM. */
int session_figures(const struct session *session, struct round *round);

/* After session_destroy(), and after channels and acceptors have been quiesced once more. */
void session_close(struct session *session);

#endif
