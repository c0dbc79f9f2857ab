// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * fake_kernel - the channels' queues, and a thread for what comes late.
 *
 * An event is queued by the thread whose call caused it, before that call returns (the hardest
 * race); or, when the script delays it, by the fake's own "kernel" thread. Everything here is under
 * the fake's lock.
 */
#include "fake_kernel.h"

#include "host/clock.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct fake_nodes late = TAILQ_HEAD_INITIALIZER(late); /* by due_ns */
static uint32_t kicks; /* counted up when work for the thread is added */
static bool wanted, running, stopping;
static pthread_t thread;
static TAILQ_HEAD(, fake_channel) channels = TAILQ_HEAD_INITIALIZER(channels);

struct fake_node *node_new(struct fake_id *owner, enum rdma_cm_event_type type, int status)
{
	struct fake_node *node = calloc(1, sizeof *node);

	if (!node)
		fake_panic("no memory for an event");
	node->owner = owner;
	node->type = type;
	node->status = status;
	return node;
}

void node_data(struct fake_node *node, const void *data, uint8_t len, uint8_t padded)
{
	if (len)
		memcpy(node->data, data, len);
	node->data_len = padded;
}

/* The channel's descriptor is an eventfd that holds 1 while the queue holds anything: set and
 * cleared under the lock alone, by raw system calls, so that TSan knows nothing of it. */
static void channel_signal(struct fake_channel *channel, bool readable)
{
	uint64_t one = 1;
	long n;

	if (readable)
		n = syscall(SYS_write, channel->channel.fd, &one, sizeof one);
	else
		n = syscall(SYS_read, channel->channel.fd, &one, sizeof one);
	if (n != sizeof one)
		fake_fault("a channel's descriptor was closed, read or written by others");
}

void kernel_add(struct fake_channel *channel)
{
	TAILQ_INIT(&channel->queue);
	TAILQ_INSERT_TAIL(&channels, channel, all);
}

void kernel_remove(struct fake_channel *channel)
{
	TAILQ_REMOVE(&channels, channel, all);
	syscall(SYS_close, channel->channel.fd);
}

static void enqueue(struct fake_node *node)
{
	struct fake_channel *channel = fake_channel_of(node->owner->id.channel);

	if (TAILQ_EMPTY(&channel->queue))
		channel_signal(channel, true);
	TAILQ_INSERT_TAIL(&channel->queue, node, link);
	if (channel->sleepers)
		fake_wake(&channel->arrivals);
}

static void dequeue(struct fake_channel *channel, struct fake_node *node)
{
	TAILQ_REMOVE(&channel->queue, node, link);
	if (TAILQ_EMPTY(&channel->queue))
		channel_signal(channel, false);
}

void kernel_asked(struct fake_id *fid)
{
	if (fid->side != FAKE_CLIENT || fid->in_flight)
		return;
	fid->in_flight = true;
	if (++fake_books.in_flight > fake_books.most_in_flight)
		fake_books.most_in_flight = fake_books.in_flight;
}

void kernel_heard(struct fake_id *fid)
{
	fake_books.in_flight -= fid->in_flight;
	fid->in_flight = false;
}

struct fake_node *kernel_pop(struct fake_channel *channel)
{
	struct fake_node *node = TAILQ_FIRST(&channel->queue);

	if (!node)
		return NULL;
	dequeue(channel, node);
	node->owner->underway--;
	node->owner->reported++;
	kernel_heard(node->owner);
	if (node->request)
		node->owner->backlog++;
	return node;
}

void kernel_schedule(struct fake_node *node, uint64_t after_ns)
{
	struct fake_node *before;

	node->owner->underway++;
	if (!after_ns && node->work == WORK_EVENT) {
		enqueue(node);
		return;
	}
	node->due_ns = clock_deadline_ns(after_ns);
	TAILQ_FOREACH_REVERSE(before, &late, fake_nodes, link)
	{
		if (before->due_ns <= node->due_ns)
			break;
	}
	if (before)
		TAILQ_INSERT_AFTER(&late, before, node, link);
	else
		TAILQ_INSERT_HEAD(&late, node, link);
	wanted = true;
	fake_wake(&kicks);
}

static struct fake_node *node_again(const struct fake_node *node)
{
	struct fake_node *copy = node_new(node->owner, node->type, node->status);

	memcpy(copy->data, node->data, sizeof copy->data);
	copy->data_len = node->data_len;
	copy->raw = true;
	if (copy->type == RDMA_CM_EVENT_CONNECT_RESPONSE && copy->owner->id.qp)
		copy->type = RDMA_CM_EVENT_ESTABLISHED;
	return copy;
}

void kernel_follow(struct fake_id *fid, const struct verdict *v, uint64_t after_ns)
{
	struct fake_node *node;

	if (!v->follow)
		return;
	node = node_new(fid, v->then, v->then_status);
	node->raw = true;
	wire_unasked(fid, v->then);
	kernel_schedule(node, after_ns + v->follow_ns);
}

static void node_drop(struct fake_node *node)
{
	if (node->request) {
		node->owner->backlog++;
		if (node->request->peer)
			node->request->peer->peer = NULL;
		id_forget(node->request);
		free(node->request);
	}
	free(node);
}

