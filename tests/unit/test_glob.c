/*
 * test_glob: what a pattern matches on a real tree: by rows, and by force against
 * path_match() over every path of the tree.
 */
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "glob.h"
#include "path.h"
#include "scratch.h"
#include "sys.h"
#include "tap.h"

static struct arena arena;
static const char *top;
static char long_name[256];

static const char *const dirs[] = {"t", "t/sub", "t/sub/deep", "t/sub/deep/sub",
    "t/empty", "t/[id]", "t/a\nb", "o", "o/x", "t/sub/.hid"};
static const char *const files[] = {"t/a.env", "t/.env", "t/b.txt", "t/a\nb.env",
    "t/\xff.env", "t/*.x", "t/y.x", "t/[id]/f", "t/sub/c.env", "t/sub/deep/d.env",
    "t/sub/deep/sub/c.env", "t/a\nb/z.env", "o/e.env", "o/x/g.env", "t/sub/.hid/h.env",
    "t/\xc3\x84.Env"};
static const struct {
	const char *path, *text;
} links[] = {
    {"t/l.env", "sub/c.env"}, /* a link to a file */
    {"t/out", "../o"},        /* to a directory elsewhere */
    {"t/self", "."},          /* loops */
    {"t/sub/up", ".."},
    {"o/back", "../t/sub"},
    {"t/ring1", "ring2"},
    {"t/ring2", "ring1"},
    {"t/dangling.env", "nowhere"},
};

static void
make_tree(void)
{
	bool made = true;

	memset(long_name, 'n', 251);
	memcpy(long_name + 251, ".env", 5);
	for (size_t i = 0; i < SRUN_ARRAY_LEN(dirs); i++)
		made &= mkdir(dirs[i], 0700) == 0;
	for (size_t i = 0; i < SRUN_ARRAY_LEN(files); i++)
		made &= scratch_file(files[i]);
	made &= scratch_file(path_join(&arena, "t/empty", long_name));
	for (size_t i = 0; i < SRUN_ARRAY_LEN(links); i++)
		made &= symlink(links[i].text, links[i].path) == 0;
	ok(made, "a tree is made");
}

static void
remove_tree(void)
{
	for (size_t i = 0; i < SRUN_ARRAY_LEN(links); i++)
		unlink(links[i].path);
	unlink(path_join(&arena, "t/empty", long_name));
	for (size_t i = 0; i < SRUN_ARRAY_LEN(files); i++)
		unlink(files[i]);
	for (size_t i = SRUN_ARRAY_LEN(dirs); i-- > 0;)
		rmdir(dirs[i]);
}

/* ---- one walk ---- */

static enum glob_step
enter_all(void *arg, const char *dir, const char *tail, const char *cover)
{
	const char *skipped = arg;

	(void)tail;
	(void)cover;
	return skipped != NULL && strcmp(dir, skipped) == 0 ? GLOB_SKIP : GLOB_ENTER;
}

static bool
want_uncovered(void *arg, const char *cover, const char *path)
{
	(void)arg;
	(void)path;
	return cover == NULL;
}

static bool
want_all(void *arg, const char *cover, const char *path)
{
	(void)arg;
	(void)cover;
	(void)path;
	return true;
}

static struct glob_budget budget;

static struct glob
walk(const char *base, const char *tail, bool deny)
{
	struct glob g = {.a = &arena,
	    .budget = &budget,
	    .deny = deny,
	    .enter = enter_all,
	    .wanted = want_uncovered};

	budget = (struct glob_budget){100000, 1000, sys_now_ms() + 60000};
	glob_walk(&g, base, tail);
	return g;
}

static int
compare(const void *x, const void *y)
{
	return strcmp(*(const char *const *)x, *(const char *const *)y);
}

/*
 * Sorted, without what is above the tree, and without what repeats. nested: also those that
 * lie in another: whether a deny names them depends on the order of a directory.
 */
static const char *
names(const struct strv *list, bool nested)
{
	struct bytes out = {NULL, 0, 0};
	const char *last = "";

	if (list->n > 1)
		qsort(list->v, list->n, sizeof(*list->v), compare);
	for (size_t i = 0; i < list->n; i++) {
		if (strcmp(list->v[i], last) == 0 ||
		    (!nested && *last && path_within(list->v[i], last)))
			continue;
		last = list->v[i];
		bytes_printf(&arena, &out, "%s%s", out.len ? " " : "",
		    path_within(last, top) ? last + strlen(top) + 1 : last);
	}
	bytes_add(&arena, &out, "", 1);
	return out.data;
}

