// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The result, its JSON and the server's half. tests/data/result.json is a made-up result that
 * spells every key of the schema: a key that changes here has been renamed for every script there
 * is.
 */
#include "cmocka_all.h"
#include "core/result.h"
#include "data.h"

#include <errno.h>

static json_t *sample(void)
{
	return data_json(DATA("result.json"));
}

static json_t *round_of(json_t *json)
{
	return json_array_get(json_object_get(json, "rounds"), 0);
}

static json_t *row_of(json_t *json, const char *array, size_t i)
{
	json_t *row = json_array_get(json_object_get(round_of(json), array), i);

	assert_non_null(row);
	return row;
}

static void json__of_a_result_from_json__is_the_same_json(void **state)
{
	struct result result = data_result(DATA("result.json"));
	json_t *want = sample(), *got = result_to_json(&result);

	(void)state;
	assert_non_null(got);
	assert_true(json_equal(got, want));
	json_decref(got);
	json_decref(want);
	result_free(&result);
}

static void json__as_text__keeps_the_order_of_its_keys_and_every_digit(void **state)
{
	struct result result = data_result(DATA("result.json"));
	json_t *json = result_to_json(&result), *want = sample();
	char *text = json_dumps(json, JSON_COMPACT), *want_text = json_dumps(want, JSON_COMPACT);

	(void)state;
	assert_string_equal(text, want_text);
	free(text);
	free(want_text);
	json_decref(json);
	json_decref(want);
	result_free(&result);
}

static void result__from_json__has_what_was_in_it(void **state)
{
	struct result r = data_result(DATA("result.json"));
	const struct round *round = &r.rounds[0];

	(void)state;
	assert_string_equal(r.run.version, "0.1.0");
	assert_string_equal(r.run.run_id, "00d1ce5ca1ab1e00");
	assert_int_equal(r.run.reported_by, SIDE_CLIENT);
	assert_int_equal(r.run.connections, 10000);
	assert_int_equal(r.run.window, 64);
	assert_int_equal(r.run.server_threads, 2);
	assert_string_equal(r.run.ends[SIDE_SERVER].address, "10.0.0.2");
	assert_int_equal(r.n_rounds, 1);
	assert_int_equal(round->connected, 9990);
	assert_true(round->begin_ns[SIDE_CLIENT] == 81234567890123);
	assert_int_equal(round->figures[SIDE_CLIENT][STEP_CONNECT].count, 9990);
	assert_int_equal(round->figures[SIDE_CLIENT][STEP_CONNECT].stddev_ns, 2512345);
	assert_int_equal(round->figures[SIDE_CLIENT][STEP_CONNECT].side, SIDE_CLIENT);
	assert_int_equal(round->figures[SIDE_CLIENT][STEP_CONNECT].step, STEP_CONNECT);
	assert_int_equal(round->figures[SIDE_SERVER][STEP_ESTABLISH].failed, 2);
	assert_int_equal(round->ledger.n, 4);
	assert_int_equal(round->ledger.rows[1].first[4], 42);
	assert_int_equal(round->ledger.rows[0].outcome.status, -ETIMEDOUT);
	assert_int_equal(round->n_cm, 3);
	assert_int_equal(round->cm[0].msg[CM_REQ].retries, 26);
	assert_int_equal(round->cm[2].msg[CM_REQ].duplicates, 25);
	assert_int_equal(round->doubles, 1);
	result_free(&r);
}

static void step__nobody_did__is_null_and_never_0(void **state)
{
	struct result result;
	json_t *json, *steps, *row;
	size_t i;

	(void)state;
	assert_int_equal(result_init(&result, 1), 0);
	result.rounds[0].begin_ns[SIDE_CLIENT] = 1;
	json = result_to_json(&result);
	steps = json_object_get(round_of(json), "steps");
	/* All of a client's but bind_addr; a server that took no part has none. */
	assert_int_equal(json_array_size(steps), 8 - 1 + 1);
	json_array_foreach (steps, i, row) {
		assert_string_equal(json_string_value(json_object_get(row, "side")), "client");
		assert_string_not_equal(json_string_value(json_object_get(row, "step")),
					"bind_addr");
		assert_int_equal(json_integer_value(json_object_get(row, "count")), 0);
		assert_true(json_is_null(json_object_get(row, "min_ns")));
		assert_true(json_is_null(json_object_get(row, "stddev_ns")));
		assert_true(json_is_null(json_object_get(row, "per_second")));
	}
	json_decref(json);
	result_free(&result);
}

