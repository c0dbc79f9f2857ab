// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The vocabulary: what is said is understood, and what is malformed is refused, in words. */
#include "cmocka_all.h"
#include "control/protocol.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const struct offer an_offer = {
	.version = "0.1.0",
	.host = "client.example",
	.run_id = 0x0123456789abcdef,
	.step_timeout_ns = UINT64_C(120000000000),
	.connections = 10000,
	.window = 64,
	.rounds = 5,
	.warmups = 2,
	.samples = true,
};

static const struct answer an_answer = {
	.version = "0.1.0",
	.host = "server.example",
	.threads = 4,
	.listeners = 2,
	.n_ports = 2,
	.ports = { 7471, 65535 },
};

/* Sets or, with a value that is not JSON (""), removes a key; then asks the checker. */
static json_t *spoiled(json_t *message, const char *key, const char *value)
{
	if (*value)
		json_object_set_new(message, key, json_loads(value, JSON_DECODE_ANY, NULL));
	else
		json_object_del(message, key);
	return message;
}

static void message_types__by_their_names__are_found_again(void **state)
{
	(void)state;
	for (enum message_type type = MESSAGE_UNKNOWN; type < MESSAGE_TYPES; type++) {
		json_t *message = message_to_json(type);

		assert_int_equal(message_type(message), type);
		assert_string_equal(json_string_value(json_object_get(message, "type")),
				    message_type_name(type));
		json_decref(message);
	}
}

static void message_types__that_nobody_knows__are_unknown(void **state)
{
	static const char *const texts[] = { "{}", "{\"type\":1}", "{\"type\":\"Offer\"}", "[]",
					     "{\"type\":\"\"}" };

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		json_t *message = json_loads(texts[i], 0, NULL);

		assert_int_equal(message_type(message), MESSAGE_UNKNOWN);
		json_decref(message);
	}
	assert_int_equal(message_type(NULL), MESSAGE_UNKNOWN);
}

static void offer__there_and_back__is_the_same(void **state)
{
	json_t *message = offer_to_json(&an_offer);
	char why[PROTOCOL_WORDS] = "nothing";
	struct offer offer;

	(void)state;
	assert_int_equal(offer_from_json(message, why, &offer), 0);
	assert_string_equal(why, "nothing");
	assert_string_equal(offer.version, an_offer.version);
	assert_string_equal(offer.host, an_offer.host);
	assert_true(offer.run_id == an_offer.run_id);
	assert_true(offer.step_timeout_ns == an_offer.step_timeout_ns);
	assert_int_equal(offer.connections, an_offer.connections);
	assert_int_equal(offer.window, an_offer.window);
	assert_int_equal(offer.rounds, an_offer.rounds);
	assert_int_equal(offer.warmups, an_offer.warmups);
	assert_true(offer.samples);
	json_decref(message);
}

static void offer__at_its_limits__is_taken(void **state)
{
	struct offer limits = { .version = "1",
				.run_id = UINT64_MAX,
				.step_timeout_ns = UINT64_MAX,
				.connections = PROTOCOL_CONNECTIONS,
				.rounds = PROTOCOL_ROUNDS,
				.warmups = PROTOCOL_ROUNDS };
	json_t *message = offer_to_json(&limits);
	char why[PROTOCOL_WORDS];
	struct offer offer;

	(void)state;
	json_object_set_new(message, "of the future", json_true());
	assert_int_equal(offer_from_json(message, why, &offer), 0);
	assert_int_equal(offer.rounds, PROTOCOL_ROUNDS);
	assert_int_equal(offer.warmups, PROTOCOL_ROUNDS);
	json_object_del(message, "samples");
	json_object_del(message, "window");
	json_object_del(message, "rounds");
	json_object_del(message, "warmups");
	assert_int_equal(offer_from_json(message, why, &offer), 0);
	assert_string_equal(offer.host, "");
	assert_true(offer.run_id == UINT64_MAX);
	assert_true(offer.step_timeout_ns == INT64_MAX);
	assert_int_equal(offer.connections, PROTOCOL_CONNECTIONS);
	assert_false(offer.samples);
	assert_int_equal(offer.window, WINDOW_UNKNOWN);
	assert_int_equal(offer.rounds, 1);
	assert_int_equal(offer.warmups, 0);
	json_decref(message);
}

#define TEXT_64 "\"0123456789012345678901234567890123456789012345678901234567890123\""

