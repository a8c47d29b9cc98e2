/*
 * attack.c: attacks of more than one step on names that must not be written. As try.c it
 * says "ok" and exits 0 when the attack worked, or prints the errno of the step that was
 * refused and exits 1. What was made is undone, so that a control can run first.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define RACE_MS 400

static char text[8192];

static const char *
join(const char *a, const char *b)
{
	snprintf(text, sizeof(text), "%s/%s", a, b);
	return text;
}

static int
make_at(int dir, const char *name)
{
	int fd = openat(dir, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0700);
	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

/* Puts a file into a directory that exists or not, and takes both away again. */
static int
plant(const char *dir, const char *name)
{
	bool made = mkdir(dir, 0700) == 0;
	if (!made && errno != EEXIST)
		return errno;
	int e = make_at(AT_FDCWD, join(dir, name));
	if (e == 0)
		unlink(text);
	if (made)
		rmdir(dir);
	return e;
}

/* swap DIR SUB NAME: DIR is renamed away, and another DIR/SUB/NAME stands in its place. */
static int
op_swap(char **a)
{
	char old[4200];
	snprintf(old, sizeof(old), "%s.old", a[0]);
	if (rename(a[0], old) != 0)
		return errno;
	int e = mkdir(a[0], 0700) ? errno : 0;
	if (e == 0) {
		char sub[4300];
		snprintf(sub, sizeof(sub), "%s/%s", a[0], a[1]);
		e = plant(sub, a[2]);
	}
	rmdir(a[0]);
	rename(old, a[0]);
	return e;
}

/* exchange DIR SUB NAME: as swap, in one step with a directory prepared beside it. */
static int
op_exchange(char **a)
{
	char other[4200], sub[4300];
	snprintf(other, sizeof(other), "%s.new", a[0]);
	if (mkdir(other, 0700) != 0)
		return errno;
	int e = syscall(SYS_renameat2, AT_FDCWD, a[0], AT_FDCWD, other, 2) ? errno : 0;
	if (e == 0) {
		snprintf(sub, sizeof(sub), "%s/%s", a[0], a[1]);
		e = plant(sub, a[2]);
		syscall(SYS_renameat2, AT_FDCWD, a[0], AT_FDCWD, other, 2);
	}
	rmdir(other);
	return e;
}

/* link-swap DIR: DIR is renamed away, and a link to a directory of the attacker's stands there. */
static int
op_link_swap(char **a)
{
	char old[4200];
	snprintf(old, sizeof(old), "%s.old", a[0]);
	if (rename(a[0], old) != 0)
		return errno;
	int e = symlink(a[1], a[0]) ? errno : 0;
	unlink(a[0]);
	rename(old, a[0]);
	return e;
}

/* rmdir-mkdir DIR NAME: an empty directory is made anew by the attacker. */
static int
op_rmdir_mkdir(char **a)
{
	if (rmdir(a[0]) != 0)
		return errno;
	int e = mkdir(a[0], 0755) ? errno : plant(a[0], a[1]);
	return e;
}

