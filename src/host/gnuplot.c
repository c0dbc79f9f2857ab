// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * gnuplot - posix_spawnp(3), with files for its input and its words: only its output is a pipe, so
 * neither side can wait for the other.
 *
 * main only.
 */
#include "host/gnuplot.h"

#include "host/log.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* What gnuplot says of a fault is a few lines, with the script's line in it; so much is shown. */
enum { WORDS = 2000 };

static int spawn(pid_t *pid, int in, int out, int err)
{
	/* --default-settings: a user's ~/.gnuplot is not to get into the picture. */
	char *const argv[] = { (char[]){ "gnuplot" }, (char[]){ "--default-settings" },
			       (char[]){ "-" }, NULL };
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	/* Those that we may be ignoring. */
	sigset_t none, ignored;
	int ret = posix_spawn_file_actions_init(&actions);

	if (ret)
		return -ret;
	ret = posix_spawnattr_init(&attributes);
	if (ret)
		goto destroy_actions;
	sigemptyset(&none);
	sigemptyset(&ignored);
	sigaddset(&ignored, SIGPIPE);
	sigaddset(&ignored, SIGXFSZ);
	ret = posix_spawnattr_setsigmask(&attributes, &none);
	if (!ret)
		ret = posix_spawnattr_setsigdefault(&attributes, &ignored);
	if (!ret)
		ret = posix_spawnattr_setflags(&attributes,
					       POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	if (!ret)
		ret = posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
	if (!ret)
		ret = posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	if (!ret)
		ret = posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);
	if (!ret)
		ret = posix_spawnp(pid, *argv, &actions, &attributes, argv, environ);
	posix_spawnattr_destroy(&attributes);
destroy_actions:
	posix_spawn_file_actions_destroy(&actions);
	return -ret;
}

/* All that comes from there, until its end. */
static int copy(int from, FILE *out)
{
	char buf[16384];

	for (;;) {
		ssize_t n = read(from, buf, sizeof(buf));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		errno = 0;
		if (n ? fwrite(buf, 1, (size_t)n, out) < (size_t)n : fflush(out)) {
			int ret = errno ? -errno : -EIO;

			log_error("cannot write the picture: %s", log_errno(ret));
			return ret;
		}
		if (!n)
			return 0;
	}
}

/* What it said, line by line, as it may go to a terminal. */
static void log_words(FILE *words)
{
	char line[256];
	size_t shown = 0;

	rewind(words);
	while (shown < WORDS && fgets(line, sizeof(line), words)) {
		shown += strlen(line);
		line[strcspn(line, "\n")] = '\0';
		for (char *c = line; *c; c++) {
			if (*c < ' ' || *c > '~')
				*c = ' ';
		}
		if (line[strspn(line, " ^")])
			log_error("gnuplot: %s", line);
	}
}

static int end_of(pid_t pid, FILE *words)
{
	int status;

	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return -errno;
	}
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return 0;
	log_words(words);
	if (WIFSIGNALED(status))
		log_error("gnuplot was ended by signal %d", WTERMSIG(status));
	else
		log_error("gnuplot failed with status %d", WEXITSTATUS(status));
	return -EIO;
}

static int run(int in, FILE *words, FILE *picture)
{
	int out[2], ret, end;
	pid_t pid;

	if (pipe2(out, O_CLOEXEC))
		return -errno;
	ret = spawn(&pid, in, out[1], fileno(words));
	close(out[1]);
	if (!ret) {
		ret = copy(out[0], picture);
		/* If we write no further, it must not wait for us to read. */
		close(out[0]);
		if (ret)
			kill(pid, SIGTERM);
		end = end_of(pid, words);
		return ret ? ret : end;
	}
	close(out[0]);
	if (ret == -ENOENT)
		log_error("gnuplot is missing: install gnuplot-nox (Debian) or gnuplot (Fedora)");
	else
		log_error("cannot run gnuplot: %s", log_errno(ret));
	return ret;
}

int gnuplot_run(FILE *script, FILE *out)
{
	FILE *words = tmpfile();
	int ret = -errno;

	if (!words) {
		log_error("cannot make a temporary file: %s", log_errno(ret));
		return ret;
	}
	if (fflush(script) || lseek(fileno(script), 0, SEEK_SET))
		ret = -errno;
	else
		ret = run(fileno(script), words, out);
	fclose(words);
	return ret;
}
