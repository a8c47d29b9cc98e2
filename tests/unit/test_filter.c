/*
 * test_filter: the system call filters, interpreted over a table of calls: what must be
 * refused and with which errno, whatever stands in the bits the kernel does not look at,
 * and what must go on working.
 */
#include <errno.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <termios.h>

#include "bpf.h"
#include "filter.h"
#include "seccomp.h"
#include "tap.h"

#if defined(__x86_64__)
#define NATIVE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define NATIVE AUDIT_ARCH_AARCH64
#else
#error "no table of system calls for this architecture"
#endif

#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x00000080
#endif
#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#endif
#ifndef SYS_mount_setattr
#define SYS_mount_setattr 442
#endif
#define TIOCLINUX_NUMBER 0x541c

enum variant {
	BOTH,
	ONLY_NONE,
	ONLY_ALL
}; /* the filter with unix sockets refused, or not */

struct row {
	const char *name;
	long nr;
	enum variant variant;
	int err; /* 0: allowed */
	uint64_t args[3];
};

#define CALL(call, err, ...)                                                             \
	{                                                                                \
#call " " #__VA_ARGS__, SYS_##call, BOTH, err,                           \
		{                                                                        \
			__VA_ARGS__                                                      \
		}                                                                        \
	}
#define IN(variant, call, err, ...)                                                      \
	{                                                                                \
#call " " #__VA_ARGS__, SYS_##call, variant, err,                        \
		{                                                                        \
			__VA_ARGS__                                                      \
		}                                                                        \
	}

#define THREAD                                                                           \
	(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |              \
	    CLONE_SYSVSEM | CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID)
#define FORK (CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID | SIGCHLD)

