// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* client - offer, legs with barriers between, finish. */
#include "run/client.h"

#include "cm/endpoint.h"
#include "control/control.h"
#include "control/protocol.h"
#include "host/clock.h"
#include "host/counters.h"
#include "host/log.h"
#include "host/stop.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

enum {
	CONNECT_S = 10, /* for the control connection */
	ANSWER_S =
		10, /* for the server's answer, and beyond the step's own time-out at a barrier */
	SEND_S = 5,
	RESULT_S = 120, /* for the server to destroy its side and send its figures, heartbeats going
			   on */
};

struct client {
	const struct plan *plan;
	const struct target *target;
	struct stop *stop;
	struct control *control; /* NULL: none */
	struct answer answer;
	uint64_t run_id;
	struct engine engine;
	struct counter_watch watch;
	struct result *result;
};

/* ---- talking to the server ---- */

static int say(struct client *client, json_t *message)
{
	return control_send(client->control, message, clock_deadline_ns(SEND_S * NS_PER_S));
}

/* The message due, or an -errno that ends the run; a server that is late is as good as lost. */
static int hear(struct client *client, enum message_type due, uint64_t within_ns, json_t **message)
{
	json_t *got;
	int ret =
		control_receive(client->control, client->stop, clock_deadline_ns(within_ns), &got);

	if (ret == -ETIMEDOUT) {
		log_error("the server's %s is late", message_type_name(due));
		stop_set(client->stop, STOP_TIMEOUT);
		return -ECANCELED;
	}
	if (ret == -ESHUTDOWN || ret == -EPIPE) {
		if (ret == -ESHUTDOWN)
			log_error("the server ended the run before its %s", message_type_name(due));
		stop_set(client->stop, STOP_PEER_LOST);
		return -ECANCELED;
	}
	if (ret)
		return ret;
	enum message_type type = message_type(got);

	if (type == due) {
		*message = got;
		return 0;
	}
	char why[PROTOCOL_WORDS];

	reason_from_json(got, why);
	if (type == MESSAGE_REFUSAL)
		log_error("the server refused: %s", why);
	else
		log_error("the server sent a message out of turn, %s was due",
			  message_type_name(due));
	json_decref(got);
	return type == MESSAGE_REFUSAL ? -ECONNREFUSED : -EPROTO;
}

static int agree(struct client *client)
{
	const struct plan *plan = client->plan;
	struct offer offer = { .run_id = client->run_id,
			       .step_timeout_ns = plan->step_timeout_ns,
			       .connections = plan->connections,
			       .window = plan->window };
	char why[PROTOCOL_WORDS];
	json_t *message;
	int ret = control_connect(client->target->control_host, client->target->control_port,
				  client->stop, NULL, clock_deadline_ns(CONNECT_S * NS_PER_S),
				  &client->control);
	if (ret)
		return ret;
	snprintf(offer.version, sizeof(offer.version), "%s", PACKAGE_VERSION);
	if (gethostname(offer.host, sizeof(offer.host) - 1))
		offer.host[0] = '\0';
	ret = say(client, offer_to_json(&offer));
	if (!ret)
		ret = hear(client, MESSAGE_ANSWER, ANSWER_S * NS_PER_S, &message);
	if (ret)
		return ret;
	ret = answer_from_json(message, why, &client->answer);
	json_decref(message);
	if (ret)
		log_error("the server's answer: %s", why);
	return ret;
}

static uint32_t count_done(const struct client *client, enum step step)
{
	uint32_t done = 0;

	for (uint32_t i = 0; i < client->plan->connections; i++)
		done += span_done(timeline_span(&client->engine.timeline, step, i));
	return done;
}

/* Before a step: the server answers once its side has ended what the step builds on. */
static int stand_at_barrier(struct client *client, enum step step)
{
	struct barrier barrier = { 0 };
	json_t *message;

	if (!client->control)
		return 0;
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
	uint64_t within_ns = ANSWER_S * NS_PER_S, step_ns = client->plan->step_timeout_ns;
	int ret = say(client, barrier_to_json(&barrier));

	if (!ret)
		ret = hear(client, MESSAGE_READY,
			   step_ns > NEVER_NS / 2 ? NEVER_NS : within_ns + step_ns, &message);
	if (!ret)
		json_decref(message);
	return ret == -EPIPE || ret == -ESHUTDOWN ? -ECANCELED : ret;
}

/* The server destroys its side and sends its figures, which come to stand beside ours. */
static int take_server_result(struct client *client)
{
	struct result theirs;
	const json_t *json;
	char why[PROTOCOL_WORDS];
	json_t *message;
	int ret = say(client, message_to_json(MESSAGE_FINISH));

	if (!ret)
		ret = hear(client, MESSAGE_RESULT, RESULT_S * NS_PER_S, &message);
	if (ret)
		return ret;
	ret = result_message_from_json(message, why, &json);
	if (!ret) {
		ret = result_from_json(&theirs, json);
		if (!ret) {
			ret = result_take_server(client->result, &theirs);
			result_free(&theirs);
		}
		snprintf(why, sizeof(why), "%s", log_errno(ret));
	}
	if (ret)
		log_error("the server's result: %s", why);
	json_decref(message);
	return ret;
}

/* ---- the run ---- */

/* Counters are read where no message is under way: at the barrier behind a step, which is the one
 * before the next. */
