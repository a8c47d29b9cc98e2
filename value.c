/*
 * value.c: typed values out of the words of a grant.
 *
 * Owns what a path, a word, a variable's name is in a grant. Must not look at the file
 * tree or the process's own environment: ctx holds what a value may refer to.
 */
#include <string.h>

#include "hostrule.h"
#include "path.h"
#include "value.h"

const char *const enforce_names[] = {"fs", "deny-set", "net", "unix", "pid", NULL};
const char *const rule_kind_names[] = {
    "deny_read", "allow_read", "allow_write", "deny_write", NULL};
const char *const isolation_names[] = {
    "auto", "seatbelt", "bwrap", "native", "landlock", "none", NULL};
const char *const temp_names[] = {"tmp", "private", "host", NULL};
const char *const net_mode_names[] = {"none", "restricted", "all", NULL};
const char *const unix_mode_names[] = {"none", "inside", "all", NULL};
const char *const denials_names[] = {"off", "writes", "all", NULL};

void
value_fault(struct value_context *vc, const struct setting *s, const char *why)
{
	errs_at(vc->arena, vc->errs, s->origin, "%s '%s' %s", s->name, s->value, why);
}

/* "a, b or c" */
static const char *
word_choice(struct arena *a, const char *const *words)
{
	struct bytes out = {NULL, 0, 0};

	for (size_t i = 0; words[i] != NULL; i++) {
		if (i != 0)
			bytes_puts(a, &out, words[i + 1] == NULL ? " or " : ", ");
		bytes_puts(a, &out, words[i]);
	}
	bytes_add(a, &out, "", 1);
	return out.data;
}

int
value_word(struct value_context *vc, const struct setting *s, const char *const *words)
{
	const char *near;

	for (int i = 0; words[i] != NULL; i++)
		if (strcmp(words[i], s->value) == 0)
			return i;
	near = nearest_name(s->value, words);
	value_fault(vc, s,
	    near == NULL
	        ? arena_printf(vc->arena, "is not %s", word_choice(vc->arena, words))
	        : arena_printf(vc->arena, "is not %s [did you mean '%s'?]",
	              word_choice(vc->arena, words), near));
	return -1;
}

void
value_bool(struct value_context *vc, const struct setting *s, bool *out)
{
	static const char *const words[] = {"no", "yes", NULL};
	int word = value_word(vc, s, words);

	if (word >= 0)
		*out = word == 1;
}

/* ---- paths ---- */

struct lookup {
	const struct value_context *vc;
	const char
	    *why; /* set when a variable is refused for another reason than unset */
};

static const char *
from_environ(const struct grant_context *ctx, const char *name)
{
	size_t len = strlen(name);

	for (const char *const *e = ctx->environ; e != NULL && *e != NULL; e++)
		if (strncmp(*e, name, len) == 0 && (*e)[len] == '=')
			return (*e)[len + 1] == '\0' ? NULL : *e + len + 1;
	return NULL;
}

/* A path_lookup: what "${NAME}" may be in a grant. */
static const char *
look_up(void *arg, const char *name)
{
	struct lookup *l = arg;
	const char *value;

	if (strcmp(name, "GRANT_DIR") == 0)
		return l->vc->grant_dir;
	if (strcmp(name, "HOME") == 0)
		return l->vc->ctx->home;
	if (strcmp(name, "TMPDIR") != 0 &&
	    (!str_starts(name, "XDG_") || str_ends(name, "_DIRS"))) {
		l->why = "has a variable that no grant knows "
		         "[GRANT_DIR, HOME, TMPDIR and XDG_... are]";
		return NULL;
	}
	value = from_environ(l->vc->ctx, name);
	if (value != NULL && value[0] != '/') {
		l->why = "has a variable whose value is not an absolute path";
		return NULL;
	}
	return value;
}

/* Whether the path is absolute and path_normalise() would change nothing. */
static bool
is_normal(const char *path)
{
	if (path[0] != '/')
		return false;
	for (const char *p = path; *p != '\0'; p++)
		if (*p == '/' && (p[1] == '/' || p[1] == '\0' || p[1] == '.'))
			return p == path && p[1] == '\0';
	return true;
}

/*
 * The text of a path value, normalised; NULL with *why, words that follow the value.
 * Without a '$' nothing is copied twice: the named sets have hundreds of these. In a plain
 * text a '$' is a character like any other: a shell has replaced what it had to.
 */
