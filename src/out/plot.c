// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * plot - decides on axes, units and colours, so that gnuplot has nothing left to guess.
 *
 * main only. Of thousands of points most lie on others: a grid finer than a point's size says which
 * need not be written, and none that stands alone is lost.
 */
#include "out/plot.h"

#include "core/stats.h"
#include "out/plot_script.h"
#include "out/text.h"
#include "out/written.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Cells of a panel; each is less wide and high than a point, or than a line is thick. */
enum { GRID_X = 160, GRID_Y = 90 };

enum { WIDTH = 1000, HEIGHT = 480 };

struct extent {
	uint64_t begin_ns;	 /* the largest */
	uint64_t min_ns, max_ns; /* of what is drawn */
};

/* ---- what is common to the pictures ---- */

static struct extent extent_of(const struct plot *plot)
{
	struct extent extent = { .min_ns = UINT64_MAX };

	for (size_t r = 0; r < plot->n_runs; r++) {
		for (size_t i = 0; i < plot->runs[r].n; i++) {
			const struct plot_point *point = &plot->runs[r].points[i];

			if (point->begin_ns > extent.begin_ns)
				extent.begin_ns = point->begin_ns;
			if (point->ns < extent.min_ns)
				extent.min_ns = point->ns;
			if (point->ns > extent.max_ns)
				extent.max_ns = point->ns;
		}
	}
	return extent;
}

/* A run's durations in order, and their figures. The caller frees; NULL for want of memory. */
static uint64_t *durations_of(const struct plot_run *run, struct figures *figures)
{
	uint64_t *durations_ns = calloc(run->n ? run->n : 1, sizeof(*durations_ns));

	if (!durations_ns)
		return NULL;
	for (size_t i = 0; i < run->n; i++)
		durations_ns[i] = run->points[i].ns;
	figures_compute(figures, durations_ns, run->n, 0, 0);
	return durations_ns;
}

/* "windowed: 10000, 2 failed, median 15.9 ms, longest 20.0 ms" */
static void write_run_name(FILE *script, const struct plot_run *run, const struct figures *figures)
{
	char name[SCRIPT_TEXT], p50[TEXT_DURATION], max[TEXT_DURATION], failed[40] = "";

	if (run->failed)
		snprintf(failed, sizeof(failed), ", %" PRIu64 " failed", run->failed);
	snprintf(name, sizeof(name), "%.*s: %zu%s, median %s, longest %s", SCRIPT_LABEL, run->label,
		 run->n, failed, text_duration(figures->p50_ns, p50),
		 text_duration(figures->max_ns, max));
	script_text(script, name);
}

static void write_title(FILE *script, const struct plot *plot)
{
	char title[SCRIPT_TEXT + 1];

	if (plot->title)
		snprintf(title, sizeof(title), "%s", plot->title);
	else if (plot->kind == PLOT_STEPS)
		snprintf(title, sizeof(title), "Time a connection, step by step (%s)",
			 side_name(plot->side));
	else
		snprintf(title, sizeof(title), "Time that each connection took in %s (%s)",
			 step_label(plot->step), side_name(plot->side));
	script_text(script, title);
}

/* ---- over time ---- */

/* Where a value lies on an axis of so many cells. */
static size_t cell(const struct scale *scale, uint64_t ns, uint64_t min_ns, uint64_t max_ns,
		   size_t cells)
{
	double at = 0;

	if (scale->log && max_ns > min_ns && min_ns)
		at = log((double)ns / (double)min_ns) / log((double)max_ns / (double)min_ns);
	else if (max_ns)
		at = (double)ns / (double)max_ns;
	return (size_t)(at * (double)(cells - 1) + 0.5);
}

/* The number of points that were written. */
static size_t write_points(FILE *script, const struct plot_run *run, const struct extent *extent,
			   const struct scale *x, const struct scale *y)
{
	bool taken[GRID_X][GRID_Y] = { { false } };
	size_t n = 0;

	for (size_t i = 0; i < run->n; i++) {
		const struct plot_point *point = &run->points[i];
		bool *seen = &taken[cell(x, point->begin_ns, 0, extent->begin_ns, GRID_X)]
				   [cell(y, point->ns, extent->min_ns, extent->max_ns, GRID_Y)];

		if (*seen)
			continue;
		*seen = true;
		n++;
		script_ns(script, x, (double)point->begin_ns);
		fputc(' ', script);
		script_ns(script, y, (double)point->ns);
		fputc('\n', script);
	}
	return n;
}

/* Side by side as long as a title fits over each. */
static unsigned int panel_columns(const struct plot *plot)
{
	return plot->n_runs > 1 ? 2 : 1;
}

