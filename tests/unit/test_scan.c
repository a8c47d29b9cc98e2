/*
 * test_scan.c: the walk over real trees: what it finds, where it stops, and its cache: a
 * round trip, what has changed, and bytes that are cut or wrong.
 */
#include "scan.h"
#include "scancache.h"

#include <stdlib.h>

#include "rmtree.h"
#include "scratch.h"
#include "tap.h"

static const struct scan_limits wide = {
    .directories = 10000, .depth = 16, .milliseconds = 60000};
static struct arena arena;
static char top[4096];

static const char *
at(const char *name)
{
	return arena_printf(&arena, "%s/%s", top, name);
}

static void
make(const char *name)
{
	char path[512];
	snprintf(path, sizeof(path), "%s", name);
	for (char *s = path; (s = strchr(s, '/')) != NULL; s++) {
		*s = '\0';
		mkdir(path, 0700);
		*s = '/';
	}
	if (path[strlen(path) - 1] != '/')
		scratch_file(path);
}

static bool
found(const struct scan *s, const char *name)
{
	for (size_t i = 0; i < s->nfound; i++)
		if (strcmp(s->found[i].path, at(name)) == 0)
			return true;
	return false;
}

static void
test_found(void)
{
	struct scan s = {.nfound = 0};
	make("r/.envrc");
	make("r/a/b/.vscode/settings.json");
	make("r/a/.vscode/sub/.envrc");
	make("r/node_modules/x/.envrc");
	make("r/p.code-workspace");
	make("r/.claude/settings.json");
	make("r/.claude/debug");
	make("r/repo/.git/HEAD");
	make("r/repo/.git/objects/.envrc");
	make("r/repo/.git/modules/m/HEAD");
	make("r/repo/.git/modules/m/objects/");
	make("r/repo/.git/modules/m/refs/");
	make("r/repo/.git/worktrees/t/HEAD");
	make("r/file/.git");
	make("r/bare/HEAD");
	make("r/bare/objects/");
	make("r/bare/refs/");
	make("r/no/HEAD");
	make("r/no/objects/");
	ok(symlink("..", "r/a/loop") == 0, "a link back up");
	ok(symlink("/", "r/.idea") == 0, "a name of the set that is a link");
	struct scan_node *tree = scan_tree(&arena, at("r"), &wide, NULL, &s);
	ok(tree != NULL && s.nstops == 0, "the walk sees everything");
	ok(found(&s, "r/.envrc") && found(&s, "r/a/b/.vscode") &&
	        found(&s, "r/a/.vscode"),
	    "names at any depth");
	ok(found(&s, "r/p.code-workspace") && found(&s, "r/.claude/settings.json"),
	    "patterns and parts");
	ok(found(&s, "r/.idea"), "a link by its name");
	ok(found(&s, "r/file/.git"), "a git file");
	ok(!found(&s, "r/a/.vscode/sub/.envrc"), "nothing below what is denied whole");
	ok(!found(&s, "r/node_modules/x/.envrc") &&
	        !found(&s, "r/repo/.git/objects/.envrc"),
	    "nothing where nothing matters");
	ok(!found(&s, "r/.claude/debug") && !found(&s, "r/a/loop"), "nothing else");
	is_int(s.nfound, 7, "seven in all");
	ok(strv_has(&s.gitdirs, at("r/repo/.git")) &&
	        strv_has(&s.gitdirs, at("r/repo/.git/modules/m")) &&
	        strv_has(&s.gitdirs, at("r/repo/.git/worktrees/t")) &&
	        strv_has(&s.gitdirs, at("r/bare")),
	    "git directories of every kind");
	is_int(s.gitdirs.n, 4, "four in all");
	ok(strv_has(&s.repos, at("r/repo")) && strv_has(&s.repos, at("r/file")),
	    "and the tops of work trees");
}

