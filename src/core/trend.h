/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * trend - do values rise or fall in the order they were taken in? Kendall's S over one or more
 * series: pairs of a series that rise, less those that fall.
 *
 * Pure. The median of some rounds bears with one that is odd, such as a cold first one: S does as
 * well. It does not bear with a machine that gets slower all the time.
 */
#ifndef CMTIME_CORE_TREND_H
#define CMTIME_CORE_TREND_H

#include <stddef.h>

/* Begins as { 0 }. */
struct trend {
	double s, variance;
};

/* Adds the pairs of a series of n values; one of a single value has none. */
void trend_add(struct trend *trend, const double *values, size_t n);

/* Two-sided p of the normal approximation, corrected for ties and for continuity; 1 without pairs.
 */
double trend_p(const struct trend *trend);

#endif