static const struct row rows[] = {
    /* new namespaces */
    CALL(clone3, ENOSYS, 0),
    CALL(clone3, ENOSYS, 0x7f0000000000, 88),
    CALL(setns, EPERM, 3, 0),
    CALL(setns, EPERM, 3, CLONE_NEWUSER),
    CALL(clone, EPERM, CLONE_NEWNS | SIGCHLD),
    CALL(clone, EPERM, CLONE_NEWCGROUP | SIGCHLD),
    CALL(clone, EPERM, CLONE_NEWUTS | SIGCHLD),
    CALL(clone, EPERM, CLONE_NEWIPC | SIGCHLD),
    CALL(clone, EPERM, CLONE_NEWUSER | SIGCHLD),
    CALL(clone, EPERM, CLONE_NEWPID | SIGCHLD),
    CALL(clone, EPERM, CLONE_NEWNET | SIGCHLD),
    CALL(clone, EPERM, CLONE_NEWUSER),
    CALL(clone, EPERM, CLONE_NEWUSER | CLONE_NEWNS | FORK),
    CALL(clone, EPERM, CLONE_NEWUSER | THREAD),
    CALL(clone, EPERM, CLONE_NEWPID | CLONE_VFORK | CLONE_VM | SIGCHLD),
    CALL(clone, EPERM, 0xffffffff),
    CALL(unshare, EPERM, CLONE_NEWNS),
    CALL(unshare, EPERM, CLONE_NEWCGROUP),
    CALL(unshare, EPERM, CLONE_NEWUTS),
    CALL(unshare, EPERM, CLONE_NEWIPC),
    CALL(unshare, EPERM, CLONE_NEWUSER),
    CALL(unshare, EPERM, CLONE_NEWPID),
    CALL(unshare, EPERM, CLONE_NEWNET),
    CALL(unshare, EPERM, CLONE_NEWTIME),
    CALL(unshare, EPERM, CLONE_NEWUSER | CLONE_NEWNS),
    CALL(unshare, EPERM, CLONE_NEWUSER | CLONE_FS | CLONE_FILES),
    CALL(unshare, EPERM, 0xffffffff),
    CALL(clone, 0, SIGCHLD),
    CALL(clone, 0, FORK),
    CALL(clone, 0, THREAD),
    CALL(clone, 0, CLONE_VM | CLONE_VFORK | SIGCHLD),
    CALL(clone, 0, CLONE_PIDFD | SIGCHLD),
    CALL(clone, 0, CLONE_PARENT | CLONE_PTRACE | CLONE_UNTRACED | CLONE_IO | SIGCHLD),
    CALL(clone, 0, 0),
    CALL(unshare, 0, CLONE_FS),
    CALL(unshare, 0, CLONE_FILES),
    CALL(unshare, 0, CLONE_FS | CLONE_FILES),
    CALL(unshare, 0, CLONE_SYSVSEM),
    CALL(unshare, 0, 0),

    /* mounts */
    CALL(mount, EPERM, 0, 0, 0),
    CALL(mount, EPERM, 1, 2, 3),
    CALL(umount2, EPERM, 0, 2),
    CALL(pivot_root, EPERM, 0, 0),
    CALL(chroot, EPERM, 0),
    CALL(open_tree, ENOSYS, 0),
    CALL(move_mount, ENOSYS, 0),
    CALL(fsopen, ENOSYS, 0),
    CALL(fsconfig, ENOSYS, 0),
    CALL(fsmount, ENOSYS, 0),
    CALL(fspick, ENOSYS, 0),
    CALL(mount_setattr, ENOSYS, 0),

    /* ways around */
    CALL(io_uring_setup, ENOSYS, 1, 0),
    CALL(io_uring_enter, ENOSYS, 3, 1, 1),
    CALL(io_uring_register, ENOSYS, 3),
    CALL(open_by_handle_at, EPERM, 3, 0, 0),
    CALL(keyctl, EPERM, 0),
    CALL(keyctl, EPERM, 11, 5),
    CALL(add_key, EPERM, 0),
    CALL(request_key, EPERM, 0),
    CALL(bpf, EPERM, 0),
    CALL(bpf, EPERM, 5),
    CALL(perf_event_open, EPERM, 0),
    CALL(userfaultfd, EPERM, 0),

    /* the terminal */
    CALL(ioctl, EPERM, 0, TIOCSTI),
    CALL(ioctl, EPERM, 5, TIOCSTI),
    CALL(ioctl, EPERM, 0, TIOCLINUX_NUMBER),
    CALL(ioctl, EPERM, 0xffffffff, TIOCSTI),
    CALL(ioctl, 0, 0, TCGETS),
    CALL(ioctl, 0, 0, TCSETS),
    CALL(ioctl, 0, 0, TCSETSW),
    CALL(ioctl, 0, 0, TIOCGWINSZ),
    CALL(ioctl, 0, 0, TIOCSWINSZ),
    CALL(ioctl, 0, 0, TIOCGPGRP),
    CALL(ioctl, 0, 0, TIOCSPGRP),
    CALL(ioctl, 0, 0, TIOCSCTTY),
    CALL(ioctl, 0, 0, TIOCNOTTY),
    CALL(ioctl, 0, 0, FIONREAD),
    CALL(ioctl, 0, 0, TIOCSTI - 1),
    CALL(ioctl, 0, 0, TIOCSTI + 1),
    CALL(ioctl, 0, TIOCSTI, TCGETS),
    CALL(ioctl, 0, 0, TCGETS, TIOCSTI),
    CALL(ioctl, 0, 0, 0),

    /* internet sockets */
    CALL(socket, 0, AF_INET, SOCK_STREAM, 0),
    CALL(socket, 0, AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_TCP),
    CALL(socket, 0, AF_INET, SOCK_DGRAM, 0),
    CALL(socket, 0, AF_INET, SOCK_DGRAM, IPPROTO_UDP),
    CALL(socket, 0, AF_INET, SOCK_DGRAM, IPPROTO_ICMP),
    CALL(socket, 0, AF_INET6, SOCK_STREAM, 0),
    CALL(socket, 0, AF_INET6, SOCK_STREAM, IPPROTO_TCP),
    CALL(socket, 0, AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, IPPROTO_UDP),
    CALL(socket, 0, AF_INET6, SOCK_DGRAM, 58),
    CALL(socket, 0, AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, 0),
    CALL(socket, 0, AF_NETLINK, SOCK_DGRAM, 0),
    CALL(socket, EPROTONOSUPPORT, AF_INET, SOCK_STREAM, 132),
    CALL(socket, EPROTONOSUPPORT, AF_INET, SOCK_SEQPACKET, 132),
    CALL(socket, EPROTONOSUPPORT, AF_INET, SOCK_STREAM, 256),
    CALL(socket, EPROTONOSUPPORT, AF_INET, SOCK_STREAM, 262),
    CALL(socket, EPROTONOSUPPORT, AF_INET6, SOCK_STREAM, 132),
    CALL(socket, EPROTONOSUPPORT, AF_INET6, SOCK_STREAM, 256),
    CALL(socket, EPROTONOSUPPORT, AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 262),

    /* unix sockets; a datagram pair can be connected to a path, and raw means datagram */
    IN(ONLY_NONE, socket, EPERM, AF_UNIX, SOCK_STREAM, 0),
    IN(ONLY_NONE, socket, EPERM, AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0),
    IN(ONLY_NONE, socket, EPERM, AF_UNIX, SOCK_SEQPACKET, 0),
    IN(ONLY_NONE, socket, EPERM, AF_UNIX, SOCK_RAW, 0),
    IN(ONLY_NONE, socketpair, EPERM, AF_UNIX, SOCK_DGRAM, 0),
    IN(ONLY_NONE, socketpair, EPERM, AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0),
    IN(ONLY_NONE, socketpair, EPERM, AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC,
        0),
    IN(ONLY_NONE, socketpair, EPERM, AF_UNIX, SOCK_RAW, 0),
    IN(ONLY_NONE, socketpair, EPERM, AF_UNIX, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, 0),
    IN(ONLY_ALL, socket, 0, AF_UNIX, SOCK_STREAM, 0),
    IN(ONLY_ALL, socket, 0, AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0),
    IN(ONLY_ALL, socketpair, 0, AF_UNIX, SOCK_DGRAM, 0),
    IN(ONLY_ALL, socketpair, 0, AF_UNIX, SOCK_RAW, 0),
    CALL(socketpair, 0, AF_UNIX, SOCK_STREAM, 0),
    CALL(socketpair, 0, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0),
    CALL(socketpair, 0, AF_UNIX, SOCK_SEQPACKET, 0),
    CALL(socketpair, 0, AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0),

    /* what programs do all day */
    CALL(read, 0, 0),
    CALL(write, 0, 1),
    CALL(openat, 0, 0),
    CALL(close, 0, 3),
    CALL(execve, 0, 0),
    CALL(execveat, 0, 0),
    CALL(exit_group, 0, 0),
    CALL(mmap, 0, 0),
    CALL(mprotect, 0, 0, 4096, 7),
    CALL(futex, 0, 0),
    CALL(connect, 0, 3),
    CALL(bind, 0, 3),
    CALL(sendto, 0, 3),
    CALL(recvmsg, 0, 3),
    CALL(sendmsg, 0, 3),
    CALL(accept4, 0, 3),
    CALL(ptrace, 0, 0),
    CALL(process_vm_readv, 0, 0),
    CALL(kill, 0, 1, 9),
    CALL(wait4, 0, 0),
    CALL(renameat2, 0, 0),
    CALL(unlinkat, 0, 0),
    CALL(prctl, 0, PR_SET_NAME),
    CALL(seccomp, 0, 1),
    CALL(memfd_create, 0, 0),
    CALL(inotify_init1, 0, 0),
    CALL(epoll_create1, 0, 0),
    CALL(statx, 0, 0),
    CALL(pidfd_open, 0, 1),
    CALL(sched_setaffinity, 0, 0),
    CALL(setpriority, 0, 0),
    CALL(prlimit64, 0, 0),
    CALL(getrandom, 0, 0),
    CALL(personality, 0, 0xffffffff),
    CALL(copy_file_range, 0, 0),
    CALL(landlock_create_ruleset, 0, 0),
    CALL(close_range, 0, 3, 0xffffffff, 0),
};

