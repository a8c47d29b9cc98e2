/*
 * test_grant: the strict reader: what the INI library would cut, join or skip, quoting,
 * all errors at once, and the checks of the file itself.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "build.h"
#include "path.h"

/* ---- the text ---- */

/* Settings as "key=value;…", errors behind " ! ". */
static const char *
parsed(struct arena *a, const char *data, size_t len)
{
	struct grant_text text = {.name = "g", .dir = "/", .data = data, .len = len};
	struct settings all = {NULL, 0, 0, 0};
	struct errs errs = {{NULL, 0}};
	struct bytes out = {NULL, 0, 0};

	grant_parse(a, &text, &all, &errs);
	for (size_t i = 0; i < all.n; i++)
		bytes_printf(a, &out, "%s=%s@%u;", all.v[i].name, all.v[i].value,
		    all.v[i].origin.line);
	for (size_t i = 0; i < errs.text.n; i++)
		bytes_printf(a, &out, " ! %s", errs.text.v[i]);
	bytes_add(a, &out, "", 1);
	return out.data;
}

#define FS "[filesystem]\n"
#define BEHIND                                                                           \
	"a comment behind a value [give it a line of its own, or put the value in "      \
	"quotes]"

static const struct {
	const char *what, *text, *want;
} rows[] = {
    {"nothing", "", ""},
    {"blank lines and comments", "\n \t\n; a = b\n# c\n  ; d\n\t# e\n", ""},
    {"a key", "[sandbox]\nshell = /bin/sh\n", "shell=/bin/sh@2;"},
    {"no blanks", "[sandbox]\nshell=/bin/sh", "shell=/bin/sh@2;"},
    {"blanks at the end", "[sandbox] \nshell \t=\t /bin/sh \t\n", "shell=/bin/sh@2;"},
    {"no newline at the end", "[sandbox]\nshell = /x", "shell=/x@2;"},
    {"CRLF", "[sandbox]\r\n\r\n; x\r\nshell = /x\r\n", "shell=/x@4;"},
    {"a BOM in front", "\xef\xbb\xbf[sandbox]\nshell = /x\n", "shell=/x@2;"},
    {"a section twice", FS "create = a\n[sandbox]\n" FS "create = b\n",
        "create=a@2;create=b@5;"},

    {"' ;' stays in a value", FS "deny_read = \"/a ;b\"\n", "deny_read=/a ;b@2;"},
    {"in a single one", "[env]\nA = \"a ; b #\"\n", "A=a ; b #@2;"},
    {"a comment behind a value", FS "deny_read = /a ; b\n", " ! g:2: deny_read: " BEHIND},
    {"with '#'", "[sandbox]\nshell = /x # y\n", " ! g:2: shell: " BEHIND},
    {"without a blank after it", FS "deny_read = /a, /b\t#c, /d\n",
        "deny_read=/a@2; ! g:2: deny_read: " BEHIND},
    {"behind a quoted one", FS "deny_read = \"/a\" # b\n",
        " ! g:2: deny_read: text behind a closing quote [put a comma between, or write "
        "'\"\"' for a quote inside]"},
    {"in [env]", "[env]\nA = b # c\n", " ! g:2: A: " BEHIND},
    {"as a whole value", "[env]\nA = #b\nB = ;\n", "A=#b@2;B=;@3;"},
    {"';' stays in a value", FS "deny_read = /a;b#c\n", "deny_read=/a;b#c@2;"},
    {"'=' and ':' stay in a value", "[env]\nA = b=c:d\n", "A=b=c:d@2;"},
    {"a value that looks like a section", "[env]\nA = [b]\n", "A=[b]@2;"},
    {"an indented line", FS "deny_read = /a\n  allow_write = /b\n",
        "deny_read=/a@2; ! g:3: indented line [start it in the first column]"},
    {"an indented first key", FS " deny_read = /a\n",
        " ! g:2: indented line [start it in the first column]"},
    {"an indented section", FS "\t[sandbox]\n",
        " ! g:2: indented line [start it in the first column]"},
    {"'key: value'", "[sandbox]\nshell: /x\n",
        " ! g:2: neither '[section]' nor 'key = value': 'shell: /x'"},
    {"'key: value' with an '='", FS "deny_read: /a=b\n",
        " ! g:2: ':' where 'key = value' is expected: 'deny_read: /a=b'"},
    {"a section without ']'", FS "deny_read = /a\n[sandbox\nshell = /x\n[env]\nA = b\n",
        "deny_read=/a@2;A=b@6; ! g:3: section without ']'"},
    {"text behind a section", "[env] ; x\nA = b\n",
        " ! g:1: text behind a section [a comment has a line of its own]"},
    {"a key before a section", "A = b\n[env]\nB = c\n",
        "B=c@3; ! g:1: 'A' stands before any [section]"},
    {"a carriage return inside", "[env]\nA = b\rB = c\n",
        " ! g:2: a carriage return inside a line"},
    {"two carriage returns", "[env]\r\r\n", " ! g:1: a carriage return inside a line"},
    {"a carriage return at the end", "[env]\nA = b\r",
        " ! g:2: a carriage return inside a line"},
    {"a BOM in the middle",
        "[env]\nA = \xef\xbb\xbf"
        "b\n",
        " ! g:2: a byte order mark that is not at the start"},
    {"a BOM in a later line",
        "[env]\n\xef\xbb\xbf"
        "A = b\n",
        " ! g:2: a byte order mark that is not at the start"},
    {"two BOMs", "\xef\xbb\xbf\xef\xbb\xbf[env]\n",
        " ! g:1: a byte order mark that is not at the start"},
    {"another byte of a BOM", "[env]\nA = \xef\xbb\xbe\n", "A=\xef\xbb\xbe@2;"},
    {"UTF-16", "\xff\xfe[", " ! g: is UTF-16 text [save it as UTF-8]"},
    {"no key", "[env]\n= b\n", " ! g:2: no key before '=': '= b'"},
    {"no '='", "[sandbox]\nshell\n",
        " ! g:2: neither '[section]' nor 'key = value': 'shell'"},
    {"a blank in a key", "[env]\nA B = c\n", " ! g:2: not a name before '=': 'A B = c'"},
    {"a comment sign in a key", "[env]\nA ;B = c\n",
        " ! g:2: not a name before '=': 'A ;B = c'"},

    {"an unknown section", "[sandbix]\nx = y\n",
        " ! g:1: unknown section 'sandbix' [did you mean 'sandbox'?]"},
    {"a section like none", "[qqqqqqqqqq]\n", " ! g:1: unknown section 'qqqqqqqqqq'"},
    {"an empty section", "[]\n", " ! g:1: unknown section ''"},
    {"blanks in a section", "[ env ]\n", " ! g:1: unknown section ' env '"},
    {"a section longer than the library's buffer",
        "[sandboxsandboxsandboxsandboxsandboxsandboxsandboxsandboxsandboxsandbox]\n",
        " ! g:1: unknown section "
        "'sandboxsandboxsandboxsandboxsandboxsandboxsandboxsandboxsandboxs...'"},
    {"an unknown key", FS "alow_read = /x\n",
        " ! g:2: unknown key 'alow_read' in [filesystem] [did you mean 'allow_read'?]"},
    {"a key in another section's place", FS "allow_domains = x\n",
        " ! g:2: unknown key 'allow_domains' in [filesystem] "
        "[it belongs in section 'network']"},
    {"a key like none", FS "zzz = x\n", " ! g:2: unknown key 'zzz' in [filesystem]"},
    {"case matters", FS "Allow_Read = x\n",
        " ! g:2: unknown key 'Allow_Read' in [filesystem] [did you mean 'allow_read'?]"},

    {"a single key twice", "[sandbox]\nshell = /a\n\n[sandbox]\nshell = /a\n",
        "shell=/a@2; ! g:5: 'shell' is set twice, first in line 2"},
    {"a variable twice", "[env]\nA = 1\nB = 2\nA = 3\n",
        "A=1@2;B=2@3; ! g:4: 'A' is set twice, first in line 2"},
    {"'mode' in two sections", "[network]\nmode = all\n[unix_sockets]\nmode = all\n",
        "mode=all@2;mode=all@4;"},
    {"a list twice", FS "create = a\ncreate = b\n", "create=a@2;create=b@3;"},

    {"several values", FS "create = a, b ,c\n", "create=a@2;create=b@2;create=c@2;"},
    {"a quoted comma", FS "create = \"a,b\", c\n", "create=a,b@2;create=c@2;"},
    {"quoted blanks", FS "create = \" a \"\n", "create= a @2;"},
    {"a quote in quotes", FS "create = \"a\"\"b\"\n", "create=a\"b@2;"},
    {"only a quote in quotes", FS "create = \"\"\"\"\n", "create=\"@2;"},
    {"a quote inside a bare value", FS "create = a\"b\n", "create=a\"b@2;"},
    {"a blank inside a bare value", FS "create = a b\n", "create=a b@2;"},
    {"no value", FS "create =\n", " ! g:2: create: empty value in a list"},
    {"an empty value first", FS "create = , a\n",
        " ! g:2: create: empty value in a list"},
    {"an empty value between", FS "create = a,,b\n",
        "create=a@2; ! g:2: create: empty value in a list"},
    {"an empty value last", FS "create = a,\n",
        "create=a@2; ! g:2: create: empty value in a list"},
    {"an empty quoted value", FS "create = \"\"\n",
        " ! g:2: create: empty value in a list"},
    {"an open quote", FS "create = \"a, b\n", " ! g:2: create: unterminated quote"},
    {"an open quote at the end", FS "create = a, \"\n",
        "create=a@2; ! g:2: create: unterminated quote"},
    {"text behind a quote", FS "create = \"a\" b\n",
        " ! g:2: create: text behind a closing quote [put a comma between, or write "
        "'\"\"' "
        "for a quote inside]"},
    {"a comma in a single value", "[env]\nA = hello, world\n", "A=hello, world@2;"},
    {"a quoted single value", "[env]\nA = \" x \"\n", "A= x @2;"},
    {"a quote inside a single value", "[env]\nA = {\"a\": 1}\n", "A={\"a\": 1}@2;"},
    {"an empty variable", "[env]\nA =\n", "A=@2;"},
    {"an empty single value", "[sandbox]\nshell =\n", " ! g:2: shell: no value"},
    {"an open quote in a single value", "[env]\nA = \"x\n",
        " ! g:2: A: unterminated quote"},
    {"text behind a single quoted value", "[env]\nA = \"x\" y\n",
        " ! g:2: A: text behind the closing quote [write '\"\"' for a quote inside]"},

    {"all errors, not only the first",
        "x = 1\n[nope]\ny = 2\n[sandbox]\nshel = 3\nshell = 4\nshell = 5\n  z\n",
        "shell=4@6; ! g:1: 'x' stands before any [section] ! g:2: unknown section 'nope'"
        " ! g:5: unknown key 'shel' in [sandbox] [did you mean 'shell'?]"
        " ! g:7: 'shell' is set twice, first in line 6"
        " ! g:8: indented line [start it in the first column]"},
};