static const char *
resolve_text(struct value_context *vc, const char *text, bool plain, const char **why)
{
	const struct grant_context *ctx = vc->ctx;
	struct lookup l = {vc, NULL};
	const char *expanded;

	if (plain && text[0] == '$') {
		*why = "begins with a '$' that no shell replaced [--set replaces "
		       "'${...}'; such a name is written './$...']";
		return NULL;
	}
	if (plain || strchr(text, '$') == NULL) {
		if (is_normal(text))
			return text;
		if (text[0] != '~')
			return path_normalise(vc->arena, text, ctx->cwd);
		if (text[1] == '/' && ctx->home != NULL)
			return path_normalise(vc->arena, text + 2, ctx->home);
	}
	expanded = path_expand(vc->arena, text, ctx->home, look_up, &l, why);
	if (expanded != NULL)
		return path_normalise(vc->arena, expanded, ctx->cwd);
	*why =
	    l.why != NULL ? l.why : arena_printf(vc->arena, "has no meaning: %s", *why);
	return NULL;
}

/*
 * Where in path, which text means, the component with the first pattern character of text
 * begins. What stands for "~", a variable or a relative path's beginning is no pattern.
 */
static size_t
find_pattern(struct arena *a, const char *text, const char *path)
{
	size_t at = strcspn(text, "*?["), skipped;
	const char *tail;

	if (text[at] == '\0')
		return 0;
	while (at > 0 && text[at - 1] != '/')
		at--;
	tail = path_normalise(a, text + at, "/") + 1;
	if (str_ends(path, tail))
		return strlen(path) - strlen(tail);
	/* A variable stands behind it, and has no place there: all of it is a pattern. */
	skipped = strcspn(path, "*?[");
	while (skipped > 0 && path[skipped - 1] != '/')
		skipped--;
	return skipped;
}

/*
 * After "literal:" an absolute path is taken byte for byte, so that there is a way to
 * write every name; "~" and variables can only stand in another.
 */
static const char *
path_of(struct value_context *vc, const char *text, bool plain, size_t *pattern_at,
    const char **why)
{
	static const char prefix[] = "literal:";
	const char *path;
	bool literal = str_starts(text, prefix);

	if (literal)
		text += sizeof(prefix) - 1;
	*why = "is empty";
	if (text[0] == '\0')
		return NULL;
	if (literal && text[0] == '/')
		path = path_normalise(vc->arena, text, NULL);
	else
		path = resolve_text(vc, text, plain, why);
	if (path != NULL && strlen(path) > PATH_LIMIT) {
		*why = "is a path of more than 4096 bytes";
		return NULL;
	}
	if (pattern_at != NULL)
		*pattern_at =
		    literal || path == NULL ? 0 : find_pattern(vc->arena, text, path);
	return path;
}

const char *
value_path(struct value_context *vc, const struct setting *s, size_t *pattern_at)
{
	const char *why, *path = path_of(vc, s->value, s->plain, pattern_at, &why);

	if (path == NULL)
		value_fault(vc, s, why);
	return path;
}

static void
unknown_set(struct value_context *vc, const struct setting *s, enum set_type type)
{
	const char **names = arena_alloc(vc->arena, (named_nsets + 1) * sizeof(*names)),
	           *near;
	size_t n = 0;

	for (size_t i = 0; i < named_nsets; i++)
		if (named_sets[i].type == type)
			names[n++] = named_sets[i].name;
	near = nearest_name(s->value + 1, names);
	if (near != NULL)
		value_fault(vc, s,
		    arena_printf(vc->arena,
		        "is not a set that is known [did you mean '@%s'?]", near));
	else
		value_fault(vc, s,
		    type == SET_PATHS
		        ? "is not a set that is known "
		          "[a name that starts with '@' is written './@...']"
		        : "is not a set that is known");
}

const struct named_set *
value_set(
    struct value_context *vc, const struct setting *s, enum set_type type, bool *failed)
{
	const struct named_set *set;

	*failed = false;
	if (s->value[0] != '@')
		return NULL;
	set = named_set_find(s->value + 1);
	*failed = set == NULL || set->type != type;
	if (set == NULL)
		unknown_set(vc, s, type);
	else if (*failed)
		value_fault(vc, s,
		    type == SET_PATHS ? "is a set of domains, not of paths"
		                      : "is a set of paths, not of domains");
	return *failed ? NULL : set;
}

