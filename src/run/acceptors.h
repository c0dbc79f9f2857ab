/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * acceptors - threads that accept requests, when one is not enough: readers hand requests over
 * through a queue.
 *
 * With a single acceptor there are no threads: the reader accepts itself, in acceptors_hand().
 */
#ifndef CMTIME_RUN_ACCEPTORS_H
#define CMTIME_RUN_ACCEPTORS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct acceptors;
struct conn;

struct acceptor {
	struct acceptors *all;
	pthread_t thread;
	pthread_mutex_t serving; /* held while it acts on a connection */
};

struct acceptors {
	pthread_mutex_t lock;
	pthread_cond_t filled;
	struct conn *first, **last;
	bool ending;
	struct acceptor *each;
	uint32_t n; /* 0: none, the readers accept */
};

/* 0 or -errno, logged. */
int acceptors_start(struct acceptors *acceptors, uint32_t threads);

/* A claimed connection is to be accepted: by this thread, or soon by another. Readers. */
void acceptors_hand(struct acceptors *acceptors, struct conn *conn);

/*
 * After requests were accepted: returns once no acceptor is still at one of them, so that their
 * connections' memory may be freed. Not by an acceptor.
 */
void acceptors_quiesce(struct acceptors *acceptors);

/* What is queued is still accepted. */
void acceptors_stop(struct acceptors *acceptors);

#endif
