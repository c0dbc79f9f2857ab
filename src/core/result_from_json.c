// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * result_from_json - reads a result from JSON that came over the network or out of a file: hostile
 * until checked, and nothing is allocated by a number that was not.
 *
 * Pure; main only. The other half of the codec is result_to_json.c. A get_...() leaves *value alone
 * where there is no data, and returns 0 or -EPROTO.
 */
#include "core/result_keys.h"

#include <errno.h>
#include <string.h>

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

/* Whether it fits, and may go to a terminal. */
static int check_text(const char *text, size_t n, size_t size)
{
	if (n >= size)
		return -EPROTO;
	for (size_t i = 0; i < n; i++) {
		if (!is_printable(text[i]))
			return -EPROTO;
	}
	return 0;
}

static int get_text(const json_t *object, const char *key, char *text, size_t size)
{
	const json_t *json = get(object, key);
	size_t n;

	if (!json)
		return 0;
	n = json_string_length(json);
	if (!json_is_string(json) || check_text(json_string_value(json), n, size))
		return -EPROTO;
	memcpy(text, json_string_value(json), n);
	text[n] = '\0';
	return 0;
}

static int get_bool(const json_t *object, const char *key, bool *value)
{
	const json_t *json = get(object, key);

	if (!json)
		return 0;
	if (!json_is_boolean(json))
		return -EPROTO;
	*value = json_is_true(json);
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

static int settings_from_json(struct endpoint_info *end, const json_t *json)
{
	const json_t *settings = get(json, "settings");
	const char *name;
	json_t *value;

	if (settings && (!json_is_object(settings) || json_object_size(settings) > MAX_SETTINGS))
		return -EPROTO;
	json_object_foreach ((json_t *)settings, name, value) {
		struct setting *setting = &end->settings[end->n_settings];

		if (check_text(name, strlen(name), sizeof(setting->name)) ||
		    get_text(settings, name, setting->value, sizeof(setting->value)))
			return -EPROTO;
		memcpy(setting->name, name, strlen(name) + 1);
		end->n_settings++;
	}
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
	    get_u32(json, "port", &end->port) ||
	    get_text(json, "driver", end->driver, sizeof(end->driver)) ||
	    get_text(json, "firmware", end->firmware, sizeof(end->firmware)) ||
	    get_text(json, "gid", end->gid, sizeof(end->gid)) ||
	    get_text(json, "netdev", end->netdev, sizeof(end->netdev)) ||
	    get_text(json, "kernel", end->kernel, sizeof(end->kernel)) ||
	    get_text(json, "cpu", end->cpu, sizeof(end->cpu)) || get_u32(json, "cpus", &end->cpus))
		return -EPROTO;
	return settings_from_json(end, json);
}

static int cm_timeouts_from_json(struct cm_timeouts *timeouts, const json_t *json)
{
	uint64_t life = 0, response = 0;

	if (!json)
		return 0;
	if (!json_is_object(json) || get_u64(json, "packet_life_time", 31, &life) ||
	    get_u64(json, "response_timeout", 31, &response))
		return -EPROTO;
	*timeouts = (struct cm_timeouts){ (uint8_t)life, (uint8_t)response };
	return 0;
}

