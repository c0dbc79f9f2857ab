/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * step - the steps a connection goes through, and on which side.
 *
 * Pure names and a table; what each step measures is defined in cmtime(1), "STEPS". First in the
 * pipeline: everything else counts in steps.
 */
#ifndef CMTIME_CORE_STEP_H
#define CMTIME_CORE_STEP_H

#include <stdbool.h>

enum side { SIDE_CLIENT, SIDE_SERVER, SIDES };

/* In the order of a connection's life; reports list them so. */
enum step {
	STEP_CREATE_ID,
	STEP_BIND_ADDR,
	STEP_RESOLVE_ADDR,
	STEP_RESOLVE_ROUTE,
	STEP_ACCEPT,
	STEP_CREATE_QP,
	STEP_CONNECT,
	STEP_ESTABLISH,
	STEP_DISCONNECT,
	STEP_DESTROY_QP,
	STEP_DESTROY_ID,
	STEPS
};

/* "create_id": in JSON, CSV and on the command line. Any step below STEPS. */
const char *step_name(enum step step);

/* "create id": in tables. */
const char *step_label(enum step step);

/* Whether that side ever does that step. */
bool step_is_of(enum step step, enum side side);

/* The step of that name; STEPS for an unknown one. */
enum step step_from_name(const char *name);

/* "client" or "server"; side_from_name() returns SIDES for anything else. */
const char *side_name(enum side side);
enum side side_from_name(const char *name);

#endif
