/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * fake_sync - locking that ThreadSanitizer does not see, and the few marks that it is meant to see.
 *
 * The real CM orders two threads through the kernel, which promises a C program nothing. A fake
 * with a pthread mutex would order them for TSan, too, and hide the mistakes that it is there to
 * find.
 */
#ifndef CMTIME_TESTS_FAKE_SYNC_H
#define CMTIME_TESTS_FAKE_SYNC_H

#include <stdint.h>

/* The fake's one lock: "the kernel's". Memory touched, allocated and freed under it is unseen by
 * TSan. */
void fake_lock(void);
void fake_unlock(void);

/*
 * Sleeps while *word is seen, for at most timeout_ns (UINT64_MAX: for ever); may wake early. Not
 * with the lock. EINTR if a signal's handler ran that was installed without SA_RESTART, else 0.
 */
int fake_wait(uint32_t *word, uint32_t seen, uint64_t timeout_ns);
/* Counts *word up and wakes all its sleepers. */
void fake_wake(uint32_t *word);

void fake_sleep(uint64_t ns);

/* Eight bytes are read, or written, and TSan may know: by the function that returns to caller, for
 * its report. */
void fake_mark_read(void *at, void *caller);
void fake_mark_write(void *at, void *caller);
/* In a function that the tests call: who called it. */
#define CALLER __builtin_return_address(0)

/* What a thread did before fake_mark_release(at) is seen by one that calls fake_mark_acquire(at)
 * later. */
void fake_mark_release(void *at);
void fake_mark_acquire(void *at);

#endif
