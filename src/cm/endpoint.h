/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * endpoint - addresses: from names, of this host's RDMA devices, and what stands behind one.
 *
 * Main, at set-up.
 */
#ifndef CMTIME_CM_ENDPOINT_H
#define CMTIME_CM_ENDPOINT_H

#include "core/result.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

struct rdma_cm_id;

/*
 * The first address of that host name or number (a scope may follow: fe80::1%eth0). 0, or -ENOENT,
 * logged. getaddrinfo(3)
 */
int endpoint_resolve(struct sockaddr_storage *address, const char *host, uint16_t port);

/* The address of the first active RDMA device of this host that has one. 0, or -ENODEV, logged. */
int endpoint_first(struct sockaddr_storage *address);

/* "10.0.0.1", "fe80::1%eth0" into text; "" for no address. */
void endpoint_name(char *text, size_t size, const struct sockaddr *address);

uint16_t endpoint_port(const struct sockaddr *address);
void endpoint_set_port(struct sockaddr_storage *address, uint16_t port);

/* Host name, local address, device, its port and transport of an id that has a device; what is
 * unknown stays empty. */
void endpoint_describe(struct endpoint_info *info, struct rdma_cm_id *id);

#endif
