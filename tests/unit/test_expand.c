/*
 * test_expand: patterns in a grant, on a real tree: what the command may do with each path,
 * which grants are refused, and that narrowing by patterns is the intersection.
 */
#include <string.h>

#include "host.h"
#include "path.h"
#include "policy.h"
#include "rules.h"
#include "scratch.h"
#include "tap.h"

static struct arena arena;
static const char *top;

#define FS "[filesystem]\n"
/* Nothing but what the rows say is a write root. */
#define RO FS "write_working_directory = no\n"

static const char *const dirs[] = {"h", "w", "w/sub", "w/app", "w/app/[id]", "w/app/i",
    "d", "d/a", "d/a/pub", "d/a/pub/key", "d/b", "d/b/pub", "d/empty", "e",
    "d/project[1]", "d/project1"};
static const char *const files[] = {"w/x.env", "w/sub/y.env", "w/*.lit", "w/z.lit",
    "w/app/[id]/s", "w/app/i/s", "d/a/f.env", "d/a/pub/g.env", "d/b/h.txt",
    "d/a/pub/key/k.env", "e/t.env", "d/project[1]/secret", "d/project1/secret"};
static const struct {
	const char *path, *text;
} links[] = {{"d/link", "../e"}, {"w/made", "../e"}, {"d/b/l.env", "../../e/t.env"}};

static void
make_tree(void)
{
	bool made = true;

	for (size_t i = 0; i < SRUN_ARRAY_LEN(dirs); i++)
		made &= mkdir(dirs[i], 0700) == 0;
	for (size_t i = 0; i < SRUN_ARRAY_LEN(files); i++)
		made &= scratch_file(files[i]);
	for (size_t i = 0; i < SRUN_ARRAY_LEN(links); i++)
		made &= symlink(links[i].text, links[i].path) == 0;
	ok(made, "a tree is made");
}

static void
remove_tree(void)
{
	for (size_t i = 0; i < SRUN_ARRAY_LEN(links); i++)
		unlink(links[i].path);
	for (size_t i = 0; i < SRUN_ARRAY_LEN(files); i++)
		unlink(files[i]);
	for (size_t i = SRUN_ARRAY_LEN(dirs); i-- > 0;)
		rmdir(dirs[i]);
}

/* ---- a grant on the tree ---- */

struct surveyed {
	struct errs errs, notes;
	const struct survey *s;
};

/* "@" in a text stands for the scratch directory. */
static const char *
with_top(const char *text)
{
	struct bytes out = {NULL, 0, 0};

	for (; *text != '\0'; text++) {
		if (*text == '@')
			bytes_puts(&arena, &out, top);
		else
			bytes_add(&arena, &out, text, 1);
	}
	bytes_add(&arena, &out, "", 1);
	return out.data;
}

static struct grant_text
text_of(const char *name, const char *text)
{
	const char *full = with_top(text);

	return (struct grant_text){
	    .name = name, .dir = "/", .data = full, .len = strlen(full)};
}

static struct surveyed
survey(const char *base, const char *narrow)
{
	static const char *const environ_none[] = {NULL};
	struct surveyed out = {{{NULL, 0}}, {{NULL, 0}}, NULL};
	const char *cwd = path_join(&arena, top, "w");
	struct grant_context ctx = {path_join(&arena, top, "h"), cwd, environ_none};
	struct grant_text b = text_of("g.ini", base),
	                  n = text_of("n.ini", narrow != NULL ? narrow : "");
	const struct policy *p = policy_build(
	    &arena, &b, NULL, 0, &n, narrow != NULL ? 1 : 0, &ctx, &out.errs);
	struct host host = {.uid = getuid(),
	    .gid = getgid(),
	    .home = ctx.home,
	    .cwd = cwd,
	    .environ = environ_none,
	    .temp_base = "/tmp",
	    .temp_host = "/tmp"};
	struct run_paths names = {.temp = "/tmp/srun-not-made/x", .state_dir = "/state"};

	if (p != NULL)
		out.s = host_survey(&arena, p, &host, &names, &out.errs, &out.notes);
	return out;
}

static enum access
decide(const struct surveyed *v, const char *name)
{
	return rules_decide(v->s, path_join(&arena, top, name), NULL);
}

/* ---- what a grant means ---- */

