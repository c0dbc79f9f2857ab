// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * compare_main - arguments, files, comparison, report, limits, in this order.
 *
 * The arguments are checked whole before a file is opened, the files are read before anything is
 * printed.
 */
#include "compare_main.h"

#include "core/comparison.h"
#include "core/number.h"
#include "core/result.h"
#include "host/log.h"
#include "out/compare.h"
#include "saved.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { DONE = 0, LIMIT_BROKEN = 1, BAD_USAGE = 2, UNABLE = 3, HELPED = -1 };

enum { LIMITS_MOST = 64 };

/* "connect.us=1.05": that ratio, and no more. */
struct limit {
	const char *text;
	struct measure measure;
	double ratio;
};

struct arguments {
	const char **paths; /* owned; the strings are argv's */
	size_t n_paths;
	double margin;
	bool json;
	struct limit limits[LIMITS_MOST];
	size_t n_limits;
};

enum id { OPT_MARGIN = 256, OPT_FAIL_ABOVE, OPT_JSON = 'j', OPT_HELP = 'h' };

static const struct spec {
	const char *name;
	enum id id;	   /* its letter, or more than one can be */
	const char *value; /* NULL: none */
	const char *help;
} specs[] = {
	{ "margin", OPT_MARGIN, "PCT", "a difference up to this is none, in per cent (3)" },
	{ "fail-above", OPT_FAIL_ABOVE, "LIMIT",
	  "exit with 1 if a ratio is above, as in connect.us=1.05; repeatable" },
	{ "json", OPT_JSON, NULL, "print JSON" },
	{ "help", OPT_HELP, NULL, "print this and exit" },
};

enum { N_SPECS = sizeof(specs) / sizeof(*specs) };

static void print_help(void)
{
	puts("usage: cmtime compare [options] BASE NEW [...]\n"
	     "\n"
	     "Compares files of results, as cmtime --json prints them, to the first of them; - is\n"
	     "standard input. See cmtime(1), COMPARE.\n");
	for (int i = 0; i < N_SPECS; i++) {
		const struct spec *s = &specs[i];
		char left[64], letter[] = { '-', (char)s->id, ',', '\0' };

		snprintf(left, sizeof(left), "%3s --%s%s%s", s->id < OPT_MARGIN ? letter : "",
			 s->name, s->value ? " " : "", s->value ? s->value : "");
		printf("  %-28s %s\n", left, s->help);
	}
	puts("\n"
	     "Exit status: 0 compared, 1 a limit was broken, 2 usage, 3 a file could not be read.");
}

static int bad_value(const struct spec *spec, const char *value, const char *wanted)
{
	log_error("--%s: '%s' is not %s", spec->name, value, wanted);
	return -EINVAL;
}

static int take_margin(const struct spec *spec, const char *value, double *margin)
{
	double percent;

	if (number_decimal(value, &percent) || percent >= 100)
		return bad_value(spec, value, "a number of per cent from 0 to below 100");
	*margin = percent / 100;
	return 0;
}

static int take_limit(const struct spec *spec, const char *value, struct arguments *arguments)
{
	const char *equals = strchr(value, '=');
	struct limit limit = { .text = value };

	if (!equals || measure_parse(&limit.measure, value, equals))
		return bad_value(spec, value,
				 "[SIDE.]STEP.FIELD=RATIO with a step and us, p50 or p99, or "
				 "all.total=RATIO, such as connect.us=1.05");
	if (number_decimal(equals + 1, &limit.ratio) || !(limit.ratio > 0))
		return bad_value(spec, value, "a limit with a ratio above 0 after the =");
	if (arguments->n_limits == LIMITS_MOST)
		return bad_value(spec, value, "one of 64 limits at most");
	arguments->limits[arguments->n_limits++] = limit;
	return 0;
}

static int take(struct arguments *arguments, const struct spec *spec, const char *value)
{
	switch (spec->id) {
	case OPT_MARGIN:
		return take_margin(spec, value, &arguments->margin);
	case OPT_FAIL_ABOVE:
		return take_limit(spec, value, arguments);
	case OPT_JSON:
		arguments->json = true;
		return 0;
	case OPT_HELP:
		print_help();
		return HELPED;
	}
	return -EINVAL;
}

/* Names are spelt out, as those of cmtime's other options. */
static const struct spec *find(const char *arg)
{
	size_t len = strcspn(arg, "=");

	for (int i = 0; i < N_SPECS; i++) {
		const struct spec *s = &specs[i];

		if (arg[1] == '-' && strlen(s->name) == len - 2 &&
		    !strncmp(arg + 2, s->name, len - 2))
			return s;
		if (s->id < OPT_MARGIN && arg[1] == (char)s->id && !arg[2])
			return s;
	}
	return NULL;
}

/* An option at argv[*i], and its value, there or behind. */
static int take_option(struct arguments *arguments, int argc, char **argv, int *i)
{
	const char *arg = argv[*i], *value = strchr(arg, '=');
	const struct spec *spec = find(arg);

	if (!spec) {
		log_error("unknown option %s", arg);
		return -EINVAL;
	}
	if (value && !spec->value) {
		log_error("--%s: takes no value, as in %s", spec->name, arg);
		return -EINVAL;
	}
	if (value)
		return take(arguments, spec, value + 1);
	if (spec->value && ++*i == argc) {
		log_error("--%s: a value is missing", spec->name);
		return -EINVAL;
	}
	return take(arguments, spec, spec->value ? argv[*i] : NULL);
}

