// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The CM's time-outs, and who must have had retries. */
#include "cmocka_all.h"
#include "core/retry.h"
#include "core/timeline.h"

#include <string.h>

/* Linux 6.1 on RoCE. */
static const struct cm_timeouts roce = { .packet_life_time = 18, .response_timeout = 20 };

static void timeout__of_linux_on_roce__is_what_its_source_says(void **state)
{
	(void)state;
	assert_true(retry_timeout_ns(RETRY_REQ, &roce) == 6144000000);
	assert_true(retry_timeout_ns(RETRY_DREQ, &roce) == 6144000000);
	assert_true(retry_timeout_ns(RETRY_REP, &roce) == 4096000000);
	/* An ack time-out of 14 set before the route gives a life time of 13. */
	assert_true(retry_timeout_ns(RETRY_REQ, &(struct cm_timeouts){ 13, 20 }) == 4160000000);
	/* Below 8, a millisecond each. */
	assert_true(retry_timeout_ns(RETRY_REQ, &(struct cm_timeouts){ 1, 1 }) == 3000000);
	/* The highest that the field holds. */
	assert_true(retry_timeout_ns(RETRY_REQ, &(struct cm_timeouts){ 31, 31 }) ==
		    3 * (UINT64_C(1) << 23) * 1000000);
	assert_true(retry_timeout_ns(RETRY_REQ, &(struct cm_timeouts){ 0, 20 }) == 0);
}

static void did(struct timeline *timeline, enum step step, uint32_t i, uint64_t ns)
{
	*timeline_span(timeline, step, i) = (struct span){ 1000, 1000 + ns };
}

static void connections__are_counted_by_the_retries_their_time_takes(void **state)
{
	const uint64_t each_ns = 6144000000;
	struct retries retries[RETRY_KINDS] = { 0 };
	struct timeline timeline;

	(void)state;
	assert_int_equal(timeline_init(&timeline, SIDE_CLIENT, 8), 0);
	did(&timeline, STEP_CONNECT, 0, 1);
	did(&timeline, STEP_CONNECT, 1, each_ns - 1);
	did(&timeline, STEP_CONNECT, 2, each_ns);
	did(&timeline, STEP_CONNECT, 3, 3 * each_ns + 7);
	did(&timeline, STEP_CONNECT, 4, 15 * each_ns);
	did(&timeline, STEP_CONNECT, 5, 400 * each_ns);
	/* Failed in it, after its time: is in the ledger. */
	did(&timeline, STEP_CONNECT, 6, 2 * each_ns);
	timeline.outcomes[6] = (struct outcome){ STEP_CONNECT, EVENT_TIMEOUT, 0 };
	did(&timeline, STEP_DISCONNECT, 0, 2 * each_ns);
	retries_count(retries, &timeline, &roce);
	assert_true(retries[RETRY_REQ].timeout_ns == each_ns);
	assert_int_equal(retries[RETRY_REQ].count[0], 2);
	assert_int_equal(retries[RETRY_REQ].count[1], 1);
	assert_int_equal(retries[RETRY_REQ].count[2], 0);
	assert_int_equal(retries[RETRY_REQ].count[3], 1);
	assert_int_equal(retries[RETRY_REQ].count[15], 2);
	assert_int_equal(retries[RETRY_DREQ].count[2], 1);
	assert_int_equal(retries[RETRY_REP].timeout_ns, 0);
	timeline_free(&timeline);
}

static void connections__without_a_path__are_not_counted(void **state)
{
	const struct cm_timeouts none = { 0 };
	struct retries retries[RETRY_KINDS] = { 0 }, nothing[RETRY_KINDS] = { 0 };
	struct timeline timeline;

	(void)state;
	assert_int_equal(timeline_init(&timeline, SIDE_SERVER, 1), 0);
	did(&timeline, STEP_ESTABLISH, 0, 5000000000);
	retries_count(retries, &timeline, &none);
	assert_memory_equal(retries, nothing, sizeof(retries));
	retries_count(retries, &timeline, &roce);
	assert_int_equal(retries[RETRY_REP].count[1], 1);
	assert_int_equal(retries[RETRY_REQ].timeout_ns, 0);
	timeline_free(&timeline);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(timeout__of_linux_on_roce__is_what_its_source_says),
		cmocka_unit_test(connections__are_counted_by_the_retries_their_time_takes),
		cmocka_unit_test(connections__without_a_path__are_not_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
