// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* timeline - allocates a round's cells: one block a step, so that a step walks memory in order. */
#include "core/timeline.h"

#include <errno.h>
#include <stdlib.h>

int timeline_init(struct timeline *timeline, enum side side, uint32_t connections)
{
	struct timeline t = { .side = side, .connections = connections };

	t.outcomes = calloc(connections, sizeof(*t.outcomes));
	if (!t.outcomes)
		goto nomem;
	for (enum step step = 0; step < STEPS; step++) {
		if (!step_is_of(step, side))
			continue;
		t.spans[step] = calloc(connections, sizeof(*t.spans[step]));
		if (!t.spans[step])
			goto nomem;
	}
	*timeline = t;
	return 0;
nomem:
	timeline_free(&t);
	return -ENOMEM;
}

void timeline_free(struct timeline *timeline)
{
	for (enum step step = 0; step < STEPS; step++)
		free(timeline->spans[step]);
	free(timeline->outcomes);
	free(timeline->details);
	*timeline = (struct timeline){ 0 };
}

int timeline_add_details(struct timeline *timeline)
{
	timeline->details = calloc(timeline->connections, sizeof(*timeline->details));
	return timeline->details ? 0 : -ENOMEM;
}

uint64_t timeline_begin_ns(const struct timeline *timeline)
{
	enum step first = timeline->side == SIDE_CLIENT ? STEP_CREATE_ID : STEP_ACCEPT;
	uint64_t first_ns = 0;

	for (uint32_t i = 0; i < timeline->connections; i++) {
		uint64_t begin_ns = timeline_span(timeline, first, i)->begin_ns;

		if (begin_ns && (!first_ns || begin_ns < first_ns))
			first_ns = begin_ns;
	}
	return first_ns;
}
