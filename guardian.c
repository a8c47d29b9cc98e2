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

#define GONE_WAIT_MS 5000 /* for the sandbox to be gone after srun */

struct message {
	int32_t ward, pid;
};

struct known {
	pid_t pid; /* 0: not named */
	int pidfd;
};

void
guardian_tell(int sock, enum ward ward, pid_t pid, int pidfd)
{
	struct message text = {(int32_t)ward, pid};
	/* A guardian that is gone is no reason to end the run. */
	if (sock >= 0)
		(void)!sys_send_fd(sock, &text, sizeof(text), pidfd);
}

/* ---- in the guardian ---- */

/* One message; false at the end of srun. */
static bool
receive(int sock, struct known wards[WARDS])
{
	struct message text;
	int pidfd;
	ssize_t n = sys_recv_fd(sock, &text, sizeof(text), &pidfd);
	if (n != (ssize_t)sizeof(text) || text.ward < 0 || text.ward >= WARDS) {
		if (pidfd >= 0)
			close(pidfd);
		return false;
	}
	struct known *k = &wards[text.ward];
	if (k->pidfd >= 0)
		close(k->pidfd);
	*k = (struct known){text.pid, pidfd};
	return true;
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
guardian_main(int sock, const struct strv *state_dirs)
{
	struct known wards[WARDS];
	sigset_t all;
	/* One that was stopped wakes up when it is needed. */
	prctl(PR_SET_PDEATHSIG, SIGCONT, 0, 0, 0);
	/* Of no job: ^C, ^Z and a terminal that hangs up are not for it. */
	setpgid(0, 0);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	for (int i = 0; i < WARDS; i++)
		wards[i] = (struct known){0, -1};
	sys_null_stdio();
	sys_close_except(&sock, 1);
	while (receive(sock, wards))
		;
	end_wards(wards);
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
	g->pid = fork();
	if (g->pid == 0)
		guardian_main(pair[1], state_dirs);
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
