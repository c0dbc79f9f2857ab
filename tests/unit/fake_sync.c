// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * fake_sync - a lock on a futex, made of plain instructions and raw system calls.
 *
 * libfake.a is built with -fno-sanitize=thread: its loads, stores and atomics are not instrumented,
 * so TSan learns of none of them. What it would still see are the C library's functions that its
 * runtime intercepts: memcpy, malloc and free (ignored under the lock), reads and writes of
 * descriptors and pthread locks (not used: raw system calls). test_fake proves the result with gcc
 * and clang. ThreadSanitizer's own hooks are weak: absent in other builds.
 */
#include "fake_sync.h"

#include "host/clock.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef __has_feature
#if __has_feature(thread_sanitizer)
#error "build the fake with -fno-sanitize=thread: it must add no ordering that ThreadSanitizer sees"
#endif
#endif
#ifdef __SANITIZE_THREAD__
#error "build the fake with -fno-sanitize=thread: it must add no ordering that ThreadSanitizer sees"
#endif

#define HOOK __attribute__((weak))

HOOK void AnnotateIgnoreReadsBegin(const char *file, int line);
HOOK void AnnotateIgnoreReadsEnd(const char *file, int line);
HOOK void AnnotateIgnoreWritesBegin(const char *file, int line);
HOOK void AnnotateIgnoreWritesEnd(const char *file, int line);
HOOK void __tsan_read8_pc(void *at, void *pc);
HOOK void __tsan_write8_pc(void *at, void *pc);
HOOK void __tsan_acquire(void *at);
HOOK void __tsan_release(void *at);

/* 0: free; 1: taken; 2: taken, and others may be waiting. */
static uint32_t lock_word;

static long futex_wait(uint32_t *word, uint32_t seen, uint64_t timeout_ns)
{
	struct timespec t = { .tv_sec = (time_t)(timeout_ns / NS_PER_S),
			      .tv_nsec = (long)(timeout_ns % NS_PER_S) };

	return syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, seen,
		       timeout_ns == UINT64_MAX ? NULL : &t, NULL, 0);
}

static void futex_wake(uint32_t *word, int n)
{
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, n, NULL, NULL, 0);
}

void fake_lock(void)
{
	uint32_t was = 0;
	int saved = errno;

	if (!__atomic_compare_exchange_n(&lock_word, &was, 1, 0, __ATOMIC_ACQUIRE,
					 __ATOMIC_RELAXED)) {
		if (was != 2)
			was = __atomic_exchange_n(&lock_word, 2, __ATOMIC_ACQUIRE);
		while (was) {
			futex_wait(&lock_word, 2, UINT64_MAX);
			was = __atomic_exchange_n(&lock_word, 2, __ATOMIC_ACQUIRE);
		}
	}
	errno = saved;
	if (AnnotateIgnoreReadsBegin) {
		AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
		AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
	}
}

void fake_unlock(void)
{
	int saved = errno;

	if (AnnotateIgnoreReadsEnd) {
		AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
		AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
	}
	if (__atomic_exchange_n(&lock_word, 0, __ATOMIC_RELEASE) == 2)
		futex_wake(&lock_word, 1);
	errno = saved;
}

int fake_wait(uint32_t *word, uint32_t seen, uint64_t timeout_ns)
{
	return futex_wait(word, seen, timeout_ns) < 0 && errno == EINTR ? EINTR : 0;
}

void fake_wake(uint32_t *word)
{
	__atomic_add_fetch(word, 1, __ATOMIC_RELEASE);
	futex_wake(word, INT_MAX);
}

void fake_sleep(uint64_t ns)
{
	struct timespec left = { .tv_sec = (time_t)(ns / NS_PER_S),
				 .tv_nsec = (long)(ns % NS_PER_S) };

	while (ns && nanosleep(&left, &left) && errno == EINTR)
		;
}

void fake_mark_read(void *at, void *caller)
{
	if (__tsan_read8_pc)
		__tsan_read8_pc(at, caller);
}

void fake_mark_write(void *at, void *caller)
{
	if (__tsan_write8_pc)
		__tsan_write8_pc(at, caller);
}

void fake_mark_release(void *at)
{
	if (__tsan_release)
		__tsan_release(at);
}

void fake_mark_acquire(void *at)
{
	if (__tsan_acquire)
		__tsan_acquire(at);
}
