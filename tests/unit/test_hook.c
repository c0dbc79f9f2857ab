// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A hook: what it is told, what it gets of ours and what not, and how it may fail. */
#include "cmocka_all.h"
#include "host/clock.h"
#include "host/hook.h"
#include "host/stop.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char dir[] = "/tmp/test_hook.XXXXXX";

static int make_dir(void **state)
{
	(void)state;
	return !mkdtemp(dir) || chdir(dir);
}

static int remove_dir(void **state)
{
	(void)state;
	return chdir("/") || rmdir(dir);
}

/* What the hook wrote into its folder, which is ours too; removed. */
static void read_out(char *text, size_t size)
{
	FILE *file = fopen("out", "re");
	size_t n;

	assert_non_null(file);
	n = fread(text, 1, size - 1, file);
	text[n] = '\0';
	fclose(file);
	unlink("out");
}

static void assert_wrote(const char *want)
{
	char got[512];

	read_out(got, sizeof(got));
	assert_string_equal(got, want);
}

static void hook__at_both_borders__is_told_the_step_and_the_event(void **state)
{
	static const char cmd[] = "echo $1 $2 $CMTIME_STEP $CMTIME_EVENT $CMTIME_PID >out";
	char want[128];

	(void)state;
	/* Inherited from another cmtime, whose hook we may be. */
	assert_int_equal(setenv("CMTIME_STEP", "stale", 1), 0);
	assert_int_equal(hook_run(cmd, "connect", true, NULL, HOOK_NS), 0);
	snprintf(want, sizeof(want), "connect begin connect begin %ld\n", (long)getpid());
	assert_wrote(want);
	assert_int_equal(hook_run(cmd, "resolve_addr", false, NULL, HOOK_NS), 0);
	snprintf(want, sizeof(want), "resolve_addr end resolve_addr end %ld\n", (long)getpid());
	assert_wrote(want);
	assert_string_equal(getenv("CMTIME_STEP"), "stale");
	assert_int_equal(unsetenv("CMTIME_STEP"), 0);
	assert_null(getenv("CMTIME_EVENT"));
}

static void hook__that_ends_badly__is_a_warning(void **state)
{
	(void)state;
	assert_int_equal(hook_run("exit 3", "connect", true, NULL, HOOK_NS), -ECHILD);
	assert_int_equal(hook_run("kill -9 $$", "connect", true, NULL, HOOK_NS), -ECHILD);
	assert_int_equal(
		hook_run("no-such-command-at-all 2>/dev/null", "connect", true, NULL, HOOK_NS),
		-ECHILD);
	assert_int_equal(hook_run("true", "connect", true, NULL, HOOK_NS), 0);
}

static void hook__that_does_not_end__is_killed_with_what_it_started(void **state)
{
	uint64_t began_ns = clock_now_ns();
	char text[64];

	(void)state;
	assert_int_equal(
		hook_run("sleep 100 & echo $! >out; wait", "connect", true, NULL, 300 * NS_PER_MS),
		-ETIMEDOUT);
	assert_true(clock_now_ns() - began_ns >= 300 * NS_PER_MS);
	read_out(text, sizeof(text));
	pid_t child = (pid_t)strtol(text, NULL, 10);

	assert_true(child > 0);
	/* A zombie until init has seen it, and then nothing. */
	for (int tries = 0; !kill(child, 0) && tries < 1000; tries++) {
		char path[64], what[256] = "";

		snprintf(path, sizeof(path), "/proc/%d/stat", (int)child);
		FILE *file = fopen(path, "re");

		if (!file)
			break;
		bool zombie = fgets(what, sizeof(what), file) && strstr(what, ") Z ");

		fclose(file);
		if (zombie)
			break;
		nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
		assert_int_not_equal(tries, 999);
	}
}

static void hook__that_leaves_something_behind__does_not_wait_for_it(void **state)
{
	uint64_t began_ns = clock_now_ns();
	char text[64];

	(void)state;
	assert_int_equal(hook_run("sleep 100 & echo $! >out", "connect", true, NULL, HOOK_NS), 0);
	assert_true(clock_now_ns() - began_ns < HOOK_NS);
	read_out(text, sizeof(text));
	assert_int_equal(kill((pid_t)strtol(text, NULL, 10), SIGKILL), 0);
}

