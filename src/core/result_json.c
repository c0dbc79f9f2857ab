// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * result_json - the one JSON codec of a result, schema "cmtime-result/1": first to JSON, then,
 * checked, from it.
 *
 * Pure; main only. What is read comes from the network or a file and is hostile until checked; keys
 * are never renamed.
 */
#include "core/result.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define SCHEMA "cmtime-result/1"

/* A row's keys in their order; figures hold them all as uint64_t. */
static const struct {
	const char *key;
	size_t at;
} durations[] = {
	{ "total_ns", offsetof(struct figures, total_ns) },
	{ "sum_ns", offsetof(struct figures, sum_ns) },
	{ "mean_ns", offsetof(struct figures, mean_ns) },
	{ "min_ns", offsetof(struct figures, min_ns) },
	{ "p50_ns", offsetof(struct figures, p50_ns) },
	{ "p90_ns", offsetof(struct figures, p90_ns) },
	{ "p99_ns", offsetof(struct figures, p99_ns) },
	{ "p999_ns", offsetof(struct figures, p999_ns) },
	{ "max_ns", offsetof(struct figures, max_ns) },
	{ "stddev_ns", offsetof(struct figures, stddev_ns) },
};

enum { N_DURATIONS = sizeof(durations) / sizeof(*durations) };

/* The longest is "sidr_req_duplicates". */
enum { CM_KEY = 32 };

static const char *const cm_counters[] = { "sent", "retries", "received", "duplicates" };

enum { N_CM_COUNTERS = sizeof(cm_counters) / sizeof(*cm_counters) };

static const char *cm_key(char key[static CM_KEY], enum cm_message message, int counter)
{
	snprintf(key, CM_KEY, "%s_%s", cm_message_name(message), cm_counters[counter]);
	return key;
}

/* ---- to JSON ---- */

/* A set of NULL, or into NULL, fails and drops what was to be set: so failures may be gathered and
 * looked at once. */
static json_t *all_or_nothing(json_t *json, int failed)
{
	if (!failed)
		return json;
	json_decref(json);
	return NULL;
}

static json_t *integer(uint64_t value)
{
	return json_integer(value > INT64_MAX ? INT64_MAX : (json_int_t)value);
}

static json_t *integer_or_null(uint64_t value)
{
	return value ? integer(value) : json_null();
}

static bool is_printable(char c)
{
	return c >= ' ' && c <= '~';
}

/* A host may be named anything; a report goes to terminals. */
static json_t *text_or_null(const char *text, size_t size)
{
	char clean[RESULT_NAME];
	size_t n = 0;

	for (; n < size && n < sizeof(clean) - 1 && text[n]; n++)
		clean[n] = is_printable(text[n]) ? text[n] : '?';
	clean[n] = '\0';
	return n ? json_string(clean) : json_null();
}

#define TEXT(array) text_or_null((array), sizeof(array))

static json_t *end_to_json(const struct endpoint_info *end)
{
	json_t *json = json_object();
	int failed = 0;

	failed |= json_object_set_new(json, "host", TEXT(end->host));
	failed |= json_object_set_new(json, "address", TEXT(end->address));
	failed |= json_object_set_new(json, "device", TEXT(end->device));
	failed |= json_object_set_new(json, "port", integer_or_null(end->port));
	failed |= json_object_set_new(json, "transport", TEXT(end->transport));
	return all_or_nothing(json, failed);
}

static json_t *run_to_json(const struct run_info *run)
{
	json_t *json = json_object();
	int failed = 0;

	failed |= json_object_set_new(json, "run_id", TEXT(run->run_id));
	failed |=
		json_object_set_new(json, "reported_by", json_string(side_name(run->reported_by)));
	failed |= json_object_set_new(json, "connections", integer(run->connections));
	failed |= json_object_set_new(
		json, "window", run->window ? integer(run->window) : json_string("unlimited"));
	failed |= json_object_set_new(json, "threads", integer_or_null(run->threads));
	failed |= json_object_set_new(json, "server_threads", integer_or_null(run->server_threads));
	failed |= json_object_set_new(json, "listeners", integer_or_null(run->listeners));
	failed |= json_object_set_new(json, "reap", TEXT(run->reap));
	failed |=
		json_object_set_new(json, "step_timeout_ns", integer_or_null(run->step_timeout_ns));
	for (enum side side = 0; side < SIDES; side++)
		failed |= json_object_set_new(json, side_name(side), end_to_json(&run->ends[side]));
	return all_or_nothing(json, failed);
}

