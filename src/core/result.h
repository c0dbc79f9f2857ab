/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * result - the one struct for figures, wherever they come from: measured here, received from the peer, or loaded.
 *
 * It has one JSON codec, schema "cmtime-result/1" (cmtime(1)). Pure; main builds it, the outputs read it.
 */
#ifndef CMTIME_CORE_RESULT_H
#define CMTIME_CORE_RESULT_H

#include "core/outcome.h"
#include "core/stats.h"
#include "core/step.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RESULT_NAME = 64 };

/* CM messages of one port of one host within one step, as differences of the kernel's counters (the whole port's). */
struct cm_counts {
	char host[RESULT_NAME], device[RESULT_NAME];
	uint32_t port;
	enum step step;
	struct {
		uint64_t sent, retries, received, duplicates;
	} msg[8]; /* indexed by enum cm_message */
};

enum cm_message { CM_REQ, CM_MRA, CM_REJ, CM_REP, CM_RTU, CM_DREQ, CM_DREP, CM_SIDR_REQ, CM_MESSAGES };
/* "req", as sysfs names its file. */
const char *cm_message_name(enum cm_message message);

/* One end of the run: what it ran on. Empty strings are "no data". */
struct endpoint_info {
	char host[RESULT_NAME];      /* its host name */
	char address[RESULT_NAME];   /* RDMA address, numeric */
	char device[RESULT_NAME];    /* "rxe0" */
	char transport[RESULT_NAME]; /* "RoCE v2", "InfiniBand", "iWARP" */
	uint32_t port;               /* of the device; 0: no data */
};

struct run_info {
	char version[RESULT_NAME];
	char run_id[20]; /* 16 hex digits */
	enum side reported_by;
	uint32_t connections;
	uint32_t window; /* 0: unlimited */
	uint32_t threads, server_threads, listeners;
	char reap[16]; /* "concurrent" */
	uint64_t step_timeout_ns;
	struct endpoint_info ends[SIDES];
};

struct round {
	uint64_t begin_ns[SIDES]; /* CLOCK_MONOTONIC of that side's host; 0: no data */
	struct figures figures[SIDES][STEPS]; /* a side's steps that nobody did have count 0 and failed 0 */
	struct ledger ledger;
	struct cm_counts *cm; /* owned */
	size_t n_cm;
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

/* Appends a row to a round's cm. 0 or -ENOMEM. */
int round_add_cm(struct round *round, const struct cm_counts *counts);

/* A new reference for the caller, or NULL for want of memory. */
json_t *result_to_json(const struct result *result);

/*
 * Checks everything: types, ranges, names, counts against MAX_ROUNDS and MAX_ROWS; allocates by no unchecked number.
 * 0, -EPROTO for what is no result, -ENOMEM. *result is set on success only.
 */
int result_from_json(struct result *result, const json_t *json);

/*
 * Takes the server's side of theirs into ours: figures, begin, ledger rows, cm rows, refusals of the server, its
 * endpoint. Rounds are matched in order. 0 or -ENOMEM.
 */
int result_take_server(struct result *ours, const struct result *theirs);

#endif
