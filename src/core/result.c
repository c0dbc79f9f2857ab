// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * result - holds a result and joins the server's half to the client's.
 *
 * Pure; main only. Its JSON codec is in result_to_json.c and result_from_json.c.
 */
#include "core/result.h"

#include "core/timeline.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const messages[CM_MESSAGES] = {
	[CM_REQ] = "req",   [CM_MRA] = "mra",		[CM_REJ] = "rej",
	[CM_REP] = "rep",   [CM_RTU] = "rtu",		[CM_DREQ] = "dreq",
	[CM_DREP] = "drep", [CM_SIDR_REQ] = "sidr_req", [CM_SIDR_REP] = "sidr_rep",
};

const char *cm_message_name(enum cm_message message)
{
	return messages[message];
}

const char *cm_key(char key[static CM_KEY], enum cm_message message, int counter)
{
	static const char *const counters[CM_COUNTERS] = { "sent", "retries", "received",
							   "duplicates" };

	snprintf(key, CM_KEY, "%s_%s", cm_message_name(message), counters[counter]);
	return key;
}

int result_init(struct result *result, size_t n_rounds)
{
	struct result r = { 0 };

	while (r.n_rounds < n_rounds) {
		if (!result_add_round(&r)) {
			result_free(&r);
			return -ENOMEM;
		}
	}
	*result = r;
	return 0;
}

void result_free(struct result *result)
{
	while (result->n_rounds)
		result_drop_round(result);
	free(result->rounds);
	*result = (struct result){ 0 };
}

struct round *result_add_round(struct result *result)
{
	size_t n = result->n_rounds;

	/* Full at 0 and at every power of two, where it doubles. */
	if (!(n & (n - 1))) {
		struct round *rounds =
			reallocarray(result->rounds, n ? 2 * n : 1, sizeof(*result->rounds));

		if (!rounds)
			return NULL;
		result->rounds = rounds;
	}
	struct round *round = &result->rounds[result->n_rounds++];

	*round = (struct round){ 0 };
	for (enum side side = 0; side < SIDES; side++) {
		for (enum step step = 0; step < STEPS; step++) {
			round->figures[side][step].side = side;
			round->figures[side][step].step = step;
		}
	}
	return round;
}

void result_drop_round(struct result *result)
{
	struct round *round = &result->rounds[--result->n_rounds];

	ledger_free(&round->ledger);
	free(round->cm);
}

int round_measure(struct round *round, const struct timeline *timeline,
		  const struct cm_timeouts *timeouts)
{
	enum side side = timeline->side;
	int ret = 0;

	for (enum step step = 0; !ret && step < STEPS; step++) {
		if (step_is_of(step, side))
			ret = figures_of(&round->figures[side][step], timeline, step);
	}
	for (uint32_t i = 0; !ret && i < timeline->connections; i++)
		ret = ledger_add(&round->ledger, side, &timeline->outcomes[i], i);
	retries_count(round->retries, timeline, timeouts);
	round->begin_ns[side] = timeline_begin_ns(timeline);
	return ret;
}

int round_add_cm(struct round *round, const struct cm_counts *counts)
{
	struct cm_counts *cm;

	/* Full at 0 and at every power of two, where it doubles. */
	if (!(round->n_cm & (round->n_cm - 1))) {
		cm = reallocarray(round->cm, round->n_cm ? 2 * round->n_cm : 1, sizeof(*cm));
		if (!cm)
			return -ENOMEM;
		round->cm = cm;
	}
	round->cm[round->n_cm++] = *counts;
	return 0;
}

/* Whether that port is one the run went through, as far as its ends are known. */
static bool is_of_run(const struct run_info *run, const struct cm_counts *counts)
{
	for (enum side side = 0; side < SIDES; side++) {
		const struct endpoint_info *end = &run->ends[side];

		if (!strcmp(end->device, counts->device) &&
		    (!end->port || end->port == counts->port) &&
		    (!*end->host || !strcmp(end->host, counts->host)))
			return true;
	}
	return false;
}

static bool any_is_of_run(const struct run_info *run, const struct round *round)
{
	for (size_t i = 0; i < round->n_cm; i++) {
		if (is_of_run(run, &round->cm[i]))
			return true;
	}
	return false;
}

bool round_cm_total(const struct run_info *run, const struct round *round, enum step step,
		    enum cm_message message, struct cm_count *total)
{
	bool all = !any_is_of_run(run, round), found = false;

