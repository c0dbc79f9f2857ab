/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * plot - the pictures of runs, as a script for gnuplot with its data in it.
 *
 * Writes, runs nothing: host/gnuplot.h does. main only.
 */
#ifndef CMTIME_OUT_PLOT_H
#define CMTIME_OUT_PLOT_H

#include "core/step.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum plot_kind {
	PLOT_TIME,	   /* each connection's latency in a step, over when it began it */
	PLOT_DISTRIBUTION, /* the part of the connections that a latency is enough for */
	PLOT_STEPS,	   /* time a connection, of every step */
	PLOT_KINDS
};

enum plot_format { PLOT_PNG, PLOT_SVG, PLOT_PDF, PLOT_FORMATS };

/* No more runs than can be told apart, in colour or in grey. */
enum { PLOT_RUNS = 8 };

/* A connection that did the step. */
struct plot_point {
	uint64_t begin_ns; /* since the first connection began it */
	uint64_t ns;
};

struct plot_run {
	const char *label;	   /* anything: it is quoted */
	struct plot_point *points; /* for PLOT_TIME and PLOT_DISTRIBUTION */
	size_t n;
	uint64_t failed;
	double each_ns[STEPS]; /* for PLOT_STEPS, a connection; 0: no data */
};

struct plot {
	enum plot_kind kind;
	enum plot_format format;
	enum side side;
	enum step step;	   /* not for PLOT_STEPS */
	const char *title; /* NULL: what is shown, in words */
	bool log;	   /* a logarithmic axis of times; a distribution has one anyway */
	struct plot_run runs[PLOT_RUNS];
	size_t n_runs; /* at least 1; each with data for the kind */
};

/*
 * The whole script; gnuplot then writes the picture to its standard output. Points that would cover
 * each other are written once. 0, -ENOMEM, or -errno of the writing.
 */
int plot_write(FILE *script, const struct plot *plot);

#endif
