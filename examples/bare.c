/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * bare - the RDMA connection manager in a hundred lines: the fewest calls that set up and tear down
 *N connections.
 *
 *	bare ADDR N WINDOW
 *
 * Forks; the child is the server, the parent the client. Each has one thread, one event channel and
 *a blocking rdma_get_cm_event(3). No connection is timed singly, so what this needs is what
 *librdmacm and the kernel cost: the floor under cmtime's figures. Prints each step's total in ms,
 *and connect per connection in us.
 */
#include <arpa/inet.h>
#include <rdma/rdma_cma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static struct rdma_event_channel *channel; /* where all ids of this process get their events */
static struct sockaddr_in server_addr = { .sin_family = AF_INET };
static struct rdma_conn_param conn_param = { .responder_resources = 1,
					     .initiator_depth = 1,
					     .retry_count = 7 };

static void check(int failed, const char *what)
{
	if (failed) {
		perror(what);
		exit(1);
	}
}

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* A queue pair belongs to a device, which an id has once its address is resolved, or from the start
 * at a server. */
static void create_qp(struct rdma_cm_id *id)
{
	static struct ibv_pd *pd; /* shared by all queue pairs, as is the completion queue */
	static struct ibv_cq *cq;

	if (!pd) {
		check(!(pd = ibv_alloc_pd(id->verbs)), "ibv_alloc_pd");
		check(!(cq = ibv_create_cq(id->verbs, 1, NULL, NULL, 0)), "ibv_create_cq");
	}
	struct ibv_qp_init_attr attr = { .qp_type = IBV_QPT_RC, .send_cq = cq, .recv_cq = cq };

	attr.cap.max_send_wr = attr.cap.max_recv_wr = attr.cap.max_send_sge =
		attr.cap.max_recv_sge = 1;
	check(rdma_create_qp(id, pd, &attr), "rdma_create_qp");
}

/* Blocks for the next event. It is acked at once: rdma_destroy_id(3) waits until all events of its
 * id are. */
static enum rdma_cm_event_type next_event(struct rdma_cm_id **id)
{
	struct rdma_cm_event *event;

	check(rdma_get_cm_event(channel, &event), "rdma_get_cm_event");
	enum rdma_cm_event_type type = event->event;

	*id = event->id;
	rdma_ack_cm_event(event);
	return type;
}

/* A connection request comes with an id of its own; accepting it moves its queue pair to "ready to
 * send". */
static void serve(int n, int tell, int told)
{
	struct rdma_cm_id *listener, *id, **ids = calloc((size_t)n, sizeof(*ids));
	char byte = 0;
	int disconnected = 0;

	check(!(channel = rdma_create_event_channel()), "rdma_create_event_channel");
	check(rdma_create_id(channel, &listener, NULL, RDMA_PS_TCP), "rdma_create_id");
	check(rdma_bind_addr(listener, (struct sockaddr *)&server_addr), "rdma_bind_addr");
	check(rdma_listen(listener, 0),
	      "rdma_listen"); /* 0: the longest backlog the kernel allows */
	check(write(tell, &byte, 1) != 1, "write");
	while (disconnected < n) {
		enum rdma_cm_event_type type = next_event(&id);

		if (type == RDMA_CM_EVENT_CONNECT_REQUEST) {
			create_qp(id);
			check(rdma_accept(id, &conn_param), "rdma_accept");
		} else if (type == RDMA_CM_EVENT_DISCONNECTED) {
			check(rdma_disconnect(id), "rdma_disconnect"); /* our half of it */
			ids[disconnected++] = id;
		} /* else ESTABLISHED, or TIMEWAIT_EXIT 2 s after a disconnect: nothing to do */
	}
	check(write(tell, &byte, 1) != 1 || read(told, &byte, 1) != 1, "pipe");
	for (int i = 0; i < n; i++) {
		rdma_destroy_qp(ids[i]);
		rdma_destroy_id(ids[i]);
	}
	exit(0);
}

