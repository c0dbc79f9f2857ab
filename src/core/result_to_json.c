// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * result_to_json - writes a result as JSON, schema "cmtime-result/1".
 *
 * Pure; main only. The other half of the codec is result_from_json.c.
 */
#include "core/result_keys.h"

#include <stdio.h>
#include <string.h>

const struct duration_key duration_keys[RESULT_DURATIONS] = {
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

static json_t *settings_to_json(const struct endpoint_info *end)
{
	json_t *json = json_object();
	int failed = 0;

	for (size_t i = 0; i < end->n_settings; i++)
		failed |= json_object_set_new(json, end->settings[i].name,
					      TEXT(end->settings[i].value));
	return all_or_nothing(json, failed);
}

static json_t *end_to_json(const struct endpoint_info *end)
{
	json_t *json = json_object();
	int failed = 0;

	failed |= json_object_set_new(json, "host", TEXT(end->host));
	failed |= json_object_set_new(json, "address", TEXT(end->address));
	failed |= json_object_set_new(json, "device", TEXT(end->device));
	failed |= json_object_set_new(json, "port", integer_or_null(end->port));
	failed |= json_object_set_new(json, "transport", TEXT(end->transport));
	failed |= json_object_set_new(json, "driver", TEXT(end->driver));
	failed |= json_object_set_new(json, "firmware", TEXT(end->firmware));
	failed |= json_object_set_new(json, "gid", TEXT(end->gid));
	failed |= json_object_set_new(json, "netdev", TEXT(end->netdev));
	failed |= json_object_set_new(json, "kernel", TEXT(end->kernel));
	failed |= json_object_set_new(json, "cpu", TEXT(end->cpu));
	failed |= json_object_set_new(json, "cpus", integer_or_null(end->cpus));
	failed |= json_object_set_new(json, "settings", settings_to_json(end));
	return all_or_nothing(json, failed);
}

static json_t *window_to_json(uint32_t window)
{
	if (window == WINDOW_UNKNOWN)
		return json_null();
	return window ? integer(window) : json_string("unlimited");
}

static json_t *cm_timeouts_to_json(const struct cm_timeouts *timeouts)
{
	json_t *json;
	int failed = 0;

	if (!timeouts->packet_life_time)
		return json_null();
	json = json_object();
	failed |=
		json_object_set_new(json, "packet_life_time", integer(timeouts->packet_life_time));
	failed |=
		json_object_set_new(json, "response_timeout", integer(timeouts->response_timeout));
	failed |=
		json_object_set_new(json, "req_ns", integer(retry_timeout_ns(RETRY_REQ, timeouts)));
	failed |=
		json_object_set_new(json, "rep_ns", integer(retry_timeout_ns(RETRY_REP, timeouts)));
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
	failed |= json_object_set_new(json, "window", window_to_json(run->window));
	failed |= json_object_set_new(json, "threads", integer_or_null(run->threads));
	failed |= json_object_set_new(json, "server_threads", integer_or_null(run->server_threads));
	failed |= json_object_set_new(json, "listeners", integer_or_null(run->listeners));
	failed |= json_object_set_new(json, "reap", TEXT(run->reap));
	failed |=
		json_object_set_new(json, "step_timeout_ns", integer_or_null(run->step_timeout_ns));
	failed |= json_object_set_new(json, "retries",
				      run->timeout_ns ? integer(run->retries) : json_null());
	failed |= json_object_set_new(json, "timeout_ns", integer_or_null(run->timeout_ns));
	failed |= json_object_set_new(json, "bind", TEXT(run->bind));
	failed |= json_object_set_new(json, "bind_first", json_boolean(run->bind_first));
	failed |= json_object_set_new(json, "no_control", json_boolean(run->no_control));
	failed |= json_object_set_new(json, "warmups", integer(run->warmups));
	failed |= json_object_set_new(json, "start", TEXT(run->start));
	failed |= json_object_set_new(json, "cm_timeouts", cm_timeouts_to_json(&run->cm_timeouts));
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

static json_t *rate_to_json(double rate)
{
	return rate > 0 ? json_real(rate) : json_null();
}

/* Adds what figures say but step, side and failed. */
static int set_figures(json_t *json, const struct figures *figures)
{
	int failed = 0;

	for (int i = 0; i < RESULT_DURATIONS; i++) {
		uint64_t value;

		memcpy(&value, (const char *)figures + duration_keys[i].at, sizeof(value));
		failed |= json_object_set_new(json, duration_keys[i].key,
					      figures->count ? integer(value) : json_null());
	}
	failed |= json_object_set_new(json, "spread_ns",
				      figures->count ? integer(figures->max_ns - figures->min_ns)
						     : json_null());
	return failed;
}

static json_t *figures_to_json(const struct figures *figures)
{
	json_t *json = json_object();
	int failed = 0;

	failed |= json_object_set_new(json, "step", json_string(step_name(figures->step)));
	failed |= json_object_set_new(json, "side", json_string(side_name(figures->side)));
	failed |= json_object_set_new(json, "count", integer(figures->count));
	failed |= json_object_set_new(json, "failed", integer(figures->failed));
	failed |= set_figures(json, figures);
	failed |=
		json_object_set_new(json, "per_second", rate_to_json(figures_per_second(figures)));
	failed |= json_object_set_new(json, "in_flight", rate_to_json(figures_in_flight(figures)));
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
		if (o->event == EVENT_REJECTED)
			failed |= json_object_set_new(
				object, "by_application",
				json_boolean(outcome_is_user_reject(o->event, o->status)));
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

			for (int k = 0; k < CM_COUNTERS; k++)
				failed |= json_object_set_new(row, cm_key(key, m, k),
							      integer(values[k]));
		}
		failed |= json_array_append_new(json, row);
	}
	return all_or_nothing(json, failed);
}

