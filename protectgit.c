/*
 * protectgit.c: the mandatory deny set in git directories, and whatever git's
 * configuration names: hooks, included files, attributes, a program run by "git status".
 * git itself is never run; its files are read.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "env.h"
#include "gitdir.h"
#include "path.h"
#include "protectgit.h"
#include "sys.h"

#define GIT_FILE_LIMIT (256 * 1024)
#define INCLUDE_DEPTH  10 /* as git's own limit */
#define GIT_POINTS     "git takes hooks and configuration from where it points"
#define GIT_NAMES      "a git configuration names it"

static bool
read_text(struct protector *x, const char *path, struct bytes *out)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
	       sys_read_file(x->a, AT_FDCWD, path, GIT_FILE_LIMIT, out) == 0;
}

/* "~/x" is the home's; "%(prefix)/x" and "~user/x" are not followed. NULL: no path. */
static const char *
expand(struct protector *x, const char *value, const char *base)
{
	if (str_starts(value, "~/") && x->h->home != NULL)
		return path_join(x->a, x->h->home, value + 2);
	if (value[0] == '~' || value[0] == '%')
		return NULL;
	return path_normalise(x->a, value, base);
}

static void
protect_config(struct protector *x, const char *file, const struct strv *tops, int depth)
{
	struct bytes text = {NULL, 0, 0};
	struct git_paths paths = {NULL, 0};
	if (depth > INCLUDE_DEPTH || !read_text(x, file, &text))
		return;
	gitdir_config_paths(x->a, text.data, text.len, &paths);
	for (size_t i = 0; i < paths.n; i++) {
		const struct git_path *p = &paths.v[i];
		enum deny_hold how = p->kind == GIT_PATH_PROGRAM ? HOLD_NONE : HOLD_DIR;
		const char *path;
		if (p->kind == GIT_PATH_INCLUDE) {
			path = expand(x, p->value, path_parent(x->a, file));
			if (path == NULL)
				continue;
			/* git dies on a directory where it includes a file. */
			protect_path(x, path, HOLD_EMPTY_FILE, GIT_NAMES);
			protect_config(x, path, tops, depth + 1);
			continue;
		}
		bool relative = p->value[0] != '/' && p->value[0] != '~';
		if (!relative && (path = expand(x, p->value, "/")) != NULL)
			protect_path(x, path, how, GIT_NAMES);
		for (size_t k = 0; relative && k < tops->n; k++)
			if ((path = expand(x, p->value, tops->v[k])) != NULL)
				protect_path(x, path, how, GIT_NAMES);
	}
}

/* The work trees that obey the configuration in this git directory. */
static void
tops_of(struct protector *x, const char *gitdir, struct strv *out)
{
	const char *shared = path_join(x->a, gitdir, "worktrees");
	if (strcmp(path_base(gitdir), ".git") == 0)
		strv_push(x->a, out, path_parent(x->a, gitdir));
	for (size_t i = 0; i < x->ntops; i++)
		if (strcmp(x->tops[i].gitdir, gitdir) == 0 ||
		    path_within(x->tops[i].gitdir, shared))
			strv_push(x->a, out, x->tops[i].top);
	if (out->n == 0)
		strv_push(x->a, out, gitdir);
}

static void
protect_configs(struct protector *x, const char *gitdir)
{
	struct strv tops = {NULL, 0};
	if (strv_has(&x->configs, gitdir))
		return;
	strv_push(x->a, &x->configs, gitdir);
	tops_of(x, gitdir, &tops);
	protect_config(x, path_join(x->a, gitdir, "config"), &tops, 0);
	protect_config(x, path_join(x->a, gitdir, "config.worktree"), &tops, 0);
}

/* The directory that a worktree's shares with the repository it belongs to; NULL: none. */
static const char *
common_directory(struct protector *x, const char *gitdir)
{
	struct bytes text = {NULL, 0, 0};
	struct path_fact f;
	if (!read_text(x, path_join(x->a, gitdir, "commondir"), &text))
		return NULL;
	size_t n = strcspn(text.data, "\r\n");
	if (n == 0)
		return NULL;
	host_resolve(
	    x->a, path_normalise(x->a, arena_strndup(x->a, text.data, n), gitdir), &f);
	return f.err == 0 && f.kind == FILE_DIR ? f.real : NULL;
}

static void
add_top(struct protector *x, const char *gitdir, const char *top)
{
	x->tops = arena_grow(x->a, x->tops, x->ntops, sizeof(*x->tops));
	x->tops[x->ntops++] = (struct git_top){gitdir, top};
}

