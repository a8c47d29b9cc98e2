/*
 * compat.h: names that Linux's headers have and those of macOS lack, put before every
 * room that is compiled for a Mac. Declarations only; no room knows of it.
 */
#ifndef SRUN_MAC_COMPAT_H
#define SRUN_MAC_COMPAT_H

#include <sys/types.h>
#include <unistd.h>

#define st_mtim               st_mtimespec
#define st_ctim               st_ctimespec
#define CLOCK_REALTIME_COARSE CLOCK_REALTIME
/* Only for directories of the caller's own, which can be read as well as named. */
#define O_PATH O_RDONLY

/* Calls by number, which scan.c makes: mac/getdents.c has them. */
#define SYS_getdents64 1
#define SYS_ioctl      2
#define syscall        mac_syscall
long mac_syscall(long number, ...);

int getentropy(void *buffer, size_t size);

static inline ssize_t
getrandom(void *buffer, size_t size, unsigned flags)
{
	return flags == 0 && getentropy(buffer, size) == 0 ? (ssize_t)size : -1;
}

#endif
