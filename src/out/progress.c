// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * progress - writes the line. What cannot be written is dropped: progress is no result.
 *
 * main only; beside the pipeline, not in it.
 */
#include "out/progress.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A line that wraps cannot be rewritten, and 80 columns there always are. */
enum { LINE = 80 };

static const uint64_t terminal_pause_ns = 100000000, plain_pause_ns = 1000000000;

void progress_init(struct progress *progress, enum progress_mode mode, int fd)
{
	bool is_terminal = isatty(fd);
	bool is_on = mode == PROGRESS_ALWAYS || (mode == PROGRESS_AUTO && is_terminal);

	*progress = (struct progress){ .fd = is_on ? fd : -1, .is_terminal = is_terminal };
}

static void put(const struct progress *progress, const char *text, size_t n)
{
	if (write(progress->fd, text, n) < 0)
		return;
}

void progress_update(struct progress *progress, const char *step, uint32_t done, uint32_t of,
		     uint32_t failed, uint32_t in_flight, uint64_t now_ns)
{
	bool is_new = !progress->step || strcmp(progress->step, step);
	char text[LINE], line[2 * LINE];
	unsigned int width;
	int n;

	if (progress->fd < 0 || (!is_new && now_ns < progress->next_ns))
		return;
	progress->step = step;
	progress->next_ns = now_ns + (progress->is_terminal ? terminal_pause_ns : plain_pause_ns);

	n = snprintf(text, sizeof(text), "%s: %u of %u, ", step, done, of);
	if (failed && n > 0 && n < LINE)
		n += snprintf(text + n, sizeof(text) - (size_t)n, "%u failed, ", failed);
	if (n > 0 && n < LINE)
		snprintf(text + n, sizeof(text) - (size_t)n, "%u in flight", in_flight);

	width = (unsigned int)strlen(text);
	if (progress->is_terminal)
		/* Blanks cover what is left of a longer line: every terminal knows those. */
		n = snprintf(line, sizeof(line), "\r%-*s", (int)progress->width, text);
	else
		n = snprintf(line, sizeof(line), "%s\n", text);
	progress->width = width;
	put(progress, line, (size_t)n);
}

void progress_end(struct progress *progress)
{
	char line[LINE + 2];
	int n;

	if (progress->fd >= 0 && progress->is_terminal && progress->width) {
		n = snprintf(line, sizeof(line), "\r%*s\r", (int)progress->width, "");
		put(progress, line, (size_t)n);
	}
	progress->width = 0;
	progress->step = NULL;
}
