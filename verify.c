/*
 * verify.c: the sandbox as the kernel shows it against the plan. bubblewrap resolves
 * paths on its own, so what was mounted is looked at before the command may start: this is
 * what catches a link swapped in between, a mount led elsewhere (CVE-2026-87766) and a
 * mount that the kernel dropped.
 */
#include "verify.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "path.h"
#include "sys.h"

#ifndef SYS_openat2
#define SYS_openat2 437 /* Linux 5.6, the same everywhere */
#endif
#define RESOLVE_NO_SYMLINKS_BIT 0x04U
#define RESOLVE_IN_ROOT_BIT     0x10U

#define MOUNTINFO_LIMIT (16U * 1024 * 1024)

struct seen {
	long id, parent;
	const char *point;
	bool read_only;
	bool tmpfs;
};

/* "\040" and its like, as mountinfo writes blank, tab, newline and backslash. */
static char *
unescape(struct arena *a, const char *s, size_t n)
{
	char *out = arena_alloc(a, n + 1);
	size_t len = 0;
	for (size_t i = 0; i < n; i++) {
		if (s[i] == '\\' && i + 3 < n) {
			out[len++] = (char)((s[i + 1] - '0') * 64 + (s[i + 2] - '0') * 8 +
			                    (s[i + 3] - '0'));
			i += 3;
		} else {
			out[len++] = s[i];
		}
	}
	return out;
}

static bool
parse_id(const char *field, long *out)
{
	char *end;
	*out = strtol(field, &end, 10);
	return end != field && *end == ' ';
}

/* "ID PARENT MAJ:MIN ROOT POINT OPTIONS [tags…] - TYPE SOURCE SUPER" */
static bool
parse_line(struct arena *a, const char *line, size_t n, struct seen *out)
{
	const char *field[6], *end = line + n;
	size_t len[6];
	const char *p = line;
	for (int i = 0; i < 6; i++) {
		field[i] = p;
		len[i] = 0;
		while (p < end && *p != ' ') {
			p++;
			len[i]++;
		}
		if (p == end)
			return false;
		p++;
	}
	const char *dash = memmem(p - 1, (size_t)(end - p) + 1, " - ", 3);
	if (dash == NULL)
		return false;
	if (!parse_id(field[0], &out->id) || !parse_id(field[1], &out->parent))
		return false;
	out->point = unescape(a, field[4], len[4]);
	out->read_only = len[5] >= 2 && memcmp(field[5], "ro", 2) == 0 &&
	                 (len[5] == 2 || field[5][2] == ',');
	out->tmpfs = end - dash > 9 && memcmp(dash + 3, "tmpfs ", 6) == 0;
	return true;
}

static const struct mount_op *
governing(const struct mount_plan *m, const char *point)
{
	const struct mount_op *best = NULL;
	size_t best_len = 0;
	for (size_t i = 0; i < m->n; i++) {
		size_t len = strlen(m->ops[i].dest);
		if (m->ops[i].kind != MOUNT_LINK && len >= best_len &&
		    path_within(point, m->ops[i].dest)) {
			best = &m->ops[i];
			best_len = len;
		}
	}
	return best;
}

static const struct seen *
find_seen(const struct seen *v, size_t n, long id)
{
	for (size_t i = 0; i < n; i++)
		if (v[i].id == id)
			return &v[i];
	return NULL;
}

/*
 * Whether no path leads to the mount: another one lies on it, or on the way to it. A file
 * system inside a write root comes along with the root and is then covered by its rule.
 */
static bool
covered(const struct seen *v, size_t n, const struct seen *s)
{
	for (size_t i = 0; i < n; i++)
		if (v[i].parent == s->id && strcmp(v[i].point, s->point) == 0)
			return true;
	for (size_t depth = 0; s != NULL && depth < n; depth++) {
		for (size_t i = 0; i < n; i++)
			if (v[i].parent == s->parent && v[i].id != s->id &&
			    strcmp(v[i].point, s->point) != 0 &&
			    path_within(s->point, v[i].point))
				return true;
		s = find_seen(v, n, s->parent);
	}
	return false;
}

/* A mount that is there: may it be writable? */
static void
check_seen(struct arena *a, const struct mount_plan *m, const struct seen *v, size_t n,
    const struct seen *s, struct errs *errs)
{
	const struct mount_op *op = governing(m, s->point);
	if (s->read_only || (op != NULL && mount_kind_writable(op->kind)) ||
	    covered(v, n, s))
		return;
	errs_add(a, errs, "'%s' is writable inside, and nothing grants that", s->point);
}

