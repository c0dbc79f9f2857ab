// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* cmtrace - in place of cmtrace.c where libtracefs is not: says so, once a trace is asked for. */
#include "host/cmtrace.h"

#include "host/log.h"

#include <errno.h>
#include <stddef.h>

int cmtrace_open(struct cmtrace **trace, enum side side, uint32_t connections)
{
	(void)side;
	(void)connections;
	*trace = NULL;
	log_warn("no kernel trace: this cmtime was built without libtracefs");
	return -ENOSYS;
}

void cmtrace_mark(struct cmtrace *trace, const char *text)
{
	(void)trace;
	(void)text;
}

int cmtrace_collect(struct cmtrace *trace, struct timeline *timeline, struct cmtrace_counts *counts)
{
	(void)trace;
	(void)timeline;
	*counts = (struct cmtrace_counts){ 0 };
	return 0;
}

void cmtrace_close(struct cmtrace *trace)
{
	(void)trace;
}
