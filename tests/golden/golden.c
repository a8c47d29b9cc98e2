/*
 * golden.c: grant + made-up host → the arguments for bubblewrap and the environment.
 *
 *	golden CASES-DIRECTORY OUTPUT-DIRECTORY
 *
 * Each NAME.ini gives NAME.args, one option with its values a line, and NAME.env; a grant
 * that is refused gives NAME.err instead, and what --check would note goes to NAME.notes.
 * Comment lines of the case describe the host:
 *
 *	; tree: dir PATH | file PATH | node PATH | foreign PATH | link PATH -> TEXT
 *	; narrow: LINE     one more line of a grant that narrows; narrow2: of a second one
 *	; builtin: yes     the built-in default grant instead of this text
 *	; terminal: yes    a terminal is there
 *	; mac: yes         a Mac: user 501 with the home /Users/a in /Users/a/p. Then
 *	                   there are NAME.sb, a profile, and NAME.params, its -D options
 *
 * "foreign" is a directory of somebody else. What lies above a path is a directory. The
 * host is always user 1000 with the home /home/u in /home/u/proj.
 *
 * host.c runs as it is: the calls by which it looks at a file system are defined here and
 * answer from the tree alone. A call that is missing here would be seen at once, for
 * nothing of the tree exists on a real host.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend.h"
#include "env.h"
#include "path.h"
#include "report.h"
#include "seatbelt.h"

struct entry {
	const char *path;
	const char *text; /* of a link */
	mode_t mode;
	uid_t uid;
};

#define USER 1000

static struct {
	struct arena arena;
	struct entry *v;
	size_t n;
} tree;

/* ---- the file system that host.c sees ---- */

static const struct entry *
find(const char *path)
{
	for (size_t i = 0; i < tree.n; i++)
		if (strcmp(tree.v[i].path, path) == 0)
			return &tree.v[i];
	errno = ENOENT;
	return NULL;
}

int
lstat(const char *restrict path, struct stat *restrict st)
{
	const struct entry *e = find(path);

	if (e == NULL)
		return -1;
	memset(st, 0, sizeof(*st));
	st->st_mode = e->mode;
	st->st_uid = e->uid;
	st->st_dev = 1;
	st->st_ino = (ino_t)(e - tree.v) + 2;
	return 0;
}

uid_t
getuid(void)
{
	return USER;
}

/* Only ever asked for a path whose links are resolved. */
int
stat(const char *restrict path, struct stat *restrict st)
{
	return lstat(path, st);
}

ssize_t
readlink(const char *restrict path, char *restrict buf, size_t size)
{
	const struct entry *e = find(path);

	if (e == NULL)
		return -1;
	if (e->text == NULL) {
		errno = EINVAL;
		return -1;
	}
	size_t n = strlen(e->text) < size ? strlen(e->text) : size;
	memcpy(buf, e->text, n);
	return (ssize_t)n;
}

int
access(const char *path, int how)
{
	const struct entry *e = find(path);

	if (e == NULL)
		return -1;
	if ((how & W_OK) != 0 && e->uid != USER && (e->mode & S_IWOTH) == 0) {
		errno = EACCES;
		return -1;
	}
	return 0;
}

/* No directory can be listed: listing.c then lets each name be looked for. */
DIR *
fdopendir(int fd)
{
	(void)fd;
	errno = EACCES;
	return NULL;
}

/* ---- the tree ---- */

static void
add(const char *path, const char *text, mode_t mode, uid_t uid)
{
	if (find(path) != NULL)
		return;
	tree.v = arena_grow(&tree.arena, tree.v, tree.n, sizeof(*tree.v));
	tree.v[tree.n++] =
	    (struct entry){arena_strdup(&tree.arena, path), text, mode, uid};
}

/* The path and all above it. What is in the home belongs to the user. */
static void
add_path(const char *path, const char *text, mode_t mode)
{
	uid_t uid =
	    path_within(path, "/home/u") || path_within(path, "/Users/a") ? USER : 0;

	if (strcmp(path, "/") != 0)
		add_path(path_parent(&tree.arena, path), NULL, S_IFDIR | 0755);
	add(path, text, mode, uid);
}

