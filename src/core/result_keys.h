/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * result_keys - what the two halves of the result's JSON codec share: its schema and its keys.
 *
 * Of result_to_json.c, result_from_json.c and result_file.c alone. A key is never renamed within a
 * schema number.
 */
#ifndef CMTIME_CORE_RESULT_KEYS_H
#define CMTIME_CORE_RESULT_KEYS_H

#include "core/result.h"

#define RESULT_SCHEMA "cmtime-result/1"

enum { RESULT_DURATIONS = 10 };

/* A step's durations in the order of their keys; figures hold them all as uint64_t. */
struct duration_key {
	const char *key;
	size_t at;
};

extern const struct duration_key duration_keys[RESULT_DURATIONS];

/* What may go to a terminal. */
static inline bool is_printable(char c)
{
	return c >= ' ' && c <= '~';
}

#endif
