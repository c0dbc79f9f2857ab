/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * data - reads the files of tests/data, and holds what a printer prints against one of them.
 *
 * Included by unit tests after cmocka_all.h. DATA_DIR comes from the Makefile.
 */
#ifndef CMTIME_TESTS_DATA_H
#define CMTIME_TESTS_DATA_H

#include "core/result.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DATA(name) DATA_DIR "/" name

/* The whole file, terminated; the caller frees. */
static inline char *data_read(const char *path)
{
	FILE *file = fopen(path, "r");
	size_t n, size = 1 << 20;
	char *text = malloc(size);

	if (!file)
		fail_msg("%s cannot be read", path);
	assert_non_null(text);
	n = fread(text, 1, size - 1, file);
	text[n] = '\0';
	fclose(file);
	return text;
}

static inline json_t *data_json(const char *path)
{
	json_error_t error;
	json_t *json = json_load_file(path, 0, &error);

	if (!json)
		fail_msg("%s:%d: %s", path, error.line, error.text);
	return json;
}

static inline struct result data_result(const char *path)
{
	json_t *json = data_json(path);
	struct result result;

	assert_int_equal(result_from_json(&result, json), 0);
	json_decref(json);
	return result;
}

/* What a printer prints of a result; the caller frees. */
static inline char *data_printed(int (*print)(FILE *, const struct result *),
				 const struct result *result)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	assert_non_null(file);
	assert_int_equal(print(file, result), 0);
	fclose(file);
	return text;
}

/* What a printer returns when the disk is full; skips the test where there is no such disk. */
static inline int data_on_full_disk(int (*print)(FILE *, const struct result *),
				    const struct result *result)
{
	FILE *full = fopen("/dev/full", "w");
	int ret;

	/* What the test holds is lost then, and it does not go on. */
	if (!full) {
		print_message("skipped: there is no /dev/full\n");
		skip();
	}
	ret = print(full, result);
	fclose(full);
	return ret;
}

#endif
