// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * listen - the server's end of control.h: where clients knock.
 *
 * Runs in the server's thread; whom it lets in gets a thread of his own (control_adopt()).
 */
#include "control/control.h"
#include "host/clock.h"
#include "host/log.h"
#include "host/wait.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BACKLOG = 64 };

/* Descriptors that are missing now may be there later; meanwhile, don't ask without end. */
#define FULL_WAIT_NS (100 * NS_PER_MS)

struct control_listener {
	int fd;
	uint16_t port;
};

/* A listening socket at that address, or -errno. */
static int listen_at(const struct sockaddr *address, socklen_t length)
{
	const int one = 1, zero = 0;
	int fd = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int error;

	if (fd < 0)
		return -errno;
	/* Where the system's default is IPv6 only (net.ipv6.bindv6only), :: is still for both. */
	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) ||
	    (address->sa_family == AF_INET6 &&
	     setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &zero, sizeof(zero))) ||
	    bind(fd, address, length) || listen(fd, BACKLOG)) {
		error = -errno;
		close(fd);
		return error;
	}
	return fd;
}

static int listen_everywhere(uint16_t port)
{
	const struct sockaddr_in6 in6 = { .sin6_family = AF_INET6,
					  .sin6_port = htons(port),
					  .sin6_addr = IN6ADDR_ANY_INIT };
	const struct sockaddr_in in4 = { .sin_family = AF_INET,
					 .sin_port = htons(port),
					 .sin_addr.s_addr = htonl(INADDR_ANY) };
	int fd = listen_at((const struct sockaddr *)&in6, sizeof(in6));

	/* IPv6 not built in, or switched off (net.ipv6.conf.all.disable_ipv6). */
	if (fd == -EAFNOSUPPORT || fd == -EADDRNOTAVAIL)
		fd = listen_at((const struct sockaddr *)&in4, sizeof(in4));
	return fd;
}

static int listen_on(const char *host, uint16_t port)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM,
					.ai_flags = AI_PASSIVE | AI_NUMERICSERV };
	struct addrinfo *addresses, *address;
	char service[8];
	int fd = -EADDRNOTAVAIL;

	snprintf(service, sizeof(service), "%u", port);
	if (getaddrinfo(host, service, &hints, &addresses))
		return -EADDRNOTAVAIL;
	for (address = addresses; address && fd < 0; address = address->ai_next)
		fd = listen_at(address->ai_addr, address->ai_addrlen);
	freeaddrinfo(addresses);
	return fd;
}

static uint16_t port_of(int fd)
{
	union {
		struct sockaddr any;
		struct sockaddr_in in4;
		struct sockaddr_in6 in6;
	} address = { 0 };
	socklen_t length = sizeof(address);

	/* Cannot fail for a socket of ours that is bound (getsockname(2)). */
	(void)getsockname(fd, &address.any, &length);
	return ntohs(address.any.sa_family == AF_INET6 ? address.in6.sin6_port
						       : address.in4.sin_port);
}

int control_listen(const char *address, uint16_t port, struct control_listener **listener)
{
	int fd = address ? listen_on(address, port) : listen_everywhere(port);
	struct control_listener *l;

	if (fd < 0) {
		log_error("cannot listen on %s, TCP port %u: %s",
			  address ? address : "this host's addresses", port, log_errno(fd));
		return fd;
	}
	l = malloc(sizeof(*l));
	if (!l) {
		log_error("cannot listen: %s", log_errno(ENOMEM));
		close(fd);
		return -ENOMEM;
	}
	l->fd = fd;
	l->port = port_of(fd);
	*listener = l;
	return 0;
}

uint16_t control_listener_port(const struct control_listener *listener)
{
	return listener->port;
}

/* Whether accept(2) failed for want of something that others may give back. */
static bool is_shortage(int error)
{
	return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
}

/* Whether it is the listening socket that is at fault, not the connection. */
static bool is_ours(int error)
{
	return error == EBADF || error == EINVAL || error == ENOTSOCK || error == EFAULT;
}

int control_accept(struct control_listener *listener, const struct stop *stop, uint64_t deadline_ns,
		   int *fd)
{
	int error = wait_fd(listener->fd, POLLIN, stop, deadline_ns);
	bool warned = false;

	for (; !error; error = wait_fd(listener->fd, POLLIN, stop, deadline_ns)) {
		int peer = accept4(listener->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

		if (peer >= 0) {
			*fd = peer;
			return 0;
		}
		error = -errno;
		if (is_ours(-error))
			break;
		/* Any other fault was that connection's own (accept(2)): on to the next. */
		if (!is_shortage(-error))
			continue;
		if (!warned)
			log_warn("cannot take a control connection yet: %s", log_errno(error));
		warned = true;
		if (clock_now_ns() >= deadline_ns)
			return -ETIMEDOUT;
		/* The socket stays readable, and waiting for it would be spinning: just wait. */
		error = wait_fd(-1, 0, stop, clock_deadline_ns(FULL_WAIT_NS));
		if (error == -ECANCELED)
			break;
	}
	if (error != -ECANCELED && error != -ETIMEDOUT)
		log_error("cannot accept control connections: %s", log_errno(error));
	return error;
}

void control_listener_close(struct control_listener *listener)
{
	if (!listener)
		return;
	close(listener->fd);
	free(listener);
}
