// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The control channel over loopback: two ends that talk, and one end against a raw socket that does
 * what no cmtime would. Conditions are waited for; a time only bounds what would hang otherwise.
 */
#include "cmocka_all.h"
#include "control/control.h"
#include "control/protocol.h"
#include "control/wire.h"
#include "host/clock.h"
#include "host/stop.h"
#include "host/wait.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

/* So late that a test which needs it has failed. */
#define LATE clock_deadline_ns(20 * NS_PER_S)
#define SOON clock_deadline_ns(30 * NS_PER_MS)

/* Quick to miss a peer. */
static const struct control_rules quick = { .ping_ns = 10 * NS_PER_MS,
					    .silence_ns = 300 * NS_PER_MS,
					    .linger_ns = 200 * NS_PER_MS,
					    .message_bytes = WIRE_SMALL };

/* Never misses a peer within a test. */
static const struct control_rules patient = { .ping_ns = 100 * NS_PER_S,
					      .silence_ns = 100 * NS_PER_S,
					      .linger_ns = 200 * NS_PER_MS,
					      .message_bytes = WIRE_MAX };

/* A control, and its other end: another, or a raw socket. */
struct ends {
	struct control_listener *listener;
	struct stop stop, far_stop;
	struct control *control, *far;
	int raw;
	int descriptors;
};

static int descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int n = 0;

	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

static int ends_open(void **state)
{
	struct ends *ends = calloc(1, sizeof(*ends));

	ends->descriptors = descriptors();
	ends->raw = -1;
	if (stop_init(&ends->stop) || stop_init(&ends->far_stop) ||
	    control_listen("127.0.0.1", 0, &ends->listener))
		return -1;
	*state = ends;
	return 0;
}

/* Whatever happened, nothing is left behind. */
static int ends_close(void **state)
{
	struct ends *ends = *state;
	int left;

	control_close(ends->control);
	control_close(ends->far);
	control_listener_close(ends->listener);
	if (ends->raw >= 0)
		close(ends->raw);
	stop_free(&ends->stop);
	stop_free(&ends->far_stop);
	left = descriptors() - ends->descriptors;
	free(ends);
	return left;
}

static int raw_connect(const struct ends *ends)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_port = htons(control_listener_port(ends->listener)),
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	const struct timeval late = { .tv_sec = 20 };
	const int small = 32768;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	/* Little room in the kernel, so that who doesn't read is soon noticed. */
	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &late, sizeof(late));
	assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	return fd;
}

static void control_and_raw_with(struct ends *ends, const struct control_rules *rules, int room)
{
	int fd;

	ends->raw = raw_connect(ends);
	assert_int_equal(control_accept(ends->listener, NULL, LATE, &fd), 0);
	setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &room, sizeof(room));
	assert_int_equal(control_adopt(fd, &ends->stop, rules, &ends->control), 0);
}

static void control_and_raw(struct ends *ends, const struct control_rules *rules)
{
	control_and_raw_with(ends, rules, 4096);
}

static void control_and_far(struct ends *ends, const struct control_rules *rules)
{
	int fd;

	assert_int_equal(control_connect("127.0.0.1", control_listener_port(ends->listener),
					 &ends->stop, rules, LATE, &ends->control),
			 0);
	assert_int_equal(control_accept(ends->listener, NULL, LATE, &fd), 0);
	assert_int_equal(control_adopt(fd, &ends->far_stop, rules, &ends->far), 0);
}

static void raw_send(const struct ends *ends, const void *bytes, size_t n)
{
	assert_int_equal(send(ends->raw, bytes, n, MSG_NOSIGNAL), n);
}

static void raw_send_text(const struct ends *ends, const char *text)
{
	uint32_t header = htonl((uint32_t)strlen(text));

	raw_send(ends, &header, sizeof(header));
	raw_send(ends, text, strlen(text));
}

