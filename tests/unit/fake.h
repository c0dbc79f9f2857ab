/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * fake - librdmacm and libibverbs for unit tests: an RDMA CM in one process, scripted and counted.
 *
 * A test links libfake.a in place of -lrdmacm -libverbs and calls the real headers' functions.
 * Server and client may both be in the process, or the client alone with fake_remote_accepts().
 * README.md says what is modelled. Scripts are set by the test's thread before the others start;
 * everything else is for any thread.
 */
#ifndef CMTIME_TESTS_FAKE_H
#define CMTIME_TESTS_FAKE_H

#include <netinet/in.h>
#include <rdma/rdma_cma.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What can be scripted and is counted, by the function's name. */
enum fake_call {
	FAKE_RDMA_CREATE_EVENT_CHANNEL,
	FAKE_RDMA_CREATE_ID,
	FAKE_RDMA_DESTROY_ID, /* failed: the id lives on */
	FAKE_RDMA_BIND_ADDR,
	FAKE_RDMA_RESOLVE_ADDR,
	FAKE_RDMA_RESOLVE_ROUTE,
	FAKE_RDMA_CREATE_QP,
	FAKE_RDMA_CONNECT,
	FAKE_RDMA_LISTEN,
	FAKE_RDMA_ACCEPT,
	FAKE_RDMA_REJECT,
	FAKE_RDMA_ESTABLISH,
	FAKE_RDMA_DISCONNECT,
	FAKE_RDMA_GET_CM_EVENT,
	FAKE_RDMA_MIGRATE_ID,
	FAKE_RDMA_SET_OPTION,
	FAKE_RDMA_INIT_QP_ATTR,
	FAKE_IBV_ALLOC_PD,
	FAKE_IBV_CREATE_CQ,
	FAKE_IBV_CREATE_QP, /* called directly */
	FAKE_IBV_MODIFY_QP, /* called directly */
	FAKE_IBV_QUERY_DEVICE,
	FAKE_IBV_QUERY_PORT,
	FAKE_IBV_QUERY_GID,
	FAKE_MOVE_QP, /* rdma_get_cm_event moving a QP to RTS; failed: CONNECT_ERROR, status -1, the
			 cause in errno */
	FAKE_CALLS
};

/* Whose event: the connecting id's or the accepted one's (a listener's CONNECT_REQUEST is the
 * server's). */
enum fake_side { FAKE_CLIENT, FAKE_SERVER, FAKE_SIDES };

enum { FAKE_EVENTS = RDMA_CM_EVENT_TIMEWAIT_EXIT + 1 };

/*
 * Which one: a plain N is the Nth since fake_reset(), from 1, of that call, or of that event on
 * that side. Calls count when they are made, events when they are due to be queued.
 */
#define FAKE_EACH     0
#define FAKE_EVERY(k) (-(k))
#define FAKE_FROM(n)  ((1 << 24) + (n))

/* ---- What a call does. */

/* It fails with that errno (returned, where the real one returns it); 0: it fails and leaves errno
 * alone. */
void fake_fail(enum fake_call call, int nth, int error);
/* It takes that long before it does anything. */
void fake_slow(enum fake_call call, int nth, uint64_t ns);
/* It takes that long after its event was queued, before it looks at its id again and returns. */
void fake_linger(enum fake_call call, int nth, uint64_t ns);

/* ---- The event that answers a call, to the caller: of resolve_addr, resolve_route, connect,
 * accept, disconnect. */

/* It never comes: the call succeeds and nothing leaves. */
void fake_answer_drop(enum fake_call call, int nth);
/* Another comes in its place: REJECTED 28, ADDR_ERROR -ETIMEDOUT... Nothing reaches the peer. */
void fake_answer(enum fake_call call, int nth, enum rdma_cm_event_type event, int status);
/* It comes that much later, from another thread. */
void fake_answer_late(enum fake_call call, int nth, uint64_t ns);
void fake_answer_twice(enum fake_call call, int nth);

/* ---- Events by side, whatever caused them. The client's CONNECT_RESPONSE counts as its
 * ESTABLISHED. */

