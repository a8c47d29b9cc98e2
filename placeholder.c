/*
 * placeholder.c: names held for the deny set. Every call is relative to a directory
 * descriptor and follows no link.
 *
 * A journal per directory lies in the state directory, named after the directory's device
 * and inode, so that it is the same by whatever path. Every run that relies on the directory
 * has a shared flock(2) on it, so "can be locked exclusively" means "nobody relies on it":
 * then, and only then, the names are removed, by the last run at its end or by a later one
 * after a crash.
 *
 * A journal is a row of records, each ended by a NUL:
 *	/PATH       the directory, for the sweep after a crash
 *	#INODE      what it is, since the path may lead elsewhere by then
 *	dNAME       a name that is about to be made; the letter says how
 *	=INODE NAME it was made, and this is it
 */
#include "placeholder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <time.h>
#include <unistd.h>

#include "path.h"
#include "sys.h"

#define JOURNAL_SUFFIX ".hold"
#define JOURNAL_LIMIT  (1024 * 1024)
#define DOT_TEXT       ".\n"
#define FUSE_MAGIC     0x65735546 /* linux/magic.h: inodes there need not last */
#define DAY_SECONDS    (24 * 60 * 60)
#define CACHE_DAYS     30      /* after which a file that no run used is removed */
#define CACHE_DIR      "cache" /* apart: no start has to read a long directory */
#define CACHE_MOST     512 /* beyond that what was not used today; twice that: every second */

/* FNV-1a, 64 bits. */
static uint64_t
hash(const char *s)
{
	uint64_t h = 0xcbf29ce484222325ULL;
	for (; *s != '\0'; s++)
		h = (h ^ (unsigned char)*s) * 0x100000001b3ULL;
	return h;
}

const char *
hold_cache_name(struct arena *a, const char *directory, const char *suffix)
{
	return arena_printf(
	    a, CACHE_DIR "/%016llx%s", (unsigned long long)hash(directory), suffix);
}

