/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * samples_file - reads what --samples has written: CSV, a connection a row.
 *
 * Columns are found by their names in the first line, so that files with more of them, or in
 * another order, can be read; a file may come from anywhere, and is checked. Pure; main only.
 */
#ifndef CMTIME_CORE_SAMPLES_FILE_H
#define CMTIME_CORE_SAMPLES_FILE_H

#include "core/step.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A line may be so long, with its end, and have so many columns: what has more is no such file. */
enum { SAMPLES_LINE = 16384, SAMPLES_COLUMNS = 512 };

/* One connection in one step. */
struct sample_step {
	bool begun, done;  /* failed in it: begun at most */
	uint64_t begin_ns; /* since the round's begin on that side */
	uint64_t ns;	   /* begin_ns + ns fits */
};

/* One connection on one side. */
struct sample_row {
	enum side side;
	uint32_t round;	     /* 1 to MAX_ROUNDS; 1 in a file that doesn't say */
	enum step failed_in; /* STEPS: in none */
	struct sample_step steps[STEPS];
};

struct samples_error {
	size_t line; /* from 1; 0: not a line's fault */
	char text[160];
};

/* Gets each row in the order of the file; what it returns other than 0 ends the reading. */
typedef int samples_taker(void *arg, const struct sample_row *row);

/*
 * Reads to the end of the file. 0; what take returned; -EPROTO for what is no file of samples; or
 * -errno of a read that failed. On the last two *error says what is wrong, with the line,
 * printable.
 */
int samples_read(FILE *file, samples_taker *take, void *arg, struct samples_error *error);

#endif