/* Results are all that may stand on standard output. */
static void hook__that_prints__prints_to_stderr(void **state)
{
	int out = dup(STDOUT_FILENO), err = dup(STDERR_FILENO);
	int file = open("out", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	int other = open("other", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	struct stat stat;

	(void)state;
	fflush(stdout);
	assert_true(out >= 0 && err >= 0 && file >= 0 && other >= 0);
	dup2(file, STDERR_FILENO);
	dup2(other, STDOUT_FILENO);
	int ret = hook_run("echo printed; cat", "connect", true, NULL, HOOK_NS);

	dup2(out, STDOUT_FILENO);
	dup2(err, STDERR_FILENO);
	assert_int_equal(ret, 0);
	assert_int_equal(fstat(other, &stat), 0);
	assert_int_equal(stat.st_size, 0);
	assert_wrote("printed\n");
	unlink("other");
	close(out);
	close(err);
	close(file);
	close(other);
}

static void hook__of_a_process_with_open_files__gets_none(void **state)
{
	int leaky = open("/dev/null", O_RDONLY);

	(void)state;
	assert_true(leaky > STDERR_FILENO);
#ifdef HAVE_POSIX_SPAWN_FILE_ACTIONS_ADDCLOSEFROM_NP
	char cmd[128];

	snprintf(cmd, sizeof(cmd), "[ ! -e /proc/self/fd/%d ]", leaky);
	assert_int_equal(hook_run(cmd, "connect", true, NULL, HOOK_NS), 0);
#endif
	close(leaky);
}

/* The mask that /proc/PID/status has behind key. */
static uint64_t mask_of(const char *status, const char *key)
{
	const char *at = strstr(status, key);

	assert_non_null(at);
	return strtoull(at + strlen(key), NULL, 16);
}

static void hook__of_a_process_that_ignores_and_blocks_signals__does_not(void **state)
{
	static const int numbers[] = { SIGPIPE, SIGINT, SIGTERM };
	struct sigaction ignore = { .sa_handler = SIG_IGN }, before[3];
	sigset_t block, was;
	char text[512];

	(void)state;
	for (int i = 0; i < 3; i++)
		sigaction(numbers[i], &ignore, &before[i]);
	sigfillset(&block);
	sigprocmask(SIG_BLOCK, &block, &was);
	int ret = hook_run("cat /proc/$$/status | grep ^Sig >out", "connect", true, NULL, HOOK_NS);

	sigprocmask(SIG_SETMASK, &was, NULL);
	for (int i = 0; i < 3; i++)
		sigaction(numbers[i], &before[i], NULL);
	assert_int_equal(ret, 0);
	read_out(text, sizeof(text));
	for (int i = 0; i < 3; i++) {
		uint64_t bit = UINT64_C(1) << (numbers[i] - 1);

		assert_int_equal(mask_of(text, "SigIgn:") & bit, 0);
		assert_int_equal(mask_of(text, "SigBlk:") & bit, 0);
	}
}

static void hook__when_children_are_reaped_by_nobody__is_taken_to_be_well(void **state)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, was;

	(void)state;
	sigaction(SIGCHLD, &ignore, &was);
	assert_int_equal(hook_run("true", "connect", true, NULL, HOOK_NS), 0);
	sigaction(SIGCHLD, &was, NULL);
}

static void hook__of_a_run_that_ends__is_killed(void **state)
{
	struct stop stop;

	(void)state;
	assert_int_equal(stop_init(&stop), 0);
	stop_set(&stop, SIGINT);
	assert_int_equal(hook_run("sleep 100", "connect", true, &stop, HOOK_NS), -ECANCELED);
	stop_free(&stop);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hook__of_a_run_that_ends__is_killed),
		cmocka_unit_test(hook__at_both_borders__is_told_the_step_and_the_event),
		cmocka_unit_test(hook__that_ends_badly__is_a_warning),
		cmocka_unit_test(hook__that_does_not_end__is_killed_with_what_it_started),
		cmocka_unit_test(hook__that_leaves_something_behind__does_not_wait_for_it),
		cmocka_unit_test(hook__that_prints__prints_to_stderr),
		cmocka_unit_test(hook__of_a_process_with_open_files__gets_none),
		cmocka_unit_test(hook__of_a_process_that_ignores_and_blocks_signals__does_not),
		cmocka_unit_test(hook__when_children_are_reaped_by_nobody__is_taken_to_be_well),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
