// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * engine - what a mail means to a client's connection (upper half, any owner), and how main takes
 * all connections through a leg (lower half).
 */
#include "run/engine.h"

#include "host/clock.h"
#include "host/log.h"
#include "host/stop.h"

#include <errno.h>
#include <stdlib.h>

static struct engine *engine_of(const struct conn *conn)
{
	return (struct engine *)conn->crew;
}

static struct channel *channel_of(struct engine *engine, uint32_t index)
{
	return engine->n_reapers ? &engine->reapers[index % engine->n_reapers].channel
				 : &engine->inlined;
}

static bool is_cut(struct engine *engine)
{
	return atomic_load_explicit(&engine->cut, memory_order_relaxed);
}

/* The connection's part in the leg is over. */
static void leave(struct engine *engine, struct conn *conn)
{
	conn->awaiting = STEPS;
	gate_leave(&engine->gate);
}

static void fail_and_leave(struct engine *engine, struct conn *conn, enum step step,
			   const struct event *event)
{
	conn_fail(conn, step, event->kind, event->status);
	atomic_fetch_add_explicit(&engine->failed, 1, memory_order_relaxed);
	leave(engine, conn);
}

static enum call_state issue(struct engine *engine, struct conn *conn, enum step step,
			     int32_t *status)
{
	conn->awaiting = step;
	return call_begin(conn, step, &engine->setup, channel_of(engine, conn->index), status);
}

/* From step on, to the end of the leg or until an event is due. */
static void go_on(struct engine *engine, struct conn *conn, enum step step)
{
	for (;; step = step_after(step)) {
		struct span *span = conn_span(conn, step);
		struct event failure = { .kind = EVENT_CALL };

		conn->tries = 1;
		span->begin_ns = clock_now_ns();
		enum call_state state = issue(engine, conn, step, &failure.status);

		if (state == CALL_EVENT_DUE)
			return;
		if (state == CALL_FAILED) {
			fail_and_leave(engine, conn, step, &failure);
			return;
		}
		span->end_ns = clock_now_ns();
		if (step == engine->leg.last) {
			leave(engine, conn);
			return;
		}
	}
}

static void begin_leg(struct engine *engine, struct conn *conn)
{
	enum step first = engine->leg.first;
	bool destroys = first == STEP_DESTROY_QP || first == STEP_DESTROY_ID;

	if (!destroys && conn->lost.kind != EVENT_NONE && !conn_failed(conn)) {
		fail_and_leave(engine, conn, first, &conn->lost);
		return;
	}
	if (!conn_failed(conn) && !is_cut(engine)) {
		go_on(engine, conn, first);
		return;
	}
	/* A failed connection takes no more steps; what it holds is destroyed with the others', but
	 * not timed. */
	if (first == STEP_DESTROY_QP)
		call_destroy_qp(conn);
	if (first == STEP_DESTROY_ID)
		call_destroy_id(conn);
	leave(engine, conn);
}

static void answered(struct engine *engine, struct conn *conn, const struct event *event)
{
	enum step step = conn->awaiting;

	conn_span(conn, step)->end_ns = event->at_ns;
	conn->awaiting = STEPS;
	if (step == engine->leg.last)
		leave(engine, conn);
	else
		go_on(engine, conn, step_after(step));
}

/* Address and route resolution are tried again, to the same destination, in the time of the same
 * step. */
static void refused(struct engine *engine, struct conn *conn, const struct event *event)
{
	enum step step = conn->awaiting;
	struct event failure = { .kind = EVENT_CALL };

	if ((event->kind == EVENT_ADDR_ERROR || event->kind == EVENT_ROUTE_ERROR) &&
	    conn->tries <= engine->plan->retries && !is_cut(engine)) {
		conn->tries++;
		conn_count_tries(conn);
		if (issue(engine, conn, step, &failure.status) == CALL_EVENT_DUE)
			return;
		event = &failure;
	}
	fail_and_leave(engine, conn, step, event);
}

