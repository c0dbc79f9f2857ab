/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * tracing - what the kernel's trace of this host adds to a round of one side: from host/cmtrace to
 * the result. The side's own thread.
 */
#ifndef CMTIME_RUN_TRACING_H
#define CMTIME_RUN_TRACING_H

struct cmtrace;
struct round;
struct timeline;

/* A round is over: its stamps into the timeline, and its parts into the round. trace may be NULL:
 * nothing is there then. What goes wrong is logged. */
void tracing_end_round(struct cmtrace *trace, struct timeline *timeline, struct round *round);

#endif
