// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* server - opens listeners, lets requests find their session, and gives each client's conversation
 * a thread. */
#include "run/server.h"

#include "cm/calls.h"
#include "cm/endpoint.h"
#include "control/control.h"
#include "core/ticket.h"
#include "host/clock.h"
#include "host/log.h"
#include "run/conversation.h"
#include "run/session.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- requests find their session: readers' threads ---- */

static struct session *find(struct server *server, uint64_t run)
{
	struct session *session = server->sessions;

	while (session && session->run != run)
		session = session->next;
	return session;
}

/* The lock keeps the session on the list until the claim is made. */
static struct conn *claim(struct server *server, const struct request *request)
{
	struct session *session = NULL;
	struct ticket ticket = { 0 };
	struct conn *conn = NULL;

	pthread_mutex_lock(&server->lock);
	while (server->anonymous_due)
		pthread_cond_wait(&server->presented, &server->lock);
	if (server->anonymous) {
		session = server->anonymous;
		ticket.index = atomic_load(&session->requests);
	} else if (!ticket_read(&ticket, request->data, request->data_len)) {
		session = find(server, ticket.run);
	}
	if (session)
		conn = session_claim(session, ticket.index, request);
	else
		atomic_fetch_add(&server->strangers, 1);
	pthread_mutex_unlock(&server->lock);
	return conn;
}

static void on_request(void *arg, const struct request *request)
{
	struct server *server = arg;
	struct conn *conn = claim(server, request);

	if (conn)
		acceptors_hand(&server->acceptors, conn);
	else
		call_reject(request->id);
}

void server_present(struct server *server, struct session *session)
{
	pthread_mutex_lock(&server->lock);
	server->anonymous = session;
	server->anonymous_due = false;
	pthread_mutex_unlock(&server->lock);
	pthread_cond_broadcast(&server->presented);
}

bool server_reserve(struct server *server, uint32_t connections)
{
	pthread_mutex_lock(&server->lock);
	bool fits = connections <= SERVER_CONNECTIONS - server->reserved;

	if (fits)
		server->reserved += connections;
	pthread_mutex_unlock(&server->lock);
	return fits;
}

void server_release(struct server *server, uint32_t connections)
{
	pthread_mutex_lock(&server->lock);
	server->reserved -= connections;
	pthread_mutex_unlock(&server->lock);
}

int server_admit(struct server *server, struct session *session)
{
	pthread_mutex_lock(&server->lock);
	bool is_new = !find(server, session->run);

	if (is_new) {
		session->next = server->sessions;
		server->sessions = session;
	}
	pthread_mutex_unlock(&server->lock);
	return is_new ? 0 : -EEXIST;
}

void server_ready(const struct server *server)
{
	log_info("serving on port %u", server_port(server));
}

static void quiesce(struct server *server)
{
	for (uint32_t i = 0; i < server->n_listeners; i++)
		channel_quiesce(&server->listeners[i].reaper.channel);
}

void server_dismiss(struct server *server, struct session *session)
{
	pthread_mutex_lock(&server->lock);
	for (struct session **link = &server->sessions; *link; link = &(*link)->next) {
		if (*link == session) {
			*link = session->next;
			break;
		}
	}
	pthread_mutex_unlock(&server->lock);
	quiesce(server);
}

void server_forget(struct server *server, struct session *session)
{
	session_destroy(session, false, EVENT_ABORTED);
	quiesce(server);
	acceptors_quiesce(&server->acceptors);
	session_close(session);
}

void server_report(struct server *server, const struct result *result, enum run_end end)
{
	pthread_mutex_lock(&server->reporting);
	if (server->reporter && result->n_rounds)
		server->reporter->report(server->reporter->arg, result);
	pthread_mutex_unlock(&server->reporting);
	atomic_store(&server->last_end, (int)end);
	if (end == RUN_INTERRUPTED)
		atomic_store(&server->interrupted, true);
	atomic_fetch_add(&server->runs, 1);
	if (server->plan->one_off)
		stop_set(&server->ending, STOP_DONE);
}

/* ---- clients on the control channel: a seat each ---- */

static void *serve_seat(void *arg)
{
	struct seat *seat = arg;

	conversation_hold(seat->server, seat->fd, &seat->stop);
	atomic_store_explicit(&seat->left, true, memory_order_release);
	return NULL;
}

static void clear_seat(struct seat *seat)
{
	pthread_join(seat->thread, NULL);
	stop_free(&seat->stop);
	seat->taken = false;
}

