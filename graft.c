/*
 * graft.c: makes mounts of the plan inside a sandbox, from outside it. Owns entering the
 * mount namespace and the kernel's mount calls. Decides no right: what is mounted where is
 * the plan's, and verify.c looks at the result as at every other.
 *
 * The process enters by the user namespace that owns the mount namespace, over which its
 * maker's user has every privilege (user_namespaces(7)); nobody in the sandbox gets one.
 * Needs Linux 5.12 (mount_setattr). Every destination is opened without following a link,
 * and both ends of a mount are descriptors, so nothing can be led elsewhere in between.
 *
 * Directories that are held, hidden or closed are all of one file system in memory: it is
 * mounted read-only by its parts, which costs a fifth of one file system for each.
 */
#include "graft.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "msg.h"
#include "path.h"
#include "sys.h"

#define AT_RECURSIVE_BIT 0x8000 /* AT_RECURSIVE of linux/fcntl.h */
#define DETACH_BIT       2      /* MNT_DETACH */
#define TEXT_LIMIT       (4 * 1024 * 1024)

/* Where the file system of empty things is mounted while its parts are taken. */
#define SCRATCH "/dev/shm"

/* ---- which ---- */

static bool
can_be(enum mount_kind kind)
{
	switch (kind) {
	case MOUNT_BIND_RO:
	case MOUNT_PIN:
	case MOUNT_MASK_DIR:
	case MOUNT_MASK_FILE:
	case MOUNT_HIDE_DIR:
	case MOUNT_HOLD:
		return true;
	case MOUNT_ROOT_RO:
	case MOUNT_ROOT_RW:
	case MOUNT_ROOT_NONE:
	case MOUNT_BIND_RW:
	case MOUNT_MASK_OPEN:
	case MOUNT_TMPFS:
	case MOUNT_DEV:
	case MOUNT_DEV_NODE:
	case MOUNT_PROC:
	case MOUNT_LINK:
		break;
	}
	return false;
}

/* Whether what lies below is what lies there on the host (or is the kernel's). */
static bool
shows_host(enum mount_kind kind)
{
	return kind == MOUNT_ROOT_RO || kind == MOUNT_ROOT_RW || kind == MOUNT_BIND_RO ||
	       kind == MOUNT_BIND_RW || kind == MOUNT_PIN || kind == MOUNT_PROC;
}

/* The operation right above the i-th; the root has none. */
static size_t
above(const struct mount_plan *m, size_t i)
{
	for (size_t k = i; k-- > 0;)
		if (path_within(m->ops[i].dest, m->ops[k].dest))
			return k;
	return i;
}

bool *
graft_choose(struct arena *a, const struct mount_plan *m)
{
	bool *chosen = arena_alloc(a, (m->n + 1) * sizeof(*chosen));
	for (size_t i = 0; i < m->n; i++) {
		const struct mount_op *op = &m->ops[i], *up = &m->ops[above(m, i)];
		chosen[i] = up != op && can_be(op->kind) && shows_host(up->kind);
	}
	/* The helper goes first, so what it has to mount cannot lie on one of ours. */
	for (size_t i = m->n; i-- > 0;)
		if (!chosen[i])
			for (size_t k = above(m, i); k < i && chosen[k]; k = above(m, k))
				chosen[k] = false;
	return chosen;
}

/* ---- inside ---- */

/* A file that shows another's text, which may lie where the sandbox does not reach. */
static bool
is_shown(const struct mount_op *op)
{
	return op->kind == MOUNT_BIND_RO && strcmp(op->source, op->dest) != 0;
}

/* What failed at which operation; err is 0 when nothing did. */
struct outcome {
	int32_t err;
	uint32_t at; /* of the plan; UINT32_MAX: none */
	char step[24];
};

/* Parts of the file system of empty things. */
enum part { PART_HELD, PART_HIDDEN, PART_CLOSED_DIR, PART_CLOSED_FILE, PARTS };
static const struct {
	const char *name;
	mode_t mode;
} parts[PARTS] = {
    [PART_HELD] = {"held", 0555},
    [PART_HIDDEN] = {"hidden", 0755},
    [PART_CLOSED_DIR] = {"closed", 0},
    [PART_CLOSED_FILE] = {"file", 0},
};