static json_t *cpu_to_json(const struct round *round)
{
	json_t *json = json_array();
	int failed = 0;

	for (enum side side = 0; side < SIDES; side++) {
		const struct usage *usage = &round->cpu[side];
		json_t *row;

		if (!usage->max_rss_bytes)
			continue;
		row = json_object();
		failed |= json_object_set_new(row, "side", json_string(side_name(side)));
		failed |= json_object_set_new(row, "user_ns", integer(usage->user_ns));
		failed |= json_object_set_new(row, "system_ns", integer(usage->system_ns));
		failed |= json_object_set_new(row, "max_rss_bytes", integer(usage->max_rss_bytes));
		failed |= json_array_append_new(json, row);
	}
	return all_or_nothing(json, failed);
}

static json_t *retries_to_json(const struct round *round)
{
	json_t *json = json_array();
	int failed = 0;

	for (enum retry_kind kind = 0; kind < RETRY_KINDS; kind++) {
		const struct retries *r = &round->retries[kind];

		for (uint32_t n = 0; n <= CM_RETRIES_MOST; n++) {
			json_t *row;

			if (!r->count[n])
				continue;
			row = json_object();
			failed |= json_object_set_new(row, "step",
						      json_string(step_name(retry_step(kind))));
			failed |= json_object_set_new(row, "side",
						      json_string(side_name(retry_side(kind))));
			failed |= json_object_set_new(row, "message",
						      json_string(retry_message(kind)));
			failed |= json_object_set_new(row, "retries", integer(n));
			failed |= json_object_set_new(row, "from_ns", integer(n * r->timeout_ns));
			failed |= json_object_set_new(row, "to_ns",
						      n < CM_RETRIES_MOST
							      ? integer((n + 1) * r->timeout_ns)
							      : json_null());
			failed |= json_object_set_new(row, "count", integer(r->count[n]));
			failed |= json_array_append_new(json, row);
		}
	}
	return all_or_nothing(json, failed);
}

static json_t *parts_to_json(const struct round *round, enum side side)
{
	json_t *json = json_array();
	int failed = 0;

	for (enum part part = 0; part < PARTS; part++) {
		json_t *row;

		if (part_side(part) != side)
			continue;
		row = json_object();
		failed |= json_object_set_new(row, "part", json_string(part_name(part)));
		failed |= json_object_set_new(row, "count", integer(round->parts[part].count));
		failed |= set_figures(row, &round->parts[part]);
		failed |= json_array_append_new(json, row);
	}
	return all_or_nothing(json, failed);
}

static json_t *kernel_to_json(const struct round *round)
{
	json_t *json = json_array();
	int failed = 0;

	for (enum side side = 0; side < SIDES; side++) {
		const struct kernel_trace *kernel = &round->kernel[side];
		json_t *row;

		if (!kernel->is_there)
			continue;
		row = json_object();
		failed |= json_object_set_new(row, "side", json_string(side_name(side)));
		failed |= json_object_set_new(row, "events", integer(kernel->events));
		failed |= json_object_set_new(row, "matched", integer(kernel->matched));
		failed |= json_object_set_new(row, "lost", integer(kernel->lost));
		failed |= json_object_set_new(row, "unmatched", integer(kernel->unmatched));
		failed |= json_object_set_new(row, "parts", parts_to_json(round, side));
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
	failed |= json_object_set_new(json, "retry_bands", retries_to_json(round));
	failed |= json_object_set_new(json, "cpu", cpu_to_json(round));
	failed |= json_object_set_new(json, "kernel", kernel_to_json(round));
	return all_or_nothing(json, failed);
}

json_t *result_to_json(const struct result *result)
{
	json_t *json = json_object(), *rounds = json_array();
	int failed = 0;

	for (size_t i = 0; i < result->n_rounds; i++)
		failed |= json_array_append_new(rounds, round_to_json(&result->rounds[i]));
	failed |= json_object_set_new(json, "schema", json_string(RESULT_SCHEMA));
	failed |= json_object_set_new(json, "version", TEXT(result->run.version));
	failed |= json_object_set_new(json, "run", run_to_json(&result->run));
	failed |= json_object_set_new(json, "rounds", rounds);
	return all_or_nothing(json, failed);
}