/* The next message, NULL at the end of the stream. */
static json_t *raw_receive(const struct ends *ends)
{
	json_t *message;
	uint32_t header;
	char *bytes;
	ssize_t n = recv(ends->raw, &header, sizeof(header), MSG_WAITALL);

	if (!n)
		return NULL;
	assert_int_equal(n, sizeof(header));
	assert_in_range(ntohl(header), 1, WIRE_MAX);
	bytes = malloc(ntohl(header));
	assert_int_equal(recv(ends->raw, bytes, ntohl(header), MSG_WAITALL), ntohl(header));
	message = json_loadb(bytes, ntohl(header), 0, NULL);
	assert_non_null(message);
	free(bytes);
	return message;
}

static json_t *numbered(int number)
{
	return json_pack("{s:s,s:i}", "type", "ready", "number", number);
}

/* The same, as long as may be. */
static json_t *long_numbered(int number)
{
	char *text = calloc(1, WIRE_MAX - 99);
	json_t *message;

	memset(text, 'x', WIRE_MAX - 100);
	message = json_pack("{s:s,s:i,s:s}", "type", "ready", "number", number, "x", text);
	free(text);
	return message;
}

static void assert_receives(struct control *control, int number)
{
	json_t *message = NULL;

	assert_int_equal(control_receive(control, NULL, LATE, &message), 0);
	assert_int_equal(json_integer_value(json_object_get(message, "number")), number);
	json_decref(message);
}

static void assert_lost(struct ends *ends, const char *words)
{
	json_t *message = NULL;

	/* The control's own stop is set by now, or soon; it is the loss that is told. */
	assert_int_equal(control_receive(ends->control, &ends->stop, LATE, &message), -EPIPE);
	assert_int_equal(wait_fd(-1, 0, &ends->stop, LATE), -ECANCELED);
	assert_int_equal(stop_reason(&ends->stop), STOP_PEER_LOST);
	assert_non_null(control_loss(ends->control));
	if (!strstr(control_loss(ends->control), words))
		fail_msg("%s, not %s", control_loss(ends->control), words);
	assert_int_equal(control_send(ends->control, numbered(1), LATE), -EPIPE);
	assert_null(message);
}

static void assert_fine(struct control *control, const struct stop *stop)
{
	assert_int_equal(stop_reason(stop), STOP_NONE);
	assert_null(control_loss(control));
}

static void messages__either_way__arrive_in_order(void **state)
{
	struct ends *ends = *state;

	control_and_far(ends, &patient);
	for (int i = 0; i < 3; i++)
		assert_int_equal(control_send(ends->control, numbered(i), LATE), 0);
	assert_int_equal(control_send(ends->far, numbered(7), LATE), 0);
	for (int i = 0; i < 3; i++)
		assert_receives(ends->far, i);
	assert_receives(ends->control, 7);
	assert_memory_equal(control_peer(ends->control), "127.0.0.1:", 10);
	assert_fine(ends->control, &ends->stop);
	assert_fine(ends->far, &ends->far_stop);
}

static void message__as_long_as_may_be__arrives(void **state)
{
	struct ends *ends = *state;

	control_and_far(ends, &patient);
	assert_int_equal(control_send(ends->far, long_numbered(1), LATE), 0);
	assert_receives(ends->control, 1);
	assert_int_equal(control_send(ends->control, NULL, LATE), -ENOMEM);
}

static void receive__of_nothing__ends_at_its_deadline(void **state)
{
	struct ends *ends = *state;
	json_t *message = NULL;

	control_and_far(ends, &patient);
	assert_int_equal(control_receive(ends->control, &ends->stop, SOON, &message), -ETIMEDOUT);
	assert_int_equal(control_receive(ends->control, &ends->stop, 0, &message), -ETIMEDOUT);
	assert_null(message);
}

static void *stop_soon(void *arg)
{
	wait_fd(-1, 0, NULL, SOON);
	stop_set(arg, 2);
	return NULL;
}

