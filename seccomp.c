/*
 * seccomp.c: rows of system calls → libseccomp → filter bytes. Loads nothing.
 *
 * For the command everything is allowed but what a row names; for srun's own processes
 * nothing is. Arguments are compared on their low 32 bits
 * by masked equality: the kernel looks at no more of an int, and libseccomp's plain
 * equality compares 64 (a set high bit would pass); libseccomp 2.5 and 2.6 also lose one
 * of several range comparisons on different arguments of one call. New namespaces undo
 * mounts (a detached mount no longer protects), so they and the mount calls are refused;
 * clone3 keeps its flags behind a pointer and is said not to exist, so libc uses clone.
 */
#include "seccomp.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
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

#define ALWAYS(name, err)                                                                \
	{                                                                                \
		name, err, NO_ARG, 0, 0                                                  \
	}
#define BIT(name, err, arg, bit)                                                         \
	{                                                                                \
		name, err, arg, bit, bit                                                 \
	}
#define EQUAL(name, err, arg, what)                                                      \
	{                                                                                \
		name, err, arg, LOW_WORD, what                                           \
	}

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
    EQUAL("socket", EPERM, 0, AF_UNIX), {"socketpair", EPERM, 1, 0xf, SOCK_DGRAM},
    {"socketpair", EPERM, 1, 0xf,
        SOCK_RAW}, /* which the kernel makes a datagram socket */
};

/*
 * What the proxy and the resolver may call. mmap and mprotect without PROT_EXEC: memory of
 * theirs never becomes code.
 */
#define LET(name)                                                                        \
	{                                                                                \
		name, 0, NO_ARG, 0, 0                                                    \
	}
#define LET_WITHOUT(name, arg, bits)                                                     \
	{                                                                                \
		name, 0, arg, bits, 0                                                    \
	}
#define LET_EQUAL(name, arg, what)                                                       \
	{                                                                                \
		name, 0, arg, LOW_WORD, what                                             \
	}

/* The C library's memory and clock; the end. */
static const struct call role_common[] = {
    LET("brk"),
    LET_WITHOUT("mmap", 2, PROT_EXEC),
    LET_WITHOUT("mprotect", 2, PROT_EXEC),
    LET("munmap"),
    LET("mremap"),
    LET("madvise"),
    LET("futex"),
    LET("clock_gettime"),
    LET("rt_sigreturn"),
    LET("rt_sigprocmask"),
    LET("restart_syscall"),
    LET("exit"),
    LET("exit_group"),
    LET("close"),
    LET("recvfrom"),
    LET("recvmsg"),
    LET("sendto"),
    LET("sendmsg"),
    LET("connect"),
    LET("setsockopt"),
    LET("getsockname"),
};

/* Stream sockets of the internet. It opens no file and listens on nothing new. */
static const struct call role_proxy[] = {
    LET("epoll_ctl"),
    LET("epoll_wait"),
    LET("epoll_pwait"),
    LET("accept4"),
    LET("getsockopt"),
    LET("getpeername"),
    LET("shutdown"),
    LET_EQUAL("ioctl", 1, SIOCOUTQ),
    LET("getrlimit"),
    /* Its own limits, to be read; another process's or new ones never. */
    {"prlimit64", 0, 2, UINT64_MAX, 0},
};

/* Threads, the files of the C library's resolver, datagrams to servers. */
static const struct call role_resolver[] = {
    {"clone", 0, 0, CLONE_THREAD, CLONE_THREAD},
    LET("set_robust_list"),
    LET("set_tid_address"),
    LET("rt_sigaction"),
    LET("gettid"),
    LET("tkill"),
    LET_WITHOUT("open", 1, O_WRONLY | O_RDWR | O_CREAT | O_TRUNC),
    LET_WITHOUT("openat", 2, O_WRONLY | O_RDWR | O_CREAT | O_TRUNC),
    LET("read"),
    LET("readv"),
    LET("lseek"),
    LET("fstat"),
    LET("newfstatat"),
    LET("fcntl"),
    LET("poll"),
    LET("ppoll"),
    LET("bind"),
    LET("getsockopt"),
    LET("nanosleep"),
    LET("clock_nanosleep"),
};

/* Sockets that listen, in the network of a run. */
static const struct call role_agent[] = {
    LET("bind"),
    LET("listen"),
};

