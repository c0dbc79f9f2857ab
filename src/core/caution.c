// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* caution - looks for each thing in turn, and says it in a line. */
#include "core/caution.h"

#include "core/comparison.h"
#include "core/result.h"
#include "core/sample.h"
#include "core/setup.h"
#include "core/trend.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* More make a list that nobody reads. */
enum { VALUES_SHOWN = 4 };

/* Stricter than for a verdict: every step of every file is looked at. */
static const double trend_alpha = 0.01;

static int add(struct comparison *comparison, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static int add(struct comparison *comparison, const char *format, ...)
{
	char **cautions =
		reallocarray(comparison->cautions, comparison->n_cautions + 1, sizeof(*cautions));
	va_list args;
	int n;

	if (!cautions)
		return -ENOMEM;
	comparison->cautions = cautions;
	va_start(args, format);
	n = vasprintf(&cautions[comparison->n_cautions], format, args);
	va_end(args);
	if (n < 0)
		return -ENOMEM;
	comparison->n_cautions++;
	return 0;
}

/* Closes a memory stream, and if any, adds what was written to it. */
static int add_written(struct comparison *comparison, bool any, FILE *words, char **text)
{
	bool failed = ferror(words);
	int ret = 0;

	if (fclose(words) || failed)
		ret = -ENOMEM;
	else if (any)
		ret = add(comparison, "%s", *text);
	free(*text);
	return ret;
}

static int say_rounds(struct comparison *comparison)
{
	for (size_t k = 0; k < comparison->n; k++) {
		const struct contender *c = &comparison->contenders[k];

		if (c->by_rounds &&
		    add(comparison,
			"%s has one result, so its %zu rounds are compared instead: rounds of a "
			"process are not independent, and know nothing of what differs from one "
			"process to the next",
			c->name, c->rounds))
			return -ENOMEM;
	}
	return 0;
}

/* ---- set-ups ---- */

/* The different values of a set, in the order they appear. */
struct values {
	char text[VALUES_SHOWN][RESULT_NAME];
	size_t n; /* may be more than are shown */
};

static void values_of(struct values *values, size_t field, const struct result_set *set)
{
	values->n = 0;
	for (size_t i = 0; i < set->n && values->n <= VALUES_SHOWN; i++) {
		char text[RESULT_NAME];
		size_t v = 0;

		setup_value(field, &set->results[i].run, text);
		if (!*text)
			continue;
		while (v < values->n && v < VALUES_SHOWN && strcmp(values->text[v], text))
			v++;
		if (v < values->n && v < VALUES_SHOWN)
			continue;
		if (v < VALUES_SHOWN)
			memcpy(values->text[v], text, sizeof(text));
		values->n++;
	}
}

/* No data is not another value. */
static bool values_differ(const struct values *a, const struct values *b)
{
	if (a->n > 1 || b->n > 1)
		return true;
	return a->n && b->n && strcmp(a->text[0], b->text[0]);
}

static void print_values(FILE *words, const struct values *values, const char *name)
{
	for (size_t v = 0; v < values->n && v < VALUES_SHOWN; v++)
		fprintf(words, "%s%s", v ? ", " : "", values->text[v]);
	fprintf(words, "%s%s in %s", values->n > VALUES_SHOWN ? ", ..." : "",
		values->n ? "" : "no data", name);
}

/* What the files have for a field, if any has other than the first: a text to free, else NULL. */
static int find_difference(const struct comparison *comparison, size_t field, char **text)
{
	const struct contender *contenders = comparison->contenders;
	struct values base, other;
	bool differs = false;
	size_t size;
	FILE *words;

	*text = NULL;
	words = open_memstream(text, &size);
	if (!words)
		return -ENOMEM;
	values_of(&base, field, contenders[0].set);
	print_values(words, &base, contenders[0].name);
	for (size_t k = 1; k < comparison->n; k++) {
		values_of(&other, field, contenders[k].set);
		if (!values_differ(&base, &other))
			continue;
		differs = true;
		fprintf(words, "; ");
		print_values(words, &other, contenders[k].name);
	}
	bool failed = ferror(words);

	failed |= fclose(words) != 0;
	if (failed || !differs) {
		free(*text);
		*text = NULL;
	}
	return failed ? -ENOMEM : 0;
}

static int say_setup(struct comparison *comparison, const char *whose, size_t field,
		     const char *values)
{
	return values ? add(comparison, "the set-ups differ: %s%s %s", whose, setup_name(field),
			    values)
		      : 0;
}

/* What is the same on both sides, as where one host has both, is said once. */
static int say_setup_of_sides(struct comparison *comparison, size_t field)
{
	char *client, *server = NULL;
	int ret = find_difference(comparison, field, &client);

	if (!ret)
		ret = find_difference(comparison, field + 1, &server);
	if (!ret && client && server && !strcmp(client, server)) {
		ret = say_setup(comparison, "both sides' ", field, client);
	} else if (!ret) {
		ret = say_setup(comparison, "client's ", field, client);
		if (!ret)
			ret = say_setup(comparison, "server's ", field, server);
	}
	free(client);
	free(server);
	return ret;
}

static int say_setups(struct comparison *comparison)
{
	int ret = 0;

	for (size_t i = 0; i < setup_size() && !ret; i++) {
		if (setup_side(i) == SIDE_CLIENT) {
			ret = say_setup_of_sides(comparison, i++);
		} else {
			char *values;

			ret = find_difference(comparison, i, &values);
			if (!ret)
				ret = say_setup(comparison, "", i, values);
			free(values);
		}
	}
	return ret;
}

static int say_windows(struct comparison *comparison)
{
	for (size_t i = 0; i < comparison->n_measures * comparison->n; i++) {
		if (i % comparison->n && comparison->findings[i].verdict == VERDICT_WINDOWS)
			return add(
				comparison,
				"the windows differ, so there is no verdict on percentiles: a "
				"connection's own time includes waiting behind the others in its "
				"window; us/conn can be compared");
	}
	return 0;
}

static int compare_words(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* A run that is there twice is no second run. */
static int say_twice(struct comparison *comparison)
{
	size_t most = 0, n = 0, again = 0;
	const char **ids;
	int ret = 0;

	for (size_t k = 0; k < comparison->n; k++)
		most += comparison->contenders[k].set->n;
	ids = calloc(most, sizeof(*ids));
	if (!ids)
		return -ENOMEM;
	for (size_t k = 0; k < comparison->n; k++) {
		const struct result_set *set = comparison->contenders[k].set;

		for (size_t i = 0; i < set->n; i++) {
			if (*set->results[i].run.run_id)
				ids[n++] = set->results[i].run.run_id;
		}
	}
	qsort(ids, n, sizeof(*ids), compare_words);
	for (size_t i = 1; i < n; i++)
		again += !strcmp(ids[i], ids[i - 1]);
	if (again)
		ret = add(comparison,
			  "%zu of the %zu results %s a run that is there already: a run counts as "
			  "often as it is there, but tells no more",
			  again, most, again == 1 ? "is of" : "are of");
	free(ids);
	return ret;
}

/* ---- what is in the figures ---- */

static bool has_step(const struct comparison *comparison, size_t k, enum step step)
{
	const struct result_set *set = comparison->contenders[k].set;

	for (size_t i = 0; i < set->n; i++) {
		for (size_t r = 0; r < set->results[i].n_rounds; r++) {
			if (set->results[i].rounds[r].figures[SIDE_CLIENT][step].count)
				return true;
		}
	}
	return false;
}

static int say_left_out(struct comparison *comparison)
{
	char *text = NULL;
	bool any = false;
	size_t size;
	FILE *words = open_memstream(&text, &size);

	if (!words)
		return -ENOMEM;
	fprintf(words, "the total of all steps is without those that a file has not:");
	for (enum step step = 0; step < STEPS; step++) {
		size_t k = 0;

		while (k < comparison->n && !has_step(comparison, k, step))
			k++;
		if (k == comparison->n || comparison->summed[step])
			continue;
		fprintf(words, "%s %s", any ? "," : "", step_label(step));
		any = true;
	}
	return add_written(comparison, any, words, &text);
}

static bool any_failed(const struct result *result)
{
	for (size_t r = 0; r < result->n_rounds; r++) {
		const struct round *round = &result->rounds[r];

		if (round->ledger.n)
			return true;
		for (enum side side = 0; side < SIDES; side++) {
			for (enum step step = 0; step < STEPS; step++) {
				if (round->figures[side][step].failed)
					return true;
			}
		}
	}
	return false;
}

/* Whether a REQ or DREQ was sent again. */
static bool any_retried(const struct result *result)
{
	static const enum cm_message asked[] = { CM_REQ, CM_DREQ };

	for (size_t r = 0; r < result->n_rounds; r++) {
		for (size_t m = 0; m < sizeof(asked) / sizeof(*asked); m++) {
			struct cm_count total;

			if (round_cm_total(&result->run, &result->rounds[r], STEPS, asked[m],
					   &total) &&
			    total.retries)
				return true;
		}
	}
	return false;
}

/* "WHAT in 2 of 5 results in FILE: SO", for each file that has results of that kind. */
static int say_results(struct comparison *comparison, bool (*is_one)(const struct result *),
		       const char *what, const char *so)
{
	for (size_t k = 0; k < comparison->n; k++) {
		const struct contender *c = &comparison->contenders[k];
		size_t n = 0;

		for (size_t i = 0; i < c->set->n; i++)
			n += is_one(&c->set->results[i]);
		if (n && add(comparison, "%s in %zu of %zu result%s in %s: %s", what, n, c->set->n,
			     c->set->n == 1 ? "" : "s", c->name, so))
			return -ENOMEM;
	}
	return 0;
}

static int say_failures(struct comparison *comparison)
{
	return say_results(comparison, any_failed, "connections failed",
			   "their steps are in no figure, but took time from the others");
}

static int say_retries(struct comparison *comparison)
{
	return say_results(comparison, any_retried, "CM messages were sent again",
			   "a wait for the CM's time-out is seconds of its step");
}

/* ---- drift ---- */

/* From the median of the first third of a series to that of the last. */
static double change(const double *values, size_t n, double *scratch)
{
	size_t third = n < 6 ? 1 : n / 3;
	double first, last;

	memcpy(scratch, values, third * sizeof(*values));
	sample_sort(scratch, third);
	first = sample_median(scratch, third);
	memcpy(scratch, values + n - third, third * sizeof(*values));
	sample_sort(scratch, third);
	last = sample_median(scratch, third);
	return first > 0 ? last / first : 1;
}

/* Room for as many values as a file has rounds or results. */
struct drift {
	double *values, *scratch, *changes;
};

/* The trend of a measure over the rounds of each result; the usual change of a result. */
static double rounds_drift(const struct contender *c, const struct measure *measure,
			   const struct drift *room, struct trend *trend)
{
	static const bool none[STEPS];
	size_t n_changes = 0;

	for (size_t i = 0; i < c->set->n; i++) {
		size_t n = measure_of_rounds(measure, &c->set->results[i], none, room->values);

		trend_add(trend, room->values, n);
		if (n > 1)
			room->changes[n_changes++] = change(room->values, n, room->scratch);
	}
	if (!n_changes)
		return 1;
	sample_sort(room->changes, n_changes);
	return sample_median(room->changes, n_changes);
}

/* And over the results of the file. */
static double results_drift(const struct contender *c, const struct measure *measure,
			    const struct drift *room, struct trend *trend)
{
	static const bool none[STEPS];
	size_t n =
		c->by_rounds ? 0 : contender_values(c, measure, none, room->values, room->scratch);

	trend_add(trend, room->values, n);
	return n > 1 ? change(room->values, n, room->scratch) : 1;
}

static int say_drift_of(struct comparison *comparison, const struct contender *c,
			const struct drift *room, const char *what,
			double (*drift)(const struct contender *, const struct measure *,
					const struct drift *, struct trend *))
{
	char *text = NULL;
	bool any = false;
	size_t size;
	FILE *words = open_memstream(&text, &size);

	if (!words)
		return -ENOMEM;
	fprintf(words, "the %s of %s drift, first third to last, in us/conn of", what, c->name);
	for (size_t i = 0; i < comparison->n_measures; i++) {
		const struct measure *m = &comparison->measures[i];
		struct trend trend = { 0 };
		double ratio;

		if (m->kind != MEASURE_EACH)
			continue;
		ratio = drift(c, m, room, &trend);
		if (!(trend_p(&trend) < trend_alpha) || !(fabs(ratio - 1) > comparison->margin))
			continue;
		fprintf(words, "%s %s%s %+.1f %%", any ? "," : "",
			m->side == SIDE_SERVER ? "server " : "", step_label(m->step),
			(ratio - 1) * 100);
		any = true;
	}
	return add_written(comparison, any, words, &text);
}

static int say_drift(struct comparison *comparison)
{
	int ret = 0;

	for (size_t k = 0; k < comparison->n && !ret; k++) {
		const struct contender *c = &comparison->contenders[k];
		size_t n = c->rounds + c->set->n;
		struct drift room = { calloc(n, sizeof(double)), calloc(n, sizeof(double)),
				      calloc(n, sizeof(double)) };

		if (!room.values || !room.scratch || !room.changes)
			ret = -ENOMEM;
		if (!ret)
			ret = say_drift_of(comparison, c, &room, "rounds", rounds_drift);
		if (!ret)
			ret = say_drift_of(comparison, c, &room, "results", results_drift);
		free(room.values);
		free(room.scratch);
		free(room.changes);
	}
	return ret;
}

int caution_all(struct comparison *comparison)
{
	static int (*const all[])(struct comparison *) = {
		say_rounds,   say_twice,    say_setups,	 say_windows,
		say_left_out, say_failures, say_retries, say_drift,
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		int ret = all[i](comparison);

		if (ret)
			return ret;
	}
	return 0;
}
