/*
 * scan.c: one walk over the write roots for names of the mandatory deny set and git
 * directories. Bounded in directories, depth and time: it says when it stopped short.
 *
 * Not entered: node_modules (its packages' dot files steer nothing of the host), what git
 * keeps its objects, references and logs in, and other file systems.
 */
#include "scan.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "path.h"
#include "sys.h"

#define BUFFER_BYTES (32 * 1024)

#ifndef SYS_openat2
#define SYS_openat2 437 /* Linux 5.6, the same everywhere */
#endif
#define RESOLVE_NO_XDEV_BIT 0x01U

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
	dev_t dev;
	bool fold;
	int64_t end; /* ms */
	size_t len;  /* of path */
	char path[PATH_LIMIT + 256 + 2];
	/* One for all: a directory is read whole before those below it are. */
	_Alignas(struct raw_dirent) char buf[BUFFER_BYTES];
};

/* What one directory turned out to hold. */
struct contents {
	struct strv subdirs;
	bool head, objects, refs, git;
};

static void walk_dir(struct walk *w, int fd, unsigned depth, const char *name);

static void
add_found(struct walk *w, const struct deny_entry *entry, const char *name)
{
	struct scan *s = w->out;
	s->found = arena_grow(w->a, s->found, s->nfound, sizeof(*s->found));
	s->found[s->nfound++] = (struct scan_found){path_join(w->a, w->path, name), entry};
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

static void
take_entry(struct walk *w, int fd, const struct raw_dirent *e, const char *dirname,
    struct contents *c)
{
	const char *name = e->name;
	unsigned char type = type_of(fd, e);
	if (name[0] == '.' && (name[1] == '\0' || (name[1] == '.' && name[2] == '\0')))
		return;
	if (dirname[0] == '.' || deny_set_maybe(name)) {
		const struct deny_entry *entry = deny_set_tree(dirname, name, w->fold);
		if (entry != NULL) {
			add_found(w, entry, name);
			return;
		}
	}
	if (strcmp(name, ".git") == 0) {
		c->git = true;
		if (type != DT_DIR)
			add_found(w, NULL, name);
	}
	c->head = c->head || strcmp(name, "HEAD") == 0;
	c->objects = c->objects || strcmp(name, "objects") == 0;
	c->refs = c->refs || strcmp(name, "refs") == 0;
	if (type == DT_DIR && !is_skipped(name))
		strv_push(w->a, &c->subdirs, arena_strdup(w->a, name));
}

static void
read_dir(struct walk *w, int fd, const char *dirname, struct contents *c)
{
	for (;;) {
		long n = syscall(SYS_getdents64, fd, w->buf, sizeof(w->buf));
		if (n <= 0)
			return;
		for (long at = 0; at < n;) {
			const struct raw_dirent *e = (const struct raw_dirent *)(const void *)(w->buf + at);
			take_entry(w, fd, e, dirname, c);
			at += e->len;
		}
	}
}

static bool
within_limits(struct walk *w, unsigned depth)
{
	if (w->out->stopped != NULL)
		return false;
	if (depth > w->limits->depth)
		w->out->stopped = "directories are nested too deep";
	else if (w->out->directories >= w->limits->directories)
		w->out->stopped = "there are too many directories";
	else if (w->out->directories % 64 == 0 && sys_now_ms() >= w->end)
		w->out->stopped = "it took too long";
	return w->out->stopped == NULL;
}

/* Not through a link, not into another file system: openat2(2), Linux 5.6, or by hand. */
static int
open_sub(const struct walk *w, int fd, const char *name)
{
	struct {
		uint64_t flags, mode, resolve;
	} how = {O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0, RESOLVE_NO_XDEV_BIT};
	struct stat st;
	int sub = (int)syscall(SYS_openat2, fd, name, &how, sizeof(how));
	if (sub >= 0 || (errno != ENOSYS && errno != EPERM))
		return sub;
	sub = openat(fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (sub < 0 || (fstat(sub, &st) == 0 && st.st_dev == w->dev))
		return sub;
	close(sub);
	errno = EXDEV;
	return -1;
}

/* Opens a directory below, appends its name to the path and walks it. */
static void
walk_sub(struct walk *w, int fd, unsigned depth, const char *name)
{
	size_t before = w->len, n = strlen(name);
	if (!within_limits(w, depth))
		return;
	if (before + 1 + n > PATH_LIMIT) {
		w->out->stopped = "a path is too long";
		return;
	}
	int sub = open_sub(w, fd, name);
	w->path[w->len++] = '/';
	memcpy(w->path + w->len, name, n + 1);
	w->len += n;
	if (sub < 0) {
		if (errno == EACCES)
			strv_push(w->a, &w->out->unread, arena_strdup(w->a, w->path));
	} else {
		walk_dir(w, sub, depth, name);
		close(sub);
	}
	w->len = before;
	w->path[before] = '\0';
}

/* Inside a git directory only what can hold another one is of interest. */
static bool
git_internal(const char *name)
{
	static const char *const inside[] = {"objects", "refs", "logs", "hooks", "info", "lfs",
	    "branches", "rebase-merge", "rebase-apply", "sequencer"};
	for (size_t i = 0; i < SRUN_ARRAY_LEN(inside); i++)
		if (strcmp(inside[i], name) == 0)
			return true;
	return false;
}

static void
walk_dir(struct walk *w, int fd, unsigned depth, const char *name)
{
	struct contents c = {.head = false};
	w->out->directories++;
	read_dir(w, fd, name, &c);
	/* A worktree's administrative directory has a HEAD and shares the rest. */
	bool in_worktrees = c.head && strcmp(path_base(path_parent(w->a, w->path)), "worktrees") == 0;
	bool gitdir = (c.head && c.objects && c.refs) || strcmp(name, ".git") == 0 || in_worktrees;
	if (gitdir)
		strv_push(w->a, &w->out->gitdirs, arena_strdup(w->a, w->path));
	if (c.git)
		strv_push(w->a, &w->out->repos, arena_strdup(w->a, w->path));
	for (size_t i = 0; i < c.subdirs.n; i++)
		if (!gitdir || !git_internal(c.subdirs.v[i]))
			walk_sub(w, fd, depth + 1, c.subdirs.v[i]);
}

void
scan_tree(struct arena *a, const char *root, const struct scan_limits *limits, struct scan *out)
{
	struct walk *w = arena_alloc(a, sizeof(*w));
	struct stat st;
	int fd = open(root, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return;
	*w = (struct walk){.a = a, .limits = limits, .out = out, .fold = scan_folds_case(root),
	    .end = sys_now_ms() + limits->milliseconds};
	if (fstat(fd, &st) == 0 && strlen(root) <= PATH_LIMIT) {
		w->dev = st.st_dev;
		w->len = strcmp(root, "/") == 0 ? 0 : strlen(root);
		memcpy(w->path, root, w->len + 1);
		walk_dir(w, fd, 0, path_base(root));
	}
	close(fd);
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

#define FS_CASEFOLD_BIT 0x40000000 /* FS_CASEFOLD_FL: ext4 and f2fs, a flag of the directory */

bool
scan_folds_case(const char *directory)
{
	struct statfs fs;
	unsigned long flags = 0;
	int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return false;
	bool folds = ioctl(fd, (int)FS_IOC_GETFLAGS, &flags) == 0 && (flags & FS_CASEFOLD_BIT) != 0;
	if (fstatfs(fd, &fs) == 0)
		for (size_t i = 0; i < SRUN_ARRAY_LEN(folding); i++)
			folds = folds || (unsigned)fs.f_type == folding[i];
	close(fd);
	return folds;
}
