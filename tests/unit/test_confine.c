/*
 * test_confine: what the proxy and the resolver cannot do once they are confined, tried,
 * each with its control: the same call succeeds before. And their filters as programs.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bpf.h"
#include "confine.h"
#include "resolve.h"
#include "seccomp.h"
#include "tap.h"

#if defined(__x86_64__)
#define NATIVE AUDIT_ARCH_X86_64
#else
#define NATIVE AUDIT_ARCH_AARCH64
#endif

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

enum {
	DIES = -1, /* by SIGSYS */
	WORKS = 0, /* else: this errno */
};

/* Made before the confinement and not kept by it. */
#define LEFT_OPEN 77
static char page[4096] __attribute__((aligned(4096)));

/* Each gives 0 or an errno. Nothing but the call itself: the C library may make others. */
static long
result(long got)
{
	return got < 0 ? errno : 0;
}

static long
try_open(void)
{
	return result(syscall(SYS_openat, AT_FDCWD, "/etc/passwd", O_RDONLY));
}

static long
try_open_hosts(void)
{
	return result(syscall(SYS_openat, AT_FDCWD, "/etc/hosts", O_RDONLY));
}

static long
try_write(void)
{
	return result(syscall(SYS_openat, AT_FDCWD, "/dev/null", O_WRONLY));
}

static long
try_list(void)
{
	return result(syscall(SYS_openat, AT_FDCWD, "/", O_RDONLY | O_DIRECTORY));
}

static long
try_exec(void)
{
	char *const argv[] = {(char[]){"true"}, NULL}, *const envp[] = {NULL};
	long got = syscall(SYS_execve, "/bin/true", argv, envp);
	return result(got);
}

static long
try_fork(void)
{
	long pid = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
	if (pid == 0)
		_exit(0);
	return result(pid);
}

static long
try_kill(void)
{
	return result(syscall(SYS_kill, getppid(), 0));
}

static long
try_unix(void)
{
	return result(syscall(SYS_socket, AF_UNIX, SOCK_STREAM, 0));
}

static long
try_datagram(void)
{
	return result(syscall(SYS_socket, AF_INET, SOCK_DGRAM, 0));
}

static long
try_netlink(void)
{
	return result(syscall(SYS_socket, AF_NETLINK, SOCK_RAW, 0));
}

