/*
 * test_deny_set.c: the table of the mandatory deny set: its form, and every entry found by
 * its name and by nothing else.
 */
#include "deny_set.h"

#include <ctype.h>

#include "tap.h"

/* The last two components of an entry, as the walk meets them. */
static void
split(const char *path, char *parent, const char **name)
{
	const char *slash = strchr(path, '/');
	parent[0] = '\0';
	*name = path;
	if (slash == NULL)
		return;
	memcpy(parent, path, (size_t)(slash - path));
	parent[slash - path] = '\0';
	*name = slash + 1;
}

static void
test_form(void)
{
	bool good = true, unique = true, reasons = true;
	for (size_t i = 0; i < deny_set_size; i++) {
		const struct deny_entry *e = &deny_set[i];
		size_t n = strlen(e->path);
		good = good && n > 0 && e->path[0] != '/' && e->path[n - 1] != '/' &&
		       strstr(e->path, "//") == NULL && strstr(e->path, "..") == NULL &&
		       n < 60;
		reasons = reasons && e->reason != NULL && e->reason[0] != '\0' &&
		          strchr(e->reason, '\n') == NULL;
		for (size_t k = 0; k < i; k++)
			unique = unique && (deny_set[k].scope != e->scope ||
			                       strcmp(deny_set[k].path, e->path) != 0);
	}
	ok(good, "every path is relative and in its shortest form");
	ok(unique, "no entry is there twice in a scope");
	ok(reasons, "every entry has a reason of one line");
	ok(deny_set_size > 90, "there are %zu entries", deny_set_size);
}

static void
test_tree(void)
{
	bool found = true, maybe = true, folded = true, not_beside = true;
	for (size_t i = 0; i < deny_set_size; i++) {
		const struct deny_entry *e = &deny_set[i];
		char parent[64], upper[64], longer[80];
		const char *name;
		if (e->scope != DENY_TREE)
			continue;
		split(e->path, parent, &name);
		if (name[0] == '*') {
			snprintf(longer, sizeof(longer), "any%s", name + 1);
			name = longer;
		}
		found = found && deny_set_tree(parent, name, false) == e;
		maybe = maybe && (deny_set_maybe(name) || parent[0] != '\0');
		size_t n = 0;
		for (; name[n] != '\0'; n++)
			upper[n] = (char)toupper((unsigned char)name[n]);
		upper[n] = '\0';
		folded = folded && deny_set_tree(parent, upper, true) == e;
		folded = folded && deny_set_tree(parent, upper, false) == NULL;
		if (e->path[0] == '*')
			continue;
		char beside[96];
		snprintf(beside, sizeof(beside), "%sx", name);
		not_beside = not_beside && deny_set_tree(parent, beside, false) == NULL;
		if (parent[0] != '\0')
			not_beside =
			    not_beside && deny_set_tree("elsewhere", name, false) == NULL;
	}
	ok(found, "every entry of the tree is found by its name");
	ok(maybe, "and the cheap question lets none slip");
	ok(folded, "in another case where the file system folds, and only there");
	ok(not_beside, "a longer name, or another directory, is not it");
}

static void
test_others(void)
{
	static const char *const plain[] = {"Makefile", "package.json", "README.md",
	    ".git", ".gitignore", "config", "hooks", ".env", ".", "..", "", "mise",
	    "crush", "CLAUDE.md", "AGENTS.md", "justfile", ".github", ".editorconfig",
	    ".gitattributes", "x.code-workspace.bak"};
	bool none = true;
	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
		none = none && deny_set_tree("", plain[i], false) == NULL &&
		       deny_set_tree("", plain[i], true) == NULL;
	ok(none, "what a project is made of is not in the set");
	ok(deny_set_tree("", "settings.json", false) == NULL,
	    "a part needs its directory");
	ok(deny_set_tree(".claude", "settings.json", false) != NULL,
	    "and is found in it");
	ok(deny_set_tree(".claude", "debug", false) == NULL, "where the rest is free");
}

static void
test_scopes(void)
{
	size_t n[3] = {0, 0, 0};
	bool held = true, git = true;
	for (size_t i = 0; i < deny_set_size; i++) {
		const struct deny_entry *e = &deny_set[i];
		n[e->scope]++;
		held = held && (e->scope != DENY_HOME || e->hold != HOLD_NONE);
		held = held && e->hold != HOLD_PARENT &&
		       (e->path[0] != '*' || e->hold == HOLD_NONE);
		if (e->scope == DENY_GIT && strcmp(e->path, "commondir") == 0)
			git = git && e->hold == HOLD_DOT_FILE;
		if (e->scope == DENY_GIT && strcmp(e->path, "config.worktree") == 0)
			git = git && e->hold == HOLD_EMPTY_FILE;
	}
	ok(n[DENY_HOME] > 0 && n[DENY_TREE] > 0 && n[DENY_GIT] == 5,
	    "every scope is used");
	ok(held, "a missing name of the home is held, a pattern never is");
	ok(git, "where git dies on a directory, a file is held");
}

/* A link named so leads to parts of the set. */
static void
test_ways(void)
{
	ok(deny_set_way(".claude", false) != NULL && deny_set_way(".hg", false) != NULL,
	    "the directories of entries are known");
	ok(deny_set_way(".CLAUDE", false) == NULL &&
	        deny_set_way(".CLAUDE", true) != NULL,
	    "folded where the file system folds");
	ok(deny_set_way(".vscode", false) == NULL &&
	        deny_set_way(".config", false) == NULL &&
	        deny_set_way("", false) == NULL && deny_set_way(".claud", false) == NULL,
	    "nothing else is one");
	bool good = true;
	for (size_t i = 0; i < deny_moves_size; i++) {
		size_t n = 0;
		for (size_t k = 0; k < deny_set_size; k++)
			n += deny_set[k].scope == DENY_HOME &&
			     strncmp(deny_set[k].path, deny_moves[i].prefix,
			         strlen(deny_moves[i].prefix)) == 0;
		good =
		    good && n > 0 && deny_moves[i].drop <= strlen(deny_moves[i].prefix);
	}
	ok(good, "every variable moves some entry of the home");
}

int
main(void)
{
	test_form();
	test_tree();
	test_others();
	test_scopes();
	test_ways();
	return done();
}
