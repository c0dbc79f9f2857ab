// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * compare_text - lays out a comparison: of two files all that is known of each measure, of more the
 * ratios to the first, with a mark for the verdict.
 */
#include "core/comparison.h"
#include "core/result.h"
#include "out/compare.h"
#include "out/text.h"
#include "out/written.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

/* "server resolve route" fits, and so does what the total is called. */
enum { LABEL = 32, LABEL_WIDTH = 20 };

static const struct {
	const char *words;
	char mark;
} verdicts[VERDICTS] = {
	[VERDICT_FASTER] = { "faster", '<' },
	[VERDICT_SLOWER] = { "slower", '>' },
	[VERDICT_SAME] = { "no difference", '=' },
	[VERDICT_OPEN] = { "no difference shown", '~' },
	[VERDICT_TOO_FEW] = { "too few runs to say", '?' },
	[VERDICT_WINDOWS] = { "windows differ", 'w' },
	[VERDICT_CONNECTIONS] = { "connections differ", 'c' },
	[VERDICT_MISSING] = { "no data", ' ' },
	[VERDICT_ZERO] = { "0 in the first", ' ' },
};

static const char *plural(size_t n)
{
	return n == 1 ? "" : "s";
}

/* The versions that made a file's results, each once, as far as they follow each other. */
static void print_versions(FILE *file, const struct result_set *set)
{
	const char *last = "";

	for (size_t i = 0; i < set->n; i++) {
		const char *version = set->results[i].run.version;

		if (*version && strcmp(version, last))
			fprintf(file, "%s%s", *last ? ", " : ", cmtime ", version);
		if (*version)
			last = version;
	}
}

static void print_contender(FILE *file, const struct contender *contender)
{
	fprintf(file, "%s: %zu result%s", contender->name, contender->set->n,
		plural(contender->set->n));
	if (contender->rounds != contender->set->n)
		fprintf(file, " of %zu round%s", contender->rounds, plural(contender->rounds));
	print_versions(file, contender->set);
	fprintf(file, "\n");
}

static const char *label_of(const struct measure *measure, char label[static LABEL])
{
	if (measure->kind == MEASURE_TOTAL)
		return "all steps";
	snprintf(label, LABEL, "%s%s", measure->side == SIDE_SERVER ? "server " : "",
		 step_label(measure->step));
	return label;
}

static const char *kind_of(const struct measure *measure)
{
	return measure->kind == MEASURE_EACH ? "us/conn" : measure_kind_name(measure->kind);
}

static const char *median_of(const struct measure *measure, const struct finding *f,
			     char text[static TEXT_DURATION])
{
	if (!f->n)
		return "-";
	if (measure->kind != MEASURE_EACH || f->median_ns >= 1e8)
		return text_duration((uint64_t)llround(f->median_ns), text);
	snprintf(text, TEXT_DURATION, "%.2f us", f->median_ns / 1e3);
	return text;
}

static const char *number(double value, char text[static 32])
{
	if (isnan(value))
		return "-";
	snprintf(text, 32, "%.*f", value < 10 ? 3 : value < 100 ? 2 : value < 1000 ? 1 : 0, value);
	return text;
}

static const char *p_of(const struct finding *f, char text[static 32])
{
	if (isnan(f->p))
		return "-";
	if (f->p < 0.0001)
		return "<0.0001";
	snprintf(text, 32, "%.4f", f->p);
	return text;
}

static void print_row(FILE *file, const struct measure *measure, const struct finding *base,
		      const struct finding *f)
{
	char label[LABEL], from[TEXT_DURATION], to[TEXT_DURATION];
	char ratio[32], low[32], high[32], interval[80] = "-", p[32];

	if (!isnan(f->interval.low))
		snprintf(interval, sizeof(interval), "%s to %s", number(f->interval.low, low),
			 number(f->interval.high, high));
	fprintf(file, "%-*s%-8s%12s%12s%8s%17s%9s  %s\n", LABEL_WIDTH, label_of(measure, label),
		kind_of(measure), median_of(measure, base, from), median_of(measure, f, to),
		number(f->ratio, ratio), interval, p_of(f, p), verdicts[f->verdict].words);
}

