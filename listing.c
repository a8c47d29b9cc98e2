/*
 * listing.c: whether many names exist, by reading each directory once. A named set has
 * some two hundred paths of which a host has a few: a look for each costs more than all
 * the rest of reading a grant.
 */
#include "listing.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "path.h"

struct listing_dir {
	const char *path;
	size_t len;
	bool known; /* names is complete */
	const char **names;
	size_t n;
};

static int
compare_names(const void *x, const void *y)
{
	return strcmp(*(const char *const *)x, *(const char *const *)y);
}

static void
read_names(struct listings *l, struct listing_dir *d)
{
	int fd = open(d->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
	if (dir == NULL) {
		if (fd >= 0)
			close(fd);
		return;
	}
	for (struct dirent *e; (e = readdir(dir)) != NULL;) {
		d->names = arena_grow(l->a, d->names, d->n, sizeof(*d->names));
		d->names[d->n++] = arena_strdup(l->a, e->d_name);
	}
	closedir(dir);
	if (d->n > 1)
		qsort(d->names, d->n, sizeof(*d->names), compare_names);
	d->known = true;
}

static const struct listing_dir *
find_dir(struct listings *l, const char *text, size_t len)
{
	/* Members of one directory mostly come one after the other: the last one first. */
	for (size_t i = l->ndirs; i-- > 0;)
		if (l->dirs[i].len == len && memcmp(l->dirs[i].path, text, len) == 0)
			return &l->dirs[i];
	const char *path = arena_strndup(l->a, text, len);
	struct listing_dir d = {.path = path, .len = len};
	/* What lies in a directory that does not exist does not either: known, and empty. */
	if (strcmp(path, "/") != 0 && !listing_may_exist(l, path))
		d.known = true;
	else
		read_names(l, &d);
	l->dirs = arena_grow(l->a, l->dirs, l->ndirs, sizeof(*l->dirs));
	l->dirs[l->ndirs] = d;
	return &l->dirs[l->ndirs++];
}

bool
listing_may_exist(struct listings *l, const char *path)
{
	const char *name = path_base(path);
	size_t len = (size_t)(name - path);
	const struct listing_dir *d = find_dir(l, path, len > 1 ? len - 1 : 1);
	if (!d->known)
		return true;
	return d->n > 0 &&
	       bsearch(&name, d->names, d->n, sizeof(*d->names), compare_names) != NULL;
}
