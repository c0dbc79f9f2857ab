/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * listener - a listening id with a channel and a reader of its own.
 *
 * All events of the connections it brings come on its channel too. Opened and closed by the
 * server's main; requests are handed to on_request in the reader's thread.
 */
#ifndef CMTIME_CM_LISTENER_H
#define CMTIME_CM_LISTENER_H

#include "cm/channel.h"
#include "cm/reaper.h"

#include <stdint.h>
#include <sys/socket.h>

struct rdma_cm_id;

struct listener {
	enum context context; /* CONTEXT_LISTENER; first, as cm/channel.h wants it */
	struct reaper reaper;
	struct rdma_cm_id *id;
	uint16_t port;
};

/*
 * Listens on address with its port, or, unless it must be that port, on a free one where that is
 * taken (iWARP shares ports with TCP, another listener may have it). address: AF_INET6 any also
 * takes IPv4. 0 or -errno, logged. rdma_listen(3) with backlog 0: as many as the kernel allows,
 * net.rdma_ucm.max_backlog.
 */
int listener_open(struct listener *listener, const struct sockaddr_storage *address,
		  bool fixed_port, void (*on_request)(void *arg, const struct request *request),
		  void *arg);

/* Its connections' ids must be destroyed. */
void listener_close(struct listener *listener);

#endif