/* Opens and locks a journal; one that was removed meanwhile is opened anew. */
static int
open_journal(int statefd, const char *name, int create)
{
	for (;;) {
		struct stat st;
		int fd = openat(statefd, name,
		    O_RDWR | create | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (fd < 0)
			return -1;
		int got = flock(fd, LOCK_SH);
		if (got != 0 && errno == EINTR) {
			close(fd);
			continue;
		}
		if (got != 0 || fstat(fd, &st) != 0) {
			int err = errno;
			close(fd);
			errno = err;
			return -1;
		}
		if (st.st_nlink > 0)
			return fd;
		close(fd);
	}
}

static const char *
journal_name(struct arena *a, const struct stat *st)
{
	const char *id = arena_printf(a, "%llu:%llu", (unsigned long long)st->st_dev,
	    (unsigned long long)st->st_ino);
	return arena_printf(a, "%016llx" JOURNAL_SUFFIX, (unsigned long long)hash(id));
}

static bool
add_record(int fd, const char *text)
{
	size_t len = strlen(text) + 1;
	ssize_t n = write(fd, text, len);
	if (n >= 0 && (size_t)n != len)
		errno = ENOSPC;
	return n == (ssize_t)len;
}

/* A new journal says first what it is about. */
static bool
begin_journal(struct arena *a, int fd, const struct hold *h)
{
	struct stat st;
	if (fstat(fd, &st) != 0)
		return false;
	return st.st_size > 0 ||
	       (add_record(fd, h->directory) &&
	           add_record(fd, arena_printf(a, "#%llu", (unsigned long long)h->ino)));
}

static void
add_lock(struct arena *a, struct hold *h, int statefd, int fd)
{
	h->locks = arena_grow(a, h->locks, h->nlocks, sizeof(*h->locks));
	h->locks[h->nlocks++] = (struct hold_lock){statefd, fd};
}

static struct hold *
find_hold(const struct holds *h, const char *directory)
{
	for (size_t i = 0; i < h->n; i++)
		if (strcmp(h->v[i].directory, directory) == 0)
			return &h->v[i];
	return NULL;
}

/* What is missing or not the caller's to write is not the command's to write either. */
static bool
nothing_to_hold(int err)
{
	return err == ENOENT || err == EACCES || err == EPERM || err == EROFS;
}

struct hold *
hold_directory(struct arena *a, struct holds *h, const char *directory, int *err)
{
	struct stat st, place;
	struct hold *have = find_hold(h, directory);
	*err = 0;
	if (have != NULL)
		return have;
	int dirfd = sys_open_directory(directory);
	if (dirfd < 0 || faccessat(dirfd, ".", W_OK | X_OK, 0) != 0 ||
	    fstat(dirfd, &st) != 0) {
		*err = nothing_to_hold(errno) ? 0 : errno;
		if (dirfd >= 0)
			close(dirfd);
		return NULL;
	}
	struct hold new = {.directory = directory, .dirfd = dirfd, .ino = st.st_ino};
	new.journal = journal_name(a, &st);
	int fd = open_journal(h->statefd, new.journal, O_CREAT);
	if (fd < 0 || !begin_journal(a, fd, &new)) {
		*err = errno;
		if (fd >= 0)
			close(fd);
		close(dirfd);
		return NULL;
	}
	add_lock(a, &new, h->statefd, fd);
	/* Moved away while it was being locked: the name is another directory's by now. */
	if (lstat(directory, &place) != 0 || place.st_ino != st.st_ino ||
	    place.st_dev != st.st_dev)
		*err = ESTALE;
	h->v = arena_grow(a, h->v, h->n, sizeof(*h->v));
	h->v[h->n++] = new;
	return *err == 0 ? &h->v[h->n - 1] : NULL;
}

static bool
make_file(int dirfd, const char *name, const char *text)
{
	int fd = openat(
	    dirfd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0444);
	if (fd < 0)
		return false;
	bool ok = sys_write_all(fd, text, strlen(text)) == 0;
	return close(fd) == 0 && ok;
}

static char
letter(enum deny_hold how)
{
	static const char letters[] = {[HOLD_NONE] = '-',
	    [HOLD_DIR] = 'd',
	    [HOLD_EMPTY_FILE] = 'f',
	    [HOLD_DOT_FILE] = '.',
	    [HOLD_PARENT] = 'p'};
	return letters[how];
}

static bool
is_empty(int dirfd, const char *name)
{
	int fd = openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	size_t n = 0;
	if (d == NULL) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	while (n <= 2 && readdir(d) != NULL)
		n++;
	closedir(d);
	return n <= 2;
}

static bool
is_as_made(int dirfd, char how, const char *name)
{
	struct stat st;
	char text[sizeof(DOT_TEXT)];
	size_t want = how == '.' ? strlen(DOT_TEXT) : 0;
	if (how == 'd')
		return is_empty(dirfd, name);
	if (how == 'p')
		return fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		       S_ISDIR(st.st_mode);
	int fd = openat(dirfd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return false;
	bool same = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	            (size_t)st.st_size == want && st.st_nlink == 1 &&
	            read(fd, text, want) == (ssize_t)want &&
	            memcmp(text, DOT_TEXT, want) == 0;
	close(fd);
	return same;
}

/* ---- records ---- */

/* What a journal says of a name. */
struct record {
	char how;  /* 0: nothing */
	ino_t ino; /* 0: not that it was made, or not which one */
};

/* The record after at, which begins with 0 for the first; NULL after the last whole one. */
static const char *
next_record(const struct bytes *list, const char *at)
{
	const char *next = at == NULL ? list->data : at + strlen(at) + 1;
	size_t left = list->len - (size_t)(next - list->data);
	return left > 0 && memchr(next, '\0', left) != NULL ? next : NULL;
}

static bool
is_intent(const char *record)
{
	return record[0] != '\0' && strchr("df.p", record[0]) != NULL &&
	       record[1] != '\0' && strchr(record + 1, '/') == NULL;
}

static struct record
find_record(const struct bytes *list, const char *name)
{
	struct record r = {0, 0};
	if (list->len == 0)
		return r;
	for (const char *at = NULL; (at = next_record(list, at)) != NULL;) {
		char *end;
		if (is_intent(at) && strcmp(at + 1, name) == 0) {
			r.how = at[0];
		} else if (at[0] == '=') {
			unsigned long long ino = strtoull(at + 1, &end, 10);
			if (*end == ' ' && strcmp(end + 1, name) == 0)
				r.ino = (ino_t)ino;
		}
	}
	return r;
}

/* The inode that a journal was begun for; 0 when it does not say. */
static ino_t
directory_of(const struct bytes *list, const char **path)
{
	ino_t ino = 0;
	*path = NULL;
	if (list->len == 0)
		return 0;
	for (const char *at = NULL; (at = next_record(list, at)) != NULL;) {
		if (at[0] == '/' && *path == NULL)
			*path = at;
		if (at[0] == '#' && ino == 0)
			ino = (ino_t)strtoull(at + 1, NULL, 10);
	}
	return ino;
}

static bool
is_the_one(int dirfd, const char *name, const struct record *r)
{
	struct stat st;
	return fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	       (r->ino == 0 || st.st_ino == r->ino);
}

/* Only what is still as it was made, and itself. */
static void
remove_name(int dirfd, const char *name, const struct record *r)
{
	if (!is_the_one(dirfd, name, r))
		return;
	if (r->how == 'd' || r->how == 'p')
		unlinkat(dirfd, name, AT_REMOVEDIR);
	else if (is_as_made(dirfd, r->how, name))
		unlinkat(dirfd, name, 0);
}

/* The last made goes first. */
static void
remove_listed(struct arena *a, int dirfd, const struct bytes *list)
{
	struct strv names = {NULL, 0};
	for (const char *at = NULL; (at = next_record(list, at)) != NULL;)
		if (is_intent(at))
			strv_push(a, &names, at + 1);
	for (size_t i = names.n; i-- > 0;) {
		struct record r = find_record(list, names.v[i]);
		remove_name(dirfd, names.v[i], &r);
	}
}

/* ---- sharing ---- */

/* A directory of the caller's alone that is not our own state directory. */
static int
open_place(const struct holds *h, const char *path)
{
	struct stat st, own;
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0 && st.st_uid == getuid() && (st.st_mode & 077) == 0 &&
	    fstat(h->statefd, &own) == 0 &&
	    (st.st_dev != own.st_dev || st.st_ino != own.st_ino))
		return fd;
	close(fd);
	return -1;
}

static void
open_places(struct arena *a, struct holds *h)
{
	if (h->placefds != NULL)
		return;
	h->placefds = arena_alloc(a, (h->places.n + 1) * sizeof(*h->placefds));
	for (size_t i = 0; i < h->places.n; i++) {
		int fd = open_place(h, h->places.v[i]);
		if (fd >= 0)
			h->placefds[h->nplacefds++] = fd;
	}
}

static struct record
look_up(struct arena *a, int statefd, const char *journal, const char *name)
{
	struct bytes list = {NULL, 0, 0};
	if (sys_read_file(a, statefd, journal, JOURNAL_LIMIT, &list) != 0)
		list.len = 0;
	return find_record(&list, name);
}

static bool
has_lock(const struct hold *h, int statefd)
{
	for (size_t i = 0; i < h->nlocks; i++)
		if (h->locks[i].statefd == statefd)
			return true;
	return false;
}

/*
 * Looks in one state directory. The journal is locked before it is believed: its last run
 * may be removing the name at this moment.
 */
static bool
is_listed(
    struct arena *a, int statefd, struct hold *h, const struct hold *in, const char *name)
{
	struct record r = look_up(a, statefd, in->journal, name);
	if (r.how == 0)
		return false;
	if (h != NULL && !has_lock(h, statefd)) {
		int fd = open_journal(statefd, h->journal, 0);
		if (fd < 0)
			return false;
		add_lock(a, h, statefd, fd);
		r = look_up(a, statefd, in->journal, name);
	}
	return r.how != 0 && is_the_one(in->dirfd, name, &r) &&
	       is_as_made(in->dirfd, r.how, name);
}

bool
hold_is_ours(struct arena *a, struct holds *h, const char *path)
{
	const char *directory = path_parent(a, path), *name = path_base(path);
	struct hold *held = find_hold(h, directory), seen = {.dirfd = -1};
	struct stat st;
	if (held == NULL) {
		seen.dirfd = sys_open_directory(directory);
		if (seen.dirfd >= 0 && fstat(seen.dirfd, &st) == 0)
			seen.journal = journal_name(a, &st);
	}
	const struct hold *in = held != NULL ? held : &seen;
	bool ours = in->journal != NULL && is_listed(a, h->statefd, held, in, name);
	open_places(a, h);
	for (size_t i = 0; !ours && in->journal != NULL && i < h->nplacefds; i++)
		ours = is_listed(a, h->placefds[i], held, in, name);
	if (seen.dirfd >= 0)
		close(seen.dirfd);
	return ours;
}

/* ---- making and giving up ---- */

/* Whether inodes of the file system mean something later. */
static bool
lasting_inodes(int dirfd)
{
	struct statfs fs;
	return fstatfs(dirfd, &fs) == 0 && (unsigned)fs.f_type != FUSE_MAGIC;
}

static void
journal_made(struct arena *a, struct hold *h, const char *name)
{
	struct stat st;
	if (lasting_inodes(h->dirfd) &&
	    fstatat(h->dirfd, name, &st, AT_SYMLINK_NOFOLLOW) == 0)
		add_record(h->locks[0].fd,
		    arena_printf(a, "=%llu %s", (unsigned long long)st.st_ino, name));
}

bool
hold_make(struct arena *a, struct holds *h, struct hold *in, const char *name,
    enum deny_hold how)
{
	struct stat st;
	if (fstatat(in->dirfd, name, &st, AT_SYMLINK_NOFOLLOW) == 0) {
		bool ours = hold_is_ours(a, h, path_join(a, in->directory, name));
		errno = EEXIST;
		return ours;
	}
	/* Journalled before it is made: what a crash leaves behind is always known. */
	if (!add_record(in->locks[0].fd, arena_printf(a, "%c%s", letter(how), name)))
		return false;
	bool made =
	    how == HOLD_DIR || how == HOLD_PARENT
	        ? mkdirat(in->dirfd, name, 0755) == 0
	        : make_file(in->dirfd, name, how == HOLD_DOT_FILE ? DOT_TEXT : "");
	if (made) {
		journal_made(a, in, name);
		return true;
	}
	/* Another run was faster, and its record is there as well. */
	if (errno == EEXIST) {
		made = hold_is_ours(a, h, path_join(a, in->directory, name));
		errno = EEXIST;
	}
	return made;
}

/*
 * Where nobody else relies on it: removes what it lists (dirfd -1: nothing), and itself.
 * False when somebody else has it.
 */
static bool
close_journal(struct arena *a, int statefd, const char *name, int fd, int dirfd)
{
	struct bytes list = {NULL, 0, 0};
	struct stat st;
	if (flock(fd, LOCK_EX | LOCK_NB) != 0)
		return false;
	/* Removed before it was locked: under its name may lie that of a run that lives. */
	if (fstat(fd, &st) != 0 || st.st_nlink == 0 ||
	    sys_read_file(a, statefd, name, JOURNAL_LIMIT, &list) != 0)
		return true;
	if (dirfd >= 0 && list.len > 0)
		remove_listed(a, dirfd, &list);
	unlinkat(statefd, name, 0);
	return true;
}

void
holds_release(struct arena *a, struct holds *h)
{
	/* The last opened is the deepest: a directory that was made for another goes after it. */
	for (size_t i = h->n; i-- > 0;) {
		struct hold *one = &h->v[i];
		for (size_t k = one->nlocks; k-- > 0;) {
			int fd = one->locks[k].fd;
			/* A sweep that was faster removes the names: it has to be waited for. */
			if (!close_journal(
			        a, one->locks[k].statefd, one->journal, fd, one->dirfd))
				flock(fd, LOCK_SH);
			/* The guardian has it open too. */
			flock(fd, LOCK_UN);
			close(fd);
		}
		close(one->dirfd);
	}
	for (size_t i = 0; i < h->nplacefds; i++)
		close(h->placefds[i]);
	h->n = h->nplacefds = 0;
	h->placefds = NULL;
}

/* Files that save work and that nobody misses: the old ones, and more when there are many. */
static void
sweep_caches(struct arena *a, int statefd)
{
	struct strv names = {NULL, 0};
	DIR *d =
	    fdopendir(openat(statefd, CACHE_DIR, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	if (d == NULL)
		return;
	for (struct dirent *e; (e = readdir(d)) != NULL;)
		if (e->d_name[0] != '.')
			strv_push(a, &names, arena_strdup(a, e->d_name));
	time_t days = names.n > CACHE_MOST ? 1 : CACHE_DAYS;
	time_t oldest = time(NULL) - days * DAY_SECONDS;
	for (size_t i = 0; i < names.n; i++) {
		struct stat st;
		bool many = names.n > 2 * CACHE_MOST && i % 2 == 0;
		if (fstatat(dirfd(d), names.v[i], &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		    (many || st.st_mtime < oldest))
			unlinkat(dirfd(d), names.v[i], 0);
	}
	closedir(d);
}

static int
open_cache(int statefd, const char *name)
{
	const int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC;
	int fd = openat(statefd, name, flags, 0600);
	if (fd < 0 && errno == ENOENT && mkdirat(statefd, CACHE_DIR, 0700) == 0)
		fd = openat(statefd, name, flags, 0600);
	return fd;
}

bool
hold_write_cache(struct arena *a, int statefd, const char *name, const struct bytes *data)
{
	const char *temp = arena_printf(a, "%s.%ld", name, (long)getpid());
	int fd = open_cache(statefd, temp);
	if (fd < 0)
		return false;
	bool ok = sys_write_all(fd, data->data, data->len) == 0;
	if (close(fd) != 0 || !ok || renameat(statefd, temp, statefd, name) != 0) {
		unlinkat(statefd, temp, 0);
		return false;
	}
	/* Seldom, since each file costs a look: one that is written in sixteen. */
	if (getpid() % 16 == 0)
		sweep_caches(a, statefd);
	return true;
}

void
hold_touch_cache(int statefd, const char *name)
{
	struct stat st;
	if (fstatat(statefd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    time(NULL) - st.st_mtime > DAY_SECONDS)
		utimensat(statefd, name, NULL, AT_SYMLINK_NOFOLLOW);
}

/* ---- sweeping ---- */

struct journal {
	const char *name, *directory;
};

/* The deepest first: a directory that was made for another goes after it. */
static int
compare_journals(const void *x, const void *y)
{
	const struct journal *a = x, *b = y;
	size_t n = strlen(a->directory), m = strlen(b->directory);
	return (n < m) - (n > m);
}

/* The directory that a journal is about, -1 when its path leads elsewhere by now. */
static int
open_listed(const char *path, ino_t ino)
{
	struct stat st;
	int fd = path != NULL && ino != 0 ? sys_open_directory(path) : -1;
	if (fd >= 0 && (fstat(fd, &st) != 0 || st.st_ino != ino)) {
		close(fd);
		return -1;
	}
	return fd;
}

static void
sweep_journal(struct arena *a, int statefd, const char *name)
{
	struct bytes list = {NULL, 0, 0};
	const char *path;
	int fd = openat(statefd, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return;
	/* Locked before it is read: a run may be writing it. */
	if (flock(fd, LOCK_EX | LOCK_NB) == 0 &&
	    sys_read_file(a, statefd, name, JOURNAL_LIMIT, &list) == 0) {
		ino_t ino = directory_of(&list, &path);
		int dirfd = open_listed(path, ino);
		close_journal(a, statefd, name, fd, dirfd);
		if (dirfd >= 0)
			close(dirfd);
	}
	close(fd);
}

void
holds_sweep(struct arena *a, int statefd)
{
	struct journal *v = NULL;
	size_t n = 0;
	DIR *d = fdopendir(openat(statefd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	if (d == NULL)
		return;
	for (struct dirent *e; (e = readdir(d)) != NULL;) {
		struct bytes list = {NULL, 0, 0};
		const char *path;
		if (!str_ends(e->d_name, JOURNAL_SUFFIX))
			continue;
		if (sys_read_file(a, statefd, e->d_name, JOURNAL_LIMIT, &list) != 0)
			list.len = 0;
		directory_of(&list, &path);
		v = arena_grow(a, v, n, sizeof(*v));
		v[n++] = (struct journal){
		    arena_strdup(a, e->d_name), path != NULL ? path : ""};
	}
	closedir(d);
	if (n > 1)
		qsort(v, n, sizeof(*v), compare_journals);
	for (size_t i = 0; i < n; i++)
		sweep_journal(a, statefd, v[i].name);
}
