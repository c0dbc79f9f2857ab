/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * setup - what a run was made with and on, as a list of words to hold against another's.
 *
 * Pure. What struct run_info gains and what should be the same for two runs to be compared becomes
 * a row here.
 */
#ifndef CMTIME_CORE_SETUP_H
#define CMTIME_CORE_SETUP_H

#include "core/result.h"

/* How many such things there are, and what the i-th is called: "window", "host". */
size_t setup_size(void);
const char *setup_name(size_t i);

/* Whose that is; SIDES for the run's. What is the client's is followed by the same of the server.
 */
enum side setup_side(size_t i);

/* That of a run: "unlimited", "rxe0"; empty for no data. Returns text. */
const char *setup_value(size_t i, const struct run_info *run, char text[static RESULT_NAME]);

/* How many connections can have been in flight: what bounds them, the window or their number.
 * WINDOW_UNKNOWN: no data. */
uint32_t setup_window(const struct run_info *run);

#endif
