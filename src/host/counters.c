// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* counters - some thirty small files a port. */
#include "host/counters.h"

#include "host/clock.h"
#include "host/description.h"
#include "host/sysfs.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SYSFS "/sys/class/infiniband"

enum { SETTLE_MS = 10, SETTLE_MOST_MS = 200 };

static int read_port(struct counters *counters, const char *device, uint32_t port)
{
	struct counters c = { 0 };
	const struct {
		const char *dir;
		uint64_t *values;
	} groups[] = {
		{ "cm_tx_msgs", c.sent },
		{ "cm_tx_retries", c.retries },
		{ "cm_rx_msgs", c.received },
		{ "cm_rx_duplicates", c.duplicates },
	};

	for (size_t g = 0; g < sizeof(groups) / sizeof(*groups); g++) {
		for (enum cm_message m = 0; m < CM_MESSAGES; m++) {
			int ret = sysfs_read_u64(&groups[g].values[m], SYSFS "/%s/ports/%u/%s/%s",
						 device, port, groups[g].dir, cm_message_name(m));
			if (ret)
				return ret;
		}
	}
	*counters = c;
	return 0;
}

static void find_ports(struct counter_watch *watch, const char *device)
{
	char path[sizeof(SYSFS) + RESULT_NAME + sizeof("/ports")];
	const struct dirent *entry;

	snprintf(path, sizeof(path), SYSFS "/%s/ports", device);
	DIR *dir = opendir(path);

	while (dir && (entry = readdir(dir)) && watch->n_ports < COUNTERS_PORTS) {
		uint32_t port = (uint32_t)strtoul(entry->d_name, NULL, 10);
		struct counters counters;

		if (!port || read_port(&counters, device, port))
			continue;
		snprintf(watch->ports[watch->n_ports].device, RESULT_NAME, "%s", device);
		watch->ports[watch->n_ports].port = port;
		watch->ports[watch->n_ports++].last = counters;
	}
	if (dir)
		closedir(dir);
}

void counter_watch_begin(struct counter_watch *watch)
{
	const struct dirent *entry;
	DIR *dir = opendir(SYSFS);

	*watch = (struct counter_watch){ 0 };
	host_name(watch->host);
	while (dir && (entry = readdir(dir))) {
		if (entry->d_name[0] != '.' && strlen(entry->d_name) < RESULT_NAME)
			find_ports(watch, entry->d_name);
	}
	if (dir)
		closedir(dir);
}

static int read_settled(struct counters *counters, const char *device, uint32_t port)
{
	const struct timespec pause = { .tv_nsec = SETTLE_MS * (long)NS_PER_MS };
	struct counters before, after;
	int ret = read_port(&after, device, port);

	for (int ms = 0; !ret && ms < SETTLE_MOST_MS; ms += SETTLE_MS) {
		before = after;
		clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
		ret = read_port(&after, device, port);
		if (!ret && !memcmp(&before, &after, sizeof(before)))
			break;
	}
	if (!ret)
		*counters = after;
	return ret;
}

int counter_watch_step(struct counter_watch *watch, struct round *round, enum step step)
{
	for (size_t p = 0; p < watch->n_ports; p++) {
		struct counters *last = &watch->ports[p].last, now;
		struct cm_counts row = { .port = watch->ports[p].port, .step = step };

		if (read_settled(&now, watch->ports[p].device, row.port))
			continue; /* the device is gone: no data */
		snprintf(row.host, sizeof(row.host), "%s", watch->host);
		snprintf(row.device, sizeof(row.device), "%s", watch->ports[p].device);
		for (enum cm_message m = 0; m < CM_MESSAGES; m++) {
			row.msg[m].sent = now.sent[m] - last->sent[m];
			row.msg[m].retries = now.retries[m] - last->retries[m];
			row.msg[m].received = now.received[m] - last->received[m];
			row.msg[m].duplicates = now.duplicates[m] - last->duplicates[m];
		}
		*last = now;
		int ret = round_add_cm(round, &row);

		if (ret)
			return ret;
	}
	return 0;
}
