/*
 * test_env: the command's environment from the host's and the policy's.
 */
#include "env.h"
#include "tap.h"

static struct arena arena;

struct row {
	const char *name;
	const char *host; /* the host's variables, one a blank */
	const char *pass; /* names of pass_env */
	const char *set;  /* [env] */
	bool terminal;
	const char *want; /* the whole of it, one a blank, in order */
};

#define OURS "TMPDIR=/tmp/srun-1 SRUN=1 SRUN_ID=id7"
#define BASE "PATH=/bin HOME=/home/u "

static const struct row rows[] = {
    {"nothing on the host", "", "", "", false,
        "PATH=/usr/local/bin:/usr/bin:/bin HOME=/home/u " OURS},
    {"the four that always come", "PATH=/p HOME=/home/u LANG=C TMPDIR=/t", "", "", false,
        "PATH=/p HOME=/home/u LANG=C " OURS},
    {"nothing else does",
        "PATH=/bin PWD=/x SHLVL=2 OLDPWD=/y USER=u _=x SSH_AUTH_SOCK=/s "
        "AWS_SECRET_ACCESS_KEY=k "
        "LC_ALL=C EDITOR=vi DISPLAY=:0 LD_PRELOAD=x BASH_ENV=x http_proxy=p "
        "XDG_RUNTIME_DIR=/r",
        "", "", false, BASE OURS},
    {"HOME is the one that was decided", "PATH=/bin HOME=relative", "", "", false,
        BASE OURS},
    {"names that only begin like one", "PATH=/bin PATHS=x HOMER=x LANGUAGE=x PAT=x", "",
        "", false, BASE OURS},
    {"an empty value is a value", "PATH= HOME=/home/u LANG=", "", "", false,
        "PATH= HOME=/home/u LANG= " OURS},
    {"a value with '='", "PATH=/bin HOME=/ LANG=a=b=c", "", "", false,
        "PATH=/bin HOME=/home/u LANG=a=b=c " OURS},

    /* terminal */
    {"terminal variables with a terminal",
        "PATH=/bin TERM=xterm COLORTERM=truecolor NO_COLOR=1 COLUMNS=80 LINES=24", "", "",
        true, BASE "TERM=xterm COLORTERM=truecolor NO_COLOR=1 COLUMNS=80 LINES=24 " OURS},
    {"and not without",
        "PATH=/bin TERM=xterm COLORTERM=truecolor NO_COLOR=1 COLUMNS=80 LINES=24", "", "",
        false, BASE OURS},
    {"only those that are set", "PATH=/bin TERM=xterm", "", "", true,
        BASE "TERM=xterm " OURS},
    {"TERM by name needs none", "PATH=/bin TERM=xterm", "TERM", "", false,
        BASE "TERM=xterm " OURS},

    /* pass_env */
    {"a name", "PATH=/bin A=1 AB=2", "A", "", false, BASE "A=1 " OURS},
    {"a name that is not set", "PATH=/bin", "A", "", false, BASE OURS},
    {"a name that is set and empty", "PATH=/bin A=", "A", "", false, BASE "A= " OURS},
    {"a prefix", "PATH=/bin LC_ALL=C LC_TIME=C LCX=1 XLC_A=1", "LC_*", "", false,
        BASE "LC_ALL=C LC_TIME=C " OURS},
    {"a prefix and one of its names", "PATH=/bin LC_ALL=C", "LC_* LC_ALL LC_*", "", false,
        BASE "LC_ALL=C " OURS},
    {"a prefix without match", "PATH=/bin LC=1", "LC_*", "", false, BASE OURS},
    {"TMPDIR stays srun's own", "PATH=/bin TMPDIR=/host", "TMPDIR", "", false,
        BASE "TMPDIR=/tmp/srun-1 SRUN=1 SRUN_ID=id7"},
    {"so do SRUN and SRUN_ID", "PATH=/bin SRUN=host SRUN_ID=host SRUN_GRANT=g",
        "SRUN_ID SRUN", "", false, BASE "SRUN_ID=id7 SRUN=1 TMPDIR=/tmp/srun-1"},
    {"what steers programs comes by name", "PATH=/bin LD_PRELOAD=x GIT_DIR=y BASH_ENV=z",
        "LD_PRELOAD GIT_DIR BASH_ENV", "", false,
        BASE "LD_PRELOAD=x GIT_DIR=y BASH_ENV=z " OURS},
    {"and never by a prefix",
        "PATH=/bin LD_PRELOAD=x LD_LIBRARY_PATH=x DYLD_INSERT_LIBRARIES=x GIT_SSH=x "
        "GIT_DIR=x "
        "BASH_ENV=x BASH_FUNC_a%%=x ENV=x PYTHONPATH=x PYTHONSTARTUP=x PERL5LIB=x "
        "PERL5OPT=x "
        "RUBYOPT=x RUBYLIB=x NODE_OPTIONS=x JAVA_TOOL_OPTIONS=x _JAVA_OPTIONS=x "
        "SRUN_PROXY=x "
        "IFS=x SHELLOPTS=x BASHOPTS=x PS4=x PROMPT_COMMAND=x EDITOR=x VISUAL=x PAGER=x "
        "GCONV_PATH=x LOCPATH=x MAKEFLAGS=x PERLLIB=x NLSPATH=x",
        "LD_* DYLD_* G* B* E* P* R* N* J* _* S* I* V* L* M* D*", "", false, BASE OURS},
    {"a neighbour of theirs does come by a prefix",
        "PATH=/bin GITHUB_SHA=1 LDX=2 ENVIRONMENT=3", "G* L* E*", "", false,
        BASE "GITHUB_SHA=1 LDX=2 ENVIRONMENT=3 " OURS},

    /* [env] comes last and wins */
    {"set", "PATH=/bin", "", "A=1 B=", false, BASE OURS " A=1 B="},
    {"set over passed", "PATH=/bin A=host", "A", "A=grant", false, BASE "A=grant " OURS},
    {"set over the host's four", "PATH=/bin HOME=/ LANG=C", "",
        "PATH=/opt LANG=de HOME=/h TMPDIR=/t2", false,
        "PATH=/opt HOME=/h LANG=de TMPDIR=/t2 SRUN=1 SRUN_ID=id7"},
    {"set over a terminal variable", "PATH=/bin TERM=xterm", "", "TERM=dumb", true,
        BASE "TERM=dumb " OURS},
    {"set twice", "PATH=/bin", "", "A=1 A=2", false, BASE OURS " A=2"},
    {"set without a terminal", "PATH=/bin", "", "TERM=dumb", false,
        BASE OURS " TERM=dumb"},
    {"names that begin alike stay apart", "PATH=/bin", "", "A=1 AB=2 A=3", false,
        BASE OURS " A=3 AB=2"},
};

