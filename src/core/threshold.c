// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* threshold - one table of fields, for parsing and for looking the figure up. */
#include "core/threshold.h"

#include "core/number.h"
#include "core/result.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct figure_field {
	const char *name;
	enum unit unit;
	double (*get)(const struct figures *);
};

#define TIME_FIELD(name)                                                                           \
	static double get_##name(const struct figures *f)                                          \
	{                                                                                          \
		return (double)f->name##_ns;                                                       \
	}
TIME_FIELD(total)
TIME_FIELD(sum)
TIME_FIELD(mean)
TIME_FIELD(min)
TIME_FIELD(p50)
TIME_FIELD(p90)
TIME_FIELD(p99)
TIME_FIELD(p999)
TIME_FIELD(max)
TIME_FIELD(stddev)

static double get_count(const struct figures *f)
{
	return f->count;
}

static double get_failed(const struct figures *f)
{
	return f->failed;
}

static double get_spread(const struct figures *f)
{
	return (double)(f->max_ns - f->min_ns);
}

static const struct figure_field fields[] = {
	{ "count", UNIT_COUNT, get_count },
	{ "failed", UNIT_COUNT, get_failed },
	{ "total", UNIT_TIME_NS, get_total },
	{ "sum", UNIT_TIME_NS, get_sum },
	{ "mean", UNIT_TIME_NS, get_mean },
	{ "min", UNIT_TIME_NS, get_min },
	{ "p50", UNIT_TIME_NS, get_p50 },
	{ "p90", UNIT_TIME_NS, get_p90 },
	{ "p99", UNIT_TIME_NS, get_p99 },
	{ "p999", UNIT_TIME_NS, get_p999 },
	{ "max", UNIT_TIME_NS, get_max },
	{ "stddev", UNIT_TIME_NS, get_stddev },
	{ "spread", UNIT_TIME_NS, get_spread },
	{ "per_second", UNIT_RATE, figures_per_second },
	{ "in_flight", UNIT_RATE, figures_in_flight },
};

enum { N_FIELDS = sizeof(fields) / sizeof(*fields) };

/* Fields beyond those: a message's counter, as "req_retries". */
static size_t find_field(const char *name, enum unit *unit)
{
	for (size_t i = 0; i < N_FIELDS; i++) {
		if (!strcmp(fields[i].name, name)) {
			*unit = fields[i].unit;
			return i;
		}
	}
	*unit = UNIT_COUNT;
	for (size_t i = 0; i < (size_t)CM_MESSAGES * CM_COUNTERS; i++) {
		char key[CM_KEY];

		if (!strcmp(cm_key(key, (enum cm_message)(i / CM_COUNTERS), (int)(i % CM_COUNTERS)),
			    name))
			return N_FIELDS + i;
	}
	return SIZE_MAX;
}

/* The text up to the next stop, and past it. NULL: there is none, or it is too long. */
static const char *take_word(const char *text, char stop, char *word, size_t size)
{
	const char *end = strchr(text, stop);

	if (!end || (size_t)(end - text) >= size)
		return NULL;
	memcpy(word, text, (size_t)(end - text));
	word[end - text] = '\0';
	return end + 1;
}

/* Digits, a fraction, and k or M: no 1e3, which is no number elsewhere on the command line either.
 */
static int parse_rate(const char *text, double *rate)
{
	static const char digits[] = "0123456789";
	size_t whole = strspn(text, digits), fraction = 0;
	const char *unit = text + whole;

	if (*unit == '.') {
		fraction = strspn(unit + 1, digits);
		unit += fraction ? 1 + fraction : 0;
	}
	if (!whole || (*unit && strcmp(unit, "k") && strcmp(unit, "M")))
		return -EINVAL;
	double value = strtod(text, NULL) * (*unit == 'k' ? 1e3 : *unit == 'M' ? 1e6 : 1);

	if (value > 1e18)
		return -ERANGE;
	*rate = value;
	return 0;
}

static int parse_value(struct threshold *t, const char *text)
{
	uint64_t number;
	int ret;

	switch (t->unit) {
	case UNIT_COUNT:
		ret = number_count(text, 0, INT64_MAX, &number);
		break;
	case UNIT_TIME_NS:
		ret = number_time_ns(text, &number);
		break;
	default:
		return parse_rate(text, &t->limit);
	}
	if (!ret)
		t->limit = (double)number;
	return ret;
}

int threshold_parse(struct threshold *threshold, const char *text, bool above, char *why,
		    size_t size)
{
	static const char *const values[] = { [UNIT_COUNT] = "a count",
					      [UNIT_TIME_NS] = "a time such as 5ms",
					      [UNIT_RATE] = "a number" };
	struct threshold t = { .text = text, .above = above };
	char word[32];
	const char *rest = take_word(text, '.', word, sizeof(word));

	t.side = rest ? side_from_name(word) : SIDES;
	bool has_side = t.side != SIDES;

	if (has_side)
		rest = take_word(rest, '.', word, sizeof(word));
	t.step = rest ? step_from_name(word) : STEPS;
	if (t.step == STEPS || (has_side && !step_is_of(t.step, t.side))) {
		snprintf(why, size, "[SIDE.]STEP.FIELD=VALUE with a step%s such as connect.p99=5ms",
			 has_side ? " of that side" : "");
		return -EINVAL;
	}
	if (!has_side)
		t.side = step_is_of(t.step, SIDE_CLIENT) ? SIDE_CLIENT : SIDE_SERVER;
	rest = take_word(rest, '=', word, sizeof(word));
	t.field = rest ? find_field(word, &t.unit) : SIZE_MAX;
	if (t.field == SIZE_MAX) {
		snprintf(why, size,
			 "a figure of a step: count, failed, total, sum, mean, min, p50, p90, p99, "
			 "p999, max, stddev, spread, per_second, in_flight, or req_retries and the "
			 "like");
		return -EINVAL;
	}
	if (parse_value(&t, rest)) {
		snprintf(why, size, "%s after the =", values[t.unit]);
		return -EINVAL;
	}
	*threshold = t;
	return 0;
}

static bool look_up(const struct threshold *t, const struct run_info *run,
		    const struct round *round, double *value)
{
	if (t->field < N_FIELDS) {
		const struct figures *f = &round->figures[t->side][t->step];

		*value = fields[t->field].get(f);
		if (t->unit == UNIT_COUNT)
			return round_has_step(round, t->side, t->step);
		/* As in JSON: a rate over no time is no data. */
		return f->count && (t->unit != UNIT_RATE || *value > 0);
	}
	size_t i = t->field - N_FIELDS;
	struct cm_count total;

	if (!round_cm_total(run, round, t->step, (enum cm_message)(i / CM_COUNTERS), &total))
		return false;
	const uint64_t counters[CM_COUNTERS] = { total.sent, total.retries, total.received,
						 total.duplicates };
	*value = (double)counters[i % CM_COUNTERS];
	return true;
}

enum threshold_state threshold_check(const struct threshold *threshold, const struct result *result,
				     double *value)
{
	double worst = 0;

	for (size_t i = 0; i < result->n_rounds; i++) {
		double one;

		if (!look_up(threshold, &result->run, &result->rounds[i], &one))
			return THRESHOLD_NO_DATA;
		if (!i || (threshold->above ? one > worst : one < worst))
			worst = one;
	}
	if (!result->n_rounds)
		return THRESHOLD_NO_DATA;
	*value = worst;
	return (threshold->above ? worst > threshold->limit : worst < threshold->limit)
		       ? THRESHOLD_BROKEN
		       : THRESHOLD_HOLDS;
}
