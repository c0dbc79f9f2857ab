// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* options - a table, getopt_long(3), and the rules between options. */
#include "options.h"

#include "core/number.h"
#include "host/clock.h"
#include "host/log.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
	CONNECTIONS_MOST = 1 << 20,
	THREADS_MOST = 256,
	LISTENERS_MOST = 64,
	RETRIES_MOST = 1000,
	ROUNDS_MOST = 1000,
	TIMEOUT_MS_MOST = 3600 * 1000,
	TIME_S_MOST = 1000 * 1000,
};

/* Where an option makes sense; elsewhere it is refused, never taken and ignored. */
enum role { CLIENT = 1, SERVER = 2, BOTH = CLIENT | SERVER };

enum id {
	OPT_SERVER = 's',
	OPT_BIND = 'b',
	OPT_CONNECTIONS = 'c',
	OPT_PORT = 'p',
	OPT_RETRIES = 'r',
	OPT_TIMEOUT = 't',
	OPT_THREADS = 'n',
	OPT_WINDOW = 'w',
	OPT_JSON = 'j',
	OPT_OUTPUT = 'o',
	OPT_VERBOSE = 'v',
	OPT_HELP = 'h',
	OPT_VERSION = 'V',
	OPT_LONG_ONLY = 256,
	OPT_REAP,
	OPT_LOOPBACK,
	OPT_BIND_FIRST,
	OPT_STEP_TIMEOUT,
	OPT_NO_CONTROL,
	OPT_IDLE_LIMIT,
	OPT_LISTENERS,
	OPT_ONE_OFF,
	OPT_REPEAT,
	OPT_WARMUP,
	OPT_FORMAT,
	OPT_HISTOGRAM,
	OPT_SAMPLES,
	OPT_KERNEL_TRACE,
	OPT_STEP_HOOK,
	OPT_FAIL_ABOVE,
	OPT_FAIL_BELOW,
	OPT_PROGRESS,
};

static const struct spec {
	const char *name;
	int id;		   /* its letter, or above OPT_LONG_ONLY */
	const char *value; /* NULL: none */
	enum role role;
	const char *help;
} specs[] = {
	{ "server", OPT_SERVER, "HOST", CLIENT, "connect to the server at HOST" },
	{ "loopback", OPT_LOOPBACK, NULL, BOTH,
	  "server and client in this process, over a device of this host" },
	{ "bind", OPT_BIND, "ADDR", BOTH,
	  "local address (any; with --loopback the first that has a device)" },
	{ "port", OPT_PORT, "N", BOTH, "control port, and RDMA port unless that is taken (7471)" },
	{ "no-control", OPT_NO_CONTROL, NULL, BOTH,
	  "no control channel: any RDMA CM listener, any client" },
	{ "connections", OPT_CONNECTIONS, "N", BOTH, "connections (100)" },
	{ "threads", OPT_THREADS, "N", BOTH,
	  "accepting threads of a server (1), reaper threads of a client (4)" },
	{ "window", OPT_WINDOW, "N|unlimited", CLIENT, "connections in flight at most (32)" },
	{ "reap", OPT_REAP, "WHO", CLIENT,
	  "who reads the answers: concurrent, inline, deferred (concurrent)" },
	{ "retries", OPT_RETRIES, "N", BOTH, "more tries for address and route resolution (2)" },
	{ "timeout", OPT_TIMEOUT, "MS", BOTH, "for one try of address or route resolution (2000)" },
	{ "step-timeout", OPT_STEP_TIMEOUT, "T", CLIENT,
	  "the longest a connection may take in one step (120s)" },
	{ "bind-first", OPT_BIND_FIRST, NULL, CLIENT,
	  "bind each id to -b in a step of its own, before it resolves" },
	{ "listeners", OPT_LISTENERS, "K", SERVER,
	  "listen on K ports, each with its own channel (1)" },
	{ "one-off", OPT_ONE_OFF, NULL, SERVER, "end after one run" },
	{ "idle-limit", OPT_IDLE_LIMIT, "T", SERVER,
	  "with --no-control: ends a run in which nothing happens (10s)" },
	{ "repeat", OPT_REPEAT, "N", CLIENT, "rounds of the whole, in one result (1)" },
	{ "warmup", OPT_WARMUP, "N", CLIENT, "rounds before those, not reported (0)" },
	{ "format", OPT_FORMAT, "FORMAT", BOTH, "text, classic as in 2013, json, csv (text)" },
	{ "json", OPT_JSON, NULL, BOTH, "the same as --format json" },
	{ "output", OPT_OUTPUT, "FILE", BOTH,
	  "write results to FILE, whole or not at all (stdout)" },
	{ "histogram", OPT_HISTOGRAM, NULL, CLIENT,
	  "below the text, draw how long each step took the connections" },
	{ "samples", OPT_SAMPLES, "FILE", CLIENT,
	  "write every sample of both sides to FILE, as CSV" },
	{ "kernel-trace", OPT_KERNEL_TRACE, NULL, BOTH,
	  "cut each connect where this host's kernel sent and received" },
	{ "step-hook", OPT_STEP_HOOK, "CMD", CLIENT, "run CMD at each step's begin and end" },
	{ "fail-above", OPT_FAIL_ABOVE, "LIMIT", BOTH,
	  "exit with 1 if a figure is above, as in connect.p99=5ms; repeatable" },
	{ "fail-below", OPT_FAIL_BELOW, "LIMIT", BOTH,
	  "exit with 1 if it is below, as in connect.per_second=1000; repeatable" },
	{ "progress", OPT_PROGRESS, "WHEN", BOTH, "on stderr: auto, always, never (auto)" },
	{ "verbose", OPT_VERBOSE, NULL, BOTH, "more on stderr" },
	{ "help", OPT_HELP, NULL, BOTH, "print this and exit" },
	{ "version", OPT_VERSION, NULL, BOTH, "print the version and exit" },
};

