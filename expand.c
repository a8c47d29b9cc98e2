/*
 * expand.c: what a pattern means on this host, and what it cannot mean. Looks through
 * glob.c; the rules that come of it are host.c's to make.
 *
 * A mount needs a name that exists. So a pattern covers what exists at the start, and:
 *   - an allow gives nothing to a name that comes later;
 *   - a deny_read leaves a later name readable: in a write root it is the command's own;
 *   - a deny_write would leave a later name writable, so it is refused wherever the command
 *     could make a name that it matches: in a directory that it may write, while a part of
 *     the pattern is still to be matched there.
 */
#include "expand.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "path.h"
#include "rules.h"
#include "sys.h"

/* A million names is a large disk's worth; mounts cost their square (bwrap.c). */
#define ENTRIES_LIMIT 1000000
#define MATCHES_LIMIT 1000
#define TIME_LIMIT_MS 10000

/* One pattern that is being expanded. */
struct expansion {
	struct expander *x;
	const struct layer_facts *layer;
	const struct path_rule *rule;
	const char *base, *tail; /* the part before the first pattern, and the rest */
	const char *makes; /* where the command could make a name that it matches; NULL */
};

struct glob_budget
expand_budget(void)
{
	return (struct glob_budget){
	    ENTRIES_LIMIT, MATCHES_LIMIT, sys_now_ms() + TIME_LIMIT_MS};
}

bool
expand_is_pattern(const struct path_rule *r)
{
	struct stat st;

	return r->pattern_at != 0 && lstat(r->path, &st) != 0;
}

static bool
is_deny(const struct path_rule *r)
{
	return r->kind == RULE_DENY_READ || r->kind == RULE_DENY_WRITE;
}

static bool
may_write(const struct expander *x, const char *path)
{
	return rules_decide(x->s, path, NULL) == ACCESS_WRITE;
}

/* By one grant alone: an earlier run may have been narrowed by less. */
static bool
may_write_by_any(const struct expander *x, const char *path)
{
	struct survey one = *x->s;

	one.nlayers = 1;
	for (size_t i = 0; i < x->s->nlayers; i++) {
		one.layers = &x->s->layers[i];
		if (rules_decide(&one, path, NULL) == ACCESS_WRITE)
			return true;
	}
	return false;
}

bool
expand_is_doubtful(struct expander *x, const struct path_rule *r)
{
	struct path_fact f;

	if (!is_deny(r) || r->pattern_at == 0)
		return false;
	/* Each directory that has a name with pattern characters on the way. */
	for (const char *p = r->path + r->pattern_at; *p != '\0'; p += strcspn(p, "/")) {
		p += strspn(p, "/");
		const char *name = arena_strndup(x->a, p, strcspn(p, "/"));
		if (!path_has_pattern(name))
			continue;
		host_resolve(
		    x->a, arena_strndup(x->a, r->path, (size_t)(p - r->path)), &f);
		if (f.err == 0 && may_write_by_any(x, f.real))
			return true;
	}
	return false;
}

/* ---- what a walk asks ---- */

static bool
is_allow(const struct rule_fact *r)
{
	return (r->rule->kind == RULE_ALLOW_READ || r->rule->kind == RULE_ALLOW_WRITE) &&
	       r->fact.real != NULL;
}

/*
 * Whether closing the directory closes just what "*" matches in it, and what comes later
 * too: not where the command makes names of its own, works, or has a rule about it.
 */
static bool
is_whole(const struct expansion *e, const char *dir, const char *tail)
{
	if (e->rule->kind != RULE_DENY_READ ||
	    (strcmp(tail, "*") != 0 && strcmp(tail, "**/*") != 0))
		return false;
	if (may_write(e->x, dir) || strcmp(dir, e->x->s->working_directory.real) == 0)
		return false;
	for (size_t i = 0; i < e->layer->nrules; i++)
		if (is_allow(&e->layer->rules[i]) &&
		    strcmp(e->layer->rules[i].fact.real, dir) == 0)
			return false;
	return true;
}