static long
try_stream(void)
{
	return result(
	    syscall(SYS_socket, AF_INET6, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

static long
try_bind(void)
{
	struct sockaddr_in sa = {.sin_family = AF_INET};
	long fd = syscall(SYS_socket, AF_INET, SOCK_STREAM, 0);
	return result(syscall(SYS_bind, fd, &sa, sizeof(sa)));
}

static long
try_listen(void)
{
	long fd = syscall(SYS_socket, AF_INET, SOCK_STREAM, 0);
	return result(syscall(SYS_listen, fd, 1));
}

static long
try_executable(void)
{
	void *p =
	    mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return p == MAP_FAILED ? errno : 0;
}

static long
try_make_executable(void)
{
	return result(mprotect(page, sizeof(page), PROT_READ | PROT_EXEC));
}

static long
try_memory(void)
{
	void *p = mmap(
	    NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return p == MAP_FAILED ? errno : 0;
}

static long
try_raise_limit(void)
{
	struct rlimit limit = {0, 0};
	return result(syscall(SYS_prlimit64, 0, RLIMIT_CORE, &limit, NULL));
}

static long
try_trace(void)
{
	return result(syscall(SYS_ptrace, PTRACE_TRACEME, 0, 0, 0));
}

static long
try_read_memory(void)
{
	char byte;
	struct iovec to = {&byte, 1}, from = {page, 1};
	return result(syscall(SYS_process_vm_readv, getpid(), &to, 1, &from, 1, 0));
}

static long
try_memfd(void)
{
	return result(syscall(SYS_memfd_create, "x", 0));
}

static long
try_unshare(void)
{
	return result(syscall(SYS_unshare, CLONE_FILES));
}

static long
try_dumpable(void)
{
	return result(syscall(SYS_prctl, PR_SET_DUMPABLE, 1, 0, 0, 0));
}

static long
try_filter(void)
{
	return result(syscall(SYS_prctl, PR_GET_SECCOMP, 0, 0, 0, 0));
}

static long
try_other_descriptor(void)
{
	struct sockaddr_storage ss;
	socklen_t len = sizeof(ss);
	return result(getsockname(LEFT_OPEN, (struct sockaddr *)&ss, &len));
}

static long
try_file_size(void)
{
	struct rlimit limit;
	long got = result(syscall(SYS_prlimit64, 0, RLIMIT_FSIZE, NULL, &limit));
	return got != 0 ? got : limit.rlim_max == 0 ? EFBIG : 0;
}

static const struct {
	const char *name;
	long (*act)(void);
	int proxy, resolver;
} acts[] = {
    {"open a file", try_open, DIES, EACCES},
    {"open a file that was named", try_open_hosts, DIES, WORKS},
    {"open for writing", try_write, DIES, DIES},
    {"list a directory", try_list, DIES, EACCES},
    {"execute", try_exec, DIES, DIES},
    {"fork", try_fork, DIES, DIES},
    {"signal its parent", try_kill, DIES, DIES},
    {"make a unix socket", try_unix, DIES, DIES},
    {"make a datagram socket", try_datagram, DIES, WORKS},
    {"make a netlink socket", try_netlink, DIES, DIES},
    {"make a stream socket", try_stream, WORKS, WORKS},
    {"bind", try_bind, DIES, WORKS},
    {"listen", try_listen, DIES, DIES},
    {"map memory", try_memory, WORKS, WORKS},
    {"map executable memory", try_executable, DIES, DIES},
    {"make memory executable", try_make_executable, DIES, DIES},
    {"set a limit", try_raise_limit, DIES, DIES},
    {"be traced", try_trace, DIES, DIES},
    {"read memory of a process", try_read_memory, DIES, DIES},
    {"make an anonymous file", try_memfd, DIES, DIES},
    {"unshare", try_unshare, DIES, DIES},
    {"become dumpable again", try_dumpable, DIES, DIES},
    {"ask for its filter", try_filter, DIES, DIES},
    {"use a descriptor that was not kept", try_other_descriptor, EBADF, EBADF},
};

/* An exit code, or DIES. */
static int
outcome(pid_t pid)
{
	int status;

	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return -2;
	if (WIFSIGNALED(status))
		return WTERMSIG(status) == SIGSYS ? DIES : -3;
	return WEXITSTATUS(status);
}

static bool
enter(enum filter_role role, const int *keep, size_t nkeep)
{
	static const char *const files[] = {"/etc/hosts", "/nonexistent", NULL};
	struct confine c = {
	    role, keep, nkeep, role == FILTER_RESOLVER ? files : NULL, false};
	const char *stage;

	return confine_enter(&c, &stage);
}

static int
try_act(long (*act)(void), bool confined, enum filter_role role)
{
	fflush(NULL);
	pid_t pid = fork();
	if (pid == 0) {
		if (confined && !enter(role, NULL, 0))
			_exit(98);
		_exit((int)act());
	}
	return outcome(pid);
}

static void
test_acts(void)
{
	for (size_t i = 0; i < SRUN_ARRAY_LEN(acts); i++) {
		is_int(try_act(acts[i].act, false, FILTER_PROXY), 0, "control: %s",
		    acts[i].name);
		is_int(try_act(acts[i].act, true, FILTER_PROXY), acts[i].proxy,
		    "the proxy: %s", acts[i].name);
		is_int(try_act(acts[i].act, true, FILTER_RESOLVER), acts[i].resolver,
		    "the resolver: %s", acts[i].name);
	}
	is_int(try_act(try_file_size, false, FILTER_PROXY), 0, "control: files may grow");
	is_int(try_act(try_file_size, true, FILTER_PROXY), EFBIG,
	    "the proxy: no file may grow");
}

static void
status_line(pid_t pid, const char *name, char *out, size_t cap)
{
	char path[64], text[8192];
	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	const char *at = strstr(text, name);
	snprintf(out, cap, "%.*s",
	    at == NULL ? 0 : (int)strcspn(at + strlen(name) + 1, "\n"),
	    at == NULL ? "" : at + strlen(name) + 1);
}

/* What the kernel says of a process that is confined and waits. */
static void
test_status(enum filter_role role, const char *name)
{
	static const struct {
		const char *line, *want;
	} lines[] = {
	    {"NoNewPrivs:", "1"},
	    {"Seccomp:", "2"},
	    {"CapEff:", "0000000000000000"},
	    {"CapPrm:", "0000000000000000"},
	    {"CapInh:", "0000000000000000"},
	    {"CapAmb:", "0000000000000000"},
	};
	int pair[2];
	char byte = 0, text[64];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
		return;
	fflush(NULL);
	pid_t pid = fork();
	if (pid == 0) {
		close(pair[0]);
		if (!enter(role, &pair[1], 1))
			_exit(98);
		/* The descriptor that was kept works both ways. */
		send(pair[1], "r", 1, 0);
		recv(pair[1], &byte, 1, 0);
		_exit(7);
	}
	close(pair[1]);
	ok(recv(pair[0], &byte, 1, 0) == 1 && byte == 'r',
	    "%s: a kept descriptor is used", name);
	for (size_t i = 0; i < SRUN_ARRAY_LEN(lines); i++) {
		status_line(pid, lines[i].line, text, sizeof(text));
		is_str(text, lines[i].want, "%s: %s", name, lines[i].line);
	}
	close(pair[0]);
	is_int(outcome(pid), 7, "%s: it ends as it wants", name);
}

static int
confine_resolver(void *arg)
{
	const int *fd = arg;
	const struct confine c = {FILTER_RESOLVER, fd, 1, resolve_files, false};
	const char *stage;

	return confine_enter(&c, &stage) ? 0 : 1;
}

/* The resolver itself: from the hosts file, and on the way to a server that may not be. */
static void
test_resolver(void)
{
	static const char *const names[] = {"localhost", "x.invalid"};
	int pair[2];

	if (socketpair(AF_UNIX, RESOLVE_SOCKET_TYPE | SOCK_CLOEXEC, 0, pair) != 0)
		return;
	fflush(NULL);
	pid_t pid = fork();
	if (pid == 0) {
		close(pair[0]);
		resolve_serve(pair[1], confine_resolver, &pair[1]);
	}
	close(pair[1]);
	for (unsigned i = 0; i < SRUN_ARRAY_LEN(names); i++) {
		struct pollfd p = {pair[0], POLLIN, 0};
		struct resolve_answer answer = {.id = 99};
		struct host_name h;
		host_name_parse(names[i], strlen(names[i]), &h);
		resolve_ask(pair[0], i, &h);
		int got = poll(&p, 1, 20000) == 1 ? resolve_next(pair[0], &answer) : -2;
		ok(got == 1 && answer.id == i, "the resolver, confined, answers for %s",
		    names[i]);
		if (i == 0)
			ok(answer.status == RESOLVE_OK && answer.n > 0,
			    "and has an address");
	}
	close(pair[0]);
	is_int(outcome(pid), 0, "it ends when nobody asks any more");
}

static void
test_program(enum filter_role role, const char *name)
{
	size_t len;
	struct bpf b = {filter_for_role(role, &len), 0};
	struct arena a = {NULL};
	struct bytes fresh = {NULL, 0, 0};
	struct errs errs = {{NULL, 0}};
	unsigned allowed = 0, other = 0;

	b.n = len / sizeof(*b.code);
	is_int(bpf_first_invalid(&b), b.n, "%s: a valid program", name);
	ok(seccomp_build_role(&a, role, &fresh, &errs) && fresh.len == len &&
	        memcmp(fresh.data, b.code, len) == 0,
	    "%s: what the build made is what seccomp.c gives now", name);
	for (int nr = 0; nr < 600; nr++) {
		struct seccomp_data d = {.nr = nr, .arch = NATIVE};
		uint32_t got = bpf_run(&b, &d);
		allowed += got == SECCOMP_RET_ALLOW;
		other += got != SECCOMP_RET_ALLOW && got != SECCOMP_RET_KILL_PROCESS;
		d.arch = NATIVE ^ 1;
		other += bpf_run(&b, &d) != SECCOMP_RET_KILL_PROCESS;
		d.arch = NATIVE;
		d.nr = nr | 0x40000000;
		other += bpf_run(&b, &d) != SECCOMP_RET_KILL_PROCESS;
	}
	ok(allowed >= 25 && allowed <= 60, "%s: %u calls are allowed", name, allowed);
	is_int(other, 0, "%s: everything else kills, other architectures too", name);
	arena_free(&a);
}

int
main(void)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (fd < 0 || dup2(fd, LEFT_OPEN) != LEFT_OPEN)
		return 1;
	test_program(FILTER_PROXY, "proxy");
	test_program(FILTER_RESOLVER, "resolver");
	/* A sanitizer makes calls of its own, which are not what is tried. */
	if (!SANITIZED) {
		test_acts();
		test_status(FILTER_PROXY, "proxy");
		test_status(FILTER_RESOLVER, "resolver");
		test_resolver();
	}
	return done();
}