/* Where a ".git" file points to; NULL when nowhere. */
static const char *
gitfile_target(struct protector *x, const char *path)
{
	struct bytes text = {NULL, 0, 0};
	struct path_fact f;
	if (!read_text(x, path, &text))
		return NULL;
	const char *target = gitdir_of_file(x->a, text.data, text.len);
	if (target == NULL)
		return NULL;
	host_resolve(x->a, path_normalise(x->a, target, path_parent(x->a, path)), &f);
	return f.err == 0 && f.kind == FILE_DIR ? f.real : NULL;
}

/* A git directory that the walk has not seen, or that is only read. */
static void
add_gitdir(struct protector *x, const char *gitdir, const char *top)
{
	const char *common = common_directory(x, gitdir);
	add_top(x, gitdir, top);
	if (!strv_has(&x->scan.gitdirs, gitdir))
		strv_push(x->a, &x->scan.gitdirs, gitdir);
	if (common != NULL && !strv_has(&x->scan.gitdirs, common))
		strv_push(x->a, &x->scan.gitdirs, common);
}

void
protect_gitfile(struct protector *x, const char *path)
{
	protect_existing(x, path, GIT_POINTS);
	const char *gitdir = gitfile_target(x, path);
	if (gitdir == NULL)
		return;
	const char *common = common_directory(x, gitdir);
	const char *needed = common != NULL ? common : gitdir;
	add_gitdir(x, gitdir, path_parent(x->a, path));
	if (!protect_writable(x, needed))
		errs_add(x->a, x->notes,
		    "'%s' points to '%s', which is read-only: to commit here add "
		    "allow_write = %s",
		    path, needed, needed);
}

/* In a worktree's own directory git looks for neither hooks nor attributes. */
static bool
has_effect(const struct deny_entry *e, bool linked)
{
	return !linked ||
	       (strcmp(e->path, "hooks") != 0 && strcmp(e->path, "info/attributes") != 0);
}

static void
protect_gitdir(struct protector *x, const char *gitdir)
{
	const char *common = common_directory(x, gitdir);
	bool linked = common != NULL && strcmp(common, gitdir) != 0;
	for (size_t i = 0; i < deny_set_size; i++) {
		const struct deny_entry *e = &deny_set[i];
		bool lifted = x->p->allow_git_config && strcmp(e->path, "config") == 0;
		if (e->scope == DENY_GIT && !lifted && has_effect(e, linked))
			protect_entry(x, gitdir, e);
	}
	protect_configs(x, gitdir);
}

void
protect_gitdirs(struct protector *x)
{
	for (size_t i = 0; i < x->scan.gitdirs.n; i++)
		protect_gitdir(x, x->scan.gitdirs.v[i]);
}

void
protect_enclosing(struct protector *x, const char *root)
{
	struct path_fact f;
	for (const char *at = root; strcmp(at, "/") != 0; at = path_parent(x->a, at)) {
		const char *name = path_join(x->a, at, ".git");
		host_resolve(x->a, name, &f);
		if (f.err != 0)
			continue;
		const char *gitdir =
		    f.kind == FILE_DIR ? f.real : gitfile_target(x, f.real);
		if (gitdir != NULL)
			add_gitdir(x, gitdir, at);
		return;
	}
}

void
protect_git_global(struct protector *x)
{
	struct strv tops = {NULL, 0};
	const char *config = env_host(x->h, "XDG_CONFIG_HOME");
	for (size_t i = 0; i < x->scan.repos.n; i++)
		strv_push(x->a, &tops, x->scan.repos.v[i]);
	for (size_t i = 0; i < x->ntops; i++)
		if (!strv_has(&tops, x->tops[i].top))
			strv_push(x->a, &tops, x->tops[i].top);
	if (x->h->home != NULL) {
		protect_config(x, path_join(x->a, x->h->home, ".gitconfig"), &tops, 0);
		if (config == NULL || config[0] != '/')
			config = path_join(x->a, x->h->home, ".config");
	}
	if (config != NULL && config[0] == '/')
		protect_config(x, path_join(x->a, config, "git/config"), &tops, 0);
	protect_config(x, "/etc/gitconfig", &tops, 0);
}