static enum glob_step
enter(void *arg, const char *dir, const char *tail, const char *cover)
{
	struct expansion *e = arg;

	/* The command has its own. */
	if (path_within(dir, "/proc") || path_within(dir, "/dev"))
		return GLOB_SKIP;
	/* Below a match nothing can be made. */
	if (e->rule->kind == RULE_DENY_WRITE && cover == NULL && may_write(e->x, dir)) {
		e->makes = arena_strdup(e->x->a, dir);
		return GLOB_STOP;
	}
	return is_whole(e, dir, tail) ? GLOB_WHOLE : GLOB_ENTER;
}

/* Whether some rule lets the command write below the directory. */
static bool
writes_below(const struct expander *x, const char *dir)
{
	for (size_t i = 0; i < x->s->nlayers; i++)
		for (size_t k = 0; k < x->s->layers[i].nrules; k++) {
			const struct rule_fact *r = &x->s->layers[i].rules[k];
			if (r->rule->kind == RULE_ALLOW_WRITE && r->fact.real != NULL &&
			    path_within(r->fact.real, dir) && may_write(x, r->fact.real))
				return true;
		}
	return false;
}

/* Below a directory that is denied, what an allow has opened again can be denied again. */
static bool
opened(const struct expansion *e, const char *cover, const char *path)
{
	for (size_t i = 0; i < e->layer->nrules; i++) {
		const struct rule_fact *r = &e->layer->rules[i];
		if (is_allow(r) && path_within(r->fact.real, cover) &&
		    path_within(path, r->fact.real))
			return true;
	}
	return false;
}

/* Writing is denied anyway, but where a write root is a match or lies in one. */
static bool
wanted(void *arg, const char *cover, const char *path)
{
	const struct expansion *e = arg;

	if (e->rule->kind == RULE_DENY_WRITE)
		return cover == NULL && writes_below(e->x, path);
	return cover == NULL || opened(e, cover, path);
}

/* ---- judgements ---- */

static const char *
kind_word(const struct path_rule *r)
{
	return rule_kind_names[r->kind];
}

static void
refuse_later_names(const struct expansion *e, const char *dir)
{
	errs_at(e->x->a, e->x->errs, e->rule->origin,
	    "%s '%s' cannot be held: the command could make names that it matches in "
	    "'%s' [name the files, or the directory; 'literal:' in front makes it a "
	    "name]",
	    kind_word(e->rule), e->rule->written, dir);
}

/*
 * A directory that cannot be listed. The command is no more able to, but it could know a
 * name, if it can search the directory or, as its owner, make that so.
 */
static void
judge_unread(const struct expansion *e, const char *dir, struct strv *paths)
{
	struct expander *x = e->x;
	struct path_fact f;

	host_resolve(x->a, dir, &f);
	if (f.stuck != NULL)
		host_resolve(x->a, f.stuck, &f);
	if (f.err != 0)
		return;
	bool opens = f.uid == x->h->uid && may_write(x, f.real);
	if (access(f.real, X_OK) != 0 && !opens)
		return;
	if (e->rule->kind == RULE_DENY_READ) {
		errs_at(x->a, x->notes, e->rule->origin,
		    "%s '%s': what it matches in '%s' cannot be found out, so all of it "
		    "is "
		    "denied",
		    kind_word(e->rule), e->rule->written, f.real);
		strv_push(x->a, paths, f.real);
	} else if (e->rule->kind == RULE_DENY_WRITE && writes_below(x, f.real)) {
		errs_at(x->a, x->errs, e->rule->origin,
		    "%s '%s' cannot be held: what it matches in '%s' cannot be found out",
		    kind_word(e->rule), e->rule->written, f.real);
	}
}

static void
judge_walk(const struct expansion *e, const struct glob *g, struct strv *paths)
{
	struct expander *x = e->x;

	if (e->makes != NULL)
		refuse_later_names(e, e->makes);
	else if (g->stopped != NULL)
		errs_at(x->a, x->errs, e->rule->origin,
		    "%s '%s': the search for what it matches stopped short: %s [name the "
		    "files, or a smaller directory]",
		    kind_word(e->rule), e->rule->written, g->stopped);
	for (size_t i = 0; i < g->unread.n; i++)
		judge_unread(e, g->unread.v[i], paths);
}

