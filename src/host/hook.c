// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* hook - one child, from posix_spawn(3) to its wait. */
#include "host/hook.h"

#include "host/clock.h"
#include "host/log.h"
#include "host/wait.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OURS = 3 }; /* variables that we add */

/* The environment with ours in front: getenv(3) and shells take the first of a name. Free it, not
 * its strings. */
static char **environment(char *const ours[OURS])
{
	size_t n = 0, kept = 0;
	char **all;

	while (environ && environ[n])
		n++;
	all = calloc(n + OURS + 1, sizeof(*all));
	if (!all)
		return NULL;
	for (size_t i = 0; i < OURS; i++)
		all[kept++] = ours[i];
	for (size_t i = 0; i < n; i++) {
		/* One cmtime may be another's hook. */
		if (strncmp(environ[i], "CMTIME_STEP=", 12) &&
		    strncmp(environ[i], "CMTIME_EVENT=", 13) &&
		    strncmp(environ[i], "CMTIME_PID=", 11))
			all[kept++] = environ[i];
	}
	return all;
}

static int set_files(posix_spawn_file_actions_t *actions)
{
	int ret = posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);

	if (!ret)
		ret = posix_spawn_file_actions_adddup2(actions, STDERR_FILENO, STDOUT_FILENO);
#ifdef HAVE_POSIX_SPAWN_FILE_ACTIONS_ADDCLOSEFROM_NP
	/* Ours close themselves; one that a library opened may not. */
	if (!ret)
		ret = posix_spawn_file_actions_addclosefrom_np(actions, STDERR_FILENO + 1);
#endif
	return ret;
}

static int set_attributes(posix_spawnattr_t *attributes)
{
	sigset_t none, all;
	int ret = posix_spawnattr_setflags(
		attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);

	sigemptyset(&none);
	sigfillset(&all);
	if (!ret)
		ret = posix_spawnattr_setpgroup(attributes, 0);
	if (!ret)
		ret = posix_spawnattr_setsigmask(attributes, &none);
	if (!ret)
		ret = posix_spawnattr_setsigdefault(attributes, &all);
	return ret;
}

/* 0 or a positive errno, as posix_spawn(3). */
static int start(char *const argv[], char *const envp[], pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	int ret = posix_spawn_file_actions_init(&actions);

	if (ret)
		return ret;
	ret = posix_spawnattr_init(&attributes);
	if (ret)
		goto out_actions;
	ret = set_files(&actions);
	if (!ret)
		ret = set_attributes(&attributes);
	if (!ret)
		ret = posix_spawn(pid, "/bin/sh", &actions, &attributes, argv, envp);
	posix_spawnattr_destroy(&attributes);
out_actions:
	posix_spawn_file_actions_destroy(&actions);
	return ret;
}

/* Until the child has ended; it is reaped in any case. 0, -ETIMEDOUT, or -errno. */
static int await(pid_t pid, const struct stop *stop, uint64_t within_ns, int *status)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);
	int ret = fd < 0 ? -errno : wait_fd(fd, POLLIN, stop, clock_deadline_ns(within_ns));

	/* SIGCHLD was ignored when we were started: the kernel reaps, and nobody learns the status.
	 */
	if (ret == -ESRCH) {
		*status = 0;
		return 0;
	}
	if (fd >= 0)
		close(fd);
	if (ret)
		kill(-pid, SIGKILL);
	while (waitpid(pid, status, 0) < 0) {
		if (errno == EINTR)
			continue;
		/* The same, while we waited. */
		*status = 0;
		break;
	}
	return ret;
}

static int judge(const char *step, const char *event, int status)
{
	if (WIFSIGNALED(status))
		log_warn("--step-hook %s %s: ended by signal %d", step, event, WTERMSIG(status));
	else if (WEXITSTATUS(status))
		log_warn("--step-hook %s %s: ended with %d", step, event, WEXITSTATUS(status));
	else
		return 0;
	return -ECHILD;
}

int hook_run(const char *command, const char *step, bool begin, const struct stop *stop,
	     uint64_t within_ns)
{
	const char *event = begin ? "begin" : "end";
	char vars[OURS][64];
	char *ours[OURS] = { vars[0], vars[1], vars[2] };
	/* Not written to: argv's type is what C had before const. */
	char *argv[] = {
		(char *)"sh",  (char *)"-c", (char *)command, (char *)"step-hook", (char *)step,
		(char *)event, NULL
	};
	int status, ret;
	pid_t pid;

	snprintf(vars[0], sizeof(vars[0]), "CMTIME_STEP=%s", step);
	snprintf(vars[1], sizeof(vars[1]), "CMTIME_EVENT=%s", event);
	snprintf(vars[2], sizeof(vars[2]), "CMTIME_PID=%ld", (long)getpid());
	char **envp = environment(ours);

	ret = envp ? -start(argv, envp, &pid) : -ENOMEM;
	free(envp);
	if (ret) {
		log_warn("--step-hook: cannot run /bin/sh: %s", log_errno(ret));
		return ret;
	}
	ret = await(pid, stop, within_ns, &status);
	if (ret == -ETIMEDOUT)
		log_warn("--step-hook %s %s: killed, it took over %llu ms", step, event,
			 (unsigned long long)(within_ns / NS_PER_MS));
	else if (ret == -ECANCELED)
		log_warn("--step-hook %s %s: killed, the run ends", step, event);
	else if (ret)
		log_warn("--step-hook %s %s: killed, no way to wait for it: %s", step, event,
			 log_errno(ret));
	return ret ? ret : judge(step, event, status);
}