static void count_messages(struct client *client, enum step next)
{
	struct round *round = &client->result->rounds[0];

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
		counter_watch_step(&client->watch, &client->result->rounds[0], step);
}

/* What stands on both ends is known once an address is resolved. */
static void describe(struct client *client)
{
	struct run_info *run = &client->result->run;
	struct rdma_cm_id *id = engine_some_id(&client->engine);

	if (!id)
		return;
	endpoint_describe(&run->ends[SIDE_CLIENT], id);
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
		ret = engine_run(&client->engine, &legs[i]);
		if (ret) {
			count_cut(client, legs[i].first);
			/* Those who had ended it do not go on, either. */
			if (i + 1 < n)
				engine_cut(&client->engine, &legs[i + 1]);
		}
		if (legs[i].last == STEP_RESOLVE_ADDR)
			describe(client);
		if (!ret &&
		    (legs[i].last == STEP_RESOLVE_ADDR || legs[i].last == STEP_RESOLVE_ROUTE))
			ret = check_device(client);
	}
	return ret;
}

static int figures(struct client *client, const struct timeline *timeline)
{
	struct round *round = &client->result->rounds[0];
	int ret = 0;

	for (enum step step = 0; !ret && step < STEPS; step++) {
		if (step_is_of(step, SIDE_CLIENT))
			ret = figures_of(&round->figures[SIDE_CLIENT][step], timeline, step);
	}
	for (uint32_t i = 0; !ret && i < timeline->connections; i++)
		ret = ledger_add(&round->ledger, SIDE_CLIENT, &timeline->outcomes[i], i);
	round->begin_ns[SIDE_CLIENT] = timeline_span(timeline, STEP_CREATE_ID, 0)->begin_ns;
	round->connected = round->figures[SIDE_CLIENT][STEP_CONNECT].count;
	return ret;
}

static int set_up(struct client *client)
{
	const struct plan *plan = client->plan;
	struct run_info *run = &client->result->run;
	int ret = result_init(client->result, 1);

	if (ret) {
		log_error("out of memory for the result");
		return ret;
	}
	snprintf(run->version, sizeof(run->version), "%s", PACKAGE_VERSION);
	snprintf(run->run_id, sizeof(run->run_id), "%016" PRIx64, client->run_id);
	run->reported_by = SIDE_CLIENT;
	run->connections = plan->connections;
	run->window = plan->window;
	run->threads = plan->reap == REAP_INLINE ? 0 : plan->threads;
	run->server_threads = client->answer.threads;
	run->listeners = client->answer.listeners;
	snprintf(run->reap, sizeof(run->reap), "%s", reap_name(plan->reap));
	run->step_timeout_ns = plan->step_timeout_ns;
	snprintf(run->ends[SIDE_SERVER].host, RESULT_NAME, "%s", client->answer.host);
	endpoint_name(run->ends[SIDE_SERVER].address, RESULT_NAME,
		      (const struct sockaddr *)&client->target->address);
	return 0;
}

static int open_engine(struct client *client, const struct observer *observer)
{
	const struct plan *plan = client->plan;
	struct call_setup setup = { .destination = client->target->address,
				    .has_ticket = client->control != NULL,
				    .run = client->run_id };
	int ret = 0;

	if (client->control) {
		setup.n_ports = (uint32_t)client->answer.n_ports;
		memcpy(setup.ports, client->answer.ports, sizeof(setup.ports));
	} else {
		setup.n_ports = 1;
		setup.ports[0] = plan->port;
	}
	if (plan->bind) {
		setup.has_source = true;
		ret = endpoint_resolve(&setup.source, plan->bind, 0);
	}
	return ret ? ret : engine_open(&client->engine, plan, &setup, observer, client->stop);
}

static int run(struct client *client, const struct observer *observer)
{
	struct timeline timeline;
	int ret = open_engine(client, observer);

	if (ret)
		return ret;
	ret = run_legs(client);
	/* A run that has begun is reported, whatever ends it. */
	if (ret && ret != -ECANCELED && ret != -ENODEV) {
		stop_set(client->stop, STOP_PEER_LOST);
		ret = -ECANCELED;
	}
	engine_close(&client->engine, &timeline);
	if (ret != -ENODEV && figures(client, &timeline))
		log_error("out of memory for the figures");
	timeline_free(&timeline);
	if (!ret && client->control && take_server_result(client)) {
		stop_set(client->stop, STOP_PEER_LOST);
		ret = -ECANCELED;
	}
	return ret;
}

int client_run(const struct plan *plan, const struct target *target,
	       const struct observer *observer, struct stop *stop, struct result *result)
{
	struct client client = { .plan = plan, .target = target, .stop = stop, .result = result };
	int ret = 0;

	if (getrandom(&client.run_id, sizeof(client.run_id), 0) != sizeof(client.run_id))
		client.run_id = clock_now_ns() ^ (uint64_t)getpid() << 32;
	*result = (struct result){ 0 };
	if (target->control_host)
		ret = agree(&client);
	if (ret == -ECANCELED && stop_reason(stop) < 0)
		ret = -ECONNABORTED; /* the peer went before anything was measured */
	if (!ret)
		ret = set_up(&client);
	if (!ret)
		ret = run(&client, observer);
	/* That the server goes because of us is no loss. */
	if (ret)
		stop_set(stop, STOP_DONE);
	if (ret && client.control && !control_loss(client.control))
		say(&client, abort_to_json("the client ends before its time"));
	control_close(client.control);
	return ret;
}
