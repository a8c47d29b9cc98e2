/*
 * exchange.h: HTTP requests of one connection, one after the other, each judged anew.
 */
#ifndef SRUN_EXCHANGE_H
#define SRUN_EXCHANGE_H

#include "conn.h"

/* CONN_HEAD: reads a request and begins with it. */
void exchange_head(struct conn *c);
/* c->up is open: sends what was asked (CONN_EXCHANGE from now on). */
void exchange_start(struct conn *c);
/* CONN_EXCHANGE: bodies both ways, the answer. */
void exchange_step(struct conn *c);

#endif