enum { N_SPECS = sizeof(specs) / sizeof(*specs) };

static void print_help(void)
{
	puts("usage: cmtime [options]            a server: serves runs until interrupted\n"
	     "       cmtime -s HOST [options]    a client: times connecting to the server at HOST\n"
	     "       cmtime --loopback [options] both, in one process\n"
	     "       cmtime compare BASE NEW...  saved runs compared, see cmtime compare --help\n"
	     "       cmtime plot RUN... -o FILE  a picture of saved runs, see cmtime plot --help\n"
	     "\n"
	     "Times RDMA connection set-up and tear-down, step by step. See cmtime(1).\n");
	for (int i = 0; i < N_SPECS; i++) {
		char left[64];
		const struct spec *s = &specs[i];

		if (s->id < OPT_LONG_ONLY)
			snprintf(left, sizeof(left), "-%c, --%s%s%s", s->id, s->name,
				 s->value ? " " : "", s->value ? s->value : "");
		else
			snprintf(left, sizeof(left), "    --%s%s%s", s->name, s->value ? " " : "",
				 s->value ? s->value : "");
		printf("  %-28s %s\n", left, s->help);
	}
	puts("\n"
	     "Counts take k and M; times take ns, us, ms and s. Results go to stdout, all else to "
	     "stderr.\n"
	     "Exit status: 0 all connected, 1 a connection failed, 2 usage, 3 could not run, 4 "
	     "peer lost or\n"
	     "time out, 129, 130 and 143 after SIGHUP, SIGINT and SIGTERM.");
}

static const struct spec *spec_of(int id)
{
	for (int i = 0; i < N_SPECS; i++) {
		if (specs[i].id == id)
			return &specs[i];
	}
	return NULL;
}

static int bad_value(const struct spec *spec, const char *value, const char *wanted)
{
	log_error("--%s: '%s' is not %s", spec->name, value, wanted);
	return -EINVAL;
}

static int take_count(const struct spec *spec, const char *value, uint64_t min, uint64_t max,
		      uint32_t *out)
{
	char wanted[96];
	uint64_t count;

	if (!number_count(value, min, max, &count)) {
		*out = (uint32_t)count;
		return 0;
	}
	snprintf(wanted, sizeof(wanted), "a number from %" PRIu64 " to %" PRIu64, min, max);
	return bad_value(spec, value, wanted);
}

