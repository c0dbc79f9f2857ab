// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * reapers - what more reapers bring where moving a QP takes the firmware's time: 2,000 connects
 *over the fake librdmacm, whose rdma_get_cm_event(3) sleeps 200 us for the move, as the real one
 *spends it in the reading thread.
 *
 *	make bench/reapers && bench/reapers
 *
 * Prints the median of five rates for each number of reapers, and of one reaper for a few windows.
 */
#include "core/plan.h"
#include "core/stats.h"
#include "core/timeline.h"
#include "fake.h"
#include "host/clock.h"
#include "host/stop.h"
#include "run/engine.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>

enum { CONNECTIONS = 2000, MOVE_US = 200, ROUNDS = 5, PORT = 7471 };

/* Connects a second; 0: it went wrong. */
static double connect_rate(uint32_t threads, uint32_t window)
{
	const struct plan plan = { .port = PORT,
				   .connections = CONNECTIONS,
				   .timeout_ms = 2000,
				   .threads = threads,
				   .acceptors = 1,
				   .window = window,
				   .step_timeout_ns = 60 * NS_PER_S };
	struct call_setup setup = { .ports = { PORT }, .n_ports = 1 };
	struct sockaddr_in *to = (struct sockaddr_in *)&setup.destination;
	const struct observer observer = { 0 };
	struct figures connect = { 0 };
	struct timeline timeline;
	struct engine engine;
	struct leg legs[PLAN_LEGS];
	struct stop stop;

	*to = (struct sockaddr_in){ .sin_family = AF_INET, .sin_addr.s_addr = htonl(0x0a000001) };
	fake_reset();
	fake_config.modify_qp_ns = MOVE_US * NS_PER_US;
	fake_remote_accepts(PORT);
	if (stop_init(&stop) || engine_open(&engine, &plan, &setup, &observer, &stop))
		return 0;
	for (size_t i = 0, n = plan_legs(&plan, legs); i < n; i++)
		engine_run(&engine, &legs[i]);
	engine_close(&engine, &timeline);
	figures_of(&connect, &timeline, STEP_CONNECT);
	timeline_free(&timeline);
	stop_free(&stop);
	return connect.count == CONNECTIONS ? figures_per_second(&connect) : 0;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void print_median(uint32_t threads, uint32_t window)
{
	double rates[ROUNDS];

	for (int i = 0; i < ROUNDS; i++)
		rates[i] = connect_rate(threads, window);
	qsort(rates, ROUNDS, sizeof(*rates), compare);
	printf("%2u reapers, window %3u: %6.0f connects/s (%.0f to %.0f)\n", threads, window,
	       rates[ROUNDS / 2], rates[0], rates[ROUNDS - 1]);
}

int main(void)
{
	static const uint32_t threads[] = { 1, 2, 4, 8, 16 }, windows[] = { 1, 4, 16, 256 };

	for (size_t i = 0; i < sizeof(threads) / sizeof(*threads); i++)
		print_median(threads[i], 64);
	for (size_t i = 0; i < sizeof(windows) / sizeof(*windows); i++)
		print_median(1, windows[i]);
	return 0;
}
