/*
 * sys.c: helpers with effects; see sys.h. No policy, no messages.
 */
#include "sys.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef CLOSE_RANGE_CLOEXEC
#define CLOSE_RANGE_CLOEXEC (1U << 2)
#endif
#ifndef NS_GET_USERNS
#define NS_GET_USERNS _IO(0xb7, 0x1) /* Linux 4.9 */
#endif
#ifndef SYS_close_range
#define SYS_close_range 436 /* the same on every architecture, Linux 5.9 */
#endif
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef PIDFD_SIGNAL_PROCESS_GROUP
#define PIDFD_SIGNAL_PROCESS_GROUP (1U << 2)
#endif
#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal 424
#endif

int64_t
sys_now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

int
sys_write_all(int fd, const void *data, size_t len)
{
	const char *p = data;
	while (len > 0) {
		ssize_t n = write(fd, p, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

int
sys_read_all(int fd, void *data, size_t len)
{
	char *p = data;
	while (len > 0) {
		ssize_t n = read(fd, p, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			errno = n == 0 ? EPIPE : errno;
			return -1;
		}
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

/* Reads fd to its end, and closes it. */
static int
read_regular(struct arena *a, int fd, size_t limit, struct bytes *out)
{
	char buf[16384];
	struct stat st = {0};
	int result = -1;
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size > (off_t)limit) {
		close(fd);
		errno = S_ISREG(st.st_mode) ? EFBIG : EINVAL;
		return -1;
	}
	for (;;) {
		ssize_t n = read(fd, buf, sizeof(buf));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			break;
		if (n == 0) {
			result = 0;
			break;
		}
		if (out->len + (size_t)n > limit) {
			errno = EFBIG;
			break;
		}
		bytes_add(a, out, buf, (size_t)n);
	}
	int err = errno;
	close(fd);
	bytes_add(a, out, "", 1);
	out->len--;
	errno = err;
	return result;
}

/* A FIFO without a writer would hang the open, and one with a writer the read. */
#define READ_FLAGS (O_RDONLY | O_NOCTTY | O_NONBLOCK)

int
sys_read_file(
    struct arena *a, int dirfd, const char *path, size_t limit, struct bytes *out)
{
	int fd = openat(dirfd, path, READ_FLAGS | O_CLOEXEC);
	return fd >= 0 ? read_regular(a, fd, limit, out) : -1;
}

int
sys_data_fd(const char *name, const void *data, size_t len)
{
	int fd = memfd_create(name, MFD_CLOEXEC);
	if (fd < 0)
		return -1;
	if (sys_write_all(fd, data, len) == 0 && lseek(fd, 0, SEEK_SET) == 0)
		return fd;
	int err = errno;
	close(fd);
	errno = err;
	return -1;
}

/* The walk for kernels without close_range. */
static int
walk_fds(int first, void (*visit)(int fd, const int *keep, size_t nkeep), const int *keep,
    size_t nkeep)
{
	DIR *d = opendir("/proc/self/fd");
	if (d == NULL)
		return -1;
	for (struct dirent *e; (e = readdir(d)) != NULL;) {
		uint64_t fd;
		const char *why;
		if (parse_uint(e->d_name, 0, 1 << 30, &fd, &why) && (int)fd >= first &&
		    (int)fd != dirfd(d))
			visit((int)fd, keep, nkeep);
	}
	closedir(d);
	return 0;
}

static void
visit_cloexec(int fd, const int *keep, size_t nkeep)
{
	(void)keep;
	(void)nkeep;
	fcntl(fd, F_SETFD, FD_CLOEXEC);
}

int
sys_cloexec_from(int first)
{
	if (syscall(SYS_close_range, (unsigned)first, ~0U, CLOSE_RANGE_CLOEXEC) == 0)
		return 0;
	return walk_fds(first, visit_cloexec, NULL, 0);
}

static void
visit_close(int fd, const int *keep, size_t nkeep)
{
	for (size_t i = 0; i < nkeep; i++)
		if (keep[i] == fd)
			return;
	close(fd);
}

/* The lowest kept descriptor at or above fd, or -1. */
static int
next_kept(const int *keep, size_t nkeep, int fd)
{
	int best = -1;
	for (size_t i = 0; i < nkeep; i++)
		if (keep[i] >= fd && (best < 0 || keep[i] < best))
			best = keep[i];
	return best;
}

int
sys_close_except(const int *keep, size_t nkeep)
{
	int from = 3;
	for (;;) {
		int kept = next_kept(keep, nkeep, from);
		unsigned last = kept < 0 ? ~0U : (unsigned)kept - 1;
		if (kept != from &&
		    syscall(SYS_close_range, (unsigned)from, last, 0U) != 0)
			return walk_fds(3, visit_close, keep, nkeep);
		if (kept < 0)
			return 0;
		from = kept + 1;
	}
}

int
sys_fill_stdio(void)
{
	for (int fd = 0; fd <= 2; fd++) {
		if (fcntl(fd, F_GETFD) >= 0)
			continue;
		/* Not close-on-exec: it becomes the command's. */
		int null = open(
		    "/dev/null", O_RDWR | O_NOCTTY); /* NOLINT(android-cloexec-open) */
		if (null != fd)
			/* cppcheck-suppress resourceLeak */
			return -1;
	}
	return 0;
}

int
sys_null_fd(int fd)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC | O_NOCTTY);
	if (null < 0)
		return -1;
	if (null == fd)
		/* cppcheck-suppress resourceLeak */
		return fcntl(fd, F_SETFD, 0);
	int result = dup2(null, fd);
	close(null);
	return result < 0 ? -1 : 0;
}

/* Room for one descriptor; the kernel closes, and says MSG_CTRUNC for, what is more. */
union fd_control {
	struct cmsghdr align;
	char data[CMSG_SPACE(sizeof(int))];
};

int
sys_send_fd(int sock, const void *data, size_t len, int fd)
{
	union fd_control control = {.data = {0}};
	struct iovec iov = {(void *)(uintptr_t)data, len};
	struct msghdr m = {.msg_iov = &iov, .msg_iovlen = 1};
	if (fd >= 0) {
		m.msg_control = &control;
		m.msg_controllen = sizeof(control);
		struct cmsghdr *c = CMSG_FIRSTHDR(&m);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(fd));
		memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	}
	for (;;) {
		ssize_t n = sendmsg(sock, &m, MSG_NOSIGNAL);
		if (n >= 0 || errno != EINTR)
			return n == (ssize_t)len ? 0 : -1;
	}
}

ssize_t
sys_recv_fd(int sock, void *data, size_t len, int *fd)
{
	union fd_control control;
	struct iovec iov = {data, len};
	struct msghdr m = {.msg_iov = &iov,
	    .msg_iovlen = 1,
	    .msg_control = &control,
	    .msg_controllen = CMSG_LEN(sizeof(int))}; /* two would fit otherwise */
	ssize_t n;
	*fd = -1;
	do
		n = recvmsg(sock, &m, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	struct cmsghdr *c = n >= 0 ? CMSG_FIRSTHDR(&m) : NULL;
	if (c != NULL && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
		memcpy(fd, CMSG_DATA(c), sizeof(*fd));
	if (n >= 0 && (m.msg_flags & (MSG_CTRUNC | MSG_TRUNC)) != 0) {
		errno = EBADMSG;
		return -1;
	}
	return n;
}

int
sys_null_stdio(void)
{
	for (int fd = 0; fd <= 2; fd++)
		if (fd == 0 ? sys_null_fd(0) != 0 : dup2(0, fd) < 0)
			return -1;
	return 0;
}

int
sys_enter_namespace(pid_t pid, const char *name, int type)
{
	char path[64];
	snprintf(path, sizeof(path), "/proc/%d/ns/%s", (int)pid, name);
	int ns = open(path, O_RDONLY | O_CLOEXEC);
	int user = ns >= 0 ? ioctl(ns, NS_GET_USERNS) : -1;
	int result = user >= 0 && setns(user, CLONE_NEWUSER) == 0 ? setns(ns, type) : -1;
	int err = errno;
	if (user >= 0)
		close(user);
	if (ns >= 0)
		close(ns);
	errno = err;
	return result;
}

int
sys_pidfd(pid_t pid)
{
	return (int)syscall(SYS_pidfd_open, pid, 0U);
}

int
sys_pidfd_kill(int pidfd, int sig)
{
	return (int)syscall(SYS_pidfd_send_signal, pidfd, sig, NULL, 0U);
}

int
sys_pidfd_kill_group(int pidfd, int sig)
{
	return (int)syscall(
	    SYS_pidfd_send_signal, pidfd, sig, NULL, PIDFD_SIGNAL_PROCESS_GROUP);
}

#ifndef SYS_openat2
#define SYS_openat2 437 /* Linux 5.6, the same everywhere */
#endif
#define RESOLVE_NO_SYMLINKS_BIT 0x04U

/* One component after the other, for kernels and filters without openat2(2). */
static int
open_by_steps(const char *path)
{
	int fd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char name[256];
	while (fd >= 0 && *(path += strspn(path, "/")) != '\0') {
		size_t n = strcspn(path, "/");
		int next = -1;
		errno = ENAMETOOLONG;
		if (n < sizeof(name)) {
			memcpy(name, path, n);
			name[n] = '\0';
			next = openat(fd, name,
			    (path[n] == '\0' ? O_RDONLY : O_PATH) | O_DIRECTORY |
			        O_NOFOLLOW | O_CLOEXEC);
		}
		int err = errno;
		close(fd);
		errno = err;
		fd = next;
		path += n;
	}
	return fd;
}

int
sys_open_directory(const char *path)
{
	struct {
		uint64_t flags, mode, resolve;
	} how = {O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0, RESOLVE_NO_SYMLINKS_BIT};
	int fd = (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how));
	if (fd < 0 && (errno == ENOSYS || errno == EPERM))
		fd = open_by_steps(path);
	return fd;
}

int
sys_read_place(struct arena *a, const char *path, size_t limit, struct bytes *out)
{
	const char *name = strrchr(path, '/');
	int dir = sys_open_directory(arena_strndup(a, path, (size_t)(name + 1 - path)));
	int fd =
	    dir >= 0 ? openat(dir, name + 1, READ_FLAGS | O_CLOEXEC | O_NOFOLLOW) : -1;
	int err = errno;
	if (dir >= 0)
		close(dir);
	errno = err;
	return fd >= 0 ? read_regular(a, fd, limit, out) : -1;
}

int
sys_open_place(const char *path)
{
	struct {
		uint64_t flags, mode, resolve;
	} how = {O_PATH | O_NOFOLLOW | O_CLOEXEC, 0, RESOLVE_NO_SYMLINKS_BIT};
	return (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how));
}
