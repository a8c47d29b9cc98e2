/*
 * sbrun.c: starting a command under sandbox-exec and seeing it to its end; see sbrun.h.
 *
 * Owns the sandbox-exec that is used. Must not: look for another (never PATH), go on
 * without a READY, hand the environment of the grant to sandbox-exec (macOS drops part of
 * it there, so inner sets it).
 */
#include "sbrun.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "exec.h"
#include "macsys.h"
#include "msg.h"
#include "sys.h"

/* The tests have one of their own, in a program of their own. */
#ifndef SBRUN_SANDBOX_EXEC
#define SBRUN_SANDBOX_EXEC "/usr/bin/sandbox-exec"
#endif

#define TEXT_LIMIT  (256 * 1024)       /* of a profile; all arguments have 1 MiB */
#define IMAGE_LIMIT (64 * 1024 * 1024) /* argv and environment of a command */
#define READY       'R'
#ifndef SBRUN_READY_MS
#define SBRUN_READY_MS 10000 /* until then the profile is compiled, or never */
#endif

/* A deny, since a sandbox that only allows can be made inside another (macOS 26). */
#define PROBE_PROFILE "(version 1)\n(allow default)\n(deny nvram*)\n"

/* sandbox-exec's own: sysexits(3). */
enum { CODE_PROFILE = 65, CODE_APPLY = 71 };

/* ---- inner ---- */

static noreturn void
inner_fails(int fd, int err, const char *what)
{
	struct arena a = {NULL};
	exec_report(fd, EXIT_SRUN, err, arena_printf(&a, "%s: %s", what, strerror(err)));
}

static void
set_limits(int fd, const struct image *im)
{
	static const int resources[LIMIT_COUNT] = {
	    [LIMIT_MEMORY] = RLIMIT_AS,
	    [LIMIT_CPU_TIME] = RLIMIT_CPU,
	    [LIMIT_PROCESSES] = RLIMIT_NPROC,
	    [LIMIT_OPEN_FILES] = RLIMIT_NOFILE,
	    [LIMIT_FILE_SIZE] = RLIMIT_FSIZE,
	    [LIMIT_CORE] = RLIMIT_CORE,
	};
	for (size_t i = 0; i < LIMIT_COUNT; i++) {
		struct rlimit r = {im->limits[i].value, im->limits[i].value};
		if (im->limits[i].set && setrlimit(resources[i], &r) != 0)
			inner_fails(fd, errno, "cannot set a limit");
	}
}

/* srun blocks what it waits for; the command has the caller's mask. */
static void
set_mask(const struct image *im)
{
	sigset_t mask;
	sigemptyset(&mask);
	for (int sig = 1; sig <= 64; sig++)
		if (im->signal_mask & (UINT64_C(1) << (sig - 1)))
			sigaddset(&mask, sig);
	sigprocmask(SIG_SETMASK, &mask, NULL);
}

int
sbrun_inner_main(const char *descriptor)
{
	struct arena a = {NULL};
	struct image im;
	uint64_t fd64;
	const char *why;
	uint32_t len;
	char ready = READY;
	if (!parse_uint(descriptor, 3, 1 << 20, &fd64, &why))
		return EXIT_SRUN;
	int fd = (int)fd64;
	if (fcntl(fd, F_SETFD, FD_CLOEXEC) != 0)
		return EXIT_SRUN;
	if (!macsys_is_sandboxed())
		exec_report(fd, EXIT_SRUN, 0, "sandbox-exec has made no sandbox");
	/* Without a GO there is no command: the end of srun is ours too. */
	if (sys_write_all(fd, &ready, 1) != 0 ||
	    sys_read_all(fd, &len, sizeof(len)) != 0 || len > IMAGE_LIMIT)
		return EXIT_SRUN;
	char *data = arena_alloc(&a, len + 1);
	if (sys_read_all(fd, data, len) != 0 || !image_decode(&a, data, len, &im))
		return EXIT_SRUN;
	if (chdir(im.working_directory) != 0)
		inner_fails(fd, errno, "cannot enter the working directory");
	set_limits(fd, &im);
	set_mask(&im);
	exec_command(&im, fd);
}

/* ---- start ---- */

static void
push_option(struct arena *a, struct strv *argv, const char *option, const char *value)
{
	strv_push(a, argv, option);
	strv_push(a, argv, value);
}

