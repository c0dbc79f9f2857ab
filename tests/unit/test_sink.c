// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Where reports go: a file that is whole or as it was, and devices and pipes as they are. */
#include "cmocka_all.h"
#include "file_use.h"
#include "out/sink.h"

#include <stdbool.h>

/* More than any stream holds back. */
enum { LONG = 1 << 18 };

static struct sink opened(const char *path)
{
	struct sink sink;

	assert_int_equal(sink_open(&sink, path), 0);
	assert_non_null(sink.file);
	return sink;
}

static void write_long(FILE *file)
{
	for (int i = 0; i < LONG; i++)
		fputc('x', file);
}

static mode_t mode_of(const char *path)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	return st.st_mode & 07777;
}

/* ---- files ---- */

static void sink__that_is_not_committed__leaves_no_file_and_no_draft(void **state)
{
	struct sink sink = opened("new");

	(void)state;
	fputs("half", sink.file);
	fflush(sink.file);
	assert_int_equal(access("new", F_OK), -1);
	sink_close(&sink);
	assert_int_equal(folder_names(0), 0);
}

static void sink__that_is_not_committed__leaves_the_old_file_as_it_was(void **state)
{
	struct sink sink;

	(void)state;
	file_make("old", "before\n");
	sink = opened("old");
	write_long(sink.file);
	file_has("old", "before\n");
	sink_close(&sink);
	file_has("old", "before\n");
	assert_int_equal(folder_names(0), 1);
}

static void sink__that_is_committed__is_the_file(void **state)
{
	struct sink sink;

	(void)state;
	file_make("old", "much longer than what comes after\n");
	sink = opened("old");
	fputs("after\n", sink.file);
	assert_int_equal(sink_commit(&sink, 0), 0);
	file_has("old", "after\n");
	assert_int_equal(folder_names(0), 1);
	sink_close(&sink);
	file_has("old", "after\n");
	assert_int_equal(folder_names(0), 1);
}

static void commit__after_another__adds_to_the_file(void **state)
{
	struct sink sink = opened("new");

	(void)state;
	fputs("one\n", sink.file);
	assert_int_equal(sink_commit(&sink, 0), 0);
	fputs("two\n", sink.file);
	assert_int_equal(sink_commit(&sink, 0), 0);
	file_has("new", "one\ntwo\n");
	fputs("three, which nobody commits\n", sink.file);
	assert_int_equal(sink_commit(&sink, -ENOMEM), -ENOMEM);
	fputs("four\n", sink.file);
	assert_int_equal(sink_commit(&sink, 0), 0);
	sink_close(&sink);
	file_has("new", "one\ntwo\nfour\n");
	assert_int_equal(folder_names(0), 1);
}

static void commit__of_what_the_writer_could_not_write__makes_no_file(void **state)
{
	struct sink sink = opened("new");

	(void)state;
	fputs("half", sink.file);
	assert_int_equal(sink_commit(&sink, -ENOMEM), -ENOMEM);
	assert_int_equal(access("new", F_OK), -1);
	fputs("whole\n", sink.file);
	assert_int_equal(sink_commit(&sink, 0), 0);
	sink_close(&sink);
	file_has("new", "whole\n");
}

static void sink__that_is_full__leaves_what_was_committed(void **state)
{
	struct sink sink = opened("new");

	(void)state;
	fputs("one\n", sink.file);
	assert_int_equal(sink_commit(&sink, 0), 0);
	file_limit(10);
	fputs("this does not fit\n", sink.file);
	assert_int_equal(sink_commit(&sink, 0), -EFBIG);
	file_has("new", "one\n");
	fputs("two\n", sink.file);
	assert_int_equal(sink_commit(&sink, 0), 0);
	file_limit(RLIM_INFINITY);
	sink_close(&sink);
	file_has("new", "one\ntwo\n");
}

static void sink__that_is_full_from_the_start__leaves_the_old_file(void **state)
{
	struct sink sink;

	(void)state;
	file_make("old", "before\n");
	sink = opened("old");
	file_limit(10);
	write_long(sink.file);
	assert_int_not_equal(sink_commit(&sink, 0), 0);
	file_limit(RLIM_INFINITY);
	sink_close(&sink);
	file_has("old", "before\n");
	assert_int_equal(folder_names(0), 1);
}

static void sink__whose_folder_is_removed__says_so(void **state)
{
	struct sink sink;

	(void)state;
	assert_int_equal(mkdir("folder", 0700), 0);
	sink = opened("folder/new");
	assert_int_equal(unlink(sink.draft), 0);
	assert_int_equal(rmdir("folder"), 0);
	fputs("nowhere\n", sink.file);
	assert_int_equal(sink_commit(&sink, 0), -ENOENT);
	sink_close(&sink);
	assert_int_equal(folder_names(0), 0);
}

