// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * cmtrace - one instance from mkdir to rmdir: what is traced, how much room it gets, how it is
 * read.
 *
 * Main of a client, a session of a server. From tracefs to the timeline's details.
 */
#include "host/cmtrace.h"

#include "core/match.h"
#include "host/log.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <threads.h>
#include <tracefs.h>
#include <unistd.h>

#define SYSTEM	"rdma_cma"
#define HANDLER "cm_event_handler"
#define NAME	"cmtime-"

/* cm_event_handler's "event": rdma_cm_event_type, part of the kernel's ABI. */
enum { ANY = -1, CONNECT_REQUEST = 4, CONNECT_RESPONSE = 5, ESTABLISHED = 9, DISCONNECTED = 10 };

/*
 * Where each stamp comes from. The kernel traces an event twice, before and after it is queued
 * (cm_event_done); by the second the application may have read it already. cm_req_handler has the
 * listener's id, cm_sent_dreq comes after the send, and so perhaps after the answer: cm_disconnect.
 */
static const struct source {
	const char *event;
	int kind;
	enum kernel_stamp stamp;
	bool of[SIDES];
} sources[] = {
	{ "cm_send_req", ANY, KERNEL_REQ_SENT, { true, false } },
	{ HANDLER, CONNECT_REQUEST, KERNEL_REQUEST_QUEUED, { false, true } },
	{ "cm_send_rep", ANY, KERNEL_REP_SENT, { false, true } },
	{ HANDLER, CONNECT_RESPONSE, KERNEL_RESPONSE_QUEUED, { true, false } },
	{ "cm_send_rtu", ANY, KERNEL_RTU_SENT, { true, false } },
	{ HANDLER, ESTABLISHED, KERNEL_ESTABLISHED, { true, true } },
	{ "cm_disconnect", ANY, KERNEL_DREQ_SENT, { true, true } },
	{ HANDLER, DISCONNECTED, KERNEL_DISCONNECTED, { true, true } },
};

enum { SOURCES = sizeof(sources) / sizeof(*sources) };

/*
 * Room: an event is at most 88 bytes and a header of 8; a client sees up to eight a connection when
 * the server is on the same host (five of its own, three of the server's), a server seven. A few
 * more for others. The CM's work may all be done by one processor, so each gets room for all, while
 * there is memory: all of them together an eighth of the machine's.
 */
enum { EVENT_BYTES = 96, EVENTS_A_CONNECTION = 10, LEAST_KB = 64, PART_OF_MEMORY = 8 };

struct cmtrace {
	enum side side;
	struct tracefs_instance *instance;
	struct tep_handle *tep;
	int markers[2]; /* the top level's, and ours: keeps others from removing the instance */
	struct {
		const struct tep_event *event; /* owned by tep; NULL: not traced */
		struct tep_format_field *own, *peer, *kind;
	} known[SOURCES];
};

/* ---- opening ---- */

/* The one warning, after which the run goes on. Returns the error, negative. */
static int without(int error, const char *what, const char *hint)
{
	log_warn("no kernel trace: %s: %s%s", what, log_errno(error), hint);
	return -abs(error);
}

/* Looking for tracefs costs some bytes that libtracefs 1.6 never frees: a server looks once. */
static atomic_bool is_mounted;

/* libtracefs keeps the folder it found; and what it has to say to stderr, we say better. */
static void prepare_library(void)
{
	tracefs_set_loglevel(TEP_LOG_NONE);
	if (tracefs_tracing_dir_is_mounted(false, NULL) > 0) {
		tracefs_tracing_dir();
		atomic_store(&is_mounted, true);
	}
}

/* Ours, and of a process that is no more. One that is in use cannot be removed, whatever its
 * name. */
