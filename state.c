/*
 * state.c: what a run makes on the host. Owns the per-uid state directory (entries, locks,
 * sweeping), temporary directories, and directories that a grant wants made.
 *
 * An entry is a file named after the run, held by flock(2) while the run lives, that lists
 * what has to be removed, one path a line. A lock that can be had belongs to a dead run:
 * whoever finds it sweeps. Only names that this file itself would make are ever removed.
 */
#include "state.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "env.h"
#include "msg.h"
#include "path.h"
#include "rmtree.h"
#include "sys.h"

#define TEMP_PREFIX  "srun."
#define TEMP_RANDOM  12
#define WORK_SUFFIX  ".work"
#define ENTRY_SUFFIX ".run"
#define CLOSED_FILE  "closed"
#define ENTRY_LIMIT  65536

static void
random_text(char *out, size_t n)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz234567";
	unsigned char bytes[64];
	if (getrandom(bytes, n, 0) != (ssize_t)n)
		_exit(EXIT_SRUN);
	for (size_t i = 0; i < n; i++)
		out[i] = letters[bytes[i] % 32];
}

const char *
state_private_name(struct arena *a, const struct host *h)
{
	char name[TEMP_RANDOM + 1] = "";
	random_text(name, TEMP_RANDOM);
	return path_join(a, h->temp_base, arena_printf(a, TEMP_PREFIX "%s", name));
}

const char *
state_random_id(struct arena *a)
{
	uint64_t v = 0;
	if (getrandom(&v, sizeof(v), 0) != (ssize_t)sizeof(v))
		_exit(EXIT_SRUN);
	return arena_printf(a, "%016llx", (unsigned long long)v);
}

/* The caller's own, and nobody else may enter. */
static bool
is_private(const struct stat *st, uid_t uid)
{
	return S_ISDIR(st->st_mode) && st->st_uid == uid && (st->st_mode & 077) == 0;
}

static const char *const places[] = {"/tmp", "/var/tmp", "/dev/shm"};

void
state_places(struct arena *a, const struct host *h, struct strv *out)
{
	unsigned long uid = (unsigned long)h->uid;
	const char *runtime = env_host(h, "XDG_RUNTIME_DIR");
	if (runtime != NULL && runtime[0] == '/')
		strv_push(a, out, path_join(a, path_normalise(a, runtime, "/"), "srun"));
	strv_push(a, out, arena_printf(a, "/run/user/%lu/srun", uid));
	for (size_t i = 0; i < SRUN_ARRAY_LEN(places); i++)
		strv_push(a, out, arena_printf(a, "%s/srun-%lu", places[i], uid));
}

const char *
state_dir(struct arena *a, const struct host *h)
{
	const char *runtime = env_host(h, "XDG_RUNTIME_DIR");
	struct stat st;
	if (runtime != NULL && runtime[0] == '/' && stat(runtime, &st) == 0 &&
	    is_private(&st, h->uid) && access(runtime, W_OK) == 0)
		return path_join(a, path_normalise(a, runtime, "/"), "srun");
	/* In a user namespace /tmp/srun-0 may be the real root's: then the next. */
	const char *first = NULL;
	for (size_t i = 0; i < SRUN_ARRAY_LEN(places); i++) {
		const char *dir =
		    arena_printf(a, "%s/srun-%lu", places[i], (unsigned long)h->uid);
		bool there = lstat(dir, &st) == 0;
		/* Inside another srun it is there, and read-only. */
		if (there ? is_private(&st, h->uid) && access(dir, W_OK) == 0
		          : access(places[i], W_OK) == 0)
			return dir;
		first = first != NULL ? first : dir;
	}
	return first;
}

const char *
state_closed_file(struct arena *a, const char *dir)
{
	return path_join(a, dir, CLOSED_FILE);
}

