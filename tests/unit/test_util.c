/* test_util: the arena, vectors, errors, numbers and names of util.c; messages of msg.c. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "msg.h"
#include "path.h"
#include "tap.h"
#include "util.h"

static void
test_arena(void)
{
	struct arena a = {NULL};
	bool aligned = true, zero = true;
	char *big, *after;

	for (size_t i = 1; i < 3000; i++) {
		char *p = arena_alloc(&a, i % 97);

		aligned &= (uintptr_t)p % _Alignof(max_align_t) == 0;
		for (size_t j = 0; j < i % 97; j++)
			zero &= p[j] == 0;
		memset(p, 0xff, i % 97);
	}
	ok(aligned, "every piece is aligned");
	ok(zero, "every piece is zeroed");
	big = arena_alloc(&a, 1 << 20);
	after = arena_alloc(&a, 16);
	memset(big, 'x', 1 << 20);
	is_int(after[0], 0, "a big piece has a block of its own");
	is_str(arena_strndup(&a, "abcdef", 3), "abc", "strndup cuts");
	is_str(arena_strndup(&a, "ab\0cd", 5), "ab", "strndup ends at a NUL");
	is_str(arena_printf(&a, "%s-%d", "x", 7), "x-7", "printf");
	arena_free(&a);
	ok(a.head == NULL, "free empties it");
}

static void
test_vectors(void)
{
	struct arena a = {NULL};
	struct strv s = {NULL, 0};
	struct bytes b = {NULL, 0, 0};
	int *array = NULL;
	bool same = true, ended = true;

	for (int i = 0; i < 1000; i++) {
		array = arena_grow(&a, array, (size_t)i, sizeof(*array));
		array[i] = i;
	}
	for (int i = 0; i < 1000; i++)
		same &= array[i] == i;
	ok(same, "arena_grow keeps what was there");
	for (int i = 0; i < 100; i++) {
		strv_push(&a, &s, arena_printf(&a, "%d", i));
		ended &= s.v[s.n] == NULL;
	}
	ok(ended && s.n == 100, "strv always ends in NULL");
	ok(strv_has(&s, "42") && !strv_has(&s, "100"), "strv_has");
	for (int i = 0; i < 500; i++)
		bytes_printf(&a, &b, "%03d", i);
	bytes_add(&a, &b, "", 1);
	is_int(b.len, 1501, "bytes grow");
	is_str(b.data + 1497, "499", "bytes are in order");
	arena_free(&a);
}

static void
test_errs(void)
{
	struct arena a = {NULL};
	struct errs e = {{NULL, 0}};

	errs_at(&a, &e, (struct origin){"f.ini", 12}, "bad '%s'", "x");
	errs_at(&a, &e, (struct origin){"--set", 0}, "bad");
	errs_add(&a, &e, "plain %d", 3);
	is_int(e.text.n, 3, "three errors");
	is_str(e.text.v[0], "f.ini:12: bad 'x'", "file and line");
	is_str(e.text.v[1], "--set: bad", "an option has no line");
	is_str(e.text.v[2], "plain 3", "no place");
	arena_free(&a);
}

static void
test_uint(void)
{
	static const struct {
		const char *text;
		uint64_t min, max, want;
		const char *why; /* NULL: a number */
	} rows[] = {
	    {"0", 0, 9, 0, NULL},
	    {"9", 0, 9, 9, NULL},
	    {"007", 0, 9, 7, NULL},
	    {"18446744073709551615", 0, UINT64_MAX, UINT64_MAX, NULL},
	    {"18446744073709551616", 0, UINT64_MAX, 0, "is out of range"},
	    {"99999999999999999999999", 0, UINT64_MAX, 0, "is out of range"},
	    {"10", 0, 9, 0, "is out of range"},
	    {"0", 1, 9, 0, "is out of range"},
	    {"", 0, 9, 0, "is not a number"},
	    {"+1", 0, 9, 0, "is not a number"},
	    {"-1", 0, 9, 0, "is not a number"},
	    {" 1", 0, 9, 0, "is not a number"},
	    {"1 ", 0, 9, 0, "is not a number"},
	    {"1x", 0, 9, 0, "is not a number"},
	    {"0x1", 0, 9, 0, "is not a number"},
	    {"\xd9\xa1", 0, 9, 0, "is not a number"},
	};

	for (size_t i = 0; i < SRUN_ARRAY_LEN(rows); i++) {
		uint64_t value = 77;
		const char *why = NULL;
		bool good =
		    parse_uint(rows[i].text, rows[i].min, rows[i].max, &value, &why);

		if (rows[i].why == NULL)
			ok(good && value == rows[i].want, "uint '%s'", rows[i].text);
		else
			ok(!good && value == 77 && tap_equal(why, rows[i].why),
			    "uint '%s' %s", rows[i].text, rows[i].why);
	}
}

