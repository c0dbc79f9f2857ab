// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * plot_main - options, then every RUN is read, then gnuplot draws into FILE's draft.
 *
 * The files are opened and told apart before any is read whole: what they hold decides what may be
 * asked for.
 */
#include "plot_main.h"

#include "core/step.h"
#include "host/gnuplot.h"
#include "host/log.h"
#include "out/plot.h"
#include "out/sink.h"
#include "plot_run.h"

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum status { DRAWN = 0, BAD_USAGE = 2, COULD_NOT = 3 };

enum { OPT_OUTPUT = 'o', OPT_HELP = 'h', OPT_KIND = 256, OPT_STEP, OPT_SIDE, OPT_TITLE, OPT_LOG };

/* clang-format off */
static const struct option longs[] = {
	{ "output", required_argument, NULL, OPT_OUTPUT },
	{ "kind", required_argument, NULL, OPT_KIND },
	{ "step", required_argument, NULL, OPT_STEP },
	{ "side", required_argument, NULL, OPT_SIDE },
	{ "title", required_argument, NULL, OPT_TITLE },
	{ "log", no_argument, NULL, OPT_LOG },
	{ "help", no_argument, NULL, OPT_HELP },
	{ NULL, 0, NULL, 0 }
};
/* clang-format on */

static const char help[] =
	"usage: cmtime plot RUN... -o FILE [options]\n"
	"\n"
	"Draws runs, with gnuplot. A RUN is a file that cmtime --samples has written, or one of\n"
	"results in JSON (--format json); LABEL=FILE names it. See cmtime(1), PLOT.\n"
	"\n"
	"  -o, --output FILE            the picture: png, svg or pdf, by its ending\n"
	"      --kind KIND              time: each connection over when it began, a panel a run;\n"
	"                               distribution: how many took how long, a curve a run;\n"
	"                               steps: the time a connection of every step, a bar a run\n"
	"                               (time; steps if a RUN holds results)\n"
	"      --step STEP              of time and distribution (connect; of a server accept)\n"
	"      --side SIDE              client or server (client)\n"
	"      --title TEXT             above the picture (what it shows)\n"
	"      --log                    a logarithmic axis of times\n"
	"  -h, --help                   print this and exit\n"
	"\n"
	"Exit status: 0 drawn, 2 usage, 3 could not: a RUN that cannot be read, no gnuplot, a\n"
	"FILE that cannot be written.";

/* A RUN of the command line. */
struct given {
	const char *path;
	char *label; /* owned */
	FILE *file;
	enum plot_source source;
};

struct job {
	struct plot plot;
	bool has_kind, has_step;
	const char *output;
	struct given given[PLOT_RUNS];
};

static enum status usage(void)
{
	fputs("Try 'cmtime plot --help'.\n", stderr);
	return BAD_USAGE;
}

/* ---- options ---- */

static int take_word(const char *option, const char *value, const char *const words[], int n)
{
	for (int i = 0; i < n; i++) {
		if (!strcmp(words[i], value))
			return i;
	}
	log_error("--%s: '%s' is not one of %s, %s%s%s", option, value, words[0], words[1],
		  n > 2 ? ", " : "", n > 2 ? words[2] : "");
	return -EINVAL;
}

static int take_format(struct job *job, const char *path)
{
	static const char *const endings[PLOT_FORMATS] = { ".png", ".svg", ".pdf" };
	size_t len = strlen(path);

	for (int i = 0; i < PLOT_FORMATS; i++) {
		if (len > 4 && !strcmp(path + len - 4, endings[i])) {
			job->plot.format = (enum plot_format)i;
			job->output = path;
			return 0;
		}
	}
	log_error("--output: '%s' does not end in .png, .svg or .pdf", path);
	return -EINVAL;
}

static int take(struct job *job, int id, const char *value)
{
	static const char *const kinds[PLOT_KINDS] = { "time", "distribution", "steps" };
	const char *const sides[SIDES] = { side_name(SIDE_CLIENT), side_name(SIDE_SERVER) };
	int word = 0;

	switch (id) {
	case OPT_OUTPUT:
		return take_format(job, value);
	case OPT_KIND:
		word = take_word("kind", value, kinds, PLOT_KINDS);
		job->plot.kind = (enum plot_kind)word;
		job->has_kind = true;
		break;
	case OPT_SIDE:
		word = take_word("side", value, sides, SIDES);
		job->plot.side = (enum side)word;
		break;
	case OPT_STEP:
		job->plot.step = step_from_name(value);
		job->has_step = true;
		if (job->plot.step < STEPS)
			break;
		log_error("--step: '%s' is no step, see cmtime(1), STEPS", value);
		return -EINVAL;
	case OPT_TITLE:
		job->plot.title = value;
		break;
	case OPT_LOG:
		job->plot.log = true;
		break;
	}
	return word < 0 ? word : 0;
}