static const struct {
	const char *grant, *path;
	enum access want;
} rows[] = {
    /* a deny_read closes what it matches, through links and everywhere */
    {FS "deny_read = @/d/**/*.env\n", "d/a/f.env", ACCESS_NONE},
    {FS "deny_read = @/d/**/*.env\n", "d/a/pub/key/k.env", ACCESS_NONE},
    {FS "deny_read = @/d/**/*.env\n", "d/b/h.txt", ACCESS_READ},
    {FS "deny_read = @/d/**/*.env\n", "e/t.env", ACCESS_NONE},
    {FS "deny_read = @/d/*/l.env\n", "e/t.env", ACCESS_NONE},
    {FS "deny_read = @/d/l*\n", "e/t.env", ACCESS_NONE},
    {FS "deny_read = @/d/l*/t.*\n", "e/t.env", ACCESS_NONE},
    {FS "deny_read = @/d/l*/t.*\n", "e", ACCESS_READ},
    {FS "deny_read = *.env\n", "w/x.env", ACCESS_NONE},
    {FS "deny_read = *.env\n", "w/sub/y.env", ACCESS_WRITE},
    {FS "deny_read = **/*.env\n", "w/sub/y.env", ACCESS_NONE},
    {FS "deny_read = **/*.env\n", "w/later.env", ACCESS_WRITE}, /* the command's own */
    {FS "deny_read = @/d/a**\n", "d/a/f.env", ACCESS_NONE},
    {FS "deny_read = @/d/none*, @/none/*\n", "d/a/f.env", ACCESS_READ},
    /* "*" at the end: the directory itself, where the command makes nothing in it */
    {FS "deny_read = @/d/a/*\n", "d/a", ACCESS_NONE},
    {FS "deny_read = @/d/a/*\n", "d/a/later", ACCESS_NONE},
    {FS "deny_read = @/d/b/*\n", "e/t.env", ACCESS_NONE},
    {FS "deny_read = @/d/*/*\n", "d/b/h.txt", ACCESS_NONE},
    {FS "deny_read = @/d/*/*\n", "d", ACCESS_READ},
    {FS "deny_read = @/d/**/*\n", "d", ACCESS_NONE},
    {FS "deny_read = @/d/**/*\n", "e/t.env", ACCESS_NONE},
    {FS "deny_read = @/d/a/*\nallow_read = @/d/a\n", "d/a", ACCESS_READ},
    {FS "deny_read = @/d/a/*\nallow_read = @/d/a\n", "d/a/f.env", ACCESS_NONE},
    {FS "deny_read = @/d/a/*\nallow_read = @/d/a/pub\n", "d/a/pub/g.env", ACCESS_READ},
    {FS "deny_read = *\n", "w", ACCESS_WRITE},
    {FS "deny_read = *\n", "w/x.env", ACCESS_NONE},
    {RO "deny_read = *\n", "w", ACCESS_READ},
    {FS "deny_read = @/*\n", "w/x.env",
        ACCESS_WRITE}, /* the working directory is opened */
    {FS "deny_read = @/*\n", "d", ACCESS_NONE},
    /* the most specific wins, on the paths that are meant */
    {FS "deny_read = @/d\nallow_read = @/d/*/pub\n", "d/b/pub", ACCESS_READ},
    {FS "deny_read = @/d\nallow_read = @/d/*/pub\n", "d/b", ACCESS_NONE},
    {FS "deny_read = @/d, @/d/**/key\nallow_read = @/d/*/pub\n", "d/a/pub/key",
        ACCESS_NONE},
    {FS "deny_read = @/d, @/**/*.env\nallow_read = @/d/*/pub\n", "d/a/pub/g.env",
        ACCESS_NONE},
    {FS "deny_read = @/d/**/a, @/d/**/key\nallow_read = @/d/a/pub\n", "d/a/pub/key",
        ACCESS_NONE},
    {FS "deny_read = @/d/**/[ak]*\nallow_read = @/d/a/pub\n", "d/a/pub/key", ACCESS_NONE},
    {FS "deny_read = @/d/**/[ak]*\nallow_read = @/d/a/pub\n", "d/a/pub/g.env",
        ACCESS_READ},
    /* at an equal path a name beats a pattern */
    {FS "deny_read = @/d/a\nallow_read = @/d/*\n", "d/a", ACCESS_NONE},
    {FS "deny_read = @/d, @/d/a/pub\nallow_read = @/d/*/pub\n", "d/a/pub", ACCESS_NONE},
    {FS "deny_read = @/d/?\nallow_read = @/d/a\n", "d/a", ACCESS_READ},
    {FS "deny_read = @/d/?\nallow_read = @/d/a\n", "d/b", ACCESS_NONE},
    {FS "deny_read = @/d/a\nallow_write = @/d/?\n", "d/a/f.env", ACCESS_NONE},
    {FS "deny_read = @/d/a\nallow_write = @/d/?\n", "d/b/h.txt", ACCESS_WRITE},
    /* an allow_write opens what exists; "**" at its end is the directory */
    {FS "allow_write = @/d/**\n", "d/later", ACCESS_WRITE},
    {FS "allow_write = @/d/?\n", "d/a/later", ACCESS_WRITE},
    {FS "allow_write = @/d/?\n", "d/c", ACCESS_READ},
    {FS "allow_write = @/d/?\n", "d/empty/x", ACCESS_READ},
    {FS "allow_write = @/d/**/pub\n", "d/b/pub/x", ACCESS_WRITE},
    {FS "allow_write = @/d/**/t.env, @/d/a\n", "e/t.env", ACCESS_WRITE + 9},
    {FS "allow_write = @/d/l*\n", "e/t.env", ACCESS_WRITE},
    {FS "read_write_paths = @/d/?\n", "d/b/x", ACCESS_WRITE},
    {FS "read_only_paths = @/d/?\ndeny_read = @/d\n", "d/b/x", ACCESS_READ},
    {FS "allow_write = @/d/a\ncreate = @/d/a/new\nread_only_paths = @/d/b/*\n", "d/a/new",
        ACCESS_WRITE},
    {RO "allow_write = @/d/[n]*\ncreate = @/d/new/er\n", "d/new/er/x", ACCESS_WRITE},
    /* a deny_write, where no later name can matter */
    {FS "allow_write = @/d/a, @/d/b\ndeny_write = @/d/?\n", "d/a/x", ACCESS_READ},
    {FS "allow_write = @/d/a\ndeny_write = @/[d]\n", "d/a/x", ACCESS_READ},
    {FS "allow_write = @/d/a, @/d/b\ndeny_write = @/d/[a]\n", "d/b/x", ACCESS_WRITE},
    {FS "allow_write = @/d/a, @/d/b\ndeny_write = @/*/?/h.txt/none\n", "d/b/h.txt",
        ACCESS_WRITE + 9},
    {FS "allow_write = @/d/a\ndeny_write = @/e/*.env, @/d/b/**\n", "d/a/x", ACCESS_WRITE},
    {FS "allow_write = @/d/a\ndeny_write = @/**/d\n", "d/a/x", ACCESS_WRITE + 9},
    /* a name that exists is that name */
    {FS "deny_read = @/d/project[1]/secret\n", "d/project[1]/secret", ACCESS_NONE},
    {FS "deny_read = @/d/project[1]/secret\n", "d/project1/secret", ACCESS_READ},
    {FS "deny_read = @/d/project[0-9]/secret\n", "d/project1/secret", ACCESS_NONE},
    {FS "deny_read = @/d/project[0-9]/secret\n", "d/project[1]/secret", ACCESS_READ},
    {FS "allow_write = *.lit\n" RO, "w/z.lit", ACCESS_READ},
    {FS "deny_read = literal:@/w/*.lit\n", "w/z.lit", ACCESS_WRITE},
    {FS "deny_read = literal:@/w/*.lit\n", "w/*.lit", ACCESS_NONE},
    /* but not where the command could have made it so */
    {FS "deny_read = *.lit\n", "w/z.lit", ACCESS_NONE},
    {FS "deny_read = *.lit\n", "w/*.lit", ACCESS_NONE},
    {FS "deny_read = app/[id]/s\n", "w/app/i/s", ACCESS_NONE},
    {FS "deny_read = app/[id]/s\n", "w/app/[id]/s", ACCESS_NONE},
    {RO "deny_read = app/[id]/s\n", "w/app/i/s", ACCESS_READ},
    {RO "allow_write = app/[id]\ndeny_read = app/[id]/s\n", "w/app/i/s", ACCESS_READ},
};