static void
test_limits(void)
{
	struct scan_limits few = wide, flat = wide, late = wide;
	struct scan s = {.nfound = 0}, d = {.nfound = 0}, t = {.nfound = 0};
	few.directories = 3;
	flat.depth = 1;
	late.milliseconds = -1;
	scan_tree(&arena, at("r"), &few, NULL, &s);
	ok(s.nstops == 1 && s.directories <= 3, "a limit of directories");
	ok(s.nstops == 1 && strcmp(s.stops[0].root, at("r")) == 0 &&
	        strstr(s.stops[0].why, "many") != NULL && s.stops[0].goes_on,
	    "it says where and why");
	ok(found(&s, "r/.envrc") && found(&s, "r/.claude/settings.json") == false,
	    "the shallow is seen first");
	scan_tree(&arena, at("r"), &flat, NULL, &d);
	ok(d.nstops == 1 && !d.stops[0].goes_on && found(&d, "r/.envrc"),
	    "a limit of depth");
	scan_tree(&arena, at("r"), &late, NULL, &t);
	ok(t.nstops == 1, "a limit of time");
	ok(scan_tree(&arena, at("absent"), &wide, NULL, &t) == NULL, "no tree, no walk");
	ok(scan_tree(&arena, at("r/.idea"), &wide, NULL, &t) == NULL,
	    "nor through a link");
}

/*
 * Directories age two seconds before they are trusted; the test gives them that age. Those
 * that were not read have no inode yet.
 */
static void
age(struct scan_node *node, const char *path)
{
	struct stat st;
	if (node->ino != 0 && lstat(path, &st) == 0)
		node->ctime_ns =
		    (int64_t)st.st_ctim.tv_sec * 1000000000 + st.st_ctim.tv_nsec;
	for (size_t i = 0; i < node->nsub; i++)
		age(node->sub[i],
		    arena_printf(&arena, "%s/%s", path, node->sub[i]->name));
}

/* Each walk has limits of its own, and what an earlier one saw is not lost. */
static void
test_stops(void)
{
	struct scan_limits few = wide, late = wide;
	struct scan all = {.nfound = 0}, both = {.nfound = 0}, again = {.nfound = 0};
	struct scan steps = {.nfound = 0};
	make("other/.envrc");
	few.directories = 2;
	late.milliseconds = -1;
	scan_tree(&arena, at("r"), &few, NULL, &both);
	scan_tree(&arena, at("other"), &few, NULL, &both);
	ok(both.nstops == 1 && found(&both, "other/.envrc"),
	    "a root that stops short takes nothing from the next");

	struct scan_node *tree = scan_tree(&arena, at("r"), &wide, NULL, &all);
	struct scan_node *kept = scan_tree(&arena, at("r"), &late, tree, &again);
	ok(again.nstops == 1 && again.directories == 0, "a walk that sees nothing");
	ok(again.nfound == all.nfound && again.gitdirs.n == all.gitdirs.n &&
	        again.repos.n == all.repos.n,
	    "has all that is known");
	ok(found(&again, "r/a/b/.vscode") &&
	        strv_has(&again.gitdirs, at("r/repo/.git/modules/m")),
	    "at the right places");
	struct bytes one = {NULL, 0, 0}, two = {NULL, 0, 0};
	scan_encode(&arena, tree, &one);
	scan_encode(&arena, kept, &two);
	ok(one.len == two.len, "and its tree is no smaller");

	/* What was read is trusted once it is old enough, so each run comes further. */
	tree = NULL;
	size_t rounds = 0;
	do {
		struct scan s = {.nfound = 0};
		tree = scan_tree(&arena, at("r"), &few, tree, &s);
		steps = s;
		age(tree, "r");
	} while (steps.nstops > 0 && ++rounds < 50);
	ok(rounds > 3 && rounds < 50 && steps.nfound == all.nfound &&
	        steps.gitdirs.n == all.gitdirs.n,
	    "two directories a run see everything after %zu runs", rounds);
}

static void
test_unread(void)
{
	struct scan s = {.nfound = 0}, again = {.nfound = 0};
	make("r/closed/.envrc");
	chmod("r/closed", 0);
	struct scan_node *tree = scan_tree(&arena, at("r"), &wide, NULL, &s);
	ok(strv_has(&s.unread, at("r/closed")),
	    "a directory that cannot be read is said");
	scan_tree(&arena, at("r"), &wide, tree, &again);
	ok(strv_has(&again.unread, at("r/closed")), "also the next time");
	chmod("r/closed", 0700);
}

