// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* measure - takes one number out of a round: pure, any thread. */
#include "core/measure.h"

#include "core/result.h"

#include <errno.h>
#include <string.h>

static const char *const names[MEASURE_KINDS] = {
	[MEASURE_EACH] = "us",
	[MEASURE_P50] = "p50",
	[MEASURE_P99] = "p99",
	[MEASURE_TOTAL] = "total",
};

const char *measure_kind_name(enum measure_kind kind)
{
	return names[kind];
}

bool measure_is_percentile(const struct measure *measure)
{
	return measure->kind == MEASURE_P50 || measure->kind == MEASURE_P99;
}

/* The word up to a stop, or to the end, and past the stop. false: there is none, or it is too long.
 */
static bool take_word(const char **text, const char *end, char *word, size_t size)
{
	const char *stop = memchr(*text, '.', (size_t)(end - *text));
	size_t len = (size_t)((stop ? stop : end) - *text);

	if (!len || len >= size)
		return false;
	memcpy(word, *text, len);
	word[len] = '\0';
	*text = stop ? stop + 1 : end;
	return true;
}

int measure_parse(struct measure *measure, const char *text, const char *end)
{
	struct measure m = { .kind = 0 };
	char word[32];

	if (!take_word(&text, end, word, sizeof(word)))
		return -EINVAL;
	m.side = side_from_name(word);
	bool has_side = m.side != SIDES;

	if (has_side && !take_word(&text, end, word, sizeof(word)))
		return -EINVAL;
	m.step = step_from_name(word);
	bool is_all = !strcmp(word, "all");

	if (!is_all && (m.step == STEPS || (has_side && !step_is_of(m.step, m.side))))
		return -EINVAL;
	if (is_all && m.side == SIDE_SERVER)
		return -EINVAL;
	if (!has_side)
		m.side = is_all || step_is_of(m.step, SIDE_CLIENT) ? SIDE_CLIENT : SIDE_SERVER;

	if (!take_word(&text, end, word, sizeof(word)) || text != end || end[-1] == '.')
		return -EINVAL;
	while (m.kind < MEASURE_KINDS && strcmp(names[m.kind], word))
		m.kind++;
	if (m.kind == MEASURE_KINDS || (m.kind == MEASURE_TOTAL) != is_all)
		return -EINVAL;
	*measure = m;
	return 0;
}

bool measure_is(const struct measure *a, const struct measure *b)
{
	return a->side == b->side && a->step == b->step && a->kind == b->kind;
}

static bool total_of_round(const struct round *round, const bool summed[static STEPS], double *ns)
{
	bool any = false;

	*ns = 0;
	for (enum step step = 0; step < STEPS; step++) {
		const struct figures *f = &round->figures[SIDE_CLIENT][step];

		if (!summed[step])
			continue;
		if (!f->count)
			return false;
		*ns += (double)f->total_ns;
		any = true;
	}
	return any;
}

bool measure_of_round(const struct measure *measure, const struct round *round,
		      const bool summed[static STEPS], double *ns)
{
	const struct figures *f;

	if (measure->kind == MEASURE_TOTAL)
		return total_of_round(round, summed, ns);
	f = &round->figures[measure->side][measure->step];
	if (!f->count)
		return false;
	if (measure->kind == MEASURE_P50)
		*ns = (double)f->p50_ns;
	else if (measure->kind == MEASURE_P99)
		*ns = (double)f->p99_ns;
	else
		*ns = figures_each_ns(f);
	return true;
}

size_t measure_of_rounds(const struct measure *measure, const struct result *result,
			 const bool summed[static STEPS], double *values_ns)
{
	size_t n = 0;

	for (size_t i = 0; i < result->n_rounds; i++) {
		if (measure_of_round(measure, &result->rounds[i], summed, &values_ns[n]))
			n++;
	}
	return n;
}
