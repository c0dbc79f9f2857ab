/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * result - the one struct for figures, wherever they come from: measured here, received or loaded.
 *
 * It has one JSON codec, schema "cmtime-result/1" (cmtime(1)). Pure; main builds it, the outputs
 * read it.
 */
#ifndef CMTIME_CORE_RESULT_H
#define CMTIME_CORE_RESULT_H

#include "core/outcome.h"
#include "core/part.h"
#include "core/retry.h"
#include "core/stats.h"
#include "core/step.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RESULT_NAME = 64 };

/* The most that a result may hold: what is beyond is no result. */
enum { MAX_ROUNDS = 1000, MAX_LEDGER_ROWS = 10000, MAX_CM_ROWS = 1000, MAX_SETTINGS = 16 };

enum cm_message {
	CM_REQ,
	CM_MRA,
	CM_REJ,
	CM_REP,
	CM_RTU,
	CM_DREQ,
	CM_DREP,
	CM_SIDR_REQ,
	CM_SIDR_REP,
	CM_MESSAGES
};

/* "req", as sysfs names its file. */
const char *cm_message_name(enum cm_message message);

enum { CM_COUNTERS = 4, CM_KEY = 32 };

struct cm_count {
	uint64_t sent, retries, received, duplicates;
};

/* "req_sent" into key and that; counter 0 to 3: sent, retries, received, duplicates. */
const char *cm_key(char key[static CM_KEY], enum cm_message message, int counter);

/*
 * CM messages of one port of one host within one step, as differences of the kernel's counters (the
 * whole port's).
 */
struct cm_counts {
	char host[RESULT_NAME], device[RESULT_NAME];
	uint32_t port;
	enum step step;
	struct cm_count msg[CM_MESSAGES];
};

/* A limit or sysctl by its name. */
struct setting {
	char name[RESULT_NAME], value[RESULT_NAME];
};

/* One end of the run: what it ran on. Empty strings and 0 are "no data". */
struct endpoint_info {
	char host[RESULT_NAME];	     /* its host name */
	char address[RESULT_NAME];   /* RDMA address, numeric */
	char device[RESULT_NAME];    /* "rxe0" */
	char transport[RESULT_NAME]; /* "RoCE v2", "InfiniBand", "iWARP" */
	uint32_t port;		     /* of the device */
	char driver[RESULT_NAME], firmware[RESULT_NAME];
	char gid[RESULT_NAME];	  /* that the connections use */
	char netdev[RESULT_NAME]; /* behind it */
	char kernel[RESULT_NAME]; /* its release */
	char cpu[RESULT_NAME];	  /* its model */
	uint32_t cpus;		  /* online */
	struct setting settings[MAX_SETTINGS];
	size_t n_settings;
};

/* A server whose client did not say. */
#define WINDOW_UNKNOWN UINT32_MAX

struct run_info {
	char version[RESULT_NAME];
	char run_id[20]; /* 16 hex digits */
	enum side reported_by;
	uint32_t connections;
	uint32_t window; /* 0: unlimited; WINDOW_UNKNOWN: no data */
	uint32_t threads, server_threads, listeners;
	char reap[16]; /* "concurrent" */
	uint64_t step_timeout_ns;
	uint32_t retries;    /* more tries of resolutions */
	uint64_t timeout_ns; /* of one; 0: no data, and then retries is none, either */
	char bind[RESULT_NAME];
	bool bind_first, no_control;
	uint32_t warmups;
	char start[RESULT_NAME]; /* date and time by the reporting host, ISO 8601 */
	struct cm_timeouts cm_timeouts;
	struct endpoint_info ends[SIDES];
};

/* What a side's process used; of loopback's one process the client's side has it all. */
struct usage {
	uint64_t user_ns, system_ns;
	uint64_t max_rss_bytes; /* 0: no data */
};

/* What the kernel's trace of a side's host says. */
struct kernel_trace {
	bool is_there;
	uint64_t events, matched, lost; /* in all; of the round's connections; for want of room */
	uint32_t unmatched;		/* established connections without all their stamps */
};

struct round {
	uint64_t begin_ns[SIDES];	      /* CLOCK_MONOTONIC of that side's host; 0: no data */
	struct figures figures[SIDES][STEPS]; /* count 0 and failed 0: nobody did it */
	struct ledger ledger;
	struct cm_counts *cm; /* owned */
	size_t n_cm;
	struct usage cpu[SIDES];
	struct retries retries[RETRY_KINDS];
	struct kernel_trace kernel[SIDES];
	struct figures parts[PARTS]; /* of the sides whose kernel was traced */
	uint32_t connected; /* connections that were established, as the reporting side saw it */
	/* Requests the server turned away: they are no connection of the run. */
	uint32_t strangers, doubles, out_of_range;
};

struct result {
	struct run_info run;
	struct round *rounds; /* owned */
	size_t n_rounds;
};

/* Makes n empty rounds. 0 or -ENOMEM. Free with result_free(). */
int result_init(struct result *result, size_t n_rounds);
void result_free(struct result *result);

/* Appends an empty round; one that was returned before may have moved. NULL: no memory. */
struct round *result_add_round(struct result *result);

/* Takes the last round out again: it was a warm-up, or nothing came of it. */
void result_drop_round(struct result *result);

/*
 * A side's part of a round that is over, from its timeline: figures, ledger rows, begin, and
 * retries by these time-outs. 0 or -ENOMEM.
 */
int round_measure(struct round *round, const struct timeline *timeline,
		  const struct cm_timeouts *timeouts);

/* Appends a row to a round's cm. 0 or -ENOMEM. */
int round_add_cm(struct round *round, const struct cm_counts *counts);

/*
 * The counts of one message in one step, or STEPS for all, over the ports that the run went
 * through: a host counts on all its ports, and the others are others' business. Where none is known
 * to be the run's, over all. false: nothing was counted.
 */
bool round_cm_total(const struct run_info *run, const struct round *round, enum step step,
		    enum cm_message message, struct cm_count *total);

/*
 * Whether reports and "steps" list that step: somebody did it or failed in it, or the side took
 * part in the round and it is a step of every run ("count": 0 and nulls then). bind_addr is not;
 * nor is anything of a side without begin data.
 */
bool round_has_step(const struct round *round, enum side side, enum step step);

/*
 * A new reference for the caller, or NULL for want of memory. Empty strings and what has no data
 * are null, an unlimited window is "unlimited"; characters other than printable ASCII become '?',
 * integers over 2^63 - 1 become that.
 */
json_t *result_to_json(const struct result *result);

/*
 * Checks everything: types, ranges, names, order of figures, lengths against MAX_...; allocates by
 * no unchecked number. Unknown keys are ignored; a missing key or null is no data where there may
 * be none. Strings are printable ASCII that fits, so that they may go to a terminal. 0, -EPROTO for
 * what is no result, -ENOMEM. *result is set on success only.
 */
int result_from_json(struct result *result, const json_t *json);

/*
 * Takes the server's side of theirs into ours: its endpoint, threads and listeners, and of theirs'
 * last round figures, begin, ledger rows, cm rows and refusals into our last round. A cm row of a
 * port and step that ours has already is the same counter read twice (both ends on one host) and is
 * left out. 0 or -ENOMEM: then only some of it was taken, and ours is still sound. What they do not
 * know of the server's end stays as it is.
 */
int result_take_server(struct result *ours, const struct result *theirs);

#endif
