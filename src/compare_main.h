/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * compare_main - the errand "cmtime compare": saved results against each other (cmtime(1),
 * COMPARE).
 *
 * main only; it runs nothing and needs no device.
 */
#ifndef CMTIME_COMPARE_MAIN_H
#define CMTIME_COMPARE_MAIN_H

/*
 * argv[0] is "compare". Returns the exit status: 0 compared and every limit kept, 1 a limit broken,
 * 2 usage, 3 a file could not be read or the report not be written; what is not 0 has been logged.
 */
int compare_main(int argc, char **argv);

#endif
