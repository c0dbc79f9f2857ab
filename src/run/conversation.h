/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* conversation - a session from the server's end: with a client on the control channel, or without
 * one. */
#ifndef CMTIME_RUN_CONVERSATION_H
#define CMTIME_RUN_CONVERSATION_H

struct server;
struct stop;

/* One client's run, from its offer to its result (control/protocol.h has the picture). Takes fd
 * over. */
void conversation_hold(struct server *server, int fd, struct stop *stop);

/*
 * --no-control: runs of any client. One begins with a request and ends after plan->connections
 * disconnects, or when nothing has happened for plan->idle_limit_ns. Until the server ends. 0 or
 * -errno, logged.
 */
int conversation_anonymous(struct server *server);

#endif
