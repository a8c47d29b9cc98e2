/*
 * rmtree.c: removing a directory tree; see rmtree.h.
 *
 * The command may have nested thousands of directories, or left one with mode 000. So
 * nothing recurses: a directory found below the top is moved up to the top under a name of
 * ours when it is not empty, and becomes one more entry of the same loop.
 */
#include "rmtree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* "NNN.srun" is ours: the command's own file of that name only makes us take the next one. */
static bool
move_up(int dir, const char *name, int top, unsigned *serial)
{
	char to[32];
	for (int tries = 0; tries < 100000; tries++) {
		snprintf(to, sizeof(to), "%u.srun", (*serial)++);
		struct stat st;
		if (fstatat(top, to, &st, AT_SYMLINK_NOFOLLOW) == 0)
			continue;
		return renameat(dir, name, top, to) == 0;
	}
	return false;
}

static bool
is_dots(const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/*
 * The directory behind an O_PATH descriptor, opened up first where its mode keeps its owner
 * out. By way of /proc, since fchmodat(2) would follow a link that has taken the place of
 * the name meanwhile.
 */
static int
open_seen(int path)
{
	char self[40];
	snprintf(self, sizeof(self), "/proc/self/fd/%d", path);
	int fd = open(self, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0 || errno != EACCES || chmod(self, 0700) != 0)
		return fd;
	return open(self, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static void
close_keeping_errno(int fd)
{
	int err = errno;
	close(fd);
	errno = err;
}

static int
open_dir(int at, const char *name)
{
	int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0 || errno != EACCES)
		return fd;
	int path = openat(at, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (path < 0)
		return -1;
	fd = open_seen(path);
	close_keeping_errno(path);
	return fd;
}

/*
 * Empties one directory; what is itself a filled directory goes up to top. Returns how
 * many entries went; takes the descriptor.
 */
static size_t
empty_dir(int fd, int top, unsigned *serial)
{
	size_t gone = 0;
	struct stat st;
	if (fstat(fd, &st) == 0 && (st.st_mode & S_IRWXU) != S_IRWXU)
		fchmod(fd, 0700);
	DIR *d = fdopendir(fd);
	if (d == NULL) {
		close(fd);
		return 0;
	}
	for (struct dirent *e; (e = readdir(d)) != NULL;) {
		if (is_dots(e->d_name))
			continue;
		if (unlinkat(fd, e->d_name, 0) == 0 ||
		    unlinkat(fd, e->d_name, AT_REMOVEDIR) == 0) {
			gone++;
			continue;
		}
		/* A directory that cannot be written cannot be moved either (its ".." changes). */
		int sub = open_dir(fd, e->d_name);
		if (sub >= 0) {
			fchmod(sub, 0700);
			close(sub);
		}
		gone += move_up(fd, e->d_name, top, serial);
	}
	closedir(d);
	return gone;
}

/* One pass over the top; true when it is empty. */
static bool
pass(int top, unsigned *serial, bool *progress)
{
	bool empty = true;
	*progress = false;
	DIR *d = fdopendir(openat(top, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	if (d == NULL)
		return false;
	for (struct dirent *e; (e = readdir(d)) != NULL;) {
		if (is_dots(e->d_name))
			continue;
		if (unlinkat(top, e->d_name, 0) == 0 ||
		    unlinkat(top, e->d_name, AT_REMOVEDIR) == 0) {
			*progress = true;
			continue;
		}
		empty = false;
		int sub = open_dir(top, e->d_name);
		if (sub >= 0 && empty_dir(sub, top, serial) > 0)
			*progress = true;
	}
	closedir(d);
	return empty;
}

/* Whether fd is the inode that was made in the directory at, on the same file system. */
static bool
is_same(int at, int fd, ino_t ino)
{
	struct stat st, above;
	return fstat(fd, &st) == 0 && st.st_ino == ino && fstat(at, &above) == 0 &&
	       st.st_dev == above.st_dev;
}

/* Empties the directory and removes its name. */
static bool
remove_open(int at, const char *name, int top)
{
	unsigned serial = 0;
	bool progress = true;
	fchmod(top, 0700);
	while (!pass(top, &serial, &progress) && progress)
		;
	close(top);
	return unlinkat(at, name, AT_REMOVEDIR) == 0;
}

bool
rmtree(int at, const char *name, ino_t ino)
{
	if (ino == 0 && (unlinkat(at, name, AT_REMOVEDIR) == 0 || errno == ENOENT))
		return true;
	int path = openat(at, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (path < 0)
		return errno == ENOENT || (ino == 0 && unlinkat(at, name, 0) == 0);
	int top = -1;
	if (ino == 0 || is_same(at, path, ino))
		top = open_seen(path);
	else
		errno = ESTALE;
	close_keeping_errno(path);
	return top >= 0 && remove_open(at, name, top);
}
