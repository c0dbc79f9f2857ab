/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ticket - what a connection request carries in its CM private data: whose it is and which.
 *
 * 17 bytes, big-endian: magic "CMTM", version, run id, connection index. RC over RDMA_PS_TCP leaves
 * 56 bytes for private data (rdma_connect(3)), and the receiver may see them padded with zeroes.
 * Pure.
 */
#ifndef CMTIME_CORE_TICKET_H
#define CMTIME_CORE_TICKET_H

#include <stddef.h>
#include <stdint.h>

enum { TICKET_BYTES = 17 };

struct ticket {
	uint64_t run;
	uint32_t index;
};

void ticket_write(const struct ticket *ticket, uint8_t bytes[TICKET_BYTES]);

/* 0, or -EPROTO for anything that is no ticket of our version; *ticket is set on success only. */
int ticket_read(struct ticket *ticket, const void *bytes, size_t len);

#endif