static void
test_rows(void)
{
	static const struct {
		const char *base, *tail, *allow, *deny;
	} rows[] = {
	    {"t", "*.x", "t/*.x t/y.x", NULL},
	    {"t", "a?b", "t/a\nb", NULL},
	    {"t", "[[]id]", "t/[id]", NULL},
	    {"t", "[id]", "", NULL},
	    {"t", "?.env", "t/a.env t/l.env t/\xff.env", NULL},
	    {"t", "?.Env", "t/\xc3\x84.Env", NULL},
	    {"t", "*.Env", "t/\xc3\x84.Env", NULL},
	    {"t", "*e*p*/*", "t/empty/NNN", NULL},
	    {"t/sub", "*", "t/sub/.hid t/sub/c.env t/sub/deep t/sub/up", NULL},
	    {"t", "sub/*.env", "t/sub/c.env", NULL},
	    {"t", "s*/c.env", "t/sub/c.env", NULL},
	    {"t", "s*/none", "", NULL},
	    {"t", "b.txt/*", "", NULL},
	    {"t", "*/f", "t/[id]/f", NULL},
	    /* '*' goes through a link; where that leads to is what a deny names */
	    {"t", "o*/e.env", "t/out/e.env", "o/e.env"},
	    {"t", "o?t/*.env", "t/out/e.env", "o/e.env"},
	    {"t", "ring?/*", "", NULL},
	    {"t", "dang*", "t/dangling.env", NULL},
	    /* "**" does so for a deny only, and what is below a match is not named */
	    {"t", "**/c.env", "t/sub/c.env t/sub/deep/sub/c.env", NULL},
	    {"t", "**/g.env", "", "o/x/g.env"},
	    {"t", "**/x/*", "", "o/x/g.env"},
	    {"t", "**/sub", "t/sub t/sub/deep/sub", "t/sub"},
	    {"t/sub", "**/deep/**/c.env", "t/sub/deep/sub/c.env", NULL},
	    {"t", "**/**/h.env", "t/sub/.hid/h.env", NULL},
	    {"t", "**", "t", NULL},
	    {"t", "s?b/**", "t/sub", NULL},
	    {"t", "sub/**", "t/sub", NULL},
	    {"t", "b.txt/**", "", NULL},
	    {"t/empty", "**", "t/empty", NULL},
	};

	for (size_t i = 0; i < SRUN_ARRAY_LEN(rows); i++) {
		for (int deny = 0; deny < 2; deny++) {
			const char *want =
			    deny && rows[i].deny ? rows[i].deny : rows[i].allow;
			struct glob g = walk(
			    path_join(&arena, top, rows[i].base), rows[i].tail, deny);
			const char *got = names(&g.matches, !deny),
			           *l = strstr(got, long_name);
			if (l != NULL)
				got =
				    arena_printf(&arena, "%.*sNNN", (int)(l - got), got);
			is_str(got, want, "%s/%s, %s", rows[i].base, rows[i].tail,
			    deny ? "deny" : "allow");
			ok(g.stopped == NULL && g.unread.n == 0, "to the end");
		}
	}
}

/* ---- by force ---- */

static const char *const tails[] = {"**", "**/*", "*", "**/*.env", "*/*.env", "**/sub",
    "**/sub/**", "**/sub/**/*.env", "**/[!a-z]*", "**/*/*", "sub/**/sub/*", "**/**/?*",
    "**/s*/**/d*", "**/*b*", "**/.*", "**/.*/*", "**/*\n*/**"};

/* Every path of the tree that is reached without a link. */
static void
all_paths(struct strv *out)
{
	for (size_t i = 0; i < SRUN_ARRAY_LEN(dirs); i++)
		strv_push(&arena, out, dirs[i]);
	for (size_t i = 0; i < SRUN_ARRAY_LEN(files); i++)
		strv_push(&arena, out, files[i]);
	for (size_t i = 0; i < SRUN_ARRAY_LEN(links); i++)
		strv_push(&arena, out, links[i].path);
	strv_push(&arena, out, path_join(&arena, "t/empty", long_name));
}

