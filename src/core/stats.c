// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * stats - sums, ranks and spread of one step, computed in integers as far as they go.
 *
 * Pure; main calls it once the round is over. From the timeline's stamps to the result's figures.
 */
#include "core/stats.h"

#include "core/timeline.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static int compare_ns(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Nearest rank: the smallest value that at least permille of 1000 of all values do not exceed. */
static uint64_t percentile_ns(const uint64_t *sorted_ns, size_t n, unsigned int permille)
{
	size_t rank = (size_t)(((unsigned __int128)n * permille + 999) / 1000);

	return sorted_ns[rank - 1];
}

/*
 * Deviations from the rounded mean m are exact integers; the true mean lies drift = sum - n * m
 * over n beside it, so the variance is (square sum of deviations) / n - (drift / n)^2, with nothing
 * large cancelled. The square sum fits 128 bits for any n of 32 bits while no deviation is over 78
 * hours.
 */
static uint64_t stddev_ns(const uint64_t *durations_ns, size_t n, unsigned __int128 sum,
			  uint64_t mean_ns)
{
	unsigned __int128 squares = 0;
	long double drift =
		(long double)(__int128)(sum - (unsigned __int128)mean_ns * n) / (long double)n;
	long double variance;

	for (size_t i = 0; i < n; i++) {
		uint64_t d = durations_ns[i];
		uint64_t off = d > mean_ns ? d - mean_ns : mean_ns - d;

		squares += (unsigned __int128)off * off;
	}
	variance = (long double)squares / (long double)n - drift * drift;
	return variance > 0 ? (uint64_t)roundl(sqrtl(variance)) : 0;
}

void figures_compute(struct figures *figures, uint64_t *durations_ns, size_t n, uint64_t first_ns,
		     uint64_t last_ns)
{
	struct figures f = { .step = figures->step,
			     .side = figures->side,
			     .failed = figures->failed };
	unsigned __int128 sum = 0;

	*figures = f;
	if (!n)
		return;

	qsort(durations_ns, n, sizeof(*durations_ns), compare_ns);
	for (size_t i = 0; i < n; i++)
		sum += durations_ns[i];

	f.count = (uint32_t)n;
	f.total_ns = last_ns > first_ns ? last_ns - first_ns : 0;
	f.sum_ns = sum > UINT64_MAX ? UINT64_MAX : (uint64_t)sum;
	f.mean_ns = (uint64_t)((sum + n / 2) / n);
	f.stddev_ns = stddev_ns(durations_ns, n, sum, f.mean_ns);
	f.min_ns = durations_ns[0];
	f.p50_ns = percentile_ns(durations_ns, n, 500);
	f.p90_ns = percentile_ns(durations_ns, n, 900);
	f.p99_ns = percentile_ns(durations_ns, n, 990);
	f.p999_ns = percentile_ns(durations_ns, n, 999);
	f.max_ns = durations_ns[n - 1];
	*figures = f;
}

int figures_of(struct figures *figures, const struct timeline *timeline, enum step step)
{
	struct figures f = { .step = step, .side = timeline->side };
	uint64_t first_ns = UINT64_MAX, last_ns = 0;
	uint64_t *durations_ns = NULL;
	size_t n = 0;

	if (timeline->spans[step] && timeline->connections) {
		durations_ns = malloc(timeline->connections * sizeof(*durations_ns));
		if (!durations_ns)
			return -ENOMEM;
	}
	for (uint32_t i = 0; durations_ns && i < timeline->connections; i++) {
		const struct span *span = timeline_span(timeline, step, i);
		const struct outcome *outcome = &timeline->outcomes[i];
		bool failed = outcome->event != EVENT_NONE && outcome->step == step;

		f.failed += failed;
		if (span->begin_ns && span->begin_ns < first_ns)
			first_ns = span->begin_ns;
		if (!timeline_did(timeline, step, i))
			continue;
		durations_ns[n++] = span_ns(span);
		if (span->end_ns > last_ns)
			last_ns = span->end_ns;
	}
	figures_compute(&f, durations_ns, n, first_ns, last_ns);
	free(durations_ns);
	*figures = f;
	return 0;
}

double figures_per_second(const struct figures *figures)
{
	if (!figures->count || !figures->total_ns)
		return 0;
	return (double)figures->count * 1e9 / (double)figures->total_ns;
}

double figures_in_flight(const struct figures *figures)
{
	if (!figures->count || !figures->total_ns)
		return 0;
	return (double)figures->sum_ns / (double)figures->total_ns;
}

double figures_each_ns(const struct figures *figures)
{
	return figures->side == SIDE_CLIENT ? (double)figures->total_ns / figures->count
					    : (double)figures->mean_ns;
}
