/*
 * protect.c: the mandatory deny set on this host. Joins the table (deny_set.c), the walk
 * (scan.c), git's files (gitdir.c) and the held names (placeholder.c) into deny_write
 * rules, which then go the way of every rule: decided by rules.c, mounted by mounts.c.
 *
 * A directory in which names are held is locked before it is looked at, so that what is
 * seen there cannot be another run's placeholder that vanishes in the next moment.
 */
#include "protect.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "env.h"
#include "gitdir.h"
#include "path.h"
#include "rules.h"
#include "scan.h"
#include "sys.h"

#define ORIGIN         "mandatory deny set"
#define STEERS "the grant in force, or srun's own state"
#define CACHE_LIMIT    (8 * 1024 * 1024)
#define GIT_FILE_LIMIT (256 * 1024)
const struct scan_limits protect_limits = {
    .directories = 20000, .depth = 16, .milliseconds = 250};

struct protector {
	struct arena *a;
	const struct policy *p;
	const struct host *h;
	struct survey *s;
	struct holds *holds;
	struct protection *out;
	struct errs *errs, *notes;
	struct strv roots; /* write roots that outlive the run, canonical */
	struct scan scan;
};

static bool
is_writable(const struct protector *x, const char *path)
{
	return rules_decide(x->s, path, NULL) == ACCESS_WRITE;
}

static void
note_name(struct protector *x, const char *path, const char *reason, bool missing)
{
	struct protection *o = x->out;
	o->v = arena_grow(x->a, o->v, o->n, sizeof(*o->v));
	o->v[o->n++] = (struct protected_name){path, reason, missing};
	if (x->holds != NULL)
		exit_check_name(x->a, &o->exit, path, missing);
}

static void
add_rule(struct protector *x, const struct path_fact *fact)
{
	struct layer_facts *l = &x->s->layers[0];
	struct path_rule *r = arena_alloc(x->a, sizeof(*r));
	*r = (struct path_rule){.kind = RULE_DENY_WRITE,
	    .path = fact->path,
	    .written = fact->path,
	    .literal = true,
	    .optional = true,
	    .origin = {.file = ORIGIN}};
	l->rules = arena_grow(x->a, l->rules, l->nrules, sizeof(*l->rules));
	l->rules[l->nrules++] = (struct rule_fact){r, *fact};
}

static bool
is_known(const struct protector *x, const char *path)
{
	for (size_t i = 0; i < x->out->n; i++)
		if (strcmp(x->out->v[i].path, path) == 0)
			return true;
	return false;
}

/* A name that exists, where the command could write it. Its last component may be a link. */
static void
deny_existing(struct protector *x, const char *path, const char *reason)
{
	struct path_fact f;
	if (is_known(x, path) || !is_writable(x, path))
		return;
	host_resolve(x->a, path, &f);
	struct stat st;
	if (lstat(path, &st) != 0)
		return;
	note_name(x, path, reason, false);
	if (S_ISLNK(st.st_mode)) {
		errs_add(x->a, x->errs,
		    "'%s' is a link, and bubblewrap cannot keep a link from being "
		    "replaced (%s) [put the file itself there, or leave its directory "
		    "out of allow_write]",
		    path, reason);
		return;
	}
	if (f.err == 0)
		add_rule(x, &f);
}

/* ---- names that do not exist ---- */

static struct path_fact
held_fact(const char *path, enum deny_hold how)
{
	return (struct path_fact){.path = path,
	    .real = path,
	    .kind = how == HOLD_DIR ? FILE_DIR : FILE_REGULAR,
	    .held = how == HOLD_DIR};
}

/* The directory of a held name, when it has to be made too: it stays writable. */
static bool
make_parent(struct protector *x, const char *directory, const char *name)
{
	const char *path = path_join(x->a, directory, name);
	struct stat st;
	int err;
	if (lstat(path, &st) == 0)
		return S_ISDIR(st.st_mode);
	if (x->holds == NULL)
		return true;
	struct hold *h = hold_directory(x->a, x->holds, directory, &err);
	return h != NULL && (hold_make(x->a, h, name, HOLD_DIR) || errno == EEXIST);
}