struct filter {
	enum unix_mode mode;
	struct bpf bpf;
	const char *name;
};

static uint32_t
action(const struct filter *f, uint32_t arch, long nr, const uint64_t args[3])
{
	struct seccomp_data d = {
	    .nr = (int)nr, .arch = arch, .instruction_pointer = 0x401000};

	if (args != NULL)
		memcpy(d.args, args, 3 * sizeof(*args));
	return bpf_run(&f->bpf, &d);
}

static uint32_t
refusal(int err)
{
	return err == 0 ? SECCOMP_RET_ALLOW : SECCOMP_RET_ERRNO | (uint32_t)err;
}

static void
is_action(
    uint32_t got, uint32_t want, const char *filter, const char *name, const char *how)
{
	if (!ok(got == want, "%s: %s%s", filter, name, how))
		printf("# got  %#x\n# want %#x\n", got, want);
}

/*
 * The high halves of arguments that the kernel takes as int change nothing: for the
 * refused no way out, for the allowed no harm. clone's flags are an unsigned long, of which
 * it looks at the low half alone as well.
 */
static void
check_row(const struct filter *f, const struct row *r)
{
	static const uint64_t high[] = {1ULL << 32, 0xffffffff00000000, 1ULL << 63};
	uint32_t want = refusal(r->err);
	bool good = true;

	if ((r->variant == ONLY_NONE && f->mode == UNIX_ALL) ||
	    (r->variant == ONLY_ALL && f->mode != UNIX_ALL))
		return;
	is_action(action(f, NATIVE, r->nr, r->args), want, f->name, r->name, "");
	for (size_t i = 0; i < SRUN_ARRAY_LEN(high); i++)
		for (unsigned which = 1; which < 8; which++) {
			uint64_t args[3];
			for (unsigned k = 0; k < 3; k++)
				args[k] = r->args[k] | (which & 1U << k ? high[i] : 0);
			good = good && action(f, NATIVE, r->nr, args) == want;
		}
	ok(good, "%s: %s, whatever the high bits", f->name, r->name);
}