/* The client's calls return at once; that they are done is told by an event. */
static int resolve_addr(struct rdma_cm_id *id)
{
	return rdma_resolve_addr(id, NULL, (struct sockaddr *)&server_addr, 2000);
}

static int resolve_route(struct rdma_cm_id *id)
{
	return rdma_resolve_route(id, 2000);
}

static int connect_id(struct rdma_cm_id *id)
{
	return rdma_connect(id, &conn_param);
}

/* Makes a call for every id, with at most window of them unanswered: more would only wait in the
 * server's backlog. */
static void call_all(struct rdma_cm_id **ids, int n, int window, int (*call)(struct rdma_cm_id *),
		     enum rdma_cm_event_type answer)
{
	struct rdma_cm_id *id;

	for (int called = 0, answered = 0; answered < n;) {
		for (; called < n && called - answered < window; called++)
			check(call(ids[called]), "call");
		enum rdma_cm_event_type type = next_event(&id);

		if (type == answer)
			answered++;
		else if (type != RDMA_CM_EVENT_TIMEWAIT_EXIT)
			check(1, rdma_event_str(type));
	}
}

int main(int argc, char **argv)
{
	int n = argc == 4 ? atoi(argv[2]) : 0, window = argc == 4 ? atoi(argv[3]) : 0, told[2],
	    tell[2];
	struct rdma_cm_id **ids = calloc((size_t)(n > 0 ? n : 1), sizeof(*ids));
	double t[8];
	char byte = 0;

	if (n < 1 || window < 1 || inet_pton(AF_INET, argv[1], &server_addr.sin_addr) != 1) {
		fprintf(stderr, "usage: bare ADDR N WINDOW\n");
		return 2;
	}
	server_addr.sin_port = htons(7998);
	check(!ids || pipe(told) || pipe(tell), "set-up");
	if (!fork())
		serve(n, told[1], tell[0]);
	close(told[1]); /* so that the server's end is heard of */
	check(!(channel = rdma_create_event_channel()), "rdma_create_event_channel");
	check(read(told[0], &byte, 1) != 1, "the server did not start"); /* it listens */

	t[0] = now_ms();
	for (int i = 0; i < n; i++)
		check(rdma_create_id(channel, &ids[i], NULL, RDMA_PS_TCP), "rdma_create_id");
	t[1] = now_ms();
	call_all(ids, n, window, resolve_addr, RDMA_CM_EVENT_ADDR_RESOLVED);
	t[2] = now_ms();
	call_all(ids, n, window, resolve_route, RDMA_CM_EVENT_ROUTE_RESOLVED);
	t[3] = now_ms();
	for (int i = 0; i < n; i++)
		create_qp(ids[i]);
	t[4] = now_ms();
	call_all(ids, n, window, connect_id, RDMA_CM_EVENT_ESTABLISHED);
	t[5] = now_ms();
	call_all(ids, n, window, rdma_disconnect, RDMA_CM_EVENT_DISCONNECTED);
	t[6] = now_ms();
	check(read(told[0], &byte, 1) != 1,
	      "the server died"); /* it, too, has seen every disconnect */
	check(write(tell[1], &byte, 1) != 1, "write");
	for (int i = 0; i < n; i++) {
		rdma_destroy_qp(ids[i]);
		rdma_destroy_id(ids[i]);
	}
	wait(NULL);
	t[7] = now_ms();
	printf("bare %d window %d: create_id %.1f resolve_addr %.1f resolve_route %.1f create_qp "
	       "%.1f connect %.1f "
	       "disconnect %.1f destroy(both) %.1f us/connect %.1f\n",
	       n, window, t[1] - t[0], t[2] - t[1], t[3] - t[2], t[4] - t[3], t[5] - t[4],
	       t[6] - t[5], t[7] - t[6], (t[5] - t[4]) * 1e3 / n);
	return 0;
}
