// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* device - PDs and CQs, one pair a device; nobody posts work to them, so one CQ entry does. */
#include "cm/device.h"

#include "host/log.h"

#include <errno.h>
#include <infiniband/verbs.h>
#include <stdlib.h>

int devices_init(struct devices *devices)
{
	*devices = (struct devices){ 0 };
	return -pthread_mutex_init(&devices->lock, NULL);
}

static void device_free(struct device *device)
{
	if (device->cq)
		ibv_destroy_cq(device->cq);
	if (device->pd)
		ibv_dealloc_pd(device->pd);
	free(device);
}

void devices_close(struct devices *devices)
{
	while (devices->first) {
		struct device *device = devices->first;

		devices->first = device->next;
		device_free(device);
	}
	pthread_mutex_destroy(&devices->lock);
}

/* What could not be made is remembered, too: ten thousand connections are not to try it again. */
static struct device *device_make(struct ibv_context *verbs)
{
	struct device *device = calloc(1, sizeof(*device));
	const char *what = "a protection domain";

	if (!device)
		return NULL;
	device->verbs = verbs;
	errno = 0;
	device->pd = ibv_alloc_pd(verbs);
	if (device->pd) {
		what = "a completion queue";
		device->cq = ibv_create_cq(verbs, 1, NULL, NULL, 0);
	}
	if (device->cq)
		return device;
	device->error = errno ? -errno : -EIO;
	log_error("cannot create %s on %s: %s%s", what, ibv_get_device_name(verbs->device),
		  log_errno(device->error),
		  device->error == -ENOMEM ? "; see the locked-memory limit (ulimit -l)" : "");
	return device;
}

int devices_find(struct devices *devices, struct ibv_context *verbs, const struct device **device)
{
	struct device *found;

	pthread_mutex_lock(&devices->lock);
	for (found = devices->first; found && found->verbs != verbs; found = found->next)
		;
	if (!found && (found = device_make(verbs))) {
		found->next = devices->first;
		devices->first = found;
	}
	pthread_mutex_unlock(&devices->lock);
	if (!found)
		return -ENOMEM;
	if (!found->error)
		*device = found;
	return found->error;
}