/* A pair of a family that has none is refused for the one reason or for the other. */
static bool
pair_refused(const struct filter *f, const uint64_t args[3])
{
	uint32_t got = action(f, NATIVE, SYS_socketpair, args);

	return got == refusal(EAFNOSUPPORT) || got == refusal(EPERM);
}

/* Every family there is and was, and some there never were. */
static void
check_families(const struct filter *f)
{
	for (uint64_t family = 0; family < 64; family++)
		for (uint64_t type = 1; type <= 10; type++) {
			uint64_t args[3] = {family, type, 0},
			         with_high[3] = {family | 1ULL << 32, type, 0};
			bool other = family != AF_UNIX && family != AF_INET &&
			             family != AF_INET6 && family != AF_NETLINK;
			uint32_t want = refusal(other ? EAFNOSUPPORT : 0);
			if (family == AF_UNIX && f->mode != UNIX_ALL)
				want = refusal(EPERM);
			bool good = action(f, NATIVE, SYS_socket, args) == want &&
			            action(f, NATIVE, SYS_socket, with_high) == want &&
			            (!other || (pair_refused(f, args) &&
			                           pair_refused(f, with_high)));
			if (type == 1 || !good)
				ok(good, "%s: family %d", f->name, (int)family);
		}
}

/* Calls of other architectures on this one end the process. */
static void
check_architectures(const struct filter *f)
{
	static const struct {
		const char *name;
		uint32_t arch;
	} others[] = {
	    {"i386", AUDIT_ARCH_I386},
	    {"arm", AUDIT_ARCH_ARM},
	    {"x86_64", AUDIT_ARCH_X86_64},
	    {"aarch64", AUDIT_ARCH_AARCH64},
	    {"riscv64", AUDIT_ARCH_RISCV64},
	    {"none", 0},
	    {"one that is unknown", 0x12345678},
	    {"the native one with another bit", NATIVE ^ 1},
	    {"the native one, big-endian", NATIVE & ~(uint32_t)__AUDIT_ARCH_LE},
	    {"all bits", 0xffffffff},
	};
	static const long calls[] = {0, 1, 3, 11, 102, 59, 359, 400, -1};

	for (size_t i = 0; i < SRUN_ARRAY_LEN(others); i++)
		for (size_t k = 0; k < SRUN_ARRAY_LEN(calls) && others[i].arch != NATIVE;
		     k++)
			is_action(action(f, others[i].arch, calls[k], NULL),
			    SECCOMP_RET_KILL_PROCESS, f->name, others[i].name,
			    ": killed");
}

#if defined(__x86_64__)
#define X32_BIT 0x40000000L

static void
check_x32(const struct filter *f)
{
	static const long calls[] = {
	    0, 1, SYS_mount, SYS_socket, SYS_clone, SYS_execve, 512, 520, 547};

	for (size_t i = 0; i < SRUN_ARRAY_LEN(calls); i++)
		is_action(action(f, NATIVE, calls[i] | X32_BIT, NULL),
		    SECCOMP_RET_KILL_PROCESS, f->name, "x32", ": killed");
	is_action(action(f, NATIVE, 0x7fffffff, NULL), SECCOMP_RET_KILL_PROCESS, f->name,
	    "a number with every bit", ": killed");
	is_action(action(f, NATIVE, 0x3fffffff, NULL), SECCOMP_RET_ALLOW, f->name,
	    "the last number before x32", ": the kernel says ENOSYS");
}
#else
static void
check_x32(const struct filter *f)
{
	(void)f;
}
#endif

