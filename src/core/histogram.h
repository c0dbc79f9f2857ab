/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * histogram - durations counted in buckets that grow with them, eight to each doubling.
 *
 * The bounds are the same in every histogram, so that a duration's bucket needs no look at the
 * others, and neighbours can be put together. Pure; one thread at a time.
 */
#ifndef CMTIME_CORE_HISTOGRAM_H
#define CMTIME_CORE_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

enum {
	HISTOGRAM_OCTAVE = 8,				/* buckets to a doubling */
	HISTOGRAM_BUCKETS = (64 - 2) * HISTOGRAM_OCTAVE /* up to UINT64_MAX ns */
};

/* All zero is an empty one. */
struct histogram {
	uint64_t count;		 /* of all */
	uint64_t min_ns, max_ns; /* exact; no data while count is 0 */
	uint64_t buckets[HISTOGRAM_BUCKETS];
};

void histogram_add(struct histogram *histogram, uint64_t ns);

/* The bucket of a duration: below HISTOGRAM_BUCKETS, and growing with it. */
size_t histogram_bucket(uint64_t ns);

/* The shortest duration of a bucket; for HISTOGRAM_BUCKETS, behind the last, UINT64_MAX. */
uint64_t histogram_from_ns(size_t bucket);

#endif