/* Where the part before the pattern is missing: nothing to match, until it is made. */
static void
judge_base(const struct expansion *e, const struct path_fact *base, struct strv *paths)
{
	struct expander *x = e->x;

	if (e->rule->kind == RULE_DENY_WRITE && base->err == ENOENT &&
	    base->real != NULL) {
		const char *dir = arena_strndup(x->a, base->real, base->existing_len);
		if (may_write(x, dir))
			refuse_later_names(e, dir);
	} else if (is_deny(e->rule) && base->stuck != NULL) {
		judge_unread(e, base->stuck, paths);
	} else if (!is_deny(e->rule) && base->err != ENOENT && base->err != 0) {
		errs_at(x->a, x->errs, e->rule->origin, "%s '%s': %s", kind_word(e->rule),
		    e->rule->written, strerror(base->err));
	}
}

/* A deny_write is lost with a link on the way that the command replaces. */
static bool
judge_links(const struct expansion *e, const struct path_fact *base)
{
	for (size_t i = 0; e->rule->kind == RULE_DENY_WRITE && i < base->nlinks; i++) {
		if (!may_write(e->x, base->links[i].path))
			continue;
		errs_at(e->x->a, e->x->errs, e->rule->origin,
		    "%s '%s' goes through the link '%s', which the command could replace "
		    "[name the target '%s']",
		    kind_word(e->rule), e->rule->written, base->links[i].path,
		    base->real != NULL ? base->real : "");
		return false;
	}
	return true;
}

static int
compare_paths(const void *x, const void *y)
{
	return path_compare(*(const char *const *)x, *(const char *const *)y);
}

static size_t
walk(struct expansion *e, const struct path_fact *base, struct strv *paths)
{
	struct expander *x = e->x;
	struct glob g = {.a = x->a,
	    .budget = &x->budget,
	    .deny = is_deny(e->rule),
	    .enter = enter,
	    .wanted = wanted,
	    .arg = e};

	/* An allow keeps the links on the way in its name: mounts.c judges them. */
	glob_walk(&g, g.deny ? base->real : e->base, e->tail);
	if (g.matches.n > 1)
		qsort(g.matches.v, g.matches.n, sizeof(*g.matches.v), compare_paths);
	for (size_t i = 0; i < g.matches.n; i++)
		if (i == 0 || strcmp(g.matches.v[i], g.matches.v[i - 1]) != 0)
			strv_push(x->a, paths, g.matches.v[i]);
	judge_walk(e, &g, paths);
	return g.found;
}

/* Directories that are made before the start are as good as there. */
static void
add_made(const struct expansion *e, const struct path_fact *base, struct strv *paths)
{
	for (size_t i = 0; i < e->x->s->ncreate; i++) {
		const struct path_fact *f = &e->x->s->create[i];
		const char *p = f->err == ENOENT ? f->real : NULL;
		for (; p != NULL && strlen(p) > f->existing_len;
		     p = path_parent(e->x->a, p))
			if (path_match_below(base->real, e->tail, p))
				strv_push(e->x->a, paths, p);
	}
}

size_t
expand_rule(struct expander *x, const struct layer_facts *layer,
    const struct path_rule *r, struct strv *paths)
{
	size_t found = 0, at = r->pattern_at, faults = x->errs->text.n, before = paths->n;
	struct expansion e = {.x = x, .layer = layer, .rule = r, .tail = r->path + at};
	struct path_fact base;

	e.base = path_normalise(x->a, arena_strndup(x->a, r->path, at), "/");
	if (strcmp(e.tail, "..") == 0 || strstr(e.tail, "/../") != NULL ||
	    str_ends(e.tail, "/..")) {
		errs_at(x->a, x->errs, r->origin, "%s '%s' has '..' behind a pattern",
		    kind_word(r), r->written);
		return 0;
	}
	host_resolve(x->a, e.base, &base);
	if (!judge_links(&e, &base))
		return 0;
	if (base.err == 0 && base.kind == FILE_DIR)
		found = walk(&e, &base, paths);
	else
		judge_base(&e, &base, paths);
	if (base.real != NULL)
		add_made(&e, &base, paths);
	if (!is_deny(r) && paths->n == before && x->errs->text.n == faults)
		errs_at(x->a, x->errs, r->origin,
		    "%s '%s' matches nothing [a pattern means what exists at the "
		    "start%s]",
		    kind_word(r), r->written,
		    r->kind == RULE_ALLOW_WRITE ? "; 'create = PATH' makes a directory"
		                                : "");
	return found;
}
