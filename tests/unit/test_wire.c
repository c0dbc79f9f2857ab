// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Bytes to messages and back, however they come in, and what is refused. */
#include "cmocka_all.h"
#include "control/wire.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIMIT = 1000 };

struct frame {
	uint8_t bytes[4096];
	size_t n;
};

/* Appends text in its frame. */
static void frame_add(struct frame *frame, const char *text)
{
	uint32_t header = htonl((uint32_t)strlen(text));

	memcpy(frame->bytes + frame->n, &header, sizeof(header));
	memcpy(frame->bytes + frame->n + sizeof(header), text, strlen(text));
	frame->n += sizeof(header) + strlen(text);
}

/* Feeds a frame in parts; the number of messages, or -errno. */
static int frame_feed(const struct frame *frame, size_t part, uint32_t limit)
{
	struct wire_reader reader;
	int messages = 0;
	size_t at = 0;

	wire_reader_init(&reader, limit);
	while (at < frame->n) {
		json_t *message = NULL;
		size_t n = frame->n - at < part ? frame->n - at : part;
		ssize_t taken = wire_read(&reader, frame->bytes + at, n, &message);

		if (taken < 0) {
			wire_reader_free(&reader);
			return (int)taken;
		}
		assert_in_range(taken, 1, n);
		at += (size_t)taken;
		if (message) {
			assert_non_null(json_string_value(json_object_get(message, "type")));
			assert_false(wire_reader_is_amid(&reader));
			messages++;
		}
		json_decref(message);
	}
	wire_reader_free(&reader);
	return messages;
}

static int text_feed(const char *text)
{
	struct frame frame = { .n = 0 };

	frame_add(&frame, text);
	return frame_feed(&frame, SIZE_MAX, LIMIT);
}

static void messages__in_parts_of_any_size__are_all_found(void **state)
{
	struct frame frame = { .n = 0 };

	(void)state;
	frame_add(&frame, "{\"type\":\"x\"}");
	frame_add(&frame, "{\"type\":\"x\",\"text\":\"a longer one, with \\u00e4\"}");
	frame_add(&frame, " {\"type\" : \"x\" } ");
	for (size_t part = 1; part <= frame.n; part++)
		assert_int_equal(frame_feed(&frame, part, LIMIT), 3);
}

static void message__of_the_limit__is_taken_and_one_byte_more_refused(void **state)
{
	struct frame frame = { .n = 0 };

	(void)state;
	frame_add(&frame, "{\"type\":\"x\"}");
	assert_int_equal(frame_feed(&frame, SIZE_MAX, 12), 1);
	assert_int_equal(frame_feed(&frame, SIZE_MAX, 11), -EMSGSIZE);
}

static void length__that_is_not_allowed__is_refused_before_anything_is_allocated(void **state)
{
	static const uint32_t lengths[] = { 0, LIMIT + 1, 0x7fffffff, 0x80000000, UINT32_MAX };

	(void)state;
	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		uint32_t header = htonl(lengths[i]);
		struct wire_reader reader;
		json_t *message = NULL;

		wire_reader_init(&reader, LIMIT);
		/* Refused by its fourth byte, and it stays so. */
		assert_int_equal(wire_read(&reader, &header, 3, &message), 3);
		assert_int_equal(wire_read(&reader, (uint8_t *)&header + 3, 1, &message),
				 -EMSGSIZE);
		assert_int_equal(wire_read(&reader, "x", 1, &message), -EMSGSIZE);
		assert_int_equal(reader.length, lengths[i]);
		assert_null(reader.body);
		assert_null(message);
		wire_reader_free(&reader);
	}
}

static void memory__of_a_long_message__grows_only_with_what_has_come(void **state)
{
	uint32_t header = htonl(WIRE_MAX);
	struct wire_reader reader;
	json_t *message = NULL;

	(void)state;
	wire_reader_init(&reader, WIRE_MAX);
	assert_int_equal(wire_read(&reader, &header, sizeof(header), &message), sizeof(header));
	assert_null(reader.body);
	for (int i = 0; i < 5000; i++) {
		assert_int_equal(wire_read(&reader, "{", 1, &message), 1);
		assert_null(message);
		assert_true(reader.room <= 256 || reader.room <= 2 * reader.have);
	}
	assert_true(wire_reader_is_amid(&reader));
	wire_reader_free(&reader);
	assert_null(reader.body);
}

static void message__cut_short__is_never_complete(void **state)
{
	struct frame frame = { .n = 0 };

	(void)state;
	frame_add(&frame, "{\"type\":\"x\"}");
	for (frame.n = 0; frame.n < 16; frame.n++)
		assert_int_equal(frame_feed(&frame, SIZE_MAX, LIMIT), 0);
}

