// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Rounds of one run, warm-ups, and every sample of both sides. */
#include "pair_use.h"

#include "control/protocol.h"

#include <errno.h>
#include <signal.h>

/* More than fit one message of samples. */
enum { N = PROTOCOL_SAMPLES + 100 };

/* What an observer saw of a round: the figures that its samples give. */
struct seen {
	uint32_t rounds, servers;
	struct figures figures[SIDES][STEPS];
	uint32_t with_addresses, attempts;
	uint64_t run_begin_ns;
};

static void see(struct seen *seen, const struct timeline *timeline)
{
	for (enum step step = 0; step < STEPS; step++)
		assert_int_equal(figures_of(&seen->figures[timeline->side][step], timeline, step),
				 0);
	for (uint32_t i = 0; i < timeline->connections; i++) {
		const struct detail *detail = &timeline->details[i];

		seen->with_addresses += !address_is_none(&detail->source) &&
					!address_is_none(&detail->destination) &&
					detail->source.port && detail->destination.port;
		seen->attempts += detail->attempts;
	}
}

static void on_round(void *arg, uint32_t number, const struct timeline *client,
		     const struct timeline *server)
{
	struct seen *seen = arg;

	assert_int_equal(number, ++seen->rounds);
	if (client->details)
		see(seen, client);
	if (server)
		see(seen, server);
	seen->servers += server != NULL;
}

static void round_is_whole(const struct result *result, size_t i, uint32_t connections)
{
	/* The checks of a run look at its first round. */
	struct result one = { .run = result->run, .rounds = &result->rounds[i], .n_rounds = 1 };

	assert_int_equal(result->run.connections, connections);
	all_did_all(&one);
}

static void rounds__of_a_run__are_reported_without_the_warm_ups(void **state)
{
	struct seen seen = { 0 };
	struct guest guest;
	struct host host;

	(void)state;
	host_plan(&host);
	host_open(&host);
	guest_plan(&guest, &host, 50);
	guest.plan.rounds = 3;
	guest.plan.warmups = 2;
	guest.observer = (struct observer){ .round = on_round, .arg = &seen };
	guest_run(&guest);
	assert_int_equal(guest.ret, 0);
	assert_int_equal(guest.result.n_rounds, 3);
	for (size_t i = 0; i < 3; i++)
		round_is_whole(&guest.result, i, 50);
	assert_true(guest.result.rounds[0].begin_ns[SIDE_CLIENT] <
		    guest.result.rounds[1].begin_ns[SIDE_CLIENT]);
	assert_int_equal(seen.rounds, 3);
	assert_int_equal(seen.servers, 0);
	/* One run at the server, too, of as many rounds. */
	assert_int_equal(host_end(&host, 1), RUN_WELL);
	assert_int_equal(host.last.n_rounds, 3);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(host.last.rounds[i].connected, 50);
	guest_free(&guest);
	host_close(&host);
}

static void samples__of_both_sides__give_the_result_s_figures(void **state)
{
	struct seen seen = { 0 };
	struct guest guest;
	struct host host;

	(void)state;
	host_plan(&host);
	host_open(&host);
	guest_plan(&guest, &host, N);
	guest.plan.samples = true;
	guest.observer = (struct observer){ .round = on_round, .arg = &seen };
	guest_run(&guest);
	assert_int_equal(guest.ret, 0);
	round_is_whole(&guest.result, 0, N);
	assert_int_equal(seen.rounds, 1);
	assert_int_equal(seen.servers, 1);
	assert_memory_equal(seen.figures, guest.result.rounds[0].figures, sizeof(seen.figures));
	assert_int_equal(seen.with_addresses, 2 * N);
	assert_int_equal(seen.attempts, 2 * N);
	assert_int_equal(host_end(&host, 1), RUN_WELL);
	guest_free(&guest);
	host_close(&host);
}

