// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* setup - the table behind setup.h: pure, any thread. */
#include "core/setup.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* NUMBER: 0 is no data. COUNT: 0 is none. SETTING: a limit or sysctl of its name. */
enum kind { TEXT, NUMBER, COUNT, BYTE, FLAG, TIME_NS, WINDOW, SIDE, SETTING };

static const struct field {
	const char *name;
	enum kind kind;
	enum side side;
	size_t at; /* in struct run_info */
} fields[] = {
#define FIELD(name, kind, member)                                                                  \
	{                                                                                          \
		name, kind, SIDES, offsetof(struct run_info, member)                               \
	}
#define OF_SIDES(name, kind, client, server)                                                       \
	{ name, kind, SIDE_CLIENT, offsetof(struct run_info, client) },                            \
	{                                                                                          \
		name, kind, SIDE_SERVER, offsetof(struct run_info, server)                         \
	}
#define OF_ENDS(name, kind, member) OF_SIDES(name, kind, ends[0].member, ends[1].member)
#define SETTING_OF_ENDS(name)	    OF_SIDES(name, SETTING, ends[0], ends[1])
	FIELD("reporting side", SIDE, reported_by),
	FIELD("connections", NUMBER, connections),
	FIELD("window", WINDOW, window),
	FIELD("reap", TEXT, reap),
	OF_SIDES("threads", NUMBER, threads, server_threads),
	FIELD("listeners", NUMBER, listeners),
	FIELD("bind-first", FLAG, bind_first),
	FIELD("no-control", FLAG, no_control),
	FIELD("warm-up rounds", COUNT, warmups),
	FIELD("step time-out", TIME_NS, step_timeout_ns),
	FIELD("resolution time-out", TIME_NS, timeout_ns),
	FIELD("packet life time", BYTE, cm_timeouts.packet_life_time),
	FIELD("CM response time-out", BYTE, cm_timeouts.response_timeout),
	OF_ENDS("host", TEXT, host),
	OF_ENDS("address", TEXT, address),
	OF_ENDS("device", TEXT, device),
	OF_ENDS("port", NUMBER, port),
	OF_ENDS("transport", TEXT, transport),
	OF_ENDS("driver", TEXT, driver),
	OF_ENDS("firmware", TEXT, firmware),
	OF_ENDS("netdev", TEXT, netdev),
	OF_ENDS("kernel", TEXT, kernel),
	OF_ENDS("processor", TEXT, cpu),
	OF_ENDS("number of processors", NUMBER, cpus),
	SETTING_OF_ENDS("net.rdma_ucm.max_backlog"),
	SETTING_OF_ENDS("net.ipv4.ip_local_port_range"),
	SETTING_OF_ENDS("vm.max_map_count"),
	SETTING_OF_ENDS("RLIMIT_NOFILE"),
	SETTING_OF_ENDS("RLIMIT_MEMLOCK"),
};

size_t setup_size(void)
{
	return sizeof(fields) / sizeof(*fields);
}

const char *setup_name(size_t i)
{
	return fields[i].name;
}

enum side setup_side(size_t i)
{
	return fields[i].side;
}

static const char *find_setting(const struct endpoint_info *end, const char *name)
{
	for (size_t i = 0; i < end->n_settings; i++) {
		if (!strcmp(end->settings[i].name, name))
			return end->settings[i].value;
	}
	return "";
}

static void print_window(uint32_t window, char text[static RESULT_NAME])
{
	if (!window)
		snprintf(text, RESULT_NAME, "unlimited");
	else if (window != WINDOW_UNKNOWN)
		snprintf(text, RESULT_NAME, "%" PRIu32, window);
}

const char *setup_value(size_t i, const struct run_info *run, char text[static RESULT_NAME])
{
	const struct field *field = &fields[i];
	const void *at = (const char *)run + field->at;
	uint32_t number = 0;
	uint64_t ns;

	*text = '\0';
	switch (field->kind) {
	case TEXT:
		snprintf(text, RESULT_NAME, "%s", (const char *)at);
		break;
	case SETTING:
		snprintf(text, RESULT_NAME, "%s", find_setting(at, field->name));
		break;
	case NUMBER:
	case COUNT:
		memcpy(&number, at, sizeof(number));
		if (number || field->kind == COUNT)
			snprintf(text, RESULT_NAME, "%" PRIu32, number);
		break;
	case BYTE:
		if (*(const uint8_t *)at)
			snprintf(text, RESULT_NAME, "%u", *(const uint8_t *)at);
		break;
	case FLAG:
		snprintf(text, RESULT_NAME, "%s", *(const bool *)at ? "yes" : "no");
		break;
	case TIME_NS:
		memcpy(&ns, at, sizeof(ns));
		if (ns)
			snprintf(text, RESULT_NAME, "%.9g s", (double)ns / 1e9);
		break;
	case WINDOW:
		memcpy(&number, at, sizeof(number));
		print_window(number, text);
		break;
	case SIDE:
		snprintf(text, RESULT_NAME, "%s", side_name(*(const enum side *)at));
		break;
	}
	return text;
}

uint32_t setup_window(const struct run_info *run)
{
	if (run->window == WINDOW_UNKNOWN || !run->connections)
		return run->window ? run->window : WINDOW_UNKNOWN;
	return run->window && run->window < run->connections ? run->window : run->connections;
}
