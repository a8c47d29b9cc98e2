/*
 * scan.c: one walk over the write roots for names of the mandatory deny set and git
 * directories. Bounded in directories, depth and time: it says when it stopped short.
 *
 * Not entered: node_modules (its packages' dot files steer nothing of the host), what git
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

/* As the kernel gives it; no libc declares it. */
struct raw_dirent {
	uint64_t ino;
	int64_t off;
	unsigned short len;
	unsigned char type;
	char name[];
};

struct walk {
	struct arena *a;
	const struct scan_limits *limits;
	struct scan *out;
	dev_t dev;        /* the file system that the walk is on */
	bool fs_folds;    /* "A" and "a" are one name on all of it */
	bool fold;        /* in the directory being read */
	int64_t end;      /* ms */
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

static bool
is_skipped(const char *name)
{
	return strcmp(name, "node_modules") == 0;
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
	if (type != DT_DIR || is_skipped(name))
		return;
	struct scan_node *sub = arena_alloc(w->a, sizeof(*sub));
	sub->name = arena_strdup(w->a, name);
	node->sub = arena_grow(w->a, node->sub, node->nsub, sizeof(struct scan_node *));
	node->sub[node->nsub++] = sub;
}

static void
read_dir(struct walk *w, int fd, struct scan_node *node, struct signs *signs)
{
	for (;;) {
		long n = syscall(SYS_getdents64, fd, w->buf, sizeof(w->buf));
		if (n <= 0)
			return;
		for (long at = 0; at < n;) {
			const struct raw_dirent *e =
			    (const struct raw_dirent *)(const void *)(w->buf + at);
			take_entry(w, fd, e, node, signs);
			at += e->len;
		}
	}
}

static bool
within_limits(struct walk *w, unsigned depth)
{
	if (w->out->stopped != NULL)
		return false;
	/* A deep chain ends itself, not the walk: a command could put one in front. */
	if (depth > w->limits->depth) {
		w->out->pruned = true;
		return false;
	}
	if (w->out->directories >= w->limits->directories)
		w->out->stopped = "there are too many directories";
	else if (w->out->directories % 64 == 0 && sys_now_ms() >= w->end)
		w->out->stopped = "it took too long";
	return w->out->stopped == NULL;
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

static bool
directory_folds(int fd)
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
scan_folds_case(const char *directory)
{
	struct statfs fs;
	int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return false;
	bool folds =
	    directory_folds(fd) ||
	    (fstatfs(fd, &fs) == 0 && type_is(&fs, folding, SRUN_ARRAY_LEN(folding)));
	close(fd);
	return folds;
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

static void
read_node(struct walk *w, struct scan_node *node)
{
	struct signs signs = {false, false, false};
	int fd = open_here(w);
	if (fd < 0) {
		node->ctime_ns = 0; /* to be tried again */
		return;
	}
	w->out->read++;
	w->fold = w->fs_folds || directory_folds(fd);
	read_dir(w, fd, node, &signs);
	close(fd);
	node->gitdir = is_gitdir(w, node->name, &signs);
	size_t kept = 0;
	for (size_t i = 0; i < node->nsub; i++)
		if (!node->gitdir || !git_internal(w, node->sub[i]->name))
			node->sub[kept++] = node->sub[i];
	node->nsub = kept;
}

/* The same directory in the known tree; the order of entries seldom changes. */
static const struct scan_node *
find_known(const struct scan_node *known, size_t hint, const char *name)
{
	if (known == NULL)
		return NULL;
	for (size_t i = 0; i < known->nsub; i++) {
		const struct scan_node *k = known->sub[(hint + i) % known->nsub];
		if (strcmp(k->name, name) == 0)
			return k;
	}
	return NULL;
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

static void walk_below(struct walk *w, struct scan_node *node,
    const struct scan_node *known, unsigned depth);

static void
walk_node(
    struct walk *w, struct scan_node *node, const struct scan_node *known, unsigned depth)
{
	struct stat st;
	if (!within_limits(w, depth) || lstat(w->len > 0 ? w->path : "/", &st) != 0 ||
	    !S_ISDIR(st.st_mode))
		return;
	if (st.st_dev != w->dev && !enter_file_system(w, st.st_dev))
		return;
	w->out->directories++;
	int64_t ctime_ns = (int64_t)st.st_ctim.tv_sec * 1000000000 + st.st_ctim.tv_nsec;
	node->ctime_ns = ctime_ns < w->young_ns ? ctime_ns : 0;
	node->ino = (uint64_t)st.st_ino;
	if (known != NULL && known->ctime_ns != 0 && known->ctime_ns == ctime_ns &&
	    known->ino == node->ino) {
		const char *name = node->name;
		*node = *known;
		node->name = name;
		node->sub =
		    arena_alloc(w->a, (known->nsub + 1) * sizeof(struct scan_node *));
		for (size_t i = 0; i < known->nsub; i++) {
			node->sub[i] = arena_alloc(w->a, sizeof(struct scan_node));
			node->sub[i]->name = known->sub[i]->name;
		}
	} else {
		read_node(w, node);
	}
	add_results(w, node);
	walk_below(w, node, known, depth + 1);
}

static void
walk_below(
    struct walk *w, struct scan_node *node, const struct scan_node *known, unsigned depth)
{
	for (size_t i = 0; i < node->nsub; i++) {
		size_t before = w->len, n = strlen(node->sub[i]->name);
		dev_t dev = w->dev;
		bool fs_folds = w->fs_folds;
		if (before + 1 + n > PATH_LIMIT) {
			w->out->stopped = "a path is too long";
			return;
		}
		w->path[w->len++] = '/';
		memcpy(w->path + w->len, node->sub[i]->name, n + 1);
		w->len += n;
		walk_node(
		    w, node->sub[i], find_known(known, i, node->sub[i]->name), depth);
		w->len = before;
		w->path[before] = '\0';
		w->dev = dev;
		w->fs_folds = fs_folds;
	}
}

#define YOUNG_NS 2000000000LL /* file systems keep time to a tick or, at worst, to 2 s */

struct scan_node *
scan_tree(struct arena *a, const char *root, const struct scan_limits *limits,
    const struct scan_node *known, struct scan *out)
{
	struct walk *w = arena_alloc(a, sizeof(*w));
	struct timespec now;
	struct stat st;
	if (lstat(root, &st) != 0 || !S_ISDIR(st.st_mode) || strlen(root) > PATH_LIMIT)
		return NULL;
	clock_gettime(CLOCK_REALTIME, &now);
	*w = (struct walk){.a = a,
	    .limits = limits,
	    .out = out,
	    .dev = st.st_dev,
	    .fs_folds = scan_folds_case(root),
	    .end = sys_now_ms() + limits->milliseconds,
	    .young_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec - YOUNG_NS};
	w->len = strcmp(root, "/") == 0 ? 0 : strlen(root);
	memcpy(w->path, root, w->len);
	struct scan_node *top = arena_alloc(a, sizeof(*top));
	top->name = path_base(root);
	walk_node(w, top, known, 0);
	return top;
}