/* Returns 0 or an errno; *sock is our end. */
static int
start(struct arena *a, const struct sbrun *r, int *sock, pid_t *pid)
{
	static char *const no_environment[] = {NULL};
	struct strv argv = {NULL, 0};
	int pair[2];
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
		return errno;
	for (int i = 0; i < 2; i++)
		(void)fcntl(pair[i], F_SETFD, FD_CLOEXEC);
	strv_push(a, &argv, SBRUN_SANDBOX_EXEC);
	for (size_t i = 0; i < r->params->n; i++)
		push_option(a, &argv, "-D", r->params->v[i]);
	push_option(a, &argv, "-p", r->profile);
	strv_push(a, &argv, r->self);
	push_option(a, &argv, SBRUN_INNER_WORD, arena_printf(a, "%d", pair[1]));

	size_t n = r->image != NULL ? r->image->nkeep_fds : 0;
	int *fds = arena_alloc(a, (n + 1) * sizeof(*fds));
	for (size_t i = 0; i < n; i++)
		fds[i] = r->image->keep_fds[i];
	fds[n] = pair[1];
	int err = macsys_spawn(
	    pid, argv.v[0], (char *const *)(uintptr_t)argv.v, no_environment, fds, n + 1);
	close(pair[1]);
	if (err != 0)
		close(pair[0]);
	*sock = pair[0];
	return err;
}

static void
not_started(struct sbrun_result *out, int code, const char *reason)
{
	*out = (struct sbrun_result){SBRUN_NOT_STARTED, code, 0, reason};
}

/* sandbox-exec ended before inner was ready: here its code is its own. */
static void
explain(struct arena *a, int status, struct sbrun_result *out)
{
	int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	if (code == CODE_APPLY)
		*out = (struct sbrun_result){SBRUN_UNAVAILABLE, EXIT_SRUN, 0,
		    "sandbox-exec cannot apply a profile: this is in a sandbox already"};
	else if (code == CODE_PROFILE)
		not_started(
		    out, EXIT_SRUN, "sandbox-exec does not understand the profile");
	else if (code >= 0)
		not_started(
		    out, EXIT_SRUN, arena_printf(a, "sandbox-exec ended with %d", code));
	else
		not_started(out, EXIT_SRUN,
		    arena_printf(
		        a, "sandbox-exec was ended by signal %d", WTERMSIG(status)));
}

/* A failure that inner reports; its first byte was read. */
static void
read_failure(struct arena *a, int sock, char first, struct sbrun_result *out)
{
	struct exec_failure f;
	char *bytes = (char *)&f;
	bytes[0] = first;
	if (sys_read_all(sock, bytes + 1, sizeof(f) - 1) != 0 ||
	    f.len > EVENT_TEXT_LIMIT) {
		not_started(out, EXIT_SRUN, "inner ended in the middle of a word");
		return;
	}
	char *text = arena_alloc(a, f.len + 1);
	if (sys_read_all(sock, text, f.len) != 0)
		text = arena_strdup(a, "the command cannot be started");
	not_started(out, f.code, text);
}

static int
reap(pid_t pid)
{
	int status = 0;
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		continue;
	return status;
}

/* False when nothing came in time: sandbox-exec has been seen to hang inside another. */
static bool
comes_in_time(int sock)
{
	struct pollfd p = {.fd = sock, .events = POLLIN};
	int64_t end = sys_now_ms() + SBRUN_READY_MS;
	int n;
	do {
		int64_t left = end - sys_now_ms();
		n = poll(&p, 1, left > 0 ? (int)left : 0);
	} while (n < 0 && errno == EINTR);
	return n > 0;
}

/* READY, or why not: then *out says it, unless it ended without a word. */
static bool
await_ready(struct arena *a, int sock, bool *ended, struct sbrun_result *out)
{
	char first = 0;
	if (!comes_in_time(sock)) {
		*out = (struct sbrun_result){SBRUN_UNAVAILABLE, EXIT_SRUN, 0,
		    "sandbox-exec has made no sandbox in time"};
		return false;
	}
	*ended = sys_read_all(sock, &first, 1) != 0;
	if (*ended || first == READY)
		return !*ended;
	read_failure(a, sock, first, out);
	return false;
}

