/* test_path: paths as text: normal form, order, patterns, variables. */
#include <locale.h>
#include <stdlib.h>
#include <time.h>

#include "path.h"
#include "tap.h"

static void
test_normalise(struct arena *a)
{
	static const struct {
		const char *path, *base, *want;
	} rows[] = {
	    {"/", "/w", "/"},
	    {"//", "/w", "/"},
	    {"/.", "/w", "/"},
	    {"/./", "/w", "/"},
	    {"/a", "/w", "/a"},
	    {"/a/", "/w", "/a"},
	    {"/a//b", "/w", "/a/b"},
	    {"/a/./b/.", "/w", "/a/b"},
	    {"//e/./f", "/w", "/e/f"},
	    {"/a/../b", "/w", "/a/../b"},
	    {"/./a//b/..", "/w", "/a/b/.."},
	    {"/...", "/w", "/..."},
	    {"/.a/.b", "/w", "/.a/.b"},
	    {"x", "/w", "/w/x"},
	    {"./x", "/w/", "/w/x"},
	    {"x/", "/", "/x"},
	    {".", "/w", "/w"},
	    {"", "/w", "/w"},
	    {"..", "/w", "/w/.."},
	    {"d/", "/w//y/", "/w/y/d"},
	    {"/a", NULL, "/a"},
	};

	for (size_t i = 0; i < SRUN_ARRAY_LEN(rows); i++)
		is_str(path_normalise(a, rows[i].path, rows[i].base), rows[i].want,
		    "normalise '%s' below '%s'", rows[i].path,
		    rows[i].base ? rows[i].base : "");
}

static void
test_within(struct arena *a)
{
	static const struct {
		const char *path, *root;
		bool want;
	} rows[] = {
	    {"/a", "/a", true},
	    {"/a/b", "/a", true},
	    {"/ab", "/a", false},
	    {"/a", "/a/b", false},
	    {"/a", "/", true},
	    {"/", "/", true},
	    {"/", "/a", false},
	    {"/a-b/c", "/a", false},
	};

	for (size_t i = 0; i < SRUN_ARRAY_LEN(rows); i++)
		is_int(path_within(rows[i].path, rows[i].root), rows[i].want,
		    "'%s' within '%s'", rows[i].path, rows[i].root);
	is_int(path_depth("/"), 0, "depth of the root");
	is_int(path_depth("/a"), 1, "depth of /a");
	is_int(path_depth("/a/b/c"), 3, "depth of /a/b/c");
	is_str(path_parent(a, "/"), "/", "parent of the root");
	is_str(path_parent(a, "/a"), "/", "parent of /a");
	is_str(path_parent(a, "/a/b"), "/a", "parent of /a/b");
	is_str(path_base("/"), "", "base of the root");
	is_str(path_base("/a/b"), "b", "base of /a/b");
	is_str(path_join(a, "/", "x"), "/x", "join at the root");
	is_str(path_join(a, "/a", "x"), "/a/x", "join");
	ok(path_has_pattern("/a/*") && path_has_pattern("/[a") &&
	        path_has_pattern("/?") && !path_has_pattern("/a{b}!^-]"),
	    "what makes a pattern");
}

static int
order(const void *x, const void *y)
{
	return path_compare(*(const char *const *)x, *(const char *const *)y);
}

static void
test_compare(void)
{
	static const char *const want[] = {"/", "/a", "/a/b", "/a/b/c", "/a/b!", "/a\x01",
	    "/a b", "/a!b", "/a-b", "/a-b/c", "/a.b", "/b", "/\xff"};
	const char *v[SRUN_ARRAY_LEN(want)];
	size_t n = SRUN_ARRAY_LEN(want);
	bool same = true;

	for (size_t i = 0; i < n; i++)
		v[i] = want[(i * 5 + 3) % n];
	qsort(v, n, sizeof(*v), order);
	for (size_t i = 0; i < n; i++)
		same &= strcmp(v[i], want[i]) == 0;
	ok(same, "a parent sorts directly before its children");
	ok(path_compare("/a", "/a") == 0, "equal paths");
	ok(path_compare("/a/b", "/a-b") < 0, "children come before siblings");
}

