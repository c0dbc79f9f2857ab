// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What a server, a reaper or a client turns down in words: a second client of --one-off, a run id
 * that is taken, more connections than there is room for, a blocked signal, an address without a
 * device, a device that cannot serve.
 */
#include "hand_use.h"

#include <signal.h>

enum { N = 20 };

/* Whether the server refuses that offer; anything but an answer or a refusal fails the test. */
static bool is_refused(struct host *host, uint64_t run_id, uint32_t connections)
{
	struct offer offer = { .version = "by hand",
			       .run_id = run_id,
			       .connections = connections,
			       .step_timeout_ns = NS_PER_S,
			       .rounds = 1 };
	struct control *control;
	struct stop stop;
	json_t *message;

	assert_int_equal(stop_init(&stop), 0);
	assert_int_equal(control_connect("127.0.0.1", server_port(host->server), &stop, NULL,
					 clock_deadline_ns(5 * NS_PER_S), &control),
			 0);
	assert_int_equal(
		control_send(control, offer_to_json(&offer), clock_deadline_ns(5 * NS_PER_S)), 0);
	assert_int_equal(control_receive(control, NULL, clock_deadline_ns(60 * NS_PER_S), &message),
			 0);
	enum message_type type = message_type(message);

	assert_true(type == MESSAGE_ANSWER || type == MESSAGE_REFUSAL);
	json_decref(message);
	control_close(control);
	stop_free(&stop);
	return type == MESSAGE_REFUSAL;
}

static void run_id__of_a_run_under_way__is_refused(void **state)
{
	struct hand hand;
	struct host host;

	(void)state;
	host_plan(&host);
	host_open(&host);
	hand_open(&hand, &host, N);
	assert_true(is_refused(&host, hand.run, N));
	assert_false(is_refused(&host, hand.run + 1000, N));
	hand_close(&hand);
	host_close(&host);
}

static void connections__beyond_the_room_of_all_clients__are_refused(void **state)
{
	struct hand hand;
	struct host host;

	(void)state;
	host_plan(&host);
	host_open(&host);
	hand_open(&hand, &host, N);
	assert_true(is_refused(&host, UINT64_MAX, SERVER_CONNECTIONS - N + 1));
	hand_close(&hand);
	host_close(&host);
}

static void client__of_a_server_for_one_run_that_has_it__is_refused(void **state)
{
	struct hand hand;
	struct host host;

	(void)state;
	host_plan(&host);
	host.plan.one_off = true;
	host_open(&host);
	hand_open(&hand, &host, N);
	assert_true(is_refused(&host, UINT64_MAX, N));
	hand_close(&hand);
	assert_int_equal(host_end(&host, 1), RUN_LOST);
	assert_int_equal(host.reports, 1);
	host_close(&host);
}

static void server_for_one_run__that_refused_it_for_want_of_room__takes_another(void **state)
{
	struct guest guest;
	struct host host;

	(void)state;
	host_plan(&host);
	host.plan.one_off = true;
	host_open(&host);
	assert_true(is_refused(&host, UINT64_MAX, SERVER_CONNECTIONS + 1));
	/* It is said before the server is there for another. */
	while (atomic_load(&host.server->one_off_taken))
		sched_yield();
	guest_plan(&guest, &host, N);
	guest_run(&guest);
	assert_int_equal(guest.ret, 0);
	assert_int_equal(host_end(&host, 1), RUN_WELL);
	guest_free(&guest);
	host_close(&host);
}

static void reaper__that_inherits_a_blocked_signal__is_stopped(void **state)
{
	struct reaper reaper;
	sigset_t urgent, before;

	(void)state;
	sigemptyset(&urgent);
	sigaddset(&urgent, REAPER_SIGNAL);
	pthread_sigmask(SIG_BLOCK, &urgent, &before);
	assert_int_equal(reaper_start(&reaper, false, NULL, NULL), 0);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	reaper_close(&reaper); /* or the alarm ends the test */
}

/* An address of an interface without RDMA: the kernel says so by ADDR_ERROR. */
static void client__of_an_address_without_a_device__could_not_run(void **state)
{
	struct host none = { .plan.no_control = true };
	struct guest guest;

	(void)state;
	guest_plan(&guest, &none, N);
	fake_answer(FAKE_RDMA_RESOLVE_ADDR, FAKE_EACH, RDMA_CM_EVENT_ADDR_ERROR, -ENODEV);
	guest_run(&guest);
	assert_int_equal(guest.ret, -ENODEV);
	guest_free(&guest);
}

static void device__that_has_no_cq_to_give__is_asked_once(void **state)
{
	struct host none = { .plan.no_control = true };
	struct guest guest;

	(void)state;
	fake_remote_accepts(PORT);
	guest_plan(&guest, &none, N);
	fake_fail(FAKE_IBV_CREATE_CQ, FAKE_EACH, ENOMEM);
	guest_run(&guest);
	assert_int_equal(guest.ret, 0);
	assert_int_equal(failed_as(&guest.result, SIDE_CLIENT, N, STEP_CREATE_QP, EVENT_CALL),
			 -ENOMEM);
	assert_int_equal(fake_counts().pds.made, 1);
	guest_free(&guest);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RUN_TEST(run_id__of_a_run_under_way__is_refused),
		RUN_TEST(connections__beyond_the_room_of_all_clients__are_refused),
		RUN_TEST(client__of_a_server_for_one_run_that_has_it__is_refused),
		RUN_TEST(server_for_one_run__that_refused_it_for_want_of_room__takes_another),
		RUN_TEST(reaper__that_inherits_a_blocked_signal__is_stopped),
		RUN_TEST(client__of_an_address_without_a_device__could_not_run),
		RUN_TEST(device__that_has_no_cq_to_give__is_asked_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
