// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * print_reports - runs of both ends over the fake librdmacm, reported in every format beside their
 * samples, for programs that read them: reports.test.sh.
 *
 *	print_reports		writes into the folder it runs in, which begins empty
 */
#include "cmocka_all.h"
#include "options.h"
#include "out/json.h"
#include "pair_use.h"
#include "report.h"

#include <stdio.h>

/* Of one run; only the first takes samples. */
struct reports {
	struct options options[FORMATS];
	struct report report[FORMATS];
	char paths[FORMATS + 1][64];
};

static void reports_open(struct reports *reports, const char *name)
{
	static const char *const endings[FORMATS] = { "text", "classic", "json", "csv" };

	*reports = (struct reports){ 0 };
	snprintf(reports->paths[FORMATS], sizeof(*reports->paths), "%s.samples", name);
	reports->options[0].samples = reports->paths[FORMATS];
	for (enum format format = 0; format < FORMATS; format++) {
		snprintf(reports->paths[format], sizeof(*reports->paths), "%s.%s", name,
			 endings[format]);
		reports->options[format].format = format;
		reports->options[format].output = reports->paths[format];
		assert_int_equal(report_open(&reports->report[format], &reports->options[format]),
				 0);
	}
}

static void take_round(void *arg, uint32_t number, const struct timeline *client,
		       const struct timeline *server)
{
	struct reports *reports = arg;

	for (enum format format = 0; format < FORMATS; format++)
		report_round(&reports->report[format], number, client, server);
}

static void reports_close(struct reports *reports, const struct result *result)
{
	for (enum format format = 0; format < FORMATS; format++) {
		report_result(&reports->report[format], result);
		assert_false(reports->report[format].lost);
		report_close(&reports->report[format]);
	}
}

static void print(const char *path, const struct result *result)
{
	FILE *file = fopen(path, "a");

	assert_non_null(file);
	assert_int_equal(json_print(file, result), 0);
	fclose(file);
}

/* A client's run, by both sides. */
static void report_run(const char *name, uint32_t connections, uint32_t rounds, int want)
{
	struct reports reports;
	struct guest guest;
	struct host host;

	host_plan(&host);
	host_open(&host);
	guest_plan(&guest, &host, connections);
	guest.plan.rounds = rounds;
	guest.plan.warmups = rounds - 1;
	guest.plan.samples = true;
	guest.observer = (struct observer){ .round = take_round, .arg = &reports };
	reports_open(&reports, name);
	guest_run(&guest);
	assert_int_equal(guest.ret, want);
	reports_close(&reports, &guest.result);
	host_wait(&host, 1);
	print("servers.json", &host.last);
	guest_free(&guest);
	host_close(&host);
}

static void run__that_goes_well__in_every_format(void **state)
{
	(void)state;
	report_run("whole", 1200, 1, 0);
}

static void run__of_one_connection__in_every_format(void **state)
{
	(void)state;
	report_run("one", 1, 1, 0);
}

static void run__of_rounds__in_every_format(void **state)
{
	(void)state;
	report_run("rounds", 130, 4, 0);
}

static void run__with_failures_in_every_step__in_every_format(void **state)
{
	(void)state;
	fake_answer(FAKE_RDMA_RESOLVE_ADDR, FAKE_EVERY(31), RDMA_CM_EVENT_ADDR_ERROR, -ETIMEDOUT);
	fake_answer(FAKE_RDMA_RESOLVE_ROUTE, 5, RDMA_CM_EVENT_ROUTE_ERROR, -ENETUNREACH);
	fake_fail(FAKE_RDMA_CREATE_QP, 9, ENOMEM);
	fake_fail(FAKE_RDMA_CREATE_QP, 50, ENOMEM);
	fake_answer(FAKE_RDMA_CONNECT, FAKE_EVERY(17), RDMA_CM_EVENT_REJECTED, 28);
	fake_answer(FAKE_RDMA_CONNECT, 3, RDMA_CM_EVENT_UNREACHABLE, -ETIMEDOUT);
	fake_fail(FAKE_RDMA_DISCONNECT, 7, EINVAL);
	report_run("failures", 300, 1, 0);
}

static void result__of_which_nothing_is_known__as_json(void **state)
{
	struct result result;

	(void)state;
	for (size_t rounds = 0; rounds < 3; rounds++) {
		assert_int_equal(result_init(&result, rounds), 0);
		print("odd.json", &result);
		result.run.window = WINDOW_UNKNOWN;
		print("odd.json", &result);
		for (size_t i = 0; i < rounds; i++)
			result.rounds[i].begin_ns[SIDE_SERVER] = UINT64_MAX;
		memset(result.run.ends[SIDE_CLIENT].host, 1, RESULT_NAME);
		print("odd.json", &result);
		result_free(&result);
	}
}

static void result__with_everything_at_its_most__as_json(void **state)
{
	struct result result;

	(void)state;
	assert_int_equal(result_init(&result, 1), 0);
	struct round *round = &result.rounds[0];

	result.run.connections = result.run.threads = result.run.listeners = UINT32_MAX;
	result.run.step_timeout_ns = result.run.timeout_ns = UINT64_MAX;
	result.run.retries = result.run.warmups = UINT32_MAX;
	result.run.cm_timeouts = (struct cm_timeouts){ 31, 31 };
	for (enum side side = 0; side < SIDES; side++) {
		round->begin_ns[side] = UINT64_MAX;
		round->cpu[side] = (struct usage){ UINT64_MAX, UINT64_MAX, UINT64_MAX };
		round->kernel[side] = (struct kernel_trace){ true, UINT64_MAX, UINT64_MAX,
							     UINT64_MAX, UINT32_MAX };
		for (enum step step = 0; step < STEPS; step++) {
			struct figures *f = &round->figures[side][step];

			*f = (struct figures){ .count = UINT32_MAX, .failed = UINT32_MAX };
			f->total_ns = f->sum_ns = f->max_ns = f->stddev_ns = UINT64_MAX;
		}
		/* Every event there is, with reasons of both signs. */
		for (enum event_kind event = EVENT_CALL; event < EVENT_KINDS; event++) {
			struct outcome o = { STEP_DISCONNECT, event, event % 2 ? 28 : INT32_MIN };

			for (uint32_t i = 0; i < 9; i++)
				assert_int_equal(ledger_add(&round->ledger, side, &o, i), 0);
		}
	}
	for (enum retry_kind kind = 0; kind < RETRY_KINDS; kind++) {
		round->retries[kind].timeout_ns = 1;
		for (int i = 0; i <= CM_RETRIES_MOST; i++)
			round->retries[kind].count[i] = UINT32_MAX;
	}
	round->connected = round->strangers = round->doubles = round->out_of_range = UINT32_MAX;
	print("odd.json", &result);
	result_free(&result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RUN_TEST(run__that_goes_well__in_every_format),
		RUN_TEST(run__of_one_connection__in_every_format),
		RUN_TEST(run__of_rounds__in_every_format),
		RUN_TEST(run__with_failures_in_every_step__in_every_format),
		RUN_TEST(result__of_which_nothing_is_known__as_json),
		RUN_TEST(result__with_everything_at_its_most__as_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
