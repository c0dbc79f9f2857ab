// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * control - a connection to the peer, and the thread that listens to it.
 *
 * That thread alone reads, and alone decides how the connection ended; whoever meets a fault while
 * sending leaves his words and shuts the socket down, so that the thread first reads what had come.
 * Beside the socket there is one eventfd, written whenever the inbox or the state has changed.
 */
#include "control/control.h"

#include "control/protocol.h"
#include "control/socket.h"
#include "control/wire.h"
#include "host/clock.h"
#include "host/log.h"
#include "host/stop.h"
#include "host/wait.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

const struct control_rules control_rules_server = {
	.ping_ns = NS_PER_S,
	.silence_ns = 8 * NS_PER_S,
	.linger_ns = NS_PER_S,
	.message_bytes = WIRE_SMALL,
};

const struct control_rules control_rules_client = {
	.ping_ns = NS_PER_S,
	.silence_ns = 8 * NS_PER_S,
	.linger_ns = NS_PER_S,
	.message_bytes = WIRE_MAX,
};

/* A whole frame: pings are the one message that needs no memory. */
static const uint8_t ping[] = "\0\0\0\x0f{\"type\":\"ping\"}";

enum { PING = sizeof(ping) - 1 };

enum control_state { TALKING, LOST, LEFT };

struct control {
	int fd;
	int wake_fd;
	struct stop *stop;
	struct control_rules rules;
	char peer[SOCKET_NAME];
	pthread_t thread;

	pthread_mutex_t lock; /* of everything below */
	pthread_cond_t turn;  /* sending has become false */
	bool sending;
	bool closing; /* by us: nothing is news any more, an end of the stream above all */
	enum control_state state;
	char why[PROTOCOL_WORDS + 64]; /* the first fault's words; never changed again */
	json_t *inbox[CONTROL_INBOX];
	unsigned first, count;
};

/* What the thread knows, and nobody else. */
struct listening {
	struct control *control;
	struct wire_reader reader;
	uint64_t silent_ns; /* when the next message must be complete */
	uint64_t ping_ns;   /* when our next ping is due */
	unsigned messages;  /* since the last ping */
	bool left;	    /* bye */
};

static void wake(const struct control *control)
{
	const uint64_t one = 1;

	/* Fails only when it holds 2^64 - 2 already: awake. */
	(void)!write(control->wake_fd, &one, sizeof(one));
}

static int wake_wait(const struct control *control, const struct stop *stop, uint64_t deadline_ns)
{
	int error = wait_fd(control->wake_fd, POLLIN, stop, deadline_ns);
	uint64_t times;

	if (!error)
		(void)!read(control->wake_fd, &times, sizeof(times));
	return error;
}

static enum control_state control_state(struct control *control)
{
	enum control_state state;

	pthread_mutex_lock(&control->lock);
	state = control->state;
	pthread_mutex_unlock(&control->lock);
	return state;
}

