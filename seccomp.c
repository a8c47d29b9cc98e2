/*
 * seccomp.c: rows of refused system calls → libseccomp → filter bytes. Loads nothing.
 *
 * Everything is allowed but what a row names. Arguments are compared on their low 32 bits
 * by masked equality: the kernel looks at no more of an int, and libseccomp's plain
 * equality compares 64 (a set high bit would pass); libseccomp 2.5 and 2.6 also lose one
 * of several range comparisons on different arguments of one call. New namespaces undo
 * mounts (a detached mount no longer protects), so they and the mount calls are refused;
 * clone3 keeps its flags behind a pointer and is said not to exist, so libc uses clone.
 */
#include "seccomp.h"

#include <errno.h>
#include <sched.h>
#include <seccomp.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sys.h"

#define NO_ARG   (-1)
#define LOW_WORD 0xffffffffU

struct call {
	const char *name;
	int err;
	int arg;       /* NO_ARG: always refused */
	uint64_t mask; /* refused when (arg & mask) == value */
	uint64_t value;
};

#define ALWAYS(name, err)           {name, err, NO_ARG, 0, 0}
#define BIT(name, err, arg, bit)    {name, err, arg, bit, bit}
#define EQUAL(name, err, arg, what) {name, err, arg, LOW_WORD, what}

#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x00000080
#endif
#ifndef CLONE_NEWCGROUP
#define CLONE_NEWCGROUP 0x02000000
#endif

static const struct call calls[] = {
    /* New namespaces. CLONE_NEWTIME is a signal number in clone's flags: unshare only. */
    ALWAYS("clone3", ENOSYS),
    ALWAYS("setns", EPERM),
    BIT("clone", EPERM, 0, CLONE_NEWNS),
    BIT("clone", EPERM, 0, CLONE_NEWCGROUP),
    BIT("clone", EPERM, 0, CLONE_NEWUTS),
    BIT("clone", EPERM, 0, CLONE_NEWIPC),
    BIT("clone", EPERM, 0, CLONE_NEWUSER),
    BIT("clone", EPERM, 0, CLONE_NEWPID),
    BIT("clone", EPERM, 0, CLONE_NEWNET),
    BIT("unshare", EPERM, 0, CLONE_NEWNS),
    BIT("unshare", EPERM, 0, CLONE_NEWCGROUP),
    BIT("unshare", EPERM, 0, CLONE_NEWUTS),
    BIT("unshare", EPERM, 0, CLONE_NEWIPC),
    BIT("unshare", EPERM, 0, CLONE_NEWUSER),
    BIT("unshare", EPERM, 0, CLONE_NEWPID),
    BIT("unshare", EPERM, 0, CLONE_NEWNET),
    BIT("unshare", EPERM, 0, CLONE_NEWTIME),
    /* Mounts, by the old and the new interface. */
    ALWAYS("mount", EPERM),
    ALWAYS("umount2", EPERM),
    ALWAYS("pivot_root", EPERM),
    ALWAYS("chroot", EPERM),
    ALWAYS("open_tree", ENOSYS),
    ALWAYS("move_mount", ENOSYS),
    ALWAYS("fsopen", ENOSYS),
    ALWAYS("fsconfig", ENOSYS),
    ALWAYS("fsmount", ENOSYS),
    ALWAYS("fspick", ENOSYS),
    ALWAYS("mount_setattr", ENOSYS),
    /* Ways around files, sockets and the kernel's own guards. */
    ALWAYS("io_uring_setup", ENOSYS),
    ALWAYS("io_uring_enter", ENOSYS),
    ALWAYS("io_uring_register", ENOSYS),
    ALWAYS("open_by_handle_at", EPERM),
    ALWAYS("keyctl", EPERM),
    ALWAYS("add_key", EPERM),
    ALWAYS("request_key", EPERM),
    ALWAYS("bpf", EPERM),
    ALWAYS("perf_event_open", EPERM),
    ALWAYS("userfaultfd", EPERM),
    /* Typing into the caller's terminal (CVE-2017-5226; by high bits CVE-2019-10063). */
    EQUAL("ioctl", EPERM, 1, TIOCSTI),
    EQUAL("ioctl", EPERM, 1, 0x541c /* TIOCLINUX */),
    /* Protocols that go around address rules. */
    EQUAL("socket", EPROTONOSUPPORT, 2, 132 /* SCTP */),
    EQUAL("socket", EPROTONOSUPPORT, 2, 256 /* SMC */),
    EQUAL("socket", EPROTONOSUPPORT, 2, 262 /* MPTCP */),
};

