/*
 * startcost.c: how long it takes from the start of a program to that of the command it
 * starts, and from there to its end: medians in microseconds, "START END", a line for each.
 *
 * usage: startcost ROUNDS COMMAND [ARG]... ["---" COMMAND [ARG]...]...
 *        startcost --clock       what each COMMAND has to run: prints the time
 * One round after the other, so that noise of the machine meets all of them alike.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define COMMANDS 8
#define ROUNDS   500

struct sample {
	int64_t start[ROUNDS], end[ROUNDS];
};

static int64_t
now_us(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static int
compare(const void *x, const void *y)
{
	int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;
	return (a > b) - (a < b);
}

static void
run(char **argv, int64_t *start, int64_t *end)
{
	int out[2], status;
	char text[32] = "";
	int64_t begin = now_us();
	if (pipe(out) != 0)
		exit(2);
	pid_t pid = fork();
	if (pid == 0) {
		dup2(out[1], 1);
		close(out[0]);
		close(out[1]);
		execvp(argv[0], argv);
		_exit(127);
	}
	close(out[1]);
	if (pid < 0 || read(out[0], text, sizeof(text) - 1) <= 0 ||
	    waitpid(pid, &status, 0) != pid || status != 0)
		exit(2);
	int64_t finish = now_us(), started = strtoll(text, NULL, 10);
	close(out[0]);
	*start = started - begin;
	*end = finish - started;
}

int
main(int argc, char **argv)
{
	char **commands[COMMANDS];
	static struct sample samples[COMMANDS];
	int n = 0, rounds = argc > 2 ? (int)strtol(argv[1], NULL, 10) : 0;

	if (argc == 2 && strcmp(argv[1], "--clock") == 0)
		return printf("%lld\n", (long long)now_us()) > 0 ? 0 : 1;
	if (rounds < 1 || rounds > ROUNDS)
		return 2;
	commands[n++] = &argv[2];
	for (int i = 2; i < argc; i++)
		if (strcmp(argv[i], "---") == 0 && n < COMMANDS) {
			argv[i] = NULL;
			commands[n++] = &argv[i + 1];
		}
	for (int r = 0; r < rounds; r++)
		for (int i = 0; i < n; i++)
			run(commands[i], &samples[i].start[r], &samples[i].end[r]);
	for (int i = 0; i < n; i++) {
		qsort(samples[i].start, (size_t)rounds, sizeof(int64_t), compare);
		qsort(samples[i].end, (size_t)rounds, sizeof(int64_t), compare);
		printf("%lld %lld\n", (long long)samples[i].start[rounds / 2],
		    (long long)samples[i].end[rounds / 2]);
	}
	return 0;
}
