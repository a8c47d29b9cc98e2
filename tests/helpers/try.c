/*
 * try.c: does one thing that a sandbox may refuse, and says what the kernel answered:
 * "ok" and exit 0, or the name of the errno ("EACCES") and exit 1. A wrong call of the
 * program itself is exit 2. What succeeds is undone as far as it can be (what was made
 * is removed, a rename is turned back), so that a control can run first on the same
 * path; "-k" in front keeps it. Some operations print what they saw instead of "ok".
 */
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/keyctl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#define CONNECT_WAIT_MS 3000

static bool keep;     /* -k: what was made stays */
static bool answered; /* something was printed: no "ok" */

struct word {
	const char *name;
	long value;
};
#define WORD(x)                                                                          \
	{                                                                                \
#x, x                                                                    \
	}

static const struct word errno_names[] = {WORD(EPERM), WORD(ENOENT), WORD(ESRCH),
    WORD(EINTR), WORD(EIO), WORD(ENXIO), WORD(E2BIG), WORD(ENOEXEC), WORD(EBADF),
    WORD(ECHILD), WORD(EAGAIN), WORD(ENOMEM), WORD(EACCES), WORD(EFAULT), WORD(ENOTBLK),
    WORD(EBUSY), WORD(EEXIST), WORD(EXDEV), WORD(ENODEV), WORD(ENOTDIR), WORD(EISDIR),
    WORD(EINVAL), WORD(ENFILE), WORD(EMFILE), WORD(ENOTTY), WORD(ETXTBSY), WORD(EFBIG),
    WORD(ENOSPC), WORD(ESPIPE), WORD(EROFS), WORD(EMLINK), WORD(EPIPE),
    WORD(ENAMETOOLONG), WORD(ENOSYS), WORD(ENOTEMPTY), WORD(ELOOP), WORD(ENODATA),
    WORD(EOVERFLOW), WORD(EUSERS), WORD(ENOTSOCK), WORD(EDESTADDRREQ), WORD(EMSGSIZE),
    WORD(EPROTOTYPE), WORD(ENOPROTOOPT), WORD(EPROTONOSUPPORT), WORD(ESOCKTNOSUPPORT),
    WORD(EOPNOTSUPP), WORD(EPFNOSUPPORT), WORD(EAFNOSUPPORT), WORD(EADDRINUSE),
    WORD(EADDRNOTAVAIL), WORD(ENETDOWN), WORD(ENETUNREACH), WORD(ECONNABORTED),
    WORD(ECONNRESET), WORD(ENOTCONN), WORD(ETIMEDOUT), WORD(ECONNREFUSED),
    WORD(EHOSTDOWN), WORD(EHOSTUNREACH), WORD(EALREADY), WORD(EINPROGRESS), WORD(ESTALE),
    WORD(EDQUOT), WORD(ENOKEY), WORD(EKEYEXPIRED), WORD(EKEYREVOKED), WORD(EKEYREJECTED),
    {NULL, 0}};

static const struct word families[] = {{"unix", AF_UNIX}, {"inet", AF_INET},
    {"inet6", AF_INET6}, {"netlink", AF_NETLINK}, {"packet", AF_PACKET}, {"key", AF_KEY},
    {"alg", AF_ALG}, {"vsock", AF_VSOCK}, {"bluetooth", AF_BLUETOOTH}, {"can", AF_CAN},
    {"xdp", AF_XDP}, {NULL, 0}};

static const struct word types[] = {{"stream", SOCK_STREAM}, {"dgram", SOCK_DGRAM},
    {"seqpacket", SOCK_SEQPACKET}, {"raw", SOCK_RAW}, {NULL, 0}};

static const struct word protocols[] = {{"tcp", IPPROTO_TCP}, {"udp", IPPROTO_UDP},
    {"icmp", IPPROTO_ICMP}, {"sctp", 132}, {"mptcp", 262}, {NULL, 0}};

static const struct word namespaces[] = {{"user", CLONE_NEWUSER}, {"mount", CLONE_NEWNS},
    {"pid", CLONE_NEWPID}, {"net", CLONE_NEWNET}, {"ipc", CLONE_NEWIPC},
    {"uts", CLONE_NEWUTS}, {"cgroup", CLONE_NEWCGROUP}, {"time", 0x80}, {NULL, 0}};