	*total = (struct cm_count){ 0 };
	for (size_t i = 0; i < round->n_cm; i++) {
		const struct cm_count *count = &round->cm[i].msg[message];

		if ((step != STEPS && round->cm[i].step != step) ||
		    (!all && !is_of_run(run, &round->cm[i])))
			continue;
		total->sent += count->sent;
		total->retries += count->retries;
		total->received += count->received;
		total->duplicates += count->duplicates;
		found = true;
	}
	return found;
}

bool round_has_step(const struct round *round, enum side side, enum step step)
{
	const struct figures *figures = &round->figures[side][step];

	if (!step_is_of(step, side))
		return false;
	if (figures->count || figures->failed)
		return true;
	return round->begin_ns[side] && step != STEP_BIND_ADDR;
}

static bool has_port(const struct round *round, const struct cm_counts *counts)
{
	for (size_t i = 0; i < round->n_cm; i++) {
		const struct cm_counts *have = &round->cm[i];

		if (have->step == counts->step && have->port == counts->port &&
		    !strcmp(have->host, counts->host) && !strcmp(have->device, counts->device))
			return true;
	}
	return false;
}

static int round_take_server(struct round *ours, const struct round *theirs)
{
	size_t n_own = ours->n_cm;
	int err;

	ours->begin_ns[SIDE_SERVER] = theirs->begin_ns[SIDE_SERVER];
	memcpy(ours->figures[SIDE_SERVER], theirs->figures[SIDE_SERVER],
	       sizeof(ours->figures[SIDE_SERVER]));
	ours->strangers = theirs->strangers;
	ours->doubles = theirs->doubles;
	ours->out_of_range = theirs->out_of_range;
	ours->cpu[SIDE_SERVER] = theirs->cpu[SIDE_SERVER];
	ours->kernel[SIDE_SERVER] = theirs->kernel[SIDE_SERVER];
	for (enum part part = 0; part < PARTS; part++) {
		if (part_side(part) == SIDE_SERVER)
			ours->parts[part] = theirs->parts[part];
	}
	for (enum retry_kind kind = 0; kind < RETRY_KINDS; kind++) {
		if (retry_side(kind) == SIDE_SERVER)
			ours->retries[kind] = theirs->retries[kind];
	}

	for (size_t i = 0; i < theirs->ledger.n; i++) {
		if (theirs->ledger.rows[i].side != SIDE_SERVER)
			continue;
		err = ledger_append(&ours->ledger, &theirs->ledger.rows[i]);
		if (err)
			return err;
	}
	for (size_t i = 0; i < theirs->n_cm; i++) {
		struct round own = { .cm = ours->cm, .n_cm = n_own };

		if (has_port(&own, &theirs->cm[i]))
			continue;
		err = round_add_cm(ours, &theirs->cm[i]);
		if (err)
			return err;
	}
	return 0;
}

static void take_text(char ours[static RESULT_NAME], const char theirs[static RESULT_NAME])
{
	if (*theirs)
		memcpy(ours, theirs, RESULT_NAME);
}

static void take_end(struct endpoint_info *ours, const struct endpoint_info *theirs)
{
	take_text(ours->host, theirs->host);
	take_text(ours->address, theirs->address);
	take_text(ours->device, theirs->device);
	take_text(ours->transport, theirs->transport);
	if (theirs->port)
		ours->port = theirs->port;
	take_text(ours->driver, theirs->driver);
	take_text(ours->firmware, theirs->firmware);
	take_text(ours->gid, theirs->gid);
	take_text(ours->netdev, theirs->netdev);
	take_text(ours->kernel, theirs->kernel);
	take_text(ours->cpu, theirs->cpu);
	if (theirs->cpus)
		ours->cpus = theirs->cpus;
	if (theirs->n_settings) {
		memcpy(ours->settings, theirs->settings, sizeof(ours->settings));
		ours->n_settings = theirs->n_settings;
	}
}

int result_take_server(struct result *ours, const struct result *theirs)
{
	take_end(&ours->run.ends[SIDE_SERVER], &theirs->run.ends[SIDE_SERVER]);
	if (theirs->run.server_threads)
		ours->run.server_threads = theirs->run.server_threads;
	if (theirs->run.listeners)
		ours->run.listeners = theirs->run.listeners;

	if (!ours->n_rounds || !theirs->n_rounds)
		return 0;
	return round_take_server(&ours->rounds[ours->n_rounds - 1],
				 &theirs->rounds[theirs->n_rounds - 1]);
}
