/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * options - the command line, as cmtime(1) documents it, checked whole before anything is opened.
 *
 * main, first of all. One table holds every option: parsing, --help and the tests' comparison with
 * the manual page and the completion read the same.
 */
#ifndef CMTIME_OPTIONS_H
#define CMTIME_OPTIONS_H

#include "core/plan.h"
#include "core/threshold.h"

#include <stdbool.h>

enum format { FORMAT_TEXT, FORMAT_CLASSIC, FORMAT_JSON, FORMAT_CSV, FORMATS };
enum when { WHEN_AUTO, WHEN_ALWAYS, WHEN_NEVER, WHENS };

enum { THRESHOLDS_MOST = 64 };

struct options {
	struct plan plan;
	enum format format;
	const char *output;  /* file; NULL: standard output */
	const char *samples; /* file; NULL: nobody wants them */
	struct threshold thresholds[THRESHOLDS_MOST];
	size_t n_thresholds;
	bool histogram;
	enum when progress;
	bool verbose;
};

/* What main is to do next. */
enum errand {
	ERRAND_RUN,
	ERRAND_DONE,   /* help or version was printed: exit 0 */
	ERRAND_USAGE,  /* logged: exit 2 */
	ERRAND_UNABLE, /* help or version could not be printed, logged: exit 3 */
};

/* argv must outlive *options, which points into it. */
enum errand options_parse(struct options *options, int argc, char **argv);

#endif