static bool
add_line(const char *line)
{
	static const struct {
		const char *word;
		mode_t mode;
	} kinds[] = {{"dir ", S_IFDIR | 0755}, {"file ", S_IFREG | 0644},
	    {"node ", S_IFCHR | 0666}};

	for (size_t i = 0; i < SRUN_ARRAY_LEN(kinds); i++)
		if (str_starts(line, kinds[i].word)) {
			add_path(line + strlen(kinds[i].word), NULL, kinds[i].mode);
			return true;
		}
	if (str_starts(line, "foreign ")) {
		add_path(path_parent(&tree.arena, line + 8), NULL, S_IFDIR | 0755);
		add(line + 8, NULL, S_IFDIR | 0755, USER + 1);
		return true;
	}
	const char *arrow = strstr(line, " -> ");
	if (!str_starts(line, "link ") || arrow == NULL)
		return false;
	add_path(arena_strndup(&tree.arena, line + 5, (size_t)(arrow - line - 5)),
	    arrow + 4, S_IFLNK | 0777);
	return true;
}

static void
add_standing(void)
{
	static const char *const dirs[] = {"/home/u/proj", "/etc", "/usr/bin", "/var",
	    "/run/user/1000", "/opt", "/proc/bus", "/proc/sys", "/sys/firmware", "/srv"};
	static const char *const files[] = {"/proc/kcore", "/proc/sysrq-trigger",
	    "/run/systemd/resolve/stub-resolv.conf"};

	for (size_t i = 0; i < SRUN_ARRAY_LEN(dirs); i++)
		add_path(dirs[i], NULL, S_IFDIR | 0755);
	for (size_t i = 0; i < SRUN_ARRAY_LEN(files); i++)
		add_path(files[i], NULL, S_IFREG | 0644);
	add_path("/etc/resolv.conf", "../run/systemd/resolve/stub-resolv.conf",
	    S_IFLNK | 0777);
	add_path("/tmp", NULL, S_IFDIR | S_ISVTX | 0777);
	add_path("/var/tmp", NULL, S_IFDIR | S_ISVTX | 0777);
}

static void
add_standing_mac(void)
{
	static const char *const dirs[] = {"/Users/a/p", "/private/etc",
	    "/private/var/tmp", "/usr/bin", "/Library", "/System/Volumes/Data"};

	for (size_t i = 0; i < SRUN_ARRAY_LEN(dirs); i++)
		add_path(dirs[i], NULL, S_IFDIR | 0755);
	add_path("/private/tmp", NULL, S_IFDIR | S_ISVTX | 0777);
	add_path("/tmp", "private/tmp", S_IFLNK | 0777);
	add_path("/var", "private/var", S_IFLNK | 0777);
	add_path("/etc", "private/etc", S_IFLNK | 0777);
}

/* ---- one case ---- */

static const char *const environment[] = {"PATH=/usr/bin:/bin", "HOME=/home/u",
    "LANG=C.UTF-8", "TMPDIR=/tmp", "TERM=xterm", "USER=u", "SHLVL=1", "PWD=/home/u/proj",
    "LC_TIME=de_DE", "LC_ALL=C", "AWS_SECRET_ACCESS_KEY=secret",
    "LD_PRELOAD=/home/u/x.so", "GIT_DIR=/x", "GITHUB_SHA=123",
    "XDG_CONFIG_HOME=/home/u/.config", "SSH_AUTH_SOCK=/run/user/1000/agent", NULL};

struct test_case {
	struct arena a;
	const char *name, *text;
	size_t len;
	struct bytes narrow[2];
	bool builtin, terminal, mac;
	struct errs errs, notes;
	const struct policy *policy;
	struct launch launch;
	struct seatbelt_profile profile;
};

static void
fail(const char *what, const char *name)
{
	fprintf(stderr, "golden: %s '%s': %s\n", what, name, strerror(errno));
	exit(1);
}

static void
read_text(struct test_case *c, const char *path)
{
	struct bytes b = {NULL, 0, 0};
	char buf[4096];
	FILE *f = fopen(path, "r");

	if (f == NULL)
		fail("cannot read", path);
	for (size_t n; (n = fread(buf, 1, sizeof(buf), f)) > 0;)
		bytes_add(&c->a, &b, buf, n);
	fclose(f);
	c->len = b.len;
	bytes_add(&c->a, &b, "", 1);
	c->text = b.data;
}

