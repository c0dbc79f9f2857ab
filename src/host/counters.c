// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* counters - thirty-two small files. */
#include "host/counters.h"

#include "host/clock.h"
#include "host/sysfs.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { SETTLE_MS = 10, SETTLE_MOST_MS = 200 };

int counters_read(struct counters *counters, const char *device, uint32_t port)
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
			int ret = sysfs_read_u64(&groups[g].values[m], "/sys/class/infiniband/%s/ports/%u/%s/%s",
						 device, port, groups[g].dir, cm_message_name(m));
			if (ret)
				return ret;
		}
	}
	*counters = c;
	return 0;
}

int counters_read_settled(struct counters *counters, const char *device, uint32_t port)
{
	const struct timespec pause = { .tv_nsec = SETTLE_MS * (long)NS_PER_MS };
	struct counters before, after;
	int ret = counters_read(&after, device, port);

	for (int ms = 0; !ret && ms < SETTLE_MOST_MS; ms += SETTLE_MS) {
		before = after;
		clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
		ret = counters_read(&after, device, port);
		if (!memcmp(&before, &after, sizeof(before)))
			break;
	}
	if (!ret)
		*counters = after;
	return ret;
}

void counters_difference(struct cm_counts *row, const struct counters *before, const struct counters *after,
			 enum step step, const char *host, const char *device, uint32_t port)
{
	*row = (struct cm_counts){ .port = port, .step = step };
	snprintf(row->host, sizeof(row->host), "%s", host);
	snprintf(row->device, sizeof(row->device), "%s", device);
	for (enum cm_message m = 0; m < CM_MESSAGES; m++) {
		row->msg[m].sent = after->sent[m] - before->sent[m];
		row->msg[m].retries = after->retries[m] - before->retries[m];
		row->msg[m].received = after->received[m] - before->received[m];
		row->msg[m].duplicates = after->duplicates[m] - before->duplicates[m];
	}
}
