// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What a connect is made of: each part, what counts as no data, and that the parts add up. */
#include "cmocka_all.h"
#include "core/part.h"
#include "core/stats.h"
#include "core/timeline.h"

#include <string.h>

static struct timeline fresh(enum side side, uint32_t connections)
{
	struct timeline timeline;

	assert_int_equal(timeline_init(&timeline, side, connections), 0);
	assert_int_equal(timeline_add_details(&timeline), 0);
	return timeline;
}

static void stamp(struct timeline *timeline, enum step step, uint32_t index, uint64_t begin_ns,
		  uint64_t end_ns)
{
	*timeline_span(timeline, step, index) = (struct span){ begin_ns, end_ns };
}

static void stamp_kernel(struct timeline *timeline, uint32_t index, enum kernel_stamp stamp,
			 uint64_t ns)
{
	timeline->details[index].kernel_ns[stamp] = ns;
}

/* 10, 200, 30 and 4 us, from 1 ms on. */
static void connect_at(struct timeline *timeline, uint32_t index)
{
	stamp(timeline, STEP_CONNECT, index, 1000000, 1244000);
	stamp_kernel(timeline, index, KERNEL_REQ_SENT, 1010000);
	stamp_kernel(timeline, index, KERNEL_RESPONSE_QUEUED, 1210000);
	stamp_kernel(timeline, index, KERNEL_RTU_SENT, 1240000);
}

/* 50, 300, 70 and 8 us, from 2 ms on. */
static void accept_at(struct timeline *timeline, uint32_t index)
{
	stamp_kernel(timeline, index, KERNEL_REQUEST_QUEUED, 2000000);
	stamp(timeline, STEP_ACCEPT, index, 2050000, 2360000);
	stamp_kernel(timeline, index, KERNEL_REP_SENT, 2350000);
	stamp_kernel(timeline, index, KERNEL_ESTABLISHED, 2420000);
	stamp(timeline, STEP_ESTABLISH, index, 2360000, 2428000);
}

static void part__names__lead_back_and_are_unique(void **state)
{
	(void)state;
	for (enum part part = 0; part < PARTS; part++) {
		assert_int_equal(part_from_name(part_name(part)), part);
		assert_true(strlen(part_label(part)) > 0);
	}
	assert_int_equal(part_from_name("RETURN"), PARTS);
	assert_int_equal(part_from_name(""), PARTS);
}

static void part__of_each_side__lies_between_its_stamps(void **state)
{
	static const uint64_t want_us[PARTS] = {
		[PART_CALL] = 10,    [PART_NETWORK] = 200, [PART_QUEUE] = 30, [PART_RETURN] = 4,
		[PART_BACKLOG] = 50, [PART_ACCEPT] = 300,  [PART_PEER] = 70,  [PART_NOTICE] = 8,
	};

	(void)state;
	for (enum side side = 0; side < SIDES; side++) {
		struct timeline timeline = fresh(side, 2);

		if (side == SIDE_CLIENT)
			connect_at(&timeline, 1);
		else
			accept_at(&timeline, 1);
		for (enum part part = 0; part < PARTS; part++) {
			uint64_t ns = 77;

			assert_false(part_ns(&timeline, 0, part, &ns));
			assert_int_equal(ns, 77);
			assert_int_equal(part_ns(&timeline, 1, part, &ns), part_side(part) == side);
			assert_int_equal(ns, part_side(part) == side ? want_us[part] * 1000 : 77);
		}
		timeline_free(&timeline);
	}
}

static void part__of_a_connection_without_rtu__is_no_data(void **state)
{
	struct timeline timeline = fresh(SIDE_CLIENT, 1);
	uint64_t ns;

	(void)state;
	connect_at(&timeline, 0);
	stamp_kernel(&timeline, 0, KERNEL_RTU_SENT, 0);
	assert_true(part_ns(&timeline, 0, PART_CALL, &ns));
	assert_true(part_ns(&timeline, 0, PART_NETWORK, &ns));
	assert_false(part_ns(&timeline, 0, PART_QUEUE, &ns));
	assert_false(part_ns(&timeline, 0, PART_RETURN, &ns));
	assert_int_equal(part_unmatched(&timeline), 1);
	timeline_free(&timeline);
}

static void part__of_a_timeline_without_details__is_no_data(void **state)
{
	struct timeline timeline;
	struct figures f;
	uint64_t ns;

	(void)state;
	assert_int_equal(timeline_init(&timeline, SIDE_CLIENT, 1), 0);
	stamp(&timeline, STEP_CONNECT, 0, 1, 2);
	assert_false(part_ns(&timeline, 0, PART_CALL, &ns));
	assert_int_equal(part_figures(&f, &timeline, PART_CALL), 0);
	assert_int_equal(f.count, 0);
	assert_int_equal(part_unmatched(&timeline), 1);
	timeline_free(&timeline);
}

