// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* How failures are named and counted. */
#include "cmocka_all.h"
#include "core/outcome.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char *reason(enum event_kind event, int32_t status)
{
	static char buf[128];

	return outcome_reason(event, status, buf, sizeof(buf));
}

static void event__by_its_name__is_found_again(void **state)
{
	(void)state;
	for (enum event_kind kind = 0; kind < EVENT_KINDS; kind++)
		assert_int_equal(event_kind_from_name(event_kind_name(kind)), kind);
	assert_string_equal(event_kind_name(EVENT_REJECTED), "REJECTED");
	assert_int_equal(event_kind_from_name("REJECTE"), EVENT_KINDS);
	assert_int_equal(event_kind_from_name(""), EVENT_KINDS);
}

static void reason__of_a_reject__is_the_cm_s_word_and_no_errno(void **state)
{
	(void)state;
	assert_string_equal(reason(EVENT_REJECTED, 28), "consumer defined");
	assert_string_equal(reason(EVENT_REJECTED, 8), "invalid service id");
	assert_string_equal(reason(EVENT_REJECTED, 10), "stale connection");
	assert_string_equal(reason(EVENT_REJECTED, 1), "no queue pair available");
	assert_string_equal(reason(EVENT_REJECTED, 35), "vendor option not supported");
}

static void reason__of_a_reject_without_a_name__is_its_number(void **state)
{
	(void)state;
	assert_string_equal(reason(EVENT_REJECTED, 34), "reject reason 34");
	assert_string_equal(reason(EVENT_REJECTED, 36), "reject reason 36");
	assert_string_equal(reason(EVENT_REJECTED, INT32_MAX), "reject reason 2147483647");
}

static void reason__of_every_assigned_reject__is_in_words(void **state)
{
	(void)state;
	for (int32_t status = 1; status <= 35; status++) {
		if (status == 34)
			continue;
		assert_null(strstr(reason(EVENT_REJECTED, status), "reject reason"));
		for (const char *c = reason(EVENT_REJECTED, status); *c; c++)
			assert_true(*c == ' ' || *c == '-' || (*c >= 'a' && *c <= 'z'));
	}
}

static void reason__of_an_errno__is_its_name_and_text(void **state)
{
	(void)state;
	assert_string_equal(reason(EVENT_REJECTED, -ECONNREFUSED),
			    "ECONNREFUSED: Connection refused");
	assert_string_equal(reason(EVENT_DISCONNECTED, -ETIMEDOUT),
			    "ETIMEDOUT: Connection timed out");
	assert_string_equal(reason(EVENT_CALL, -ENOMEM), "ENOMEM: Cannot allocate memory");
	assert_string_equal(reason(EVENT_CALL, -EPERM), "EPERM: Operation not permitted");
}

static void reason__of_0__is_unknown_unless_it_was_us(void **state)
{
	(void)state;
	assert_string_equal(reason(EVENT_CALL, 0), "unknown");
	assert_string_equal(reason(EVENT_UNREACHABLE, 0), "unknown");
	assert_string_equal(reason(EVENT_TIMEOUT, 0), "given up after --step-timeout");
	assert_string_equal(reason(EVENT_ABORTED, 0), "the run ended first");
}

static void reason__of_a_number_nobody_named__is_the_number(void **state)
{
	(void)state;
	assert_string_equal(reason(EVENT_ADDR_ERROR, -100000), "status -100000");
	assert_string_equal(reason(EVENT_ADDR_ERROR, INT32_MIN), "status -2147483648");
	/* A positive status of anything but a reject is neither errno nor reject reason. */
	assert_string_equal(reason(EVENT_UNREACHABLE, 28), "status 28");
}

static void reason__in_a_short_buffer__is_cut_and_terminated(void **state)
{
	char buf[9];

	(void)state;
	memset(buf, 'x', sizeof(buf));
	assert_ptr_equal(outcome_reason(EVENT_REJECTED, 28, buf, 8), buf);
	assert_string_equal(buf, "consume");
	assert_int_equal(buf[8], 'x');
}

