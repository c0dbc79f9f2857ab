// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* sysfs - open, read once, close: the kernel gives such a file whole (sysfs(5)). */
#include "host/sysfs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int read_line(char *line, size_t size, const char *path_format, va_list args)
	__attribute__((format(printf, 3, 0)));

static int read_line(char *line, size_t size, const char *path_format, va_list args)
{
	char path[256], text[256];

	if (vsnprintf(path, sizeof(path), path_format, args) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	ssize_t n = read(fd, text, sizeof(text) - 1);
	int ret = n < 0 ? -errno : 0;

	close(fd);
	if (ret)
		return ret;
	text[n] = '\0';
	text[strcspn(text, "\n")] = '\0';
	snprintf(line, size, "%s", text);
	return 0;
}

int sysfs_read(char *line, size_t size, const char *path_format, ...)
{
	va_list args;

	va_start(args, path_format);
	int ret = read_line(line, size, path_format, args);

	va_end(args);
	return ret;
}

int sysfs_read_u64(uint64_t *value, const char *path_format, ...)
{
	char line[32], *end;
	va_list args;

	va_start(args, path_format);
	int ret = read_line(line, sizeof(line), path_format, args);

	va_end(args);
	if (ret)
		return ret;
	errno = 0;
	unsigned long long number = strtoull(line, &end, 10);

	if (errno || end == line || *end)
		return -EINVAL;
	*value = number;
	return 0;
}
