/*
 * placeholder.c: names held for the deny set. Every call is relative to a directory
 * descriptor and follows no link.
 *
 * A journal per directory lies in the state directory, named after a hash of the path: the
 * path first, then one record for each name before it is made, all ended by a NUL. Every run that
 * relies on the directory has a shared flock(2) on it, so "can be locked exclusively" means
 * "nobody relies on it": then, and only then, the names are removed, by the last run at its
 * end or by a later one after a crash.
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
#include <unistd.h>

#include "path.h"
#include "sys.h"

#define JOURNAL_SUFFIX ".hold"
#define JOURNAL_LIMIT  (1024 * 1024)
#define DOT_TEXT       ".\n"

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
	return arena_printf(a, "%016llx%s", (unsigned long long)hash(directory), suffix);
}

/* Opens and locks the journal; one that was removed meanwhile is opened anew. */
static int
open_journal(int statefd, const char *name)
{
	for (;;) {
		struct stat st;
		int fd = openat(statefd, name,
		    O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (fd < 0)
			return -1;
		if (flock(fd, LOCK_SH) != 0 || fstat(fd, &st) != 0) {
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

struct hold *
hold_directory(struct arena *a, struct holds *h, const char *directory, int *err)
{
	struct stat st;
	*err = 0;
	for (size_t i = 0; i < h->n; i++)
		if (strcmp(h->v[i].directory, directory) == 0)
			return &h->v[i];
	int dirfd = sys_open_directory(directory);
	if (dirfd < 0 || faccessat(dirfd, ".", W_OK | X_OK, 0) != 0) {
		if (dirfd >= 0)
			close(dirfd);
		return NULL;
	}
	struct hold new = {.directory = directory, .dirfd = dirfd};
	new.journal = hold_cache_name(a, directory, JOURNAL_SUFFIX);
	new.journal_fd = open_journal(h->statefd, new.journal);
	if (new.journal_fd < 0 || fstat(new.journal_fd, &st) != 0) {
		*err = errno;
		close(dirfd);
		return NULL;
	}
	if (st.st_size == 0)
		(void)!write(new.journal_fd, directory, strlen(directory) + 1);
	h->v = arena_grow(a, h->v, h->n, sizeof(*h->v));
	h->v[h->n] = new;
	return &h->v[h->n++];
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

/* Only what is still as it was made. */
static void
remove_name(int dirfd, char how, const char *name)
{
	if (how == 'd' || how == 'p')
		unlinkat(dirfd, name, AT_REMOVEDIR);
	else if (is_as_made(dirfd, how, name))
		unlinkat(dirfd, name, 0);
}

/* The letter that a journal has for a name, 0 when it has none. */
static char
listed_letter(const struct bytes *list, const char *directory, const char *name)
{
	size_t n = list->len > 0 ? strlen(list->data) + 1 : 0;
	if (n == 0 || n > list->len || strcmp(list->data, directory) != 0)
		return 0;
	for (size_t at = n; at < list->len; at += strlen(list->data + at) + 1)
		if (strcmp(list->data + at + (list->data[at] != '\0'), name) == 0)
			return list->data[at];
	return 0;
}

bool
hold_is_ours(struct arena *a, int statefd, const char *path)
{
	const char *directory = path_parent(a, path);
	const char *journal = hold_cache_name(a, directory, JOURNAL_SUFFIX);
	struct bytes list = {NULL, 0, 0};
	if (sys_read_file(a, statefd, journal, JOURNAL_LIMIT, &list) != 0)
		return false;
	char how = listed_letter(&list, directory, path_base(path));
	int dirfd = how != 0 ? sys_open_directory(directory) : -1;
	bool ours = dirfd >= 0 && is_as_made(dirfd, how, path_base(path));
	if (dirfd >= 0)
		close(dirfd);
	return ours;
}

bool
hold_make(
    struct arena *a, int statefd, struct hold *h, const char *name, enum deny_hold how)
{
	const char *line = arena_printf(a, "%c%s", letter(how), name);
	ssize_t len = (ssize_t)strlen(line) + 1;
	struct stat st;
	if (fstatat(h->dirfd, name, &st, AT_SYMLINK_NOFOLLOW) == 0) {
		bool ours = hold_is_ours(a, statefd, path_join(a, h->directory, name));
		errno = EEXIST;
		return ours;
	}
	/* Journalled before it is made: what a crash leaves behind is always known. */
	if (write(h->journal_fd, line, (size_t)len) != len)
		return false;
	bool made = how == HOLD_DIR || how == HOLD_PARENT
	                ? mkdirat(h->dirfd, name, 0755) == 0
	                : make_file(h->dirfd, name, how == HOLD_DOT_FILE ? DOT_TEXT : "");
	/* Another run was faster, and its record is there as well. */
	if (!made && errno == EEXIST) {
		made = is_as_made(h->dirfd, letter(how), name);
		errno = EEXIST;
	}
	return made;
}

/* The journal is locked exclusively: the last name made goes first. */
static void
remove_listed(int dirfd, const char *records, size_t len)
{
	while (len > 0) {
		size_t start = len - 1; /* the record's NUL */
		while (start > 0 && records[start - 1] != '\0')
			start--;
		const char *record = records + start;
		if (record[0] != '\0' && record[1] != '\0' &&
		    strchr(record + 1, '/') == NULL)
			remove_name(dirfd, record[0], record + 1);
		len = start;
	}
}

/* False when somebody else has it. */
static bool
close_journal(struct arena *a, int statefd, const char *name, int fd)
{
	struct bytes list = {NULL, 0, 0};
	struct stat st;
	if (flock(fd, LOCK_EX | LOCK_NB) != 0)
		return false;
	/* Removed before it was locked: under its name may lie that of a run that lives. */
	if (fstat(fd, &st) != 0 || st.st_nlink == 0 ||
	    sys_read_file(a, statefd, name, JOURNAL_LIMIT, &list) != 0)
		return true;
	size_t n = list.len > 0 ? strlen(list.data) + 1 : 0;
	int dirfd = n > 1 && n <= list.len && list.data[0] == '/'
	                ? sys_open_directory(list.data)
	                : -1;
	if (dirfd >= 0) {
		/* A record that a crash cut short named nothing that was made. */
		while (list.len > n && list.data[list.len - 1] != '\0')
			list.len--;
		remove_listed(dirfd, list.data + n, list.len - n);
		close(dirfd);
	}
	unlinkat(statefd, name, 0);
	return true;
}

void
holds_release(struct arena *a, struct holds *h)
{
	/* The last opened is the deepest: a directory that was made for another goes after it. */
	for (size_t i = h->n; i-- > 0;) {
		/* A sweep that was faster removes the names: it has to be waited for. */
		if (!close_journal(a, h->statefd, h->v[i].journal, h->v[i].journal_fd))
			flock(h->v[i].journal_fd, LOCK_SH);
		/* The guardian has it open too. */
		flock(h->v[i].journal_fd, LOCK_UN);
		close(h->v[i].journal_fd);
		close(h->v[i].dirfd);
	}
	h->n = 0;
}

bool
hold_write_cache(struct arena *a, int statefd, const char *name, const struct bytes *data)
{
	const char *temp = arena_printf(a, "%s.%ld", name, (long)getpid());
	int fd = openat(statefd, temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return false;
	bool ok = sys_write_all(fd, data->data, data->len) == 0;
	if (close(fd) == 0 && ok && renameat(statefd, temp, statefd, name) == 0)
		return true;
	unlinkat(statefd, temp, 0);
	return false;
}

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
		if (!str_ends(e->d_name, JOURNAL_SUFFIX))
			continue;
		sys_read_file(a, statefd, e->d_name, JOURNAL_LIMIT, &list);
		v = arena_grow(a, v, n, sizeof(*v));
		v[n++] = (struct journal){
		    arena_strdup(a, e->d_name), list.len > 0 ? list.data : ""};
	}
	closedir(d);
	if (n > 1)
		qsort(v, n, sizeof(*v), compare_journals);
	for (size_t i = 0; i < n; i++) {
		int fd = openat(statefd, v[i].name, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
		if (fd < 0)
			continue;
		close_journal(a, statefd, v[i].name, fd);
		close(fd);
	}
}
