// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * text - lays out the default report, in the order it is printed.
 *
 * main only. The end of the pipeline: nothing is computed here but sums over the CM's rows.
 */
#include "out/text.h"

#include "core/result.h"
#include "core/sample.h"
#include "out/written.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* "server " and the longest label of a step fit. */
enum { LABEL = 32, PART_LABEL = 30 };

const char *text_duration(uint64_t ns, char buf[static TEXT_DURATION])
{
	static const struct {
		uint64_t ns;
		const char *name;
	} units[] = { { 1, "ns" }, { 1000, "us" }, { 1000000, "ms" }, { 1000000000, "s" } };
	static const unsigned int powers[] = { 1, 10, 100 };
	const size_t last = sizeof(units) / sizeof(*units) - 1;

	for (size_t i = 0;; i++) {
		uint64_t unit = units[i].ns,
			 scaled = ns / unit + (unit > 1 && ns % unit >= unit / 2);
		int decimals = 0;

		/* Rounding may reach the next unit: 999,600 ns are 1.00 ms. */
		if (scaled >= 1000 && i < last)
			continue;
		if (unit > 1 && ns < 100 * unit) {
			decimals = ns < 10 * unit ? 2 : 1;
			scaled = (ns * powers[decimals] + unit / 2) / unit;
			if (scaled == 1000) {
				decimals--;
				scaled = 100;
			}
		}
		if (decimals)
			snprintf(buf, TEXT_DURATION, "%" PRIu64 ".%0*u %s",
				 scaled / powers[decimals], decimals,
				 (unsigned int)(scaled % powers[decimals]), units[i].name);
		else
			snprintf(buf, TEXT_DURATION, "%" PRIu64 " %s", scaled, units[i].name);
		return buf;
	}
}

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

/* Where an end is: its address, or else its host's name. */
static const char *end_name(const struct endpoint_info *end)
{
	return *end->address ? end->address : end->host;
}

static void print_header(FILE *file, const struct run_info *run)
{
	bool is_server = run->reported_by == SIDE_SERVER;
	const struct endpoint_info *own = &run->ends[run->reported_by];
	const struct endpoint_info *peer = &run->ends[is_server ? SIDE_CLIENT : SIDE_SERVER];
	uint32_t threads = is_server ? run->server_threads : run->threads;

	fprintf(file, "cmtime %s  %s", run->version, side_name(run->reported_by));
	if (*end_name(own))
		fprintf(file, " %s", end_name(own));
	if (*end_name(peer))
		fprintf(file, " %s %s %s", is_server ? "<-" : "->",
			side_name(is_server ? SIDE_CLIENT : SIDE_SERVER), end_name(peer));
	if (*own->device)
		fprintf(file, "  %s", own->device);
	if (*own->device && *own->transport)
		fprintf(file, " (%s)", own->transport);
	fprintf(file, "  %u connection%s", run->connections, plural(run->connections));
	if (!run->window)
		fprintf(file, "  window unlimited");
	else if (run->window != WINDOW_UNKNOWN)
		fprintf(file, "  window %u", run->window);
	if (!strcmp(run->reap, "inline") && !is_server)
		fprintf(file, "  inline reaping");
	else if (threads)
		fprintf(file, "  %u%s %s%s", threads,
			!strcmp(run->reap, "deferred") && !is_server ? " deferred" : "",
			is_server ? "acceptor" : "reaper", plural(threads));
	if (run->listeners > 1)
		fprintf(file, "  %u listeners", run->listeners);
	fprintf(file, "\n");
}

/* Steps that wait for an event: of the others a thread has at most one in flight. */
static bool is_async(enum side side, enum step step)
{
	switch (step) {
	case STEP_RESOLVE_ADDR:
	case STEP_RESOLVE_ROUTE:
	case STEP_CONNECT:
	case STEP_ESTABLISH:
		return true;
	case STEP_DISCONNECT:
		return side == SIDE_CLIENT;
	default:
		return false;
	}
}

static const char *row_label(enum side side, enum step step, char label[static LABEL])
{
	snprintf(label, LABEL, "%s%s", side == SIDE_SERVER ? "server " : "", step_label(step));
	return label;
}

static int label_width(const struct round *round)
{
	size_t width = strlen("step");
	char label[LABEL];

	for (enum side side = 0; side < SIDES; side++) {
		for (enum step step = 0; step < STEPS; step++) {
			if (round_has_step(round, side, step) &&
			    strlen(row_label(side, step, label)) > width)
				width = strlen(label);
		}
	}
	return (int)width;
}

/*
 * A server's steps run within the client's, at the client's pace: beside those, a total of its own
 * would be added to them by every reader, so its time per connection is the mean there.
 */
