// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A server and its clients, run after run: exact counts on both sides, and nobody waits for whoever
 * has gone. */
#include "pair_use.h"

#include "control/control.h"
#include "control/protocol.h"

#include <sched.h>
#include <string.h>

enum { N = 100 };

static void run_well(struct host *host, uint32_t connections)
{
	struct guest guest;

	guest_plan(&guest, host, connections);
	guest.plan.threads = 2;
	guest_run(&guest);
	assert_int_equal(guest.ret, 0);
	all_did_all(&guest.result);
	guest_free(&guest);
}

static void run__of_100_connections__counts_100_on_both_sides(void **state)
{
	struct host host;

	(void)state;
	host_plan(&host);
	host_open(&host);
	run_well(&host, N);
	assert_int_equal(host_end(&host, 1), RUN_WELL);
	/* The server's own report: its side alone. */
	assert_int_equal(host.last.run.reported_by, SIDE_SERVER);
	assert_int_equal(host.last.run.connections, N);
	assert_int_equal(host.last.rounds[0].connected, N);
	assert_int_equal(count_of(&host.last, SIDE_SERVER, STEP_ACCEPT), N);
	assert_int_equal(count_of(&host.last, SIDE_SERVER, STEP_DESTROY_ID), N);
	assert_int_equal(count_of(&host.last, SIDE_CLIENT, STEP_CONNECT), 0);
	host_close(&host);
}

static void run__of_2000_connections__counts_2000_on_both_sides(void **state)
{
	struct host host;

	(void)state;
	host_plan(&host);
	host.plan.acceptors = 2;
	host.plan.listeners = 2;
	host_open(&host);
	run_well(&host, 2000);
	host_close(&host);
}

/* Eight reapers, four acceptors, two listeners, and events nobody asked for. */
static void threads__of_every_kind__count_exactly_what_was_done(void **state)
{
	static const uint32_t windows[] = { 64, 1000 };

	(void)state;
	for (size_t w = 0; w < 2; w++) {
		struct guest guest;
		struct host host;

		fake_reset();
		host_plan(&host);
		host.plan.acceptors = 4;
		host.plan.listeners = 2;
		host_open(&host);
		fake_config.timewait_ns = NS_PER_MS;
		fake_event_follow(FAKE_CLIENT, RDMA_CM_EVENT_DISCONNECTED, FAKE_EVERY(7),
				  RDMA_CM_EVENT_DEVICE_REMOVAL, 0, 0);
		guest_plan(&guest, &host, 5000);
		guest.plan.threads = 8;
		guest.plan.window = windows[w];
		guest_run(&guest);
		assert_int_equal(guest.ret, 0);
		all_did_all(&guest.result);
		guest_free(&guest);
		host_close(&host);
		assert_int_equal(fake_check(), 0);
	}
}

static void run__of_one_connection__has_it_all(void **state)
{
	struct host host;

	(void)state;
	host_plan(&host);
	host_open(&host);
	run_well(&host, 1);
	host_close(&host);
}

static void server__of_any_number_of_acceptors_and_listeners__accepts_all(void **state)
{
	static const uint32_t acceptors[] = { 1, 2, 4 }, listeners[] = { 1, 3 };

	(void)state;
	for (size_t a = 0; a < 3; a++) {
		for (size_t l = 0; l < 2; l++) {
			struct host host;

			fake_reset();
			host_plan(&host);
			host.plan.acceptors = acceptors[a];
			host.plan.listeners = listeners[l];
			host_open(&host);
			assert_int_equal(host.server->n_listeners, listeners[l]);
			run_well(&host, N);
			host_close(&host);
			assert_int_equal(fake_check(), 0);
			assert_int_equal(fake_counts().calls[FAKE_RDMA_ACCEPT], N);
			assert_int_equal(fake_counts().calls[FAKE_RDMA_LISTEN], listeners[l]);
		}
	}
}