static int check(const struct arguments *arguments)
{
	size_t from_stdin = 0;

	if (arguments->n_paths < 2) {
		log_error("compare: needs two files of results at least, BASE and NEW");
		return -EINVAL;
	}
	for (size_t i = 0; i < arguments->n_paths; i++)
		from_stdin += !strcmp(arguments->paths[i], "-");
	if (from_stdin > 1) {
		log_error("compare: standard input (-) can be read once only");
		return -EINVAL;
	}
	return 0;
}

/* 0, HELPED, or -EINVAL, logged. */
static int parse(struct arguments *arguments, int argc, char **argv)
{
	bool only_files = false;

	for (int i = 1; i < argc; i++) {
		int ret;

		if (!only_files && !strcmp(argv[i], "--")) {
			only_files = true;
			continue;
		}
		if (only_files || argv[i][0] != '-' || !argv[i][1]) {
			arguments->paths[arguments->n_paths++] = argv[i];
			continue;
		}
		ret = take_option(arguments, argc, argv, &i);
		if (ret)
			return ret;
	}
	return check(arguments);
}

/* What a report can have of a path: it goes to terminals, and JSON is UTF-8. */
static char *printable(const char *path)
{
	char *name = strdup(strcmp(path, "-") ? path : "standard input");

	for (char *c = name; c && *c; c++) {
		if (*c < ' ' || *c > '~')
			*c = '?';
	}
	return name;
}

static bool limit_is_kept(const struct comparison *c, const struct limit *limit, size_t k)
{
	for (size_t i = 0; i < c->n_measures; i++) {
		const struct finding *f = comparison_at(c, i, k);

		if (!measure_is(&c->measures[i], &limit->measure) || isnan(f->ratio))
			continue;
		if (f->verdict == VERDICT_WINDOWS || f->verdict == VERDICT_CONNECTIONS) {
			log_warn("--fail-above %s: nothing can be said of %s, %s differ",
				 limit->text, c->contenders[k].name,
				 f->verdict == VERDICT_WINDOWS ? "windows" : "connections");
			return false;
		}
		if (f->ratio <= limit->ratio)
			return true;
		log_warn("--fail-above %s: it is %.3f in %s", limit->text, f->ratio,
			 c->contenders[k].name);
		return false;
	}
	log_warn("--fail-above %s: there is no such ratio for %s", limit->text,
		 c->contenders[k].name);
	return false;
}

/* All that are broken are logged. */
static bool limits_are_kept(const struct comparison *c, const struct arguments *arguments)
{
	bool kept = true;

	for (size_t i = 0; i < arguments->n_limits; i++) {
		for (size_t k = 1; k < c->n; k++)
			kept &= limit_is_kept(c, &arguments->limits[i], k);
	}
	return kept;
}

static int report(const struct arguments *arguments, const char *const *names,
		  const struct result_set *sets)
{
	struct comparison c;
	int ret = comparison_make(&c, names, sets, arguments->n_paths, arguments->margin);
	int status;

	if (ret) {
		log_error("cannot compare: %s", log_errno(ret));
		return UNABLE;
	}
	ret = arguments->json ? compare_print_json(stdout, &c) : compare_print_text(stdout, &c);
	status = limits_are_kept(&c, arguments) ? DONE : LIMIT_BROKEN;
	if (ret) {
		log_error("cannot write the report: %s", log_errno(ret));
		status = UNABLE;
	}
	comparison_free(&c);
	return status;
}

static int compare(const struct arguments *arguments)
{
	size_t n = arguments->n_paths;
	struct result_set *sets = calloc(n, sizeof(*sets));
	char **names = calloc(n, sizeof(*names));
	int status = UNABLE;
	bool loaded = sets && names;

	for (size_t i = 0; loaded && i < n; i++) {
		names[i] = printable(arguments->paths[i]);
		loaded = names[i] && !saved_load(&sets[i], arguments->paths[i]);
	}
	if (loaded)
		status = report(arguments, (const char *const *)names, sets);
	for (size_t i = 0; i < n && sets && names; i++) {
		result_set_free(&sets[i]);
		free(names[i]);
	}
	free(sets);
	free(names);
	return status;
}

static int helped(void)
{
	errno = 0;
	if (!fflush(stdout) && !ferror(stdout))
		return DONE;
	log_error("cannot write to standard output: %s", log_errno(errno));
	return UNABLE;
}

int compare_main(int argc, char **argv)
{
	struct arguments arguments = { .margin = 0.03 };
	int status;

	arguments.paths = calloc((size_t)argc, sizeof(*arguments.paths));
	if (!arguments.paths) {
		log_error("no memory");
		return UNABLE;
	}
	switch (parse(&arguments, argc, argv)) {
	case 0:
		status = compare(&arguments);
		break;
	case HELPED:
		status = helped();
		break;
	default:
		fputs("Try 'cmtime compare --help'.\n", stderr);
		status = BAD_USAGE;
	}
	free(arguments.paths);
	return status;
}
