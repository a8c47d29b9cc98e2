/*
 * launch.c: struct launch → processes. Owns fork, exec of the helper, the socketpair and
 * which descriptor goes where. Decides nothing.
 *
 * Who holds what after launch_start():
 *   srun    sock (its end), words (read end), args (write end), what the caller gave it
 *   helper  0, 1 = /dev/null, 2 = words; the slots of launch.h; kept descriptors
 *   inner   the same, by inheritance; it puts the three stdio slots back on 0, 1, 2
 * Every other descriptor is close-on-exec before the helper is executed, also those that
 * the caller leaked into us: bubblewrap would hand them to the command.
 */
#include "launch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guardian.h"
#include "image.h"
#include "inner.h"
#include "msg.h"
#include "sys.h"

#define WORDS_LIMIT         4096
#define KEEP_LIMIT          64 /* as options.c allows */
#define KEYCTL_JOIN_SESSION 1

int
launch_fd(const struct launch *l, enum launch_slot slot)
{
	return l->fd_base + (int)slot;
}

/* What the child needs, all made before the fork. */
struct child {
	const struct launch *l;
	int source[FD_SLOTS]; /* what goes into each slot */
	int words;            /* write end of the pipe; -1 without a helper */
	int guardian;
};

/*
 * The caller's session keyring would be readable inside (seen on 6.18); a new anonymous
 * one is empty. Fails where the kernel has no keyrings: then there is nothing to hide.
 */
static void
leave_keyring(void)
{
	syscall(SYS_keyctl, KEYCTL_JOIN_SESSION, NULL);
}

/* In the child. Moves every source above the slots, then each into its own. */
static int
place_fds(const struct child *c)
{
	int from[FD_SLOTS];
	int end = launch_fd(c->l, FD_SLOTS);
	for (int i = 0; i < FD_SLOTS; i++) {
		from[i] = fcntl(c->source[i], F_DUPFD_CLOEXEC, end);
		if (from[i] < 0)
			return -1;
	}
	int words = fcntl(c->words, F_DUPFD_CLOEXEC, end);
	if (words < 0)
		return -1;
	for (int i = 0; i < FD_SLOTS; i++)
		if (dup2(from[i], c->l->fd_base + i) < 0)
			return -1;
	if (sys_null_fd(0) != 0 || sys_null_fd(1) != 0 || dup2(words, 2) < 0)
		return -1;
	return 0;
}

/* Which descriptors survive the exec: the slots and what the caller named. */
static int
choose_survivors(const struct launch *l)
{
	if (sys_cloexec_from(3) != 0)
		return -1;
	for (int fd = l->fd_base; fd < launch_fd(l, FD_SLOTS); fd++)
		if (fcntl(fd, F_SETFD, 0) != 0)
			return -1;
	for (size_t i = 0; i < l->nkeep_fds; i++)
		if (fcntl(l->keep_fds[i], F_SETFD, 0) != 0)
			return -1;
	return 0;
}

/*
 * The guardian is told before anything of this process could stay behind: it cannot see
 * the end of srun earlier, since until the exec its socket is open here as well.
 *
 * The helper is not to die with srun by itself: bubblewrap arranges for that when its own
 * child no longer needs it. Killed before, it leaves a child that waits for ever (seen in
 * 4 of 100 runs). One that was stopped goes on, to find out that srun is gone.
 */
static void
bind_to_life(const struct child *c)
{
	bool helper = c->l->helper_argv.n > 0;
	prctl(PR_SET_PDEATHSIG, SIGCONT, 0, 0, 0);
	setpgid(0, 0);
	int self = sys_pidfd(getpid());
	guardian_tell(c->guardian, helper ? WARD_HELPER : WARD_REAPER, getpid(), self);
	if (self >= 0)
		close(self);
}

static _Noreturn void
child_helper(const struct child *c, sigset_t *none)
{
	static const char *const no_environment[] = {NULL};
	struct sigaction dfl = {.sa_handler = SIG_DFL};
	const char *step = "descriptors";
	/* bubblewrap up to 0.11.0 never sees its child end when SIGCHLD is ignored (#705). */
	sigaction(SIGCHLD, &dfl, NULL);
	if (place_fds(c) == 0 && choose_survivors(c->l) == 0) {
		step = c->l->helper_argv.v[0];
		sigprocmask(SIG_SETMASK, none, NULL);
		execve(step, (char *const *)(uintptr_t)c->l->helper_argv.v,
		    (char *const *)(uintptr_t)no_environment);
	}
	/* Into the pipe: the parent reads it as the helper's words. */
	static const char text[] = "srun: cannot start: ";
	const char *why = strerror(errno);
	(void)!write(c->words, text, sizeof(text) - 1);
	(void)!write(c->words, step, strlen(step));
	(void)!write(c->words, ": ", 2);
	(void)!write(c->words, why, strlen(why));
	_exit(EXIT_SRUN);
}

