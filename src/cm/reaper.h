/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * reaper - a thread that serves one channel until it is told to end.
 *
 * A reaper can be held back, for --reap deferred: it then leaves events unread until it is released.
 */
#ifndef CMTIME_CM_REAPER_H
#define CMTIME_CM_REAPER_H

#include "cm/channel.h"
#include "host/stop.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

struct reaper {
	struct channel channel;
	struct stop stop;
	pthread_t thread;
	bool running;
	atomic_bool held;
	int released_fd; /* eventfd: wakes a reaper that is held */
};

/* Opens the channel and starts the thread. 0 or -errno, logged; nothing is held on failure. */
int reaper_start(struct reaper *reaper, void (*on_request)(void *arg, const struct request *request), void *arg);

/* Ends the thread, joins it. The channel stays open, so that its ids can be destroyed first. Twice is fine. */
void reaper_stop(struct reaper *reaper);

/* After reaper_stop() and the end of the channel's ids. */
void reaper_close(struct reaper *reaper);

/* Main: from here on, until reaper_release(), events are left unread. To be called while none is due. */
void reaper_hold(struct reaper *reaper);
void reaper_release(struct reaper *reaper);

#endif
