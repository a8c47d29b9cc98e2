/*
 * policy.c: settings → an immutable policy.
 *
 * Owns the meaning of every key, its default, and the rules between keys that the text
 * alone decides. Must not look at the file tree, read the process's environment, or
 * change a policy once policy_build() has returned it.
 *
 * Order: each text becomes a draft (read_draft), in which the keys are checked against
 * each other (check_draft); the base draft is narrowed by the others (narrow.c); what
 * only the result can show is checked last (check_result).
 */
#include <assert.h>
#include <string.h>

#include "hostrule.h"
#include "narrow.h"
#include "path.h"
#include "policy.h"
#include "route.h"
#include "textindex.h"
#include "value.h"

#define KILL_AFTER_MS 2000

#ifdef __APPLE__
#define LOCAL_BINDING false /* there it is the host's loopback */
#else
#define LOCAL_BINDING true
#endif

static const char default_text[] = "[filesystem]\n"
                                   "deny_read = @credentials\n";

struct grant_text
grant_default(void)
{
	return (struct grant_text){
	    .name = "default",
	    .dir = "/",
	    .data = default_text,
	    .len = sizeof(default_text) - 1,
	    .lineless = true,
	};
}

/* ---- one setter a key ---- */

typedef struct value_context context;
typedef void setter(context *c, struct draft *d, const struct setting *s);

static void
set_isolation(context *c, struct draft *d, const struct setting *s)
{
	int word = value_word(c, s, isolation_names);

	if (word < 0)
		return;
	d->p.isolation = (enum isolation)word;
	d->p.isolation_origin = s->origin;
}

static void
set_require(context *c, struct draft *d, const struct setting *s)
{
	static const char *const words[] = {
	    "fs", "deny-set", "net", "unix", "pid", "all", NULL};
	int word = value_word(c, s, words);

	if (word >= 0)
		d->p.require |= 1U << word > ENFORCE_ALL ? ENFORCE_ALL : 1U << word;
}

static void
set_working_directory(context *c, struct draft *d, const struct setting *s)
{
	d->p.working_directory_origin = s->origin;
	d->p.working_directory_temp = strcmp(s->value, "temp") == 0;
	d->p.working_directory =
	    d->p.working_directory_temp ? NULL : value_path(c, s, NULL);
}

/* A bare name would be looked for in the working directory, which nobody means. */
static void
set_shell(context *c, struct draft *d, const struct setting *s)
{
	if (strchr(s->value, '/') == NULL)
		value_fault(c, s, "is not a path [as in '/bin/sh']");
	else
		d->p.shell = value_path(c, s, NULL);
}

static void
set_timeout(context *c, struct draft *d, const struct setting *s)
{
	const char *why;
	int64_t ms;

	if (strcmp(s->value, "none") == 0)
		d->p.timeout_ms = -1;
	else if (!parse_time_ms(s->value, &ms, &why))
		value_fault(c, s, why);
	else if (ms == 0)
		value_fault(c, s, "leaves no time ['none' is no timeout]");
	else
		d->p.timeout_ms = ms;
}

static void
set_kill_after(context *c, struct draft *d, const struct setting *s)
{
	const char *why;

	if (!parse_time_ms(s->value, &d->p.kill_after_ms, &why))
		value_fault(c, s, why);
}

static void
set_temp(context *c, struct draft *d, const struct setting *s)
{
	int word = value_word(c, s, temp_names);

	if (word >= 0)
		d->p.temp = (enum temp_mode)word;
}

static void
set_pass_env(context *c, struct draft *d, const struct setting *s)
{
	if (value_pass_name(c, s))
		value_list_add(c->arena, &d->p.pass_env, s->value, s->origin);
}

static void
set_pass_ca(context *c, struct draft *d, const struct setting *s)
{
	value_bool(c, s, &d->p.pass_ca);
}

