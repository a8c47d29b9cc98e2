/*
 * test_options: argv → options. Each option has its rows here; one that is added to the
 * table without a row fails the test, since --help shows it.
 */
#include "options.h"
#include "tap.h"

static struct arena arena;

#define WORDS_LIMIT 16

struct parsed {
	struct options o;
	struct errs errs;
	bool good;
};

/* The words of a text, blank-separated; '_' stands for an empty one, '~' for a blank. */
static struct parsed
parse(const char *text)
{
	struct parsed p = {.errs = {{NULL, 0}}};
	char *argv[WORDS_LIMIT + 1] = {arena_strdup(&arena, "srun")};
	int argc = 1;

	for (text += strspn(text, " "); *text != '\0' && argc < WORDS_LIMIT;) {
		size_t n = strcspn(text, " ");
		argv[argc] = arena_strndup(&arena, text, n);
		if (strcmp(argv[argc], "_") == 0)
			argv[argc][0] = '\0';
		for (char *c = argv[argc]; *c != '\0'; c++)
			if (*c == '~')
				*c = ' ';
		argc++;
		text += n;
		text += strspn(text, " ");
	}
	argv[argc] = NULL;
	p.good = options_parse(&arena, argc, argv, &p.o, &p.errs);
	return p;
}

/* Everything that differs from the default, as text. */
static const char *
show(const struct parsed *p)
{
	static const char *const modes[] = {
	    "", "check", "print", "help", "version", "connect"};
	const struct options *o = &p->o;
	struct bytes b = {NULL, 0, 0};

	if (p->errs.text.n > 0) {
		for (size_t i = 0; i < p->errs.text.n; i++)
			bytes_printf(
			    &arena, &b, "%s%s", i ? " | " : "error: ", p->errs.text.v[i]);
		bytes_add(&arena, &b, "", 1);
		return b.data;
	}
	if (o->mode != MODE_RUN)
		bytes_printf(&arena, &b, "mode=%s ", modes[o->mode]);
	if (o->level != MSG_NORMAL)
		bytes_printf(
		    &arena, &b, "level=%s ", o->level == MSG_QUIET ? "quiet" : "verbose");
	if (o->grant != NULL)
		bytes_printf(&arena, &b, "grant=%s ", o->grant);
	if (o->grant_fd != -1)
		bytes_printf(&arena, &b, "fd=%d ", o->grant_fd);
	for (size_t i = 0; i < o->narrow.n; i++)
		bytes_printf(&arena, &b, "narrow=%s ", o->narrow.v[i]);
	for (size_t i = 0; i < o->nextra; i++)
		bytes_printf(&arena, &b, "%s:%s.%s=%s ", o->extra[i].option,
		    o->extra[i].section, o->extra[i].key, o->extra[i].value);
	for (size_t i = 0; i < o->nkeep_fds; i++)
		bytes_printf(&arena, &b, "keep=%d ", o->keep_fds[i]);
	if (o->id != NULL)
		bytes_printf(&arena, &b, "id=%s ", o->id);
	if (o->string != NULL)
		bytes_printf(&arena, &b, "c=<%s> ", o->string);
	bytes_puts(&arena, &b, ">");
	for (size_t i = 0; i < o->words.n; i++)
		bytes_printf(&arena, &b, " <%s>", o->words.v[i]);
	bytes_add(&arena, &b, "", 1);
	return b.data;
}

