/*
 * pty.c: a person at a terminal. Runs a command as the session leader of a new terminal,
 * types and waits for what is said, and ends as the command ended.
 *
 *	pty [STEP]... -- COMMAND [ARG]...
 *
 *	=TEXT    type TEXT: \n is return, \cX is control-X, \\ a backslash
 *	?TEXT    wait until TEXT has been said (after what the last such step found)
 *	~MS      wait
 *	@PATH    wait until PATH exists
 *	+PATH    make PATH, an empty file
 *	#RxC     the window has R rows and C columns now
 *	close    hang up
 *
 * What was said goes to stdout without carriage returns. A wait of more than 15 s ends
 * everything: a message, and exit 99. Typed text is not echoed unless the command wants it.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define WAIT_MS    15000
#define TICK_MS    10
#define SAID_LIMIT (4U << 20)
#define DRAIN_MS   300 /* after the command's end, for what others still say */

static char said[SAID_LIMIT + 1];
static size_t said_len, seen;
static int master;
static pid_t child;
static int status;
static bool over;

static int64_t
now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

static void
take_status(void)
{
	if (!over && waitpid(child, &status, WNOHANG) == child)
		over = true;
}

/* Reads what there is, for at most ms; false when nobody has the terminal any more. */
static bool
listen_for(int ms)
{
	struct pollfd p = {.fd = master, .events = POLLIN};
	if (master < 0 || poll(&p, 1, ms) <= 0)
		return master >= 0;
	char buf[4096];
	ssize_t n = read(master, buf, sizeof(buf));
	if (n <= 0)
		return false;
	for (ssize_t i = 0; i < n && said_len < SAID_LIMIT; i++)
		if (buf[i] != '\r' && buf[i] != '\0')
			said[said_len++] = buf[i];
	said[said_len] = '\0';
	return true;
}

static _Noreturn void
finish(int code)
{
	fwrite(said, 1, said_len, stdout);
	if (said_len > 0 && said[said_len - 1] != '\n')
		putchar('\n');
	exit(code);
}

static _Noreturn void
give_up(const char *step)
{
	printf("pty: nothing came of '%s' in %d s; said so far:\n", step, WAIT_MS / 1000);
	close(master);
	kill(-child, SIGKILL);
	kill(child, SIGKILL);
	finish(99);
}

static void
type(const char *text)
{
	for (; *text != '\0'; text++) {
		char c = *text;
		if (c == '\\' && text[1] == 'n') {
			c = '\r';
			text++;
		} else if (c == '\\' && text[1] == 'c' && text[2] != '\0') {
			c = (char)(text[2] & 31);
			text += 2;
		} else if (c == '\\' && text[1] == '\\') {
			text++;
		}
		if (write(master, &c, 1) != 1)
			return;
	}
}

static void
expect(const char *step)
{
	const char *text = step + 1, *found;
	int64_t end = now_ms() + WAIT_MS;
	while ((found = strstr(said + seen, text)) == NULL) {
		take_status();
		if (now_ms() > end || (!listen_for(TICK_MS) && over))
			give_up(step);
	}
	seen = (size_t)(found - said) + strlen(text);
}

static void
pause_ms(int64_t ms)
{
	int64_t end = now_ms() + ms;
	while (now_ms() < end)
		if (!listen_for(TICK_MS))
			poll(NULL, 0, TICK_MS);
}

static void
await_file(const char *step)
{
	int64_t end = now_ms() + WAIT_MS;
	while (access(step + 1, F_OK) != 0) {
		if (now_ms() > end)
			give_up(step);
		if (!listen_for(TICK_MS))
			poll(NULL, 0, TICK_MS);
	}
}

static void
take_step(const char *s)
{
	unsigned rows, cols;
	if (s[0] == '=') {
		type(s + 1);
	} else if (s[0] == '?') {
		expect(s);
	} else if (s[0] == '~') {
		pause_ms(strtol(s + 1, NULL, 10));
	} else if (s[0] == '@') {
		await_file(s);
	} else if (s[0] == '+') {
		close(open(s + 1, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	} else if (sscanf(s, "#%ux%u", &rows, &cols) == 2) {
		struct winsize w = {
		    .ws_row = (unsigned short)rows, .ws_col = (unsigned short)cols};
		ioctl(master, TIOCSWINSZ, &w);
	} else if (strcmp(s, "close") == 0) {
		close(master);
		master = -1;
	} else {
		fprintf(stderr, "pty: '%s' is no step\n", s);
		exit(2);
	}
}

static _Noreturn void
become_command(char **argv)
{
	struct termios t;
	int slave;
	setsid();
	slave = open(ptsname(master), O_RDWR);
	if (slave < 0 || ioctl(slave, TIOCSCTTY, 0) != 0 || tcgetattr(slave, &t) != 0)
		_exit(98);
	t.c_lflag &= ~(tcflag_t)ECHO;
	tcsetattr(slave, TCSANOW, &t);
	for (int fd = 0; fd <= 2; fd++)
		dup2(slave, fd);
	close(slave);
	/* The test may itself run where these are ignored. */
	for (int s = 1; s < 32; s++)
		sigaction(s, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
	execvp(argv[0], argv);
	perror(argv[0]);
	_exit(127);
}

int
main(int argc, char **argv)
{
	int command = 1;
	while (command < argc && strcmp(argv[command], "--") != 0)
		command++;
	if (command + 1 >= argc) {
		fputs("usage: pty [STEP]... -- COMMAND [ARG]...\n", stderr);
		return 2;
	}
	master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0) {
		perror("pty");
		return 2;
	}
	ioctl(master, TIOCSWINSZ, &(struct winsize){.ws_row = 24, .ws_col = 80});
	child = fork();
	if (child == 0)
		become_command(argv + command + 1);
	/* Without the slave's other end open yet, a read would say that nobody is there. */
	while (!over && !listen_for(TICK_MS))
		take_status();
	for (int i = 1; i < command; i++)
		take_step(argv[i]);
	int64_t end = now_ms() + WAIT_MS;
	while (!over) {
		take_status();
		if (now_ms() > end)
			give_up("the end");
		if (!listen_for(TICK_MS))
			poll(NULL, 0, TICK_MS);
	}
	end = now_ms() + DRAIN_MS;
	while (now_ms() < end && listen_for(TICK_MS))
		;
	finish(WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
}
