// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* trend - pairs and their signs: pure, any thread. */
#include "core/trend.h"

#include <math.h>

void trend_add(struct trend *trend, const double *values, size_t n)
{
	double t = (double)n;

	trend->variance += t * (t - 1) * (2 * t + 5) / 18;
	for (size_t i = 0; i < n; i++) {
		double equal = 1, before = 0;

		for (size_t k = 0; k < n; k++) {
			if (k > i)
				trend->s += (values[k] > values[i]) - (values[k] < values[i]);
			if (k != i && values[k] == values[i]) {
				equal++;
				before += k < i;
			}
		}
		/* A group of equal values is taken off once, at its first. */
		if (equal > 1 && before < 1)
			trend->variance -= equal * (equal - 1) * (2 * equal + 5) / 18;
	}
}

double trend_p(const struct trend *trend)
{
	if (!(trend->variance > 0))
		return 1;
	return fmin(1, erfc((fabs(trend->s) - 1) / sqrt(2 * trend->variance)));
}
