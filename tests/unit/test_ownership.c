// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The proof of the mailbox's memory order, in ThreadSanitizer's eyes: a connection's plain fields
 * go from owner to owner by nothing but mailbox.c's one exchange.
 *
 * The program plays scenes as children of its own, which must draw no report; and those of the same
 * source linked with a mailbox.c whose orders are relaxed, which must draw one, or the scenes would
 * prove nothing.
 */
#include "run_use.h"

#include "cm/conn.h"

#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#ifndef __has_feature
#define __has_feature(feature) 0
#endif
#if defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
enum { UNDER_TSAN = 1 };
#else
enum { UNDER_TSAN = 0 };
#endif

enum { TSAN_EXIT = 66, BROKEN_EXIT = 3 };

/* ---- Posters: a thread a kind of mail, all of them at the same connections, and no other order
 * between them. */

enum { CONNS = 16, KINDS = MAILS, POSTS = 200 };

struct held {
	struct conn conn; /* first */
	int inside;	  /* plain: owners are here one at a time */
	uint64_t acts;	  /* plain: all that was ever done */
	uint64_t heard[KINDS];
	atomic_uint acted[KINDS]; /* relaxed: tells a poster that his mail was read, and orders
				     nothing */
};

static struct held held[CONNS];
static atomic_int broken; /* relaxed: two owners at once, or a mail lost or doubled */

static void check(bool well)
{
	if (!well)
		atomic_store_explicit(&broken, 1, memory_order_relaxed);
}

static void act_on_held(struct conn *conn, enum mail mail, const struct event *event)
{
	struct held *h = (struct held *)conn;

	check(!h->inside);
	h->inside = 1;
	h->acts++;
	check(event->at_ns == h->heard[mail] + 1);
	h->heard[mail] = event->at_ns;
	conn->tries++;
	h->inside = 0;
	atomic_fetch_add_explicit(&h->acted[mail], 1, memory_order_relaxed);
}

static void *post_all(void *arg)
{
	enum mail mail = (enum mail)(intptr_t)arg;
	unsigned int posted[CONNS] = { 0 }, left = CONNS * POSTS;

	while (left) {
		for (int i = 0; i < CONNS; i++) {
			if (posted[i] == POSTS ||
			    atomic_load_explicit(&held[i].acted[mail], memory_order_relaxed) !=
				    posted[i])
				continue;
			posted[i]++;
			left--;
			conn_post(&held[i].conn, mail, &(struct event){ .at_ns = posted[i] });
		}
	}
	return NULL;
}

static void play_posters(void)
{
	struct crew crew = { .act = act_on_held };
	pthread_t threads[KINDS];

	for (int i = 0; i < CONNS; i++)
		conn_init(&held[i].conn, &crew, (uint32_t)i);
	for (intptr_t k = 0; k < KINDS; k++)
		check(!pthread_create(&threads[k], NULL, post_all, (void *)k));
	for (int k = 0; k < KINDS; k++)
		pthread_join(threads[k], NULL);
	for (int i = 0; i < CONNS; i++)
		check(held[i].acts == KINDS * POSTS && held[i].conn.tries == KINDS * POSTS);
}

/* ---- A trip: main and reapers over the fake, which orders nothing. Events overtake their calls,
 * and come late. */

static void play_trip(uint64_t linger_ns, uint64_t late_ns)
{
	struct trip trip;

	trip_plan(&trip, 100);
	trip.plan.threads = 2;
	trip.plan.retries = 100;
	fake_config.kernel_ns = late_ns;
	for (enum fake_call call = FAKE_RDMA_RESOLVE_ADDR;
	     linger_ns && call <= FAKE_RDMA_DISCONNECT; call++)
		fake_linger(call, FAKE_EVERY(2), linger_ns);
	fake_answer(FAKE_RDMA_RESOLVE_ADDR, FAKE_EVERY(7), RDMA_CM_EVENT_ADDR_ERROR, -ETIMEDOUT);
	trip_make(&trip);
	check(!trip.ret && trip_done(&trip, STEP_DESTROY_ID) == trip.plan.connections);
	trip_free(&trip);
	check(!fake_check());
}

static const char *const scenes[] = { "posters", "overtaken", "late" };

enum { SCENES = sizeof(scenes) / sizeof(*scenes) };

static int play(const char *scene)
{
	alarm(HANG_S);
	if (!strcmp(scene, "posters"))
		play_posters();
	else if (!strcmp(scene, "overtaken"))
		play_trip(NS_PER_MS / 10, 0);
	else
		play_trip(0, NS_PER_MS);
	return atomic_load(&broken) ? BROKEN_EXIT : 0;
}

/* ---- The judge. */

/* Plays a scene in the program of that name beside this one, silently; its exit status. */
static int outcome_of(const char *name, const char *scene)
{
	static const char *const quiet = "TSAN_OPTIONS=log_path=/dev/null";
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 64);
	char *argv[] = { path, (char *)scene, NULL }, *envp[] = { (char *)quiet, NULL };
	posix_spawn_file_actions_t actions;
	int status = 0;
	pid_t pid;

	assert_true(n > 0);
	path[n] = '\0';
	snprintf(strrchr(path, '/') + 1, 64, "%s", name);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	assert_int_equal(posix_spawn(&pid, path, &actions, NULL, argv, envp), 0);
	posix_spawn_file_actions_destroy(&actions);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* A race takes two threads in one moment, which a busy host may not give at once. */
static bool is_reported(const char *name, const char *scene)
{
	enum { PLAYS = 20 };
	int outcome = 0;

	for (int i = 0; i < PLAYS && !outcome; i++)
		outcome = outcome_of(name, scene);
	return outcome == TSAN_EXIT;
}

static void ownership__from_thread_to_thread__draws_no_report(void **state)
{
	(void)state;
	for (int i = 0; i < SCENES; i++)
		assert_int_equal(outcome_of("test_ownership", scenes[i]), 0);
}

static void ownership__by_a_relaxed_mailbox__is_reported(void **state)
{
	(void)state;
	if (!UNDER_TSAN)
		skip();
	for (int i = 0; i < SCENES; i++)
		assert_true(is_reported("test_ownership_relaxed", scenes[i]));
}

static void letter__read_without_acquire__is_reported(void **state)
{
	(void)state;
	if (!UNDER_TSAN)
		skip();
	assert_true(is_reported("test_ownership_letters", "posters"));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ownership__from_thread_to_thread__draws_no_report),
		cmocka_unit_test(ownership__by_a_relaxed_mailbox__is_reported),
		cmocka_unit_test(letter__read_without_acquire__is_reported),
	};

	if (argc > 1)
		return play(argv[1]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
