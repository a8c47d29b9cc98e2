/*
 * protect.c: the mandatory deny set on this host. Joins the table (deny_set.c), the walk
 * (scan.c), git's files (gitdir.c) and the held names (placeholder.c) into deny_write
 * rules, which then go the way of every rule: decided by rules.c, mounted by mounts.c.
 *
 * A directory in which names are held is locked before it is looked at, so that what is
 * seen there cannot be another run's placeholder that vanishes in the next moment.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "env.h"
#include "path.h"
#include "protectalias.h"
#include "protectgit.h"
#include "protecthome.h"
#include "scancache.h"
#include "sys.h"

#define ORIGIN      "mandatory deny set"
#define STEERS      "the grant in force, or srun's own state"
#define NAMES_MOST  10000 /* held, of all write roots and repositories */
#define CACHE_LIMIT (8 * 1024 * 1024)
const struct scan_limits protect_limits = {
    .directories = 20000, .depth = 16, .milliseconds = 500};

bool
protect_writable(const struct protector *x, const char *path)
{
	return rules_own_place(path) == NULL &&
	       rules_decide(x->s, path, NULL) == ACCESS_WRITE;
}

/* Every run changes what is in it, which is nothing to tell at the end of one. */
static const char state_reason[] = "srun keeps its runs there";

