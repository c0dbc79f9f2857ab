// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * outcome - the names of events and reasons, and the ledger that counts equal outcomes.
 *
 * Pure; a ledger belongs to one thread. Between the timeline, where owners leave outcomes, and the
 * result.
 */
#include "core/outcome.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const events[EVENT_KINDS] = {
	[EVENT_NONE] = "none",
	[EVENT_CALL] = "call failed",
	[EVENT_TIMEOUT] = "timed out",
	[EVENT_ABORTED] = "cut short",
	[EVENT_ADDR_RESOLVED] = "ADDR_RESOLVED",
	[EVENT_ADDR_ERROR] = "ADDR_ERROR",
	[EVENT_ROUTE_RESOLVED] = "ROUTE_RESOLVED",
	[EVENT_ROUTE_ERROR] = "ROUTE_ERROR",
	[EVENT_CONNECT_REQUEST] = "CONNECT_REQUEST",
	[EVENT_CONNECT_RESPONSE] = "CONNECT_RESPONSE",
	[EVENT_CONNECT_ERROR] = "CONNECT_ERROR",
	[EVENT_UNREACHABLE] = "UNREACHABLE",
	[EVENT_REJECTED] = "REJECTED",
	[EVENT_ESTABLISHED] = "ESTABLISHED",
	[EVENT_DISCONNECTED] = "DISCONNECTED",
	[EVENT_DEVICE_REMOVAL] = "DEVICE_REMOVAL",
	[EVENT_ADDR_CHANGE] = "ADDR_CHANGE",
	[EVENT_TIMEWAIT_EXIT] = "TIMEWAIT_EXIT",
	[EVENT_OTHER] = "other event",
};

/* The REJ message's reasons, InfiniBand Architecture Specification volume 1, 12.6.7.2. 34 is not
 * assigned. */
static const char *const reject_reasons[] = {
	[1] = "no queue pair available",
	[2] = "no end-to-end context available",
	[3] = "no resources available",
	[4] = "timeout",
	[5] = "unsupported request",
	[6] = "invalid communication id",
	[7] = "invalid communication instance",
	[8] = "invalid service id",
	[9] = "invalid transport service type",
	[10] = "stale connection",
	[11] = "reliable datagram channel does not exist",
	[12] = "primary remote port gid rejected",
	[13] = "primary remote port lid rejected",
	[14] = "invalid primary service level",
	[15] = "invalid primary traffic class",
	[16] = "invalid primary hop limit",
	[17] = "invalid primary packet rate",
	[18] = "alternate remote port gid rejected",
	[19] = "alternate remote port lid rejected",
	[20] = "invalid alternate service level",
	[21] = "invalid alternate traffic class",
	[22] = "invalid alternate hop limit",
	[23] = "invalid alternate packet rate",
	[24] = "port and cm redirection",
	[25] = "port redirection",
	[26] = "invalid path mtu",
	[27] = "insufficient responder resources",
	[28] = "consumer defined",
	[29] = "invalid rnr retry count",
	[30] = "duplicate local communication id",
	[31] = "unsupported class version",
	[32] = "invalid primary flow label",
	[33] = "invalid alternate flow label",
	[35] = "vendor option not supported",
};

const char *event_kind_name(enum event_kind kind)
{
	return events[kind];
}

enum event_kind event_kind_from_name(const char *name)
{
	enum event_kind kind = 0;

	while (kind < EVENT_KINDS && strcmp(events[kind], name))
		kind++;
	return kind;
}

static const char *reject_reason(int32_t status)
{
	size_t n = sizeof(reject_reasons) / sizeof(*reject_reasons);

	return (size_t)status < n ? reject_reasons[status] : NULL;
}

static const char *unknown_reason(enum event_kind event)
{
	switch (event) {
	case EVENT_TIMEOUT:
		return "given up after --step-timeout";
	case EVENT_ABORTED:
		return "the run ended first";
	default:
		return "unknown";
	}
}

const char *outcome_reason(enum event_kind event, int32_t status, char *buf, size_t size)
{
	const char *name;

	if (!status) {
		snprintf(buf, size, "%s", unknown_reason(event));
	} else if (status > 0) {
		name = event == EVENT_REJECTED ? reject_reason(status) : NULL;
		if (name)
			snprintf(buf, size, "%s", name);
		else
			snprintf(buf, size, "%s %d",
				 event == EVENT_REJECTED ? "reject reason" : "status", status);
	} else {
		/* INT32_MIN has no positive twin. */
		int error = status == INT32_MIN ? 0 : -status;

		name = error ? strerrorname_np(error) : NULL;
		if (name)
			snprintf(buf, size, "%s: %s", name, strerrordesc_np(error));
		else
			snprintf(buf, size, "status %d", status);
	}
	return buf;
}

bool outcome_is_user_reject(enum event_kind event, int32_t status)
{
	enum { CONSUMER_DEFINED = 28 };

	return event == EVENT_REJECTED && (status == CONSUMER_DEFINED || status == -ECONNREFUSED);
}

static struct ledger_row *ledger_find(const struct ledger *ledger, enum side side,
				      const struct outcome *outcome)
{
	/* Few differ, however many fail: a side, a step, an event and a status each. */
	for (size_t i = 0; i < ledger->n; i++) {
		struct ledger_row *row = &ledger->rows[i];

		if (row->side == side && row->outcome.step == outcome->step &&
		    row->outcome.event == outcome->event && row->outcome.status == outcome->status)
			return row;
	}
	return NULL;
}

int ledger_append(struct ledger *ledger, const struct ledger_row *row)
{
	/* Full at 0 and at every power of two, where it doubles. */
	if (!(ledger->n & (ledger->n - 1))) {
		size_t room = ledger->n ? 2 * ledger->n : 1;
		struct ledger_row *rows = reallocarray(ledger->rows, room, sizeof(*rows));

		if (!rows)
			return -ENOMEM;
		ledger->rows = rows;
	}
	ledger->rows[ledger->n++] = *row;
	return 0;
}

int ledger_add(struct ledger *ledger, enum side side, const struct outcome *outcome, uint32_t index)
{
	struct ledger_row *row;

	if (outcome->event == EVENT_NONE)
		return 0;
	row = ledger_find(ledger, side, outcome);
	if (!row) {
		struct ledger_row fresh = { .side = side, .outcome = *outcome };
		int err = ledger_append(ledger, &fresh);

		if (err)
			return err;
		row = &ledger->rows[ledger->n - 1];
	}
	if (row->count < LEDGER_FIRST)
		row->first[row->count] = index;
	row->count++;
	return 0;
}

uint32_t ledger_failed(const struct ledger *ledger, enum side side, enum step step)
{
	uint32_t failed = 0;

	for (size_t i = 0; i < ledger->n; i++) {
		const struct ledger_row *row = &ledger->rows[i];

		if (row->side == side && row->outcome.step == step)
			failed += row->count;
	}
	return failed;
}

void ledger_free(struct ledger *ledger)
{
	free(ledger->rows);
	*ledger = (struct ledger){ 0 };
}
