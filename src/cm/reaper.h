/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * reaper - a thread that serves one channel until it is told to end.
 *
 * It blocks in rdma_get_cm_event(3), one system call an event: on soft-RoCE, looking first and
 * polling costs a connect 4 % more. So a signal gets it out, REAPER_SIGNAL, sent until it has gone.
 * A reaper can be held back, for --reap deferred: it then leaves events unread until it is
 * released.
 */
#ifndef CMTIME_CM_REAPER_H
#define CMTIME_CM_REAPER_H

#include "cm/channel.h"
#include "host/stop.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#define REAPER_SIGNAL SIGURG /* ignored by default, and of no other use here */

struct reaper {
	struct channel channel;
	struct stop stop;
	struct stop ended; /* set by the thread as its last act */
	pthread_t thread;
	bool running;
	bool holdable; /* looks before it reads */
	atomic_bool held;
	int released_fd; /* eventfd: wakes a reaper that is held */
};

/* Opens the channel and starts the thread. 0 or -errno, logged; nothing is held on failure. */
int reaper_start(struct reaper *reaper, bool holdable,
		 void (*on_request)(void *arg, const struct request *request), void *arg);

/* Ends the thread, joins it. The channel stays open, so that its ids can be destroyed first. Twice
 * is fine. */
void reaper_stop(struct reaper *reaper);

/* After reaper_stop() and the end of the channel's ids. */
void reaper_close(struct reaper *reaper);

/* Main, of a holdable reaper: from here on, until reaper_release(), events are left unread. While
 * none is due. */
void reaper_hold(struct reaper *reaper);
void reaper_release(struct reaper *reaper);

#endif
