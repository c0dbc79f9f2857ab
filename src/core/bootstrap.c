// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * bootstrap - draws places in sorted values, so that a drawn median takes counting instead of
 * sorting.
 */
#include "core/bootstrap.h"

#include "core/sample.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct urn {
	double *sorted;
	uint32_t *times; /* how often each was drawn */
	size_t n;
};

static int urn_init(struct urn *urn, const double *values, size_t n)
{
	*urn = (struct urn){ .sorted = calloc(n, sizeof(*urn->sorted)),
			     .times = calloc(n, sizeof(*urn->times)),
			     .n = n };
	if (!urn->sorted || !urn->times)
		return -ENOMEM;
	memcpy(urn->sorted, values, n * sizeof(*values));
	sample_sort(urn->sorted, n);
	return 0;
}

static void urn_free(struct urn *urn)
{
	free(urn->sorted);
	free(urn->times);
}

/* A number from 0 to below n, of a linear congruential generator's upper half: its lower bits come
 * round too soon. */
static size_t draw(uint64_t *state, size_t n)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (size_t)(((*state >> 32) * n) >> 32);
}

static double draw_median(struct urn *urn, uint64_t *state)
{
	size_t n = urn->n, seen = 0, i;
	double lower;

	memset(urn->times, 0, n * sizeof(*urn->times));
	for (size_t k = 0; k < n; k++)
		urn->times[draw(state, n)]++;

	/* Of n drawn values the ones numbered (n - 1) / 2 and n / 2 are the middle. */
	for (i = 0; (seen += urn->times[i]) <= (n - 1) / 2; i++)
		;
	lower = urn->sorted[i];
	while (seen <= n / 2)
		seen += urn->times[++i];
	return (lower + urn->sorted[i]) / 2;
}

int bootstrap_ratio(const double *above, size_t n_above, const double *below, size_t n_below,
		    struct interval *interval)
{
	enum { TAIL = (BOOTSTRAP_DRAWS + 1) / 40 };
	struct urn upper = { 0 }, lower = { 0 };
	uint64_t state = 2013;
	double *ratios;
	int ret;

	if (!n_above || !n_below || n_above > UINT32_MAX || n_below > UINT32_MAX)
		return -EINVAL;
	ratios = calloc(BOOTSTRAP_DRAWS, sizeof(*ratios));
	ret = ratios ? urn_init(&upper, above, n_above) : -ENOMEM;
	if (!ret)
		ret = urn_init(&lower, below, n_below);
	if (ret)
		goto out;
	for (size_t i = 0; i < BOOTSTRAP_DRAWS; i++)
		ratios[i] = draw_median(&upper, &state) / draw_median(&lower, &state);
	sample_sort(ratios, BOOTSTRAP_DRAWS);
	*interval = (struct interval){ ratios[TAIL - 1], ratios[BOOTSTRAP_DRAWS - TAIL] };
out:
	urn_free(&upper);
	urn_free(&lower);
	free(ratios);
	return ret;
}
