/*
 * value.h: one setting's value → a typed value. Shared by policy.c and narrow.c, with the
 * draft they make: a policy of one grant that can still be changed.
 */
#ifndef SRUN_VALUE_H
#define SRUN_VALUE_H

#include "grant.h"
#include "policy.h"
#include "sets.h"

/* Rules with room for more. */
struct rule_list {
	struct path_rule *v;
	size_t n, cap;
};

struct draft {
	struct policy p;
	struct rule_list rules, create,
	    sockets; /* p has them when all settings are read */
	struct origin
	    set[KEY_COUNT]; /* where each key was said last; file NULL = nowhere */
	unsigned sections;  /* as in struct settings */
	const char *name;   /* of the grant's text */
};

static inline bool
draft_has(const struct draft *d, enum grant_key_id id)
{
	return d->set[id].file != NULL;
}

/* What reading a value needs; each error goes to errs with the setting's origin. */
struct value_context {
	struct arena *arena;
	struct errs *errs;
	const struct grant_context *ctx;
	const char *grant_dir;
};

/* The words of each enum of policy.h, in its order, NULL at the end. */
extern const char *const isolation_names[];
extern const char *const temp_names[];
extern const char *const net_mode_names[];
extern const char *const unix_mode_names[];
extern const char *const denials_names[];

/* "KEY 'VALUE' why" at the setting's origin. */
void value_fault(struct value_context *vc, const struct setting *s, const char *why);

/* The index of the value among words, or -1 with an error that names the nearest. */
int value_word(
    struct value_context *vc, const struct setting *s, const char *const *words);
void value_bool(struct value_context *vc, const struct setting *s, bool *out);

/*
 * Expanded and normalised, or NULL with an error, without "literal:". *pattern_at, when not
 * NULL, is as in struct path_rule.
 */
const char *value_path(
    struct value_context *vc, const struct setting *s, size_t *pattern_at);

/* The set if the value is "@NAME" of that type; *failed if it is another '@'. */
const struct named_set *value_set(
    struct value_context *vc, const struct setting *s, enum set_type type, bool *failed);

/* Adds a rule of that kind for the path, or one for each member of the set. */
void value_path_rules(struct value_context *vc, const struct setting *s,
    enum rule_kind kind, struct rule_list *rules);
/* Room for so many more, so that adding them moves nothing. */
void value_rules_reserve(struct arena *a, struct rule_list *l, size_t more);

void value_list_add(
    struct arena *a, struct located_list *l, const char *text, struct origin origin);
void value_domains(struct value_context *vc, const struct setting *s, bool deny,
    struct host_rule_list *l);

/* False with an error. */
bool value_env_name(struct value_context *vc, const struct setting *s);
bool value_pass_name(struct value_context *vc, const struct setting *s);
/* Whether the variable tells programs of a proxy. */
bool value_is_proxy_variable(const char *name);

/*
 * Variables that name a bundle of CA certificates for some program, or a directory of them,
 * NULL at the end: what pass_ca passes on.
 */
extern const char *const value_ca_variables[];

/* An allow_read for each of them that is set to an absolute path. */
void value_ca_rules(
    struct value_context *vc, struct origin origin, struct rule_list *out);

#endif
