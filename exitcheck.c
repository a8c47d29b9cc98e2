/*
 * exitcheck.c: the protected names before and after a run. Mounts hold what existed and
 * what was held; what nothing can hold (a repository made during the run, a protected name
 * in a new directory, a change by another process) is found here and said.
 *
 * The second walk gets the first one's tree, so only directories that changed are read.
 */
#include "exitcheck.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "path.h"
#include "placeholder.h"
#include "sys.h"

#define SPARE_FILES 400 /* about a millisecond, with the directories that they lie in */
#define TODO_LIMIT  (1024 * 1024)

static bool
look(const char *path, struct exit_name *n)
{
	struct stat st;
	if (lstat(path, &st) != 0)
		return false;
	n->dev = st.st_dev;
	n->ino = st.st_ino;
	n->mode = st.st_mode;
	n->size = (int64_t)st.st_size;
	n->mtime_ns = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
	return true;
}

void
exit_check_name(struct arena *a, struct exit_check *x, const char *path, bool held)
{
	struct exit_name n = {.path = path, .held = held};
	struct timespec now;
	if (x->begin_ns == 0) {
		/* The clock that file times are taken from; the exact one is ahead of it. */
		clock_gettime(CLOCK_REALTIME_COARSE, &now);
		x->begin_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
	}
	if (!look(path, &n))
		return;
	x->names = arena_grow(a, x->names, x->nnames, sizeof(*x->names));
	x->names[x->nnames++] = n;
}

void
exit_check_root(
    struct arena *a, struct exit_check *x, const char *path, const struct scan_node *tree)
{
	x->roots = arena_grow(a, x->roots, x->nroots, sizeof(*x->roots));
	x->roots[x->nroots++] = (struct exit_root){path, tree};
}

static void
compare_name(struct arena *a, const struct exit_name *before, struct errs *out)
{
	struct exit_name now = {.path = before->path};
	if (!look(before->path, &now))
		errs_add(a, out, "'%s' is protected and was removed during the run",
		    before->path);
	else if (now.dev != before->dev || now.ino != before->ino)
		errs_add(a, out, "'%s' is protected and was replaced during the run",
		    before->path);
	else if (!before->held &&
	         (now.mtime_ns != before->mtime_ns || now.size != before->size ||
	             now.mode != before->mode))
		errs_add(a, out, "'%s' is protected and was changed during the run",
		    before->path);
}

static bool
was_known(const struct exit_check *x, const char *path)
{
	for (size_t i = 0; i < x->nnames; i++)
		if (strcmp(x->names[i].path, path) == 0)
			return true;
	return strv_has(&x->found, path);
}

struct comparison {
	struct arena *a;
	const struct exit_check *x;
	struct errs *out;
	size_t
	    spare; /* files that may be looked at where nothing says that it is worth it */
};

/* A directory of a tree. Most are passed by, so the path is made only for a use. */
struct place {
	const struct place *up; /* NULL: name is the path of the root */
	const char *name;
};

static const char *
place_path(struct arena *a, const struct place *p)
{
	return p->up == NULL ? p->name : path_join(a, place_path(a, p->up), p->name);
}

