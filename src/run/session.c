// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* session - what a mail means to a server's connection (upper half, any owner); a session's life
 * (lower half). */
#include "run/session.h"

#include "cm/calls.h"
#include "cm/channel.h"
#include "cm/endpoint.h"
#include "core/result.h"
#include "host/clock.h"
#include "host/description.h"
#include "host/log.h"

#include <errno.h>
#include <stdlib.h>

static struct session *session_of(const struct conn *conn)
{
	return (struct session *)conn->crew;
}

/* A request that cannot be accepted is turned away; its client learns so, and nobody waits for it
 * here. */
static void turn_away(struct conn *conn, enum step step, int32_t status)
{
	conn_fail(conn, step, EVENT_CALL, status);
	call_destroy_qp(conn);
	call_reject(conn->id);
	conn->id = NULL;
}

/* The QP is created within accept, as applications do it. */
static void accept_request(struct conn *conn, const struct event *request)
{
	struct span *accept = conn_span(conn, STEP_ACCEPT), *qp = conn_span(conn, STEP_CREATE_QP);
	int32_t status;

	accept->begin_ns = request->at_ns;
	qp->begin_ns = clock_now_ns();
	if (call_create_qp(conn, session_of(conn)->devices, &status) == CALL_FAILED) {
		turn_away(conn, STEP_CREATE_QP, status);
		return;
	}
	qp->end_ns = clock_now_ns();
	conn->awaiting = STEP_ESTABLISH;
	if (call_accept(conn, &status) == CALL_FAILED) {
		conn->awaiting = STEPS;
		turn_away(conn, STEP_ACCEPT, status);
		return;
	}
	accept->end_ns = clock_now_ns();
	conn_span(conn, STEP_ESTABLISH)->begin_ns = accept->end_ns;
}

static void leave_arriving(struct conn *conn)
{
	if (conn->awaiting != STEP_ESTABLISH)
		return;
	conn->awaiting = STEPS;
	gate_leave(&session_of(conn)->arriving);
}

static void leave_staying(struct conn *conn)
{
	if (conn->gone)
		return;
	conn->gone = true;
	gate_leave(&session_of(conn)->staying);
}

static void heard_of_connect(struct conn *conn, const struct event *event)
{
	if (conn->awaiting != STEP_ESTABLISH)
		return;
	if (event->kind == EVENT_ESTABLISHED) {
		conn_span(conn, STEP_ESTABLISH)->end_ns = event->at_ns;
		leave_arriving(conn);
	} else {
		conn_fail(conn, STEP_ESTABLISH, event->kind, event->status);
		leave_arriving(conn);
		leave_staying(conn);
	}
}

static void disconnected(struct conn *conn, const struct event *event)
{
	struct span *span = conn_span(conn, STEP_DISCONNECT);
	int32_t status;

	if (conn->gone || !conn->id)
		return;
	if (conn->awaiting == STEP_ESTABLISH) {
		conn_fail(conn, STEP_ESTABLISH, event->kind, event->status);
		leave_arriving(conn);
	}
	span->begin_ns = event->at_ns;
	if (call_disconnect(conn, &status) == CALL_FAILED)
		conn_fail(conn, STEP_DISCONNECT, EVENT_CALL, status);
	else
		span->end_ns = clock_now_ns();
	leave_staying(conn);
}

static void removed(struct conn *conn, const struct event *event)
{
	if (conn->gone || !conn->id)
		return;
	conn_fail(conn, conn->awaiting == STEPS ? STEP_DISCONNECT : conn->awaiting, event->kind,
		  event->status);
	leave_arriving(conn);
	leave_staying(conn);
}

static void destroy(struct session *session, struct conn *conn)
{
	enum step step = session->destroys;
	bool has = step == STEP_DESTROY_QP ? conn->has_qp : conn->id != NULL;

	if (conn->awaiting == STEP_ESTABLISH)
		conn_fail(conn, STEP_ESTABLISH, session->waiting, 0);
	leave_arriving(conn);
	if (has) {
		if (!atomic_exchange(&session->described, true)) {
			endpoint_describe(&session->end, conn->id);
			endpoint_timeouts(&session->timeouts, conn->id);
		}
		uint64_t begin_ns = clock_now_ns();

		if (step == STEP_DESTROY_QP)
			call_destroy_qp(conn);
		else
			call_destroy_id(conn);
		if (session->destroys_timed && !conn_failed(conn))
			*conn_span(conn, step) = (struct span){ begin_ns, clock_now_ns() };
	}
	gate_leave(&session->destroying);
}

static void act(struct conn *conn, enum mail mail, const struct event *event)
{
	switch (mail) {
	case MAIL_REQUEST:
		accept_request(conn, event);
		gate_leave(&session_of(conn)->queued);
		break;
	case MAIL_CONNECT:
		heard_of_connect(conn, event);
		break;
	case MAIL_DISCONNECTED:
		disconnected(conn, event);
		break;
	case MAIL_REMOVAL:
		removed(conn, event);
		break;
	case MAIL_GO:
		destroy(session_of(conn), conn);
		break;
	default:
		break;
	}
}

