/*
 * guardian.c: what happens when srun is killed. A process that is made before all others of
 * the run and sleeps on a socket whose other end is srun's alone. When that is closed:
 *
 *   1. The helper's group is killed. bubblewrap dies with srun by itself, but the child it
 *      has just made and not yet told that its user is mapped waits for that for ever.
 *   2. Inner is killed, or waited for where it has to kill its tree by walking it.
 *   3. The state directories are swept. The journals there know what the run has made, so
 *      there is nothing that the guardian would have to be told.
 *
 * It also wakes a srun that stopped itself when inner has something to say.
 *
 * Must not: hold anything of the caller's; a pipe kept here would outlive the run.
 */
#include "guardian.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "state.h"
#include "sys.h"

#define GONE_WAIT_MS  5000 /* for the sandbox to be gone after srun */
#define WAKE_AGAIN_MS 20   /* between two SIGCONT for the same reason */

/* What a message is about, besides a ward. */
enum { TO_WATCH = WARDS, TO_UNWATCH };

struct message {
	int32_t about; /* a ward or one of these */
	int32_t pid;
};

struct known {
	pid_t pid; /* 0: not named */
	int pidfd;
};

struct ward_book {
	pid_t srun;
	struct known wards[WARDS];
	int watched; /* while srun is stopped; -1: nothing */
};

static void
tell(int sock, const struct message *text, int fd)
{
	/* A guardian that is gone is no reason to end the run. */
	if (sock >= 0)
		(void)!sys_send_fd(sock, text, sizeof(*text), fd);
}

void
guardian_tell(int sock, enum ward ward, pid_t pid, int pidfd)
{
	struct message text = {(int32_t)ward, pid};
	tell(sock, &text, pidfd);
}

void
guardian_watch(const struct guardian *g, int fd)
{
	struct message text = {TO_WATCH, 0};
	tell(g->sock, &text, fd);
}

void
guardian_unwatch(const struct guardian *g)
{
	struct message text = {TO_UNWATCH, 0};
	tell(g->sock, &text, -1);
}

/* ---- in the guardian ---- */

static void
set_fd(int *slot, int fd)
{
	if (*slot >= 0)
		close(*slot);
	*slot = fd;
}

/* One message; false at the end of srun. */
static bool
receive(int sock, struct ward_book *book)
{
	struct message text;
	int fd;
	ssize_t n = sys_recv_fd(sock, &text, sizeof(text), &fd);
	if (n != (ssize_t)sizeof(text) || text.about < 0 || text.about > TO_UNWATCH) {
		set_fd(&fd, -1);
		return false;
	}
	if (text.about >= WARDS) {
		set_fd(&book->watched, fd);
		return true;
	}
	book->wards[text.about].pid = text.pid;
	set_fd(&book->wards[text.about].pidfd, fd);
	return true;
}

/* Returns at the end of srun. */
static void
serve(int sock, struct ward_book *book)
{
	bool woken = false;
	for (;;) {
		struct pollfd p[2] = {{.fd = sock, .events = POLLIN},
		    {.fd = woken ? -1 : book->watched, .events = POLLIN}};
		int n = poll(p, 2, woken ? WAKE_AGAIN_MS : -1);
		if (n < 0 && errno != EINTR)
			return;
		if (n > 0 && p[0].revents != 0) {
			if (!receive(sock, book))
				return;
			woken = false;
			continue;
		}
		/* Its number is its own as long as it is our parent. */
		woken = n >= 0 && getppid() == book->srun;
		if (woken)
			kill(book->srun, SIGCONT);
	}
}

static void
end_wards(const struct known wards[WARDS])
{
	const struct known *helper = &wards[WARD_HELPER], *init = &wards[WARD_INIT];
	/*
	 * By descriptor (Linux 6.9) the number cannot have been given to a stranger. Without
	 * it the time is too short for that: srun has only now ceased to be its parent.
	 */
	if (helper->pid > 0 && sys_pidfd_kill_group(helper->pidfd, SIGKILL) != 0 &&
	    errno != ESRCH)
		kill(-helper->pid, SIGKILL);
	if (init->pid > 0 && init->pidfd >= 0)
		sys_pidfd_kill(init->pidfd, SIGKILL);
	for (int i = 0; i < WARDS; i++) {
		struct pollfd p = {.fd = wards[i].pidfd, .events = POLLIN};
		if (p.fd >= 0)
			poll(&p, 1, GONE_WAIT_MS);
	}
}

static _Noreturn void
guardian_main(int sock, pid_t srun, const struct strv *state_dirs)
{
	struct ward_book book = {.srun = srun, .watched = -1};
	sigset_t all;
	/* One that was stopped wakes up when it is needed. */
	prctl(PR_SET_PDEATHSIG, SIGCONT, 0, 0, 0);
	/* Of no job: ^C, ^Z and a terminal that hangs up are not for it. */
	setpgid(0, 0);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	for (int i = 0; i < WARDS; i++)
		book.wards[i] = (struct known){0, -1};
	sys_null_stdio();
	sys_close_except(&sock, 1);
	serve(sock, &book);
	/* Inner sees the end of srun only when this copy is closed as well. */
	set_fd(&book.watched, -1);
	end_wards(book.wards);
	for (size_t i = 0; i < state_dirs->n; i++)
		state_sweep(state_dirs->v[i]);
	_exit(0);
}

/* ---- in srun ---- */

bool
guardian_start(struct guardian *g, const struct strv *state_dirs)
{
	int pair[2];
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
		return false;
	pid_t srun = getpid();
	g->pid = fork();
	if (g->pid == 0)
		guardian_main(pair[1], srun, state_dirs);
	int err = errno;
	close(pair[1]);
	g->sock = pair[0];
	if (g->pid < 0)
		guardian_end(g);
	errno = err;
	return g->sock >= 0;
}

void
guardian_dismiss(struct guardian *g)
{
	if (g->pid > 0)
		kill(g->pid, SIGKILL);
}

void
guardian_reaped(struct guardian *g, pid_t pid)
{
	if (pid == g->pid)
		g->pid = -1;
}

void
guardian_end(struct guardian *g)
{
	guardian_dismiss(g);
	while (g->pid > 0 && waitpid(g->pid, NULL, 0) < 0 && errno == EINTR)
		;
	if (g->sock >= 0)
		close(g->sock);
	*g = (struct guardian)GUARDIAN_NONE;
}