static void
add_rules(context *c, struct draft *d, const struct setting *s, enum rule_kind kind)
{
	value_path_rules(c, s, kind, &d->rules);
}

static void
set_deny_read(context *c, struct draft *d, const struct setting *s)
{
	add_rules(c, d, s, RULE_DENY_READ);
}

static void
set_allow_read(context *c, struct draft *d, const struct setting *s)
{
	add_rules(c, d, s, RULE_ALLOW_READ);
}

static void
set_allow_write(context *c, struct draft *d, const struct setting *s)
{
	add_rules(c, d, s, RULE_ALLOW_WRITE);
}

static void
set_deny_write(context *c, struct draft *d, const struct setting *s)
{
	add_rules(c, d, s, RULE_DENY_WRITE);
}

/* Both kinds for each path; a fault of the value is told once. */
static void
add_rule_pair(context *c, struct draft *d, const struct setting *s, enum rule_kind kind)
{
	size_t faults = c->errs->text.n;

	add_rules(c, d, s, RULE_ALLOW_READ);
	if (c->errs->text.n == faults)
		add_rules(c, d, s, kind);
}

static void
set_read_only(context *c, struct draft *d, const struct setting *s)
{
	add_rule_pair(c, d, s, RULE_DENY_WRITE);
}

static void
set_read_write(context *c, struct draft *d, const struct setting *s)
{
	add_rule_pair(c, d, s, RULE_ALLOW_WRITE);
}

static void
set_write_working_directory(context *c, struct draft *d, const struct setting *s)
{
	value_bool(c, s, &d->p.layers[0].write_working_directory);
}

static void
set_allow_git_config(context *c, struct draft *d, const struct setting *s)
{
	value_bool(c, s, &d->p.allow_git_config);
}

static void
set_create(context *c, struct draft *d, const struct setting *s)
{
	size_t before = d->create.n;

	value_path_rules(c, s, RULE_ALLOW_WRITE, &d->create);
	for (size_t i = before; i < d->create.n; i++)
		if (d->create.v[i].pattern_at != 0)
			value_fault(c, s,
			    "is a pattern, which names no directory to make "
			    "[literal:...]");
}

static void
set_devices(context *c, struct draft *d, const struct setting *s)
{
	const char *path;

	if (strcmp(s->value, "minimal") == 0)
		return;
	path = path_normalise(c->arena, s->value, "/");
	if (s->value[0] != '/' || !path_within(path, "/dev") || path_depth(path) < 2)
		value_fault(c, s, "is neither 'minimal' nor a path below '/dev'");
	else if (strstr(path, "/..") != NULL || path_has_pattern(path))
		value_fault(c, s, "is not the name of one device or directory");
	else
		value_list_add(c->arena, &d->p.devices, path, s->origin);
}

static void
set_net_mode(context *c, struct draft *d, const struct setting *s)
{
	int word = value_word(c, s, net_mode_names);

	if (word < 0)
		return;
	d->p.net = (enum net_mode)word;
	d->p.net_origin = s->origin;
}

static void
set_allow_domains(context *c, struct draft *d, const struct setting *s)
{
	value_domains(c, s, false, &d->p.allow_domains[0]);
}

static void
set_deny_domains(context *c, struct draft *d, const struct setting *s)
{
	value_domains(c, s, true, &d->p.deny_domains[0]);
}

static void
add_port(context *c, struct located_list *l, const struct setting *s)
{
	struct host_port port;
	const char *why = host_port_parse(s->value, &port);

	if (why != NULL)
		value_fault(c, s, why);
	else
		value_list_add(c->arena, l, s->value, s->origin);
}

static void
set_allow_host_ports(context *c, struct draft *d, const struct setting *s)
{
	add_port(c, &d->p.allow_host_ports, s);
}

static void
set_publish_ports(context *c, struct draft *d, const struct setting *s)
{
	add_port(c, &d->p.publish_ports, s);
}

