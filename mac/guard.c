/*
 * guard.c: the guardian of a run on macOS; see guard.h. Without process namespaces nothing
 * ends with srun, so somebody has to outlive it.
 */
#include "guard.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "macsys.h"

#define ROUNDS 50

static _Noreturn void
watch(int pipe, const char *nonce, const struct tempdirs *temp)
{
	struct arena a = {NULL};
	char word;
	ssize_t n;
	setsid();
	while ((n = read(pipe, &word, 1)) < 0 && errno == EINTR)
		continue;
	if (n != 0)
		_exit(0);
	for (int i = 0, empty = 0; i < ROUNDS && empty < 2; i++) {
		empty = macsys_signal_run(nonce, SIGSTOP) == 0 ? empty + 1 : 0;
		macsys_signal_run(nonce, SIGKILL);
	}
	tempdirs_remove(&a, temp, NULL);
	_exit(0);
}

int
guard_start(const char *nonce, const struct tempdirs *temp)
{
	int pair[2];
	if (pipe(pair) != 0)
		return -1;
	(void)fcntl(pair[1], F_SETFD, FD_CLOEXEC);
	pid_t pid = fork();
	if (pid == 0) {
		close(pair[1]);
		watch(pair[0], nonce, temp);
	}
	close(pair[0]);
	if (pid < 0) {
		close(pair[1]);
		return -1;
	}
	return pair[1];
}

void
guard_dismiss(int guard)
{
	(void)!write(guard, "", 1);
	close(guard);
}