static const struct {
	const char *argv, *want;
} rows[] = {
    {"", ">"},
    {"true", "> <true>"},
    {"npm test --x -y", "> <npm> <test> <--x> <-y>"},

    /* every option, in each of its forms */
    {"-f g.ini x", "grant=g.ini > <x>"},
    {"-fg.ini x", "grant=g.ini > <x>"},
    {"--grant g.ini x", "grant=g.ini > <x>"},
    {"--grant=g.ini x", "grant=g.ini > <x>"},
    {"-f - x", "grant=- > <x>"},
    {"-f -x y", "grant=-x > <y>"},
    {"-f a -f b x", "grant=b > <x>"},
    {"--grant-fd 9 x", "fd=9 > <x>"},
    {"--grant-fd=0 x", "fd=0 > <x>"},
    {"--narrow a --narrow=b x", "narrow=a narrow=b > <x>"},
    {"--set filesystem.deny_read=/a x", "--set:filesystem.deny_read=/a > <x>"},
    {"--set=env.A=b=c.d x", "--set:env.A=b=c.d > <x>"},
    {"--set env.A.B=c x", "--set:env.A.B=c > <x>"},
    {"--set network.mode= x", "--set:network.mode= > <x>"},
    {"--isolation none x", "--isolation:sandbox.isolation=none > <x>"},
    {"--require fs,net x", "--require:sandbox.require=fs,net > <x>"},
    {"--allow-read /a x", "--allow-read:filesystem.allow_read=/a > <x>"},
    {"--deny-read /a x", "--deny-read:filesystem.deny_read=/a > <x>"},
    {"--allow-write=/a x", "--allow-write:filesystem.allow_write=/a > <x>"},
    {"--deny-write /a~b x", "--deny-write:filesystem.deny_write=/a b > <x>"},
    {"--allow-domain a.b x", "--allow-domain:network.allow_domains=a.b > <x>"},
    {"--net all x", "--net:network.mode=all > <x>"},
    {"--cwd temp x", "--cwd:sandbox.working_directory=temp > <x>"},
    {"--env A=b=c x", "--env:env.A=b=c > <x>"},
    {"--env A= x", "--env:env.A= > <x>"},
    {"--pass LC_* x", "--pass:sandbox.pass_env=LC_* > <x>"},
    {"--timeout 5s x", "--timeout:sandbox.timeout=5s > <x>"},
    {"--kill-after 1s x", "--kill-after:sandbox.kill_after=1s > <x>"},
    {"--keep-fd 5 --keep-fd=6 x", "keep=5 keep=6 > <x>"},
    {"--keep-fd 0 --keep-fd 1 --keep-fd 2 x", "> <x>"},
    {"--id run-1 x", "id=run-1 > <x>"},
    {"--connect example.org 22", "mode=connect > <example.org> <22>"},
    {"--check", "mode=check >"},
    {"--check x y", "mode=check > <x> <y>"},
    {"--print x y", "mode=print > <x> <y>"},
    {"--help", "mode=help >"},
    {"--version", "mode=version >"},
    {"-v x", "level=verbose > <x>"},
    {"-q x", "level=quiet > <x>"},
    {"-v -q x", "level=quiet > <x>"},

    /* where options end */
    {"-- x", "> <x>"},
    {"-- -f g", "> <-f> <g>"},
    {"-v -- -- x", "level=verbose > <--> <x>"},
    {"x -- -v", "> <x> <--> <-v>"},
    {"- x", "> <-> <x>"},
    {"_ -v", "> <> <-v>"},
    {"x -f g -q --help", "> <x> <-f> <g> <-q> <--help>"},
    {"-f -- x", "grant=-- > <x>"},

    /* -c takes the string, and all that follows is the shell's */
    {"-c echo~hi", "c=<echo hi> >"},
    {"-c a b c", "c=<a> > <b> <c>"},
    {"-c a -x --help -f", "c=<a> > <-x> <--help> <-f>"},
    {"-c a -- b", "c=<a> > <--> <b>"},
    {"-c -- b", "c=<--> > <b>"},
    {"-c -v b", "c=<-v> > <b>"},
    {"-c _", "c=<> >"},
    {"-c _ -v", "c=<> > <-v>"},
    {"-q -c a -v", "level=quiet c=<a> > <-v>"},
    {"-ca b", "c=<a> > <b>"},

    /* errors */
    {"-f", "error: --grant needs FILE"},
    {"--grant", "error: --grant needs FILE"},
    {"-v --timeout", "error: --timeout needs TIME"},
    {"-c", "error: -c needs STRING"},
    {"--set", "error: --set needs SECTION.KEY=VALUE"},
    {"-x y", "error: unknown option '-x' [see 'srun --help']"},
    {"-vq y", "error: unknown option '-vq' [see 'srun --help']"},
    {"--allow-wirte /x y",
        "error: unknown option '--allow-wirte' [did you mean '--allow-write'?]"},
    {"--allow-wirte=/x y",
        "error: unknown option '--allow-wirte=/x' [did you mean '--allow-write'?]"},
    {"--chek", "error: unknown option '--chek' [did you mean '--check'?]"},
    {"--gran g y", "error: unknown option '--gran' [did you mean '--grant' or "
                   "'--grant-fd'?]"},
    {"--time 3 y", "error: unknown option '--time' [did you mean '--timeout'?]"},
    {"--deny /x y", "error: unknown option '--deny' [did you mean '--deny-read' or "
                    "'--deny-write'?]"},
    {"-h", "error: unknown option '-h' [did you mean '--help'?]"},
    {"--shell /x y",
        "error: unknown option '--shell' [a key is '--set sandbox.shell=VALUE']"},
    {"--pass-env=A y",
        "error: unknown option '--pass-env=A' [a key is '--set sandbox.pass_env=VALUE']"},
    {"--set allow_write=/x y",
        "error: --set 'allow_write=/x': SECTION.KEY=VALUE is needed "
        "[as in 'filesystem.allow_write=/x']"},
    {"--set allow_write y", "error: --set 'allow_write': SECTION.KEY=VALUE is needed"},
    {"-hx", "error: unknown option '-hx' [see 'srun --help']"},
    {"--zzzzzzzz y", "error: unknown option '--zzzzzzzz' [see 'srun --help']"},
    {"--= y", "error: unknown option '--=' [see 'srun --help']"},
    {"--Help", "error: unknown option '--Help' [did you mean '--help'?]"},
    {"--grant-fd x y", "error: --grant-fd 'x' is not a number"},
    {"--grant-fd -1 y", "error: --grant-fd '-1' is not a number"},
    {"--grant-fd 99999999 y", "error: --grant-fd '99999999' is out of range"},
    {"--grant-fd _ y", "error: --grant-fd '' is not a number"},
    {"--keep-fd 3x y", "error: --keep-fd '3x' is not a number"},
    {"--set a=b y", "error: --set 'a=b': SECTION.KEY=VALUE is needed"},
    {"--set a.b y", "error: --set 'a.b': SECTION.KEY=VALUE is needed"},
    {"--set a=b.c y", "error: --set 'a=b.c': SECTION.KEY=VALUE is needed"},
    {"--set .b=c y", "error: --set '.b=c': SECTION.KEY=VALUE is needed"},
    {"--set a.=c y", "error: --set 'a.=c': SECTION.KEY=VALUE is needed"},
    {"--env A y", "error: --env 'A': NAME=VALUE is needed"},
    {"--env =x y", "error: --env '=x': NAME=VALUE is needed"},
    {"-f g --grant-fd 3 y", "error: --grant and --grant-fd exclude each other"},
    {"--zzzzzzzz -x --set q y",
        "error: unknown option '--zzzzzzzz' [see 'srun --help'] | unknown "
        "option '-x' [see 'srun --help'] | --set 'q': SECTION.KEY=VALUE is "
        "needed"},
};

