/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* json - a result as one line of JSON, schema "cmtime-result/1": many make a file. main only. */
#ifndef CMTIME_OUT_JSON_H
#define CMTIME_OUT_JSON_H

#include <stdio.h>

struct result;

/* 0, -ENOMEM, or -errno of writing. */
int json_print(FILE *file, const struct result *result);

#endif
