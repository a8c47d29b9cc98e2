/*
 * test_gitdir.c: what git's own files say: ".git" files and configurations, also bad ones.
 */
#include "gitdir.h"

#include <stdlib.h>

#include "tap.h"

static void
gitfile(const char *text, const char *want)
{
	struct arena a = {NULL};
	is_str(gitdir_of_file(&a, text, strlen(text)), want, "a file of '%.30s'",
	    text[0] == '\0' ? "nothing" : text);
	arena_free(&a);
}

static void
config(const char *text, const char *want)
{
	static const char letters[] = "hfpi";
	struct arena a = {NULL};
	struct git_paths p = {NULL, 0};
	struct bytes got = {NULL, 0, 0};
	gitdir_config_paths(&a, text, strlen(text), &p);
	for (size_t i = 0; i < p.n; i++)
		bytes_printf(&a, &got, "%s%c %s", i > 0 ? "; " : "", letters[p.v[i].kind],
		    p.v[i].value);
	bytes_add(&a, &got, "", 1);
	is_str(got.data, want, "a configuration that names %s",
	    want[0] != '\0' ? want : "nothing");
	arena_free(&a);
}

/* Any bytes: no answer matters, but nothing is read beyond the end. */
static void
noise(void)
{
	static const char some[] =
	    "[core]\n\thooksPath = \"a\\\\b\" ; c\n[include \"x]y\"]\n"
	    "path=~/x\n[includeIf \"gitdir:/x\"]path = y#z\ngitdir: ../w\n";
	unsigned seed = 1;
	bool calm = true;
	for (int round = 0; round < 3000; round++) {
		struct arena a = {NULL};
		struct git_paths p = {NULL, 0};
		size_t len = (size_t)round % sizeof(some);
		char *text = malloc(len + 1);
		if (text == NULL)
			break;
		memcpy(text, some, len);
		for (int k = 0; len > 0 && k < round % 7; k++) {
			seed = seed * 1103515245U + 12345U;
			text[(seed >> 8) % len] = (char)(seed >> 24);
		}
		gitdir_config_paths(&a, text, len, &p);
		const char *dir = gitdir_of_file(&a, text, len);
		for (size_t i = 0; i < p.n; i++)
			calm = calm && p.v[i].value != NULL && p.v[i].value[0] != '\0';
		calm = calm && (dir == NULL || dir[0] != '\0');
		free(text);
		arena_free(&a);
	}
	ok(calm, "any bytes give sound values or none");
}

int
main(void)
{
	gitfile("gitdir: ../main/.git/worktrees/x\n", "../main/.git/worktrees/x");
	gitfile("gitdir: /abs/with blank", "/abs/with blank");
	gitfile("gitdir:none", "none");
	gitfile("gitdir: x\r\n", "x");
	gitfile("gitdir:   \n", NULL);
	gitfile("gitdir", NULL);
	gitfile("", NULL);
	gitfile("ref: refs/heads/main\n", NULL);

	config("", "");
	config("[core]\n\thooksPath = my-hooks\n", "h my-hooks");
	config("[CORE]\nHOOKSPATH=/x\n", "h /x");
	config("[core] hooksPath = x\n", "h x");
	config("[core]\n\tattributesFile = a\n\tfsmonitor = ./run\n", "f a; p ./run");
	config("[include]\n\tpath = a\n\tpath = b\n", "i a; i b");
	config("[includeIf \"gitdir:~/w/\"]\n\tpath = \"with blank\"\n", "i with blank");
	config("[core]\n\thooksPath = a # comment\n", "h a");
	config("[core]\n\thooksPath = \"a # b\" ; c\n", "h a # b");
	config("[core]\n\thooksPath = a\\\\b\n", "h a\\b");
	config("[core]\n\thooksPath =\n\tbare = true\n", "");
	config("[core]\n\thooksPath\n", "");
	config("[user]\n\thooksPath = x\n\tpath = y\n", "");
	config("hooksPath = x\n", "");
	config("[core]\n; hooksPath = x\n# hooksPath = y\n", "");
	config("[core]\n\thooksPathX = x\n", "");
	noise();
	return done();
}