/* Every family the kernel has had (46 of them in Linux 6.18), but those allowed. */
#define FAMILIES_END 64

/* Without the filter's consent a datagram pair could be connected to a path afterwards. */
static const struct call no_unix[] = {
    EQUAL("socket", EPERM, 0, AF_UNIX),
    {"socketpair", EPERM, 1, 0xf, SOCK_DGRAM},
    {"socketpair", EPERM, 1, 0xf, SOCK_RAW}, /* which the kernel makes a datagram socket */
};

static int
add_call(scmp_filter_ctx ctx, const struct call *c)
{
	int nr = seccomp_syscall_resolve_name(c->name);
	/* Unknown to this libseccomp: newer than it, or not on this architecture. */
	if (nr == __NR_SCMP_ERROR)
		return 0;
	uint32_t action = SCMP_ACT_ERRNO((uint32_t)c->err);
	if (c->arg == NO_ARG)
		return seccomp_rule_add(ctx, action, nr, 0);
	struct scmp_arg_cmp cmp = {(unsigned)c->arg, SCMP_CMP_MASKED_EQ, c->mask, c->value};
	return seccomp_rule_add_array(ctx, action, nr, 1, &cmp);
}

static int
add_families(scmp_filter_ctx ctx)
{
	static const char *const socket_calls[] = {"socket", "socketpair"};
	for (unsigned family = 0; family < FAMILIES_END; family++) {
		if (family == AF_UNIX || family == AF_INET || family == AF_INET6 ||
		    family == AF_NETLINK)
			continue;
		for (size_t i = 0; i < SRUN_ARRAY_LEN(socket_calls); i++) {
			struct call c = EQUAL(socket_calls[i], EAFNOSUPPORT, 0, family);
			int err = add_call(ctx, &c);
			if (err != 0)
				return err;
		}
	}
	return 0;
}

static int
add_all(scmp_filter_ctx ctx, enum unix_mode unix_mode)
{
	int err = add_families(ctx);
	for (size_t i = 0; err == 0 && i < SRUN_ARRAY_LEN(calls); i++)
		err = add_call(ctx, &calls[i]);
	for (size_t i = 0; err == 0 && unix_mode != UNIX_ALL && i < SRUN_ARRAY_LEN(no_unix); i++)
		err = add_call(ctx, &no_unix[i]);
	return err;
}

static int
export(struct arena *a, scmp_filter_ctx ctx, struct bytes *out)
{
	int fd = sys_data_fd("srun-filter", "", 0);
	if (fd < 0)
		return -errno;
	int err = seccomp_export_bpf(ctx, fd);
	off_t len = err == 0 ? lseek(fd, 0, SEEK_END) : 0;
	if (err == 0 && len > 0 && lseek(fd, 0, SEEK_SET) == 0) {
		char *code = arena_alloc(a, (size_t)len);
		err = sys_read_all(fd, code, (size_t)len) == 0 ? 0 : -errno;
		bytes_add(a, out, code, (size_t)len);
	}
	close(fd);
	return err;
}

bool
seccomp_build(struct arena *a, enum unix_mode unix_mode, struct bytes *out, struct errs *errs)
{
	scmp_filter_ctx ctx = seccomp_init(SCMP_ACT_ALLOW);
	int err = ctx != NULL ? 0 : -ENOMEM;
	if (err == 0)
		err = seccomp_attr_set(ctx, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
	if (err == 0)
		err = seccomp_attr_set(ctx, SCMP_FLTATR_CTL_NNP, 0);
	if (err == 0)
		err = add_all(ctx, unix_mode);
	if (err == 0)
		err = export(a, ctx, out);
	if (ctx != NULL)
		seccomp_release(ctx);
	if (err == 0 && out->len > 0)
		return true;
	errs_add(a, errs, "cannot build the system call filter: %s", strerror(-err));
	return false;
}
