// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* ticket - seventeen bytes of private data, written and checked. */
#include "core/ticket.h"

#include <endian.h>
#include <errno.h>
#include <string.h>

static const char magic[4] = { 'C', 'M', 'T', 'M' };

enum { TICKET_VERSION = 1, AT_VERSION = 4, AT_RUN = 5, AT_INDEX = 13 };

void ticket_write(const struct ticket *ticket, uint8_t bytes[TICKET_BYTES])
{
	uint64_t run = htobe64(ticket->run);
	uint32_t index = htobe32(ticket->index);

	memcpy(bytes, magic, sizeof(magic));
	bytes[AT_VERSION] = TICKET_VERSION;
	memcpy(bytes + AT_RUN, &run, sizeof(run));
	memcpy(bytes + AT_INDEX, &index, sizeof(index));
}

int ticket_read(struct ticket *ticket, const void *bytes, size_t len)
{
	const uint8_t *at = bytes;
	uint64_t run;
	uint32_t index;

	if (!bytes || len < TICKET_BYTES || memcmp(at, magic, sizeof(magic)) ||
	    at[AT_VERSION] != TICKET_VERSION)
		return -EPROTO;
	memcpy(&run, at + AT_RUN, sizeof(run));
	memcpy(&index, at + AT_INDEX, sizeof(index));
	*ticket = (struct ticket){ .run = be64toh(run), .index = be32toh(index) };
	return 0;
}
