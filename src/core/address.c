// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* address - between sockaddrs, text and one 18-byte value. */
#include "core/address.h"

#include "core/number.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { MAPPED = 12 }; /* bytes before the IPv4 address in a mapped one */

static void map_ipv4(struct in6_addr *ip, const struct in_addr *in)
{
	memset(ip->s6_addr + 10, 0xff, 2);
	memcpy(ip->s6_addr + MAPPED, in, sizeof(*in));
}

struct address address_of(const struct sockaddr *sockaddr)
{
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)sockaddr;
	const struct sockaddr_in *in = (const struct sockaddr_in *)sockaddr;
	struct address address;

	memset(&address, 0, sizeof(address));
	if (sockaddr && sockaddr->sa_family == AF_INET6) {
		address.ip = in6->sin6_addr;
		address.port = ntohs(in6->sin6_port);
	} else if (sockaddr && sockaddr->sa_family == AF_INET) {
		map_ipv4(&address.ip, &in->sin_addr);
		address.port = ntohs(in->sin_port);
	}
	return address;
}

bool address_is_none(const struct address *address)
{
	return IN6_IS_ADDR_UNSPECIFIED(&address->ip);
}

const char *address_text(const struct address *address, char text[static ADDRESS_TEXT])
{
	char ip[INET6_ADDRSTRLEN];

	*text = '\0';
	if (address_is_none(address))
		return text;
	if (IN6_IS_ADDR_V4MAPPED(&address->ip)) {
		inet_ntop(AF_INET, address->ip.s6_addr + MAPPED, ip, sizeof(ip));
		snprintf(text, ADDRESS_TEXT, "%s:%u", ip, address->port);
	} else {
		inet_ntop(AF_INET6, &address->ip, ip, sizeof(ip));
		snprintf(text, ADDRESS_TEXT, "[%s]:%u", ip, address->port);
	}
	return text;
}

int address_parse(struct address *address, const char *text)
{
	const char *colon = strrchr(text, ':');
	struct address parsed;
	struct in_addr in;
	char ip[INET6_ADDRSTRLEN];
	uint64_t port;

	memset(&parsed, 0, sizeof(parsed));
	if (!*text) {
		*address = parsed;
		return 0;
	}
	if (!colon || number_count(colon + 1, 0, UINT16_MAX, &port))
		return -EINVAL;
	bool bracketed = *text == '[' && colon - text >= 2 && colon[-1] == ']';
	const char *begin = text + bracketed;
	size_t len = (size_t)(colon - begin) - bracketed;

	if (len >= sizeof(ip))
		return -EINVAL;
	memcpy(ip, begin, len);
	ip[len] = '\0';
	if (!bracketed && inet_pton(AF_INET, ip, &in) == 1)
		map_ipv4(&parsed.ip, &in);
	else if (!bracketed || inet_pton(AF_INET6, ip, &parsed.ip) != 1)
		return -EINVAL;
	parsed.port = (in_port_t)port;
	*address = parsed;
	return 0;
}