/* Stays from run to run; one that is not as it should be is made anew. */
static bool
make_closed_file(struct arena *a, struct state *st, struct errs *errs)
{
	struct stat sb;
	if (fstatat(st->dirfd, CLOSED_FILE, &sb, AT_SYMLINK_NOFOLLOW) == 0 &&
	    S_ISREG(sb.st_mode) && (sb.st_mode & 07777) == 0 && sb.st_size == 0)
		return true;
	unlinkat(st->dirfd, CLOSED_FILE, 0);
	int fd =
	    openat(st->dirfd, CLOSED_FILE, O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0);
	if (fd >= 0)
		close(fd);
	if (fd >= 0 || errno == EEXIST)
		return true;
	errs_add(
	    a, errs, "cannot make '%s/%s': %s", st->dir, CLOSED_FILE, strerror(errno));
	return false;
}

/* ---- sweeping ---- */

/* Only a name that state_private_name() could have made is ever removed. */
static bool
is_temp_name(const char *path)
{
	const char *base = path_base(path);
	if (path[0] != '/' || strstr(path, "/../") != NULL ||
	    !str_starts(base, TEMP_PREFIX))
		return false;
	const char *random = base + strlen(TEMP_PREFIX);
	size_t n = strspn(random, "abcdefghijklmnopqrstuvwxyz234567");
	return n == TEMP_RANDOM &&
	       (random[n] == '\0' || strcmp(random + n, WORK_SUFFIX) == 0);
}

static bool
remove_listed(char *list)
{
	bool ok = true;
	for (char *line = list; *line != '\0';) {
		size_t n = strcspn(line, "\n");
		bool whole = line[n] == '\n';
		line[n] = '\0';
		struct stat sb;
		if (whole && is_temp_name(line) && lstat(line, &sb) == 0 &&
		    S_ISDIR(sb.st_mode) && sb.st_uid == getuid() &&
		    !rmtree(AT_FDCWD, line, 0))
			ok = false;
		line += n + whole;
	}
	return ok;
}

/*
 * An entry whose lock can be had: its run is dead, or has only now made it and will see
 * that it is gone. fd is open and stays the caller's.
 */
static void
sweep_entry(int dirfd, const char *name, int fd)
{
	char list[ENTRY_LIMIT + 1];
	ssize_t n = read(fd, list, ENTRY_LIMIT);
	if (n < 0)
		return;
	list[n] = '\0';
	if (remove_listed(list))
		unlinkat(dirfd, name, 0);
}

