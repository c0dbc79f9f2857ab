// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * protocol - the messages' keys, and the checks behind protocol.h: pure, any thread.
 *
 * Each check says in words what it expected, since its words go to the peer in a refusal.
 */
#include "control/protocol.h"

#include "core/timeline_row.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const types[MESSAGE_TYPES] = {
	[MESSAGE_UNKNOWN] = "unknown", [MESSAGE_OFFER] = "offer",     [MESSAGE_ANSWER] = "answer",
	[MESSAGE_REFUSAL] = "refusal", [MESSAGE_BARRIER] = "barrier", [MESSAGE_READY] = "ready",
	[MESSAGE_FINISH] = "finish",   [MESSAGE_RESULT] = "result",   [MESSAGE_SAMPLES] = "samples",
	[MESSAGE_ABORT] = "abort",     [MESSAGE_PING] = "ping",	      [MESSAGE_BYE] = "bye",
};

static const char *const barriers[BARRIERS] = { "connect", "disconnect", "destroy" };

enum message_type message_type(const json_t *message)
{
	const char *name = json_string_value(json_object_get(message, "type"));
	enum message_type type = MESSAGE_TYPES - 1;

	while (type > MESSAGE_UNKNOWN && (!name || strcmp(types[type], name)))
		type--;
	return type;
}

const char *message_type_name(enum message_type type)
{
	return types[type];
}

/* Bytes of the control character at s (C0, DEL, C1), which could play tricks on a terminal; or 0.
 */
static size_t control_char(const char *s)
{
	const unsigned char *u = (const unsigned char *)s;

	if ((*u && *u < 0x20) || *u == 0x7f)
		return 1;
	return *u == 0xc2 && u[1] >= 0x80 && u[1] < 0xa0 ? 2 : 0;
}

/* Text of ours for the peer: up to size - 1 bytes, without what its checks would refuse. */
static json_t *text_to_json(const char *from, size_t size)
{
	char text[PROTOCOL_WORDS];
	size_t n = strnlen(from, size - 1);
	json_t *json;

	/* Not in the middle of a character: 10xxxxxx goes on with one. */
	if (from[n])
		while (n && ((unsigned char)from[n] & 0xc0) == 0x80)
			n--;
	memcpy(text, from, n);
	text[n] = 0;
	for (char *s = text; *s; s++) {
		size_t bad = control_char(s);

		memset(s, ' ', bad);
		s += bad ? bad - 1 : 0;
	}
	json = json_string(text);
	if (json)
		return json;
	/* No UTF-8: keep what is ASCII. */
	for (char *s = text; *s; s++)
		if ((unsigned char)*s >= 0x80)
			*s = '?';
	return json_string(text);
}

json_t *message_to_json(enum message_type type)
{
	json_t *message = json_object();

	if (json_object_set_new(message, "type", json_string(types[type]))) {
		json_decref(message);
		return NULL;
	}
	return message;
}

/* The message, if no key has failed (json_object_set_new(3) takes NULL for either, and fails). */
static json_t *message_if(int failed, json_t *message)
{
	if (!failed)
		return message;
	json_decref(message);
	return NULL;
}

/* What JSON's integers, jansson's signed 64 bits, can say. */
static json_t *ns_to_json(uint64_t ns)
{
	return json_integer(ns < INT64_MAX ? (json_int_t)ns : INT64_MAX);
}

json_t *offer_to_json(const struct offer *offer)
{
	json_t *m = message_to_json(MESSAGE_OFFER);
	char run_id[17];
	int failed = 0;

	snprintf(run_id, sizeof(run_id), "%016" PRIx64, offer->run_id);
	failed |= json_object_set_new(m, "protocol", json_integer(PROTOCOL_VERSION));
	failed |= json_object_set_new(m, "version", text_to_json(offer->version, RESULT_NAME));
	failed |= json_object_set_new(m, "host", text_to_json(offer->host, RESULT_NAME));
	failed |= json_object_set_new(m, "run_id", json_string(run_id));
	failed |= json_object_set_new(m, "connections", json_integer(offer->connections));
	failed |= json_object_set_new(m, "step_timeout_ns", ns_to_json(offer->step_timeout_ns));
	if (offer->window != WINDOW_UNKNOWN)
		failed |= json_object_set_new(m, "window", json_integer(offer->window));
	failed |= json_object_set_new(m, "rounds", json_integer(offer->rounds));
	failed |= json_object_set_new(m, "warmups", json_integer(offer->warmups));
	failed |= json_object_set_new(m, "samples", json_boolean(offer->samples));
	return message_if(failed, m);
}