/* Any thread: this connection is of no use any more, because. The first words stay. */
static void control_break(struct control *control, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void control_break(struct control *control, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	pthread_mutex_lock(&control->lock);
	if (!*control->why)
		vsnprintf(control->why, sizeof(control->why), format, args);
	pthread_mutex_unlock(&control->lock);
	va_end(args);
	shutdown(control->fd, SHUT_RDWR);
}

/* A message under way is as good a sign of life, and a ping must not get into its midst. */
static void control_ping(struct control *control)
{
	ssize_t n = -1;

	pthread_mutex_lock(&control->lock);
	/* A socket with room for a third of its buffer takes the frame whole; without, data wait.
	 */
	if (!control->sending && !control->closing && !wait_fd(control->fd, POLLOUT, NULL, 0))
		n = send(control->fd, ping, PING, MSG_NOSIGNAL | MSG_DONTWAIT);
	pthread_mutex_unlock(&control->lock);
	if (n >= 0 && n < PING)
		control_break(control, "it does not read what it is sent");
}

/* Puts a message into the inbox, unless it is full; takes its reference. */
static bool inbox_add(struct control *control, json_t *message)
{
	bool full = false;

	pthread_mutex_lock(&control->lock);
	if (!control->closing) {
		full = control->count == CONTROL_INBOX;
		if (!full) {
			unsigned last = control->first + control->count++;

			/* Handed over, not shared: the receiver may free it at once. */
			control->inbox[last % CONTROL_INBOX] = message;
			message = NULL;
		}
	}
	pthread_mutex_unlock(&control->lock);
	json_decref(message);
	wake(control);
	return !full;
}

/* Takes the message's reference. False: nothing more is to come. */
static bool listening_deliver(struct listening *listening, json_t *message)
{
	struct control *control = listening->control;
	enum message_type type = message_type(message);

	listening->silent_ns = clock_deadline_ns(control->rules.silence_ns);
	if (++listening->messages > CONTROL_RATE) {
		control_break(control, "it floods this side with messages");
		json_decref(message);
		return false;
	}
	if (type == MESSAGE_BYE) {
		listening->left = true;
	} else if (type == MESSAGE_ABORT) {
		char reason[PROTOCOL_WORDS];

		reason_from_json(message, reason);
		control_break(control, "it gave up: %s", reason);
	} else if (type != MESSAGE_PING) {
		if (inbox_add(control, message))
			return true;
		control_break(control, "it sent more than %d messages unasked", CONTROL_INBOX);
		return false;
	}
	json_decref(message);
	return type == MESSAGE_PING;
}

/* What the wire found, in words: much that knocks here speaks another protocol. */
static void listening_blame(const struct listening *listening, int error)
{
	struct control *control = listening->control;

	if (error == -EMSGSIZE)
		control_break(control,
			      "it announced a message of %" PRIu32 " bytes, where 1 to %" PRIu32
			      " are allowed: is it a cmtime?",
			      listening->reader.length, listening->reader.limit);
	else if (error == -EPROTO)
		control_break(control, "it sent what is no message: is it a cmtime?");
	else
		control_break(control, "cannot take its message: %s", log_errno(error));
}

/* Reads what is there, once. False: nothing more is to come. */
static bool listening_read(struct listening *listening)
{
	struct control *control = listening->control;
	uint8_t bytes[8192];
	ssize_t n = recv(control->fd, bytes, sizeof(bytes), MSG_DONTWAIT);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return true;
	if (n < 0)
		control_break(control, "the connection failed: %s", log_errno(errno));
	else if (!n)
		control_break(control, "it closed the connection %s",
			      wire_reader_is_amid(&listening->reader) ? "within a message"
								      : "without a bye");
	if (n <= 0)
		return false;
	for (ssize_t at = 0, taken; at < n; at += taken) {
		json_t *message;

		taken = wire_read(&listening->reader, bytes + at, (size_t)(n - at), &message);
		if (taken < 0) {
			listening_blame(listening, (int)taken);
			return false;
		}
		if (message && !listening_deliver(listening, message))
			return false;
	}
	return true;
}

/* Waits for what is next, and does it. False: nothing more is to come. */
static bool listening_go(struct listening *listening)
{
	struct control *control = listening->control;
	const struct control_rules *rules = &control->rules;
	/*
	 * Only a complete message counts as a sign of life: a peer that dribbles a byte a second is
	 * as lost as a silent one, and each message has its deadline by this.
	 */
	bool ping_first = listening->ping_ns < listening->silent_ns;
	int error = wait_fd(control->fd, POLLIN, NULL,
			    ping_first ? listening->ping_ns : listening->silent_ns);

	if (error && error != -ETIMEDOUT) {
		control_break(control, "cannot wait for it: %s", log_errno(error));
		return false;
	}
	/* Reading comes first: it may be us who slept (SIGSTOP, a suspended host). */
	if (!error && !listening_read(listening))
		return false;
	if (clock_now_ns() >= listening->silent_ns) {
		control_break(control, "no message came from it for %" PRIu64 " ms",
			      rules->silence_ns / NS_PER_MS);
		return false;
	}
	if (clock_now_ns() >= listening->ping_ns) {
		control_ping(control);
		listening->ping_ns = clock_deadline_ns(rules->ping_ns);
		listening->messages = 0;
	}
	return true;
}

/* Tells whoever it concerns that the connection has ended, and how. */
static void control_end(struct control *control, bool left)
{
	enum control_state state;

	pthread_mutex_lock(&control->lock);
	state = left || control->closing ? LEFT : LOST;
	control->state = state;
	pthread_mutex_unlock(&control->lock);
	/* A peer that is closing waits for our end of the stream. */
	shutdown(control->fd, SHUT_RDWR);
	if (state == LOST) {
		/* No news once the run has been ended: the peer goes because of that. */
		if (stop_reason(control->stop) == STOP_NONE)
			log_error("lost %s: %s", control->peer, control->why);
		stop_set(control->stop, STOP_PEER_LOST);
	}
	wake(control);
}

static void *control_thread(void *arg)
{
	struct control *control = arg;
	struct listening listening = {
		.control = control,
		.silent_ns = clock_deadline_ns(control->rules.silence_ns),
		.ping_ns = clock_deadline_ns(control->rules.ping_ns),
	};

	wire_reader_init(&listening.reader, control->rules.message_bytes);
	while (listening_go(&listening))
		continue;
	wire_reader_free(&listening.reader);
	control_end(control, listening.left);
	return NULL;
}

static int thread_start(struct control *control)
{
	sigset_t all, before;
	int error;

	/* Signals are main's. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(&control->thread, NULL, control_thread, control);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return -error;
}

/* A condition's deadlines are CLOCK_REALTIME's unless told otherwise; ours are CLOCK_MONOTONIC's.
 */
static int turn_init(pthread_cond_t *turn)
{
	pthread_condattr_t attr;
	int error = pthread_condattr_init(&attr);

	if (error)
		return -error;
	error = pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	if (!error)
		error = pthread_cond_init(turn, &attr);
	pthread_condattr_destroy(&attr);
	return -error;
}

int control_adopt(int fd, struct stop *stop, const struct control_rules *rules,
		  struct control **control)
{
	struct control *c = calloc(1, sizeof(*c));
	int error = -ENOMEM;

	if (!c)
		goto err_fd;
	c->fd = fd;
	c->stop = stop;
	c->rules = rules ? *rules : control_rules_server;
	socket_name(fd, c->peer);
	error = socket_prepare(fd, c->rules.silence_ns);
	if (error)
		goto err_free;
	c->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (c->wake_fd < 0) {
		error = -errno;
		goto err_free;
	}
	error = turn_init(&c->turn);
	if (error)
		goto err_wake;
	pthread_mutex_init(&c->lock, NULL);
	error = thread_start(c);
	if (error)
		goto err_turn;
	*control = c;
	return 0;

err_turn:
	pthread_mutex_destroy(&c->lock);
	pthread_cond_destroy(&c->turn);
err_wake:
	close(c->wake_fd);
err_free:
	free(c);
err_fd:
	log_error("cannot set a control connection up: %s", log_errno(error));
	close(fd);
	return error;
}

int control_connect(const char *host, uint16_t port, struct stop *stop,
		    const struct control_rules *rules, uint64_t deadline_ns,
		    struct control **control)
{
	int fd;
	int error = socket_connect(host, port, stop, deadline_ns, &fd);

	if (error)
		return error;
	return control_adopt(fd, stop, rules ? rules : &control_rules_client, control);
}

/* Waits for the other senders. 0: it is ours, until turn_end(). */
static int turn_take(struct control *control, uint64_t deadline_ns)
{
	const struct timespec deadline = { .tv_sec = (time_t)(deadline_ns / NS_PER_S),
					   .tv_nsec = (long)(deadline_ns % NS_PER_S) };
	int error = 0;

	pthread_mutex_lock(&control->lock);
	while (control->sending && !error)
		error = pthread_cond_timedwait(&control->turn, &control->lock, &deadline);
	if (!control->sending)
		error = control->state == TALKING && !*control->why ? 0 : EPIPE;
	if (!error)
		control->sending = true;
	pthread_mutex_unlock(&control->lock);
	return -error;
}

static void turn_end(struct control *control)
{
	pthread_mutex_lock(&control->lock);
	control->sending = false;
	pthread_cond_signal(&control->turn);
	pthread_mutex_unlock(&control->lock);
}

/* All of bytes, or an error; with the turn. */
static int control_write(struct control *control, const uint8_t *bytes, size_t n,
			 uint64_t deadline_ns)
{
	size_t sent = 0;

	while (sent < n) {
		ssize_t part =
			send(control->fd, bytes + sent, n - sent, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (part >= 0) {
			sent += (size_t)part;
			continue;
		}
		if (errno == EINTR)
			continue;
		if (errno != EAGAIN) {
			control_break(control, "the connection failed: %s", log_errno(errno));
			return -EPIPE;
		}
		/* A peer that is lost meanwhile ends this too: its socket is shut down. */
		if (!wait_fd(control->fd, POLLOUT, NULL, deadline_ns))
			continue;
		/* Half a message can neither be taken back nor be followed by another. */
		if (sent)
			control_break(control, "it does not read what it is sent");
		return -ETIMEDOUT;
	}
	return 0;
}

int control_send(struct control *control, json_t *message, uint64_t deadline_ns)
{
	uint8_t *bytes;
	size_t n;
	int error = message ? wire_encode(message, &bytes, &n) : -ENOMEM;

	json_decref(message);
	if (error)
		return error;
	error = turn_take(control, deadline_ns);
	if (!error) {
		error = control_write(control, bytes, n, deadline_ns);
		turn_end(control);
	}
	free(bytes);
	return error;
}

int control_receive(struct control *control, const struct stop *stop, uint64_t deadline_ns,
		    json_t **message)
{
	for (;;) {
		json_t *first = NULL;
		enum control_state state;
		bool cancelled;
		int error;

		pthread_mutex_lock(&control->lock);
		state = control->state;
		/* The thread sets the state before the stop: this tells its own loss from others'.
		 */
		cancelled = stop && state != LOST && stop_reason(stop) != STOP_NONE;
		if (control->count && !cancelled) {
			first = control->inbox[control->first];
			control->first = (control->first + 1) % CONTROL_INBOX;
			control->count--;
		}
		pthread_mutex_unlock(&control->lock);
		if (first) {
			*message = first;
			return 0;
		}
		if (cancelled)
			return -ECANCELED;
		if (state != TALKING)
			return state == LOST ? -EPIPE : -ESHUTDOWN;
		error = wake_wait(control, stop, deadline_ns);
		if (error && error != -ECANCELED)
			return error;
	}
}

const char *control_loss(struct control *control)
{
	return control_state(control) == LOST ? control->why : NULL;
}

const char *control_peer(const struct control *control)
{
	return control->peer;
}

void control_close(struct control *control)
{
	uint64_t deadline_ns;

	if (!control)
		return;
	deadline_ns = clock_deadline_ns(control->rules.linger_ns);
	pthread_mutex_lock(&control->lock);
	control->closing = true;
	pthread_mutex_unlock(&control->lock);
	control_send(control, message_to_json(MESSAGE_BYE), deadline_ns);
	/*
	 * A socket closed with something unread resets the connection, and our last message may be
	 * lost with it (tcp(7)): read on until the peer has had all and closes too.
	 */
	shutdown(control->fd, SHUT_WR);
	while (control_state(control) == TALKING && !wake_wait(control, NULL, deadline_ns))
		continue;
	/* To the thread, this is the end of the stream, after what little has come already. */
	shutdown(control->fd, SHUT_RDWR);
	pthread_join(control->thread, NULL);

	for (; control->count; control->count--) {
		json_decref(control->inbox[control->first]);
		control->first = (control->first + 1) % CONTROL_INBOX;
	}
	pthread_mutex_destroy(&control->lock);
	pthread_cond_destroy(&control->turn);
	close(control->wake_fd);
	close(control->fd);
	free(control);
}
