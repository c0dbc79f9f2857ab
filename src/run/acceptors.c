// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* acceptors - a queue under a lock, and the threads that empty it. */
#include "run/acceptors.h"

#include "cm/conn.h"
#include "host/log.h"

#include <errno.h>
#include <stdlib.h>

static struct conn *take(struct acceptors *acceptors)
{
	pthread_mutex_lock(&acceptors->lock);
	while (!acceptors->first && !acceptors->ending)
		pthread_cond_wait(&acceptors->filled, &acceptors->lock);
	struct conn *conn = acceptors->first;

	if (conn) {
		acceptors->first = conn->next;
		if (!acceptors->first)
			acceptors->last = &acceptors->first;
	}
	pthread_mutex_unlock(&acceptors->lock);
	return conn;
}

static void *accept_all(void *arg)
{
	struct acceptor *acceptor = arg;
	struct conn *conn;

	while ((conn = take(acceptor->all))) {
		pthread_mutex_lock(&acceptor->serving);
		conn_post(conn, MAIL_REQUEST, NULL);
		pthread_mutex_unlock(&acceptor->serving);
	}
	return NULL;
}

static int start_one(struct acceptors *acceptors, struct acceptor *acceptor)
{
	acceptor->all = acceptors;
	int ret = -pthread_mutex_init(&acceptor->serving, NULL);

	if (ret)
		return ret;
	ret = -pthread_create(&acceptor->thread, NULL, accept_all, acceptor);
	if (ret)
		pthread_mutex_destroy(&acceptor->serving);
	return ret;
}

int acceptors_start(struct acceptors *acceptors, uint32_t threads)
{
	*acceptors = (struct acceptors){ 0 };
	acceptors->last = &acceptors->first;
	if (threads <= 1)
		return 0;
	pthread_mutex_init(&acceptors->lock, NULL);
	pthread_cond_init(&acceptors->filled, NULL);
	acceptors->each = calloc(threads, sizeof(*acceptors->each));
	int ret = acceptors->each ? 0 : -ENOMEM;

	while (!ret && acceptors->n < threads) {
		ret = start_one(acceptors, &acceptors->each[acceptors->n]);
		if (!ret)
			acceptors->n++;
	}
	if (ret) {
		log_error("cannot start %u acceptor threads: %s", threads, log_errno(ret));
		acceptors_stop(acceptors);
	}
	return ret;
}

void acceptors_hand(struct acceptors *acceptors, struct conn *conn)
{
	if (!acceptors->n) {
		conn_post(conn, MAIL_REQUEST, NULL);
		return;
	}
	conn->next = NULL;
	pthread_mutex_lock(&acceptors->lock);
	*acceptors->last = conn;
	acceptors->last = &conn->next;
	pthread_mutex_unlock(&acceptors->lock);
	pthread_cond_signal(&acceptors->filled);
}

void acceptors_quiesce(struct acceptors *acceptors)
{
	for (uint32_t i = 0; i < acceptors->n; i++) {
		pthread_mutex_lock(&acceptors->each[i].serving);
		pthread_mutex_unlock(&acceptors->each[i].serving);
	}
}

void acceptors_stop(struct acceptors *acceptors)
{
	if (!acceptors->each)
		return;
	pthread_mutex_lock(&acceptors->lock);
	acceptors->ending = true;
	pthread_mutex_unlock(&acceptors->lock);
	pthread_cond_broadcast(&acceptors->filled);
	for (uint32_t i = 0; i < acceptors->n; i++) {
		pthread_join(acceptors->each[i].thread, NULL);
		pthread_mutex_destroy(&acceptors->each[i].serving);
	}
	pthread_cond_destroy(&acceptors->filled);
	pthread_mutex_destroy(&acceptors->lock);
	free(acceptors->each);
	*acceptors = (struct acceptors){ 0 };
}