json_t *answer_to_json(const struct answer *answer)
{
	json_t *m = message_to_json(MESSAGE_ANSWER), *ports = json_array();
	int failed = 0;

	for (size_t i = 0; i < answer->n_ports; i++)
		failed |= json_array_append_new(ports, json_integer(answer->ports[i]));
	failed |= json_object_set_new(m, "ports", ports);
	failed |= json_object_set_new(m, "protocol", json_integer(PROTOCOL_VERSION));
	failed |= json_object_set_new(m, "version", text_to_json(answer->version, RESULT_NAME));
	failed |= json_object_set_new(m, "host", text_to_json(answer->host, RESULT_NAME));
	failed |= json_object_set_new(m, "threads", json_integer(answer->threads));
	failed |= json_object_set_new(m, "listeners", json_integer(answer->listeners));
	return message_if(failed, m);
}

static json_t *barrier_message(enum message_type type, const struct barrier *barrier)
{
	json_t *m = message_to_json(type);
	int failed = 0;

	failed |= json_object_set_new(m, "at", json_string(barriers[barrier->at]));
	failed |= json_object_set_new(m, "established", json_integer(barrier->established));
	return message_if(failed, m);
}

json_t *barrier_to_json(const struct barrier *barrier)
{
	return barrier_message(MESSAGE_BARRIER, barrier);
}

json_t *ready_to_json(const struct barrier *barrier)
{
	return barrier_message(MESSAGE_READY, barrier);
}

static json_t *reason_message(enum message_type type, const char *reason)
{
	json_t *m = message_to_json(type);

	return message_if(json_object_set_new(m, "reason", text_to_json(reason, PROTOCOL_WORDS)),
			  m);
}

json_t *refusal_to_json(const char *reason)
{
	return reason_message(MESSAGE_REFUSAL, reason);
}

json_t *abort_to_json(const char *reason)
{
	return reason_message(MESSAGE_ABORT, reason);
}

json_t *result_message_to_json(json_t *result)
{
	json_t *m = message_to_json(MESSAGE_RESULT);

	return message_if(json_object_set_new(m, "result", result), m);
}

json_t *samples_request_to_json(uint32_t from)
{
	json_t *m = message_to_json(MESSAGE_SAMPLES);

	return message_if(json_object_set_new(m, "from", json_integer(from)), m);
}

json_t *samples_to_json(const struct timeline *timeline, uint32_t from)
{
	json_t *m = samples_request_to_json(from), *rows = json_array();
	int failed = 0;

	for (uint32_t i = from; i < timeline->connections && i - from < PROTOCOL_SAMPLES; i++)
		failed |= json_array_append_new(rows, timeline_row_to_json(timeline, i));
	failed |= json_object_set_new(m, "rows", rows);
	return message_if(failed, m);
}

/* A message under check: where its first fault is told. */
struct check {
	const json_t *message;
	const char *type;
	char *why;
	int error;
};

static struct check check_start(const json_t *message, enum message_type type, char *why)
{
	struct check check = { .message = message, .type = types[type], .why = why };

	if (message_type(message) != type) {
		const char *name = types[message_type(message)];

		snprintf(why, PROTOCOL_WORDS, "expected %s, got %s", types[type], name);
		check.error = -EPROTO;
	}
	return check;
}

static void check_fail(struct check *check, const char *key, const char *expected)
{
	if (!check->error)
		snprintf(check->why, PROTOCOL_WORDS, "%s: \"%s\" is not %s", check->type, key,
			 expected);
	check->error = -EPROTO;
}