/* "A=1 B=2" → {"A=1", "B=2", NULL} */
static struct strv
words(const char *text)
{
	struct strv out = {NULL, 0};

	for (text += strspn(text, " "); *text != '\0'; text += strspn(text, " ")) {
		size_t n = strcspn(text, " ");
		strv_push(&arena, &out, arena_strndup(&arena, text, n));
		text += n;
	}
	return out;
}

static const char *
joined(const struct strv *s)
{
	const char *text = "";

	for (size_t i = 0; i < s->n; i++)
		text = arena_printf(&arena, "%s%s%s", text, i ? " " : "", s->v[i]);
	return text;
}

static void
fill_policy(struct policy *p, const struct row *r)
{
	struct strv names = words(r->pass), set = words(r->set);

	*p = (struct policy){.temp = TEMP_PRIVATE};
	p->pass_env.v = arena_alloc(&arena, (names.n + 1) * sizeof(*p->pass_env.v));
	for (size_t i = 0; i < names.n; i++)
		p->pass_env.v[p->pass_env.n++].text = names.v[i];
	p->env = arena_alloc(&arena, (set.n + 1) * sizeof(*p->env));
	for (size_t i = 0; i < set.n; i++) {
		const char *eq = strchr(set.v[i], '=');
		p->env[p->nenv].name =
		    arena_strndup(&arena, set.v[i], (size_t)(eq - set.v[i]));
		p->env[p->nenv++].value = eq + 1;
	}
}

static bool
has_twice(const struct strv *s)
{
	for (size_t i = 0; i < s->n; i++)
		for (size_t k = 0; k < i; k++) {
			size_t n = strcspn(s->v[i], "=") + 1;
			if (strncmp(s->v[i], s->v[k], n) == 0)
				return true;
		}
	return false;
}

static void
check_row(const struct row *r)
{
	static const char *const nothing[] = {NULL};
	struct policy p;
	struct strv host = words(r->host), out = {NULL, 0};
	struct host h = {.home = "/home/u", .environ = host.n > 0 ? host.v : nothing};

	fill_policy(&p, r);
	env_build(&arena, &p, &h, "/tmp/srun-1", r->terminal, "id7", NULL, &out);
	is_str(joined(&out), r->want, "%s", r->name);
	ok(!has_twice(&out) && out.v[out.n] == NULL, "%s: no name twice, and an end",
	    r->name);
}

static void
test_host(void)
{
	static const char *const environ[] = {
	    "A=1", "AB=2", "EMPTY=", "odd", "=x", "A=3", NULL};
	const struct host h = {.environ = environ};

	is_str(env_host(&h, "A"), "1", "a variable of the host, the first of two");
	is_str(env_host(&h, "AB"), "2", "another");
	is_str(env_host(&h, "EMPTY"), "", "an empty one");
	is_str(env_host(&h, "odd"), NULL, "an entry without '='");
	is_str(env_host(&h, "B"), NULL, "one that is not set");
	is_str(env_host(&h, "A=1"), NULL, "a name with '='");
}

/* Entries that no shell would make are passed over. */
static void
test_odd_entries(void)
{
	static const char *const environ[] = {
	    "PATH=/bin", "odd", "=x", "", "L", "LC_A=1", NULL};
	struct row r = {.pass = "LC_* L*", .set = ""};
	struct host h = {.home = NULL, .environ = environ};
	struct policy p;
	struct strv out = {NULL, 0};

	fill_policy(&p, &r);
	env_build(&arena, &p, &h, "/tmp/srun-1", false, "id7", NULL, &out);
	is_str(joined(&out), "PATH=/bin LC_A=1 " OURS, "odd entries, and no home");
}

/* One name on the host twice (only a program can do that): the value env_host() gives. */
static void
test_twice(void)
{
	static const char *const environ[] = {"PATH=/bin", "LC_A=1", "LC_A=2", NULL};
	struct host h = {.home = NULL, .environ = environ};
	static const char *const ways[] = {"LC_A", "LC_*", "LC_A LC_*"};

	for (size_t i = 0; i < SRUN_ARRAY_LEN(ways); i++) {
		struct row r = {.pass = ways[i], .set = ""};
		struct strv out = {NULL, 0};
		struct policy p;
		fill_policy(&p, &r);
		env_build(&arena, &p, &h, "/tmp/srun-1", false, "id7", NULL, &out);
		is_str(joined(&out), "PATH=/bin LC_A=1 " OURS, "a name twice, by '%s'",
		    ways[i]);
	}
}

int
main(void)
{
	for (size_t i = 0; i < SRUN_ARRAY_LEN(rows); i++)
		check_row(&rows[i]);
	test_host();
	test_odd_entries();
	test_twice();
	arena_free(&arena);
	return done();
}