static void
test_match(void)
{
	static const struct {
		const char *pattern, *path;
		bool want;
	} rows[] = {
	    {"/a/b", "/a/b", true},
	    {"/a/b", "/a/bc", false},
	    {"/a/b", "/a", false},
	    {"/a", "/a/b", false},
	    {"/", "/", true},
	    {"/a/*", "/a/b", true},
	    {"/a/*", "/a", false},
	    {"/a/*", "/a/b/c", false},
	    {"/a/*", "/a/.hidden", true},
	    {"/a/*/c", "/a/b/c", true},
	    {"/a/*/c", "/a/c", false},
	    {"/a/*.c", "/a/x.c", true},
	    {"/a/*.c", "/a/x.cc", false},
	    {"/a/*x*y*", "/a/1x2y3", true},
	    {"/a/*x*y*", "/a/1y2x3", false},
	    {"/a/?", "/a/b", true},
	    {"/a/?", "/a/bc", false},
	    {"/a?b", "/a/b", false},
	    {"/a/?", "/a/\xc3\xa4", true},
	    {"/a/?", "/a/\xff", true},
	    {"/a/??", "/a/\xc3\xa4", false},
	    {"/project[1]/s", "/project1/s", true},
	    {"/project[1]/s", "/project[1]/s", false},
	    {"/[a-c]x", "/bx", true},
	    {"/[a-c]x", "/dx", false},
	    {"/[!a-c]x", "/dx", true},
	    {"/[!a-c]x", "/bx", false},
	    {"/[^a]x", "/bx", true},
	    {"/[^a]x", "/ax", false},
	    {"/[]a]x", "/]x", true},
	    {"/[!]a]x", "/]x", false},
	    {"/[a-]x", "/-x", true},
	    {"/a[!b]c", "/a/c", false},
	    {"/[\xc3\xa4-\xc3\xbc]", "/\xc3\xb6", true},
	    {"/[\xc3\xa4-\xc3\xbc]", "/\xc3\xa1", false},
	    {"/a[b", "/a[b", true},
	    {"/a[b/]c", "/a[b/]c", true},
	    {"/a\\*", "/a\\xyz", true},
	    {"/a\\*", "/a*", false},
	    {"/**/.env", "/.env", true},
	    {"/**/.env", "/a/.env", true},
	    {"/**/.env", "/a/b/c/.env", true},
	    {"/**/.env", "/a/.envx", false},
	    {"/w/**/.env", "/w/.env", true},
	    {"/w/**/.env", "/w/a/b/.env", true},
	    {"/w/**/.env", "/x/.env", false},
	    {"/w/**", "/w", true},
	    {"/w/**", "/w/a/b", true},
	    {"/w/**", "/wx", false},
	    {"/**", "/", true},
	    {"/**", "/a/b", true},
	    {"/**/a/**/b", "/a/b", true},
	    {"/**/a/**/b", "/x/a/y/z/b", true},
	    {"/**/a/**/b", "/x/b/a", false},
	    {"/a/**/**/b", "/a/b", true},
	    {"/a/**/x/*/b", "/a/x/x/q/b", true},
	    {"/a/b**", "/a/bcd", true},
	    {"/a/b**", "/a/bcd/e", false},
	    {"/a/*", "/a/\n", true},
	    {"**/a", "/a", false},
	};

	for (size_t i = 0; i < SRUN_ARRAY_LEN(rows); i++)
		is_int(path_match(rows[i].pattern, rows[i].path), rows[i].want,
		    "%s %s row %zu", rows[i].pattern,
		    rows[i].want ? "matches" : "does not match", i);
}

/* What is before the pattern is a name. */
static void
test_match_below(void)
{
	static const struct {
		const char *base, *tail, *path;
		bool want;
	} rows[] = {
	    {"/a", "*.c", "/a/x.c", true},
	    {"/a", "*.c", "/a/b/x.c", false},
	    {"/a", "**/*.c", "/a/b/x.c", true},
	    {"/a", "**", "/a", true},
	    {"/a", "*", "/a", false},
	    {"/a", "*", "/ab", false},
	    {"/[a]", "*", "/[a]/x", true},
	    {"/[a]", "*", "/a/x", false},
	    {"/", "*", "/a", true},
	    {"/", "*", "/", false},
	    {"/", "**", "/", true},
	    {"/", "*/b", "/a/b", true},
	};

	for (size_t i = 0; i < SRUN_ARRAY_LEN(rows); i++)
		is_int(path_match_below(rows[i].base, rows[i].tail, rows[i].path),
		    rows[i].want, "row %zu below a directory", i);
}