static json_t *begin_to_json(const struct round *round)
{
	json_t *json = json_array();
	int failed = 0;

	for (enum side side = 0; side < SIDES; side++) {
		json_t *row;

		if (!round->begin_ns[side])
			continue;
		row = json_object();
		failed |= json_object_set_new(row, "side", json_string(side_name(side)));
		failed |= json_object_set_new(row, "monotonic_ns", integer(round->begin_ns[side]));
		failed |= json_array_append_new(json, row);
	}
	return all_or_nothing(json, failed);
}

static json_t *figures_to_json(const struct figures *figures)
{
	double per_second = figures_per_second(figures);
	json_t *json = json_object();
	int failed = 0;

	failed |= json_object_set_new(json, "step", json_string(step_name(figures->step)));
	failed |= json_object_set_new(json, "side", json_string(side_name(figures->side)));
	failed |= json_object_set_new(json, "count", integer(figures->count));
	failed |= json_object_set_new(json, "failed", integer(figures->failed));
	for (int i = 0; i < N_DURATIONS; i++) {
		uint64_t value;

		memcpy(&value, (const char *)figures + durations[i].at, sizeof(value));
		failed |= json_object_set_new(json, durations[i].key,
					      figures->count ? integer(value) : json_null());
	}
	failed |= json_object_set_new(json, "per_second",
				      per_second > 0 ? json_real(per_second) : json_null());
	return all_or_nothing(json, failed);
}

static json_t *steps_to_json(const struct round *round)
{
	json_t *json = json_array();
	int failed = 0;

	for (enum side side = 0; side < SIDES; side++) {
		for (enum step step = 0; step < STEPS; step++) {
			struct figures figures = round->figures[side][step];

			if (!round_has_step(round, side, step))
				continue;
			/* Where it stands says what it is. */
			figures.side = side;
			figures.step = step;
			failed |= json_array_append_new(json, figures_to_json(&figures));
		}
	}
	return all_or_nothing(json, failed);
}

static json_t *outcomes_to_json(const struct ledger *ledger)
{
	json_t *json = json_array();
	int failed = 0;

	for (size_t i = 0; i < ledger->n; i++) {
		const struct ledger_row *row = &ledger->rows[i];
		const struct outcome *o = &row->outcome;
		json_t *object = json_object(), *first = json_array();
		char reason[128];

		outcome_reason(o->event, o->status, reason, sizeof(reason));
		for (uint32_t k = 0; k < row->count && k < LEDGER_FIRST; k++)
			failed |= json_array_append_new(first, integer(row->first[k]));
		failed |= json_object_set_new(object, "step", json_string(step_name(o->step)));
		failed |= json_object_set_new(object, "side", json_string(side_name(row->side)));
		failed |= json_object_set_new(object, "event",
					      json_string(event_kind_name(o->event)));
		failed |= json_object_set_new(object, "status", json_integer(o->status));
		failed |= json_object_set_new(object, "reason", json_string(reason));
		failed |= json_object_set_new(object, "count", integer(row->count));
		failed |= json_object_set_new(object, "first", first);
		failed |= json_array_append_new(json, object);
	}
	return all_or_nothing(json, failed);
}

static json_t *cm_to_json(const struct round *round)
{
	json_t *json = json_array();
	int failed = 0;

	for (size_t i = 0; i < round->n_cm; i++) {
		const struct cm_counts *cm = &round->cm[i];
		json_t *row = json_object();
		char key[CM_KEY];

		failed |= json_object_set_new(row, "host", TEXT(cm->host));
		failed |= json_object_set_new(row, "device", TEXT(cm->device));
		failed |= json_object_set_new(row, "port", integer(cm->port));
		failed |= json_object_set_new(row, "step", json_string(step_name(cm->step)));
		for (enum cm_message m = 0; m < CM_MESSAGES; m++) {
			const uint64_t values[] = { cm->msg[m].sent, cm->msg[m].retries,
						    cm->msg[m].received, cm->msg[m].duplicates };

			for (int k = 0; k < N_CM_COUNTERS; k++)
				failed |= json_object_set_new(row, cm_key(key, m, k),
							      integer(values[k]));
		}
		failed |= json_array_append_new(json, row);
	}
	return all_or_nothing(json, failed);
}

