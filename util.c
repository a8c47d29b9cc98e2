/*
 * util.c: pure helpers: arena, vectors, gathered errors, numbers, names.
 *
 * Owns the memory of one run. Must not read the environment, the clock or a file;
 * the only way out is memory_out(), when there is nothing left to report with.
 *
 * An arena is a list of zeroed blocks, the newest first. Only the newest is filled;
 * a request too large for a block gets one of its own behind it, so that the rest of
 * the current block is not lost.
 */
#include <limits.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <stdnoreturn.h>
#include <string.h>
#include <unistd.h>

#include "util.h"

#define BLOCK_BYTES  (128 * 1024) /* one mapping; what is not used is never touched */
#define GROW_FIRST   4            /* elements of a new array, a power of two */
#define NAME_LIMIT   64
#define TIME_MAX_MS  (INT64_C(365) * 24 * 60 * 60 * 1000)
#define STATUS_FATAL 125

struct arena_block {
	struct arena_block *next;
	size_t used, size;
	alignas(max_align_t) char data[];
};

static noreturn void
memory_out(void)
{
	static const char text[] = "srun: out of memory\n";
	ssize_t n = write(STDERR_FILENO, text, sizeof(text) - 1);

	(void)n;
	_exit(STATUS_FATAL);
}

static struct arena_block *
block_new(size_t size)
{
	struct arena_block *b;

	if (size > SIZE_MAX - sizeof(*b))
		memory_out();
	b = calloc(1, sizeof(*b) + size);
	if (b == NULL)
		memory_out();
	b->size = size;
	return b;
}

void *
arena_alloc(struct arena *a, size_t size)
{
	const size_t align = alignof(max_align_t);
	struct arena_block *b = a->head;
	void *p;

	if (size > PTRDIFF_MAX - align)
		memory_out();
	size = (size + align - 1) / align * align;
	if (b == NULL || b->size - b->used < size) {
		b = block_new(size > BLOCK_BYTES ? size : BLOCK_BYTES);
		if (a->head != NULL && size > BLOCK_BYTES / 4) {
			b->next = a->head->next;
			a->head->next = b;
		} else {
			b->next = a->head;
			a->head = b;
		}
	}
	p = b->data + b->used;
	b->used += size;
	return p;
}

void
arena_free(struct arena *a)
{
	while (a->head != NULL) {
		struct arena_block *next = a->head->next;

		free(a->head);
		a->head = next;
	}
}

char *
arena_strndup(struct arena *a, const char *s, size_t n)
{
	size_t len = strnlen(s, n);
	char *copy = arena_alloc(a, len + 1);

	memcpy(copy, s, len);
	return copy;
}

char *
arena_strdup(struct arena *a, const char *s)
{
	return arena_strndup(a, s, strlen(s));
}

char *
arena_vprintf(struct arena *a, const char *fmt, va_list ap)
{
	va_list again;
	char *text;
	int len;

	va_copy(again, ap);
	len = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	if (len < 0)
		memory_out();
	text = arena_alloc(a, (size_t)len + 1);
	vsnprintf(text, (size_t)len + 1, fmt, ap);
	return text;
}

char *
arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = arena_vprintf(a, fmt, ap);
	va_end(ap);
	return text;
}

void *
arena_grow(struct arena *a, void *array, size_t n, size_t size)
{
	size_t room = n == 0 ? GROW_FIRST : n * 2;
	void *moved;

	if (n != 0 && (n < GROW_FIRST || (n & (n - 1)) != 0))
		return array;
	if (size != 0 && room > PTRDIFF_MAX / size)
		memory_out();
	moved = arena_alloc(a, room * size);
	if (n != 0)
		memcpy(moved, array, n * size);
	return moved;
}

/* The NULL at the end is an element too: n strings occupy n + 1 places. */
void
strv_push(struct arena *a, struct strv *s, const char *str)
{
	if (s->v == NULL)
		s->v = arena_grow(a, NULL, 0, sizeof(*s->v));
	else
		s->v = arena_grow(a, s->v, s->n + 1, sizeof(*s->v));
	s->v[s->n++] = str;
	s->v[s->n] = NULL;
}

bool
strv_has(const struct strv *s, const char *str)
{
	for (size_t i = 0; i < s->n; i++)
		if (strcmp(s->v[i], str) == 0)
			return true;
	return false;
}

void
bytes_add(struct arena *a, struct bytes *b, const void *data, size_t len)
{
	if (len > PTRDIFF_MAX / 4 - b->len)
		memory_out();
	if (b->cap - b->len < len) {
		size_t cap = b->cap < 64 ? 64 : b->cap;
		char *moved;

		while (cap - b->len < len)
			cap *= 2;
		moved = arena_alloc(a, cap);
		if (b->len != 0)
			memcpy(moved, b->data, b->len);
		b->data = moved;
		b->cap = cap;
	}
	if (len != 0)
		memcpy(b->data + b->len, data, len);
	b->len += len;
}

void
bytes_puts(struct arena *a, struct bytes *b, const char *s)
{
	bytes_add(a, b, s, strlen(s));
}

void
bytes_printf(struct arena *a, struct bytes *b, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	bytes_puts(a, b, arena_vprintf(a, fmt, ap));
	va_end(ap);
}

