// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* channel - from rdma_get_cm_event(3) to a mail: the only place that reads CM events. */
#include "cm/channel.h"

#include "cm/conn.h"
#include "host/clock.h"
#include "host/log.h"
#include "host/wait.h"

#include <errno.h>
#include <rdma/rdma_cma.h>
#include <stdbool.h>
#include <string.h>

static const struct {
	enum event_kind kind;
	enum mail mail;
} deliveries[] = {
	[RDMA_CM_EVENT_ADDR_RESOLVED] = { EVENT_ADDR_RESOLVED, MAIL_ADDR },
	[RDMA_CM_EVENT_ADDR_ERROR] = { EVENT_ADDR_ERROR, MAIL_ADDR },
	[RDMA_CM_EVENT_ROUTE_RESOLVED] = { EVENT_ROUTE_RESOLVED, MAIL_ROUTE },
	[RDMA_CM_EVENT_ROUTE_ERROR] = { EVENT_ROUTE_ERROR, MAIL_ROUTE },
	[RDMA_CM_EVENT_CONNECT_REQUEST] = { EVENT_CONNECT_REQUEST, MAIL_REQUEST },
	[RDMA_CM_EVENT_CONNECT_RESPONSE] = { EVENT_CONNECT_RESPONSE, MAIL_CONNECT },
	[RDMA_CM_EVENT_CONNECT_ERROR] = { EVENT_CONNECT_ERROR, MAIL_CONNECT },
	[RDMA_CM_EVENT_UNREACHABLE] = { EVENT_UNREACHABLE, MAIL_CONNECT },
	[RDMA_CM_EVENT_REJECTED] = { EVENT_REJECTED, MAIL_CONNECT },
	[RDMA_CM_EVENT_ESTABLISHED] = { EVENT_ESTABLISHED, MAIL_CONNECT },
	[RDMA_CM_EVENT_DISCONNECTED] = { EVENT_DISCONNECTED, MAIL_DISCONNECTED },
	[RDMA_CM_EVENT_DEVICE_REMOVAL] = { EVENT_DEVICE_REMOVAL, MAIL_REMOVAL },
	/* These complete nothing: TIMEWAIT_EXIT comes some 2 s after every disconnect. */
	[RDMA_CM_EVENT_MULTICAST_JOIN] = { EVENT_OTHER, MAILS },
	[RDMA_CM_EVENT_MULTICAST_ERROR] = { EVENT_OTHER, MAILS },
	[RDMA_CM_EVENT_ADDR_CHANGE] = { EVENT_ADDR_CHANGE, MAILS },
	[RDMA_CM_EVENT_TIMEWAIT_EXIT] = { EVENT_TIMEWAIT_EXIT, MAILS },
};

int channel_open(struct channel *channel,
		 void (*on_request)(void *arg, const struct request *request), void *arg)
{
	int ret;

	*channel = (struct channel){ .on_request = on_request, .arg = arg };
	errno = 0;
	channel->events = rdma_create_event_channel();
	if (!channel->events) {
		ret = errno ? -errno : -ENODEV;
		log_error("cannot open the RDMA CM (/dev/infiniband/rdma_cm): %s; %s",
			  log_errno(ret),
			  ret == -EMFILE ? "raise the limit of open files (ulimit -n)"
					 : "is there an RDMA device, and rdma_ucm loaded?");
		return ret;
	}
	ret = -pthread_mutex_init(&channel->serving, NULL);
	if (ret) {
		log_error("cannot set up an event channel: %s", log_errno(ret));
		rdma_destroy_event_channel(channel->events);
		channel->events = NULL;
	}
	return ret;
}

int channel_set_nonblocking(struct channel *channel)
{
	int ret = fd_set_nonblocking(channel->events->fd);

	if (ret)
		log_error("cannot make an event channel non-blocking: %s", log_errno(ret));
	return ret;
}

void channel_close(struct channel *channel)
{
	if (!channel->events)
		return;
	rdma_destroy_event_channel(channel->events);
	pthread_mutex_destroy(&channel->serving);
	channel->events = NULL;
}

/* A CONNECT_ERROR made by librdmacm itself has status -1 and its cause in errno. */
static int32_t status_of(const struct rdma_cm_event *cm_event, int error)
{
	if (cm_event->event == RDMA_CM_EVENT_CONNECT_ERROR && cm_event->status == -1)
		return -error;
	return cm_event->status;
}

static void deliver_request(struct channel *channel, struct rdma_cm_event *cm_event, uint64_t at_ns)
{
	const struct rdma_conn_param *param = &cm_event->param.conn;
	struct request request = { .at_ns = at_ns,
				   .id = cm_event->id,
				   .listener = cm_event->listen_id->context };

	if (param->private_data) {
		request.data_len = param->private_data_len;
		if (request.data_len > PRIVATE_DATA_MAX)
			request.data_len = PRIVATE_DATA_MAX;
		memcpy(request.data, param->private_data, request.data_len);
	}
	rdma_ack_cm_event(cm_event);
	channel->on_request(channel->arg, &request);
}

static void deliver(struct channel *channel, struct rdma_cm_event *cm_event, uint64_t at_ns,
		    int error)
{
	unsigned int number = cm_event->event;
	enum mail mail =
		number < sizeof(deliveries) / sizeof(*deliveries) ? deliveries[number].mail : MAILS;

	if (mail == MAIL_REQUEST && channel->on_request) {
		deliver_request(channel, cm_event, at_ns);
		return;
	}
	/* A request's id has its listener's context until it is claimed; an id that only looks
	 * around has none. */
	enum context *context = cm_event->id->context;
	struct conn *conn = context && *context == CONTEXT_CONN ? (struct conn *)context : NULL;
	struct event event = { .at_ns = at_ns,
			       .kind = mail != MAILS ? deliveries[number].kind : EVENT_OTHER,
			       .status = status_of(cm_event, error) };

	rdma_ack_cm_event(cm_event);
	if (conn && mail < MAILS && mail != MAIL_REQUEST)
		conn_post(conn, mail, &event);
}

int channel_wait(const struct channel *channel, const struct stop *stop, uint64_t deadline_ns)
{
	return wait_fd(channel->events->fd, POLLIN, stop, deadline_ns);
}

int channel_serve(struct channel *channel)
{
	struct rdma_cm_event *cm_event;

	errno = 0;
	int ret = rdma_get_cm_event(channel->events, &cm_event);
	int error = errno;

	if (!ret) {
		uint64_t at_ns = clock_now_ns();

		pthread_mutex_lock(&channel->serving);
		deliver(channel, cm_event, at_ns, error);
		pthread_mutex_unlock(&channel->serving);
		return 0;
	}
	if (error == EINTR || error == EAGAIN)
		return -error;
	log_error("cannot read CM events: %s", log_errno(error));
	return error ? -error : -EIO;
}

void channel_quiesce(struct channel *channel)
{
	pthread_mutex_lock(&channel->serving);
	pthread_mutex_unlock(&channel->serving);
}