static void
test_rows(void)
{
	for (size_t i = 0; i < SRUN_ARRAY_LEN(rows); i++) {
		struct arena a = {NULL};

		is_str(parsed(&a, rows[i].text, strlen(rows[i].text)), rows[i].want, "%s",
		    rows[i].what);
		arena_free(&a);
	}
}

#define BYTES(s) s, sizeof(s) - 1

static void
test_bytes(void)
{
	struct arena a = {NULL};
	char *garbage = malloc(65536);
	unsigned seed = 7;
	const char *got;

	is_str(parsed(&a, BYTES("[env]\nA = b\0c\nB = d\n")), "B=d@3; ! g:2: a NUL byte",
	    "a NUL in a value");
	is_str(parsed(&a, BYTES("[e\0nv]\nA = b\n")),
	    " ! g:1: a NUL byte ! g:2: 'A' stands before any [section]",
	    "a NUL in a section opens nothing");
	is_str(parsed(&a, BYTES("[env]\n; x\0y\n")), " ! g:2: a NUL byte",
	    "a NUL in a comment");
	is_str(parsed(&a, BYTES("[env]\nA = b\n\0")), "A=b@2; ! g:3: a NUL byte",
	    "a NUL at the end");
	for (size_t i = 0; i < 65536; i++) {
		seed = seed * 1103515245U + 12345U;
		garbage[i] = (char)(seed >> 16);
	}
	got = parsed(&a, garbage, 65536);
	ok(strstr(got, " ! ") == got, "random bytes give errors only");
	free(garbage);
	arena_free(&a);
}

