/*
 * inner.c: what runs last before the command, in the place where the command will run.
 *
 * Order: READY → load the filter → fork → (child) read the image, prove that the sandbox
 * holds, await GO, directory, limits, descriptors, exec; (inner) reap, pass signals, report.
 *
 * The child is made before srun gives its group the terminal: a ^C typed then reaches both,
 * or it would be lost for the command. It also takes no time from anyone: srun still looks
 * at the sandbox from outside. Until the exec has worked the socket is the child's to read.
 *
 * Inner stays as the parent of the command. In a process namespace it is the init, so its
 * end is the end of everything there; elsewhere it is a subreaper and kills the tree by
 * walking it. It is not dumpable and, in a namespace, cannot be signalled from inside, so
 * the command can neither trace it nor use its socket. It shares the command's process
 * group: a ^C typed at the terminal reaches it too, and that is how srun knows that the
 * caller's job has to have it as well.
 *
 * Must not: read the environment, open files of the host, decide anything.
 */
#include "inner.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "exec.h"
#include "filter.h"
#include "image.h"
#include "launch.h"
#include "msg.h"
#include "proof.h"
#include "sys.h"
#include "tree.h"

#define IMAGE_LIMIT (64U * 1024 * 1024)

struct inner {
	struct arena arena;
	int sock, sigfd;
	const enum unix_mode *filter; /* NULL: none */
	bool own_pids;                /* init of a namespace */
	pid_t command;
	bool group_stop; /* a stop was sent to the group, not to the command alone */
};

static void
send_event(const struct inner *in, enum event_type type, int a, int b, const void *text,
    size_t len)
{
	struct event e = {(uint32_t)type, a, b, (uint32_t)len};
	/* A supervisor that is gone shows up at the next receive. */
	if (send(in->sock, &e, sizeof(e), MSG_NOSIGNAL) == (ssize_t)sizeof(e) && len > 0)
		(void)!send(in->sock, text, len, MSG_NOSIGNAL);
}

static void
send_text(const struct inner *in, enum event_type type, int a, int b, const char *text)
{
	size_t len = strlen(text);
	send_event(in, type, a, b, text, len > EVENT_TEXT_LIMIT ? EVENT_TEXT_LIMIT : len);
}

static bool
fail_setup(const struct inner *in, const char *what)
{
	send_text(in, EVENT_SETUP_FAILED, errno, 0, what);
	return false;
}

/* ---- before the command ---- */

static bool
read_image(struct inner *in, struct image *im)
{
	uint32_t len;
	if (sys_read_all(in->sock, &len, sizeof(len)) != 0 || len > IMAGE_LIMIT)
		return false;
	char *data = arena_alloc(&in->arena, (size_t)len + 1);
	if (sys_read_all(in->sock, data, len) != 0)
		return false;
	return image_decode(&in->arena, data, len, im);
}

/* The first proof that does not hold, with what it gave; NULL: all hold. */
static const struct proof *
prove(const struct image *im, int *err)
{
	for (size_t i = 0; i < im->nproofs; i++)
		if (!proof_holds(&im->proofs[i], err))
			return &im->proofs[i];
	return NULL;
}

static bool
load_filter(const struct inner *in)
{
	size_t len;
	const void *code;
	if (in->filter == NULL)
		return true;
	code = filter_for(*in->filter, &len);
	struct sock_fprog prog = {(unsigned short)(len / sizeof(struct sock_filter)),
	    (struct sock_filter *)(uintptr_t)code};
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return fail_setup(in, "no_new_privs");
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog, 0, 0) != 0)
		return fail_setup(in, "loading the system call filter");
	/* The filter's own proof: a namespace cannot be made any more. */
	if (unshare(CLONE_NEWUSER) == 0 || errno != EPERM) {
		errno = 0;
		return fail_setup(in, "the system call filter does not hold");
	}
	return true;
}

