/*
 * headless.c: leaves a process behind whose first thread has ended while another one goes
 * on, which /proc shows as a zombie; then becomes the command.
 *	headless COMMAND [ARG]...
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static void *
stay(void *unused)
{
	(void)unused;
	sleep(60);
	return NULL;
}

int
main(int argc, char **argv)
{
	pthread_t t;
	if (argc < 2)
		return 2;
	if (fork() == 0) {
		if (pthread_create(&t, NULL, stay, NULL) == 0)
			pthread_exit(NULL);
		_exit(1);
	}
	/* Until the first thread is gone. */
	usleep(200000);
	execvp(argv[1], argv + 1);
	perror(argv[1]);
	return 127;
}
