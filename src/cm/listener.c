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

static int bind_to(struct listener *listener, const struct sockaddr_storage *address)
{
	struct sockaddr_storage copy = *address;
	char name[RESULT_NAME];
	int ret;

	errno = 0;
	if (!rdma_bind_addr(listener->id, (struct sockaddr *)&copy))
		return 0;
	ret = negative_errno();
	if (ret == -EADDRINUSE && endpoint_port((struct sockaddr *)&copy)) {
		log_info("RDMA port %u is taken, listening on a free one",
			 endpoint_port((struct sockaddr *)&copy));
		endpoint_set_port(&copy, 0);
		errno = 0;
		if (!rdma_bind_addr(listener->id, (struct sockaddr *)&copy))
			return 0;
		ret = negative_errno();
	}
	endpoint_name(name, sizeof(name), (struct sockaddr *)&copy);
	if (ret == -ENODEV || ret == -EADDRNOTAVAIL)
		log_error("no RDMA device for %s: %s", name, log_errno(ret));
	else
		log_error("cannot bind to %s: %s", name, log_errno(ret));
	return ret;
}

int listener_open(struct listener *listener, const struct sockaddr_storage *address,
		  void (*on_request)(void *arg, const struct request *request), void *arg)
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
	ret = bind_to(listener, address);
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
