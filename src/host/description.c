// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* description - uname(2), /proc and getrlimit(2). */
#include "host/description.h"

#include "host/sysfs.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

static void add_setting(struct endpoint_info *info, const char *name, const char *value)
{
	if (info->n_settings == MAX_SETTINGS)
		return;
	struct setting *setting = &info->settings[info->n_settings++];

	snprintf(setting->name, sizeof(setting->name), "%s", name);
	snprintf(setting->value, sizeof(setting->value), "%s", value);
}

/* Its name has a stop where the path has a slash. */
static void add_sysctl(struct endpoint_info *info, const char *name)
{
	char path[RESULT_NAME], value[RESULT_NAME];

	snprintf(path, sizeof(path), "%s", name);
	for (char *c = path; *c; c++)
		*c = *c == '.' ? '/' : *c;
	if (sysfs_read(value, sizeof(value), "/proc/sys/%s", path))
		return;
	for (char *c = value; *c; c++)
		*c = *c == '\t' ? ' ' : *c;
	add_setting(info, name, value);
}

static void add_limit(struct endpoint_info *info, const char *name, int resource)
{
	char value[RESULT_NAME] = "unlimited";
	struct rlimit limit;

	if (getrlimit(resource, &limit))
		return;
	if (limit.rlim_cur != RLIM_INFINITY)
		snprintf(value, sizeof(value), "%" PRIu64, (uint64_t)limit.rlim_cur);
	add_setting(info, name, value);
}

static void read_cpu(char model[static RESULT_NAME])
{
	char line[256];
	FILE *file = fopen("/proc/cpuinfo", "re");

	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "model name : %63[^\n]", model) == 1)
			break;
	}
	if (file)
		fclose(file);
}

void host_name(char name[static RESULT_NAME])
{
	if (gethostname(name, RESULT_NAME - 1))
		*name = '\0';
	name[RESULT_NAME - 1] = '\0';
}

void describe_now(char text[static RESULT_NAME])
{
	time_t now = time(NULL);
	struct tm tm;

	if (!gmtime_r(&now, &tm) || !strftime(text, RESULT_NAME, "%Y-%m-%dT%H:%M:%SZ", &tm))
		*text = '\0';
}

void describe_host(struct endpoint_info *info)
{
	static const char *const sysctls[] = { "net.rdma_ucm.max_backlog",
					       "net.ipv4.ip_local_port_range", "vm.max_map_count" };
	struct utsname system;
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	host_name(info->host);
	if (!uname(&system))
		snprintf(info->kernel, sizeof(info->kernel), "%.63s", system.release);
	read_cpu(info->cpu);
	info->cpus = cpus > 0 ? (uint32_t)cpus : 0;
	info->n_settings = 0;
	for (size_t i = 0; i < sizeof(sysctls) / sizeof(*sysctls); i++)
		add_sysctl(info, sysctls[i]);
	add_limit(info, "RLIMIT_NOFILE", RLIMIT_NOFILE);
	add_limit(info, "RLIMIT_MEMLOCK", RLIMIT_MEMLOCK);
}