static void
test_rows(void)
{
	for (size_t i = 0; i < SRUN_ARRAY_LEN(rows); i++) {
		struct surveyed v = survey(rows[i].grant, NULL);
		if (rows[i].want > ACCESS_WRITE)
			ok(v.s == NULL, "row %zu is refused", i);
		else if (v.s == NULL)
			is_str(v.errs.text.v[0], "", "row %zu", i);
		else
			is_int(decide(&v, rows[i].path), rows[i].want, "row %zu: %s", i,
			    rows[i].path);
	}
}

/* ---- what is refused ---- */

static void
test_refused(void)
{
	static const struct {
		const char *grant, *want;
	} refused[] = {
	    {FS "allow_write = @/d/none*\n",
	        "g.ini:2: allow_write '@/d/none*' matches nothing"},
	    {FS "allow_read = @/none/*\n",
	        "g.ini:2: allow_read '@/none/*' matches nothing"},
	    {FS "allow_read = @/d/b/h.txt/*\n", "g.ini:2: allow_read "},
	    {FS "read_write_paths = @/d/none*\n", "matches nothing"},
	    {FS "deny_write = *.lock\n", "g.ini:2: deny_write '*.lock' cannot be held: "
	                                 "the command could make names "
	                                 "that it matches in '@/w'"},
	    {FS "deny_write = **/.env\n", "in '@/w'"},
	    {FS "allow_write = @/d\ndeny_write = @/d/*/x\n", "g.ini:3: deny_write"},
	    {FS "allow_write = @/d/a\ndeny_write = @/d/*/x\n", "in '@/d/a'"},
	    {FS "allow_write = @/d/a\ndeny_write = @/d/*/x/y/z\n", "in '@/d/a'"},
	    {FS "allow_write = @/d/?\ndeny_write = @/d/*/x\n", "in '@/d/"},
	    {FS "allow_write = @/e\ndeny_write = @/d/*/x\n",
	        "in '@/e'"}, /* d/link leads there */
	    {FS "allow_write = @/e\ndeny_write = @/d/**/x\n", "in '@/e'"},
	    {FS "deny_write = @/w/made/*\n", "goes through the link '@/w/made'"},
	    {FS "deny_write = @/w/none/*.x\n", "in '@/w'"},
	    {FS "deny_write = @/w/none/none/*.x\n", "in '@/w'"},
	    {FS "deny_write = *.lit\n", "g.ini:2: deny_write '*.lit' cannot be held"},
	    {FS "deny_read = @/d/*/../x\n", "has '..' behind a pattern"},
	    {FS "allow_read = @/d/?/..\n", "has '..' behind a pattern"},
	    {FS "deny_read = /proc/*\n", ""},
	    {FS "allow_write = /proc/*/mem\n", "matches nothing"},
	    {RO "allow_write = @/d/a\ndeny_read = *\ncreate = @/d/[b]/x\n",
	        "is a pattern"},
	};

	for (size_t i = 0; i < SRUN_ARRAY_LEN(refused); i++) {
		struct surveyed v = survey(refused[i].grant, NULL);
		const char *got = v.errs.text.n > 0 ? v.errs.text.v[0] : "";
		if (*refused[i].want == '\0')
			ok(v.s != NULL && v.s->patterns[0].matches == 0,
			    "/proc is the command's own");
		else
			ok(strstr(got, with_top(refused[i].want)) != NULL, "row %zu: %s",
			    i, got);
	}
}

