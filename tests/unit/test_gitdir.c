/*
 * test_gitdir.c: what git's own files say: ".git" files and configurations, also bad ones.
 * What a configuration says is what the git that is installed says of it.
 */
#include "gitdir.h"

#include <errno.h>
#include <sys/wait.h>

#include "rmtree.h"
#include "scratch.h"
#include "tap.h"

static char top[4096];

static void
gitfile(const char *text, const char *want)
{
	struct arena a = {NULL};
	is_str(gitdir_of_file(&a, text, strlen(text)), want,
	    "a file of '%.*s' and %zu more", (int)strcspn(text, "\n"), text,
	    strlen(text) - strcspn(text, "\n"));
	arena_free(&a);
}

/* ---- against git itself ---- */

static void
exec_git(int out)
{
	char home[4200], alone[] = "GIT_CONFIG_NOSYSTEM=1";
	snprintf(home, sizeof(home), "HOME=%s", top);
	const char *const argv[] = {
	    "git", "config", "--file", "text", "--list", "-z", NULL};
	const char *path = getenv("PATH");
	char *variable = NULL;
	if (asprintf(&variable, "PATH=%s", path != NULL ? path : "/usr/bin:/bin") < 0)
		_exit(99);
	char *const envp[] = {home, variable, alone, NULL};
	int null = open("/dev/null", O_RDWR);
	dup2(null, 0);
	dup2(out, 1);
	dup2(null, 2);
	execvpe(argv[0], (char *const *)(uintptr_t)argv, envp);
	_exit(99);
}

