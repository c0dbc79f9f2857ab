/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * plan - what a run shall do: every value in effect, and the legs it takes.
 *
 * A leg is a stretch of steps that a connection goes through without main's hand. Made by main from
 * the options, read-only from then on, so that any thread may read it.
 */
#ifndef CMTIME_CORE_PLAN_H
#define CMTIME_CORE_PLAN_H

#include "core/step.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Who reads the answers. */
enum reap {
	REAP_CONCURRENT, /* reaper threads, as they come */
	REAP_INLINE,	 /* main, between its calls */
	REAP_DEFERRED,	 /* reaper threads, but only once all calls of the leg are out */
	REAPS
};

const char *reap_name(enum reap reap);

enum { WINDOW_UNLIMITED = 0 };

struct plan {
	const char *server; /* the server's host; NULL: this is a server, or loopback */
	const char *bind;   /* local address; NULL: any */
	uint16_t port;	    /* control port, and the RDMA port unless that is taken */
	uint32_t connections;
	uint32_t retries;    /* more tries for address and route resolution */
	uint32_t timeout_ms; /* for one try of them */
	uint32_t threads;    /* a client's reapers */
	uint32_t acceptors;  /* a server's; with 1 the reader of requests accepts them */
	uint32_t window;     /* in flight at most; WINDOW_UNLIMITED */
	uint32_t listeners;  /* of a server */
	uint32_t rounds;     /* that are reported */
	uint32_t warmups;    /* before those */
	enum reap reap;
	uint64_t step_timeout_ns;
	uint64_t idle_limit_ns; /* ends a run without a control channel at the server */
	bool loopback;		/* server and client in this process */
	bool bind_first;	/* ids are bound, as a step of its own, before they resolve */
	bool no_control;
	bool one_off;	       /* a server ends after one run */
	bool samples;	       /* the observer wants every round's timelines, both sides' */
	bool kernel_trace;     /* of this host */
	const char *step_hook; /* a client's: a command for the steps' borders; NULL: none */
};

struct leg {
	enum step first, last; /* in the client's order of steps */
	bool barrier;	       /* the peer's consent is asked for before it */
};

enum { PLAN_LEGS = STEPS };

/* Writes the client's legs, in order; returns how many. */
size_t plan_legs(const struct plan *plan, struct leg legs[PLAN_LEGS]);

/* Whether somebody will look at what is known of a connection beside its stamps. */
static inline bool plan_wants_details(const struct plan *plan)
{
	return plan->samples || plan->kernel_trace;
}

/* The client's step after that one, within a leg. */
enum step step_after(enum step step);

#endif
