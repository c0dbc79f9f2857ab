// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* mailbox - one atomic word a connection. */
#include "cm/mailbox.h"

/*
 * The exchange hands a connection's plain fields from one owner to the next: acquire what the last
 * one wrote, release what this one did. The tests build it relaxed as well, and want
 * ThreadSanitizer to object.
 */
#ifndef MAILBOX_ACQUIRE_RELEASE
#define MAILBOX_ACQUIRE_RELEASE memory_order_acq_rel
#define MAILBOX_ACQUIRE		memory_order_acquire
#define MAILBOX_RELEASE		memory_order_release
#endif

#define OWNED 0x80000000u

static unsigned int bit(enum mail mail)
{
	return 1u << mail;
}

void mailbox_init(struct mailbox *box)
{
	atomic_init(&box->word, 0);
}

bool mailbox_post(struct mailbox *box, enum mail mail)
{
	unsigned int was =
		atomic_fetch_or_explicit(&box->word, bit(mail) | OWNED, MAILBOX_ACQUIRE_RELEASE);

	return !(was & OWNED);
}

bool mailbox_holds(const struct mailbox *box, enum mail mail)
{
	return atomic_load_explicit(&box->word, MAILBOX_ACQUIRE) & bit(mail);
}

enum mail mailbox_take(struct mailbox *box)
{
	unsigned int word = atomic_load_explicit(&box->word, MAILBOX_ACQUIRE);

	for (;;) {
		if (word != OWNED)
			return (enum mail)__builtin_ctz(word);
		if (atomic_compare_exchange_weak_explicit(&box->word, &word, 0,
							  MAILBOX_ACQUIRE_RELEASE, MAILBOX_ACQUIRE))
			return MAILS;
	}
}

void mailbox_done(struct mailbox *box, enum mail mail)
{
	atomic_fetch_and_explicit(&box->word, ~bit(mail), MAILBOX_RELEASE);
}