static void
test_force(void)
{
	struct strv all = {NULL, 0};

	all_paths(&all);
	for (size_t k = 0; k < SRUN_ARRAY_LEN(tails); k++) {
		const char *base = path_join(&arena, top, "t");
		const char *pattern = path_join(&arena, base, tails[k]);
		struct glob allow = walk(base, tails[k], false), deny = {.a = &arena,
		                                                     .budget = &budget,
		                                                     .deny = true,
		                                                     .enter = enter_all,
		                                                     .wanted = want_all};
		size_t wrong = 0, matched = 0, n = strlen(tails[k]);

		budget = (struct glob_budget){100000, 1000, sys_now_ms() + 60000};
		glob_walk(&deny, base, tails[k]);
		for (size_t i = 0; i < all.n; i++) {
			const char *path = path_join(&arena, top, all.v[i]);
			bool want = path_match(pattern, path);
			/* "**" at the end is the directory itself, with all below it */
			if (want && str_ends(tails[k], "**"))
				want = n == 2 ? strcmp(path, base) == 0
				              : !path_match(
				                    pattern, path_parent(&arena, path));
			matched += want;
			bool link = false;
			struct stat st;
			link = lstat(path, &st) == 0 && S_ISLNK(st.st_mode);
			wrong += strv_has(&allow.matches, path) != want &&
			         !str_ends(tails[k], "**");
			wrong += want && !link && !strv_has(&deny.matches, path) &&
			         !str_ends(tails[k], "**");
			wrong += want && link && *tails[k] != '*' &&
			         !strv_has(&deny.matches, path);
		}
		ok(wrong == 0 && matched > 0,
		    "%s: as path_match() over %zu paths, %zu match", tails[k], all.n,
		    matched);
	}
}

/* ---- what stops it ---- */

static enum glob_step
enter_stop(void *arg, const char *dir, const char *tail, const char *cover)
{
	(void)arg;
	(void)cover;
	return strcmp(tail, "*.env") == 0 && str_ends(dir, "/deep") ? GLOB_STOP
	                                                            : GLOB_ENTER;
}

static enum glob_step
enter_whole(void *arg, const char *dir, const char *tail, const char *cover)
{
	(void)arg;
	(void)dir;
	(void)cover;
	return strcmp(tail, "*") == 0 ? GLOB_WHOLE : GLOB_ENTER;
}

static struct glob
walk_limited(const char *tail, struct glob_budget limits)
{
	struct glob g = {.a = &arena,
	    .budget = &budget,
	    .deny = true,
	    .enter = enter_all,
	    .wanted = want_uncovered};

	budget = limits;
	glob_walk(&g, path_join(&arena, top, "t"), tail);
	return g;
}

static void
test_limits(void)
{
	int64_t later = sys_now_ms() + 60000;
	struct glob g = walk_limited("**/*.env", (struct glob_budget){10, 100, later});

	ok(g.stopped != NULL && strstr(g.stopped, "too many names to look at") != NULL &&
	        strstr(g.stopped, top) != NULL,
	    "stopped by the number of entries, with the place: %s", g.stopped);
	g = walk_limited("**/*.env", (struct glob_budget){1000, 3, later});
	ok(g.stopped != NULL && strstr(g.stopped, "matches too many") != NULL,
	    "stopped by the number of matches");
	g = walk_limited("**/*.env", (struct glob_budget){1000, 100, sys_now_ms() - 1});
	ok(g.stopped != NULL && strstr(g.stopped, "too long") != NULL,
	    "stopped by the clock");
	g = walk_limited("sub/*.env", (struct glob_budget){1000, 100, later});
	ok(g.stopped == NULL && budget.entries < 1000 && budget.entries > 980 &&
	        budget.matches == 99,
	    "what it cost is taken from the budget");
	g = (struct glob){.a = &arena,
	    .budget = &budget,
	    .deny = true,
	    .enter = enter_stop,
	    .wanted = want_uncovered};
	glob_walk(&g, path_join(&arena, top, "t"), "*/d*/*.env");
	ok(g.stopped != NULL && g.matches.n == 0, "stopped by its caller");
	g = (struct glob){.a = &arena,
	    .budget = &budget,
	    .deny = true,
	    .enter = enter_whole,
	    .wanted = want_uncovered};
	glob_walk(&g, path_join(&arena, top, "t/sub"), "*");
	is_str(names(&g.matches, true), "t/sub t/sub/up",
	    "a directory as a whole, with its links");
	g = (struct glob){.a = &arena,
	    .budget = &budget,
	    .deny = true,
	    .enter = enter_all,
	    .wanted = want_uncovered,
	    .arg = (void *)(uintptr_t)path_join(&arena, top, "t/sub/deep")};
	glob_walk(&g, path_join(&arena, top, "t/sub"), "**/c.env");
	is_str(names(&g.matches, true), "t/sub/c.env", "a directory is skipped");
}

/* ---- directories that cannot be read, and names that cannot be used ---- */

