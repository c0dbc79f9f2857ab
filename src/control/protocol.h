/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * protocol - what client and server say over the control channel: C structs to JSON and back.
 *
 * Pure, any thread. Every message is checked whole: types, ranges, lengths, characters (names and
 * reasons end up on terminals). Unknown keys are ignored, so that messages can grow;
 * PROTOCOL_VERSION changes when an old peer would misunderstand.
 *
 *  client                                          server
 *    |-- offer: protocol, run id, connections ------>|  opens a session
 *    |<- answer: protocol, RDMA ports ---------------|  or refusal: reason; bye
 *    |                                               |
 *    |-- barrier: connect -------------------------->|
 *    |<- ready: connect -----------------------------|
 *    |== RDMA: connects ==========================>>|
 *    |-- barrier: disconnect, established ---------->|  until it, too, has them established
 *    |<- ready: disconnect, established -------------|  no DREQ before this
 *    |== RDMA: disconnects =======================>>|
 *    |-- barrier: destroy -------------------------->|  until its side is disconnected
 *    |<- ready: destroy -----------------------------|
 *    |   destroys                                    |
 *    |                                               |
 *    |-- finish ------------------------------------>|  destroys what is left
 *    |<- result: the server's figures of the round --|
 *    |-- samples: from ----------------------------->|  as often as it takes, if the offer
 *    |<- samples: from, rows ------------------------|  asked for them
 *    |                                               |
 *    |-- barrier: connect ... ---------------------->|  the next round, of as many as were offered
 *    |                                               |
 *    |-- bye --------------------------------------->|  said by whoever is done; then the end
 *    |<- bye ----------------------------------------|  of the stream is no loss
 *
 *    <-- ping -->            every second, both ways, beside everything else
 *    <-- abort: reason -->   any time, either way: the sender gives up, and the other's run ends
 */
#ifndef CMTIME_CONTROL_PROTOCOL_H
#define CMTIME_CONTROL_PROTOCOL_H

#include "core/result.h"
#include "core/timeline.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	PROTOCOL_VERSION = 1,
	PROTOCOL_CONNECTIONS = 1 << 24, /* connections of one run, at most */
	PROTOCOL_THREADS = 1024,
	PROTOCOL_PORTS = 64,
	PROTOCOL_WORDS = 401, /* a reason: up to 400 bytes, and the NUL */
	PROTOCOL_ROUNDS = 1000,
	PROTOCOL_SAMPLES = 1024, /* connections whose samples fit a message */
};

enum message_type {
	MESSAGE_UNKNOWN,
	MESSAGE_OFFER,
	MESSAGE_ANSWER,
	MESSAGE_REFUSAL,
	MESSAGE_BARRIER,
	MESSAGE_READY,
	MESSAGE_FINISH,
	MESSAGE_RESULT,
	MESSAGE_SAMPLES,
	MESSAGE_ABORT,
	MESSAGE_PING,
	MESSAGE_BYE,
	MESSAGE_TYPES
};

/* MESSAGE_UNKNOWN for what has no known "type". message_type_name(): "offer". */
enum message_type message_type(const json_t *message);
const char *message_type_name(enum message_type type);

/* Client to server: the run it would like. */
struct offer {
	char version[RESULT_NAME]; /* of the program; not empty */
	char host[RESULT_NAME];	   /* its name; "" is no data */
	uint64_t run_id;
	uint64_t step_timeout_ns; /* not 0; 2^63 and more (NEVER_NS) is sent as 2^63 - 1 */
	uint32_t connections;	  /* 1 to PROTOCOL_CONNECTIONS */
	uint32_t window; /* as struct run_info's; WINDOW_UNKNOWN where the key is missing */
	uint32_t rounds; /* 1 to PROTOCOL_ROUNDS; 1 where the key is missing */
	uint32_t
		warmups; /* before those, and not reported: 0 to PROTOCOL_ROUNDS; 0 where missing */
	bool samples;	 /* will ask for the server's samples; false where the key is missing */
};

/* Server to client: where to connect. */
struct answer {
	char version[RESULT_NAME];
	char host[RESULT_NAME];
	uint32_t threads;		/* that accept: 1 to PROTOCOL_THREADS */
	uint32_t listeners;		/* 1 to PROTOCOL_PORTS */
	size_t n_ports;			/* 1 to PROTOCOL_PORTS */
	uint16_t ports[PROTOCOL_PORTS]; /* RDMA ports; none is 0 */
};

/* The step that is about to begin on the client's side: what it builds on has ended there. */
enum barrier_at { BARRIER_CONNECT, BARRIER_DISCONNECT, BARRIER_DESTROY, BARRIERS };

/*
 * Of barrier: the connections that went well, on the client's side, through what the step builds
 * on. Of ready: those the server has seen established in this round so far.
 */
struct barrier {
	enum barrier_at at;
	uint32_t established; /* 0 to PROTOCOL_CONNECTIONS */
};

/*
 * Messages for control_send(): a new reference, or NULL for want of memory. Text that the peer
 * would refuse is mended: cut at a whole character, control characters become spaces.
 */
json_t *offer_to_json(const struct offer *offer);
json_t *answer_to_json(const struct answer *answer);
json_t *barrier_to_json(const struct barrier *barrier);
json_t *ready_to_json(const struct barrier *barrier);
json_t *refusal_to_json(const char *reason);
json_t *abort_to_json(const char *reason);
/* Takes the reference to a result's JSON, in any case (core/result.h; NULL gives NULL). */
json_t *result_message_to_json(json_t *result);
/* Asks for the samples of connections from that one on. */
json_t *samples_request_to_json(uint32_t from);
/* The answer: the next PROTOCOL_SAMPLES connections' rows of the timeline, or what is left. */
json_t *samples_to_json(const struct timeline *timeline, uint32_t from);
/* Those that are only a type: MESSAGE_FINISH, MESSAGE_PING, MESSAGE_BYE. */
json_t *message_to_json(enum message_type type);

/*
 * And back. 0; -EPROTONOSUPPORT: an offer or answer of another protocol version; -EPROTO: not that
 * message, or not a sound one. On failure why says it in words for a log or a refusal, naming the
 * key and what is allowed, or both versions; on success it is left alone, and only then is the
 * struct set.
 */
int offer_from_json(const json_t *message, char why[PROTOCOL_WORDS], struct offer *offer);
int answer_from_json(const json_t *message, char why[PROTOCOL_WORDS], struct answer *answer);
/* Of a barrier or a ready. */
int barrier_from_json(const json_t *message, char why[PROTOCOL_WORDS], struct barrier *barrier);
/* The reason of a refusal or an abort; one without a sound reason reads "no reason given". */
void reason_from_json(const json_t *message, char reason[PROTOCOL_WORDS]);
/* The result's JSON within: borrowed, and for result_from_json() to check. */
int result_message_from_json(const json_t *message, char why[PROTOCOL_WORDS],
			     const json_t **result);
/* What a request for samples asks for, at most most. */
int samples_request_from_json(const json_t *message, char why[PROTOCOL_WORDS], uint32_t most,
			      uint32_t *from);
/* The rows of an answer into a timeline that was made for as many connections, beginning with that
 * one; *n is how many there were: at least one. */
int samples_from_json(const json_t *message, char why[PROTOCOL_WORDS], uint32_t from,
		      struct timeline *timeline, uint32_t *n);

#endif
