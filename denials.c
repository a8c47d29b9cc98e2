/*
 * denials.c: the table of refusals. Must not send anything.
 */
#include "denials.h"

#include <string.h>

static void
copy_text(char *to, const char *from)
{
	size_t len = strlen(from);

	len = len < PROXY_TEXT_MAX ? len : PROXY_TEXT_MAX - 1;
	memcpy(to, from, len);
	to[len] = '\0';
}

static uint32_t
rule_number(const struct host_rules *rules, size_t layer, const struct host_rule *rule)
{
	if (rule == NULL || layer >= rules->nlayers)
		return 0;
	const struct host_rule_list *deny = &rules->deny[layer];
	if (rule < deny->v || rule >= deny->v + deny->n)
		return 0;
	return 1 + (uint32_t)(rule - deny->v);
}

const struct host_rule *
proxy_report_rule(const struct host_rules *rules, const struct proxy_report *r)
{
	if (r->rule == 0 || r->layer >= rules->nlayers ||
	    r->rule > rules->deny[r->layer].n)
		return NULL;
	return &rules->deny[r->layer].v[r->rule - 1];
}

void
denials_add(struct denial_table *d, enum proxy_denial denial, const char *host,
    uint16_t port, const char *text, const struct host_rules *rules, size_t layer,
    const struct host_rule *rule)
{
	struct proxy_report fresh = {.kind = PROXY_DENIED,
	    .denial = denial,
	    .port = port,
	    .layer = (uint16_t)layer,
	    .rule = rule_number(rules, layer, rule)};
	size_t i = 0;

	copy_text(fresh.host, host);
	copy_text(fresh.text, text);
	while (i < d->n &&
	       (d->v[i].denial != denial || d->v[i].port != port ||
	           d->v[i].rule != fresh.rule || strcmp(d->v[i].host, fresh.host) != 0 ||
	           strcmp(d->v[i].text, fresh.text) != 0))
		i++;
	if (i == PROXY_DENIALS_MAX) {
		d->v[i].kind = PROXY_DENIED;
		d->v[i].denial = DENIAL_OTHERS;
	} else if (i == d->n) {
		d->v[i] = fresh;
		d->n++;
	}
	d->v[i].index = (uint32_t)i;
	d->v[i].count++;
	d->ndirty += !d->dirty[i];
	d->dirty[i] = true;
}

const struct proxy_report *
denials_next(struct denial_table *d)
{
	for (size_t i = 0; i <= PROXY_DENIALS_MAX && d->ndirty > 0; i++)
		if (d->dirty[i]) {
			d->dirty[i] = false;
			d->ndirty--;
			return &d->v[i];
		}
	return NULL;
}

void
denials_unsent(struct denial_table *d, const struct proxy_report *r)
{
	d->ndirty += !d->dirty[r->index];
	d->dirty[r->index] = true;
}
