// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * delay - makes an application slow in one place, to see which part of a connect that moves. For
 * tests: LD_PRELOAD=delay.so, and in the environment
 *
 *	DELAY_EVENT_US=N	rdma_get_cm_event(3) returns ESTABLISHED that much later
 *	DELAY_ACCEPT_US=N	rdma_accept(3) begins that much later
 */
#include <dlfcn.h>
#include <rdma/rdma_cma.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void delay(const char *variable)
{
	const char *text = getenv(variable);
	long us = text ? strtol(text, NULL, 10) : 0;

	if (us > 0)
		nanosleep(&(struct timespec){ us / 1000000, us % 1000000 * 1000 }, NULL);
}

/* The library's own of that name. ISO C has no cast from an object's pointer to a function's. */
static void find(const char *name, void *function)
{
	void *symbol = dlsym(RTLD_NEXT, name);

	memcpy(function, &symbol, sizeof(symbol));
}

int rdma_get_cm_event(struct rdma_event_channel *channel, struct rdma_cm_event **event)
{
	static int (*next)(struct rdma_event_channel *, struct rdma_cm_event **);

	if (!next)
		find("rdma_get_cm_event", &next);
	int ret = next(channel, event);

	if (!ret && (*event)->event == RDMA_CM_EVENT_ESTABLISHED)
		delay("DELAY_EVENT_US");
	return ret;
}

int rdma_accept(struct rdma_cm_id *id, struct rdma_conn_param *conn_param)
{
	static int (*next)(struct rdma_cm_id *, struct rdma_conn_param *);

	if (!next)
		find("rdma_accept", &next);
	delay("DELAY_ACCEPT_US");
	return next(id, conn_param);
}
