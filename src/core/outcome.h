/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * outcome - how a connection ended a step it did not pass: the step, the event and its status.
 *
 * A failed connection is data. Its owner records one outcome (the first failure; later ones are
 * consequences); a ledger counts equal outcomes for the report. Pure; values only.
 */
#ifndef CMTIME_CORE_OUTCOME_H
#define CMTIME_CORE_OUTCOME_H

#include "core/step.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What was heard. The CM's events by our own numbers, so that core needs no librdmacm, and three
 * that no CM sends.
 */
enum event_kind {
	EVENT_NONE,
	EVENT_CALL,    /* the call itself failed; no event was due */
	EVENT_TIMEOUT, /* given up by us, after --step-timeout */
	EVENT_ABORTED, /* cut short by us: a signal, a lost peer */
	EVENT_ADDR_RESOLVED,
	EVENT_ADDR_ERROR,
	EVENT_ROUTE_RESOLVED,
	EVENT_ROUTE_ERROR,
	EVENT_CONNECT_REQUEST,
	EVENT_CONNECT_RESPONSE,
	EVENT_CONNECT_ERROR,
	EVENT_UNREACHABLE,
	EVENT_REJECTED,
	EVENT_ESTABLISHED,
	EVENT_DISCONNECTED,
	EVENT_DEVICE_REMOVAL,
	EVENT_ADDR_CHANGE,
	EVENT_TIMEWAIT_EXIT,
	EVENT_OTHER,
	EVENT_KINDS
};

/* "REJECTED"; "call failed" and the like for the first four. */
const char *event_kind_name(enum event_kind kind);
/* EVENT_KINDS for an unknown name. */
enum event_kind event_kind_from_name(const char *name);

struct outcome {
	enum step step;
	enum event_kind event; /* EVENT_NONE: nothing failed */
	int32_t status;	       /* -errno, or a positive reason of the CM; 0: unknown */
};

/*
 * The reason in words into buf, always terminated: the name and text of an errno ("ETIMEDOUT:
 * Connection timed out"), an InfiniBand reject reason for a positive status of EVENT_REJECTED
 * ("consumer defined" for 28), "unknown" for 0 (what we did, where it was us: EVENT_TIMEOUT,
 * EVENT_ABORTED), the bare number where it has no name. Returns buf.
 */
const char *outcome_reason(enum event_kind event, int32_t status, char *buf, size_t size);

/*
 * Whether it was the peer's application that rejected, not its CM or the network: "consumer
 * defined" of InfiniBand and RoCE, ECONNREFUSED of iWARP.
 */
bool outcome_is_user_reject(enum event_kind event, int32_t status);

enum { LEDGER_FIRST = 5 };

/* Equal outcomes of one side, counted. */
struct ledger_row {
	enum side side;
	struct outcome outcome;
	uint32_t count;
	uint32_t first[LEDGER_FIRST]; /* indices of the first min(count, LEDGER_FIRST) of them */
};

struct ledger {
	struct ledger_row *rows; /* owned */
	size_t n;
};

/* Adds connection index's outcome (EVENT_NONE is not added). 0 or -ENOMEM. */
int ledger_add(struct ledger *ledger, enum side side, const struct outcome *outcome,
	       uint32_t index);

/* Appends a row as it is, counted elsewhere. 0 or -ENOMEM. */
int ledger_append(struct ledger *ledger, const struct ledger_row *row);

/* How many connections of that side failed in that step. */
uint32_t ledger_failed(const struct ledger *ledger, enum side side, enum step step);

void ledger_free(struct ledger *ledger);

#endif
