/*
 * scratch.h: for tests that need a directory: a fresh one, and an ordinary user to be in
 * it, since root is stopped by no mode.
 */
#ifndef SRUN_TEST_SCRATCH_H
#define SRUN_TEST_SCRATCH_H

#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define SCRATCH_UID 1500 /* belongs to nobody */

/* Makes the directory, goes there, and is no longer root if it was. Ends the test if not. */
static inline const char *
scratch_enter(void)
{
	static char dir[] = "/tmp/t-unit.XXXXXX";

	if (mkdtemp(dir) == NULL || chdir(dir) != 0) {
		printf("Bail out! no scratch directory\n");
		exit(1);
	}
	if (getuid() == 0 && chown(dir, SCRATCH_UID, SCRATCH_UID) == 0 &&
	    setgroups(0, NULL) == 0 &&
	    setresgid(SCRATCH_UID, SCRATCH_UID, SCRATCH_UID) == 0 &&
	    setresuid(SCRATCH_UID, SCRATCH_UID, SCRATCH_UID) != 0) {
		printf("Bail out! cannot become an ordinary user\n");
		exit(1);
	}
	return dir;
}

/* An empty file. */
static inline bool
scratch_file(const char *name)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

#endif
