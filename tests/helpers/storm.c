/*
 * storm.c: starts a command again and again and sends it, or one of its descendants, a
 * signal at a random moment; then everything that descends from it has to be gone. Nothing
 * escapes the count: orphans come to this process, which is a subreaper.
 *
 *	storm [-n RUNS] [-m MICROSECONDS] [-s SIGNAL] [-v I] [-w MS] [-x]
 *	      COMMAND [ARG]...
 *
 *	-n  how often (100)          -m  the moment is below this (20000)
 *	-s  the signal (9)           -v  the victim is descendant number I of the tree, counted
 *	                                 from 1, nearest first; 0: any of them
 *	-x  the command itself is killed a moment after the victim
 *	-w  the moment is not before so many milliseconds (0)
 *
 * Prints what was left, a process a line, and at the end "RUNS runs, LEFT left, WORST ms".
 * Exit 1 if anything was left.
 */
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

#define GONE_MS     4000 /* from the signal until nothing may be left */
#define TICK_MS     2
#define VICTIMS_MAX 64

struct plan {
	long runs, below_us, after_ms;
	int sig;
	long descendant; /* -1: the command itself */
	bool command_too;
	char **argv;
};

static int64_t
now_us(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000LL + t.tv_nsec / 1000;
}

static void
pause_us(int64_t us)
{
	nanosleep(&(struct timespec){us / 1000000, us % 1000000 * 1000}, NULL);
}

/* All that descend from pid, nearest first; how many. */
static size_t
descendants(pid_t pid, pid_t *out, size_t max)
{
	size_t n = 0, next = 0;
	for (pid_t of = pid;; of = out[next++]) {
		char path[64];
		int child;
		snprintf(path, sizeof(path), "/proc/%d/task/%d/children", of, of);
		FILE *f = fopen(path, "re");
		while (f != NULL && n < max && fscanf(f, "%d", &child) == 1)
			out[n++] = child;
		if (f != NULL)
			fclose(f);
		if (next == n)
			return n;
	}
}

static void
say_process(pid_t pid)
{
	char path[64], text[256] = "";
	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	FILE *f = fopen(path, "re");
	if (f != NULL) {
		(void)!fgets(text, sizeof(text), f);
		fclose(f);
	}
	printf("left: %.80s\n", text);
}

/* Reaps until there is nobody; what is there after GONE_MS is said and killed. */
static size_t
await_nobody(int64_t since)
{
	pid_t left[VICTIMS_MAX];
	for (;;) {
		pid_t pid = waitpid(-1, NULL, WNOHANG);
		if (pid < 0)
			return 0;
		if (pid > 0)
			continue;
		if (now_us() - since > GONE_MS * 1000LL)
			break;
		poll(NULL, 0, TICK_MS);
	}
	size_t n = descendants(getpid(), left, VICTIMS_MAX);
	for (size_t i = 0; i < n; i++)
		say_process(left[i]);
	for (size_t i = 0; i < n; i++)
		kill(left[i], SIGKILL);
	while (waitpid(-1, NULL, 0) > 0)
		;
	return n;
}

static size_t
one_run(const struct plan *p, int64_t *took)
{
	pid_t victims[VICTIMS_MAX];
	pid_t pid = fork();
	if (pid == 0) {
		int null = open("/dev/null", O_RDWR);
		for (int fd = 0; fd <= 2; fd++)
			dup2(null, fd);
		close(null);
		execvp(p->argv[0], p->argv);
		_exit(127);
	}
	pause_us(p->after_ms * 1000 + rand() % p->below_us);
	pid_t victim = pid;
	if (p->descendant >= 0) {
		size_t n = descendants(pid, victims, VICTIMS_MAX);
		size_t i = p->descendant > 0 ? (size_t)p->descendant - 1
		           : n > 0           ? (size_t)rand() % n
		                             : 0;
		victim = i < n ? victims[i] : 0;
	}
	if (victim > 0)
		kill(victim, p->sig);
	if (p->command_too) {
		pause_us(rand() % p->below_us);
		kill(pid, SIGKILL);
	}
	int64_t since = now_us();
	size_t left = await_nobody(since);
	*took = now_us() - since;
	return left;
}

int
main(int argc, char **argv)
{
	struct plan p = {
	    .runs = 100, .below_us = 20000, .sig = SIGKILL, .descendant = -1};
	int64_t worst = 0, took;
	size_t left = 0;
	int c;
	while ((c = getopt(argc, argv, "+n:m:s:v:w:x")) != -1)
		switch (c) {
		case 'n':
			p.runs = strtol(optarg, NULL, 10);
			break;
		case 'm':
			p.below_us = strtol(optarg, NULL, 10);
			break;
		case 's':
			p.sig = (int)strtol(optarg, NULL, 10);
			break;
		case 'v':
			p.descendant = strtol(optarg, NULL, 10);
			break;
		case 'w':
			p.after_ms = strtol(optarg, NULL, 10);
			break;
		case 'x':
			p.command_too = true;
			break;
		default:
			return 2;
		}
	p.argv = argv + optind;
	if (optind >= argc || p.runs < 1 || p.below_us < 1) {
		fputs("usage: storm [OPTION]... COMMAND [ARG]...\n", stderr);
		return 2;
	}
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	srand((unsigned)getpid());
	for (long i = 0; i < p.runs; i++) {
		left += one_run(&p, &took);
		worst = took > worst ? took : worst;
	}
	printf("%ld runs, %zu left, %lld ms\n", p.runs, left, (long long)(worst / 1000));
	return left > 0;
}