static void
sweep_entries(int dirfd)
{
	DIR *d = fdopendir(openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	if (d == NULL)
		return;
	for (struct dirent *e; (e = readdir(d)) != NULL;) {
		if (!str_ends(e->d_name, ENTRY_SUFFIX))
			continue;
		int fd = openat(
		    dirfd, e->d_name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
		if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0)
			sweep_entry(dirfd, e->d_name, fd);
		if (fd >= 0)
			close(fd);
	}
	closedir(d);
}

static int
open_private(const char *path, uid_t uid)
{
	struct stat sb;
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0 && (fstat(fd, &sb) != 0 || !is_private(&sb, uid))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

void
state_sweep(const char *dir)
{
	struct arena a = {NULL};
	int dirfd = open_private(dir, getuid());
	if (dirfd < 0)
		return;
	sweep_entries(dirfd);
	holds_sweep(&a, dirfd);
	arena_free(&a);
	close(dirfd);
}

/* ---- this run ---- */

static bool
open_dir(struct arena *a, const struct host *h, struct state *st, struct errs *errs)
{
	st->dir = state_dir(a, h);
	if (mkdir(st->dir, 0700) != 0 && errno != EEXIST) {
		errs_add(a, errs, "cannot make '%s': %s", st->dir, strerror(errno));
		return false;
	}
	st->dirfd = open_private(st->dir, h->uid);
	if (st->dirfd < 0) {
		errs_add(a, errs,
		    "'%s' is not a directory of yours alone [remove it, or set "
		    "XDG_RUNTIME_DIR]",
		    st->dir);
		return false;
	}
	return true;
}

/* Makes and locks the entry; a sweeper that came in between is noticed by the link count. */
static bool
enter(struct arena *a, struct state *st, const struct survey *s, bool temp_cwd,
    struct errs *errs)
{
	for (int tries = 0; tries < 100; tries++) {
		struct stat sb;
		st->entry = arena_printf(a, "%s" ENTRY_SUFFIX, state_random_id(a));
		st->entry_fd = openat(
		    st->dirfd, st->entry, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		if (st->entry_fd < 0 && errno == EEXIST)
			continue;
		if (st->entry_fd < 0 || flock(st->entry_fd, LOCK_EX) != 0)
			break;
		if (fstat(st->entry_fd, &sb) == 0 && sb.st_nlink == 0) {
			close(st->entry_fd);
			continue;
		}
		struct bytes list = {NULL, 0, 0};
		if (s->temp_dir != NULL)
			bytes_printf(a, &list, "%s\n", s->temp_dir);
		if (temp_cwd)
			bytes_printf(a, &list, "%s\n", s->working_directory.real);
		if (list.len == 0 ||
		    sys_write_all(st->entry_fd, list.data, list.len) == 0)
			return true;
		break;
	}
	errs_add(a, errs, "cannot enter this run in '%s': %s", st->dir, strerror(errno));
	return false;
}

static bool
make_temp(struct arena *a, struct state *st, const char *path, struct errs *errs)
{
	if (mkdir(path, 0700) != 0) {
		errs_add(a, errs, "cannot make the temporary directory '%s': %s", path,
		    strerror(errno));
		return false;
	}
	strv_push(a, &st->made, path);
	return true;
}

/*
 * Makes the missing end of a path, one component at a time below its deepest existing
 * directory; a link that appears there meanwhile is refused.
 */
static bool
make_path(struct arena *a, const struct path_fact *f, const char *what, struct errs *errs)
{
	if (f->err != ENOENT || f->real == NULL)
		return true;
	char *have = arena_strndup(a, f->real, f->existing_len);
	int dir = open(have, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	const char *rest = f->real + f->existing_len;
	while (dir >= 0 && *(rest += strspn(rest, "/")) != '\0') {
		size_t n = strcspn(rest, "/");
		char *name = arena_strndup(a, rest, n);
		int next = -1;
		if (mkdirat(dir, name, 0777) == 0 || errno == EEXIST)
			next = openat(
			    dir, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		int err = errno;
		close(dir);
		errno = err;
		dir = next;
		rest += n;
	}
	if (dir < 0) {
		errs_add(a, errs, "cannot make the %s '%s': %s", what, f->real,
		    strerror(errno));
		return false;
	}
	close(dir);
	return true;
}

bool
state_begin(struct arena *a, const struct host *h, const struct policy *p,
    const struct survey *s, struct state *st, struct errs *errs)
{
	if (!open_dir(a, h, st, errs))
		return false;
	sweep_entries(st->dirfd);
	holds_sweep(a, st->dirfd);
	st->holds.statefd = st->dirfd;
	if (!make_closed_file(a, st, errs) ||
	    !enter(a, st, s, p->working_directory_temp, errs))
		return false;
	if (s->temp_dir != NULL && !make_temp(a, st, s->temp_dir, errs))
		return false;
	if (p->working_directory_temp &&
	    !make_temp(a, st, s->working_directory.real, errs))
		return false;
	for (size_t i = 0; i < p->ncreate; i++)
		if (!make_path(a, &s->create[i], "directory", errs))
			return false;
	return p->working_directory_temp ||
	       make_path(a, &s->working_directory, "working directory", errs);
}

bool
state_end(struct arena *a, struct state *st, struct errs *errs)
{
	bool ok = true;
	for (size_t i = 0; i < st->made.n; i++)
		if (!rmtree(AT_FDCWD, st->made.v[i], 0)) {
			errs_add(a, errs, "cannot remove '%s': %s", st->made.v[i],
			    strerror(errno));
			ok = false;
		}
	holds_release(a, &st->holds);
	if (st->entry_fd >= 0) {
		if (ok)
			unlinkat(st->dirfd, st->entry, 0);
		close(st->entry_fd);
	}
	if (st->dirfd >= 0)
		close(st->dirfd);
	*st = (struct state)STATE_NONE;
	return ok;
}
