/*
 * hostpath.c: what one path means on the real tree. Looks, never changes anything.
 *
 * The way is walked component by component, so that the links on it are known: mounts.c has
 * to know which of them the command could replace.
 */
#include "hostpath.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "path.h"

#define LINK_LIMIT 40 /* as the kernel's MAXSYMLINKS */

struct walk {
	struct arena *a;
	char real[PATH_LIMIT + 1]; /* canonical so far; "" for the root */
	size_t len;
	const char *rest; /* still to be walked, without a leading slash */
	struct link_hop *links;
	size_t nlinks;
	struct stat st; /* of real */
};

static int
walk_link(struct walk *w, size_t component)
{
	char target[PATH_LIMIT + 1];
	if (w->nlinks == LINK_LIMIT)
		return ELOOP;
	ssize_t n = readlink(w->real, target, sizeof(target) - 1);
	if (n < 0)
		return errno;
	if (n == 0)
		return ENOENT;
	target[n] = '\0';
	w->links = arena_grow(w->a, w->links, w->nlinks, sizeof(*w->links));
	w->links[w->nlinks++] = (struct link_hop){.path = arena_strdup(w->a, w->real),
	    .target = arena_strdup(w->a, target),
	    .uid = w->st.st_uid,
	    .own = w->st.st_uid == getuid()};
	w->rest = arena_printf(w->a, "%s/%s", target, w->rest);
	w->len = target[0] == '/' ? 0 : w->len - component - 1;
	w->real[w->len] = '\0';
	return 0;
}

static void
walk_up(struct walk *w)
{
	while (w->len > 0 && w->real[w->len - 1] != '/')
		w->len--;
	if (w->len > 0)
		w->len--;
	w->real[w->len] = '\0';
}

/* One component of n bytes at w->rest. */
static int
walk_step(struct walk *w, size_t n)
{
	if (n == 0 || (n == 1 && w->rest[0] == '.')) {
		w->rest += n;
		return 0;
	}
	if (n == 2 && memcmp(w->rest, "..", 2) == 0) {
		w->rest += n;
		walk_up(w);
		return 0;
	}
	if (w->len + 1 + n > PATH_LIMIT)
		return ENAMETOOLONG;
	size_t before = w->len;
	w->real[w->len++] = '/';
	memcpy(w->real + w->len, w->rest, n);
	w->len += n;
	w->real[w->len] = '\0';
	if (lstat(w->real, &w->st) != 0) {
		int err = errno;
		w->len = before;
		w->real[before] = '\0';
		return err;
	}
	w->rest += n;
	if (S_ISLNK(w->st.st_mode))
		return walk_link(w, n);
	/* Something is left to walk below a file that is no directory. */
	if (!S_ISDIR(w->st.st_mode) && w->rest[strspn(w->rest, "/")] != '\0')
		return ENOTDIR;
	return 0;
}

static int
walk_all(struct walk *w)
{
	while (*w->rest != '\0') {
		while (*w->rest == '/')
			w->rest++;
		int err = walk_step(w, strcspn(w->rest, "/"));
		if (err != 0)
			return err;
	}
	return stat(w->len > 0 ? w->real : "/", &w->st) == 0 ? 0 : errno;
}

/* What is left of a path whose first missing name is at rest: "" when ".." is in it. */
static bool
has_dotdot(const char *rest)
{
	for (;;) {
		size_t n = strcspn(rest, "/");
		if (n == 2 && memcmp(rest, "..", 2) == 0)
			return true;
		if (rest[n] == '\0')
			return false;
		rest += n + 1;
	}
}

static enum file_kind
kind_of(mode_t mode)
{
	if (S_ISDIR(mode))
		return FILE_DIR;
	return S_ISREG(mode) ? FILE_REGULAR : FILE_OTHER;
}

static void
fact_existing(struct path_fact *f, const struct walk *w)
{
	f->kind = kind_of(w->st.st_mode);
	f->dev = w->st.st_dev;
	f->ino = w->st.st_ino;
	f->uid = w->st.st_uid;
	f->mode = w->st.st_mode;
	f->writable = access(f->real, W_OK) == 0;
}

void
host_resolve(struct arena *a, const char *path, struct path_fact *out)
{
	struct walk w = {.a = a, .rest = path};
	*out = (struct path_fact){.path = path, .kind = FILE_MISSING};
	int err = walk_all(&w);
	out->links = w.links;
	out->nlinks = w.nlinks;
	out->err = err;
	out->existing_len = w.len > 0 ? w.len : 1;
	if (err == 0) {
		out->real = w.len > 0 ? arena_strndup(a, w.real, w.len) : "/";
		fact_existing(out, &w);
	} else if (err == ENOTDIR) {
		/* The file that stands in the way. */
		out->real = arena_strndup(a, w.real, w.len);
		out->existing_len = w.len;
		fact_existing(out, &w);
	} else if (err == EACCES) {
		out->stuck = w.len > 0 ? arena_strndup(a, w.real, w.len) : "/";
	} else if (err == ENOENT && !has_dotdot(w.rest)) {
		out->real = path_normalise(a, w.rest, w.len > 0 ? w.real : "/");
	}
}
