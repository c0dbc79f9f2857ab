/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * number - counts and times as people write them on a command line. Pure; decimal, no locale,
 * nothing left over.
 */
#ifndef CMTIME_CORE_NUMBER_H
#define CMTIME_CORE_NUMBER_H

#include <stdint.h>

/* "100", "10k", "1M" between min and max. 0, -EINVAL for anything else, -ERANGE. */
int number_count(const char *text, uint64_t min, uint64_t max, uint64_t *count);

/* "250ms", "1.5s", "120" (seconds) in ns, us, ms, s; above 0. 0, -EINVAL, -ERANGE. */
int number_time_ns(const char *text, uint64_t *time_ns);

/* "3", "0.05", without sign or exponent. 0, -EINVAL, -ERANGE. */
int number_decimal(const char *text, double *value);

#endif
