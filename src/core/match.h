/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * match - finds the connection that an event of the kernel's is about, by both its addresses and
 * ports, and puts the event's time into the timeline.
 *
 * The kernel traces an id, with its own address first: where client and server share a host, the
 * same connection is seen twice, mirrored, and a timeline takes its own side's. Pure; main calls it
 * once the round is over, for every event in the order of time (host/cmtrace.h).
 */
#ifndef CMTIME_CORE_MATCH_H
#define CMTIME_CORE_MATCH_H

#include "core/timeline.h"

#include <stdbool.h>
#include <stdint.h>

struct match {
	struct timeline *timeline;
	uint32_t *slots; /* owned; a connection's index + 1, 0: free */
	uint32_t mask;	 /* slots - 1, a power of two - 1 */
};

/*
 * Of a timeline with details, which must outlive it; a connection whose addresses are not known is
 * left out. Of two with the same addresses one is found. 0 or -ENOMEM. Free with match_free().
 */
int match_init(struct match *match, struct timeline *timeline);
void match_free(struct match *match);

/*
 * Takes an event of the id that has these addresses. The first of a kind stays, but a connection
 * that begins anew (REQ_SENT of a client, REQUEST_QUEUED of a server) forgets what was before: only
 * its last attempt counts. A DREQ_SENT behind DISCONNECTED is the answer to the peer's, not one of
 * our own, and is no stamp. Whether the event was of a connection of this timeline.
 */
bool match_event(struct match *match, const struct address *own, const struct address *peer,
		 enum kernel_stamp stamp, uint64_t ns);

#endif
