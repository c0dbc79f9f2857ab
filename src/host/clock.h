/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * clock - CLOCK_MONOTONIC in nanoseconds, and deadlines on it. Any thread.
 *
 * The wall clock may jump (clock_gettime(2)); nothing here uses it.
 */
#ifndef CMTIME_HOST_CLOCK_H
#define CMTIME_HOST_CLOCK_H

#include <stdint.h>
#include <time.h>

#define NS_PER_US UINT64_C(1000)
#define NS_PER_MS UINT64_C(1000000)
#define NS_PER_S  UINT64_C(1000000000)

/* A deadline that never comes. */
#define NEVER_NS UINT64_MAX

static inline uint64_t clock_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

/* The moment after_ns from now; never overflows. */
static inline uint64_t clock_deadline_ns(uint64_t after_ns)
{
	uint64_t now_ns = clock_now_ns();

	return after_ns > NEVER_NS - now_ns ? NEVER_NS : now_ns + after_ns;
}

#endif
