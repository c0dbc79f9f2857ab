/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * hook - a command of the user's at the borders of a step: --step-hook CMD.
 *
 * Main calls it where nothing is in flight, so what the hook takes is in no step's time.
 */
#ifndef CMTIME_HOST_HOOK_H
#define CMTIME_HOST_HOOK_H

#include <stdbool.h>
#include <stdint.h>

struct stop;

/* What a hook may take. */
#define HOOK_NS (UINT64_C(10) * 1000000000)

/*
 * Runs command by "/bin/sh -c" and waits until it has ended, or within_ns are over or stop is set
 * (NULL: never); then it is killed, with all it started. What it left in the background when it
 * ended goes on: so perf(1) may be started at a step's begin and told to stop at its end.
 *
 * $1 and CMTIME_STEP are step, $2 and CMTIME_EVENT are "begin" or "end", CMTIME_PID is our process.
 * Its standard output is our standard error, its input is empty, it gets no other descriptor of
 * ours, its signals are as a shell expects them, and it has a process group of its own: a Ctrl-C
 * ends us, and the hook sees the end. 0; -ETIMEDOUT; -ECANCELED; -ECHILD when its status was not 0;
 * else -errno: each but the first after a warning. The run goes on, whatever it was.
 */
int hook_run(const char *command, const char *step, bool begin, const struct stop *stop,
	     uint64_t within_ns);

#endif
