/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * sample - some values of one measure: sorted, and their median. Pure; what compares results counts
 * in samples.
 */
#ifndef CMTIME_CORE_SAMPLE_H
#define CMTIME_CORE_SAMPLE_H

#include <stddef.h>

/* Ascending; no value may be a NaN. */
void sample_sort(double *values, size_t n);

/* Of n > 0 sorted values: the one in the middle, or the mean of the two there. */
double sample_median(const double *sorted, size_t n);

#endif