static void sink__behind_a_link__writes_to_the_file_it_leads_to(void **state)
{
	struct sink sink;
	char target[16] = "";

	(void)state;
	assert_int_equal(mkdir("folder", 0700), 0);
	file_make("folder/file", "before\n");
	assert_int_equal(symlink("folder/file", "link"), 0);
	sink = opened("link");
	fputs("after\n", sink.file);
	assert_int_equal(sink_commit(&sink, 0), 0);
	sink_close(&sink);
	assert_int_equal(readlink("link", target, sizeof(target) - 1), strlen("folder/file"));
	file_has("folder/file", "after\n");
	assert_int_equal(unlink("folder/file"), 0);
}

static void link__that_leads_nowhere__is_refused_and_kept(void **state)
{
	static const struct {
		const char *target;
		int error;
	} cases[] = { { "nothing", -ENOENT }, { "link", -ELOOP } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct sink sink;
		struct stat st;

		assert_int_equal(symlink(cases[i].target, "link"), 0);
		assert_int_equal(sink_open(&sink, "link"), cases[i].error);
		assert_int_equal(lstat("link", &st), 0);
		assert_true(S_ISLNK(st.st_mode));
		assert_int_equal(folder_names(1), 1);
	}
}

static void mode__of_a_new_file__is_what_the_mask_leaves(void **state)
{
	static const mode_t masks[] = { 022, 077, 0 };
	mode_t mask = umask(0);

	(void)state;
	for (size_t i = 0; i < sizeof(masks) / sizeof(*masks); i++) {
		struct sink sink;

		umask(masks[i]);
		sink = opened("new");
		assert_int_equal(umask(masks[i]), masks[i]);
		assert_int_equal(sink_commit(&sink, 0), 0);
		sink_close(&sink);
		assert_int_equal(mode_of("new"), 0666 & ~masks[i]);
		assert_int_equal(unlink("new"), 0);
	}
	umask(mask);
}

static void mode__of_an_old_file__is_kept(void **state)
{
	struct sink sink;

	(void)state;
	file_make("old", "before\n");
	assert_int_equal(chmod("old", 0640), 0);
	sink = opened("old");
	assert_int_equal(sink_commit(&sink, 0), 0);
	sink_close(&sink);
	file_has("old", "");
	assert_int_equal(mode_of("old"), 0640);
}

/* ---- paths that are wrong ---- */

static void path__that_cannot_be_written__shows_before_the_run(void **state)
{
	static const struct {
		const char *path;
		int error;
	} cases[] = {
		{ "no/such/folder", -ENOENT }, { "folder", -EISDIR }, { ".", -EISDIR },
		{ "file/inside", -ENOTDIR },   { "new/", -ENOENT },   { "file/", -ENOTDIR },
	};

	(void)state;
	assert_int_equal(mkdir("folder", 0700), 0);
	file_make("file", "before\n");
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct sink sink;
		int ret = sink_open(&sink, cases[i].path);

		if (ret != cases[i].error)
			fail_msg("'%s' gives %d, not %d", cases[i].path, ret, cases[i].error);
		assert_null(sink.file);
		sink_close(&sink);
	}
	file_has("file", "before\n");
	assert_int_equal(folder_names(0), 2);
}

static void file__that_may_not_be_written__is_not_replaced(void **state)
{
	enum { NOBODY = 65534 };
	bool is_root = !geteuid();
	struct sink sink;
	int refusals[3];

	(void)state;
	file_make("old", "before\n");
	/* Root may write everything. */
	if (is_root && (chown(".", NOBODY, (gid_t)-1) || chown("old", NOBODY, (gid_t)-1) ||
			setresuid(NOBODY, NOBODY, 0))) {
		print_message("skipped: this is root, and cannot be somebody else\n");
		skip();
	}
	chmod("old", 0444);
	refusals[0] = sink_open(&sink, "old");
	chmod("old", 0644);
	chmod(".", 0555);
	refusals[1] = sink_open(&sink, "old");
	refusals[2] = sink_open(&sink, "new");
	chmod(".", 0755);
	if (is_root)
		assert_int_equal(setresuid((uid_t)-1, 0, (uid_t)-1) | setresuid(0, 0, 0), 0);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(refusals[i], -EACCES);
	file_has("old", "before\n");
	assert_int_equal(folder_names(0), 1);
}

/* ---- devices and pipes ---- */

static void device__is_written_as_it_is(void **state)
{
	struct sink sink = opened("/dev/null");

	(void)state;
	assert_null(sink.draft);
	write_long(sink.file);
	assert_int_equal(sink_commit(&sink, 0), 0);
	sink_close(&sink);
}

