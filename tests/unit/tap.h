/*
 * tap.h: a test's results on stdout in TAP: ok(), is_str(), is_int(), and done() at the
 * end, which prints the plan and gives the exit status.
 */
#ifndef SRUN_TAP_H
#define SRUN_TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static int tap_run, tap_failed;

/* Counts one test; returns what it was given. */
static inline bool __attribute__((format(printf, 2, 3)))
ok(bool good, const char *fmt, ...)
{
	va_list ap;

	printf("%sok %d - ", good ? "" : "not ", ++tap_run);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	tap_failed += !good;
	return good;
}

#define is_str(got, want, ...)                                                           \
	tap_is_str((got), (want), ok(tap_equal((got), (want)), __VA_ARGS__))
#define is_int(got, want, ...)                                                           \
	tap_is_int((long long)(got), (long long)(want),                                  \
	    ok((long long)(got) == (long long)(want), __VA_ARGS__))

static inline bool
tap_equal(const char *got, const char *want)
{
	return got == want || (got != NULL && want != NULL && strcmp(got, want) == 0);
}

static inline bool
tap_is_str(const char *got, const char *want, bool good)
{
	if (!good)
		printf("# got  %.300s\n# want %.300s\n", got == NULL ? "(null)" : got,
		    want == NULL ? "(null)" : want);
	return good;
}

static inline bool
tap_is_int(long long got, long long want, bool good)
{
	if (!good)
		printf("# got  %lld\n# want %lld\n", got, want);
	return good;
}

static inline int
done(void)
{
	printf("1..%d\n", tap_run);
	return tap_failed == 0 ? 0 : 1;
}

#endif