static void
set_allow_local_binding(context *c, struct draft *d, const struct setting *s)
{
	value_bool(c, s, &d->p.allow_local_binding);
}

static void
set_parent_proxy(context *c, struct draft *d, const struct setting *s)
{
	bool word = strcmp(s->value, "env") == 0 || strcmp(s->value, "none") == 0;
	struct parent parent;
	const char *why = word ? NULL : parent_parse(c->arena, s->value, false, &parent);

	if (why != NULL)
		value_fault(c, s, why);
	else
		d->p.parent_proxy = (struct located){s->value, s->origin};
}

struct bad_entries {
	context *c;
	const struct setting *s;
};

static void
bad_entry(void *arg, const char *entry, const char *why)
{
	const struct bad_entries *b = arg;

	errs_at(
	    b->c->arena, b->c->errs, b->s->origin, "%s '%s' %s", b->s->name, entry, why);
}

static void
set_parent_no_proxy(context *c, struct draft *d, const struct setting *s)
{
	bool word = strcmp(s->value, "env") == 0 || strcmp(s->value, "none") == 0;
	struct bad_entries bad = {c, s};
	struct routes routes = {NULL, NULL, NULL, 0, false};

	if (!word)
		no_proxy_list(c->arena, s->value, &routes, bad_entry, &bad);
	d->p.parent_no_proxy = (struct located){s->value, s->origin};
}

static void
set_java_proxy(context *c, struct draft *d, const struct setting *s)
{
	value_bool(c, s, &d->p.java_proxy);
}

static void
set_unix_mode(context *c, struct draft *d, const struct setting *s)
{
	int word = value_word(c, s, unix_mode_names);

	if (word < 0)
		return;
	d->p.unix_mode = (enum unix_mode)word;
	d->p.unix_origin = s->origin;
}

static void
set_unix_allow(context *c, struct draft *d, const struct setting *s)
{
	value_path_rules(c, s, RULE_ALLOW_READ, &d->sockets);
}

static void
set_env(context *c, struct draft *d, const struct setting *s)
{
	struct policy *p = &d->p;

	if (!value_env_name(c, s))
		return;
	p->env = arena_grow(c->arena, p->env, p->nenv, sizeof(*p->env));
	p->env[p->nenv++] = (struct env_setting){s->name, s->value, s->origin};
}

/* A bare number is no time here: some would mean seconds, the dialect milliseconds. */
static bool
parse_cpu_time(const char *s, uint64_t *out, const char **why)
{
	size_t len = strlen(s);
	int64_t ms;

	if (!parse_time_ms(s, &ms, why))
		return false;
	*why = "has no unit [as in '30s' or '5m']";
	if (s[len - 1] >= '0' && s[len - 1] <= '9')
		return false;
	*out = ((uint64_t)ms + 999) / 1000;
	return true;
}

static bool
parse_count(const char *s, uint64_t *out, const char **why)
{
	return parse_uint(s, 0, INT32_MAX, out, why);
}

static void
set_limit(context *c, struct draft *d, const struct setting *s)
{
	static const struct {
		bool (*parse)(const char *s, uint64_t *out, const char **why);
		bool zero; /* 0 is a limit that a command can live with */
	} kinds[LIMIT_COUNT] = {
	    [LIMIT_MEMORY] = {parse_size, false},
	    [LIMIT_CPU_TIME] = {parse_cpu_time, false},
	    [LIMIT_PROCESSES] = {parse_count, false},
	    [LIMIT_OPEN_FILES] = {parse_count, false},
	    [LIMIT_FILE_SIZE] = {parse_size, true},
	    [LIMIT_CORE] = {parse_size, true},
	};
	unsigned limit = (unsigned)s->id - KEY_LIMIT_MEMORY;
	const char *why;
	uint64_t value;

	static_assert(
	    KEY_LIMIT_CORE - KEY_LIMIT_MEMORY == LIMIT_CORE, "limits in one order");
	if (!kinds[limit].parse(s->value, &value, &why))
		value_fault(c, s, why);
	else if (value == 0 && !kinds[limit].zero)
		value_fault(c, s, "leaves nothing to run with");
	else
		d->p.limits[limit] = (struct limit_value){true, value, s->origin};
}

