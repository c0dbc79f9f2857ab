// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* histogram - one count more, in the right bucket: pure. */
#include "core/histogram.h"

enum { OCTAVE_BITS = 3 };

_Static_assert(HISTOGRAM_OCTAVE == 1 << OCTAVE_BITS, "a bucket is read off a duration's bits");

/*
 * The highest bit says which doubling, the three below it which eighth. Durations below 8 ns have
 * no three such bits; each of them is a bucket, and the first doubling fits on behind them.
 */
size_t histogram_bucket(uint64_t ns)
{
	unsigned int shift = 0;

	while (ns >> shift >= UINT64_C(2) * HISTOGRAM_OCTAVE)
		shift++;
	return shift * HISTOGRAM_OCTAVE + (size_t)(ns >> shift);
}

uint64_t histogram_from_ns(size_t bucket)
{
	size_t shift = bucket / HISTOGRAM_OCTAVE;

	if (bucket >= HISTOGRAM_BUCKETS)
		return UINT64_MAX;
	if (shift < 2)
		return bucket;
	return (uint64_t)(HISTOGRAM_OCTAVE + bucket % HISTOGRAM_OCTAVE) << (shift - 1);
}

void histogram_add(struct histogram *histogram, uint64_t ns)
{
	if (!histogram->count || ns < histogram->min_ns)
		histogram->min_ns = ns;
	if (!histogram->count || ns > histogram->max_ns)
		histogram->max_ns = ns;
	histogram->count++;
	histogram->buckets[histogram_bucket(ns)]++;
}