/* The kernel's fast clock may be a little off; more than a little is another connection's event. */
static void
part__whose_end_is_before_its_begin__is_zero_within_a_microsecond_else_no_data(void **state)
{
	struct timeline timeline = fresh(SIDE_CLIENT, 1);
	uint64_t ns = 77;

	(void)state;
	connect_at(&timeline, 0);
	stamp_kernel(&timeline, 0, KERNEL_REQ_SENT, 1000000 - 1000);
	assert_true(part_ns(&timeline, 0, PART_CALL, &ns));
	assert_int_equal(ns, 0);
	assert_int_equal(part_unmatched(&timeline), 0);
	stamp_kernel(&timeline, 0, KERNEL_REQ_SENT, 1000000 - 1001);
	assert_false(part_ns(&timeline, 0, PART_CALL, &ns));
	assert_int_equal(part_unmatched(&timeline), 1);
	timeline_free(&timeline);
}

static void parts__of_matched_connections__add_up_to_the_connect(void **state)
{
	struct timeline timeline = fresh(SIDE_CLIENT, 4);
	struct figures f, connect;
	uint64_t sum_ns = 0;

	(void)state;
	for (uint32_t i = 0; i < 4; i++)
		connect_at(&timeline, i);
	timeline_span(&timeline, STEP_CONNECT, 2)->end_ns += 5000000;
	/* One that the kernel's stamps are not complete of is in no part. */
	stamp_kernel(&timeline, 3, KERNEL_RESPONSE_QUEUED, 0);
	stamp(&timeline, STEP_CONNECT, 3, 0, 0);

	assert_int_equal(figures_of(&connect, &timeline, STEP_CONNECT), 0);
	assert_int_equal(connect.count, 3);
	for (enum part part = PART_CALL; part <= PART_RETURN; part++) {
		assert_int_equal(part_figures(&f, &timeline, part), 0);
		assert_int_equal(f.count, 3);
		assert_int_equal(f.failed, 0);
		assert_int_equal(f.step, STEP_CONNECT);
		assert_int_equal(f.side, SIDE_CLIENT);
		sum_ns += f.sum_ns;
	}
	assert_int_equal(sum_ns, connect.sum_ns);
	/* The last, with the delay, and over all: from the first RTU to the last return. */
	assert_int_equal(f.min_ns, 4000);
	assert_int_equal(f.max_ns, 5004000);
	assert_int_equal(f.total_ns, 5004000);
	assert_int_equal(part_figures(&f, &timeline, PART_BACKLOG), 0);
	assert_int_equal(f.count, 0);
	assert_int_equal(f.side, SIDE_SERVER);
	timeline_free(&timeline);
}

static void connection__that_failed__is_neither_matched_nor_unmatched(void **state)
{
	struct timeline timeline = fresh(SIDE_CLIENT, 3);
	struct figures f;

	(void)state;
	for (uint32_t i = 0; i < 3; i++)
		connect_at(&timeline, i);
	stamp_kernel(&timeline, 0, KERNEL_RTU_SENT, 0);
	timeline.outcomes[0] = (struct outcome){ STEP_CONNECT, EVENT_REJECTED, 28 };
	/* One that fails later was established. */
	timeline.outcomes[1] = (struct outcome){ STEP_DISCONNECT, EVENT_TIMEOUT, 0 };
	assert_int_equal(part_figures(&f, &timeline, PART_CALL), 0);
	assert_int_equal(f.count, 2);
	assert_int_equal(part_unmatched(&timeline), 0);
	timeline_free(&timeline);
}

static void server__without_its_request_seen__is_unmatched(void **state)
{
	struct timeline timeline = fresh(SIDE_SERVER, 3);
	struct figures f;

	(void)state;
	accept_at(&timeline, 0);
	accept_at(&timeline, 1);
	stamp_kernel(&timeline, 1, KERNEL_REQUEST_QUEUED, 0);
	assert_int_equal(part_unmatched(&timeline), 1);
	assert_int_equal(part_figures(&f, &timeline, PART_NOTICE), 0);
	assert_int_equal(f.count, 1);
	assert_int_equal(f.step, STEP_ESTABLISH);
	assert_int_equal(f.mean_ns, 8000);
	timeline_free(&timeline);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(part__names__lead_back_and_are_unique),
		cmocka_unit_test(part__of_each_side__lies_between_its_stamps),
		cmocka_unit_test(part__of_a_connection_without_rtu__is_no_data),
		cmocka_unit_test(part__of_a_timeline_without_details__is_no_data),
		cmocka_unit_test(
			part__whose_end_is_before_its_begin__is_zero_within_a_microsecond_else_no_data),
		cmocka_unit_test(parts__of_matched_connections__add_up_to_the_connect),
		cmocka_unit_test(connection__that_failed__is_neither_matched_nor_unmatched),
		cmocka_unit_test(server__without_its_request_seen__is_unmatched),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
