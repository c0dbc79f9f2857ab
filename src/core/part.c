// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * part - a table of what each part lies between, and figures over it.
 *
 * Pure; from the timeline's stamps to the result's figures.
 */
#include "core/part.h"

#include "core/stats.h"
#include "core/timeline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* How far the kernel's fast reading of CLOCK_MONOTONIC may be off another's. */
enum { SKEW_NS = 1000 };

/* A moment of a connection: a stamp of the kernel's, or one of ours, which is negative. */
enum {
	CONNECT_BEGIN = -1,
	CONNECT_END = -2,
	ACCEPT_BEGIN = -3,
	ESTABLISH_END = -4,
};

static const struct {
	const char *name, *label;
	enum side side;
	enum step step;
	int from, to;
} parts[PARTS] = {
	[PART_CALL] = { "call", "call until REQ sent", SIDE_CLIENT, STEP_CONNECT, CONNECT_BEGIN,
			KERNEL_REQ_SENT },
	[PART_NETWORK] = { "network", "network and peer", SIDE_CLIENT, STEP_CONNECT,
			   KERNEL_REQ_SENT, KERNEL_RESPONSE_QUEUED },
	[PART_QUEUE] = { "queue", "queue and QP until RTU sent", SIDE_CLIENT, STEP_CONNECT,
			 KERNEL_RESPONSE_QUEUED, KERNEL_RTU_SENT },
	[PART_RETURN] = { "return", "return to caller", SIDE_CLIENT, STEP_CONNECT, KERNEL_RTU_SENT,
			  CONNECT_END },
	[PART_BACKLOG] = { "backlog", "request waits to be read", SIDE_SERVER, STEP_ACCEPT,
			   KERNEL_REQUEST_QUEUED, ACCEPT_BEGIN },
	[PART_ACCEPT] = { "accept", "QP and accept until REP sent", SIDE_SERVER, STEP_ACCEPT,
			  ACCEPT_BEGIN, KERNEL_REP_SENT },
	[PART_PEER] = { "peer", "network and client", SIDE_SERVER, STEP_ESTABLISH, KERNEL_REP_SENT,
			KERNEL_ESTABLISHED },
	[PART_NOTICE] = { "notice", "established waits to be read", SIDE_SERVER, STEP_ESTABLISH,
			  KERNEL_ESTABLISHED, ESTABLISH_END },
};

const char *part_name(enum part part)
{
	return parts[part].name;
}

const char *part_label(enum part part)
{
	return parts[part].label;
}

enum side part_side(enum part part)
{
	return parts[part].side;
}

enum part part_from_name(const char *name)
{
	enum part part = 0;

	while (part < PARTS && strcmp(parts[part].name, name))
		part++;
	return part;
}

static uint64_t moment_ns(const struct timeline *timeline, uint32_t index, int moment)
{
	switch (moment) {
	case CONNECT_BEGIN:
		return timeline_span(timeline, STEP_CONNECT, index)->begin_ns;
	case CONNECT_END:
		return timeline_span(timeline, STEP_CONNECT, index)->end_ns;
	case ACCEPT_BEGIN:
		return timeline_span(timeline, STEP_ACCEPT, index)->begin_ns;
	case ESTABLISH_END:
		return timeline_span(timeline, STEP_ESTABLISH, index)->end_ns;
	default:
		return timeline->details[index].kernel_ns[moment];
	}
}

bool part_ns(const struct timeline *timeline, uint32_t index, enum part part, uint64_t *ns)
{
	if (!timeline->details || parts[part].side != timeline->side)
		return false;
	uint64_t from_ns = moment_ns(timeline, index, parts[part].from);
	uint64_t to_ns = moment_ns(timeline, index, parts[part].to);

	if (!from_ns || !to_ns || from_ns > to_ns + SKEW_NS)
		return false;
	*ns = to_ns > from_ns ? to_ns - from_ns : 0;
	return true;
}

static bool is_established(const struct timeline *timeline, uint32_t index)
{
	return timeline_did(timeline, timeline->side == SIDE_CLIENT ? STEP_CONNECT : STEP_ESTABLISH,
			    index);
}

static bool has_all_parts(const struct timeline *timeline, uint32_t index)
{
	uint64_t ns;

	for (enum part part = 0; part < PARTS; part++) {
		if (parts[part].side == timeline->side && !part_ns(timeline, index, part, &ns))
			return false;
	}
	return true;
}

int part_figures(struct figures *figures, const struct timeline *timeline, enum part part)
{
	struct figures f = { .step = parts[part].step, .side = parts[part].side };
	uint64_t first_ns = UINT64_MAX, last_ns = 0;
	uint64_t *durations_ns = NULL;
	size_t n = 0;

	if (parts[part].side == timeline->side && timeline->details && timeline->connections) {
		durations_ns = malloc(timeline->connections * sizeof(*durations_ns));
		if (!durations_ns)
			return -ENOMEM;
	}
	for (uint32_t i = 0; durations_ns && i < timeline->connections; i++) {
		if (!is_established(timeline, i) || !has_all_parts(timeline, i))
			continue;
		part_ns(timeline, i, part, &durations_ns[n++]);
		uint64_t from_ns = moment_ns(timeline, i, parts[part].from);
		uint64_t to_ns = moment_ns(timeline, i, parts[part].to);

		first_ns = from_ns < first_ns ? from_ns : first_ns;
		last_ns = to_ns > last_ns ? to_ns : last_ns;
	}
	figures_compute(&f, durations_ns, n, first_ns, last_ns);
	free(durations_ns);
	*figures = f;
	return 0;
}

uint32_t part_unmatched(const struct timeline *timeline)
{
	uint32_t unmatched = 0;

	for (uint32_t i = 0; i < timeline->connections; i++)
		unmatched += is_established(timeline, i) && !has_all_parts(timeline, i);
	return unmatched;
}
