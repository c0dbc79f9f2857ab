/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * log - what goes to stderr: "cmtime: ..." lines. Any thread; a line is written by one call.
 *
 * Whoever detects a fault logs it, once; callers pass the -errno on.
 */
#ifndef CMTIME_HOST_LOG_H
#define CMTIME_HOST_LOG_H

/* Failures. */
void log_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* What may spoil a figure. */
void log_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* With -v only. */
void log_info(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* main, before any thread. */
void log_set_verbose(int verbose);

/* "ENOENT: No such file or directory" of an errno, positive or negative; "unknown error" for 0. A
 * string that lives until the thread's next call. */
const char *log_errno(int error);

#endif