/* Signals of a terminal are taken from a descriptor; all others the kernel drops or keeps. */
static int
open_signals(void)
{
	sigset_t set;
	sigfillset(&set);
	sigprocmask(SIG_SETMASK, &set, NULL);
	sigemptyset(&set);
	static const int wanted[] = {SIGCHLD, SIGINT, SIGQUIT, SIGTSTP, SIGTTIN, SIGTTOU};
	for (size_t i = 0; i < SRUN_ARRAY_LEN(wanted); i++)
		sigaddset(&set, wanted[i]);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* ---- the command's process ---- */

static void
apply_limits(const struct image *im, int report)
{
	static const int which[LIMIT_COUNT] = {
	    [LIMIT_MEMORY] = RLIMIT_AS,
	    [LIMIT_CPU_TIME] = RLIMIT_CPU,
	    [LIMIT_PROCESSES] = RLIMIT_NPROC,
	    [LIMIT_OPEN_FILES] = RLIMIT_NOFILE,
	    [LIMIT_FILE_SIZE] = RLIMIT_FSIZE,
	    [LIMIT_CORE] = RLIMIT_CORE,
	};
	for (size_t i = 0; i < LIMIT_COUNT; i++) {
		struct rlimit r = {im->limits[i].value, im->limits[i].value}, now;
		if (!im->limits[i].set)
			continue;
		/* A limit of the caller that is lower already stays. */
		if (getrlimit(which[i], &now) == 0 && now.rlim_max < r.rlim_max)
			r.rlim_max = r.rlim_cur = now.rlim_max;
		if (setrlimit(which[i], &r) != 0)
			exec_report(report, EXIT_SRUN, errno, "setting a limit");
	}
}

static void
restore_open_files(const struct image *im)
{
	struct rlimit r;
	if (im->open_files == 0 || getrlimit(RLIMIT_NOFILE, &r) != 0)
		return;
	r.rlim_cur = im->open_files;
	setrlimit(RLIMIT_NOFILE, &r);
}

static void
enter_directory(const struct image *im, int report)
{
	struct stat st;
	if (chdir(im->working_directory) != 0)
		exec_report(report, EXIT_SRUN, errno, "entering the working directory");
	if (im->working_directory_ino != 0 &&
	    (stat(".", &st) != 0 || (uint64_t)st.st_dev != im->working_directory_dev ||
	        (uint64_t)st.st_ino != im->working_directory_ino))
		exec_report(
		    report, EXIT_SRUN, 0, "the working directory is another one inside");
}

/* EOF instead of a GO: srun is gone, or has found a difference. It fails closed. */
static void
await_go(const struct inner *in, int report)
{
	struct order o;
	if (sys_read_all(in->sock, &o, sizeof(o)) != 0 || o.type != ORDER_GO)
		exec_report(report, EXIT_SRUN, EPIPE, "waiting to start");
}

static _Noreturn void
become_command(const struct image *im, int report)
{
	sigset_t mask;
	sigemptyset(&mask);
	for (int sig = 1; sig <= 64; sig++)
		if (im->signal_mask & (1ULL << (sig - 1)))
			sigaddset(&mask, sig);
	enter_directory(im, report);
	restore_open_files(im);
	apply_limits(im, report);

	/* report is close-on-exec; it is all that may stay besides what was named. */
	int *keep = im->keep_fds;
	size_t nkeep = im->nkeep_fds;
	int with_report[64 + 1];
	if (nkeep >= SRUN_ARRAY_LEN(with_report))
		exec_report(report, EXIT_SRUN, EMFILE, "descriptors");
	memcpy(with_report, keep, nkeep * sizeof(*keep));
	with_report[nkeep] = report;
	if (sys_close_except(with_report, nkeep + 1) != 0)
		exec_report(report, EXIT_SRUN, errno, "closing descriptors");
	for (size_t i = 0; i < nkeep; i++)
		fcntl(keep[i], F_SETFD, 0);

	struct sigaction chld = {.sa_handler = im->sigchld_ignored ? SIG_IGN : SIG_DFL};
	sigaction(SIGCHLD, &chld, NULL);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	exec_command(im, report);
}

static _Noreturn void
command_main(struct inner *in, int report)
{
	struct image im;
	int err;
	if (!read_image(in, &im))
		exec_report(report, EXIT_SRUN, EPIPE, "reading what to start");
	const struct proof *failed = prove(&im, &err);
	/* Before the GO srun looks at this place, and nobody may leave it. */
	await_go(in, report);
	if (failed != NULL) {
		send_text(in, EVENT_PROOF_FAILED, (int)failed->kind, err, failed->path);
		exec_report(report, EXIT_SRUN, 0, "");
	}
	become_command(&im, report);
}

/*
 * What kept the command from starting, or nothing when it started: the pipe is closed by
 * a successful exec. An empty reason: it is said already.
 */
static bool
await_exec(struct inner *in, int report)
{
	struct exec_failure f;
	char text[EVENT_TEXT_LIMIT];
	if (sys_read_all(report, &f, sizeof(f)) != 0) {
		send_event(in, EVENT_STARTED, 0, 0, NULL, 0);
		return true;
	}
	size_t len = f.len < sizeof(text) ? f.len : sizeof(text) - 1;
	if (sys_read_all(report, text, len) != 0)
		len = 0;
	text[len] = '\0';
	if (f.code == EXIT_SRUN && len == 0)
		return false;
	if (f.code == EXIT_SRUN)
		send_text(in, EVENT_SETUP_FAILED, f.err, 0, text);
	else
		send_text(in, EVENT_EXEC_FAILED, f.err, f.code, text);
	return false;
}

static bool
start_command(struct inner *in)
{
	int report[2];
	if (pipe2(report, O_CLOEXEC) != 0)
		return fail_setup(in, "a pipe");
	in->command = fork();
	if (in->command < 0)
		return fail_setup(in, "a process for the command");
	if (in->command == 0)
		command_main(in, report[1]);
	/* The command's pipes are its own: ours would keep them open. */
	int keep[] = {in->sock, in->sigfd, report[0]};
	sys_null_stdio();
	sys_close_except(keep, SRUN_ARRAY_LEN(keep));
	bool started = await_exec(in, report[0]);
	close(report[0]);
	/* It has ended by itself; what it said is the reason, not how it ended. */
	if (!started) {
		waitpid(in->command, NULL, 0);
		in->command = 0;
	}
	return started;
}

/* ---- while it runs ---- */

static void
report_end(const struct inner *in, int status, const struct rusage *ru)
{
	struct ended_usage u = {
	    .user_us = (int64_t)ru->ru_utime.tv_sec * 1000000 + ru->ru_utime.tv_usec,
	    .system_us = (int64_t)ru->ru_stime.tv_sec * 1000000 + ru->ru_stime.tv_usec,
	    .maxrss_kb = ru->ru_maxrss,
	};
	send_event(in, EVENT_ENDED, status, 0, &u, sizeof(u));
}

/* Reaps; true when the command itself has ended. */
static bool
reap(struct inner *in)
{
	struct rusage ru;
	int status;
	pid_t pid;
	while ((pid = wait4(-1, &status, WNOHANG | WUNTRACED | WCONTINUED, &ru)) > 0) {
		if (pid != in->command)
			continue;
		if (WIFSTOPPED(status)) {
			send_event(
			    in, EVENT_STOPPED, WSTOPSIG(status), in->group_stop, NULL, 0);
			in->group_stop = false;
			continue;
		}
		if (WIFCONTINUED(status)) {
			send_event(in, EVENT_CONTINUED, 0, 0, NULL, 0);
			continue;
		}
		report_end(in, status, &ru);
		return true;
	}
	return false;
}

static bool
take_signals(struct inner *in)
{
	struct signalfd_siginfo si;
	bool child = false;
	while (read(in->sigfd, &si, sizeof(si)) == (ssize_t)sizeof(si)) {
		if (si.ssi_signo == SIGCHLD)
			child = true;
		else if (si.ssi_signo != SIGINT && si.ssi_signo != SIGQUIT)
			in->group_stop =
			    in->group_stop || si.ssi_pid != (uint32_t)getpid();
		else if (si.ssi_code == SI_KERNEL)
			send_event(in, EVENT_TTY_SIGNAL, (int)si.ssi_signo, 0, NULL, 0);
	}
	return child && reap(in);
}

static void
continue_command(const struct inner *in)
{
	/* Once: a command that stops itself again at once would be continued from that too. */
	if (getpgid(in->command) != getpgrp())
		kill(in->command, SIGCONT);
	kill(0, SIGCONT);
}

/* False when the run is over. */
static bool
take_order(const struct inner *in)
{
	struct order o;
	if (sys_read_all(in->sock, &o, sizeof(o)) != 0)
		return false;
	switch ((enum order_type)o.type) {
	case ORDER_SIGNAL:
		kill(in->command, o.a);
		return true;
	case ORDER_GROUP:
		/* Ours are blocked. */
		kill(0, o.a);
		return true;
	case ORDER_CONTINUE:
		continue_command(in);
		return true;
	case ORDER_GO:
	case ORDER_KILL:
		break;
	}
	return false;
}

static void
watch(struct inner *in)
{
	struct pollfd p[2] = {
	    {.fd = in->sock, .events = POLLIN}, {.fd = in->sigfd, .events = POLLIN}};
	for (;;) {
		if (poll(p, 2, -1) < 0 && errno != EINTR)
			return;
		if (p[1].revents != 0 && take_signals(in))
			return;
		if (p[0].revents != 0 && !take_order(in))
			return;
	}
}

/* Whatever is left goes with us: at once where we are init, otherwise by walking. */
static void
end_tree(const struct inner *in)
{
	if (in->own_pids)
		return;
	int status;
	struct rusage ru;
	/* Without a child there is no descendant either: orphans come to a subreaper. */
	siginfo_t si;
	if (waitid(P_ALL, 0, &si, WEXITED | WNOHANG | WNOWAIT) == 0 || errno != ECHILD)
		tree_kill(getpid(), NULL, 0);
	/* After ORDER_KILL the command's end has not been reported yet. */
	if (in->command > 0 && wait4(in->command, &status, WNOHANG, &ru) == in->command)
		report_end(in, status, &ru);
	while (waitpid(-1, NULL, 0) > 0 || errno == EINTR)
		;
}

int
inner_main(int sock, const enum unix_mode *filter, bool own_pids)
{
	struct inner in = {.sock = sock, .filter = filter, .own_pids = own_pids};
	struct event ready = {EVENT_READY, 0, 0, 0};

	setpgid(0, 0);
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	in.sigfd = open_signals();
	if (in.sigfd < 0 || sys_write_all(sock, &ready, sizeof(ready)) != 0)
		return EXIT_SRUN;
	if (!load_filter(&in))
		return EXIT_SRUN;
	if (start_command(&in))
		watch(&in);
	end_tree(&in);
	return EXIT_SRUN;
}

/*
 * In ps(1) inside, this is "srun": executed as /proc/self/fd/N it would be called "N", with
 * arguments that mean nothing to the reader. The words lie behind each other in memory.
 */
static void
show_name(char **argv)
{
	static const char name[] = "srun";
	size_t room = (size_t)(argv[3] + strlen(argv[3]) - argv[0]);
	prctl(PR_SET_NAME, name);
	if (room < sizeof(name))
		return;
	memset(argv[0], 0, room);
	memcpy(argv[0], name, sizeof(name) - 1);
}

int
inner_exec_main(char **argv)
{
	const char *fd_base = argv[2], *filter = argv[3];
	uint64_t n, mode;
	const char *why;
	if (!parse_uint(fd_base, 3, 1 << 20, &n, &why) ||
	    !parse_uint(filter, UNIX_NONE, UNIX_ALL, &mode, &why))
		return EXIT_SRUN;
	enum unix_mode unix_mode = (enum unix_mode)mode;
	show_name(argv);
	int base = (int)n, sock = base + FD_INNER;
	for (int i = 0; i <= 2; i++)
		if (dup2(base + FD_STDIN + i, i) < 0)
			return EXIT_SRUN;
	for (int slot = FD_ARGS; slot <= FD_SELF; slot++)
		if (slot != FD_INNER)
			close(base + slot);
	if (fcntl(sock, F_SETFD, FD_CLOEXEC) != 0)
		return EXIT_SRUN;
	return inner_main(sock, &unix_mode, true);
}
