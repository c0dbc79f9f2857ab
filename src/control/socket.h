/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * socket - TCP sockets for control/: reaching a host, naming a peer, the options every end wants.
 *
 * Knows nothing of messages. Any thread.
 */
#ifndef CMTIME_CONTROL_SOCKET_H
#define CMTIME_CONTROL_SOCKET_H

#include <stdint.h>

struct sockaddr;
struct stop;

/* Room for "[address%interface]:port". */
enum { SOCKET_NAME = 96 };

/* As control_connect(): 0 and *fd, non-blocking; -ECANCELED; or -errno, logged. */
int socket_connect(const char *host, uint16_t port, struct stop *stop, uint64_t deadline_ns,
		   int *fd);

/*
 * Makes a stream socket non-blocking and close-on-exec; if TCP, without delay of small messages and
 * with a limit to unacknowledged ones (TCP_NODELAY, TCP_USER_TIMEOUT of tcp(7)). 0 or -errno.
 */
int socket_prepare(int fd, uint64_t user_timeout_ns);

/* "10.0.0.1:7471", "[fe80::1%eth0]:7471"; IPv4 within IPv6 as IPv4; "peer" for anything else. */
void socket_address_name(const struct sockaddr *address, char name[SOCKET_NAME]);

/* The other end's name. */
void socket_name(int fd, char name[SOCKET_NAME]);

#endif
