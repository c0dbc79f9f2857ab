/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * description - what a result says of this host: name, kernel, processor, and the limits and
 * sysctls that a run of many connections meets. Any thread, outside of timed steps.
 */
#ifndef CMTIME_HOST_DESCRIPTION_H
#define CMTIME_HOST_DESCRIPTION_H

#include "core/result.h"

/* What cannot be read is no data. uname(2), getrlimit(2), proc(5) */
void describe_host(struct endpoint_info *info);

/* This host's name, "" if it has none. */
void host_name(char name[static RESULT_NAME]);

/* The local time's date and hour in UTC, as ISO 8601 has it: "2026-01-31T12:00:00Z". */
void describe_now(char text[static RESULT_NAME]);

#endif
