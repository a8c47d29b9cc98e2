/*
 * musl_shim.c: what glibc's headers make of ordinary calls. The distribution's
 * libseccomp.a and libinih.a are compiled against glibc and refer to these names;
 * musl has none of them. Weak, so that a libc that does have one wins; those that
 * nothing refers to are dropped by the linker.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHIM __attribute__((weak))

/* Some headers of musl make it a macro for fopen, which would then call itself. */
#undef fopen64

/* NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp): glibc's names */
int __fprintf_chk(FILE *f, int flag, const char *fmt, ...);
int __snprintf_chk(char *s, size_t n, int flag, size_t room, const char *fmt, ...);
void *__memcpy_chk(void *to, const void *from, size_t n, size_t room);
FILE *fopen64(const char *path, const char *mode);
long __isoc23_strtol(const char *s, char **end, int base);
unsigned long __isoc23_strtoul(const char *s, char **end, int base);

/* _FORTIFY_SOURCE */
SHIM int
__fprintf_chk(FILE *f, int flag, const char *fmt, ...)
{
	va_list ap;

	(void)flag;
	va_start(ap, fmt);
	int n = vfprintf(f, fmt, ap);
	va_end(ap);
	return n;
}

SHIM int
__snprintf_chk(char *s, size_t n, int flag, size_t room, const char *fmt, ...)
{
	va_list ap;

	(void)flag;
	if (n > room)
		abort();
	va_start(ap, fmt);
	int len = vsnprintf(s, n, fmt, ap);
	va_end(ap);
	return len;
}

SHIM void *
__memcpy_chk(void *to, const void *from, size_t n, size_t room)
{
	if (n > room)
		abort();
	return memcpy(to, from, n);
}

/* Large files on 32 bits: off_t is always 64 bits in musl, which dropped the name in 1.2.4. */
SHIM FILE *
fopen64(const char *path, const char *mode)
{
	return fopen(path, mode);
}

/* glibc 2.38 and C2x: the same but for "0b". */
SHIM long
__isoc23_strtol(const char *s, char **end, int base)
{
	return strtol(s, end, base);
}

SHIM unsigned long
__isoc23_strtoul(const char *s, char **end, int base)
{
	return strtoul(s, end, base);
}
/* NOLINTEND(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */
