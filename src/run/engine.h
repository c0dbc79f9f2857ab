/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * engine - a client's connections going through their legs: main issues, reapers reap, the gate
 * bounds.
 *
 * One engine a round. Main calls everything here; reapers own connections while their events are
 * acted on. When a leg has ended, nothing is in flight and main may read the timeline.
 */
#ifndef CMTIME_RUN_ENGINE_H
#define CMTIME_RUN_ENGINE_H

#include "cm/calls.h"
#include "cm/conn.h"
#include "cm/device.h"
#include "cm/reaper.h"
#include "core/plan.h"
#include "core/timeline.h"
#include "run/gate.h"

#include <stdatomic.h>
#include <stdint.h>

struct stop;

/* Who wants to see a run go on; called by main. What is NULL is not called. */
struct observer {
	/* As often as main looks up. */
	void (*update)(void *arg, enum step step, uint32_t done, uint32_t of, uint32_t failed,
		       uint32_t in_flight);
	/*
	 * A round that is reported is over, from 1: its timelines are good during the call. server
	 * is NULL where there is none: no control channel, or nobody asked for it (plan->samples).
	 */
	void (*round)(void *arg, uint32_t number, const struct timeline *client,
		      const struct timeline *server);
	void *arg;
};

struct engine {
	struct crew crew; /* first: a connection's crew is its engine */
	const struct plan *plan;
	const struct observer *observer;
	struct stop *stop;
	struct call_setup setup;
	struct timeline timeline;
	struct conn *conns;
	struct devices devices;
	struct gate gate;
	struct reaper *reapers; /* plan->threads of them; none when reaping inline */
	uint32_t n_reapers;
	struct channel inlined;
	struct leg leg;	    /* under way: changed by main while nothing is in flight */
	atomic_bool cut;    /* the run is over before its time */
	uint64_t swept_ns;  /* when main last asked who is overdue */
	atomic_uint failed; /* for the observer */
};

/*
 * Allocates, opens channels, starts reapers. setup's addresses, ticket and run id are taken; its
 * rest is set here. observer and stop must outlive the engine. 0 or -errno, logged; nothing is held
 * on failure.
 */
int engine_open(struct engine *engine, const struct plan *plan, const struct call_setup *setup,
		const struct observer *observer, struct stop *stop);

/*
 * Takes every connection that has not failed through a leg. 0 (connections may have failed), or
 * -ECANCELED: stop was set, and whoever had not ended the leg has been recorded as cut short.
 */
int engine_run(struct engine *engine, const struct leg *leg);

/*
 * The run is over, and nobody takes that leg any more: whoever has neither ended it nor failed is
 * recorded as cut short in it. Nothing may be in flight.
 */
void engine_cut(struct engine *engine, const struct leg *leg);

/* The first id that has a device (after address resolution); NULL: none. */
struct rdma_cm_id *engine_some_id(const struct engine *engine);

/* Makes what the connections on id's device share (cm/device.h), so that no connection's time holds
 * it. */
void engine_prepare(struct engine *engine, struct rdma_cm_id *id);

/* Destroys what is left (not timed), ends the reapers, frees all but the timeline, which is handed
 * to the caller. */
void engine_close(struct engine *engine, struct timeline *timeline);

#endif