/* A word of the table or a number; anything else ends the program with 2. */
static long
word_value(const struct word *table, const char *s)
{
	for (; table->name; table++)
		if (!strcmp(table->name, s))
			return table->value;
	char *end;
	long n = strtol(s, &end, 0);
	if (*s == '\0' || *end != '\0') {
		fprintf(stderr, "try: '%s' is neither a known word nor a number\n", s);
		exit(2);
	}
	return n;
}

static int
result(long r)
{
	return r < 0 ? errno : 0;
}

/* Closes what a successful call gave, keeps the errno of one that failed. */
static int
result_fd(int fd)
{
	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

/* ---- files ---- */

static int
op_open_read(char **a)
{
	char c;
	int fd = open(a[0], O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno;
	int e = read(fd, &c, 1) < 0 && errno != EISDIR ? errno : 0;
	close(fd);
	return e;
}

static int
op_open_write(char **a)
{
	return result_fd(open(a[0], O_WRONLY | O_CLOEXEC));
}

static int
op_append(char **a)
{
	return result_fd(open(a[0], O_WRONLY | O_APPEND | O_CLOEXEC));
}

static int
op_open_path(char **a)
{
	return result_fd(open(a[0], O_PATH | O_CLOEXEC));
}

static int
op_open_tmpfile(char **a)
{
	return result_fd(open(a[0], O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600));
}

static int
op_create(char **a)
{
	int e = result_fd(open(a[0], O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
	if (!e && !keep)
		unlink(a[0]);
	return e;
}

static int
op_write_text(char **a)
{
	int fd = open(a[0], O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0)
		return errno;
	int e = write(fd, a[1], strlen(a[1])) < 0 ? errno : 0;
	close(fd);
	return e;
}

static int
op_truncate(char **a)
{
	struct stat st;
	off_t size = stat(a[0], &st) ? 0 : st.st_size;
	return result(truncate(a[0], size));
}

static int
op_mkdir(char **a)
{
	int e = result(mkdir(a[0], 0700));
	if (!e && !keep)
		rmdir(a[0]);
	return e;
}

static int
op_rmdir(char **a)
{
	struct stat st;
	mode_t mode = stat(a[0], &st) ? 0700 : st.st_mode & 07777;
	int e = result(rmdir(a[0]));
	if (!e && !keep)
		mkdir(a[0], mode);
	return e;
}

static int
op_mknod(char **a)
{
	int e = result(mknod(a[0], S_IFIFO | 0600, 0));
	if (!e && !keep)
		unlink(a[0]);
	return e;
}

static int
op_rename(char **a)
{
	int e = result(rename(a[0], a[1]));
	if (!e && !keep)
		rename(a[1], a[0]);
	return e;
}

static int
op_exchange(char **a)
{
	int e = result(syscall(SYS_renameat2, AT_FDCWD, a[0], AT_FDCWD, a[1], 2));
	if (!e && !keep)
		syscall(SYS_renameat2, AT_FDCWD, a[0], AT_FDCWD, a[1], 2);
	return e;
}

static int
op_link(char **a)
{
	int e = result(link(a[0], a[1]));
	if (!e && !keep)
		unlink(a[1]);
	return e;
}

static int
op_symlink(char **a)
{
	int e = result(symlink(a[0], a[1]));
	if (!e && !keep)
		unlink(a[1]);
	return e;
}

static int
op_readlink(char **a)
{
	char target[4097];
	ssize_t n = readlink(a[0], target, sizeof(target) - 1);
	if (n < 0)
		return errno;
	target[n] = '\0';
	puts(target);
	answered = true;
	return 0;
}

/* A small regular file comes back with its bytes and mode, as another inode. */
static int
op_unlink(char **a)
{
	static char data[65536];
	struct stat st;
	ssize_t n = -1;
	int fd = open(a[0], O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode))
		n = read(fd, data, sizeof(data));
	if (fd >= 0)
		close(fd);
	int e = result(unlink(a[0]));
	if (!e && !keep && n >= 0) {
		fd = open(
		    a[0], O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, st.st_mode & 07777);
		if (fd < 0 || write(fd, data, (size_t)n) != n)
			fputs("try: the file could not be put back\n", stderr);
		if (fd >= 0)
			close(fd);
	}
	return e;
}

static int
op_chmod(char **a)
{
	struct stat st;
	if (stat(a[0], &st))
		return errno;
	return result(chmod(a[0], st.st_mode & 07777));
}

static int
op_chown(char **a)
{
	return result(chown(a[0], (uid_t)-1, (gid_t)-1));
}

static int
op_utime(char **a)
{
	struct stat st;
	if (stat(a[0], &st))
		return errno;
	struct timespec t[2] = {st.st_atim, st.st_mtim};
	return result(utimensat(AT_FDCWD, a[0], t, 0));
}

static int
op_setxattr(char **a)
{
	int e = result(setxattr(a[0], "user.try", "1", 1, 0));
	if (!e && !keep)
		removexattr(a[0], "user.try");
	return e;
}

static int
op_stat(char **a)
{
	struct stat st;
	return result(lstat(a[0], &st));
}

static int
op_mode(char **a)
{
	struct stat st;
	if (lstat(a[0], &st))
		return errno;
	printf("%06o %u:%u\n", st.st_mode, st.st_uid, st.st_gid);
	answered = true;
	return 0;
}

static int
op_readdir(char **a)
{
	DIR *d = opendir(a[0]);
	if (!d)
		return errno;
	errno = 0;
	while (readdir(d))
		continue;
	int e = errno;
	closedir(d);
	return e;
}

static int
op_chdir(char **a)
{
	return result(chdir(a[0]));
}

static int
op_exec(char **a)
{
	execv(a[0], a);
	return errno;
}

/* Whether the path is on a mount of its own that can be made writable again. */
static int
op_remount_rw(char **a)
{
	return result(mount(NULL, a[0], NULL, MS_REMOUNT | MS_BIND, NULL));
}

/* Reading a file by its handle goes around every rule about paths. */
static int
op_open_by_handle(char **a)
{
	int mount_id;
	struct file_handle *h = calloc(1, sizeof(*h) + MAX_HANDLE_SZ);
	if (!h)
		return errno;
	h->handle_bytes = MAX_HANDLE_SZ;
	int e = result(name_to_handle_at(AT_FDCWD, a[0], h, &mount_id, 0));
	if (!e) {
		int dir = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		e = result_fd(open_by_handle_at(dir, h, O_RDONLY | O_CLOEXEC));
		close(dir);
	}
	free(h);
	return e;
}

/* ---- sockets ---- */

static bool
make_address(
    const char *host, const char *port, struct sockaddr_storage *ss, socklen_t *len)
{
	struct sockaddr_in in = {.sin_family = AF_INET,
	    .sin_port = htons((uint16_t)word_value(protocols, port))};
	struct sockaddr_in6 in6 = {.sin6_family = AF_INET6, .sin6_port = in.sin_port};

	if (inet_pton(AF_INET, host, &in.sin_addr) == 1) {
		memcpy(ss, &in, *len = sizeof(in));
		return true;
	}
	if (inet_pton(AF_INET6, host, &in6.sin6_addr) == 1) {
		memcpy(ss, &in6, *len = sizeof(in6));
		return true;
	}
	fprintf(stderr, "try: '%s' is not an address\n", host);
	exit(2);
}

/* A connection that nobody answers in time is ETIMEDOUT. */
static int
connect_within(int fd, const struct sockaddr *sa, socklen_t len)
{
	if (connect(fd, sa, len) == 0)
		return 0;
	if (errno != EINPROGRESS)
		return errno;
	struct pollfd p = {.fd = fd, .events = POLLOUT};
	if (poll(&p, 1, CONNECT_WAIT_MS) <= 0)
		return ETIMEDOUT;
	int e = 0;
	socklen_t n = sizeof(e);
	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &e, &n))
		return errno;
	return e;
}

static int
op_connect(char **a)
{
	struct sockaddr_storage ss;
	socklen_t len;
	make_address(a[0], a[1], &ss, &len);
	int fd = socket(ss.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return errno;
	int e = connect_within(fd, (struct sockaddr *)&ss, len);
	close(fd);
	return e;
}

static int
op_send_udp(char **a)
{
	struct sockaddr_storage ss;
	socklen_t len;
	make_address(a[0], a[1], &ss, &len);
	int fd = socket(ss.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return errno;
	int e = sendto(fd, "x", 1, 0, (struct sockaddr *)&ss, len) < 0 ? errno : 0;
	close(fd);
	return e;
}

static int
op_listen(char **a)
{
	struct sockaddr_storage ss;
	socklen_t len;
	make_address(a[0], a[1], &ss, &len);
	int fd = socket(ss.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return errno;
	int e = bind(fd, (struct sockaddr *)&ss, len) || listen(fd, 1) ? errno : 0;
	close(fd);
	return e;
}

static int
op_socket(char **a)
{
	return result_fd(socket((int)word_value(families, a[0]),
	    (int)word_value(types, a[1]) | SOCK_CLOEXEC,
	    (int)word_value(protocols, a[2])));
}

static int
op_socketpair(char **a)
{
	int fd[2];
	(void)a;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd))
		return errno;
	close(fd[0]);
	close(fd[1]);
	return 0;
}

/* "@name" is an abstract address. */
static socklen_t
unix_address(const char *path, struct sockaddr_un *sun)
{
	size_t n = strlen(path);
	memset(sun, 0, sizeof(*sun));
	sun->sun_family = AF_UNIX;
	if (n >= sizeof(sun->sun_path)) {
		fputs("try: the socket's path is too long\n", stderr);
		exit(2);
	}
	memcpy(sun->sun_path, path, n);
	if (path[0] == '@')
		sun->sun_path[0] = '\0';
	else
		n++;
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n);
}

static int
op_unix_connect(char **a)
{
	struct sockaddr_un sun;
	socklen_t len = unix_address(a[0], &sun);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return errno;
	int e = result(connect(fd, (struct sockaddr *)&sun, len));
	close(fd);
	return e;
}

static int
op_unix_listen(char **a)
{
	struct sockaddr_un sun;
	socklen_t len = unix_address(a[0], &sun);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return errno;
	int e = bind(fd, (struct sockaddr *)&sun, len) || listen(fd, 1) ? errno : 0;
	close(fd);
	if (!e && !keep && a[0][0] != '@')
		unlink(a[0]);
	return e;
}

/* ---- namespaces and mounts ---- */

static int
op_unshare(char **a)
{
	int flags = 0;
	char *save = NULL;
	for (char *w = strtok_r(a[0], ",", &save); w; w = strtok_r(NULL, ",", &save))
		flags |= (int)word_value(namespaces, w);
	return result(unshare(flags));
}

/* As unshare, by clone(2): the other door to the same room. */
static int
op_clone(char **a)
{
	long flags = word_value(namespaces, a[0]);
	long pid = syscall(SYS_clone, flags | SIGCHLD, 0, 0, 0, 0);
	if (pid == 0)
		_exit(0);
	if (pid < 0)
		return errno;
	waitpid((pid_t)pid, NULL, 0);
	return 0;
}

static int
op_clone3(char **a)
{
	uint64_t args[11] = {0};
	(void)a;
	args[4] = SIGCHLD;
	long pid = syscall(SYS_clone3, args, sizeof(args));
	if (pid == 0)
		_exit(0);
	if (pid < 0)
		return errno;
	waitpid((pid_t)pid, NULL, 0);
	return 0;
}

static int
op_setns(char **a)
{
	int fd = open(a[0], O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno;
	int e = result(setns(fd, 0));
	close(fd);
	return e;
}

static int
op_mount(char **a)
{
	int e = result(mount(a[0], a[1], a[2], 0, NULL));
	if (!e && !keep)
		umount2(a[1], MNT_DETACH);
	return e;
}

static int
op_mount_bind(char **a)
{
	int e = result(mount(a[0], a[1], NULL, MS_BIND, NULL));
	if (!e && !keep)
		umount2(a[1], MNT_DETACH);
	return e;
}

static int
op_umount(char **a)
{
	return result(umount2(a[0], MNT_DETACH));
}

static int
op_open_tree(char **a)
{
	return result_fd((int)syscall(SYS_open_tree, AT_FDCWD, a[0], 1));
}

static int
op_fsopen(char **a)
{
	return result_fd((int)syscall(SYS_fsopen, a[0], 0));
}

static int
op_pivot_root(char **a)
{
	return result(syscall(SYS_pivot_root, a[0], a[1]));
}

static int
op_chroot(char **a)
{
	return result(chroot(a[0]));
}

/* ---- other calls ---- */

/* Types a newline into the terminal of stdin. */
static int
op_ioctl_tiocsti(char **a)
{
	(void)a;
	return result(ioctl(0, TIOCSTI, "\n"));
}

static int
op_ioctl_tioclinux(char **a)
{
	char sub = 6; /* shift state: reads only */
	(void)a;
	return result(ioctl(0, TIOCLINUX, &sub));
}

static int
op_keyctl_read(char **a)
{
	char buf[256];
	(void)a;
	return result(
	    syscall(SYS_keyctl, KEYCTL_READ, KEY_SPEC_SESSION_KEYRING, buf, sizeof(buf)));
}

static int
op_add_key(char **a)
{
	long id = syscall(SYS_add_key, "user", a[0], "x", 1, KEY_SPEC_PROCESS_KEYRING);
	return result(id);
}

static int
op_io_uring(char **a)
{
	uint32_t params[30] = {0};
	(void)a;
	return result_fd((int)syscall(SYS_io_uring_setup, 1, params));
}

static int
op_bpf(char **a)
{
	uint32_t attr[18] = {2, 4, 4, 1}; /* an array map of one element */
	(void)a;
	return result_fd((int)syscall(SYS_bpf, 0, attr, sizeof(attr)));
}

static int
op_perf(char **a)
{
	uint64_t attr[16] = {1 | 64ULL << 32, 0}; /* a software counter */
	(void)a;
	attr[5] = 1 << 5 | 1 << 6; /* exclude kernel and hypervisor */
	return result_fd((int)syscall(SYS_perf_event_open, attr, 0, -1, -1, 0));
}

static int
op_userfaultfd(char **a)
{
	(void)a;
	return result_fd((int)syscall(SYS_userfaultfd, O_CLOEXEC | 1));
}

/* Succeeds where it may: the clock is set to what it says. */
static int
op_clock_settime(char **a)
{
	struct timespec t;
	(void)a;
	clock_gettime(CLOCK_REALTIME, &t);
	return result(clock_settime(CLOCK_REALTIME, &t));
}

static int
op_ptrace(char **a)
{
	pid_t pid = (pid_t)word_value(protocols, a[0]);
	int e = result(ptrace(PTRACE_SEIZE, pid, 0, 0));
	if (!e) {
		ptrace(PTRACE_INTERRUPT, pid, 0, 0);
		waitpid(pid, NULL, __WALL);
		ptrace(PTRACE_DETACH, pid, 0, 0);
	}
	return e;
}

static int
op_ptrace_child(char **a)
{
	char text[16];
	pid_t pid = fork();
	if (pid == 0)
		for (;;)
			pause();
	if (pid < 0)
		return errno;
	snprintf(text, sizeof(text), "%d", (int)pid);
	a[0] = text;
	int e = op_ptrace(a);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return e;
}

/* Signal 0: only whether it could be sent. */
static int
op_kill(char **a)
{
	return result(kill((pid_t)word_value(protocols, a[0]), 0));
}

static int
op_memfd_exec(char **a)
{
	char buf[65536];
	ssize_t n;
	int in = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	int fd = memfd_create("try", MFD_CLOEXEC);
	char name[] = "try", op[] = "nothing";
	char *argv[] = {name, op, NULL};

	(void)a;
	if (in < 0 || fd < 0)
		return errno;
	while ((n = read(in, buf, sizeof(buf))) > 0)
		if (write(fd, buf, (size_t)n) != n)
			return errno;
	fexecve(fd, argv, environ);
	return errno;
}

static int
op_nothing(char **a)
{
	(void)a;
	return 0;
}

/* Root without a capability can write this file: the kernel asks only for uid 0. */
static int
op_core_pattern_write(char **a)
{
	char text[256];
	(void)a;
	int fd = open("/proc/sys/kernel/core_pattern", O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return errno;
	ssize_t n = pread(fd, text, sizeof(text), 0);
	int e = n < 0 || pwrite(fd, text, (size_t)n, 0) != n ? errno : 0;
	close(fd);
	return e;
}

/* ---- what the process has ---- */

/* One line a descriptor: number, what it is, "cloexec" if so. */
static int
op_fds(char **a)
{
	char path[64], target[4096];
	(void)a;
	for (int fd = 0; fd < 4096; fd++) {
		int flags = fcntl(fd, F_GETFD);
		if (flags < 0)
			continue;
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		ssize_t n = readlink(path, target, sizeof(target) - 1);
		target[n < 0 ? 0 : n] = '\0';
		printf("%d %s%s\n", fd, target, flags & FD_CLOEXEC ? " cloexec" : "");
	}
	answered = true;
	return 0;
}

/* A line of /proc/self/status by its name, the value alone. */
static int
status_line(const char *name)
{
	char line[512];
	size_t n = strlen(name);
	FILE *f = fopen("/proc/self/status", "re");
	if (!f)
		return errno;
	while (fgets(line, sizeof(line), f))
		if (!strncmp(line, name, n) && line[n] == ':')
			fputs(line + n + 1 + strspn(line + n + 1, " \t"), stdout);
	fclose(f);
	answered = true;
	return 0;
}

static int
op_status(char **a)
{
	return status_line(a[0]);
}

/* "none", or the sets that hold any: "CapEff 0000…". */
static int
op_caps(char **a)
{
	static const char *const sets[] = {
	    "CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"};
	char line[512];
	bool any = false;
	(void)a;
	FILE *f = fopen("/proc/self/status", "re");
	if (!f)
		return errno;
	while (fgets(line, sizeof(line), f))
		for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++)
			if (!strncmp(line, sets[i], 6) && strtoull(line + 7, NULL, 16)) {
				printf("%s %016llx\n", sets[i],
				    strtoull(line + 7, NULL, 16));
				any = true;
			}
	fclose(f);
	if (!any)
		puts("none");
	answered = true;
	return 0;
}

static int
op_nnp(char **a)
{
	(void)a;
	printf("%d\n", prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
	answered = true;
	return 0;
}

/* uid gid pid pgrp session, the foreground group of stdin (-1: no terminal). */
static int
op_ids(char **a)
{
	(void)a;
	printf("uid=%u gid=%u pid=%d pgrp=%d sid=%d tpgrp=%d\n", getuid(), getgid(),
	    getpid(), getpgrp(), getsid(0), tcgetpgrp(0));
	answered = true;
	return 0;
}

/* Signals that are ignored or blocked on arrival: "none" when all is as it should be. */
static int
op_signals(char **a)
{
	bool any = false;
	sigset_t blocked;
	(void)a;
	sigprocmask(SIG_SETMASK, NULL, &blocked);
	for (int s = 1; s < 32; s++) {
		struct sigaction sa;
		if (sigaction(s, NULL, &sa) == 0 && sa.sa_handler == SIG_IGN) {
			printf("ignored %d\n", s);
			any = true;
		}
		if (sigismember(&blocked, s) == 1) {
			printf("blocked %d\n", s);
			any = true;
		}
	}
	if (!any)
		puts("none");
	answered = true;
	return 0;
}

static const struct op {
	const char *name;
	int nargs; /* -1: one or more */
	int (*run)(char **args);
	const char *args;
} ops[] = {
    {"open-read", 1, op_open_read, "PATH"},
    {"open-write", 1, op_open_write, "PATH"},
    {"append", 1, op_append, "PATH"},
    {"open-path", 1, op_open_path, "PATH"},
    {"open-tmpfile", 1, op_open_tmpfile, "DIR"},
    {"open-by-handle", 1, op_open_by_handle, "PATH"},
    {"create", 1, op_create, "PATH"},
    {"write-text", 2, op_write_text, "PATH TEXT (is not undone)"},
    {"truncate", 1, op_truncate, "PATH"},
    {"mkdir", 1, op_mkdir, "PATH"},
    {"rmdir", 1, op_rmdir, "PATH"},
    {"mknod", 1, op_mknod, "PATH"},
    {"rename", 2, op_rename, "A B"},
    {"exchange", 2, op_exchange, "A B"},
    {"link", 2, op_link, "A B"},
    {"symlink", 2, op_symlink, "TARGET B"},
    {"readlink", 1, op_readlink, "PATH"},
    {"unlink", 1, op_unlink, "PATH"},
    {"chmod", 1, op_chmod, "PATH"},
    {"chown", 1, op_chown, "PATH"},
    {"utime", 1, op_utime, "PATH"},
    {"setxattr", 1, op_setxattr, "PATH"},
    {"stat", 1, op_stat, "PATH"},
    {"mode", 1, op_mode, "PATH"},
    {"readdir", 1, op_readdir, "PATH"},
    {"chdir", 1, op_chdir, "PATH"},
    {"exec", -1, op_exec, "PATH [ARG]..."},
    {"connect", 2, op_connect, "ADDRESS PORT"},
    {"send-udp", 2, op_send_udp, "ADDRESS PORT"},
    {"listen", 2, op_listen, "ADDRESS PORT"},
    {"socket", 3, op_socket, "FAMILY TYPE PROTOCOL"},
    {"socketpair", 0, op_socketpair, ""},
    {"unix-connect", 1, op_unix_connect, "PATH|@NAME"},
    {"unix-listen", 1, op_unix_listen, "PATH|@NAME"},
    {"unshare", 1, op_unshare, "user,mount,…"},
    {"clone", 1, op_clone, "user|mount|…|0"},
    {"clone3", 0, op_clone3, ""},
    {"setns", 1, op_setns, "/proc/PID/ns/X"},
    {"mount", 3, op_mount, "SOURCE TARGET TYPE"},
    {"mount-bind", 2, op_mount_bind, "SOURCE TARGET"},
    {"remount-rw", 1, op_remount_rw, "PATH"},
    {"umount", 1, op_umount, "PATH"},
    {"open-tree", 1, op_open_tree, "PATH"},
    {"fsopen", 1, op_fsopen, "TYPE"},
    {"pivot-root", 2, op_pivot_root, "NEW OLD"},
    {"chroot", 1, op_chroot, "PATH"},
    {"ioctl-tiocsti", 0, op_ioctl_tiocsti, ""},
    {"ioctl-tioclinux", 0, op_ioctl_tioclinux, ""},
    {"keyctl-read", 0, op_keyctl_read, ""},
    {"add-key", 1, op_add_key, "NAME"},
    {"io-uring", 0, op_io_uring, ""},
    {"bpf", 0, op_bpf, ""},
    {"perf", 0, op_perf, ""},
    {"userfaultfd", 0, op_userfaultfd, ""},
    {"clock-settime", 0, op_clock_settime, ""},
    {"ptrace", 1, op_ptrace, "PID"},
    {"ptrace-child", 0, op_ptrace_child, ""},
    {"kill", 1, op_kill, "PID"},
    {"memfd-exec", 0, op_memfd_exec, ""},
    {"nothing", 0, op_nothing, ""},
    {"core-pattern-write", 0, op_core_pattern_write, ""},
    {"fds", 0, op_fds, ""},
    {"status", 1, op_status, "NAME"},
    {"caps", 0, op_caps, ""},
    {"nnp", 0, op_nnp, ""},
    {"ids", 0, op_ids, ""},
    {"signals", 0, op_signals, ""},
};

static int
usage(void)
{
	fputs("usage: try [-k] OPERATION [ARG]...\n", stderr);
	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
		fprintf(stderr, "  %s %s\n", ops[i].name, ops[i].args);
	return 2;
}

static int
report(int e)
{
	if (e == 0) {
		if (!answered)
			puts("ok");
		return 0;
	}
	for (const struct word *w = errno_names; w->name; w++)
		if (w->value == e) {
			puts(w->name);
			return 1;
		}
	printf("E%d\n", e);
	return 1;
}

int
main(int argc, char **argv)
{
	argv++, argc--;
	if (argc > 0 && !strcmp(argv[0], "-k")) {
		keep = true;
		argv++, argc--;
	}
	if (argc == 0)
		return usage();
	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		const struct op *op = &ops[i];
		if (strcmp(op->name, argv[0]) != 0)
			continue;
		if (op->nargs < 0 ? argc < 2 : argc - 1 != op->nargs)
			return usage();
		return report(op->run(argv + 1));
	}
	return usage();
}
