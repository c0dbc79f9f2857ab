// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* sample - qsort(3) and the middle: pure, any thread. */
#include "core/sample.h"

#include <stdlib.h>

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void sample_sort(double *values, size_t n)
{
	if (n)
		qsort(values, n, sizeof(*values), compare);
}

double sample_median(const double *sorted, size_t n)
{
	return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}
