/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * counters - the kernel's counts of CM messages, step by step, for every RDMA port of this host.
 *
 * /sys/class/infiniband/DEV/ports/P/cm_{tx,rx}_*: sent, retried, received, duplicate. They are the
 * port's, not ours alone. A counter moves only when its message has ended, so they are read once
 * they have come to rest: when two readings 10 ms apart agree, or after 200 ms. One thread at a
 * time.
 */
#ifndef CMTIME_HOST_COUNTERS_H
#define CMTIME_HOST_COUNTERS_H

#include "core/result.h"

#include <stddef.h>
#include <stdint.h>

enum { COUNTERS_PORTS = 32 }; /* ports beyond that are not watched */

struct counters {
	uint64_t sent[CM_MESSAGES], retries[CM_MESSAGES], received[CM_MESSAGES],
		duplicates[CM_MESSAGES];
};

struct counter_watch {
	char host[RESULT_NAME];
	struct {
		char device[RESULT_NAME];
		uint32_t port;
		struct counters last;
	} ports[COUNTERS_PORTS];
	size_t n_ports; /* 0: this host has no such counters */
};

/* Finds the ports and reads them for the first time. */
void counter_watch_begin(struct counter_watch *watch);

/* Adds what every port counted since the last reading to a round, as that step's. 0 or -ENOMEM. */
int counter_watch_step(struct counter_watch *watch, struct round *round, enum step step);

#endif