/* One panel a run, all with the same axes: what is higher took longer, in whichever panel. */
static void write_layout(FILE *script, const struct plot *plot, bool thinned)
{
	unsigned int columns = panel_columns(plot);
	unsigned int rows = ((unsigned int)plot->n_runs + columns - 1) / columns;
	unsigned int head = 64, foot = thinned ? 84 : 64, between = 96, panel = 330;
	double height = head + rows * panel + (rows - 1) * between + foot;

	script_begin(script, plot->format, WIDTH, (unsigned int)height);
	fprintf(script, "set multiplot layout %u,%u title ", rows, columns);
	write_title(script, plot);
	fprintf(script, " margins 0.1,0.985,%.4g,%.4g spacing 0.075,%.4g\n", foot / height,
		1 - head / height, between / height);
	if (thinned)
		fprintf(script,
			"set label 1 'Points that would cover each other are drawn once.' "
			"at screen 0.985,%.4g right font ',9' textcolor rgb '#555555'\n",
			14 / height);
	fputs("unset key\n", script);
}

static int write_panel(FILE *script, const struct plot *plot, size_t r, const struct scale *y)
{
	const struct plot_run *run = &plot->runs[r];
	struct figures figures = { 0 };
	uint64_t *durations_ns = durations_of(run, &figures);
	char label[64];

	if (!durations_ns)
		return -ENOMEM;
	free(durations_ns);
	snprintf(label, sizeof(label), "time in %s", step_label(plot->step));
	if (r % panel_columns(plot))
		fputs("unset ylabel\n", script);
	else
		script_label(script, "y", y, label);
	fputs("set title ", script);
	write_run_name(script, run, &figures);
	fprintf(script,
		" font ',10' offset 0,-0.5\n"
		"plot $run%zu using 1:2 with points pointtype 7 pointsize 0.3 linecolor rgb '%s'\n",
		r + 1, script_color(r));
	if (!r)
		fputs("unset label 1\n", script);
	return 0;
}

static int write_time(FILE *script, const struct plot *plot)
{
	struct extent extent = extent_of(plot);
	struct scale x = scale_for(extent.begin_ns, false);
	struct scale y = scale_for(extent.max_ns, plot->log);
	bool thinned = false;
	char label[64];
	int ret = 0;

	for (size_t r = 0; r < plot->n_runs; r++) {
		fprintf(script, "$run%zu << end\n", r + 1);
		thinned |= write_points(script, &plot->runs[r], &extent, &x, &y) < plot->runs[r].n;
		fputs("end\n", script);
	}
	write_layout(script, plot, thinned);
	script_range(script, "x", &x, 0, extent.begin_ns);
	script_range(script, "y", &y, extent.min_ns, extent.max_ns);
	snprintf(label, sizeof(label), "when it began, since the first %s", step_label(plot->step));
	script_label(script, "x", &x, label);
	for (size_t r = 0; r < plot->n_runs && !ret; r++)
		ret = write_panel(script, plot, r, &y);
	fputs("unset multiplot\n", script);
	return ret;
}

/* ---- the distribution ---- */

/* The corners of the curve, but for those in the cell of the one before. */
static void write_curve(FILE *script, const uint64_t *durations_ns, size_t n,
			const struct extent *extent, const struct scale *x)
{
	size_t last_x = SIZE_MAX, last_y = SIZE_MAX;

	script_ns(script, x, (double)durations_ns[0]);
	fputs(" 0\n", script);
	for (size_t i = 0; i < n; i++) {
		size_t at_x = cell(x, durations_ns[i], extent->min_ns, extent->max_ns, 6 * GRID_X);
		size_t at_y = (i + 1) * 6 * GRID_Y / n;

		if (i + 1 < n &&
		    (durations_ns[i] == durations_ns[i + 1] || (at_x == last_x && at_y == last_y)))
			continue;
		last_x = at_x;
		last_y = at_y;
		script_ns(script, x, (double)durations_ns[i]);
		fprintf(script, " %.6g\n", 100.0 * (double)(i + 1) / (double)n);
	}
}

static int write_distribution(FILE *script, const struct plot *plot)
{
	struct extent extent = extent_of(plot);
	struct scale x = scale_for(extent.max_ns, true);
	struct figures figures[PLOT_RUNS] = { 0 };
	char label[64];

	for (size_t r = 0; r < plot->n_runs; r++) {
		uint64_t *durations_ns = durations_of(&plot->runs[r], &figures[r]);

		if (!durations_ns)
			return -ENOMEM;
		fprintf(script, "$run%zu << end\n", r + 1);
		write_curve(script, durations_ns, plot->runs[r].n, &extent, &x);
		fputs("end\n", script);
		free(durations_ns);
	}
	double key = 20 * (double)plot->n_runs, height = HEIGHT + key;

	script_begin(script, plot->format, WIDTH, (unsigned int)height);
	fputs("set title ", script);
	write_title(script, plot);
	fputs("\nset yrange [0:102]\n"
	      "set ytics (0, 10, 25, 50, 75, 90, 100)\n"
	      "set ylabel 'connections that took no longer (%)'\n",
	      script);
	script_range(script, "x", &x, extent.min_ns, extent.max_ns);
	/* Below the axis, where no curve can be; gnuplot would leave too little room for both. */
	fprintf(script,
		"set bmargin at screen %.4g\n"
		"set key at screen 0.1,%.4g left top vertical maxcols 1 Left reverse\n",
		(key + 72) / height, (key + 20) / height);
	snprintf(label, sizeof(label), "time in %s, logarithmic", step_label(plot->step));
	script_label(script, "x", &x, label);
	for (size_t r = 0; r < plot->n_runs; r++) {
		fprintf(script,
			"%s$run%zu using 1:2 with steps linewidth 2 dashtype %zu "
			"linecolor rgb '%s' title ",
			r ? ", \\\n" : "plot ", r + 1, r % 5 + 1, script_color(r));
		write_run_name(script, &plot->runs[r], &figures[r]);
	}
	fputs("\n", script);
	return 0;
}

