// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* wait - ppoll(2) with an absolute deadline. */
#include "host/wait.h"

#include "host/clock.h"
#include "host/stop.h"

#include <errno.h>
#include <fcntl.h>

int wait_fd(int fd, short events, const struct stop *stop, uint64_t deadline_ns)
{
	struct pollfd fds[1 + STOP_DEPTH] = { { .fd = fd, .events = events } };
	nfds_t n_fds = 1;

	for (const struct stop *s = stop; s && n_fds <= STOP_DEPTH; s = s->parent)
		fds[n_fds++] = (struct pollfd){ .fd = s->fd, .events = POLLIN };

	for (;;) {
		struct timespec left = { 0 };

		if (deadline_ns != NEVER_NS && deadline_ns) {
			uint64_t now_ns = clock_now_ns();
			uint64_t left_ns = deadline_ns > now_ns ? deadline_ns - now_ns : 0;

			left.tv_sec = (time_t)(left_ns / NS_PER_S);
			left.tv_nsec = (long)(left_ns % NS_PER_S);
		}
		int n = ppoll(fds, n_fds, deadline_ns == NEVER_NS ? NULL : &left, NULL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (stop && stop_reason(stop) != STOP_NONE)
			return -ECANCELED;
		if (fds[0].revents)
			return 0;
		return -ETIMEDOUT;
	}
}

int fd_set_nonblocking(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0)
		return -errno;
	return 0;
}