static void
fail_hold(struct protector *x, const char *path, int err)
{
	errs_add(x->a, x->errs, "cannot hold '%s' for the mandatory deny set: %s", path,
	    strerror(err));
}

/* directory/name, one component, is missing: make it and deny it. */
static void
hold_name(struct protector *x, const char *directory, const char *name,
    const struct deny_entry *e)
{
	const char *path = path_join(x->a, directory, name);
	int err;
	if (is_known(x, path) || !is_writable(x, path))
		return;
	if (x->holds != NULL) {
		struct hold *h = hold_directory(x->a, x->holds, directory, &err);
		if (h == NULL && err != 0)
			fail_hold(x, path, err);
		/* A directory that is not the caller's to write is not the command's either. */
		if (h == NULL)
			return;
		if (!hold_make(x->a, h, name, e->hold)) {
			if (errno != EEXIST)
				fail_hold(x, path, errno);
			else
				deny_existing(x, path, e->reason);
			return;
		}
	} else if (access(path, F_OK) == 0) {
		deny_existing(x, path, e->reason);
		return;
	}
	struct path_fact f = held_fact(path, e->hold);
	note_name(x, path, e->reason, true);
	add_rule(x, &f);
}

/* The entry at base/relative: denied when it exists, held when it does not. */
static void
protect_entry(struct protector *x, const char *base, const struct deny_entry *e)
{
	const char *rest = e->path, *directory = base;
	const char *path = path_join(x->a, base, e->path);
	struct stat st;
	int err;
	if (!is_writable(x, path))
		return;
	/* Locked first: only then is what lstat() says of a lasting nature. */
	if (x->holds != NULL && e->hold != HOLD_NONE)
		hold_directory(x->a, x->holds, base, &err);
	if (lstat(path, &st) == 0 || e->hold == HOLD_NONE) {
		deny_existing(x, path, e->reason);
		return;
	}
	for (size_t n; rest[n = strcspn(rest, "/")] != '\0'; rest += n + 1) {
		char *name = arena_strndup(x->a, rest, n);
		/* In a project one held directory does for all that would be in it. */
		if (e->scope == DENY_TREE && lstat(path_join(x->a, directory, name), &st) != 0) {
			hold_name(x, directory, name, e);
			return;
		}
		if (!make_parent(x, directory, name))
			return;
		directory = path_join(x->a, directory, name);
	}
	hold_name(x, directory, rest, e);
}

/* ---- git ---- */

static bool
read_text(struct protector *x, const char *path, struct bytes *out)
{
	struct stat st;
	return lstat(path, &st) == 0 && S_ISREG(st.st_mode) &&
	       sys_read_file(x->a, AT_FDCWD, path, GIT_FILE_LIMIT, out) == 0;
}

/* Files that a configuration names: hooks and included configurations. */
static void
protect_config_targets(struct protector *x, const char *gitdir)
{
	struct bytes text = {NULL, 0, 0};
	struct strv paths = {NULL, 0};
	if (!read_text(x, path_join(x->a, gitdir, "config"), &text))
		return;
	gitdir_config_paths(x->a, text.data, text.len, &paths);
	const char *top =
	    strcmp(path_base(gitdir), ".git") == 0 ? path_parent(x->a, gitdir) : gitdir;
	const char *bases[] = {top, gitdir};
	for (size_t i = 0; i < paths.n; i++) {
		const char *v = paths.v[i];
		if (str_starts(v, "~/") && x->h->home != NULL)
			v = path_join(x->a, x->h->home, v + 2);
		/* hooksPath counts from the top, include.path from the file: both are held. */
		for (size_t k = 0; k < SRUN_ARRAY_LEN(bases); k++) {
			struct path_fact f;
			host_resolve(x->a, path_normalise(x->a, v, bases[k]), &f);
			if (f.err == 0)
				deny_existing(x, f.real, "a git configuration names it");
		}
	}
}

