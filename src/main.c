// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * main - a table of contents: options, then a server, a client, or both; then what the exit status
 * says.
 *
 * The only file that exits, and that knows both runs and outputs.
 */
#include "cm/endpoint.h"
#include "host/clock.h"
#include "host/log.h"
#include "host/stop.h"
#include "options.h"
#include "out/classic.h"
#include "out/progress.h"
#include "out/text.h"
#include "run/client.h"
#include "run/server.h"

#include <errno.h>
#include <fcntl.h>
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
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	int ret = stop_init(&interrupted);

	if (ret)
		return ret;
	if (sigaction(SIGINT, &catch, NULL) || sigaction(SIGTERM, &catch, NULL) ||
	    sigaction(SIGPIPE, &ignore, NULL))
		return -errno;
	return 0;
}

static int print_result(const struct options *options, const struct result *result)
{
	int ret = options->format == FORMAT_CLASSIC ? classic_print(stdout, result)
						    : text_print(stdout, result);

	if (ret)
		log_error("cannot write the report: %s", log_errno(ret));
	return ret;
}

static int status_of_stop(const struct stop *stop)
{
	int reason = stop_reason(stop);

	return reason > 0 ? BY_SIGNAL + reason : CUT_SHORT;
}

/* ---- a server ---- */

struct service {
	const struct options *options;
	bool report_lost; /* one could not be written */
};

static void report_served(void *arg, const struct result *result)
{
	struct service *service = arg;

	if (print_result(service->options, result))
		service->report_lost = true;
}

/* Told to end while idle is well; in the midst of a run it is not. With --one-off the one run
 * counts. */
static int status_of_service(struct server *server, bool one_off)
{
	static const int by_end[] = {
		[RUN_WELL] = ALL_CONNECTED, [RUN_FAILURES] = SOME_FAILED, [RUN_LOST] = CUT_SHORT
	};

	if (atomic_load(&server->interrupted))
		return status_of_stop(&interrupted);
	return one_off ? by_end[atomic_load(&server->last_end)] : ALL_CONNECTED;
}

static int serve(struct options *options)
{
	struct service service = { .options = options };
	const struct reporter reporter = { report_served, &service };
	struct server *server = calloc(1, sizeof(*server));
	int status = COULD_NOT_RUN;

	if (!server || server_open(server, &options->plan, &reporter, &interrupted, NULL))
		goto out;
	if (!server_serve(server) && !service.report_lost)
		status = status_of_service(server, options->plan.one_off);
	server_close(server);
out:
	free(server);
	return status;
}

/* ---- a client ---- */

static void update_progress(void *arg, enum step step, uint32_t done, uint32_t of, uint32_t failed,
			    uint32_t in_flight)
{
	progress_update(arg, step_label(step), done, of, failed, in_flight, clock_now_ns());
}

/* On stderr whatever the format: not every report has room for them. */
static void warn_of_failures(const struct result *result)
{
	const struct ledger *ledger = &result->rounds[0].ledger;

	for (size_t i = 0; i < ledger->n; i++) {
		const struct ledger_row *row = &ledger->rows[i];
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

static int run_client(struct options *options, const struct target *target)
{
	static const enum progress_mode modes[WHENS] = { PROGRESS_AUTO, PROGRESS_ALWAYS,
							 PROGRESS_NEVER };
	struct progress progress;
	const struct observer observer = { .update = update_progress, .arg = &progress };
	struct result result;
	struct stop stop;
	int status = COULD_NOT_RUN;

	if (stop_init_within(&stop, &interrupted))
		return COULD_NOT_RUN;
	progress_init(&progress, modes[options->progress], STDERR_FILENO);
	int ret = client_run(&options->plan, target, &observer, &stop, &result);

	progress_end(&progress);
	bool measured = result.n_rounds && (!ret || ret == -ECANCELED);

	if (measured)
		warn_of_failures(&result);

	if (measured && print_result(options, &result))
		status = COULD_NOT_RUN;
	else if (ret == -ECANCELED)
		status = status_of_stop(&stop);
	else if (!ret)
		status = result.rounds[0].ledger.n ? SOME_FAILED : ALL_CONNECTED;
	result_free(&result);
	stop_free(&stop);
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
	if (catch_signals())
		return COULD_NOT_RUN;
	if (options.plan.loopback)
		return loop_back(&options);
	if (options.plan.server)
		return connect_to_server(&options);
	return serve(&options);
}
