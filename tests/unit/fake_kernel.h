/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * fake_kernel - inside the fake: ids with their state, events on their way, and the script's
 * verdicts.
 *
 * fake_script.c keeps the script and the books, fake_kernel.c the queues and what comes late,
 * fake_wire.c what ids send each other, fake_cm.c and fake_get.c the calls of librdmacm,
 * fake_verbs.c those of libibverbs.
 */
#ifndef CMTIME_TESTS_FAKE_KERNEL_H
#define CMTIME_TESTS_FAKE_KERNEL_H

#include "fake.h"
#include "fake_sync.h"

#include <sys/queue.h>

/* Private data as the receiver sees it, on InfiniBand and RoCE: always all of it, padded with
 * zeroes. */
enum { REQ_DATA = 56, REP_DATA = 196, REJ_DATA = 148 };
/* Reasons of a REJ. */
enum { REJ_TIMEOUT = 4, REJ_NO_SERVICE = 8, REJ_CONSUMER = 28 };

enum cm_state {
	CM_IDLE,
	CM_BOUND,
	CM_ADDR_RESOLVED,
	CM_ROUTE_RESOLVED,
	CM_LISTEN,
	CM_REQ_SENT,
	CM_REQ_RCVD,
	CM_REP_SENT,
	CM_REP_RCVD,
	CM_ESTABLISHED,
	CM_DREQ_SENT,
	CM_DREQ_RCVD,
	CM_TIMEWAIT,
	CM_DEAD
};

/* What the script says to one call, or about one event. */
struct verdict {
	bool fail, drop, twice, replace, follow;
	int error;
	uint64_t linger_ns, late_ns, follow_ns;
	enum rdma_cm_event_type by, then;
	int by_status, then_status;
};

#define ID_ALIVE UINT64_C(0x616c697665206964)
#define ID_DEAD	 UINT64_C(0x6465616420696421)

/* An id. All but id, which callers read, is the kernel's: under the lock, except life (see
 * id_used()). */
struct fake_id {
	struct rdma_cm_id id;
	uint64_t life; /* for TSan: calls read it, rdma_destroy_id() writes it */
	uint32_t serial;
	enum fake_side side;
	enum cm_state state;
	bool known;    /* a caller holds it; false: its CONNECT_REQUEST is unread */
	bool accepted; /* events of an id that is not accepted yet are not reported */
	bool remote;   /* connected to somebody elsewhere */
	bool connect_error;
	bool in_flight; /* an answer to its last call is to be read */
	bool reuseaddr;
	struct fake_id *peer;
	int backlog;
	struct verdict answer; /* to its last call */
	struct verdict on_rtu; /* what is to follow its ESTABLISHED */
	uint32_t reported, acked;
	uint32_t underway; /* events queued or late */
	uint32_t qp_num, peer_qp_num;
	uint8_t responder_resources, initiator_depth;
	uint16_t port;			  /* bound, host order */
	struct sockaddr_storage src, dst; /* the kernel's; id.route has what was queried */
	TAILQ_ENTRY(fake_id) all, on_port;
};

enum fake_work { WORK_EVENT, WORK_RETRY_REQ, WORK_UNREACHABLE, WORK_DREQ_TIMEOUT };

/* An event in a channel's queue; or work that is due later. */
struct fake_node {
	enum fake_work work;
	struct fake_id *owner;	 /* who counts it as reported and acked: a request's listener */
	struct fake_id *request; /* CONNECT_REQUEST's new id, else NULL */
	enum rdma_cm_event_type type;
	int status;
	bool raw; /* the script's: handed out as it is */
	uint8_t data[REP_DATA];
	uint8_t data_len;
	uint64_t due_ns;
	TAILQ_ENTRY(fake_node) link;
};
TAILQ_HEAD(fake_nodes, fake_node);

struct fake_channel {
	struct rdma_event_channel channel;
	struct fake_nodes queue;
	uint32_t ids;
	uint32_t arrivals, sleepers; /* every event wakes every reader */
	TAILQ_ENTRY(fake_channel) all;
};

TAILQ_HEAD(fake_ids, fake_id);
extern struct fake_ids fake_all_ids;
extern struct fake_counts fake_books; /* under the lock */
extern struct ibv_context *const fake_context;

