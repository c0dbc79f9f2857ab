/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * counters - the kernel's counters of CM messages, sent, retried, received and duplicate, of one port.
 *
 * They are the whole port's, not ours alone: /sys/class/infiniband/DEV/ports/P/cm_{tx,rx}_*. A counter moves only when
 * its message has ended, so it is read once it has come to rest. Main.
 */
#ifndef CMTIME_HOST_COUNTERS_H
#define CMTIME_HOST_COUNTERS_H

#include "core/result.h"

#include <stdint.h>

struct counters {
	uint64_t sent[CM_MESSAGES], retries[CM_MESSAGES], received[CM_MESSAGES], duplicates[CM_MESSAGES];
};

/* 0, or -errno where the kernel or the device has none. */
int counters_read(struct counters *counters, const char *device, uint32_t port);

/* The same once two readings 10 ms apart agree, or after 200 ms. */
int counters_read_settled(struct counters *counters, const char *device, uint32_t port);

/* What was counted from before to after, as a row for step. */
void counters_difference(struct cm_counts *row, const struct counters *before, const struct counters *after,
			 enum step step, const char *host, const char *device, uint32_t port);

#endif
