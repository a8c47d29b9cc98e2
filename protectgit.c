/*
 * protectgit.c: the mandatory deny set in git directories, and whatever git's
 * configuration names: hooks, included files, attributes, a program run by "git status".
 * git itself is never run; its files are read.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "env.h"
#include "gitdir.h"
#include "path.h"
#include "protectgit.h"
#include "sys.h"

#define GIT_FILE_LIMIT (4 * 1024 * 1024) /* thousands of branches have their lines */
#define INCLUDE_DEPTH  10                /* as git's own limit */
#define NAMES_LIMIT    200
#define COMMAND_WORDS  16
#define GIT_POINTS     "git takes hooks and configuration from where it points"

static void
judge_size(struct protector *x, const char *path, int err)
{
	if (err == EFBIG)
		errs_add(x->a, x->errs,
		    "'%s' is larger than %d MiB: what git obeys there cannot be found",
		    path, GIT_FILE_LIMIT >> 20);
}

static bool
read_text(struct protector *x, const char *path, struct bytes *out)
{
	if (sys_read_file(x->a, AT_FDCWD, path, GIT_FILE_LIMIT, out) == 0)
		return true;
	judge_size(x, path, errno);
	return false;
}

/* "~/x" is the home's; "%(prefix)/x" and "~user/x" are not followed. NULL: no path. */
static const char *
expand(struct protector *x, const char *value, const char *base)
{
	if (str_starts(value, "~/") && x->h->home != NULL)
		return path_join(x->a, x->h->home, value + 2);
	if (value[0] == '\0' || value[0] == '~' || value[0] == '%')
		return NULL;
	return path_normalise(x->a, value, base);
}

/* ---- configurations ---- */

/* Reading a configuration and what it includes, each file once. */
struct config_pass {
	struct protector *x;
	const struct strv *tops; /* of the work trees that obey it */
	struct strv read;
	size_t named;
	const char *reason;
};

/* A value counts from the top of every work tree, or from nothing when it is absolute. */
static void
protect_value(struct config_pass *c, const char *value, enum deny_hold how)
{
	bool relative = value[0] != '/' && value[0] != '~';
	for (size_t i = 0; i < (relative ? c->tops->n : 1); i++) {
		const char *path = expand(c->x, value, relative ? c->tops->v[i] : "/");
		struct path_fact f;
		if (path == NULL)
			continue;
		if (how != HOLD_NONE) {
			protect_path(c->x, path, how, c->reason);
			continue;
		}
		host_resolve(c->x->a, path, &f);
		if (f.err == 0 && f.kind == FILE_REGULAR)
			protect_existing(c->x, path, c->reason);
	}
}

/* The program, also when it is missing; files among its arguments, as "python3 ./x". */
static void
protect_command(struct config_pass *c, const char *command, bool helper)
{
	struct strv words = {NULL, 0};
	gitdir_words(c->x->a, command, &words);
	for (size_t i = 0; i < words.n && i < COMMAND_WORDS; i++) {
		if (i == 0 && strchr(words.v[i], '/') != NULL)
			protect_value(c, words.v[i], HOLD_DIR);
		else if (i > 0 && !helper && strpbrk(words.v[i], "./") != NULL)
			protect_value(c, words.v[i], HOLD_NONE);
	}
}

static void protect_config(struct config_pass *c, const char *file, int depth);

static void
protect_setting(
    struct config_pass *c, const char *file, const struct git_setting *s, int depth)
{
	const char *path, *values[] = {s->value, s->kept};
	enum git_path_kind kind = gitdir_kind(s->name);
	if (kind == GIT_PATH_NONE || s->value == NULL || s->value[0] == '\0')
		return;
	c->named++;
	for (size_t i = 0; i < (strcmp(values[0], values[1]) == 0 ? 1 : 2); i++) {
		if (kind == GIT_PATH_OBEYED)
			protect_value(c, values[i], HOLD_DIR);
		else if (kind != GIT_PATH_INCLUDE)
			protect_command(c, values[i], kind == GIT_PATH_HELPER);
		else if ((path = expand(c->x, values[i], path_parent(c->x->a, file))) !=
		         NULL) {
			/* git dies on a directory where it includes a file. */
			protect_path(c->x, path, HOLD_EMPTY_FILE, c->reason);
			protect_config(c, path, depth + 1);
		}
	}
}

static void
protect_config(struct config_pass *c, const char *file, int depth)
{
	struct protector *x = c->x;
	struct bytes text = {NULL, 0, 0};
	struct git_settings s = {NULL, 0, 0};
	const char *above = c->reason;
	if (depth > INCLUDE_DEPTH || strv_has(&c->read, file) ||
	    !read_text(x, file, &text))
		return;
	strv_push(x->a, &c->read, file);
	gitdir_config(x->a, text.data, text.len, NAMES_LIMIT + 1, &s);
	c->reason = arena_printf(x->a, "'%s' names it to git", file);
	for (size_t i = 0; i < s.n && c->named <= NAMES_LIMIT; i++)
		protect_setting(c, file, &s.v[i], depth);
	c->reason = above;
	/* A run that could write one must not make the next one slow. */
	if (c->named > NAMES_LIMIT && depth == 0)
		errs_add(x->a, x->errs, "'%s' names more than %d files that git obeys",
		    file, NAMES_LIMIT);
}

static void
protect_config_file(struct protector *x, const char *file, const struct strv *tops)
{
	struct config_pass c = {.x = x, .tops = tops};
	protect_config(&c, file, 0);
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
	protect_config_file(x, path_join(x->a, gitdir, "config"), &tops);
	protect_config_file(x, path_join(x->a, gitdir, "config.worktree"), &tops);
}

