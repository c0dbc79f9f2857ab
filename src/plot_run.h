/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * plot_run - one RUN of cmtime plot: a file of samples or of results, as what is to be drawn of it.
 *
 * main only.
 */
#ifndef CMTIME_PLOT_RUN_H
#define CMTIME_PLOT_RUN_H

#include "core/step.h"

#include <stdio.h>

struct plot_run;

enum plot_source { PLOT_SAMPLES, PLOT_RESULTS };

/* What the file holds, told by how it begins; nothing is read away. 0, or -EPROTO for neither. */
int plot_source_of(FILE *file, enum plot_source *source);

/*
 * The connections that did a step, for PLOT_TIME and PLOT_DISTRIBUTION, and what every step took a
 * connection, for PLOT_STEPS. Several rounds lie over each other. path is for messages. 0, or
 * -errno, logged; on success run->points is the caller's to free. Leaves run->label alone.
 */
int plot_run_load_samples(struct plot_run *run, FILE *file, const char *path, enum side side,
			  enum step step);

/* The latter only. */
int plot_run_load_results(struct plot_run *run, FILE *file, const char *path, enum side side);

#endif
