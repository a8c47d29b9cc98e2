/*
 * alias.c: other names of protected files. A mount holds one path; a hard link made by an
 * earlier run, or a bind mount of the host, leads to the same file by another.
 *
 * Hard links are rare among protected files, so nothing is looked for unless a file says
 * that it has several names. Then every directory of the write roots is listed, also those
 * that the scan for names leaves out; only a name with a wanted inode is looked at closer.
 */
#include "alias.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "path.h"
#include "scan.h"
#include "sys.h"

#define COLLECT_ENTRIES 5000
#define COLLECT_DEPTH   12
#define LINKS_DEPTH     200
#define LINKS_MS        2000

/* ---- files with several names ---- */

struct collector {
	struct arena *a;
	struct alias_files *out;
	size_t seen;
	bool full;
};

static void
collect_one(struct collector *c, int dirfd, const char *name, const char *path, int depth)
{
	struct stat st;
	if (c->full || fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return;
	c->full = c->seen++ >= COLLECT_ENTRIES || depth > COLLECT_DEPTH;
	if (S_ISREG(st.st_mode) && st.st_nlink > 1) {
		c->out->v = arena_grow(c->a, c->out->v, c->out->n, sizeof(*c->out->v));
		c->out->v[c->out->n++] =
		    (struct alias_file){path, st.st_dev, st.st_ino, st.st_nlink};
	}
	if (!S_ISDIR(st.st_mode) || c->full)
		return;
	int fd = openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	if (d == NULL) {
		if (fd >= 0)
			close(fd);
		return;
	}
	for (struct dirent *e; (e = readdir(d)) != NULL;)
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			collect_one(c, fd, e->d_name, path_join(c->a, path, e->d_name),
			    depth + 1);
	closedir(d);
}

bool
alias_collect(struct arena *a, const char *path, struct alias_files *out)
{
	struct collector c = {a, out, 0, false};
	collect_one(&c, AT_FDCWD, path, path, 0);
	return !c.full;
}

/* ---- hard links ---- */

struct seeker {
	struct arena *a;
	const struct alias_files *files;
	struct alias_list *out;
	int64_t end;
	bool late;
};

static void
add_found(struct arena *a, struct alias_list *out, const char *path, const char *of)
{
	out->v = arena_grow(a, out->v, out->n, sizeof(*out->v));
	out->v[out->n++] = (struct alias_found){path, of};
}

static void
check_name(struct seeker *s, int dirfd, const char *dir, const struct dirent *e)
{
	for (size_t i = 0; i < s->files->n; i++) {
		const struct alias_file *f = &s->files->v[i];
		struct stat st;
		if (e->d_ino != f->ino ||
		    fstatat(dirfd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
		    st.st_dev != f->dev || st.st_ino != f->ino)
			continue;
		const char *path = path_join(s->a, dir, e->d_name);
		if (strcmp(path, f->path) != 0)
			add_found(s->a, s->out, path, f->path);
	}
}

static void
seek_below(struct seeker *s, int dirfd, const char *name, const char *path, int depth)
{
	int fd = openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	/* /proc and its like are endless, and no file has a name there. */
	if (fd >= 0 && scan_is_kernels(fd)) {
		close(fd);
		return;
	}
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	if (d == NULL) {
		if (fd >= 0)
			close(fd);
		return;
	}
	if (depth > LINKS_DEPTH || sys_now_ms() >= s->end)
		s->late = true;
	for (struct dirent *e; !s->late && (e = readdir(d)) != NULL;) {
		struct stat st;
		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
			continue;
		bool dir = e->d_type == DT_DIR;
		if (e->d_type == DT_UNKNOWN)
			dir = fstatat(fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
			      S_ISDIR(st.st_mode);
		if (dir)
			seek_below(s, fd, e->d_name, path_join(s->a, path, e->d_name),
			    depth + 1);
		else
			check_name(s, fd, path, e);
	}
	closedir(d);
}

bool
alias_links(struct arena *a, const char *root, const struct alias_files *files,
    struct alias_list *out)
{
	struct seeker s = {a, files, out, sys_now_ms() + LINKS_MS, false};
	seek_below(&s, AT_FDCWD, root, root, 0);
	return !s.late;
}

/* ---- bind mounts ---- */

struct mounted {
	const char *dev, *root, *point;
};

/* "\040" and its like, as mountinfo writes blank, tab, newline and backslash. */
static const char *
unescape(struct arena *a, const char *s, size_t n)
{
	char *out = arena_strndup(a, s, n);
	size_t len = 0;
	for (size_t i = 0; i < n; i++) {
		bool octal = s[i] == '\\' && i + 3 < n;
		out[len++] = octal ? (char)((s[i + 1] - '0') * 64 + (s[i + 2] - '0') * 8 +
		                            (s[i + 3] - '0'))
		                   : s[i];
		i += octal ? 3 : 0;
	}
	out[len] = '\0';
	return out;
}

/* "ID PARENT MAJ:MIN ROOT POINT …" */
static bool
parse_mount(struct arena *a, const char *line, size_t n, struct mounted *out)
{
	const char *field[5];
	for (size_t i = 0, at = 0; i < SRUN_ARRAY_LEN(field); i++) {
		size_t len = 0;
		while (at + len < n && line[at + len] != ' ')
			len++;
		if (len == 0)
			return false;
		field[i] = unescape(a, line + at, len);
		at += len + 1;
	}
	*out = (struct mounted){field[2], field[3], field[4]};
	return true;
}

/* path without root, with the slash in front; "" for root itself. */
static const char *
below(const char *path, const char *root)
{
	return strcmp(root, "/") == 0 ? (path[1] == '\0' ? "" : path)
	                              : path + strlen(root);
}

static const char *
joined(struct arena *a, const char *dir, const char *rest)
{
	if (*rest == '\0')
		return dir;
	return strcmp(dir, "/") == 0 ? rest : arena_printf(a, "%s%s", dir, rest);
}

static void
alias_of(struct arena *a, const struct mounted *m, size_t n, const char *path,
    struct alias_list *out)
{
	const struct mounted *at = NULL;
	for (size_t i = 0; i < n; i++)
		if (path_within(path, m[i].point) &&
		    (at == NULL || strlen(m[i].point) >= strlen(at->point)))
			at = &m[i];
	if (at == NULL)
		return;
	const char *inner = joined(a, at->root, below(path, at->point));
	for (size_t i = 0; i < n; i++) {
		const char *other = NULL;
		if (&m[i] == at || strcmp(m[i].dev, at->dev) != 0)
			continue;
		if (path_within(inner, m[i].root))
			other = joined(a, m[i].point, below(inner, m[i].root));
		else if (path_within(m[i].root, inner))
			other = m[i].point;
		if (other != NULL && strcmp(other, path) != 0)
			add_found(a, out, other, path);
	}
}

void
alias_mounts(
    struct arena *a, const char *text, const struct strv *paths, struct alias_list *out)
{
	struct mounted *m = NULL;
	size_t n = 0;
	for (const char *p = text; *p != '\0';) {
		size_t len = strcspn(p, "\n");
		m = arena_grow(a, m, n, sizeof(*m));
		n += parse_mount(a, p, len, &m[n]);
		p += len + (p[len] == '\n');
	}
	for (size_t i = 0; i < paths->n; i++)
		alias_of(a, m, n, paths->v[i], out);
}