static void print_row(FILE *file, const struct figures *f, int width, enum side reported_by)
{
	const char *total = "-", *each = "-", *in_flight = "-";
	char total_buf[32], each_buf[32], in_flight_buf[32], label[LABEL];
	const uint64_t spread_ns[] = { f->min_ns, f->p50_ns, f->p99_ns, f->max_ns };

	if (f->count && (f->side == SIDE_CLIENT || reported_by == SIDE_SERVER)) {
		snprintf(total_buf, sizeof(total_buf), "%.2f", (double)f->total_ns / 1e6);
		total = total_buf;
	}
	if (f->count) {
		snprintf(each_buf, sizeof(each_buf), "%.2f", figures_each_ns(f) / 1e3);
		each = each_buf;
	}
	if (f->count && f->total_ns && is_async(f->side, f->step)) {
		snprintf(in_flight_buf, sizeof(in_flight_buf), "%.1f", figures_in_flight(f));
		in_flight = in_flight_buf;
	}
	fprintf(file, "%-*s%8u%8u%11s%11s%11s", width, row_label(f->side, f->step, label), f->count,
		f->failed, total, each, in_flight);
	for (size_t i = 0; i < sizeof(spread_ns) / sizeof(*spread_ns); i++) {
		char duration[TEXT_DURATION];

		fprintf(file, "%9s", f->count ? text_duration(spread_ns[i], duration) : "-");
	}
	fprintf(file, "\n");
}

static void print_table(FILE *file, const struct round *round, enum side reported_by)
{
	int width = label_width(round);

	fprintf(file, "%-*s%8s%8s%11s%11s%11s%9s%9s%9s%9s\n", width, "step", "count", "failed",
		"total ms", "us/conn", "in flight", "min", "p50", "p99", "max");
	for (enum side side = 0; side < SIDES; side++) {
		for (enum step step = 0; step < STEPS; step++) {
			struct figures f = round->figures[side][step];

			/* Where it stands says what it is. */
			f.side = side;
			f.step = step;
			if (round_has_step(round, side, step))
				print_row(file, &f, width, reported_by);
		}
	}
}

static void print_failures(FILE *file, const struct ledger *ledger)
{
	for (size_t i = 0; i < ledger->n; i++) {
		const struct ledger_row *row = &ledger->rows[i];
		const struct outcome *o = &row->outcome;
		char label[LABEL], reason[128];

		outcome_reason(o->event, o->status, reason, sizeof(reason));
		fprintf(file, "%u failed in %s: %s%s, %s%s", row->count,
			row_label(row->side, o->step, label), event_kind_name(o->event),
			o->event != EVENT_REJECTED		      ? ""
			: outcome_is_user_reject(o->event, o->status) ? " by the application"
								      : " by the CM",
			strcmp(reason, "unknown") ? "" : "reason ", reason);
		if (o->status)
			fprintf(file, " (%d)", o->status);
		fprintf(file, ": connection%s", plural(row->count));
		for (uint32_t k = 0; k < row->count && k < LEDGER_FIRST; k++)
			fprintf(file, "%s %u", k ? "," : "", row->first[k]);
		fprintf(file, "%s\n", row->count > LEDGER_FIRST ? ", ..." : "");
	}
}

static void print_refused(FILE *file, const struct round *round)
{
	if (!round->strangers && !round->doubles && !round->out_of_range)
		return;
	fprintf(file,
		"Requests the server refused: %u of strangers, %u for a connection it had, %u out "
		"of "
		"range\n",
		round->strangers, round->doubles, round->out_of_range);
}

static void print_cm(FILE *file, const struct run_info *run, const struct round *round)
{
	const char *before = " ";
	uint64_t req_retries = 0;

	if (!round->n_cm) {
		fprintf(file, "CM messages: not available on this host\n");
		return;
	}
	fprintf(file, "CM messages (whole port):");
	for (enum cm_message m = 0; m < CM_MESSAGES; m++) {
		struct cm_count total;

		round_cm_total(run, round, STEPS, m, &total);
		/* The two that clients start with, always; the answers where they tell something.
		 */
		if (m != CM_REQ && m != CM_DREQ && !total.retries && !total.duplicates)
			continue;
		fprintf(file, "%s%" PRIu64 " ", before, total.sent);
		for (const char *c = cm_message_name(m); *c; c++)
			fputc(*c == '_' ? ' ' : toupper((unsigned char)*c), file);
		fprintf(file, ", %" PRIu64 " retried", total.retries);
		if (total.duplicates)
			fprintf(file, ", %" PRIu64 " received again", total.duplicates);
		before = "; ";
		if (m == CM_REQ)
			req_retries = total.retries;
	}
	fprintf(file, "\n");
	if (req_retries)
		fprintf(file,
			"A REQ is sent again when the server's backlog is full or its answer late; "
			"see --window and net.rdma_ucm.max_backlog.\n");
}

