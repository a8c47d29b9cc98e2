/*
 * standin.h: macsys.h on Linux, for tests: in a sandbox is who was told so by
 * fake-sandbox-exec, and of a run is whose environment has its SRUN_ID.
 */
#ifndef SRUN_TEST_STANDIN_H
#define SRUN_TEST_STANDIN_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "macsys.h"
#include "sys.h"

bool
macsys_is_sandboxed(void)
{
	return getenv("FAKE_SANDBOXED") != NULL;
}

int
macsys_spawn(pid_t *pid, const char *file, char *const argv[], char *const envp[],
    const int *fds, size_t nfds)
{
	int pair[2], err = 0;
	if (pipe2(pair, O_CLOEXEC) != 0)
		return errno;
	*pid = fork();
	if (*pid == 0) {
		int keep[16] = {pair[1]};
		setpgid(0, 0);
		for (size_t i = 0; i < nfds; i++) {
			keep[i + 1] = fds[i];
			fcntl(fds[i], F_SETFD, 0);
		}
		sys_close_except(keep, nfds + 1);
		execve(file, argv, envp);
		err = errno;
		(void)!write(pair[1], &err, sizeof(err));
		_exit(127);
	}
	setpgid(*pid, *pid);
	close(pair[1]);
	if (read(pair[0], &err, sizeof(err)) == (ssize_t)sizeof(err))
		waitpid(*pid, NULL, 0);
	close(pair[0]);
	return err;
}

static inline sigset_t
standin_signals(void)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	return set;
}

bool
macsys_hold_signals(void)
{
	sigset_t set = standin_signals();
	sigaddset(&set, SIGPIPE);
	return sigprocmask(SIG_BLOCK, &set, NULL) == 0;
}

enum macsys_event
macsys_wait(pid_t child, int64_t timeout_ms, int *sig)
{
	sigset_t set = standin_signals();
	int64_t end = sys_now_ms() + timeout_ms;
	for (;;) {
		siginfo_t info = {.si_pid = 0};
		if (waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
		    info.si_pid == child)
			return MACSYS_ENDED;
		int64_t left = timeout_ms < 0 ? 1000 : end - sys_now_ms();
		if (left <= 0)
			return MACSYS_TIME;
		struct timespec t = {left / 1000, left % 1000 * 1000000};
		int got = sigtimedwait(&set, NULL, &t);
		if (got > 0 && got != SIGCHLD) {
			*sig = got;
			return MACSYS_SIGNAL;
		}
	}
}

size_t
macsys_signal_run(const char *nonce, int sig)
{
	char want[100], path[300], data[65536];
	size_t n = 0;
	DIR *d = opendir("/proc");
	snprintf(want, sizeof(want), "SRUN_ID=%s", nonce);
	for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL;) {
		int pid = (int)strtol(e->d_name, NULL, 10);
		snprintf(path, sizeof(path), "/proc/%s/environ", e->d_name);
		int fd =
		    pid > 0 && pid != getpid() ? open(path, O_RDONLY | O_CLOEXEC) : -1;
		if (fd < 0)
			continue;
		ssize_t len = read(fd, data, sizeof(data) - 1);
		close(fd);
		if (len <= 0)
			continue;
		data[len] = '\0';
		for (char *p = data; p < data + len; p += strlen(p) + 1)
			if (strcmp(p, want) == 0) {
				n += kill(pid, sig) == 0;
				break;
			}
	}
	if (d != NULL)
		closedir(d);
	return n;
}

#endif
