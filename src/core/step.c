// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* step - the table behind step.h: pure, any thread. */
#include "core/step.h"

#include <string.h>

static const struct {
	const char *name, *label;
	bool of[SIDES];
} steps[STEPS] = {
	[STEP_CREATE_ID] = { "create_id", "create id", { true, false } },
	[STEP_BIND_ADDR] = { "bind_addr", "bind addr", { true, false } },
	[STEP_RESOLVE_ADDR] = { "resolve_addr", "resolve addr", { true, false } },
	[STEP_RESOLVE_ROUTE] = { "resolve_route", "resolve route", { true, false } },
	[STEP_ACCEPT] = { "accept", "accept", { false, true } },
	[STEP_CREATE_QP] = { "create_qp", "create qp", { true, true } },
	[STEP_CONNECT] = { "connect", "connect", { true, false } },
	[STEP_ESTABLISH] = { "establish", "establish", { false, true } },
	[STEP_DISCONNECT] = { "disconnect", "disconnect", { true, true } },
	[STEP_DESTROY_QP] = { "destroy_qp", "destroy qp", { true, true } },
	[STEP_DESTROY_ID] = { "destroy_id", "destroy id", { true, true } },
};

static const char *const sides[SIDES] = { "client", "server" };

const char *step_name(enum step step)
{
	return steps[step].name;
}

const char *step_label(enum step step)
{
	return steps[step].label;
}

bool step_is_of(enum step step, enum side side)
{
	return steps[step].of[side];
}

enum step step_from_name(const char *name)
{
	enum step step = 0;

	while (step < STEPS && strcmp(steps[step].name, name))
		step++;
	return step;
}

const char *side_name(enum side side)
{
	return sides[side];
}

enum side side_from_name(const char *name)
{
	enum side side = 0;

	while (side < SIDES && strcmp(sides[side], name))
		side++;
	return side;
}
