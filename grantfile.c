/*
 * grantfile.c: the one open() of a grant.
 *
 * Owns who may have written a grant and how much of it is read. The file is opened once,
 * checked, and read through that one descriptor. Must not interpret a byte of it.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "grantfile.h"
#include "path.h"
#include "policy.h"

#define OVERFLOW_UID 65534 /* what another user's files show inside a user namespace */
#define READ_FIRST   (16 * 1024)

/* strerror() as the middle of a message: in lower case. */
static const char *
reason(struct arena *a, int err)
{
	char *text = arena_strdup(a, strerror(err));

	if (text[0] >= 'A' && text[0] <= 'Z')
		text[0] = (char)(text[0] - 'A' + 'a');
	return text;
}

/* Reads to EOF; waits where there is nothing yet, also on a non-blocking descriptor. */
static int
read_all(struct arena *a, int fd, struct bytes *out)
{
	size_t room = READ_FIRST;
	char *buf = arena_alloc(a, room);

	for (;;) {
		ssize_t n = read(fd, buf + out->len, room - out->len);
		struct pollfd p = {.fd = fd, .events = POLLIN};

		if (n == 0)
			break;
		if (n < 0 && errno == EAGAIN)
			poll(&p, 1, -1);
		if (n < 0 && errno != EAGAIN && errno != EINTR)
			return errno;
		if (n > 0)
			out->len += (size_t)n;
		if (out->len > GRANT_LIMIT)
			return EFBIG;
		if (out->len == room) {
			char *moved = arena_alloc(a, room * 2);

			memcpy(moved, buf, room);
			buf = moved;
			room *= 2;
		}
	}
	out->data = buf;
	return 0;
}

static bool
read_text(struct arena *a, int fd, const char *name, const char *dir,
    struct grant_text *out, struct errs *errs)
{
	struct bytes data = {NULL, 0, 0};
	int err = read_all(a, fd, &data);

	if (err == EFBIG) {
		errs_add(a, errs, "%s: is 1 MiB or larger, which no grant is", name);
		return false;
	}
	if (err != 0) {
		errs_add(a, errs, "%s: cannot be read: %s", name, reason(a, err));
		return false;
	}
	*out = (struct grant_text){
	    .name = name, .dir = dir, .data = data.data, .len = data.len};
	return true;
}

bool
grant_read_fd(struct arena *a, int fd, const char *name, const char *dir,
    struct grant_text *out, struct errs *errs)
{
	return read_text(a, fd, name, dir, out, errs);
}

/* What a file is if it can be no grant, or NULL. */
static const char *
wrong_kind(mode_t mode)
{
	if (S_ISREG(mode) || S_ISFIFO(mode))
		return NULL;
	if (S_ISDIR(mode))
		return "is a directory, not a file";
	if (S_ISCHR(mode) || S_ISBLK(mode))
		return "is a device, not a file";
	return "is not a file";
}

/* Why a file in the user's or the system's place is not trusted, or NULL. */
static const char *
strict_fault(const char *path, const struct stat *st)
{
	bool owned = st->st_uid == 0 || st->st_uid == getuid();
	bool private_group = st->st_gid == st->st_uid;

	if (!owned && st->st_uid == OVERFLOW_UID)
		owned = access(path, W_OK) != 0;
	if (!owned)
		return "belongs to neither you nor root";
	if ((st->st_mode & S_IWGRP) != 0 && !private_group)
		return "is writable by a group [chmod g-w]";
	return NULL;
}

static const char *
file_fault(const char *path, int fd, bool strict, struct arena *a)
{
	struct stat st;
	const char *fault;

	if (fstat(fd, &st) != 0)
		return reason(a, errno);
	/* "-f /dev/null" is how people write the empty grant. */
	if (S_ISCHR(st.st_mode) && st.st_rdev == makedev(1, 3))
		return NULL;
	fault = wrong_kind(st.st_mode);
	if (fault == NULL && (st.st_mode & S_IWOTH) != 0)
		fault = "is writable by everyone [chmod o-w]";
	if (fault == NULL && strict)
		fault = strict_fault(path, &st);
	if (fault == NULL && S_ISREG(st.st_mode) && st.st_size > GRANT_LIMIT)
		fault = "is 1 MiB or larger, which no grant is";
	return fault;
}

/*
 * A FIFO whose writer has not come yet reads as empty without blocking, so its first
 * byte is waited for: poll(2) reports a hang-up only after there was a writer.
 */
static void
wait_for_writer(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	while (poll(&p, 1, -1) < 0 && errno == EINTR)
		continue;
}

/* O_NONBLOCK: opening a FIFO or a device must not hang before it was looked at. */
bool
grant_read_file(struct arena *a, const char *path, bool strict, struct grant_text *out,
    struct errs *errs)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	const char *fault, *name = arena_strdup(a, path), *dir;
	struct stat st;
	bool ok;

	if (fd < 0) {
		errs_add(a, errs, "%s: cannot be opened: %s", name, reason(a, errno));
		return false;
	}
	fault = file_fault(path, fd, strict, a);
	if (fault != NULL) {
		errs_add(a, errs, "%s: %s", name, fault);
		close(fd);
		return false;
	}
	if (fstat(fd, &st) == 0 && S_ISFIFO(st.st_mode))
		wait_for_writer(fd);
	dir = strchr(path, '/') == NULL ? "." : path_parent(a, path);
	ok = read_text(a, fd, name, dir, out, errs);
	close(fd);
	return ok;
}
