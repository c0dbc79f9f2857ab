/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * channel - an event channel: reads CM events, stamps and acks them, and posts them to their
 * connections.
 *
 * One thread serves a channel: several readers of one would all be woken by every event. An event
 * goes through in this order: stamp right after rdma_get_cm_event(3) returned, copy what is needed,
 * ack (rdma_destroy_id(3) waits for that), and only then post, since the new owner may destroy the
 * id.
 */
#ifndef CMTIME_CM_CHANNEL_H
#define CMTIME_CM_CHANNEL_H

#include <pthread.h>
#include <stdint.h>

struct rdma_cm_id;
struct rdma_event_channel;
struct stop;

/* What an id's context points at: the first member of a connection, and of a listener. */
enum context { CONTEXT_CONN, CONTEXT_LISTENER };

enum { PRIVATE_DATA_MAX = 56 }; /* RC over RDMA_PS_TCP, as its receiver sees it */

/* A connection request; whoever gets it owns id, and may destroy it. */
struct request {
	uint64_t at_ns;
	struct rdma_cm_id *id;
	void *listener; /* the listening id's context */
	uint8_t data_len;
	uint8_t data[PRIVATE_DATA_MAX];
};

struct channel {
	struct rdma_event_channel *events;
	pthread_mutex_t
		serving; /* held by the reader while an event is on its way to its connection */
	void (*on_request)(void *arg, const struct request *request);
	void *arg;
};

/* on_request: NULL for a channel of a client. 0 or -errno, logged. */
int channel_open(struct channel *channel,
		 void (*on_request)(void *arg, const struct request *request), void *arg);

/* channel_serve() no longer blocks in the kernel, but looks before it waits. 0 or -errno, logged.
 */
int channel_set_nonblocking(struct channel *channel);

/* All ids of the channel must be destroyed. */
void channel_close(struct channel *channel);

/* Waits until an event is there to be read, without reading it. 0, -ETIMEDOUT, -ECANCELED by stop.
 */
int channel_wait(const struct channel *channel, const struct stop *stop, uint64_t deadline_ns);

/*
 * Reads one event and delivers it. By the channel's one reader. Blocks in the kernel until there is
 * one, which costs a system call an event; a non-blocking channel says -EAGAIN. 0: an event was
 * delivered; -EINTR: a signal came; other -errno: the channel is of no more use, logged.
 */
int channel_serve(struct channel *channel);

/*
 * After ids were destroyed: returns once no event of theirs is on its way to a connection any more,
 * so that the connections' memory may be freed while the channel is served on. Not by the channel's
 * reader.
 */
void channel_quiesce(struct channel *channel);

#endif
