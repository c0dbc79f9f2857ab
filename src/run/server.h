/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * server - listeners, acceptors, and the sessions they serve, run after run.
 *
 * server_open() and server_close() are main's; server_serve() runs in main, or with --loopback in a
 * thread of its own. Each client on the control channel has a session thread.
 */
#ifndef CMTIME_RUN_SERVER_H
#define CMTIME_RUN_SERVER_H

#include "cm/device.h"
#include "cm/listener.h"
#include "core/plan.h"
#include "host/stop.h"
#include "run/acceptors.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct control_listener;
struct result;
struct session;

enum {
	SERVER_SEATS = 64, /* clients on the control channel at once */
	SERVER_CONNECTIONS =
		1 << 20, /* of all their runs together; an offer of more is refused, in words */
};

/* How a run ended, from the server's end. */
enum run_end {
	RUN_WELL,	 /* all it asked for was done */
	RUN_FAILURES,	 /* some connections failed */
	RUN_LOST,	 /* its client was lost */
	RUN_INTERRUPTED, /* the server was told to end */
};

/* Called with every run's result, one at a time, by the thread that served it; the result is good
 * during the call. */
struct reporter {
	void (*report)(void *arg, const struct result *result);
	void *arg;
};

struct seat {
	struct server *server;
	pthread_t thread;
	struct stop stop; /* of this client's conversation */
	int fd;
	bool taken;
	atomic_bool left; /* its thread may be joined */
};

struct server {
	const struct plan *plan;
	const struct reporter *reporter;
	struct stop ending;
	struct devices devices;
	struct acceptors acceptors;
	struct listener *listeners; /* plan->listeners of them */
	uint32_t n_listeners;
	struct control_listener *control;
	pthread_mutex_t lock; /* sessions, and the list's links */
	struct session *sessions;
	uint32_t reserved;	   /* connections of all sessions together */
	struct session *anonymous; /* --no-control: whose all requests are */
	bool anonymous_due;	   /* the first is about to be presented: requests wait for it */
	pthread_cond_t presented;
	pthread_mutex_t reporting;
	atomic_uint strangers;
	atomic_uint runs;
	atomic_bool one_off_taken; /* plan->one_off: its one client has come */
	atomic_int last_end;	   /* enum run_end of the last run */
	atomic_bool interrupted;   /* a run was */
	struct seat seats[SERVER_SEATS];
};

/* control_address: where to listen for clients; NULL: plan->bind, or any. 0 or -errno, logged;
 * nothing held on failure. */
int server_open(struct server *server, const struct plan *plan, const struct reporter *reporter,
		struct stop *stop, const char *control_address);

/* The control port, to be told to clients of a port 0. */
uint16_t server_port(const struct server *server);

/*
 * Serves until stop is set, or one run with plan->one_off. 0, or -errno that ended it, logged.
 * runs, last_end and interrupted then say how it went.
 */
int server_serve(struct server *server);

void server_close(struct server *server);

/* For run/conversation.c, any session thread. */

/* --no-control: all requests are this session's from now on, or nobody's. */
void server_present(struct server *server, struct session *session);

/* Room for so many connections beside those of other sessions; given back by server_release(). */
bool server_reserve(struct server *server, uint32_t connections);
void server_release(struct server *server, uint32_t connections);

/* It serves, on this port: says so, for whoever waits to start a client. */
void server_ready(const struct server *server);

/*
 * Requests find the session from now on; -EEXIST: another has its run id. And no longer, and none
 * is on its way when server_dismiss() returns.
 */
int server_admit(struct server *server, struct session *session);
void server_dismiss(struct server *server, struct session *session);

/* Destroys and frees a dismissed session. */
void server_forget(struct server *server, struct session *session);

/* A run is over: reports it, if there is a round to report. */
void server_report(struct server *server, const struct result *result, enum run_end end);

#endif