/* Clears the seats of those who have left; a free one, or NULL. */
static struct seat *find_seat(struct server *server)
{
	struct seat *free_seat = NULL;

	for (size_t i = 0; i < SERVER_SEATS; i++) {
		struct seat *seat = &server->seats[i];

		if (seat->taken && atomic_load_explicit(&seat->left, memory_order_acquire))
			clear_seat(seat);
		if (!seat->taken)
			free_seat = seat;
	}
	return free_seat;
}

static void seat_client(struct server *server, int fd)
{
	struct seat *seat = find_seat(server);
	int ret;

	if (!seat) {
		log_warn("a client was turned away: %u are being served", SERVER_SEATS);
		close(fd);
		return;
	}
	seat->server = server;
	seat->fd = fd;
	atomic_store(&seat->left, false);
	ret = stop_init_within(&seat->stop, &server->ending);
	if (!ret) {
		ret = -pthread_create(&seat->thread, NULL, serve_seat, seat);
		if (!ret) {
			seat->taken = true;
			return;
		}
		stop_free(&seat->stop);
	}
	log_error("cannot serve a client: %s", log_errno(ret));
	close(fd);
}

static int serve_clients(struct server *server)
{
	int ret, fd;

	server_ready(server);
	while (!(ret = control_accept(server->control, &server->ending, NEVER_NS, &fd)))
		seat_client(server, fd);
	return ret;
}

int server_serve(struct server *server)
{
	int ret = server->plan->no_control ? conversation_anonymous(server) : serve_clients(server);

	stop_set(&server->ending, STOP_DONE);
	for (size_t i = 0; i < SERVER_SEATS; i++) {
		if (server->seats[i].taken)
			clear_seat(&server->seats[i]);
	}
	return ret == -ECANCELED ? 0 : ret;
}

/* ---- beginning and end ---- */

static int listening_address(const struct plan *plan, struct sockaddr_storage *address)
{
	if (plan->bind)
		return endpoint_resolve(address, plan->bind, plan->port);
	*address = (struct sockaddr_storage){ .ss_family = AF_INET6 };
	endpoint_set_port(address, plan->port);
	return 0;
}

static int open_listeners(struct server *server)
{
	struct sockaddr_storage address;
	int ret = listening_address(server->plan, &address);

	if (ret)
		return ret;
	server->listeners = calloc(server->plan->listeners, sizeof(*server->listeners));
	if (!server->listeners) {
		log_error("out of memory for %u listeners", server->plan->listeners);
		return -ENOMEM;
	}
	while (server->n_listeners < server->plan->listeners) {
		ret = listener_open(&server->listeners[server->n_listeners], &address,
				    server->plan->no_control, on_request, server);
		if (ret)
			return ret;
		server->n_listeners++;
		endpoint_set_port(&address, 0);
	}
	return 0;
}

int server_open(struct server *server, const struct plan *plan, const struct reporter *reporter,
		struct stop *stop, const char *control_address)
{
	*server = (struct server){ .plan = plan,
				   .reporter = reporter,
				   .anonymous_due = plan->no_control };
	int ret = stop_init_within(&server->ending, stop);

	if (ret)
		return ret;
	pthread_mutex_init(&server->lock, NULL);
	pthread_mutex_init(&server->reporting, NULL);
	pthread_cond_init(&server->presented, NULL);
	ret = devices_init(&server->devices);
	if (!ret)
		ret = acceptors_start(&server->acceptors, plan->acceptors);
	if (!ret) {
		call_prepare_all(&server->devices);
		ret = open_listeners(server);
	}
	if (!ret && !plan->no_control)
		ret = control_listen(control_address ? control_address : plan->bind, plan->port,
				     &server->control);
	if (ret)
		server_close(server);
	return ret;
}

uint16_t server_port(const struct server *server)
{
	return server->control ? control_listener_port(server->control) : server->listeners[0].port;
}

void server_close(struct server *server)
{
	control_listener_close(server->control);
	server_present(server, NULL);
	for (uint32_t i = 0; i < server->n_listeners; i++)
		listener_close(&server->listeners[i]);
	free(server->listeners);
	acceptors_stop(&server->acceptors);
	devices_close(&server->devices);
	pthread_cond_destroy(&server->presented);
	pthread_mutex_destroy(&server->reporting);
	pthread_mutex_destroy(&server->lock);
	stop_free(&server->ending);
}