/* What the library would have cut at 198 bytes, also into a second setting. */
static void
test_long(void)
{
	struct arena a = {NULL};
	char *path = arena_alloc(&a, PATH_LIMIT + 2), *text, *want;
	struct built b;

	memset(path, 'p', PATH_LIMIT);
	for (size_t i = 0; i < PATH_LIMIT; i += 200)
		path[i] = '/';
	text = arena_printf(&a, FS "deny_write = %s\n", path);
	build(&b, text);
	is_str(build_errors(&b), "", "a path of 4096 bytes");
	ok(b.p != NULL && tap_equal(b.p->layers[0].rules[0].path, path), "arrives whole");
	build_free(&b);
	path[PATH_LIMIT] = 'p';
	text = arena_printf(&a, FS "deny_write = %s\n", path);
	build(&b, text);
	want = arena_printf(
	    &a, "g.ini:2: deny_write '%s' is a path of more than 4096 bytes", path);
	is_str(build_errors(&b), want, "a path of 4097 bytes is refused");
	build_free(&b);
	memset(path, 'd', 180);
	path[0] = '/';
	path[180] = '\0';
	text = arena_printf(&a, FS "deny_write = %s/allow_write=/\n", path);
	want = arena_printf(&a, "deny_write=%s/allow_write=/@2;", path);
	is_str(parsed(&a, text, strlen(text)), want, "no second key out of a cut line");
	memset(path, 'K', 300);
	path[300] = '\0';
	text = arena_printf(&a, "[env]\n%s = x\n%s2 = y\n", path, path);
	want = arena_printf(&a, "%s=x@2;%s2=y@3;", path, path);
	is_str(parsed(&a, text, strlen(text)), want, "names of variables arrive whole");
	arena_free(&a);
}

