// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The channel and its reader: an event is stamped, acked and posted to its connection, or to
 * nobody; a reader can be held, stopped and waited for.
 */
#include "run_use.h"

#include "cm/channel.h"
#include "cm/conn.h"
#include "cm/reaper.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

/* A connection that remembers what it heard last. */
static struct {
	enum mail mail;
	struct event event;
	uint32_t acks_then;
	atomic_uint count;
} heard;

static void hear(struct conn *conn, enum mail mail, const struct event *event)
{
	(void)conn;
	heard.mail = mail;
	heard.event = *event;
	heard.acks_then = fake_counts().acks;
	atomic_fetch_add(&heard.count, 1);
}

static struct crew crew = { .act = hear };

struct ear {
	struct channel channel;
	struct conn conn;
};

static void ear_open(struct ear *ear)
{
	memset(&heard, 0, sizeof(heard));
	fake_remote_accepts(PORT);
	assert_int_equal(channel_open(&ear->channel, NULL, NULL), 0);
	assert_int_equal(channel_set_nonblocking(&ear->channel), 0);
	conn_init(&ear->conn, &crew, 0);
	assert_int_equal(
		rdma_create_id(ear->channel.events, &ear->conn.id, &ear->conn, RDMA_PS_TCP), 0);
}

static void ear_close(struct ear *ear)
{
	assert_int_equal(rdma_destroy_id(ear->conn.id), 0);
	channel_close(&ear->channel);
	channel_close(&ear->channel);
}

static void event__of_a_connection__is_stamped_acked_and_posted(void **state)
{
	struct ear ear;

	(void)state;
	ear_open(&ear);
	assert_int_equal(rdma_resolve_addr(ear.conn.id, NULL, to(PORT), 2000), 0);
	uint64_t before_ns = clock_now_ns();

	assert_int_equal(channel_serve(&ear.channel), 0);
	assert_int_equal(heard.count, 1);
	assert_int_equal(heard.mail, MAIL_ADDR);
	assert_int_equal(heard.event.kind, EVENT_ADDR_RESOLVED);
	assert_int_equal(heard.event.status, 0);
	assert_true(heard.event.at_ns >= before_ns && heard.event.at_ns <= clock_now_ns());
	assert_int_equal(heard.acks_then, 1);
	assert_int_equal(channel_serve(&ear.channel), -EAGAIN);
	ear_close(&ear);
}

static void event__of_every_kind__is_posted_as_what_it_is_or_not_at_all(void **state)
{
	static const struct {
		enum rdma_cm_event_type type;
		enum event_kind kind;
		enum mail mail; /* MAILS: nobody's */
	} events[] = {
		{ RDMA_CM_EVENT_ADDR_ERROR, EVENT_ADDR_ERROR, MAIL_ADDR },
		{ RDMA_CM_EVENT_ROUTE_RESOLVED, EVENT_ROUTE_RESOLVED, MAIL_ROUTE },
		{ RDMA_CM_EVENT_ROUTE_ERROR, EVENT_ROUTE_ERROR, MAIL_ROUTE },
		{ RDMA_CM_EVENT_CONNECT_RESPONSE, EVENT_CONNECT_RESPONSE, MAIL_CONNECT },
		{ RDMA_CM_EVENT_CONNECT_ERROR, EVENT_CONNECT_ERROR, MAIL_CONNECT },
		{ RDMA_CM_EVENT_UNREACHABLE, EVENT_UNREACHABLE, MAIL_CONNECT },
		{ RDMA_CM_EVENT_REJECTED, EVENT_REJECTED, MAIL_CONNECT },
		{ RDMA_CM_EVENT_ESTABLISHED, EVENT_ESTABLISHED, MAIL_CONNECT },
		{ RDMA_CM_EVENT_DISCONNECTED, EVENT_DISCONNECTED, MAIL_DISCONNECTED },
		{ RDMA_CM_EVENT_DEVICE_REMOVAL, EVENT_DEVICE_REMOVAL, MAIL_REMOVAL },
		{ RDMA_CM_EVENT_ADDR_CHANGE, 0, MAILS },
		{ RDMA_CM_EVENT_TIMEWAIT_EXIT, 0, MAILS },
		{ RDMA_CM_EVENT_MULTICAST_ERROR, 0, MAILS },
		{ RDMA_CM_EVENT_TIMEWAIT_EXIT + 1, 0, MAILS },
		{ RDMA_CM_EVENT_TIMEWAIT_EXIT + 1000, 0, MAILS },
	};
	struct ear ear;
	uint32_t posted = 0;

	(void)state;
	ear_open(&ear);
	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++) {
		fake_raise(ear.conn.id, events[i].type, -7);
		assert_int_equal(channel_serve(&ear.channel), 0);
		posted += events[i].mail != MAILS;
		assert_int_equal(heard.count, posted);
		if (events[i].mail == MAILS)
			continue;
		assert_int_equal(heard.mail, events[i].mail);
		assert_string_equal(event_kind_name(heard.event.kind),
				    event_kind_name(events[i].kind));
		assert_int_equal(heard.event.status, -7);
	}
	ear_close(&ear);
}