static void
add_rule(struct arena *a, struct rule_list *l, struct path_rule rule)
{
	value_rules_reserve(a, l, 1);
	l->v[l->n++] = rule;
}

void
value_rules_reserve(struct arena *a, struct rule_list *l, size_t more)
{
	struct path_rule *moved;

	if (l->cap - l->n >= more)
		return;
	l->cap = l->cap * 2 > l->n + more ? l->cap * 2 : l->n + more;
	moved = arena_alloc(a, l->cap * sizeof(*moved));
	if (l->n != 0)
		memcpy(moved, l->v, l->n * sizeof(*moved));
	l->v = moved;
}

void
value_path_rules(struct value_context *vc, const struct setting *s, enum rule_kind kind,
    struct rule_list *rules)
{
	struct path_rule rule = {.kind = kind, .written = s->value, .origin = s->origin};
	const struct named_set *set;
	const char *why;
	bool failed;

	set = value_set(vc, s, SET_PATHS, &failed);
	if (failed)
		return;
	if (set == NULL) {
		rule.path = value_path(vc, s, &rule.pattern_at);
		if (rule.path != NULL)
			add_rule(vc->arena, rules, rule);
		return;
	}
	rule.optional = true;
	for (const char *m = set->members; *m != '\0'; m += strlen(m) + 1) {
		rule.path = path_of(vc, m, false, &rule.pattern_at, &why);
		if (rule.path == NULL) {
			value_fault(vc, s, why);
			return;
		}
		add_rule(vc->arena, rules, rule);
	}
}

const char *const value_ca_variables[] = {"SSL_CERT_FILE",
    "SSL_CERT_DIR",                           /* OpenSSL, Go, Ruby, rustls */
    "CURL_CA_BUNDLE",                         /* curl, requests */
    "REQUESTS_CA_BUNDLE", "PIP_CERT",         /* Python */
    "NODE_EXTRA_CA_CERTS",                    /* Node */
    "npm_config_cafile", "NPM_CONFIG_CAFILE", /* npm */
    "GIT_SSL_CAINFO", "GIT_SSL_CAPATH",       /* git */
    "CARGO_HTTP_CAINFO",                      /* cargo */
    "AWS_CA_BUNDLE",                          /* the AWS tools */
    "CLOUDSDK_CORE_CUSTOM_CA_CERTS_FILE",     /* gcloud */
    "DENO_CERT",                              /* deno */
    "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH",       /* gRPC */
    "HEX_CACERTS_PATH",                       /* mix */
    "NIX_SSL_CERT_FILE",                      /* Nix and what it builds */
    "UV_SSL_CERT_FILE", "BUNDLE_SSL_CA_CERT", /* uv, bundler */
    NULL};

void
value_ca_rules(struct value_context *vc, struct origin origin, struct rule_list *out)
{
	for (size_t i = 0; value_ca_variables[i] != NULL; i++) {
		const char *path = from_environ(vc->ctx, value_ca_variables[i]);
		if (path == NULL || path[0] != '/')
			continue;
		add_rule(vc->arena, out,
		    (struct path_rule){.kind = RULE_ALLOW_READ,
		        .path = path_normalise(vc->arena, path, "/"),
		        .written = path,
		        .optional = true,
		        .origin = origin});
	}
}

/* ---- lists ---- */

void
value_list_add(
    struct arena *a, struct located_list *l, const char *text, struct origin origin)
{
	l->v = arena_grow(a, l->v, l->n, sizeof(*l->v));
	l->v[l->n++] = (struct located){text, origin};
}

/* NULL, or why the text is no domain rule. */
static const char *
add_domain(struct value_context *vc, const struct setting *s, const char *text, bool deny,
    bool of_set, struct host_rule_list *l)
{
	struct host_rule rule;
	const char *why = host_rule_parse(vc->arena, text, deny, &rule);

	if (why != NULL)
		return why;
	rule.origin = s->origin;
	rule.of_set = of_set;
	l->v = arena_grow(vc->arena, l->v, l->n, sizeof(*l->v));
	l->v[l->n++] = rule;
	return NULL;
}

