// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* stop - an eventfd written once. */
#include "host/stop.h"

#include "host/log.h"

#include <errno.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

int stop_init(struct stop *stop)
{
	stop->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (stop->fd < 0) {
		int ret = -errno;

		log_error("cannot make an eventfd: %s%s", log_errno(ret),
			  ret == -EMFILE ? " (see ulimit -n)" : "");
		return ret;
	}
	atomic_init(&stop->reason, STOP_NONE);
	stop->parent = NULL;
	return 0;
}

int stop_init_within(struct stop *stop, const struct stop *parent)
{
	int ret = stop_init(stop);

	if (!ret)
		stop->parent = parent;
	return ret;
}

void stop_free(struct stop *stop)
{
	if (stop->fd >= 0)
		close(stop->fd);
	stop->fd = -1;
}

void stop_set(struct stop *stop, int reason)
{
	const uint64_t one = 1;
	int saved = errno, none = STOP_NONE;

	/* An eventfd that holds 0 takes a 1, always: nothing to do about a failure. */
	if (stop_reason(stop) == STOP_NONE &&
	    atomic_compare_exchange_strong(&stop->reason, &none, reason))
		(void)!write(stop->fd, &one, sizeof(one));
	errno = saved;
}
