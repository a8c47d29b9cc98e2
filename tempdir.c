/*
 * tempdir.c: the directories that a run makes for itself: TMPDIR and a temporary working
 * directory. Where they are, making them, and removing exactly what was made.
 *
 * All of a caller's lie in one directory of mode 0700 beside each other, BASE/srun-UID,
 * where BASE is the caller's TMPDIR or /tmp. Every run closes that directory and opens its
 * own names in it again, so that no run reaches another's, whatever it may read and write.
 * The mount that closes it goes when the host removes the directory. So one in /tmp or
 * /var/tmp stays for good, and one elsewhere until the last of the runs that have their
 * directories in it is over; a run has one there even if the grant says temp = host.
 */
#include "tempdir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "msg.h"
#include "path.h"
#include "rmtree.h"

#define SHARED_PREFIX "srun-"
#define NAME_RANDOM   8 /* short: paths of sockets are */
#define WORK_SUFFIX   ".work"
#define LETTERS       "abcdefghijklmnopqrstuvwxyz234567"
#define MAKE_TRIES    100

void
tempdir_random(char *out, size_t n)
{
	unsigned char bytes[64];
	if (getrandom(bytes, n, 0) != (ssize_t)n)
		_exit(EXIT_SRUN);
	for (size_t i = 0; i < n; i++)
		out[i] = LETTERS[bytes[i] % 32];
}

bool
tempdir_is_private(const struct stat *st, uid_t uid)
{
	return S_ISDIR(st->st_mode) && st->st_uid == uid && (st->st_mode & 077) == 0;
}

bool
tempdir_usable(const struct host *h, const char *dir)
{
	struct stat st;
	char above[PATH_LIMIT + 1];
	if (lstat(dir, &st) == 0)
		return tempdir_is_private(&st, h->uid) && access(dir, W_OK) == 0;
	size_t n = (size_t)(path_base(dir) - dir);
	if (errno != ENOENT || n == 0 || n > PATH_LIMIT)
		return false;
	memcpy(above, dir, n);
	above[n] = '\0';
	return access(above, W_OK) == 0;
}

bool
tempdir_make_shared(const struct host *h, const char *dir)
{
	struct stat st;
	if (mkdir(dir, 0700) != 0 && errno != EEXIST)
		return false;
	if (lstat(dir, &st) != 0)
		return false;
	errno = EPERM;
	return tempdir_is_private(&st, h->uid);
}

/* ---- names ---- */

static const char *
shared_in(struct arena *a, const struct host *h, const char *base)
{
	return path_join(
	    a, base, arena_printf(a, SHARED_PREFIX "%lu", (unsigned long)h->uid));
}

static void
add_closed(struct arena *a, struct run_paths *out, const char *dir)
{
	if (!strv_has(&out->closed, dir))
		strv_push(a, &out->closed, dir);
}

void
tempdir_choose(struct arena *a, const struct host *h, struct run_paths *out)
{
	char name[NAME_RANDOM + 1] = "";
	const char *own = shared_in(a, h, h->temp_base), *usual = NULL;
	bool usable = tempdir_usable(h, own);
	struct strv others = {NULL, 0};
	for (size_t i = 0; i < h->ntemp_places; i++) {
		const char *dir = shared_in(a, h, h->temp_places[i]);
		struct stat st;
		bool good = tempdir_usable(h, dir);
		if (!usable && good) {
			own = dir;
			usable = true;
		}
		/* Where runs of this caller go that have no TMPDIR: now or later. */
		if (usual == NULL && good)
			strv_push(a, &others, usual = dir);
		else if (good && lstat(dir, &st) == 0)
			strv_push(a, &others, dir);
		out->parent_stays = out->parent_stays || strcmp(dir, own) == 0;
	}
	add_closed(a, out, own);
	for (size_t i = 0; i < others.n; i++)
		add_closed(a, out, others.v[i]);
	tempdir_random(name, NAME_RANDOM);
	out->temp = path_join(a, own, name);
}

/* Only a name that tempdir_choose() could have made is ever removed. */
static bool
is_temp_name(struct arena *a, const char *path)
{
	if (path[0] != '/' || strstr(path, "/../") != NULL)
		return false;
	const char *name = path_base(path), *shared = path_base(path_parent(a, path));
	size_t n = strspn(name, LETTERS);
	return str_starts(shared, SHARED_PREFIX) && n == NAME_RANDOM &&
	       (name[n] == '\0' || strcmp(name + n, WORK_SUFFIX) == 0);
}

/* ---- making ---- */

void
tempdir_add(struct arena *a, struct tempdirs *t, const char *path)
{
	t->v = arena_grow(a, t->v, t->n, sizeof(*t->v));
	t->v[t->n++] = (struct tempdir){path, 0};
}

