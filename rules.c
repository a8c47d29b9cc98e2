/*
 * rules.c: the decision about one canonical path. Pure; see rules.h.
 *
 * Reading: allowed, unless a deny_read is the most specific of the deny_read, allow_read
 * and allow_write rules at or above the path; at an equal path a rule that names it is more
 * specific than a pattern that matches it, and then the allow wins.
 * Writing: refused, unless an allow_write is more specific than every deny_read, and
 * no deny_write is at or above the path. A path is as open as its strictest layer.
 */
#include "rules.h"

#include <string.h>

#include "path.h"

/* The rules at or above a path, the most specific of each kind; lengths order them. */
struct nearest {
	const struct path_rule *rule[4]; /* by enum rule_kind */
	size_t len[4];
};

static void
find_nearest(const struct layer_facts *layer, const char *path, struct nearest *n)
{
	for (size_t i = 0; i < layer->nrules; i++) {
		const struct rule_fact *r = &layer->rules[i];
		if (r->fact.real == NULL || !path_within(path, r->fact.real))
			continue;
		/* More than 0, so that a rule on "/" is longer than no rule. */
		size_t len = 2 * strlen(r->fact.real) + !r->rule->matched;
		if (len > n->len[r->rule->kind]) {
			n->len[r->rule->kind] = len;
			n->rule[r->rule->kind] = r->rule;
		}
	}
}

static enum access
decide_layer(
    const struct layer_facts *layer, const char *path, const struct path_rule **why)
{
	struct nearest n = {{NULL}, {0}};
	find_nearest(layer, path, &n);

	size_t deny = n.len[RULE_DENY_READ];
	size_t read = n.len[RULE_ALLOW_READ], write = n.len[RULE_ALLOW_WRITE];
	if (deny > read && deny > write) {
		*why = n.rule[RULE_DENY_READ];
		return ACCESS_NONE;
	}
	if (n.rule[RULE_DENY_WRITE] != NULL) {
		*why = n.rule[RULE_DENY_WRITE];
		return ACCESS_READ;
	}
	if (write > 0 && write >= deny) {
		*why = n.rule[RULE_ALLOW_WRITE];
		return ACCESS_WRITE;
	}
	*why = read > 0 ? n.rule[RULE_ALLOW_READ] : NULL;
	return ACCESS_READ;
}

enum access
rules_decide(const struct survey *s, const char *path, const struct path_rule **why)
{
	if (why != NULL)
		*why = NULL;
	/* The run's own directory is made for it and removed after it: no rule is about it. */
	if (s->temp_dir != NULL && path_within(path, s->temp_dir))
		return ACCESS_WRITE;
	enum access least = ACCESS_WRITE;
	const struct path_rule *rule = NULL;
	for (size_t i = 0; i < s->nlayers; i++) {
		const struct path_rule *here = NULL;
		enum access access = decide_layer(&s->layers[i], path, &here);
		if (i == 0 || access < least) {
			least = access;
			rule = here;
		}
	}
	if (why != NULL)
		*why = rule;
	return least;
}

const char *
rules_own_place(const char *path)
{
	static const struct {
		const char *root, *hint;
	} own[] = {
	    {"/proc", "the command gets a /proc of its own"},
	    {"/dev", "the command gets a /dev of its own; nodes come with 'devices'"},
	};
	for (size_t i = 0; i < SRUN_ARRAY_LEN(own); i++)
		if (path_within(path, own[i].root))
			return own[i].hint;
	return NULL;
}