static void step__of_less_than_a_microsecond__is_its_nanoseconds(void **state)
{
	struct result result;
	uint64_t one = 400;
	json_t *json;

	(void)state;
	assert_int_equal(result_init(&result, 1), 0);
	figures_compute(&result.rounds[0].figures[SIDE_CLIENT][STEP_CREATE_ID], &one, 1, 1, 401);
	json = result_to_json(&result);
	assert_int_equal(json_integer_value(json_object_get(row_of(json, "steps", 0), "min_ns")),
			 400);
	json_decref(json);
	result_free(&result);
}

static void window__without_a_limit__is_a_word(void **state)
{
	struct result result, again;
	json_t *json;

	(void)state;
	assert_int_equal(result_init(&result, 0), 0);
	json = result_to_json(&result);
	assert_string_equal(
		json_string_value(json_object_get(json_object_get(json, "run"), "window")),
		"unlimited");
	assert_int_equal(result_from_json(&again, json), 0);
	assert_int_equal(again.run.window, 0);
	json_decref(json);
	result_free(&again);
}

static void window__nobody_told__is_no_data(void **state)
{
	struct result result;
	json_t *json = sample();

	(void)state;
	json_object_del(json_object_get(json, "run"), "window");
	assert_int_equal(result_from_json(&result, json), 0);
	assert_true(result.run.window == WINDOW_UNKNOWN);
	json_decref(json);
	json = result_to_json(&result);
	assert_true(json_is_null(json_object_get(json_object_get(json, "run"), "window")));
	json_decref(json);
	result_free(&result);
}

static void name__with_control_characters__does_not_reach_json(void **state)
{
	struct result result;
	json_t *json, *client;

	(void)state;
	assert_int_equal(result_init(&result, 0), 0);
	strcpy(result.run.ends[SIDE_CLIENT].host, "a\033[2Jb\xff");
	memset(result.run.ends[SIDE_CLIENT].device, 'x', RESULT_NAME);
	json = result_to_json(&result);
	client = json_object_get(json_object_get(json, "run"), "client");
	assert_string_equal(json_string_value(json_object_get(client, "host")), "a?[2Jb?");
	assert_int_equal(json_string_length(json_object_get(client, "device")), RESULT_NAME - 1);
	json_decref(json);
}

static void integer__beyond_json_s__saturates(void **state)
{
	struct result result;
	json_t *json;

	(void)state;
	assert_int_equal(result_init(&result, 1), 0);
	result.rounds[0].begin_ns[SIDE_SERVER] = UINT64_MAX;
	json = result_to_json(&result);
	assert_true(json_integer_value(json_object_get(row_of(json, "begin", 0), "monotonic_ns")) ==
		    INT64_MAX);
	json_decref(json);
	result_free(&result);
}

/* Takes json; *result must stay as it was. */
static void assert_refused(json_t *json)
{
	struct result result, before;

	memset(&result, 0x5a, sizeof(result));
	before = result;
	assert_int_equal(result_from_json(&result, json), -EPROTO);
	assert_memory_equal(&result, &before, sizeof(result));
	json_decref(json);
}

static void json__that_is_no_result__is_refused(void **state)
{
	json_t *json;

	(void)state;
	assert_refused(json_null());
	assert_refused(json_array());
	assert_refused(json_object());
	json = sample();
	json_object_set_new(json, "schema", json_string("cmtime-result/2"));
	assert_refused(json);
	json = sample();
	json_object_del(json, "run");
	assert_refused(json);
	json = sample();
	json_object_del(json, "rounds");
	assert_refused(json);
}

