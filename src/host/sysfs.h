/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* sysfs - one-line files of the kernel's. Any thread. */
#ifndef CMTIME_HOST_SYSFS_H
#define CMTIME_HOST_SYSFS_H

#include <stddef.h>
#include <stdint.h>

/* The first line of a file, without its newline, always terminated. 0 or -errno; line is untouched
 * on failure. */
int sysfs_read(char *line, size_t size, const char *path_format, ...)
	__attribute__((format(printf, 3, 4)));

/* A file that holds a decimal number. 0, -errno, or -EINVAL for anything else. */
int sysfs_read_u64(uint64_t *value, const char *path_format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
