/*
 * options.c: the option table, reading argv by it, and --help made from it. Pure.
 */
#include "options.h"

#include <string.h>

#include "grant.h"

/* How an option is taken. */
enum take {
	TAKE_MODE,  /* value: enum mode */
	TAKE_LEVEL, /* value: enum msg_level */
	TAKE_GRANT,
	TAKE_GRANT_FD,
	TAKE_NARROW,
	TAKE_SET, /* the argument is SECTION.KEY=VALUE */
	TAKE_KEY, /* the argument is the value of section.key */
	TAKE_ENV, /* the argument is NAME=VALUE for [env] */
	TAKE_KEEP_FD,
	TAKE_ID,
	TAKE_STRING,
};

struct option_row {
	char letter; /* 0: none */
	const char *name;
	const char *arg; /* NULL: takes none */
	enum take take;
	int value;
	const char *section, *key;
	const char *help;
};

#define KEY(name, arg, section, key, help)                                               \
	{                                                                                \
		0, name, arg, TAKE_KEY, 0, section, key, help                            \
	}

static const struct option_row rows[] = {
    {'f', "grant", "FILE", TAKE_GRANT, 0, NULL, NULL,
        "the grant; '-' reads it from stdin"},
    {0, "grant-fd", "N", TAKE_GRANT_FD, 0, NULL, NULL,
        "the grant, read from a descriptor"},
    {0, "narrow", "FILE", TAKE_NARROW, 0, NULL, NULL,
        "a grant that can only take away; repeatable"},
    {0, "set", "SECTION.KEY=VALUE", TAKE_SET, 0, NULL, NULL,
        "one more line of the grant; repeatable"},
    {'c', NULL, "STRING", TAKE_STRING, 0, NULL, NULL,
        "run STRING with the grant's shell"},
    KEY("isolation", "NAME", "sandbox", "isolation", "auto, bwrap or none"),
    KEY("require", "LIST", "sandbox", "require",
        "refuse to run without: fs, deny-set, net, unix, pid, all"),
    KEY("allow-read", "PATH", "filesystem", "allow_read",
        "reading, inside something denied"),
    KEY("deny-read", "PATH", "filesystem", "deny_read", "no reading"),
    KEY("allow-write", "PATH", "filesystem", "allow_write", "writing"),
    KEY("deny-write", "PATH", "filesystem", "deny_write",
        "no writing, inside something allowed"),
    KEY("allow-domain", "DOMAIN", "network", "allow_domains",
        "a host the network may reach"),
    KEY("net", "MODE", "network", "mode", "none, restricted or all"),
    KEY("cwd", "DIR", "sandbox", "working_directory",
        "where to run, made if missing; 'temp' for a fresh one"),
    {0, "env", "NAME=VALUE", TAKE_ENV, 0, NULL, NULL, "a variable for the command"},
    KEY("pass", "NAME", "sandbox", "pass_env", "a variable forwarded from the host"),
    KEY("timeout", "TIME", "sandbox", "timeout", "TERM after this long (30s, 5m, 500ms)"),
    KEY("kill-after", "TIME", "sandbox", "kill_after", "KILL this long after TERM"),
    {0, "keep-fd", "N", TAKE_KEEP_FD, 0, NULL, NULL,
        "the command inherits this descriptor; repeatable"},
    {0, "id", "TEXT", TAKE_ID, 0, NULL, NULL, "a name for this run, in SRUN_ID"},
    {0, "check", NULL, TAKE_MODE, MODE_CHECK, NULL, NULL,
        "show what the grant means here; starts nothing"},
    {0, "print", NULL, TAKE_MODE, MODE_PRINT, NULL, NULL,
        "show what would be run; starts nothing"},
    {0, "connect", NULL, TAKE_MODE, MODE_CONNECT, NULL, NULL,
        "inside a run: stdin and stdout to HOST PORT by the proxy"},
    {'v', NULL, NULL, TAKE_LEVEL, MSG_VERBOSE, NULL, NULL, "say more"},
    {'q', NULL, NULL, TAKE_LEVEL, MSG_QUIET, NULL, NULL, "only errors"},
    {0, "help", NULL, TAKE_MODE, MODE_HELP, NULL, NULL, "this text"},
    {0, "version", NULL, TAKE_MODE, MODE_VERSION, NULL, NULL, "the version"},
};

#define KEEP_FD_LIMIT 64

struct parser {
	struct arena *a;
	struct options *o;
	struct errs *errs;
};

static const char *
row_name(struct arena *a, const struct option_row *r)
{
	return r->name != NULL ? arena_printf(a, "--%s", r->name)
	                       : arena_printf(a, "-%c", r->letter);
}

static void
add_extra(struct parser *p, const char *option, const char *section, const char *key,
    const char *value)
{
	struct options *o = p->o;
	o->extra = arena_grow(p->a, o->extra, o->nextra, sizeof(*o->extra));
	o->extra[o->nextra++] = (struct grant_extra){option, section, key, value};
}