/* One component, with and without regard to case. */
static void
test_match_name(void)
{
	static const struct {
		const char *pattern, *name;
		bool want, folded;
	} rows[] = {
	    {"*.env", "a.env", true, true},
	    {"*.env", "A.ENV", false, true},
	    {"*.ENV", "a.env", false, true},
	    {"[a-c]?", "B\xc3\xa4", false, true},
	    {"[A-C]?", "bx", false, true},
	    {"[!a]", "A", true, true}, /* rather too much */
	    {"\xc3\xa4*", "\xc3\x84x", false, true},
	    {"\xce\xa3", "\xcf\x83", false, true},
	    {"a", "b", false, false},
	    {"\xff*", "\xff\xfe", true, true},
	    {"\xfe", "\xff", false, false},
	    {"**", "x/y is no name", true, true},
	    {"", "", true, true},
	    {"?", "", false, false},
	};

	for (size_t i = 0; i < SRUN_ARRAY_LEN(rows); i++) {
		const char *pattern = rows[i].pattern;
		char longer[64];
		snprintf(longer, sizeof(longer), "%s/rest", pattern);
		is_int(path_match_name(longer, strlen(pattern), rows[i].name, false),
		    rows[i].want, "row %zu of names", i);
		is_int(path_match_name(longer, strlen(pattern), rows[i].name, true),
		    rows[i].folded, "row %zu of names, folded", i);
	}
}

/* Stars must not make the cost explode. */
static void
test_match_cost(void)
{
	static char pattern[2001], path[4001], deep[4001];
	clock_t start = clock();
	bool matched;

	pattern[0] = path[0] = '/';
	for (size_t i = 1; i < 2000; i++)
		pattern[i] = i % 2 ? '*' : 'a';
	pattern[1999] = 'b';
	memset(path + 1, 'a', 3999);
	matched = path_match(pattern, path);
	for (size_t i = 0; i + 4 < 2000; i += 5)
		memcpy(pattern + i, "/**/a", 5);
	memcpy(pattern + 1995, "/**/b", 6);
	for (size_t i = 0; i < 4000; i += 2)
		memcpy(deep + i, "/a", 2);
	matched |= path_match(pattern, deep);
	ok(!matched && clock() - start < 2 * CLOCKS_PER_SEC,
	    "hundreds of stars are quick");
}

static const char *
look_up(void *arg, const char *name)
{
	(void)arg;
	return strcmp(name, "HOME") == 0 ? "/home/u"
	       : strcmp(name, "X") == 0  ? "$Y"
	                                 : NULL;
}

static void
test_expand(struct arena *a)
{
	static const struct {
		const char *text, *home, *want; /* want NULL: refused */
	} rows[] = {
	    {"/a", "/home/u", "/a"},
	    {"~", "/home/u", "/home/u"},
	    {"~/x", "/home/u", "/home/u/x"},
	    {"~", NULL, NULL},
	    {"~root/z", "/home/u", NULL},
	    {"/a/~", "/home/u", "/a/~"},
	    {"${HOME}/x", "/home/u", "/home/u/x"},
	    {"/a/${HOME}${HOME}", "/home/u", "/a//home/u/home/u"},
	    {"${X}", "/home/u", "$Y"},
	    {"${NOPE}/x", "/home/u", NULL},
	    {"$HOME/x", "/home/u", NULL},
	    {"/a$", "/home/u", NULL},
	    {"/a${", "/home/u", NULL},
	    {"/a${}", "/home/u", NULL},
	    {"/a${HOME", "/home/u", NULL},
	    {"/a$$", "/home/u", NULL},
	    {"", "/home/u", ""},
	};

	for (size_t i = 0; i < SRUN_ARRAY_LEN(rows); i++) {
		const char *why = NULL;
		const char *got =
		    path_expand(a, rows[i].text, rows[i].home, look_up, NULL, &why);

		is_str(got, rows[i].want, "expand '%s'", rows[i].text);
		if (rows[i].want == NULL)
			ok(why != NULL, "and why: %s", why == NULL ? "" : why);
	}
}

int
main(void)
{
	struct arena a = {NULL};

	test_normalise(&a);
	test_within(&a);
	test_compare();
	setlocale(LC_CTYPE, "C.UTF-8"); /* musl has no other */
	test_match();
	test_match_below();
	test_match_name();
	test_match_cost();
	test_expand(&a);
	arena_free(&a);
	return done();
}