/* at DIR NAME: by a directory descriptor. */
static int
op_at(char **a)
{
	int dir = open(a[0], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return errno;
	int e = make_at(dir, a[1]);
	if (e == 0)
		unlinkat(dir, a[1], 0);
	close(dir);
	return e;
}

/* proc-fd DIR NAME: through /proc/self/fd. */
static int
op_proc_fd(char **a)
{
	char path[4200];
	int dir = open(a[0], O_PATH | O_CLOEXEC);
	if (dir < 0)
		return errno;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", dir);
	int e = make_at(AT_FDCWD, join(path, a[1]));
	if (e == 0)
		unlink(text);
	close(dir);
	return e;
}

/* reopen FILE: a descriptor for reading is opened again for writing. */
static int
op_reopen(char **a)
{
	char path[64];
	int fd = open(a[0], O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	int w = open(path, O_WRONLY | O_CLOEXEC);
	int e = w < 0 ? errno : 0;
	close(fd);
	if (w >= 0)
		close(w);
	return e;
}

/* proc-of WHAT NAME: through /proc/PID/WHAT of a child that stands in the directory. */
static int
op_proc_of(char **a)
{
	char path[4200];
	pid_t pid = fork();
	if (pid == 0) {
		for (;;)
			pause();
	}
	if (pid < 0)
		return errno;
	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, a[0]);
	int e = make_at(AT_FDCWD, join(path, a[1]));
	if (e == 0)
		unlink(text);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return e;
}

/* inherited FD NAME: through a descriptor that was there at the start. */
static int
op_inherited(char **a)
{
	int dir = (int)strtol(a[0], NULL, 10);
	int e = make_at(dir, a[1]);
	if (e == 0)
		unlinkat(dir, a[1], 0);
	return e;
}

/* trunc FILE: opened with O_TRUNC; the text is put back. */
static int
op_trunc(char **a)
{
	static char data[65536];
	int fd = open(a[0], O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, data, sizeof(data));
	if (fd >= 0)
		close(fd);
	fd = open(a[0], O_WRONLY | O_TRUNC | O_CLOEXEC);
	if (fd < 0)
		return errno;
	if (n > 0 && write(fd, data, (size_t)n) != n)
		fputs("attack: the text could not be put back\n", stderr);
	close(fd);
	return 0;
}

/* replace FILE: a file made beside it is renamed onto it, as editors do; turned back. */
static int
op_replace(char **a)
{
	char new[4200], old[4200];
	snprintf(new, sizeof(new), "%s.new", a[0]);
	snprintf(old, sizeof(old), "%s.old", a[0]);
	int e = make_at(AT_FDCWD, new);
	if (e != 0)
		return e;
	bool kept = link(a[0], old) == 0;
	e = rename(new, a[0]) ? errno : 0;
	if (e != 0)
		unlink(new);
	else if (kept)
		rename(old, a[0]);
	if (kept && e != 0)
		unlink(old);
	return e;
}

static void
write_map(const char *file, unsigned id)
{
	char map[64];
	int n = snprintf(map, sizeof(map), "%u %u 1", id, id);
	int fd = open(file, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	if (write(fd, map, (size_t)n) != n)
		fputs("attack: the ids could not be mapped\n", stderr);
	close(fd);
}

/*
 * detach DIR NAME SCRATCH: a user and mount namespace of one's own without the mounts that
 * cover DIR/NAME; there the name can be removed by the descriptor, and the kernel takes the
 * mount away everywhere. Is not undone.
 */
static int
op_detach(char **a)
{
	unsigned uid = geteuid(), gid = getegid();
	int dir = open(a[0], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0 || unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
		return errno;
	int fd = open("/proc/self/setgroups", O_WRONLY | O_CLOEXEC);
	if (fd >= 0) {
		if (write(fd, "deny", 4) != 4)
			fputs("attack: setgroups is not denied\n", stderr);
		close(fd);
	}
	write_map("/proc/self/uid_map", uid);
	write_map("/proc/self/gid_map", gid);
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
	    mount("tmpfs", a[2], "tmpfs", 0, NULL) != 0 || chdir(a[2]) != 0 ||
	    mkdir("old", 0700) != 0 || syscall(SYS_pivot_root, ".", "old") != 0 ||
	    chdir("/") != 0 || umount2("/old", MNT_DETACH) != 0)
		return errno;
	if (unlinkat(dir, a[1], 0) != 0)
		return errno;
	return make_at(dir, a[1]);
}

/* ---- races ---- */

/* In a process of its own, until *stop. */
static void
keep_moving(const char *dir, const volatile bool *stop)
{
	char old[4200];
	snprintf(old, sizeof(old), "%s.race", dir);
	while (!*stop) {
		if (rename(dir, old) == 0)
			rename(old, dir);
		syscall(SYS_renameat2, AT_FDCWD, dir, AT_FDCWD, old, 2);
	}
}

static int64_t
now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* flip A B MS: A and B change places all the time, for so long. */
static int
op_flip(char **a)
{
	struct timespec begin, now;
	clock_gettime(CLOCK_MONOTONIC, &begin);
	do {
		if (syscall(SYS_renameat2, AT_FDCWD, a[0], AT_FDCWD, a[1], 2) != 0)
			return errno;
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (
	    (now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1000000 <
	    strtol(a[2], NULL, 10));
	return 0;
}

/*
 * race DIR SUB NAME: one process renames DIR to and fro, another makes DIR and
 * DIR/SUB/NAME whenever DIR is away.
 */
static int
op_race(char **a)
{
	char sub[4300], made[4400];
	int e = EBUSY;
	volatile bool *stop = mmap(NULL, sizeof(*stop), PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (stop == MAP_FAILED)
		return errno;
	snprintf(sub, sizeof(sub), "%s/%s", a[0], a[1]);
	snprintf(made, sizeof(made), "%s/%s", sub, a[2]);
	pid_t pid = fork();
	if (pid == 0) {
		keep_moving(a[0], stop);
		_exit(0);
	}
	if (pid < 0)
		return errno;
	for (int64_t end = now_ms() + RACE_MS; e != 0 && now_ms() < end;) {
		if (mkdir(a[0], 0700) == 0)
			mkdir(sub, 0700);
		e = make_at(AT_FDCWD, made);
	}
	*stop = true;
	waitpid(pid, NULL, 0);
	return e;
}

/* swapping DIR TARGET MS: DIR is there, is a link to TARGET, is not there, and so on. */
static int
op_swapping(char **a)
{
	char old[4200];
	snprintf(old, sizeof(old), "%s.swap", a[0]);
	for (int64_t end = now_ms() + strtol(a[2], NULL, 10); now_ms() < end;) {
		if (rename(a[0], old) != 0)
			return errno;
		if (symlink(a[1], a[0]) == 0)
			unlink(a[0]);
		if (rename(old, a[0]) != 0)
			return errno;
	}
	return 0;
}

/* flicker MS: this process is stopped and continued all the time, for so long at most. */
static int
op_flicker(char **a)
{
	struct timespec tick = {0, 30000};
	int64_t end = now_ms() + strtol(a[0], NULL, 10);
	pid_t self = getpid(), pid = fork();
	if (pid < 0)
		return errno;
	while (pid == 0 && now_ms() < end) {
		kill(self, SIGSTOP);
		nanosleep(&tick, NULL);
		kill(self, SIGCONT);
		nanosleep(&tick, NULL);
	}
	if (pid == 0)
		_exit(0);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return 0;
}

/*
 * flood PARENT MS: for so long, our parent is stopped all the time and PARENT, its own, is
 * sent every signal that it would pass on to us.
 */
static int
op_flood(char **a)
{
	static const int sigs[] = {
	    SIGUSR1, SIGUSR2, SIGWINCH, SIGHUP, SIGINT, SIGQUIT, SIGTERM};
	const size_t n = sizeof(sigs) / sizeof(sigs[0]);
	const struct sigaction ignore = {.sa_handler = SIG_IGN};
	pid_t parent = getppid(), above = (pid_t)strtol(a[0], NULL, 10);
	int64_t end = now_ms() + strtol(a[1], NULL, 10);
	for (size_t i = 0; i < n; i++)
		sigaction(sigs[i], &ignore, NULL);
	for (int i = 0; i < 5; i++)
		if (fork() == 0) {
			while (now_ms() < end)
				for (size_t k = 0; k < (i < 2 ? n : 1); k++)
					kill(i < 2 ? above : parent,
					    i < 2 ? sigs[k] : SIGSTOP);
			_exit(0);
		}
	while (now_ms() < end)
		sleep(1);
	return 0;
}

static const struct op {
	const char *name;
	int nargs;
	int (*run)(char **args);
} ops[] = {
    {"swap", 3, op_swap},
    {"exchange", 3, op_exchange},
    {"link-swap", 2, op_link_swap},
    {"rmdir-mkdir", 2, op_rmdir_mkdir},
    {"at", 2, op_at},
    {"proc-fd", 2, op_proc_fd},
    {"reopen", 1, op_reopen},
    {"proc-of", 2, op_proc_of},
    {"inherited", 2, op_inherited},
    {"trunc", 1, op_trunc},
    {"replace", 1, op_replace},
    {"detach", 3, op_detach},
    {"race", 3, op_race},
    {"swapping", 3, op_swapping},
    {"flip", 3, op_flip},
    {"flicker", 1, op_flicker},
    {"flood", 2, op_flood},
};

static const struct {
	int value;
	const char *name;
} names[] = {{EPERM, "EPERM"}, {ENOENT, "ENOENT"}, {EBADF, "EBADF"}, {EACCES, "EACCES"},
    {EBUSY, "EBUSY"}, {EEXIST, "EEXIST"}, {EXDEV, "EXDEV"}, {ENOTDIR, "ENOTDIR"},
    {EISDIR, "EISDIR"}, {EINVAL, "EINVAL"}, {EROFS, "EROFS"}, {ENOTEMPTY, "ENOTEMPTY"},
    {ELOOP, "ELOOP"}, {ENOSYS, "ENOSYS"}, {ETXTBSY, "ETXTBSY"}, {ENOSPC, "ENOSPC"}};

int
main(int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && i < sizeof(ops) / sizeof(ops[0]); i++) {
		if (strcmp(ops[i].name, argv[1]) != 0 || argc - 2 != ops[i].nargs)
			continue;
		int e = ops[i].run(argv + 2);
		if (e == 0) {
			puts("ok");
			return 0;
		}
		for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++)
			if (names[k].value == e) {
				puts(names[k].name);
				return 1;
			}
		printf("E%d\n", e);
		return 1;
	}
	fputs("usage: attack OPERATION ARG...\n", stderr);
	return 2;
}