static void
check_row(const char *argv, const char *want)
{
	struct parsed p = parse(argv);

	is_str(show(&p), want, "srun %s", argv);
	ok(p.good == (strncmp(want, "error: ", 7) != 0), "srun %s: the verdict says so",
	    argv);
}

static void
test_keep_fd_limit(void)
{
	char *argv[2 * 66 + 2];
	struct options o;
	struct errs errs = {{NULL, 0}};
	int argc = 0;

	argv[argc++] = arena_strdup(&arena, "srun");
	for (int i = 0; i < 65; i++) {
		argv[argc++] = arena_strdup(&arena, "--keep-fd");
		argv[argc++] = arena_printf(&arena, "%d", i + 10);
	}
	argv[argc] = NULL;
	ok(!options_parse(&arena, argc, argv, &o, &errs) && o.nkeep_fds == 64,
	    "65 descriptors are too many");
	errs = (struct errs){{NULL, 0}};
	ok(options_parse(&arena, argc - 2, argv, &o, &errs) && o.nkeep_fds == 64,
	    "64 are not");
}

/* argv may be empty. */
static void
test_nothing(void)
{
	char *argv[] = {NULL};
	struct options o;
	struct errs errs = {{NULL, 0}};

	ok(options_parse(&arena, 0, argv, &o, &errs) && o.words.n == 0, "no argv[0]");
}

