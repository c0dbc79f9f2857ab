/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * retry - which connections took so long that the CM must have sent a message again, and how often.
 *
 * The CM sends a REQ, REP or DREQ again whenever its time-out passes without an answer, 15 times at
 * most: who waited k time-outs has had k retries. Linux takes two packet life times of the path and
 * the peer's response time for a REQ and a DREQ, and the response time for a REP. Pure.
 */
#ifndef CMTIME_CORE_RETRY_H
#define CMTIME_CORE_RETRY_H

#include "core/step.h"

#include <stdint.h>

struct timeline;

enum { CM_RETRIES_MOST = 15 };

/* What was waited for, by whom. */
enum retry_kind {
	RETRY_REQ,  /* the client's connect */
	RETRY_REP,  /* the server's establish */
	RETRY_DREQ, /* the client's disconnect */
	RETRY_KINDS
};

/* One kind's connections by retries; all zeroes: no data. */
struct retries {
	uint64_t timeout_ns;		     /* 0: not known, and nobody was counted */
	uint32_t count[CM_RETRIES_MOST + 1]; /* [retries]: connections that did the step */
};

enum step retry_step(enum retry_kind kind);
enum side retry_side(enum retry_kind kind);
/* "req": as the CM's counters have it. */
const char *retry_message(enum retry_kind kind);

/* As the CM encodes times: about 4.096 us times 2^n, which Linux takes for 2^(n - 8) ms, at least
 * 1. */
struct cm_timeouts {
	uint8_t packet_life_time; /* of the path */
	uint8_t response_timeout; /* of both CMs */
};

/* 0: has no time-out, as where there is no path (iWARP). */
uint64_t retry_timeout_ns(enum retry_kind kind, const struct cm_timeouts *timeouts);

/* Counts a side's connections into the kinds that are that side's. */
void retries_count(struct retries retries[RETRY_KINDS], const struct timeline *timeline,
		   const struct cm_timeouts *timeouts);

#endif