/* So that a connect of 19 s explains itself. */
static void print_retries(FILE *file, const struct round *round)
{
	char duration[TEXT_DURATION], message[8], label[LABEL];

	for (enum retry_kind kind = 0; kind < RETRY_KINDS; kind++) {
		const struct retries *r = &round->retries[kind];
		uint32_t slow = 0;

		for (uint32_t n = 1; n <= CM_RETRIES_MOST; n++)
			slow += r->count[n];
		if (!slow)
			continue;
		snprintf(message, sizeof(message), "%s", retry_message(kind));
		for (char *c = message; *c; c++)
			*c = (char)toupper((unsigned char)*c);
		fprintf(file, "%u took as long in %s as %s retries take, %s each: %u without, ",
			slow, row_label(retry_side(kind), retry_step(kind), label), message,
			text_duration(r->timeout_ns, duration), r->count[0]);
		for (uint32_t n = 1, before = 0; n <= CM_RETRIES_MOST; n++) {
			if (!r->count[n])
				continue;
			fprintf(file, "%s%u with %u", before ? ", " : "", r->count[n], n);
			before = n;
		}
		fprintf(file, "\n");
	}
}

static void print_window_note(FILE *file, const struct run_info *run, const struct round *round)
{
	uint32_t others = run->window && run->window < run->connections ? run->window - 1
									: run->connections - 1;

	if (!round->figures[SIDE_CLIENT][STEP_CONNECT].count || !run->connections || !others ||
	    run->window == WINDOW_UNKNOWN)
		return;
	if (run->window)
		fprintf(file,
			"A connect's own time includes waiting behind up to %u other%s; see "
			"--window.\n",
			others, plural(others));
	else
		fprintf(file,
			"A connect's own time includes waiting behind all others; see --window.\n");
}

static void print_verdict(FILE *file, const struct run_info *run, const struct round *round)
{
	const struct figures *f = run->reported_by == SIDE_SERVER
					  ? &round->figures[SIDE_SERVER][STEP_ESTABLISH]
					  : &round->figures[SIDE_CLIENT][STEP_CONNECT];
	double rate = figures_per_second(f);

	fprintf(file, "%u of %u connected", round->connected, run->connections);
	if (rate > 0)
		fprintf(file, ", %.*f connects/s", rate < 10 ? 2 : rate < 100 ? 1 : 0, rate);
	fprintf(file, "\n");
}

static void print_part(FILE *file, enum part part, const struct figures *f)
{
	const uint64_t spread_ns[] = { f->mean_ns, f->min_ns, f->p50_ns, f->p99_ns, f->max_ns };
	char duration[TEXT_DURATION];

	fprintf(file, "  %-*s%8u", PART_LABEL, part_label(part), f->count);
	for (size_t i = 0; i < sizeof(spread_ns) / sizeof(*spread_ns); i++)
		fprintf(file, "%9s", f->count ? text_duration(spread_ns[i], duration) : "-");
	fprintf(file, "\n");
}

/* What lies between our stamps, by the kernel's. */
static void print_kernel(FILE *file, const struct round *round)
{
	for (enum side side = 0; side < SIDES; side++) {
		const struct kernel_trace *kernel = &round->kernel[side];

		if (!kernel->is_there)
			continue;
		fprintf(file, "%-*s%8s%9s%9s%9s%9s%9s\n", PART_LABEL + 2,
			side == SIDE_CLIENT ? "connect, by the kernel's trace"
					    : "server, by its kernel's trace",
			"count", "mean", "min", "p50", "p99", "max");
		for (enum part part = 0; part < PARTS; part++) {
			if (part_side(part) == side)
				print_part(file, part, &round->parts[part]);
		}
		fprintf(file,
			"  %" PRIu64 " events, %" PRIu64
			" of these connections, %u connection%s unmatched, %" PRIu64
			" events lost\n",
			kernel->events, kernel->matched, kernel->unmatched,
			plural(kernel->unmatched), kernel->lost);
	}
}

static void print_round(FILE *file, const struct run_info *run, const struct round *round)
{
	print_table(file, round, run->reported_by);
	print_failures(file, &round->ledger);
	print_refused(file, round);
	print_cm(file, run, round);
	print_retries(file, round);
	print_kernel(file, round);
	print_window_note(file, run, round);
	print_verdict(file, run, round);
}

/* ---- several rounds ---- */

enum { RANGE = 4 * TEXT_DURATION };