static void device__that_is_full__says_so_after_little_and_after_much(void **state)
{
	(void)state;
	if (access("/dev/full", W_OK)) {
		print_message("skipped: there is no /dev/full\n");
		skip();
	}
	for (int much = 0; much < 2; much++) {
		struct sink sink = opened("/dev/full");

		fputs("little", sink.file);
		if (much)
			write_long(sink.file);
		assert_int_equal(sink_commit(&sink, 0), -ENOSPC);
		sink_close(&sink);
	}
}

static void pipe__gets_what_is_written_and_a_closed_one_is_an_error(void **state)
{
	struct sink sink;
	char got[16];
	int reader;

	(void)state;
	assert_int_equal(mkfifo("pipe", 0600), 0);
	reader = open("pipe", O_RDONLY | O_NONBLOCK);
	assert_true(reader >= 0);
	sink = opened("pipe");
	fputs("one\n", sink.file);
	assert_int_equal(sink_commit(&sink, 0), 0);
	assert_int_equal(read(reader, got, sizeof(got)), 4);
	assert_memory_equal(got, "one\n", 4);
	close(reader);
	fputs("two\n", sink.file);
	assert_int_equal(sink_commit(&sink, 0), -EPIPE);
	sink_close(&sink);
	assert_int_equal(folder_names(0), 1);
}

/* ---- standard output ---- */

static int saved_stdout;

static void redirect_stdout(int fd)
{
	fflush(stdout);
	saved_stdout = dup(STDOUT_FILENO);
	assert_int_equal(dup2(fd, STDOUT_FILENO), STDOUT_FILENO);
	close(fd);
}

static void restore_stdout(void)
{
	dup2(saved_stdout, STDOUT_FILENO);
	close(saved_stdout);
}

static void standard_output__without_a_path_or_as_a_dash__is_left_open(void **state)
{
	static const char *const paths[] = { NULL, "-" };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct sink sink = opened(paths[i]);

		assert_ptr_equal(sink.file, stdout);
		redirect_stdout(open("out", O_WRONLY | O_CREAT | O_APPEND, 0600));
		fputs("one\n", sink.file);
		int ret = sink_commit(&sink, 0);

		sink_close(&sink);
		fputs("two\n", stdout);
		ret |= fflush(stdout);
		restore_stdout();
		assert_int_equal(ret, 0);
	}
	file_has("out", "one\ntwo\none\ntwo\n");
}

static void standard_output__that_nobody_reads__is_an_error_and_prints_nothing_later(void **state)
{
	struct sink sink = opened(NULL);
	int ends[2], broken, after;

	(void)state;
	assert_int_equal(pipe(ends), 0);
	close(ends[0]);
	redirect_stdout(ends[1]);
	fputs("lost\n", sink.file);
	broken = sink_commit(&sink, 0);
	after = sink_commit(&sink, 0);
	restore_stdout();
	sink_close(&sink);
	assert_int_equal(broken, -EPIPE);
	assert_int_equal(after, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FILE_TEST(sink__that_is_not_committed__leaves_no_file_and_no_draft),
		FILE_TEST(sink__that_is_not_committed__leaves_the_old_file_as_it_was),
		FILE_TEST(sink__that_is_committed__is_the_file),
		FILE_TEST(commit__after_another__adds_to_the_file),
		FILE_TEST(commit__of_what_the_writer_could_not_write__makes_no_file),
		FILE_TEST(sink__that_is_full__leaves_what_was_committed),
		FILE_TEST(sink__that_is_full_from_the_start__leaves_the_old_file),
		FILE_TEST(sink__whose_folder_is_removed__says_so),
		FILE_TEST(sink__behind_a_link__writes_to_the_file_it_leads_to),
		FILE_TEST(link__that_leads_nowhere__is_refused_and_kept),
		FILE_TEST(mode__of_a_new_file__is_what_the_mask_leaves),
		FILE_TEST(mode__of_an_old_file__is_kept),
		FILE_TEST(path__that_cannot_be_written__shows_before_the_run),
		FILE_TEST(file__that_may_not_be_written__is_not_replaced),
		FILE_TEST(device__is_written_as_it_is),
		FILE_TEST(device__that_is_full__says_so_after_little_and_after_much),
		FILE_TEST(pipe__gets_what_is_written_and_a_closed_one_is_an_error),
		FILE_TEST(standard_output__without_a_path_or_as_a_dash__is_left_open),
		FILE_TEST(standard_output__that_nobody_reads__is_an_error_and_prints_nothing_later),
	};

	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
