/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * dialogue - the client's end of what client and server say to each other: offer, barriers, finish.
 *
 * The mirror of conversation. Main only. Whatever ends a run is logged here, once, and set as the
 * reason of the dialogue's stop, so that the connections under way end, too. control/protocol.h has
 * the whole exchange.
 */
#ifndef CMTIME_RUN_DIALOGUE_H
#define CMTIME_RUN_DIALOGUE_H

#include "control/protocol.h"

#include <stdint.h>

struct control;
struct result;
struct stop;
struct timeline;

struct dialogue {
	struct control *control; /* NULL: --no-control, and every exchange below is none, and 0 */
	struct stop *stop;
	struct answer answer;
	uint64_t step_timeout_ns; /* what a barrier may take, and then some */
};

/*
 * Connects to the server at host and port and makes the offer, completed with this program's
 * version and this host's name. 0, or -errno, logged; -ECANCELED with the stop's reason set where
 * time ran out or the peer went. dialogue_close() in any case. stop must outlive it.
 */
int dialogue_open(struct dialogue *dialogue, const char *host, uint16_t port, struct offer *offer,
		  struct stop *stop);

/* Before a step: returns once the server's side has ended what the step builds on. 0, -ECANCELED,
 * or what was wrong. */
int dialogue_barrier(const struct dialogue *dialogue, const struct barrier *barrier);

/* The server destroys its side, and its figures come to stand in the result's last round. */
int dialogue_finish(const struct dialogue *dialogue, struct result *result);

/* After dialogue_finish(), if the offer asked for samples: the server's into a timeline of its side
 * with as many connections. */
int dialogue_samples(const struct dialogue *dialogue, struct timeline *timeline);

/* Says so if the client ends before its time. */
void dialogue_close(struct dialogue *dialogue, bool before_time);

#endif
