/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * sink - where a report goes: standard output, or a file that is whole or not there.
 *
 * A file is written under another name beside it and renamed when it is committed; what is
 * committed later is added to it, or else taken back. Devices and pipes are written as they are.
 * One thread at a time.
 */
#ifndef CMTIME_OUT_SINK_H
#define CMTIME_OUT_SINK_H

#include <stdio.h>
#include <sys/types.h>

struct sink {
	FILE *file;  /* to write to */
	char *path;  /* owned; NULL: standard output, a device or a pipe */
	char *draft; /* owned: the name until the first commit; NULL: none (any more) */
	off_t good;  /* bytes that have been committed */
};

/* path: NULL or "-" is standard output. It is opened here, so that a wrong one shows before the
 * run. 0 or -errno. */
int sink_open(struct sink *sink, const char *path);

/*
 * What was written so far is the file's, all of it: 0, or -errno, and then none of what was written
 * since the last commit is in it. failed: what the writer has found already, or 0.
 */
int sink_commit(struct sink *sink, int failed);

/* Without a commit there is no file, and one that was there before is as it was. */
void sink_close(struct sink *sink);

#endif
