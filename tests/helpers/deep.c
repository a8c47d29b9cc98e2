/*
 * deep.c: makes COUNT directories, each in the one before, and a file in the last. A shell
 * cannot: the path of its working directory must fit into 4,096 bytes.
 *	deep COUNT
 *	deep read       goes down as far as there are such directories and opens the file
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int
main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	if (strcmp(argv[1], "read") == 0) {
		while (chdir("d") == 0)
			;
		puts(open("f", O_RDONLY | O_CLOEXEC) >= 0 ? "ok" : "no");
		return 0;
	}
	for (long i = strtol(argv[1], NULL, 10); i > 0; i--)
		if (mkdir("d", 0700) != 0 || chdir("d") != 0) {
			perror("deep");
			return 1;
		}
	return open("f", O_WRONLY | O_CREAT | O_CLOEXEC, 0600) < 0;
}