/* A whole number of least to most, or 0 after a fault. */
static uint64_t check_number(struct check *check, const char *key, const json_t *json,
			     uint64_t least, uint64_t most)
{
	json_int_t value = json_integer_value(json);
	char expected[80];

	if (json_is_integer(json) && value >= 0 && (uint64_t)value >= least &&
	    (uint64_t)value <= most)
		return (uint64_t)value;
	snprintf(expected, sizeof(expected), "a whole number from %" PRIu64 " to %" PRIu64, least,
		 most);
	check_fail(check, key, expected);
	return 0;
}

static uint64_t take_number(struct check *check, const char *key, uint64_t least, uint64_t most)
{
	return check_number(check, key, json_object_get(check->message, key), least, most);
}

/* jansson has seen to it that strings are UTF-8 and have no NUL within. */
static bool text_is_sound(const json_t *json, size_t least, size_t size)
{
	const char *s = json_string_value(json);

	if (!s || json_string_length(json) < least || json_string_length(json) >= size)
		return false;
	while (*s && !control_char(s))
		s++;
	return !*s;
}

static void take_text(struct check *check, const char *key, size_t least, char text[RESULT_NAME])
{
	const json_t *json = json_object_get(check->message, key);
	char expected[80];

	if (text_is_sound(json, least, RESULT_NAME)) {
		snprintf(text, RESULT_NAME, "%s", json_string_value(json));
		return;
	}
	snprintf(expected, sizeof(expected), "text of %zu to %d bytes", least, RESULT_NAME - 1);
	check_fail(check, key, expected);
}

static uint64_t take_run_id(struct check *check, const char *key)
{
	const char *s = json_string_value(json_object_get(check->message, key));
	uint64_t id = 0;

	/* Not strtoull(3), which would take blanks, signs and 0x. */
	if (s && strlen(s) == 16 && strspn(s, "0123456789abcdef") == 16) {
		for (; *s; s++)
			id = id << 4 | (uint64_t)(*s <= '9' ? *s - '0' : *s - 'a' + 10);
		return id;
	}
	check_fail(check, key, "16 hexadecimal digits");
	return 0;
}

/* Before anything else of an offer or answer: what follows may mean something else in another. */
static void check_version(struct check *check, char version[RESULT_NAME])
{
	const json_t *theirs = json_object_get(check->message, "version");
	uint64_t protocol = take_number(check, "protocol", 0, INT32_MAX);

	if (!check->error && protocol != PROTOCOL_VERSION) {
		snprintf(check->why, PROTOCOL_WORDS,
			 "protocol versions differ: %s has %" PRIu64 " (cmtime %s), "
			 "the other side has %d (cmtime %s)",
			 check->type, protocol,
			 text_is_sound(theirs, 1, RESULT_NAME) ? json_string_value(theirs) : "?",
			 PROTOCOL_VERSION, PACKAGE_VERSION);
		check->error = -EPROTONOSUPPORT;
	}
	if (!check->error)
		take_text(check, "version", 1, version);
}

int offer_from_json(const json_t *message, char why[PROTOCOL_WORDS], struct offer *offer)
{
	struct check check = check_start(message, MESSAGE_OFFER, why);
	const json_t *samples = json_object_get(message, "samples");
	struct offer got = { 0 };

	if (!check.error)
		check_version(&check, got.version);
	if (check.error)
		return check.error;
	take_text(&check, "host", 0, got.host);
	got.run_id = take_run_id(&check, "run_id");
	got.connections = (uint32_t)take_number(&check, "connections", 1, PROTOCOL_CONNECTIONS);
	got.step_timeout_ns = take_number(&check, "step_timeout_ns", 1, INT64_MAX);
	got.window = WINDOW_UNKNOWN;
	if (json_object_get(message, "window"))
		got.window = (uint32_t)take_number(&check, "window", 0, PROTOCOL_CONNECTIONS);
	got.rounds = 1;
	if (json_object_get(message, "rounds"))
		got.rounds = (uint32_t)take_number(&check, "rounds", 1, PROTOCOL_ROUNDS);
	if (json_object_get(message, "warmups"))
		got.warmups = (uint32_t)take_number(&check, "warmups", 0, PROTOCOL_ROUNDS);
	if (samples && !json_is_boolean(samples))
		check_fail(&check, "samples", "true or false");
	got.samples = json_is_true(samples);
	if (!check.error)
		*offer = got;
	return check.error;
}