/* The directory of all, as a descriptor, if it is what it should be; -1 with errno. */
static int
open_shared(struct arena *a, const char *path, uid_t uid)
{
	struct stat st;
	int fd =
	    open(path_parent(a, path), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || (fstat(fd, &st) == 0 && tempdir_is_private(&st, uid)))
		return fd;
	close(fd);
	errno = EPERM;
	return -1;
}

static bool
make_one(struct arena *a, const struct host *h, struct tempdir *t)
{
	struct stat st;
	int fd = open_shared(a, t->path, h->uid);
	if (fd < 0)
		return false;
	bool ok = mkdirat(fd, path_base(t->path), 0700) == 0 &&
	          fstatat(fd, path_base(t->path), &st, AT_SYMLINK_NOFOLLOW) == 0;
	int err = errno;
	close(fd);
	errno = err;
	t->ino = ok ? st.st_ino : 0;
	return ok;
}

static const char *
remedy(int err)
{
	if (err == EPERM)
		return " [it is not a directory of yours alone: remove it, or set "
		       "TMPDIR]";
	if (err == ENOSPC || err == EDQUOT)
		return " [make room, or set TMPDIR to another file system]";
	return " [set TMPDIR to a directory that you can write]";
}

bool
tempdirs_make(
    struct arena *a, const struct host *h, struct tempdirs *t, struct errs *errs)
{
	for (size_t i = 0; i < t->n; i++) {
		const char *shared = path_parent(a, t->v[i].path), *at = shared;
		bool made = false;
		/* Another run may be the last to leave it, and remove it, at this moment. */
		for (int tries = 0; tries < MAKE_TRIES && !made; tries++) {
			if (!tempdir_make_shared(h, shared))
				break;
			at = t->v[i].path;
			made = make_one(a, h, &t->v[i]);
			if (!made && errno != ENOENT)
				break;
		}
		if (made)
			continue;
		int err = errno;
		errs_add(a, errs, "cannot make the temporary directory '%s': %s%s", at,
		    strerror(err), remedy(err));
		return false;
	}
	return true;
}

/* ---- removing ---- */

void
tempdirs_encode(struct arena *a, const struct tempdirs *t, struct bytes *out)
{
	for (size_t i = 0; i < t->n; i++)
		bytes_printf(a, out, "%016llx %s\n", (unsigned long long)t->v[i].ino,
		    t->v[i].path);
	if (t->parent != NULL)
		bytes_printf(a, out, "empty %s\n", t->parent);
}

static bool
remove_one(struct arena *a, const struct tempdir *t)
{
	int fd = open_shared(a, t->path, getuid());
	if (fd < 0)
		return errno == ENOENT;
	const char *name = path_base(t->path);
	/* Not made, or nobody knows: then there is nothing in it. */
	bool ok = t->ino != 0 ? rmtree(fd, name, t->ino)
	                      : unlinkat(fd, name, AT_REMOVEDIR) == 0 || errno == ENOENT;
	int err = errno;
	close(fd);
	errno = err;
	return ok;
}

bool
tempdirs_remove(struct arena *a, const struct tempdirs *t, struct errs *errs)
{
	bool ok = true;
	for (size_t i = 0; i < t->n; i++) {
		if (remove_one(a, &t->v[i]))
			continue;
		bool other = errno == ESTALE || errno == ENOTDIR || errno == ELOOP;
		ok = ok && other;
		if (errs != NULL && other)
			errs_add(a, errs,
			    "'%s' is not the directory that this run made, so it stays",
			    t->v[i].path);
		else if (errs != NULL)
			errs_add(a, errs, "cannot remove '%s': %s", t->v[i].path,
			    strerror(errno));
	}
	if (t->parent != NULL)
		rmdir(t->parent);
	return ok;
}

bool
tempdirs_sweep(struct arena *a, char *list)
{
	struct tempdirs t = {NULL, 0, NULL};
	for (char *line = list; *line != '\0';) {
		size_t n = strcspn(line, "\n");
		bool whole = line[n] == '\n';
		line[n] = '\0';
		char *path = strchr(line, ' ');
		if (whole && path != NULL && str_starts(line, "empty ")) {
			t.parent = path + 1;
		} else if (whole && path != NULL && is_temp_name(a, path + 1)) {
			tempdir_add(a, &t, path + 1);
			t.v[t.n - 1].ino = (ino_t)strtoull(line, NULL, 16);
		}
		line += n + whole;
	}
	if (t.parent != NULL && !str_starts(path_base(t.parent), SHARED_PREFIX))
		t.parent = NULL;
	return tempdirs_remove(a, &t, NULL);
}