static void connect_error__of_status_1__has_the_errno_instead(void **state)
{
	static const int errors[] = { ENOMEM, 0 };

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct ear ear;

		fake_reset();
		ear_open(&ear);
		fake_fail(FAKE_MOVE_QP, 1, errors[i]);
		assert_int_equal(rdma_resolve_addr(ear.conn.id, NULL, to(PORT), 2000), 0);
		assert_int_equal(channel_serve(&ear.channel), 0);
		assert_int_equal(rdma_resolve_route(ear.conn.id, 2000), 0);
		assert_int_equal(channel_serve(&ear.channel), 0);
		qp_for(ear.conn.id);
		assert_int_equal(rdma_connect(ear.conn.id, &param), 0);
		errno = EXDEV; /* stale */
		assert_int_equal(channel_serve(&ear.channel), 0);
		assert_int_equal(heard.event.kind, EVENT_CONNECT_ERROR);
		assert_int_equal(heard.event.status, -errors[i]);
		rdma_destroy_qp(ear.conn.id);
		qps_done();
		ear_close(&ear);
	}
}

static void event__of_an_id_that_is_no_connections__is_nobodys(void **state)
{
	struct rdma_cm_id *ids[2];
	struct conn listener;
	struct ear ear;

	(void)state;
	ear_open(&ear);
	/* All but its context, so that whoever takes it for a connection is heard. */
	conn_init(&listener, &crew, 0);
	listener.context = CONTEXT_LISTENER;
	assert_int_equal(rdma_create_id(ear.channel.events, &ids[0], NULL, RDMA_PS_TCP), 0);
	assert_int_equal(rdma_create_id(ear.channel.events, &ids[1], &listener, RDMA_PS_TCP), 0);
	fake_raise_all(RDMA_CM_EVENT_DEVICE_REMOVAL, 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(channel_serve(&ear.channel), 0);
	assert_int_equal(heard.count, 1);
	assert_int_equal(rdma_destroy_id(ids[0]), 0);
	assert_int_equal(rdma_destroy_id(ids[1]), 0);
	ear_close(&ear);
}

static void read__that_fails__says_how(void **state)
{
	struct ear ear;

	(void)state;
	ear_open(&ear);
	fake_fail(FAKE_RDMA_GET_CM_EVENT, 1, EINTR);
	fake_fail(FAKE_RDMA_GET_CM_EVENT, 2, EIO);
	fake_fail(FAKE_RDMA_GET_CM_EVENT, 3, 0);
	assert_int_equal(channel_serve(&ear.channel), -EINTR);
	assert_int_equal(channel_serve(&ear.channel), -EIO);
	errno = EINTR; /* stale */
	assert_int_equal(channel_serve(&ear.channel), -EIO);
	ear_close(&ear);
}

static void wait__for_an_event__leaves_it_unread(void **state)
{
	struct stop stop;
	struct ear ear;

	(void)state;
	ear_open(&ear);
	assert_int_equal(stop_init(&stop), 0);
	assert_int_equal(channel_wait(&ear.channel, &stop, clock_deadline_ns(NS_PER_MS)),
			 -ETIMEDOUT);
	fake_raise(ear.conn.id, RDMA_CM_EVENT_DISCONNECTED, 0);
	assert_int_equal(channel_wait(&ear.channel, &stop, NEVER_NS), 0);
	assert_int_equal(fake_counts().gets, 0);
	assert_int_equal(channel_serve(&ear.channel), 0);
	stop_set(&stop, STOP_DONE);
	assert_int_equal(channel_wait(&ear.channel, &stop, NEVER_NS), -ECANCELED);
	stop_free(&stop);
	ear_close(&ear);
}

/* ---- Requests. */

static struct request requested;

static void on_request(void *arg, const struct request *request)
{
	assert_ptr_equal(arg, &requested);
	requested = *request;
}

static void request__comes_with_its_id_its_listener_and_its_data(void **state)
{
	static const uint8_t data[3] = { 1, 2, 3 }, none[PRIVATE_DATA_MAX];
	struct rdma_conn_param with = { .private_data = data, .private_data_len = sizeof(data) };
	struct rdma_event_channel *events;
	enum context context = CONTEXT_LISTENER;
	struct channel channel;
	struct rdma_cm_id *client, *listener;

	(void)state;
	assert_int_equal(channel_open(&channel, on_request, &requested), 0);
	events = channel_new(false);
	listener = listener_new(channel.events, PORT, 0);
	listener->context = &context;
	client = resolved(events, PORT);
	assert_int_equal(rdma_connect(client, &with), 0);
	assert_int_equal(channel_serve(&channel), 0);
	assert_ptr_equal(requested.listener, &context);
	assert_non_null(requested.id);
	assert_int_equal(requested.data_len, PRIVATE_DATA_MAX);
	assert_memory_equal(requested.data, data, sizeof(data));
	assert_memory_equal(requested.data + sizeof(data), none, sizeof(none) - sizeof(data));
	assert_int_equal(fake_counts().acks, fake_counts().gets);
	done(requested.id);
	done(client);
	done(listener);
	qps_done();
	rdma_destroy_event_channel(events);
	channel_close(&channel);
}

/* ---- Its reader. */

static void wait_until_heard(uint32_t count)
{
	while (atomic_load(&heard.count) < count)
		sched_yield();
}

static void reaper__that_sleeps__is_stopped(void **state)
{
	int fds = fds_open();

	(void)state;
	/* A signal may come just before the reader sleeps: with luck, in some of these. */
	for (int i = 0; i < 200; i++) {
		struct reaper reaper;

		assert_int_equal(reaper_start(&reaper, i % 2, NULL, NULL), 0);
		reaper_stop(&reaper);
		reaper_stop(&reaper);
		reaper_close(&reaper);
	}
	assert_int_equal(fds_open(), fds);
}

static void reaper__that_cannot_be_started__holds_nothing(void **state)
{
	int fds = fds_open();
	struct reaper reaper;

	(void)state;
	fake_fail(FAKE_RDMA_CREATE_EVENT_CHANNEL, 1, ENODEV);
	assert_int_equal(reaper_start(&reaper, false, NULL, NULL), -ENODEV);
	assert_int_equal(fds_open(), fds);
}

static void reaper__that_is_held__reads_nothing_until_released(void **state)
{
	enum { TIMES = 20 };
	struct reaper reaper;
	struct conn conn;

	(void)state;
	memset(&heard, 0, sizeof(heard));
	conn_init(&conn, &crew, 0);
	assert_int_equal(reaper_start(&reaper, true, NULL, NULL), 0);
	assert_int_equal(rdma_create_id(reaper.channel.events, &conn.id, &conn, RDMA_PS_TCP), 0);
	for (uint32_t i = 1; i <= TIMES; i++) {
		reaper_hold(&reaper);
		fake_raise(conn.id, RDMA_CM_EVENT_DISCONNECTED, 0);
		/* It has had its time to read it wrongly: a read of ours sees it still there. */
		for (int j = 0; j < 1000; j++)
			assert_int_equal(channel_wait(&reaper.channel, NULL, 0), 0);
		assert_int_equal(fake_counts().gets, i - 1);
		reaper_release(&reaper);
		wait_until_heard(i);
	}
	reaper_stop(&reaper);
	assert_int_equal(rdma_destroy_id(conn.id), 0);
	reaper_close(&reaper);
}

static void reaper__that_is_held__can_be_stopped(void **state)
{
	struct reaper reaper;
	struct conn conn;

	(void)state;
	conn_init(&conn, &crew, 0);
	assert_int_equal(reaper_start(&reaper, true, NULL, NULL), 0);
	assert_int_equal(rdma_create_id(reaper.channel.events, &conn.id, &conn, RDMA_PS_TCP), 0);
	reaper_hold(&reaper);
	fake_raise(conn.id, RDMA_CM_EVENT_DISCONNECTED, 0);
	reaper_stop(&reaper);
	assert_int_equal(fake_counts().gets, 0);
	assert_int_equal(rdma_destroy_id(conn.id), 0);
	reaper_close(&reaper);
}

/* A reader in the midst of an event is waited for: what it wrote is there, and its connection may
 * be freed. */
static atomic_bool began;
static int finished; /* plain */

static void hear_slowly(struct conn *conn, enum mail mail, const struct event *event)
{
	(void)mail;
	(void)event;
	atomic_store(&began, true);
	rdma_resolve_addr(conn->id, NULL, to(PORT), 2000); /* slow */
	finished++;
}

static void quiesce__in_the_midst_of_an_event__waits_for_its_end(void **state)
{
	static struct crew slow = { .act = hear_slowly };
	struct reaper reaper;
	struct conn *conn = malloc(sizeof(*conn));

	(void)state;
	assert_non_null(conn);
	finished = 0;
	atomic_store(&began, false);
	conn_init(conn, &slow, 0);
	fake_slow(FAKE_RDMA_RESOLVE_ADDR, FAKE_EACH, 20 * NS_PER_MS);
	fake_answer_drop(FAKE_RDMA_RESOLVE_ADDR, FAKE_EACH);
	assert_int_equal(reaper_start(&reaper, false, NULL, NULL), 0);
	assert_int_equal(rdma_create_id(reaper.channel.events, &conn->id, conn, RDMA_PS_TCP), 0);
	fake_raise(conn->id, RDMA_CM_EVENT_DISCONNECTED, 0);
	while (!atomic_load(&began))
		sched_yield();
	channel_quiesce(&reaper.channel);
	assert_int_equal(finished, 1);
	assert_int_equal(rdma_destroy_id(conn->id), 0);
	free(conn);
	reaper_close(&reaper);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RUN_TEST(event__of_a_connection__is_stamped_acked_and_posted),
		RUN_TEST(event__of_every_kind__is_posted_as_what_it_is_or_not_at_all),
		RUN_TEST(connect_error__of_status_1__has_the_errno_instead),
		RUN_TEST(event__of_an_id_that_is_no_connections__is_nobodys),
		RUN_TEST(read__that_fails__says_how),
		RUN_TEST(wait__for_an_event__leaves_it_unread),
		RUN_TEST(request__comes_with_its_id_its_listener_and_its_data),
		RUN_TEST(reaper__that_sleeps__is_stopped),
		RUN_TEST(reaper__that_cannot_be_started__holds_nothing),
		RUN_TEST(reaper__that_is_held__reads_nothing_until_released),
		RUN_TEST(reaper__that_is_held__can_be_stopped),
		RUN_TEST(quiesce__in_the_midst_of_an_event__waits_for_its_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
