/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * mailbox - who owns a connection: whoever found it idle when posting to it, until its mailbox is
 * empty.
 *
 * Main, reapers and acceptors don't act on a connection, they post to it: "go on", "this event
 * came", "you are overdue". The one atomic exchange in mailbox_post() decides: a connection that
 * nobody owns is the poster's, who then takes mail after mail; else its present owner will find the
 * mail before it lets go. So an event that overtakes its call, a lost connection, a deadline and an
 * unfinished call all meet in one place, and no thread ever waits for another's turn.
 */
#ifndef CMTIME_CM_MAILBOX_H
#define CMTIME_CM_MAILBOX_H

#include <stdatomic.h>
#include <stdbool.h>

/* In the order they are taken when several are there. */
enum mail {
	MAIL_REQUEST,	   /* server: a connection request is to be accepted */
	MAIL_GO,	   /* main: begin the leg */
	MAIL_ADDR,	   /* ADDR_RESOLVED, ADDR_ERROR */
	MAIL_ROUTE,	   /* ROUTE_RESOLVED, ROUTE_ERROR */
	MAIL_CONNECT,	   /* ESTABLISHED and what may come in its place */
	MAIL_DISCONNECTED, /* at any time after that */
	MAIL_REMOVAL,	   /* DEVICE_REMOVAL */
	MAIL_OVERDUE,	   /* main: give up if you are past your deadline, or the run is cut */
	MAILS
};

struct mailbox {
	atomic_uint word; /* a bit a mail, and OWNED */
};

void mailbox_init(struct mailbox *box);

/* Posts. True: the caller is now the owner and must go on with mailbox_take() until it returns
 * MAILS. Any thread. */
bool mailbox_post(struct mailbox *box, enum mail mail);

/* Whether such a mail waits; then what belongs to it must not be written again. The mail's only
 * poster. */
bool mailbox_holds(const struct mailbox *box, enum mail mail);

/* The owner: the first mail that waits (it stays until mailbox_done()), or MAILS, and the ownership
 * has ended. */
enum mail mailbox_take(struct mailbox *box);

/* The owner: that mail has been read, what belongs to it may be written again. */
void mailbox_done(struct mailbox *box, enum mail mail);

#endif