static void name__that_nobody_knows__is_refused(void **state)
{
	static const struct {
		const char *array;
		size_t row;
		const char *key, *name;
	} bad[] = {
		{ "steps", 0, "step", "conect" },	{ "steps", 0, "side", "both" },
		{ "steps", 0, "step", "accept" },	{ "steps", 8, "step", "connect" },
		{ "begin", 1, "side", "client" },	{ "begin", 0, "side", "" },
		{ "outcomes", 0, "event", "ROUTE" },	{ "outcomes", 0, "event", "none" },
		{ "outcomes", 0, "step", "establish" }, { "cm", 0, "step", "" },
		{ "cm", 0, "host", "\033[2J" },		{ "cm", 0, "device", "\xc3\xa9" },
		{ "steps", 1, "step", "create_id" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		json_t *json = sample();

		json_object_set_new(row_of(json, bad[i].array, bad[i].row), bad[i].key,
				    json_string(bad[i].name));
		print_message("%s[%zu].%s = %s\n", bad[i].array, bad[i].row, bad[i].key,
			      bad[i].name);
		assert_refused(json);
	}
}

static void number__out_of_its_range__is_refused(void **state)
{
	static const struct {
		const char *array;
		size_t row;
		const char *key;
		json_int_t value;
	} bad[] = {
		{ "steps", 0, "count", -1 },
		{ "steps", 0, "count", (json_int_t)UINT32_MAX + 1 },
		{ "steps", 0, "failed", -1 },
		{ "steps", 0, "total_ns", -1 },
		{ "steps", 0, "min_ns", 17000 }, /* over its p50 */
		{ "steps", 0, "max_ns", 1 },
		{ "steps", 0, "mean_ns", 311000 }, /* over its max */
		{ "steps", 0, "sum_ns", 309999 },  /* under its max */
		{ "outcomes", 0, "count", 0 },
		{ "outcomes", 0, "count", 3 }, /* with two indices */
		{ "outcomes", 1, "count", 4 }, /* with five */
		{ "outcomes", 0, "status", (json_int_t)INT32_MAX + 1 },
		{ "outcomes", 0, "status", (json_int_t)INT32_MIN - 1 },
		{ "outcomes", 0, "first", 3 },
		{ "cm", 0, "req_sent", -1 },
		{ "cm", 0, "port", (json_int_t)UINT32_MAX + 1 },
		{ "begin", 0, "monotonic_ns", -1 },
		{ "cpu", 1, "user_ns", -1 },
		{ "cpu", 0, "max_rss_bytes", -1 },
		{ "retry_bands", 0, "retries", CM_RETRIES_MOST + 1 },
		{ "retry_bands", 1, "count", (json_int_t)UINT32_MAX + 1 },
		{ "kernel", 0, "lost", -1 },
		{ "kernel", 0, "unmatched", (json_int_t)UINT32_MAX + 1 },
		{ "kernel", 0, "parts", 4 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		json_t *json = sample();

		json_object_set_new(row_of(json, bad[i].array, bad[i].row), bad[i].key,
				    json_integer(bad[i].value));
		print_message("%s[%zu].%s\n", bad[i].array, bad[i].row, bad[i].key);
		assert_refused(json);
	}
}

static json_t *many(json_t *row, size_t n)
{
	json_t *array = json_array();

	while (n--)
		json_array_append(array, row);
	return array;
}

static void array__of_more_than_a_result_holds__is_refused(void **state)
{
	static const struct {
		const char *name;
		size_t max;
	} arrays[] = { { "outcomes", MAX_LEDGER_ROWS },
		       { "cm", MAX_CM_ROWS },
		       { "begin", SIDES },
		       { "cpu", SIDES },
		       { "kernel", SIDES },
		       { "retry_bands", (size_t)RETRY_KINDS * (CM_RETRIES_MOST + 1) } };
	json_t *json = sample(), *round = json_object();
	struct result result;

	(void)state;
	json_object_set_new(json, "rounds", many(round, MAX_ROUNDS));
	assert_int_equal(result_from_json(&result, json), 0);
	assert_int_equal(result.n_rounds, MAX_ROUNDS);
	result_free(&result);
	json_object_set_new(json, "rounds", many(round, MAX_ROUNDS + 1));
	assert_refused(json);
	json_decref(round);

	for (size_t i = 0; i < sizeof(arrays) / sizeof(*arrays); i++) {
		json = sample();
		json_object_set_new(round_of(json), arrays[i].name,
				    many(row_of(json, arrays[i].name, 0), arrays[i].max + 1));
		assert_refused(json);
	}
	json = sample();
	json_object_set_new(round_of(json), "cm", many(row_of(json, "cm", 0), MAX_CM_ROWS));
	assert_int_equal(result_from_json(&result, json), 0);
	assert_int_equal(result.rounds[0].n_cm, MAX_CM_ROWS);
	result_free(&result);
	json_decref(json);
}

static void string__longer_than_its_room__is_refused(void **state)
{
	char text[RESULT_NAME + 1];
	json_t *json = sample();
	struct result result;

	(void)state;
	memset(text, 'x', sizeof(text));
	text[RESULT_NAME - 1] = '\0';
	json_object_set_new(json, "version", json_string(text));
	assert_int_equal(result_from_json(&result, json), 0);
	assert_string_equal(result.run.version, text);
	result_free(&result);
	text[RESULT_NAME - 1] = 'x';
	text[RESULT_NAME] = '\0';
	json_object_set_new(json, "version", json_string(text));
	assert_refused(json);
}

static void part__of_the_other_side_or_nobody__is_refused(void **state)
{
	static const char *const bad[] = { "accept", "none", "" };

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		json_t *json = sample();
		json_t *parts = json_object_get(row_of(json, "kernel", 0), "parts");

		json_object_set_new(json_array_get(parts, 0), "part", json_string(bad[i]));
		assert_refused(json);
	}
}

static void settings__beyond_their_room_or_no_text__are_refused(void **state)
{
	static const char *const bad[] = { "{\"a\": 1}", "[]", "{\"\\u0007\": \"x\"}",
					   "{\"a\": \"\\n\"}" };
	json_t *json, *many = json_object();
	struct result result;
	char name[8];

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		json = sample();
		json_object_set_new(json_object_get(json_object_get(json, "run"), "client"),
				    "settings", json_loads(bad[i], 0, NULL));
		assert_refused(json);
	}
	for (int i = 0; i < MAX_SETTINGS; i++) {
		snprintf(name, sizeof(name), "s%d", i);
		json_object_set_new(many, name, json_string("1"));
	}
	json = sample();
	json_object_set(json_object_get(json_object_get(json, "run"), "client"), "settings", many);
	assert_int_equal(result_from_json(&result, json), 0);
	assert_int_equal(result.run.ends[SIDE_CLIENT].n_settings, MAX_SETTINGS);
	result_free(&result);
	json_object_set_new(many, "one more", json_string("1"));
	assert_refused(json);
	json_decref(many);
}

