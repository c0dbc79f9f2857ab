// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* sink - mkstemp(3), rename(2), and ftruncate(2) for what did not fit. */
#include "out/sink.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* As open(2) would have made it. */
static mode_t mode_of_new_file(void)
{
	mode_t mask = umask(0);

	umask(mask);
	return (mode_t)0666 & ~mask;
}

/* Of a file that is to be: its folder is there. NULL with errno. */
static char *path_of_new(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
	char *real = folder ? realpath(folder, NULL) : NULL, *whole = NULL;

	if (real && asprintf(&whole, "%s/%s", real, slash ? slash + 1 : path) < 0)
		whole = NULL;
	free(folder);
	free(real);
	return whole;
}

static int open_draft(struct sink *sink, const char *path, const struct stat *old)
{
	/* Behind a link is where the file is; and one file has one path. */
	sink->path = old ? realpath(path, NULL) : path_of_new(path);
	if (!sink->path)
		return -errno;
	if (asprintf(&sink->draft, "%s.XXXXXX", sink->path) < 0) {
		sink->draft = NULL;
		return -ENOMEM;
	}
	int fd = mkstemp(sink->draft);

	if (fd < 0) {
		int ret = -errno;

		free(sink->draft);
		sink->draft = NULL;
		return ret;
	}
	fchmod(fd, old ? old->st_mode & (mode_t)07777 : mode_of_new_file());
	sink->file = fdopen(fd, "w");
	if (sink->file)
		return 0;
	close(fd);
	return -ENOMEM;
}

/* A link that leads nowhere is not free: rename(2) would replace it. 0, or what is wrong. */
static int look_at(const char *path, struct stat *old, bool *is_free)
{
	struct stat link;
	int ret = stat(path, old) ? -errno : 0;

	*is_free = ret == -ENOENT && lstat(path, &link);
	return *is_free ? 0 : ret;
}

int sink_open(struct sink *sink, const char *path)
{
	struct stat old;
	bool is_free;

	*sink = (struct sink){ .file = stdout };
	if (!path || !strcmp(path, "-"))
		return 0;
	sink->file = NULL;
	int ret = look_at(path, &old, &is_free);

	if (!ret && is_free) {
		ret = open_draft(sink, path, NULL);
	} else if (!ret && !S_ISREG(old.st_mode)) {
		sink->file = fopen(path, "we");
		ret = sink->file ? 0 : -errno;
	} else if (!ret) {
		/* rename(2) would replace what the user may not write. */
		ret = access(path, W_OK) ? -errno : open_draft(sink, path, &old);
	}
	if (ret)
		sink_close(sink);
	return ret;
}

static int flush(struct sink *sink, int failed)
{
	errno = 0;
	if (!fflush(sink->file) && !ferror(sink->file) && !failed)
		return 0;
	return failed ? failed : errno ? -errno : -EIO;
}

/* A short file would be taken for a whole one. */
static void take_back(struct sink *sink)
{
	__fpurge(sink->file);
	clearerr(sink->file);
	if (sink->path && !ftruncate(fileno(sink->file), sink->good))
		fseeko(sink->file, sink->good, SEEK_SET);
}

int sink_commit(struct sink *sink, int failed)
{
	int ret = flush(sink, failed);

	if (!ret && sink->draft && rename(sink->draft, sink->path))
		ret = -errno;
	if (ret) {
		take_back(sink);
		return ret;
	}
	free(sink->draft);
	sink->draft = NULL;
	if (sink->path)
		sink->good = ftello(sink->file);
	return 0;
}

void sink_close(struct sink *sink)
{
	if (sink->draft)
		unlink(sink->draft);
	if (sink->file && sink->file != stdout)
		fclose(sink->file);
	free(sink->draft);
	free(sink->path);
	*sink = (struct sink){ 0 };
}
