// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * progress - writes the line. What cannot be written is dropped: progress is no result.
 *
 * main only; beside the pipeline, not in it.
 */
#include "out/progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A line that wraps cannot be rewritten, and 80 columns there always are. */
enum { LINE = 80 };

static const uint64_t terminal_pause_ns = 100000000, plain_pause_ns = 2000000000,
		      rate_after_ns = 1000000000;

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

/* Appends to text while there is room. */
__attribute__((format(printf, 2, 3))) static void add(char text[static LINE], const char *format,
						      ...)
{
	size_t used = strlen(text);
	va_list args;

	va_start(args, format);
	vsnprintf(text + used, LINE - used, format, args);
	va_end(args);
}

/* Whole units, since it is a guess. */
static void add_time(char text[static LINE], double seconds)
{
	if (seconds < 60)
		add(text, ", %.0f s left", seconds);
	else if (seconds < 3600)
		add(text, ", %.0f min left", seconds / 60);
	else
		add(text, ", %.0f h left", seconds / 3600);
}

static void lay_out(const struct progress *progress, char text[static LINE], uint32_t done,
		    uint32_t of, uint32_t failed, uint32_t in_flight, uint64_t now_ns)
{
	double seconds = (double)(now_ns - progress->began_ns) / 1e9, rate = 0;

	if (now_ns - progress->began_ns >= rate_after_ns && done > progress->at_begin)
		rate = (done - progress->at_begin) / seconds;
	*text = '\0';
	add(text, "%s: %u of %u", progress->step, done, of);
	if (rate > 0)
		add(text, ", %.*f/s", rate < 10 ? 1 : 0, rate);
	if (failed)
		add(text, ", %u failed", failed);
	add(text, ", %u in flight", in_flight);
	if (rate > 0 && of > done)
		add_time(text, (of - done) / rate);
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
	if (is_new) {
		progress->step = step;
		progress->began_ns = now_ns;
		progress->at_begin = done;
	}
	progress->next_ns = now_ns + (progress->is_terminal ? terminal_pause_ns : plain_pause_ns);
	lay_out(progress, text, done, of, failed, in_flight, now_ns);
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
