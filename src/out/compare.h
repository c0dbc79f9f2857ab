/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * compare - a comparison as a table for people, or as JSON, schema "cmtime-compare/1" (cmtime(1)).
 *
 * main only; the end of the pipeline that begins with files of results.
 */
#ifndef CMTIME_OUT_COMPARE_H
#define CMTIME_OUT_COMPARE_H

#include <stdio.h>

struct comparison;

/* Both flush. 0, or -errno if it could not all be written; -ENOMEM. */
int compare_print_text(FILE *file, const struct comparison *comparison);
int compare_print_json(FILE *file, const struct comparison *comparison);

#endif
