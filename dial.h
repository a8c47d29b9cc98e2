/*
 * dial.h: from a host that a client named to a connection to it, or a reason why not:
 * judgement, route, look-up, addresses in turn, a parent's consent. Never blocks.
 */
#ifndef SRUN_DIAL_H
#define SRUN_DIAL_H

#include "conn.h"

/*
 * Judges work->host and work->port. False: work->refusal says why, and it is recorded as
 * a denial if it is one. No system call is made, and no name leaves before it is granted.
 */
bool dial_judge(struct conn *c);

/* The route of a granted host, in work->parent. False as above. */
bool dial_route(struct conn *c);

/*
 * Begins; conn_dialled() is called when it is over, maybe at once. On success c->up is
 * open and work->up_* say to whom; bytes of the other side that came behind a parent's
 * answer are in work->up_in.
 */
void dial_start(struct conn *c);
/* The socket of c->up is ready for something, or time is up. */
void dial_step(struct conn *c);
void dial_timeout(struct conn *c);
/* Nobody waits any more. */
void dial_cancel(struct conn *c);

/* Reads the resolver's answers. False: the resolver is gone. */
bool dial_answers(struct hub *hub);

#endif