static void
test_units(void)
{
	static const struct {
		const char *text;
		int64_t ms, bytes; /* -1: refused */
	} rows[] = {
	    {"500ms", 500, -1},
	    {"30s", 30000, -1},
	    {"5m", 300000, -1},
	    {"2h", 7200000, -1},
	    {"250", 250, 250},
	    {"0", 0, 0},
	    {"365000h", -1, -1},
	    {"8760h", INT64_C(31536000000), -1},
	    {"8761h", -1, -1},
	    {"31536000001", -1, INT64_C(31536000001)},
	    {"99999999999999999999h", -1, -1},
	    {"", -1, -1},
	    {"s", -1, -1},
	    {"-1s", -1, -1},
	    {"1.5s", -1, -1},
	    {"1 s", -1, -1},
	    {"1S", -1, -1},
	    {"1d", -1, -1},
	    {"1sm", -1, -1},
	    {"64K", -1, 65536},
	    {"1M", -1, 1048576},
	    {"2G", -1, INT64_C(2147483648)},
	    {"1T", -1, INT64_C(1099511627776)},
	    {"9223372036854775807", -1, INT64_MAX},
	    {"9223372036854775808", -1, -1},
	    {"8388608T", -1, -1},
	    {"1k", -1, -1},
	    {"1KB", -1, -1},
	    {"K", -1, -1},
	};

	for (size_t i = 0; i < SRUN_ARRAY_LEN(rows); i++) {
		int64_t ms = -1;
		uint64_t bytes = UINT64_MAX;
		const char *why = NULL;

		parse_time_ms(rows[i].text, &ms, &why);
		is_int(ms, rows[i].ms, "time '%s'", rows[i].text);
		parse_size(rows[i].text, &bytes, &why);
		is_int((long long)bytes, rows[i].bytes, "size '%s'", rows[i].text);
	}
}

static void
test_names(void)
{
	static const char *const names[] = {
	    "allow_read", "allow_write", "deny_read", "mode", "shell", NULL};
	static const struct {
		const char *word, *want;
	} rows[] = {
	    {"allow_reed", "allow_read"},
	    {"allow-write", "allow_write"},
	    {"ALLOW_READ", "allow_read"},
	    {"denyread", "deny_read"},
	    {"mod", "mode"},
	    {"sehll", NULL},
	    {"shel", "shell"},
	    {"x", NULL},
	    {"", NULL},
	    {"something_else", NULL},
	    {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
	        NULL},
	};

	for (size_t i = 0; i < SRUN_ARRAY_LEN(rows); i++)
		is_str(nearest_name(rows[i].word, names), rows[i].want, "nearest to '%s'",
		    rows[i].word);
	ok(str_starts("abc", "ab") && !str_starts("ab", "abc"), "str_starts");
	ok(str_ends("abc", "bc") && !str_ends("bc", "abc") && str_ends("a", ""),
	    "str_ends");
}

/* What msg_error writes for a text. */
static size_t
said(const char *text, char *out, size_t size)
{
	int ends[2], saved = dup(STDERR_FILENO);
	ssize_t n = -1;

	if (saved >= 0 && pipe(ends) == 0) {
		dup2(ends[1], STDERR_FILENO);
		msg_error("%s", text);
		dup2(saved, STDERR_FILENO);
		n = read(ends[0], out, size - 1);
		close(ends[0]);
		close(ends[1]);
	}
	close(saved);
	out[n < 0 ? 0 : n] = '\0';
	return n < 0 ? 0 : (size_t)n;
}

static void
test_messages(void)
{
	static char long_text[PATH_LIMIT + 4096 + 1], out[65536], huge[60000];

	said("it's\tgone\n\x1b[31m\x7f", out, sizeof(out));
	is_str(out, "srun: it's?gone??[31m?\n", "control bytes are shown as '?'");
	said("na\xc3\xafve \xc2\x9b"
	     "1m",
	    out, sizeof(out));
	is_str(
	    out, "srun: na\xc3\xafve ??1m\n", "C1 controls as well, other UTF-8 is kept");
	memset(long_text, 'p', sizeof(long_text) - 1);
	is_int(said(long_text, out, sizeof(out)), sizeof(long_text) - 1 + 7,
	    "a path of 4096 bytes and 4 KiB more is written whole");
	memset(huge, 'h', sizeof(huge) - 1);
	ok(said(huge, out, sizeof(out)) < sizeof(huge) && str_ends(out, "...\n"),
	    "what is longer is cut and says so");
}

int
main(void)
{
	test_arena();
	test_vectors();
	test_errs();
	test_uint();
	test_units();
	test_names();
	test_messages();
	return done();
}
