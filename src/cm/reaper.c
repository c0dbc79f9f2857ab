// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* reaper - the loop: one event after the other, until stopped. */
#include "cm/reaper.h"

#include "host/clock.h"
#include "host/log.h"
#include "host/wait.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { NUDGE_MS = 10 };

static bool is_held(struct reaper *reaper)
{
	return atomic_load_explicit(&reaper->held, memory_order_acquire);
}

/* An event that is due while we are held must stay in the kernel: look for it, but read it only
 * when released. */
static void wait_to_read(struct reaper *reaper)
{
	uint64_t times;

	if (channel_wait(&reaper->channel, &reaper->stop, NEVER_NS))
		return;
	while (is_held(reaper) && !wait_fd(reaper->released_fd, POLLIN, &reaper->stop, NEVER_NS))
		(void)!read(reaper->released_fd, &times, sizeof(times));
}

static void *reap(void *arg)
{
	struct reaper *reaper = arg;
	sigset_t nudge;
	int ret = 0;

	/* A mask is inherited, even over execve(2): blocked, the signal would never get us out. */
	sigemptyset(&nudge);
	sigaddset(&nudge, REAPER_SIGNAL);
	pthread_sigmask(SIG_UNBLOCK, &nudge, NULL);
	while (stop_reason(&reaper->stop) == STOP_NONE && (!ret || ret == -EINTR)) {
		if (reaper->holdable)
			wait_to_read(reaper);
		if (stop_reason(&reaper->stop) == STOP_NONE)
			ret = channel_serve(&reaper->channel);
	}
	/* After a failure, which is logged, those who wait for events have their deadlines. */
	stop_set(&reaper->ended, STOP_DONE);
	return NULL;
}

static void on_nudge(int number)
{
	(void)number; /* being interrupted is all */
}

static int start_thread(struct reaper *reaper)
{
	const struct sigaction nudge = {
		.sa_handler = on_nudge
	}; /* no SA_RESTART: the read ends with EINTR */

	if (sigaction(REAPER_SIGNAL, &nudge, NULL))
		return -errno;
	return -pthread_create(&reaper->thread, NULL, reap, reaper);
}

static int make_fds(struct reaper *reaper)
{
	int ret = stop_init(&reaper->stop);

	if (!ret)
		ret = stop_init(&reaper->ended);
	if (ret)
		return ret;
	reaper->released_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (reaper->released_fd >= 0)
		return 0;
	ret = -errno;
	log_error("cannot make an eventfd: %s", log_errno(ret));
	return ret;
}

static void close_fds(struct reaper *reaper)
{
	stop_free(&reaper->stop);
	stop_free(&reaper->ended);
	if (reaper->released_fd >= 0)
		close(reaper->released_fd);
}

int reaper_start(struct reaper *reaper, bool holdable,
		 void (*on_request)(void *arg, const struct request *request), void *arg)
{
	*reaper = (struct reaper){
		.holdable = holdable, .released_fd = -1, .stop.fd = -1, .ended.fd = -1
	};
	int ret = make_fds(reaper);

	if (ret)
		goto fail;
	ret = channel_open(&reaper->channel, on_request, arg);
	if (ret)
		goto fail;
	ret = start_thread(reaper);
	if (!ret) {
		reaper->running = true;
		return 0;
	}
	log_error("cannot start a reaper thread: %s", log_errno(ret));
	channel_close(&reaper->channel);
fail:
	close_fds(reaper);
	return ret;
}

void reaper_stop(struct reaper *reaper)
{
	if (!reaper->running)
		return;
	stop_set(&reaper->stop, STOP_DONE);
	/* A signal that comes just before the thread blocks is lost on it: send another. */
	do
		pthread_kill(reaper->thread, REAPER_SIGNAL);
	while (wait_fd(reaper->ended.fd, POLLIN, NULL, clock_deadline_ns(NUDGE_MS * NS_PER_MS)));
	pthread_join(reaper->thread, NULL);
	reaper->running = false;
}

void reaper_close(struct reaper *reaper)
{
	reaper_stop(reaper);
	channel_close(&reaper->channel);
	close_fds(reaper);
}

void reaper_hold(struct reaper *reaper)
{
	atomic_store_explicit(&reaper->held, true, memory_order_release);
}

void reaper_release(struct reaper *reaper)
{
	const uint64_t one = 1;

	atomic_store_explicit(&reaper->held, false, memory_order_release);
	(void)!write(reaper->released_fd, &one, sizeof(one));
}
