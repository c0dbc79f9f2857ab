/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * contest_use - makes sets of results out of numbers, and compares two of them.
 *
 * A result has, in each round, one client's step, connect, of 1,000 connections with us/conn, p50
 * and p99 all the same number of microseconds.
 */
#ifndef CMTIME_TESTS_CONTEST_USE_H
#define CMTIME_TESTS_CONTEST_USE_H

#include "core/comparison.h"
#include "core/result.h"

#include <stdlib.h>
#include <string.h>

enum { CONTEST_MOST = 12 };

static inline void contest_step(struct round *round, enum side side, enum step step, double us)
{
	struct figures *f = &round->figures[side][step];

	f->count = 1000;
	f->total_ns = (uint64_t)(us * 1e6);
	f->mean_ns = f->p50_ns = f->p99_ns = (uint64_t)(us * 1e3);
}

/* n results of so many rounds each; the numbers go from round to round. */
static inline struct result_set contest_set(size_t n, size_t rounds, const double *us)
{
	struct result_set set = { calloc(n, sizeof(*set.results)), n };

	assert_non_null(set.results);
	for (size_t i = 0; i < n; i++) {
		struct result *r = &set.results[i];

		assert_int_equal(result_init(r, rounds), 0);
		r->run.connections = 1000;
		r->run.window = 32;
		for (size_t k = 0; k < rounds; k++) {
			r->rounds[k].connected = 1000;
			contest_step(&r->rounds[k], SIDE_CLIENT, STEP_CONNECT, us[i * rounds + k]);
		}
	}
	return set;
}

#define CONTEST_SET(...)                                                                           \
	contest_set(sizeof((double[]){ __VA_ARGS__ }) / sizeof(double), 1,                         \
		    (double[]){ __VA_ARGS__ })

struct contest {
	struct result_set *sets; /* two */
	struct comparison c;
};

/* Takes the sets. */
static inline struct contest contest_of(struct result_set base, struct result_set new,
					double margin)
{
	static const char *const names[] = { "base", "new" };
	struct contest contest = { .sets = calloc(2, sizeof(*contest.sets)) };

	assert_non_null(contest.sets);
	contest.sets[0] = base;
	contest.sets[1] = new;
	assert_int_equal(comparison_make(&contest.c, names, contest.sets, 2, margin), 0);
	return contest;
}

static inline void contest_free(struct contest *contest)
{
	comparison_free(&contest->c);
	result_set_free(&contest->sets[0]);
	result_set_free(&contest->sets[1]);
	free(contest->sets);
}

/* Of the second file; NULL if the measure is in no file. */
static inline const struct finding *contest_find(const struct contest *contest, const char *name)
{
	struct measure m;

	assert_int_equal(measure_parse(&m, name, name + strlen(name)), 0);
	for (size_t i = 0; i < contest->c.n_measures; i++) {
		if (measure_is(&contest->c.measures[i], &m))
			return comparison_at(&contest->c, i, 1);
	}
	return NULL;
}

/* The only caution there is; "" for none. */
static inline const char *contest_caution(const struct contest *contest)
{
	if (contest->c.n_cautions > 1)
		fail_msg("%s; and %s", contest->c.cautions[0], contest->c.cautions[1]);
	return contest->c.n_cautions ? contest->c.cautions[0] : "";
}

#endif