static void bytes__that_are_no_message__are_refused(void **state)
{
	static const char *const texts[] = {
		" ",
		"hello",
		"null",
		"1",
		"\"type\"",
		"[]",
		"[{\"type\":\"x\"}]",
		"{}",
		"{\"type\":1}",
		"{\"type\":null}",
		"{\"type\":{\"type\":\"x\"}}",
		"{\"Type\":\"x\"}",
		"{\"type\":\"x\"",
		"{\"type\":\"x\"}}",
		"{\"type\":\"x\"}{\"type\":\"x\"}",
		"{\"type\":\"x\",}",
		"{\"type\":\"x\",\"type\":\"y\"}",
		"{\"type\":\"x\\u0000\"}",
		"{\"type\":\"\xff\"}",
		"{\"type\":\"\xc0\xaf\"}",
		"{\"type\":\"x\",\"n\":1e999}",
		"{\"type\":\"x\",\"n\":99999999999999999999}",
		"{\"type\":\"x\",\"n\":NaN}",
		"{'type':'x'}",
		"\xef\xbb\xbf{\"type\":\"x\"}",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		if (text_feed(texts[i]) != -EPROTO)
			fail_msg("taken: %s", texts[i]);
}

/* {"type":"x","a":[[...]]} with so many brackets, closed or not. */
static int nested_feed(int depth, const char *open, const char *close)
{
	char text[LIMIT] = "{\"type\":\"x\",\"a\":";

	for (int i = 0; i < depth; i++)
		strcat(text, open);
	strcat(text, "1");
	for (int i = 0; i < depth; i++)
		strcat(text, close);
	strcat(text, "}");
	return text_feed(text);
}

static void nesting__beyond_its_limit__is_refused(void **state)
{
	(void)state;
	assert_int_equal(nested_feed(WIRE_DEPTH - 1, "[", "]"), 1);
	assert_int_equal(nested_feed(WIRE_DEPTH, "[", "]"), -EPROTO);
	assert_int_equal(nested_feed(WIRE_DEPTH - 1, "{\"b\":", "}"), 1);
	assert_int_equal(nested_feed(WIRE_DEPTH, "{\"b\":", "}"), -EPROTO);
	assert_int_equal(nested_feed(900, "[", ""), -EPROTO);
}

static void brackets__within_strings__do_not_count_as_nesting(void **state)
{
	(void)state;
	assert_int_equal(text_feed("{\"type\":\"x\",\"a\":\"[[[[[[[[[[[[[[[[[[[[[[[[\"}"), 1);
	assert_int_equal(text_feed("{\"type\":\"x\",\"a\":\"\\\"[[[[[[[[[[[[[[[[[[[[[[[[\"}"), 1);
	assert_int_equal(text_feed("{\"type\":\"x\",\"a\":\"\\\\\",\"b\":[[[[[[[[[[[[[[[[1]]]]]]]]"
				   "]]]]]]]]}"),
			 -EPROTO);
}

static void encoding__and_reading__gives_the_same_message(void **state)
{
	json_t *sent = json_pack("{s:s,s:I,s:[s,n,b]}", "type", "x", "n", (json_int_t)INT64_MAX,
				 "list", "\xc3\xa4", 1);
	struct wire_reader reader;
	json_t *received = NULL;
	uint8_t *bytes;
	size_t n;

	(void)state;
	assert_non_null(sent);
	assert_int_equal(wire_encode(sent, &bytes, &n), 0);
	wire_reader_init(&reader, LIMIT);
	assert_int_equal(wire_read(&reader, bytes, n, &received), n);
	assert_true(json_equal(sent, received));
	wire_reader_free(&reader);
	json_decref(received);
	json_decref(sent);
	free(bytes);
}

static void encoding__of_what_is_too_long_or_no_message__fails(void **state)
{
	char *text = malloc(WIRE_MAX + 1);
	json_t *message, *number = json_integer(1);
	uint8_t *bytes = NULL;
	size_t n = 0;

	(void)state;
	memset(text, 'x', WIRE_MAX);
	text[WIRE_MAX] = 0;
	message = json_pack("{s:s}", "type", text);
	assert_int_equal(wire_encode(message, &bytes, &n), -EMSGSIZE);
	json_decref(message);
	/* {"type":"x..."} has 11 bytes around its x: the longest there may be. */
	text[WIRE_MAX - 11] = 0;
	message = json_pack("{s:s}", "type", text);
	assert_null(bytes);
	assert_int_equal(wire_encode(message, &bytes, &n), 0);
	assert_int_equal(n, WIRE_HEADER + WIRE_MAX);
	free(bytes);
	json_decref(message);
	free(text);
	assert_int_equal(wire_encode(number, &bytes, &n), -ENOMEM);
	json_decref(number);
}

static void random_bytes__whatever_they_are__are_refused_or_wait_for_more(void **state)
{
	uint64_t seed = 88172645463325252;

	(void)state;
	for (int round = 0; round < 2000; round++) {
		struct frame frame = { .n = 0 };

		frame_add(&frame, "{\"type\":\"x\",\"a\":[1,{\"b\":\"c\\n\"},true]}");
		/* Half of the rounds spoil one byte of a sound message, the others all. */
		for (size_t i = 0; i < frame.n; i++) {
			seed ^= seed << 13;
			seed ^= seed >> 7;
			seed ^= seed << 17;
			if (round % 2 || i == seed % frame.n)
				frame.bytes[i] ^= (uint8_t)(seed >> 32);
		}
		int got = frame_feed(&frame, 1 + seed % 40, 64);

		assert_true(got == 0 || got == 1 || got == -EMSGSIZE || got == -EPROTO);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(messages__in_parts_of_any_size__are_all_found),
		cmocka_unit_test(message__of_the_limit__is_taken_and_one_byte_more_refused),
		cmocka_unit_test(
			length__that_is_not_allowed__is_refused_before_anything_is_allocated),
		cmocka_unit_test(memory__of_a_long_message__grows_only_with_what_has_come),
		cmocka_unit_test(message__cut_short__is_never_complete),
		cmocka_unit_test(bytes__that_are_no_message__are_refused),
		cmocka_unit_test(nesting__beyond_its_limit__is_refused),
		cmocka_unit_test(brackets__within_strings__do_not_count_as_nesting),
		cmocka_unit_test(encoding__and_reading__gives_the_same_message),
		cmocka_unit_test(encoding__of_what_is_too_long_or_no_message__fails),
		cmocka_unit_test(random_bytes__whatever_they_are__are_refused_or_wait_for_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
