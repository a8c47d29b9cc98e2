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
	ok(tree != NULL && s.stopped == NULL, "the walk sees everything");
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
	ok(s.stopped != NULL && s.directories <= 3, "a limit of directories");
	scan_tree(&arena, at("r"), &flat, NULL, &d);
	ok(d.pruned && d.stopped == NULL && found(&d, "r/.envrc"), "a limit of depth");
	scan_tree(&arena, at("r"), &late, NULL, &t);
	ok(t.stopped != NULL, "a limit of time");
	ok(scan_tree(&arena, at("absent"), &wide, NULL, &t) == NULL, "no tree, no walk");
	ok(scan_tree(&arena, at("r/.idea"), &wide, NULL, &t) == NULL,
	    "nor through a link");
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

/* Directories age two seconds before they are trusted; the test gives them that age. */
static void
trust(struct scan_node *node)
{
	struct stat st;
	node->ctime_ns =
	    lstat(arena_printf(&arena, "%s", node->name), &st) == 0
	        ? (int64_t)st.st_ctim.tv_sec * 1000000000 + st.st_ctim.tv_nsec
	        : 0;
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
	if (chdir("r/..") != 0)
		return;
	trust(back);
	back->ctime_ns = 0;
	make("r/a/new/.mcp.json");
	scan_tree(&arena, at("r"), &wide, back, &third);
	ok(found(&third, "r/a/new/.mcp.json"), "what is new is found");
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
