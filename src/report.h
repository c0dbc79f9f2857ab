/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * report - what leaves the program: results in the format asked for, samples, and the thresholds'
 * verdict.
 *
 * Opened before the run, so that what cannot be written is known before anything is measured. One
 * thread at a time: a client's main, or a server's session under the server's lock.
 */
#ifndef CMTIME_REPORT_H
#define CMTIME_REPORT_H

#include "out/sink.h"

#include <stdbool.h>
#include <stdint.h>

struct options;
struct result;
struct timeline;

struct report {
	const struct options *options;
	struct sink results, samples;
	struct histogram *histograms; /* owned, [step] of the client, over all rounds; NULL: not
					 wanted */
	int samples_failed;	      /* -errno of the first that could not be written */
	bool printed;		      /* a result has been */
	bool lost;		      /* something could not be written */
};

/* options must outlive it. 0 or -errno, logged. */
int report_open(struct report *report, const struct options *options);

/* Takes a round's samples, if they are wanted, for their file and for histograms: struct observer's
 * round(). */
void report_round(struct report *report, uint32_t number, const struct timeline *client,
		  const struct timeline *server);

/* The run is over: its result, and its samples are whole. Failures are logged, and noted in lost.
 */
void report_result(struct report *report, const struct result *result);

/* Whether every threshold holds; those that do not are logged. */
bool report_thresholds_hold(const struct report *report, const struct result *result);

void report_close(struct report *report);

#endif
