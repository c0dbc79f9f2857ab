// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* conversation - the server answers what the client asks: offer, barriers, finish. A session's
 * thread. */
#include "run/conversation.h"

#include "control/control.h"
#include "control/protocol.h"
#include "core/result.h"
#include "host/clock.h"
#include "host/cmtrace.h"
#include "host/counters.h"
#include "host/description.h"
#include "host/log.h"
#include "host/stop.h"
#include "host/usage.h"
#include "run/server.h"
#include "run/session.h"
#include "run/tracing.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { OFFER_S = 5, SEND_S = 5 };

struct conversation {
	struct server *server;
	struct control *control; /* NULL: --no-control */
	struct stop *stop;
	struct offer offer;
	struct result result;  /* its last round is the one under way */
	struct cmtrace *trace; /* NULL: none */
	/* Of a round: */
	uint32_t nth; /* from 0, warm-ups first */
	struct session session;
	struct counter_watch watch;
	struct usage before;
	enum barrier_at next; /* the first barrier that it has not stood at */
	bool is_open;
	bool ended; /* and has its figures */
};

static struct round *current(const struct conversation *c)
{
	return &c->result.rounds[c->result.n_rounds - 1];
}

static int say(struct conversation *c, json_t *message)
{
	return control_send(c->control, message, clock_deadline_ns(SEND_S * NS_PER_S));
}

/* ---- a round ---- */

static bool warms_up(const struct conversation *c)
{
	return c->nth < c->offer.warmups;
}

static void describe_run(struct conversation *c)
{
	const struct plan *plan = c->server->plan;
	struct run_info *run = &c->result.run;

	snprintf(run->version, sizeof(run->version), "%s", PACKAGE_VERSION);
	snprintf(run->run_id, sizeof(run->run_id), "%016" PRIx64, c->offer.run_id);
	run->reported_by = SIDE_SERVER;
	run->connections = c->offer.connections;
	run->window = c->offer.window;
	run->server_threads = plan->acceptors;
	run->listeners = plan->listeners;
	run->step_timeout_ns = c->offer.step_timeout_ns;
	run->no_control = plan->no_control;
	run->warmups = c->offer.warmups;
	describe_now(run->start);
	snprintf(run->ends[SIDE_CLIENT].host, RESULT_NAME, "%s", c->offer.host);
}

/* 0, -ENOMEM. */
static int round_open(struct conversation *c)
{
	if (!result_add_round(&c->result)) {
		log_error("out of memory for a round");
		return -ENOMEM;
	}
	int ret = session_open(&c->session, c->offer.run_id + c->nth, c->offer.connections,
			       c->offer.samples || plan_wants_details(c->server->plan),
			       &c->server->devices);
	if (ret) {
		result_drop_round(&c->result);
		return ret;
	}
	/* A failure is logged, and the run goes on. */
	if (c->server->plan->kernel_trace && !c->nth)
		cmtrace_open(&c->trace, SIDE_SERVER, c->offer.connections);
	c->session.strangers_before = atomic_load(&c->server->strangers);
	c->before = usage_now();
	c->next = BARRIER_CONNECT;
	c->is_open = true;
	c->ended = false;
	counter_watch_begin(&c->watch);
	return 0;
}

/* Takes the session out of the readers' sight, destroys what it holds, which is timed when nothing
 * else goes on, and fills its figures in. */
static int round_end(struct conversation *c, bool finished)
{
	struct round *round = current(c);

	c->ended = true;
	server_dismiss(c->server, &c->session);
	session_destroy(&c->session, finished, finished ? EVENT_TIMEOUT : EVENT_ABORTED);
	/* A round that nobody came to knows less than those before it. */
	if (!c->nth || atomic_load(&c->session.described)) {
		c->result.run.ends[SIDE_SERVER] = c->session.end;
		c->result.run.cm_timeouts = c->session.timeouts;
	}
	tracing_end_round(c->trace, &c->session.timeline, round);
	round->strangers = atomic_load(&c->server->strangers) - c->session.strangers_before;
	if (!c->server->plan->loopback) /* it is the client's process, too */
		round->cpu[SIDE_SERVER] = usage_since(&c->before);
	return session_figures(&c->session, round);
}

static void round_close(struct conversation *c)
{
	if (!c->is_open)
		return;
	c->is_open = false;
	server_forget(c->server, &c->session);
	if (warms_up(c))
		result_drop_round(&c->result);
}

/* ---- with a client ---- */

static int refuse(struct conversation *c, const char *why)
{
	log_warn("refused %s: %s", control_peer(c->control), why);
	say(c, refusal_to_json(why));
	return -EPROTO;
}

