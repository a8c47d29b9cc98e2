/*
 * test_exitcheck.c: what is said of the protected set after a run.
 */
#include "exitcheck.h"

#include "placeholder.h"

#include "rmtree.h"
#include "scratch.h"
#include "tap.h"

static const struct scan_limits wide = {
    .directories = 10000, .depth = 16, .milliseconds = 60000};
static struct arena arena;
static int statefd;
static char top[4096];

static const char *
at(const char *name)
{
	return arena_printf(&arena, "%s/%s", top, name);
}

static void
write_text(const char *name, const char *text)
{
	int fd = open(at(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		printf("Bail out! cannot write %s\n", name);
	close(fd);
}

static struct exit_check
begin(void)
{
	struct exit_check x = {.nnames = 0};
	struct scan s = {.nfound = 0};
	struct scan_node *tree = scan_tree(&arena, at("r"), &wide, NULL, &s);
	exit_check_name(&arena, &x, at("r/.envrc"), false);
	exit_check_name(&arena, &x, at("r/.mcp.json"), true);
	exit_check_root(&arena, &x, at("r"), tree);
	x.gitdirs = s.gitdirs;
	return x;
}

/* The check's only line must have these words; NULL: there is none. */
static void
says(const struct exit_check *x, const char *words, const char *what)
{
	struct errs out = {{NULL, 0}};
	struct holds holds = {.statefd = statefd};
	exit_check_compare(&arena, x, &wide, &holds, &out);
	if (words == NULL)
		ok(out.text.n == 0, "%s: nothing is said", what);
	else
		ok(out.text.n >= 1 && strstr(out.text.v[0], words) != NULL, "%s: '%s'",
		    what, words);
	for (size_t i = 0; i < out.text.n && (words == NULL || i > 0); i++)
		printf("# also: %s\n", out.text.v[i]);
}

int
main(void)
{
	snprintf(top, sizeof(top), "%s", scratch_enter());
	mkdir("r", 0700);
	mkdir("state", 0700);
	statefd = open("state", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	write_text("r/.envrc", "text");
	mkdir("r/.mcp.json", 0700);
	mkdir("r/sub", 0700);

	struct exit_check x = begin();
	says(&x, NULL, "an idle run");
	write_text("r/file", "x");
	says(&x, NULL, "an ordinary file");
	write_text("r/.envrc", "other text");
	says(&x, "was changed", "a protected file that is written");
	x = begin();
	rename(at("r/.envrc"), at("r/away"));
	says(&x, "was removed", "one that is renamed away");
	write_text("r/.envrc", "text");
	says(&x, "was replaced", "one with another in its place");
	x = begin();
	chmod(at("r/.envrc"), 0755);
	says(&x, "was changed", "one with another mode");
	x = begin();
	utimensat(AT_FDCWD, at("r/.mcp.json"), NULL, 0);
	says(&x, NULL, "a held name that is touched");
	rmdir(at("r/.mcp.json"));
	says(&x, "was removed", "a held name that is gone");
	mkdir("r/.mcp.json", 0700);
	x = begin();
	write_text("r/sub/.envrc", "x");
	says(&x, "belongs to the mandatory deny set", "a new name of the set");
	unlink("r/sub/.envrc");
	x = begin();
	mkdir("r/sub/.git", 0700);
	says(&x, "new git directory", "a new repository");
	x = begin();
	says(&x, NULL, "one that was there");
	mkdir("r/emb", 0700);
	mkdir("r/emb/objects", 0700);
	mkdir("r/emb/refs", 0700);
	write_text("r/emb/HEAD", "ref: refs/heads/main\n");
	says(&x, "new git directory", "an embedded bare one");
	rmtree(AT_FDCWD, at("r/emb"), 0);
	write_text("r/sub/.git/HEAD", "ref: refs/heads/main\n");
	mkdir("r/sub/.git/rebase-merge", 0700);
	static const struct {
		const char *text;
		bool runs;
	} todo[] = {{"", false}, {"pick 123 x\n# exec y\nfixup 1 x exec\n", false},
	    {"execute\nxx\n", false}, {"pick 123 x\nexec true\n", true}, {"x true", true},
	    {"\n \t exec\ttrue\n", true}, {"pick 1\r\nx\r\n", true}};
	for (size_t i = 0; i < SRUN_ARRAY_LEN(todo); i++) {
		x = begin();
		write_text("r/sub/.git/rebase-merge/git-rebase-todo", todo[i].text);
		says(&x, todo[i].runs ? "git rebase --continue" : NULL,
		    "a list of a rebase");
	}
	x = begin();
	usleep(20000);
	x = begin();
	says(&x, NULL, "one of before the run");
	rmtree(AT_FDCWD, at("r/sub/.git"), 0);
	x = begin();
	write_text("r/sub/tool", "x");
	chmod("r/sub/tool", 04755);
	says(&x, "new setuid file", "a new setuid file");

	/* What another run holds meanwhile is not this one's doing. */
	x = begin();
	struct holds h = {.statefd = statefd};
	int err;
	struct hold *hold = hold_directory(&arena, &h, at("r/sub"), &err);
	unlink("r/sub/tool");
	ok(hold != NULL && hold_make(&arena, &h, hold, ".idea", HOLD_DIR), "a held name");
	says(&x, NULL, "what another run holds");
	holds_release(&arena, &h);

	close(statefd);
	if (chdir("/") == 0)
		rmtree(AT_FDCWD, top, 0);
	arena_free(&arena);
	return done();
}
