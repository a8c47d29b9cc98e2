/*
 * scan.c: one walk over the write roots for names of the mandatory deny set and git
 * directories. Bounded in directories, depth and time: it says when it stopped short. It
 * goes level by level, so that a huge directory does not hide what lies beside it.
 *
 * Not entered: node_modules (its packages' dot files steer nothing of the host) unless a
 * submodule or worktree is called so, what git
 * keeps its objects, references and logs in, and what the kernel shows of itself.
 */
#include "scan.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "path.h"
#include "sys.h"

#define BUFFER_BYTES (32 * 1024)
#define DEPTH_MOST   64 /* of any limit */

/* As the kernel gives it; no libc declares it. */
struct raw_dirent {
	uint64_t ino;
	int64_t off;
	unsigned short len;
	unsigned char type;
	char name[];
};

/* A directory that is to be looked at. */
struct item {
	struct scan_node *node;
	const struct scan_node *known;
	size_t up; /* the item that it lies in; the first lies in none */
	dev_t dev; /* of its file system, once looked at */
	bool fs_folds;
	unsigned depth;
};

struct walk {
	struct arena *a;
	const struct scan_limits *limits;
	struct scan *out;
	const char *root;
	int root_fd;
	size_t root_len;    /* of path, 0 for "/" */
	struct item *items; /* in the order of the walk */
	size_t nitems;
	size_t seen, read;
	const char *stopped; /* why it sees no more */
	bool pruned;         /* some directories were nested too deep to be seen */
	dev_t dev;           /* the file system that the walk is on */
	bool fs_folds;       /* "A" and "a" are one name on all of it */
	bool fold;           /* in the directory being read */
	bool in_git;         /* it lies in a git directory */
	int64_t end;         /* ms */
	int64_t young_ns; /* a ctime from here on may still be that of a coming change */
	size_t len;       /* of path */
	char path[PATH_LIMIT + 256 + 2];
	/* One for all: a directory is read whole before those below it are. */
	_Alignas(struct raw_dirent) char buf[BUFFER_BYTES];
};

/* What a directory that is read holds of the marks of a git directory. */
struct signs {
	bool head, objects, refs;
};

static bool
same(const struct walk *w, const char *name, const char *want)
{
	return (w->fold ? strcasecmp(name, want) : strcmp(name, want)) == 0;
}

static void
add_mark(struct walk *w, struct scan_node *node, const struct deny_entry *entry,
    const char *name)
{
	node->marks = arena_grow(w->a, node->marks, node->nmarks, sizeof(*node->marks));
	node->marks[node->nmarks++] = (struct scan_mark){
	    arena_strdup(w->a, name), entry != NULL ? (int32_t)(entry - deny_set) : -1};
}

/* In a git directory it is the name of a submodule or a worktree. */
static bool
is_skipped(const struct walk *w, const char *name)
{
	return !w->in_git && strcmp(name, "node_modules") == 0;
}

