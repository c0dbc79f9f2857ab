/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * mannwhitney - the Mann-Whitney U test: do two samples come from the same source?
 *
 * It compares ranks, so that it supposes nothing about how run times are spread, and one run that
 * went astray counts as one. Pure; of what compares results.
 */
#ifndef CMTIME_CORE_MANNWHITNEY_H
#define CMTIME_CORE_MANNWHITNEY_H

#include <stddef.h>

/* Up to so many values in the smaller sample, and without ties, p is exact. */
enum { MANNWHITNEY_EXACT = 8 };

/*
 * The two-sided p, as scipy.stats.mannwhitneyu() gives it by default: exact where the smaller
 * sample has at most MANNWHITNEY_EXACT values and no two of all are equal, else of the normal
 * approximation with corrections for ties and for continuity. 0, with *p from 0 to 1; -EINVAL for a
 * sample of none; -ENOMEM.
 */
int mannwhitney_p(const double *x, size_t nx, const double *y, size_t ny, double *p);

/* The least that p can be for samples of that size, if no values are equal; 1 for one of none. */
double mannwhitney_least_p(size_t nx, size_t ny);

#endif