struct maker {
	struct arena a;
	const struct mount_plan *m;
	const bool *chosen;
	struct bytes *texts; /* by operation: what a shown file says */
	int tree;            /* the file system in memory */
	int part[PARTS];
	struct outcome o;
};

static bool
fail(struct maker *k, const char *step)
{
	k->o.err = errno != 0 ? errno : EIO;
	snprintf(k->o.step, sizeof(k->o.step), "%s", step);
	return false;
}

static const char *
shown_name(struct arena *a, size_t i)
{
	return arena_printf(a, "shown%zu", i);
}

static int
open_part(int tree, const char *name)
{
	return openat(tree, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
}

static bool
enter(struct maker *k, pid_t inner)
{
	/* The root and the working directory are the sandbox's from here on. */
	if (sys_enter_namespace(inner, "mnt", CLONE_NEWNS) != 0)
		return fail(k, "entering the namespace");
	return true;
}

static int
clone_tree(int fd)
{
	return (int)syscall(SYS_open_tree, fd, "",
	    OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH | AT_RECURSIVE_BIT);
}

static int
attach(int tree, int dest)
{
	return (int)syscall(SYS_move_mount, tree, "", dest, "",
	    MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH);
}

static int
set_flags(int tree, bool read_only)
{
	struct mount_attr attr = {.attr_set = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV};
	if (read_only)
		attr.attr_set |= MOUNT_ATTR_RDONLY;
	return (int)syscall(SYS_mount_setattr, tree, "", AT_EMPTY_PATH | AT_RECURSIVE_BIT,
	    &attr, sizeof(attr));
}

static bool
make_file(int dirfd, const char *name, mode_t mode, const struct bytes *text)
{
	int fd = openat(dirfd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
	if (fd < 0)
		return false;
	bool ok = text == NULL || sys_write_all(fd, text->data, text->len) == 0;
	return close(fd) == 0 && ok;
}

/* A file system in memory with the parts in it, not mounted anywhere. */
static int
make_parts(void)
{
	int fs = (int)syscall(SYS_fsopen, "tmpfs", FSOPEN_CLOEXEC);
	if (fs < 0)
		return -1;
	int tree = -1;
	if (syscall(SYS_fsconfig, fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) == 0)
		tree = (int)syscall(SYS_fsmount, fs, FSMOUNT_CLOEXEC, 0);
	close(fs);
	bool ok = tree >= 0;
	for (int i = 0; ok && i < PART_CLOSED_FILE; i++)
		ok = mkdirat(tree, parts[i].name, parts[i].mode) == 0;
	int file = ok ? openat(tree, parts[PART_CLOSED_FILE].name,
	                    O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC,
	                    parts[PART_CLOSED_FILE].mode)
	              : -1;
	if (file >= 0)
		close(file);
	return file >= 0 ? tree : -1;
}

/*
 * Opens the parts, read-only. Before Linux 6.15 only what is mounted can be cloned, hence
 * the scratch place.
 */
static bool
open_parts(struct maker *k)
{
	umask(0);
	int tree = make_parts();
	int scratch = tree >= 0 ? sys_open_place(SCRATCH) : -1;
	bool ok = scratch >= 0;
	for (size_t i = 0; ok && i < k->m->n; i++)
		if (k->chosen[i] && is_shown(&k->m->ops[i]))
			ok = make_file(tree, shown_name(&k->a, i), 0444, &k->texts[i]);
	if (!ok || set_flags(tree, true) != 0 || attach(tree, scratch) != 0)
		return fail(k, "a file system in memory");
	k->tree = tree;
	for (int i = 0; i < PARTS; i++) {
		k->part[i] = open_part(tree, parts[i].name);
		if (k->part[i] < 0)
			return fail(k, "its parts");
	}
	return true;
}

/* PARTS: none, the place is mounted on itself. */
static enum part
part_for(enum mount_kind kind)
{
	if (kind == MOUNT_HIDE_DIR)
		return PART_HIDDEN;
	if (kind == MOUNT_MASK_DIR)
		return PART_CLOSED_DIR;
	if (kind == MOUNT_MASK_FILE)
		return PART_CLOSED_FILE;
	return kind == MOUNT_HOLD ? PART_HELD : PARTS;
}

static bool
make_one(struct maker *k, size_t i)
{
	const struct mount_op *op = &k->m->ops[i];
	int dest = sys_open_place(op->dest);
	bool shown = is_shown(op), own = !shown && part_for(op->kind) == PARTS;
	if (dest < 0)
		return fail(k, "finding it");
	int from = dest;
	if (shown)
		from = open_part(k->tree, shown_name(&k->a, i));
	else if (!own)
		from = k->part[part_for(op->kind)];
	int tree = from >= 0 ? clone_tree(from) : -1;
	bool ok = tree >= 0 &&
	          (!own || set_flags(tree, op->kind == MOUNT_BIND_RO) == 0) &&
	          attach(tree, dest) == 0;
	int err = errno;
	if (tree >= 0)
		close(tree);
	if (shown && from >= 0)
		close(from);
	close(dest);
	errno = err;
	return ok || fail(k, "mounting it");
}

/* Before the sandbox is entered: from there the host's files may be out of sight. */
static bool
read_texts(struct maker *k)
{
	k->texts = arena_alloc(&k->a, (k->m->n + 1) * sizeof(*k->texts));
	for (size_t i = 0; i < k->m->n; i++) {
		k->o.at = (uint32_t)i;
		if (k->chosen[i] && is_shown(&k->m->ops[i]) &&
		    sys_read_file(&k->a, AT_FDCWD, k->m->ops[i].source, TEXT_LIMIT,
		        &k->texts[i]) != 0)
			return fail(k, "reading what it shows");
	}
	k->o.at = UINT32_MAX;
	return true;
}

static void
make_all(struct maker *k, pid_t inner)
{
	if (!enter(k, inner) || !open_parts(k))
		return;
	for (size_t i = 0; i < k->m->n && k->o.err == 0; i++) {
		k->o.at = (uint32_t)i;
		if (k->chosen[i])
			make_one(k, i);
	}
	if (k->o.err == 0 && syscall(SYS_umount2, SCRATCH, DETACH_BIT) != 0)
		fail(k, "unmounting " SCRATCH);
}

static _Noreturn void
graft_main(const struct mount_plan *m, const bool *chosen, int sock)
{
	struct maker k = {.m = m, .chosen = chosen, .o = {0, UINT32_MAX, ""}};
	int32_t inner;
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	bool ready = sys_close_except(&sock, 1) == 0 && read_texts(&k);
	if (sys_read_all(sock, &inner, sizeof(inner)) != 0)
		_exit(0);
	if (ready)
		make_all(&k, inner);
	(void)!sys_write_all(sock, &k.o, sizeof(k.o));
	_exit(0);
}

/* ---- outside ---- */

bool
graft_start(struct graft *g, const struct mount_plan *m, const bool *chosen)
{
	int pair[2];
	*g = (struct graft)GRAFT_NONE;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
		return false;
	g->sock = pair[0];
	g->pid = fork();
	if (g->pid == 0)
		graft_main(m, chosen, pair[1]);
	close(pair[1]);
	if (g->pid > 0)
		return true;
	g->pid = 0;
	graft_end(g);
	return false;
}

const char *
graft_run(struct arena *a, struct graft *g, const struct mount_plan *m, pid_t inner)
{
	int32_t pid = (int32_t)inner;
	struct outcome o;
	bool answered = g->sock >= 0 && sys_write_all(g->sock, &pid, sizeof(pid)) == 0 &&
	                sys_read_all(g->sock, &o, sizeof(o)) == 0;
	graft_end(g);
	if (!answered)
		return "the process that makes mounts ended early";
	if (o.err == 0)
		return NULL;
	return arena_printf(a, "%s%s%.*s: %s", o.at < m->n ? m->ops[o.at].dest : "",
	    o.at < m->n ? ": " : "", (int)sizeof(o.step), o.step, strerror(o.err));
}

void
graft_end(struct graft *g)
{
	if (g->sock >= 0)
		close(g->sock);
	if (g->pid > 0) {
		kill(g->pid, SIGKILL);
		while (waitpid(g->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	*g = (struct graft)GRAFT_NONE;
}
