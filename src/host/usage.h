/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * usage - processor time and memory of this process, as differences over a round. getrusage(2)
 */
#ifndef CMTIME_HOST_USAGE_H
#define CMTIME_HOST_USAGE_H

#include "core/result.h"
#include "host/clock.h"

#include <sys/resource.h>

static inline uint64_t usage_ns(const struct timeval *time)
{
	return (uint64_t)time->tv_sec * NS_PER_S + (uint64_t)time->tv_usec * NS_PER_US;
}

/* Since the process began. */
static inline struct usage usage_now(void)
{
	struct rusage r;

	if (getrusage(RUSAGE_SELF, &r))
		return (struct usage){ 0 };
	return (struct usage){ .user_ns = usage_ns(&r.ru_utime),
			       .system_ns = usage_ns(&r.ru_stime),
			       .max_rss_bytes = (uint64_t)r.ru_maxrss * 1024 };
}

/* Since then; the memory is the peak so far. */
static inline struct usage usage_since(const struct usage *then)
{
	struct usage now = usage_now();

	now.user_ns -= then->user_ns;
	now.system_ns -= then->system_ns;
	return now;
}

#endif
