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
