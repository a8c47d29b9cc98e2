/*
 * reap.c: runs a command and tells what it leaves behind. It makes itself the subreaper,
 * so that no descendant can get away from it; when the command has ended, whatever still
 * runs after a moment of grace is written to the report, one line a process, and killed.
 *
 *	reap SECONDS REPORT COMMAND [ARG]...
 *
 * After SECONDS, and when it is told to end or its parent has ended, everything is killed.
 * Exits as the command did (128 + signal), 124 when the time was over.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define GRACE_MS  1000
#define TICK_MS   10
#define MAX_PROCS 65536

struct proc {
	pid_t pid, parent;
	bool ours;
};
static struct proc procs[MAX_PROCS];

static volatile sig_atomic_t told_to_end;

static void
on_signal(int sig)
{
	(void)sig;
	told_to_end = 1;
}

/* A shell's background job ignores INT and QUIT, and that would be inherited. */
static void
reset_signals(void)
{
	sigset_t none;
	for (int s = 1; s < NSIG; s++)
		sigaction(s, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static int64_t
now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

/* Parent and state of a process; false when it is gone. */
static bool
read_stat(pid_t pid, pid_t *parent, char *state)
{
	char path[64], text[1024];
	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	ssize_t n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0)
		return false;
	text[n] = '\0';
	/* the name may hold anything, also ')' */
	char *p = strrchr(text, ')');
	int ppid;
	if (!p || sscanf(p + 1, " %c %d", state, &ppid) != 2)
		return false;
	*parent = (pid_t)ppid;
	return true;
}

/* Fills procs; marks our living descendants and returns how many there are. */
static size_t
find_descendants(size_t *total)
{
	size_t n = 0, found = 0;
	struct dirent *e;
	DIR *d = opendir("/proc");
	if (!d)
		return 0;
	while ((e = readdir(d)) && n < MAX_PROCS) {
		char state;
		pid_t pid = (pid_t)strtol(e->d_name, NULL, 10);
		if (!isdigit((unsigned char)e->d_name[0]))
			continue;
		if (read_stat(pid, &procs[n].parent, &state) && state != 'Z' &&
		    state != 'X') {
			procs[n].pid = pid;
			procs[n].ours = false;
			n++;
		}
	}
	closedir(d);
	for (bool more = true; more;) {
		more = false;
		for (size_t i = 0; i < n; i++) {
			bool child = procs[i].parent == getpid();
			for (size_t j = 0; j < n && !child; j++)
				child = procs[j].ours && procs[j].pid == procs[i].parent;
			if (child && !procs[i].ours) {
				procs[i].ours = more = true;
				found++;
			}
		}
	}
	*total = n;
	return found;
}

static void
describe(FILE *f, pid_t pid)
{
	char path[64], text[512];
	snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);
	if (fd >= 0)
		close(fd);
	if (n < 0)
		n = 0;
	for (ssize_t i = 0; i < n; i++)
		if (!isprint((unsigned char)text[i]))
			text[i] = ' ';
	text[n] = '\0';
	fprintf(f, "process %d: %s\n", (int)pid, text);
}

static void
reap_zombies(void)
{
	while (waitpid(-1, NULL, WNOHANG) > 0)
		continue;
}

static void
kill_descendants(void)
{
	size_t n;
	while (find_descendants(&n)) {
		for (size_t i = 0; i < n; i++)
			if (procs[i].ours)
				kill(procs[i].pid, SIGKILL);
		poll(NULL, 0, TICK_MS);
		reap_zombies();
	}
}

/* Until the command has ended: its status, or -1 at the deadline. */
static int
wait_command(pid_t pid, int64_t deadline)
{
	for (;;) {
		int status;
		pid_t p = waitpid(-1, &status, WNOHANG);
		if (p == pid)
			return status;
		if (p > 0)
			continue;
		if (told_to_end || now_ms() > deadline)
			return -1;
		poll(NULL, 0, TICK_MS);
	}
}

int
main(int argc, char **argv)
{
	size_t n;
	if (argc < 4) {
		fputs("usage: reap SECONDS REPORT COMMAND [ARG]...\n", stderr);
		return 125;
	}
	int64_t deadline = now_ms() + strtol(argv[1], NULL, 10) * 1000;
	FILE *report = fopen(argv[2], "we");
	if (!report || prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)) {
		perror("reap");
		return 125;
	}
	struct sigaction sa = {.sa_handler = on_signal};
	for (const int *s = (const int[]){SIGTERM, SIGINT, SIGHUP, 0}; *s; s++)
		sigaction(*s, &sa, NULL);
	prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0);
	pid_t pid = fork();
	if (pid == 0) {
		reset_signals();
		execvp(argv[3], argv + 3);
		perror(argv[3]);
		_exit(127);
	}
	int status = pid < 0 ? -1 : wait_command(pid, deadline);
	if (status == -1) {
		kill_descendants();
		return 124;
	}
	int64_t end = now_ms() + GRACE_MS;
	while (find_descendants(&n) && now_ms() < end) {
		poll(NULL, 0, TICK_MS);
		reap_zombies();
	}
	if (find_descendants(&n)) {
		for (size_t i = 0; i < n; i++)
			if (procs[i].ours)
				describe(report, procs[i].pid);
		kill_descendants();
	}
	fclose(report);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