static bool
is_gitdir(struct protector *x, const char *path)
{
	if (strcmp(path_base(path), ".git") == 0)
		return true;
	return access(path_join(x->a, path, "HEAD"), F_OK) == 0 &&
	       (access(path_join(x->a, path, "commondir"), F_OK) == 0 ||
	           (access(path_join(x->a, path, "objects"), F_OK) == 0 &&
	               access(path_join(x->a, path, "refs"), F_OK) == 0));
}

bool
protect_git_part(struct protector *x, const char *path, const char **part)
{
	for (const char *at = path_parent(x->a, path); strcmp(at, "/") != 0;
	     at = path_parent(x->a, at)) {
		if (!is_gitdir(x, at))
			continue;
		for (size_t i = 0; i < deny_set_size; i++) {
			bool lifted = x->p->allow_git_config &&
			              strcmp(deny_set[i].path, "config") == 0;
			if (deny_set[i].scope != DENY_GIT || lifted)
				continue;
			*part = path_join(x->a, at, deny_set[i].path);
			if (path_within(path, *part))
				return true;
		}
	}
	return false;
}

/* ---- info/exclude ---- */

/* A name as a pattern of git's that matches nothing else. */
static void
add_pattern(struct protector *x, struct bytes *b, const char *relative)
{
	for (const char *s = relative; *s != '\0'; s++)
		bytes_printf(x->a, b, strchr("*?[\\ ", *s) != NULL ? "\\%c" : "%c", *s);
	bytes_puts(x->a, b, "\n");
}

static bool
add_held_names(struct protector *x, const char *top, struct bytes *b)
{
	size_t before = b->len;
	for (size_t i = 0; i < x->out->n; i++) {
		const struct protected_name *n = &x->out->v[i];
		if (n->missing && path_within(n->path, top) &&
		    strchr(n->path, '\n') == NULL)
			add_pattern(x, b, n->path + (top[1] != '\0' ? strlen(top) : 0));
	}
	return b->len > before;
}

/* Where there is none, an empty one is made to be covered. */
static bool
has_exclude(struct protector *x, const char *path)
{
	struct stat st;
	int err;
	const char *dir = path_parent(x->a, path);
	struct hold *h = NULL;
	if (x->holds != NULL && protect_writable(x, dir))
		h = hold_directory(x->a, x->holds, dir, &err);
	if (lstat(path, &st) == 0)
		return S_ISREG(st.st_mode);
	return h != NULL &&
	       hold_make(x->a, x->holds->statefd, h, "exclude", HOLD_EMPTY_FILE);
}

/* Written only when it is another than the last run's. */
static bool
keep_copy(struct protector *x, const char *name, const struct bytes *text)
{
	struct bytes old = {NULL, 0, 0};
	if (x->holds == NULL)
		return true;
	if (sys_read_file(x->a, x->holds->statefd, name, 2 * GIT_FILE_LIMIT, &old) == 0 &&
	    old.len == text->len && memcmp(old.data, text->data, old.len) == 0)
		return true;
	return hold_write_cache(x->a, x->holds->statefd, name, text);
}

static void
show_exclude(struct protector *x, const char *gitdir, const char *state_dir)
{
	const char *path = path_join(x->a, gitdir, "info/exclude");
	const char *name = hold_cache_name(x->a, gitdir, ".exclude");
	struct bytes text = {NULL, 0, 0}, names = {NULL, 0, 0};
	struct survey *s = x->s;
	struct strv tops = {NULL, 0};
	bool any = false;
	tops_of(x, gitdir, &tops);
	for (size_t i = 0; i < tops.n; i++)
		any = add_held_names(x, tops.v[i], &names) || any;
	if (!any || !has_exclude(x, path) || !read_text(x, path, &text))
		return;
	if (text.len > 0 && text.data[text.len - 1] != '\n')
		bytes_puts(x->a, &text, "\n");
	bytes_add(x->a, &text, names.data, names.len);
	if (!keep_copy(x, name, &text))
		return;
	s->shown = arena_grow(x->a, s->shown, s->nshown, sizeof(*s->shown));
	s->shown[s->nshown++] =
	    (struct shown_file){path, path_join(x->a, state_dir, name)};
}

void
protect_excludes(struct protector *x, const char *state_dir)
{
	for (size_t i = 0; i < x->scan.gitdirs.n; i++) {
		const char *gitdir = x->scan.gitdirs.v[i];
		const char *common = common_directory(x, gitdir);
		if (common == NULL || strcmp(common, gitdir) == 0)
			show_exclude(x, gitdir, state_dir);
	}
}