/* ---- step by step ---- */

static struct extent extent_of_steps(const struct plot *plot)
{
	struct extent extent = { .min_ns = UINT64_MAX };

	for (size_t r = 0; r < plot->n_runs; r++) {
		for (enum step step = 0; step < STEPS; step++) {
			double ns = plot->runs[r].each_ns[step];

			if (!(ns > 0))
				continue;
			if (ns < (double)extent.min_ns)
				extent.min_ns = (uint64_t)ns;
			if (ns > (double)extent.max_ns)
				extent.max_ns = (uint64_t)ceil(ns);
		}
	}
	return extent;
}

/* A row a step that any run did: its label, then of every run the number, and that in words. How
 * many. */
static size_t write_steps_data(FILE *script, const struct plot *plot, const struct scale *y,
			       const struct scale *text)
{
	size_t rows = 0;

	fputs("$steps << end\n", script);
	for (enum step step = 0; step < STEPS; step++) {
		bool any = false;

		for (size_t r = 0; r < plot->n_runs; r++)
			any |= plot->runs[r].each_ns[step] > 0;
		if (!any)
			continue;
		rows++;
		fprintf(script, "\"%s\"", step_label(step));
		for (size_t r = 0; r < plot->n_runs; r++) {
			double ns = plot->runs[r].each_ns[step], number = ns / text->unit_ns;

			if (!(ns > 0)) {
				fputs(" ? ?", script);
				continue;
			}
			fputc(' ', script);
			script_ns(script, y, ns);
			fprintf(script, " %.*f",
				number < 0.1   ? 3
				: number < 10  ? 2
				: number < 100 ? 1
					       : 0,
				number);
		}
		fputc('\n', script);
	}
	fputs("end\n", script);
	return rows;
}

/* A bar needs a foot to stand on; where it is cut off says nothing. */
static uint64_t decade_below(uint64_t ns)
{
	uint64_t decade = 1;

	while (ns / 10 >= decade)
		decade *= 10;
	return decade;
}

static int write_steps(FILE *script, const struct plot *plot)
{
	struct extent extent = extent_of_steps(plot);
	/* A unit in which short steps, too, are more than a few hundredths. */
	struct scale y = scale_for(extent.max_ns / 10, plot->log);
	struct scale text = scale_for(extent.max_ns / 10, false);
	size_t n = plot->n_runs;
	char label[64];
	size_t rows = write_steps_data(script, plot, &y, &text);
	script_begin(script, plot->format, WIDTH, HEIGHT);
	fputs("set title ", script);
	write_title(script, plot);
	fputs("\nset key below\n"
	      "unset grid\nset grid ytics\n"
	      "set style data histograms\n"
	      "set style histogram clustered gap 1\n"
	      "set style fill solid 1 border rgb '#000000'\n"
	      "set xtics scale 0 font ',9'\n",
	      script);
	fprintf(script, "set xrange [-0.6:%.1f]\n", (double)rows - 0.4);
	/* Room for the numbers on top of the bars. */
	script_range(script, "y", &y, decade_below(extent.min_ns),
		     extent.max_ns + extent.max_ns / (y.log ? 2 : 16));
	if (y.log)
		snprintf(label, sizeof(label), "time a connection, logarithmic (bars: %s)",
			 text.unit);
	else
		snprintf(label, sizeof(label), "time a connection");
	script_label(script, "y", &y, label);
	for (size_t r = 0; r < n; r++) {
		fprintf(script, "%s$steps using %zu:xtic(1) linecolor rgb '%s' title ",
			r ? ", \\\n" : "plot ", 2 * r + 2, script_color(r));
		script_text(script, plot->runs[r].label);
	}
	/* gnuplot puts a step's bars around its number, with a gap of one bar. */
	for (size_t r = 0; r < n; r++)
		fprintf(script,
			", \\\n$steps using ($0+%.5g):%zu:%zu with labels %s font ',8' notitle",
			((double)r - (double)(n - 1) / 2) / (double)(n + 1), 2 * r + 2, 2 * r + 3,
			n > 2 ? "rotate by 90 left offset 0,0.4" : "center offset 0,0.6");
	fputs("\n", script);
	return 0;
}

int plot_write(FILE *script, const struct plot *plot)
{
	static int (*const write[PLOT_KINDS])(FILE *, const struct plot *) = {
		[PLOT_TIME] = write_time,
		[PLOT_DISTRIBUTION] = write_distribution,
		[PLOT_STEPS] = write_steps,
	};
	int ret = write[plot->kind](script, plot);

	errno = 0;
	return ret ? ret : written(script);
}