/* getopt_long(3) takes a name's beginning for the name; cmtime does not, nowhere. */
static bool is_cut_short(const char *arg, const char *name)
{
	size_t len = strlen(name);

	return strncmp(arg, "--", 2) || strncmp(arg + 2, name, len) ||
	       (arg[2 + len] && arg[2 + len] != '=');
}

static int log_refusal(int id, char **argv)
{
	if (id == ':')
		log_error("%s: a value is missing", argv[optind - 1]);
	else if (optopt && optopt < OPT_KIND && !strchr("oh", optopt))
		log_error("unknown option -%c", optopt);
	else
		log_error("%s %s", optopt ? "takes no value:" : "unknown option", argv[optind - 1]);
	return -EINVAL;
}

/* 0, 1 if help was asked for, or -EINVAL, logged. */
static int parse_options(struct job *job, int argc, char **argv)
{
	int id, found = -1;

	opterr = 0;
	while ((id = getopt_long(argc, argv, ":o:h", longs, &found)) != -1) {
		if (id == ':' || id == '?')
			return log_refusal(id, argv);
		if (found >= 0) {
			const char *arg =
				argv[optarg == argv[optind - 1] ? optind - 2 : optind - 1];

			if (is_cut_short(arg, longs[found].name)) {
				log_error("unknown option %s, is --%s meant?", arg,
					  longs[found].name);
				return -EINVAL;
			}
		}
		found = -1;
		if (id == OPT_HELP)
			return 1;
		if (take(job, id, optarg))
			return -EINVAL;
	}
	return 0;
}

/* ---- the runs ---- */

/* "LABEL=FILE"; else a file's name without its folder and ending. A label has no '/' in it. */
static int name_run(struct given *given, const char *arg)
{
	const char *equals = strchr(arg, '='), *slash = strchr(arg, '/');
	const char *name, *end;

	if (equals && (!slash || equals < slash)) {
		given->path = equals + 1;
		given->label = strndup(arg, (size_t)(equals - arg));
	} else {
		given->path = arg;
		name = strrchr(arg, '/') ? strrchr(arg, '/') + 1 : arg;
		end = strrchr(name, '.');
		given->label =
			strndup(name, end && end > name ? (size_t)(end - name) : strlen(name));
	}
	return given->label ? 0 : -ENOMEM;
}

static int open_run(struct given *given)
{
	given->file = strcmp(given->path, "-") ? fopen(given->path, "re") : stdin;
	if (!given->file) {
		int ret = -errno;

		log_error("cannot read %s: %s", given->path, log_errno(ret));
		return ret;
	}
	if (plot_source_of(given->file, &given->source)) {
		log_error("%s: neither samples nor results of cmtime", given->path);
		return -EPROTO;
	}
	return 0;
}

/* What the files hold and what is asked for must go together. 0 or -EINVAL, logged. */
static int check_kind(struct job *job)
{
	struct plot *plot = &job->plot;
	const struct given *results = NULL;

	for (size_t i = 0; i < plot->n_runs; i++) {
		if (job->given[i].source == PLOT_RESULTS)
			results = &job->given[i];
	}
	if (!job->has_kind)
		plot->kind = results ? PLOT_STEPS : PLOT_TIME;
	if (!job->has_step)
		plot->step = plot->side == SIDE_CLIENT ? STEP_CONNECT : STEP_ACCEPT;
	if (results && plot->kind != PLOT_STEPS) {
		log_error("--kind: %s needs samples (cmtime --samples), and %s holds results",
			  plot->kind == PLOT_TIME ? "time" : "distribution", results->path);
		return -EINVAL;
	}
	if (job->has_step && plot->kind == PLOT_STEPS) {
		log_error("--step: --kind steps shows all of them%s",
			  results ? ", and results have no more than that" : "");
		return -EINVAL;
	}
	if (!step_is_of(plot->step, plot->side)) {
		log_error("--step: %s is no step of a %s", step_name(plot->step),
			  side_name(plot->side));
		return -EINVAL;
	}
	if (plot->log && plot->kind == PLOT_DISTRIBUTION) {
		log_error("--log: a distribution has a logarithmic axis anyway");
		return -EINVAL;
	}
	return 0;
}