/* ---- the session's thread ---- */

static int fill(struct gate *gate, uint32_t n)
{
	int ret = gate_init(gate, 0);

	while (!ret && n--)
		gate_enter(gate);
	return ret;
}

int session_open(struct session *session, uint64_t run, uint32_t connections, bool details,
		 struct devices *devices)
{
	*session = (struct session){ .crew.act = act,
				     .run = run,
				     .connections = connections,
				     .devices = devices,
				     .arriving.fd = -1,
				     .staying.fd = -1,
				     .queued.fd = -1,
				     .destroying.fd = -1 };
	session->crew.timeline = &session->timeline;
	describe_host(&session->end);
	session->conns = calloc(connections, sizeof(*session->conns));
	session->claimed = calloc(connections, sizeof(*session->claimed));
	int ret = timeline_init(&session->timeline, SIDE_SERVER, connections);

	if (!ret && details)
		ret = timeline_add_details(&session->timeline);
	if (!session->conns || !session->claimed)
		ret = -ENOMEM;
	for (uint32_t i = 0; !ret && i < connections; i++)
		conn_init(&session->conns[i], &session->crew, i);
	if (!ret)
		ret = fill(&session->arriving, connections);
	if (!ret)
		ret = fill(&session->staying, connections);
	if (!ret)
		ret = gate_init(&session->queued, 0);
	if (!ret)
		ret = gate_init(&session->destroying, 0);
	if (ret) {
		log_error("cannot open a session of %u connections: %s", connections,
			  log_errno(ret));
		session_close(session);
	}
	return ret;
}

struct conn *session_claim(struct session *session, uint32_t index, const struct request *request)
{
	if (index >= session->connections) {
		atomic_fetch_add(&session->out_of_range, 1);
		return NULL;
	}
	if (atomic_exchange(&session->claimed[index], true)) {
		atomic_fetch_add(&session->doubles, 1);
		return NULL;
	}
	struct conn *conn = &session->conns[index];

	call_take(conn, request->id);
	conn->letters[MAIL_REQUEST] =
		(struct event){ .at_ns = request->at_ns, .kind = EVENT_CONNECT_REQUEST };
	atomic_fetch_add(&session->requests, 1);
	gate_enter(&session->queued);
	return conn;
}

int session_wait(struct session *session, enum milestone milestone, uint32_t connections,
		 const struct stop *stop, uint64_t deadline_ns)
{
	struct gate *gate =
		milestone == MILESTONE_ESTABLISHED ? &session->arriving : &session->staying;
	uint32_t left = connections < session->connections ? session->connections - connections : 0;

	return gate_wait(gate, left, stop, deadline_ns);
}

uint32_t session_established(const struct session *session)
{
	return session->connections - gate_in_flight(&session->arriving);
}

uint64_t session_activity(const struct session *session)
{
	return (uint64_t)atomic_load(&session->requests) + session_established(session) +
	       session->connections - gate_in_flight(&session->staying);
}

/* While the ids are there. */
static void note_addresses(struct session *session)
{
	struct detail *details = session->timeline.details;

	for (uint32_t i = 0; details && i < session->connections; i++) {
		if (atomic_load(&session->claimed[i]))
			call_note_addresses(&session->conns[i], SIDE_SERVER, &details[i]);
	}
}

void session_destroy(struct session *session, bool timed, enum event_kind waiting)
{
	static const enum step steps[] = { STEP_DESTROY_QP, STEP_DESTROY_ID };

	gate_wait(&session->queued, 0, NULL, NEVER_NS);
	note_addresses(session);
	session->destroys_timed = timed;
	session->waiting = waiting;
	for (size_t s = 0; s < sizeof(steps) / sizeof(*steps); s++) {
		session->destroys = steps[s];
		for (uint32_t i = 0; i < session->connections; i++) {
			if (!atomic_load(&session->claimed[i]))
				continue;
			gate_enter(&session->destroying);
			conn_post(&session->conns[i], MAIL_GO, NULL);
		}
		gate_wait(&session->destroying, 0, NULL, NEVER_NS);
	}
}

int session_figures(const struct session *session, struct round *round)
{
	int ret = round_measure(round, &session->timeline, &session->timeouts);

	round->connected = round->figures[SIDE_SERVER][STEP_ESTABLISH].count;
	round->doubles = atomic_load(&session->doubles);
	round->out_of_range = atomic_load(&session->out_of_range);
	return ret;
}

void session_close(struct session *session)
{
	gate_free(&session->arriving);
	gate_free(&session->staying);
	gate_free(&session->queued);
	gate_free(&session->destroying);
	timeline_free(&session->timeline);
	free(session->conns);
	free(session->claimed);
}