static void runs__one_after_the_other__are_each_counted_for_itself(void **state)
{
	struct host host;

	(void)state;
	host_plan(&host);
	host.plan.acceptors = 2;
	host_open(&host);
	for (uint32_t run = 1; run <= 3; run++) {
		run_well(&host, N * run);
		assert_int_equal(host_end(&host, run), RUN_WELL);
		assert_int_equal(host.last.rounds[0].connected, N * run);
	}
	host_close(&host);
	assert_int_equal(fake_counts().ids.made, fake_counts().ids.freed);
}

/* ---- Clients at the same time. */

static void *guest_thread(void *guest)
{
	guest_run(guest);
	return NULL;
}

static void clients__at_the_same_time__get_only_what_is_theirs(void **state)
{
	enum { CLIENTS = 4 };
	struct guest guests[CLIENTS];
	pthread_t threads[CLIENTS];
	struct host host;

	(void)state;
	host_plan(&host);
	host.plan.acceptors = 2;
	host_open(&host);
	for (uint32_t i = 0; i < CLIENTS; i++) {
		guest_plan(&guests[i], &host, N + i);
		assert_int_equal(pthread_create(&threads[i], NULL, guest_thread, &guests[i]), 0);
	}
	for (int i = 0; i < CLIENTS; i++) {
		pthread_join(threads[i], NULL);
		assert_int_equal(guests[i].ret, 0);
		all_did_all(&guests[i].result);
		guest_free(&guests[i]);
	}
	host_end(&host, CLIENTS);
	host_close(&host);
}

static void server__for_one_run__ends_by_itself(void **state)
{
	struct host host;

	(void)state;
	host_plan(&host);
	host.plan.one_off = true;
	host_open(&host);
	run_well(&host, N);
	pthread_join(host.thread, NULL);
	assert_int_equal(host.ret, 0);
	assert_int_equal(atomic_load(&host.server->runs), 1);
	assert_int_equal(pthread_create(&host.thread, NULL, host_serve, &host), 0);
	host_close(&host);
}

/* ---- One end goes in the midst of it. */

static struct {
	struct stop *stop;
	enum step step;
	uint32_t in_flight;
} moment;

static void stop_at_the_moment(void *arg, enum step step, uint32_t done, uint32_t of,
			       uint32_t failed, uint32_t in_flight)
{
	(void)arg;
	(void)failed;
	if (step == moment.step && in_flight == moment.in_flight && done + in_flight == of)
		stop_set(moment.stop, STOP_DONE);
}

/* Half of the client's events of a kind get lost; then the stop is set, which is the server's or
 * the client's own. */
static const struct {
	enum rdma_cm_event_type lost;
	enum step step;
} moments[] = {
	{ RDMA_CM_EVENT_ADDR_RESOLVED, STEP_RESOLVE_ADDR },
	{ RDMA_CM_EVENT_ROUTE_RESOLVED, STEP_RESOLVE_ROUTE },
	{ RDMA_CM_EVENT_ESTABLISHED, STEP_CONNECT },
	{ RDMA_CM_EVENT_DISCONNECTED, STEP_DISCONNECT },
};

enum { MOMENTS = sizeof(moments) / sizeof(*moments) };

static void guest_run_until(struct guest *guest, struct stop *stop, int m)
{
	guest->plan.window = WINDOW_UNLIMITED;
	guest->plan.threads = 2;
	guest->observer.update = stop_at_the_moment;
	moment.stop = stop;
	moment.step = moments[m].step;
	moment.in_flight = guest->plan.connections / 2;
	fake_event_drop(FAKE_CLIENT, moments[m].lost, FAKE_EVERY(2));
	guest_run(guest);
}

/* Half had ended the step, and could not begin the next. (A server that goes may still reject who
 * was in flight.) */
static void cut_in_half(const struct guest *guest, int m)
{
	enum step step = moments[m].step;

	assert_int_equal(guest->ret, -ECANCELED);
	assert_int_equal(count_of(&guest->result, SIDE_CLIENT, step), N / 2);
	assert_int_equal(failed_in(&guest->result, SIDE_CLIENT, step), N / 2);
	assert_int_equal(failed_in(&guest->result, SIDE_CLIENT, step_after(step)), N / 2);
	client_adds_up(&guest->result);
}

