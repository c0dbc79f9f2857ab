// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A server and its clients without a control channel: where one run ends and the next begins is
 * the server's to find out.
 */
#include "pair_use.h"

#include <sched.h>

enum { N = 100 };

static void *guest_thread(void *guest)
{
	guest_run(guest);
	return NULL;
}

static void anonymous_host_unserved(struct host *host, uint32_t connections)
{
	host_plan(host);
	host->plan.no_control = true;
	host->plan.port = PORT;
	host->plan.connections = connections;
	host_listen(host);
}

static void anonymous_host(struct host *host, uint32_t connections)
{
	anonymous_host_unserved(host, connections);
	host_serve_on(host);
}

static void runs__without_a_control_channel__end_after_as_many_disconnects(void **state)
{
	struct host host;

	(void)state;
	anonymous_host(&host, N);
	for (uint32_t run = 1; run <= 3; run++) {
		struct guest guest;

		guest_plan(&guest, &host, N);
		guest_run(&guest);
		assert_int_equal(guest.ret, 0);
		assert_int_equal(count_of(&guest.result, SIDE_CLIENT, STEP_DESTROY_ID), N);
		assert_int_equal(guest.result.rounds[0].ledger.n, 0);
		client_adds_up(&guest.result);
		guest_free(&guest);
		assert_int_equal(host_end(&host, run), RUN_WELL);
		assert_int_equal(host.last.rounds[0].connected, N);
		assert_int_equal(count_of(&host.last, SIDE_SERVER, STEP_DISCONNECT), N);
		assert_int_equal(count_of(&host.last, SIDE_SERVER, STEP_DESTROY_ID), N);
	}
	host_close(&host);
}

/* The server listens before it has opened its first run: who comes in between waits, and is not
 * turned away. */
static void request__before_the_first_run__is_of_that_run(void **state)
{
	struct guest guest;
	struct host host;
	pthread_t thread;

	(void)state;
	anonymous_host_unserved(&host, N);
	guest_plan(&guest, &host, N);
	assert_int_equal(pthread_create(&thread, NULL, guest_thread, &guest), 0);
	while (!fake_counts().events[FAKE_SERVER][RDMA_CM_EVENT_CONNECT_REQUEST])
		sched_yield();
	host_serve_on(&host);
	pthread_join(thread, NULL);
	assert_int_equal(guest.ret, 0);
	assert_int_equal(count_of(&guest.result, SIDE_CLIENT, STEP_DESTROY_ID), N);
	guest_free(&guest);
	assert_int_equal(host_end(&host, 1), RUN_WELL);
	host_close(&host);
}

/* And who waits for a server that never serves is turned away at its end. */
static void server__that_never_serves__is_closed_all_the_same(void **state)
{
	struct guest guest;
	struct host host;
	pthread_t thread;

	(void)state;
	anonymous_host_unserved(&host, N);
	guest_plan(&guest, &host, 1);
	assert_int_equal(pthread_create(&thread, NULL, guest_thread, &guest), 0);
	while (!fake_counts().events[FAKE_SERVER][RDMA_CM_EVENT_CONNECT_REQUEST])
		sched_yield();
	host_free(&host);
	pthread_join(thread, NULL);
	failed_as(&guest.result, SIDE_CLIENT, 1, STEP_CONNECT, EVENT_REJECTED);
	guest_free(&guest);
}

static void run__of_too_few_without_a_control_channel__ends_once_idle(void **state)
{
	struct guest guest;
	struct host host;

	(void)state;
	host_plan(&host);
	host.plan.no_control = true;
	host.plan.port = PORT;
	host.plan.idle_limit_ns = 500 * NS_PER_MS;
	host_open(&host);
	guest_plan(&guest, &host, N - 40);
	guest_run(&guest);
	assert_int_equal(guest.ret, 0);
	client_adds_up(&guest.result);
	guest_free(&guest);
	assert_int_equal(host_end(&host, 1), RUN_FAILURES);
	assert_int_equal(host.last.rounds[0].connected, N - 40);
	assert_int_equal(count_of(&host.last, SIDE_SERVER, STEP_DISCONNECT), N - 40);
	host_close(&host);
}