static int remove_stale(const char *name, void *arg)
{
	(void)arg;
	if (strncmp(name, NAME, strlen(NAME)))
		return 0;
	long pid = strtol(name + strlen(NAME), NULL, 10);

	if (pid <= 0 || pid == getpid() || !kill((pid_t)pid, 0) || errno != ESRCH)
		return 0;
	struct tracefs_instance *stale = tracefs_instance_alloc(NULL, name);

	if (stale && !tracefs_instance_destroy(stale))
		log_info("removed the trace instance %s, left behind", name);
	tracefs_instance_free(stale);
	return 0;
}

static int make_instance(struct cmtrace *trace)
{
	static atomic_uint made;
	char name[64];

	/* libtracefs would mount it. */
	if (!atomic_load(&is_mounted) && tracefs_tracing_dir_is_mounted(false, NULL) <= 0) {
		log_warn("no kernel trace: tracefs is not mounted (mount -t tracefs nodev "
			 "/sys/kernel/tracing)");
		return -ENODEV;
	}
	tracefs_instances_walk(remove_stale, NULL);
	snprintf(name, sizeof(name), NAME "%ld-%u", (long)getpid(), atomic_fetch_add(&made, 1));
	errno = 0;
	trace->instance = tracefs_instance_create(name);
	if (trace->instance)
		return 0;
	return without(errno, "making a trace instance",
		       errno == EACCES || errno == EPERM ? " (it takes root)" : "");
}

static int write_file(struct cmtrace *trace, const char *file, const char *text)
{
	errno = 0;
	if (tracefs_instance_file_write(trace->instance, file, text) < 0)
		return without(errno, file, "");
	return 0;
}

static int make_room(struct cmtrace *trace, uint32_t connections)
{
	uint64_t cpus = (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);
	uint64_t memory_kb =
		(uint64_t)sysconf(_SC_PHYS_PAGES) * ((uint64_t)sysconf(_SC_PAGESIZE) / 1024);
	uint64_t kb = (uint64_t)connections * EVENTS_A_CONNECTION * EVENT_BYTES / 1024 + LEAST_KB;
	uint64_t most_kb = memory_kb / PART_OF_MEMORY / cpus;
	char text[24];

	if (kb > most_kb)
		kb = most_kb;
	for (; kb >= LEAST_KB; kb /= 2) {
		snprintf(text, sizeof(text), "%llu", (unsigned long long)kb);
		errno = 0;
		if (tracefs_instance_file_write(trace->instance, "buffer_size_kb", text) >= 0)
			return 0;
		if (errno != ENOMEM)
			break;
	}
	return without(errno ? errno : ENOMEM, "buffer_size_kb", "");
}

/*
 * Reads the formats of the few events that are wanted. tracefs_local_events_system() would do, but
 * reads all of the system's, and all of the kernel's symbols beside. What it does not understand of
 * how an event is printed is no matter.
 */
static void read_formats(struct cmtrace *trace)
{
	int size;
	char *text = tracefs_instance_file_read(NULL, "events/header_page", &size);

	if (text)
		tep_parse_header_page(trace->tep, text, (unsigned long)size, sizeof(long));
	free(text);
	for (size_t s = 0; s < SOURCES; s++) {
		if (!sources[s].of[trace->side] ||
		    tep_find_event_by_name(trace->tep, SYSTEM, sources[s].event))
			continue;
		text = tracefs_event_file_read(trace->instance, SYSTEM, sources[s].event, "format",
					       &size);
		if (text)
			tep_parse_event(trace->tep, text, (unsigned long)size, SYSTEM);
		free(text);
	}
}