/* The lines that are for us. */
static void
read_host(struct test_case *c)
{
	for (const char *p = c->text; *p != '\0';) {
		size_t n = strcspn(p, "\n");
		const char *line = arena_strndup(&c->a, p, n);
		if (str_starts(line, "; tree: ") && !add_line(line + 8))
			fail("cannot understand", line);
		if (str_starts(line, "; narrow: "))
			bytes_printf(&c->a, &c->narrow[0], "%s\n", line + 10);
		if (str_starts(line, "; narrow2: "))
			bytes_printf(&c->a, &c->narrow[1], "%s\n", line + 11);
		c->builtin = c->builtin || strcmp(line, "; builtin: yes") == 0;
		c->terminal = c->terminal || strcmp(line, "; terminal: yes") == 0;
		c->mac = c->mac || strcmp(line, "; mac: yes") == 0;
		p += n + (p[n] == '\n');
	}
}

static bool
build_policy(struct test_case *c)
{
	static const struct grant_context linux_ctx = {
	    "/home/u", "/home/u/proj", environment};
	static const struct grant_context mac_ctx = {
	    "/Users/a", "/Users/a/p", environment};
	struct grant_text base = {c->name, "/home/u/grants", c->text, c->len, false},
	                  narrow[2];
	size_t n = 0;

	if (c->builtin)
		base = grant_default();
	for (size_t i = 0; i < SRUN_ARRAY_LEN(c->narrow); i++)
		if (c->narrow[i].len > 0)
			narrow[n++] = (struct grant_text){
			    i == 0 ? "narrow.ini" : "narrow2.ini", "/home/u/grants",
			    c->narrow[i].data, c->narrow[i].len, false};
	c->policy = policy_build(
	    &c->a, &base, NULL, 0, narrow, n, c->mac ? &mac_ctx : &linux_ctx, &c->errs);
	/* The compiler for a Mac is ahead of what runs. */
	if (c->policy != NULL && !c->mac)
		policy_unbuilt(&c->a, c->policy, &c->errs);
	return c->errs.text.n == 0;
}

static bool
compile_mac(struct test_case *c)
{
	static const struct host host = {.uid = USER,
	    .gid = USER,
	    .home = "/Users/a",
	    .cwd = "/Users/a/p",
	    .environ = environment,
	    .temp_base = "/private/tmp",
	    .temp_host = "/private/tmp",
	    .self = "/usr/local/bin/srun"};
	static const struct seatbelt_facts facts = {"8f3a", 40001};
	struct run_paths names = {.temp = "/private/tmp/srun-501/abcdefgh",
	    .state_dir = "/private/tmp/srun-501"};

	if (!build_policy(c))
		return false;
	strv_push(&c->a, &names.closed, "/private/tmp/srun-501");
	struct survey *s =
	    host_survey(&c->a, c->policy, &host, &names, &c->errs, &c->notes);
	if (s == NULL)
		return false;
	s->terminal = c->terminal ? "/dev/ttys003" : NULL;
	return seatbelt_compile(&c->a, c->policy, s, &facts, &c->profile, &c->errs);
}

static bool
compile(struct test_case *c)
{
	static const struct host host = {.uid = USER,
	    .gid = USER,
	    .home = "/home/u",
	    .cwd = "/home/u/proj",
	    .environ = environment,
	    .temp_base = "/tmp",
	    .temp_host = "/tmp",
	    .self = "/usr/bin/srun"};
	const struct backend *bwrap = backend_by_id(ISOLATION_BWRAP);

	if (!build_policy(c))
		return false;
	struct run_paths names = {
	    .temp = "/tmp/srun-1000/abcdefgh", .state_dir = "/run/user/1000/srun"};

	strv_push(&c->a, &names.closed, "/tmp/srun-1000");
	const struct survey *s =
	    host_survey(&c->a, c->policy, &host, &names, &c->errs, &c->notes);
	if (s == NULL || !bwrap->compile(&c->a, c->policy, s, &c->launch, &c->errs))
		return false;
	env_build(&c->a, c->policy, &host,
	    s->temp_dir != NULL ? s->temp_dir : host.temp_host, c->terminal,
	    "0123456789abcdef", NULL, &c->launch.envp);
	return true;
}

/* ---- output ---- */

static void
write_file(
    struct test_case *c, const char *dir, const char *ending, const struct bytes *b)
{
	const char *path = arena_printf(
	    &c->a, "%s/%.*s%s", dir, (int)strcspn(c->name, "."), c->name, ending);
	FILE *f = fopen(path, "w");

	if (f == NULL || fwrite(b->data, 1, b->len, f) != b->len || fclose(f) != 0)
		fail("cannot write", path);
}

