/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * device - a protection domain and a completion queue for each RDMA device in use, shared by its
 * connections.
 *
 * A side has one struct devices. Looking a device up is locked; what is found stays until
 * devices_close().
 */
#ifndef CMTIME_CM_DEVICE_H
#define CMTIME_CM_DEVICE_H

#include <pthread.h>

struct ibv_context;
struct ibv_cq;
struct ibv_pd;

struct device {
	struct ibv_context *verbs;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	int error; /* -errno: it could not be made, and is not tried again */
	struct device *next;
};

struct devices {
	pthread_mutex_t lock;
	struct device *first;
};

/* 0 or -errno. */
int devices_init(struct devices *devices);
/* All QPs must be destroyed. */
void devices_close(struct devices *devices);

/* The device behind verbs; made at its first use. 0 or -errno, logged the first time. Any thread.
 */
int devices_find(struct devices *devices, struct ibv_context *verbs, const struct device **device);

#endif