static int learn_fields(struct cmtrace *trace)
{
	if (!tracefs_file_exists(trace->instance, "events/" SYSTEM "/" HANDLER "/id"))
		return without(ENOENT, SYSTEM ":" HANDLER,
			       " (Linux 5.7 has it, once rdma_cm is loaded)");
	trace->tep = tep_alloc();
	if (!trace->tep)
		return without(ENOMEM, "memory", "");
	read_formats(trace);
	for (size_t s = 0; s < SOURCES; s++) {
		struct tep_event *event;

		if (!sources[s].of[trace->side])
			continue;
		event = tep_find_event_by_name(trace->tep, SYSTEM, sources[s].event);
		if (!event)
			return without(ENOENT, sources[s].event, "");
		trace->known[s].own = tep_find_field(event, "srcaddr");
		trace->known[s].peer = tep_find_field(event, "dstaddr");
		trace->known[s].kind = tep_find_field(event, "event");
		if (!trace->known[s].own || !trace->known[s].peer ||
		    (sources[s].kind != ANY && !trace->known[s].kind))
			return without(ENOTSUP, sources[s].event, "");
		trace->known[s].event = event;
	}
	return 0;
}

/* Filtered, the handler's other events (ADDR_RESOLVED, ...) take no room. */
static int enable_events(struct cmtrace *trace)
{
	char filter[128] = "";
	size_t n = 0;

	for (size_t s = 0; s < SOURCES; s++) {
		if (sources[s].of[trace->side] && sources[s].kind != ANY && n < sizeof(filter))
			n += (size_t)snprintf(filter + n, sizeof(filter) - n, "%sevent==%d",
					      n ? "||" : "", sources[s].kind);
	}
	int ret = write_file(trace, "events/" SYSTEM "/" HANDLER "/filter", filter);

	for (size_t s = 0; !ret && s < SOURCES; s++) {
		if (!sources[s].of[trace->side])
			continue;
		errno = 0;
		if (tracefs_event_enable(trace->instance, SYSTEM, sources[s].event))
			ret = without(errno, sources[s].event, "");
	}
	return ret;
}

static void open_markers(struct cmtrace *trace)
{
	struct tracefs_instance *const of[] = { NULL, trace->instance };

	for (int i = 0; i < 2; i++)
		trace->markers[i] =
			tracefs_instance_file_open(of[i], "trace_marker", O_WRONLY | O_CLOEXEC);
}

int cmtrace_open(struct cmtrace **trace, enum side side, uint32_t connections)
{
	static once_flag prepared = ONCE_FLAG_INIT;
	struct cmtrace *t;
	int ret;

	*trace = NULL;
	call_once(&prepared, prepare_library);
	t = calloc(1, sizeof(*t));
	if (!t)
		return without(ENOMEM, "memory", "");
	t->side = side;
	t->markers[0] = t->markers[1] = -1;
	ret = make_instance(t);
	if (!ret) {
		open_markers(t);
		ret = write_file(t, "trace_clock", "mono");
	}
	/* Without room, later events are dropped, and not earlier ones: a connect is worth more
	 * than a disconnect. */
	if (!ret)
		ret = write_file(t, "options/overwrite", "0");
	if (!ret)
		ret = learn_fields(t);
	if (!ret)
		ret = make_room(t, connections);
	if (!ret)
		ret = enable_events(t);
	if (ret)
		cmtrace_close(t);
	else
		*trace = t;
	return ret;
}

/* ---- in use ---- */

void cmtrace_mark(struct cmtrace *trace, const char *text)
{
	char line[128];

	if (!trace)
		return;
	int n = snprintf(line, sizeof(line), "cmtime: %s\n", text);

	if (n < 0)
		return;
	for (int i = 0; i < 2; i++) {
		size_t len = (size_t)n < sizeof(line) ? (size_t)n : sizeof(line) - 1;

		/* A user's tracing may be off: EBADF. Their choice. */
		if (trace->markers[i] >= 0 && write(trace->markers[i], line, len) < 0)
			continue;
	}
}

struct collection {
	const struct cmtrace *trace;
	struct match match;
	struct cmtrace_counts counts;
};

static bool take_address(struct address *address, const struct tep_format_field *field,
			 const struct tep_record *record)
{
	struct sockaddr_storage sockaddr = { 0 };

	if (field->offset < 0 || field->size < 0 || field->offset + field->size > record->size ||
	    (size_t)field->size > sizeof(sockaddr))
		return false;
	memcpy(&sockaddr, (const char *)record->data + field->offset, (size_t)field->size);
	*address = address_of((const struct sockaddr *)&sockaddr);
	return true;
}

