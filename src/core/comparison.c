// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * comparison - values of a file, their ratio to the first's, and the verdict.
 *
 * Pure; main only. What may spoil a comparison is looked for in caution.c.
 */
#include "core/comparison.h"

#include "core/caution.h"
#include "core/mannwhitney.h"
#include "core/result.h"
#include "core/sample.h"
#include "core/setup.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* Every kind of every step of both sides, and the total. */
enum { MEASURES_MOST = SIDES * STEPS * 3 + 1 };

/* Room for a file's values, of which there are no more than results and rounds. */
struct room {
	double *base, *other, *scratch;
};

size_t contender_values(const struct contender *contender, const struct measure *measure,
			const bool summed[static STEPS], double *values, double *scratch)
{
	const struct result_set *set = contender->set;
	size_t n = 0;

	if (contender->by_rounds)
		return measure_of_rounds(measure, &set->results[0], summed, values);
	for (size_t i = 0; i < set->n; i++) {
		size_t rounds = measure_of_rounds(measure, &set->results[i], summed, scratch);

		if (!rounds)
			continue;
		sample_sort(scratch, rounds);
		values[n++] = sample_median(scratch, rounds);
	}
	return n;
}

static void contender_init(struct contender *contender, const char *name,
			   const struct result_set *set)
{
	*contender = (struct contender){ .name = name, .set = set };
	for (size_t i = 0; i < set->n; i++)
		contender->rounds += set->results[i].n_rounds;
	contender->by_rounds = set->n == 1 && contender->rounds > 1;
}

/* A total over steps that only one file has would compare the steps, not the files. */
static void choose_steps(struct comparison *comparison)
{
	static const bool none[STEPS];

	for (enum step step = 0; step < STEPS; step++) {
		const struct measure each = { SIDE_CLIENT, step, MEASURE_EACH };
		size_t with = 0;

		for (size_t k = 0; k < comparison->n; k++) {
			const struct result_set *set = comparison->contenders[k].set;
			bool has = false;
			double ns;

			for (size_t i = 0; i < set->n; i++) {
				for (size_t r = 0; r < set->results[i].n_rounds; r++)
					has |= measure_of_round(&each, &set->results[i].rounds[r],
								none, &ns);
			}
			with += has;
		}
		comparison->summed[step] = with == comparison->n;
	}
}

static void list_measures(struct comparison *comparison)
{
	struct measure *m = comparison->measures;

	for (enum side side = 0; side < SIDES; side++) {
		for (enum step step = 0; step < STEPS; step++) {
			for (enum measure_kind kind = 0; kind < MEASURE_TOTAL; kind++) {
				if (step_is_of(step, side))
					*m++ = (struct measure){ side, step, kind };
			}
		}
		if (side == SIDE_CLIENT)
			*m++ = (struct measure){ side, STEPS, MEASURE_TOTAL };
	}
	comparison->n_measures = (size_t)(m - comparison->measures);
}

static uint32_t connections(const struct run_info *run)
{
	return run->connections;
}

/* Whether it is the same number in all results of both. */
static bool is_same(uint32_t (*number)(const struct run_info *), const struct result_set *a,
		    const struct result_set *b)
{
	const struct result_set *const both[] = { a, b };

	for (int k = 0; k < 2; k++) {
		for (size_t i = 0; i < both[k]->n; i++) {
			if (number(&both[k]->results[i].run) != number(&a->results[0].run))
				return false;
		}
	}
	return true;
}

/* Figures that the number of connections, or how many wait for each other, has made. */
static enum verdict may_judge(const struct measure *measure, const struct result_set *a,
			      const struct result_set *b, enum verdict verdict)
{
	if (measure_is_percentile(measure) && !is_same(setup_window, a, b))
		return VERDICT_WINDOWS;
	if (measure->kind == MEASURE_TOTAL && !is_same(connections, a, b))
		return VERDICT_CONNECTIONS;
	return verdict;
}

static enum verdict judge(const struct finding *f, double margin)
{
	bool differs = f->p < COMPARISON_ALPHA;

	if (differs && f->interval.high < 1 - margin)
		return VERDICT_FASTER;
	if (differs && f->interval.low > 1 + margin)
		return VERDICT_SLOWER;
	if (f->interval.low >= 1 - margin && f->interval.high <= 1 + margin)
		return VERDICT_SAME;
	return VERDICT_OPEN;
}