static void stop__by_somebody_else__ends_a_receive_and_loses_no_message(void **state)
{
	struct ends *ends = *state;
	json_t *message = NULL;
	pthread_t thread;

	control_and_far(ends, &patient);
	assert_int_equal(pthread_create(&thread, NULL, stop_soon, &ends->stop), 0);
	assert_int_equal(control_receive(ends->control, &ends->stop, NEVER_NS, &message),
			 -ECANCELED);
	pthread_join(thread, NULL);
	assert_int_equal(control_send(ends->far, numbered(1), LATE), 0);
	assert_int_equal(control_receive(ends->control, &ends->stop, LATE, &message), -ECANCELED);
	assert_null(message);
	/* The last words of a run that was cut. */
	assert_receives(ends->control, 1);
	assert_int_equal(control_send(ends->control, numbered(2), LATE), 0);
	assert_receives(ends->far, 2);
}

static void peers__with_nothing_to_say__keep_each_other(void **state)
{
	struct ends *ends = *state;
	json_t *message = NULL;

	control_and_far(ends, &quick);
	assert_int_equal(control_receive(ends->control, &ends->stop,
					 clock_deadline_ns(2 * quick.silence_ns), &message),
			 -ETIMEDOUT);
	assert_fine(ends->control, &ends->stop);
	assert_fine(ends->far, &ends->far_stop);
}

static void peer__that_is_silent__is_lost(void **state)
{
	struct ends *ends = *state;

	control_and_raw(ends, &quick);
	assert_lost(ends, "no message came");
}

static void *dribble(void *arg)
{
	const struct ends *ends = arg;
	uint32_t header = htonl(1000);

	if (send(ends->raw, &header, sizeof(header), MSG_NOSIGNAL) < 0)
		return NULL;
	/* Ends once the other end is shut down: the connection is reset by then. */
	while (send(ends->raw, "{", 1, MSG_NOSIGNAL) == 1)
		wait_fd(-1, 0, NULL, clock_deadline_ns(10 * NS_PER_MS));
	return NULL;
}

static void peer__that_dribbles__is_lost(void **state)
{
	struct ends *ends = *state;
	pthread_t thread;

	control_and_raw(ends, &quick);
	assert_int_equal(pthread_create(&thread, NULL, dribble, ends), 0);
	assert_lost(ends, "no message came");
	control_close(ends->control);
	ends->control = NULL;
	pthread_join(thread, NULL);
}

static void peer__that_closes_after_a_message__is_lost_after_the_message(void **state)
{
	struct ends *ends = *state;

	control_and_raw(ends, &patient);
	raw_send_text(ends, "{\"type\":\"result\",\"number\":1}");
	raw_send_text(ends, "{\"type\":\"result\",\"number\":2}");
	shutdown(ends->raw, SHUT_WR);
	assert_int_equal(wait_fd(-1, 0, &ends->stop, LATE), -ECANCELED);
	assert_receives(ends->control, 1);
	assert_receives(ends->control, 2);
	assert_lost(ends, "without a bye");
}

static void peer__that_closes_within_a_message__is_lost(void **state)
{
	struct ends *ends = *state;

	control_and_raw(ends, &patient);
	raw_send(ends, "\0\0\0\x10{", 5);
	shutdown(ends->raw, SHUT_WR);
	assert_lost(ends, "within a message");
}