static void server__that_goes_in_the_midst__leaves_the_client_what_it_measured(void **state)
{
	(void)state;
	for (int m = 0; m < MOMENTS; m++) {
		struct guest guest;
		struct host host;

		fake_reset();
		host_plan(&host);
		host_open(&host);
		guest_plan(&guest, &host, N);
		guest_run_until(&guest, &host.stop, m);
		cut_in_half(&guest, m);
		assert_int_equal(stop_reason(&guest.stop), STOP_PEER_LOST);
		assert_int_equal(host_end(&host, 1), RUN_INTERRUPTED);
		host_close(&host);
		guest_free(&guest);
		assert_int_equal(fake_check(), 0);
	}
}

static void client__that_goes_in_the_midst__ends_its_session_and_the_next_is_served(void **state)
{
	(void)state;
	for (int m = 0; m < MOMENTS; m++) {
		struct guest guest;
		struct host host;

		fake_reset();
		host_plan(&host);
		host.plan.acceptors = 2;
		host_open(&host);
		guest_plan(&guest, &host, N);
		guest_run_until(&guest, &guest.stop, m);
		cut_in_half(&guest, m);
		failed_as(&guest.result, SIDE_CLIENT, N / 2, moments[m].step, EVENT_ABORTED);
		guest_free(&guest);
		assert_int_equal(host_end(&host, 1), RUN_LOST);
		/* The script is still at work: a run of one is not every other. */
		guest_plan(&guest, &host, 1);
		guest_run(&guest);
		assert_int_equal(guest.ret, 0);
		all_did_all(&guest.result);
		guest_free(&guest);
		assert_int_equal(host_end(&host, 2), RUN_WELL);
		host_close(&host);
		assert_int_equal(fake_check(), 0);
	}
}

/* A server that keeps the client's company only so far: it answers that many messages, and says
 * bye, or nothing. */
struct fickle {
	struct control_listener *listener;
	uint32_t answers;
	struct observer observer; /* of the client, which wants samples if it has one */
};

/* What it has to say to the client's message number i, from 0: the answer, three times ready, its
 * result. */
static json_t *fickle_words(uint32_t i)
{
	struct answer answer = { .version = "0",
				 .host = "fickle",
				 .threads = 1,
				 .listeners = 1,
				 .n_ports = 1,
				 .ports = { PORT } };
	struct barrier barrier = { .at = BARRIER_CONNECT };
	struct result result;
	json_t *json;

	if (!i)
		return answer_to_json(&answer);
	if (i <= BARRIERS) {
		barrier.at += i - 1;
		return ready_to_json(&barrier);
	}
	if (result_init(&result, 1))
		return NULL;
	json = result_message_to_json(result_to_json(&result));
	result_free(&result);
	return json;
}

static void *be_fickle(void *arg)
{
	struct fickle *fickle = arg;
	struct control *control;
	struct stop stop;
	json_t *message;
	int fd;

	stop_init(&stop);
	if (control_accept(fickle->listener, NULL, NEVER_NS, &fd) ||
	    control_adopt(fd, &stop, NULL, &control))
		return arg;
	for (uint32_t i = 0; i <= fickle->answers; i++) {
		if (control_receive(control, NULL, clock_deadline_ns(60 * NS_PER_S), &message))
			break;
		json_decref(message);
		if (i == fickle->answers)
			break;
		control_send(control, fickle_words(i), clock_deadline_ns(NS_PER_S));
	}
	control_close(control);
	stop_free(&stop);
	return NULL;
}

static void run_against(struct fickle *fickle, struct guest *guest)
{
	struct host none = { .plan.no_control = true };
	pthread_t thread;

	fake_remote_accepts(PORT);
	assert_int_equal(control_listen("127.0.0.1", 0, &fickle->listener), 0);
	assert_int_equal(pthread_create(&thread, NULL, be_fickle, fickle), 0);
	guest_plan(guest, &none, N);
	guest->plan.no_control = false;
	guest->target.control_host = "127.0.0.1";
	guest->target.control_port = control_listener_port(fickle->listener);
	guest->observer = fickle->observer;
	guest->plan.samples = fickle->observer.round != NULL;
	guest_run(guest);
	pthread_join(thread, NULL);
	control_listener_close(fickle->listener);
}