static void
set_denials(context *c, struct draft *d, const struct setting *s)
{
	int word = value_word(c, s, denials_names);

	if (word < 0)
		return;
	d->p.denials = (enum denials)word;
	d->p.denials_set = true;
}

static setter *const setters[KEY_COUNT] = {
    [KEY_ISOLATION] = set_isolation,
    [KEY_REQUIRE] = set_require,
    [KEY_WORKING_DIRECTORY] = set_working_directory,
    [KEY_SHELL] = set_shell,
    [KEY_TIMEOUT] = set_timeout,
    [KEY_KILL_AFTER] = set_kill_after,
    [KEY_TEMP] = set_temp,
    [KEY_PASS_ENV] = set_pass_env,
    [KEY_PASS_CA] = set_pass_ca,
    [KEY_DENY_READ] = set_deny_read,
    [KEY_ALLOW_READ] = set_allow_read,
    [KEY_ALLOW_WRITE] = set_allow_write,
    [KEY_DENY_WRITE] = set_deny_write,
    [KEY_READ_ONLY_PATHS] = set_read_only,
    [KEY_READ_WRITE_PATHS] = set_read_write,
    [KEY_WRITE_WORKING_DIRECTORY] = set_write_working_directory,
    [KEY_ALLOW_GIT_CONFIG] = set_allow_git_config,
    [KEY_CREATE] = set_create,
    [KEY_DEVICES] = set_devices,
    [KEY_NET_MODE] = set_net_mode,
    [KEY_ALLOW_DOMAINS] = set_allow_domains,
    [KEY_DENY_DOMAINS] = set_deny_domains,
    [KEY_ALLOW_HOST_PORTS] = set_allow_host_ports,
    [KEY_PUBLISH_PORTS] = set_publish_ports,
    [KEY_ALLOW_LOCAL_BINDING] = set_allow_local_binding,
    [KEY_PARENT_PROXY] = set_parent_proxy,
    [KEY_PARENT_NO_PROXY] = set_parent_no_proxy,
    [KEY_JAVA_PROXY] = set_java_proxy,
    [KEY_UNIX_MODE] = set_unix_mode,
    [KEY_UNIX_ALLOW] = set_unix_allow,
    [KEY_ENV_NAME] = set_env,
    [KEY_LIMIT_MEMORY] = set_limit,
    [KEY_LIMIT_CPU_TIME] = set_limit,
    [KEY_LIMIT_PROCESSES] = set_limit,
    [KEY_LIMIT_OPEN_FILES] = set_limit,
    [KEY_LIMIT_FILE_SIZE] = set_limit,
    [KEY_LIMIT_CORE] = set_limit,
    [KEY_DENIALS] = set_denials,
};

/* ---- a draft ---- */

static void
init_draft(struct arena *a, struct draft *d, const char *name)
{
	struct policy *p = &d->p;

	*d = (struct draft){.name = name};
	p->source = (struct located){name, {name, 0}};
	p->shell = "/bin/sh";
	p->timeout_ms = -1;
	p->kill_after_ms = KILL_AFTER_MS;
	p->temp = TEMP_PRIVATE;
	p->unix_mode = UNIX_INSIDE;
	p->allow_local_binding = LOCAL_BINDING;
	p->parent_proxy.text = p->parent_no_proxy.text = "env";
	p->denials = DENIALS_WRITES;
	p->layers = arena_grow(a, NULL, 0, sizeof(*p->layers));
	p->layers[p->nlayers++].write_working_directory = true;
	p->allow_domains = arena_grow(a, NULL, 0, sizeof(*p->allow_domains));
	p->deny_domains = arena_grow(a, NULL, 0, sizeof(*p->deny_domains));
	p->ndomain_layers = 1;
}

