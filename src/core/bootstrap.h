/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * bootstrap - how sure a ratio of medians is, from the values themselves: they are drawn again,
 * with replacement, thousands of times, and the middle 95 % of the ratios are the interval.
 *
 * Pure. Its random numbers begin with the same seed each time: the same values, the same interval.
 */
#ifndef CMTIME_CORE_BOOTSTRAP_H
#define CMTIME_CORE_BOOTSTRAP_H

#include <stddef.h>

/* With so many draws the ends of the interval are values that were drawn, the 250th from each end.
 */
enum { BOOTSTRAP_DRAWS = 9999 };

struct interval {
	double low, high;
};

/*
 * The 95 % percentile interval of median(above) / median(below). All values are at least 0, those
 * below more than that. With few values it is too narrow: it cannot reach beyond the least and the
 * largest of the ratios there are, and of one value it is no interval. 0, -EINVAL for a sample of
 * none or over 2^32 - 1, -ENOMEM.
 */
int bootstrap_ratio(const double *above, size_t n_above, const double *below, size_t n_below,
		    struct interval *interval);

#endif
