/*
 * life.c: a parent that sees exactly how its child ends: "exit 3", "signal TERM", and
 * before that "stopped TSTP" each time it stops (it is continued then).
 *
 *	life [-i SIGNAL]... [-b SIGNAL]... [-k SIGNAL:MS]... [-g] [-z] COMMAND [ARG]...
 *
 *	-i  the child starts with the signal ignored     -b  ... blocked
 *	-k  sends it the signal after MS milliseconds
 *	-g  the child gets a process group of its own
 *	-z  afterwards says "zombies N": how many the child had, just before it ended
 */
#include <dirent.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_KILLS 16
#define TICK_MS   2

static const struct {
	const char *name;
	int sig;
} names[] = {{"HUP", SIGHUP}, {"INT", SIGINT}, {"QUIT", SIGQUIT}, {"ILL", SIGILL},
    {"TRAP", SIGTRAP}, {"ABRT", SIGABRT}, {"BUS", SIGBUS}, {"FPE", SIGFPE},
    {"KILL", SIGKILL}, {"USR1", SIGUSR1}, {"SEGV", SIGSEGV}, {"USR2", SIGUSR2},
    {"PIPE", SIGPIPE}, {"ALRM", SIGALRM}, {"TERM", SIGTERM}, {"CHLD", SIGCHLD},
    {"CONT", SIGCONT}, {"STOP", SIGSTOP}, {"TSTP", SIGTSTP}, {"TTIN", SIGTTIN},
    {"TTOU", SIGTTOU}, {"XCPU", SIGXCPU}, {"XFSZ", SIGXFSZ}, {"WINCH", SIGWINCH},
    {"SYS", SIGSYS}};
#define NAMES (sizeof(names) / sizeof(names[0]))

static int
signal_number(const char *s, size_t n)
{
	for (size_t i = 0; i < NAMES; i++)
		if (strlen(names[i].name) == n && strncmp(names[i].name, s, n) == 0)
			return names[i].sig;
	fprintf(stderr, "life: '%s' is no signal\n", s);
	exit(2);
}

static const char *
signal_name(int sig)
{
	static char number[16];
	for (size_t i = 0; i < NAMES; i++)
		if (names[i].sig == sig)
			return names[i].name;
	snprintf(number, sizeof(number), "%d", sig);
	return number;
}

static int64_t
now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

static unsigned
count_zombies(pid_t of)
{
	unsigned n = 0;
	DIR *d = opendir("/proc");
	for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL;) {
		char path[300], text[512], state;
		int parent;
		snprintf(path, sizeof(path), "/proc/%s/stat", e->d_name);
		FILE *f =
		    e->d_name[0] >= '1' && e->d_name[0] <= '9' ? fopen(path, "re") : NULL;
		size_t len = f != NULL ? fread(text, 1, sizeof(text) - 1, f) : 0;
		text[len] = '\0';
		char *p = strrchr(text, ')');
		if (p != NULL && sscanf(p + 1, " %c %d", &state, &parent) == 2)
			n += state == 'Z' && parent == (int)of;
		if (f != NULL)
			fclose(f);
	}
	if (d != NULL)
		closedir(d);
	return n;
}

struct plan {
	struct {
		int sig;
		int64_t at_ms;
	} kills[MAX_KILLS];
	size_t nkills;
	sigset_t ignored, blocked;
	bool own_group, count;
};

static _Noreturn void
become(const struct plan *p, char **argv)
{
	if (p->own_group)
		setpgid(0, 0);
	for (int s = 1; s < 32; s++)
		sigaction(s,
		    &(struct sigaction){.sa_handler = sigismember(&p->ignored, s) == 1
		                                          ? SIG_IGN
		                                          : SIG_DFL},
		    NULL);
	sigprocmask(SIG_SETMASK, &p->blocked, NULL);
	execvp(argv[0], argv);
	perror(argv[0]);
	_exit(127);
}

static int
watch(struct plan *p, pid_t pid)
{
	int64_t begin = now_ms();
	unsigned zombies = 0;
	for (;;) {
		int status;
		pid_t got = waitpid(pid, &status, WNOHANG | WUNTRACED);
		if (got == pid && WIFSTOPPED(status)) {
			printf("stopped %s\n", signal_name(WSTOPSIG(status)));
			fflush(stdout);
			kill(p->own_group ? -pid : pid, SIGCONT);
			continue;
		}
		if (got == pid && p->count)
			printf("zombies %u\n", zombies);
		if (got == pid)
			return status;
		if (p->count)
			zombies = count_zombies(pid);
		for (size_t i = 0; i < p->nkills; i++)
			if (p->kills[i].at_ms >= 0 &&
			    now_ms() - begin >= p->kills[i].at_ms) {
				kill(pid, p->kills[i].sig);
				p->kills[i].at_ms = -1;
			}
		poll(NULL, 0, TICK_MS);
	}
}

int
main(int argc, char **argv)
{
	struct plan p = {.nkills = 0};
	int c;
	while ((c = getopt(argc, argv, "+i:b:k:gz")) != -1)
		switch (c) {
		case 'i':
			sigaddset(&p.ignored, signal_number(optarg, strlen(optarg)));
			break;
		case 'b':
			sigaddset(&p.blocked, signal_number(optarg, strlen(optarg)));
			break;
		case 'k': {
			size_t n = strcspn(optarg, ":");
			if (p.nkills == MAX_KILLS || optarg[n] == '\0')
				return 2;
			p.kills[p.nkills].sig = signal_number(optarg, n);
			p.kills[p.nkills++].at_ms = strtol(optarg + n + 1, NULL, 10);
			break;
		}
		case 'g':
			p.own_group = true;
			break;
		case 'z':
			p.count = true;
			break;
		default:
			return 2;
		}
	if (optind >= argc) {
		fputs("usage: life [OPTION]... COMMAND [ARG]...\n", stderr);
		return 2;
	}
	pid_t pid = fork();
	if (pid == 0)
		become(&p, argv + optind);
	int status = watch(&p, pid);
	if (WIFSIGNALED(status))
		printf("signal %s\n", signal_name(WTERMSIG(status)));
	else
		printf("exit %d\n", WEXITSTATUS(status));
	return 0;
}