static double
seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* A megabyte in one line, in many lines, of many names: no cost grows with the square. */
static void
test_cost(void)
{
	struct arena a = {NULL};
	struct bytes lines = {NULL, 0, 0}, line = {NULL, 0, 0}, rules = {NULL, 0, 0};
	double start = seconds();
	struct built b;

	bytes_puts(&a, &lines, "[env]\n");
	for (int i = 0; lines.len < GRANT_LIMIT - 20; i++)
		bytes_printf(&a, &lines, "V%d = %d\n", i, i);
	bytes_puts(&a, &line, FS "create = \"/x\"");
	while (line.len < GRANT_LIMIT - 10)
		bytes_puts(&a, &line, ", \"/x\"");
	bytes_puts(&a, &rules, FS);
	for (int i = 0; rules.len < GRANT_LIMIT - 60; i++)
		bytes_printf(
		    &a, &rules, "deny_write = /a/%d\nallow_write = /b/%d\n", i, i);
	bytes_add(&a, &lines, "", 1);
	bytes_add(&a, &line, "", 1);
	bytes_add(&a, &rules, "", 1);
	build(&b, lines.data);
	ok(b.p != NULL && b.p->nenv > 50000, "a megabyte of variables");
	build_free(&b);
	build(&b, line.data);
	ok(b.p != NULL && b.p->ncreate > 100000, "a megabyte in one line");
	build_free(&b);
	build(&b, rules.data);
	ok(b.p != NULL && b.p->layers[0].nrules > 40000, "a megabyte of rules");
	build_free(&b);
	ok(seconds() - start < 5, "is read in no time");
	arena_free(&a);
}

