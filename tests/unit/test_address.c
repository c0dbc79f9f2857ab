// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* One form of each address, whatever it came from, and text that reads back. */
#include "cmocka_all.h"
#include "core/address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

static void address__of_a_sockaddr__is_the_one_its_text_parses_to(void **state)
{
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons(7471) };
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6, .sin6_port = htons(65535) };
	struct address address, parsed;
	char text[ADDRESS_TEXT];

	(void)state;
	assert_int_equal(inet_pton(AF_INET, "10.0.0.1", &in.sin_addr), 1);
	address = address_of((struct sockaddr *)&in);
	assert_string_equal(address_text(&address, text), "10.0.0.1:7471");
	assert_int_equal(address_parse(&parsed, text), 0);
	assert_memory_equal(&address, &parsed, sizeof(address));

	assert_int_equal(inet_pton(AF_INET6, "fd00:1:2:3:4:5:6:7", &in6.sin6_addr), 1);
	address = address_of((struct sockaddr *)&in6);
	assert_string_equal(address_text(&address, text), "[fd00:1:2:3:4:5:6:7]:65535");
	assert_int_equal(address_parse(&parsed, text), 0);
	assert_memory_equal(&address, &parsed, sizeof(address));
}

static void address__mapped_ipv4__is_the_ipv4_one(void **state)
{
	struct address plain, mapped;

	(void)state;
	assert_int_equal(address_parse(&plain, "10.0.0.1:1"), 0);
	assert_int_equal(address_parse(&mapped, "[::ffff:10.0.0.1]:1"), 0);
	assert_memory_equal(&plain, &mapped, sizeof(plain));
}

static void address__of_no_ip_family__is_none_and_prints_nothing(void **state)
{
	struct sockaddr other = { .sa_family = AF_UNIX };
	struct address address = address_of(&other);
	char text[ADDRESS_TEXT] = "left over";

	(void)state;
	assert_true(address_is_none(&address));
	assert_string_equal(address_text(&address, text), "");
	address.port = 1;
	assert_int_equal(address_parse(&address, ""), 0);
	assert_int_equal(address.port, 0);
	address = address_of(NULL);
	assert_true(address_is_none(&address));
}

static void address__parsed_from_what_is_none__is_refused(void **state)
{
	static const char *const bad[] = {
		"10.0.0.1",
		"10.0.0.1:",
		"10.0.0.1:70000",
		":1",
		"fd00::1:7471",
		"[fd00::1]",
		"[fd00::1:1",
		"fd00::1]:1",
		"[]:1",
		"[10.0.0.1]:1",
		"10.0.0.256:1",
		"x:1",
		"[",
		"[:1",
		"10.0.0.1:-1",
		"[1111:2222:3333:4444:5555:6666:7777:8888:9999:aaaa]:1"
	};
	struct address address;

	(void)state;
	memset(&address, 7, sizeof(address));
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_equal(address_parse(&address, bad[i]), -EINVAL);
	assert_int_equal(address.ip.s6_addr[0], 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(address__of_a_sockaddr__is_the_one_its_text_parses_to),
		cmocka_unit_test(address__mapped_ipv4__is_the_ipv4_one),
		cmocka_unit_test(address__of_no_ip_family__is_none_and_prints_nothing),
		cmocka_unit_test(address__parsed_from_what_is_none__is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
