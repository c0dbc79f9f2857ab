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

/*
 * Local address, device, its port, transport, driver, firmware, GID and netdev of an id that has a
 * device; what is unknown becomes empty. The rest of info, which is the host's, is left alone.
 */
void endpoint_describe(struct endpoint_info *info, struct rdma_cm_id *id);

/*
 * What rules the CM's retries of an id that has a route: the path's packet life time, and the
 * response time-out, which Linux gives to both sides (CMA_CM_RESPONSE_TIMEOUT). An id without a
 * path (iWARP), or NULL, leaves them alone.
 */
void endpoint_timeouts(struct cm_timeouts *timeouts, const struct rdma_cm_id *id);

#endif
