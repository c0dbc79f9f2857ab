/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * hand_use - for tests of a server: a client by hand, that asks, connects and leaves as a test
 * wants it.
 *
 * One test program includes it once; main calls it.
 */
#ifndef CMTIME_TESTS_HAND_USE_H
#define CMTIME_TESTS_HAND_USE_H

#include "pair_use.h"

#include "control/control.h"
#include "control/protocol.h"
#include "core/ticket.h"

#include <string.h>

struct hand {
	struct stop stop;
	struct control *control;
	struct answer answer;
	uint64_t run;
	struct rdma_event_channel *channel;
};

static inline json_t *hand_hear(struct hand *hand, enum message_type due)
{
	json_t *message;

	assert_int_equal(
		control_receive(hand->control, NULL, clock_deadline_ns(60 * NS_PER_S), &message),
		0);
	assert_string_equal(message_type_name(message_type(message)), message_type_name(due));
	return message;
}

static inline void hand_say(struct hand *hand, json_t *message)
{
	assert_int_equal(control_send(hand->control, message, clock_deadline_ns(5 * NS_PER_S)), 0);
}

/* Opens a session for that many connections. */
static inline void hand_open(struct hand *hand, struct host *host, uint32_t connections)
{
	static uint64_t runs;
	char why[PROTOCOL_WORDS];
	json_t *message;

	*hand = (struct hand){ .run = ++runs, .channel = channel_new(false) };
	struct offer offer = { .version = "by hand",
			       .run_id = hand->run,
			       .connections = connections,
			       .step_timeout_ns = host->plan.step_timeout_ns,
			       .rounds = 1 };

	assert_int_equal(stop_init(&hand->stop), 0);
	assert_int_equal(control_connect("127.0.0.1", server_port(host->server), &hand->stop, NULL,
					 clock_deadline_ns(5 * NS_PER_S), &hand->control),
			 0);
	hand_say(hand, offer_to_json(&offer));
	message = hand_hear(hand, MESSAGE_ANSWER);
	assert_int_equal(answer_from_json(message, why, &hand->answer), 0);
	json_decref(message);
}

/* Leaves without a word on the run; its ids must be gone. */
static inline void hand_close(struct hand *hand)
{
	control_close(hand->control);
	rdma_destroy_event_channel(hand->channel);
	stop_free(&hand->stop);
	qps_done();
}

/* Sends a request with that private data; its answer is still to be read. */
static inline struct rdma_cm_id *hand_send(struct hand *hand, const void *data, uint8_t len)
{
	struct rdma_conn_param with = { .private_data = data, .private_data_len = len };
	struct rdma_cm_id *id = resolved(hand->channel, hand->answer.ports[0]);

	assert_int_equal(rdma_connect(id, &with), 0);
	return id;
}

static inline struct rdma_cm_id *hand_send_ticket(struct hand *hand, uint64_t run, uint32_t index)
{
	uint8_t data[TICKET_BYTES];

	ticket_write(&(struct ticket){ .run = run, .index = index }, data);
	return hand_send(hand, data, sizeof(data));
}

/* Sends the first n requests of its run at once, before any answer is read. */
static inline void hand_send_all(struct hand *hand, struct rdma_cm_id **ids, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		ids[i] = resolved(hand->channel, hand->answer.ports[0]);
	for (uint32_t i = 0; i < n; i++) {
		uint8_t data[TICKET_BYTES];
		struct rdma_conn_param with = { .private_data = data,
						.private_data_len = sizeof(data) };

		ticket_write(&(struct ticket){ .run = hand->run, .index = i }, data);
		assert_int_equal(rdma_connect(ids[i], &with), 0);
	}
}

/* Is rejected with the CM's "consumer defined". */
static inline void hand_is_rejected(struct hand *hand, struct rdma_cm_id *id)
{
	assert_ptr_equal(expect(hand->channel, RDMA_CM_EVENT_REJECTED, 28), id);
	done(id);
}

static inline struct rdma_cm_id *hand_connect(struct hand *hand, uint32_t index)
{
	struct rdma_cm_id *id = hand_send_ticket(hand, hand->run, index);

	assert_ptr_equal(expect(hand->channel, RDMA_CM_EVENT_ESTABLISHED, 0), id);
	return id;
}

/* Until the server has seen as many established, or disconnected. */
static inline void hand_barrier(struct hand *hand, enum barrier_at at, uint32_t connections)
{
	struct barrier barrier = { .at = at, .established = connections };

	hand_say(hand, barrier_to_json(&barrier));
	json_decref(hand_hear(hand, MESSAGE_READY));
}

/* Asks for the server's result, which ends the run. */
static inline void hand_finish(struct hand *hand, struct result *result)
{
	char why[PROTOCOL_WORDS];
	const json_t *json;
	json_t *message;

	hand_say(hand, message_to_json(MESSAGE_FINISH));
	message = hand_hear(hand, MESSAGE_RESULT);
	assert_int_equal(result_message_from_json(message, why, &json), 0);
	assert_int_equal(result_from_json(result, json), 0);
	json_decref(message);
}

#endif