static int
add_call(scmp_filter_ctx ctx, const struct call *c)
{
	int nr = seccomp_syscall_resolve_name(c->name);
	/* Unknown to this libseccomp: newer than it, or not on this architecture. */
	if (nr == __NR_SCMP_ERROR)
		return 0;
	uint32_t action = c->err == 0 ? SCMP_ACT_ALLOW : SCMP_ACT_ERRNO((uint32_t)c->err);
	if (c->arg == NO_ARG)
		return seccomp_rule_add(ctx, action, nr, 0);
	struct scmp_arg_cmp cmp = {
	    (unsigned)c->arg, SCMP_CMP_MASKED_EQ, c->mask, c->value};
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
	for (size_t i = 0;
	     err == 0 && unix_mode != UNIX_ALL && i < SRUN_ARRAY_LEN(no_unix); i++)
		err = add_call(ctx, &no_unix[i]);
	return err;
}

static int export(struct arena *a, scmp_filter_ctx ctx, struct bytes *out)
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

static int
add_rows(scmp_filter_ctx ctx, const struct call *rows, size_t n)
{
	int err = 0;

	for (size_t i = 0; err == 0 && i < n; i++)
		err = add_call(ctx, &rows[i]);
	return err;
}

/* SOCK_CLOEXEC and SOCK_NONBLOCK are bits beside the type. */
static int
add_socket(scmp_filter_ctx ctx, uint64_t family, uint64_t type)
{
	const struct scmp_arg_cmp cmp[] = {
	    {0, SCMP_CMP_MASKED_EQ, LOW_WORD, family},
	    {1, SCMP_CMP_MASKED_EQ, 0xf, type},
	};
	return seccomp_rule_add_array(
	    ctx, SCMP_ACT_ALLOW, SCMP_SYS(socket), SRUN_ARRAY_LEN(cmp), cmp);
}

static const struct {
	const struct call *rows;
	size_t n;
	bool datagrams;
} roles[FILTER_ROLES] = {
    [FILTER_PROXY] = {role_proxy, SRUN_ARRAY_LEN(role_proxy), false},
    [FILTER_RESOLVER] = {role_resolver, SRUN_ARRAY_LEN(role_resolver), true},
    [FILTER_AGENT] = {role_agent, SRUN_ARRAY_LEN(role_agent), true},
};

static int
add_role(scmp_filter_ctx ctx, enum filter_role role)
{
	static const uint64_t families[] = {AF_INET, AF_INET6};
	int err = add_rows(ctx, role_common, SRUN_ARRAY_LEN(role_common));

	if (err == 0)
		err = add_rows(ctx, roles[role].rows, roles[role].n);
	for (size_t i = 0; err == 0 && i < SRUN_ARRAY_LEN(families); i++) {
		err = add_socket(ctx, families[i], SOCK_STREAM);
		if (err == 0 && roles[role].datagrams)
			err = add_socket(ctx, families[i], SOCK_DGRAM);
	}
	return err;
}

/* role is NULL for the command's filter. */
static bool
build(struct arena *a, const enum unix_mode *unix_mode, const enum filter_role *role,
    struct bytes *out, struct errs *errs)
{
	scmp_filter_ctx ctx =
	    seccomp_init(role != NULL ? SCMP_ACT_KILL_PROCESS : SCMP_ACT_ALLOW);
	int err = ctx != NULL ? 0 : -ENOMEM;
	if (err == 0)
		err =
		    seccomp_attr_set(ctx, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
	if (err == 0)
		err = seccomp_attr_set(ctx, SCMP_FLTATR_CTL_NNP, 0);
	if (err == 0)
		err = role != NULL ? add_role(ctx, *role) : add_all(ctx, *unix_mode);
	if (err == 0)
		err = export(a, ctx, out);
	if (ctx != NULL)
		seccomp_release(ctx);
	if (err == 0 && out->len > 0)
		return true;
	errs_add(a, errs, "cannot build the system call filter: %s", strerror(-err));
	return false;
}

bool
seccomp_build(
    struct arena *a, enum unix_mode unix_mode, struct bytes *out, struct errs *errs)
{
	return build(a, &unix_mode, NULL, out, errs);
}

bool
seccomp_build_role(
    struct arena *a, enum filter_role role, struct bytes *out, struct errs *errs)
{
	return build(a, NULL, &role, out, errs);
}
