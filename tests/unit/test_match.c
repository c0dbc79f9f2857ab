// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* An event finds its connection by both addresses and ports, and no other. */
#include "cmocka_all.h"
#include "core/match.h"

#include <stdio.h>

static struct address at(const char *text)
{
	struct address address;

	assert_int_equal(address_parse(&address, text), 0);
	return address;
}

static struct address port_of(const char *ip, unsigned int port)
{
	char text[ADDRESS_TEXT];

	snprintf(text, sizeof(text), "%s:%u", ip, port);
	return at(text);
}

/* Connection i: 10.0.0.1, port 1000 + i, to port 7471 of the same. */
static struct timeline fresh(enum side side, uint32_t connections)
{
	struct timeline timeline;

	assert_int_equal(timeline_init(&timeline, side, connections), 0);
	assert_int_equal(timeline_add_details(&timeline), 0);
	for (uint32_t i = 0; i < connections; i++) {
		timeline.details[i].source = port_of("10.0.0.1", 1000 + i);
		timeline.details[i].destination = at("10.0.0.1:7471");
	}
	return timeline;
}

static bool event(struct match *match, struct address own, struct address peer,
		  enum kernel_stamp stamp, uint64_t ns)
{
	return match_event(match, &own, &peer, stamp, ns);
}

static void match__of_many_connections__finds_each(void **state)
{
	enum { MANY = 50000 };
	struct timeline timeline = fresh(SIDE_CLIENT, MANY);
	struct match match;

	(void)state;
	assert_int_equal(match_init(&match, &timeline), 0);
	for (uint32_t i = 0; i < MANY; i++)
		assert_true(event(&match, port_of("10.0.0.1", 1000 + i), at("10.0.0.1:7471"),
				  KERNEL_REQ_SENT, 5 + i));
	for (uint32_t i = 0; i < MANY; i++)
		assert_int_equal(timeline.details[i].kernel_ns[KERNEL_REQ_SENT], 5 + i);
	match_free(&match);
	timeline_free(&timeline);
}

static void match__of_what_differs_in_one_thing__is_none(void **state)
{
	static const char *const others[][2] = {
		{ "10.0.0.1:1000", "10.0.0.1:7472" },  { "10.0.0.1:1002", "10.0.0.1:7471" },
		{ "10.0.0.2:1000", "10.0.0.1:7471" },  { "10.0.0.1:1000", "10.0.0.2:7471" },
		{ "[fd00::1]:1000", "10.0.0.1:7471" }, { "", "10.0.0.1:7471" },
		{ "10.0.0.1:7471", "10.0.0.1:1000" }, /* the server's side of it */
	};
	struct timeline timeline = fresh(SIDE_CLIENT, 2);
	struct match match;

	(void)state;
	assert_int_equal(match_init(&match, &timeline), 0);
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		assert_false(
			event(&match, at(others[i][0]), at(others[i][1]), KERNEL_DISCONNECTED, 5));
	assert_int_equal(timeline.details[0].kernel_ns[KERNEL_DISCONNECTED], 0);
	assert_int_equal(timeline.details[1].kernel_ns[KERNEL_DISCONNECTED], 0);
	match_free(&match);
	timeline_free(&timeline);
}

/* Both ends on one host: the trace has each connection twice. */
static void match__of_a_server__takes_the_mirrored_events(void **state)
{
	struct timeline timeline = fresh(SIDE_SERVER, 2);
	struct match match;

	(void)state;
	assert_int_equal(match_init(&match, &timeline), 0);
	assert_false(event(&match, at("10.0.0.1:1001"), at("10.0.0.1:7471"), KERNEL_DREQ_SENT, 5));
	assert_true(event(&match, at("10.0.0.1:7471"), at("10.0.0.1:1001"), KERNEL_REP_SENT, 6));
	assert_int_equal(timeline.details[1].kernel_ns[KERNEL_DREQ_SENT], 0);
	assert_int_equal(timeline.details[1].kernel_ns[KERNEL_REP_SENT], 6);
	match_free(&match);
	timeline_free(&timeline);
}

