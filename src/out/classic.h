/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * classic - the table the 2013 cmtime printed, to the byte, for scripts that read it.
 *
 * main only, once a run is over. "us / conn" is the total over the connections asked for, and
 * "disconnect" has each connection's QP destroyed inside, as there; "-" stands for no data.
 */
#ifndef CMTIME_OUT_CLASSIC_H
#define CMTIME_OUT_CLASSIC_H

#include <stdio.h>

struct result;

/*
 * Prints a table a round, of the steps of the side that reports, and flushes. 0, or -errno if it
 * could not all be written.
 */
int classic_print(FILE *file, const struct result *result);

#endif
