/*
 * glob.c: one walk of the real tree for one pattern, a component of it at a time. Must not
 * know what a rule is: its caller says which directories are worth entering.
 *
 * A state of the walk is a directory and the part of the pattern that is still to be
 * matched in it. None is visited twice, so neither loops of links nor many "**" make it
 * longer than the tree times the pattern. It ends early only aloud: too many entries, too
 * many matches, too long, or an error that says nothing about what is there.
 */
#include "glob.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hostpath.h"
#include "path.h"
#include "scan.h"
#include "sys.h"
#include "textindex.h"

/* What bubblewrap can be told of (bwrap.c): a match that is longer could not be held. */
#define NAME_LIMIT (PATH_LIMIT - 1 - 8)
/* Each directory above a denied name in a write root costs a mount (mounts.c). */
#define DEPTH_LIMIT 128
#define READ_TRIES  8
#define CLOCK_EVERY 4096 /* entries between two looks at the clock */

struct walk {
	struct glob *g;
	struct arena scratch; /* what only the walk needs: a tree can be large */
	struct text_index seen;
};

/* The first of a pattern's components: name is NULL when only "**" is left, or nothing. */
struct head {
	bool deep; /* "**" stands in front */
	const char *name;
	size_t len;
	bool literal;
	const char *rest; /* "" at the end */
};

/* A directory that is being visited. */
struct place {
	const char *dir;
	const char *tail;
	const char *cover; /* the match that it lies in; NULL */
	dev_t dev;
	bool fs_folds;
};

struct entry {
	const char *name;
	unsigned char type;
	bool hit, down; /* matches the head; is to be walked with the same tail */
};

struct entries {
	struct entry *v;
	size_t n;
};

static void visit(struct walk *w, struct place p);

static struct head
read_head(const char *tail)
{
	struct head h = {false, NULL, 0, false, tail};

	for (;;) {
		const char *from = h.rest + strspn(h.rest, "/");
		size_t len = strcspn(from, "/");

		h.rest = from + len;
		h.rest += strspn(h.rest, "/");
		if (len == 0)
			return h;
		if (len != 2 || memcmp(from, "**", 2) != 0) {
			h.name = from;
			h.len = len;
			break;
		}
		h.deep = true;
	}
	h.literal = true;
	for (size_t i = 0; i < h.len; i++)
		if (strchr("*?[", h.name[i]) != NULL)
			h.literal = false;
	return h;
}

static void
stop(struct glob *g, const char *why)
{
	if (g->stopped == NULL)
		g->stopped = why;
}

static void
add_match(struct walk *w, const struct place *p, const char *path, bool link)
{
	struct glob *g = w->g;

	g->found++;
	/* What a link leads to lies elsewhere, and no cover is over it. */
	if (g->deny && !link && !g->wanted(g->arg, p->cover, path))
		return;
	if (g->budget->matches == 0) {
		stop(g, "it matches too many names");
		return;
	}
	g->budget->matches--;
	strv_push(g->a, &g->matches, arena_strdup(g->a, path));
}

static void
add_unread(struct walk *w, const char *dir)
{
	strv_push(w->g->a, &w->g->unread, arena_strdup(w->g->a, dir));
}

/* A directory or name could not be looked at. Only what cannot be there is no matter. */
static void
judge_error(struct walk *w, const char *dir, int err)
{
	if (err == EACCES || err == EPERM)
		add_unread(w, dir);
	else if (err == ENAMETOOLONG)
		add_unread(w, path_parent(&w->scratch, dir));
	else if (err != ENOENT && err != ENOTDIR && err != ELOOP)
		stop(w->g, arena_printf(w->g->a, "%s, in '%s'", strerror(err), dir));
}

/* dir/name, or NULL where that is too long, or for a deny too deep, to be used. */
static const char *
join(struct walk *w, const char *dir, const char *name)
{
	if (strlen(dir) + 1 + strlen(name) <= NAME_LIMIT &&
	    (!w->g->deny || path_depth(dir) < DEPTH_LIMIT))
		return path_join(&w->scratch, dir, name);
	add_unread(w, dir);
	return NULL;
}

