// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* endpoint - getaddrinfo, getifaddrs and a look into sysfs. */
#include "cm/endpoint.h"

#include "cm/channel.h"
#include "host/log.h"
#include "host/sysfs.h"

#include <errno.h>
#include <ifaddrs.h>
#include <infiniband/verbs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <rdma/rdma_cma.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* CMA_CM_RESPONSE_TIMEOUT of Linux since 2.6; no interface tells it. */
enum { CM_RESPONSE_TIMEOUT = 20 };

int endpoint_resolve(struct sockaddr_storage *address, const char *host, uint16_t port)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *found;
	int ret = getaddrinfo(host, NULL, &hints, &found);

	if (ret) {
		log_error("cannot resolve %s: %s", host,
			  ret == EAI_SYSTEM ? strerror(errno) : gai_strerror(ret));
		return -ENOENT;
	}
	memset(address, 0, sizeof(*address));
	memcpy(address, found->ai_addr, found->ai_addrlen);
	endpoint_set_port(address, port);
	freeaddrinfo(found);
	return 0;
}

static socklen_t length_of(const struct sockaddr *address)
{
	switch (address->sa_family) {
	case AF_INET:
		return sizeof(struct sockaddr_in);
	case AF_INET6:
		return sizeof(struct sockaddr_in6);
	default:
		return 0;
	}
}

/* Whether an RDMA device with an active port stands behind a local address: rdma_bind_addr(3) finds
 * it. */
static bool has_device(struct rdma_event_channel *events, const struct sockaddr *address)
{
	struct sockaddr_storage copy = { 0 };
	struct ibv_port_attr port;
	struct rdma_cm_id *id;
	bool active = false;

	memcpy(&copy, address, length_of(address));
	if (rdma_create_id(events, &id, NULL, RDMA_PS_TCP))
		return false;
	if (!rdma_bind_addr(id, (struct sockaddr *)&copy) && id->verbs)
		active = !ibv_query_port(id->verbs, id->port_num, &port) &&
			 port.state == IBV_PORT_ACTIVE;
	rdma_destroy_id(id);
	return active;
}

int endpoint_first(struct sockaddr_storage *address)
{
	struct channel channel;
	struct ifaddrs *all;
	int ret = channel_open(&channel, NULL, NULL);

	if (ret)
		return ret;
	if (getifaddrs(&all))
		all = NULL;
	ret = -ENODEV;
	for (const struct ifaddrs *i = all; i && ret; i = i->ifa_next) {
		if (!i->ifa_addr || !length_of(i->ifa_addr) || !(i->ifa_flags & IFF_UP) ||
		    !has_device(channel.events, i->ifa_addr))
			continue;
		memset(address, 0, sizeof(*address));
		memcpy(address, i->ifa_addr, length_of(i->ifa_addr));
		ret = 0;
	}
	if (all)
		freeifaddrs(all);
	channel_close(&channel);
	if (ret)
		log_error("no RDMA device of this host is active and has an address (see rdma "
			  "link, ip address)");
	return ret;
}

void endpoint_name(char *text, size_t size, const struct sockaddr *address)
{
	if (!length_of(address) || getnameinfo(address, length_of(address), text, (socklen_t)size,
					       NULL, 0, NI_NUMERICHOST))
		snprintf(text, size, "%s", "");
}

uint16_t endpoint_port(const struct sockaddr *address)
{
	switch (address->sa_family) {
	case AF_INET:
		return ntohs(((const struct sockaddr_in *)address)->sin_port);
	case AF_INET6:
		return ntohs(((const struct sockaddr_in6 *)address)->sin6_port);
	default:
		return 0;
	}
}

void endpoint_set_port(struct sockaddr_storage *address, uint16_t port)
{
	if (address->ss_family == AF_INET)
		((struct sockaddr_in *)address)->sin_port = htons(port);
	else if (address->ss_family == AF_INET6)
		((struct sockaddr_in6 *)address)->sin6_port = htons(port);
}

/* What an entry of a port's GID table is of: "RoCE v2", or "" where that is not said. */
static const char *gid_type(const char *device, unsigned int port, int index,
			    char type[static RESULT_NAME])
{
	if (sysfs_read(type, RESULT_NAME, "/sys/class/infiniband/%s/ports/%u/gid_attrs/types/%d",
		       device, port, index))
		*type = '\0';
	return type;
}