static json_t *round_to_json(const struct round *round)
{
	json_t *json = json_object(), *refused = json_object();
	int failed = 0;

	failed |= json_object_set_new(refused, "strangers", integer(round->strangers));
	failed |= json_object_set_new(refused, "doubles", integer(round->doubles));
	failed |= json_object_set_new(refused, "out_of_range", integer(round->out_of_range));

	failed |= json_object_set_new(json, "connected", integer(round->connected));
	failed |= json_object_set_new(json, "begin", begin_to_json(round));
	failed |= json_object_set_new(json, "steps", steps_to_json(round));
	failed |= json_object_set_new(json, "outcomes", outcomes_to_json(&round->ledger));
	failed |= json_object_set_new(json, "refused", refused);
	failed |= json_object_set_new(json, "cm", cm_to_json(round));
	return all_or_nothing(json, failed);
}

json_t *result_to_json(const struct result *result)
{
	json_t *json = json_object(), *rounds = json_array();
	int failed = 0;

	for (size_t i = 0; i < result->n_rounds; i++)
		failed |= json_array_append_new(rounds, round_to_json(&result->rounds[i]));
	failed |= json_object_set_new(json, "schema", json_string(SCHEMA));
	failed |= json_object_set_new(json, "version", TEXT(result->run.version));
	failed |= json_object_set_new(json, "run", run_to_json(&result->run));
	failed |= json_object_set_new(json, "rounds", rounds);
	return all_or_nothing(json, failed);
}

/* ---- from JSON: get_... leave *value alone where there is no data, and return 0 or -EPROTO ----
 */

static const json_t *get(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	return json_is_null(value) ? NULL : value;
}

static int get_u64(const json_t *object, const char *key, uint64_t max, uint64_t *value)
{
	const json_t *json = get(object, key);

	if (!json)
		return 0;
	if (!json_is_integer(json) || json_integer_value(json) < 0 ||
	    (uint64_t)json_integer_value(json) > max)
		return -EPROTO;
	*value = (uint64_t)json_integer_value(json);
	return 0;
}

static int get_u32(const json_t *object, const char *key, uint32_t *value)
{
	uint64_t wide = *value;
	int err = get_u64(object, key, UINT32_MAX, &wide);

	if (!err)
		*value = (uint32_t)wide;
	return err;
}

static int get_text(const json_t *object, const char *key, char *text, size_t size)
{
	const json_t *json = get(object, key);
	size_t n;

	if (!json)
		return 0;
	n = json_string_length(json);
	if (!json_is_string(json) || n >= size)
		return -EPROTO;
	for (size_t i = 0; i < n; i++) {
		if (!is_printable(json_string_value(json)[i]))
			return -EPROTO;
	}
	memcpy(text, json_string_value(json), n);
	text[n] = '\0';
	return 0;
}

/* No array is one of none. */
static int get_array(const json_t *object, const char *key, size_t max, const json_t **array)
{
	const json_t *json = get(object, key);

	if (json && (!json_is_array(json) || json_array_size(json) > max))
		return -EPROTO;
	*array = json;
	return 0;
}

/* Names must be there. */
static int get_step(const json_t *object, enum side side, enum step *step)
{
	const char *name = json_string_value(get(object, "step"));
	enum step found = name ? step_from_name(name) : STEPS;

	if (found == STEPS || (side < SIDES && !step_is_of(found, side)))
		return -EPROTO;
	*step = found;
	return 0;
}

static int get_side(const json_t *object, const char *key, enum side *side)
{
	const char *name = json_string_value(get(object, key));
	enum side found = name ? side_from_name(name) : SIDES;

	if (found == SIDES)
		return -EPROTO;
	*side = found;
	return 0;
}

