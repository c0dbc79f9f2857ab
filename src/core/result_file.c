// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * result_file - takes a stream apart into JSON objects, each of which must be a result.
 *
 * jansson reads through get_byte(), a byte a call, so that it takes nothing of the next object, and
 * so that size and lines are counted here.
 */
#include "core/result_file.h"

#include "core/result.h"
#include "core/result_keys.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct reader {
	FILE *file;
	size_t line;   /* of the next byte, from 1 */
	size_t bytes;  /* of the object under way */
	bool too_long; /* it was cut off */
	int error;     /* -errno of reading */
	char *why;
};

static int reader_getc(struct reader *reader)
{
	int c;

	errno = 0;
	c = getc(reader->file);
	if (c == '\n')
		reader->line++;
	if (c == EOF && ferror(reader->file))
		reader->error = errno ? -errno : -EIO;
	return c;
}

static size_t get_byte(void *buffer, size_t size, void *arg)
{
	struct reader *reader = arg;
	int c;

	if (!size || reader->bytes == RESULT_OBJECT_BYTES) {
		reader->too_long = true;
		return 0;
	}
	c = reader_getc(reader);
	if (c == EOF)
		return 0;
	reader->bytes++;
	*(char *)buffer = (char)c;
	return 1;
}

/* The first byte of the next object, unread again; EOF for none. */
static int next_object(struct reader *reader)
{
	int c;

	do {
		c = reader_getc(reader);
	} while (c == ' ' || c == '\t' || c == '\n' || c == '\r');
	if (c != EOF)
		ungetc(c, reader->file);
	return c;
}

/* What jansson says may quote the file: none of that is to reach a terminal. */
static void tame(char *why)
{
	for (; *why; why++) {
		if (!is_printable(*why))
			*why = '?';
	}
}

static int bad_json(const struct reader *reader, size_t first_line, const json_error_t *error)
{
	if (reader->error) {
		snprintf(reader->why, RESULT_SET_WHY, "cannot be read: %s",
			 strerror(-reader->error));
		return reader->error;
	}
	if (reader->too_long) {
		snprintf(reader->why, RESULT_SET_WHY, "line %zu: an object of over %d MiB",
			 first_line, RESULT_OBJECT_BYTES >> 20);
		return -E2BIG;
	}
	/* jansson has words for all but that. */
	if (!*error->text) {
		snprintf(reader->why, RESULT_SET_WHY, "no memory for what begins in line %zu",
			 first_line);
		return -ENOMEM;
	}
	snprintf(reader->why, RESULT_SET_WHY, "line %zu: no JSON: %s",
		 first_line + (error->line > 0 ? (size_t)error->line - 1 : 0), error->text);
	tame(reader->why);
	return -EPROTO;
}

static int bad_result(const struct reader *reader, size_t first_line, const json_t *json, int error)
{
	const char *schema = json_string_value(json_object_get(json, "schema"));

	if (error == -ENOMEM)
		snprintf(reader->why, RESULT_SET_WHY, "no memory for what begins in line %zu",
			 first_line);
	else if (!schema)
		snprintf(reader->why, RESULT_SET_WHY,
			 "line %zu: an object without \"schema\": no result of cmtime", first_line);
	else if (strcmp(schema, RESULT_SCHEMA))
		snprintf(reader->why, RESULT_SET_WHY,
			 "line %zu: schema \"%.64s\", only \"" RESULT_SCHEMA "\" is known",
			 first_line, schema);
	else
		snprintf(reader->why, RESULT_SET_WHY,
			 "line %zu: what begins here calls itself \"" RESULT_SCHEMA
			 "\", but is none",
			 first_line);
	tame(reader->why);
	return error;
}

static int read_result(struct reader *reader, struct result *result)
{
	size_t first_line = reader->line;
	json_error_t error;
	json_t *json;
	int ret;

	reader->bytes = 0;
	json = json_load_callback(get_byte, reader, JSON_DISABLE_EOF_CHECK | JSON_REJECT_DUPLICATES,
				  &error);
	if (!json || reader->error) {
		json_decref(json);
		return bad_json(reader, first_line, &error);
	}
	ret = result_from_json(result, json);
	if (ret)
		bad_result(reader, first_line, json, ret);
	json_decref(json);
	return ret;
}

/* Makes room for one more: full at 0 and at every power of two, where it doubles. */
static int make_room(struct result_set *set)
{
	struct result *results;

	if (set->n & (set->n - 1))
		return 0;
	results = reallocarray(set->results, set->n ? 2 * set->n : 1, sizeof(*results));
	if (!results)
		return -ENOMEM;
	set->results = results;
	return 0;
}

static int read_all(struct reader *reader, struct result_set *set)
{
	while (next_object(reader) != EOF) {
		int ret;

		if (set->n == RESULT_SET_MOST) {
			snprintf(reader->why, RESULT_SET_WHY, "line %zu: more than %d results",
				 reader->line, RESULT_SET_MOST);
			return -E2BIG;
		}
		ret = make_room(set);
		if (ret) {
			snprintf(reader->why, RESULT_SET_WHY, "no memory for more than %zu results",
				 set->n);
			return ret;
		}
		ret = read_result(reader, &set->results[set->n]);
		if (ret)
			return ret;
		set->n++;
	}
	if (reader->error)
		return bad_json(reader, reader->line, NULL);
	if (set->n)
		return 0;
	snprintf(reader->why, RESULT_SET_WHY, "there is no result in it");
	return -EPROTO;
}

int result_set_load(struct result_set *set, FILE *file, char why[static RESULT_SET_WHY])
{
	struct reader reader = { .file = file, .line = 1, .why = why };
	struct result_set read = { 0 };
	int ret = read_all(&reader, &read);

	if (ret) {
		result_set_free(&read);
		return ret;
	}
	*set = read;
	return 0;
}

void result_set_free(struct result_set *set)
{
	for (size_t i = 0; i < set->n; i++)
		result_free(&set->results[i]);
	free(set->results);
	*set = (struct result_set){ 0 };
}
