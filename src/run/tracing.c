// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* tracing - collects, and cuts. */
#include "run/tracing.h"

#include "core/part.h"
#include "core/result.h"
#include "core/timeline.h"
#include "host/cmtrace.h"
#include "host/log.h"

void tracing_end_round(struct cmtrace *trace, struct timeline *timeline, struct round *round)
{
	struct cmtrace_counts counts;

	if (!trace || cmtrace_collect(trace, timeline, &counts))
		return;
	round->kernel[timeline->side] =
		(struct kernel_trace){ .is_there = true,
				       .events = counts.events,
				       .matched = counts.matched,
				       .lost = counts.lost,
				       .unmatched = part_unmatched(timeline) };
	for (enum part part = 0; part < PARTS; part++) {
		if (part_side(part) == timeline->side &&
		    part_figures(&round->parts[part], timeline, part))
			log_error("out of memory for the figures of the kernel's trace");
	}
}
