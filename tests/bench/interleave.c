/*
 * interleave.c: times commands one after the other, round after round, so that noise of
 * the machine meets all of them alike; prints each one's minimum, median and p99, and the
 * median's ratio to the first.
 *
 * usage: interleave FD FILE ROUNDS COMMAND [ARG]... ["---" COMMAND [ARG]...]...
 * Each command finds FILE open for reading on descriptor FD.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define COMMANDS 16
#define WARM_UP  3

static double
now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int
compare(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;
	return (a > b) - (a < b);
}

static double
run(int fd, const char *file, char **argv)
{
	int status;
	double begin = now_ms();
	pid_t pid = fork();
	if (pid == 0) {
		int from = open(file, O_RDONLY);
		if (from < 0 || dup2(from, fd) < 0)
			_exit(126);
		execvp(argv[0], argv);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0) {
		fprintf(stderr, "interleave: %s failed\n", argv[0]);
		exit(1);
	}
	return now_ms() - begin;
}

int
main(int argc, char **argv)
{
	char **command[COMMANDS];
	double *took[COMMANDS], first = 0;
	int n = 0;
	long rounds = argc > 4 ? strtol(argv[3], NULL, 10) : 0;
	if (rounds < 1) {
		fprintf(stderr, "usage: interleave FD FILE ROUNDS COMMAND... [--- COMMAND...]\n");
		return 2;
	}
	command[n++] = argv + 4;
	for (int i = 4; i < argc; i++)
		if (strcmp(argv[i], "---") == 0 && n < COMMANDS) {
			argv[i] = NULL;
			command[n++] = argv + i + 1;
		}
	for (int k = 0; k < n; k++)
		took[k] = calloc((size_t)rounds, sizeof(double));
	for (long i = -WARM_UP; i < rounds; i++)
		for (int k = 0; k < n; k++) {
			double ms = run((int)strtol(argv[1], NULL, 10), argv[2], command[k]);
			if (i >= 0)
				took[k][i] = ms;
		}
	printf("%-28s %8s %8s %8s %8s\n", "ms", "min", "median", "p99", "ratio");
	for (int k = 0; k < n; k++) {
		double *t = took[k];
		qsort(t, (size_t)rounds, sizeof(double), compare);
		if (k == 0)
			first = t[rounds / 2];
		printf("%-28.28s %8.2f %8.2f %8.2f %8.2f\n", command[k][0], t[0], t[rounds / 2],
		    t[rounds * 99 / 100], t[rounds / 2] / first);
		free(t);
	}
	return 0;
}