static void
write_errs(struct test_case *c, const char *dir, const char *ending, const struct errs *e)
{
	struct bytes b = {NULL, 0, 0};

	for (size_t i = 0; i < e->text.n; i++)
		bytes_printf(&c->a, &b, "%s\n", e->text.v[i]);
	if (b.len > 0)
		write_file(c, dir, ending, &b);
}

/* How many values an option has: a value may look like an option itself. */
static int
values_of(const char *option)
{
	static const struct {
		const char *name;
		int values;
	} known[] = {{"--unshare-user", 0}, {"--unshare-pid", 0}, {"--unshare-ipc", 0},
	    {"--unshare-uts", 0}, {"--unshare-cgroup", 0}, {"--unshare-net", 0},
	    {"--die-with-parent", 0}, {"--as-pid-1", 0}, {"--cap-drop", 1},
	    {"--perms", 1}, {"--tmpfs", 1}, {"--dev", 1}, {"--proc", 1},
	    {"--remount-ro", 1}, {"--chdir", 1}, {"--bind", 2}, {"--ro-bind", 2},
	    {"--dev-bind", 2}, {"--symlink", 2}, {"--chmod", 2}};

	for (size_t i = 0; i < SRUN_ARRAY_LEN(known); i++)
		if (strcmp(known[i].name, option) == 0)
			return known[i].values;
	errno = 0;
	fail("no such option is known here:", option);
	return 0;
}

static void
write_args(struct test_case *c, const char *dir)
{
	const struct bytes *args = &c->launch.helper_args;
	struct bytes b = {NULL, 0, 0};
	int left = 0;

	for (size_t at = 0; at < args->len; at += strlen(args->data + at) + 1) {
		const char *word = args->data + at;
		if (left == 0) {
			left = values_of(word);
			bytes_puts(&c->a, &b, word);
		} else {
			bytes_printf(&c->a, &b, " %s", report_quote(&c->a, word));
			left--;
		}
		if (left == 0)
			bytes_puts(&c->a, &b, "\n");
	}
	write_file(c, dir, ".args", &b);
}

static void
write_env(struct test_case *c, const char *dir)
{
	struct bytes b = {NULL, 0, 0};

	for (size_t i = 0; i < c->launch.envp.n; i++)
		bytes_printf(&c->a, &b, "%s\n", report_quote(&c->a, c->launch.envp.v[i]));
	write_file(c, dir, ".env", &b);
}

static void
write_linux(struct test_case *c, const char *dir)
{
	write_args(c, dir);
	write_env(c, dir);
}

/* Words of a shell: "-D 'W0=/x' \" */
static void
write_profile(struct test_case *c, const char *dir)
{
	struct bytes b = {NULL, 0, 0};

	for (size_t i = 0; i < c->profile.params.n; i++)
		bytes_printf(
		    &c->a, &b, "-D %s \\\n", report_quote(&c->a, c->profile.params.v[i]));
	write_file(c, dir, ".params", &b);
	b = (struct bytes){NULL, 0, 0};
	bytes_puts(&c->a, &b, c->profile.text);
	write_file(c, dir, ".sb", &b);
}

static void
run_case(const char *cases, const char *name, const char *out)
{
	struct test_case c = {.name = name};

	tree.n = 0;
	tree.v = NULL;
	read_text(&c, arena_printf(&c.a, "%s/%s", cases, name));
	read_host(&c);
	if (c.mac)
		add_standing_mac();
	else
		add_standing();
	if (c.mac ? compile_mac(&c) : compile(&c)) {
		if (c.mac)
			write_profile(&c, out);
		else
			write_linux(&c, out);
	} else {
		write_errs(&c, out, ".err", &c.errs);
	}
	write_errs(&c, out, ".notes", &c.notes);
	arena_free(&c.a);
	arena_free(&tree.arena);
}

int
main(int argc, char **argv)
{
	struct arena a = {NULL};
	DIR *d = argc == 3 ? opendir(argv[1]) : NULL;
	size_t n = 0;

	if (d == NULL)
		fail("CASES-DIRECTORY OUTPUT-DIRECTORY:", argc > 1 ? argv[1] : "");
	for (struct dirent *e; (e = readdir(d)) != NULL;)
		if (str_ends(e->d_name, ".ini")) {
			run_case(argv[1], arena_strdup(&a, e->d_name), argv[2]);
			n++;
		}
	closedir(d);
	arena_free(&a);
	return n > 0 ? 0 : 1;
}
