// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* log - one write(2) a line, so that threads' lines don't mix. */
#include "host/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int is_verbose;

void log_set_verbose(int verbose)
{
	is_verbose = verbose;
}

static void log_line(const char *kind, const char *format, va_list args)
	__attribute__((format(printf, 2, 0)));

static void log_line(const char *kind, const char *format, va_list args)
{
	char line[1024];
	int n = snprintf(line, sizeof(line), "cmtime: %s", kind);
	int room = (int)sizeof(line) - n - 1;
	int m = vsnprintf(line + n, (size_t)room, format, args);

	n += m < 0 ? 0 : m >= room ? room - 1 : m;
	line[n++] = '\n';
	if (write(STDERR_FILENO, line, (size_t)n) < 0)
		return; /* nowhere left to say so */
}

void log_error(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	log_line("", format, args);
	va_end(args);
}

void log_warn(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	log_line("warning: ", format, args);
	va_end(args);
}

void log_info(const char *format, ...)
{
	va_list args;

	if (!is_verbose)
		return;
	va_start(args, format);
	log_line("", format, args);
	va_end(args);
}

const char *log_errno(int error)
{
	static _Thread_local char text[128];
	const char *name = strerrorname_np(abs(error));

	if (!error)
		return "unknown error";
	snprintf(text, sizeof(text), "%s: %s", name ? name : "unknown", strerror(abs(error)));
	return text;
}