static void key__nobody_knows__is_ignored_and_a_missing_one_is_no_data(void **state)
{
	json_t *json = sample();
	struct result result;

	(void)state;
	json_object_set_new(json, "later", json_true());
	json_object_set_new(row_of(json, "steps", 0), "p42_ns", json_string("x"));
	json_object_del(round_of(json), "cm");
	json_object_del(round_of(json), "refused");
	json_object_del(json_object_get(json, "run"), "server");
	assert_int_equal(result_from_json(&result, json), 0);
	assert_int_equal(result.rounds[0].n_cm, 0);
	assert_int_equal(result.rounds[0].strangers, 0);
	assert_string_equal(result.run.ends[SIDE_SERVER].host, "");
	result_free(&result);
	json_decref(json);
}

/* Whatever comes of it must be sound: refused, or written and read again without a change. */
static void assert_sound(const json_t *json)
{
	struct result result, again;
	json_t *once, *twice;
	int err = result_from_json(&result, json);

	if (err) {
		assert_int_equal(err, -EPROTO);
		return;
	}
	once = result_to_json(&result);
	assert_non_null(once);
	assert_int_equal(result_from_json(&again, once), 0);
	twice = result_to_json(&again);
	assert_true(json_equal(once, twice));
	json_decref(once);
	json_decref(twice);
	result_free(&result);
	result_free(&again);
}

