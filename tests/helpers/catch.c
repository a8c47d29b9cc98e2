/*
 * catch.c: writes the name of every signal that reaches it, one a line, as often as it
 * comes, into a file. Starts with "ready", ends with exit 0 when FILE.end exists.
 *	catch FILE
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int out;

static const struct {
	const char *line;
	int sig;
} names[] = {{"HUP\n", SIGHUP}, {"INT\n", SIGINT}, {"QUIT\n", SIGQUIT},
    {"USR1\n", SIGUSR1}, {"USR2\n", SIGUSR2}, {"TERM\n", SIGTERM}, {"CONT\n", SIGCONT},
    {"TSTP\n", SIGTSTP}, {"TTIN\n", SIGTTIN}, {"TTOU\n", SIGTTOU}, {"WINCH\n", SIGWINCH},
    {"PIPE\n", SIGPIPE}, {"ALRM\n", SIGALRM}, {"CHLD\n", SIGCHLD}};
#define NAMES (sizeof(names) / sizeof(names[0]))

static void
on_signal(int sig)
{
	for (size_t i = 0; i < NAMES; i++)
		if (names[i].sig == sig)
			(void)!write(out, names[i].line, strlen(names[i].line));
}

int
main(int argc, char **argv)
{
	char end[4096];
	if (argc != 2 ||
	    (size_t)snprintf(end, sizeof(end), "%s.end", argv[1]) >= sizeof(end))
		return 2;
	out = open(argv[1], O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (out < 0)
		return 2;
	for (size_t i = 0; i < NAMES; i++)
		sigaction(
		    names[i].sig, &(struct sigaction){.sa_handler = on_signal}, NULL);
	(void)!write(out, "ready\n", 6);
	while (access(end, F_OK) != 0)
		poll(NULL, 0, 10);
	return 0;
}
