// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Where there is nothing to trace with, one line says so, and nothing stays behind. That the
 * kernel's stamps are right is for real kernels: tests/vm/jobs/trace.sh.
 */
#include "cmocka_all.h"
#include "core/timeline.h"
#include "host/cmtrace.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static int count_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int n = 0;

	assert_non_null(dir);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

/* Opens a trace with stderr in a pipe: what it said comes into text. */
static int open_heard(struct cmtrace **trace, char *text, size_t size)
{
	int ends[2], err = dup(STDERR_FILENO), ret;
	ssize_t n;

	assert_int_equal(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
	dup2(ends[1], STDERR_FILENO);
	ret = cmtrace_open(trace, SIDE_CLIENT, 100);
	dup2(err, STDERR_FILENO);
	n = read(ends[0], text, size - 1);
	text[n < 0 ? 0 : n] = '\0';
	close(ends[0]);
	close(ends[1]);
	close(err);
	return ret;
}

static void trace__where_there_is_none__is_one_warning_and_leaves_nothing(void **state)
{
	struct cmtrace *trace = (struct cmtrace *)1;
	char text[1024];
	int before, ret;

	(void)state;
	if (!access("/sys/kernel/tracing/events/rdma_cma", F_OK) && !geteuid())
		skip(); /* a host that can be traced */
	ret = open_heard(&trace, text, sizeof(text));
	before = count_descriptors();
	assert_true(ret < 0);
	assert_null(trace);
	assert_int_equal(open_heard(&trace, text, sizeof(text)), ret);
	assert_int_equal(count_descriptors(), before);
	assert_non_null(strstr(text, "cmtime: warning: no kernel trace: "));
	assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
#ifndef HAVE_LIBTRACEFS
	assert_int_equal(ret, -ENOSYS);
#endif
}

static void run__without_a_trace__goes_on(void **state)
{
	struct cmtrace_counts counts = { 1, 1, 1 };
	struct timeline timeline;

	(void)state;
	assert_int_equal(timeline_init(&timeline, SIDE_CLIENT, 1), 0);
	cmtrace_mark(NULL, "connect begin");
	assert_int_equal(cmtrace_collect(NULL, &timeline, &counts), 0);
	assert_int_equal(counts.events, 0);
	assert_int_equal(counts.matched, 0);
	assert_int_equal(counts.lost, 0);
	cmtrace_close(NULL);
	timeline_free(&timeline);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(trace__where_there_is_none__is_one_warning_and_leaves_nothing),
		cmocka_unit_test(run__without_a_trace__goes_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