static void spoil(const json_t *root, json_t *node, json_t *const *values, size_t n)
{
	const char *key;
	json_t *child;
	size_t i;
	void *next;

	if (json_is_object(node)) {
		json_object_foreach_safe(node, next, key, child)
		{
			json_incref(child);
			for (i = 0; i < n; i++) {
				json_object_set(node, key, values[i]);
				assert_sound(root);
			}
			json_object_set(node, key, child);
			spoil(root, child, values, n);
			json_decref(child);
		}
	} else if (json_is_array(node)) {
		for (size_t k = 0; k < json_array_size(node); k++) {
			child = json_incref(json_array_get(node, k));
			for (i = 0; i < n; i++) {
				json_array_set(node, k, values[i]);
				assert_sound(root);
			}
			json_array_set(node, k, child);
			spoil(root, child, values, n);
			json_decref(child);
		}
	}
}

static void json__spoiled_anywhere__is_refused_or_sound(void **state)
{
	char *long_text = calloc(1, 5001);
	json_t *json = sample();
	json_t *values[] = {
		json_null(),
		json_true(),
		json_integer(-1),
		json_integer(0),
		json_integer((json_int_t)UINT32_MAX + 1),
		json_integer(INT64_MAX),
		json_integer(INT64_MIN),
		json_real(1e300),
		json_string(""),
		json_string("client"),
		json_string(memset(long_text, 'x', 5000)),
		json_array(),
		json_object(),
		json_pack("[[{}]]"),
	};
	size_t n = sizeof(values) / sizeof(*values);

	(void)state;
	spoil(json, json, values, n);
	json__of_a_result_from_json__is_the_same_json(state);
	while (n--)
		json_decref(values[n]);
	json_decref(json);
	free(long_text);
}

static void result__that_takes_the_server_s_half__keeps_its_own(void **state)
{
	struct result theirs = data_result(DATA("result.json")), ours;
	struct outcome rejected = { STEP_CONNECT, EVENT_REJECTED, 10 };
	struct round *round;

	(void)state;
	assert_int_equal(result_init(&ours, 1), 0);
	round = &ours.rounds[0];
	ours.run.connections = 5;
	ours.run.threads = 3;
	strcpy(ours.run.ends[SIDE_CLIENT].host, "gamma");
	strcpy(ours.run.ends[SIDE_SERVER].host, "stale");
	strcpy(ours.run.ends[SIDE_SERVER].address, "10.0.0.9");
	*theirs.run.ends[SIDE_SERVER].address = '\0';
	round->connected = 4;
	round->begin_ns[SIDE_CLIENT] = 99;
	round->figures[SIDE_CLIENT][STEP_CONNECT].failed = 1;
	assert_int_equal(ledger_add(&round->ledger, SIDE_CLIENT, &rejected, 2), 0);

	assert_int_equal(result_take_server(&ours, &theirs), 0);
	assert_int_equal(ours.run.connections, 5);
	assert_int_equal(ours.run.threads, 3);
	assert_int_equal(ours.run.server_threads, 2);
	assert_int_equal(ours.run.listeners, 1);
	assert_string_equal(ours.run.ends[SIDE_CLIENT].host, "gamma");
	assert_string_equal(ours.run.ends[SIDE_SERVER].host, "beta");
	assert_string_equal(ours.run.ends[SIDE_SERVER].address, "10.0.0.9");
	assert_int_equal(round->connected, 4);
	assert_int_equal(round->begin_ns[SIDE_CLIENT], 99);
	assert_true(round->begin_ns[SIDE_SERVER] == 4567890123);
	assert_int_equal(round->figures[SIDE_CLIENT][STEP_CONNECT].count, 0);
	assert_int_equal(round->figures[SIDE_SERVER][STEP_ACCEPT].count, 9992);
	assert_int_equal(round->ledger.n, 2);
	assert_int_equal(ledger_failed(&round->ledger, SIDE_CLIENT, STEP_CONNECT), 1);
	assert_int_equal(ledger_failed(&round->ledger, SIDE_SERVER, STEP_ESTABLISH), 2);
	assert_int_equal(round->n_cm, 3);
	assert_int_equal(round->strangers, 3);
	result_free(&ours);
	result_free(&theirs);
}