static _Noreturn void
child_main(const struct child *c)
{
	sigset_t none;
	sigemptyset(&none);
	bind_to_life(c);
	leave_keyring();
	if (c->l->helper_argv.n > 0)
		child_helper(c, &none);
	/*
	 * Without an exec nothing is closed by itself: our end of the socketpair in inner's
	 * hands would keep it from ever seeing the end of srun.
	 */
	int keep[KEEP_LIMIT + 1];
	size_t n = c->l->nkeep_fds < KEEP_LIMIT ? c->l->nkeep_fds : KEEP_LIMIT;
	for (size_t i = 0; i < n; i++)
		keep[i] = c->l->keep_fds[i];
	keep[n++] = c->source[FD_INNER];
	if (sys_close_except(keep, n) != 0)
		_exit(EXIT_SRUN);
	_exit(inner_main(c->source[FD_INNER], c->l->filter, false));
}

static int
open_sources(const struct launch *l, struct child *c)
{
	c->source[FD_STDIN] = 0;
	c->source[FD_STDOUT] = 1;
	c->source[FD_STDERR] = 2;
	if (l->helper_argv.n == 0)
		return 0;
	c->source[FD_SELF] = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	return c->source[FD_SELF] >= 0 ? 0 : -1;
}

static void
close_sources(const struct launch *l, struct child *c)
{
	if (c->source[FD_INNER] >= 0)
		close(c->source[FD_INNER]);
	if (l->helper_argv.n > 0 && c->source[FD_ARGS] >= 0)
		close(c->source[FD_ARGS]);
	if (l->helper_argv.n > 0 && c->source[FD_SELF] >= 0)
		close(c->source[FD_SELF]);
	if (c->words >= 0)
		close(c->words);
}

static int
open_session(const struct launch *l, struct child *c, struct session *s)
{
	int pair[2], words[2], args[2], yes = 1;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
		return -1;
	s->sock = pair[0];
	c->source[FD_INNER] = pair[1];
	/* The kernel then tells who sent READY, in the numbers of our process namespace. */
	if (setsockopt(s->sock, SOL_SOCKET, SO_PASSCRED, &yes, sizeof(yes)) != 0)
		return -1;
	if (l->helper_argv.n > 0) {
		if (pipe2(words, O_CLOEXEC) != 0)
			return -1;
		s->words = words[0];
		c->words = words[1];
		if (pipe2(args, O_CLOEXEC) != 0)
			return -1;
		s->args = args[1];
		c->source[FD_ARGS] = args[0];
	}
	return open_sources(l, c);
}

#define FD_BASE 10

int
launch_fd_base(const int *keep_fds, size_t nkeep_fds)
{
	int base = FD_BASE;
	for (size_t i = 0; i < nkeep_fds; i++)
		if (keep_fds[i] >= base)
			base = keep_fds[i] + 1;
	return base;
}

enum launch_outcome
launch_start(struct arena *a, const struct launch *l, int guardian, struct session *s,
    struct errs *errs)
{
	struct child c = {.l = l,
	    .source = {-1, -1, -1, -1, -1, -1},
	    .words = -1,
	    .guardian = guardian};
	*s = (struct session)SESSION_NONE;
	if (open_session(l, &c, s) == 0)
		s->helper = fork();
	if (s->helper == 0)
		child_main(&c);
	int err = errno;
	close_sources(l, &c);
	if (s->helper < 0) {
		errs_add(a, errs, "cannot start a process: %s", strerror(err));
		launch_abort(s);
		return LAUNCH_ERROR;
	}
	setpgid(s->helper, s->helper);
	return LAUNCH_READY;
}

void
launch_feed(const struct launch *l, struct session *s)
{
	if (s->args < 0)
		return;
	const struct bytes *args = l->grafted != NULL ? &l->helper_few : &l->helper_args;
	(void)!sys_write_all(s->args, args->data, args->len);
	close(s->args);
	s->args = -1;
}

