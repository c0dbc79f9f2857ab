/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * control - one TCP connection by which client and server agree on a run; the same for both ends.
 *
 * A thread of its own reads messages (control/wire.h) into a small inbox, sends heartbeats, and
 * finds out when the peer is lost, or gives up (abort): then it logs why, once, and sets the stop
 * it was given to STOP_PEER_LOST. What messages mean is control/protocol.h's. Any byte stream,
 * slow, silent, endless or huge, is refused within the rules' time and memory.
 */
#ifndef CMTIME_CONTROL_CONTROL_H
#define CMTIME_CONTROL_CONTROL_H

#include <jansson.h>
#include <stdint.h>

struct control;
struct control_listener;
struct stop;

enum {
	CONTROL_INBOX = 8, /* messages not yet received; the protocol never has more than 2 */
	/*
	 * Messages within a ping_ns, pings included: more is a flood. A round of one connection
	 * takes five to each side, and rounds follow each other at once: 500 a second over a fake
	 * that takes no time.
	 */
	CONTROL_RATE = 16384,
};

/* What one end asks of the other. */
struct control_rules {
	uint64_t ping_ns;    /* a heartbeat this often */
	uint64_t silence_ns; /* lost after so long without a complete message; TCP_USER_TIMEOUT */
	uint64_t linger_ns;  /* control_close() takes no longer */
	uint32_t message_bytes; /* longest message taken, up to WIRE_MAX */
};

/* 1 s, 8 s, 1 s; a server takes WIRE_SMALL, a client, who gets results, WIRE_MAX. */
extern const struct control_rules control_rules_server, control_rules_client;

/*
 * Connects to host (a name, or a numeric address; IPv6 link-local with its %interface) and port,
 * trying each address it resolves to, with a fair share of the time each. stop ends the attempt,
 * and is set when the peer is lost; it outlives the control. rules NULL: control_rules_client.
 * Names are resolved by getaddrinfo(3), which has deadlines of its own (resolv.conf(5)).
 *
 * 0; -ECANCELED: stop is set; else -errno of the last address, logged in one line with host, port
 * and why.
 */
int control_connect(const char *host, uint16_t port, struct stop *stop,
		    const struct control_rules *rules, uint64_t deadline_ns,
		    struct control **control);

/*
 * Makes a control of a connected stream socket, which it takes over, even on failure. stop outlives
 * the control. rules NULL: control_rules_server. 0 or -errno, logged.
 */
int control_adopt(int fd, struct stop *stop, const struct control_rules *rules,
		  struct control **control);

/*
 * Sends a message, whole, and takes its reference in any case (NULL: -ENOMEM, so that a message can
 * be made in the argument). Any thread; senders take turns. The stop does not end it, so that an
 * abort can be sent after it.
 *
 * 0: on its way; -ETIMEDOUT: not by deadline_ns (a peer that has taken half a message is then
 * lost); -EPIPE: the peer is lost or has said bye; -EMSGSIZE; -ENOMEM.
 */
int control_send(struct control *control, json_t *message, uint64_t deadline_ns);

/*
 * The next message, in *message, the caller's to json_decref(): no ping, bye or abort, which the
 * control's thread deals with. One thread at a time. What came before a loss or a bye is delivered
 * first. stop (NULL: none; need not be the control's own) ends the wait.
 *
 * 0; -ETIMEDOUT; -ECANCELED: stop is set, and not by the loss of this peer; -ESHUTDOWN: the peer
 * said bye; -EPIPE: the peer is lost (control_loss()).
 */
int control_receive(struct control *control, const struct stop *stop, uint64_t deadline_ns,
		    json_t **message);

/*
 * Why the peer was lost, in words; its own, if it sent an abort. NULL: it was not; a bye is no
 * loss. Any thread. Lives as long as the control.
 */
const char *control_loss(struct control *control);

/* "10.0.0.1:40022", for logs. Lives as long as the control. */
const char *control_peer(const struct control *control);

/*
 * Says bye, waits until the peer has read everything or linger_ns is over, ends the thread and
 * frees all. NULL is fine. No other thread may use the control any more. Never sets the stop.
 */
void control_close(struct control *control);

/*
 * Listens for TCP on address (NULL: all of this host, IPv6 and IPv4, or IPv4 alone where there is
 * no IPv6) and port (0: any). SO_REUSEADDR: a restart need not wait for old connections
 * (socket(7)). 0 or -errno, logged.
 */
int control_listen(const char *address, uint16_t port, struct control_listener **listener);
uint16_t control_listener_port(const struct control_listener *listener);

/*
 * Accepts a connection: *fd is for control_adopt(), or to be closed. Connections that failed
 * meanwhile are passed over; out of descriptors it warns, and waits for some. One thread at a time.
 *
 * 0; -ECANCELED: stop (NULL: none) is set; -ETIMEDOUT; else -errno, logged.
 */
int control_accept(struct control_listener *listener, const struct stop *stop, uint64_t deadline_ns,
		   int *fd);

/* NULL is fine. */
void control_listener_close(struct control_listener *listener);

#endif