const char *
origin_text(struct arena *a, struct origin o)
{
	if (o.line == 0)
		return o.file;
	return arena_printf(a, "%s:%u", o.file, o.line);
}

void
errs_at(struct arena *a, struct errs *e, struct origin o, const char *fmt, ...)
{
	const char *text;
	va_list ap;

	va_start(ap, fmt);
	text = arena_vprintf(a, fmt, ap);
	va_end(ap);
	strv_push(a, &e->text, arena_printf(a, "%s: %s", origin_text(a, o), text));
}

void
errs_add(struct arena *a, struct errs *e, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	strv_push(a, &e->text, arena_vprintf(a, fmt, ap));
	va_end(ap);
}

/* The first len bytes of s as a number. */
static bool
parse_digits(const char *s, size_t len, uint64_t min, uint64_t max, uint64_t *out,
    const char **why)
{
	uint64_t value = 0;

	*why = "is not a number";
	if (len == 0)
		return false;
	for (size_t i = 0; i < len; i++)
		if (s[i] < '0' || s[i] > '9')
			return false;
	*why = "is out of range";
	for (size_t i = 0; i < len; i++) {
		uint64_t digit = (uint64_t)(s[i] - '0');

		if (value > (UINT64_MAX - digit) / 10)
			return false;
		value = value * 10 + digit;
	}
	if (value < min || value > max)
		return false;
	*out = value;
	return true;
}

bool
parse_uint(const char *s, uint64_t min, uint64_t max, uint64_t *out, const char **why)
{
	return parse_digits(s, strlen(s), min, max, out, why);
}

struct unit {
	const char *suffix;
	uint64_t factor;
};

/* A number with one of the units behind it; the last row has the empty suffix. */
static bool
parse_scaled(const char *s, const struct unit *units, uint64_t max, uint64_t *out,
    const char *what, const char **why)
{
	size_t digits = strspn(s, "0123456789");
	uint64_t value;

	*why = what;
	if (digits == 0)
		return false;
	while (strcmp(s + digits, units->suffix) != 0)
		if (*units++->suffix == '\0')
			return false;
	if (!parse_digits(s, digits, 0, max / units->factor, &value, why))
		return false;
	*out = value * units->factor;
	return true;
}

bool
parse_time_ms(const char *s, int64_t *out, const char **why)
{
	static const struct unit units[] = {
	    {"ms", 1}, {"s", 1000}, {"m", 60 * 1000}, {"h", 60 * 60 * 1000}, {"", 1}};
	uint64_t value;

	if (!parse_scaled(s, units, TIME_MAX_MS, &value,
	        "is not a time [as in '500ms', '30s', '5m' or '2h']", why))
		return false;
	*out = (int64_t)value;
	return true;
}

bool
parse_size(const char *s, uint64_t *out, const char **why)
{
	static const struct unit units[] = {{"K", UINT64_C(1) << 10},
	    {"M", UINT64_C(1) << 20}, {"G", UINT64_C(1) << 30}, {"T", UINT64_C(1) << 40},
	    {"", 1}};

	return parse_scaled(
	    s, units, INT64_MAX, out, "is not a size [as in '512K', '64M' or '2G']", why);
}

bool
str_starts(const char *s, const char *prefix)
{
	return strncmp(s, prefix, strlen(prefix)) == 0;
}

bool
str_ends(const char *s, const char *suffix)
{
	size_t len = strlen(s), n = strlen(suffix);

	return len >= n && memcmp(s + len - n, suffix, n) == 0;
}

/* Case and '-' for '_' are no difference: names are compared as people mistype them. */
static char
folded(char c)
{
	if (c >= 'A' && c <= 'Z')
		return (char)(c - 'A' + 'a');
	return c == '-' ? '_' : c;
}

static size_t
smaller(size_t x, size_t y)
{
	return x < y ? x : y;
}

/* Levenshtein's distance of two names of at most NAME_LIMIT bytes. */
static size_t
edit_distance(const char *a, const char *b)
{
	size_t row[NAME_LIMIT + 1], la = strlen(a), lb = strlen(b);

	for (size_t j = 0; j <= lb; j++)
		row[j] = j;
	for (size_t i = 1; i <= la; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t j = 1; j <= lb; j++) {
			size_t above = row[j];
			size_t cost = folded(a[i - 1]) == folded(b[j - 1]) ? 0 : 1;

			row[j] = smaller(smaller(above, row[j - 1]) + 1, diagonal + cost);
			diagonal = above;
		}
	}
	return row[lb];
}

const char *
nearest_name(const char *word, const char *const *names)
{
	const char *best = NULL;
	size_t best_distance = SIZE_MAX, len = strlen(word);

	if (len == 0 || len > NAME_LIMIT)
		return NULL;
	for (; *names != NULL; names++) {
		size_t nlen = strlen(*names), limit, distance;

		if (nlen > NAME_LIMIT)
			continue;
		limit = (nlen > len ? nlen : len) / 3;
		distance = edit_distance(word, *names);
		if (distance <= limit && distance < best_distance) {
			best = *names;
			best_distance = distance;
		}
	}
	return best;
}