/* What came while nothing of its kind was awaited. */
static void unasked(struct conn *conn, const struct event *event)
{
	bool breaks = event->kind == EVENT_DISCONNECTED || event->kind == EVENT_DEVICE_REMOVAL;

	if (breaks && conn->lost.kind == EVENT_NONE)
		conn->lost = *event;
}

/*
 * Read before the step's call, posted after it: no answer. The peer's DISCONNECTED is the last that
 * is heard of a connection, though: our own call was then the reply to it.
 */
static void crossed(struct engine *engine, struct conn *conn, const struct event *event)
{
	if (event->kind == EVENT_DISCONNECTED || event->kind == EVENT_DEVICE_REMOVAL)
		fail_and_leave(engine, conn, conn->awaiting, event);
}

static void heard(struct engine *engine, struct conn *conn, const struct event *event)
{
	static const struct {
		enum event_kind good;
		bool is_bad[EVENT_KINDS];
	} answers[STEPS] = {
		[STEP_RESOLVE_ADDR] = { EVENT_ADDR_RESOLVED, { [EVENT_ADDR_ERROR] = true } },
		[STEP_RESOLVE_ROUTE] = { EVENT_ROUTE_RESOLVED, { [EVENT_ROUTE_ERROR] = true } },
		[STEP_CONNECT] = { EVENT_ESTABLISHED,
				   { [EVENT_CONNECT_ERROR] = true,
				     [EVENT_UNREACHABLE] = true,
				     [EVENT_REJECTED] = true,
				     [EVENT_DISCONNECTED] = true } },
		[STEP_DISCONNECT] = { EVENT_DISCONNECTED, { false } },
	};
	enum step step = conn->awaiting;

	if (step == STEPS)
		unasked(conn, event);
	else if (event->at_ns < conn_span(conn, step)->begin_ns)
		crossed(engine, conn, event);
	else if (event->kind == answers[step].good && !event->status)
		answered(engine, conn, event);
	else if (event->kind == answers[step].good || answers[step].is_bad[event->kind] ||
		 event->kind == EVENT_DEVICE_REMOVAL)
		refused(engine, conn, event);
}

/* Main says: the run is cut, or your time may be up. */
static void overdue(struct engine *engine, struct conn *conn)
{
	enum step step = conn->awaiting;
	struct event given_up = { .kind = is_cut(engine) ? EVENT_ABORTED : EVENT_TIMEOUT };

	if (step == STEPS)
		return;
	if (is_cut(engine) ||
	    clock_now_ns() - conn_span(conn, step)->begin_ns >= engine->plan->step_timeout_ns)
		fail_and_leave(engine, conn, step, &given_up);
}

static void act(struct conn *conn, enum mail mail, const struct event *event)
{
	struct engine *engine = engine_of(conn);

	switch (mail) {
	case MAIL_GO:
		begin_leg(engine, conn);
		break;
	case MAIL_OVERDUE:
		overdue(engine, conn);
		break;
	default:
		heard(engine, conn, event);
		break;
	}
}

/* ---- main's half ---- */

enum { TICK_MS = 100, DRAW_EVERY = 256 };

static uint64_t next_tick_ns(const struct engine *engine)
{
	uint64_t tick_ns = TICK_MS * NS_PER_MS, quarter_ns = engine->plan->step_timeout_ns / 4;

	if (quarter_ns < tick_ns)
		tick_ns = quarter_ns > NS_PER_MS ? quarter_ns : NS_PER_MS;
	return clock_deadline_ns(tick_ns);
}

/* At each tick of a wait: shows progress, and asks those that may be overdue. */
static void look_after(struct engine *engine, uint32_t issued, uint64_t leg_began_ns)
{
	if (engine->observer->update) {
		uint32_t in_flight = gate_in_flight(&engine->gate);

		engine->observer->update(
			engine->observer->arg, engine->leg.first, issued - in_flight,
			engine->plan->connections,
			atomic_load_explicit(&engine->failed, memory_order_relaxed), in_flight);
	}
	uint64_t now_ns = clock_now_ns(), patience_ns = engine->plan->step_timeout_ns;

	if (now_ns - leg_began_ns < patience_ns || now_ns - engine->swept_ns < patience_ns / 4)
		return;
	engine->swept_ns = now_ns;
	for (uint32_t i = 0; i < issued; i++)
		conn_post(&engine->conns[i], MAIL_OVERDUE, NULL);
}