static int take_time(const struct spec *spec, const char *value, uint64_t *out_ns)
{
	uint64_t time_ns;

	if (!number_time_ns(value, &time_ns) && time_ns <= TIME_S_MOST * NS_PER_S) {
		*out_ns = time_ns;
		return 0;
	}
	return bad_value(spec, value, "a time above 0 and up to 1000000s, such as 500ms or 10s");
}

static int take_port(const struct spec *spec, const char *value, uint16_t *port)
{
	uint32_t number;
	int ret = take_count(spec, value, 1, UINT16_MAX, &number);

	if (!ret)
		*port = (uint16_t)number;
	return ret;
}

static int take_word(const struct spec *spec, const char *value, const char *const words[], int n,
		     int *out)
{
	char wanted[96] = "one of";

	for (int i = 0; i < n; i++) {
		if (!strcmp(words[i], value)) {
			*out = i;
			return 0;
		}
		size_t used = strlen(wanted);

		snprintf(wanted + used, sizeof(wanted) - used, "%s %s", i ? "," : "", words[i]);
	}
	return bad_value(spec, value, wanted);
}

static int take_text(const struct spec *spec, const char *value, const char **out)
{
	if (!*value || strchr(value, ','))
		return bad_value(spec, value, "one address or host name");
	*out = value;
	return 0;
}

static int take_path(const struct spec *spec, const char *value, const char **out)
{
	if (!*value)
		return bad_value(spec, value, "a file");
	*out = value;
	return 0;
}

static int take_threshold(struct options *options, const struct spec *spec, const char *value)
{
	char wanted[256];

	if (options->n_thresholds == THRESHOLDS_MOST)
		return bad_value(spec, value, "one of 64 limits at most");
	if (threshold_parse(&options->thresholds[options->n_thresholds], value,
			    spec->id == OPT_FAIL_ABOVE, wanted, sizeof(wanted)))
		return bad_value(spec, value, wanted);
	options->n_thresholds++;
	return 0;
}

static int take(struct options *options, const struct spec *spec, const char *value)
{
	static const char *const formats[FORMATS] = { "text", "classic", "json", "csv" };
	static const char *const whens[WHENS] = { "auto", "always", "never" };
	const char *const reaps[REAPS] = { reap_name(REAP_CONCURRENT), reap_name(REAP_INLINE),
					   reap_name(REAP_DEFERRED) };
	struct plan *plan = &options->plan;
	int word = 0, ret = 0;

	switch (spec->id) {
	case OPT_SERVER:
		return take_text(spec, value, &plan->server);
	case OPT_BIND:
		return take_text(spec, value, &plan->bind);
	case OPT_PORT:
		return take_port(spec, value, &plan->port);
	case OPT_CONNECTIONS:
		return take_count(spec, value, 1, CONNECTIONS_MOST, &plan->connections);
	case OPT_THREADS:
		ret = take_count(spec, value, 1, THREADS_MOST, &plan->threads);
		plan->acceptors = plan->threads;
		return ret;
	case OPT_LISTENERS:
		return take_count(spec, value, 1, LISTENERS_MOST, &plan->listeners);
	case OPT_RETRIES:
		return take_count(spec, value, 0, RETRIES_MOST, &plan->retries);
	case OPT_TIMEOUT:
		return take_count(spec, value, 1, TIMEOUT_MS_MOST, &plan->timeout_ms);
	case OPT_WINDOW:
		if (!strcmp(value, "unlimited")) {
			plan->window = WINDOW_UNLIMITED;
			return 0;
		}
		return take_count(spec, value, 1, CONNECTIONS_MOST, &plan->window);
	case OPT_STEP_TIMEOUT:
		return take_time(spec, value, &plan->step_timeout_ns);
	case OPT_IDLE_LIMIT:
		return take_time(spec, value, &plan->idle_limit_ns);
	case OPT_REAP:
		ret = take_word(spec, value, reaps, REAPS, &word);
		plan->reap = (enum reap)word;
		return ret;
	case OPT_FORMAT:
		ret = take_word(spec, value, formats, FORMATS, &word);
		options->format = (enum format)word;
		return ret;
	case OPT_JSON:
		options->format = FORMAT_JSON;
		return 0;
	case OPT_OUTPUT:
		return take_path(spec, value, &options->output);
	case OPT_HISTOGRAM:
		options->histogram = true;
		return 0;
	case OPT_SAMPLES:
		plan->samples = true;
		return take_path(spec, value, &options->samples);
	case OPT_KERNEL_TRACE:
		plan->kernel_trace = true;
		return 0;
	case OPT_STEP_HOOK:
		if (!*value)
			return bad_value(spec, value, "a command");
		plan->step_hook = value;
		return 0;
	case OPT_FAIL_ABOVE:
	case OPT_FAIL_BELOW:
		return take_threshold(options, spec, value);
	case OPT_REPEAT:
		return take_count(spec, value, 1, ROUNDS_MOST, &plan->rounds);
	case OPT_WARMUP:
		return take_count(spec, value, 0, ROUNDS_MOST, &plan->warmups);
	case OPT_PROGRESS:
		ret = take_word(spec, value, whens, WHENS, &word);
		options->progress = (enum when)word;
		return ret;
	case OPT_LOOPBACK:
		plan->loopback = true;
		return 0;
	case OPT_BIND_FIRST:
		plan->bind_first = true;
		return 0;
	case OPT_NO_CONTROL:
		plan->no_control = true;
		return 0;
	case OPT_ONE_OFF:
		plan->one_off = true;
		return 0;
	case OPT_VERBOSE:
		options->verbose = true;
		return 0;
	default:
		return -EINVAL;
	}
}

