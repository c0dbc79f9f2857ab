// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* conn - posts, and acts as the owner until the mailbox is empty. */
#include "cm/conn.h"

void conn_init(struct conn *conn, struct crew *crew, uint32_t index)
{
	*conn = (struct conn){
		.context = CONTEXT_CONN, .crew = crew, .index = index, .awaiting = STEPS
	};
	mailbox_init(&conn->box);
}

void conn_post(struct conn *conn, enum mail mail, const struct event *event)
{
	if (event) {
		if (mailbox_holds(&conn->box, mail))
			return;
		conn->letters[mail] = *event;
	}
	if (!mailbox_post(&conn->box, mail))
		return;
	while ((mail = mailbox_take(&conn->box)) != MAILS) {
		struct event letter = conn->letters[mail];

		mailbox_done(&conn->box, mail);
		conn->crew->act(conn, mail, &letter);
	}
}

struct span *conn_span(const struct conn *conn, enum step step)
{
	return timeline_span(conn->crew->timeline, step, conn->index);
}

void conn_fail(struct conn *conn, enum step step, enum event_kind event, int32_t status)
{
	struct outcome *outcome = &conn->crew->timeline->outcomes[conn->index];

	if (outcome->event == EVENT_NONE)
		*outcome = (struct outcome){ .step = step, .event = event, .status = status };
}

bool conn_failed(const struct conn *conn)
{
	return conn->crew->timeline->outcomes[conn->index].event != EVENT_NONE;
}

void conn_count_tries(const struct conn *conn)
{
	struct detail *details = conn->crew->timeline->details;

	if (details && details[conn->index].attempts < conn->tries)
		details[conn->index].attempts = conn->tries;
}
