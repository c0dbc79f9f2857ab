// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What the fake must not do: order two threads in ThreadSanitizer's eyes, where a program should
 * have.
 *
 * The program runs itself with the name of a scene, which is right or wrong in a known way, and
 * looks at how it ends. Scenes that are right run in every build; a wrong one is caught by
 * ThreadSanitizer or AddressSanitizer.
 */
#include "cmocka_all.h"

#include "fake.h"
#include "host/clock.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef __has_feature
#define __has_feature(feature) 0
#endif
#if defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
enum { UNDER_TSAN = 1 };
#else
enum { UNDER_TSAN = 0 };
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
enum { UNDER_ASAN = 1 };
#else
enum { UNDER_ASAN = 0 };
#endif

enum { TSAN_EXIT = 66 };

static struct sockaddr_in addr = { .sin_family = AF_INET };
static int plain;
static atomic_int handed;

static void ack_one(struct rdma_event_channel *channel)
{
	struct rdma_cm_event *event;

	if (!rdma_get_cm_event(channel, &event))
		rdma_ack_cm_event(event);
}

/* Reads the event of the id that main resolves, and what main wrote before. */
static void *read_plain(void *channel)
{
	ack_one(channel);
	return (void *)(intptr_t)plain;
}

static void *read_plain_in_order(void *channel)
{
	ack_one(channel);
	while (!atomic_load_explicit(&handed, memory_order_acquire))
		usleep(1000);
	return (void *)(intptr_t)plain;
}

static void *destroy_on_event(void *channel)
{
	struct rdma_cm_event *event;
	struct rdma_cm_id *id;

	if (rdma_get_cm_event(channel, &event))
		return channel;
	id = event->id;
	rdma_ack_cm_event(event);
	rdma_destroy_id(id);
	return NULL;
}

static void *destroy_in_order(void *channel)
{
	struct rdma_cm_event *event;
	struct rdma_cm_id *id;

	if (rdma_get_cm_event(channel, &event))
		return channel;
	id = event->id;
	rdma_ack_cm_event(event);
	while (!atomic_load_explicit(&handed, memory_order_acquire))
		usleep(1000);
	rdma_destroy_id(id);
	return NULL;
}

/* Never acked: rdma_destroy_id() waits, and at last says so. */
static void *read_only(void *channel)
{
	struct rdma_cm_event *event;

	return rdma_get_cm_event(channel, &event) ? channel : NULL;
}

/* A thread reads; main writes, and calls. Late: the event comes from the fake's own thread. */
static int scene(void *(*reader)(void *), bool late)
{
	struct rdma_event_channel *channel = rdma_create_event_channel();
	struct rdma_cm_id *id;
	pthread_t thread;

	if (late)
		fake_config.kernel_ns = 10 * NS_PER_MS;
	else
		fake_linger(FAKE_RDMA_RESOLVE_ADDR, FAKE_EACH, 50 * NS_PER_MS);
	pthread_create(&thread, NULL, reader, channel);
	rdma_create_id(channel, &id, NULL, RDMA_PS_TCP);
	plain = 1;
	rdma_resolve_addr(id, NULL, (struct sockaddr *)&addr, 2000);
	atomic_store_explicit(&handed, 1, memory_order_release);
	pthread_join(thread, NULL);
	fake_config.panic_ns = 50 * NS_PER_MS;
	if (reader != destroy_on_event && reader != destroy_in_order)
		rdma_destroy_id(id);
	rdma_destroy_event_channel(channel);
	fake_reset();
	return 0;
}

static const struct {
	const char *name;
	void *(*reader)(void *);
	bool late;
} scenes[] = {
	{ "unordered", read_plain, false },
	{ "unordered-late", read_plain, true },
	{ "ordered", read_plain_in_order, false },
	{ "ordered-late", read_plain_in_order, true },
	{ "destroy-unordered", destroy_on_event, false },
	{ "destroy-unordered-late", destroy_on_event, true },
	{ "destroy-ordered", destroy_in_order, false },
	{ "unacked", read_only, false },
};

static int play(const char *name)
{
	for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++) {
		if (!strcmp(scenes[i].name, name))
			return scene(scenes[i].reader, scenes[i].late);
	}
	return 2;
}

/* Runs that scene in a process of its own, silently; its exit status. */
static int outcome_of(const char *name)
{
	char program[] = "/proc/self/exe";
	char *argv[] = { program, (char *)name, NULL }, *envp[] = { NULL };
	posix_spawn_file_actions_t actions;
	int status = 0;
	pid_t pid;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	assert_int_equal(posix_spawn(&pid, program, &actions, NULL, argv, envp), 0);
	posix_spawn_file_actions_destroy(&actions);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status) || WIFSIGNALED(status));
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void event__between_two_threads__orders_nothing_that_tsan_sees(void **state)
{
	(void)state;
	if (!UNDER_TSAN)
		skip();
	assert_int_equal(outcome_of("unordered"), TSAN_EXIT);
	assert_int_equal(outcome_of("unordered-late"), TSAN_EXIT);
}

static void fake__between_two_threads_in_order__adds_no_report_of_its_own(void **state)
{
	(void)state;
	assert_int_equal(outcome_of("ordered"), 0);
	assert_int_equal(outcome_of("ordered-late"), 0);
	assert_int_equal(outcome_of("destroy-ordered"), 0);
}

static void reader__that_destroys_an_id_under_its_call__is_caught(void **state)
{
	int outcome = 0;

	(void)state;
	if (!UNDER_TSAN && !UNDER_ASAN)
		skip();
	if (UNDER_TSAN)
		assert_int_equal(outcome_of("destroy-unordered-late"), TSAN_EXIT);
	/* AddressSanitizer must see it happen; on a busy machine the reader may be late. */
	for (int i = 0; i < 10 && !outcome; i++)
		outcome = outcome_of("destroy-unordered");
	assert_int_not_equal(outcome, 0);
}

static void destroy_id__of_an_event_that_is_never_acked__aborts_at_last(void **state)
{
	(void)state;
	assert_int_equal(outcome_of("unacked"), 128 + SIGABRT);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(event__between_two_threads__orders_nothing_that_tsan_sees),
		cmocka_unit_test(fake__between_two_threads_in_order__adds_no_report_of_its_own),
		cmocka_unit_test(reader__that_destroys_an_id_under_its_call__is_caught),
		cmocka_unit_test(destroy_id__of_an_event_that_is_never_acked__aborts_at_last),
	};

	if (argc > 1)
		return play(argv[1]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
