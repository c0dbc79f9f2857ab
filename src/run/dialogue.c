// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* dialogue - say, hear, and what stands in the messages. */
#include "run/dialogue.h"

#include "control/control.h"
#include "core/result.h"
#include "core/timeline.h"
#include "host/clock.h"
#include "host/description.h"
#include "host/log.h"
#include "host/stop.h"

#include <errno.h>
#include <stdio.h>

enum {
	CONNECT_S = 10, /* for the control connection */
	ANSWER_S =
		10, /* for the server's answer, and beyond the step's own time-out at a barrier */
	SEND_S = 5,
	RESULT_S = 120, /* for the server to destroy its side and send its figures, heartbeats going
			   on */
};

static int say(const struct dialogue *dialogue, json_t *message)
{
	return control_send(dialogue->control, message, clock_deadline_ns(SEND_S * NS_PER_S));
}

/* The message due, or an -errno that ends the run; a server that is late is as good as lost. */
static int hear(const struct dialogue *dialogue, enum message_type due, uint64_t within_ns,
		json_t **message)
{
	json_t *got;
	int ret = control_receive(dialogue->control, dialogue->stop, clock_deadline_ns(within_ns),
				  &got);

	if (ret == -ETIMEDOUT) {
		log_error("the server's %s is late", message_type_name(due));
		stop_set(dialogue->stop, STOP_TIMEOUT);
		return -ECANCELED;
	}
	if (ret == -ESHUTDOWN || ret == -EPIPE) {
		if (ret == -ESHUTDOWN)
			log_error("the server ended the run before its %s", message_type_name(due));
		stop_set(dialogue->stop, STOP_PEER_LOST);
		return -ECANCELED;
	}
	if (ret)
		return ret;
	enum message_type type = message_type(got);

	if (type == due) {
		*message = got;
		return 0;
	}
	char why[PROTOCOL_WORDS];

	reason_from_json(got, why);
	if (type == MESSAGE_REFUSAL)
		log_error("the server refused: %s", why);
	else
		log_error("the server sent a message out of turn, %s was due",
			  message_type_name(due));
	json_decref(got);
	return type == MESSAGE_REFUSAL ? -ECONNREFUSED : -EPROTO;
}

static int ask(const struct dialogue *dialogue, json_t *question, enum message_type due,
	       uint64_t within_ns, json_t **message)
{
	int ret = say(dialogue, question);

	return ret ? ret : hear(dialogue, due, within_ns, message);
}

int dialogue_open(struct dialogue *dialogue, const char *host, uint16_t port, struct offer *offer,
		  struct stop *stop)
{
	char why[PROTOCOL_WORDS];
	json_t *message;

	*dialogue = (struct dialogue){ .stop = stop, .step_timeout_ns = offer->step_timeout_ns };
	int ret = control_connect(host, port, stop, NULL, clock_deadline_ns(CONNECT_S * NS_PER_S),
				  &dialogue->control);
	if (ret)
		return ret;
	snprintf(offer->version, sizeof(offer->version), "%s", PACKAGE_VERSION);
	host_name(offer->host);
	ret = ask(dialogue, offer_to_json(offer), MESSAGE_ANSWER, ANSWER_S * NS_PER_S, &message);
	if (ret)
		return ret;
	ret = answer_from_json(message, why, &dialogue->answer);
	json_decref(message);
	if (ret)
		log_error("the server's answer: %s", why);
	return ret;
}

int dialogue_barrier(const struct dialogue *dialogue, const struct barrier *barrier)
{
	uint64_t within_ns = ANSWER_S * NS_PER_S, step_ns = dialogue->step_timeout_ns;
	json_t *message;

	if (!dialogue->control)
		return 0;
	int ret = ask(dialogue, barrier_to_json(barrier), MESSAGE_READY,
		      step_ns > NEVER_NS / 2 ? NEVER_NS : within_ns + step_ns, &message);

	if (!ret)
		json_decref(message);
	return ret == -EPIPE || ret == -ESHUTDOWN ? -ECANCELED : ret;
}

int dialogue_finish(const struct dialogue *dialogue, struct result *result)
{
	struct result theirs;
	const json_t *json;
	char why[PROTOCOL_WORDS];
	json_t *message;

	if (!dialogue->control)
		return 0;
	int ret = ask(dialogue, message_to_json(MESSAGE_FINISH), MESSAGE_RESULT,
		      RESULT_S * NS_PER_S, &message);

	if (ret)
		return ret;
	ret = result_message_from_json(message, why, &json);
	if (!ret) {
		ret = result_from_json(&theirs, json);
		if (!ret) {
			ret = result_take_server(result, &theirs);
			result_free(&theirs);
		}
		snprintf(why, sizeof(why), "%s", log_errno(ret));
	}
	if (ret)
		log_error("the server's result: %s", why);
	json_decref(message);
	return ret;
}

int dialogue_samples(const struct dialogue *dialogue, struct timeline *timeline)
{
	uint32_t from = 0, n = 0;
	char why[PROTOCOL_WORDS];
	json_t *message;
	int ret = 0;

	for (; dialogue->control && !ret && from < timeline->connections; from += n) {
		ret = ask(dialogue, samples_request_to_json(from), MESSAGE_SAMPLES,
			  ANSWER_S * NS_PER_S, &message);
		if (ret)
			return ret;
		ret = samples_from_json(message, why, from, timeline, &n);
		if (ret)
			log_error("the server's samples: %s", why);
		json_decref(message);
	}
	return ret;
}

void dialogue_close(struct dialogue *dialogue, bool before_time)
{
	if (before_time && dialogue->control && !control_loss(dialogue->control))
		say(dialogue, abort_to_json("the client ends before its time"));
	control_close(dialogue->control);
}
