/*
 * sys.c: sys.h on macOS, as far as its rooms ask for it: without /proc, O_PATH, pidfds and
 * namespaces.
 */
#include "sys.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

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

/* A FIFO without a writer would hang the open, and one with a writer the read. */
#define READ_FLAGS (O_RDONLY | O_NOCTTY | O_NONBLOCK)

/* Closes fd. */
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

int
sys_read_file(
    struct arena *a, int dirfd, const char *path, size_t limit, struct bytes *out)
{
	int fd = openat(dirfd, path, READ_FLAGS | O_CLOEXEC);
	return fd >= 0 ? read_regular(a, fd, limit, out) : -1;
}

int
sys_read_place(struct arena *a, const char *path, size_t limit, struct bytes *out)
{
	/* Of macOS 11: no link anywhere in the path. */
	int fd = open(path, READ_FLAGS | O_CLOEXEC | O_NOFOLLOW_ANY);
	return fd >= 0 ? read_regular(a, fd, limit, out) : -1;
}

int
sys_open_directory(const char *path)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW_ANY);
	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISDIR(st.st_mode))
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

int
sys_fill_stdio(void)
{
	for (int fd = 0; fd < 3; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) != fd)
			return -1;
	return 0;
}