static void counters__of_a_port_both_ends_share__are_taken_once(void **state)
{
	struct result theirs = data_result(DATA("result.json")), ours;
	struct cm_counts own = {
		.host = "alpha", .device = "rxe0", .port = 1, .step = STEP_CONNECT
	};

	(void)state;
	own.msg[CM_REQ].sent = 17;
	assert_int_equal(result_init(&ours, 1), 0);
	assert_int_equal(round_add_cm(&ours.rounds[0], &own), 0);
	assert_int_equal(result_take_server(&ours, &theirs), 0);
	assert_int_equal(ours.rounds[0].n_cm, 3);
	assert_int_equal(ours.rounds[0].cm[0].msg[CM_REQ].sent, 17);
	assert_int_equal(ours.rounds[0].cm[1].step, STEP_DISCONNECT);
	assert_string_equal(ours.rounds[0].cm[2].host, "beta");
	result_free(&ours);
	result_free(&theirs);
}

static void server_s_half__of_a_round__goes_into_the_last_of_ours(void **state)
{
	struct result theirs = data_result(DATA("result.json")), ours;

	(void)state;
	assert_int_equal(result_init(&ours, 2), 0);
	assert_int_equal(result_take_server(&ours, &theirs), 0);
	assert_int_equal(ours.rounds[1].figures[SIDE_SERVER][STEP_ACCEPT].count, 9992);
	assert_int_equal(ours.rounds[0].figures[SIDE_SERVER][STEP_ACCEPT].count, 0);
	assert_false(round_has_step(&ours.rounds[0], SIDE_SERVER, STEP_ACCEPT));
	result_drop_round(&ours);
	assert_int_equal(ours.n_rounds, 1);
	assert_non_null(result_add_round(&ours));
	assert_int_equal(ours.rounds[1].figures[SIDE_SERVER][STEP_ACCEPT].count, 0);
	result_free(&ours);
	assert_int_equal(result_init(&ours, 0), 0);
	assert_int_equal(result_take_server(&ours, &theirs), 0);
	result_free(&ours);
	result_free(&theirs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(json__of_a_result_from_json__is_the_same_json),
		cmocka_unit_test(json__as_text__keeps_the_order_of_its_keys_and_every_digit),
		cmocka_unit_test(result__from_json__has_what_was_in_it),
		cmocka_unit_test(step__nobody_did__is_null_and_never_0),
		cmocka_unit_test(step__of_less_than_a_microsecond__is_its_nanoseconds),
		cmocka_unit_test(window__without_a_limit__is_a_word),
		cmocka_unit_test(window__nobody_told__is_no_data),
		cmocka_unit_test(name__with_control_characters__does_not_reach_json),
		cmocka_unit_test(integer__beyond_json_s__saturates),
		cmocka_unit_test(json__that_is_no_result__is_refused),
		cmocka_unit_test(name__that_nobody_knows__is_refused),
		cmocka_unit_test(number__out_of_its_range__is_refused),
		cmocka_unit_test(array__of_more_than_a_result_holds__is_refused),
		cmocka_unit_test(string__longer_than_its_room__is_refused),
		cmocka_unit_test(part__of_the_other_side_or_nobody__is_refused),
		cmocka_unit_test(settings__beyond_their_room_or_no_text__are_refused),
		cmocka_unit_test(key__nobody_knows__is_ignored_and_a_missing_one_is_no_data),
		cmocka_unit_test(json__spoiled_anywhere__is_refused_or_sound),
		cmocka_unit_test(result__that_takes_the_server_s_half__keeps_its_own),
		cmocka_unit_test(counters__of_a_port_both_ends_share__are_taken_once),
		cmocka_unit_test(server_s_half__of_a_round__goes_into_the_last_of_ours),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
