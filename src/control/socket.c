// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * socket - connect(2) with a deadline and words for what went wrong, and what else TCP needs.
 *
 * Runs in the caller's thread, before a control's own exists.
 */
#include "control/socket.h"

#include "host/clock.h"
#include "host/log.h"
#include "host/stop.h"
#include "host/wait.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

void socket_address_name(const struct sockaddr *address, char name[SOCKET_NAME])
{
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)address;
	bool is_in6 = address->sa_family == AF_INET6;
	char host[64], port[8];

	if (is_in6 && IN6_IS_ADDR_V4MAPPED(&in6->sin6_addr)) {
		inet_ntop(AF_INET, &in6->sin6_addr.s6_addr[12], host, sizeof(host));
		snprintf(name, SOCKET_NAME, "%s:%u", host, ntohs(in6->sin6_port));
		return;
	}
	if ((!is_in6 && address->sa_family != AF_INET) ||
	    getnameinfo(address, is_in6 ? sizeof(*in6) : sizeof(struct sockaddr_in), host,
			sizeof(host), port, sizeof(port), NI_NUMERICHOST | NI_NUMERICSERV)) {
		snprintf(name, SOCKET_NAME, "peer");
		return;
	}
	snprintf(name, SOCKET_NAME, is_in6 ? "[%s]:%s" : "%s:%s", host, port);
}

void socket_name(int fd, char name[SOCKET_NAME])
{
	struct sockaddr_storage address = { .ss_family = AF_UNSPEC };
	socklen_t length = sizeof(address);

	/* A peer that has reset its connection already has no name any more. */
	(void)getpeername(fd, (struct sockaddr *)&address, &length);
	socket_address_name((struct sockaddr *)&address, name);
}

int socket_prepare(int fd, uint64_t user_timeout_ns)
{
	unsigned timeout_ms = (unsigned)(user_timeout_ns / NS_PER_MS);
	const int one = 1;
	int error = fd_set_nonblocking(fd);

	if (error)
		return error;
	if (fcntl(fd, F_SETFD, FD_CLOEXEC) < 0)
		return -errno;
	/* Nothing depends on these: silence is noticed by pings, too, and a delay is no fault. */
	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	(void)setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &timeout_ms, sizeof(timeout_ms));
	return 0;
}

/* One address. */
static int connect_address(const struct addrinfo *address, const struct stop *stop,
			   uint64_t deadline_ns, int *connected)
{
	int fd = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	socklen_t length = sizeof(int);
	int error = 0;

	if (fd < 0)
		return -errno;
	if (connect(fd, address->ai_addr, address->ai_addrlen)) {
		/* Interrupted, a connect goes on all the same (connect(2)). */
		if (errno != EINPROGRESS && errno != EINTR)
			error = -errno;
		else
			error = wait_fd(fd, POLLOUT, stop, deadline_ns);
		if (!error && getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length))
			error = errno;
		if (error > 0)
			error = -error;
	}
	if (error) {
		close(fd);
		return error;
	}
	*connected = fd;
	return 0;
}

/* What the user may want to do about it. */
static const char *connect_hint(const struct sockaddr *address, int error)
{
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)address;

	if (address->sa_family == AF_INET6 && IN6_IS_ADDR_LINKLOCAL(&in6->sin6_addr) &&
	    !in6->sin6_scope_id)
		return " (a link-local address needs its interface: fe80::1%eth0)";
	if (error == -ECONNREFUSED)
		return " (is a cmtime server running there?)";
	return "";
}

int socket_connect(const char *host, uint16_t port, struct stop *stop, uint64_t deadline_ns,
		   int *fd)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV };
	struct addrinfo *addresses, *address;
	char service[8], name[SOCKET_NAME] = "";
	const char *hint = "";
	int error, left = 0;

	snprintf(service, sizeof(service), "%u", port);
	error = getaddrinfo(host, service, &hints, &addresses);
	if (error) {
		int cause = error == EAI_SYSTEM ? -errno : -EHOSTUNREACH;

		log_error("cannot find the address of %s: %s", host,
			  error == EAI_SYSTEM ? log_errno(cause) : gai_strerror(error));
		return cause;
	}
	for (address = addresses; address; address = address->ai_next)
		left++;
	for (address = addresses; address; address = address->ai_next, left--) {
		uint64_t now_ns = clock_now_ns(), until_ns = deadline_ns;

		/* One address that swallows everything must not cost the others their time. */
		if (deadline_ns != NEVER_NS && deadline_ns > now_ns)
			until_ns = now_ns + (deadline_ns - now_ns) / (unsigned)left;
		error = connect_address(address, stop, until_ns, fd);
		if (!error || error == -ECANCELED)
			break;
		socket_address_name(address->ai_addr, name);
		hint = connect_hint(address->ai_addr, error);
	}
	freeaddrinfo(addresses);
	if (error && error != -ECANCELED)
		log_error("cannot reach %s (%s): %s%s", host, name, log_errno(error), hint);
	return error;
}
