/*
 * folds.c: what scan.h says of file systems, on macOS: whether "A" and "a" are one name.
 */
#include <fcntl.h>
#include <sys/mount.h>
#include <string.h>
#include <unistd.h>

#include "scan.h"

bool
scan_directory_folds(int fd)
{
	/* 0: it folds. Nobody knows (-1): then it folds, as most disks of a Mac do. */
	return fpathconf(fd, _PC_CASE_SENSITIVE) != 1;
}

bool
scan_file_system_folds(int fd)
{
	return scan_directory_folds(fd);
}

bool
scan_is_kernels(int fd)
{
	struct statfs fs;
	return fstatfs(fd, &fs) == 0 && strcmp(fs.f_fstypename, "devfs") == 0;
}
