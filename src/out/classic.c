// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * classic - the old table's rows out of our steps.
 *
 * main only. At the end of the pipeline, beside text.
 */
#include "out/classic.h"

#include "core/result.h"
#include "out/written.h"

#include <errno.h>

static const struct {
	const char *label;
	enum step step;
} rows[] = {
	{ "create id", STEP_CREATE_ID },       { "bind addr", STEP_BIND_ADDR },
	{ "resolve addr", STEP_RESOLVE_ADDR }, { "resolve route", STEP_RESOLVE_ROUTE },
	{ "create qp", STEP_CREATE_QP },       { "connect", STEP_CONNECT },
	{ "disconnect", STEP_DISCONNECT },     { "destroy", STEP_DESTROY_ID },
};

static void print_row(FILE *file, const char *label, const struct figures *f, uint64_t total_ns,
		      uint32_t connections)
{
	if (!f->count || !connections) {
		fprintf(file, "%-13s: %11s%11s%11s%11s\n", label, "-", "-", "-", "-");
		return;
	}
	fprintf(file, "%-13s: %11.2f%11.2f%11.2f%11.2f\n", label, (double)total_ns / 1e6,
		(double)f->max_ns / 1e6, (double)f->min_ns / 1e3,
		(double)total_ns / 1e3 / connections);
}

int classic_print(FILE *file, const struct result *result)
{
	enum side side = result->run.reported_by;

	errno = 0;
	for (size_t i = 0; i < result->n_rounds; i++) {
		const struct figures *figures = result->rounds[i].figures[side];

		fprintf(file, "step              total ms     max ms     min us  us / conn\n");
		for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++) {
			const struct figures *f = &figures[rows[k].step];
			uint64_t total_ns = f->total_ns;

			if (rows[k].step == STEP_BIND_ADDR && !f->count)
				continue;
			if (rows[k].step == STEP_DISCONNECT)
				total_ns += figures[STEP_DESTROY_QP].total_ns;
			print_row(file, rows[k].label, f, total_ns, result->run.connections);
		}
	}
	return written(file);
}
