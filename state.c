/*
 * state.c: what a run makes on the host. Owns the per-uid state directory (entries, locks,
 * sweeping), and directories that a grant wants made; the temporary ones by tempdir.c.
 *
 * An entry is a file named after the run, held by flock(2) while the run lives, that lists
 * what has to be removed, one a line (tempdir.c). A lock that can be had belongs to a dead
 * run: whoever finds it sweeps.
 */
#include "state.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "env.h"
#include "msg.h"
#include "path.h"
#include "hostpath.h"
#include "sys.h"

#define ENTRY_SUFFIX ".run"
#define ENTRY_LIMIT  65536

const char *
state_random_id(struct arena *a)
{
	uint64_t v = 0;
	if (getrandom(&v, sizeof(v), 0) != (ssize_t)sizeof(v))
		_exit(EXIT_SRUN);
	return arena_printf(a, "%016llx", (unsigned long long)v);
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

/* runtime/srun, where that directory is the caller's alone, or a place in a shared one. */
static const char *
choose_dir(struct arena *a, const struct host *h, const char *runtime)
{
	struct stat st;
	if (runtime != NULL && runtime[0] == '/' && stat(runtime, &st) == 0 &&
	    tempdir_is_private(&st, h->uid) && access(runtime, W_OK) == 0)
		return path_join(a, path_normalise(a, runtime, "/"), "srun");
	/* In a user namespace /tmp/srun-0 may be the real root's: then the next. */
	const char *first = NULL;
	for (size_t i = 0; i < SRUN_ARRAY_LEN(places); i++) {
		const char *dir =
		    arena_printf(a, "%s/srun-%lu", places[i], (unsigned long)h->uid);
		/* Inside another srun it is there, and closed. */
		if (tempdir_usable(h, dir))
			return dir;
		first = first != NULL ? first : dir;
	}
	return first;
}

/*
 * What programs look names up with in a restricted network: srun's resolver inside, and no
 * name of the host's own that could go around the rules. "trust-ad" and the like are left
 * to their defaults; one try is enough for a server that always answers.
 */
static const struct {
	const char *name;
	mode_t mode;
	const char *text;
	const char *place; /* what it is shown at, if that is there */
} files[STATE_FILES] = {
    [STATE_CLOSED] = {"closed", 0, "", NULL},
    [STATE_RESOLVER] = {"resolv.conf", 0444,
        "nameserver 127.0.0.1\noptions timeout:5 attempts:1\n", "/etc/resolv.conf"},
    [STATE_HOSTS] = {"hosts", 0444, "127.0.0.1\tlocalhost\n::1\tlocalhost\n",
        "/etc/hosts"},
};

const char *
state_dir(struct arena *a, const struct host *h)
{
	return choose_dir(a, h, env_host(h, "XDG_RUNTIME_DIR"));
}

const char *
state_hold_dir(struct arena *a, const struct host *h)
{
	return choose_dir(a, h, arena_printf(a, "/run/user/%lu", (unsigned long)h->uid));
}

void
state_dirs(struct arena *a, const struct host *h, struct strv *out)
{
	const char *dir = state_dir(a, h), *hold = state_hold_dir(a, h);
	strv_push(a, out, dir);
	if (strcmp(dir, hold) != 0)
		strv_push(a, out, hold);
}

const char *
state_file(struct arena *a, const char *dir, enum state_file which)
{
	return path_join(a, dir, files[which].name);
}

void
state_show_names(
    struct arena *a, const struct policy *p, const char *dir, struct survey *s)
{
	for (int i = 0; p->net == NET_RESTRICTED && i < STATE_FILES; i++) {
		struct path_fact f;
		if (files[i].place == NULL)
			continue;
		host_resolve(a, files[i].place, &f);
		if (f.err != 0 || f.kind != FILE_REGULAR)
			continue;
		s->shown = arena_grow(a, s->shown, s->nshown, sizeof(*s->shown));
		s->shown[s->nshown++] =
		    (struct shown_file){f.real, state_file(a, dir, (enum state_file)i)};
	}
}

static bool
is_as_it_should_be(struct arena *a, int dirfd, enum state_file which)
{
	struct stat sb;
	struct bytes text = {NULL, 0, 0};
	size_t len = strlen(files[which].text);
	if (fstatat(dirfd, files[which].name, &sb, AT_SYMLINK_NOFOLLOW) != 0 ||
	    !S_ISREG(sb.st_mode) || (sb.st_mode & 07777) != files[which].mode ||
	    sb.st_size != (off_t)len)
		return false;
	return len == 0 || (sys_read_file(a, dirfd, files[which].name, len, &text) == 0 &&
	                       memcmp(text.data, files[which].text, len) == 0);
}

/* Stays from run to run; one that is not as it should be is made anew, whole or not. */
static bool
make_file(struct arena *a, struct state *st, enum state_file which, struct errs *errs)
{
	const char *text = files[which].text;
	if (is_as_it_should_be(a, st->dirfd, which))
		return true;
	const char *temp = arena_printf(a, "%s.%ld", files[which].name, (long)getpid());
	unlinkat(st->dirfd, temp, 0);
	int fd = openat(st->dirfd, temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	bool ok = fd >= 0 && sys_write_all(fd, text, strlen(text)) == 0 &&
	          fchmod(fd, files[which].mode) == 0 &&
	          renameat(st->dirfd, temp, st->dirfd, files[which].name) == 0;
	if (!ok) {
		errs_add(a, errs, "cannot make '%s/%s': %s", st->dir, files[which].name,
		    strerror(errno));
		unlinkat(st->dirfd, temp, 0);
	}
	if (fd >= 0)
		close(fd);
	return ok;
}

/* ---- sweeping ---- */

/*
 * An entry whose lock can be had: its run is dead, or has only now made it and will see
 * that it is gone. fd is open and stays the caller's.
 */
static void
sweep_entry(struct arena *a, int dirfd, const char *name, int fd)
{
	char list[ENTRY_LIMIT + 1];
	ssize_t n = read(fd, list, ENTRY_LIMIT);
	if (n < 0)
		return;
	list[n] = '\0';
	if (tempdirs_sweep(a, list))
		unlinkat(dirfd, name, 0);
}

static void
sweep_entries(struct arena *a, int dirfd)
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
			sweep_entry(a, dirfd, e->d_name, fd);
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
	if (fd >= 0 && (fstat(fd, &sb) != 0 || !tempdir_is_private(&sb, uid))) {
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
	sweep_entries(&a, dirfd);
	holds_sweep(&a, dirfd);
	arena_free(&a);
	close(dirfd);
}

/* ---- this run ---- */

/* Where names are held: the same for all runs of the user, whatever their environment. */
static void
open_hold_dir(struct arena *a, const struct host *h, struct state *st)
{
	st->hold_dir = state_hold_dir(a, h);
	if (strcmp(st->hold_dir, st->dir) != 0) {
		mkdir(st->hold_dir, 0700);
		st->hold_dirfd = open_private(st->hold_dir, h->uid);
	}
	if (st->hold_dirfd < 0)
		st->hold_dir = st->dir;
	st->holds.statefd = st->hold_dirfd >= 0 ? st->hold_dirfd : st->dirfd;
	state_places(a, h, &st->holds.places);
}

static bool
open_dir(struct arena *a, const struct host *h, struct state *st, struct errs *errs)
{
	st->dir = state_dir(a, h);
	if (mkdir(st->dir, 0700) != 0 && errno != EEXIST) {
		int err = errno;
		errs_add(a, errs, "cannot make '%s': %s [%s]", st->dir, strerror(err),
		    err == ENOSPC || err == EDQUOT
		        ? "make room there, or set XDG_RUNTIME_DIR"
		        : "set XDG_RUNTIME_DIR to a directory of yours, mode 0700");
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

/* What has to be removed if this run cannot do it. */
static bool
write_entry(struct arena *a, struct state *st)
{
	struct bytes list = {NULL, 0, 0};
	tempdirs_encode(a, &st->temps, &list);
	return list.len == 0 ||
	       (lseek(st->entry_fd, 0, SEEK_SET) == 0 &&
	           sys_write_all(st->entry_fd, list.data, list.len) == 0);
}

/* Makes and locks the entry; a sweeper that came in between is noticed by the link count. */
static bool
enter(struct arena *a, struct state *st)
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
		return write_entry(a, st);
	}
	return false;
}

/*
 * The entry first, so that nothing is made that nobody would remove; then again, with what
 * tells a directory of this run's from another at its name.
 */
static bool
make_temps(struct arena *a, const struct host *h, const struct policy *p,
    const struct survey *s, const struct run_paths *names, struct state *st,
    struct errs *errs)
{
	st->temps.parent = names->parent_stays ? NULL : path_parent(a, names->temp);
	if (s->temp_dir != NULL || !names->parent_stays)
		tempdir_add(a, &st->temps, names->temp);
	if (p->working_directory_temp)
		tempdir_add(a, &st->temps, s->working_directory.real);
	if (!enter(a, st)) {
		errs_add(a, errs, "cannot enter this run in '%s': %s%s", st->dir,
		    strerror(errno), errno == ENOSPC ? " [make room there]" : "");
		return false;
	}
	/* The first is this run's own, and is made with what is in it. */
	for (size_t i = st->temps.n > 0; i < names->closed.n; i++)
		if (!tempdir_make_shared(h, names->closed.v[i])) {
			errs_add(a, errs, "cannot make '%s': %s", names->closed.v[i],
			    strerror(errno));
			return false;
		}
	if (!tempdirs_make(a, h, &st->temps, errs))
		return false;
	if (st->temps.n == 0 || write_entry(a, st))
		return true;
	errs_add(a, errs, "cannot write the entry of this run in '%s': %s", st->dir,
	    strerror(errno));
	return false;
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
    const struct survey *s, const struct run_paths *names, struct state *st,
    struct errs *errs)
{
	if (!open_dir(a, h, st, errs))
		return false;
	open_hold_dir(a, h, st);
	sweep_entries(a, st->dirfd);
	holds_sweep(a, st->dirfd);
	if (st->hold_dirfd >= 0)
		holds_sweep(a, st->hold_dirfd);
	bool lookups = p->net == NET_RESTRICTED;
	if (!make_file(a, st, STATE_CLOSED, errs) ||
	    (lookups && (!make_file(a, st, STATE_RESOLVER, errs) ||
	                    !make_file(a, st, STATE_HOSTS, errs))) ||
	    !make_temps(a, h, p, s, names, st, errs))
		return false;
	for (size_t i = 0; i < s->ncreate; i++)
		if (!make_path(a, &s->create[i], "directory", errs))
			return false;
	return p->working_directory_temp ||
	       make_path(a, &s->working_directory, "working directory", errs);
}

bool
state_end(struct arena *a, struct state *st, struct errs *errs)
{
	bool ok = tempdirs_remove(a, &st->temps, errs);
	holds_release(a, &st->holds);
	if (st->entry_fd >= 0) {
		if (ok)
			unlinkat(st->dirfd, st->entry, 0);
		close(st->entry_fd);
	}
	if (st->hold_dirfd >= 0)
		close(st->hold_dirfd);
	if (st->dirfd >= 0)
		close(st->dirfd);
	*st = (struct state)STATE_NONE;
	return ok;
}
