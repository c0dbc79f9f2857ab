/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * progress - how far a run has come, on stderr: one line rewritten on a terminal, a line every two
 * seconds elsewhere.
 *
 * main only, between its calls; an update costs nothing but a comparison until it is due.
 */
#ifndef CMTIME_OUT_PROGRESS_H
#define CMTIME_OUT_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

enum progress_mode {
	PROGRESS_AUTO, /* on a terminal only */
	PROGRESS_ALWAYS,
	PROGRESS_NEVER
};

struct progress {
	int fd; /* not owned; -1: silent */
	bool is_terminal;
	const char *step;   /* the last one shown; NULL: none yet */
	uint64_t began_ns;  /* when that was new */
	uint32_t at_begin;  /* done by then */
	uint64_t next_ns;   /* not before */
	unsigned int width; /* of the line that stands there */
};

void progress_init(struct progress *progress, enum progress_mode mode, int fd);

/*
 * Shows "connect: 4321 of 10000, 1650/s, 3 failed, 32 in flight, 4 s left" if it is time to: at
 * once for a new step, else ten times a second on a terminal and every two seconds elsewhere. The
 * rate is the step's so far, and the time left at that rate; both only once the step has taken a
 * second. step must outlive the next call.
 */
void progress_update(struct progress *progress, const char *step, uint32_t done, uint32_t of,
		     uint32_t failed, uint32_t in_flight, uint64_t now_ns);

/* Clears the line, before anything else goes to the terminal; updates may follow. */
void progress_end(struct progress *progress);

#endif
