/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * gnuplot - runs the program of that name, found on the PATH, without a shell in between.
 *
 * main only; it waits.
 */
#ifndef CMTIME_HOST_GNUPLOT_H
#define CMTIME_HOST_GNUPLOT_H

#include <stdio.h>

/*
 * Has it do the script, from the script's beginning, and puts what it prints into out. It
 * reads none of the user's own settings, and is ended by signals that the caller may have blocked.
 * 0; or, logged: -ENOENT if there is no gnuplot, -EIO if it failed, with what it said; another
 * -errno.
 */
int gnuplot_run(FILE *script, FILE *out);

#endif
