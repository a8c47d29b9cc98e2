/*
 * test_listing: whether names exist, by reading directories once: never "no" for what is
 * there, "no" for what is missing where that can be known.
 */
#include "listing.h"
#include "path.h"
#include "scratch.h"
#include "tap.h"

static struct arena arena;
static const char *top;

static const char *
in(const char *name)
{
	return path_join(&arena, top, name);
}

static const struct {
	const char *name;
	bool may;
} rows[] = {
    {"file", true},
    {"dir", true},
    {"dir/inner", true},
    {"dir/deep/deeper/x", true},
    {"dangling", true}, /* the link itself is there */
    {".hidden", true},
    {"fil", false},
    {"files", false},
    {"File", false},
    {"dir/none", false},
    {"none/none/none", false},
    {"none", false},
    {"dir/deep/none/x", false},
    /* what a link leads to is for somebody else to find out */
    {"link/inner", true},
    {"link/none", true},
    {"dangling/x", true},
    /* nothing lies below a file, but that is not a listing's to say */
    {"file/x", true},
    {"dir/../file", true},
    {"dir/../none", false},
    {"dir/..", true},
};

static void
make_tree(void)
{
	bool made = mkdir("dir", 0700) == 0 && mkdir("dir/deep", 0700) == 0 &&
	            mkdir("dir/deep/deeper", 0700) == 0 && scratch_file("file") &&
	            scratch_file("dir/inner") && scratch_file("dir/deep/deeper/x") &&
	            scratch_file(".hidden") && symlink("dir", "link") == 0 &&
	            symlink("nowhere", "dangling") == 0 && mkdir("locked", 0700) == 0 &&
	            scratch_file("locked/x") && chmod("locked", 0) == 0 &&
	            mkdir("empty", 0700) == 0 && mkdir("many", 0700) == 0;

	for (int i = 0; i < 1000 && made; i++)
		made = scratch_file(arena_printf(&arena, "many/%d", i * 7));
	ok(made, "a tree is made");
}

static void
remove_tree(void)
{
	static const char *const files[] = {"file", "dir/inner", "dir/deep/deeper/x",
	    ".hidden", "link", "dangling", "locked/x"};
	static const char *const dirs[] = {
	    "dir/deep/deeper", "dir/deep", "dir", "locked", "many"};

	chmod("locked", 0700);
	for (int i = 0; i < 1000; i++)
		unlink(arena_printf(&arena, "many/%d", i * 7));
	for (size_t i = 0; i < SRUN_ARRAY_LEN(files); i++)
		unlink(files[i]);
	for (size_t i = 0; i < SRUN_ARRAY_LEN(dirs); i++)
		rmdir(dirs[i]);
}

/* With one set of listings for all, and with a fresh one for each. */
static void
test_rows(void)
{
	struct listings all = {.a = &arena};

	for (size_t i = 0; i < SRUN_ARRAY_LEN(rows); i++) {
		struct listings own = {.a = &arena};
		ok(listing_may_exist(&all, in(rows[i].name)) == rows[i].may, "'%s' %s",
		    rows[i].name, rows[i].may ? "may exist" : "does not");
		ok(listing_may_exist(&own, in(rows[i].name)) == rows[i].may,
		    "'%s' by itself", rows[i].name);
	}
	for (size_t i = SRUN_ARRAY_LEN(rows); i-- > 0;)
		if (listing_may_exist(&all, in(rows[i].name)) != rows[i].may)
			ok(false, "'%s' asked again", rows[i].name);
}

static void
test_locked(void)
{
	struct listings l = {.a = &arena};
	bool root = geteuid() == 0;

	ok(listing_may_exist(&l, in("locked")),
	    "a directory that cannot be read is there");
	ok(listing_may_exist(&l, in("locked/x")), "what is in it may be");
	ok(root || listing_may_exist(&l, in("locked/none")), "and so may what is not");
}

static void
test_many(void)
{
	struct listings l = {.a = &arena};
	size_t right = 0;

	for (int i = 0; i < 7000; i++)
		right += listing_may_exist(&l, in(arena_printf(&arena, "many/%d", i))) ==
		         (i % 7 == 0);
	is_int(right, 7000, "7000 names in a directory of 1000");
	size_t dirs = l.ndirs;
	listing_may_exist(&l, in("many/x"));
	is_int(l.ndirs, dirs, "no directory is listed twice");
	ok(!listing_may_exist(&l, in("empty/x")), "an empty directory has nothing");
	rmdir("empty");
	ok(listing_may_exist(&l, in("empty")), "what was read stays as it was");
}

static void
test_top(void)
{
	struct listings l = {.a = &arena};

	ok(listing_may_exist(&l, "/tmp"), "a directory of the root");
	ok(!listing_may_exist(&l, "/none-of-that-name"), "a name missing in the root");
	ok(!listing_may_exist(&l, "/none-of-that-name/x/y"), "and below");
}

int
main(void)
{
	top = scratch_enter();
	make_tree();
	test_rows();
	test_locked();
	test_many();
	test_top();
	remove_tree();
	ok(rmdir(top) == 0, "the scratch directory is empty");
	arena_free(&arena);
	return done();
}