/*
 * The directory that one of git's files points to; NULL: none. A link on the way is
 * refused, a missing one is held.
 */
static const char *
pointed(struct protector *x, const char *path)
{
	struct path_fact f;
	host_resolve(x->a, path, &f);
	if (protect_links(x, &f, GIT_POINTS))
		return NULL;
	if (f.err == 0 && f.kind == FILE_DIR)
		return f.real;
	protect_path(x, path, HOLD_DIR, GIT_POINTS);
	return NULL;
}

/* The directory that a worktree's shares with the repository it belongs to; NULL: none. */
static const char *
common_directory(struct protector *x, const char *gitdir)
{
	struct bytes text = {NULL, 0, 0};
	if (!read_text(x, path_join(x->a, gitdir, "commondir"), &text))
		return NULL;
	size_t n = strcspn(text.data, "\r\n");
	if (n == 0)
		return NULL;
	return pointed(
	    x, path_normalise(x->a, arena_strndup(x->a, text.data, n), gitdir));
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
	if (!read_text(x, path, &text))
		return NULL;
	const char *target = gitdir_of_file(x->a, text.data, text.len);
	if (target == NULL)
		return NULL;
	return pointed(x, path_normalise(x->a, target, path_parent(x->a, path)));
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

/* Of a worktree's own directory git uses these two alone; the rest is shared. */
static bool
has_effect(const struct deny_entry *e, bool linked)
{
	return !linked || strcmp(e->path, "config.worktree") == 0 ||
	       strcmp(e->path, "commondir") == 0;
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
	static const char *const named_by[] = {"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"};
	struct strv tops = {NULL, 0};
	const char *config = env_host(x->h, "XDG_CONFIG_HOME");
	for (size_t i = 0; i < x->scan.repos.n; i++)
		strv_push(x->a, &tops, x->scan.repos.v[i]);
	for (size_t i = 0; i < x->ntops; i++)
		if (!strv_has(&tops, x->tops[i].top))
			strv_push(x->a, &tops, x->tops[i].top);
	if (x->h->home != NULL) {
		protect_config_file(x, path_join(x->a, x->h->home, ".gitconfig"), &tops);
		if (config == NULL || config[0] != '/')
			config = path_join(x->a, x->h->home, ".config");
	}
	if (config != NULL && config[0] == '/')
		protect_config_file(x, path_join(x->a, config, "git/config"), &tops);
	for (size_t i = 0; i < SRUN_ARRAY_LEN(named_by); i++) {
		const char *file = env_host(x->h, named_by[i]);
		if (file == NULL || file[0] != '/')
			continue;
		protect_path(x, file, HOLD_EMPTY_FILE, "git's configuration");
		protect_config_file(x, file, &tops);
	}
	protect_config_file(x, "/etc/gitconfig", &tops);
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

/* Relative to the work tree; work trees of one repository share the file. */
static void
add_held_names(
    struct protector *x, const char *gitdir, const char *top, struct strv *names)
{
	for (size_t i = 0; i < x->out->n; i++) {
		const struct protected_name *n = &x->out->v[i];
		const char *name = n->path + (top[1] != '\0' ? strlen(top) : 0);
		if (n->missing && path_within(n->path, top) &&
		    !path_within(n->path, gitdir) && strchr(n->path, '\n') == NULL &&
		    !strv_has(names, name))
			strv_push(x->a, names, name);
	}
}

/* Where there is none, an empty one is made to be covered. */
static bool
has_exclude(struct protector *x, const char *path)
{
	struct stat st;
	const char *dir = path_parent(x->a, path);
	struct hold *h = protect_writable(x, dir) ? protect_lock(x, dir) : NULL;
	if (lstat(path, &st) == 0)
		return S_ISREG(st.st_mode);
	return h != NULL && hold_make(x->a, x->holds, h, "exclude", HOLD_EMPTY_FILE);
}

/*
 * Never through a link: the command will see the text, and another run that put a link
 * there meanwhile would have a file shown that is closed to both.
 */
static bool
read_exclude(struct protector *x, const char *path, struct bytes *out)
{
	if (sys_read_place(x->a, path, GIT_FILE_LIMIT, out) == 0)
		return true;
	judge_size(x, path, errno);
	return false;
}

/* Written only when it is another than the last run's. */
static bool
keep_copy(struct protector *x, const char *name, const struct bytes *text)
{
	struct bytes old = {NULL, 0, 0};
	if (x->holds == NULL)
		return true;
	if (sys_read_file(x->a, x->holds->statefd, name, 2 * GIT_FILE_LIMIT, &old) == 0 &&
	    old.len == text->len && memcmp(old.data, text->data, old.len) == 0) {
		hold_touch_cache(x->holds->statefd, name);
		return true;
	}
	return hold_write_cache(x->a, x->holds->statefd, name, text);
}

static void
show_exclude(struct protector *x, const char *gitdir, const char *state_dir)
{
	const char *path = path_join(x->a, gitdir, "info/exclude");
	const char *name = hold_cache_name(x->a, gitdir, ".exclude");
	struct bytes text = {NULL, 0, 0};
	struct survey *s = x->s;
	struct strv tops = {NULL, 0}, names = {NULL, 0};
	tops_of(x, gitdir, &tops);
	for (size_t i = 0; i < tops.n; i++)
		add_held_names(x, gitdir, tops.v[i], &names);
	if (names.n == 0 || !has_exclude(x, path) || !read_exclude(x, path, &text))
		return;
	if (text.len > 0 && text.data[text.len - 1] != '\n')
		bytes_puts(x->a, &text, "\n");
	for (size_t i = 0; i < names.n; i++)
		add_pattern(x, &text, names.v[i]);
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