/* A deny walks on where a link really leads, so that each directory has one name. */
static void
follow(struct walk *w, struct place p, const char *link)
{
	struct path_fact f;

	host_resolve(&w->scratch, link, &f);
	if (f.err != 0) {
		judge_error(w, f.stuck != NULL ? f.stuck : link, f.err);
	} else if (f.kind == FILE_DIR) {
		/* A link that is a match closes what it leads to; no other is covered there. */
		if (p.cover == link)
			p.cover = f.real;
		else if (p.cover != NULL && !path_within(f.real, p.cover))
			p.cover = NULL;
		p.dir = f.real;
		visit(w, p);
	}
}

/* Walks path with the tail of p, which is the parent's but for that. */
static void
descend(struct walk *w, struct place p, const char *path, bool link)
{
	p.dir = path;
	if (link && w->g->deny)
		follow(w, p, path);
	else
		visit(w, p);
}

/* ---- a component that is a name ---- */

static void
look_up(struct walk *w, struct place p, const struct head *h)
{
	const char *path = join(w, p.dir, arena_strndup(&w->scratch, h->name, h->len));
	struct stat st;

	if (path == NULL)
		return;
	if (lstat(path, &st) != 0) {
		judge_error(w, p.dir, errno);
		return;
	}
	p.tail = h->rest;
	if (*h->rest == '\0')
		add_match(w, &p, path, S_ISLNK(st.st_mode));
	else if (S_ISDIR(st.st_mode) || S_ISLNK(st.st_mode))
		descend(w, p, path, S_ISLNK(st.st_mode));
}

/* ---- a component that is a pattern ---- */