static void server__that_leaves_at_a_barrier__has_nobody_unaccounted_for(void **state)
{
	static const enum step next[] = { STEP_CONNECT, STEP_DISCONNECT, STEP_DESTROY_QP };

	(void)state;
	for (uint32_t b = 0; b < 3; b++) {
		struct fickle fickle = { .answers = 1 + b };
		struct guest guest;

		fake_reset();
		run_against(&fickle, &guest);
		assert_int_equal(guest.ret, -ECANCELED);
		assert_int_equal(stop_reason(&guest.stop), STOP_PEER_LOST);
		assert_int_equal(guest.result.n_rounds, 1);
		failed_as(&guest.result, SIDE_CLIENT, N, next[b], EVENT_ABORTED);
		client_adds_up(&guest.result);
		guest_free(&guest);
		assert_int_equal(fake_check(), 0);
	}
}

static void server__that_leaves_before_its_result__leaves_the_clients(void **state)
{
	struct fickle fickle = { .answers = 4 };
	struct guest guest;

	(void)state;
	run_against(&fickle, &guest);
	assert_int_equal(guest.ret, -ECANCELED);
	for (enum step step = 0; step < STEPS; step++) {
		if (step_is_of(step, SIDE_CLIENT) && step != STEP_BIND_ADDR)
			assert_int_equal(count_of(&guest.result, SIDE_CLIENT, step), N);
	}
	client_adds_up(&guest.result);
	guest_free(&guest);
}

static void see_whose_samples(void *arg, uint32_t number, const struct timeline *client,
			      const struct timeline *server)
{
	uint32_t *seen = arg;

	(void)number;
	seen[SIDE_CLIENT] += client != NULL;
	seen[SIDE_SERVER] += server != NULL;
}

/* Rows that never came would read "none": connections that the server never had. */
static void server__that_leaves_before_its_samples__has_none(void **state)
{
	uint32_t seen[SIDES] = { 0 };
	struct fickle fickle = { .answers = 5, .observer = { NULL, see_whose_samples, seen } };
	struct guest guest;

	(void)state;
	run_against(&fickle, &guest);
	assert_int_equal(guest.ret, -ECANCELED);
	assert_int_equal(stop_reason(&guest.stop), STOP_PEER_LOST);
	assert_int_equal(seen[SIDE_CLIENT], 1);
	assert_int_equal(seen[SIDE_SERVER], 0);
	client_adds_up(&guest.result);
	guest_free(&guest);
}

static void server__that_leaves_before_anything_is_agreed__is_no_run(void **state)
{
	struct fickle fickle = { .answers = 0 };
	struct guest guest;

	(void)state;
	run_against(&fickle, &guest);
	assert_true(guest.ret < 0 && guest.ret != -ECANCELED);
	assert_int_equal(guest.result.n_rounds, 0);
	guest_free(&guest);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RUN_TEST(run__of_100_connections__counts_100_on_both_sides),
		RUN_TEST(run__of_2000_connections__counts_2000_on_both_sides),
		RUN_TEST(run__of_one_connection__has_it_all),
		RUN_TEST(threads__of_every_kind__count_exactly_what_was_done),
		RUN_TEST(server__of_any_number_of_acceptors_and_listeners__accepts_all),
		RUN_TEST(runs__one_after_the_other__are_each_counted_for_itself),
		RUN_TEST(clients__at_the_same_time__get_only_what_is_theirs),
		RUN_TEST(server__for_one_run__ends_by_itself),
		RUN_TEST(server__that_goes_in_the_midst__leaves_the_client_what_it_measured),
		RUN_TEST(client__that_goes_in_the_midst__ends_its_session_and_the_next_is_served),
		RUN_TEST(server__that_leaves_at_a_barrier__has_nobody_unaccounted_for),
		RUN_TEST(server__that_leaves_before_its_result__leaves_the_clients),
		RUN_TEST(server__that_leaves_before_its_samples__has_none),
		RUN_TEST(server__that_leaves_before_anything_is_agreed__is_no_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