static bool gives(uint64_t given, int id)
{
	return given & UINT64_C(1) << (spec_of(id) - specs);
}

/* What goes together and what does not. given: a bit for each spec that was on the command line. */
static int check(const struct options *options, uint64_t given)
{
	const struct plan *plan = &options->plan;
	enum role role = plan->loopback ? BOTH : plan->server ? CLIENT : SERVER;

	if (plan->loopback && (plan->server || plan->no_control)) {
		log_error("--loopback: goes neither with --server nor with --no-control");
		return -EINVAL;
	}
	for (int i = 0; i < N_SPECS; i++) {
		if ((given & UINT64_C(1) << i) && !(specs[i].role & role)) {
			log_error("--%s: only for a %s", specs[i].name,
				  specs[i].role == CLIENT ? "client (--server HOST)" : "server");
			return -EINVAL;
		}
	}
	if (plan->loopback && plan->one_off) {
		log_error("--one-off: with --loopback there is one run anyway");
		return -EINVAL;
	}
	if (plan->loopback && gives(given, OPT_PORT)) {
		log_error("--port: with --loopback nobody else is to find the ports, free ones are "
			  "taken");
		return -EINVAL;
	}
	if (plan->no_control && plan->listeners > 1) {
		log_error(
			"--listeners: with --no-control only 1, nobody tells the clients of more");
		return -EINVAL;
	}
	if (gives(given, OPT_IDLE_LIMIT) && !plan->no_control) {
		log_error("--idle-limit: only with --no-control, else the client says when it is "
			  "done");
		return -EINVAL;
	}
	if (options->n_thresholds && role == SERVER && !plan->one_off) {
		log_error("--fail-above, --fail-below: of a server only with --one-off: its exit "
			  "status tells of one run");
		return -EINVAL;
	}
	if (options->histogram && options->format != FORMAT_TEXT) {
		log_error("--histogram: only in text (--format)");
		return -EINVAL;
	}
	if (options->samples && options->output && !strcmp(options->samples, options->output) &&
	    strcmp(options->output, "/dev/null")) {
		log_error("--samples: %s is --output's", options->samples);
		return -EINVAL;
	}
	if (options->samples && !strcmp(options->samples, "-") && !options->output) {
		log_error("--samples: standard output has the report (--output)");
		return -EINVAL;
	}
	if (plan->bind_first && !plan->bind) {
		log_error("--bind-first: needs an address to bind to (--bind)");
		return -EINVAL;
	}
	if (plan->reap == REAP_DEFERRED && plan->window != WINDOW_UNLIMITED &&
	    plan->window < plan->connections) {
		log_error("--reap: deferred leaves all answers unread until all calls are out: it "
			  "needs "
			  "--window unlimited, or a window of at least the %" PRIu32 " connections",
			  plan->connections);
		return -EINVAL;
	}
	if (plan->reap == REAP_INLINE && role == CLIENT && gives(given, OPT_THREADS) &&
	    plan->threads > 1) {
		log_error("--reap: inline reads in the main thread, --threads %" PRIu32
			  " has nothing to do",
			  plan->threads);
		return -EINVAL;
	}
	return 0;
}