static bool
send_image(struct arena *a, int sock, const struct image *im)
{
	struct bytes b = {NULL, 0, 0};
	image_encode(a, im, &b);
	uint32_t len = (uint32_t)b.len;
	return b.len <= IMAGE_LIMIT && sys_write_all(sock, &len, sizeof(len)) == 0 &&
	       sys_write_all(sock, b.data, b.len) == 0;
}

/* ---- the end ---- */

#define SWEEP_ROUNDS                                                                     \
	50 /* a process that forks faster than it is killed is stopped first */

/* Everything of the run: its group, and what has left the group. The child stays to be reaped. */
static void
kill_all(const struct sbrun *r, pid_t pid)
{
	kill(-pid, SIGKILL);
	for (int i = 0, empty = 0; i < SWEEP_ROUNDS && empty < 2; i++) {
		if (macsys_signal_run(r->nonce, SIGSTOP) == 0)
			empty++;
		else
			empty = 0;
		macsys_signal_run(r->nonce, SIGKILL);
	}
}

static void
live(const struct sbrun *r, pid_t pid, struct sbrun_result *out)
{
	int sig = 0;
	bool late = false;
	enum macsys_event e = macsys_wait(pid, r->timeout_ms, &sig);
	if (e == MACSYS_TIME || e == MACSYS_SIGNAL) {
		late = e == MACSYS_TIME;
		int again = 0;
		kill(-pid, late ? SIGTERM : sig);
		kill(-pid, SIGCONT);
		macsys_wait(pid, r->kill_after_ms, &again);
	}
	kill_all(r, pid);
	int status = reap(pid);
	if (late)
		*out = (struct sbrun_result){SBRUN_TIMEOUT, EXIT_TIMEOUT, 0, NULL};
	else if (sig != 0)
		*out = (struct sbrun_result){SBRUN_CANCELLED, EXIT_SRUN, sig, NULL};
	else if (WIFSIGNALED(status))
		*out = (struct sbrun_result){SBRUN_SIGNAL, 0, WTERMSIG(status), NULL};
	else
		*out = (struct sbrun_result){SBRUN_EXIT, WEXITSTATUS(status), 0, NULL};
}

/* The socket ends when the command runs; a word on it means that it does not. */
static bool
has_started(struct arena *a, int sock, struct sbrun_result *out)
{
	char first = 0;
	if (sys_read_all(sock, &first, 1) != 0)
		return true;
	read_failure(a, sock, first, out);
	return false;
}

void
sbrun_command(struct arena *a, const struct sbrun *r, struct sbrun_result *out)
{
	int sock = -1;
	pid_t pid = 0;
	bool ended = false;
	if (strlen(r->profile) > TEXT_LIMIT) {
		not_started(out, EXIT_SRUN, "the profile is too long for sandbox-exec");
		return;
	}
	int err = start(a, r, &sock, &pid);
	if (err != 0) {
		*out = (struct sbrun_result){SBRUN_UNAVAILABLE, EXIT_SRUN, 0,
		    arena_printf(a, "%s: %s", SBRUN_SANDBOX_EXEC, strerror(err))};
		return;
	}
	bool started = await_ready(a, sock, &ended, out);
	if (started && !send_image(a, sock, r->image)) {
		started = false;
		not_started(out, EXIT_SRUN, "inner does not take what it has to start");
	}
	started = started && has_started(a, sock, out);
	close(sock);
	if (started) {
		live(r, pid, out);
		return;
	}
	if (!ended)
		kill_all(r, pid);
	int status = reap(pid);
	if (ended)
		explain(a, status, out);
}

bool
sbrun_probe(struct arena *a, const char *self, const char **reason)
{
	static const struct strv none = {NULL, 0};
	struct sbrun r = {PROBE_PROFILE, &none, "", self, NULL, -1, -1};
	struct sbrun_result out = {.reason = NULL};
	int sock = -1;
	pid_t pid = 0;
	bool ended = false;
	int err = start(a, &r, &sock, &pid);
	if (err != 0) {
		*reason = arena_printf(a, "%s: %s", SBRUN_SANDBOX_EXEC, strerror(err));
		return false;
	}
	bool ready = await_ready(a, sock, &ended, &out);
	close(sock); /* without a GO inner ends */
	if (!ready && !ended)
		kill(-pid, SIGKILL);
	int status = reap(pid);
	if (ended)
		explain(a, status, &out);
	*reason = out.reason;
	return ready;
}
