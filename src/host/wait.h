/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * wait - the one way to wait in cmtime: for descriptors, a stop, and a deadline, whichever comes
 * first.
 *
 * Every wait of ours goes through here, so that each has its deadline and ends when the run is cut.
 * Any thread.
 */
#ifndef CMTIME_HOST_WAIT_H
#define CMTIME_HOST_WAIT_H

#include <poll.h>
#include <stdint.h>

struct stop;

/*
 * Waits until fd has one of events (poll(2)), stop (NULL: none) is set, or deadline_ns
 * (CLOCK_MONOTONIC; NEVER_NS; 0 only looks). Goes on after EINTR. 0: fd is ready (POLLERR and
 * POLLHUP count); -ECANCELED: stop is set (it wins); -ETIMEDOUT; else -errno.
 */
int wait_fd(int fd, short events, const struct stop *stop, uint64_t deadline_ns);

/* Makes a descriptor non-blocking. 0 or -errno. */
int fd_set_nonblocking(int fd);

#endif
