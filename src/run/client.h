/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * client - a run from the client's end: agrees with the server, takes the engine through its legs,
 * and gathers the result of both sides. Main's thread.
 */
#ifndef CMTIME_RUN_CLIENT_H
#define CMTIME_RUN_CLIENT_H

#include "core/plan.h"
#include "core/result.h"
#include "run/engine.h"

#include <stdint.h>
#include <sys/socket.h>

struct stop;

/* Where the server is. */
struct target {
	const char *control_host; /* NULL: no control channel */
	uint16_t control_port;
	struct sockaddr_storage
		address; /* RDMA, with its port where there is no control channel to tell it */
};

/*
 * One run. stop ends it, and is set when the peer is lost (STOP_PEER_LOST) or its answer is late
 * (STOP_TIMEOUT). 0: the run went to its end, *result says how; -ECANCELED: stop was set and it was
 * cut short, *result has what was measured (no rounds: nothing); other -errno: it could not run,
 * logged. The caller frees *result in any case.
 */
int client_run(const struct plan *plan, const struct target *target,
	       const struct observer *observer, struct stop *stop, struct result *result);

#endif
