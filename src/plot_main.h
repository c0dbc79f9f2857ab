/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * plot_main - the errand "cmtime plot RUN... -o FILE": its options, and the picture.
 *
 * main hands over all that stands behind "cmtime".
 */
#ifndef CMTIME_PLOT_MAIN_H
#define CMTIME_PLOT_MAIN_H

/* argv[0] is "plot". The exit status: 0, 2 usage, 3 could not; said in words. */
int plot_main(int argc, char **argv);

#endif
