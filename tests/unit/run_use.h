/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * run_use - for tests of run/: a client's trip through the engine over the fake, and what must hold
 * after any.
 *
 * One test program includes it once; its main thread calls it. A test that hangs is ended by a
 * signal.
 */
#ifndef CMTIME_TESTS_RUN_USE_H
#define CMTIME_TESTS_RUN_USE_H

#include "fake_use.h"

#include "core/plan.h"
#include "core/result.h"
#include "core/stats.h"
#include "core/timeline.h"
#include "host/clock.h"
#include "host/stop.h"
#include "run/engine.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <unistd.h>

enum { HANG_S = 100 };

static inline int run_setup(void **state)
{
	alarm(HANG_S);
	return fake_setup(state);
}

static inline int run_teardown(void **state)
{
	alarm(0);
	return fake_teardown(state);
}

/* Descriptors of this process. */
static inline int fds_open(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int n = 0;

	assert_non_null(dir);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

#define RUN_TEST(name) cmocka_unit_test_setup_teardown(name, run_setup, run_teardown)

static inline struct plan plan_of(uint32_t connections)
{
	return (struct plan){
		.port = PORT,
		.connections = connections,
		.retries = 2,
		.timeout_ms = 2000,
		.threads = 1,
		.acceptors = 1,
		.window = 64,
		.listeners = 1,
		.rounds = 1,
		.reap = REAP_CONCURRENT,
		.step_timeout_ns = 60 * NS_PER_S,
		.idle_limit_ns = 60 * NS_PER_S,
	};
}

static inline struct sockaddr_storage server_at(uint16_t port)
{
	struct sockaddr_storage address = { 0 };
	struct sockaddr_in *in = (struct sockaddr_in *)&address;

	in->sin_family = AF_INET;
	in->sin_port = htons(port);
	in->sin_addr.s_addr = htonl(0x0a000001);
	return address;
}

/* A client without a control channel, to a server elsewhere that accepts whatever comes. */
struct trip {
	struct plan plan;
	struct call_setup setup;
	struct observer observer;
	struct stop stop;
	struct engine engine;
	struct timeline timeline;
	int ret;    /* of the last leg */
	size_t leg; /* the last leg that was begun, from 1 */
	struct leg legs[PLAN_LEGS];
	size_t n_legs;
};

static inline void trip_plan(struct trip *trip, uint32_t connections)
{
	*trip = (struct trip){ .plan = plan_of(connections) };
	trip->setup.destination = server_at(PORT);
	trip->setup.ports[0] = PORT;
	trip->setup.n_ports = 1;
	fake_remote_accepts(PORT);
	assert_int_equal(stop_init(&trip->stop), 0);
}

static inline void trip_open(struct trip *trip)
{
	trip->n_legs = plan_legs(&trip->plan, trip->legs);
	assert_int_equal(
		engine_open(&trip->engine, &trip->plan, &trip->setup, &trip->observer, &trip->stop),
		0);
}

/* Up to that step, and through it. */
static inline void trip_until(struct trip *trip, enum step last)
{
	while (!trip->ret && trip->leg < trip->n_legs && trip->legs[trip->leg].last <= last) {
		trip->ret = engine_run(&trip->engine, &trip->legs[trip->leg++]);
		assert_int_equal(gate_in_flight(&trip->engine.gate), 0);
	}
}

static inline void trip_close(struct trip *trip)
{
	engine_close(&trip->engine, &trip->timeline);
}

static inline void trip_free(struct trip *trip)
{
	timeline_free(&trip->timeline);
	stop_free(&trip->stop);
}

static inline void trip_make(struct trip *trip)
{
	trip_open(trip);
	trip_until(trip, STEP_DESTROY_ID);
	trip_close(trip);
}

static inline uint32_t trip_done(const struct trip *trip, enum step step)
{
	struct figures figures;

	assert_int_equal(figures_of(&figures, &trip->timeline, step), 0);
	return figures.count;
}

static inline struct ledger trip_ledger(const struct trip *trip)
{
	struct ledger ledger = { 0 };

	for (uint32_t i = 0; i < trip->plan.connections; i++)
		assert_int_equal(ledger_add(&ledger, SIDE_CLIENT, &trip->timeline.outcomes[i], i),
				 0);
	return ledger;
}

/* The one row that there is. */
static inline void trip_failed_as(const struct trip *trip, uint32_t count, enum step step,
				  enum event_kind event, int32_t status)
{
	struct ledger ledger = trip_ledger(trip);

	assert_int_equal(ledger.n, 1);
	assert_int_equal(ledger.rows[0].count, count);
	assert_string_equal(step_name(ledger.rows[0].outcome.step), step_name(step));
	assert_string_equal(event_kind_name(ledger.rows[0].outcome.event), event_kind_name(event));
	assert_int_equal(ledger.rows[0].outcome.status, status);
	ledger_free(&ledger);
}

/* min <= mean <= max, and the sum is the mean times the count within the mean's rounding. */
static inline void figures_are_sound(const struct figures *f)
{
	if (!f->count)
		return;
	assert_true(f->min_ns <= f->mean_ns && f->mean_ns <= f->max_ns);
	assert_true(f->min_ns <= f->p50_ns && f->p50_ns <= f->p99_ns && f->p99_ns <= f->max_ns);
	assert_true(f->max_ns <= f->total_ns);
	uint64_t product = f->mean_ns * f->count,
		 off = f->sum_ns > product ? f->sum_ns - product : product - f->sum_ns;

	assert_true(2 * off <= f->count);
}

/*
 * What must hold of any trip: each connection has passed every step, or has one outcome and no
 * figure behind it; in a trip that was cut, whoever has no outcome had passed the leg that was
 * under way.
 */
static inline void trip_adds_up(const struct trip *trip)
{
	const struct timeline *timeline = &trip->timeline;
	size_t passed = trip->leg;

	for (uint32_t i = 0; i < trip->plan.connections; i++) {
		const struct outcome *outcome = &timeline->outcomes[i];
		bool failed = outcome->event != EVENT_NONE;

		for (size_t l = 0; l < trip->n_legs; l++) {
			enum step step = trip->legs[l].last;
			bool done = span_done(timeline_span(timeline, step, i));

			if (!failed)
				assert_int_equal(done, l < passed);
			else if (step < outcome->step)
				assert_true(done);
			else if (step > outcome->step)
				assert_false(done);
		}
	}
	for (enum step step = 0; step < STEPS; step++) {
		struct figures figures;

		if (!step_is_of(step, SIDE_CLIENT))
			continue;
		assert_int_equal(figures_of(&figures, timeline, step), 0);
		figures_are_sound(&figures);
	}
}

#endif