static int end_from_json(struct endpoint_info *end, const json_t *json)
{
	if (!json)
		return 0;
	if (!json_is_object(json) || get_text(json, "host", end->host, sizeof(end->host)) ||
	    get_text(json, "address", end->address, sizeof(end->address)) ||
	    get_text(json, "device", end->device, sizeof(end->device)) ||
	    get_text(json, "transport", end->transport, sizeof(end->transport)) ||
	    get_u32(json, "port", &end->port))
		return -EPROTO;
	return 0;
}

static int window_from_json(uint32_t *window, const json_t *json)
{
	const char *name = json_string_value(get(json, "window"));

	if (!name)
		return get_u32(json, "window", window);
	if (strcmp(name, "unlimited"))
		return -EPROTO;
	*window = 0;
	return 0;
}

static int run_from_json(struct run_info *run, const json_t *json)
{
	if (!json_is_object(json) || get_side(json, "reported_by", &run->reported_by) ||
	    get_text(json, "run_id", run->run_id, sizeof(run->run_id)) ||
	    get_text(json, "reap", run->reap, sizeof(run->reap)) ||
	    get_u32(json, "connections", &run->connections) ||
	    window_from_json(&run->window, json) || get_u32(json, "threads", &run->threads) ||
	    get_u32(json, "server_threads", &run->server_threads) ||
	    get_u32(json, "listeners", &run->listeners) ||
	    get_u64(json, "step_timeout_ns", INT64_MAX, &run->step_timeout_ns))
		return -EPROTO;
	for (enum side side = 0; side < SIDES; side++) {
		if (end_from_json(&run->ends[side], get(json, side_name(side))))
			return -EPROTO;
	}
	return 0;
}

static int begin_from_json(struct round *round, const json_t *json)
{
	const json_t *rows, *row;
	enum side side;
	size_t i;

	if (get_array(json, "begin", SIDES, &rows))
		return -EPROTO;
	json_array_foreach (rows, i, row) {
		if (!json_is_object(row) || get_side(row, "side", &side) || round->begin_ns[side] ||
		    get_u64(row, "monotonic_ns", INT64_MAX, &round->begin_ns[side]))
			return -EPROTO;
	}
	return 0;
}

static bool figures_are_in_order(const struct figures *f)
{
	return f->min_ns <= f->p50_ns && f->p50_ns <= f->p90_ns && f->p90_ns <= f->p99_ns &&
	       f->p99_ns <= f->p999_ns && f->p999_ns <= f->max_ns && f->min_ns <= f->mean_ns &&
	       f->mean_ns <= f->max_ns && f->max_ns <= f->sum_ns;
}

static int figures_from_json(struct figures *figures, const json_t *json)
{
	if (get_u32(json, "count", &figures->count) || get_u32(json, "failed", &figures->failed))
		return -EPROTO;
	for (int i = 0; figures->count && i < N_DURATIONS; i++) {
		uint64_t value = 0;

		if (!get(json, durations[i].key) ||
		    get_u64(json, durations[i].key, INT64_MAX, &value))
			return -EPROTO;
		memcpy((char *)figures + durations[i].at, &value, sizeof(value));
	}
	return figures_are_in_order(figures) ? 0 : -EPROTO;
}

static int steps_from_json(struct round *round, const json_t *json)
{
	bool seen[SIDES][STEPS] = { { false } };
	const json_t *rows, *row;
	enum side side;
	enum step step;
	size_t i;

	if (get_array(json, "steps", SIDES * STEPS, &rows))
		return -EPROTO;
	json_array_foreach (rows, i, row) {
		if (!json_is_object(row) || get_side(row, "side", &side) ||
		    get_step(row, side, &step) || seen[side][step] ||
		    figures_from_json(&round->figures[side][step], row))
			return -EPROTO;
		seen[side][step] = true;
	}
	return 0;
}