static void print_pair(FILE *file, const struct comparison *c)
{
	fprintf(file, "%-*s%-8s%12s%12s%8s%17s%9s  %s\n", LABEL_WIDTH, "step", "", "base", "new",
		"ratio", "95 % interval", "p", "verdict");
	for (size_t i = 0; i < c->n_measures; i++)
		print_row(file, &c->measures[i], comparison_at(c, i, 0), comparison_at(c, i, 1));
}

/* "<0.705", or without a mark where there is nothing to say. */
static void print_marked(FILE *file, const struct finding *f)
{
	char mark = verdicts[f->verdict].mark, ratio[32], marked[40];

	snprintf(marked, sizeof(marked), "%.*s%s", mark != ' ', &mark, number(f->ratio, ratio));
	fprintf(file, "%10s", marked);
}

static void print_many(FILE *file, const struct comparison *c)
{
	fprintf(file, "%-*s%-8s%12s", LABEL_WIDTH, "step", "", "[1]");
	for (size_t k = 1; k < c->n; k++) {
		char heading[32];

		snprintf(heading, sizeof(heading), "[%zu]", k + 1);
		fprintf(file, "%10s", heading);
	}
	fprintf(file, "\n");
	for (size_t i = 0; i < c->n_measures; i++) {
		const struct measure *m = &c->measures[i];
		char label[LABEL], text[TEXT_DURATION];

		fprintf(file, "%-*s%-8s%12s", LABEL_WIDTH, label_of(m, label), kind_of(m),
			median_of(m, comparison_at(c, i, 0), text));
		for (size_t k = 1; k < c->n; k++)
			print_marked(file, comparison_at(c, i, k));
		fprintf(file, "\n");
	}
}

static bool has_verdict(const struct comparison *c, enum verdict verdict)
{
	for (size_t i = 0; i < c->n_measures; i++) {
		for (size_t k = 1; k < c->n; k++) {
			if (comparison_at(c, i, k)->verdict == verdict)
				return true;
		}
	}
	return false;
}

static void print_marks(FILE *file, const struct comparison *c)
{
	const char *before = "";

	for (enum verdict v = 0; v < VERDICTS; v++) {
		if (!has_verdict(c, v) || verdicts[v].mark == ' ')
			continue;
		fprintf(file, "%s%c %s", before, verdicts[v].mark, verdicts[v].words);
		before = ", ";
	}
	if (*before)
		fprintf(file, "\n");
}

/* What the two verdicts that are none mean. */
static void print_open(FILE *file, const struct comparison *c)
{
	if (has_verdict(c, VERDICT_OPEN))
		fprintf(file,
			"No difference shown: p is %.2g or more, or the interval leaves open "
			"whether it exceeds the %.9g %%; more runs would tell.\n",
			COMPARISON_ALPHA, c->margin * 100);
	if (has_verdict(c, VERDICT_TOO_FEW))
		fprintf(file,
			"Too few runs: whatever they had measured, p could not be below %.2g. "
			"That takes 4 and 4 of them, or 3 and 5.\n",
			COMPARISON_ALPHA);
}

int compare_print_text(FILE *file, const struct comparison *c)
{
	for (size_t k = 0; k < c->n; k++) {
		if (c->n > 2)
			fprintf(file, "[%zu] ", k + 1);
		else
			fprintf(file, "%-6s", k ? "new" : "base");
		print_contender(file, &c->contenders[k]);
	}
	if (c->n > 2)
		fprintf(file, "Ratios are those to [1]; a difference of %.9g %% is none.\n",
			c->margin * 100);
	else
		fprintf(file, "The ratio is new to base; a difference of %.9g %% is none.\n",
			c->margin * 100);
	if (c->n > 2) {
		print_many(file, c);
		print_marks(file, c);
	} else {
		print_pair(file, c);
	}
	print_open(file, c);
	for (size_t i = 0; i < c->n_cautions; i++)
		fprintf(file, "warning: %s\n", c->cautions[i]);
	errno = 0;
	return written(file);
}