/* The event's own rules, and what the script said about the call that it answers. */
static void post(struct fake_node *node, const struct verdict *answer)
{
	struct fake_id *fid = node->owner;
	enum fake_side side = node->type == RDMA_CM_EVENT_CONNECT_REQUEST ? FAKE_SERVER : fid->side;
	struct verdict v = script_event(side, node->type);
	uint64_t late_ns = v.late_ns + answer->late_ns;
	bool twice = v.twice || answer->twice,
	     is_rep = node->type == RDMA_CM_EVENT_CONNECT_RESPONSE;

	if (!late_ns)
		late_ns = fake_config.kernel_ns;
	if (v.drop || answer->drop) {
		node_drop(node);
		return;
	}
	if (v.replace || answer->replace) {
		node->type = v.replace ? v.by : answer->by;
		node->status = v.replace ? v.by_status : answer->by_status;
		node->raw = true;
	}
	if (twice && !node->request) {
		struct fake_node *copy = node_again(node);

		kernel_schedule(node, late_ns);
		kernel_schedule(copy, late_ns);
	} else {
		kernel_schedule(node, late_ns);
	}
	if (is_rep && !node->raw)
		fid->on_rtu = v;
	else
		kernel_follow(fid, &v, late_ns);
}

void kernel_post(struct fake_node *node)
{
	static const struct verdict none;

	post(node, &none);
}

void kernel_answer(struct fake_node *node)
{
	struct verdict answer = node->owner->answer;

	memset(&node->owner->answer, 0, sizeof answer);
	post(node, &answer);
}

static void take_back(struct fake_node *node)
{
	node->owner->underway--;
	if (node->work == WORK_EVENT)
		fake_books.discarded++;
	if (node->request) {
		wire_destroy(node->request);
		id_forget(node->request);
		free(node->request);
	}
	free(node);
}

void kernel_purge(struct fake_id *fid)
{
	struct fake_channel *channel = fake_channel_of(fid->id.channel);
	struct fake_node *node, *next;

	for (node = TAILQ_FIRST(&channel->queue); node && fid->underway; node = next) {
		next = TAILQ_NEXT(node, link);
		if (node->owner != fid)
			continue;
		dequeue(channel, node);
		take_back(node);
		/* Taking back a request tells its client, whose events may be queued here: look
		 * again. */
		next = TAILQ_FIRST(&channel->queue);
	}
	for (node = TAILQ_FIRST(&late); node && fid->underway; node = next) {
		next = TAILQ_NEXT(node, link);
		if (node->owner != fid)
			continue;
		TAILQ_REMOVE(&late, node, link);
		take_back(node);
		next = TAILQ_FIRST(&late);
	}
}

void kernel_move(struct fake_id *fid, struct fake_channel *to)
{
	struct fake_channel *from = fake_channel_of(fid->id.channel);
	struct fake_node *node, *next;

	from->ids--;
	to->ids++;
	fid->id.channel = &to->channel;
	for (node = TAILQ_FIRST(&from->queue); node; node = next) {
		next = TAILQ_NEXT(node, link);
		if (node->owner != fid)
			continue;
		dequeue(from, node);
		enqueue(node);
	}
}

/* Does what is due; how long until the next is. */
static uint64_t run_late(void)
{
	struct fake_node *node;
	uint64_t now_ns;

	while ((node = TAILQ_FIRST(&late))) {
		now_ns = clock_now_ns();
		if (node->due_ns > now_ns)
			return node->due_ns - now_ns;
		TAILQ_REMOVE(&late, node, link);
		if (node->work == WORK_EVENT) {
			enqueue(node);
		} else {
			node->owner->underway--;
			wire_late(node);
			free(node);
		}
	}
	return UINT64_MAX;
}

static void *kernel_main(void *unused)
{
	(void)unused;
	fake_lock();
	while (!stopping) {
		uint32_t seen = kicks;
		uint64_t next_ns = run_late();

		fake_unlock();
		fake_wait(&kicks, seen, next_ns);
		fake_lock();
	}
	fake_unlock();
	return NULL;
}

void kernel_start(void)
{
	sigset_t all, before;
	bool go;

	if (!wanted || running)
		return;
	fake_lock();
	go = wanted && !running;
	running = running || go;
	fake_unlock();
	if (!go)
		return;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	if (pthread_create(&thread, NULL, kernel_main, NULL))
		fake_panic("no thread");
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void kernel_stop(void)
{
	struct fake_node *node;
	bool was;

	fake_lock();
	stopping = true;
	was = running;
	fake_wake(&kicks);
	fake_unlock();
	if (was)
		pthread_join(thread, NULL);
	fake_lock();
	while ((node = TAILQ_FIRST(&late))) {
		TAILQ_REMOVE(&late, node, link);
		free(node);
	}
	wanted = running = stopping = false;
	fake_unlock();
}

void kernel_reset(void)
{
	struct fake_channel *channel;
	struct fake_node *node;

	while ((channel = TAILQ_FIRST(&channels))) {
		kernel_remove(channel);
		while ((node = TAILQ_FIRST(&channel->queue))) {
			TAILQ_REMOVE(&channel->queue, node, link);
			free(node);
		}
		free(channel);
	}
}
