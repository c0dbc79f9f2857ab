/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * gate - bounds how many connections are in flight, and lets main wait until fewer are.
 *
 * Main alone enters; whoever owns a connection at the end of its leg leaves. A main that waits is
 * woken when the number has fallen to what it waits for, not at every leaving: with a wake-up each,
 * issuing and reaping in two threads costs a good deal more than in one.
 */
#ifndef CMTIME_RUN_GATE_H
#define CMTIME_RUN_GATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct stop;

struct gate {
	uint32_t window; /* UINT32_MAX: unlimited */
	atomic_uint in_flight;
	atomic_uint wake_at; /* main waits until in_flight is this or less; NOT_WAITING */
	int fd;		     /* eventfd */
};

/* window 0: unlimited. 0 or -errno, logged. */
int gate_init(struct gate *gate, uint32_t window);
void gate_free(struct gate *gate);

/* Main: one more in flight; false when the window is full. */
bool gate_enter(struct gate *gate);

/* Any thread, once for each entry. What the leaver wrote before is seen by main when it sees the
 * lower number. */
void gate_leave(struct gate *gate);

uint32_t gate_in_flight(const struct gate *gate);

/* Main: half the window, at which it pays to go on issuing. */
uint32_t gate_low(const struct gate *gate);

/* Main: waits until at most that many are in flight. 0, -ETIMEDOUT, -ECANCELED (stop). */
int gate_wait(struct gate *gate, uint32_t in_flight, const struct stop *stop, uint64_t deadline_ns);

#endif