static void set_defaults(struct options *options)
{
	*options = (struct options){
		.plan = { .port = 7471,
			  .connections = 100,
			  .retries = 2,
			  .timeout_ms = 2000,
			  .threads = 4,
			  .acceptors = 1,
			  .window = 32,
			  .listeners = 1,
			  .rounds = 1,
			  .step_timeout_ns = UINT64_C(120000000000),
			  .idle_limit_ns = UINT64_C(10000000000) },
	};
}

static void fill_getopt(struct option longs[N_SPECS + 1], char shorts[2 * N_SPECS + 2])
{
	*shorts++ = ':'; /* a missing value is told from an unknown option, and both are ours to
			    report */
	for (int i = 0; i < N_SPECS; i++) {
		longs[i] = (struct option){ .name = specs[i].name,
					    .has_arg = specs[i].value ? required_argument
								      : no_argument,
					    .val = specs[i].id };
		if (specs[i].id >= OPT_LONG_ONLY)
			continue;
		*shorts++ = (char)specs[i].id;
		if (specs[i].value)
			*shorts++ = ':';
	}
	longs[N_SPECS] = (struct option){ 0 };
	*shorts = '\0';
}

/* The argument that getopt_long(3) has just taken an option from; its value may stand behind it. */
static const char *last_taken(char **argv)
{
	return argv[optarg == argv[optind - 1] ? optind - 2 : optind - 1];
}

/*
 * getopt_long(3) takes a name's beginning for the name. Not we: a script's --listen must not turn
 * from --listeners into another option once that is there.
 */
static bool is_spelt_out(const char *arg, const char *name)
{
	size_t len = strlen(name);

	return !strncmp(arg, "--", 2) && !strncmp(arg + 2, name, len) &&
	       (!arg[2 + len] || arg[2 + len] == '=');
}

/* What getopt_long(3) didn't take: id is ':' or '?', optopt a letter, a long option's id, or 0. */
static void log_refusal(int id, char **argv)
{
	const struct spec *spec = spec_of(optopt);
	const char *arg = argv[optind - 1];

	if (id == ':')
		log_error("--%s: a value is missing", spec->name);
	else if (spec)
		log_error("--%s: takes no value, as in %s", spec->name, arg);
	else if (optopt)
		log_error("unknown option -%c", optopt);
	else
		log_error("unknown option %s", arg);
}

static enum errand usage(void)
{
	fputs("Try 'cmtime --help'.\n", stderr);
	return ERRAND_USAGE;
}

/* A script that reads nothing is to learn why. */
static enum errand printed(void)
{
	errno = 0;
	if (!fflush(stdout) && !ferror(stdout))
		return ERRAND_DONE;
	log_error("cannot write to standard output: %s", log_errno(errno));
	return ERRAND_UNABLE;
}

enum errand options_parse(struct options *options, int argc, char **argv)
{
	struct option longs[N_SPECS + 1];
	char shorts[2 * N_SPECS + 2];
	uint64_t given = 0;
	int id, found = -1;

	fill_getopt(longs, shorts);
	set_defaults(options);
	opterr = 0;
	while ((id = getopt_long(argc, argv, shorts, longs, &found)) != -1) {
		const struct spec *spec = spec_of(id);

		if (spec && found >= 0 && !is_spelt_out(last_taken(argv), spec->name)) {
			log_error("unknown option %s, is --%s meant?", last_taken(argv),
				  spec->name);
			return usage();
		}
		found = -1;
		if (id == OPT_HELP) {
			print_help();
			return printed();
		}
		if (id == OPT_VERSION) {
			puts("cmtime " PACKAGE_VERSION);
			return printed();
		}
		if (!spec) {
			log_refusal(id, argv);
			return usage();
		}
		if (take(options, spec, optarg))
			return usage();
		given |= UINT64_C(1) << (spec - specs);
	}
	if (optind < argc) {
		log_error("'%s' is no option; a server is named with --server", argv[optind]);
		return usage();
	}
	return check(options, given) ? usage() : ERRAND_RUN;
}
