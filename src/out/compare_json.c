// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* compare_json - a comparison as one JSON object; its keys are never renamed within a schema. */
#include "core/comparison.h"
#include "core/result.h"
#include "out/compare.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>

static const char *const verdicts[VERDICTS] = {
	[VERDICT_FASTER] = "faster",	    [VERDICT_SLOWER] = "slower",
	[VERDICT_SAME] = "no difference",   [VERDICT_OPEN] = "no difference",
	[VERDICT_TOO_FEW] = "too few runs",
};

static const char *const reasons[VERDICTS] = {
	[VERDICT_WINDOWS] = "windows differ",
	[VERDICT_CONNECTIONS] = "connections differ",
	[VERDICT_MISSING] = "no data",
	[VERDICT_ZERO] = "zero in the first",
};

static json_t *number(double value)
{
	return isnan(value) ? json_null() : json_real(value);
}

static json_t *words(const char *text)
{
	return text ? json_string(text) : json_null();
}

/* NULL, and json let go, if any part of it could not be made. */
static json_t *whole(int failed, json_t *json)
{
	if (!failed)
		return json;
	json_decref(json);
	return NULL;
}

static json_t *contender_to_json(const struct contender *contender)
{
	json_t *json = json_object();
	int failed = json_object_set_new(json, "file", json_string(contender->name));

	failed |= json_object_set_new(json, "results", json_integer((json_int_t)contender->set->n));
	failed |= json_object_set_new(json, "rounds", json_integer((json_int_t)contender->rounds));
	failed |= json_object_set_new(json, "unit",
				      json_string(contender->by_rounds ? "round" : "result"));
	return whole(failed, json);
}

static json_t *base_to_json(const struct finding *f)
{
	json_t *json = json_object();
	int failed = json_object_set_new(json, "n", json_integer((json_int_t)f->n));

	failed |= json_object_set_new(json, "median_ns", number(f->median_ns));
	return whole(failed, json);
}

static json_t *finding_to_json(const struct finding *f, double margin)
{
	json_t *json = base_to_json(f);
	bool within = f->interval.low >= 1 - margin && f->interval.high <= 1 + margin;
	int failed = json_object_set_new(json, "ratio", number(f->ratio));

	failed |= json_object_set_new(json, "low", number(f->interval.low));
	failed |= json_object_set_new(json, "high", number(f->interval.high));
	failed |= json_object_set_new(json, "p", number(f->p));
	failed |= json_object_set_new(json, "within_margin",
				      isnan(f->interval.low) ? json_null() : json_boolean(within));
	failed |= json_object_set_new(json, "verdict", words(verdicts[f->verdict]));
	failed |= json_object_set_new(json, "no_verdict", words(reasons[f->verdict]));
	return whole(failed, json);
}

static json_t *row_to_json(const struct comparison *c, size_t i)
{
	const struct measure *m = &c->measures[i];
	json_t *json = json_object(), *others = json_array();
	int failed = json_object_set_new(json, "step",
					 json_string(m->step < STEPS ? step_name(m->step) : "all"));

	failed |= json_object_set_new(json, "side", json_string(side_name(m->side)));
	failed |= json_object_set_new(json, "measure", json_string(measure_kind_name(m->kind)));
	failed |= json_object_set_new(json, "base", base_to_json(comparison_at(c, i, 0)));
	for (size_t k = 1; k < c->n; k++)
		failed |= json_array_append_new(others,
						finding_to_json(comparison_at(c, i, k), c->margin));
	failed |= json_object_set_new(json, "new", others);
	return whole(failed, json);
}

static json_t *comparison_to_json(const struct comparison *c)
{
	json_t *json = json_object(), *files = json_array(), *rows = json_array(),
	       *cautions = json_array();
	int failed = json_object_set_new(json, "schema", json_string("cmtime-compare/1"));

	for (size_t k = 0; k < c->n; k++)
		failed |= json_array_append_new(files, contender_to_json(&c->contenders[k]));
	for (size_t i = 0; i < c->n_measures; i++)
		failed |= json_array_append_new(rows, row_to_json(c, i));
	for (size_t i = 0; i < c->n_cautions; i++)
		failed |= json_array_append_new(cautions, json_string(c->cautions[i]));
	failed |= json_object_set_new(json, "margin", json_real(c->margin));
	failed |= json_object_set_new(json, "alpha", json_real(COMPARISON_ALPHA));
	failed |= json_object_set_new(json, "files", files);
	failed |= json_object_set_new(json, "rows", rows);
	failed |= json_object_set_new(json, "warnings", cautions);
	return whole(failed, json);
}

int compare_print_json(FILE *file, const struct comparison *comparison)
{
	json_t *json = comparison_to_json(comparison);
	int failed;

	if (!json)
		return -ENOMEM;
	errno = 0;
	failed = json_dumpf(json, file, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
	json_decref(json);
	if (failed || fputc('\n', file) == EOF || fflush(file) || ferror(file))
		return errno ? -errno : -EIO;
	return 0;
}
