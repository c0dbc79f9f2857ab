// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The mailbox and the connection that acts on it: one owner, mails in order, none lost. Threads:
 * test_ownership. */
#include "cmocka_all.h"

#include "cm/conn.h"
#include "cm/mailbox.h"

static void mailbox__that_nobody_owns__is_the_posters(void **state)
{
	struct mailbox box;

	(void)state;
	mailbox_init(&box);
	assert_true(mailbox_post(&box, MAIL_GO));
	assert_false(mailbox_post(&box, MAIL_ADDR));
	assert_false(mailbox_post(&box, MAIL_GO));
}

static void mails__that_wait__are_taken_in_their_order(void **state)
{
	struct mailbox box;

	(void)state;
	mailbox_init(&box);
	assert_true(mailbox_post(&box, MAIL_OVERDUE));
	for (enum mail mail = MAIL_OVERDUE; mail-- > 0;)
		assert_false(mailbox_post(&box, mail));
	for (enum mail mail = 0; mail < MAILS; mail++) {
		assert_int_equal(mailbox_take(&box), mail);
		mailbox_done(&box, mail);
	}
	assert_int_equal(mailbox_take(&box), MAILS);
}

static void mail__stays_until_it_is_done_with(void **state)
{
	struct mailbox box;

	(void)state;
	mailbox_init(&box);
	assert_false(mailbox_holds(&box, MAIL_CONNECT));
	mailbox_post(&box, MAIL_CONNECT);
	assert_true(mailbox_holds(&box, MAIL_CONNECT));
	assert_int_equal(mailbox_take(&box), MAIL_CONNECT);
	assert_true(mailbox_holds(&box, MAIL_CONNECT));
	assert_int_equal(mailbox_take(&box), MAIL_CONNECT);
	mailbox_done(&box, MAIL_CONNECT);
	assert_false(mailbox_holds(&box, MAIL_CONNECT));
}

static void owner__who_finds_no_mail__owns_no_longer(void **state)
{
	struct mailbox box;

	(void)state;
	mailbox_init(&box);
	mailbox_post(&box, MAIL_GO);
	mailbox_take(&box);
	mailbox_done(&box, MAIL_GO);
	/* Still the owner: he has not looked again. */
	assert_false(mailbox_post(&box, MAIL_ADDR));
	assert_int_equal(mailbox_take(&box), MAIL_ADDR);
	mailbox_done(&box, MAIL_ADDR);
	assert_int_equal(mailbox_take(&box), MAILS);
	assert_true(mailbox_post(&box, MAIL_ADDR));
}

/* A connection that writes down what it acts on; on MAIL_GO, "others" post to it while it is owned.
 */
static struct {
	enum mail mail;
	struct event event;
} acts[2 * MAILS];
static size_t n_acts;
static bool inside;

static struct event told(enum event_kind kind, uint64_t at_ns)
{
	return (struct event){ .kind = kind, .at_ns = at_ns };
}

static void act(struct conn *conn, enum mail mail, const struct event *event)
{
	assert_false(inside);
	inside = true;
	acts[n_acts].mail = mail;
	acts[n_acts++].event = *event;
	if (mail == MAIL_GO) {
		struct event first = told(EVENT_ESTABLISHED, 1), again = told(EVENT_REJECTED, 2),
			     lost = told(EVENT_DISCONNECTED, 3);

		conn_post(conn, MAIL_DISCONNECTED, &lost);
		conn_post(conn, MAIL_CONNECT, &first);
		conn_post(conn, MAIL_CONNECT, &again);
	}
	inside = false;
}

static void post_anew(struct conn *conn, enum mail mail, const struct event *event)
{
	static struct crew crew = { .act = act };

	n_acts = 0;
	if (conn->crew != &crew)
		conn_init(conn, &crew, 0);
	conn_post(conn, mail, event);
}

static void mail__to_an_owned_connection__is_acted_on_by_its_owner_afterwards(void **state)
{
	struct conn conn = { 0 };

	(void)state;
	post_anew(&conn, MAIL_GO, NULL);
	assert_int_equal(n_acts, 3);
	assert_int_equal(acts[0].mail, MAIL_GO);
	assert_int_equal(acts[1].mail, MAIL_CONNECT);
	assert_int_equal(acts[2].mail, MAIL_DISCONNECTED);
	assert_int_equal(acts[2].event.at_ns, 3);
}

static void double__of_an_unread_event__is_dropped(void **state)
{
	struct conn conn = { 0 };

	(void)state;
	post_anew(&conn, MAIL_GO, NULL);
	assert_int_equal(acts[1].event.kind, EVENT_ESTABLISHED);
	assert_int_equal(acts[1].event.at_ns, 1);
}

static void event__of_a_kind_that_was_read__is_no_double(void **state)
{
	struct event first = told(EVENT_ADDR_ERROR, 1), second = told(EVENT_ADDR_RESOLVED, 2);
	struct conn conn = { 0 };

	(void)state;
	post_anew(&conn, MAIL_ADDR, &first);
	assert_int_equal(acts[0].event.kind, EVENT_ADDR_ERROR);
	post_anew(&conn, MAIL_ADDR, &second);
	assert_int_equal(n_acts, 1);
	assert_int_equal(acts[0].event.kind, EVENT_ADDR_RESOLVED);
}

static void failure__after_the_first__is_its_consequence(void **state)
{
	struct timeline timeline;
	struct crew crew = { .timeline = &timeline };
	struct conn conn;

	(void)state;
	assert_int_equal(timeline_init(&timeline, SIDE_CLIENT, 2), 0);
	conn_init(&conn, &crew, 1);
	assert_false(conn_failed(&conn));
	conn_fail(&conn, STEP_CONNECT, EVENT_REJECTED, 28);
	conn_fail(&conn, STEP_DISCONNECT, EVENT_CALL, -22);
	assert_true(conn_failed(&conn));
	assert_int_equal(timeline.outcomes[1].step, STEP_CONNECT);
	assert_int_equal(timeline.outcomes[1].event, EVENT_REJECTED);
	assert_int_equal(timeline.outcomes[1].status, 28);
	assert_int_equal(timeline.outcomes[0].event, EVENT_NONE);
	timeline_free(&timeline);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mailbox__that_nobody_owns__is_the_posters),
		cmocka_unit_test(mails__that_wait__are_taken_in_their_order),
		cmocka_unit_test(mail__stays_until_it_is_done_with),
		cmocka_unit_test(owner__who_finds_no_mail__owns_no_longer),
		cmocka_unit_test(mail__to_an_owned_connection__is_acted_on_by_its_owner_afterwards),
		cmocka_unit_test(double__of_an_unread_event__is_dropped),
		cmocka_unit_test(event__of_a_kind_that_was_read__is_no_double),
		cmocka_unit_test(failure__after_the_first__is_its_consequence),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