/* The last setting of a variable wins: only the command line can repeat one. */
static void
drop_overridden(struct arena *a, struct policy *p)
{
	struct text_index later = {NULL, 0, 0};
	size_t to = p->nenv;

	for (size_t i = p->nenv; i-- > 0;) {
		struct env_setting e = p->env[i];
		size_t len = strlen(e.name);

		if (text_index_find(&later, e.name, len) != NULL)
			continue;
		text_index_add(a, &later, e.name, len, e.name);
		p->env[--to] = e;
	}
	p->env += to;
	p->nenv -= to;
}

/*
 * How many rules the settings give at most. A page that is touched for the first time
 * costs more than all else here, so the rules are not moved while they are added.
 */
static size_t
count_rules(const struct settings *all)
{
	size_t n = 0;

	for (size_t i = 0; i < all->n; i++) {
		const struct setting *s = &all->v[i];
		bool pair = s->id == KEY_READ_ONLY_PATHS || s->id == KEY_READ_WRITE_PATHS;
		const struct named_set *set =
		    s->value[0] == '@' ? named_set_find(s->value + 1) : NULL;
		size_t members = set == NULL;

		if (s->id < KEY_DENY_READ || s->id > KEY_READ_WRITE_PATHS)
			continue;
		if (set != NULL)
			for (const char *m = set->members; *m != '\0'; m += strlen(m) + 1)
				members++;
		n += pair ? members * 2 : members;
	}
	return n;
}

/* The lists that grew become the policy's. */
static void
settle_lists(struct draft *d)
{
	struct policy *p = &d->p;

	p->layers[0].rules = d->rules.v;
	p->layers[0].nrules = d->rules.n;
	p->create = d->create.v;
	p->ncreate = d->create.n;
	p->unix_allow = d->sockets.v;
	p->nunix_allow = d->sockets.n;
}

static void
read_draft(context *c, struct draft *d, const struct grant_text *text,
    const struct grant_extra *extra, size_t nextra)
{
	struct settings all = {NULL, 0, 0, 0};

	init_draft(c->arena, d, text->name);
	c->grant_dir = text->dir;
	grant_parse(c->arena, text, &all, c->errs);
	grant_parse_extra(c->arena, extra, nextra, &all, c->errs);
	value_rules_reserve(c->arena, &d->rules, count_rules(&all));
	for (size_t i = 0; i < all.n; i++) {
		const struct setting *s = &all.v[i];

		setters[s->id](c, d, s);
		d->set[s->id] = s->origin;
	}
	settle_lists(d);
	d->sections = all.sections;
	if (nextra != 0 && d->p.nenv > 1)
		drop_overridden(c->arena, &d->p);
}

/* ---- keys against each other ---- */

/* "allow_write '~/a'": by its path too where a set brought it. */
static const char *
rule_text(struct arena *a, const struct path_rule *r)
{
	if (r->optional)
		return arena_printf(
		    a, "%s '%s' ('%s')", rule_kind_names[r->kind], r->written, r->path);
	return arena_printf(a, "%s '%s'", rule_kind_names[r->kind], r->written);
}

static void
rules_clash(context *c, const struct path_rule *allow, const struct path_rule *deny,
    const char *how)
{
	errs_at(c->arena, c->errs, allow->origin, "%s %s %s of %s",
	    rule_text(c->arena, allow), how, rule_text(c->arena, deny),
	    origin_text(c->arena, deny->origin));
}

