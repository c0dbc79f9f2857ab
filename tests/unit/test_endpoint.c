// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What an id runs on, told from a GID table of the test's: ours stands in for host/sysfs.c. */
#include "cm/endpoint.h"
#include "cmocka_all.h"
#include "core/result.h"
#include "host/sysfs.h"

#include <errno.h>
#include <rdma/rdma_cma.h>
#include <stdio.h>
#include <string.h>

#define GID   "fe80:0000:0000:0000:0000:0000:0000:0001"
#define OTHER "fe80:0000:0000:0000:0000:0000:0000:0002"

/* Entries of port 1 of "hca0": GID, type, netdev. */
static const struct entry {
	const char *gid, *type, *netdev;
} * table;

static bool is_file(const char *path, const char *folder, int *index)
{
	const char *slash = strrchr(path, '/');
	char before[128];

	snprintf(before, sizeof(before), "/sys/class/infiniband/hca0/ports/1/%s", folder);
	return slash && strlen(before) == (size_t)(slash - path) &&
	       !strncmp(path, before, strlen(before)) && sscanf(slash, "/%d", index) == 1;
}

int sysfs_read(char *line, size_t size, const char *path_format, ...)
{
	const char *text = NULL;
	char path[256];
	va_list args;
	int i, entries = 0;

	va_start(args, path_format);
	vsnprintf(path, sizeof(path), path_format, args);
	va_end(args);
	while (table[entries].gid)
		entries++;
	if (!strcmp(path, "/sys/class/infiniband/hca0/ports/1/link_layer"))
		text = "Ethernet";
	else if (is_file(path, "gids", &i) && i < entries)
		text = table[i].gid;
	else if (is_file(path, "gid_attrs/types", &i) && i < entries)
		text = table[i].type;
	else if (is_file(path, "gid_attrs/ndevs", &i) && i < entries)
		text = table[i].netdev;
	if (!text)
		return -ENOENT;
	snprintf(line, size, "%s", text);
	return 0;
}

int sysfs_read_u64(uint64_t *value, const char *path_format, ...)
{
	(void)value;
	(void)path_format;
	return -ENOENT;
}

static struct endpoint_info described(const struct entry *entries)
{
	struct ibv_device device = { .transport_type = IBV_TRANSPORT_IB, .name = "hca0" };
	struct ibv_context context = { .device = &device };
	struct rdma_cm_id id = { .verbs = &context, .port_num = 1 };
	struct endpoint_info info = { .port = 0 };

	id.route.addr.addr.ibaddr.sgid.raw[0] = 0xfe;
	id.route.addr.addr.ibaddr.sgid.raw[1] = 0x80;
	id.route.addr.addr.ibaddr.sgid.raw[15] = 1;
	table = entries;
	endpoint_describe(&info, &id);
	return info;
}

static void transport__of_a_gid_that_both_roce_versions_have__is_v2(void **state)
{
	static const struct entry entries[] = { { OTHER, "RoCE v2", "eth0" },
						{ GID, "IB/RoCE v1", "eth1" },
						{ GID, "RoCE v2", "eth2" },
						{ NULL, NULL, NULL } };
	struct endpoint_info info = described(entries);

	(void)state;
	assert_string_equal(info.transport, "RoCE v2");
	assert_string_equal(info.gid, GID);
	assert_string_equal(info.netdev, "eth2");
}

static void transport__of_a_gid_that_only_v1_has__is_v1(void **state)
{
	static const struct entry entries[] = { { GID, "IB/RoCE v1", "eth1" },
						{ OTHER, "RoCE v2", "eth0" },
						{ NULL, NULL, NULL } };
	struct endpoint_info info = described(entries);

	(void)state;
	assert_string_equal(info.transport, "RoCE v1");
	assert_string_equal(info.gid, GID);
	assert_string_equal(info.netdev, "eth1");
}

static void transport__of_a_gid_in_no_table__is_some_roce(void **state)
{
	static const struct entry entries[] = { { OTHER, "RoCE v2", "eth0" },
						{ NULL, NULL, NULL } };
	struct endpoint_info info = described(entries);

	(void)state;
	assert_string_equal(info.transport, "RoCE");
	assert_string_equal(info.gid, "");
	assert_string_equal(info.netdev, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(transport__of_a_gid_that_both_roce_versions_have__is_v2),
		cmocka_unit_test(transport__of_a_gid_that_only_v1_has__is_v1),
		cmocka_unit_test(transport__of_a_gid_in_no_table__is_some_roce),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
