/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * pair_use - for tests of both ends: a server in a thread of its own, and clients, over the fake
 * and a real control channel on 127.0.0.1, as --loopback has them.
 *
 * One test program includes it once; main calls it.
 */
#ifndef CMTIME_TESTS_PAIR_USE_H
#define CMTIME_TESTS_PAIR_USE_H

#include "run_use.h"

#include "run/client.h"
#include "run/server.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

/* ---- A server. */

struct host {
	struct plan plan;
	struct stop stop;
	struct server *server;
	pthread_t thread;
	int ret; /* server_serve()'s */
	struct reporter reporter;
	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t reported;
	uint32_t reports;
	struct result last;
};

static inline void host_report(void *arg, const struct result *result)
{
	struct host *host = arg;
	json_t *json = result_to_json(result);

	pthread_mutex_lock(&host->lock);
	result_free(&host->last);
	if (!result_from_json(&host->last, json))
		host->reports++;
	pthread_cond_broadcast(&host->reported);
	pthread_mutex_unlock(&host->lock);
	json_decref(json);
}

static inline void *host_serve(void *arg)
{
	struct host *host = arg;

	host->ret = server_serve(host->server);
	return NULL;
}

static inline void host_plan(struct host *host)
{
	*host = (struct host){ .plan = plan_of(100) };
	host->plan.port = 0;
	host->reporter = (struct reporter){ host_report, host };
	pthread_mutex_init(&host->lock, NULL);
	pthread_cond_init(&host->reported, NULL);
	assert_int_equal(stop_init(&host->stop), 0);
}

/* It listens, and serves nobody yet. */
static inline void host_listen(struct host *host)
{
	host->server = calloc(1, sizeof(*host->server));
	assert_non_null(host->server);
	assert_int_equal(
		server_open(host->server, &host->plan, &host->reporter, &host->stop, "127.0.0.1"),
		0);
}

static inline void host_serve_on(struct host *host)
{
	assert_int_equal(pthread_create(&host->thread, NULL, host_serve, host), 0);
}

static inline void host_open(struct host *host)
{
	host_listen(host);
	host_serve_on(host);
}

/* Until that many runs have been reported. */
static inline void host_wait(struct host *host, uint32_t reports)
{
	pthread_mutex_lock(&host->lock);
	while (host->reports < reports)
		pthread_cond_wait(&host->reported, &host->lock);
	pthread_mutex_unlock(&host->lock);
}

/* How its last run ended, once it has ended. */
static inline enum run_end host_end(struct host *host, uint32_t runs)
{
	host_wait(host, runs);
	/* The books are closed right after the report. */
	while (atomic_load(&host->server->runs) < runs)
		sched_yield();
	return (enum run_end)atomic_load(&host->server->last_end);
}

/* Of a server that serves nobody. */
static inline void host_free(struct host *host)
{
	server_close(host->server);
	free(host->server);
	result_free(&host->last);
	stop_free(&host->stop);
	pthread_cond_destroy(&host->reported);
	pthread_mutex_destroy(&host->lock);
}

static inline void host_close(struct host *host)
{
	stop_set(&host->stop, STOP_DONE);
	pthread_join(host->thread, NULL);
	assert_int_equal(host->ret, 0);
	host_free(host);
}

/* ---- A client. */

struct guest {
	struct plan plan;
	struct target target;
	struct observer observer;
	struct stop stop;
	struct result result;
	int ret;
};

static inline void guest_plan(struct guest *guest, struct host *host, uint32_t connections)
{
	*guest = (struct guest){ .plan = plan_of(connections) };
	/* What the test has read of host->last, it has read before this guest makes the next. */
	pthread_mutex_lock(&host->lock);
	pthread_mutex_unlock(&host->lock);
	guest->target.address = server_at(PORT);
	guest->plan.no_control = host->plan.no_control;
	if (!guest->plan.no_control) {
		guest->target.control_host = "127.0.0.1";
		guest->target.control_port = server_port(host->server);
	}
	assert_int_equal(stop_init(&guest->stop), 0);
}

static inline void guest_run(struct guest *guest)
{
	guest->ret = client_run(&guest->plan, &guest->target, &guest->observer, &guest->stop,
				&guest->result);
}

static inline void guest_free(struct guest *guest)
{
	result_free(&guest->result);
	stop_free(&guest->stop);
}

/* ---- What a result says. */

static inline uint32_t count_of(const struct result *result, enum side side, enum step step)
{
	return result->rounds[0].figures[side][step].count;
}

static inline uint32_t failed_in(const struct result *result, enum side side, enum step step)
{
	return ledger_failed(&result->rounds[0].ledger, side, step);
}

static inline const struct ledger_row *row_of(const struct result *result, enum side side,
					      enum step step, enum event_kind event)
{
	const struct ledger *ledger = &result->rounds[0].ledger;

	for (size_t i = 0; i < ledger->n; i++) {
		const struct ledger_row *row = &ledger->rows[i];

		if (row->side == side && row->outcome.step == step && row->outcome.event == event)
			return row;
	}
	return NULL;
}

/* That many failed so, on that side; returns the status of the first. */
static inline int32_t failed_as(const struct result *result, enum side side, uint32_t count,
				enum step step, enum event_kind event)
{
	const struct ledger_row *row = row_of(result, side, step, event);

	assert_non_null(row);
	assert_int_equal(row->count, count);
	return row->outcome.status;
}

/* Whoever did not connect has failed on the way there, and all figures are sound. */
static inline void client_adds_up(const struct result *result)
{
	const struct round *round = &result->rounds[0];
	uint32_t failed = 0;

	for (enum step step = 0; step <= STEP_CONNECT; step++)
		failed += failed_in(result, SIDE_CLIENT, step);
	assert_int_equal(round->connected, count_of(result, SIDE_CLIENT, STEP_CONNECT));
	assert_int_equal(round->connected + failed, result->run.connections);
	for (enum side side = 0; side < SIDES; side++) {
		for (enum step step = 0; step < STEPS; step++)
			figures_are_sound(&round->figures[side][step]);
	}
}

/* All did all, on both sides; the client's result has the server's rows. */
static inline void all_did_all(const struct result *result)
{
	const struct round *round = &result->rounds[0];
	uint32_t n = result->run.connections;

	for (enum side side = 0; side < SIDES; side++) {
		for (enum step step = 0; step < STEPS; step++) {
			if (step_is_of(step, side) && step != STEP_BIND_ADDR)
				assert_int_equal(count_of(result, side, step), n);
		}
	}
	assert_int_equal(round->ledger.n, 0);
	assert_int_equal(round->connected, n);
	assert_int_equal(round->strangers + round->doubles + round->out_of_range, 0);
	client_adds_up(result);
}

#endif