void
value_domains(struct value_context *vc, const struct setting *s, bool deny,
    struct host_rule_list *l)
{
	const struct named_set *set;
	const char *why;
	bool failed;

	set = value_set(vc, s, SET_DOMAINS, &failed);
	if (failed)
		return;
	if (set != NULL) {
		/* tests/unit/test_sets.c parses them all: none can fail here. */
		for (const char *m = set->members; *m != '\0'; m += strlen(m) + 1)
			add_domain(vc, s, m, deny, true, l);
		return;
	}
	why = add_domain(vc, s, s->value, deny, false, l);
	if (why != NULL)
		value_fault(vc, s, why);
}

/* ---- environment ---- */

/*
 * Variables that make a program run or load something. They are forwarded when they are
 * named, never because a PREFIX_* happens to hold them. A row that ends in '*' is a family.
 */
static const char *const by_name_only[] = {
    "LD_*",
    "DYLD_*",
    "GIT_*",
    "SSH_*",
    "SRUN_*",
    "MALLOC_*",
    "BASH_FUNC_*",
    "BASH_ENV",
    "ENV",
    "SHELLOPTS",
    "BASHOPTS",
    "PS4",
    "PROMPT_COMMAND",
    "IFS",
    "ZDOTDIR",
    "GCONV_PATH",
    "LOCPATH",
    "GLIBC_TUNABLES",
    "HOSTALIASES",
    "PYTHONPATH",
    "PYTHONHOME",
    "PYTHONSTARTUP",
    "PERL5LIB",
    "PERL5OPT",
    "PERL5DB",
    "RUBYLIB",
    "RUBYOPT",
    "NODE_OPTIONS",
    "JAVA_TOOL_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "_JAVA_OPTIONS",
    "TAR_OPTIONS",
    "LESSOPEN",
    "LESSCLOSE",
    NULL,
};

/* A variable of the table that a pattern with this prefix would forward, or NULL. */
static const char *
protected_by(const char *prefix, size_t len)
{
	for (const char *const *p = by_name_only; *p != NULL; p++) {
		size_t n = strlen(*p);
		bool family = (*p)[n - 1] == '*';

		n -= family;
		if (strncmp(*p, prefix, (len < n || !family) ? len : n) == 0)
			return *p;
	}
	return NULL;
}

static bool
is_variable_name(const char *name, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		char c = name[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
		        (i != 0 && c >= '0' && c <= '9')))
			return false;
	}
	return len != 0;
}

bool
value_env_name(struct value_context *vc, const struct setting *s)
{
	const char *why = NULL;

	if (!is_variable_name(s->name, strlen(s->name)))
		why = "is not a variable's name";
	else if (strcmp(s->name, "SRUN") == 0 || strcmp(s->name, "SRUN_ID") == 0)
		why = "is set by srun itself";
	if (why != NULL)
		errs_at(vc->arena, vc->errs, s->origin, "'%s' %s", s->name, why);
	return why == NULL;
}

/* Names that no shell could set are passed too: the host has them (npm_config_a-b). */
bool
value_pass_name(struct value_context *vc, const struct setting *s)
{
	size_t len = strcspn(s->value, "*");
	const char *held;

	for (const char *p = s->value; *p != '\0'; p++) {
		if ((unsigned char)*p <= ' ' || *p == 0x7f || *p == '=') {
			value_fault(vc, s, "is not a variable's name");
			return false;
		}
	}
	if (s->value[len] == '\0')
		return true;
	if (strcmp(s->value + len, "*") != 0 || len < 2 || s->value[len - 1] != '_') {
		value_fault(vc, s, "has a '*' that does not end a PREFIX_*");
		return false;
	}
	held = protected_by(s->value, len);
	if (held == NULL)
		return true;
	value_fault(vc, s,
	    arena_printf(
	        vc->arena, "would forward '%s' [write the names one by one]", held));
	return false;
}

bool
value_is_proxy_variable(const char *name)
{
	static const char *const names[] = {"http_proxy", "https_proxy", "all_proxy",
	    "no_proxy", "ftp_proxy", "grpc_proxy", "HTTP_PROXY", "HTTPS_PROXY",
	    "ALL_PROXY", "NO_PROXY", "FTP_PROXY", "GRPC_PROXY", "SRUN_PROXY"};

	for (size_t i = 0; i < SRUN_ARRAY_LEN(names); i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}