static void
test_cache(void)
{
	struct scan first = {.nfound = 0}, second = {.nfound = 0}, third = {.nfound = 0};
	struct bytes b = {NULL, 0, 0}, twice = {NULL, 0, 0};
	struct scan_node *tree = scan_tree(&arena, at("r"), &wide, NULL, &first);
	ok(first.read == first.directories, "without a cache everything is read");
	scan_encode(&arena, tree, &b);
	struct scan_node *back = scan_decode(&arena, b.data, b.len);
	ok(back != NULL, "a tree comes back from its bytes");
	if (back == NULL)
		return;
	scan_encode(&arena, back, &twice);
	ok(twice.len == b.len && memcmp(twice.data, b.data, b.len) == 0,
	    "and gives the same bytes");
	scan_tree(&arena, at("r"), &wide, back, &second);
	ok(second.nfound == first.nfound && second.gitdirs.n == first.gitdirs.n &&
	        second.repos.n == first.repos.n &&
	        second.directories == first.directories,
	    "with it the walk finds the same");
	ok(second.read == second.directories, "too young, so it is read again");
	age(back, "r");
	make("r/a/new/.mcp.json");
	sleep(3);
	scan_tree(&arena, at("r"), &wide, back, &third);
	ok(found(&third, "r/a/new/.mcp.json"), "what is new is found");
	is_int(third.read, 2, "and only what changed is read: it, and what it is in");
}

static void
test_bad_bytes(void)
{
	struct scan s = {.nfound = 0};
	struct bytes b = {NULL, 0, 0};
	struct scan_node *tree = scan_tree(&arena, at("r"), &wide, NULL, &s);
	scan_encode(&arena, tree, &b);
	bool none = true;
	for (size_t n = 0; n < b.len; n++) {
		struct arena a = {NULL};
		char *cut = malloc(n + 1);
		if (cut == NULL)
			break;
		memcpy(cut, b.data, n);
		none = none && scan_decode(&a, cut, n) == NULL;
		free(cut);
		arena_free(&a);
	}
	ok(none, "bytes that are cut anywhere give no tree");
	unsigned seed = 7;
	size_t trees = 0;
	for (int round = 0; round < 20000; round++) {
		struct arena a = {NULL};
		struct scan again = {.nfound = 0};
		char *bad = malloc(b.len);
		if (bad == NULL)
			break;
		memcpy(bad, b.data, b.len);
		for (int k = 0; k <= round % 5; k++) {
			seed = seed * 1103515245U + 12345U;
			bad[(seed >> 8) % b.len] = (char)(seed >> 24);
		}
		struct scan_node *got = scan_decode(&a, bad, b.len);
		trees += got != NULL;
		if (got != NULL && round % 50 == 0)
			scan_tree(&a, at("r"), &wide, got, &again);
		free(bad);
		arena_free(&a);
	}
	ok(true, "bytes that are changed give a tree (%zu) or none, never a crash",
	    trees);
	struct bytes longer = {NULL, 0, 0};
	bytes_add(&arena, &longer, b.data, b.len);
	bytes_add(&arena, &longer, "", 1);
	ok(scan_decode(&arena, longer.data, longer.len) == NULL, "nor do bytes too many");
	ok(scan_decode(&arena, "", 0) == NULL, "nor none");
}

int
main(void)
{
	snprintf(top, sizeof(top), "%s", scratch_enter());
	test_found();
	test_limits();
	test_stops();
	test_unread();
	test_cache();
	test_bad_bytes();
	ok(!scan_folds_case("/proc"), "/proc does not fold case");
	ok(!scan_folds_case("/nowhere/at/all"), "nor does what is not there");
	if (chdir("/") == 0)
		rmtree(AT_FDCWD, top, 0);
	arena_free(&arena);
	return done();
}