static unsigned char
type_of(int fd, const struct dirent *e)
{
	struct stat st;

	if (e->d_type != DT_UNKNOWN)
		return e->d_type;
	if (fstatat(fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return DT_UNKNOWN;
	if (S_ISDIR(st.st_mode))
		return DT_DIR;
	return S_ISLNK(st.st_mode) ? DT_LNK : DT_REG;
}

static void
check_clock(struct glob *g)
{
	if (sys_now_ms() >= g->budget->end)
		stop(g, "it took too long");
}

static bool
within_budget(struct glob *g)
{
	struct glob_budget *b = g->budget;

	if (b->entries == 0)
		stop(g, "there are too many names to look at");
	else if (b->entries % CLOCK_EVERY == 0)
		check_clock(g);
	b->entries -= b->entries > 0;
	return g->stopped == NULL;
}

static void
take_entry(struct walk *w, int fd, const struct dirent *d, const struct head *h,
    bool fold, struct entries *out)
{
	bool dots =
	    d->d_name[0] == '.' &&
	    (d->d_name[1] == '\0' || (d->d_name[1] == '.' && d->d_name[2] == '\0'));
	struct entry e = {.hit = false};

	if (dots)
		return;
	e.hit = path_match_name(h->name, h->len, d->d_name, fold);
	if (!e.hit && !h->deep)
		return;
	e.type = type_of(fd, d);
	/* What cannot be told apart is taken for what would be looked into. */
	e.down = h->deep && (e.type == DT_DIR || e.type == DT_UNKNOWN ||
	                        (e.type == DT_LNK && w->g->deny));
	if (!e.hit && !e.down)
		return;
	e.name = arena_strdup(&w->scratch, d->d_name);
	out->v = arena_grow(&w->scratch, out->v, out->n, sizeof(*out->v));
	out->v[out->n++] = e;
}

static void
read_once(struct walk *w, DIR *dir, const struct head *h, bool fold, struct entries *out)
{
	const struct dirent *d;

	out->n = 0;
	while (within_budget(w->g) && (errno = 0, d = readdir(dir)) != NULL)
		take_entry(w, dirfd(dir), d, h, fold, out);
	if (w->g->stopped == NULL && errno != 0)
		stop(w->g, strerror(errno));
}

static bool
same_time(const struct stat *a, const struct stat *b)
{
	return a->st_ctim.tv_sec == b->st_ctim.tv_sec &&
	       a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

/* A name that is moved while a directory is read can be missed under both names. */
static void
read_entries(
    struct walk *w, DIR *dir, const struct head *h, bool fold, struct entries *out)
{
	struct stat before, after;

	for (int i = 0; i < READ_TRIES; i++) {
		if (i > 0)
			rewinddir(dir);
		if (fstat(dirfd(dir), &before) != 0)
			break;
		read_once(w, dir, h, fold, out);
		if (!w->g->deny || w->g->stopped != NULL ||
		    (fstat(dirfd(dir), &after) == 0 && same_time(&before, &after)))
			return;
	}
	stop(w->g, "a directory changes all the time");
}

static void
walk_entries(
    struct walk *w, struct place p, const struct head *h, const struct entries *l)
{
	for (size_t i = 0; i < l->n && w->g->stopped == NULL; i++) {
		const struct entry *e = &l->v[i];
		const char *path = join(w, p.dir, e->name);
		bool link = e->type == DT_LNK;
		struct place below = p;

		if (path == NULL)
			return;
		if (e->hit && *h->rest == '\0') {
			add_match(w, &p, path, link);
			if (w->g->deny)
				below.cover = path;
		} else if (e->hit && (e->type == DT_DIR || e->type == DT_LNK ||
		                         e->type == DT_UNKNOWN)) {
			below.tail = h->rest;
			descend(w, below, path, link);
			below.tail = p.tail;
		}
		if (e->down)
			descend(w, below, path, link);
	}
}

/* ---- a directory ---- */

/*
 * Whether this state was visited before. By the name, not the inode: what is mounted at two
 * places is matched at both.
 */
static bool
is_known(struct walk *w, const struct place *p)
{
	char *key = arena_printf(&w->scratch, "%zx %s", strlen(p->tail), p->dir);

	if (text_index_find(&w->seen, key, strlen(key)) != NULL)
		return true;
	text_index_add(&w->scratch, &w->seen, key, strlen(key), key);
	return false;
}

/* Opens it and says what file system it is on; -1 when nothing is to be seen in it. */
static int
open_place(struct walk *w, struct place *p)
{
	struct stat st;
	int fd = open(p->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 || fstat(fd, &st) != 0) {
		judge_error(w, p->dir, errno);
		if (fd >= 0)
			close(fd);
		return -1;
	}
	if (st.st_dev == p->dev)
		return fd;
	/* Where the walk begins is what the grant names, whatever it is. */
	if (p->dev != 0 && scan_is_kernels(fd)) {
		close(fd);
		return -1;
	}
	p->dev = st.st_dev;
	p->fs_folds = w->g->deny && scan_file_system_folds(fd);
	return fd;
}

static void
visit_listed(struct walk *w, struct place p, const struct head *h)
{
	struct entries list = {NULL, 0};
	int fd = is_known(w, &p) ? -1 : open_place(w, &p);
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;

	if (dir == NULL) {
		if (fd >= 0) {
			stop(w->g, strerror(errno));
			close(fd);
		}
		return;
	}
	read_entries(
	    w, dir, h, p.fs_folds || (w->g->deny && scan_directory_folds(fd)), &list);
	closedir(dir);
	if (w->g->stopped != NULL)
		w->g->stopped =
		    arena_printf(w->g->a, "%s, in '%s'", w->g->stopped, p.dir);
	walk_entries(w, p, h, &list);
}

static void
visit(struct walk *w, struct place p)
{
	struct glob *g = w->g;
	struct head h = read_head(p.tail);
	enum glob_step step;

	check_clock(g);
	if (g->stopped != NULL)
		return;
	if (h.name == NULL) {
		add_match(w, &p, p.dir, false);
		return;
	}
	step = g->enter(g->arg, p.dir, p.tail, p.cover);
	if (step == GLOB_STOP)
		stop(g, "");
	if (step == GLOB_STOP || step == GLOB_SKIP)
		return;
	if (step == GLOB_WHOLE) {
		add_match(w, &p, p.dir, false);
		p.cover = p.dir;
	}
	if (h.literal && !h.deep)
		look_up(w, p, &h);
	else
		visit_listed(w, p, &h);
}

void
glob_walk(struct glob *g, const char *base, const char *tail)
{
	struct walk w = {.g = g};

	visit(&w, (struct place){.dir = base, .tail = tail});
	arena_free(&w.scratch);
}