/* The deny_write rule on a true ancestor of the path, or NULL. */
static const struct path_rule *
denied_above(const struct text_index *deny_write, const char *path)
{
	size_t len = strlen(path);

	/* What lies above "..", only the real tree knows. */
	if (deny_write->n == 0 || strstr(path, "/..") != NULL)
		return NULL;
	for (size_t i = len; i-- > 0;) {
		const struct path_rule *r;

		if (path[i] != '/' || len == 1)
			continue;
		r = text_index_find(deny_write, path, i == 0 ? 1 : i);
		if (r != NULL)
			return r;
	}
	return NULL;
}

/*
 * What cannot be meant: a path that is closed for reading and opened for writing, and one
 * opened for writing below a deny_write, which always wins. What is opened is indexed, for
 * it is little: what is closed for reading can be a named set of hundreds.
 */
static void
check_rules(context *c, const struct layer *l)
{
	struct text_index allow_write = {NULL, 0, 0}, deny_write = {NULL, 0, 0};
	const char *told = NULL; /* the named set that was told of: once is enough */

	for (size_t i = 0; i < l->nrules; i++) {
		const struct path_rule *r = &l->rules[i];

		if (r->kind == RULE_ALLOW_WRITE)
			text_index_add(
			    c->arena, &allow_write, r->path, strlen(r->path), r);
		if (r->kind == RULE_DENY_WRITE && r->pattern_at == 0)
			text_index_add(
			    c->arena, &deny_write, r->path, strlen(r->path), r);
	}
	for (size_t i = 0; i < l->nrules && allow_write.n != 0; i++) {
		const struct path_rule *r = &l->rules[i], *other;

		if (r->kind == RULE_DENY_READ) {
			other = text_index_find(&allow_write, r->path, strlen(r->path));
			if (other != NULL)
				rules_clash(c, other, r, "is the same path as");
		}
		if (r->kind != RULE_ALLOW_WRITE || (r->optional && r->written == told))
			continue;
		other = denied_above(&deny_write, r->path);
		if (other != NULL)
			rules_clash(c, r, other, "can have no effect below");
		if (other != NULL && r->optional)
			told = r->written;
	}
}

/* Keys of which one leaves the other without effect, when a mode has that value. */
static const struct clash {
	enum grant_key_id mode, key;
	unsigned value;
	bool narrows; /* the command line may say so on top of a file */
} clashes[] = {
    {KEY_NET_MODE, KEY_ALLOW_DOMAINS, NET_NONE, true},
    {KEY_NET_MODE, KEY_ALLOW_HOST_PORTS, NET_NONE, true},
    {KEY_NET_MODE, KEY_ALLOW_DOMAINS, NET_ALL, false},
    {KEY_NET_MODE, KEY_ALLOW_HOST_PORTS, NET_ALL, false},
    {KEY_NET_MODE, KEY_DENY_DOMAINS, NET_ALL, false},
    {KEY_UNIX_MODE, KEY_UNIX_ALLOW, UNIX_NONE, true},
    {KEY_UNIX_MODE, KEY_UNIX_ALLOW, UNIX_ALL, false},
};

/* In the words of where the key was said, which is where the mode can be said as well. */
static const char *
mode_hint(bool unix_key, struct origin key)
{
	if (unix_key)
		return "it needs 'mode = inside'";
	return str_starts(key.file, "--") ? "it needs --net restricted"
	                                  : "it needs 'mode = restricted'";
}

/*
 * "--net none" in front of a grant with domains only takes away, and is meant so; the
 * same two lines in one file, or in one command line, are a mistake.
 */
static void
check_modes(context *c, const struct draft *d)
{
	for (size_t i = 0; i < SRUN_ARRAY_LEN(clashes); i++) {
		const struct clash *x = &clashes[i];
		bool unix_key = x->mode == KEY_UNIX_MODE;
		unsigned value = unix_key ? (unsigned)d->p.unix_mode : (unsigned)d->p.net;
		struct origin mode = d->set[x->mode], key = d->set[x->key];

		if (mode.file == NULL || key.file == NULL || value != x->value)
			continue;
		if (x->narrows && key.file == d->name && mode.file != d->name)
			continue;
		errs_at(c->arena, c->errs, key,
		    "%s can have no effect with mode '%s' of %s [%s]",
		    grant_keys[x->key].key,
		    (unix_key ? unix_mode_names : net_mode_names)[value],
		    origin_text(c->arena, mode), mode_hint(unix_key, key));
	}
}

