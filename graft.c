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

#ifndef NS_GET_USERNS
#define NS_GET_USERNS _IO(0xb7, 0x1) /* Linux 4.9 */
#endif
#define AT_RECURSIVE_BIT 0x8000 /* AT_RECURSIVE of linux/fcntl.h */
#define DETACH_BIT       2      /* MNT_DETACH */

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
		chosen[i] =
		    up != op && can_be(op->kind) && shows_host(up->kind) &&
		    (op->kind != MOUNT_BIND_RO || strcmp(op->source, op->dest) == 0);
	}
	/* The helper goes first, so what it has to mount cannot lie on one of ours. */
	for (size_t i = m->n; i-- > 0;)
		if (!chosen[i])
			for (size_t k = above(m, i); k < i && chosen[k]; k = above(m, k))
				chosen[k] = false;
	return chosen;
}

/* ---- inside ---- */

/* What failed at which operation; err is 0 when nothing did. */
struct outcome {
	int32_t err;
	uint32_t at; /* of the plan */
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

static bool
fail(struct outcome *o, const char *step)
{
	o->err = errno != 0 ? errno : EIO;
	snprintf(o->step, sizeof(o->step), "%s", step);
	return false;
}

static bool
enter(pid_t inner, struct outcome *o)
{
	char path[64];
	snprintf(path, sizeof(path), "/proc/%d/ns/mnt", (int)inner);
	int mnt = open(path, O_RDONLY | O_CLOEXEC);
	int user = mnt >= 0 ? ioctl(mnt, NS_GET_USERNS) : -1;
	if (user < 0)
		return fail(o, "finding the namespace");
	/* The root and the working directory are the sandbox's from here on. */
	if (setns(user, CLONE_NEWUSER) != 0 || setns(mnt, CLONE_NEWNS) != 0)
		return fail(o, "entering the namespace");
	close(user);
	close(mnt);
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
open_parts(int part[PARTS], struct outcome *o)
{
	umask(0);
	int tree = make_parts();
	int scratch = tree >= 0 ? sys_open_place(SCRATCH) : -1;
	if (scratch < 0 || set_flags(tree, true) != 0 || attach(tree, scratch) != 0)
		return fail(o, "an empty file system");
	for (int i = 0; i < PARTS; i++) {
		part[i] = openat(tree, parts[i].name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
		if (part[i] < 0)
			return fail(o, "parts of an empty file system");
	}
	return true;
}

static enum part
part_for(enum mount_kind kind)
{
	if (kind == MOUNT_HIDE_DIR)
		return PART_HIDDEN;
	if (kind == MOUNT_MASK_DIR)
		return PART_CLOSED_DIR;
	return kind == MOUNT_MASK_FILE ? PART_CLOSED_FILE : PART_HELD;
}

static bool
make_one(const struct mount_op *op, const int part[PARTS], struct outcome *o)
{
	int dest = sys_open_place(op->dest);
	bool bind = op->kind == MOUNT_BIND_RO || op->kind == MOUNT_PIN;
	if (dest < 0)
		return fail(o, "finding it");
	int tree = clone_tree(bind ? dest : part[part_for(op->kind)]);
	bool ok = tree >= 0 &&
	          (!bind || set_flags(tree, op->kind == MOUNT_BIND_RO) == 0) &&
	          attach(tree, dest) == 0;
	int err = errno;
	if (tree >= 0)
		close(tree);
	close(dest);
	errno = err;
	return ok || fail(o, "mounting it");
}

static void
make_all(const struct mount_plan *m, const bool *chosen, pid_t inner, struct outcome *o)
{
	int part[PARTS];
	if (!enter(inner, o) || !open_parts(part, o))
		return;
	for (size_t i = 0; i < m->n && o->err == 0; i++) {
		o->at = (uint32_t)i;
		if (chosen[i])
			make_one(&m->ops[i], part, o);
	}
	if (o->err == 0 && syscall(SYS_umount2, SCRATCH, DETACH_BIT) != 0)
		fail(o, "unmounting " SCRATCH);
}

static _Noreturn void
graft_main(const struct mount_plan *m, const bool *chosen, int sock)
{
	struct outcome o = {0, 0, ""};
	int32_t inner;
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	if (sys_close_except(&sock, 1) == 0 &&
	    sys_read_all(sock, &inner, sizeof(inner)) == 0) {
		make_all(m, chosen, inner, &o);
		(void)!sys_write_all(sock, &o, sizeof(o));
	}
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
	return arena_printf(a, "'%s': %.*s: %s", o.at < m->n ? m->ops[o.at].dest : "",
	    (int)sizeof(o.step), o.step, strerror(o.err));
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
