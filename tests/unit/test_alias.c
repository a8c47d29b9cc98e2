/*
 * test_alias.c: other names of protected files: hard links in real trees, bind mounts as
 * the kernel lists them.
 */
#include "alias.h"

#include "rmtree.h"
#include "scratch.h"
#include "tap.h"

static struct arena arena;

static void
mounts(const char *text, const char *path, const char *want)
{
	struct strv paths = {NULL, 0};
	struct alias_list l = {NULL, 0};
	struct bytes got = {NULL, 0, 0};
	strv_push(&arena, &paths, path);
	alias_mounts(&arena, text, &paths, &l);
	for (size_t i = 0; i < l.n; i++)
		bytes_printf(&arena, &got, "%s%s", i > 0 ? " " : "", l.v[i].path);
	bytes_add(&arena, &got, "", 1);
	is_str(got.data, want, "%s", want[0] != '\0' ? want : "no other path");
}

#define ROOT "1 0 8:1 / / rw - ext4 /dev/a rw\n"

int
main(void)
{
	char top[4096];
	mounts(ROOT, "/w/.git/hooks", "");
	mounts(ROOT "2 1 8:1 /w/.git/hooks /w/x rw - ext4 /dev/a rw\n", "/w/.git/hooks",
	    "/w/x");
	mounts(
	    ROOT "2 1 8:1 /w /v rw - ext4 /dev/a rw\n", "/w/.git/hooks", "/v/.git/hooks");
	mounts(ROOT "2 1 8:1 /w/.git/hooks/sub /v rw - ext4 /dev/a rw\n", "/w/.git/hooks",
	    "/v");
	mounts(ROOT "2 1 8:2 /w /v rw - ext4 /dev/b rw\n", "/w/.git/hooks", "");
	mounts(
	    ROOT "2 1 8:1 /w/.git/hooksx /v rw - ext4 /dev/a rw\n", "/w/.git/hooks", "");
	mounts(ROOT
	    "2 1 8:2 / /w rw - ext4 /dev/b rw\n3 1 8:2 /.git /v rw - ext4 /dev/b rw\n",
	    "/w/.git/hooks", "/v/hooks");
	mounts(
	    ROOT "2 1 8:1 /w\\040x /v\\134y rw - ext4 /dev/a rw\n", "/w x/f", "/v\\y/f");
	mounts("bad\n\n" ROOT "1 2 3\n", "/w", "");
	mounts("", "/w", "");

	struct alias_files files = {NULL, 0};
	struct alias_list found = {NULL, 0};
	snprintf(top, sizeof(top), "%s", scratch_enter());
	mkdir("d", 0700);
	mkdir("d/e", 0700);
	mkdir("node_modules", 0700);
	scratch_file("one");
	scratch_file("d/e/two");
	ok(link("one", "d/alias") == 0 && link("d/e/two", "node_modules/alias") == 0,
	    "files with two names");
	ok(alias_collect(&arena, arena_printf(&arena, "%s/one", top), &files) &&
	        alias_collect(&arena, arena_printf(&arena, "%s/d/e", top), &files),
	    "are looked for");
	is_int(files.n, 2, "and seen, also in a directory");
	ok(alias_links(&arena, top, &files, &found), "their names are looked for");
	is_int(found.n, 2, "and found, not the names themselves");
	for (size_t i = 0; i < found.n; i++)
		ok(strstr(found.v[i].path, "alias") != NULL, "'%s' is one",
		    found.v[i].path + strlen(top));
	if (chdir("/") == 0)
		rmtree(AT_FDCWD, top, 0);
	arena_free(&arena);
	return done();
}
