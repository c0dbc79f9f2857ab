/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * cmtrace - the kernel's own stamps of every connection: --kernel-trace.
 *
 * A tracefs instance of our own, "cmtime-PID-N", with CLOCK_MONOTONIC and the few rdma_cma events
 * that one side's parts are made of (core/part.h). Nothing is read while the round runs; once it is
 * over, the events are put into its timeline (core/match.h). All stamps are taken just before what
 * they are named after: a message is sent right behind its stamp, an event is queued right behind
 * its.
 *
 * One thread at a time for a trace; several traces may be in use at once. A server has one a
 * session. Every function takes NULL for "no trace" and does nothing then.
 */
#ifndef CMTIME_HOST_CMTRACE_H
#define CMTIME_HOST_CMTRACE_H

#include "core/step.h"

#include <stdint.h>

struct cmtrace;
struct timeline;

struct cmtrace_counts {
	uint64_t events;  /* read, whoever's connection they were of */
	uint64_t matched; /* of those: of a connection of the timeline */
	uint64_t lost;	  /* that had no room in the buffer, whoever's */
};

/*
 * Begins to trace that side's events, with room for that many connections. The kernel's RDMA CM has
 * to be loaded by then, as it is once an event channel is open. Removes what a killed cmtime left
 * behind. 0, or -errno after one warning that says why the run goes on without; *trace is NULL
 * then. -ENOSYS: built without libtracefs.
 */
int cmtrace_open(struct cmtrace **trace, enum side side, uint32_t connections);

/*
 * "cmtime: TEXT" into the trace_marker of the top level, where trace-cmd(1) and whoever reads
 * /sys/kernel/tracing/trace see it between the kernel's events, and into our instance's.
 */
void cmtrace_mark(struct cmtrace *trace, const char *text);

/*
 * Puts the events of a round that is over into its timeline, which has details with addresses, and
 * empties the buffer for the next. Lost events are not logged: the report says so. 0, or -errno,
 * logged; counts is set on success only.
 */
int cmtrace_collect(struct cmtrace *trace, struct timeline *timeline,
		    struct cmtrace_counts *counts);

/* Removes the instance. */
void cmtrace_close(struct cmtrace *trace);

#endif