/* ---- what is said ---- */

static void
test_said(void)
{
	struct surveyed v = survey(FS "deny_read = *.lit\n", NULL);

	ok(v.notes.text.n == 1 && strstr(v.notes.text.v[0],
	                              "g.ini:2: deny_read '*.lit' is the name of a file "
	                              "that the command could have made") != NULL,
	    "a name that the command could have made is told");
	v = survey(FS "deny_read = @/d/**/*.env, @/d/none*\nallow_write = @/d/?\n", NULL);
	ok(v.notes.text.n == 0 && v.s->npatterns == 3, "patterns are for --check");
	is_int(v.s->patterns[0].matches, 2, "the allow first");
	is_int(v.s->patterns[1].matches, 5, "then the denies, a link among them");
	is_int(v.s->patterns[2].matches, 0, "one that matches nothing");
	bool found = false;
	for (size_t i = 0; i < v.s->layers[0].nrules; i++) {
		const struct rule_fact *r = &v.s->layers[0].rules[i];
		found = found ||
		        (r->rule->kind == RULE_DENY_READ && r->rule->matched &&
		            strcmp(r->rule->written, with_top("@/d/**/*.env")) == 0 &&
		            r->rule->origin.line == 2);
	}
	ok(found, "each match keeps its line and what was written there");
}

