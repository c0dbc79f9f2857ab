/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * file_use - a folder of its own for tests that write files, and a disk that is full.
 *
 * Included by unit tests after cmocka_all.h. FILE_TEST() runs a test in an empty folder, which is
 * removed with the files in it.
 */
#ifndef CMTIME_TESTS_FILE_USE_H
#define CMTIME_TESTS_FILE_USE_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_TEST(name) cmocka_unit_test_setup_teardown(name, folder_enter, folder_leave)

static char folder_path[256];

static inline int folder_enter(void **state)
{
	const char *tmp = getenv("TMPDIR");

	(void)state;
	snprintf(folder_path, sizeof(folder_path), "%s/cmtime-test.XXXXXX",
		 tmp && *tmp ? tmp : "/tmp");
	return mkdtemp(folder_path) && !chdir(folder_path) ? 0 : -1;
}

/* How many names there are; removes them if asked to. */
static inline size_t folder_names(int remove_them)
{
	DIR *dir = opendir(folder_path);
	size_t n = 0;

	assert_non_null(dir);
	for (struct dirent *entry; (entry = readdir(dir));) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		n++;
		if (remove_them)
			unlinkat(dirfd(dir), entry->d_name,
				 entry->d_type == DT_DIR ? AT_REMOVEDIR : 0);
	}
	closedir(dir);
	return n;
}

static inline void file_limit(rlim_t bytes);

static inline int folder_leave(void **state)
{
	(void)state;
	file_limit(RLIM_INFINITY);
	folder_names(1);
	return chdir("/") || rmdir(folder_path);
}

static inline void file_make(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

/* Wants that text, all of it, in the file. */
static inline void file_has(const char *path, const char *text)
{
	size_t size = strlen(text) + 2;
	char *got = calloc(1, size);
	FILE *file = fopen(path, "r");

	assert_non_null(got);
	if (!file)
		fail_msg("there is no %s", path);
	got[fread(got, 1, size - 1, file)] = '\0';
	fclose(file);
	assert_string_equal(got, text);
	free(got);
}

/* No file of this process may grow beyond that; no signal for those that would. RLIM_INFINITY:
 * any longer. setrlimit(2) */
static inline void file_limit(rlim_t bytes)
{
	struct rlimit limit;

	signal(SIGXFSZ, bytes == RLIM_INFINITY ? SIG_DFL : SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = bytes > limit.rlim_max ? limit.rlim_max : bytes;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

#endif
