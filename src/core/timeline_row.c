// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* timeline_row - flat, since there are tens of thousands. */
#include "core/timeline_row.h"

#include "core/timeline.h"

#include <errno.h>

static int append_ns(json_t *row, uint64_t ns)
{
	return json_array_append_new(row,
				     json_integer(ns > INT64_MAX ? INT64_MAX : (json_int_t)ns));
}

static json_t *failure_to_json(const struct outcome *outcome)
{
	if (outcome->event == EVENT_NONE)
		return json_null();
	return json_pack("[ssi]", step_name(outcome->step), event_kind_name(outcome->event),
			 (int)outcome->status);
}

json_t *timeline_row_to_json(const struct timeline *timeline, uint32_t index)
{
	static const struct detail none;
	const struct detail *detail = timeline->details ? &timeline->details[index] : &none;
	char source[ADDRESS_TEXT], destination[ADDRESS_TEXT];
	json_t *row = json_array();
	int failed = 0;

	failed |= json_array_append_new(row, json_string(address_text(&detail->source, source)));
	failed |= json_array_append_new(
		row, json_string(address_text(&detail->destination, destination)));
	failed |= json_array_append_new(row, failure_to_json(&timeline->outcomes[index]));
	for (enum step step = 0; step < STEPS; step++) {
		if (!timeline->spans[step])
			continue;
		failed |= append_ns(row, timeline_span(timeline, step, index)->begin_ns);
		failed |= append_ns(row, timeline_span(timeline, step, index)->end_ns);
	}
	for (int k = 0; k < KERNEL_STAMPS; k++)
		failed |= append_ns(row, detail->kernel_ns[k]);
	if (!failed)
		return row;
	json_decref(row);
	return NULL;
}

/* The next of a row; past its end NULL, which is no type of anything. */
struct cursor {
	const json_t *row;
	size_t at;
};

static const json_t *next(struct cursor *cursor)
{
	return json_array_get(cursor->row, cursor->at++);
}

static int next_ns(struct cursor *cursor, uint64_t *ns)
{
	const json_t *json = next(cursor);

	if (!json_is_integer(json) || json_integer_value(json) < 0)
		return -EPROTO;
	*ns = (uint64_t)json_integer_value(json);
	return 0;
}

static int next_address(struct cursor *cursor, struct address *address)
{
	const char *text = json_string_value(next(cursor));

	return text && !address_parse(address, text) ? 0 : -EPROTO;
}

static int next_failure(struct cursor *cursor, enum side side, struct outcome *outcome)
{
	const json_t *json = next(cursor), *status = json_array_get(json, 2);
	const char *step = json_string_value(json_array_get(json, 0));
	const char *event = json_string_value(json_array_get(json, 1));

	*outcome = (struct outcome){ 0 };
	if (json_is_null(json))
		return 0;
	if (!step || !event || !json_is_integer(status))
		return -EPROTO;
	outcome->step = step_from_name(step);
	outcome->event = event_kind_from_name(event);
	if (outcome->step == STEPS || !step_is_of(outcome->step, side) ||
	    outcome->event == EVENT_KINDS || outcome->event == EVENT_NONE ||
	    json_integer_value(status) < INT32_MIN || json_integer_value(status) > INT32_MAX)
		return -EPROTO;
	outcome->status = (int32_t)json_integer_value(status);
	return 0;
}

int timeline_row_from_json(struct timeline *timeline, uint32_t index, const json_t *row)
{
	struct cursor cursor = { .row = row };
	struct detail detail = { 0 };
	int err = 0;

	err |= next_address(&cursor, &detail.source);
	err |= next_address(&cursor, &detail.destination);
	err |= next_failure(&cursor, timeline->side, &timeline->outcomes[index]);
	for (enum step step = 0; step < STEPS; step++) {
		if (!timeline->spans[step])
			continue;
		err |= next_ns(&cursor, &timeline_span(timeline, step, index)->begin_ns);
		err |= next_ns(&cursor, &timeline_span(timeline, step, index)->end_ns);
	}
	for (int k = 0; k < KERNEL_STAMPS; k++)
		err |= next_ns(&cursor, &detail.kernel_ns[k]);
	detail.attempts = !address_is_none(&detail.source); /* a server tries nothing twice */
	if (!err && timeline->details)
		timeline->details[index] = detail;
	return err ? -EPROTO : 0;
}
