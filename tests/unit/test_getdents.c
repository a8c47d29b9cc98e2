/*
 * test_getdents: records of a directory as macOS has them, turned into those of Linux where
 * they lie. The system call is a stand-in.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "tap.h"

/* As mac/compat.h has them; the real ones are of this system. */
#define SYS_getdents64 1
long mac_syscall(long number, ...);
ssize_t __getdirentries64(int fd, void *buffer, size_t size, off_t *base);
#define _PC_CASE_SENSITIVE  0
#define fpathconf(fd, name) ((fd) == 7 ? 1L : (fd) == 8 ? 0L : -1L)
#include "../../mac/getdents.c" /* NOLINT */

/* As scan.c has it. */
struct raw_dirent {
	uint64_t ino;
	int64_t off;
	unsigned short len;
	unsigned char type;
	char name[];
};

static char records[4096];
static size_t records_len;

static void
add(uint64_t ino, unsigned char type, const char *name)
{
	char *r = records + records_len;
	uint16_t namlen = (uint16_t)strlen(name);
	uint16_t reclen = (uint16_t)((21 + namlen + 1 + 7) / 8 * 8);
	memset(r, 0, reclen);
	memcpy(r, &ino, 8);
	memcpy(r + 16, &reclen, 2);
	memcpy(r + 18, &namlen, 2);
	r[20] = (char)type;
	memcpy(r + 21, name, namlen + 1U);
	records_len += reclen;
}

ssize_t
__getdirentries64(int fd, void *buffer, size_t size, off_t *base)
{
	(void)fd;
	*base = 0;
	if (records_len > size)
		return -1;
	memcpy(buffer, records, records_len);
	return (ssize_t)records_len;
}

static void
test_records(void)
{
	static const char *const names[] = {".", "..", "a", "1234567", ".git",
	    "name with \xc3\xa9 and blanks", "x.code-workspace"};
	size_t count = sizeof(names) / sizeof(names[0]), i = 0;
	_Alignas(8) char buffer[4096];
	records_len = 0;
	for (size_t k = 0; k < count; k++)
		add(100 + k, (unsigned char)(k % 2 ? 4 : 8), names[k]);
	long n = mac_syscall(SYS_getdents64, 3, buffer, sizeof(buffer));
	is_int(n, (long)records_len, "all bytes are there");
	for (long at = 0; at < n && i < count; i++) {
		const struct raw_dirent *e = (const void *)(buffer + at);
		is_str(e->name, names[i], "name %zu", i);
		ok(e->ino == 100 + i && e->type == (i % 2 ? 4 : 8),
		    "… its inode and type");
		at += e->len;
	}
	is_int(i, count, "no record more or less");
	uint16_t bad = 3;
	memcpy(records + 16, &bad, 2);
	is_int(mac_syscall(SYS_getdents64, 3, buffer, sizeof(buffer)), -1,
	    "a record that cannot be is an error");
	records_len = 0;
	is_int(mac_syscall(SYS_getdents64, 3, buffer, sizeof(buffer)), 0, "the end");
}

static void
test_folds(void)
{
	unsigned long flags = 1;
	mac_syscall(2, 7, 0U, &flags);
	is_int(flags, 0, "a directory that tells case apart");
	mac_syscall(2, 8, 0U, &flags);
	is_int(flags, 0x40000000, "one that does not");
	mac_syscall(2, 9, 0U, &flags);
	is_int(flags, 0x40000000,
	    "one of which nobody knows is taken for one that does not");
}

int
main(void)
{
	test_records();
	test_folds();
	return done();
}
