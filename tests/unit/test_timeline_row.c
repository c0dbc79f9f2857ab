// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A row of samples over the wire: the same on the other end, or refused. */
#include "cmocka_all.h"
#include "core/timeline.h"
#include "core/timeline_row.h"

#include <errno.h>
#include <string.h>

static struct timeline timeline_of(enum side side)
{
	struct timeline timeline;

	assert_int_equal(timeline_init(&timeline, side, 2), 0);
	assert_int_equal(timeline_add_details(&timeline), 0);
	return timeline;
}

static struct timeline filled(void)
{
	struct timeline timeline = timeline_of(SIDE_SERVER);

	*timeline_span(&timeline, STEP_ACCEPT, 1) = (struct span){ 5, 7 };
	*timeline_span(&timeline, STEP_ESTABLISH, 1) = (struct span){ 7, INT64_MAX };
	timeline.outcomes[1] = (struct outcome){ STEP_DISCONNECT, EVENT_CALL, -22 };
	assert_int_equal(address_parse(&timeline.details[1].source, "10.0.0.1:40000"), 0);
	assert_int_equal(address_parse(&timeline.details[1].destination, "[fd00::1]:7471"), 0);
	timeline.details[1].kernel_ns[KERNEL_DISCONNECTED] = 99;
	return timeline;
}

static void row__there_and_back__is_the_same(void **state)
{
	struct timeline from = filled(), to = timeline_of(SIDE_SERVER);

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		json_t *row = timeline_row_to_json(&from, i);

		assert_int_equal(timeline_row_from_json(&to, i, row), 0);
		json_decref(row);
	}
	for (enum step step = 0; step < STEPS; step++) {
		if (step_is_of(step, SIDE_SERVER))
			assert_memory_equal(from.spans[step], to.spans[step],
					    2 * sizeof(struct span));
	}
	assert_memory_equal(from.outcomes, to.outcomes, 2 * sizeof(*to.outcomes));
	for (uint32_t i = 0; i < 2; i++) {
		assert_memory_equal(&from.details[i].source, &to.details[i].source,
				    sizeof(struct address));
		assert_memory_equal(from.details[i].kernel_ns, to.details[i].kernel_ns,
				    sizeof(to.details[i].kernel_ns));
	}
	timeline_free(&from);
	timeline_free(&to);
}

static void row__with_any_element_of_another_kind__is_refused(void **state)
{
	static const char *const bad[] = { "-1",   "1.5", "\"x\"",	    "{}",
					   "true", "[1]", "[\"a\",\"b\",0]" };
	struct timeline from = filled(), to = timeline_of(SIDE_SERVER);
	json_t *row = timeline_row_to_json(&from, 1);

	(void)state;
	for (size_t i = 0; i < json_array_size(row); i++) {
		for (size_t b = 0; b < sizeof(bad) / sizeof(*bad); b++) {
			json_t *other = json_deep_copy(row);

			json_array_set_new(other, i, json_loads(bad[b], JSON_DECODE_ANY, NULL));
			assert_int_equal(timeline_row_from_json(&to, 1, other), -EPROTO);
			json_decref(other);
		}
	}
	while (json_array_size(row)) {
		json_array_remove(row, json_array_size(row) - 1);
		assert_int_equal(timeline_row_from_json(&to, 1, row), -EPROTO);
	}
	assert_int_equal(timeline_row_from_json(&to, 1, NULL), -EPROTO);
	json_decref(row);
	timeline_free(&from);
	timeline_free(&to);
}

static void row__of_a_failure_of_the_other_side_s_step__is_refused(void **state)
{
	static const char *const bad[] = { "[\"connect\",\"REJECTED\",8]",
					   "[\"accept\",\"none\",8]",
					   "[\"accept\",\"REJECTED\",2147483648]",
					   "[\"accept\",\"REJECTED\"]" };
	struct timeline from = filled(), to = timeline_of(SIDE_SERVER);
	json_t *row = timeline_row_to_json(&from, 1);

	(void)state;
	for (size_t b = 0; b < sizeof(bad) / sizeof(*bad); b++) {
		json_array_set_new(row, 2, json_loads(bad[b], 0, NULL));
		assert_int_equal(timeline_row_from_json(&to, 1, row), -EPROTO);
	}
	json_array_set_new(row, 2, json_loads("[\"accept\",\"REJECTED\",8]", 0, NULL));
	assert_int_equal(timeline_row_from_json(&to, 1, row), 0);
	json_decref(row);
	timeline_free(&from);
	timeline_free(&to);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(row__there_and_back__is_the_same),
		cmocka_unit_test(row__with_any_element_of_another_kind__is_refused),
		cmocka_unit_test(row__of_a_failure_of_the_other_side_s_step__is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