static bool has_data(const struct plot *plot, const struct plot_run *run)
{
	if (plot->kind != PLOT_STEPS)
		return run->n;
	for (enum step step = 0; step < STEPS; step++) {
		if (run->each_ns[step] > 0)
			return true;
	}
	return false;
}

static int load_run(const struct plot *plot, struct plot_run *run, const struct given *given)
{
	int ret = given->source == PLOT_SAMPLES
			  ? plot_run_load_samples(run, given->file, given->path, plot->side,
						  plot->step)
			  : plot_run_load_results(run, given->file, given->path, plot->side);

	if (ret)
		return ret;
	run->label = given->label;
	if (has_data(plot, run))
		return 0;
	log_error("%s: no connection did %s on the %s's side", given->path,
		  plot->kind == PLOT_STEPS ? "a step" : step_name(plot->step),
		  side_name(plot->side));
	return -ENODATA;
}

/* ---- the picture ---- */

static int draw_into(struct sink *sink, const struct plot *plot, const char *path)
{
	FILE *script = tmpfile();
	int ret = script ? plot_write(script, plot) : -errno;

	if (ret)
		log_error("cannot write a script for gnuplot: %s", log_errno(ret));
	else
		ret = gnuplot_run(script, sink->file);
	if (script)
		fclose(script);
	if (ret)
		return ret;
	ret = sink_commit(sink, 0);
	if (ret)
		log_error("cannot write %s: %s", path, log_errno(ret));
	return ret;
}

/* A signal waits until the file has its name, or is gone; gnuplot gets an interrupt itself. */
static int draw(const struct job *job)
{
	sigset_t enders, before;
	struct sink sink;
	int ret;

	sigemptyset(&enders);
	sigaddset(&enders, SIGINT);
	sigaddset(&enders, SIGTERM);
	sigaddset(&enders, SIGHUP);
	sigprocmask(SIG_BLOCK, &enders, &before);
	/* A file that may not grow further is an error of write(2). */
	signal(SIGXFSZ, SIG_IGN);
	ret = sink_open(&sink, job->output);
	if (ret) {
		log_error("cannot write %s: %s", job->output, log_errno(ret));
	} else {
		ret = draw_into(&sink, &job->plot, job->output);
		sink_close(&sink);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	return ret;
}

static enum status work(struct job *job)
{
	for (size_t i = 0; i < job->plot.n_runs; i++) {
		if (open_run(&job->given[i]))
			return COULD_NOT;
	}
	if (check_kind(job))
		return usage();
	for (size_t i = 0; i < job->plot.n_runs; i++) {
		if (load_run(&job->plot, &job->plot.runs[i], &job->given[i]))
			return COULD_NOT;
	}
	return draw(job) ? COULD_NOT : DRAWN;
}

static enum status begin(struct job *job, int argc, char **argv)
{
	int ret = parse_options(job, argc, argv);

	if (ret > 0) {
		errno = 0;
		if (puts(help) >= 0 && !fflush(stdout))
			return DRAWN;
		log_error("cannot write to standard output: %s", log_errno(errno));
		return COULD_NOT;
	}
	if (ret)
		return usage();
	if (optind == argc || !job->output) {
		log_error("%s", optind == argc ? "no RUN to draw"
					       : "--output: where the picture is to go is missing");
		return usage();
	}
	if (argc - optind > PLOT_RUNS) {
		log_error("no more than %d runs can be told apart in a picture", PLOT_RUNS);
		return usage();
	}
	for (int i = optind; i < argc; i++) {
		if (name_run(&job->given[job->plot.n_runs++], argv[i]))
			return COULD_NOT;
	}
	return work(job);
}

int plot_main(int argc, char **argv)
{
	struct job job = { 0 };
	enum status status = begin(&job, argc, argv);

	for (size_t i = 0; i < job.plot.n_runs; i++) {
		free(job.given[i].label);
		free(job.plot.runs[i].points);
		if (job.given[i].file && job.given[i].file != stdin)
			fclose(job.given[i].file);
	}
	return (int)status;
}
