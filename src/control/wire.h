/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * wire - bytes to messages and back: a 4-byte big-endian length, then that many bytes of one UTF-8
 * JSON object.
 *
 * Pure: no descriptor, no clock, no lock; a reader belongs to one thread. What comes in is hostile
 * until checked: a length costs nothing before its bytes have come, and nesting is counted before
 * the parser recurses.
 */
#ifndef CMTIME_CONTROL_WIRE_H
#define CMTIME_CONTROL_WIRE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
	WIRE_HEADER = 4,	/* bytes of the length */
	WIRE_MAX = 1024 * 1024, /* the longest message anyone may send: a result */
	WIRE_SMALL = 16 * 1024, /* enough for every other message */
	WIRE_DEPTH = 16,	/* objects and arrays within each other; a result needs 6 */
};

/* One stream's message in the making: wire_reader_init(), wire_read() ..., wire_reader_free(). */
struct wire_reader {
	uint32_t limit;	 /* longest message taken, bytes */
	uint32_t length; /* announced by the header; known once header_have is WIRE_HEADER */
	uint8_t header[WIRE_HEADER];
	uint8_t header_have;
	uint8_t *body; /* owned; grows with what has come, up to length */
	uint32_t have, room;
};

/* limit is 1 to WIRE_MAX. Allocates nothing. */
void wire_reader_init(struct wire_reader *reader, uint32_t limit);
void wire_reader_free(struct wire_reader *reader);

/* Whether a message has begun and is not complete: an end of the stream here cuts it. */
bool wire_reader_is_amid(const struct wire_reader *reader);

/*
 * Takes bytes until a message is complete or none are left, and returns how many it took (n > 0: at
 * least 1): call it again with the rest. *message becomes the complete message, the caller's to
 * json_decref(), or NULL: more bytes are needed. It is always an object with a string "type";
 * parsed, it may take 80 times its bytes.
 *
 * -EMSGSIZE: a length of 0 or above the limit (reader->length); -EPROTO: no JSON object, nested
 * deeper than WIRE_DEPTH, or without a type; -ENOMEM. After an error the stream has no next
 * message: drop it.
 */
ssize_t wire_read(struct wire_reader *reader, const void *bytes, size_t n, json_t **message);

/*
 * The bytes of a message, header and all, in *bytes (free(3) it). 0; -EMSGSIZE above WIRE_MAX;
 * -ENOMEM, also for what JSON cannot say. Leaves the message's reference alone.
 */
int wire_encode(const json_t *message, uint8_t **bytes, size_t *n);

#endif
