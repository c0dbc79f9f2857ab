/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * csv - figures, and every sample, as comma-separated values: a header row first, no value needs
 * quotes, what has no data is empty. main only.
 */
#ifndef CMTIME_OUT_CSV_H
#define CMTIME_OUT_CSV_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct result;
struct timeline;

/* A row for every round, side and step; the header if asked for. 0 or -errno of writing. */
int csv_print(FILE *file, const struct result *result, bool header);

/* The header of samples, and a row for every connection of a side in that round, from 1. */
int csv_samples_header(FILE *file);
int csv_samples(FILE *file, uint32_t round, const struct timeline *timeline);

#endif
