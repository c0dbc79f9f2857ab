/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * threshold - a limit on one figure of a result: "connect.p99=5ms", "server.accept.max=1s",
 * "connect.req_retries=0".
 *
 * [SIDE.]STEP.FIELD=VALUE. Without a side the client's step is meant, or the server's where only
 * that has it. Fields: those of a step's JSON, times without their _ns, and the counters of CM
 * messages, summed over the ports that the run went through. Every round must keep it. Pure.
 */
#ifndef CMTIME_CORE_THRESHOLD_H
#define CMTIME_CORE_THRESHOLD_H

#include "core/step.h"

#include <stdbool.h>
#include <stddef.h>

struct result;

enum unit { UNIT_COUNT, UNIT_TIME_NS, UNIT_RATE };

struct threshold {
	const char *text; /* as it was given; not owned */
	enum side side;
	enum step step;
	size_t field; /* in the table of threshold.c */
	enum unit unit;
	bool above; /* a figure above the limit breaks it, else one below */
	double limit;
};

/* text must outlive the threshold. 0, or -EINVAL and what was expected in why. */
int threshold_parse(struct threshold *threshold, const char *text, bool above, char *why,
		    size_t size);

enum threshold_state { THRESHOLD_HOLDS, THRESHOLD_BROKEN, THRESHOLD_NO_DATA };

/* Over all rounds; *value is the worst of them where there are data. */
enum threshold_state threshold_check(const struct threshold *threshold, const struct result *result,
				     double *value);

#endif