/* base and other are sorted. */
static int compare_values(struct finding *f, const double *base, size_t n_base, const double *other,
			  double margin)
{
	int ret;

	if (!n_base || !f->n) {
		f->verdict = VERDICT_MISSING;
		return 0;
	}
	ret = mannwhitney_p(other, f->n, base, n_base, &f->p);
	if (ret)
		return ret;
	if (!(base[0] > 0)) {
		f->verdict = VERDICT_ZERO;
		return 0;
	}
	f->ratio = f->median_ns / sample_median(base, n_base);
	f->verdict = VERDICT_TOO_FEW;
	/* Of one value there is nothing to draw. */
	if (f->n < 2 || n_base < 2)
		return 0;
	ret = bootstrap_ratio(other, f->n, base, n_base, &f->interval);
	if (!ret && mannwhitney_least_p(f->n, n_base) < COMPARISON_ALPHA)
		f->verdict = judge(f, margin);
	return ret;
}

/* A file's values of a measure, sorted, and what is found of them alone. */
static void take_values(const struct comparison *comparison, const struct measure *measure,
			size_t k, double *values, double *scratch, struct finding *f)
{
	*f = (struct finding){ .median_ns = NAN, .ratio = NAN, .interval = { NAN, NAN }, .p = NAN };
	f->n = contender_values(&comparison->contenders[k], measure, comparison->summed, values,
				scratch);
	sample_sort(values, f->n);
	if (f->n)
		f->median_ns = sample_median(values, f->n);
}

static int find(const struct comparison *comparison, const struct measure *measure,
		const struct room *room, struct finding *findings)
{
	const struct contender *contenders = comparison->contenders;

	take_values(comparison, measure, 0, room->base, room->scratch, &findings[0]);
	for (size_t k = 1; k < comparison->n; k++) {
		struct finding *f = &findings[k];
		int ret;

		take_values(comparison, measure, k, room->other, room->scratch, f);
		ret = compare_values(f, room->base, findings[0].n, room->other, comparison->margin);
		if (ret)
			return ret;
		if (!isnan(f->ratio))
			f->verdict = may_judge(measure, contenders[0].set, contenders[k].set,
					       f->verdict);
	}
	return 0;
}

static bool any_data(const struct finding *findings, size_t n)
{
	for (size_t k = 0; k < n; k++) {
		if (findings[k].n)
			return true;
	}
	return false;
}

/* Measures that nobody has data of are taken out as they are come upon. */
static int find_all(struct comparison *comparison, const struct room *room)
{
	size_t kept = 0;

	for (size_t i = 0; i < comparison->n_measures; i++) {
		struct finding *findings = &comparison->findings[kept * comparison->n];
		int ret = find(comparison, &comparison->measures[i], room, findings);

		if (ret)
			return ret;
		if (any_data(findings, comparison->n))
			comparison->measures[kept++] = comparison->measures[i];
	}
	comparison->n_measures = kept;
	return 0;
}

static int fill(struct comparison *comparison)
{
	size_t most = 1;
	struct room room;
	int ret = -ENOMEM;

	for (size_t k = 0; k < comparison->n; k++) {
		const struct contender *contender = &comparison->contenders[k];
		size_t n = contender->rounds + contender->set->n;

		most = n > most ? n : most;
	}
	room = (struct room){ calloc(most, sizeof(double)), calloc(most, sizeof(double)),
			      calloc(most, sizeof(double)) };
	if (room.base && room.other && room.scratch) {
		choose_steps(comparison);
		list_measures(comparison);
		ret = find_all(comparison, &room);
	}
	free(room.base);
	free(room.other);
	free(room.scratch);
	return ret;
}

int comparison_make(struct comparison *comparison, const char *const *names,
		    const struct result_set *sets, size_t n, double margin)
{
	struct comparison c = { .n = n, .margin = margin };
	int ret = -ENOMEM;

	c.contenders = calloc(n, sizeof(*c.contenders));
	c.measures = calloc(MEASURES_MOST, sizeof(*c.measures));
	c.findings = calloc(MEASURES_MOST * n, sizeof(*c.findings));
	if (!c.contenders || !c.measures || !c.findings)
		goto fail;
	for (size_t k = 0; k < n; k++)
		contender_init(&c.contenders[k], names[k], &sets[k]);
	ret = fill(&c);
	if (!ret)
		ret = caution_all(&c);
	if (ret)
		goto fail;
	*comparison = c;
	return 0;
fail:
	comparison_free(&c);
	return ret;
}

void comparison_free(struct comparison *comparison)
{
	for (size_t i = 0; i < comparison->n_cautions; i++)
		free(comparison->cautions[i]);
	free(comparison->cautions);
	free(comparison->contenders);
	free(comparison->measures);
	free(comparison->findings);
	*comparison = (struct comparison){ 0 };
}

const struct finding *comparison_at(const struct comparison *comparison, size_t i, size_t k)
{
	return &comparison->findings[i * comparison->n + k];
}