static void peer__that_resets_the_connection__is_lost(void **state)
{
	struct ends *ends = *state;
	const struct linger linger = { .l_onoff = 1 };

	control_and_raw(ends, &patient);
	setsockopt(ends->raw, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
	close(ends->raw);
	ends->raw = -1;
	assert_lost(ends, "ECONNRESET");
}

static void peer__that_says_bye__is_no_loss(void **state)
{
	struct ends *ends = *state;
	json_t *message = NULL;

	control_and_far(ends, &patient);
	assert_int_equal(control_send(ends->far, numbered(1), LATE), 0);
	control_close(ends->far);
	ends->far = NULL;
	assert_receives(ends->control, 1);
	for (int i = 0; i < 2; i++)
		assert_int_equal(control_receive(ends->control, &ends->stop, LATE, &message),
				 -ESHUTDOWN);
	assert_int_equal(control_send(ends->control, numbered(1), LATE), -EPIPE);
	assert_fine(ends->control, &ends->stop);
	assert_int_equal(stop_reason(&ends->far_stop), STOP_NONE);
}

static void *close_thread(void *arg)
{
	control_close(arg);
	return NULL;
}

static void both_ends__closing_at_once__are_no_loss(void **state)
{
	struct ends *ends = *state;

	for (int i = 0; i < 20; i++) {
		pthread_t thread;

		control_and_far(ends, &patient);
		assert_int_equal(pthread_create(&thread, NULL, close_thread, ends->far), 0);
		control_close(ends->control);
		pthread_join(thread, NULL);
	}
	ends->control = ends->far = NULL;
	assert_int_equal(stop_reason(&ends->stop), STOP_NONE);
	assert_int_equal(stop_reason(&ends->far_stop), STOP_NONE);
}

static void peer__that_gives_up__is_lost_in_its_own_words(void **state)
{
	struct ends *ends = *state;

	control_and_far(ends, &patient);
	assert_int_equal(control_send(ends->far, numbered(1), LATE), 0);
	assert_int_equal(control_send(ends->far, abort_to_json("the device has gone"), LATE), 0);
	assert_int_equal(wait_fd(-1, 0, &ends->stop, LATE), -ECANCELED);
	assert_receives(ends->control, 1);
	assert_lost(ends, "the device has gone");
}

static void bytes__that_are_no_message__lose_the_peer(void **state)
{
	static const struct {
		const char *bytes, *words;
		size_t n;
	} strangers[] = {
		{ "GET / HTTP/1.1\r\n\r\n", "1195725856 bytes", 18 },
		{ "\0\0\0\0", "message of 0 bytes", 4 },
		{ "\xff\xff\xff\xff", "message of 4294967295 bytes", 4 },
		{ "\0\0\x40\x01{", "message of 16385 bytes", 5 },
		{ "\0\0\0\x02{}", "no message", 6 },
		{ "\0\0\0\x02[]", "no message", 6 },
		{ "\0\0\0\x14[[[[[[[[[[[[[[[[[[[[", "no message", 24 },
		{ "\0\0\0\x04\0\0\0\0", "no message", 8 },
	};
	struct ends *ends = *state;

	for (size_t i = 0; i < sizeof(strangers) / sizeof(*strangers); i++) {
		/* As a server does it. */
		control_and_raw(ends, NULL);
		raw_send(ends, strangers[i].bytes, strangers[i].n);
		assert_lost(ends, strangers[i].words);
		control_close(ends->control);
		ends->control = NULL;
		close(ends->raw);
		ends->raw = -1;
		stop_free(&ends->stop);
		assert_int_equal(stop_init(&ends->stop), 0);
	}
}

static void peer__that_sends_more_than_it_is_asked__is_lost(void **state)
{
	struct ends *ends = *state;

	control_and_raw(ends, &patient);
	for (int i = 0; i <= CONTROL_INBOX; i++)
		raw_send_text(ends, "{\"type\":\"ready\",\"number\":5}");
	assert_int_equal(wait_fd(-1, 0, &ends->stop, LATE), -ECANCELED);
	for (int i = 0; i < CONTROL_INBOX; i++)
		assert_receives(ends->control, 5);
	assert_lost(ends, "unasked");
}

static void peer__that_floods__is_lost(void **state)
{
	struct ends *ends = *state;

	control_and_raw(ends, &patient);
	for (int i = 0; i <= CONTROL_RATE; i++)
		raw_send_text(ends, "{\"type\":\"ping\"}");
	assert_lost(ends, "floods");
}

static void peer__that_does_not_read__ends_a_send_at_its_deadline(void **state)
{
	struct ends *ends = *state;

	control_and_raw(ends, &patient);
	assert_int_equal(control_send(ends->control, long_numbered(1), SOON), -ETIMEDOUT);
	assert_lost(ends, "does not read");
}

struct sender {
	pthread_t thread;
	struct control *control;
	int number, messages, failed;
};

static void *send_long_ones(void *arg)
{
	struct sender *sender = arg;

	for (int i = 0; i < sender->messages && !sender->failed; i++)
		sender->failed = control_send(sender->control,
					      long_numbered(100 * sender->number + i), LATE);
	return NULL;
}

static void sender_start(struct sender *sender)
{
	assert_int_equal(pthread_create(&sender->thread, NULL, send_long_ones, sender), 0);
}

static void senders__many_at_once__take_turns(void **state)
{
	enum { SENDERS = 3, MESSAGES = 2 };
	struct control_rules rules = patient;
	struct sender senders[SENDERS];
	int next[SENDERS] = { 0 };
	struct ends *ends = *state;

	/* Pings must find their place, too. */
	rules.ping_ns = NS_PER_MS;
	control_and_raw(ends, &rules);
	for (int i = 0; i < SENDERS; i++) {
		senders[i] = (struct sender){ .control = ends->control,
					      .number = i,
					      .messages = MESSAGES };
		sender_start(&senders[i]);
	}
	for (int i = 0; i < SENDERS * MESSAGES;) {
		json_t *message = raw_receive(ends);
		json_int_t number = json_integer_value(json_object_get(message, "number"));

		if (message_type(message) == MESSAGE_PING) {
			json_decref(message);
			continue;
		}
		i++;
		assert_in_range(number / 100, 0, SENDERS - 1);
		assert_int_equal(number % 100, next[number / 100]++);
		json_decref(message);
	}
	for (int i = 0; i < SENDERS; i++) {
		pthread_join(senders[i].thread, NULL);
		assert_int_equal(senders[i].failed, 0);
	}
}

static void sender__behind_one_that_is_stuck__waits_no_longer_than_its_own_deadline(void **state)
{
	struct sender stuck = { .messages = 1 };
	struct ends *ends = *state;
	char byte;

	control_and_raw(ends, &patient);
	stuck.control = ends->control;
	sender_start(&stuck);
	assert_int_equal(recv(ends->raw, &byte, 1, 0), 1);
	assert_int_equal(control_send(ends->control, numbered(1), SOON), -ETIMEDOUT);
	/* It has sent nothing: no harm is done. */
	assert_fine(ends->control, &ends->stop);
	close(ends->raw);
	ends->raw = -1;
	pthread_join(stuck.thread, NULL);
	assert_int_equal(stuck.failed, -EPIPE);
}

static void close__of_a_peer_that_never_closes__ends(void **state)
{
	struct ends *ends = *state;

	control_and_raw(ends, &patient);
	control_close(ends->control);
	ends->control = NULL;
	assert_int_equal(stop_reason(&ends->stop), STOP_NONE);
}

static void peer__that_says_bye__sees_this_end_close_at_once(void **state)
{
	struct ends *ends = *state;

	control_and_raw(ends, &patient);
	raw_send_text(ends, "{\"type\":\"bye\"}");
	assert_null(raw_receive(ends));
	assert_fine(ends->control, &ends->stop);
}

static void close__before_the_peer_has_read_all__waits_for_it(void **state)
{
	struct control_rules rules = patient;
	struct ends *ends = *state;
	json_t *message;
	pthread_t thread;

	rules.linger_ns = 20 * NS_PER_S;
	control_and_raw_with(ends, &rules, 2 * WIRE_MAX);
	assert_int_equal(control_send(ends->control, long_numbered(1), LATE), 0);
	assert_int_equal(pthread_create(&thread, NULL, close_thread, ends->control), 0);
	wait_fd(-1, 0, NULL, SOON);
	/* A socket that is closed already would answer this with a reset. */
	raw_send_text(ends, "{\"type\":\"ping\"}");
	message = raw_receive(ends);
	assert_int_equal(message_type(message), MESSAGE_READY);
	json_decref(message);
	message = raw_receive(ends);
	assert_int_equal(message_type(message), MESSAGE_BYE);
	json_decref(message);
	assert_null(raw_receive(ends));
	shutdown(ends->raw, SHUT_WR);
	pthread_join(thread, NULL);
	ends->control = NULL;
	assert_int_equal(stop_reason(&ends->stop), STOP_NONE);
}

static void close__with_messages_on_both_ways__loses_none_that_was_sent(void **state)
{
	struct ends *ends = *state;

	control_and_far(ends, &patient);
	/* Unread here, they would make close(2) reset the connection. */
	for (int i = 0; i < CONTROL_INBOX; i++)
		assert_int_equal(control_send(ends->control, numbered(i), LATE), 0);
	for (int i = 0; i < CONTROL_INBOX; i++)
		assert_int_equal(control_send(ends->far, numbered(i), LATE), 0);
	control_close(ends->far);
	ends->far = NULL;
	for (int i = 0; i < CONTROL_INBOX; i++)
		assert_receives(ends->control, i);
	assert_fine(ends->control, &ends->stop);
}

static void connect__to_nobody__says_why(void **state)
{
	struct ends *ends = *state;
	uint16_t port = control_listener_port(ends->listener);
	struct control *control = NULL;

	control_listener_close(ends->listener);
	ends->listener = NULL;
	assert_int_equal(control_connect("127.0.0.1", port, &ends->stop, NULL, LATE, &control),
			 -ECONNREFUSED);
	assert_int_equal(
		control_connect("::1%no-such-interface", port, &ends->stop, NULL, LATE, &control),
		-EHOSTUNREACH);
	assert_null(control);
	assert_int_equal(stop_reason(&ends->stop), STOP_NONE);
}

static void connect__that_nobody_answers__ends_by_deadline_or_stop(void **state)
{
	struct ends *ends = *state;
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t length = sizeof(address);
	struct control *control = NULL;
	int fds[8], error = 0, n = 0, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	pthread_t thread;

	/* A queue that is full drops requests (listen(2)). */
	assert_int_equal(bind(fd, (struct sockaddr *)&address, length), 0);
	assert_int_equal(listen(fd, 0), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &length), 0);
	while (n < 8) {
		fds[n] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
		connect(fds[n++], (struct sockaddr *)&address, sizeof(address));
	}
	error = control_connect("127.0.0.1", ntohs(address.sin_port), &ends->stop, NULL, SOON,
				&control);
	assert_int_equal(error, -ETIMEDOUT);
	assert_int_equal(pthread_create(&thread, NULL, stop_soon, &ends->stop), 0);
	error = control_connect("127.0.0.1", ntohs(address.sin_port), &ends->stop, NULL, NEVER_NS,
				&control);
	assert_int_equal(error, -ECANCELED);
	pthread_join(thread, NULL);
	while (n)
		close(fds[--n]);
	close(fd);
}