static unsigned char
type_of(int fd, const struct raw_dirent *e)
{
	struct stat st;
	if (e->type != DT_UNKNOWN)
		return e->type;
	if (fstatat(fd, e->name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return DT_UNKNOWN;
	if (S_ISDIR(st.st_mode))
		return DT_DIR;
	return S_ISLNK(st.st_mode) ? DT_LNK : DT_REG;
}

static bool
is_dots(const char *name)
{
	return name[0] == '.' && (name[1] == '\0' || (name[1] == '.' && name[2] == '\0'));
}

static void
take_entry(struct walk *w, int fd, const struct raw_dirent *e, struct scan_node *node,
    struct signs *signs)
{
	const char *name = e->name;
	unsigned char type = type_of(fd, e);
	if (is_dots(name))
		return;
	if (node->name[0] == '.' || deny_set_maybe(name)) {
		const struct deny_entry *entry = deny_set_tree(node->name, name, w->fold);
		/* A link leads to what is in the set, wherever it leads. */
		if (entry == NULL && type == DT_LNK)
			entry = deny_set_way(name, w->fold);
		if (entry != NULL) {
			add_mark(w, node, entry, name);
			return;
		}
	}
	if (same(w, name, ".git")) {
		node->repo = true;
		if (type != DT_DIR)
			add_mark(w, node, NULL, name);
	}
	signs->head = signs->head || same(w, name, "HEAD");
	signs->objects = signs->objects || same(w, name, "objects");
	signs->refs = signs->refs || same(w, name, "refs");
	if (type != DT_DIR || is_skipped(w, name))
		return;
	struct scan_node *sub = arena_alloc(w->a, sizeof(*sub));
	sub->name = arena_strdup(w->a, name);
	node->sub = arena_grow(w->a, node->sub, node->nsub, sizeof(struct scan_node *));
	node->sub[node->nsub++] = sub;
}

static bool
in_time(struct walk *w)
{
	if (sys_now_ms() < w->end)
		return true;
	w->stopped = "it took too long";
	return false;
}

/* False when it was not read to the end. */
static bool
read_dir(struct walk *w, int fd, struct scan_node *node, struct signs *signs)
{
	for (size_t round = 0;; round++) {
		long n = syscall(SYS_getdents64, fd, w->buf, sizeof(w->buf));
		if (n <= 0)
			return n == 0;
		for (long at = 0; at < n;) {
			const struct raw_dirent *e =
			    (const struct raw_dirent *)(const void *)(w->buf + at);
			take_entry(w, fd, e, node, signs);
			at += e->len;
		}
		if (round > 0 && !in_time(w))
			return false;
	}
}

/*
 * Opens w->path. The tree is the caller's own and nobody's of the command yet; a link put
 * there meanwhile by another run is not followed.
 */
static int
open_here(struct walk *w)
{
	const char *path = w->len > 0 ? w->path : "/";
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 && errno == EACCES)
		strv_push(w->a, &w->out->unread, arena_strdup(w->a, path));
	return fd;
}

/* Inside a git directory only what can hold another one is of interest. */
static bool
git_internal(const struct walk *w, const char *name)
{
	static const char *const inside[] = {"objects", "refs", "logs", "hooks", "info",
	    "lfs", "branches", "rebase-merge", "rebase-apply", "sequencer"};
	for (size_t i = 0; i < SRUN_ARRAY_LEN(inside); i++)
		if (same(w, name, inside[i]))
			return true;
	return false;
}

/* A worktree's administrative directory has a HEAD and shares the rest. */
static bool
is_gitdir(const struct walk *w, const char *name, const struct signs *s)
{
	static const char parent[] = "/worktrees/";
	size_t n = strlen(name) + sizeof(parent) - 1;
	if (same(w, name, ".git") || (s->head && s->objects && s->refs))
		return true;
	return s->head && w->len >= n &&
	       memcmp(w->path + w->len - n, parent, sizeof(parent) - 1) == 0;
}

/* From linux/magic.h and the drivers: file systems where "A" and "a" are one name. */
static const unsigned folding[] = {
    0x4d44,     /* msdos, vfat */
    0x2011bab0, /* exfat */
    0x7366746e, /* ntfs3 */
    0x01021997, /* 9p: what Windows drives are under WSL */
    0xff534d42, /* cifs */
    0xfe534d42, /* smb2 */
    0x482b,     /* hfs+ */
};

/* From linux/magic.h: what the kernel shows of itself, endless and no place for files. */
static const unsigned kernels[] = {
    0x9fa0,     /* proc */
    0x62656572, /* sysfs */
    0x27e0eb,   /* cgroup */
    0x63677270, /* cgroup2 */
    0x1cd1,     /* devpts */
    0x64626720, /* debugfs */
    0x74726163, /* tracefs */
    0x73636673, /* securityfs */
    0xcafe4a11, /* bpf */
};

#define FS_CASEFOLD_BIT                                                                  \
	0x40000000 /* FS_CASEFOLD_FL: ext4 and f2fs, a flag of the directory */

bool
scan_directory_folds(int fd)
{
	unsigned long flags = 0;
	return syscall(SYS_ioctl, fd, FS_IOC_GETFLAGS, &flags) == 0 &&
	       (flags & FS_CASEFOLD_BIT) != 0;
}

static bool
type_is(const struct statfs *fs, const unsigned *types, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if ((unsigned)fs->f_type == types[i])
			return true;
	return false;
}

bool
scan_is_kernels(int fd)
{
	struct statfs fs;
	return fstatfs(fd, &fs) == 0 && type_is(&fs, kernels, SRUN_ARRAY_LEN(kernels));
}

bool
scan_folds_case(const char *directory)
{
	int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return false;
	bool folds = scan_directory_folds(fd) || scan_file_system_folds(fd);
	close(fd);
	return folds;
}

bool
scan_file_system_folds(int fd)
{
	struct statfs fs;
	return fstatfs(fd, &fs) == 0 && type_is(&fs, folding, SRUN_ARRAY_LEN(folding));
}

/* Another file system below a root, a subvolume too, is as writable as the root. */
static bool
enter_file_system(struct walk *w, dev_t dev)
{
	struct statfs fs;
	const char *path = w->len > 0 ? w->path : "/";
	if (statfs(path, &fs) != 0 || type_is(&fs, kernels, SRUN_ARRAY_LEN(kernels)))
		return false;
	w->dev = dev;
	w->fs_folds = type_is(&fs, folding, SRUN_ARRAY_LEN(folding));
	return true;
}

/* Before it is read: by what it is called and what it lies in. */
static bool
lies_in_git(const struct walk *w, const char *name)
{
	return same(w, name, ".git") || same(w, name, "modules") ||
	       same(w, name, "worktrees") || memmem(w->path, w->len, "/.git/", 6) != NULL;
}

static void
read_node(struct walk *w, struct scan_node *node)
{
	struct signs signs = {false, false, false};
	int fd = open_here(w);
	if (fd < 0) {
		node->ctime_ns = 0; /* to be tried again */
		return;
	}
	w->read++;
	w->fold = w->fs_folds || scan_directory_folds(fd);
	w->in_git = lies_in_git(w, node->name);
	if (!read_dir(w, fd, node, &signs))
		node->ctime_ns = 0;
	close(fd);
	node->gitdir = is_gitdir(w, node->name, &signs);
	size_t kept = 0;
	for (size_t i = 0; i < node->nsub; i++)
		if (!node->gitdir || !git_internal(w, node->sub[i]->name))
			node->sub[kept++] = node->sub[i];
	node->nsub = kept;
}

static int
compare_names(const void *x, const void *y)
{
	const struct scan_node *const *a = x, *const *b = y;
	return strcmp((*a)->name, (*b)->name);
}

static int
compare_to_name(const void *key, const void *y)
{
	const struct scan_node *const *b = y;
	return strcmp(key, (*b)->name);
}

#define NEAR 8

const struct scan_node *
scan_find(struct arena *a, struct scan_finder *f, const char *name)
{
	if (f->in == NULL || f->in->nsub == 0)
		return NULL;
	size_t n = f->in->nsub;
	for (size_t i = f->next; i < n && i < f->next + NEAR; i++)
		if (strcmp(f->in->sub[i]->name, name) == 0) {
			f->next = i + 1;
			return f->in->sub[i];
		}
	if (f->sorted == NULL) {
		f->sorted = arena_alloc(a, n * sizeof(struct scan_node *));
		memcpy(f->sorted, f->in->sub, n * sizeof(struct scan_node *));
		qsort(f->sorted, n, sizeof(struct scan_node *), compare_names);
	}
	struct scan_node **found =
	    bsearch(name, f->sorted, n, sizeof(struct scan_node *), compare_to_name);
	return found != NULL ? *found : NULL;
}

static void
add_results(struct walk *w, const struct scan_node *node)
{
	struct scan *s = w->out;
	const char *here = w->len > 0 ? w->path : "/";
	if (node->gitdir)
		strv_push(w->a, &s->gitdirs, arena_strdup(w->a, here));
	if (node->repo)
		strv_push(w->a, &s->repos, arena_strdup(w->a, here));
	for (size_t i = 0; i < node->nmarks; i++) {
		const struct scan_mark *m = &node->marks[i];
		s->found = arena_grow(w->a, s->found, s->nfound, sizeof(*s->found));
		s->found[s->nfound++] =
		    (struct scan_found){path_join(w->a, here, m->name),
		        m->entry >= 0 ? &deny_set[m->entry] : NULL};
	}
}

static bool
same_as_known(
    const struct scan_node *node, const struct scan_node *known, int64_t ctime_ns)
{
	return known != NULL && known->ctime_ns != 0 && known->ctime_ns == ctime_ns &&
	       known->ino == node->ino;
}

/* What is known of a directory, its name aside; those below it are still to be looked at. */
static void
take_known(struct walk *w, struct scan_node *node, const struct scan_node *known)
{
	const char *name = node->name;
	*node = *known;
	node->name = name;
	node->sub = arena_alloc(w->a, (known->nsub + 1) * sizeof(struct scan_node *));
	for (size_t i = 0; i < known->nsub; i++) {
		node->sub[i] = arena_alloc(w->a, sizeof(struct scan_node));
		node->sub[i]->name = known->sub[i]->name;
	}
}

static void
add_items(struct walk *w, size_t up)
{
	const struct item parent = w->items[up];
	if (parent.depth >= w->limits->depth) {
		/* A deep chain ends itself, not the walk: a command could put one in front. */
		w->pruned = w->pruned || parent.node->nsub > 0;
		return;
	}
	struct scan_finder known = {.in = parent.known};
	for (size_t i = 0; i < parent.node->nsub; i++) {
		struct scan_node *sub = parent.node->sub[i];
		w->items = arena_grow(w->a, w->items, w->nitems, sizeof(*w->items));
		w->items[w->nitems++] = (struct item){.node = sub,
		    .known = scan_find(w->a, &known, sub->name),
		    .up = up,
		    .dev = parent.dev,
		    .fs_folds = parent.fs_folds,
		    .depth = parent.depth + 1};
	}
}

/* The item's path into w->path; false when it is longer than any path can be. */
static bool
set_path(struct walk *w, size_t i)
{
	size_t chain[DEPTH_MOST + 1] = {0}, n = 0;
	for (; i != 0; i = w->items[i].up)
		chain[n++] = i;
	w->len = w->root_len;
	while (n-- > 0) {
		const char *name = w->items[chain[n]].node->name;
		size_t len = strlen(name);
		if (w->len + 1 + len > PATH_LIMIT)
			return false;
		w->path[w->len] = '/';
		memcpy(w->path + w->len + 1, name, len);
		w->len += 1 + len;
	}
	w->path[w->len] = '\0';
	return true;
}

/* One directory: looked at, read unless it is as it was known, those below it lined up. */
static void
visit(struct walk *w, size_t i)
{
	struct item *it = &w->items[i];
	struct scan_node *node = it->node;
	struct stat st;
	if (!set_path(w, i)) {
		w->pruned = true;
		return;
	}
	/* From the root on: a fifth of the time of a small tree is in the way to there. */
	const char *below = i == 0 ? "." : w->path + w->root_len + 1;
	if (fstatat(w->root_fd, below, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
	    !S_ISDIR(st.st_mode))
		return;
	w->dev = it->dev;
	w->fs_folds = it->fs_folds;
	if (st.st_dev != w->dev && !enter_file_system(w, st.st_dev))
		return;
	it->dev = w->dev;
	it->fs_folds = w->fs_folds;
	w->seen++;
	int64_t ctime_ns = (int64_t)st.st_ctim.tv_sec * 1000000000 + st.st_ctim.tv_nsec;
	node->ctime_ns = ctime_ns < w->young_ns ? ctime_ns : 0;
	node->ino = (uint64_t)st.st_ino;
	if (same_as_known(node, it->known, ctime_ns))
		take_known(w, node, it->known);
	else
		read_node(w, node);
	add_results(w, node);
	add_items(w, i);
}

/* What is known of a directory that the walk did not come to, and of all below it. */
static void
add_known(struct walk *w, const struct scan_node *node)
{
	size_t before = w->len;
	add_results(w, node);
	for (size_t i = 0; i < node->nsub; i++) {
		size_t len = strlen(node->sub[i]->name);
		if (before + 1 + len > PATH_LIMIT)
			continue;
		w->path[before] = '/';
		memcpy(w->path + before + 1, node->sub[i]->name, len + 1);
		w->len = before + 1 + len;
		add_known(w, node->sub[i]);
		w->len = before;
	}
	w->path[before] = '\0';
}

/* The items that are left when the walk has to stop. */
static void
leave(struct walk *w, size_t i)
{
	for (; i < w->nitems; i++) {
		const struct item *it = &w->items[i];
		if (it->known == NULL || !set_path(w, i))
			continue;
		const char *name = it->node->name;
		*it->node = *it->known;
		it->node->name = name;
		add_known(w, it->node);
	}
}

static bool
may_go_on(struct walk *w)
{
	if (w->stopped == NULL && w->read >= w->limits->directories)
		w->stopped = "there are too many directories";
	return w->stopped == NULL && (w->seen % 64 != 0 || in_time(w));
}

/* What the walk did not see, for whoever has to say so. */
static void
add_stop(struct walk *w)
{
	struct scan *s = w->out;
	s->stops = arena_grow(w->a, s->stops, s->nstops, sizeof(*s->stops));
	s->stops[s->nstops++] = (struct scan_stop){w->root,
	    w->stopped != NULL ? w->stopped : "some directories are nested too deep",
	    w->seen, w->stopped != NULL};
}

#define YOUNG_NS 2000000000LL /* file systems keep time to a tick or, at worst, to 2 s */

struct scan_node *
scan_tree(struct arena *a, const char *root, const struct scan_limits *limits,
    const struct scan_node *known, struct scan *out)
{
	struct walk *w = arena_alloc(a, sizeof(*w));
	struct timespec now;
	struct stat st;
	int fd = strlen(root) <= PATH_LIMIT
	             ? open(root, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
	             : -1;
	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) != 0) {
		close(fd);
		return NULL;
	}
	clock_gettime(CLOCK_REALTIME, &now);
	*w = (struct walk){.a = a,
	    .limits = limits,
	    .out = out,
	    .root = root,
	    .root_fd = fd,
	    .root_len = strcmp(root, "/") == 0 ? 0 : strlen(root),
	    .end = sys_now_ms() + limits->milliseconds,
	    .young_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec - YOUNG_NS};
	memcpy(w->path, root, strlen(root));
	struct scan_node *top = arena_alloc(a, sizeof(*top));
	top->name = path_base(root);
	w->items = arena_grow(a, w->items, 0, sizeof(*w->items));
	w->items[w->nitems++] = (struct item){.node = top,
	    .known = known,
	    .dev = st.st_dev,
	    .fs_folds = scan_folds_case(root)};
	size_t i = 0;
	for (; i < w->nitems && may_go_on(w); i++)
		visit(w, i);
	leave(w, i);
	close(fd);
	if (w->stopped != NULL || w->pruned)
		add_stop(w);
	out->directories += w->seen;
	out->read += w->read;
	return top;
}
