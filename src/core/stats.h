/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * stats - exact figures of one step on one side, from the stamps.
 *
 * Durations are 64-bit nanoseconds from end to end; percentiles are nearest-rank; mean and standard
 * deviation (population) are rounded to nearest. Pure; main calls it once the round is over.
 */
#ifndef CMTIME_CORE_STATS_H
#define CMTIME_CORE_STATS_H

#include "core/step.h"

#include <stddef.h>
#include <stdint.h>

struct timeline;

struct figures {
	enum step step;
	enum side side;
	uint32_t count;	   /* connections that did the step; 0: every duration below is "no data" */
	uint32_t failed;   /* connections that failed in it */
	uint64_t total_ns; /* first begin (a failed one's, too) to the last end of count */
	uint64_t sum_ns;   /* of the connections' own times; UINT64_MAX stands for more */
	uint64_t mean_ns, stddev_ns;
	uint64_t min_ns, p50_ns, p90_ns, p99_ns, p999_ns, max_ns;
};

/*
 * Figures of n durations that lie between first_ns and last_ns. Sorts durations_ns in place. n = 0
 * gives zeroes with count 0. step, side and failed are left as they are.
 */
void figures_compute(struct figures *figures, uint64_t *durations_ns, size_t n, uint64_t first_ns,
		     uint64_t last_ns);

/*
 * The same for one step of a timeline, with failed counted from its outcomes: a connection that
 * failed in the step is not among those that did it, whatever its stamps. A step that side never
 * does has count 0. 0 or -ENOMEM.
 */
int figures_of(struct figures *figures, const struct timeline *timeline, enum step step);

/* Connections a second over the step's total; 0 without data or for a total of 0. */
double figures_per_second(const struct figures *figures);

/* "us/conn" in ns, for count > 0: a client's total divided by count; at a server, which runs at the
 * client's pace, the mean. */
double figures_each_ns(const struct figures *figures);

/* The mean number in flight: sum / total (Little's law); 0 without data. */
double figures_in_flight(const struct figures *figures);

#endif