/* A mount that was planned: is it there, last at its place, as planned? */
static void
check_op(struct arena *a, const struct mount_op *op, const struct seen *v, size_t n,
    struct errs *errs)
{
	const struct seen *last = NULL;
	bool in_memory = false;
	for (size_t i = 0; i < n; i++)
		if (strcmp(v[i].point, op->dest) == 0)
			last = &v[i];
	if (op->kind == MOUNT_LINK)
		return;
	if (last == NULL) {
		errs_add(a, errs, "'%s' is not mounted inside as planned (%s)", op->dest,
		    mount_kind_name(op->kind));
		return;
	}
	switch (op->kind) {
	case MOUNT_MASK_DIR:
	case MOUNT_MASK_OPEN:
	case MOUNT_HIDE_DIR:
	case MOUNT_HOLD:
	case MOUNT_TMPFS:
		in_memory = true;
		break;
	case MOUNT_ROOT_RO:
	case MOUNT_ROOT_RW:
	case MOUNT_ROOT_NONE:
	case MOUNT_BIND_RO:
	case MOUNT_BIND_RW:
	case MOUNT_PIN:
	case MOUNT_MASK_FILE:
	case MOUNT_DEV:
	case MOUNT_DEV_NODE:
	case MOUNT_PROC:
	case MOUNT_LINK:
		break;
	}
	if (in_memory && !last->tmpfs)
		errs_add(a, errs, "'%s' is not the empty directory that was planned",
		    op->dest);
	if (!mount_kind_writable(op->kind) && !last->read_only)
		errs_add(a, errs, "'%s' is writable inside, against the plan", op->dest);
}

bool
verify_mountinfo(
    struct arena *a, const struct mount_plan *m, const char *text, struct errs *errs)
{
	size_t before = errs->text.n, n = 0;
	struct seen *v = NULL;
	for (const char *p = text; *p != '\0';) {
		size_t len = strcspn(p, "\n");
		v = arena_grow(a, v, n, sizeof(*v));
		if (!parse_line(a, p, len, &v[n])) {
			errs_add(a, errs, "a line of mountinfo cannot be understood");
			return false;
		}
		n++;
		p += len + (p[len] == '\n');
	}
	for (size_t i = 0; i < n; i++)
		check_seen(a, m, v, n, &v[i], errs);
	for (size_t i = 0; i < m->n; i++)
		check_op(a, &m->ops[i], v, n, errs);
	return errs->text.n == before;
}

/* ---- from the running system ---- */

/* dest as inner sees it, without following any link. */
static int
open_inside(int root, const char *dest)
{
	struct {
		uint64_t flags, mode, resolve;
	} how = {O_PATH | O_CLOEXEC | O_NOFOLLOW, 0,
	    RESOLVE_NO_SYMLINKS_BIT | RESOLVE_IN_ROOT_BIT};
	int fd = (int)syscall(SYS_openat2, root, dest, &how, sizeof(how));
	if (fd < 0 && (errno == ENOSYS || errno == EPERM))
		fd = openat(root, dest[1] != '\0' ? dest + 1 : ".",
		    O_PATH | O_CLOEXEC | O_NOFOLLOW);
	return fd;
}

static void
check_identity(struct arena *a, int root, const struct mount_op *op, struct errs *errs)
{
	struct stat st;
	bool bound = op->kind == MOUNT_BIND_RO || op->kind == MOUNT_BIND_RW;
	bool closed = op->kind == MOUNT_MASK_FILE;
	if (!closed && (!bound || op->ino == 0))
		return;
	int fd = open_inside(root, op->dest);
	if (fd < 0 || fstat(fd, &st) != 0)
		errs_add(
		    a, errs, "'%s' cannot be seen inside: %s", op->dest, strerror(errno));
	else if (closed && ((st.st_mode & 07777) != 0 || st.st_size != 0))
		errs_add(
		    a, errs, "'%s' is not the closed file that was planned", op->dest);
	else if (!closed && (st.st_dev != op->dev || st.st_ino != op->ino))
		errs_add(a, errs,
		    "'%s' is another file inside than the one that was granted",
		    op->dest);
	if (fd >= 0)
		close(fd);
}

bool
verify_sandbox(struct arena *a, const struct launch *l, pid_t inner, struct errs *errs)
{
	size_t before = errs->text.n;
	struct bytes mounts = {NULL, 0, 0};
	int proc = open(
	    arena_printf(a, "/proc/%ld", (long)inner), O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (l->mounts == NULL || proc < 0 ||
	    sys_read_file(a, proc, "mountinfo", MOUNTINFO_LIMIT, &mounts) != 0) {
		errs_add(a, errs, "the sandbox cannot be looked at: %s", strerror(errno));
		if (proc >= 0)
			close(proc);
		return false;
	}
	verify_mountinfo(a, l->mounts, mounts.data, errs);
	int root = openat(proc, "root", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		errs_add(a, errs, "the sandbox's root cannot be looked at: %s",
		    strerror(errno));
	for (size_t i = 0; root >= 0 && i < l->mounts->n; i++)
		check_identity(a, root, &l->mounts->ops[i], errs);
	if (root >= 0)
		close(root);
	close(proc);
	return errs->text.n == before;
}