/* READY and the sender's pid. False when the other side is gone. */
static bool
receive_ready(struct session *s)
{
	struct event e;
	union {
		struct cmsghdr align;
		char data[CMSG_SPACE(sizeof(struct ucred))];
	} control;
	struct iovec iov = {&e, sizeof(e)};
	struct msghdr m = {.msg_iov = &iov,
	    .msg_iovlen = 1,
	    .msg_control = &control,
	    .msg_controllen = sizeof(control)};
	ssize_t n = recvmsg(s->sock, &m, MSG_CMSG_CLOEXEC | MSG_WAITALL);
	struct cmsghdr *c = n == (ssize_t)sizeof(e) ? CMSG_FIRSTHDR(&m) : NULL;
	if (c == NULL || c->cmsg_type != SCM_CREDENTIALS || e.type != EVENT_READY)
		return false;
	struct ucred cred;
	memcpy(&cred, CMSG_DATA(c), sizeof(cred));
	s->inner = cred.pid;
	/* Inner waits for us, so its number cannot have been given to another process. */
	s->inner_pidfd = sys_pidfd(s->inner);
	return s->inner > 0;
}

/* Everything the helper said, once it is dead. */
static const char *
read_words(struct arena *a, int fd)
{
	char buf[WORDS_LIMIT];
	size_t len = 0;
	while (fd >= 0 && len < sizeof(buf)) {
		ssize_t n = read(fd, buf + len, sizeof(buf) - len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		len += (size_t)n;
	}
	return arena_strndup(a, buf, len);
}

/* A signal that would end us, if one came; others are for later and dropped. */
static int
read_cancel(int sigfd)
{
	struct signalfd_siginfo si;
	while (read(sigfd, &si, sizeof(si)) == (ssize_t)sizeof(si))
		switch (si.ssi_signo) {
		case SIGINT:
		case SIGTERM:
		case SIGHUP:
		case SIGQUIT:
			return (int)si.ssi_signo;
		default:
			break;
		}
	return 0;
}

/* Without a word from inner: who is left of the helper may hold the socket open. */
static bool
helper_ended(const struct session *s, bool wait)
{
	siginfo_t si = {.si_pid = 0};
	int how = WEXITED | WNOWAIT | (wait ? 0 : WNOHANG);
	while (waitid(P_PID, (id_t)s->helper, &si, how) != 0 && errno == EINTR)
		;
	return si.si_pid == s->helper;
}

enum launch_outcome
launch_wait(struct arena *a, struct session *s, int sigfd, const char **words, int *sig,
    struct errs *errs)
{
	struct pollfd p[2] = {
	    {.fd = s->sock, .events = POLLIN}, {.fd = sigfd, .events = POLLIN}};
	for (;;) {
		if (poll(p, 2, -1) < 0 && errno != EINTR) {
			errs_add(a, errs, "poll: %s", strerror(errno));
			launch_abort(s);
			return LAUNCH_ERROR;
		}
		if (p[1].revents != 0 && (*sig = read_cancel(sigfd)) != 0) {
			launch_abort(s);
			return LAUNCH_CANCELLED;
		}
		if (p[0].revents != 0 || helper_ended(s, false))
			break;
	}
	if (p[0].revents != 0 && receive_ready(s))
		return LAUNCH_READY;
	/* The helper is ending by itself: its words are worth waiting for. */
	helper_ended(s, true);
	kill(-s->helper, SIGKILL);
	*words = read_words(a, s->words);
	launch_abort(s);
	return LAUNCH_FAILED;
}

void
launch_abort(struct session *s)
{
	if (s->sock >= 0)
		close(s->sock);
	if (s->inner_pidfd >= 0) {
		sys_pidfd_kill(s->inner_pidfd, SIGKILL);
		close(s->inner_pidfd);
	}
	if (s->helper > 0) {
		/*
		 * Without --die-with-parent set up yet, inner ends by the closed socket. But
		 * bubblewrap's child, which waits until its parent has mapped the user, would
		 * wait for ever: it is of the same group.
		 */
		kill(-s->helper, SIGKILL);
		kill(s->helper, SIGKILL);
		while (waitpid(s->helper, NULL, 0) < 0 && errno == EINTR)
			;
	}
	if (s->words >= 0)
		close(s->words);
	if (s->args >= 0)
		close(s->args);
	*s = (struct session)SESSION_NONE;
}