static void
protect_gitdir(struct protector *x, const char *gitdir)
{
	for (size_t i = 0; i < deny_set_size; i++) {
		const struct deny_entry *e = &deny_set[i];
		bool lifted = x->p->allow_git_config && strcmp(e->path, "config") == 0;
		if (e->scope == DENY_GIT && !lifted)
			protect_entry(x, gitdir, e);
	}
	protect_config_targets(x, gitdir);
}

/* A ".git" file: itself, and the directory it points to where that is writable. */
static void
protect_gitfile(struct protector *x, const char *path)
{
	struct bytes text = {NULL, 0, 0};
	struct path_fact f;
	deny_existing(x, path, "git takes hooks and configuration from where it points");
	if (!read_text(x, path, &text))
		return;
	const char *target = gitdir_of_file(x->a, text.data, text.len);
	if (target == NULL)
		return;
	host_resolve(x->a, path_normalise(x->a, target, path_parent(x->a, path)), &f);
	if (f.err != 0 || f.kind != FILE_DIR)
		return;
	if (is_writable(x, f.real))
		strv_push(x->a, &x->scan.gitdirs, f.real);
	else
		errs_add(x->a, x->notes,
		    "'%s' points to '%s', which is read-only: to commit here add "
		    "allow_write = %s",
		    path, f.real, f.real);
}

/* ---- the parts ---- */

static void
collect_roots(struct protector *x)
{
	for (size_t i = 0; i < x->s->layers[0].nrules; i++) {
		const struct rule_fact *r = &x->s->layers[0].rules[i];
		if (r->rule->kind != RULE_ALLOW_WRITE || r->fact.real == NULL ||
		    strv_has(&x->roots, r->fact.real) || !is_writable(x, r->fact.real))
			continue;
		/* What is made for the run and removed after it is nobody's place to start in. */
		if (x->s->temp_dir != NULL && strcmp(r->fact.real, x->s->temp_dir) == 0)
			continue;
		if (x->p->working_directory_temp &&
		    strcmp(r->fact.real, x->s->working_directory.real) == 0)
			continue;
		struct stat st;
		if (lstat(r->fact.real, &st) == 0 && S_ISDIR(st.st_mode))
			strv_push(x->a, &x->roots, r->fact.real);
	}
}

/* Walks a root with the help of what the last run saw, and keeps what this one sees. */
static void
walk_root(struct protector *x, const char *root)
{
	struct bytes old = {NULL, 0, 0}, new = {NULL, 0, 0};
	const struct scan_node *known = NULL;
	const char *name = x->holds != NULL ? hold_cache_name(x->a, root) : NULL;
	if (name != NULL &&
	    sys_read_file(x->a, x->holds->statefd, name, CACHE_LIMIT, &old) == 0)
		known = scan_decode(x->a, old.data, old.len);
	size_t read = x->scan.read;
	const struct scan_node *tree = scan_tree(x->a, root, &protect_limits, known, &x->scan);
	exit_check_root(x->a, &x->out->exit, root, x->scan.stopped == NULL ? tree : NULL);
	/* A few directories are read faster than a file is written. */
	if (name == NULL || tree == NULL || x->scan.stopped != NULL ||
	    x->scan.read - read < 32)
		return;
	scan_encode(x->a, tree, &new);
	hold_write_cache(x->a, x->holds->statefd, name, &new);
}

/* A root below another is walked with it. */
static bool
inside_another(const struct protector *x, const char *root)
{
	for (size_t i = 0; i < x->roots.n; i++)
		if (strcmp(x->roots.v[i], root) != 0 && path_within(root, x->roots.v[i]))
			return true;
	return false;
}

static void
protect_tops(struct protector *x)
{
	for (size_t i = 0; i < deny_set_size; i++) {
		const struct deny_entry *e = &deny_set[i];
		if (e->scope != DENY_TREE || e->hold == HOLD_NONE)
			continue;
		for (size_t k = 0; k < x->scan.repos.n; k++)
			protect_entry(x, x->scan.repos.v[k], e);
		for (size_t k = 0; e->where == WHERE_ROOT && k < x->roots.n; k++)
			protect_entry(x, x->roots.v[k], e);
	}
}

