// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Opening a server and a client where something is missing or taken, and what a server bears on its
 * control port. */
#include "hand_use.h"

#include <sys/socket.h>

enum { N = 20 };

static int open_with(struct plan *plan)
{
	static struct server server;
	struct stop stop;

	assert_int_equal(stop_init(&stop), 0);
	int ret = server_open(&server, plan, NULL, &stop, "127.0.0.1");

	if (!ret)
		server_close(&server);
	stop_free(&stop);
	return ret;
}

static void server__that_cannot_be_opened__holds_nothing(void **state)
{
	static const struct {
		enum fake_call call;
		int nth, error;
	} failures[] = {
		{ FAKE_RDMA_CREATE_EVENT_CHANNEL, 1, ENODEV },
		{ FAKE_RDMA_CREATE_EVENT_CHANNEL, 3, EMFILE },
		{ FAKE_RDMA_CREATE_ID, 1, ENOMEM },
		{ FAKE_RDMA_CREATE_ID, 2, 0 },
		{ FAKE_RDMA_BIND_ADDR, FAKE_EACH, ENODEV },
		{ FAKE_RDMA_BIND_ADDR, FAKE_FROM(2), EADDRNOTAVAIL },
		{ FAKE_RDMA_LISTEN, 1, EADDRINUSE },
		{ FAKE_RDMA_LISTEN, 3, ENOMEM },
	};
	struct plan plan = plan_of(N);

	(void)state;
	plan.port = 0;
	plan.listeners = 3;
	plan.threads = 4;
	for (size_t f = 0; f < sizeof(failures) / sizeof(*failures); f++) {
		int fds = fds_open();

		fake_reset();
		fake_fail(failures[f].call, failures[f].nth, failures[f].error);
		assert_int_equal(open_with(&plan), failures[f].error ? -failures[f].error : -EIO);
		assert_int_equal(fake_check(), 0);
		assert_int_equal(fds_open(), fds);
	}
	fake_reset();
	assert_int_equal(open_with(&plan), 0);
}

static void host__without_a_device__has_no_server(void **state)
{
	struct plan plan = plan_of(N);

	(void)state;
	fake_config.no_device = true;
	assert_int_equal(open_with(&plan), -ENODEV);
}

static void control_port__that_is_taken__leaves_no_server(void **state)
{
	struct control_listener *other;
	struct plan plan = plan_of(N);
	int fds = fds_open();

	(void)state;
	assert_int_equal(control_listen("127.0.0.1", 0, &other), 0);
	plan.port = control_listener_port(other);
	assert_int_equal(open_with(&plan), -EADDRINUSE);
	control_listener_close(other);
	assert_int_equal(fds_open(), fds);
	/* And then it is free, and taken for both, TCP and RDMA. */
	assert_int_equal(open_with(&plan), 0);
}

/* The first has the port that was asked for, control channel or not. */
static void listeners__beyond_the_first__take_free_ports(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		struct host host;

		fake_reset();
		host_plan(&host);
		host.plan.no_control = i;
		host.plan.port = i ? PORT : 0;
		host.plan.listeners = 3;
		host_open(&host);
		if (i)
			assert_int_equal(server_port(host.server), PORT);
		for (int a = 0; a < 3; a++) {
			for (int b = 0; b < a; b++)
				assert_int_not_equal(host.server->listeners[a].port,
						     host.server->listeners[b].port);
		}
		host_close(&host);
		assert_int_equal(fake_check(), 0);
	}
}

/* Somebody else's RDMA port; TCP's is free. */
static void rdma_port__that_is_taken__is_another_and_the_client_is_told(void **state)
{
	struct rdma_event_channel *others = channel_new(false);
	struct control_listener *reserved;
	struct rdma_cm_id *other;
	struct guest guest;
	struct host host;

	(void)state;
	host_plan(&host);
	assert_int_equal(control_listen("127.0.0.1", 0, &reserved), 0);
	host.plan.port = control_listener_port(reserved);
	control_listener_close(reserved);
	other = listener_new(others, host.plan.port, 0);
	host_open(&host);
	assert_int_equal(server_port(host.server), host.plan.port);
	assert_int_not_equal(host.server->listeners[0].port, host.plan.port);
	guest_plan(&guest, &host, N);
	guest_run(&guest);
	assert_int_equal(guest.ret, 0);
	all_did_all(&guest.result);
	guest_free(&guest);
	host_close(&host);
	/* Without a control channel there is nobody to tell. */
	host.plan.no_control = true;
	assert_int_equal(open_with(&host.plan), -EADDRINUSE);
	done(other);
	rdma_destroy_event_channel(others);
}

