/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * part - what a connection's set-up is made of, where the kernel's stamps stand between ours.
 *
 * A client's connect and a server's side of it, each cut at the kernel's stamps of its own host, so
 * no two clocks are compared. The parts of a side follow on each other: those of a client add up to
 * its connect. Pure; main calls it once the round is over and the kernel's stamps are in the
 * timeline (host/cmtrace.h).
 */
#ifndef CMTIME_CORE_PART_H
#define CMTIME_CORE_PART_H

#include "core/step.h"

#include <stdbool.h>
#include <stdint.h>

struct figures;
struct timeline;

/* In the order of a connection's life on its side. */
enum part {
	PART_CALL,    /* client: the stamp before rdma_connect(3) until the REQ goes */
	PART_NETWORK, /* client: there, the peer, and back: until the REP's event is queued */
	PART_QUEUE,   /* client: the event unread, then the QP moved: until the RTU goes */
	PART_RETURN,  /* client: until our stamp of ESTABLISHED */
	PART_BACKLOG, /* server: the request's event unread: queued until our stamp of it */
	PART_ACCEPT,  /* server: the QP made and moved, rdma_accept(3): until the REP goes */
	PART_PEER,    /* server: there, the client, and back: until the RTU's event is queued */
	PART_NOTICE,  /* server: ESTABLISHED unread: until our stamp of it */
	PARTS
};

/* "call", as in JSON and in --samples. Any part below PARTS. */
const char *part_name(enum part part);

/* "call until REQ sent": in tables. */
const char *part_label(enum part part);

enum side part_side(enum part part);

/* The part of that name; PARTS for an unknown one. */
enum part part_from_name(const char *name);

/*
 * The time that part of that connection took. False where there is no data: a part of the other
 * side, no details, a missing stamp, stamps that are not in order. The kernel's reading of the
 * clock may be some ns off ours (ktime_get_mono_fast_ns()); up to 1 us of that counts as 0.
 */
bool part_ns(const struct timeline *timeline, uint32_t index, enum part part, uint64_t *ns);

/*
 * Figures of that part over the matched connections of a timeline: those that were established and
 * have all parts of their side, so that the parts' means add up. A part of the other side has count
 * 0. step is the one that the part lies in (a backlog: before it); failed is 0. 0 or -ENOMEM.
 */
int part_figures(struct figures *figures, const struct timeline *timeline, enum part part);

/* Connections that were established, as that side saw it, and are not matched. */
uint32_t part_unmatched(const struct timeline *timeline);

#endif