static void accept__of_nobody__ends_by_deadline_or_stop(void **state)
{
	struct ends *ends = *state;
	int fd = -1;

	assert_int_equal(control_accept(ends->listener, &ends->stop, SOON, &fd), -ETIMEDOUT);
	stop_set(&ends->stop, 2);
	assert_int_equal(control_accept(ends->listener, &ends->stop, NEVER_NS, &fd), -ECANCELED);
	assert_int_equal(fd, -1);
}

static void accept__without_descriptors__waits_for_some(void **state)
{
	struct ends *ends = *state;
	struct rlimit before, none;
	int fd = -1, lowest;

	ends->raw = raw_connect(ends);
	lowest = dup(ends->raw);
	close(lowest);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = before;
	none.rlim_cur = (rlim_t)lowest;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	assert_int_equal(control_accept(ends->listener, NULL, SOON, &fd), -ETIMEDOUT);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	assert_int_equal(control_accept(ends->listener, NULL, LATE, &fd), 0);
	close(fd);
}

static void listener__on_its_port_again__needs_not_wait(void **state)
{
	struct ends *ends = *state;
	struct control_listener *second = NULL;
	uint16_t port = control_listener_port(ends->listener);
	pthread_t thread;
	json_t *bye;

	control_and_raw(ends, &patient);
	assert_int_equal(control_listen("127.0.0.1", port, &second), -EADDRINUSE);
	assert_null(second);
	/* The server's end closes first, and is in TIME_WAIT: its port is still to be had. */
	assert_int_equal(pthread_create(&thread, NULL, close_thread, ends->control), 0);
	bye = raw_receive(ends);
	assert_int_equal(message_type(bye), MESSAGE_BYE);
	json_decref(bye);
	assert_null(raw_receive(ends));
	close(ends->raw);
	ends->raw = -1;
	pthread_join(thread, NULL);
	ends->control = NULL;
	control_listener_close(ends->listener);
	assert_int_equal(control_listen("127.0.0.1", port, &ends->listener), 0);
	assert_int_equal(control_listener_port(ends->listener), port);
}

