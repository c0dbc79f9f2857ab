// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* retry - a division. */
#include "core/retry.h"

#include "core/timeline.h"

static const struct {
	enum step step;
	enum side side;
	const char *message;
} kinds[RETRY_KINDS] = {
	[RETRY_REQ] = { STEP_CONNECT, SIDE_CLIENT, "req" },
	[RETRY_REP] = { STEP_ESTABLISH, SIDE_SERVER, "rep" },
	[RETRY_DREQ] = { STEP_DISCONNECT, SIDE_CLIENT, "dreq" },
};

enum step retry_step(enum retry_kind kind)
{
	return kinds[kind].step;
}

enum side retry_side(enum retry_kind kind)
{
	return kinds[kind].side;
}

const char *retry_message(enum retry_kind kind)
{
	return kinds[kind].message;
}

/* The field has five bits. */
static uint64_t ms_of(uint8_t encoded)
{
	uint8_t n = encoded & 31;

	return UINT64_C(1) << (n > 8 ? n - 8 : 0);
}

uint64_t retry_timeout_ns(enum retry_kind kind, const struct cm_timeouts *timeouts)
{
	uint64_t ms = ms_of(timeouts->response_timeout);

	if (!timeouts->packet_life_time)
		return 0;
	if (kind != RETRY_REP)
		ms += 2 * ms_of(timeouts->packet_life_time);
	return ms * 1000000;
}

void retries_count(struct retries retries[RETRY_KINDS], const struct timeline *timeline,
		   const struct cm_timeouts *timeouts)
{
	for (enum retry_kind kind = 0; kind < RETRY_KINDS; kind++) {
		uint64_t timeout_ns = retry_timeout_ns(kind, timeouts);
		enum step step = kinds[kind].step;

		if (kinds[kind].side != timeline->side || !timeout_ns)
			continue;
		retries[kind] = (struct retries){ .timeout_ns = timeout_ns };
		for (uint32_t i = 0; i < timeline->connections; i++) {
			if (!timeline_did(timeline, step, i))
				continue;
			uint64_t n = span_ns(timeline_span(timeline, step, i)) / timeout_ns;

			retries[kind].count[n < CM_RETRIES_MOST ? n : CM_RETRIES_MOST]++;
		}
	}
}