static void ledger__of_equal_outcomes__is_one_row_with_the_first_few(void **state)
{
	struct outcome rejected = { STEP_CONNECT, EVENT_REJECTED, 28 };
	struct ledger ledger = { 0 };

	(void)state;
	for (uint32_t i = 0; i < 1000; i++)
		assert_int_equal(ledger_add(&ledger, SIDE_CLIENT, &rejected, 7 + i), 0);
	assert_int_equal(ledger.n, 1);
	assert_int_equal(ledger.rows[0].count, 1000);
	for (uint32_t i = 0; i < LEDGER_FIRST; i++)
		assert_int_equal(ledger.rows[0].first[i], 7 + i);
	assert_int_equal(ledger_failed(&ledger, SIDE_CLIENT, STEP_CONNECT), 1000);
	ledger_free(&ledger);
	assert_int_equal(ledger.n, 0);
}

static void ledger__of_outcomes_that_differ_in_anything__keeps_them_apart(void **state)
{
	const struct outcome base = { STEP_DISCONNECT, EVENT_REJECTED, 28 };
	struct outcome step = base, event = base, status = base;
	struct ledger ledger = { 0 };

	(void)state;
	step.step = STEP_CREATE_QP;
	event.event = EVENT_UNREACHABLE;
	status.status = 10;
	assert_int_equal(ledger_add(&ledger, SIDE_CLIENT, &base, 0), 0);
	assert_int_equal(ledger_add(&ledger, SIDE_SERVER, &base, 1), 0);
	assert_int_equal(ledger_add(&ledger, SIDE_CLIENT, &step, 2), 0);
	assert_int_equal(ledger_add(&ledger, SIDE_CLIENT, &event, 3), 0);
	assert_int_equal(ledger_add(&ledger, SIDE_CLIENT, &status, 4), 0);
	assert_int_equal(ledger.n, 5);
	for (uint32_t i = 0; i < 5; i++) {
		assert_int_equal(ledger.rows[i].count, 1);
		assert_int_equal(ledger.rows[i].first[0], i);
	}
	assert_int_equal(ledger_failed(&ledger, SIDE_CLIENT, STEP_DISCONNECT), 3);
	assert_int_equal(ledger_failed(&ledger, SIDE_SERVER, STEP_DISCONNECT), 1);
	assert_int_equal(ledger_failed(&ledger, SIDE_CLIENT, STEP_CREATE_QP), 1);
	assert_int_equal(ledger_failed(&ledger, SIDE_CLIENT, STEP_CONNECT), 0);
	ledger_free(&ledger);
}

static void ledger__of_a_connection_that_passed__stays_empty(void **state)
{
	struct outcome passed = { STEP_CONNECT, EVENT_NONE, 0 };
	struct ledger ledger = { 0 };

	(void)state;
	assert_int_equal(ledger_add(&ledger, SIDE_CLIENT, &passed, 0), 0);
	assert_int_equal(ledger.n, 0);
	ledger_free(&ledger);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(event__by_its_name__is_found_again),
		cmocka_unit_test(reason__of_a_reject__is_the_cm_s_word_and_no_errno),
		cmocka_unit_test(reason__of_a_reject_without_a_name__is_its_number),
		cmocka_unit_test(reason__of_every_assigned_reject__is_in_words),
		cmocka_unit_test(reason__of_an_errno__is_its_name_and_text),
		cmocka_unit_test(reason__of_0__is_unknown_unless_it_was_us),
		cmocka_unit_test(reason__of_a_number_nobody_named__is_the_number),
		cmocka_unit_test(reason__in_a_short_buffer__is_cut_and_terminated),
		cmocka_unit_test(ledger__of_equal_outcomes__is_one_row_with_the_first_few),
		cmocka_unit_test(ledger__of_outcomes_that_differ_in_anything__keeps_them_apart),
		cmocka_unit_test(ledger__of_a_connection_that_passed__stays_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
