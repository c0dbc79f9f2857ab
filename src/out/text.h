/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * text - the report that people read, the default format: what was run, a table of steps, what
 * failed and why, what the CM sent, and the verdict.
 *
 * main only, once a run is over; reads the result and nothing else. Scripts should read JSON.
 */
#ifndef CMTIME_OUT_TEXT_H
#define CMTIME_OUT_TEXT_H

#include <stdint.h>
#include <stdio.h>

struct result;

/* Prints every round and flushes. 0, or -errno if it could not all be written. */
int text_print(FILE *file, const struct result *result);

enum { TEXT_DURATION = 32 };

/*
 * Three significant digits, more only where seconds have them: "400 ns", "2.50 ms", "5000 s".
 * Returns buf.
 */
const char *text_duration(uint64_t ns, char buf[static TEXT_DURATION]);

#endif
