// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* client - offer, legs with barriers between, finish. */
#include "run/client.h"

#include "cm/endpoint.h"
#include "host/clock.h"
#include "host/cmtrace.h"
#include "host/counters.h"
#include "host/description.h"
#include "host/hook.h"
#include "host/log.h"
#include "host/stop.h"
#include "host/usage.h"
#include "run/dialogue.h"
#include "run/tracing.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

struct client {
	const struct plan *plan;
	const struct target *target;
	const struct observer *observer;
	struct stop *stop;
	struct dialogue dialogue;
	uint64_t run_id;
	struct result *result; /* its last round is the one under way */
	struct cmtrace *trace; /* NULL: none */
	/* Of a round: */
	uint32_t nth; /* from 0, warm-ups first */
	struct engine engine;
	struct counter_watch watch;
};

static struct round *current(const struct client *client)
{
	return &client->result->rounds[client->result->n_rounds - 1];
}

static bool warms_up(const struct client *client)
{
	return client->nth < client->plan->warmups;
}

/* ---- legs ---- */

static uint32_t count_done(const struct client *client, enum step step)
{
	uint32_t done = 0;

	for (uint32_t i = 0; i < client->plan->connections; i++)
		done += span_done(timeline_span(&client->engine.timeline, step, i));
	return done;
}

static int stand_at_barrier(struct client *client, enum step step)
{
	struct barrier barrier = { 0 };

	switch (step) {
	case STEP_DISCONNECT:
		barrier = (struct barrier){ BARRIER_DISCONNECT, count_done(client, STEP_CONNECT) };
		break;
	case STEP_DESTROY_QP:
		barrier = (struct barrier){ BARRIER_DESTROY, count_done(client, STEP_DISCONNECT) };
		break;
	default:
		break;
	}
	return dialogue_barrier(&client->dialogue, &barrier);
}

/* Counters are read where no message is under way: at the barrier behind a step, which is the one
 * before the next. */
static void count_messages(struct client *client, enum step next)
{
	struct round *round = current(client);

	if (next == STEP_CONNECT)
		counter_watch_begin(&client->watch);
	else if (next == STEP_DISCONNECT)
		counter_watch_step(&client->watch, round, STEP_CONNECT);
	else if (next == STEP_DESTROY_QP)
		counter_watch_step(&client->watch, round, STEP_DISCONNECT);
}

/* A step that was cut has no barrier behind it, but its messages explain it all the more. */
static void count_cut(struct client *client, enum step step)
{
	if (step == STEP_CONNECT || step == STEP_DISCONNECT)
		counter_watch_step(&client->watch, current(client), step);
}

/* What stands on both ends is known once an address is resolved. */
static void describe(struct client *client)
{
	struct rdma_cm_id *id = engine_some_id(&client->engine);

	if (!id)
		return;
	endpoint_describe(&client->result->run.ends[SIDE_CLIENT], id);
	/* A device of one's own for what all connections share: not in the first connection's time.
	 */
	engine_prepare(&client->engine, id);
}

/* When nobody got an address or a route for want of a device, the address is to blame, and there is
 * nothing to report. */
static int check_device(struct client *client)
{
	const struct outcome *outcomes = client->engine.timeline.outcomes;

	for (uint32_t i = 0; i < client->plan->connections; i++) {
		if ((outcomes[i].event != EVENT_CALL && outcomes[i].event != EVENT_ADDR_ERROR) ||
		    outcomes[i].status != -ENODEV)
			return 0;
	}
	log_error("no RDMA device for %s", client->result->run.ends[SIDE_SERVER].address);
	return -ENODEV;
}

/* Where nothing is in flight. The hook of an end is run after an interrupt, too: it may have to
 * stop what that of the begin has started. */
static void border(const struct client *client, const struct leg *leg, bool begin)
{
	const char *step = step_name(leg->first), *command = client->plan->step_hook;
	char text[64];

	snprintf(text, sizeof(text), "%s %s", step, begin ? "begin" : "end");
	/* The marks enclose the step, not the hooks. */
	if (!begin)
		cmtrace_mark(client->trace, text);
	if (command)
		hook_run(command, step, begin, begin ? client->stop : NULL, HOOK_NS);
	if (begin)
		cmtrace_mark(client->trace, text);
}