static void offer__malformed_in_any_key__is_refused_naming_it(void **state)
{
	static const struct {
		const char *key, *value;
	} faults[] = {
		{ "type", "\"answer\"" },
		{ "type", "" },
		{ "protocol", "" },
		{ "protocol", "\"1\"" },
		{ "protocol", "1.0" },
		{ "protocol", "-1" },
		{ "protocol", "true" },
		{ "protocol", "4294967297" },
		{ "rounds", "0" },
		{ "rounds", "1001" },
		{ "rounds", "\"1\"" },
		{ "warmups", "-1" },
		{ "warmups", "1001" },
		{ "version", "" },
		{ "version", "\"\"" },
		{ "version", "1" },
		{ "version", TEXT_64 },
		{ "version", "\"\\u001b[2J\"" },
		{ "host", "" },
		{ "host", "null" },
		{ "host", "[]" },
		{ "host", TEXT_64 },
		{ "host", "\"a\\nb\"" },
		{ "host", "\"\\u007f\"" },
		{ "host", "\"\\u009b2J\"" },
		{ "run_id", "" },
		{ "run_id", "81985529216486895" },
		{ "run_id", "\"\"" },
		{ "run_id", "\"0123456789abcde\"" },
		{ "run_id", "\"0123456789abcdef0\"" },
		{ "run_id", "\"0123456789abcdefg\"" },
		{ "run_id", "\"0x23456789abcdef\"" },
		{ "run_id", "\" 123456789abcdef\"" },
		{ "run_id", "\"-123456789abcdef\"" },
		{ "run_id", "\"0123456789ABCDEF\"" },
		{ "connections", "" },
		{ "connections", "0" },
		{ "connections", "-1" },
		{ "connections", "16777217" },
		{ "connections", "4294967297" },
		{ "connections", "9223372036854775807" },
		{ "connections", "100.0" },
		{ "connections", "\"100\"" },
		{ "connections", "[100]" },
		{ "step_timeout_ns", "" },
		{ "step_timeout_ns", "0" },
		{ "step_timeout_ns", "-1" },
		{ "step_timeout_ns", "1e9" },
		{ "window", "-1" },
		{ "window", "null" },
		{ "window", "4294967295" },
		{ "samples", "1" },
		{ "samples", "null" },
		{ "samples", "\"true\"" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(faults) / sizeof(*faults); i++) {
		json_t *message = spoiled(offer_to_json(&an_offer), faults[i].key, faults[i].value);
		struct offer offer = { .connections = 77 };
		char why[PROTOCOL_WORDS] = "";
		bool is_typed = strcmp(faults[i].key, "type") != 0;

		if (offer_from_json(message, why, &offer) != -EPROTO)
			fail_msg("taken: %s %s", faults[i].key, faults[i].value);
		if (!strstr(why, is_typed ? faults[i].key : "expected offer"))
			fail_msg("%s %s: %s", faults[i].key, faults[i].value, why);
		assert_int_equal(offer.connections, 77);
		json_decref(message);
	}
}

static void offer__of_another_protocol__is_refused_naming_both(void **state)
{
	json_t *message =
		spoiled(spoiled(offer_to_json(&an_offer), "protocol", "2"), "version", "\"9.8.7\"");
	char why[PROTOCOL_WORDS] = "";
	struct offer offer;

	(void)state;
	/* In another protocol, the rest may look like anything. */
	json_object_del(message, "connections");
	assert_int_equal(offer_from_json(message, why, &offer), -EPROTONOSUPPORT);
	assert_non_null(strstr(why, "has 2 (cmtime 9.8.7)"));
	assert_non_null(strstr(why, "has 1 (cmtime "));
	spoiled(message, "version", "{}");
	assert_int_equal(offer_from_json(message, why, &offer), -EPROTONOSUPPORT);
	json_decref(message);
}

static void answer__there_and_back__is_the_same(void **state)
{
	json_t *message = answer_to_json(&an_answer);
	char why[PROTOCOL_WORDS];
	struct answer answer;

	(void)state;
	assert_int_equal(answer_from_json(message, why, &answer), 0);
	assert_string_equal(answer.version, an_answer.version);
	assert_string_equal(answer.host, an_answer.host);
	assert_int_equal(answer.threads, 4);
	assert_int_equal(answer.listeners, 2);
	assert_int_equal(answer.n_ports, 2);
	assert_int_equal(answer.ports[0], 7471);
	assert_int_equal(answer.ports[1], 65535);
	json_decref(message);
}

static void answer__malformed_in_any_key__is_refused_naming_it(void **state)
{
	static const struct {
		const char *key, *value;
	} faults[] = {
		{ "protocol", "" },
		{ "version", "" },
		{ "host", "1" },
		{ "threads", "" },
		{ "threads", "0" },
		{ "threads", "1025" },
		{ "listeners", "0" },
		{ "listeners", "65" },
		{ "ports", "" },
		{ "ports", "7471" },
		{ "ports", "[]" },
		{ "ports", "{\"0\":7471}" },
		{ "ports", "[0]" },
		{ "ports", "[65536]" },
		{ "ports", "[-1]" },
		{ "ports", "[7471,\"7472\"]" },
		{ "ports", "[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"
			   "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(faults) / sizeof(*faults); i++) {
		json_t *message =
			spoiled(answer_to_json(&an_answer), faults[i].key, faults[i].value);
		struct answer answer = { .n_ports = 77 };
		char why[PROTOCOL_WORDS] = "";

		if (answer_from_json(message, why, &answer) != -EPROTO)
			fail_msg("taken: %s %s", faults[i].key, faults[i].value);
		assert_non_null(strstr(why, faults[i].key));
		assert_int_equal(answer.n_ports, 77);
		json_decref(message);
	}
}

static void answer__of_another_protocol__is_refused(void **state)
{
	json_t *message = spoiled(answer_to_json(&an_answer), "protocol", "0");
	char why[PROTOCOL_WORDS] = "";
	struct answer answer;

	(void)state;
	assert_int_equal(answer_from_json(message, why, &answer), -EPROTONOSUPPORT);
	json_decref(message);
}

static void barriers__there_and_back__are_the_same(void **state)
{
	(void)state;
	for (enum barrier_at at = 0; at < BARRIERS; at++) {
		struct barrier barrier = { .at = at, .established = PROTOCOL_CONNECTIONS }, got;
		json_t *messages[] = { barrier_to_json(&barrier), ready_to_json(&barrier) };
		char why[PROTOCOL_WORDS];

		assert_int_equal(message_type(messages[0]), MESSAGE_BARRIER);
		assert_int_equal(message_type(messages[1]), MESSAGE_READY);
		for (int i = 0; i < 2; i++) {
			assert_int_equal(barrier_from_json(messages[i], why, &got), 0);
			assert_int_equal(got.at, at);
			assert_int_equal(got.established, PROTOCOL_CONNECTIONS);
			json_decref(messages[i]);
		}
	}
}

static void barrier__malformed__is_refused(void **state)
{
	static const struct {
		const char *key, *value;
	} faults[] = {
		{ "type", "\"offer\"" },
		{ "at", "" },
		{ "at", "0" },
		{ "at", "\"accept\"" },
		{ "at", "\"\"" },
		{ "established", "" },
		{ "established", "-1" },
		{ "established", "16777217" },
		{ "established", "null" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(faults) / sizeof(*faults); i++) {
		struct barrier barrier = { .established = 1 };
		json_t *message =
			spoiled(barrier_to_json(&barrier), faults[i].key, faults[i].value);
		char why[PROTOCOL_WORDS] = "";

		barrier.established = 77;
		if (barrier_from_json(message, why, &barrier) != -EPROTO || !*why)
			fail_msg("taken: %s %s", faults[i].key, faults[i].value);
		assert_int_equal(barrier.established, 77);
		json_decref(message);
	}
}

static void reason__there_and_back__is_the_same(void **state)
{
	json_t *messages[] = { refusal_to_json("no \xc3\xa4 today"),
			       abort_to_json("no \xc3\xa4 today") };
	char reason[PROTOCOL_WORDS];

	(void)state;
	assert_int_equal(message_type(messages[0]), MESSAGE_REFUSAL);
	assert_int_equal(message_type(messages[1]), MESSAGE_ABORT);
	for (int i = 0; i < 2; i++) {
		reason_from_json(messages[i], reason);
		assert_string_equal(reason, "no \xc3\xa4 today");
		json_decref(messages[i]);
	}
}

static void reason__that_the_peer_would_refuse__is_mended(void **state)
{
	char longer[600], reason[PROTOCOL_WORDS];
	json_t *message;

	(void)state;
	message = refusal_to_json("a\nb\x1b[2Jc\xc2\x9b"
				  "d\x7f");
	reason_from_json(message, reason);
	assert_string_equal(reason, "a b [2Jc  d ");
	json_decref(message);

	/* Neither UTF-8 nor without letters: Latin-1. */
	message = refusal_to_json("gew\xe4hlt");
	reason_from_json(message, reason);
	assert_string_equal(reason, "gew?hlt");
	json_decref(message);

	/* 400 bytes, but a whole number of characters of two. */
	memset(longer, 'x', sizeof(longer));
	for (size_t i = 1; i + 1 < sizeof(longer); i += 2)
		memcpy(longer + i, "\xc3\xa4", 2);
	longer[sizeof(longer) - 1] = 0;
	message = refusal_to_json(longer);
	reason_from_json(message, reason);
	assert_int_equal(strlen(reason), 399);
	json_decref(message);
}

static void reason__that_is_unsound__is_not_shown(void **state)
{
	static const char *const values[] = { "", "1", "null", "\"\"", "\"\\u001b[2J\"", "[]" };
	char reason[PROTOCOL_WORDS];

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		json_t *message = spoiled(abort_to_json("x"), "reason", values[i]);

		reason_from_json(message, reason);
		assert_string_equal(reason, "no reason given");
		json_decref(message);
	}
}

static void result__in_its_message__is_handed_out(void **state)
{
	json_t *message = result_message_to_json(json_pack("{s:i}", "rounds", 1));
	char why[PROTOCOL_WORDS] = "";
	const json_t *result = NULL;

	(void)state;
	assert_int_equal(result_message_from_json(message, why, &result), 0);
	assert_int_equal(json_integer_value(json_object_get(result, "rounds")), 1);
	spoiled(message, "result", "[]");
	assert_int_equal(result_message_from_json(message, why, &result), -EPROTO);
	spoiled(message, "result", "");
	assert_int_equal(result_message_from_json(message, why, &result), -EPROTO);
	json_decref(message);
	message = message_to_json(MESSAGE_FINISH);
	assert_int_equal(result_message_from_json(message, why, &result), -EPROTO);
	assert_string_equal(why, "expected result, got finish");
	json_decref(message);
	assert_null(result_message_to_json(NULL));
}

static void samples__asked_for_and_sent__fit_the_request(void **state)
{
	struct timeline from, to;
	char why[PROTOCOL_WORDS];
	uint32_t at = 7, n = 7;

	(void)state;
	assert_int_equal(timeline_init(&from, SIDE_SERVER, PROTOCOL_SAMPLES + 2), 0);
	assert_int_equal(timeline_init(&to, SIDE_SERVER, PROTOCOL_SAMPLES + 2), 0);
	timeline_span(&from, STEP_ACCEPT, PROTOCOL_SAMPLES)->begin_ns = 5;
	json_t *request = samples_request_to_json(PROTOCOL_SAMPLES);
	json_t *first = samples_to_json(&from, 0), *last = samples_to_json(&from, PROTOCOL_SAMPLES);

	assert_int_equal(samples_request_from_json(request, why, PROTOCOL_SAMPLES, &at), 0);
	assert_int_equal(at, PROTOCOL_SAMPLES);
	assert_int_equal(samples_request_from_json(request, why, PROTOCOL_SAMPLES - 1, &at),
			 -EPROTO);
	assert_int_equal(samples_from_json(first, why, 0, &to, &n), 0);
	assert_int_equal(n, PROTOCOL_SAMPLES);
	assert_int_equal(samples_from_json(last, why, PROTOCOL_SAMPLES, &to, &n), 0);
	assert_int_equal(n, 2);
	assert_int_equal(timeline_span(&to, STEP_ACCEPT, PROTOCOL_SAMPLES)->begin_ns, 5);
	/* Not what was asked for, or more than there are. */
	assert_int_equal(samples_from_json(last, why, 0, &to, &n), -EPROTO);
	assert_int_equal(samples_from_json(first, why, PROTOCOL_SAMPLES, &to, &n), -EPROTO);
	json_object_set_new(first, "from", json_integer(PROTOCOL_SAMPLES));
	assert_int_equal(samples_from_json(first, why, PROTOCOL_SAMPLES, &to, &n), -EPROTO);
	json_object_set_new(last, "rows", json_array());
	assert_int_equal(samples_from_json(last, why, PROTOCOL_SAMPLES, &to, &n), -EPROTO);
	json_object_set_new(last, "rows", json_loads("[[]]", 0, NULL));
	assert_int_equal(samples_from_json(last, why, PROTOCOL_SAMPLES, &to, &n), -EPROTO);
	assert_int_equal(samples_from_json(NULL, why, 0, &to, &n), -EPROTO);
	json_decref(request);
	json_decref(first);
	json_decref(last);
	timeline_free(&from);
	timeline_free(&to);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(message_types__by_their_names__are_found_again),
		cmocka_unit_test(message_types__that_nobody_knows__are_unknown),
		cmocka_unit_test(offer__there_and_back__is_the_same),
		cmocka_unit_test(offer__at_its_limits__is_taken),
		cmocka_unit_test(samples__asked_for_and_sent__fit_the_request),
		cmocka_unit_test(offer__malformed_in_any_key__is_refused_naming_it),
		cmocka_unit_test(offer__of_another_protocol__is_refused_naming_both),
		cmocka_unit_test(answer__there_and_back__is_the_same),
		cmocka_unit_test(answer__malformed_in_any_key__is_refused_naming_it),
		cmocka_unit_test(answer__of_another_protocol__is_refused),
		cmocka_unit_test(barriers__there_and_back__are_the_same),
		cmocka_unit_test(barrier__malformed__is_refused),
		cmocka_unit_test(reason__there_and_back__is_the_same),
		cmocka_unit_test(reason__that_the_peer_would_refuse__is_mended),
		cmocka_unit_test(reason__that_is_unsound__is_not_shown),
		cmocka_unit_test(result__in_its_message__is_handed_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
