// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* reaper - the loop: one event after the other, until stopped. */
#include "cm/reaper.h"

#include "host/clock.h"
#include "host/log.h"
#include "host/wait.h"

#include <errno.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

static void wait_for_release(struct reaper *reaper)
{
	uint64_t times;

	if (!wait_fd(reaper->released_fd, POLLIN, &reaper->stop, NEVER_NS))
		(void)!read(reaper->released_fd, &times, sizeof(times));
}

static void *reap(void *arg)
{
	struct reaper *reaper = arg;

	while (stop_reason(&reaper->stop) == STOP_NONE) {
		/* Look without reading: an event that is due while we are held must stay in the kernel. */
		int ret = channel_wait(&reaper->channel, &reaper->stop, NEVER_NS);

		while (!ret && stop_reason(&reaper->stop) == STOP_NONE) {
			if (atomic_load_explicit(&reaper->held, memory_order_acquire))
				wait_for_release(reaper);
			else
				ret = channel_serve(&reaper->channel, &reaper->stop, 0);
		}
		if (ret && ret != -ETIMEDOUT && ret != -ECANCELED)
			break; /* logged; those who wait for its events have deadlines */
	}
	return NULL;
}

int reaper_start(struct reaper *reaper, void (*on_request)(void *arg, const struct request *request), void *arg)
{
	int ret;

	*reaper = (struct reaper){ .stop.fd = -1 };
	reaper->released_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (reaper->released_fd < 0) {
		ret = -errno;
		log_error("cannot make an eventfd: %s", log_errno(ret));
		return ret;
	}
	ret = stop_init(&reaper->stop);
	if (ret) {
		log_error("cannot make an eventfd: %s", log_errno(ret));
		goto close_released;
	}
	ret = channel_open(&reaper->channel, on_request, arg);
	if (ret)
		goto free_stop;
	ret = -pthread_create(&reaper->thread, NULL, reap, reaper);
	if (ret) {
		log_error("cannot start a reaper thread: %s", log_errno(ret));
		goto close_channel;
	}
	reaper->running = true;
	return 0;
close_channel:
	channel_close(&reaper->channel);
free_stop:
	stop_free(&reaper->stop);
close_released:
	close(reaper->released_fd);
	return ret;
}

void reaper_stop(struct reaper *reaper)
{
	if (!reaper->running)
		return;
	stop_set(&reaper->stop, STOP_DONE);
	pthread_join(reaper->thread, NULL);
	reaper->running = false;
}

void reaper_close(struct reaper *reaper)
{
	reaper_stop(reaper);
	channel_close(&reaper->channel);
	stop_free(&reaper->stop);
	close(reaper->released_fd);
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