int answer_from_json(const json_t *message, char why[PROTOCOL_WORDS], struct answer *answer)
{
	struct check check = check_start(message, MESSAGE_ANSWER, why);
	const json_t *ports = json_object_get(message, "ports");
	struct answer got = { .n_ports = json_array_size(ports) };

	if (!check.error)
		check_version(&check, got.version);
	if (check.error)
		return check.error;
	take_text(&check, "host", 0, got.host);
	got.threads = (uint32_t)take_number(&check, "threads", 1, PROTOCOL_THREADS);
	got.listeners = (uint32_t)take_number(&check, "listeners", 1, PROTOCOL_PORTS);
	if (!got.n_ports || got.n_ports > PROTOCOL_PORTS) {
		check_fail(&check, "ports", "a list of 1 to 64");
		return check.error;
	}
	for (size_t i = 0; i < got.n_ports; i++)
		got.ports[i] = (uint16_t)check_number(&check, "ports", json_array_get(ports, i), 1,
						      UINT16_MAX);
	if (!check.error)
		*answer = got;
	return check.error;
}

int barrier_from_json(const json_t *message, char why[PROTOCOL_WORDS], struct barrier *barrier)
{
	enum message_type type =
		message_type(message) == MESSAGE_READY ? MESSAGE_READY : MESSAGE_BARRIER;
	struct check check = check_start(message, type, why);
	const char *at = json_string_value(json_object_get(message, "at"));
	struct barrier got = { 0 };

	if (check.error)
		return check.error;
	while (got.at < BARRIERS && (!at || strcmp(barriers[got.at], at)))
		got.at++;
	if (got.at == BARRIERS)
		check_fail(&check, "at", "connect, disconnect or destroy");
	got.established = (uint32_t)take_number(&check, "established", 0, PROTOCOL_CONNECTIONS);
	if (!check.error)
		*barrier = got;
	return check.error;
}

void reason_from_json(const json_t *message, char reason[PROTOCOL_WORDS])
{
	const json_t *json = json_object_get(message, "reason");
	bool sound = text_is_sound(json, 1, PROTOCOL_WORDS);

	snprintf(reason, PROTOCOL_WORDS, "%s", sound ? json_string_value(json) : "no reason given");
}

int result_message_from_json(const json_t *message, char why[PROTOCOL_WORDS], const json_t **result)
{
	struct check check = check_start(message, MESSAGE_RESULT, why);
	const json_t *json = json_object_get(message, "result");

	if (!check.error && !json_is_object(json))
		check_fail(&check, "result", "an object");
	if (!check.error)
		*result = json;
	return check.error;
}

int samples_request_from_json(const json_t *message, char why[PROTOCOL_WORDS], uint32_t most,
			      uint32_t *from)
{
	struct check check = check_start(message, MESSAGE_SAMPLES, why);
	uint32_t got = 0;

	if (!check.error)
		got = (uint32_t)take_number(&check, "from", 0, most);
	if (!check.error)
		*from = got;
	return check.error;
}

int samples_from_json(const json_t *message, char why[PROTOCOL_WORDS], uint32_t from,
		      struct timeline *timeline, uint32_t *n)
{
	struct check check = check_start(message, MESSAGE_SAMPLES, why);
	const json_t *rows = json_object_get(message, "rows");
	size_t size = json_array_size(rows);

	if (check.error)
		return check.error;
	take_number(&check, "from", from, from);
	if (!size || size > PROTOCOL_SAMPLES || size > timeline->connections - from)
		check_fail(&check, "rows", "a list of so many connections as there are");
	for (size_t i = 0; !check.error && i < size; i++) {
		if (timeline_row_from_json(timeline, from + (uint32_t)i, json_array_get(rows, i)))
			check_fail(&check, "rows", "a list of sound rows");
	}
	if (!check.error)
		*n = (uint32_t)size;
	return check.error;
}