static void
note_name(struct protector *x, const char *path, const char *reason, bool missing)
{
	struct protection *o = x->out;
	o->v = arena_grow(x->a, o->v, o->n, sizeof(*o->v));
	o->v[o->n++] = (struct protected_name){path, reason, missing};
	if (x->holds != NULL && reason != state_reason)
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

static void
fail_hold(struct protector *x, const char *path, int err)
{
	if (strv_has(&x->failed, path))
		return;
	strv_push(x->a, &x->failed, path);
	x->out->vanished = x->out->vanished || err == ENOENT;
	errs_add(x->a, x->errs, "cannot hold '%s' for the mandatory deny set: %s", path,
	    strerror(err));
}

struct hold *
protect_lock(struct protector *x, const char *directory)
{
	int err = 0;
	struct hold *h =
	    x->holds != NULL ? hold_directory(x->a, x->holds, directory, &err) : NULL;
	if (err != 0)
		fail_hold(x, directory, err);
	return h;
}

/* A name in a locked directory; false when it is there and not ours, or with an error. */
static bool
make_name(struct protector *x, struct hold *h, const char *name, enum deny_hold how)
{
	if (hold_make(x->a, x->holds, h, name, how))
		return true;
	if (errno != EEXIST)
		fail_hold(x, path_join(x->a, h->directory, name), errno);
	return false;
}

/* What another run holds is as good as missing: it is held here as well. */
static bool
is_there(const struct protector *x, const char *path, struct stat *st)
{
	if (lstat(path, st) != 0)
		return false;
	return x->holds == NULL || (S_ISREG(st->st_mode) && st->st_size > 2) ||
	       !hold_is_ours(x->a, x->holds, path);
}

/* Whether the caller may write it or could say so: root has no privileges inside. */
static bool
is_ours_to_change(const struct protector *x, const char *path, struct stat *st)
{
	if (lstat(path, st) != 0)
		return true;
	return st->st_uid == x->h->uid || (st->st_mode & (S_IWGRP | S_IWOTH)) != 0 ||
	       (x->h->uid != 0 && access(path, W_OK) == 0);
}

/* Whether the command could go on from this directory: root has no privileges inside. */
static bool
can_enter(const struct protector *x, const char *directory)
{
	struct stat st;
	if (x->h->uid != 0)
		return access(directory, X_OK) == 0 || errno != EACCES;
	if (lstat(directory, &st) != 0)
		return true;
	mode_t bits = st.st_uid == 0 ? S_IXUSR : S_IXOTH | (st.st_gid == 0 ? S_IXGRP : 0);
	return (st.st_mode & bits) != 0;
}

/* The highest directory on the way that the command cannot enter, or path itself. */
static const char *
entered(const struct protector *x, const char *path)
{
	for (const char *at = path; at[1] != '\0';) {
		at = path_parent(x->a, at);
		if (!can_enter(x, at))
			path = at;
	}
	return path;
}

/*
 * Whether the file system itself would let the command change a name, or a directory on the
 * way to it: what belongs to others in a shared place needs no mount, and may be gone soon.
 */
static bool
within_reach(const struct protector *x, const char *path)
{
	struct stat st, above;
	if (is_ours_to_change(x, path, &st))
		return true;
	while (path[1] != '\0') {
		path = path_parent(x->a, path);
		if (!protect_writable(x, path))
			return false;
		bool change = is_ours_to_change(x, path, &above);
		/* In a sticky directory only the owner of a name can take it away. */
		bool sticky = (above.st_mode & S_ISVTX) != 0 && above.st_uid != x->h->uid;
		if (change && !sticky)
			return true;
		st = above;
	}
	return false;
}

bool
protect_links(struct protector *x, const struct path_fact *f, const char *reason)
{
	bool any = false;
	for (size_t i = 0; i < f->nlinks; i++) {
		const char *link = f->links[i].path;
		if (!protect_writable(x, link) || !within_reach(x, link))
			continue;
		any = true;
		if (strv_has(&x->links, link))
			continue;
		strv_push(x->a, &x->links, link);
		errs_add(x->a, x->errs,
		    "'%s' is a link, and bubblewrap cannot keep a link from being "
		    "replaced (%s) [put the file itself there, or leave its directory "
		    "out of allow_write]",
		    link, reason);
	}
	return any;
}

void
protect_existing(struct protector *x, const char *path, const char *reason)
{
	struct path_fact f;
	host_resolve(x->a, path, &f);
	if (protect_links(x, &f, reason) || f.err != 0)
		return;
	/* Where nobody can go nothing can be mounted either: then the closed door is held. */
	host_resolve(x->a, entered(x, f.real), &f);
	if (f.err != 0 || is_known(x, f.real) || !protect_writable(x, f.real) ||
	    !within_reach(x, f.real))
		return;
	note_name(x, f.real, reason, false);
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
	struct stat st;
	struct hold *h = protect_lock(x, directory);
	const char *path = path_join(x->a, directory, name);
	if (lstat(path, &st) == 0)
		return S_ISDIR(st.st_mode);
	if (x->holds == NULL)
		return true;
	return h != NULL && (make_name(x, h, name, HOLD_PARENT) ||
	                        (lstat(path, &st) == 0 && S_ISDIR(st.st_mode)));
}

/* directory/name, one component, is missing: make it and deny it. */
static void
hold_name(struct protector *x, const char *directory, const char *name,
    enum deny_hold how, const char *reason)
{
	const char *path = path_join(x->a, directory, name);
	if (is_known(x, path) || !protect_writable(x, path))
		return;
	if (entered(x, path) != path) {
		protect_existing(x, directory, reason);
		return;
	}
	if (x->holds != NULL) {
		struct hold *h = protect_lock(x, directory);
		/* A directory that is not the caller's to write is not the command's either. */
		if (h == NULL)
			return;
		if (!make_name(x, h, name, how)) {
			protect_existing(x, path, reason);
			return;
		}
	} else if (access(path, F_OK) == 0) {
		protect_existing(x, path, reason);
		return;
	}
	struct path_fact f = held_fact(path, how);
	note_name(x, path, reason, true);
	add_rule(x, &f);
}

void
protect_entry(struct protector *x, const char *base, const struct deny_entry *e)
{
	const char *rest = e->path, *directory = base, *path;
	struct stat st;
	if (!protect_writable(x, path_join(x->a, base, e->path)))
		return;
	if (!can_enter(x, base) || entered(x, base) != base) {
		protect_existing(x, base, e->reason);
		return;
	}
	/* Locked first: only then is what lstat() says of a lasting nature. */
	if (e->hold != HOLD_NONE)
		protect_lock(x, base);
	for (size_t n; rest[n = strcspn(rest, "/")] != '\0'; rest += n + 1) {
		char *name = arena_strndup(x->a, rest, n);
		bool missing = !is_there(x, path_join(x->a, directory, name), &st);
		if (missing && (e->hold == HOLD_NONE || e->where == WHERE_INSIDE))
			return;
		/* In a project one held directory does for all that would be in it. */
		if (missing && e->scope == DENY_TREE) {
			hold_name(x, directory, name, e->hold, e->reason);
			return;
		}
		directory = path_join(x->a, directory, name);
		/* A link or a plain file in the way could give way to a directory. */
		if (!missing && !S_ISDIR(st.st_mode)) {
			protect_existing(x, directory, e->reason);
			return;
		}
		if (missing && !make_parent(x, path_parent(x->a, directory), name))
			return;
	}
	path = path_join(x->a, directory, rest);
	if (e->hold != HOLD_NONE)
		protect_lock(x, directory);
	if (is_there(x, path, &st))
		protect_existing(x, path, e->reason);
	else if (e->hold != HOLD_NONE)
		hold_name(x, directory, rest, e->hold, e->reason);
}

/* The first name of a path that is missing, and the directory it is missing from. */
static const char *
first_missing(
    struct arena *a, const struct path_fact *f, const char **directory, bool *last)
{
	const char *rest = f->real + f->existing_len;
	rest += strspn(rest, "/");
	size_t n = strcspn(rest, "/");
	*directory = arena_strndup(a, f->real, f->existing_len);
	*last = rest[n] == '\0';
	return arena_strndup(a, rest, n);
}

void
protect_path(
    struct protector *x, const char *path, enum deny_hold how, const char *reason)
{
	struct path_fact f;
	const char *directory;
	bool last;
	host_resolve(x->a, path, &f);
	if (protect_links(x, &f, reason) || f.real == NULL ||
	    !protect_writable(x, f.real))
		return;
	if (x->holds != NULL && how != HOLD_NONE) {
		if (f.err == ENOENT)
			first_missing(x->a, &f, &directory, &last);
		else
			directory = path_parent(x->a, f.real);
		protect_lock(x, directory);
		host_resolve(x->a, path, &f);
	}
	/* Where a plain file stands in the way, it must stay. */
	struct stat st;
	if (f.err == 0 && how != HOLD_NONE && !is_there(x, f.real, &st)) {
		hold_name(x, path_parent(x->a, f.real), path_base(f.real), how, reason);
	} else if (f.err == 0 || f.err == ENOTDIR) {
		protect_existing(x, f.real, reason);
	} else if (f.err == ENOENT && f.real != NULL && how != HOLD_NONE) {
		const char *name = first_missing(x->a, &f, &directory, &last);
		hold_name(x, directory, name, last ? how : HOLD_DIR, reason);
	}
}

/* ---- what the grant denies and is missing ---- */

/* The highest directory above path that the command may write; NULL when there is none. */
static const char *
highest_writable(const struct protector *x, const char *path)
{
	const char *found = NULL;
	for (const char *at = path; at[1] != '\0';) {
		at = path_parent(x->a, at);
		if (!protect_writable(x, at))
			break;
		found = at;
	}
	return found;
}

static void
hold_denied_name(struct protector *x, struct rule_fact *r, const char *directory)
{
	struct path_fact *f = &r->fact;
	if (x->holds != NULL) {
		struct hold *h = protect_lock(x, directory);
		if (h == NULL) {
			/* What is not the caller's to make is not the command's either. */
			f->real = NULL;
			return;
		}
		if (!make_name(x, h, path_base(f->real), HOLD_DIR)) {
			host_resolve(x->a, r->rule->path, f);
			return;
		}
	}
	note_name(x, f->real, rule_kind_names[r->rule->kind], true);
	struct path_fact held = held_fact(f->real, HOLD_DIR);
	held.links = f->links;
	held.nlinks = f->nlinks;
	*f = held;
}

/*
 * From the top down, each directory locked before it is looked into, so that what another
 * run holds does not vanish in between. Directories on the way are made too, and stay
 * writable: nobody denied them.
 */
static void
hold_denied(struct protector *x, struct rule_fact *r)
{
	const char *directory = highest_writable(x, r->fact.real);
	const char *rest = directory != NULL ? r->fact.real + strlen(directory) : NULL;
	struct stat st;
	while (directory != NULL) {
		rest += strspn(rest, "/");
		size_t n = strcspn(rest, "/");
		const char *name = arena_strndup(x->a, rest, n);
		const char *path = path_join(x->a, directory, name);
		protect_lock(x, directory);
		if (rest[n] == '\0') {
			if (is_there(x, path, &st))
				host_resolve(x->a, r->rule->path, &r->fact);
			else
				hold_denied_name(x, r, directory);
			return;
		}
		if (!make_parent(x, directory, name)) {
			if (access(directory, W_OK) != 0)
				r->fact.real = NULL;
			return;
		}
		directory = path;
		rest += n;
	}
}

/* A denied name that does not exist must not be made either. */
static void
hold_all_denied(struct protector *x)
{
	for (size_t i = 0; i < x->s->nlayers; i++)
		for (size_t k = 0; k < x->s->layers[i].nrules; k++) {
			struct rule_fact *r = &x->s->layers[i].rules[k];
			bool deny = r->rule->kind == RULE_DENY_READ ||
			            r->rule->kind == RULE_DENY_WRITE;
			bool maybe = r->fact.err == ENOENT ||
			             (r->fact.err == 0 && r->fact.kind == FILE_DIR);
			if (deny && !r->rule->optional && r->fact.real != NULL && maybe)
				hold_denied(x, r);
		}
}

/* ---- the parts ---- */

static void
collect_roots(struct protector *x)
{
	for (size_t i = 0; i < x->s->layers[0].nrules; i++) {
		const struct rule_fact *r = &x->s->layers[0].rules[i];
		if (r->rule->kind != RULE_ALLOW_WRITE || r->fact.real == NULL ||
		    strv_has(&x->roots, r->fact.real) ||
		    !protect_writable(x, r->fact.real))
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
	const char *name = x->holds != NULL ? hold_cache_name(x->a, root, ".scan") : NULL;
	if (name != NULL &&
	    sys_read_file(x->a, x->holds->statefd, name, CACHE_LIMIT, &old) == 0)
		known = scan_decode(x->a, old.data, old.len);
	if (known != NULL)
		hold_touch_cache(x->holds->statefd, name);
	size_t read = x->scan.read, stops = x->scan.nstops;
	const struct scan_node *tree =
	    scan_tree(x->a, root, &protect_limits, known, &x->scan);
	exit_check_root(x->a, &x->out->exit, root, x->scan.nstops == stops ? tree : NULL);
	/* A few directories are read faster than a file is written. */
	if (name == NULL || tree == NULL || x->scan.read - read < 32)
		return;
	scan_encode(x->a, tree, &new);
	if (new.len <= CACHE_LIMIT)
		hold_write_cache(x->a, x->holds->statefd, name, &new);
}

static void
say_stops(struct protector *x)
{
	for (size_t i = 0; i < x->scan.nstops; i++) {
		const struct scan_stop *s = &x->scan.stops[i];
		strv_push(x->a, &x->out->stopped,
		    arena_printf(x->a,
		        "the scan of '%s' for protected names stopped short after %zu "
		        "directories: %s [%sgrant less of it with allow_write]",
		        s->root, s->directories, s->why,
		        s->goes_on ? "the next run goes on from there; or " : ""));
	}
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

/* Where a root is itself the directory of an entry, as ".claude" is. */
static void
protect_rest(struct protector *x, const char *root, const struct deny_entry *e)
{
	const char *slash = strchr(e->path, '/'), *name = path_base(root);
	struct deny_entry rest = *e;
	if (slash == NULL || strlen(name) != (size_t)(slash - e->path) ||
	    strncmp(name, e->path, strlen(name)) != 0)
		return;
	rest.path = slash + 1;
	protect_entry(x, root, &rest);
}

/* Names are not made in thousands, only to find that they cannot all be mounted. */
static bool
too_many_tops(struct protector *x)
{
	size_t names = 0, tops = x->roots.n + x->scan.repos.n;
	for (size_t i = 0; i < deny_set_size; i++)
		names += deny_set[i].scope == DENY_TREE && deny_set[i].hold != HOLD_NONE;
	if (tops * names <= NAMES_MOST)
		return false;
	errs_add(x->a, x->errs,
	    "this grant writes in %zu directories and %zu repositories, and the names of "
	    "the mandatory deny set in each are more than can be mounted [name a "
	    "directory above them, or grant less]",
	    x->roots.n, x->scan.repos.n);
	return true;
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
		for (size_t k = 0; e->where != WHERE_REPO && k < x->roots.n; k++) {
			protect_entry(x, x->roots.v[k], e);
			protect_rest(x, x->roots.v[k], e);
		}
	}
}

static void
protect_files(struct protector *x, const struct protect_files *files)
{
	if (x->s->self.err == 0 && x->s->self.real != NULL)
		protect_existing(x, x->s->self.real, "srun itself");
	for (size_t i = 0; i < files->paths.n; i++)
		protect_path(x, files->paths.v[i], HOLD_NONE, STEERS);
	for (size_t i = 0; i < files->places.n; i++)
		protect_path(x, files->places.v[i], HOLD_DIR, state_reason);
}

/* ---- roots that lie in the set ---- */

/* Whether a repository of its own lies between a name of the set and a root below it. */
static bool
has_repository(struct protector *x, const char *root, size_t len)
{
	const char *at = root;
	for (; strlen(at) > len; at = path_parent(x->a, at))
		if (access(path_join(x->a, at, ".git"), F_OK) == 0)
			return true;
	return false;
}

/*
 * A name of the set that is the root or above it: the walk starts below and does not see
 * it. NULL when there is none. What somebody checked out in there is a project.
 */
static const char *
set_above(struct protector *x, const char *root, const char **reason)
{
	const char *part = NULL, *home = x->s->home.err == 0 ? x->s->home.real : NULL;
	*reason = "git runs or obeys it";
	if (protect_git_part(x, root, &part))
		return part;
	for (size_t i = 0; home != NULL && i < deny_set_size; i++) {
		part = path_join(x->a, home, deny_set[i].path);
		*reason = deny_set[i].reason;
		if (deny_set[i].scope == DENY_HOME && path_within(root, part) &&
		    !has_repository(x, root, strlen(part)))
			return part;
	}
	for (const char *at = root; strcmp(at, "/") != 0; at = path_parent(x->a, at)) {
		const char *dir = path_parent(x->a, at);
		const struct deny_entry *e =
		    deny_set_tree(path_base(dir), path_base(at), scan_folds_case(dir));
		if (e == NULL || has_repository(x, root, strlen(at)))
			continue;
		*reason = e->reason;
		return at;
	}
	return NULL;
}

static void
protect_roots(struct protector *x)
{
	struct layer_facts *l = &x->s->layers[0];
	for (size_t i = 0, n = l->nrules; i < n; i++) {
		const struct path_fact f = l->rules[i].fact;
		const char *reason;
		if (l->rules[i].rule->kind != RULE_ALLOW_WRITE || f.real == NULL ||
		    !protect_writable(x, f.real))
			continue;
		const char *name = set_above(x, f.real, &reason);
		if (name == NULL)
			continue;
		struct path_fact set;
		host_resolve(x->a, name, &set);
		note_name(x, name, reason, false);
		add_rule(x, set.err == 0 ? &set : &f);
		if (l->rules[i].rule->optional)
			errs_add(x->a, x->notes, "'%s' is read-only: '%s' is in the %s",
			    f.real, name, ORIGIN);
	}
	/* A directory that cannot be listed may hold anything, and could be opened up inside. */
	for (size_t i = 0; i < x->scan.unread.n; i++)
		protect_existing(x, x->scan.unread.v[i], "what is in it cannot be seen");
}

/* ---- other names of the same files ---- */

static const char *
reason_of(const struct protector *x, const char *path)
{
	for (size_t i = 0; i < x->out->n; i++)
		if (strcmp(x->out->v[i].path, path) == 0)
			return x->out->v[i].reason;
	return "by another name";
}

/* "allow_write = ~/.ssh" grants nothing, so it must not look as if it did. */
static void
judge_grants(struct protector *x)
{
	for (size_t i = 0; i < x->s->nlayers; i++)
		for (size_t k = 0; k < x->s->layers[i].nrules; k++) {
			const struct rule_fact *r = &x->s->layers[i].rules[k];
			const struct path_rule *why = NULL;
			/* A pattern has its effect on the other names that it matches. */
			if (r->rule->kind != RULE_ALLOW_WRITE || r->rule->optional ||
			    r->rule->matched || r->fact.real == NULL)
				continue;
			rules_decide(x->s, r->fact.real, &why);
			if (why != NULL && strcmp(why->origin.file, ORIGIN) == 0)
				errs_at(x->a, x->errs, r->rule->origin,
				    "allow_write '%s' has no effect: '%s' is in the "
				    "mandatory deny set (%s)",
				    r->rule->written, why->path, reason_of(x, why->path));
		}
}

/* A link that is the directory of entries: what is there by way of it is theirs. */
static void
protect_way(struct protector *x, const char *link)
{
	for (size_t i = 0; i < deny_set_size; i++) {
		const char *slash = strchr(deny_set[i].path, '/');
		if (deny_set[i].scope != DENY_TREE || slash == NULL ||
		    strncmp(deny_set[i].path, path_base(link),
		        (size_t)(slash - deny_set[i].path)) != 0)
			continue;
		const char *name = path_join(x->a, link, slash + 1);
		if (access(name, F_OK) == 0)
			protect_existing(x, name, deny_set[i].reason);
	}
}

/* What the walk met. */
static void
protect_found(struct protector *x)
{
	for (size_t i = 0; i < x->scan.nfound; i++) {
		const struct scan_found *f = &x->scan.found[i];
		strv_push(x->a, &x->out->exit.found, f->path);
		if (f->entry != NULL && f->entry->hold != HOLD_NONE)
			protect_lock(x, path_parent(x->a, f->path));
		struct stat st;
		if (f->entry == NULL)
			protect_gitfile(x, f->path);
		else if (f->entry == deny_set_way(path_base(f->path), true))
			protect_way(x, f->path);
		else if (is_there(x, f->path, &st) || f->entry->hold == HOLD_NONE)
			protect_existing(x, f->path, f->entry->reason);
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
	if (too_many_tops(&x))
		return false;
	protect_found(&x);
	for (size_t i = 0; i < x.roots.n; i++)
		protect_enclosing(&x, x.roots.v[i]);
	protect_gitdirs(&x);
	protect_git_global(&x);
	protect_home(&x);
	protect_tops(&x);
	protect_files(&x, files);
	protect_roots(&x);
	hold_all_denied(&x);
	protect_excludes(&x, files->state_dir);
	protect_other_names(&x);
	judge_grants(&x);
	out->exit.gitdirs = x.scan.gitdirs;
	say_stops(&x);
	out->directories = x.scan.directories;
	return errs->text.n == before;
}