static void connection__without_addresses__is_left_out(void **state)
{
	struct timeline timeline = fresh(SIDE_CLIENT, 3);
	struct address none = at("");
	struct match match;

	(void)state;
	timeline.details[0].source = none;
	timeline.details[1].destination = none;
	assert_int_equal(match_init(&match, &timeline), 0);
	assert_false(match_event(&match, &none, &none, KERNEL_REQ_SENT, 5));
	assert_false(event(&match, at("10.0.0.1:1001"), none, KERNEL_REQ_SENT, 5));
	assert_true(event(&match, at("10.0.0.1:1002"), at("10.0.0.1:7471"), KERNEL_REQ_SENT, 5));
	match_free(&match);
	timeline_free(&timeline);
}

static void attempt__that_is_made_again__forgets_the_first(void **state)
{
	static const enum kernel_stamp begins[SIDES] = { KERNEL_REQ_SENT, KERNEL_REQUEST_QUEUED };

	(void)state;
	for (enum side side = 0; side < SIDES; side++) {
		struct timeline timeline = fresh(side, 1);
		struct address client = at("10.0.0.1:1000"), server = at("10.0.0.1:7471");
		struct address own = side == SIDE_CLIENT ? client : server;
		struct address peer = side == SIDE_CLIENT ? server : client;
		const uint64_t *kernel_ns = timeline.details[0].kernel_ns;
		struct match match;

		assert_int_equal(match_init(&match, &timeline), 0);
		assert_true(event(&match, own, peer, begins[side], 5));
		assert_true(event(&match, own, peer, KERNEL_ESTABLISHED, 6));
		assert_true(event(&match, own, peer, KERNEL_DISCONNECTED, 7));
		assert_true(event(&match, own, peer, begins[side], 8));
		assert_int_equal(kernel_ns[begins[side]], 8);
		assert_int_equal(kernel_ns[KERNEL_ESTABLISHED], 0);
		assert_int_equal(kernel_ns[KERNEL_DISCONNECTED], 0);
		match_free(&match);
		timeline_free(&timeline);
	}
}

static void event__of_a_kind_seen_before__does_not_move_its_stamp(void **state)
{
	struct timeline timeline = fresh(SIDE_CLIENT, 1);
	struct match match;

	(void)state;
	assert_int_equal(match_init(&match, &timeline), 0);
	assert_true(event(&match, at("10.0.0.1:1000"), at("10.0.0.1:7471"), KERNEL_RTU_SENT, 5));
	assert_true(event(&match, at("10.0.0.1:1000"), at("10.0.0.1:7471"), KERNEL_RTU_SENT, 6));
	assert_int_equal(timeline.details[0].kernel_ns[KERNEL_RTU_SENT], 5);
	match_free(&match);
	timeline_free(&timeline);
}

static void disconnect__that_answers_the_peers__is_no_dreq(void **state)
{
	struct timeline timeline = fresh(SIDE_SERVER, 2);
	struct address server = at("10.0.0.1:7471");
	struct match match;

	(void)state;
	assert_int_equal(match_init(&match, &timeline), 0);
	assert_true(event(&match, server, at("10.0.0.1:1000"), KERNEL_DISCONNECTED, 5));
	assert_true(event(&match, server, at("10.0.0.1:1000"), KERNEL_DREQ_SENT, 6));
	assert_int_equal(timeline.details[0].kernel_ns[KERNEL_DREQ_SENT], 0);
	assert_true(event(&match, server, at("10.0.0.1:1001"), KERNEL_DREQ_SENT, 5));
	assert_true(event(&match, server, at("10.0.0.1:1001"), KERNEL_DISCONNECTED, 6));
	assert_int_equal(timeline.details[1].kernel_ns[KERNEL_DREQ_SENT], 5);
	match_free(&match);
	timeline_free(&timeline);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(match__of_many_connections__finds_each),
		cmocka_unit_test(match__of_what_differs_in_one_thing__is_none),
		cmocka_unit_test(match__of_a_server__takes_the_mirrored_events),
		cmocka_unit_test(connection__without_addresses__is_left_out),
		cmocka_unit_test(attempt__that_is_made_again__forgets_the_first),
		cmocka_unit_test(event__of_a_kind_seen_before__does_not_move_its_stamp),
		cmocka_unit_test(disconnect__that_answers_the_peers__is_no_dreq),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