/* What git lists, NUL-separated; its exit status. */
static int
ask_git(struct arena *a, const char *text, size_t len, struct bytes *out)
{
	int fd = open("text", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	int pair[2], status = -1;
	char buf[4096];
	ssize_t n;
	if (fd < 0 || write(fd, text, len) != (ssize_t)len || pipe(pair) != 0)
		return -1;
	close(fd);
	pid_t pid = fork();
	if (pid == 0)
		exec_git(pair[1]);
	close(pair[1]);
	while ((n = read(pair[0], buf, sizeof(buf))) > 0)
		bytes_add(a, out, buf, (size_t)n);
	close(pair[0]);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		continue;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* As "git config --list -z" writes it. */
static void
list(
    struct arena *a, const struct git_settings *s, size_t n, bool kept, struct bytes *out)
{
	for (size_t i = 0; i < n; i++) {
		const struct git_setting *v = &s->v[i];
		const char *value = kept ? v->kept : v->value;
		bytes_printf(a, out, value != NULL ? "%s\n%s" : "%s", v->name, value);
		bytes_add(a, out, "", 1);
	}
}

static bool
same(const struct bytes *x, const struct bytes *y)
{
	return x->len == y->len && (x->len == 0 || memcmp(x->data, y->data, x->len) == 0);
}

static void
show(const char *what, const struct bytes *b)
{
	printf("# %s: ", what);
	for (size_t i = 0; i < b->len; i++)
		printf(b->data[i] >= ' ' && b->data[i] < 127 ? "%c" : "<%02x>",
		    b->data[i] & 0xff);
	putchar('\n');
}

/*
 * Where git reads all of it, the settings are git's; where it gives up, what we have before
 * that line is all that git says. Either reading of blanks is some git's.
 */
static bool
agree(const char *text, size_t len, bool *sound)
{
	struct arena a = {NULL};
	struct git_settings s = {NULL, 0, 0};
	struct bytes git = {NULL, 0, 0}, plain = {NULL, 0, 0}, kept = {NULL, 0, 0};
	gitdir_config(&a, text, len, SIZE_MAX, &s);
	int rc = ask_git(&a, text, len, &git);
	*sound = s.sound == SIZE_MAX;
	size_t n = *sound ? s.n : s.sound;
	list(&a, &s, n, false, &plain);
	list(&a, &s, n, true, &kept);
	bool good = (rc == 0) == *sound && rc != 99 && rc >= 0 &&
	            (same(&git, &plain) || same(&git, &kept));
	if (!good) {
		struct bytes given = {(char *)(uintptr_t)text, len, len};
		printf("# git exits with %d, we are %s\n", rc, *sound ? "sound" : "not");
		show("text", &given);
		show("git ", &git);
		show("ours", &plain);
	}
	arena_free(&a);
	return good;
}

static const struct {
	const char *text;
	size_t len;
} texts[] = {
#define T(s)                                                                             \
	{                                                                                \
		s, sizeof(s) - 1                                                         \
	}
    T(""),
    T("\n\n"),
    T("[core]\n\thooksPath = my-hooks\n"),
    T("[CORE]\nHOOKSPATH=/x\n"),
    T("[core] hooksPath = x\n"),
    T("[core]hooksPath=x"),
    T("  [core]  \t hooksPath=x  \n"),
    T("[core]\n\thooksPath\n\tbare = true\n"),
    T("[core]\n\thooksPath =\n"),
    T("[core]\n\thooksPath = \n\tpager = x"),
    T("[core]\n\thooksPath = \"\"\n"),
    T("[core]\n\thooksPath = a # comment\n"),
    T("[core]\n\thooksPath = a; comment\n"),
    T("[core]\n\thooksPath = \"a # b\" ; c\n"),
    T("[core]\n\thooksPath = a\\\\b\n"),
    T("[core]\n\thooksPath = a\\\n/b\n"),
    T("[core]\n\thooksPath = a\\\n   b\n"),
    T("[core]\n\thooksPath = a \\\n b\n"),
    T("[core]\n\thooksPath = \\\n\\\n\\\nx\n"),
    T("[core]\n\thooksPath = a\\\r\n/b\r\n"),
    T("[core]\n\thooksPath = \"a\\\nb\"\n"),
    T("[core]\n\thooksPath \\\n = a\n"),
    T("[core]\n\thooks\\\nPath = a\n"),
    T("[core]\n# c \\\n\thooksPath = a\n"),
    T("[core]\n\thooksPath = a # c \\\n\tpager = b\n"),
    T("[core]\n\thooksPath = a\\tb\\nc\\bd\\\"e\n"),
    T("[core]\n\thooksPath = a\\xb\n"),
    T("[core]\n\thooksPath = a\\\n"),
    T("[core]\n\thooksPath = a\\"),
    T("[core]\n\thooksPath = a\\0\n"),
    T("[core]\n\thooksPath = \"a\n\tpager = b\n"),
    T("[core]\n\thooksPath = \"a"),
    T("[core]\n\thooksPath = a\"b c\"d\n"),
    T("[core]\n\thooksPath = a  \"  b\"  c  \n"),
    T("[core]\n\thooksPath = \" a \"\n"),
    T("[core]\n\thooksPath = a   b\n"),
    T("[core]\n\thooksPath = a\t\tb\n"),
    T("[core]\n\thooksPath = a \"\" b\n"),
    T("[core]\n\thooksPath = a \"\"\n"),
    T("[core]\n\thooksPath = \"\" b\n"),
    T("[core]\r\n\thooksPath = x\r\n"),
    T("[core]\n\thooksPath = x\r"),
    T("[core]\n\thooksPath = x\ry\n"),
    T("[core]\n\thooksPath\r\n"),
    T("[core]\n\thooksPath\r= x\n"),
    T("\xef\xbb\xbf[core]\n\thooksPath = x\n"),
    T("\xef\xbb[core]\n\thooksPath = x\n"),
    T("\n\xef\xbb\xbf[core]\n\thooksPath = x\n"),
    T("\xef\xbb\xbf"),
    T("[core]\n\tpath = \xef\xbb\xbfx\n"),
    T("[include]\n\tpath = a\n\tpath = b\n"),
    T("[include \"sub\"]\n\tpath = a\n"),
    T("[includeIf \"gitdir:~/w/\"]\n\tpath = \"with blank\"\n"),
    T("[includeIf \"gitdir:C:\\\\w\"]\n\tpath = x\n"),
    T("[includeIf \"a\\\"b\\c]\"]\n\tpath = x\n"),
    T("[INCLUDEIF \"OnBranch:X\"]\n\tPATH = x\n"),
    T("[includeIf  \t \"x\"]path=y\n"),
    T("[includeIf \"x\" ]path=y\n"),
    T("[includeIf \"x\"y]path=y\n"),
    T("[includeIf \"x\"\npath=y\n"),
    T("[includeIf \"x\npath=y\n"),
    T("[includeIf \"x\\\npath=y\n"),
    T("[includeIf \"\"]path=y\n"),
    T("[core.HooksPath]\n\tx = y\n"),
    T("[core.\"x\"]\n\ty = z\n"),
    T("[a.B.c]\n\ty = z\n"),
    T("[.]\n\ty = z\n"),
    T("[]\n\ty = z\n"),
    T("[ \"x\"]\n\ty = z\n"),
    T("[ ]\n\ty = z\n"),
    T("[x][]\n\ty = z\n"),
    T("[core\n]\n\ty = z\n"),
    T("[core \n\"x\"]\n\ty = z\n"),
    T("[core x]\n\ty = z\n"),
    T("[co_re]\n\ty = z\n"),
    T("[core"),
    T("["),
    T("[core]\n[core]\n[x]hooksPath=y\n"),
    T("[core]a=b [x]\nc=d\n"),
    T("[core][x] [y]c=d\n"),
    T("[core]]\n\ta = b\n"),
    T("hooksPath = x\n"),
    T("[core]\n-x = y\n"),
    T("[core]\n1x = y\n"),
    T("[core]\nx1-y- = z\n"),
    T("[core]\nx_y = z\n"),
    T("[core]\nx.y = z\n"),
    T("[core]\nx y = z\n"),
    T("[core]\nx : z\n"),
    T("[core]\nx == z\n"),
    T("[core]\nx # c\n"),
    T("[core]\nx = = z\n"),
    T("[core]\n= z\n"),
    T("[core]\n; hooksPath = x\n# hooksPath = y\n;\n#\n"),
    T("; x\n[core];y\nhooksPath=z#\n"),
    T("[core]\n\vx = y\n"),
    T("[core]\nx = \vy\f\n"),
    T("[core]\n\xc3\xa4x = y\n"),
    T("[core]\nx = \xc3\xa4\xff\n"),
    T("[core \"\xff\"]\nx = y\n"),
    T("[core]\nx = a\0b\n"),
    T("[core]\nx\0y = a\n"),
    T("[core \"hookspath\0\"]\n\tx = /evil\n"),
    T("[core \"a\0b\"]x = y\n[core \"c\"]z = w\n"),
    T("\0[core]\nx = y\n"),
    T("[core]\nx = y\n\0"),
    T("[a]\nb = c\nbad\\\n[core]\nx = y\n"),
#undef T
};

static void
against_git(void)
{
	size_t sound = 0;
	for (size_t i = 0; i < SRUN_ARRAY_LEN(texts); i++) {
		bool s;
		ok(agree(texts[i].text, texts[i].len, &s), "text %zu is read as git does",
		    i);
		sound += s;
	}
	ok(sound > 40 && sound < SRUN_ARRAY_LEN(texts), "%zu of them git accepts", sound);
}

/* Texts put together by chance of what means something to git. */
static void
random_texts(void)
{
	static const char *const piece[] = {"[core]", "[a \"b\"]", "[", "]", "\n", "\n",
	    "\n\t", "hooksPath", "x", " = ", "=", "\"", "\"", "\\", "\\\n", "\\t", "\\\\",
	    "\\\"", "\r\n", "\r", "#", ";", " ", "  ", "\t", "y", "/z", ".", "-",
	    "\n[includeIf \"x:y\"]\n", "path", "\xef\xbb\xbf", "\v", "\xc3"};
	unsigned seed = 12345;
	size_t sound = 0, wrong = 0;
	const int rounds = 300;
	for (int round = 0; round < rounds; round++) {
		char text[512];
		size_t len = 0;
		bool s;
		for (int k = 4 + round % 24; k > 0; k--) {
			seed = seed * 1103515245U + 12345U;
			const char *p = piece[(seed >> 16) % SRUN_ARRAY_LEN(piece)];
			/* Otherwise few would begin as a configuration does. */
			if (len == 0 && round % 4 != 0)
				p = "[core]\nx = ";
			memcpy(text + len, p, strlen(p));
			len += strlen(p);
		}
		wrong += !agree(text, len, &s);
		sound += s;
	}
	ok(wrong == 0, "%d texts by chance are read as git does, %zu it accepts", rounds,
	    sound);
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
		struct git_settings s = {NULL, 0, 0};
		size_t len = (size_t)round % sizeof(some);
		char *text = malloc(len + 1);
		if (text == NULL)
			break;
		memcpy(text, some, len);
		for (int k = 0; len > 0 && k < round % 7; k++) {
			seed = seed * 1103515245U + 12345U;
			text[(seed >> 8) % len] = (char)(seed >> 24);
		}
		/* To the byte, so that a sanitizer sees what is behind it. */
		char *exact = len > 0 ? realloc(text, len) : text;
		text = exact != NULL ? exact : text;
		gitdir_config(&a, text, len, SIZE_MAX, &s);
		const char *dir = gitdir_of_file(&a, text, len);
		for (size_t i = 0; i < s.n; i++)
			calm = calm && s.v[i].name[0] != '\0' &&
			       (s.v[i].value == NULL) == (s.v[i].kept == NULL);
		calm = calm && (dir == NULL || dir[0] != '\0');
		free(text);
		arena_free(&a);
	}
	ok(calm, "any bytes give sound settings or none");
}

/* ---- what settings mean ---- */

static void
meaning(const char *name, enum git_path_kind want)
{
	is_int(gitdir_kind(name), want, "%s", name);
}

static void
words(const char *command, const char *want)
{
	struct arena a = {NULL};
	struct strv v = {NULL, 0};
	struct bytes got = {NULL, 0, 0};
	gitdir_words(&a, command, &v);
	for (size_t i = 0; i < v.n; i++)
		bytes_printf(&a, &got, "%s%s", i > 0 ? "|" : "", v.v[i]);
	bytes_add(&a, &got, "", 1);
	is_str(got.data, want, "the words of '%s'", command);
	arena_free(&a);
}

/* Only what counts, and not without end. */
static void
few(void)
{
	static const char text[] = "[core]\nx = y\nhooksPath = a\n[user]\nname = z\n"
	                           "[include]\npath = b\npath = c\n";
	struct arena a = {NULL};
	struct git_settings s = {NULL, 0, 0};
	gitdir_config(&a, text, sizeof(text) - 1, 2, &s);
	ok(s.n == 2 && strcmp(s.v[0].value, "a") == 0 && strcmp(s.v[1].value, "b") == 0,
	    "the first two that count");
	arena_free(&a);
}

int
main(void)
{
	snprintf(top, sizeof(top), "%s", scratch_enter());
	gitfile("gitdir: ../main/.git/worktrees/x\n", "../main/.git/worktrees/x");
	gitfile("gitdir: /abs/with blank", "/abs/with blank");
	gitfile("gitdir:none", "none");
	gitfile("gitdir: x\r\n", "x");
	gitfile("gitdir:   \n", NULL);
	gitfile("gitdir:\nx\n", NULL);
	gitfile("gitdir", NULL);
	gitfile("", NULL);
	gitfile("ref: refs/heads/main\n", NULL);

	against_git();
	random_texts();
	noise();
	few();

	meaning("core.hookspath", GIT_PATH_OBEYED);
	meaning("core.attributesfile", GIT_PATH_OBEYED);
	meaning("init.templatedir", GIT_PATH_OBEYED);
	meaning("include.path", GIT_PATH_INCLUDE);
	meaning("includeif.gitdir:/a.b/.path", GIT_PATH_INCLUDE);
	meaning("core.fsmonitor", GIT_PATH_COMMAND);
	meaning("filter.x.y.clean", GIT_PATH_COMMAND);
	meaning("diff.external", GIT_PATH_COMMAND);
	meaning("pager.log", GIT_PATH_COMMAND);
	meaning("credential.https://x.y/.helper", GIT_PATH_HELPER);
	meaning("user.name", GIT_PATH_NONE);
	meaning("alias.x", GIT_PATH_NONE);
	meaning("corehookspath", GIT_PATH_NONE);
	meaning("core.hookspathx", GIT_PATH_NONE);
	meaning("score.hookspath", GIT_PATH_NONE);
	meaning("core.", GIT_PATH_NONE);
	meaning("", GIT_PATH_NONE);
	words("./tools/x --flag %f", "./tools/x|--flag|%f");
	words("'/a b/c'", "/a|b/c");
	words("!f() { ./x; }; f", "f|./x|f");
	words("A=b \"$HOME/x\"", "A|b|HOME/x");
	words("", "");
	words("  ", "");

	if (chdir("/") == 0)
		rmtree(AT_FDCWD, top, 0);
	return done();
}
