/*
 * denials.h: what was refused, counted: a table of bounded size that becomes reports. Pure.
 */
#ifndef SRUN_DENIALS_H
#define SRUN_DENIALS_H

#include "proxy.h"

struct denial_table {
	struct proxy_report v[PROXY_DENIALS_MAX + 1]; /* the last is for the others */
	bool dirty[PROXY_DENIALS_MAX + 1];
	size_t n, ndirty;
};

/* Host and text are cut at PROXY_TEXT_MAX; rule is NULL or one of the layer's deny list. */
void denials_add(struct denial_table *d, enum proxy_denial denial, const char *host,
    uint16_t port, const char *text, const struct host_rules *rules, size_t layer,
    const struct host_rule *rule);

/* The next that changed since it was last given, or NULL. */
const struct proxy_report *denials_next(struct denial_table *d);
/* It could not be sent: it is given again. */
void denials_unsent(struct denial_table *d, const struct proxy_report *r);

#endif