static void
check_program(const struct filter *f)
{
	struct arena a = {NULL};
	struct bytes fresh = {NULL, 0, 0};
	struct errs errs = {{NULL, 0}};
	const struct bpf *b = &f->bpf;

	is_int(bpf_first_invalid(b), b->n, "%s: a valid program of %zu instructions",
	    f->name, b->n);
	ok(((uintptr_t)b->code & 7) == 0, "%s: aligned", f->name);
	ok(seccomp_build(&a, f->mode, &fresh, &errs) && errs.text.n == 0,
	    "%s: built anew", f->name);
	ok(fresh.len == b->n * sizeof(*b->code) &&
	        memcmp(fresh.data, b->code, fresh.len) == 0,
	    "%s: what the build made is what seccomp.c gives now", f->name);
	arena_free(&a);
}

/* Everything else is allowed: the filter refuses what it names. */
static void
check_rest(const struct filter *f)
{
	unsigned refused = 0, allowed = 0, broken = 0;

	for (long nr = 0; nr < 512; nr++) {
		uint32_t got = action(f, NATIVE, nr, NULL);
		refused += (got & SECCOMP_RET_ACTION_FULL) == SECCOMP_RET_ERRNO;
		allowed += got == SECCOMP_RET_ALLOW;
		broken += got == BPF_BROKEN;
	}
	is_int(refused + allowed, 512, "%s: each number is refused or allowed", f->name);
	is_int(broken, 0, "%s: the program always returns", f->name);
	ok(refused >= 25 && refused <= 80,
	    "%s: %u calls are refused without a look at arguments", f->name, refused);
}

/* The interpreter itself, on programs whose answer is known. */
static void
test_interpreter(void)
{
	static const struct sock_filter jumps[] = {
	    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
	    BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, 10, 0, 1),
	    BPF_STMT(BPF_RET | BPF_K, 1),
	    BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 3),
	    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 2, 1, 0),
	    BPF_STMT(BPF_RET | BPF_K, 2),
	    BPF_STMT(BPF_RET | BPF_K, 3),
	};
	static const struct sock_filter out[] = {
	    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0), BPF_STMT(BPF_RET | BPF_K, 1)};
	static const struct sock_filter no_return[] = {
	    BPF_STMT(BPF_RET | BPF_K, 1), BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0)};
	static const struct sock_filter beyond[] = {
	    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 64), BPF_STMT(BPF_RET | BPF_K, 1)};
	struct filter f = {UNIX_NONE, {jumps, SRUN_ARRAY_LEN(jumps)}, ""};

	is_int(bpf_first_invalid(&f.bpf), f.bpf.n, "interpreter: valid");
	is_int(action(&f, 0, 11, NULL), 1, "interpreter: greater");
	is_int(action(&f, 0, 10, NULL), 3, "interpreter: not greater, masked, equal");
	is_int(action(&f, 0, 5, NULL), 2, "interpreter: not equal");
	is_int(bpf_first_invalid(&(struct bpf){out, 2}), 0,
	    "interpreter: a jump out is invalid");
	is_int(bpf_first_invalid(&(struct bpf){no_return, 2}), 1,
	    "interpreter: no return at the end");
	is_int(bpf_first_invalid(&(struct bpf){beyond, 2}), 0,
	    "interpreter: a load beyond the data");
	f.bpf = (struct bpf){out, 2};
	is_int(action(&f, 0, 0, NULL), BPF_BROKEN,
	    "interpreter: it says when a program leaves");
}

int
main(void)
{
	static const enum unix_mode modes[] = {UNIX_NONE, UNIX_INSIDE, UNIX_ALL};
	static const char *const names[] = {"none", "inside", "all"};

	test_interpreter();
	for (size_t m = 0; m < SRUN_ARRAY_LEN(modes); m++) {
		size_t len;
		struct filter f = {modes[m], {filter_for(modes[m], &len), 0}, names[m]};
		f.bpf.n = len / sizeof(*f.bpf.code);
		check_program(&f);
		for (size_t i = 0; i < SRUN_ARRAY_LEN(rows); i++)
			check_row(&f, &rows[i]);
		check_families(&f);
		check_architectures(&f);
		check_x32(&f);
		check_rest(&f);
	}
	return done();
}
