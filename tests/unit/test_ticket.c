// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Seventeen bytes that tell a request of ours from a stranger's. */
#include "cmocka_all.h"
#include "core/ticket.h"

#include <errno.h>
#include <string.h>

static const struct ticket sample = { .run = UINT64_C(0x0123456789abcdef), .index = 0x00c0ffee };

static void ticket__written__has_this_form(void **state)
{
	static const uint8_t form[TICKET_BYTES] = { 'C',  'M',	'T',  'M',  1,	  0x01,
						    0x23, 0x45, 0x67, 0x89, 0xab, 0xcd,
						    0xef, 0x00, 0xc0, 0xff, 0xee };
	uint8_t bytes[TICKET_BYTES];

	(void)state;
	ticket_write(&sample, bytes);
	assert_memory_equal(bytes, form, sizeof(form));
}

static void ticket__padded_as_the_receiver_sees_it__is_read(void **state)
{
	uint8_t padded[56] = { 0 };
	struct ticket got;

	(void)state;
	ticket_write(&sample, padded);
	assert_int_equal(ticket_read(&got, padded, sizeof(padded)), 0);
	assert_int_equal(got.run, sample.run);
	assert_int_equal(got.index, sample.index);
}

static void ticket__of_a_stranger__is_none(void **state)
{
	uint8_t bytes[TICKET_BYTES];
	struct ticket got = { .run = 1, .index = 2 };

	(void)state;
	ticket_write(&sample, bytes);
	assert_int_equal(ticket_read(&got, NULL, 0), -EPROTO);
	for (size_t len = 0; len < sizeof(bytes); len++)
		assert_int_equal(ticket_read(&got, bytes, len), -EPROTO);
	for (size_t i = 0; i < 5; i++) { /* magic and version */
		ticket_write(&sample, bytes);
		bytes[i] ^= 0x80;
		assert_int_equal(ticket_read(&got, bytes, sizeof(bytes)), -EPROTO);
	}
	assert_int_equal(got.run, 1);
	assert_int_equal(got.index, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ticket__written__has_this_form),
		cmocka_unit_test(ticket__padded_as_the_receiver_sees_it__is_read),
		cmocka_unit_test(ticket__of_a_stranger__is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