static int window_from_json(uint32_t *window, const json_t *json)
{
	const char *name = json_string_value(get(json, "window"));

	*window = WINDOW_UNKNOWN;
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
	    get_u64(json, "step_timeout_ns", INT64_MAX, &run->step_timeout_ns) ||
	    get_u32(json, "retries", &run->retries) ||
	    get_u64(json, "timeout_ns", INT64_MAX, &run->timeout_ns) ||
	    get_text(json, "bind", run->bind, sizeof(run->bind)) ||
	    get_bool(json, "bind_first", &run->bind_first) ||
	    get_bool(json, "no_control", &run->no_control) ||
	    get_u32(json, "warmups", &run->warmups) ||
	    get_text(json, "start", run->start, sizeof(run->start)) ||
	    cm_timeouts_from_json(&run->cm_timeouts, get(json, "cm_timeouts")))
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
	for (int i = 0; figures->count && i < RESULT_DURATIONS; i++) {
		uint64_t value = 0;

		if (!get(json, duration_keys[i].key) ||
		    get_u64(json, duration_keys[i].key, INT64_MAX, &value))
			return -EPROTO;
		memcpy((char *)figures + duration_keys[i].at, &value, sizeof(value));
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

		for (int k = 0; k < CM_COUNTERS; k++) {
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

static int cpu_from_json(struct round *round, const json_t *json)
{
	const json_t *rows, *row;
	enum side side;
	size_t i;

	if (get_array(json, "cpu", SIDES, &rows))
		return -EPROTO;
	json_array_foreach (rows, i, row) {
		if (!json_is_object(row) || get_side(row, "side", &side) ||
		    get_u64(row, "user_ns", INT64_MAX, &round->cpu[side].user_ns) ||
		    get_u64(row, "system_ns", INT64_MAX, &round->cpu[side].system_ns) ||
		    get_u64(row, "max_rss_bytes", INT64_MAX, &round->cpu[side].max_rss_bytes))
			return -EPROTO;
	}
	return 0;
}

/* The kind is known by its step; its time-out by the run's. */
static int retries_from_json(struct round *round, const struct cm_timeouts *timeouts,
			     const json_t *json)
{
	const json_t *rows, *row;
	enum step step;
	size_t i;

	if (get_array(json, "retry_bands", (size_t)RETRY_KINDS * (CM_RETRIES_MOST + 1), &rows))
		return -EPROTO;
	json_array_foreach (rows, i, row) {
		enum retry_kind kind = 0;
		uint64_t n = 0;

		if (!json_is_object(row) || get_step(row, SIDES, &step) ||
		    get_u64(row, "retries", CM_RETRIES_MOST, &n))
			return -EPROTO;
		while (kind < RETRY_KINDS && retry_step(kind) != step)
			kind++;
		if (kind == RETRY_KINDS || get_u32(row, "count", &round->retries[kind].count[n]))
			return -EPROTO;
		round->retries[kind].timeout_ns = retry_timeout_ns(kind, timeouts);
	}
	return 0;
}

static int parts_from_json(struct round *round, enum side side, const json_t *json)
{
	const json_t *rows, *row;
	size_t i;

	if (get_array(json, "parts", PARTS, &rows))
		return -EPROTO;
	json_array_foreach (rows, i, row) {
		const char *name = json_string_value(get(row, "part"));
		enum part part = name ? part_from_name(name) : PARTS;

		if (part == PARTS || part_side(part) != side ||
		    figures_from_json(&round->parts[part], row))
			return -EPROTO;
		round->parts[part].side = side;
	}
	return 0;
}

static int kernel_from_json(struct round *round, const json_t *json)
{
	const json_t *rows, *row;
	enum side side;
	size_t i;

	if (get_array(json, "kernel", SIDES, &rows))
		return -EPROTO;
	json_array_foreach (rows, i, row) {
		if (!json_is_object(row) || get_side(row, "side", &side))
			return -EPROTO;
		struct kernel_trace *kernel = &round->kernel[side];

		if (kernel->is_there || get_u64(row, "events", INT64_MAX, &kernel->events) ||
		    get_u64(row, "matched", INT64_MAX, &kernel->matched) ||
		    get_u64(row, "lost", INT64_MAX, &kernel->lost) ||
		    get_u32(row, "unmatched", &kernel->unmatched) ||
		    parts_from_json(round, side, row))
			return -EPROTO;
		kernel->is_there = true;
	}
	return 0;
}

static int round_from_json(struct round *round, const struct run_info *run, const json_t *json)
{
	const json_t *refused = get(json, "refused");
	int err;

	if (!json_is_object(json) || (refused && !json_is_object(refused)) ||
	    get_u32(json, "connected", &round->connected) ||
	    get_u32(refused, "strangers", &round->strangers) ||
	    get_u32(refused, "doubles", &round->doubles) ||
	    get_u32(refused, "out_of_range", &round->out_of_range) ||
	    begin_from_json(round, json) || steps_from_json(round, json) ||
	    cpu_from_json(round, json) || retries_from_json(round, &run->cm_timeouts, json) ||
	    kernel_from_json(round, json))
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

	if (!schema || strcmp(schema, RESULT_SCHEMA) || !get(json, "rounds") ||
	    get_array(json, "rounds", MAX_ROUNDS, &rounds))
		return -EPROTO;
	err = result_init(&r, json_array_size(rounds));
	if (err)
		return err;

	err = get_text(json, "version", r.run.version, sizeof(r.run.version));
	if (!err)
		err = run_from_json(&r.run, get(json, "run"));
	for (size_t i = 0; !err && i < r.n_rounds; i++)
		err = round_from_json(&r.rounds[i], &r.run, json_array_get(rounds, i));
	if (err) {
		result_free(&r);
		return err;
	}
	*result = r;
	return 0;
}