static void
test_unread(void)
{
	ok(mkdir("u", 0700) == 0 && mkdir("u/shut", 0700) == 0 &&
	        mkdir("u/blind", 0700) == 0 && scratch_file("u/blind/k.env") &&
	        mkdir("u/list", 0700) == 0 && mkdir("u/list/in", 0700) == 0 &&
	        chmod("u/shut", 0) == 0 && chmod("u/blind", 0100) == 0 &&
	        chmod("u/list", 0400) == 0,
	    "directories that cannot be read, listed, searched");
	struct glob g = walk(path_join(&arena, top, "u"), "*/*.env", true);
	is_str(names(&g.unread, true), "u/blind u/shut",
	    "those that cannot be listed are told");
	g = walk(path_join(&arena, top, "u"), "**/k.env", true);
	is_str(names(&g.unread, true), "u/blind u/list/in u/shut",
	    "with \"**\" also what is in one that cannot be searched");
	g = walk(path_join(&arena, top, "u"), "bl*/k.env", true);
	ok(g.matches.n == 1 && g.unread.n == 0,
	    "a name in one that can be searched is found");
	g = walk(path_join(&arena, top, "u"), "li*/k.env", true);
	is_str(names(&g.unread, true), "u/list", "a name in one that cannot be searched");
	g = walk(path_join(&arena, top, "u"), "*/*.env", false);
	ok(g.matches.n == 0 && g.stopped == NULL, "for an allow it is not there");
	chmod("u/list", 0700);
	rmdir("u/list/in");
	rmdir("u/list");
	chmod("u/blind", 0700);
	unlink("u/blind/k.env");
	rmdir("u/blind");
	rmdir("u/shut");
	rmdir("u");
}

/* Made and removed step by step: a path cannot say how deep it is. */
static void
check_deep(size_t len, int levels, size_t longest)
{
	char name[201];
	int depth = 0;
	bool made = mkdir("d", 0700) == 0 && chdir("d") == 0;

	memset(name, 'd', len);
	name[len] = '\0';
	for (; depth < levels && made; depth++)
		made = mkdir(name, 0700) == 0 && chdir(name) == 0;
	made = made && scratch_file("k.env");
	struct glob g = walk(path_join(&arena, top, "d"), "**/*.env", true);
	ok(made && g.stopped == NULL && g.matches.n == 0, "a tree of %d levels", levels);
	ok(g.unread.n == 1 && strlen(g.unread.v[0]) > longest - 202 &&
	        strlen(g.unread.v[0]) <= longest,
	    "the last directory that can be named is told");
	unlink("k.env");
	for (; depth > 0; depth--)
		made = chdir("..") == 0 && rmdir(name) == 0;
	ok(made && chdir("..") == 0 && rmdir("d") == 0, "and it is removed");
}

static void
test_deep(void)
{
	check_deep(200, 25, PATH_LIMIT - 9);
	check_deep(1, 2100, 300);
}

static void
test_many(void)
{
	bool made = mkdir("many", 0700) == 0;

	for (int i = 0; i < 10000 && made; i++)
		made = scratch_file(arena_printf(&arena, "many/%d.txt", i));
	made = made && scratch_file("many/x.env");
	struct glob g = walk(path_join(&arena, top, "many"), "*.env", true);
	int64_t start = sys_now_ms();
	for (int i = 0; i < 10; i++)
		g = walk(path_join(&arena, top, "many"), "*.env", true);
	int64_t each = (sys_now_ms() - start) / 10;
	ok(made && g.matches.n == 1, "one of 10,000 names");
	ok(each < 200, "and quickly: %d ms", (int)each);
	for (int i = 0; i < 10000; i++)
		unlink(arena_printf(&arena, "many/%d.txt", i));
	unlink("many/x.env");
	rmdir("many");
}

/* Another process moves a name to and fro: it is found under one of the two. */
static void
test_moved(void)
{
	pid_t parent = getpid(), pid;
	size_t missed = 0, stopped = 0;
	bool made = mkdir("m", 0700) == 0 && scratch_file("m/a.env");

	for (int i = 0; i < 200 && made; i++)
		made = scratch_file(arena_printf(&arena, "m/%d", i));
	pid = fork();
	if (pid == 0) {
		for (int i = 0; i < 4000 && getppid() == parent; i++) {
			rename("m/a.env", "m/b.env");
			usleep(300);
			rename("m/b.env", "m/a.env");
			usleep(300);
		}
		_exit(0);
	}
	for (int i = 0; i < 300; i++) {
		struct glob g = walk(path_join(&arena, top, "m"), "*.env", true);
		missed += g.matches.n == 0 && g.stopped == NULL;
		stopped += g.stopped != NULL;
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	ok(made && missed == 0, "a name that is moved is never missed (%zu stopped)",
	    stopped);
	for (int i = 0; i < 200; i++)
		unlink(arena_printf(&arena, "m/%d", i));
	unlink("m/a.env");
	unlink("m/b.env");
	rmdir("m");
}

int
main(void)
{
	top = scratch_enter();
	make_tree();
	test_rows();
	test_force();
	test_limits();
	remove_tree();
	test_unread();
	test_deep();
	test_many();
	test_moved();
	ok(rmdir(top) == 0, "the scratch directory is empty");
	arena_free(&arena);
	return done();
}
