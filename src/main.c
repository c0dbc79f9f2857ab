// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * main - a table of contents: options, then a server, a client, or both; then what the exit status
 * says.
 *
 * The only file that exits, and that knows both runs and outputs.
 */
#include "cm/endpoint.h"
#include "compare_main.h"
#include "host/clock.h"
#include "host/log.h"
#include "host/stop.h"
#include "options.h"
#include "out/progress.h"
#include "plot_main.h"
#include "report.h"
#include "run/client.h"
#include "run/server.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* cmtime(1), EXIT STATUS */
enum status {
	ALL_CONNECTED = 0,
	SOME_FAILED = 1,
	BAD_USAGE = 2,
	COULD_NOT_RUN = 3,
	CUT_SHORT = 4,
	BY_SIGNAL = 128
};

static struct stop interrupted;

static void on_signal(int number)
{
	stop_set(&interrupted, number);
}

/*
 * A descriptor of ours must not come to stand where a closed standard stream was, and get the
 * report. Reading is all that this one allows: a report that goes nowhere fails in words.
 */
static int keep_standard_streams(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDONLY) != fd)
			return -errno;
	}
	return 0;
}

/* The second signal of a kind ends us at once. */
static int catch_signals(void)
{
	struct sigaction catch = { .sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND };
	struct sigaction ignore = { .sa_handler = SIG_IGN }, hangup;
	int ret = stop_init(&interrupted);

	if (ret)
		return ret;
	if (sigaction(SIGINT, &catch, NULL) || sigaction(SIGTERM, &catch, NULL) ||
	    sigaction(SIGPIPE, &ignore, NULL) || sigaction(SIGHUP, NULL, &hangup))
		return -errno;
	/* nohup(1) has it ignored. */
	if (hangup.sa_handler != SIG_IGN && sigaction(SIGHUP, &catch, NULL))
		return -errno;
	return 0;
}

static int status_of_stop(const struct stop *stop)
{
	int reason = stop_reason(stop);

	return reason > 0 ? BY_SIGNAL + reason : CUT_SHORT;
}

/* ---- a server ---- */

struct service {
	struct report report;
	bool thresholds_hold; /* in every run so far */
};

static void report_served(void *arg, const struct result *result)
{
	struct service *service = arg;

	report_result(&service->report, result);
	if (!report_thresholds_hold(&service->report, result))
		service->thresholds_hold = false;
}

/* Told to end while idle is well; in the midst of a run it is not. With --one-off the one run
 * counts. */
static int status_of_service(struct server *server, bool one_off, bool thresholds_hold)
{
	static const int by_end[] = {
		[RUN_WELL] = ALL_CONNECTED, [RUN_FAILURES] = SOME_FAILED, [RUN_LOST] = CUT_SHORT
	};

	if (atomic_load(&server->interrupted))
		return status_of_stop(&interrupted);
	enum status status = one_off ? by_end[atomic_load(&server->last_end)] : ALL_CONNECTED;

	return status == ALL_CONNECTED && !thresholds_hold ? SOME_FAILED : status;
}

static int serve(struct options *options)
{
	struct service service = { .thresholds_hold = true };
	const struct reporter reporter = { report_served, &service };
	struct server *server = calloc(1, sizeof(*server));
	int status = COULD_NOT_RUN;

	if (report_open(&service.report, options))
		goto out;
	if (!server || server_open(server, &options->plan, &reporter, &interrupted, NULL))
		goto close_report;
	if (!server_serve(server) && !service.report.lost)
		status = status_of_service(server, options->plan.one_off, service.thresholds_hold);
	server_close(server);
close_report:
	report_close(&service.report);
out:
	free(server);
	return status;
}

/* ---- a client ---- */

/* What a client's run is looked at with. */
struct view {
	struct progress progress;
	struct report report;
};

static void update_progress(void *arg, enum step step, uint32_t done, uint32_t of, uint32_t failed,
			    uint32_t in_flight)
{
	struct view *view = arg;

	progress_update(&view->progress, step_label(step), done, of, failed, in_flight,
			clock_now_ns());
}

static void show_round(void *arg, uint32_t number, const struct timeline *client,
		       const struct timeline *server)
{
	struct view *view = arg;

	report_round(&view->report, number, client, server);
}

/* On stderr whatever the format: not every report has room for them. */
static void warn_of_failures(const struct result *result, const struct round *round)
{
	for (size_t i = 0; i < round->ledger.n; i++) {
		const struct ledger_row *row = &round->ledger.rows[i];
		bool needs_memory =
			row->outcome.step == STEP_CREATE_QP && row->outcome.status == -ENOMEM;
		char reason[128];

		log_warn("%u of %u failed in %s%s: %s, %s%s", row->count, result->run.connections,
			 row->side == SIDE_SERVER ? "server " : "", step_label(row->outcome.step),
			 event_kind_name(row->outcome.event),
			 outcome_reason(row->outcome.event, row->outcome.status, reason,
					sizeof(reason)),
			 needs_memory ? "; see ulimit -l and vm.max_map_count" : "");
	}
}