/* ---- fake_script.c. Without the lock: counts the call, sleeps if it is slow. */
struct verdict script_call(enum fake_call call);
/* With the lock: counts the event. */
struct verdict script_event(enum fake_side side, enum rdma_cm_event_type type);
/* The call has had its effect, and takes its time to return. */
void script_linger(const struct verdict *v);
/* How a call ends: 0 with a stale errno; -1 with that errno (0: left alone). */
int script_ok(void);
int script_fail(int error);
/* With the lock: misuse, or what only a broken test does. */
void fake_fault(const char *format, ...) __attribute__((format(printf, 1, 2)));
void fake_panic(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
void script_record_try(const struct fake_id *fid, const struct sockaddr *src,
		       const struct sockaddr *dst, int timeout_ms);

/* ---- fake_kernel.c. With the lock. */
struct fake_node *node_new(struct fake_id *owner, enum rdma_cm_event_type type, int status);
void node_data(struct fake_node *node, const void *data, uint8_t len, uint8_t padded);
/* The node is on its way, as the script has it; freed if it is dropped. */
void kernel_post(struct fake_node *node);
/* The same for what answers the owner's last call. */
void kernel_answer(struct fake_node *node);
/* A connecting id has made a call that wants an answer; or has read one, or is gone. */
void kernel_asked(struct fake_id *fid);
void kernel_heard(struct fake_id *fid);
/* Past the script: after that long. */
void kernel_schedule(struct fake_node *node, uint64_t after_ns);
void kernel_follow(struct fake_id *fid, const struct verdict *v, uint64_t after_ns);
struct fake_node *kernel_pop(struct fake_channel *channel);
/* Takes back whatever is on its way to the id. */
void kernel_purge(struct fake_id *fid);
void kernel_move(struct fake_id *fid, struct fake_channel *to);
void kernel_add(struct fake_channel *channel);
void kernel_remove(struct fake_channel *channel);
void kernel_reset(void);
/* Without the lock. */
void kernel_start(void);
void kernel_stop(void);

/* ---- fake_wire.c. With the lock. */
struct fake_id *id_new(struct fake_channel *channel, void *context, enum rdma_port_space ps);
void id_forget(struct fake_id *fid); /* unlinks; the caller frees */
bool address_is_any(const void *addr);
__be16 address_port(const void *addr);
int port_bind(struct fake_id *fid, const struct sockaddr *addr); /* these two: 0 or an errno */
int port_listen(struct fake_id *fid);
uint16_t port_shared(void); /* for ids that are not bound: any number of them */
void wire_req(struct fake_id *fid, const void *data, uint8_t len);
int wire_rep(struct fake_id *fid, const void *data, uint8_t len);
int wire_rej(struct fake_id *fid, const void *data, uint8_t len);
int wire_rtu(struct fake_id *fid);
int wire_disconnect(struct fake_id *fid);
/* The id leaves the kernel: its peer hears of it, nothing more comes. */
void wire_destroy(struct fake_id *fid);
void wire_late(struct fake_node *node);
/* What an event out of the blue means for its id's state. */
void wire_unasked(struct fake_id *fid, enum rdma_cm_event_type type);
void wire_remote(uint16_t port);
void wire_reset(void);

/* ---- fake_cm.c. With the lock. */
void kernel_acked(struct fake_id *fid);
void id_on_device(struct fake_id *fid);
void id_show_addresses(struct fake_id *fid);

/* ---- fake_verbs.c. */
void qp_set_state(struct ibv_qp *qp, enum ibv_qp_state state);
struct ibv_qp *qp_new(struct ibv_pd *pd, struct ibv_qp_init_attr *attr); /* NULL and errno */
struct ibv_pd *fake_default_pd(void);
void verbs_refresh(void); /* with the lock: the device is as fake_config says */
void verbs_reset(void);

static inline struct fake_id *fake_id_of(struct rdma_cm_id *id)
{
	return (struct fake_id *)id;
}

static inline struct fake_channel *fake_channel_of(struct rdma_event_channel *channel)
{
	return (struct fake_channel *)channel;
}

#endif