void fake_event_drop(enum fake_side side, enum rdma_cm_event_type event, int nth);
void fake_event_late(enum fake_side side, enum rdma_cm_event_type event, int nth, uint64_t ns);
void fake_event_twice(enum fake_side side, enum rdma_cm_event_type event, int nth);
void fake_event_replace(enum fake_side side, enum rdma_cm_event_type event, int nth,
			enum rdma_cm_event_type by, int status);
/* Another follows it on the same id after that long, unasked (0: at once, right behind).
 * DISCONNECTED acts as a DREQ. */
void fake_event_follow(enum fake_side side, enum rdma_cm_event_type event, int nth,
		       enum rdma_cm_event_type then, int status, uint64_t after_ns);

/* Now: an event out of the blue on that id, or on every id there is. */
void fake_raise(struct rdma_cm_id *id, enum rdma_cm_event_type event, int status);
void fake_raise_all(enum rdma_cm_event_type event, int status);

/* ---- Peers and the machine. */

/* Somebody elsewhere accepts whatever is sent to that port (host order; 0: any) at any address, and
 * answers DREQs. */
void fake_remote_accepts(uint16_t port);

struct fake_config {
	/* Limits: what ibv_query_device() says, and where ENOMEM (a CQ's size: EINVAL) begins. */
	int max_qp, max_cq, max_pd, max_cqe, max_qp_wr;
	int max_backlog;		/* rdma_listen() with 0 or more means this */
	uint16_t port_first, port_last; /* for port 0; EADDRNOTAVAIL when all are bound */

	uint64_t modify_qp_ns; /* rdma_get_cm_event() takes that long to move a QP to RTS */
	uint64_t kernel_ns; /* every event comes that late, from another thread; 0: before the call
			       has returned */
	uint64_t timewait_ns;	  /* TIMEWAIT_EXIT after a disconnect; 0: never */
	uint64_t req_retry_ns;	  /* a REQ dropped for the backlog is tried again; 0: never */
	uint64_t unreachable_ns;  /* it ends as UNREACHABLE, -ETIMEDOUT; 0: never */
	uint64_t dreq_timeout_ns; /* a DREQ nobody answers ends as DISCONNECTED, -ETIMEDOUT; 0:
				     never */
	bool auto_drep;		  /* the peer's kernel answers a DREQ by itself; real ones wait for
				     rdma_disconnect() or destroy */
	bool no_device; /* rdma_create_event_channel() fails with ENODEV, resolving an address with
			   ADDR_ERROR -ENODEV */

	uint64_t panic_ns; /* rdma_destroy_id() that waits longer for acks says so and aborts */
	int stale_errno;   /* what calls that succeed leave in errno; 0: they leave it alone */

	enum ibv_transport_type transport; /* IBV_TRANSPORT_IB */
	uint8_t link_layer;		   /* IBV_LINK_LAYER_ETHERNET: RoCE */
};
extern struct fake_config fake_config; /* defaults again after fake_reset() */

/* ---- Looking at it afterwards. */

struct fake_pair {
	uint32_t made, freed;
};

struct fake_counts {
	uint32_t calls[FAKE_CALLS];
	uint32_t events[FAKE_SIDES]
		       [FAKE_EVENTS]; /* due to be queued, before the script had its say */
	uint32_t gets, acks;	      /* events handed out, and back */
	struct fake_pair channels, ids, qps, pds, cqs;
	uint32_t discarded; /* events that went with their id, unread */
	/* Connecting ids with a call whose answer nobody has read: now, and the most there were. */
	uint32_t in_flight, most_in_flight;
	uint32_t faults; /* misuse, each said on stderr */
};
struct fake_counts fake_counts(void);

/* A call of rdma_resolve_addr(). */
struct fake_try {
	uint32_t id;			  /* ids count from 1 as they are created */
	struct sockaddr_storage src, dst; /* src.ss_family 0: none given */
	int timeout_ms;
};
/* The ith, from 0; false when there is none. */
bool fake_try_at(size_t i, struct fake_try *try);

/* How much is wrong: events not acked, objects not freed, misuse; each said on stderr. 0: all is
 * well. */
int fake_check(void);

/* Frees what is left and forgets scripts, counts and configuration. No other thread may be in the
 * fake. */
void fake_reset(void);

/* For cmocka: reset before a test; check, then reset, after it (which fails the test). */
int fake_setup(void **state);
int fake_teardown(void **state);

#endif