static void
protect_home(struct protector *x)
{
	const char *home = x->s->home.real;
	if (x->s->home.err != 0 || home == NULL)
		return;
	for (size_t i = 0; i < deny_set_size; i++)
		if (deny_set[i].scope == DENY_HOME)
			protect_entry(x, home, &deny_set[i]);
	const char *path = env_host(x->h, "PATH");
	while (path != NULL && *path != '\0') {
		size_t n = strcspn(path, ":");
		struct path_fact f;
		host_resolve(x->a, arena_strndup(x->a, path, n), &f);
		if (n > 0 && path[0] == '/' && f.err == 0 && path_within(f.real, home) &&
		    !path_within(f.real, x->s->working_directory.real))
			deny_existing(x, f.real,
			    "a directory of PATH: the host runs what is in it");
		path += n;
		path += *path == ':';
	}
}

static void
protect_files(struct protector *x, const struct protect_files *files)
{
	if (x->s->self.err == 0 && x->s->self.real != NULL)
		deny_existing(x, x->s->self.real, "srun itself");
	for (size_t i = 0; i < files->paths.n; i++) {
		struct path_fact f;
		host_resolve(x->a, files->paths.v[i], &f);
		if (f.err != 0)
			continue;
		for (size_t k = 0; k < f.nlinks; k++)
			if (is_writable(x, f.links[k].path))
				deny_existing(x, f.links[k].path, STEERS);
		deny_existing(x, f.real, STEERS);
	}
}

/* "allow_write = ~/.ssh" grants nothing, so it must not look as if it did. */
static void
judge_grants(struct protector *x)
{
	for (size_t i = 0; i < x->s->nlayers; i++)
		for (size_t k = 0; k < x->s->layers[i].nrules; k++) {
			const struct rule_fact *r = &x->s->layers[i].rules[k];
			const struct path_rule *why = NULL;
			if (r->rule->kind != RULE_ALLOW_WRITE || r->rule->optional ||
			    r->fact.real == NULL)
				continue;
			rules_decide(x->s, r->fact.real, &why);
			if (why != NULL && strcmp(why->origin.file, ORIGIN) == 0)
				errs_at(x->a, x->errs, r->rule->origin,
				    "allow_write '%s' has no effect: '%s' is in the "
				    "mandatory deny set",
				    r->rule->written, why->path);
		}
}

bool
protect_survey(struct arena *a, const struct policy *p, const struct host *h,
    struct survey *s, const struct protect_files *files, struct holds *holds,
    struct protection *out, struct errs *errs, struct errs *notes)
{
	struct protector x = {.a = a,
	    .p = p,
	    .h = h,
	    .s = s,
	    .holds = holds,
	    .out = out,
	    .errs = errs,
	    .notes = notes};
	size_t before = errs->text.n;
	collect_roots(&x);
	for (size_t i = 0; i < x.roots.n; i++)
		if (!inside_another(&x, x.roots.v[i]))
			walk_root(&x, x.roots.v[i]);
	for (size_t i = 0; i < x.scan.nfound; i++) {
		int err;
		if (holds != NULL && x.scan.found[i].entry != NULL &&
		    x.scan.found[i].entry->hold != HOLD_NONE)
			hold_directory(
			    a, holds, path_parent(a, x.scan.found[i].path), &err);
		if (x.scan.found[i].entry == NULL)
			protect_gitfile(&x, x.scan.found[i].path);
		else
			deny_existing(
			    &x, x.scan.found[i].path, x.scan.found[i].entry->reason);
	}
	for (size_t i = 0; i < x.scan.gitdirs.n; i++)
		protect_gitdir(&x, x.scan.gitdirs.v[i]);
	protect_home(&x);
	protect_tops(&x);
	protect_files(&x, files);
	judge_grants(&x);
	out->exit.gitdirs = x.scan.gitdirs;
	out->stopped = x.scan.stopped;
	out->directories = x.scan.directories;
	return errs->text.n == before;
}