/* However long it takes: something goes on. */
static void run__that_is_slow_without_a_control_channel__is_not_idle(void **state)
{
	enum { FEW = 20, LATE_MS = 40, IDLE_MS = 500 };
	struct guest guest;
	struct host host;

	(void)state;
	host_plan(&host);
	host.plan.no_control = true;
	host.plan.port = PORT;
	host.plan.idle_limit_ns = IDLE_MS * NS_PER_MS;
	host_open(&host);
	fake_event_late(FAKE_CLIENT, RDMA_CM_EVENT_ESTABLISHED, FAKE_EACH, LATE_MS * NS_PER_MS);
	fake_event_late(FAKE_CLIENT, RDMA_CM_EVENT_DISCONNECTED, FAKE_EACH, LATE_MS * NS_PER_MS);
	guest_plan(&guest, &host, FEW);
	guest.plan.window = 1;
	guest_run(&guest);
	assert_int_equal(guest.ret, 0);
	host_wait(&host, 1);
	assert_int_equal(host.last.rounds[0].connected, FEW);
	assert_int_equal(count_of(&host.last, SIDE_SERVER, STEP_DISCONNECT), FEW);
	guest_free(&guest);
	host_close(&host);
}

static void run__of_too_many_without_a_control_channel__has_the_rest_rejected(void **state)
{
	struct guest guest;
	struct host host;

	(void)state;
	anonymous_host(&host, N);
	guest_plan(&guest, &host, N + 20);
	guest_run(&guest);
	assert_int_equal(guest.ret, 0);
	assert_int_equal(failed_as(&guest.result, SIDE_CLIENT, 20, STEP_CONNECT, EVENT_REJECTED),
			 28);
	client_adds_up(&guest.result);
	guest_free(&guest);
	host_wait(&host, 1);
	assert_int_equal(host.last.rounds[0].connected, N);
	assert_int_equal(host.last.rounds[0].out_of_range, 20);
	host_close(&host);
}

static void server__without_a_control_channel__ends_after_its_one_run(void **state)
{
	struct guest guest;
	struct host host;

	(void)state;
	host_plan(&host);
	host.plan.no_control = true;
	host.plan.one_off = true;
	host.plan.port = PORT;
	host_open(&host);
	guest_plan(&guest, &host, N);
	guest_run(&guest);
	assert_int_equal(guest.ret, 0);
	guest_free(&guest);
	pthread_join(host.thread, NULL);
	assert_int_equal(host.ret, 0);
	assert_int_equal(host.reports, 1);
	assert_int_equal(pthread_create(&host.thread, NULL, host_serve, &host), 0);
	host_close(&host);
}

static void server__told_to_end_while_idle__reports_nothing(void **state)
{
	struct host host;

	(void)state;
	anonymous_host(&host, N);
	stop_set(&host.stop, STOP_DONE);
	pthread_join(host.thread, NULL);
	assert_int_equal(host.reports, 0);
	assert_false(atomic_load(&host.server->interrupted));
	assert_int_equal(pthread_create(&host.thread, NULL, host_serve, &host), 0);
	host_close(&host);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RUN_TEST(runs__without_a_control_channel__end_after_as_many_disconnects),
		RUN_TEST(request__before_the_first_run__is_of_that_run),
		RUN_TEST(server__that_never_serves__is_closed_all_the_same),
		RUN_TEST(run__of_too_few_without_a_control_channel__ends_once_idle),
		RUN_TEST(run__that_is_slow_without_a_control_channel__is_not_idle),
		RUN_TEST(run__of_too_many_without_a_control_channel__has_the_rest_rejected),
		RUN_TEST(server__without_a_control_channel__ends_after_its_one_run),
		RUN_TEST(server__told_to_end_while_idle__reports_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
