/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * histogram - a step's durations as a few rows of bars, for a terminal.
 *
 * main only, below the text report.
 */
#ifndef CMTIME_OUT_HISTOGRAM_H
#define CMTIME_OUT_HISTOGRAM_H

#include <stdbool.h>
#include <stdio.h>

struct histogram;

/* No more rows than that, whatever the durations. */
enum { HISTOGRAM_ROWS = 10 };

/*
 * A heading with the label, then a row a range of durations from the shortest to the longest, with
 * its count and a bar: of block characters if utf8, else of '#'. The ranges have one factor between
 * begin and end, but that those at the ends are cut to what was measured and that a gap is one row.
 * A count above 0 has a bar that can be seen. Nothing for an empty histogram. 0 or -errno.
 */
int histogram_print(FILE *file, const char *label, const struct histogram *histogram, bool utf8);

#endif
