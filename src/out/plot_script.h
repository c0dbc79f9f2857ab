/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * plot_script - the small change of a script for gnuplot: quoted text, terminals, colours, axes.
 *
 * Nothing from outside gets into a script but through script_text(). main only; write errors stay
 * in the stream.
 */
#ifndef CMTIME_OUT_PLOT_SCRIPT_H
#define CMTIME_OUT_PLOT_SCRIPT_H

#include "out/plot.h"

/* Bytes of text from outside that are shown, of a label and of anything; the rest is cut off. */
enum { SCRIPT_LABEL = 24, SCRIPT_TEXT = 240 };

/* In quotes, as a literal: control characters and what is no UTF-8 become '?'. */
void script_text(FILE *script, const char *text);

/* The terminal of that format, and what must be set before all else. */
void script_begin(FILE *script, enum plot_format format, unsigned int width, unsigned int height);

/* The colour of a run, "#rrggbb": all differ for the colour-blind, and in grey. */
const char *script_color(size_t run);

/* What an axis counts in. */
struct scale {
	bool log; /* then in ns, and each tic has its unit */
	double unit_ns;
	const char *unit; /* "" if log */
};

/* For durations of up to max_ns. */
struct scale scale_for(uint64_t max_ns, bool log);

/* "set xrange ...": for axis "x" or "y", to hold these; linear ones begin at 0. */
void script_range(FILE *script, const char *axis, const struct scale *scale, uint64_t min_ns,
		  uint64_t max_ns);

/* A duration as a number of the scale. */
void script_ns(FILE *script, const struct scale *scale, double ns);

/* "set xlabel '... (ms)'" */
void script_label(FILE *script, const char *axis, const struct scale *scale, const char *text);

#endif