/* ---- Clients that are none, or want too much. */

static int connect_to_control(struct host *host)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_port = htons(server_port(host->server)),
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	assert_true(fd >= 0);
	assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	return fd;
}

static void strangers__on_the_control_port__keep_nobody_from_it(void **state)
{
	static const char http[] = "GET / HTTP/1.1\r\n\r\n", half[] = "\0\0\0\x20{";
	struct guest guest;
	struct host host;
	int silent, rude, slow;

	(void)state;
	host_plan(&host);
	host_open(&host);
	silent = connect_to_control(&host);
	rude = connect_to_control(&host);
	slow = connect_to_control(&host);
	assert_int_equal(send(rude, http, sizeof(http), MSG_NOSIGNAL), sizeof(http));
	assert_int_equal(send(slow, half, sizeof(half) - 1, MSG_NOSIGNAL), sizeof(half) - 1);
	guest_plan(&guest, &host, N);
	guest_run(&guest);
	assert_int_equal(guest.ret, 0);
	all_did_all(&guest.result);
	guest_free(&guest);
	host_close(&host);
	close(silent);
	close(rude);
	close(slow);
}

static void clients__more_than_there_are_seats__are_turned_away(void **state)
{
	int fds[SERVER_SEATS + 1];
	struct hand hand;
	struct host host;
	char byte;

	(void)state;
	host_plan(&host);
	host_open(&host);
	for (int i = 0; i <= SERVER_SEATS; i++)
		fds[i] = connect_to_control(&host);
	/* Closed, without a word. */
	assert_int_equal(recv(fds[SERVER_SEATS], &byte, 1, 0), 0);
	for (int i = 0; i <= SERVER_SEATS; i++)
		close(fds[i]);
	/* As soon as one of them has left there is room again. */
	for (;;) {
		int fd = connect_to_control(&host);
		bool seated = recv(fd, &byte, 1, 0) >
			      0; /* a ping, which nobody gets whom nobody serves */

		close(fd);
		if (seated)
			break;
	}
	hand_open(&hand, &host, 1);
	hand_close(&hand);
	host_close(&host);
}

static void client__that_asks_for_too_many__is_refused_and_the_next_is_served(void **state)
{
	struct guest guest;
	struct host host;

	(void)state;
	host_plan(&host);
	host_open(&host);
	guest_plan(&guest, &host, (1 << 20) + 1);
	guest_run(&guest);
	assert_int_equal(guest.ret, -ECONNREFUSED);
	assert_int_equal(guest.result.n_rounds, 0);
	guest_free(&guest);
	assert_int_equal(host.reports, 0);
	guest_plan(&guest, &host, N);
	guest_run(&guest);
	assert_int_equal(guest.ret, 0);
	all_did_all(&guest.result);
	guest_free(&guest);
	host_close(&host);
}

static void client__that_begins_with_another_message__is_refused(void **state)
{
	struct control *control;
	struct host host;
	struct stop stop;
	json_t *message;

	(void)state;
	host_plan(&host);
	host_open(&host);
	assert_int_equal(stop_init(&stop), 0);
	assert_int_equal(control_connect("127.0.0.1", server_port(host.server), &stop, NULL,
					 clock_deadline_ns(5 * NS_PER_S), &control),
			 0);
	assert_int_equal(
		control_send(control, message_to_json(MESSAGE_FINISH), clock_deadline_ns(NS_PER_S)),
		0);
	assert_int_equal(control_receive(control, NULL, clock_deadline_ns(60 * NS_PER_S), &message),
			 0);
	assert_int_equal(message_type(message), MESSAGE_REFUSAL);
	json_decref(message);
	control_close(control);
	stop_free(&stop);
	host_close(&host);
	assert_int_equal(fake_counts().calls[FAKE_RDMA_ACCEPT], 0);
}

