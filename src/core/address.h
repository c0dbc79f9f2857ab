/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * address - an IP address and port as a value: compared by memcmp(3), found by hash, printed.
 *
 * An IPv4 address is held as an IPv4-mapped one, so there is one form of each; a scope is not kept.
 * Pure.
 */
#ifndef CMTIME_CORE_ADDRESS_H
#define CMTIME_CORE_ADDRESS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

struct address {
	struct in6_addr ip; /* all zeroes: none */
	in_port_t port;	    /* in the host's order */
};

/* "[", 45 characters, "]:65535" and the NUL */
enum { ADDRESS_TEXT = INET6_ADDRSTRLEN + 8 };

struct sockaddr;

/* Of IPv4 or IPv6; anything else gives no address. */
struct address address_of(const struct sockaddr *sockaddr);

bool address_is_none(const struct address *address);

/* "10.0.0.1:7471" or "[fd00::1]:7471"; "" for none. Returns text. */
const char *address_text(const struct address *address, char text[static ADDRESS_TEXT]);

/* And back: 0, or -EINVAL for what is no such text. "" is none. */
int address_parse(struct address *address, const char *text);

#endif