/*
 * Where the id's GID stands in the port's table, and its text; -1: nowhere. Devices that do both
 * RoCE versions have each GID twice, v1 first; the RDMA CM takes v2 unless it is told otherwise.
 */
static int find_gid(const char *device, unsigned int port, const union ibv_gid *gid,
		    char text[static RESULT_NAME])
{
	enum { GID_TABLE_MOST = 256 };
	char line[RESULT_NAME], type[RESULT_NAME];
	int found = -1;

	*text = '\0';
	for (int i = 0; i < GID_TABLE_MOST; i++) {
		uint8_t entry[16];
		bool same = true;

		if (sysfs_read(line, sizeof(line), "/sys/class/infiniband/%s/ports/%u/gids/%d",
			       device, port, i))
			break;
		for (int b = 0; b < 16 && same; b++)
			same = sscanf(line + b * 2 + b / 2, "%2hhx", &entry[b]) == 1 &&
			       entry[b] == gid->raw[b];
		if (!same)
			continue;
		memcpy(text, line, sizeof(line));
		if (!strcmp(gid_type(device, port, i, type), "RoCE v2"))
			return i;
		found = found < 0 ? i : found;
	}
	return found;
}

/* Which RoCE it is stands with the GID. */
static const char *roce_version(const struct endpoint_info *info, int gid_index)
{
	char type[RESULT_NAME] = "";

	if (gid_index >= 0)
		gid_type(info->device, info->port, gid_index, type);
	if (!*type)
		return "RoCE";
	return !strcmp(type, "RoCE v2") ? "RoCE v2" : "RoCE v1";
}

static const char *transport_of(const struct rdma_cm_id *id, const struct endpoint_info *info,
				int gid_index)
{
	char layer[RESULT_NAME] = "";

	if (id->verbs->device->transport_type == IBV_TRANSPORT_IWARP)
		return "iWARP";
	sysfs_read(layer, sizeof(layer), "/sys/class/infiniband/%s/ports/%u/link_layer",
		   info->device, info->port);
	if (!strcmp(layer, "InfiniBand"))
		return "InfiniBand";
	return !strcmp(layer, "Ethernet") ? roce_version(info, gid_index) : "";
}

/* A software device has no driver to link to, but calls itself by its name. */
static void read_driver(struct endpoint_info *info)
{
	char path[128], link[256];

	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/device/driver", info->device);
	ssize_t n = readlink(path, link, sizeof(link) - 1);

	if (n > 0) {
		link[n] = '\0';
		const char *slash = strrchr(link, '/');

		snprintf(info->driver, sizeof(info->driver), "%.63s", slash ? slash + 1 : link);
	} else if (sysfs_read(info->driver, sizeof(info->driver),
			      "/sys/class/infiniband/%s/node_desc", info->device)) {
		*info->driver = '\0';
	}
}

void endpoint_describe(struct endpoint_info *info, struct rdma_cm_id *id)
{
	char gid[RESULT_NAME] = "";

	endpoint_name(info->address, sizeof(info->address), rdma_get_local_addr(id));
	if (!id->verbs)
		return;
	snprintf(info->device, sizeof(info->device), "%s", ibv_get_device_name(id->verbs->device));
	info->port = id->port_num;
	int gid_index = find_gid(info->device, info->port, &id->route.addr.addr.ibaddr.sgid, gid);

	memcpy(info->gid, gid, sizeof(gid));
	snprintf(info->transport, sizeof(info->transport), "%s", transport_of(id, info, gid_index));
	read_driver(info);
	if (sysfs_read(info->firmware, sizeof(info->firmware), "/sys/class/infiniband/%s/fw_ver",
		       info->device))
		*info->firmware = '\0';
	if (gid_index < 0 || sysfs_read(info->netdev, sizeof(info->netdev),
					"/sys/class/infiniband/%s/ports/%u/gid_attrs/ndevs/%d",
					info->device, info->port, gid_index))
		*info->netdev = '\0';
}

void endpoint_timeouts(struct cm_timeouts *timeouts, const struct rdma_cm_id *id)
{
	if (!id || id->route.num_paths < 1 || !id->route.path_rec)
		return;
	timeouts->packet_life_time = id->route.path_rec->packet_life_time;
	timeouts->response_timeout = CM_RESPONSE_TIMEOUT;
}