static void message__out_of_turn__ends_the_run(void **state)
{
	struct host host;
	struct hand hand;

	(void)state;
	host_plan(&host);
	host_open(&host);
	hand_open(&hand, &host, 1);
	hand_say(&hand, message_to_json(MESSAGE_RESULT));
	assert_int_equal(host_end(&host, 1), RUN_LOST);
	hand_close(&hand);
	host_close(&host);
}

/* ---- Clients that cannot run. */

static void client__without_a_server__is_no_run(void **state)
{
	struct control_listener *gone;
	struct host none = { .plan.no_control = true };
	struct guest guest;

	(void)state;
	guest_plan(&guest, &none, N);
	guest.target.control_host = "127.0.0.1";
	assert_int_equal(control_listen("127.0.0.1", 0, &gone), 0);
	guest.target.control_port = control_listener_port(gone);
	control_listener_close(gone);
	guest_run(&guest);
	assert_int_equal(guest.ret, -ECONNREFUSED);
	assert_int_equal(guest.result.n_rounds, 0);
	guest_free(&guest);
}

static void client__that_is_stopped_first__has_measured_nothing(void **state)
{
	struct guest guest;
	struct host host;

	(void)state;
	host_plan(&host);
	host_open(&host);
	guest_plan(&guest, &host, N);
	stop_set(&guest.stop, 2);
	guest_run(&guest);
	assert_int_equal(guest.ret, -ECANCELED);
	assert_int_equal(guest.result.n_rounds, 0);
	guest_free(&guest);
	host_close(&host);
	assert_int_equal(fake_counts().calls[FAKE_RDMA_RESOLVE_ADDR], 0);
}

/* The client's own device is missing, the server's is not; the session ends, too. */
static void client__without_a_channel__ends_its_session(void **state)
{
	struct guest guest;
	struct host host;

	(void)state;
	host_plan(&host);
	host_open(&host);
	fake_fail(FAKE_RDMA_CREATE_EVENT_CHANNEL, 2, ENODEV);
	guest_plan(&guest, &host, N);
	guest_run(&guest);
	assert_int_equal(guest.ret, -ENODEV);
	guest_free(&guest);
	assert_int_equal(host_end(&host, 1), RUN_LOST);
	host_close(&host);
}

static void client__of_a_server_without_a_listener_there__has_all_rejected(void **state)
{
	struct host none = { .plan.no_control = true };
	struct guest guest;

	(void)state;
	guest_plan(&guest, &none, N);
	guest_run(&guest);
	assert_int_equal(guest.ret, 0);
	assert_int_equal(failed_as(&guest.result, SIDE_CLIENT, N, STEP_CONNECT, EVENT_REJECTED), 8);
	client_adds_up(&guest.result);
	guest_free(&guest);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RUN_TEST(server__that_cannot_be_opened__holds_nothing),
		RUN_TEST(host__without_a_device__has_no_server),
		RUN_TEST(control_port__that_is_taken__leaves_no_server),
		RUN_TEST(listeners__beyond_the_first__take_free_ports),
		RUN_TEST(rdma_port__that_is_taken__is_another_and_the_client_is_told),
		RUN_TEST(strangers__on_the_control_port__keep_nobody_from_it),
		RUN_TEST(clients__more_than_there_are_seats__are_turned_away),
		RUN_TEST(client__that_asks_for_too_many__is_refused_and_the_next_is_served),
		RUN_TEST(client__that_begins_with_another_message__is_refused),
		RUN_TEST(message__out_of_turn__ends_the_run),
		RUN_TEST(client__without_a_server__is_no_run),
		RUN_TEST(client__that_is_stopped_first__has_measured_nothing),
		RUN_TEST(client__without_a_channel__ends_its_session),
		RUN_TEST(client__of_a_server_without_a_listener_there__has_all_rejected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
