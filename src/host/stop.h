/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * stop - "end now, and why": set once, by a signal handler, a lost peer or whoever ends a thread;
 * ends every wait on it.
 *
 * An eventfd that is written once and never read stays readable, so any number of threads can poll
 * it beside what they wait for (host/wait.h).
 */
#ifndef CMTIME_HOST_STOP_H
#define CMTIME_HOST_STOP_H

#include <stdatomic.h>

/* Positive reasons are signal numbers. */
enum stop_reason { STOP_NONE = 0, STOP_DONE = -1, STOP_PEER_LOST = -2, STOP_TIMEOUT = -3 };

struct stop {
	int fd;
	atomic_int reason;
	const struct stop *parent; /* is set with it; NULL: none */
};

enum { STOP_DEPTH = 4 }; /* longest line of parents, itself included */

/* 0 or -errno, logged. */
int stop_init(struct stop *stop);
/* The same, for a part of something larger: set as soon as parent is, which must outlive it. */
int stop_init_within(struct stop *stop, const struct stop *parent);
void stop_free(struct stop *stop);

/*
 * The first reason stays, a parent's before all: what follows from an end does not hide why it
 * came. Any thread; async-signal-safe (signal-safety(7)).
 */
void stop_set(struct stop *stop, int reason);

/* STOP_NONE while nobody has asked. */
static inline int stop_reason(const struct stop *stop)
{
	int reason = STOP_NONE;

	for (; stop && reason == STOP_NONE; stop = stop->parent)
		reason = atomic_load_explicit(&stop->reason, memory_order_acquire);
	return reason;
}

#endif