/* "sandbox.shell" where the name is that key's, '-' for '_'; NULL: it is none. */
static const char *
key_named(struct arena *a, const char *name)
{
	char *key = arena_strdup(a, name);
	for (char *p = key; *p != '\0'; p++)
		*p = (char)(*p == '-' ? '_' : *p);
	for (size_t i = 0; i < grant_nkeys; i++)
		if (strcmp(grant_keys[i].key, key) == 0)
			return arena_printf(a, "%s.%s", grant_keys[i].section, key);
	return NULL;
}

static void
take_set(struct parser *p, const char *arg)
{
	const char *eq = strchr(arg, '='), *dot = strchr(arg, '.');
	if (eq == NULL || dot == NULL || dot > eq || dot == arg || dot + 1 == eq) {
		const char *key =
		    dot == NULL && eq != NULL
		        ? key_named(p->a, arena_strndup(p->a, arg, (size_t)(eq - arg)))
		        : NULL;
		errs_add(p->a, p->errs, "--set '%s': SECTION.KEY=VALUE is needed%s", arg,
		    key != NULL ? arena_printf(p->a, " [as in '%s%s']", key, eq) : "");
		return;
	}
	add_extra(p, "--set", arena_strndup(p->a, arg, (size_t)(dot - arg)),
	    arena_strndup(p->a, dot + 1, (size_t)(eq - dot - 1)), eq + 1);
}

static void
take_env(struct parser *p, const char *arg)
{
	const char *eq = strchr(arg, '=');
	if (eq == NULL || eq == arg)
		errs_add(p->a, p->errs, "--env '%s': NAME=VALUE is needed", arg);
	else
		add_extra(p, "--env", "env", arena_strndup(p->a, arg, (size_t)(eq - arg)),
		    eq + 1);
}

static int
take_fd(struct parser *p, const char *option, const char *arg)
{
	uint64_t n;
	const char *why;
	if (parse_uint(arg, 0, 1 << 20, &n, &why))
		return (int)n;
	errs_add(p->a, p->errs, "%s '%s' %s", option, arg, why);
	return -1;
}

static void
take_keep_fd(struct parser *p, const char *arg)
{
	struct options *o = p->o;
	int fd = take_fd(p, "--keep-fd", arg);
	/* 0, 1 and 2 are kept anyway. */
	if (fd <= 2)
		return;
	if (o->nkeep_fds == KEEP_FD_LIMIT) {
		errs_add(
		    p->a, p->errs, "--keep-fd: more than %d descriptors", KEEP_FD_LIMIT);
		return;
	}
	o->keep_fds = arena_grow(p->a, o->keep_fds, o->nkeep_fds, sizeof(*o->keep_fds));
	o->keep_fds[o->nkeep_fds++] = fd;
}

static void
take(struct parser *p, const struct option_row *r, const char *arg)
{
	switch (r->take) {
	case TAKE_MODE:
		p->o->mode = (enum mode)r->value;
		break;
	case TAKE_LEVEL:
		p->o->level = (enum msg_level)r->value;
		break;
	case TAKE_GRANT:
		p->o->grant = arg;
		break;
	case TAKE_GRANT_FD:
		p->o->grant_fd = take_fd(p, "--grant-fd", arg);
		break;
	case TAKE_NARROW:
		strv_push(p->a, &p->o->narrow, arg);
		break;
	case TAKE_SET:
		take_set(p, arg);
		break;
	case TAKE_KEY:
		add_extra(p, row_name(p->a, r), r->section, r->key, arg);
		break;
	case TAKE_ENV:
		take_env(p, arg);
		break;
	case TAKE_KEEP_FD:
		take_keep_fd(p, arg);
		break;
	case TAKE_ID:
		p->o->id = arg;
		break;
	case TAKE_STRING:
		p->o->string = arg;
		break;
	}
}

static const struct option_row *
find_long(const char *name, size_t n)
{
	for (size_t i = 0; i < SRUN_ARRAY_LEN(rows); i++)
		if (rows[i].name != NULL && strncmp(rows[i].name, name, n) == 0 &&
		    rows[i].name[n] == '\0')
			return &rows[i];
	return NULL;
}

static const struct option_row *
find_letter(char letter)
{
	for (size_t i = 0; i < SRUN_ARRAY_LEN(rows); i++)
		if (rows[i].letter == letter)
			return &rows[i];
	return NULL;
}

/* The options that begin so, as in "'--deny-read' or '--deny-write'"; NULL: none. */
static const char *
begin_so(struct arena *a, const char *name)
{
	const char *out = NULL;
	for (size_t i = 0; i < SRUN_ARRAY_LEN(rows); i++)
		if (rows[i].name != NULL && *name != '\0' &&
		    str_starts(rows[i].name, name))
			out = arena_printf(a, "%s%s'--%s'", out != NULL ? out : "",
			    out != NULL ? " or " : "", rows[i].name);
	return out;
}

