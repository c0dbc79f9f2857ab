// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* plan - the legs of a run, from its options. Pure. */
#include "core/plan.h"

static const char *const reaps[REAPS] = { "concurrent", "inline", "deferred" };

const char *reap_name(enum reap reap)
{
	return reaps[reap];
}

/* All connections step by step: a leg a step. */
size_t plan_legs(const struct plan *plan, struct leg legs[PLAN_LEGS])
{
	size_t n = 0;

	for (enum step step = 0; step < STEPS; step++) {
		if (!step_is_of(step, SIDE_CLIENT) || (step == STEP_BIND_ADDR && !plan->bind_first))
			continue;
		legs[n++] =
			(struct leg){ .first = step,
				      .last = step,
				      .barrier = step == STEP_CONNECT || step == STEP_DISCONNECT ||
						 step == STEP_DESTROY_QP };
	}
	return n;
}

enum step step_after(enum step step)
{
	do
		step++;
	while (step < STEPS && !step_is_of(step, SIDE_CLIENT));
	return step;
}
