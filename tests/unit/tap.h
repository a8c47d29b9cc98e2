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
static inline bool __attribute__((format(printf, 2, 0)))
tap_result(bool good, const char *fmt, va_list ap)
{
	printf("%sok %d - ", good ? "" : "not ", ++tap_run);
	vprintf(fmt, ap);
	putchar('\n');
	tap_failed += !good;
	return good;
}

static inline bool __attribute__((format(printf, 2, 3)))
ok(bool good, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	tap_result(good, fmt, ap);
	va_end(ap);
	return good;
}

static inline bool
tap_equal(const char *got, const char *want)
{
	return got == want || (got != NULL && want != NULL && strcmp(got, want) == 0);
}

static inline bool __attribute__((format(printf, 3, 4)))
is_str(const char *got, const char *want, const char *fmt, ...)
{
	bool good = tap_equal(got, want);
	va_list ap;

	va_start(ap, fmt);
	tap_result(good, fmt, ap);
	va_end(ap);
	if (!good)
		printf("# got  %.400s\n# want %.400s\n", got == NULL ? "(null)" : got,
		    want == NULL ? "(null)" : want);
	return good;
}

static inline bool __attribute__((format(printf, 3, 4)))
tap_is_int(long long got, long long want, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	tap_result(got == want, fmt, ap);
	va_end(ap);
	if (got != want)
		printf("# got  %lld\n# want %lld\n", got, want);
	return got == want;
}

#define is_int(got, want, ...)                                                           \
	tap_is_int((long long)(got), (long long)(want), __VA_ARGS__)

static inline int
done(void)
{
	printf("1..%d\n", tap_run);
	return tap_failed == 0 ? 0 : 1;
}

#endif
