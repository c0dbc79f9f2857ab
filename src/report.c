// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* report - picks the format, and says on stderr what did not get out. */
#include "report.h"

#include "core/histogram.h"
#include "core/result.h"
#include "core/timeline.h"
#include "host/log.h"
#include "options.h"
#include "out/classic.h"
#include "out/csv.h"
#include "out/histogram.h"
#include "out/json.h"
#include "out/text.h"

#include <errno.h>
#include <langinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int open_sink(struct sink *sink, const char *path)
{
	int ret = sink_open(sink, path);

	if (ret)
		log_error("cannot write %s: %s", path, log_errno(ret));
	return ret;
}

int report_open(struct report *report, const struct options *options)
{
	*report = (struct report){ .options = options };
	int ret = open_sink(&report->results, options->output);

	if (!ret && options->samples)
		ret = open_sink(&report->samples, options->samples);
	if (!ret && report->results.path && report->samples.path &&
	    !strcmp(report->results.path, report->samples.path)) {
		log_error("--samples: %s is --output's", options->samples);
		ret = -EINVAL;
	}
	if (!ret && options->histogram) {
		report->histograms = calloc(STEPS, sizeof(*report->histograms));
		if (!report->histograms) {
			log_error("out of memory for histograms");
			ret = -ENOMEM;
		}
	}
	if (ret)
		report_close(report);
	return ret;
}

static const char *name_of(const char *path)
{
	return path && *path && !(path[0] == '-' && !path[1]) ? path : "to standard output";
}

/* Whether it could be written. */
static bool commit(struct report *report, struct sink *sink, int failed, const char *what,
		   const char *path)
{
	int ret = sink_commit(sink, failed);

	if (!ret)
		return true;
	log_error("cannot write the %s %s: %s", what, name_of(path), log_errno(ret));
	report->lost = true;
	return false;
}

static void add_durations(struct histogram *histogram, const struct timeline *timeline,
			  enum step step)
{
	for (uint32_t i = 0; i < timeline->connections; i++) {
		if (timeline_did(timeline, step, i))
			histogram_add(histogram, span_ns(timeline_span(timeline, step, i)));
	}
}

void report_round(struct report *report, uint32_t number, const struct timeline *client,
		  const struct timeline *server)
{
	FILE *file = report->samples.file;

	for (enum step step = 0; report->histograms && step < STEPS; step++) {
		if (step_is_of(step, SIDE_CLIENT))
			add_durations(&report->histograms[step], client, step);
	}
	/* The first failure knows why; what comes after it is in no file. */
	if (file && !report->samples_failed && number == 1)
		report->samples_failed = csv_samples_header(file);
	if (file && !report->samples_failed)
		report->samples_failed = csv_samples(file, number, client);
	if (file && !report->samples_failed && server)
		report->samples_failed = csv_samples(file, number, server);
	/* Where samples have filled a disk, the report is to have room. */
	if (report->samples_failed)
		sink_commit(&report->samples, report->samples_failed);
}

static int print_histograms(const struct report *report, FILE *file)
{
	bool utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8");
	int ret = 0;

	for (enum step step = 0; !ret && report->histograms && step < STEPS; step++)
		ret = histogram_print(file, step_label(step), &report->histograms[step], utf8);
	return ret;
}

static int print_text(const struct report *report, const struct result *result)
{
	int ret = text_print(report->results.file, result);

	return ret ? ret : print_histograms(report, report->results.file);
}

static int print(struct report *report, const struct result *result)
{
	FILE *file = report->results.file;

	switch (report->options->format) {
	case FORMAT_CLASSIC:
		return classic_print(file, result);
	case FORMAT_JSON:
		return json_print(file, result);
	case FORMAT_CSV:
		return csv_print(file, result, !report->printed);
	default:
		return print_text(report, result);
	}
}

void report_result(struct report *report, const struct result *result)
{
	int failed = print(report, result);

	if (commit(report, &report->results, failed, "report", report->options->output))
		report->printed = true;
	if (report->samples.file)
		commit(report, &report->samples, report->samples_failed, "samples",
		       report->options->samples);
}

static const char *value_text(const struct threshold *t, double value, char text[static 32])
{
	if (t->unit == UNIT_TIME_NS)
		return text_duration((uint64_t)value, text);
	snprintf(text, 32, "%.6g", value);
	return text;
}

bool report_thresholds_hold(const struct report *report, const struct result *result)
{
	const struct options *options = report->options;
	bool hold = true;

	for (size_t i = 0; i < options->n_thresholds; i++) {
		const struct threshold *t = &options->thresholds[i];
		char is[32], limit[32];
		double value;

		switch (threshold_check(t, result, &value)) {
		case THRESHOLD_HOLDS:
			continue;
		case THRESHOLD_NO_DATA:
			log_warn("--fail-%s %s: there is no such figure in this run",
				 t->above ? "above" : "below", t->text);
			break;
		case THRESHOLD_BROKEN:
			log_warn("--fail-%s %s: it is %s, %s %s", t->above ? "above" : "below",
				 t->text, value_text(t, value, is), t->above ? "above" : "below",
				 value_text(t, t->limit, limit));
			break;
		}
		hold = false;
	}
	return hold;
}

void report_close(struct report *report)
{
	sink_close(&report->results);
	sink_close(&report->samples);
	free(report->histograms);
	report->histograms = NULL;
}