/*
 * Deny wins, so an allow that one covers is dead. A set minus some of its members is meant
 * so, and what another file or option takes away as well.
 */
static void
check_domains(context *c, const struct policy *p)
{
	const struct host_rule_list *allow = &p->allow_domains[0],
	                            *deny = &p->deny_domains[0];
	for (size_t i = 0; i < allow->n; i++)
		for (size_t k = 0; k < deny->n; k++) {
			const struct host_rule *x = &allow->v[i], *y = &deny->v[k];
			if (x->of_set || !host_rule_covers(y, x) ||
			    strcmp(x->origin.file, y->origin.file) != 0)
				continue;
			errs_at(c->arena, c->errs, x->origin,
			    "allow_domains '%s' can have no effect with deny_domains "
			    "'%s' of %s",
			    x->text, y->text, origin_text(c->arena, y->origin));
			break;
		}
}

static void
check_draft(context *c, struct draft *d)
{
	struct policy *p = &d->p;
	enum grant_key_id by =
	    draft_has(d, KEY_ALLOW_DOMAINS) ? KEY_ALLOW_DOMAINS : KEY_ALLOW_HOST_PORTS;

	if (!draft_has(d, KEY_NET_MODE) && draft_has(d, by)) {
		p->net = NET_RESTRICTED;
		p->net_origin = d->set[by];
	}
	check_rules(c, &p->layers[0]);
	check_domains(c, p);
	check_modes(c, d);
}

/* In 'restricted' the proxy variables are srun's to set. */
static void
check_result(context *c, const struct policy *p)
{
	static const char why[] = "is set by srun when the network is restricted";

	if (p->net != NET_RESTRICTED)
		return;
	for (size_t i = 0; i < p->nenv; i++)
		if (value_is_proxy_variable(p->env[i].name))
			errs_at(c->arena, c->errs, p->env[i].origin, "'%s' %s",
			    p->env[i].name, why);
	for (size_t i = 0; i < p->pass_env.n; i++)
		if (value_is_proxy_variable(p->pass_env.v[i].text))
			errs_at(c->arena, c->errs, p->pass_env.v[i].origin,
			    "pass_env '%s' %s", p->pass_env.v[i].text, why);
}

/* A home that is no absolute path is none: nothing may come to lie below the cwd by it. */
const struct policy *
policy_build(struct arena *a, const struct grant_text *base,
    const struct grant_extra *extra, size_t nextra, const struct grant_text *narrow,
    size_t nnarrow, const struct grant_context *ctx, struct errs *errs)
{
	struct draft *d = arena_alloc(a, sizeof(*d)),
	             *less = arena_alloc(a, sizeof(*less));
	struct grant_context known = *ctx;
	context c = {a, errs, &known, NULL};
	size_t before = errs->text.n;

	if (known.home != NULL && known.home[0] != '/')
		known.home = NULL;
	read_draft(&c, d, base, extra, nextra);
	check_draft(&c, d);
	for (size_t i = 0; i < nnarrow; i++) {
		read_draft(&c, less, &narrow[i], NULL, 0);
		check_draft(&c, less);
		if (errs->text.n == before)
			narrow_apply(&c, d, less);
	}
	check_result(&c, &d->p);
	if (d->p.pass_ca) {
		value_ca_rules(&c, d->set[KEY_PASS_CA], &d->rules);
		d->p.layers[0].rules = d->rules.v;
		d->p.layers[0].nrules = d->rules.n;
	}
	d->p.key_origins = d->set;
	return errs->text.n == before ? &d->p : NULL;
}
