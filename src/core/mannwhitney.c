// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * mannwhitney - U from ranks, then its exact distribution or the normal one in its place.
 *
 * U is how often a value of x is above one of y, over all pairs; a tie is half a time.
 */
#include "core/mannwhitney.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

struct ranked {
	double value;
	bool of_x;
};

static int compare(const void *a, const void *b)
{
	double x = ((const struct ranked *)a)->value, y = ((const struct ranked *)b)->value;

	return (x > y) - (x < y);
}

/* The sum of the ranks of x; *ties is the sum of t^3 - t over groups of t equal values. */
static double rank_sum(const struct ranked *all, size_t n, double *ties)
{
	double sum = 0;
	size_t i, end;

	*ties = 0;
	for (i = 0; i < n; i = end) {
		size_t of_x = 0;

		for (end = i; end < n && all[end].value == all[i].value; end++)
			of_x += all[end].of_x;

		double t = (double)(end - i);

		/* Equal values share the mean of ranks i + 1 to end. */
		sum += (double)of_x * ((double)(i + 1) + (double)end) / 2;
		*ties += t * t * t - t;
	}
	return sum;
}

/*
 * How many of the C(m + n, m) orders of two samples give U = u, for all u up to half of m * n: the
 * coefficients of the product, over i from 1 to m, of (1 - q^(n + i)) / (1 - q^i). After each i
 * they are numbers of orders again and positive; between, they may wrap around, and back. 128 bits
 * hold them for m of 8 and n up to 200,000.
 */
static unsigned __int128 *count_orders(size_t m, size_t n, size_t half)
{
	unsigned __int128 *orders = calloc(half + 1, sizeof(*orders));

	if (!orders)
		return NULL;
	orders[0] = 1;
	for (size_t i = 1; i <= m; i++) {
		for (size_t u = half; u >= n + i; u--)
			orders[u] -= orders[u - n - i];
		for (size_t u = i; u <= half; u++)
			orders[u] += orders[u - i];
	}
	return orders;
}

/* The chance of a U as far from the middle as this, or farther: both ends of a symmetric one. */
static int exact_p(double u, size_t nx, size_t ny, double *p)
{
	size_t m = nx < ny ? nx : ny, n = nx < ny ? ny : nx, pairs = m * n;
	size_t lower = (size_t)(u * 2 > (double)pairs ? (double)pairs - u : u);
	unsigned __int128 *orders = count_orders(m, n, pairs / 2);
	double below = 0, all = 1;

	if (!orders)
		return -ENOMEM;
	for (size_t i = 0; i <= lower; i++)
		below += (double)orders[i];
	for (size_t i = 1; i <= m; i++)
		all *= (double)(n + i) / (double)i;
	free(orders);
	*p = fmin(1, 2 * below / all);
	return 0;
}

static double normal_p(double u, size_t nx, size_t ny, double ties)
{
	double pairs = (double)nx * (double)ny, n = (double)(nx + ny);
	double variance = pairs / 12 * (n + 1 - ties / (n * (n - 1)));
	double off = fabs(u - pairs / 2) - 0.5;

	/* All are equal: nothing tells them apart. */
	if (!(variance > 0))
		return 1;
	return fmin(1, erfc(off / sqrt(2 * variance)));
}

int mannwhitney_p(const double *x, size_t nx, const double *y, size_t ny, double *p)
{
	size_t n = nx + ny;
	struct ranked *all;
	double u, ties;
	int ret = 0;

	if (!nx || !ny)
		return -EINVAL;
	all = calloc(n, sizeof(*all));
	if (!all)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		all[i] = (struct ranked){ i < nx ? x[i] : y[i - nx], i < nx };
	qsort(all, n, sizeof(*all), compare);
	u = rank_sum(all, n, &ties) - (double)nx * (double)(nx + 1) / 2;
	free(all);

	if (!(ties > 0) && (nx <= MANNWHITNEY_EXACT || ny <= MANNWHITNEY_EXACT))
		ret = exact_p(u, nx, ny, p);
	else
		*p = normal_p(u, nx, ny, ties);
	return ret;
}

double mannwhitney_least_p(size_t nx, size_t ny)
{
	size_t m = nx < ny ? nx : ny, n = nx < ny ? ny : nx;
	double orders = 1;

	/* Beyond any number that matters here it only grows. */
	for (size_t i = 1; i <= m && orders < 1e15; i++)
		orders *= (double)(n + i) / (double)i;
	return fmin(1, 2 / orders);
}
