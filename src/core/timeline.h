/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * timeline - the stamps of every connection in every step, and how each connection fared.
 *
 * The memory of a round on one side, all of it allocated before the first call. A connection's
 * cells are written by the connection's owner alone (see cm/mailbox.h) and read by main once the
 * leg is drained.
 */
#ifndef CMTIME_CORE_TIMELINE_H
#define CMTIME_CORE_TIMELINE_H

#include "core/address.h"
#include "core/outcome.h"
#include "core/step.h"

#include <stdbool.h>
#include <stdint.h>

/* CLOCK_MONOTONIC; 0: not stamped. A step was done where both are. */
struct span {
	uint64_t begin_ns, end_ns;
};

/* When a host's kernel did what it has a tracepoint for, in the order of a connection's life. */
enum kernel_stamp {
	KERNEL_REQ_SENT,	/* client */
	KERNEL_REQUEST_QUEUED,	/* server */
	KERNEL_REP_SENT,	/* server */
	KERNEL_RESPONSE_QUEUED, /* client */
	KERNEL_RTU_SENT,	/* client */
	KERNEL_ESTABLISHED,	/* either: that the event was queued */
	KERNEL_DREQ_SENT,	/* either: whoever disconnects first */
	KERNEL_DISCONNECTED,	/* either: that the event was queued */
	KERNEL_STAMPS
};

/* What is known of a connection beside its stamps, where somebody wants to know. */
struct detail {
	struct address source, destination; /* the client's and the server's, on either side */
	uint32_t attempts;		    /* the most that one of its steps took; 0: none */
	uint64_t kernel_ns[KERNEL_STAMPS];  /* CLOCK_MONOTONIC; 0: not seen */
};

struct timeline {
	enum side side;
	uint32_t connections;
	struct span *spans[STEPS]; /* [step][connection]; NULL for steps that side never does */
	struct outcome *outcomes;  /* [connection] */
	struct detail *details;	   /* [connection]; NULL: nobody wants them */
};

/* 0 or -ENOMEM (nothing is held then). The caller frees with timeline_free(). */
int timeline_init(struct timeline *timeline, enum side side, uint32_t connections);
void timeline_free(struct timeline *timeline);

/* When the side's part in the round began: its first stamp. 0: it has none. */
uint64_t timeline_begin_ns(const struct timeline *timeline);

/* Makes room for details. 0 or -ENOMEM. Before the first call, too. */
int timeline_add_details(struct timeline *timeline);

/* The cell of that connection in that step, to stamp. */
static inline struct span *timeline_span(const struct timeline *timeline, enum step step,
					 uint32_t index)
{
	return &timeline->spans[step][index];
}

static inline bool span_done(const struct span *span)
{
	return span->begin_ns && span->end_ns;
}

/* Of a step that was done. A stamp of one thread may be a trace ahead of another's: then it took no
 * time, not 2^64 ns. */
static inline uint64_t span_ns(const struct span *span)
{
	return span->end_ns > span->begin_ns ? span->end_ns - span->begin_ns : 0;
}

/* A connection that failed in the step is not among those that did it, whatever its stamps. */
static inline bool timeline_did(const struct timeline *timeline, enum step step, uint32_t index)
{
	const struct outcome *outcome = &timeline->outcomes[index];

	return span_done(timeline_span(timeline, step, index)) &&
	       (outcome->event == EVENT_NONE || outcome->step != step);
}

#endif