/* The options nearest to the name, in quotes; NULL: none is near. */
static const char *
near_options(struct arena *a, const char *name)
{
	const char *names[SRUN_ARRAY_LEN(rows) + 1], *near = begin_so(a, name);
	size_t n = 0;
	for (size_t i = 0; i < SRUN_ARRAY_LEN(rows); i++)
		if (rows[i].name != NULL)
			names[n++] = rows[i].name;
	names[n] = NULL;
	if (near == NULL && (near = nearest_name(name, names)) != NULL)
		near = arena_printf(a, "'--%s'", near);
	return near;
}

static void
unknown(struct parser *p, const char *word)
{
	const char *name = word + strspn(word, "-"), *near = NULL, *key = NULL;
	name = arena_strndup(p->a, name, strcspn(name, "="));
	if (str_starts(word, "--")) {
		near = near_options(p->a, name);
		key = key_named(p->a, name);
	} else if (strcmp(word, "-h") == 0) {
		near = "'--help'";
	}
	if (key != NULL)
		errs_add(p->a, p->errs, "unknown option '%s' [a key is '--set %s=VALUE']",
		    word, key);
	else if (near != NULL)
		errs_add(
		    p->a, p->errs, "unknown option '%s' [did you mean %s?]", word, near);
	else
		errs_add(p->a, p->errs, "unknown option '%s' [see 'srun --help']", word);
}

/* One option at argv[i]; the index of the last word it used. */
static int
take_word(struct parser *p, int argc, char **argv, int i)
{
	const char *word = argv[i], *arg = NULL;
	const struct option_row *r;
	if (word[1] == '-') {
		size_t n = strcspn(word + 2, "=");
		r = find_long(word + 2, n);
		arg = word[2 + n] == '=' ? word + 3 + n : NULL;
	} else {
		r = find_letter(word[1]);
		arg = word[2] != '\0' ? word + 2 : NULL;
	}
	if (r == NULL || (r->arg == NULL && arg != NULL)) {
		unknown(p, word);
		return i;
	}
	if (r->arg != NULL && arg == NULL) {
		if (i + 1 >= argc) {
			errs_add(p->a, p->errs, "%s needs %s", row_name(p->a, r), r->arg);
			return i;
		}
		arg = argv[++i];
	}
	take(p, r, arg != NULL ? arg : "");
	return i;
}

static bool
is_called(const char *argv0, const char *suffix)
{
	const char *base = strrchr(argv0, '/');
	return str_ends(base != NULL ? base + 1 : argv0, suffix);
}

bool
options_is_shell(const char *argv0)
{
	return is_called(argv0, "-sh");
}

bool
options_is_connect(const char *argv0)
{
	return is_called(argv0, "-connect");
}

bool
options_parse(
    struct arena *a, int argc, char **argv, struct options *o, struct errs *errs)
{
	struct parser p = {a, o, errs};
	size_t before = errs->text.n;
	*o = (struct options){.mode = MODE_RUN, .level = MSG_NORMAL, .grant_fd = -1};
	int i = 1;
	for (; i < argc; i++) {
		if (strcmp(argv[i], "--") == 0) {
			i++;
			break;
		}
		if (argv[i][0] != '-' || argv[i][1] == '\0')
			break;
		i = take_word(&p, argc, argv, i);
		if (o->string != NULL) {
			i++;
			break;
		}
	}
	for (; i < argc; i++)
		strv_push(a, &o->words, argv[i]);
	if (o->grant != NULL && o->grant_fd >= 0)
		errs_add(a, errs, "--grant and --grant-fd exclude each other");
	return errs->text.n == before;
}

const char *
options_help(struct arena *a)
{
	struct bytes b = {NULL, 0, 0};
	bytes_puts(a, &b,
	    "usage: srun [OPTION]... [--] COMMAND [ARG]...\n"
	    "       srun [OPTION]... -c STRING [NAME [ARG]...]\n"
	    "       srun [OPTION]... --check | --print [COMMAND [ARG]...]\n"
	    "       srun --connect HOST PORT\n"
	    "Run COMMAND so that it can touch only what the grant allows.\n\n");
	for (size_t i = 0; i < SRUN_ARRAY_LEN(rows); i++) {
		const struct option_row *r = &rows[i];
		const char *letter =
		    r->letter != 0 ? arena_printf(a, "-%c", r->letter) : "";
		const char *name =
		    r->name != NULL ? arena_printf(a, "--%s", r->name) : "";
		const char *both = arena_printf(a, "%s%s%s%s%s", letter,
		    *letter != '\0' && *name != '\0' ? ", " : "", name,
		    r->arg != NULL ? " " : "", r->arg != NULL ? r->arg : "");
		bytes_printf(a, &b, "  %-28s %s\n", both, r->help);
	}
	bytes_puts(a, &b,
	    "\nThe grant is the first of: -f or --grant-fd, $SRUN_GRANT,\n"
	    "$XDG_CONFIG_HOME/srun/srun.ini, /etc/srun/srun.ini, the built-in default.\n"
	    "Exit status: the command's own; 124 timeout, 125 srun refused or failed,\n"
	    "126 not executable, 127 not found. See srun(1) and srun.ini(5).\n");
	bytes_add(a, &b, "", 1);
	return b.data;
}