static int outcome_from_json(struct ledger_row *out, const json_t *json)
{
	const char *event = json_string_value(get(json, "event"));
	const json_t *status = get(json, "status"), *first;
	struct ledger_row row = { 0 };

	if (!json_is_object(json) || get_side(json, "side", &row.side) ||
	    get_step(json, row.side, &row.outcome.step) || !event || !json_is_integer(status) ||
	    get_u32(json, "count", &row.count) || get_array(json, "first", LEDGER_FIRST, &first))
		return -EPROTO;

	row.outcome.event = event_kind_from_name(event);
	if (row.outcome.event == EVENT_KINDS || row.outcome.event == EVENT_NONE ||
	    json_integer_value(status) < INT32_MIN || json_integer_value(status) > INT32_MAX)
		return -EPROTO;
	row.outcome.status = (int32_t)json_integer_value(status);

	/* Readers take min(count, LEDGER_FIRST) indices for granted. */
	if (!row.count ||
	    json_array_size(first) != (row.count < LEDGER_FIRST ? row.count : LEDGER_FIRST))
		return -EPROTO;
	for (size_t i = 0; i < json_array_size(first); i++) {
		const json_t *index = json_array_get(first, i);

		if (!json_is_integer(index) || json_integer_value(index) < 0 ||
		    json_integer_value(index) > UINT32_MAX)
			return -EPROTO;
		row.first[i] = (uint32_t)json_integer_value(index);
	}
	*out = row;
	return 0;
}

static int outcomes_from_json(struct ledger *ledger, const json_t *json)
{
	const json_t *rows, *row;
	size_t i;

	if (get_array(json, "outcomes", MAX_LEDGER_ROWS, &rows))
		return -EPROTO;
	json_array_foreach (rows, i, row) {
		struct ledger_row out;
		int err = outcome_from_json(&out, row);

		if (!err)
			err = ledger_append(ledger, &out);
		if (err)
			return err;
	}
	return 0;
}

static int cm_row_from_json(struct cm_counts *cm, const json_t *json)
{
	char key[CM_KEY];

	if (!json_is_object(json) || get_step(json, SIDES, &cm->step) ||
	    get_text(json, "host", cm->host, sizeof(cm->host)) ||
	    get_text(json, "device", cm->device, sizeof(cm->device)) ||
	    get_u32(json, "port", &cm->port))
		return -EPROTO;
	for (enum cm_message m = 0; m < CM_MESSAGES; m++) {
		uint64_t *const values[] = { &cm->msg[m].sent, &cm->msg[m].retries,
					     &cm->msg[m].received, &cm->msg[m].duplicates };

		for (int k = 0; k < N_CM_COUNTERS; k++) {
			if (get_u64(json, cm_key(key, m, k), INT64_MAX, values[k]))
				return -EPROTO;
		}
	}
	return 0;
}

static int cm_from_json(struct round *round, const json_t *json)
{
	const json_t *rows, *row;
	size_t i;

	if (get_array(json, "cm", MAX_CM_ROWS, &rows))
		return -EPROTO;
	json_array_foreach (rows, i, row) {
		struct cm_counts cm = { .port = 0 };
		int err = cm_row_from_json(&cm, row);

		if (!err)
			err = round_add_cm(round, &cm);
		if (err)
			return err;
	}
	return 0;
}

static int round_from_json(struct round *round, const json_t *json)
{
	const json_t *refused = get(json, "refused");
	int err;

	if (!json_is_object(json) || (refused && !json_is_object(refused)) ||
	    get_u32(json, "connected", &round->connected) ||
	    get_u32(refused, "strangers", &round->strangers) ||
	    get_u32(refused, "doubles", &round->doubles) ||
	    get_u32(refused, "out_of_range", &round->out_of_range) ||
	    begin_from_json(round, json) || steps_from_json(round, json))
		return -EPROTO;
	err = outcomes_from_json(&round->ledger, json);
	return err ? err : cm_from_json(round, json);
}

int result_from_json(struct result *result, const json_t *json)
{
	const char *schema = json_string_value(get(json, "schema"));
	const json_t *rounds;
	struct result r;
	int err;

	if (!schema || strcmp(schema, SCHEMA) || !get(json, "rounds") ||
	    get_array(json, "rounds", MAX_ROUNDS, &rounds))
		return -EPROTO;
	err = result_init(&r, json_array_size(rounds));
	if (err)
		return err;

	err = get_text(json, "version", r.run.version, sizeof(r.run.version));
	if (!err)
		err = run_from_json(&r.run, get(json, "run"));
	for (size_t i = 0; !err && i < r.n_rounds; i++)
		err = round_from_json(&r.rounds[i], json_array_get(rounds, i));
	if (err) {
		result_free(&r);
		return err;
	}
	*result = r;
	return 0;
}
