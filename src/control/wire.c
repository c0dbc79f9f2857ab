// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * wire - frames of the control channel, both ways: pure, one thread a reader.
 *
 * The reader holds one message in the making, and no more memory than twice what has come of it.
 */
#include "control/wire.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 256 };

void wire_reader_init(struct wire_reader *reader, uint32_t limit)
{
	*reader = (struct wire_reader){ .limit = limit < WIRE_MAX ? limit : WIRE_MAX };
}

void wire_reader_free(struct wire_reader *reader)
{
	free(reader->body);
	wire_reader_init(reader, reader->limit);
}

bool wire_reader_is_amid(const struct wire_reader *reader)
{
	return reader->header_have;
}

/* Takes n more bytes into the body, which has not more than length of them with these. */
static int body_add(struct wire_reader *reader, const uint8_t *bytes, uint32_t n)
{
	uint32_t need = reader->have + n;

	if (need > reader->room) {
		/* Twice, so that a message byte by byte is copied a constant number of times. */
		uint32_t room = reader->room ? reader->room : FIRST_ROOM;
		uint8_t *body;

		while (room < need)
			room *= 2;
		body = realloc(reader->body, room);
		if (!body)
			return -ENOMEM;
		reader->body = body;
		reader->room = room;
	}
	memcpy(reader->body + reader->have, bytes, n);
	reader->have = need;
	return 0;
}

/*
 * jansson's parser recurses up to 2048 deep, and its freeing too: too much for a thread whose stack
 * is not ours to choose. Brackets within strings don't count; what isn't JSON the parser will say.
 */
static bool is_shallow(const uint8_t *bytes, uint32_t n)
{
	bool in_string = false;
	int depth = 0;

	for (uint32_t i = 0; i < n; i++) {
		if (in_string) {
			if (bytes[i] == '\\')
				i++;
			else if (bytes[i] == '"')
				in_string = false;
		} else if (bytes[i] == '"') {
			in_string = true;
		} else if (bytes[i] == '{' || bytes[i] == '[') {
			if (++depth > WIRE_DEPTH)
				return false;
		} else if (bytes[i] == '}' || bytes[i] == ']') {
			depth--;
		}
	}
	return true;
}

static int body_parse(const struct wire_reader *reader, json_t **message)
{
	json_t *json;

	if (!is_shallow(reader->body, reader->length))
		return -EPROTO;
	json = json_loadb((const char *)reader->body, reader->length, JSON_REJECT_DUPLICATES, NULL);
	if (!json_is_object(json) || !json_is_string(json_object_get(json, "type"))) {
		json_decref(json);
		return -EPROTO;
	}
	*message = json;
	return 0;
}

ssize_t wire_read(struct wire_reader *reader, const void *bytes, size_t n, json_t **message)
{
	const uint8_t *from = bytes;
	json_t *complete = NULL;
	size_t taken = 0;
	int error;

	while (taken < n && reader->header_have < WIRE_HEADER)
		reader->header[reader->header_have++] = from[taken++];
	if (reader->header_have == WIRE_HEADER) {
		uint32_t length, part;

		memcpy(&length, reader->header, sizeof(length));
		reader->length = ntohl(length);
		if (!reader->length || reader->length > reader->limit)
			return -EMSGSIZE;
		part = reader->length - reader->have;
		if (part > n - taken)
			part = (uint32_t)(n - taken);
		error = part ? body_add(reader, from + taken, part) : 0;
		if (error)
			return error;
		taken += part;
		if (reader->have == reader->length) {
			error = body_parse(reader, &complete);
			if (error)
				return error;
			reader->header_have = 0;
			reader->have = 0;
		}
	}
	*message = complete;
	return (ssize_t)taken;
}

int wire_encode(const json_t *message, uint8_t **bytes, size_t *n)
{
	size_t length = json_dumpb(message, NULL, 0, JSON_COMPACT);
	uint32_t header = htonl((uint32_t)length);
	uint8_t *buffer;

	if (!length)
		return -ENOMEM;
	if (length > WIRE_MAX)
		return -EMSGSIZE;
	buffer = malloc(WIRE_HEADER + length);
	if (!buffer)
		return -ENOMEM;
	memcpy(buffer, &header, WIRE_HEADER);
	if (json_dumpb(message, (char *)buffer + WIRE_HEADER, length, JSON_COMPACT) != length) {
		free(buffer);
		return -ENOMEM;
	}
	*bytes = buffer;
	*n = WIRE_HEADER + length;
	return 0;
}