static bool any_failed(const struct result *result)
{
	for (size_t i = 0; i < result->n_rounds; i++) {
		if (result->rounds[i].ledger.n)
			return true;
	}
	return false;
}

/* Reports what was measured, and says how it went. ret is client_run()'s. */
static int conclude(struct report *report, const struct result *result, int ret,
		    const struct stop *stop)
{
	if (ret && ret != -ECANCELED)
		return COULD_NOT_RUN;
	for (size_t i = 0; i < result->n_rounds; i++)
		warn_of_failures(result, &result->rounds[i]);
	if (result->n_rounds)
		report_result(report, result);
	bool hold = !result->n_rounds || report_thresholds_hold(report, result);

	if (report->lost)
		return COULD_NOT_RUN;
	if (ret)
		return status_of_stop(stop);
	return any_failed(result) || !hold ? SOME_FAILED : ALL_CONNECTED;
}

static int run_client(struct options *options, const struct target *target)
{
	static const enum progress_mode modes[WHENS] = { PROGRESS_AUTO, PROGRESS_ALWAYS,
							 PROGRESS_NEVER };
	struct view view;
	const struct observer observer = { update_progress, show_round, &view };
	struct result result;
	struct stop stop;
	int status = COULD_NOT_RUN;

	if (report_open(&view.report, options))
		return COULD_NOT_RUN;
	if (!stop_init_within(&stop, &interrupted)) {
		progress_init(&view.progress, modes[options->progress], STDERR_FILENO);
		int ret = client_run(&options->plan, target, &observer, &stop, &result);

		progress_end(&view.progress);
		status = conclude(&view.report, &result, ret, &stop);
		result_free(&result);
		stop_free(&stop);
	}
	report_close(&view.report);
	return status;
}

static int connect_to_server(struct options *options)
{
	struct plan *plan = &options->plan;
	struct target target = { .control_host = plan->no_control ? NULL : plan->server,
				 .control_port = plan->port };

	if (endpoint_resolve(&target.address, plan->server, plan->port))
		return COULD_NOT_RUN;
	return run_client(options, &target);
}

/* ---- both ---- */

static void *serve_thread(void *arg)
{
	server_serve(arg);
	return NULL;
}

/* The server runs as it would elsewhere; the client reaches its control channel over the loopback
 * interface. */
static int loop_back(struct options *options)
{
	struct plan plan = options->plan;
	struct target target = { .control_host = "127.0.0.1" };
	char address[RESULT_NAME];
	struct stop server_stop;
	pthread_t thread;
	int status = COULD_NOT_RUN;

	if (plan.bind ? endpoint_resolve(&target.address, plan.bind, 0)
		      : endpoint_first(&target.address))
		return COULD_NOT_RUN;
	endpoint_name(address, sizeof(address), (struct sockaddr *)&target.address);
	plan.bind = address;
	plan.port = 0;
	struct server *server = calloc(1, sizeof(*server));

	if (!server || stop_init(&server_stop))
		goto out;
	if (server_open(server, &plan, NULL, &server_stop, target.control_host))
		goto free_stop;
	target.control_port = server_port(server);
	if (!pthread_create(&thread, NULL, serve_thread, server)) {
		status = run_client(options, &target);
		stop_set(&server_stop, STOP_DONE);
		pthread_join(thread, NULL);
	}
	server_close(server);
free_stop:
	stop_free(&server_stop);
out:
	free(server);
	return status;
}

int main(int argc, char **argv)
{
	struct options options;

	if (keep_standard_streams())
		return COULD_NOT_RUN;
	if (argc > 1 && !strcmp(argv[1], "compare"))
		return compare_main(argc - 1, argv + 1);
	if (argc > 1 && !strcmp(argv[1], "plot"))
		return plot_main(argc - 1, argv + 1);
	switch (options_parse(&options, argc, argv)) {
	case ERRAND_DONE:
		return ALL_CONNECTED;
	case ERRAND_UNABLE:
		return COULD_NOT_RUN;
	case ERRAND_USAGE:
		return BAD_USAGE;
	case ERRAND_RUN:
		break;
	}
	log_set_verbose(options.verbose);
	setlocale(LC_CTYPE, ""); /* for histograms; numbers stay as in C */
	if (catch_signals())
		return COULD_NOT_RUN;
	if (options.plan.loopback)
		return loop_back(&options);
	if (options.plan.server)
		return connect_to_server(&options);
	return serve(&options);
}
