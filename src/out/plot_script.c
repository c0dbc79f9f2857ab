// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* plot_script - the words of gnuplot, all in one place: main only. */
#include "out/plot_script.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* How many bytes the character there has, in UTF-8 as RFC 3629 allows it; 0: it is none. */
static size_t character(const unsigned char *at)
{
	size_t more = *at < 0x80 ? 0 : *at < 0xe0 ? 1 : *at < 0xf0 ? 2 : 3;

	if (*at < ' ' || *at == 0x7f || (*at >= 0x80 && *at < 0xc2) || *at > 0xf4)
		return 0;
	for (size_t i = 1; i <= more; i++) {
		if ((at[i] & 0xc0) != 0x80)
			return 0;
	}
	/* Control characters again, overlong forms, surrogates, and what is beyond Unicode. */
	if ((*at == 0xc2 && at[1] < 0xa0) || (*at == 0xe0 && at[1] < 0xa0) ||
	    (*at == 0xed && at[1] >= 0xa0) || (*at == 0xf0 && at[1] < 0x90) ||
	    (*at == 0xf4 && at[1] >= 0x90))
		return 0;
	return more + 1;
}

/* Between single quotes gnuplot reads nothing but the quote itself, which is doubled. */
void script_text(FILE *script, const char *text)
{
	const unsigned char *at = (const unsigned char *)text;
	size_t used = 0;

	fputc('\'', script);
	while (*at) {
		size_t bytes = character(at);

		used += bytes ? bytes : 1;
		if (used > SCRIPT_TEXT)
			break;
		if (*at == '\'')
			fputs("''", script);
		else if (bytes)
			fwrite(at, 1, bytes, script);
		else
			fputc('?', script);
		at += bytes ? bytes : 1;
	}
	fputc('\'', script);
}

void script_begin(FILE *script, enum plot_format format, unsigned int width, unsigned int height)
{
	switch (format) {
	case PLOT_SVG:
		fprintf(script,
			"set terminal svg size %u,%u dynamic noenhanced font 'sans-serif,14' "
			"background rgb 'white'\n",
			width, height);
		break;
	case PLOT_PDF:
		fprintf(script,
			"set terminal pdfcairo size %.1fcm,%.1fcm noenhanced font 'sans,10'\n",
			width / 40.0, height / 40.0);
		break;
	default:
		fprintf(script,
			"set terminal pngcairo size %u,%u noenhanced font 'sans,11' background "
			"rgb 'white'\n",
			width, height);
	}
	fputs("set encoding utf8\n"
	      "set datafile missing '?'\n"
	      "set border 3 linecolor rgb '#444444'\n"
	      "set grid linetype 1 linewidth 0.5 linecolor rgb '#d8d8d8'\n"
	      "set tics nomirror\n",
	      script);
}

/* In the order of use: the first few are far apart in hue and in grey. */
const char *script_color(size_t run)
{
	static const char *const colors[PLOT_RUNS] = { "#d55e00", "#004488", "#f0b840", "#000000",
						       "#62aee0", "#661150", "#5f6b14", "#d6d6d6" };

	return colors[run % PLOT_RUNS];
}

struct scale scale_for(uint64_t max_ns, bool log)
{
	static const struct scale scales[] = {
		{ false, 1e9, "s" }, { false, 1e6, "ms" }, { false, 1e3, "us" }, { false, 1, "ns" }
	};
	size_t i = 0;

	if (log)
		return (struct scale){ true, 1, "" };
	while (scales[i].unit_ns > 1 && (double)max_ns < 2 * scales[i].unit_ns)
		i++;
	return scales[i];
}

void script_ns(FILE *script, const struct scale *scale, double ns)
{
	/* A logarithmic axis has no 0; nothing that is timed takes less than this. */
	if (scale->log && ns < 1)
		ns = 1;
	fprintf(script, "%.7g", ns / scale->unit_ns);
}

/* 1, 2 and 5 of every decade, the latter two only where there are few. */
static void log_tics(FILE *script, const char *axis, double from_ns, double to_ns)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	bool few = to_ns / from_ns < 1000;
	const char *before = "";

	fprintf(script, "set %stics (", axis);
	for (int decade = 0; decade < 20; decade++) {
		int unit = decade / 3 < 3 ? decade / 3 : 3;

		for (int digit = 1; digit <= 5; digit += digit == 1 ? 1 : 3) {
			double ns = digit * pow(10, decade);

			if (ns < from_ns || ns > to_ns)
				continue;
			if (digit == 1 || few)
				fprintf(script, "%s'%.0f %s' %.0f", before, ns / pow(1000, unit),
					units[unit], ns);
			else
				fprintf(script, "%s'' %.0f 1", before, ns);
			before = ", ";
		}
	}
	fputs(")\n", script);
}

void script_range(FILE *script, const char *axis, const struct scale *scale, uint64_t min_ns,
		  uint64_t max_ns)
{
	double from_ns = 0, to_ns = max_ns ? (double)max_ns * 1.04 : scale->unit_ns;

	if (scale->log) {
		from_ns = min_ns ? (double)min_ns / 1.25 : 0.8;
		to_ns = max_ns ? (double)max_ns * 1.25 : 1.25;
		fprintf(script, "set logscale %s\n", axis);
		log_tics(script, axis, from_ns, to_ns);
	}
	fprintf(script, "set %srange [%.7g:%.7g]\n", axis, from_ns / scale->unit_ns,
		to_ns / scale->unit_ns);
}

void script_label(FILE *script, const char *axis, const struct scale *scale, const char *text)
{
	fprintf(script, "set %slabel '%s%s%s%s'\n", axis, text, scale->log ? "" : " (", scale->unit,
		scale->log ? "" : ")");
}