static void samples__of_every_round__come_with_it(void **state)
{
	struct seen seen = { 0 };
	struct guest guest;
	struct host host;

	(void)state;
	host_plan(&host);
	host_open(&host);
	guest_plan(&guest, &host, 20);
	guest.plan.samples = true;
	guest.plan.rounds = 2;
	guest.plan.warmups = 1;
	guest.observer = (struct observer){ .round = on_round, .arg = &seen };
	guest_run(&guest);
	assert_int_equal(guest.ret, 0);
	assert_int_equal(guest.result.n_rounds, 2);
	assert_int_equal(seen.rounds, 2);
	assert_int_equal(seen.servers, 2);
	assert_int_equal(seen.with_addresses, 2 * 2 * 20);
	assert_memory_equal(seen.figures, guest.result.rounds[1].figures, sizeof(seen.figures));
	guest_free(&guest);
	host_close(&host);
}

/* The observer that interrupts the run once a round is over. */
static void stop_after_a_round(void *arg, uint32_t number, const struct timeline *client,
			       const struct timeline *server)
{
	struct guest *guest = arg;

	(void)client;
	(void)server;
	if (number == 1)
		stop_set(&guest->stop, SIGINT);
}

static void rounds__cut_short__leave_those_that_were_whole(void **state)
{
	struct guest guest;
	struct host host;

	(void)state;
	host_plan(&host);
	host_open(&host);
	guest_plan(&guest, &host, 20);
	guest.plan.rounds = 3;
	guest.observer = (struct observer){ .round = stop_after_a_round, .arg = &guest };
	guest_run(&guest);
	assert_int_equal(guest.ret, -ECANCELED);
	assert_int_equal(guest.result.n_rounds, 2);
	round_is_whole(&guest.result, 0, 20);
	assert_int_equal(guest.result.rounds[1].connected, 0);
	assert_int_equal(host_end(&host, 1), RUN_LOST);
	assert_int_equal(host.last.rounds[0].connected, 20);
	guest_free(&guest);
	host_close(&host);
}

static void device__that_goes_after_a_round__leaves_what_was_measured(void **state)
{
	struct guest guest;
	struct host host;

	(void)state;
	host_plan(&host);
	host_open(&host);
	guest_plan(&guest, &host, 20);
	guest.plan.rounds = 3;
	fake_fail(FAKE_RDMA_RESOLVE_ADDR, FAKE_FROM(21), ENODEV);
	guest_run(&guest);
	assert_int_equal(guest.ret, -ECANCELED);
	assert_int_equal(guest.result.n_rounds, 2);
	round_is_whole(&guest.result, 0, 20);
	assert_int_equal(guest.result.rounds[1].connected, 0);
	assert_int_equal(
		ledger_failed(&guest.result.rounds[1].ledger, SIDE_CLIENT, STEP_RESOLVE_ADDR), 20);
	guest_free(&guest);
	host_close(&host);
}

static void round__to_which_nobody_comes__does_not_make_the_server_forget_its_device(void **state)
{
	struct guest guest;
	struct host host;

	(void)state;
	host_plan(&host);
	host_open(&host);
	guest_plan(&guest, &host, 20);
	guest.plan.rounds = 2;
	fake_fail(FAKE_RDMA_CONNECT, FAKE_FROM(21), ENOMEM);
	guest_run(&guest);
	assert_int_equal(guest.ret, 0);
	assert_int_equal(host_end(&host, 1), RUN_FAILURES);
	assert_int_equal(host.last.rounds[1].connected, 0);
	assert_string_not_equal(host.last.run.ends[SIDE_SERVER].device, "");
	assert_string_equal(host.last.run.ends[SIDE_SERVER].device,
			    guest.result.run.ends[SIDE_SERVER].device);
	guest_free(&guest);
	host_close(&host);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RUN_TEST(rounds__of_a_run__are_reported_without_the_warm_ups),
		RUN_TEST(samples__of_both_sides__give_the_result_s_figures),
		RUN_TEST(samples__of_every_round__come_with_it),
		RUN_TEST(rounds__cut_short__leave_those_that_were_whole),
		RUN_TEST(device__that_goes_after_a_round__leaves_what_was_measured),
		RUN_TEST(round__to_which_nobody_comes__does_not_make_the_server_forget_its_device),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
