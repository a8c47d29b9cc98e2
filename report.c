/*
 * report.c: what a person sees of a policy: --check and --print. Text only: no writing,
 * no decision of its own (it asks rules.c and the plan).
 */
#include "report.h"

#include <errno.h>
#include <string.h>

#include "filter.h"
#include "mounts.h"
#include "rules.h"

struct out {
	struct arena *a;
	struct bytes b;
};

#define PUT(o, ...) bytes_printf((o)->a, &(o)->b, __VA_ARGS__)

const char *
report_quote(struct arena *a, const char *word)
{
	static const char plain[] =
	    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,+@%";
	if (*word != '\0' && word[strspn(word, plain)] == '\0')
		return word;
	struct bytes b = {NULL, 0, 0};
	bytes_puts(a, &b, "'");
	for (const char *p = word; *p != '\0'; p++)
		bytes_add(a, &b, *p == '\'' ? "'\\''" : p, *p == '\'' ? 4 : 1);
	bytes_add(a, &b, "'", 2);
	return b.data;
}

/* A name that the command may have chosen must not reach the terminal as control bytes. */
static const char *
shown(struct arena *a, const char *text)
{
	char *copy = arena_strdup(a, text);
	for (char *p = copy; *p != '\0'; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			*p = '?';
	return copy;
}

static const char *
ms_text(struct arena *a, int64_t ms)
{
	if (ms < 0)
		return "none";
	if (ms % 1000 != 0)
		return arena_printf(a, "%lldms", (long long)ms);
	return arena_printf(a, "%llds", (long long)(ms / 1000));
}

static void
put_row(struct out *o, const char *name, const char *value)
{
	PUT(o, "%-20s %s\n", name, shown(o->a, value));
}

static void
put_rule(struct out *o, const struct rule_fact *r)
{
	if (r->fact.real == NULL || str_starts(r->rule->origin.file, "mandatory"))
		return;
	PUT(o, "  %-12s %s", rule_kind_names[r->rule->kind], shown(o->a, r->fact.real));
	if (r->rule->matched || strcmp(r->fact.real, r->rule->path) != 0)
		PUT(o, " (written '%s')", shown(o->a, r->rule->written));
	PUT(o, "  [%s]\n", origin_text(o->a, r->rule->origin));
}

/* Whether the rule is of the same mention of a named set as r. */
static bool
same_mention(const struct path_rule *r, const struct path_rule *other)
{
	return r->kind == other->kind && r->origin.line == other->origin.line &&
	       strcmp(r->origin.file, other->origin.file) == 0 &&
	       strcmp(r->written, other->written) == 0;
}

/*
 * A named set that a layer mentions, when its first rule comes by. The survey may have
 * left out what does not exist, so the rules are the policy's, and what exists is counted.
 */
static void
put_set(
    struct out *o, const struct layer *l, size_t first, const struct layer_facts *facts)
{
	const struct path_rule *r = &l->rules[first];
	size_t members = 0, here = 0, made = 0;
	for (size_t i = 0; i < first; i++)
		if (same_mention(r, &l->rules[i]))
			return;
	for (size_t i = first; i < l->nrules; i++)
		members += same_mention(r, &l->rules[i]);
	for (size_t i = 0; i < facts->nrules; i++)
		if (same_mention(r, facts->rules[i].rule)) {
			here += facts->rules[i].fact.err == 0;
			made += facts->rules[i].fact.err == ENOENT;
		}
	PUT(o, "  %-12s %s: %zu paths, %zu exist here%s  [%s]\n",
	    rule_kind_names[r->kind], r->written, members, here,
	    made == 0 ? "" : arena_printf(o->a, ", %zu are made before the start", made),
	    origin_text(o->a, r->origin));
}

static bool
of_set(const struct path_rule *r)
{
	return r->optional && r->written[0] == '@';
}

#define LISTED_MATCHES 20

/* Whether it is one of so many matches of a pattern that they are rather counted. */
static bool
of_many(const struct layer_facts *facts, const struct path_rule *r)
{
	size_t n = 0;
	for (size_t i = 0; r->matched && i < facts->nrules; i++)
		n += same_mention(r, facts->rules[i].rule);
	return n > LISTED_MATCHES;
}

/* Without 'verbose' a named set is one row, and many matches are none. */
static void
put_rules(struct out *o, const struct report *r)
{
	const struct survey *s = r->survey;
	for (size_t i = 0; i < s->nlayers; i++) {
		const struct layer *l = &r->policy->layers[i];
		for (size_t k = 0; !r->verbose && k < l->nrules; k++)
			if (of_set(&l->rules[k]))
				put_set(o, l, k, &s->layers[i]);
		for (size_t k = 0; k < s->layers[i].nrules; k++)
			if (r->verbose ||
			    (!of_set(s->layers[i].rules[k].rule) &&
			        !of_many(&s->layers[i], s->layers[i].rules[k].rule)))
				put_rule(o, &s->layers[i].rules[k]);
	}
}

/* What a pattern is worth: what exists at the start, and what comes later. */
static void
put_patterns(struct out *o, const struct survey *s)
{
	static const char *const later[] = {
	    [RULE_DENY_READ] = "closed, and what appears later only below them",
	    [RULE_ALLOW_READ] = "opened, and what appears later only below them",
	    [RULE_ALLOW_WRITE] = "opened, and what appears later only below them",
	    [RULE_DENY_WRITE] = "held, and the command can make no other",
	};

	for (size_t i = 0; i < s->npatterns; i++) {
		const struct path_rule *r = s->patterns[i].rule;
		PUT(o, "  %-12s %s: %zu names that exist at the start are %s  [%s]\n",
		    rule_kind_names[r->kind], shown(o->a, r->written),
		    s->patterns[i].matches, later[r->kind], origin_text(o->a, r->origin));
	}
}

/* The operations by kind, as in "12 mounts: 1 root read-only, 3 closed, …". */
static void
put_mounts(struct out *o, const struct mount_plan *m)
{
	size_t mounts = 0;
	const char *detail = "";
	for (int kind = MOUNT_ROOT_RO; kind <= MOUNT_LINK; kind++) {
		size_t n = 0;
		for (size_t i = 0; i < m->n; i++)
			n += (int)m->ops[i].kind == kind;
		if (n > 0)
			detail = arena_printf(o->a, "%s%s%zu %s", detail,
			    *detail != '\0' ? ", " : "", n,
			    mount_kind_name((enum mount_kind)kind));
		if (kind != MOUNT_LINK)
			mounts += n;
	}
	PUT(o, "%-20s %zu (%s)", "mounts", mounts, detail);
	if (m->dropped > 0)
		PUT(o, "; %zu rules implied by others", m->dropped);
	PUT(o, "\n");
}

/* Whether the name stands in the directory of path, whose text with its slash has n bytes. */
static bool
same_directory(const char *name, const char *path, size_t n)
{
	return strncmp(name, path, n) == 0 && strchr(name + n, '/') == NULL;
}

/* The missing names below one directory, in a row, when the first of them comes by. */
static void
put_held(struct out *o, const struct protection *p, size_t first)
{
	const char *path = p->v[first].path;
	size_t n = (size_t)(strrchr(path, '/') - path) + 1;
	for (size_t i = 0; i < first; i++)
		if (p->v[i].missing && same_directory(p->v[i].path, path, n))
			return;
	const char *names = "";
	for (size_t i = first; i < p->n; i++)
		if (p->v[i].missing && same_directory(p->v[i].path, path, n))
			names = arena_printf(o->a, "%s %s", names, p->v[i].path + n);
	PUT(o, "  %-12s %s:%s\n", "held", shown(o->a, arena_strndup(o->a, path, n)),
	    shown(o->a, names));
}

/* What of the mandatory deny set was found, and how each is held. */
static void
put_protected(struct out *o, const struct protection *p, bool verbose)
{
	size_t missing = 0;
	for (size_t i = 0; i < p->n; i++)
		missing += p->v[i].missing;
	PUT(o,
	    "%-20s %zu protected, %zu names held that do not exist (%zu directories "
	    "seen)\n",
	    "mandatory deny set", p->n - missing, missing, p->directories);
	for (size_t i = 0; i < p->n; i++)
		if (p->v[i].missing && !verbose)
			put_held(o, p, i);
		else
			PUT(o, "  %-12s %s  [%s]\n",
			    p->v[i].missing ? "held" : "read-only",
			    shown(o->a, p->v[i].path), p->v[i].reason);
	for (size_t i = 0; i < p->stopped.n; i++)
		PUT(o, "  %s\n", shown(o->a, p->stopped.v[i]));
}

/* "writable", "to be made, writable", "read-only: it is the home directory" */
static const char *
cwd_text(struct arena *a, const struct survey *s)
{
	return arena_printf(a, "%s (%s%s%s%s)", s->working_directory.real,
	    s->working_directory.err != 0 ? "to be made, " : "",
	    s->cwd_is_root ? "writable" : "read-only", s->cwd_note != NULL ? ": " : "",
	    s->cwd_note != NULL ? s->cwd_note : "");
}

/* What stands behind the options is not started, and that is said. */
static void
put_command(struct out *o, const struct strv *argv)
{
	const char *text = "";
	for (size_t i = 0; i < argv->n; i++)
		text = arena_printf(o->a, "%s%s ", text, report_quote(o->a, argv->v[i]));
	if (argv->n > 0)
		put_row(o, "command", arena_printf(o->a, "%s(not started)", text));
}

static const char *
unix_text(const struct policy *p)
{
	static const char *const names[] = {
	    [UNIX_NONE] = "none",
	    [UNIX_INSIDE] = "none (inside is not built yet: the command cannot open any)",
	    [UNIX_ALL] = "all",
	};
	return names[p->unix_mode];
}

const char *
report_check(struct arena *a, const struct report *r)
{
	static const char *const nets[] = {"none", "restricted", "all"};
	static const char *const temps[] = {"tmp", "private", "host"};
	struct out o = {a, {NULL, 0, 0}};
	const struct policy *p = r->policy;
	const struct survey *s = r->survey;
	unsigned missing = policy_needs(p) & ~r->launch->enforced;

	put_row(&o, "grant", origin_text(a, p->source.origin));
	put_row(&o, "isolation",
	    arena_printf(a, "%s%s%s", r->launch->backend->name,
	        *r->backend_reason != '\0' ? ": " : "", r->backend_reason));
	put_row(&o, "enforced", enforce_text(a, r->launch->enforced & policy_needs(p)));
	put_row(&o, "not enforced", enforce_text(a, missing));
	put_command(&o, &r->launch->argv);
	put_row(&o, "working directory", cwd_text(a, s));
	put_row(&o, "temp", temps[p->temp]);
	put_row(&o, "network", nets[p->net]);
	put_row(&o, "unix sockets", unix_text(p));
	put_row(&o, "timeout",
	    arena_printf(a, "%s, kill after %s", ms_text(a, p->timeout_ms),
	        ms_text(a, p->kill_after_ms)));
	put_row(&o, "read and write", "read everywhere, write nowhere, but for");
	put_rules(&o, r);
	put_patterns(&o, s);
	put_protected(&o, r->protection, r->verbose);
	if (r->launch->mounts != NULL)
		put_mounts(&o, r->launch->mounts);
	for (size_t i = 0; i < r->notes->text.n; i++)
		put_row(&o, "note", r->notes->text.v[i]);
	for (size_t i = 0; i < r->protect_notes->text.n; i++)
		put_row(&o, "note", r->protect_notes->text.v[i]);
	bytes_add(a, &o.b, "", 1);
	return o.b.data;
}

static void
put_words(
    struct out *o, const char *title, const char *const *v, size_t n, const char *between)
{
	PUT(o, "%s:", title);
	for (size_t i = 0; i < n; i++)
		PUT(o, "%s%s", between, report_quote(o->a, v[i]));
	PUT(o, "\n");
}

/* The NUL-separated arguments, an option and its values a line. */
static void
put_args(struct out *o, const struct bytes *args)
{
	PUT(o, "arguments by descriptor:");
	for (size_t at = 0; at < args->len; at += strlen(args->data + at) + 1)
		PUT(o, "%s%s", str_starts(args->data + at, "--") ? "\n  " : " ",
		    report_quote(o->a, args->data + at));
	PUT(o, "\n");
}

const char *
report_print(struct arena *a, const struct report *r)
{
	struct out o = {a, {NULL, 0, 0}};
	const struct launch *l = r->launch;
	PUT(&o, "isolation: %s\n", l->backend->name);
	if (l->helper_argv.n > 0) {
		put_words(&o, "helper", l->helper_argv.v, l->helper_argv.n, " ");
		put_args(&o, &l->helper_args);
	}
	if (l->profile != NULL) {
		put_words(
		    &o, "parameters", l->profile_params.v, l->profile_params.n, "\n  ");
		PUT(&o, "profile:\n%s", l->profile);
	}
	size_t filter_len = 0;
	if (l->filter != NULL)
		filter_for(*l->filter, &filter_len);
	PUT(&o, "filter: %zu instructions\n", filter_len / 8);
	PUT(&o, "working directory: %s\n", report_quote(a, l->working_directory));
	put_words(&o, "environment", l->envp.v, l->envp.n, "\n  ");
	if (l->argv.n > 0)
		put_words(&o, "command", l->argv.v, l->argv.n, " ");
	bytes_add(a, &o.b, "", 1);
	return o.b.data;
}
