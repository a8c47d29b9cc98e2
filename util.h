/*
 * util.h: pure helpers: one arena per run, growing arrays, strings, numbers.
 * No system call but what malloc does; running out of memory ends the process
 * with 125, so nothing here returns NULL unless its comment says so.
 */
#ifndef SRUN_UTIL_H
#define SRUN_UTIL_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SRUN_ARRAY_LEN(a)      (sizeof(a) / sizeof((a)[0]))
#define SRUN_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))

/* Memory of one run. Everything made from it lives until arena_free(). */
struct arena_block;
struct arena {
	struct arena_block *head;
};

/* size bytes, zeroed, aligned for any type. */
void *arena_alloc(struct arena *a, size_t size);
/* A copy of the first n bytes of s, NUL-terminated. */
char *arena_strndup(struct arena *a, const char *s, size_t n);
char *arena_strdup(struct arena *a, const char *s);
char *arena_printf(struct arena *a, const char *fmt, ...) SRUN_PRINTF(2, 3);
char *arena_vprintf(struct arena *a, const char *fmt, va_list ap) SRUN_PRINTF(2, 0);
/*
 * Room for one more element in an array of n elements of the given size, whose
 * storage is always a power of two elements: returns the (maybe moved) array.
 */
void *arena_grow(struct arena *a, void *array, size_t n, size_t size);
void arena_free(struct arena *a);

/* A growing vector of strings; v[n] is always NULL once something was pushed. */
struct strv {
	const char **v;
	size_t n;
};
void strv_push(struct arena *a, struct strv *s, const char *str);
bool strv_has(const struct strv *s, const char *str);

/* A growing run of bytes, for NUL-separated lists and messages. */
struct bytes {
	char *data;
	size_t len, cap;
};
void bytes_add(struct arena *a, struct bytes *b, const void *data, size_t len);
/* Adds the string without its NUL. */
void bytes_puts(struct arena *a, struct bytes *b, const char *s);
void bytes_printf(struct arena *a, struct bytes *b, const char *fmt, ...)
    SRUN_PRINTF(3, 4);

/* Where a rule comes from. line is 0 where there is no line ("--set", "default"). */
struct origin {
	const char *file;
	unsigned line;
};

/* Errors gathered in order; each text is whole, without the "srun: " in front. */
struct errs {
	struct strv text;
};
/* "FILE:LINE: text" or "FILE: text" when the origin has no line. */
void errs_at(struct arena *a, struct errs *e, struct origin o, const char *fmt, ...)
    SRUN_PRINTF(4, 5);
void errs_add(struct arena *a, struct errs *e, const char *fmt, ...) SRUN_PRINTF(3, 4);
const char *origin_text(struct arena *a, struct origin o);

/*
 * A whole unsigned decimal number between min and max. Returns false, and leaves
 * *out alone, for an empty string, a sign, a blank, a trailing byte or overflow;
 * *why is then a short reason ("is not a number", "is out of range").
 */
bool parse_uint(
    const char *s, uint64_t min, uint64_t max, uint64_t *out, const char **why);

/* "500ms", "30s", "5m", "2h", a bare number = ms → milliseconds; max 365 days. */
bool parse_time_ms(const char *s, int64_t *out, const char **why);

/* "512", "64K", "1M", "2G" (powers of 1024) → bytes. */
bool parse_size(const char *s, uint64_t *out, const char **why);

bool str_starts(const char *s, const char *prefix);
bool str_ends(const char *s, const char *suffix);

/*
 * The entry of names (NULL-terminated) nearest to word by edit distance, or NULL
 * when none is near enough to be a typing error (more than 1/3 of the letters).
 */
const char *nearest_name(const char *word, const char *const *names);

#endif
