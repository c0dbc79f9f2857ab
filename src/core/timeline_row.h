/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * timeline_row - a connection's row of a timeline as JSON: how the server's samples get to the
 * client.
 *
 * [source, destination, [step, event, status] or null, begin_ns, end_ns of every step of the side,
 * the kernel's stamps]. Pure, any thread.
 */
#ifndef CMTIME_CORE_TIMELINE_ROW_H
#define CMTIME_CORE_TIMELINE_ROW_H

#include <jansson.h>
#include <stdint.h>

struct timeline;

/* A new reference, or NULL for want of memory. */
json_t *timeline_row_to_json(const struct timeline *timeline, uint32_t index);

/*
 * Into the timeline's row, checked whole: 0, or -EPROTO for what is no row of that side. Addresses
 * and the kernel's stamps are left out if the timeline has no details.
 */
int timeline_row_from_json(struct timeline *timeline, uint32_t index, const json_t *row);

#endif