static int hear_offer(struct conversation *c)
{
	char why[PROTOCOL_WORDS];
	json_t *message;
	int ret = control_receive(c->control, c->stop, clock_deadline_ns(OFFER_S * NS_PER_S),
				  &message);

	if (ret == -ETIMEDOUT)
		return refuse(c, "no offer came");
	if (ret)
		return ret;
	ret = offer_from_json(message, why, &c->offer);
	json_decref(message);
	if (ret)
		return refuse(c, why);
	if (c->server->plan->one_off && atomic_exchange(&c->server->one_off_taken, true))
		return refuse(c, "this server serves one run only, and has it (--one-off)");
	return 0;
}

static int answer(struct conversation *c)
{
	const struct server *server = c->server;
	struct answer answer = { .threads = server->plan->acceptors,
				 .listeners = server->plan->listeners };

	snprintf(answer.version, sizeof(answer.version), "%s", PACKAGE_VERSION);
	host_name(answer.host);
	for (uint32_t i = 0; i < server->n_listeners; i++)
		answer.ports[answer.n_ports++] = server->listeners[i].port;
	return say(c, answer_to_json(&answer));
}

static int out_of_turn(const struct conversation *c)
{
	log_error("%s: a message out of turn", control_peer(c->control));
	return -EPROTO;
}

/* Open to requests, or else refused in words. */
static int round_begin(struct conversation *c)
{
	if (round_open(c))
		return refuse(c, "the server has not enough memory for so many connections");
	if (server_admit(c->server, &c->session))
		return refuse(c, "another run has this run's id");
	return 0;
}

static bool is_last_round(const struct conversation *c)
{
	return c->nth + 1 >= c->offer.warmups + c->offer.rounds;
}

static int next_round(struct conversation *c)
{
	round_close(c);
	c->nth++;
	return round_begin(c);
}

/* The barrier names the step that is about to begin: what it builds on must have ended here, too.
 */
static int stand_at_barrier(struct conversation *c, const json_t *message)
{
	static const enum step counted[BARRIERS] = {
		[BARRIER_CONNECT] = STEPS,
		[BARRIER_DISCONNECT] = STEP_CONNECT,
		[BARRIER_DESTROY] = STEP_DISCONNECT,
	};
	uint64_t deadline_ns = clock_deadline_ns(c->offer.step_timeout_ns);
	struct barrier barrier;
	char why[PROTOCOL_WORDS];
	int ret = barrier_from_json(message, why, &barrier);

	if (ret) {
		log_error("%s: %s", control_peer(c->control), why);
		return ret;
	}
	if (c->ended && barrier.at == BARRIER_CONNECT && !is_last_round(c))
		ret = next_round(c);
	if (ret)
		return ret;
	if (c->ended || barrier.at < c->next)
		return out_of_turn(c);
	c->next = barrier.at + 1;
	if (barrier.at == BARRIER_DISCONNECT)
		ret = session_wait(&c->session, MILESTONE_ESTABLISHED, barrier.established, c->stop,
				   deadline_ns);
	if (barrier.at == BARRIER_DESTROY)
		ret = session_wait(&c->session, MILESTONE_DISCONNECTED, barrier.established,
				   c->stop, deadline_ns);
	if (ret && ret != -ETIMEDOUT)
		return ret;
	if (counted[barrier.at] != STEPS)
		counter_watch_step(&c->watch, current(c), counted[barrier.at]);
	barrier.established = session_established(&c->session);
	return say(c, ready_to_json(&barrier));
}

/* 1: the run is over, its last result sent. */
static int finish(struct conversation *c)
{
	if (c->ended)
		return out_of_turn(c);
	int ret = round_end(c, true);
	const struct result round = { .run = c->result.run, .rounds = current(c), .n_rounds = 1 };

	if (!ret)
		ret = say(c, result_message_to_json(result_to_json(&round)));
	return ret ? ret : is_last_round(c) && !c->offer.samples;
}

/* 1: the run is over, its last samples sent. */
static int send_samples(struct conversation *c, const json_t *message)
{
	uint32_t from, most = c->session.connections - 1;
	char why[PROTOCOL_WORDS];

	if (!c->ended || !c->offer.samples)
		return out_of_turn(c);
	int ret = samples_request_from_json(message, why, most, &from);

	if (ret) {
		log_error("%s: %s", control_peer(c->control), why);
		return ret;
	}
	ret = say(c, samples_to_json(&c->session.timeline, from));
	return ret ? ret : is_last_round(c) && most - from < PROTOCOL_SAMPLES;
}