static int wait_inline(struct engine *engine, uint32_t in_flight, uint64_t deadline_ns)
{
	int ret = 0;

	while (!ret && gate_in_flight(&engine->gate) > in_flight) {
		ret = channel_serve(&engine->inlined);
		if (ret == -EAGAIN)
			ret = channel_wait(&engine->inlined, engine->stop, deadline_ns);
		if (ret == -EINTR)
			ret = 0;
	}
	return ret;
}

/* Until at most in_flight are in flight. 0 or -ECANCELED. */
static int await(struct engine *engine, uint32_t in_flight, uint32_t issued, uint64_t leg_began_ns)
{
	for (;;) {
		uint64_t tick_ns = next_tick_ns(engine);
		int ret = engine->n_reapers
				  ? gate_wait(&engine->gate, in_flight, engine->stop, tick_ns)
				  : wait_inline(engine, in_flight, tick_ns);
		if (ret != -ETIMEDOUT)
			return ret;
		look_after(engine, issued, leg_began_ns);
	}
}

static int issue_all(struct engine *engine, uint64_t leg_began_ns)
{
	for (uint32_t i = 0; i < engine->plan->connections; i++) {
		if (stop_reason(engine->stop) != STOP_NONE)
			return -ECANCELED;
		if (!gate_enter(&engine->gate)) {
			int ret = await(engine, gate_low(&engine->gate), i, leg_began_ns);

			if (ret)
				return ret;
			gate_enter(&engine->gate);
		}
		conn_post(&engine->conns[i], MAIL_GO, NULL);
		/* Takes what has come by now. */
		while (!engine->n_reapers && gate_in_flight(&engine->gate) &&
		       !channel_serve(&engine->inlined))
			;
		if (i % DRAW_EVERY == 0 && engine->observer->update)
			look_after(engine, i + 1, leg_began_ns);
	}
	return 0;
}

/*
 * Every connection ends the leg where it stands. Reapers may still be in a call; they leave when it
 * returns. Those that had not begun are recorded by main, now that none is in flight: their owners,
 * if any, may read the mail much later.
 */
static void cut_short(struct engine *engine)
{
	atomic_store_explicit(&engine->cut, true, memory_order_relaxed);
	for (uint32_t i = 0; i < engine->plan->connections; i++)
		conn_post(&engine->conns[i], MAIL_OVERDUE, NULL);
	gate_wait(&engine->gate, 0, NULL, NEVER_NS);
	engine_cut(engine, &engine->leg);
}

void engine_cut(struct engine *engine, const struct leg *leg)
{
	atomic_store_explicit(&engine->cut, true, memory_order_relaxed);
	for (uint32_t i = 0; i < engine->plan->connections; i++) {
		if (!span_done(timeline_span(&engine->timeline, leg->last, i)))
			conn_fail(&engine->conns[i], leg->first, EVENT_ABORTED, 0);
	}
}

/* While the ids are there, and nothing is in flight. */
static void note_addresses(struct engine *engine)
{
	struct detail *details = engine->timeline.details;

	for (uint32_t i = 0; details && i < engine->plan->connections; i++)
		call_note_addresses(&engine->conns[i], SIDE_CLIENT, &details[i]);
}

int engine_run(struct engine *engine, const struct leg *leg)
{
	bool hold = engine->plan->reap == REAP_DEFERRED;
	uint64_t began_ns = clock_now_ns();

	engine->leg = *leg;
	if (leg->first == STEP_DESTROY_QP)
		note_addresses(engine);
	for (uint32_t r = 0; hold && r < engine->n_reapers; r++)
		reaper_hold(&engine->reapers[r]);
	int ret = issue_all(engine, began_ns);

	for (uint32_t r = 0; hold && r < engine->n_reapers; r++)
		reaper_release(&engine->reapers[r]);
	if (!ret)
		ret = await(engine, 0, engine->plan->connections, began_ns);
	if (ret)
		cut_short(engine);
	return ret;
}

