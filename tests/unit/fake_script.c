// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * fake_script - what the test asked for, and the books: rules, configuration, counts, the checks at
 * teardown.
 *
 * Rules and configuration are set before threads start; the books are under the fake's lock. Owns
 * the default options of ThreadSanitizer, too: io_sync=0, as descriptors are to order nothing
 * either.
 */
#include "fake_kernel.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum what {
	WHAT_FAIL,
	WHAT_SLOW,
	WHAT_LINGER,
	WHAT_DROP,
	WHAT_LATE,
	WHAT_TWICE,
	WHAT_REPLACE,
	WHAT_FOLLOW
};

/* Calls and events in one row of subjects: calls first, then events of each side. */
enum { SUBJECTS = FAKE_CALLS + FAKE_SIDES * FAKE_EVENTS, RULES = 128 };

struct rule {
	int subject, nth;
	enum what what;
	int error; /* or status */
	uint64_t ns;
	enum rdma_cm_event_type event;
};

static struct rule rules[RULES];
static int n_rules;
static uint32_t counts[SUBJECTS];
static struct fake_try *tries;
static size_t n_tries, room_for_tries;

struct fake_counts fake_books;
struct fake_config fake_config;

static const struct fake_config defaults = {
	.max_qp = 1 << 20,
	.max_cq = 1 << 20,
	.max_pd = 1 << 20,
	.max_cqe = 1 << 15,
	.max_qp_wr = 1 << 20,
	.max_backlog = 1024,
	.port_first = 32768,
	.port_last = 60999,
	.unreachable_ns = 2000000000,
	.dreq_timeout_ns = 2000000000,
	.panic_ns = 10000000000,
	.stale_errno = EXDEV,
	.transport = IBV_TRANSPORT_IB,
	.link_layer = IBV_LINK_LAYER_ETHERNET,
};

const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
	return "io_sync=0:halt_on_error=0:exitcode=66";
}

/* The configuration holds before main(), for tests that never reset. */
__attribute__((constructor)) static void script_defaults(void)
{
	fake_config = defaults;
}

static int subject_of(enum fake_side side, enum rdma_cm_event_type event)
{
	if (side == FAKE_CLIENT && event == RDMA_CM_EVENT_CONNECT_RESPONSE)
		event = RDMA_CM_EVENT_ESTABLISHED;
	return FAKE_CALLS + (int)side * FAKE_EVENTS + (int)event;
}

static void rule_add(struct rule rule)
{
	if (n_rules == RULES)
		fake_panic("more than %d rules", RULES);
	rules[n_rules++] = rule;
}

static bool nth_is(int nth, uint32_t n)
{
	if (nth >= FAKE_FROM(0))
		return n >= (uint32_t)(nth - FAKE_FROM(0));
	if (nth < 0)
		return n % (uint32_t)-nth == 0;
	return nth == FAKE_EACH || n == (uint32_t)nth;
}

static void rule_apply(const struct rule *rule, struct verdict *v, uint64_t *slow_ns)
{
	switch (rule->what) {
	case WHAT_FAIL:
		v->fail = true;
		v->error = rule->error;
		break;
	case WHAT_SLOW:
		*slow_ns += rule->ns;
		break;
	case WHAT_LINGER:
		v->linger_ns += rule->ns;
		break;
	case WHAT_DROP:
		v->drop = true;
		break;
	case WHAT_LATE:
		v->late_ns += rule->ns;
		break;
	case WHAT_TWICE:
		v->twice = true;
		break;
	case WHAT_REPLACE:
		v->replace = true;
		v->by = rule->event;
		v->by_status = rule->error;
		break;
	case WHAT_FOLLOW:
		v->follow = true;
		v->then = rule->event;
		v->then_status = rule->error;
		v->follow_ns = rule->ns;
		break;
	}
}

static struct verdict judge(int subject, uint64_t *slow_ns)
{
	struct verdict v = { 0 };
	uint32_t n = ++counts[subject];

	for (int i = 0; i < n_rules; i++)
		if (rules[i].subject == subject && nth_is(rules[i].nth, n))
			rule_apply(&rules[i], &v, slow_ns);
	return v;
}

struct verdict script_call(enum fake_call call)
{
	uint64_t slow_ns = 0;
	struct verdict v;

	fake_lock();
	v = judge((int)call, &slow_ns);
	fake_books.calls[call]++;
	fake_unlock();
	fake_sleep(slow_ns);
	return v;
}

struct verdict script_event(enum fake_side side, enum rdma_cm_event_type type)
{
	uint64_t none = 0;

	fake_books.events[side][type]++;
	return judge(subject_of(side, type), &none);
}

void script_linger(const struct verdict *v)
{
	kernel_start();
	fake_sleep(v->linger_ns);
}

int script_ok(void)
{
	kernel_start();
	if (fake_config.stale_errno)
		errno = fake_config.stale_errno;
	return 0;
}

int script_fail(int error)
{
	if (error)
		errno = error;
	return -1;
}

#define CALL_RULE(what_, ...)                                                                      \
	rule_add((struct rule){ .subject = (int)call, .nth = nth, .what = (what_), __VA_ARGS__ })