/* Whether some row uses the option. */
static bool
has_row(const char *option, size_t n)
{
	for (size_t i = 0; i < SRUN_ARRAY_LEN(rows); i++) {
		const char *at = rows[i].argv;
		if (strncmp(rows[i].want, "error", 5) == 0)
			continue;
		for (; (at = strstr(at, option)) != NULL; at++)
			if (strncmp(at, option, n) == 0 &&
			    (at == rows[i].argv || at[-1] == ' ') &&
			    strchr(" =", at[n]) != NULL)
				return true;
	}
	return false;
}

/* Every line of an option in --help: it is parsed as it says, and has a row above. */
static void
check_help_line(const char *line, size_t len)
{
	const char *row = arena_strndup(&arena, line, len);
	const char *name = strstr(row, "--");
	bool takes;

	if (name == NULL)
		name = strchr(row, '-');
	size_t n = strcspn(name, " ");
	takes = name[n] == ' ' && name[n + 1] >= 'A' && name[n + 1] <= 'Z';
	const char *option = arena_strndup(&arena, name, n);
	ok(has_row(option, n), "%s has a row of its own", option);
	struct parsed p = parse(option);
	bool needs = p.errs.text.n == 1 && strstr(p.errs.text.v[0], " needs ") != NULL;
	ok(needs == takes && (takes || p.good), "%s takes %s argument", option,
	    takes ? "an" : "no");
	const char *help = name + n + (takes ? 1 + strcspn(name + n + 1, " ") : 0);
	ok(strspn(help, " ") > 0 && help[strspn(help, " ")] != '\0', "%s is explained",
	    option);
}

static void
test_help(void)
{
	static const char *const must[] = {"-f, --grant FILE", "--grant-fd N",
	    "--narrow FILE", "--set SECTION.KEY=VALUE", "-c STRING", "--isolation NAME",
	    "--require LIST", "--allow-read PATH", "--deny-read PATH",
	    "--allow-write PATH", "--deny-write PATH", "--allow-domain DOMAIN",
	    "--net MODE", "--cwd DIR", "--env NAME=VALUE", "--pass NAME",
	    "--timeout TIME", "--kill-after TIME", "--keep-fd N", "--id TEXT", "--check",
	    "--print", "-v ", "-q ", "--help", "--version", "usage: srun ", "124", "125",
	    "126", "127"};
	const char *help = options_help(&arena);
	size_t options = 0, longest = 0;

	for (size_t i = 0; i < SRUN_ARRAY_LEN(must); i++)
		ok(strstr(help, must[i]) != NULL, "--help has '%s'", must[i]);
	for (const char *line = help; *line != '\0';) {
		size_t len = strcspn(line, "\n");
		if (strncmp(line, "  -", 3) == 0) {
			check_help_line(line, len);
			options++;
		}
		longest = len > longest ? len : longest;
		line += len + (line[len] == '\n');
	}
	ok(options >= 26, "--help has %zu options", options);
	ok(longest <= 100, "no line of it is over 100 columns (%zu)", longest);
	ok(help[strlen(help) - 1] == '\n', "it ends with a newline");
}

static void
test_shell(void)
{
	static const struct {
		const char *argv0;
		bool shell;
	} names[] = {{"srun-sh", true}, {"/usr/bin/srun-sh", true}, {"-srun-sh", true},
	    {"x/other-sh", true}, {"srun", false}, {"/opt/x-sh/srun", false},
	    {"sh", false}, {"", false}, {"srun-sh/", false}};

	for (size_t i = 0; i < SRUN_ARRAY_LEN(names); i++)
		ok(options_is_shell(names[i].argv0) == names[i].shell,
		    "'%s' is %sa shell", names[i].argv0, names[i].shell ? "" : "not ");
}

int
main(void)
{
	for (size_t i = 0; i < SRUN_ARRAY_LEN(rows); i++)
		check_row(rows[i].argv, rows[i].want);
	test_keep_fd_limit();
	test_nothing();
	test_help();
	test_shell();
	arena_free(&arena);
	return done();
}