/* A figure over all rounds that have it: its median, lowest and highest. */
struct range {
	double *values; /* room for a value a round */
	size_t n;
};

/* "601 us" beside "606 us" is "601". */
static void drop_unit(char text[static TEXT_DURATION], const char *beside)
{
	char *unit = strchr(text, ' ');

	if (!strcmp(unit, strchr(beside, ' ')))
		*unit = '\0';
}

static const char *range_text(struct range *range, char text[static RANGE])
{
	char median[TEXT_DURATION], low[TEXT_DURATION], high[TEXT_DURATION];

	if (!range->n)
		return "-";
	sample_sort(range->values, range->n);
	text_duration((uint64_t)sample_median(range->values, range->n), median);
	text_duration((uint64_t)range->values[0], low);
	text_duration((uint64_t)range->values[range->n - 1], high);
	drop_unit(low, median);
	drop_unit(high, median);
	snprintf(text, RANGE, "%s (%s-%s)", median, low, high);
	range->n = 0;
	return text;
}

static double p50_ns(const struct figures *f)
{
	return (double)f->p50_ns;
}

static double p99_ns(const struct figures *f)
{
	return (double)f->p99_ns;
}

static void print_ranges(FILE *file, const struct result *result, enum side side, enum step step,
			 int width, double *values)
{
	static double (*const get[])(const struct figures *) = { figures_each_ns, p50_ns, p99_ns };
	struct range range = { .values = values };
	uint64_t count = 0, failed = 0;
	char text[RANGE], label[LABEL];

	for (size_t i = 0; i < result->n_rounds; i++) {
		count += result->rounds[i].figures[side][step].count;
		failed += result->rounds[i].figures[side][step].failed;
	}
	fprintf(file, "%-*s%9" PRIu64 "%8" PRIu64, width, row_label(side, step, label), count,
		failed);
	for (size_t g = 0; g < sizeof(get) / sizeof(*get); g++) {
		for (size_t i = 0; i < result->n_rounds; i++) {
			struct figures f = result->rounds[i].figures[side][step];

			f.side = side;
			if (f.count)
				values[range.n++] = get[g](&f);
		}
		fprintf(file, "%25s", range_text(&range, text));
	}
	fprintf(file, "\n");
}

static bool any_has_step(const struct result *result, enum side side, enum step step)
{
	for (size_t i = 0; i < result->n_rounds; i++) {
		if (round_has_step(&result->rounds[i], side, step))
			return true;
	}
	return false;
}

static int print_table_of_rounds(FILE *file, const struct result *result)
{
	double *values = calloc(result->n_rounds, sizeof(*values));
	int width = label_width(&result->rounds[0]);

	if (!values)
		return -ENOMEM;
	fprintf(file, "%zu rounds: the median, and from the lowest to the highest\n",
		result->n_rounds);
	fprintf(file, "%-*s%9s%8s%25s%25s%25s\n", width, "step", "count", "failed", "time/conn",
		"p50", "p99");
	for (enum side side = 0; side < SIDES; side++) {
		for (enum step step = 0; step < STEPS; step++) {
			if (any_has_step(result, side, step))
				print_ranges(file, result, side, step, width, values);
		}
	}
	free(values);
	return 0;
}

static void print_notes_of_round(FILE *file, const struct run_info *run, const struct round *round,
				 size_t nth)
{
	static const enum cm_message asked[] = { CM_REQ, CM_DREQ };
	struct cm_count total;

	fprintf(file, "round %zu: ", nth);
	for (size_t i = 0; i < sizeof(asked) / sizeof(*asked); i++) {
		if (round_cm_total(run, round, STEPS, asked[i], &total))
			fprintf(file, "%" PRIu64 " %s retried, ", total.retries,
				asked[i] == CM_REQ ? "REQ" : "DREQ");
	}
	print_verdict(file, run, round);
	print_failures(file, &round->ledger);
	print_refused(file, round);
	print_retries(file, round);
	print_kernel(file, round);
}

static int print_rounds(FILE *file, const struct result *result)
{
	int ret = print_table_of_rounds(file, result);

	for (size_t i = 0; !ret && i < result->n_rounds; i++)
		print_notes_of_round(file, &result->run, &result->rounds[i], i + 1);
	print_window_note(file, &result->run, &result->rounds[0]);
	return ret;
}

int text_print(FILE *file, const struct result *result)
{
	int ret = 0;

	errno = 0;
	print_header(file, &result->run);
	if (result->n_rounds == 1)
		print_round(file, &result->run, &result->rounds[0]);
	else if (result->n_rounds)
		ret = print_rounds(file, result);
	int lost = written(file);

	return lost ? lost : ret;
}
