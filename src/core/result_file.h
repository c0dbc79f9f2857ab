/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * result_file - all results of a file, as cmtime prints them: JSON objects one after another, a
 * line each or over several lines.
 *
 * Pure but for reading an open stream; main only. What works on saved results begins here.
 */
#ifndef CMTIME_CORE_RESULT_FILE_H
#define CMTIME_CORE_RESULT_FILE_H

#include <stddef.h>
#include <stdio.h>

struct result;

/* What a file may hold: beyond that it is none of ours. 64 MiB is twice a result of MAX_ROUNDS. */
enum { RESULT_SET_MOST = 10000, RESULT_OBJECT_BYTES = 64 << 20 };

enum { RESULT_SET_WHY = 256 };

struct result_set {
	struct result *results; /* owned; in the order of the file */
	size_t n;		/* never 0 after a successful load */
};

/*
 * Reads the stream to its end. Everything is checked, as result_from_json() does it. Free with
 * result_set_free(). 0, or with *set untouched and why (printable ASCII, one line, naming the line)
 * set: -EPROTO for what is no file of results, an empty one among these; -E2BIG beyond the bounds;
 * -ENOMEM; another -errno if reading failed.
 */
int result_set_load(struct result_set *set, FILE *file, char why[static RESULT_SET_WHY]);
void result_set_free(struct result_set *set);

#endif