struct rdma_cm_id *engine_some_id(const struct engine *engine)
{
	for (uint32_t i = 0; i < engine->plan->connections; i++) {
		if (span_done(timeline_span(&engine->timeline, STEP_RESOLVE_ADDR, i)))
			return engine->conns[i].id;
	}
	return NULL;
}

void engine_prepare(struct engine *engine, struct rdma_cm_id *id)
{
	call_prepare(id, &engine->devices);
}

/* ---- beginning and end ---- */

static int start_reapers(struct engine *engine)
{
	if (engine->plan->reap == REAP_INLINE) {
		int ret = channel_open(&engine->inlined, NULL, NULL);

		return ret ? ret : channel_set_nonblocking(&engine->inlined);
	}
	engine->reapers = calloc(engine->plan->threads, sizeof(*engine->reapers));
	if (!engine->reapers) {
		log_error("out of memory for %u reapers", engine->plan->threads);
		return -ENOMEM;
	}
	while (engine->n_reapers < engine->plan->threads) {
		int ret = reaper_start(&engine->reapers[engine->n_reapers],
				       engine->plan->reap == REAP_DEFERRED, NULL, NULL);

		if (ret)
			return ret;
		engine->n_reapers++;
	}
	return 0;
}

static void release(struct engine *engine)
{
	for (uint32_t r = 0; r < engine->n_reapers; r++)
		reaper_close(&engine->reapers[r]);
	channel_close(&engine->inlined);
	free(engine->reapers);
	devices_close(&engine->devices);
	gate_free(&engine->gate);
	free(engine->conns);
}

int engine_open(struct engine *engine, const struct plan *plan, const struct call_setup *setup,
		const struct observer *observer, struct stop *stop)
{
	*engine = (struct engine){ .crew.act = act,
				   .plan = plan,
				   .observer = observer,
				   .stop = stop,
				   .setup = *setup,
				   .gate.fd = -1 };
	engine->setup.devices = &engine->devices;
	engine->setup.timeout_ms = (int)plan->timeout_ms;
	engine->crew.timeline = &engine->timeline;
	int ret = devices_init(&engine->devices);

	if (ret)
		return ret;
	ret = timeline_init(&engine->timeline, SIDE_CLIENT, plan->connections);
	if (!ret && plan_wants_details(plan))
		ret = timeline_add_details(&engine->timeline);
	engine->conns = calloc(plan->connections, sizeof(*engine->conns));
	if (ret || !engine->conns) {
		log_error("out of memory for %u connections", plan->connections);
		ret = -ENOMEM;
		goto fail;
	}
	for (uint32_t i = 0; i < plan->connections; i++)
		conn_init(&engine->conns[i], &engine->crew, i);
	ret = gate_init(&engine->gate, plan->window);
	if (!ret)
		ret = start_reapers(engine);
	if (!ret)
		return 0;
fail:
	release(engine);
	timeline_free(&engine->timeline);
	return ret;
}

void engine_close(struct engine *engine, struct timeline *timeline)
{
	static const enum step left[] = { STEP_DESTROY_QP, STEP_DESTROY_ID };

	atomic_store_explicit(&engine->cut, true, memory_order_relaxed);
	note_addresses(engine);
	for (size_t s = 0; s < sizeof(left) / sizeof(*left); s++) {
		engine->leg = (struct leg){ .first = left[s], .last = left[s] };
		for (uint32_t i = 0; i < engine->plan->connections; i++) {
			while (!gate_enter(&engine->gate))
				gate_wait(&engine->gate, gate_low(&engine->gate), NULL, NEVER_NS);
			conn_post(&engine->conns[i], MAIL_GO, NULL);
		}
		gate_wait(&engine->gate, 0, NULL, NEVER_NS);
	}
	*timeline = engine->timeline;
	release(engine);
}