/* What cannot be listed but searched is closed whole; the caller can be no root for this. */
static void
test_unread(void)
{
	chmod("d/a", 0300);
	struct surveyed v = survey(FS "deny_read = @/d/*/*.env\n", NULL);
	is_int(
	    decide(&v, "d/a/anything"), ACCESS_NONE, "what cannot be listed is closed");
	is_int(v.notes.text.n, 1, "and it is said");
	v = survey(FS "deny_read = @/d/a/*.env\n", NULL);
	is_int(decide(&v, "d/a"), ACCESS_NONE, "also where the pattern begins there");
	v = survey(FS "deny_write = @/d/*/x\nallow_write = @/d/a/pub\n", NULL);
	ok(v.s != NULL, "a name behind a pattern can be looked up there");
	v = survey(FS "deny_write = @/d/*/p*\nallow_write = @/d/a/pub\n", NULL);
	ok(v.s == NULL && strstr(v.errs.text.v[0], "cannot be found out") != NULL,
	    "a deny_write with a write root in it is refused");
	chmod("d/a", 0);
	v = survey(FS "deny_read = @/d/*/*.env\n", NULL);
	is_int(
	    decide(&v, "d/a/anything"), ACCESS_READ, "out of reach for the command too");
	v = survey(FS "deny_read = @/d/*/*.env\nallow_write = @/d\n", NULL);
	is_int(decide(&v, "d/a/anything"), ACCESS_NONE,
	    "not where the command could change its mode");
	chmod("d/a", 0400);
	v = survey(FS "deny_read = @/d/*/*.env\nallow_write = @/d\n", NULL);
	is_int(
	    decide(&v, "d/a/anything"), ACCESS_NONE, "nor where it can be listed alone");
	chmod("d/a", 0700);
}

/* ---- narrowing ---- */

#define DOUBTFUL 9 /* its row */
static const char *const grants[] = {"", FS, FS "deny_read = @/d/**/*.env\n",
    FS "deny_read = @/d/*\nallow_read = @/d/*/pub\n", FS "allow_write = @/d/?\n",
    FS "allow_write = @/d/a/**, @/d/*/pub\n",
    FS "deny_read = @/d\nallow_read = @/d/a/**/*.env\n",
    RO "allow_write = @/d/[ab]\ndeny_write = @/d/a*\n", RO "deny_read = **/*.env\n",
    FS "deny_read = *.lit, app/[id]/s\n", FS "allow_write = @/d/**\ndeny_read = @/d/a\n",
    RO "read_write_paths = @/*/project[1]\nread_only_paths = @/d/b/**\n",
    FS "deny_read = @/d/b/*\nallow_write = @/w/s*\n"};

/* Both grants alone, and the one narrowed by the other: as each, and no more than both. */
static void
test_narrowing(void)
{
	static const char *const more[] = {
	    "w/new", "d/new", "d/a/new.env", "e/new", "d/c", "x"};
	size_t pairs = 0, wrong = 0;

	for (size_t i = 0; i < SRUN_ARRAY_LEN(grants); i++)
		for (size_t k = 0; k < SRUN_ARRAY_LEN(grants); k++) {
			struct surveyed a = survey(grants[i], NULL),
			                b = survey(grants[k], NULL),
			                both = survey(grants[i], grants[k]);
			bool bad = a.s == NULL || b.s == NULL || both.s == NULL;
			/* Without a section a grant narrows nothing. */
			bool silent = *grants[k] == '\0';
			struct strv all = {NULL, 0};

			for (size_t n = 0; n < SRUN_ARRAY_LEN(dirs); n++)
				strv_push(&arena, &all, dirs[n]);
			for (size_t n = 0; n < SRUN_ARRAY_LEN(files); n++)
				strv_push(&arena, &all, files[n]);
			for (size_t n = 0; n < SRUN_ARRAY_LEN(more); n++)
				strv_push(&arena, &all, more[n]);
			for (size_t n = 0; n < all.n && !bad; n++) {
				enum access x = decide(&a, all.v[n]),
				            y = decide(&b, all.v[n]);
				if (silent || x < y)
					y = x;
				/* Of a name that an earlier run could have made, less. */
				enum access got = decide(&both, all.v[n]);
				bad = got > y ||
				      (got < y && i != DOUBTFUL && k != DOUBTFUL);
				if (bad)
					printf("# %s: %d, want %d\n", all.v[n],
					    (int)decide(&both, all.v[n]), (int)y);
			}
			if (bad)
				printf("# grant %zu narrowed by %zu\n", i, k);
			wrong += bad;
			pairs++;
		}
	ok(wrong == 0, "%zu pairs of grants: the intersection", pairs);
}

int
main(void)
{
	top = scratch_enter();
	make_tree();
	test_rows();
	test_refused();
	test_said();
	test_unread();
	test_narrowing();
	remove_tree();
	ok(rmdir(top) == 0, "the scratch directory is empty");
	arena_free(&arena);
	return done();
}