static int hear(struct conversation *c)
{
	json_t *message;
	int ret = control_receive(c->control, c->stop, NEVER_NS, &message);

	if (ret)
		return ret;
	switch (message_type(message)) {
	case MESSAGE_BARRIER:
		ret = stand_at_barrier(c, message);
		break;
	case MESSAGE_FINISH:
		ret = finish(c);
		break;
	case MESSAGE_SAMPLES:
		ret = send_samples(c, message);
		break;
	default:
		ret = out_of_turn(c);
		break;
	}
	json_decref(message);
	return ret;
}

static enum run_end end_of(const struct conversation *c)
{
	for (size_t i = 0; i < c->result.n_rounds; i++) {
		const struct round *round = &c->result.rounds[i];

		if (round->ledger.n || round->connected < c->result.run.connections)
			return RUN_FAILURES;
	}
	return RUN_WELL;
}

static void serve_run(struct conversation *c)
{
	int ret = answer(c);

	while (!ret)
		ret = hear(c);
	enum run_end end = RUN_LOST;

	/* Who ended it is asked before the abort is said: a client goes when it hears that. */
	if (ret == 1)
		end = end_of(c);
	else if (!control_loss(c->control) && stop_reason(c->server->ending.parent) != STOP_NONE)
		end = RUN_INTERRUPTED;
	if (ret != 1 && !control_loss(c->control))
		say(c, abort_to_json("the server ends"));
	if (c->is_open && !c->ended)
		round_end(c, false);
	if (c->is_open && warms_up(c))
		round_close(c);
	server_report(c->server, &c->result, end);
}

/* With --one-off a refusal was no run: the server would wait for its end, and refuse all others. */
static void stay_for_another(struct conversation *c)
{
	atomic_store(&c->server->one_off_taken, false);
}

static void open_and_serve(struct conversation *c)
{
	describe_run(c);
	if (round_begin(c))
		stay_for_another(c);
	else
		serve_run(c);
	round_close(c);
	cmtrace_close(c->trace);
	result_free(&c->result);
}

static void talk(struct conversation *c)
{
	char why[PROTOCOL_WORDS];

	if (hear_offer(c))
		return;
	if (!server_reserve(c->server, c->offer.connections)) {
		snprintf(why, sizeof(why),
			 "no room for %" PRIu32 " connections beside others, of %d",
			 c->offer.connections, SERVER_CONNECTIONS);
		refuse(c, why);
		stay_for_another(c);
		return;
	}
	open_and_serve(c);
	server_release(c->server, c->offer.connections);
}

void conversation_hold(struct server *server, int fd, struct stop *stop)
{
	struct conversation c = { .server = server, .stop = stop };

	if (control_adopt(fd, stop, NULL, &c.control))
		return;
	talk(&c);
	control_close(c.control);
}

/* ---- without one ---- */

/* 0: the run is over; -ECANCELED. */
static int watch_run(struct conversation *c)
{
	uint64_t before = 0;

	for (;;) {
		int ret = session_wait(&c->session, MILESTONE_DISCONNECTED, c->session.connections,
				       c->stop, clock_deadline_ns(c->server->plan->idle_limit_ns));
		uint64_t activity = session_activity(&c->session);

		if (ret != -ETIMEDOUT)
			return ret;
		if (activity && activity == before)
			return 0;
		before = activity;
	}
}

/* All that a client would have said. */
static int open_anonymous(struct conversation *c, struct server *server)
{
	const struct plan *plan = server->plan;

	*c = (struct conversation){ .server = server,
				    .stop = &server->ending,
				    .offer = { .connections = plan->connections,
					       .window = WINDOW_UNKNOWN,
					       .step_timeout_ns = plan->step_timeout_ns,
					       .rounds = 1 } };
	describe_run(c);
	return round_open(c);
}

/* Ends one run; its successor takes the requests that come meanwhile. */
static void end_anonymous(struct conversation *c, bool interrupted)
{
	round_end(c, !interrupted);
	if (session_activity(&c->session))
		server_report(c->server, &c->result, interrupted ? RUN_INTERRUPTED : end_of(c));
	round_close(c);
	cmtrace_close(c->trace);
	result_free(&c->result);
}

int conversation_anonymous(struct server *server)
{
	struct conversation runs[2];
	int now = 0, ret = open_anonymous(&runs[now], server);

	if (ret) {
		server_present(server, NULL);
	} else {
		server_present(server, &runs[now].session);
		server_ready(server);
	}
	while (!ret) {
		ret = watch_run(&runs[now]);
		bool last = ret || server->plan->one_off;

		/* Before its successor begins to count. */
		counter_watch_step(&runs[now].watch, current(&runs[now]), STEP_CONNECT);
		int opened = last ? -ECANCELED : open_anonymous(&runs[!now], server);

		server_present(server, opened ? NULL : &runs[!now].session);
		end_anonymous(&runs[now], ret == -ECANCELED);
		if (opened)
			return last ? ret : opened;
		now = !now;
	}
	return ret;
}
