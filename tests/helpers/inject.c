/*
 * inject.c: asks the terminal on stdin for what types into it. Says "ok" or the errno's
 * name, exit 0 or 1.
 *	inject sti|linux HIGH      HIGH is added to the request's number
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int
main(int argc, char **argv)
{
	if (argc != 3) {
		fputs("usage: inject sti|linux HIGH\n", stderr);
		return 2;
	}
	/* The shift state: a read, where there is a console at all. */
	char byte = strcmp(argv[1], "sti") == 0 ? '\n' : 6;
	unsigned long request = strcmp(argv[1], "sti") == 0 ? TIOCSTI : TIOCLINUX;
	request += strtoul(argv[2], NULL, 0);
	if (syscall(SYS_ioctl, 0, request, &byte) >= 0) {
		puts("ok");
		return 0;
	}
	if (errno == EPERM)
		puts("EPERM");
	else if (errno == ENOTTY)
		puts("ENOTTY");
	else
		puts(strerror(errno));
	return 1;
}
