/*
 * getdents.c: the two system calls that scan.c makes by number, on macOS: reading a
 * directory in large pieces, and whether names in it fold their case.
 *
 * A record of macOS is (ino 8, seekoff 8, reclen 2, namlen 2, type 1, name), one of Linux
 * (ino 8, off 8, reclen 2, type 1, name): each is turned into the other where it lies.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#define TYPE_MAC   20
#define TYPE_LINUX 18
#define NAME_MAC   21
#define NAME_LINUX 19
#define RECLEN     16
#define FOLDS_FLAG 0x40000000UL /* FS_CASEFOLD_FL */

/* Exported by libSystem for readdir(3)'s sake, without a header. */
ssize_t __getdirentries64(int fd, void *buffer, size_t size, off_t *base);

static long
read_entries(int fd, char *buffer, size_t size)
{
	off_t base = 0;
	ssize_t n = __getdirentries64(fd, buffer, size, &base);
	for (ssize_t at = 0; at < n;) {
		char *record = buffer + at;
		uint16_t len;
		memcpy(&len, record + RECLEN, sizeof(len));
		if (len <= NAME_MAC || len > n - at) {
			errno = EIO;
			return -1;
		}
		record[TYPE_LINUX] = record[TYPE_MAC];
		memmove(record + NAME_LINUX, record + NAME_MAC, (size_t)len - NAME_MAC);
		record[len - 1] = '\0';
		at += len;
	}
	return (long)n;
}

long
mac_syscall(long number, ...)
{
	va_list ap;
	va_start(ap, number);
	int fd = va_arg(ap, int);
	long result = 0;
	if (number == SYS_getdents64) {
		char *buffer = va_arg(ap, char *);
		result = read_entries(fd, buffer, va_arg(ap, size_t));
	} else {
		(void)va_arg(ap, unsigned);
		/* Nobody knows (-1): then they fold, as on most disks of a Mac. */
		*va_arg(ap, unsigned long *) =
		    fpathconf(fd, _PC_CASE_SENSITIVE) == 1 ? 0 : FOLDS_FLAG;
	}
	va_end(ap);
	return result;
}