static int run_legs(struct client *client)
{
	struct leg legs[PLAN_LEGS];
	size_t n = plan_legs(client->plan, legs);
	int ret = 0;

	for (size_t i = 0; i < n && !ret; i++) {
		if (legs[i].barrier) {
			ret = stand_at_barrier(client, legs[i].first);
			count_messages(client, legs[i].first);
		}
		if (ret) {
			engine_cut(&client->engine, &legs[i]);
			break;
		}
		border(client, &legs[i], true);
		ret = engine_run(&client->engine, &legs[i]);
		border(client, &legs[i], false);
		if (ret) {
			count_cut(client, legs[i].first);
			/* Those who had ended it do not go on, either. */
			if (i + 1 < n)
				engine_cut(&client->engine, &legs[i + 1]);
		}
		if (legs[i].last == STEP_RESOLVE_ADDR)
			describe(client);
		if (legs[i].last == STEP_RESOLVE_ROUTE)
			endpoint_timeouts(&client->result->run.cm_timeouts,
					  engine_some_id(&client->engine));
		if (!ret &&
		    (legs[i].last == STEP_RESOLVE_ADDR || legs[i].last == STEP_RESOLVE_ROUTE))
			ret = check_device(client);
	}
	return ret;
}

/* ---- a round ---- */

static int figures(struct client *client, const struct timeline *timeline)
{
	struct round *round = current(client);
	int ret = round_measure(round, timeline, &client->result->run.cm_timeouts);

	round->connected = round->figures[SIDE_CLIENT][STEP_CONNECT].count;
	return ret;
}

static int open_engine(struct client *client)
{
	const struct plan *plan = client->plan;
	const struct answer *answer = &client->dialogue.answer;
	struct call_setup setup = { .destination = client->target->address,
				    .has_ticket = client->dialogue.control != NULL,
				    .run = client->run_id + client->nth };
	int ret = 0;

	if (client->dialogue.control) {
		setup.n_ports = (uint32_t)answer->n_ports;
		memcpy(setup.ports, answer->ports, sizeof(setup.ports));
	} else {
		setup.n_ports = 1;
		setup.ports[0] = plan->port;
	}
	if (plan->bind) {
		setup.has_source = true;
		ret = endpoint_resolve(&setup.source, plan->bind, 0);
	}
	return ret ? ret
		   : engine_open(&client->engine, plan, &setup, client->observer, client->stop);
}

/* A run that has begun is reported, whatever ends it. In its first round a missing device means
 * that it has not begun; later, rounds have been measured. */
static int cut_by(struct client *client, int ret)
{
	if (!ret || ret == -ECANCELED || (ret == -ENODEV && !client->nth))
		return ret;
	stop_set(client->stop, STOP_PEER_LOST);
	return -ECANCELED;
}

/* The server's side of a round that went to its end: figures, and samples where they are wanted:
 * all or none, as a row that never came would read as a connection that never came to the server.
 */
static int take_server_side(struct client *client, struct timeline *server)
{
	int ret = dialogue_finish(&client->dialogue, client->result);

	if (ret || !client->plan->samples || !client->dialogue.control || warms_up(client))
		return ret;
	ret = timeline_init(server, SIDE_SERVER, client->plan->connections);
	if (!ret)
		ret = timeline_add_details(server);
	if (ret)
		log_error("out of memory for the server's samples");
	else
		ret = dialogue_samples(&client->dialogue, server);
	if (ret)
		timeline_free(server);
	return ret;
}

static void show_round(const struct client *client, const struct timeline *timeline,
		       const struct timeline *server)
{
	if (client->observer->round && !warms_up(client))
		client->observer->round(client->observer->arg,
					client->nth - client->plan->warmups + 1, timeline,
					server->connections ? server : NULL);
}

/* Nobody will see its report. */
static void warn_of_warmup(const struct client *client, int ret)
{
	const struct round *round = current(client);

	if (ret)
		log_warn("cut short in warm-up %u of %u: there is nothing to report",
			 client->nth + 1, client->plan->warmups);
	else if (round->ledger.n)
		log_warn("connections failed in warm-up %u of %u, %u of %u connected",
			 client->nth + 1, client->plan->warmups, round->connected,
			 client->plan->connections);
}

