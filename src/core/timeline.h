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

#include "core/outcome.h"
#include "core/step.h"

#include <stdbool.h>
#include <stdint.h>

/* CLOCK_MONOTONIC; 0: not stamped. A step was done where both are. */
struct span {
	uint64_t begin_ns, end_ns;
};

struct timeline {
	enum side side;
	uint32_t connections;
	struct span *spans[STEPS]; /* [step][connection]; NULL for steps that side never does */
	struct outcome *outcomes;  /* [connection] */
};

/* 0 or -ENOMEM (nothing is held then). The caller frees with timeline_free(). */
int timeline_init(struct timeline *timeline, enum side side, uint32_t connections);
void timeline_free(struct timeline *timeline);

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

#endif
