// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* match - a hash table with open addressing, at most half full. Made once, only looked at then. */
#include "core/match.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool equal(const struct address *a, const struct address *b)
{
	return a->port == b->port && !memcmp(&a->ip, &b->ip, sizeof(a->ip));
}

/* Ports and the last bytes of an address differ in few bits: every step spreads them all. */
static uint64_t mix(uint64_t hash, const struct address *address)
{
	uint64_t halves[2];

	memcpy(halves, &address->ip, sizeof(halves));
	for (int i = 0; i < 3; i++) {
		hash ^= i < 2 ? halves[i] : address->port;
		hash *= UINT64_C(0x9e3779b97f4a7c15);
		hash ^= hash >> 32;
	}
	return hash;
}

static uint32_t *first_slot(const struct match *match, const struct address *own,
			    const struct address *peer)
{
	return &match->slots[mix(mix(0, own), peer) & match->mask];
}

static uint32_t *next_slot(const struct match *match, const uint32_t *slot)
{
	return &match->slots[(size_t)(slot + 1 - match->slots) & match->mask];
}

static const struct address *own_of(const struct match *match, const struct detail *detail)
{
	return match->timeline->side == SIDE_CLIENT ? &detail->source : &detail->destination;
}

static const struct address *peer_of(const struct match *match, const struct detail *detail)
{
	return match->timeline->side == SIDE_CLIENT ? &detail->destination : &detail->source;
}

int match_init(struct match *match, struct timeline *timeline)
{
	struct match m = { .timeline = timeline };
	size_t slots = 4;

	while (slots < (size_t)timeline->connections * 2)
		slots *= 2;
	m.mask = (uint32_t)(slots - 1);
	m.slots = calloc(slots, sizeof(*m.slots));
	if (!m.slots)
		return -ENOMEM;
	for (uint32_t i = 0; i < timeline->connections; i++) {
		const struct detail *detail = &timeline->details[i];
		uint32_t *slot;

		if (address_is_none(&detail->source) || address_is_none(&detail->destination))
			continue;
		slot = first_slot(&m, own_of(&m, detail), peer_of(&m, detail));
		while (*slot)
			slot = next_slot(&m, slot);
		*slot = i + 1;
	}
	*match = m;
	return 0;
}

void match_free(struct match *match)
{
	free(match->slots);
	*match = (struct match){ 0 };
}

static struct detail *find(const struct match *match, const struct address *own,
			   const struct address *peer)
{
	for (uint32_t *slot = first_slot(match, own, peer); *slot; slot = next_slot(match, slot)) {
		struct detail *detail = &match->timeline->details[*slot - 1];

		if (equal(own, own_of(match, detail)) && equal(peer, peer_of(match, detail)))
			return detail;
	}
	return NULL;
}

bool match_event(struct match *match, const struct address *own, const struct address *peer,
		 enum kernel_stamp stamp, uint64_t ns)
{
	struct detail *detail = find(match, own, peer);

	if (!detail)
		return false;
	if (stamp == KERNEL_REQ_SENT || stamp == KERNEL_REQUEST_QUEUED)
		memset(detail->kernel_ns, 0, sizeof(detail->kernel_ns));
	if (stamp == KERNEL_DREQ_SENT && detail->kernel_ns[KERNEL_DISCONNECTED])
		return true;
	if (!detail->kernel_ns[stamp])
		detail->kernel_ns[stamp] = ns;
	return true;
}
