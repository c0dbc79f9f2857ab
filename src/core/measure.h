/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * measure - what results are compared by: a time of one step on one side, or of all the client's
 * steps together, in every round of a result.
 *
 * Pure; between a result and what makes a statistic of it.
 */
#ifndef CMTIME_CORE_MEASURE_H
#define CMTIME_CORE_MEASURE_H

#include "core/step.h"

#include <stdbool.h>
#include <stddef.h>

struct result;
struct round;

/* All in nanoseconds; less is better. */
enum measure_kind {
	MEASURE_EACH, /* a connection's share of the step: total / count; of a server, the mean */
	MEASURE_P50,
	MEASURE_P99,
	MEASURE_TOTAL, /* of all the client's steps, one behind another */
	MEASURE_KINDS
};

struct measure {
	enum side side;
	enum step step; /* STEPS with MEASURE_TOTAL, and only there */
	enum measure_kind kind;
};

/* "us", "p50", "p99", "total": on the command line and in JSON. */
const char *measure_kind_name(enum measure_kind kind);

/* Whether it counts in single connections' own times, in which those wait behind each other. */
bool measure_is_percentile(const struct measure *measure);

/*
 * "connect.p99", "server.create_qp.us", "all.total"; without a side the client's step is meant, or
 * the server's where only that has it. text ends at end. 0 or -EINVAL.
 */
int measure_parse(struct measure *measure, const char *text, const char *end);

/* Whether a and b are the same. */
bool measure_is(const struct measure *a, const struct measure *b);

/*
 * The measure in one round. summed: the steps that MEASURE_TOTAL adds up; a round that lacks one of
 * them has no total. false: no data.
 */
bool measure_of_round(const struct measure *measure, const struct round *round,
		      const bool summed[static STEPS], double *ns);

/*
 * The same of every round that has data, in order, into values_ns, which has room for all rounds.
 * Returns how many those are.
 */
size_t measure_of_rounds(const struct measure *measure, const struct result *result,
			 const bool summed[static STEPS], double *values_ns);

#endif