static void
test_keys(void)
{
	is_int(grant_nkeys, KEY_COUNT, "every key has a row");
	for (size_t i = 0; i < grant_nkeys; i++) {
		const struct grant_key *k = &grant_keys[i];

		ok(k->section != NULL && k->key != NULL && k->type != NULL &&
		        k->fallback != NULL && k->help != NULL,
		    "row of [%s] %s is whole", k->section, k->key);
	}
}

static void
test_extras(void)
{
	static const struct grant_extra extra[] = {
	    {"--set", "filesystem", "create", "/a, \"b,c\""},
	    {"--set", "sandbox", "shell", " \"/x\" "},
	    {"--allow-write", "filesystem", "allow_write", "/a,/b"},
	    {"--pass", "sandbox", "pass_env", "A,B"},
	    {"--env", "env", "A", "\"q\" , "},
	    {"--set", "env", "A", "again"},
	    {"--set", "sandbx", "shell", "x"},
	    {"--set", "sandbox", "shel", "x"},
	    {"--set", "filesystem", "create", ""},
	    {"--set", "sandbox", "shell", ""},
	};
	struct arena a = {NULL};
	struct settings all = {NULL, 0, 0, 0};
	struct errs errs = {{NULL, 0}};
	struct bytes out = {NULL, 0, 0};

	grant_parse_extra(&a, extra, SRUN_ARRAY_LEN(extra), &all, &errs);
	for (size_t i = 0; i < all.n; i++)
		bytes_printf(&a, &out, "%s=%s@%s;", all.v[i].name, all.v[i].value,
		    origin_text(&a, all.v[i].origin));
	bytes_add(&a, &out, "", 1);
	is_str(out.data,
	    "create=/a@--set;create=b,c@--set;shell=/x@--set;allow_write=/"
	    "a,/b@--allow-write;pass_env=A@--pass;pass_env=B@--pass;A=\"q\" , "
	    "@--env;A=again@--set;",
	    "options");
	is_int(errs.text.n, 4, "four faults");
	is_str(errs.text.v[0],
	    "--set: unknown section 'sandbx' [did you mean 'sandbox'?]",
	    "the option's name stands where a file has its line");
	is_str(errs.text.v[3], "--set: shell: no value", "no value");
	arena_free(&a);
}

/* ---- the file ---- */

static char dir[] = "/tmp/srun-test-XXXXXX";

static const char *
in_dir(struct arena *a, const char *name)
{
	return arena_printf(a, "%s/%s", dir, name);
}

static const char *
write_file(struct arena *a, const char *name, size_t size, mode_t mode)
{
	const char *path = in_dir(a, name);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	char *data = arena_alloc(a, size + 1);

	memset(data, '\n', size);
	if (fd < 0 || write(fd, data, size) != (ssize_t)size || fchmod(fd, mode) != 0)
		printf("Bail out! cannot write '%s'\n", path);
	close(fd);
	return path;
}

/* The error of reading the file without its path in front, "" if it could be read. */
static const char *
read_error(struct arena *a, const char *path, bool strict, struct grant_text *out)
{
	struct errs errs = {{NULL, 0}};
	bool good = grant_read_file(a, path, strict, out, &errs);

	if (good != (errs.text.n == 0) || errs.text.n > 1)
		return "neither read nor one error";
	if (good)
		return "";
	return str_starts(errs.text.v[0], path) ? errs.text.v[0] + strlen(path)
	                                        : "no path";
}

