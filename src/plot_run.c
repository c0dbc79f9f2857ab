// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * plot_run - adds up what each step took, and picks the points of one: main only.
 *
 * A client's steps come one connection after another, so a step's time for a connection is that of
 * all, first call to last completion, by their number; a server's lie within the client's, and
 * there it is the mean, as in the text report.
 */
#include "plot_run.h"

#include "core/result.h"
#include "core/result_file.h"
#include "core/samples_file.h"
#include "host/log.h"
#include "out/plot.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

int plot_source_of(FILE *file, enum plot_source *source)
{
	int c = getc(file);

	/* What is put back is one byte, so whitespace that a result may begin with is lost to it.
	 */
	while (c != EOF && isspace(c))
		c = getc(file);
	ungetc(c, file);
	if (c != '{' && !isalpha(c))
		return -EPROTO;
	*source = c == '{' ? PLOT_RESULTS : PLOT_SAMPLES;
	return 0;
}

/* ---- of a step, over all rounds ---- */

struct sum {
	uint64_t count;
	double total_ns, sum_ns;
};

static double sum_each_ns(const struct sum *sum, enum side side)
{
	if (!sum->count)
		return 0;
	return (side == SIDE_CLIENT ? sum->total_ns : sum->sum_ns) / (double)sum->count;
}

/* ---- samples ---- */

/* From the first begin of a step in a round to its last end. */
struct extent {
	uint64_t first_ns, last_ns;
	bool begun;
};

struct loader {
	struct plot_run *run;
	enum side side;
	enum step step;
	size_t size;			 /* of points */
	uint32_t *rounds;		 /* [point], as long as points */
	struct extent (*extents)[STEPS]; /* [round - 1] */
	uint32_t n_rounds;
	struct sum sums[STEPS];
};

static int add_point(struct loader *loader, const struct sample_step *sample, uint32_t round)
{
	struct plot_run *run = loader->run;

	if (run->n == loader->size) {
		size_t size = loader->size ? 2 * loader->size : 1024;
		void *points = reallocarray(run->points, size, sizeof(*run->points));
		void *rounds;

		if (!points)
			return -ENOMEM;
		run->points = points;
		rounds = reallocarray(loader->rounds, size, sizeof(*loader->rounds));
		if (!rounds)
			return -ENOMEM;
		loader->rounds = rounds;
		loader->size = size;
	}
	loader->rounds[run->n] = round;
	run->points[run->n++] = (struct plot_point){ sample->begin_ns, sample->ns };
	return 0;
}

static void add_sample(struct loader *loader, const struct sample_step *sample, enum step step,
		       uint32_t round)
{
	struct extent *extent = &loader->extents[round - 1][step];

	if (!extent->begun || sample->begin_ns < extent->first_ns)
		extent->first_ns = sample->begin_ns;
	extent->begun = true;
	if (!sample->done)
		return;
	if (sample->begin_ns + sample->ns > extent->last_ns)
		extent->last_ns = sample->begin_ns + sample->ns;
	loader->sums[step].count++;
	loader->sums[step].sum_ns += (double)sample->ns;
}

static int take_row(void *arg, const struct sample_row *row)
{
	struct loader *loader = arg;

	if (row->side != loader->side)
		return 0;
	if (row->round > loader->n_rounds)
		loader->n_rounds = row->round;
	for (enum step step = 0; step < STEPS; step++) {
		if (row->steps[step].begun)
			add_sample(loader, &row->steps[step], step, row->round);
	}
	if (row->failed_in == loader->step)
		loader->run->failed++;
	return row->steps[loader->step].done
		       ? add_point(loader, &row->steps[loader->step], row->round)
		       : 0;
}

/* Once all have been read it is known when each round's first one began. */
static void finish_samples(struct loader *loader)
{
	struct plot_run *run = loader->run;

	for (size_t i = 0; i < run->n; i++)
		run->points[i].begin_ns -=
			loader->extents[loader->rounds[i] - 1][loader->step].first_ns;
	for (enum step step = 0; step < STEPS; step++) {
		for (uint32_t i = 0; i < loader->n_rounds; i++) {
			const struct extent *extent = &loader->extents[i][step];

			if (extent->last_ns > extent->first_ns)
				loader->sums[step].total_ns +=
					(double)(extent->last_ns - extent->first_ns);
		}
		run->each_ns[step] = sum_each_ns(&loader->sums[step], loader->side);
	}
}

int plot_run_load_samples(struct plot_run *run, FILE *file, const char *path, enum side side,
			  enum step step)
{
	struct loader loader = { .run = run, .side = side, .step = step };
	struct samples_error error = { .text = "out of memory" };
	int ret = -ENOMEM;

	loader.extents = calloc(MAX_ROUNDS, sizeof(*loader.extents));
	if (loader.extents)
		ret = samples_read(file, take_row, &loader, &error);
	if (ret == -EPROTO && error.line)
		log_error("%s:%zu: %s", path, error.line, error.text);
	else if (ret)
		log_error("%s: %s: %s", path, error.text, log_errno(ret));
	else
		finish_samples(&loader);
	free(loader.rounds);
	free(loader.extents);
	if (ret) {
		free(run->points);
		run->points = NULL;
		run->n = 0;
	}
	return ret;
}

/* ---- results ---- */

static void add_result(struct sum sums[STEPS], const struct result *result, enum side side)
{
	for (size_t i = 0; i < result->n_rounds; i++) {
		for (enum step step = 0; step < STEPS; step++) {
			const struct figures *figures = &result->rounds[i].figures[side][step];

			sums[step].count += figures->count;
			sums[step].total_ns += (double)figures->total_ns;
			sums[step].sum_ns += (double)figures->mean_ns * figures->count;
		}
	}
}

int plot_run_load_results(struct plot_run *run, FILE *file, const char *path, enum side side)
{
	struct sum sums[STEPS] = { 0 };
	char why[RESULT_SET_WHY];
	struct result_set set;
	int ret = result_set_load(&set, file, why);

	if (ret) {
		log_error("%s: %s", path, why);
		return ret;
	}
	for (size_t i = 0; i < set.n; i++)
		add_result(sums, &set.results[i], side);
	for (enum step step = 0; step < STEPS; step++)
		run->each_ns[step] = sum_each_ns(&sums[step], side);
	result_set_free(&set);
	return 0;
}
