// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* listener - bind, listen, and know the port. */
#include "cm/listener.h"

#include "cm/endpoint.h"
#include "host/log.h"

#include <arpa/inet.h>
#include <errno.h>
#include <rdma/rdma_cma.h>

static int negative_errno(void)
{
	return errno ? -errno : -EIO;
}

static int bind_once(struct listener *listener, struct sockaddr_storage *address)
{
	errno = 0;
	return rdma_bind_addr(listener->id, (struct sockaddr *)address) ? negative_errno() : 0;
}

/* Of a wildcard address whose port is taken the kernel says EADDRNOTAVAIL: a free port tells that
 * from no device. */
static int bind_to(struct listener *listener, const struct sockaddr_storage *wanted,
		   bool fixed_port)
{
	struct sockaddr_storage address = *wanted;
	uint16_t port = endpoint_port((const struct sockaddr *)wanted);
	char name[RESULT_NAME];
	int first = bind_once(listener, &address), ret = first;

	if (ret && port) {
		address = *wanted;
		endpoint_set_port(&address, 0);
		ret = bind_once(listener, &address);
	}
	if (!first)
		return 0;
	endpoint_name(name, sizeof(name), (const struct sockaddr *)wanted);
	if (ret == -ENODEV || ret == -EADDRNOTAVAIL) {
		log_error("no RDMA device for %s: %s", name, log_errno(ret));
	} else if (ret) {
		log_error("cannot bind to %s: %s", name, log_errno(ret));
	} else if (fixed_port) {
		log_error("RDMA port %u is taken", port);
		ret = -EADDRINUSE;
	} else {
		log_info("RDMA port %u is taken, listening on a free one", port);
	}
	return ret;
}

int listener_open(struct listener *listener, const struct sockaddr_storage *address,
		  bool fixed_port, void (*on_request)(void *arg, const struct request *request),
		  void *arg)
{
	*listener = (struct listener){ .context = CONTEXT_LISTENER };
	int ret = reaper_start(&listener->reaper, false, on_request, arg);

	if (ret)
		return ret;
	errno = 0;
	if (rdma_create_id(listener->reaper.channel.events, &listener->id, listener, RDMA_PS_TCP)) {
		ret = negative_errno();
		log_error("cannot create a listening id: %s", log_errno(ret));
		goto close_reaper;
	}
	ret = bind_to(listener, address, fixed_port);
	if (ret)
		goto destroy_id;
	errno = 0;
	if (rdma_listen(listener->id, 0)) {
		ret = negative_errno();
		log_error("cannot listen: %s", log_errno(ret));
		goto destroy_id;
	}
	listener->port = ntohs(rdma_get_src_port(listener->id));
	return 0;
destroy_id:
	rdma_destroy_id(listener->id);
close_reaper:
	reaper_close(&listener->reaper);
	return ret;
}

void listener_close(struct listener *listener)
{
	rdma_destroy_id(listener->id);
	reaper_close(&listener->reaper);
}