/* Files that got a set-user-ID bit. How many files there are. */
static size_t
find_setuid(struct comparison *c, const struct place *place)
{
	const char *directory = place_path(c->a, place);
	int fd = open(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	size_t n = 0;
	if (d == NULL) {
		if (fd >= 0)
			close(fd);
		return 0;
	}
	for (struct dirent *e; (e = readdir(d)) != NULL; n++) {
		struct stat st;
		if (e->d_type == DT_DIR || e->d_type == DT_LNK ||
		    fstatat(fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
			continue;
		int64_t ctime_ns =
		    (int64_t)st.st_ctim.tv_sec * 1000000000 + st.st_ctim.tv_nsec;
		if (S_ISREG(st.st_mode) && (st.st_mode & S_ISUID) != 0 &&
		    ctime_ns >= c->x->begin_ns)
			errs_add(c->a, c->out, "'%s' is a new setuid file [chmod u-s]",
			    path_join(c->a, directory, e->d_name));
	}
	closedir(d);
	return n;
}

/*
 * Directories of the new tree that the old one does not have as they are; of the others,
 * where only a file's mode can have changed, the first few.
 */
static void
compare_trees(struct comparison *c, const struct place *here, const struct scan_node *old,
    const struct scan_node *new)
{
	bool same = old != NULL && old->ctime_ns == new->ctime_ns &&
	            old->ino == new->ino &&new->ctime_ns != 0;
	size_t files = !same || c->spare > 0 ? find_setuid(c, here) : 0;
	if (same)
		c->spare -= files < c->spare ? files : c->spare;
	struct scan_finder before = {.in = old};
	for (size_t i = 0; i < new->nsub; i++) {
		struct place below = {here, new->sub[i]->name};
		compare_trees(
		    c, &below, scan_find(c->a, &before, below.name), new->sub[i]);
	}
}

/* A rebase that somebody continues runs these. Blanks may stand before them. */
static bool
has_commands(const char *todo)
{
	while (*todo != '\0') {
		todo += strspn(todo, " \t\r\n");
		size_t n = strcspn(todo, " \t\r\n");
		if ((n == 4 && memcmp(todo, "exec", n) == 0) || (n == 1 && *todo == 'x'))
			return true;
		todo += strcspn(todo, "\n");
	}
	return false;
}

/* A rebase that the run has left half done. */
static void
check_rebase(struct comparison *c, const char *gitdir)
{
	const char *todo = path_join(c->a, gitdir, "rebase-merge/git-rebase-todo");
	struct bytes text = {NULL, 0, 0};
	struct stat st;
	if (lstat(todo, &st) != 0)
		return;
	int64_t ctime_ns = (int64_t)st.st_ctim.tv_sec * 1000000000 + st.st_ctim.tv_nsec;
	if (ctime_ns < c->x->begin_ns)
		return;
	bool plain = S_ISREG(st.st_mode) &&
	             sys_read_file(c->a, AT_FDCWD, todo, TODO_LIMIT, &text) == 0;
	if (!plain || has_commands(text.data))
		errs_add(c->a, c->out,
		    "'%s' has commands that 'git rebase --continue' runs [read it "
		    "before you do]",
		    todo);
}

void
exit_check_compare(struct arena *a, const struct exit_check *x,
    const struct scan_limits *limits, struct holds *holds, struct errs *out)
{
	struct comparison c = {.a = a, .x = x, .out = out, .spare = SPARE_FILES};
	for (size_t i = 0; i < x->nnames; i++)
		compare_name(a, &x->names[i], out);
	for (size_t i = 0; i < x->nroots; i++) {
		const struct exit_root *r = &x->roots[i];
		struct scan now = {.nfound = 0};
		if (r->tree == NULL)
			continue;
		const struct scan_node *tree =
		    scan_tree(a, r->path, limits, r->tree, &now);
		if (tree != NULL)
			compare_trees(&c, &(struct place){NULL, r->path}, r->tree, tree);
		for (size_t k = 0; k < now.gitdirs.n; k++)
			check_rebase(&c, now.gitdirs.v[k]);
		for (size_t k = 0; k < now.gitdirs.n; k++)
			if (!strv_has(&x->gitdirs, now.gitdirs.v[k]))
				errs_add(a, out,
				    "'%s' is a new git directory: its hooks and "
				    "configuration were free to be written [look at them "
				    "before you use git there]",
				    now.gitdirs.v[k]);
		for (size_t k = 0; k < now.nfound; k++)
			/* Another run may hold a name where this one had none to hold. */
			if (!was_known(x, now.found[k].path) &&
			    !hold_is_ours(a, holds, now.found[k].path))
				errs_add(a, out,
				    "'%s' is new and belongs to the mandatory deny set "
				    "[read it before you work there]",
				    now.found[k].path);
		for (size_t k = 0; k < now.nstops; k++)
			errs_add(a, out, "the check of '%s' stopped short: %s", r->path,
			    now.stops[k].why);
	}
}