static void
test_files(struct arena *a)
{
	static const struct {
		const char *name;
		size_t size;
		mode_t mode;
		bool strict;
		const char *want;
	} files[] = {
	    {"empty", 0, 0600, true, ""},
	    {"plain", 100, 0644, true, ""},
	    {"group", 10, 0664, false, ""},
	    {"private-group", 10, 0664, true, ""},
	    {"world", 10, 0606, false, ": is writable by everyone [chmod o-w]"},
	    {"world-strict", 10, 0602, true, ": is writable by everyone [chmod o-w]"},
	    {"limit", GRANT_LIMIT, 0600, false, ""},
	    {"large", GRANT_LIMIT + 1, 0600, false,
	        ": is 1 MiB or larger, which no grant is"},
	};
	struct grant_text text;

	for (size_t i = 0; i < SRUN_ARRAY_LEN(files); i++) {
		const char *path =
		    write_file(a, files[i].name, files[i].size, files[i].mode);
		const char *got;

		/* A private group has the number of its user. */
		if (chown(path, getuid(), getuid()) != 0 && files[i].strict)
			continue;
		got = read_error(a, path, files[i].strict, &text);
		is_str(got, files[i].want, "file '%s'", files[i].name);
		if (got[0] == '\0')
			ok(text.len == files[i].size && tap_equal(text.dir, dir) &&
			        tap_equal(text.name, path),
			    "and it is whole");
		unlink(path);
	}
	is_str(read_error(a, in_dir(a, "none"), false, &text),
	    ": cannot be opened: no such file or directory", "a missing file");
	is_str(read_error(a, dir, false, &text), ": is a directory, not a file",
	    "a directory");
	is_str(read_error(a, "/dev/zero", false, &text), ": is a device, not a file",
	    "a device");
}

static void
test_owner(struct arena *a)
{
	struct grant_text text;
	const char *path = write_file(a, "owner", 10, 0664);

	if (getuid() != 0) {
		ok(true, "another user's file # SKIP only root can make one");
		unlink(path);
		return;
	}
	if (chown(path, 0, 4321) == 0)
		is_str(read_error(a, path, true, &text),
		    ": is writable by a group [chmod g-w]", "a group's file, strictly");
	if (chown(path, 4321, 4321) == 0) {
		is_str(read_error(a, path, true, &text),
		    ": belongs to neither you nor root", "another user's file, strictly");
		is_str(
		    read_error(a, path, false, &text), "", "another user's file, named");
	}
	unlink(path);
}

/* A writer that comes late and writes in two parts. */
static void
test_fifo(struct arena *a)
{
	const char *path = in_dir(a, "fifo");
	struct grant_text text = {.len = 0};
	pid_t pid;

	if (mkfifo(path, 0600) != 0 || (pid = fork()) < 0) {
		ok(false, "mkfifo and fork: %s", strerror(errno));
		return;
	}
	if (pid == 0) {
		struct timespec pause = {0, 50 * 1000 * 1000};
		int fd;

		nanosleep(&pause, NULL);
		fd = open(path, O_WRONLY | O_CLOEXEC);
		for (int i = 0; i < 2; i++) {
			if (write(fd, "[env]\n", 6) != 6)
				_exit(1);
			nanosleep(&pause, NULL);
		}
		_exit(0);
	}
	is_str(read_error(a, path, false, &text), "", "a FIFO whose writer is late");
	is_int(text.len, 12, "is read to its end");
	unlink(path);
}

static void
test_fd(struct arena *a)
{
	struct errs errs = {{NULL, 0}};
	struct grant_text text;
	int ends[2];

	if (pipe(ends) != 0 || write(ends[1], "[env]\nA = b\n", 12) != 12) {
		ok(false, "pipe: %s", strerror(errno));
		return;
	}
	close(ends[1]);
	ok(grant_read_fd(a, ends[0], "<stdin>", "/w", &text, &errs) && text.len == 12 &&
	        tap_equal(text.name, "<stdin>") && tap_equal(text.dir, "/w"),
	    "a pipe is read to its end");
	is_int(fcntl(ends[0], F_GETFD), 0, "and left open");
	close(ends[0]);
	ok(!grant_read_fd(a, ends[0], "fd 9", "/w", &text, &errs), "a closed descriptor");
	is_str(errs.text.v[0], "fd 9: cannot be read: bad file descriptor", "says so");
}

int
main(void)
{
	struct arena a = {NULL};

	test_rows();
	test_bytes();
	test_long();
	test_cost();
	test_keys();
	test_extras();
	if (mkdtemp(dir) == NULL) {
		printf("Bail out! no temporary directory\n");
		return 1;
	}
	test_files(&a);
	test_owner(&a);
	test_fifo(&a);
	test_fd(&a);
	rmdir(dir);
	arena_free(&a);
	return done();
}