#define EVENT_RULE(what_, ...)                                                                     \
	rule_add((struct rule){                                                                    \
		.subject = subject_of(side, event), .nth = nth, .what = (what_), __VA_ARGS__ })

void fake_fail(enum fake_call call, int nth, int error)
{
	CALL_RULE(WHAT_FAIL, .error = error);
}

void fake_slow(enum fake_call call, int nth, uint64_t ns)
{
	CALL_RULE(WHAT_SLOW, .ns = ns);
}

void fake_linger(enum fake_call call, int nth, uint64_t ns)
{
	CALL_RULE(WHAT_LINGER, .ns = ns);
}

void fake_answer_drop(enum fake_call call, int nth)
{
	CALL_RULE(WHAT_DROP, .ns = 0);
}

void fake_answer(enum fake_call call, int nth, enum rdma_cm_event_type event, int status)
{
	CALL_RULE(WHAT_REPLACE, .event = event, .error = status);
}

void fake_answer_late(enum fake_call call, int nth, uint64_t ns)
{
	CALL_RULE(WHAT_LATE, .ns = ns);
}

void fake_answer_twice(enum fake_call call, int nth)
{
	CALL_RULE(WHAT_TWICE, .ns = 0);
}

void fake_event_drop(enum fake_side side, enum rdma_cm_event_type event, int nth)
{
	EVENT_RULE(WHAT_DROP, .ns = 0);
}

void fake_event_late(enum fake_side side, enum rdma_cm_event_type event, int nth, uint64_t ns)
{
	EVENT_RULE(WHAT_LATE, .ns = ns);
}

void fake_event_twice(enum fake_side side, enum rdma_cm_event_type event, int nth)
{
	EVENT_RULE(WHAT_TWICE, .ns = 0);
}

void fake_event_replace(enum fake_side side, enum rdma_cm_event_type event, int nth,
			enum rdma_cm_event_type by, int status)
{
	EVENT_RULE(WHAT_REPLACE, .event = by, .error = status);
}

void fake_event_follow(enum fake_side side, enum rdma_cm_event_type event, int nth,
		       enum rdma_cm_event_type then, int status, uint64_t after_ns)
{
	EVENT_RULE(WHAT_FOLLOW, .event = then, .error = status, .ns = after_ns);
}

void script_record_try(const struct fake_id *fid, const struct sockaddr *src,
		       const struct sockaddr *dst, int timeout_ms)
{
	struct fake_try *try;

	if (n_tries == room_for_tries) {
		room_for_tries = room_for_tries ? 2 * room_for_tries : 64;
		tries = realloc(tries, room_for_tries * sizeof *tries);
		if (!tries)
			fake_panic("no memory for tries");
	}
	try = &tries[n_tries++];
	memset(try, 0, sizeof *try);
	try->id = fid->serial;
	try->timeout_ms = timeout_ms;
	if (src)
		memcpy(&try->src, src,
		       src->sa_family == AF_INET ? sizeof(struct sockaddr_in)
						 : sizeof(struct sockaddr_in6));
	memcpy(&try->dst, dst,
	       dst->sa_family == AF_INET ? sizeof(struct sockaddr_in)
					 : sizeof(struct sockaddr_in6));
}

bool fake_try_at(size_t i, struct fake_try *try)
{
	bool found;

	fake_lock();
	found = i < n_tries;
	if (found)
		*try = tries[i];
	fake_unlock();
	return found;
}

void fake_fault(const char *format, ...)
{
	va_list args;

	fake_books.faults++;
	va_start(args, format);
	fputs("fake: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
}

void fake_panic(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fputs("fake: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
	abort();
}

struct fake_counts fake_counts(void)
{
	struct fake_counts c;

	fake_lock();
	c = fake_books;
	fake_unlock();
	return c;
}

static int check_pair(const char *what, uint32_t made, uint32_t freed)
{
	if (made == freed)
		return 0;
	fprintf(stderr, "fake: %u %s %u\n", made, what, freed);
	return 1;
}

int fake_check(void)
{
	struct fake_counts c = fake_counts();

	return check_pair("events read, but acked", c.gets, c.acks) +
	       check_pair("event channels made, but destroyed", c.channels.made, c.channels.freed) +
	       check_pair("ids made, but destroyed", c.ids.made, c.ids.freed) +
	       check_pair("QPs made, but destroyed", c.qps.made, c.qps.freed) +
	       check_pair("PDs made, but freed", c.pds.made, c.pds.freed) +
	       check_pair("CQs made, but destroyed", c.cqs.made, c.cqs.freed) + (int)c.faults;
}

void fake_reset(void)
{
	kernel_stop();
	fake_lock();
	kernel_reset();
	wire_reset();
	verbs_reset();
	free(tries);
	tries = NULL;
	n_tries = room_for_tries = 0;
	n_rules = 0;
	memset(counts, 0, sizeof counts);
	memset(&fake_books, 0, sizeof fake_books);
	fake_config = defaults;
	fake_unlock();
}

int fake_setup(void **state)
{
	(void)state;
	fake_reset();
	return 0;
}

int fake_teardown(void **state)
{
	int faults = fake_check();

	(void)state;
	fake_reset();
	return faults ? -1 : 0;
}
