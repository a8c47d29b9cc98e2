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

static int
open_dir(int at, const char *name)
{
	int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0 || errno != EACCES)
		return fd;
	/* fchmodat has no way not to follow links; this name was seen to be a directory. */
	struct stat st;
	if (fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISDIR(st.st_mode) ||
	    fchmodat(at, name, 0700, 0) != 0)
		return -1;
	return openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
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

bool
rmtree(const char *path)
{
	unsigned serial = 0;
	bool progress = true;
	if (rmdir(path) == 0 || errno == ENOENT)
		return true;
	int top = open_dir(AT_FDCWD, path);
	if (top < 0)
		return unlink(path) == 0;
	fchmod(top, 0700);
	while (!pass(top, &serial, &progress) && progress)
		;
	close(top);
	return rmdir(path) == 0;
}