static int run_round(struct client *client)
{
	struct timeline timeline, server = { 0 };
	struct usage before = usage_now();
	int ret;

	if (!result_add_round(client->result)) {
		log_error("out of memory for a round");
		return client->nth ? cut_by(client, -ENOMEM) : -ENOMEM;
	}
	ret = open_engine(client);
	if (ret) {
		result_drop_round(client->result);
		return client->nth ? cut_by(client, ret) : ret;
	}
	/* The kernel's RDMA CM is loaded only now. A failure is logged, and the run goes on. */
	if (client->plan->kernel_trace && !client->nth)
		cmtrace_open(&client->trace, SIDE_CLIENT, client->plan->connections);
	ret = cut_by(client, run_legs(client));
	engine_close(&client->engine, &timeline);
	tracing_end_round(client->trace, &timeline, current(client));
	bool sound = ret != -ENODEV && !figures(client, &timeline);

	if (!sound && ret != -ENODEV) {
		log_error("out of memory for the figures");
		ret = client->nth ? cut_by(client, -ENOMEM) : -ENOMEM;
	}
	if (!ret)
		ret = cut_by(client, take_server_side(client, &server));
	current(client)->cpu[SIDE_CLIENT] = usage_since(&before);
	if (sound)
		show_round(client, &timeline, &server);
	if (warms_up(client) && sound)
		warn_of_warmup(client, ret);
	if (warms_up(client) || !sound)
		result_drop_round(client->result);
	timeline_free(&timeline);
	timeline_free(&server);
	return ret;
}

/* ---- the run ---- */

static int agree(struct client *client)
{
	const struct plan *plan = client->plan;
	struct offer offer = { .run_id = client->run_id,
			       .step_timeout_ns = plan->step_timeout_ns,
			       .connections = plan->connections,
			       .window = plan->window,
			       .rounds = plan->rounds,
			       .warmups = plan->warmups,
			       .samples = plan->samples };

	if (!client->target->control_host)
		return 0;
	int ret = dialogue_open(&client->dialogue, client->target->control_host,
				client->target->control_port, &offer, client->stop);
	/* The peer went before anything was measured. */
	return ret == -ECANCELED && stop_reason(client->stop) < 0 ? -ECONNABORTED : ret;
}

static void describe_run(struct client *client)
{
	const struct plan *plan = client->plan;
	const struct answer *answer = &client->dialogue.answer;
	struct run_info *run = &client->result->run;

	snprintf(run->version, sizeof(run->version), "%s", PACKAGE_VERSION);
	snprintf(run->run_id, sizeof(run->run_id), "%016" PRIx64, client->run_id);
	run->reported_by = SIDE_CLIENT;
	run->connections = plan->connections;
	run->window = plan->window;
	run->threads = plan->reap == REAP_INLINE ? 0 : plan->threads;
	run->server_threads = answer->threads;
	run->listeners = answer->listeners;
	snprintf(run->reap, sizeof(run->reap), "%s", reap_name(plan->reap));
	run->step_timeout_ns = plan->step_timeout_ns;
	run->retries = plan->retries;
	run->timeout_ns = plan->timeout_ms * NS_PER_MS;
	snprintf(run->bind, sizeof(run->bind), "%s", plan->bind ? plan->bind : "");
	run->bind_first = plan->bind_first;
	run->no_control = plan->no_control;
	run->warmups = plan->warmups;
	describe_now(run->start);
	describe_host(&run->ends[SIDE_CLIENT]);
	snprintf(run->ends[SIDE_SERVER].host, RESULT_NAME, "%s", answer->host);
	endpoint_name(run->ends[SIDE_SERVER].address, RESULT_NAME,
		      (const struct sockaddr *)&client->target->address);
}

int client_run(const struct plan *plan, const struct target *target,
	       const struct observer *observer, struct stop *stop, struct result *result)
{
	struct client client = {
		.plan = plan, .target = target, .observer = observer, .stop = stop, .result = result
	};
	const uint32_t rounds = plan->warmups + plan->rounds;

	if (getrandom(&client.run_id, sizeof(client.run_id), 0) != sizeof(client.run_id))
		client.run_id = clock_now_ns() ^ (uint64_t)getpid() << 32;
	*result = (struct result){ 0 };
	int ret = agree(&client);

	if (!ret)
		describe_run(&client);
	for (; !ret && client.nth < rounds; client.nth++)
		ret = run_round(&client);
	/* That the server goes because of us is no loss. */
	if (ret)
		stop_set(stop, STOP_DONE);
	cmtrace_close(client.trace);
	dialogue_close(&client.dialogue, ret != 0);
	return ret;
}