static int take_event(struct tep_event *event, struct tep_record *record, int cpu, void *arg)
{
	struct collection *collection = arg;
	const struct cmtrace *trace = collection->trace;

	(void)cpu;
	for (size_t s = 0; s < SOURCES; s++) {
		struct address own, peer;
		unsigned long long kind;

		if (!event || trace->known[s].event != event)
			continue;
		if (sources[s].kind != ANY &&
		    (tep_read_number_field(trace->known[s].kind, record->data, &kind) ||
		     kind != (unsigned long long)sources[s].kind))
			continue;
		collection->counts.events++;
		if (take_address(&own, trace->known[s].own, record) &&
		    take_address(&peer, trace->known[s].peer, record))
			collection->counts.matched += match_event(&collection->match, &own, &peer,
								  sources[s].stamp, record->ts);
		return 0;
	}
	return 0;
}

/* Of one processor's "stats": lines like "dropped events: 0". */
static uint64_t lost_of(struct cmtrace *trace, const char *cpu)
{
	static const char *const keys[] = { "\noverrun: ", "\ncommit overrun: ",
					    "\ndropped events: " };
	uint64_t lost = 0;
	char file[300], *text;

	snprintf(file, sizeof(file), "per_cpu/%s/stats", cpu);
	text = tracefs_instance_file_read(trace->instance, file, NULL);
	for (size_t k = 0; text && k < sizeof(keys) / sizeof(*keys); k++) {
		const char *at = strstr(text, keys[k]);

		if (at)
			lost += strtoull(at + strlen(keys[k]), NULL, 10);
	}
	free(text);
	return lost;
}

static uint64_t count_lost(struct cmtrace *trace)
{
	char *path = tracefs_instance_get_file(trace->instance, "per_cpu");
	DIR *dir = path ? opendir(path) : NULL;
	const struct dirent *entry;
	uint64_t lost = 0;

	while (dir && (entry = readdir(dir))) {
		if (!strncmp(entry->d_name, "cpu", 3))
			lost += lost_of(trace, entry->d_name);
	}
	if (dir)
		closedir(dir);
	tracefs_put_tracing_file(path);
	return lost;
}

int cmtrace_collect(struct cmtrace *trace, struct timeline *timeline, struct cmtrace_counts *counts)
{
	struct collection collection = { .trace = trace };
	int ret;

	if (!trace) {
		*counts = collection.counts;
		return 0;
	}
	tracefs_trace_off(trace->instance);
	ret = match_init(&collection.match, timeline);
	if (!ret) {
		errno = 0;
		if (tracefs_iterate_raw_events(trace->tep, trace->instance, NULL, 0, take_event,
					       &collection))
			ret = errno ? -errno : -EIO;
		match_free(&collection.match);
	}
	collection.counts.lost = count_lost(trace);
	if (!ret && tracefs_instance_file_clear(trace->instance, "trace"))
		ret = -errno;
	if (!ret && tracefs_trace_on(trace->instance) < 0)
		ret = -errno;
	if (ret)
		log_error("reading the kernel trace: %s", log_errno(ret));
	else
		*counts = collection.counts;
	return ret;
}

void cmtrace_close(struct cmtrace *trace)
{
	if (!trace)
		return;
	for (int i = 0; i < 2; i++) {
		if (trace->markers[i] >= 0)
			close(trace->markers[i]);
	}
	if (trace->instance && tracefs_instance_destroy(trace->instance))
		log_warn("cannot remove the trace instance %s: %s",
			 tracefs_instance_get_name(trace->instance), log_errno(errno));
	tracefs_instance_free(trace->instance);
	tep_free(trace->tep);
	free(trace);
}
