// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* csv - columns are only ever added behind the last. cmtime(1), CSV */
#include "out/csv.h"

#include "core/result.h"
#include "core/timeline.h"
#include "out/written.h"

#include <errno.h>
#include <inttypes.h>

/* ---- figures ---- */

static void print_figures(FILE *file, const struct figures *f)
{
	const uint64_t durations_ns[] = { f->total_ns,
					  f->sum_ns,
					  f->mean_ns,
					  f->min_ns,
					  f->p50_ns,
					  f->p90_ns,
					  f->p99_ns,
					  f->p999_ns,
					  f->max_ns,
					  f->stddev_ns,
					  f->max_ns - f->min_ns };
	double rates[] = { figures_per_second(f), figures_in_flight(f) };

	fprintf(file, ",%" PRIu32 ",%" PRIu32, f->count, f->failed);
	for (size_t i = 0; i < sizeof(durations_ns) / sizeof(*durations_ns); i++) {
		if (f->count)
			fprintf(file, ",%" PRIu64, durations_ns[i]);
		else
			fputc(',', file);
	}
	for (size_t i = 0; i < sizeof(rates) / sizeof(*rates); i++) {
		if (rates[i] > 0)
			fprintf(file, ",%.6g", rates[i]);
		else
			fputc(',', file);
	}
	fputc('\n', file);
}

int csv_print(FILE *file, const struct result *result, bool header)
{
	errno = 0;
	if (header)
		fputs("run_id,round,side,step,count,failed,total_ns,sum_ns,mean_ns,min_ns,p50_ns,"
		      "p90_ns,p99_ns,p999_ns,max_ns,stddev_ns,spread_ns,per_second,in_flight\n",
		      file);
	for (size_t i = 0; i < result->n_rounds; i++) {
		const struct round *round = &result->rounds[i];

		for (enum side side = 0; side < SIDES; side++) {
			for (enum step step = 0; step < STEPS; step++) {
				if (!round_has_step(round, side, step))
					continue;
				fprintf(file, "%s,%zu,%s,%s", result->run.run_id, i + 1,
					side_name(side), step_name(step));
				print_figures(file, &round->figures[side][step]);
			}
		}
	}
	return written(file);
}

/* ---- samples ---- */

int csv_samples_header(FILE *file)
{
	errno = 0;
	fputs("connection,side,source,destination,outcome,attempts", file);
	for (enum step step = 0; step < STEPS; step++)
		fprintf(file, ",%s_begin_ns,%s_ns", step_name(step), step_name(step));
	fputs(",round", file);
	for (enum part part = 0; part < PARTS; part++)
		fprintf(file, ",kernel_%s_ns", part_name(part));
	fputc('\n', file);
	return written(file);
}

/* "ok", "connect:REJECTED:28", or "none": a connection that never came to this side. */
static void print_outcome(FILE *file, const struct timeline *timeline, uint32_t index)
{
	const struct outcome *outcome = &timeline->outcomes[index];
	enum step first = timeline->side == SIDE_CLIENT ? STEP_CREATE_ID : STEP_ACCEPT;

	if (outcome->event != EVENT_NONE)
		fprintf(file, "%s:%s:%" PRId32, step_name(outcome->step),
			event_kind_name(outcome->event), outcome->status);
	else
		fputs(timeline_span(timeline, first, index)->begin_ns ? "ok" : "none", file);
}

/* Failed steps have a begin, and no duration. */
static void print_span(FILE *file, const struct timeline *timeline, enum step step, uint32_t index,
		       uint64_t begin_ns)
{
	const struct span *span =
		timeline->spans[step] ? timeline_span(timeline, step, index) : NULL;

	if (span && span->begin_ns >= begin_ns && span->begin_ns)
		fprintf(file, ",%" PRIu64, span->begin_ns - begin_ns);
	else
		fputc(',', file);
	if (span && timeline_did(timeline, step, index))
		fprintf(file, ",%" PRIu64, span_ns(span));
	else
		fputc(',', file);
}

static void print_parts(FILE *file, const struct timeline *timeline, uint32_t index)
{
	uint64_t ns;

	for (enum part part = 0; part < PARTS; part++) {
		if (part_ns(timeline, index, part, &ns))
			fprintf(file, ",%" PRIu64, ns);
		else
			fputc(',', file);
	}
	fputc('\n', file);
}

int csv_samples(FILE *file, uint32_t round, const struct timeline *timeline)
{
	static const struct detail none;
	uint64_t begin_ns = timeline_begin_ns(timeline);
	char source[ADDRESS_TEXT], destination[ADDRESS_TEXT];

	errno = 0;
	for (uint32_t i = 0; i < timeline->connections; i++) {
		const struct detail *detail = timeline->details ? &timeline->details[i] : &none;

		fprintf(file, "%" PRIu32 ",%s,%s,%s,", i, side_name(timeline->side),
			address_text(&detail->source, source),
			address_text(&detail->destination, destination));
		print_outcome(file, timeline, i);
		fprintf(file, ",%" PRIu32, detail->attempts);
		for (enum step step = 0; step < STEPS; step++)
			print_span(file, timeline, step, i, begin_ns);
		fprintf(file, ",%" PRIu32, round);
		print_parts(file, timeline, i);
	}
	return written(file);
}