static void listener__that_is_not_bound__hears_ipv4_and_ipv6(void **state)
{
	static const char *const hosts[] = { "127.0.0.1", "::1" };
	static const char *const peers[] = { "127.0.0.1:", "[::1]:" };
	struct ends *ends = *state;
	int probe = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT };
	bool has_in6 = probe >= 0 && !bind(probe, (struct sockaddr *)&in6, sizeof(in6));

	if (probe >= 0)
		close(probe);
	control_listener_close(ends->listener);
	assert_int_equal(control_listen(NULL, 0, &ends->listener), 0);
	for (int i = 0; i < 1 + has_in6; i++) {
		uint16_t port = control_listener_port(ends->listener);
		int fd;

		assert_int_equal(control_connect(hosts[i], port, &ends->stop, &patient, LATE,
						 &ends->control),
				 0);
		assert_int_equal(control_accept(ends->listener, NULL, LATE, &fd), 0);
		assert_int_equal(control_adopt(fd, &ends->far_stop, &patient, &ends->far), 0);
		assert_memory_equal(control_peer(ends->far), peers[i], strlen(peers[i]));
		control_close(ends->control);
		control_close(ends->far);
		ends->control = ends->far = NULL;
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, ends_open, ends_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(messages__either_way__arrive_in_order),
		TEST(message__as_long_as_may_be__arrives),
		TEST(receive__of_nothing__ends_at_its_deadline),
		TEST(stop__by_somebody_else__ends_a_receive_and_loses_no_message),
		TEST(peers__with_nothing_to_say__keep_each_other),
		TEST(peer__that_is_silent__is_lost),
		TEST(peer__that_dribbles__is_lost),
		TEST(peer__that_closes_after_a_message__is_lost_after_the_message),
		TEST(peer__that_closes_within_a_message__is_lost),
		TEST(peer__that_resets_the_connection__is_lost),
		TEST(peer__that_says_bye__is_no_loss),
		TEST(both_ends__closing_at_once__are_no_loss),
		TEST(peer__that_gives_up__is_lost_in_its_own_words),
		TEST(bytes__that_are_no_message__lose_the_peer),
		TEST(peer__that_sends_more_than_it_is_asked__is_lost),
		TEST(peer__that_floods__is_lost),
		TEST(peer__that_does_not_read__ends_a_send_at_its_deadline),
		TEST(senders__many_at_once__take_turns),
		TEST(sender__behind_one_that_is_stuck__waits_no_longer_than_its_own_deadline),
		TEST(close__of_a_peer_that_never_closes__ends),
		TEST(peer__that_says_bye__sees_this_end_close_at_once),
		TEST(close__before_the_peer_has_read_all__waits_for_it),
		TEST(close__with_messages_on_both_ways__loses_none_that_was_sent),
		TEST(connect__to_nobody__says_why),
		TEST(connect__that_nobody_answers__ends_by_deadline_or_stop),
		TEST(accept__of_nobody__ends_by_deadline_or_stop),
		TEST(accept__without_descriptors__waits_for_some),
		TEST(listener__on_its_port_again__needs_not_wait),
		TEST(listener__that_is_not_bound__hears_ipv4_and_ipv6),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
