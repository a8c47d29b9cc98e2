/*
 * macsys.c: the calls that only macOS has; see macsys.h. Each is thin: nothing is decided
 * here, since nothing here can be run on another system.
 *
 * sandbox_check() has no public header. Its numbers are those of libsystem_sandbox: a
 * filter by global Mach name is 2, and no report to the log is 0x40000000.
 */
#include "macsys.h"

#include <errno.h>
#include <fcntl.h>
#include <libproc.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/event.h>
#include <sys/wait.h>
#include <unistd.h>

#define FILTER_GLOBAL_NAME 2
#define CHECK_NO_REPORT    0x40000000

int sandbox_check(pid_t pid, const char *operation, int type, ...);

/* Those that end srun, and one that a dead child would send. */
static const int held[] = {SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGTTOU, SIGPIPE};
#define HELD        (sizeof(held) / sizeof(held[0]))
#define HELD_ENDING 4 /* the first of them */

bool
macsys_is_sandboxed(void)
{
	return sandbox_check(getpid(), NULL, 0) == 1;
}

/* 0, 1, 2 and fds; POSIX_SPAWN_CLOEXEC_DEFAULT closes the others, whatever they are. */
static int
inherit(posix_spawn_file_actions_t *actions, const int *fds, size_t nfds)
{
	int err = 0;
	for (int fd = 0; fd < 3 && err == 0; fd++)
		err = posix_spawn_file_actions_addinherit_np(actions, fd);
	for (size_t i = 0; i < nfds && err == 0; i++)
		err = posix_spawn_file_actions_addinherit_np(actions, fds[i]);
	return err;
}

int
macsys_spawn(pid_t *pid, const char *file, char *const argv[], char *const envp[],
    const int *fds, size_t nfds)
{
	posix_spawnattr_t attr;
	posix_spawn_file_actions_t actions;
	int err = posix_spawnattr_init(&attr);
	if (err != 0)
		return err;
	err = posix_spawn_file_actions_init(&actions);
	if (err == 0)
		err = inherit(&actions, fds, nfds);
	if (err == 0)
		err = posix_spawnattr_setflags(
		    &attr, POSIX_SPAWN_CLOEXEC_DEFAULT | POSIX_SPAWN_SETPGROUP);
	if (err == 0)
		err = posix_spawnattr_setpgroup(&attr, 0);
	if (err == 0)
		err = posix_spawn(pid, file, &actions, &attr, argv, envp);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attr);
	/* The command is what the person works with now. SIGTTOU is held. */
	if (err == 0 && tcgetpgrp(0) == getpgrp())
		tcsetpgrp(0, *pid);
	return err;
}

bool
macsys_hold_signals(void)
{
	sigset_t set;
	sigemptyset(&set);
	for (size_t i = 0; i < HELD; i++)
		sigaddset(&set, held[i]);
	return sigprocmask(SIG_BLOCK, &set, NULL) == 0;
}

/* One that came before anybody waited for it: a queue tells only of what is new. */
static int
pending(void)
{
	sigset_t set;
	if (sigpending(&set) == 0)
		for (size_t i = 0; i < HELD_ENDING; i++)
			if (sigismember(&set, held[i]) == 1)
				return held[i];
	return 0;
}

static enum macsys_event
wait_on(int queue, int64_t timeout_ms, int *sig)
{
	struct kevent got;
	struct timespec t = {
	    (time_t)(timeout_ms / 1000), (long)(timeout_ms % 1000) * 1000000};
	int n = kevent(queue, NULL, 0, &got, 1, timeout_ms < 0 ? NULL : &t);
	if (n == 0)
		return MACSYS_TIME;
	if (n < 0)
		return MACSYS_ERROR;
	if (got.filter == EVFILT_PROC)
		return MACSYS_ENDED;
	*sig = (int)got.ident;
	return MACSYS_SIGNAL;
}

enum macsys_event
macsys_wait(pid_t child, int64_t timeout_ms, int *sig)
{
	struct kevent want[1 + HELD_ENDING];
	int queue = kqueue();
	if (queue < 0)
		return MACSYS_ERROR;
	EV_SET(&want[0], (uintptr_t)child, EVFILT_PROC, EV_ADD, NOTE_EXIT, 0, NULL);
	for (size_t i = 0; i < HELD_ENDING; i++)
		EV_SET(
		    &want[i + 1], (uintptr_t)held[i], EVFILT_SIGNAL, EV_ADD, 0, 0, NULL);
	enum macsys_event e = MACSYS_SIGNAL;
	/* ESRCH: it has ended already, and waits to be reaped. */
	if (kevent(queue, want, 1 + HELD_ENDING, NULL, 0, NULL) != 0)
		e = errno == ESRCH ? MACSYS_ENDED : MACSYS_ERROR;
	else if ((*sig = pending()) == 0)
		e = wait_on(queue, timeout_ms, sig);
	close(queue);
	return e;
}

/* The label of a sandbox is inherited by every child, and can be neither shed nor forged. */
static bool
is_of_run(pid_t pid, const char *name, const char *other)
{
	int type = FILTER_GLOBAL_NAME | CHECK_NO_REPORT;
	return sandbox_check(pid, "mach-lookup", type, name) == 0 &&
	       sandbox_check(pid, "mach-lookup", type, other) == 1;
}

size_t
macsys_signal_run(const char *nonce, int sig)
{
	char name[64], other[64];
	pid_t pids[8192];
	size_t n = 0;
	snprintf(name, sizeof(name), "srun.%s", nonce);
	snprintf(other, sizeof(other), "srun.%s.none", nonce);
	int bytes = proc_listpids(PROC_UID_ONLY, getuid(), pids, (int)sizeof(pids));
	for (size_t i = 0; bytes > 0 && i < (size_t)bytes / sizeof(pids[0]); i++)
		if (pids[i] > 1 && pids[i] != getpid() && is_of_run(pids[i], name, other))
			n += kill(pids[i], sig) == 0;
	return n;
}
