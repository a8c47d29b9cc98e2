/*
 * headless.c: leaves a process behind whose first thread has ended while another one goes
 * on, which /proc shows as a zombie; then becomes the command.
 *	headless COMMAND [ARG]...
 */
#include <sched.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#define STACK_BYTES 65536

static char stack[STACK_BYTES] __attribute__((aligned(16)));

static int
stay(void *unused)
{
	(void)unused;
	sleep(60);
	syscall(SYS_exit_group, 0);
	return 0;
}

int
main(int argc, char **argv)
{
	const int thread =
	    CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD;
	if (argc < 2)
		return 2;
	if (fork() == 0) {
		if (clone(stay, stack + STACK_BYTES, thread, NULL) > 0)
			/* Not exit(3): that is for the whole process. */
			syscall(SYS_exit, 0);
		_exit(1);
	}
	/* Until the first thread is gone. */
	usleep(200000);
	execvp(argv[1], argv + 1);
	perror(argv[1]);
	return 127;
}
