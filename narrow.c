/*
 * narrow.c: the intersection of two grants, key by key.
 *
 * Owns what "both allow it" means for each key, as one table with a row for every key.
 * Must not add a right: whatever a row does, the result is granted by base, and by
 * narrow as well if narrow speaks of it.
 *
 * Two kinds of silence are told apart. A section that narrow does not have takes nothing
 * away. In a section it has, a key it does not name counts with its default: a [network]
 * without an allow key is no network.
 */
#include <string.h>

#include "hostrule.h"
#include "narrow.h"
#include "path.h"
#include "textindex.h"

struct narrowing {
	struct value_context *vc;
	struct draft *base;
	const struct draft *narrow;
	enum net_mode base_net;   /* of base as it was before */
	enum unix_mode base_unix; /* likewise */
};

/* ---- lists ---- */

/* Whether outer grants everything that inner grants. */
typedef bool covers_fn(const char *outer, const char *inner);

static bool
list_covers(const struct located_list *l, const char *text, covers_fn *covers)
{
	for (size_t i = 0; i < l->n; i++)
		if (covers(l->v[i].text, text))
			return true;
	return false;
}

/* The entries of each list that the other covers, without repeating one. */
static void
intersect(struct arena *a, struct located_list *base, const struct located_list *narrow,
    covers_fn *covers)
{
	struct located_list both = {NULL, 0};

	for (size_t i = 0; i < base->n; i++)
		if (list_covers(narrow, base->v[i].text, covers))
			value_list_add(a, &both, base->v[i].text, base->v[i].origin);
	for (size_t i = 0; i < narrow->n; i++)
		if (list_covers(base, narrow->v[i].text, covers) &&
		    !list_covers(&both, narrow->v[i].text, covers))
			value_list_add(a, &both, narrow->v[i].text, narrow->v[i].origin);
	*base = both;
}

static bool
covers_name(const char *outer, const char *inner)
{
	size_t n = strlen(outer);

	if (n != 0 && outer[n - 1] == '*')
		return strncmp(outer, inner, n - 1) == 0;
	return strcmp(outer, inner) == 0;
}

static bool
covers_device(const char *outer, const char *inner)
{
	return path_within(inner, outer);
}

static bool
covers_port(const char *outer, const char *inner)
{
	struct host_port o, i;

	return host_port_parse(outer, &o) == NULL && host_port_parse(inner, &i) == NULL &&
	       host_port_covers(&o, &i);
}

/* ---- [sandbox] ---- */

static const char *
place(struct narrowing *n, enum grant_key_id id, bool of_base)
{
	const struct draft *d = of_base ? n->base : n->narrow;

	return draft_has(d, id) ? origin_text(n->vc->arena, d->set[id]) : "the default";
}

/* The two grants say different things of which neither is less. */
static void
differ(struct narrowing *n, enum grant_key_id id)
{
	errs_at(n->vc->arena, n->vc->errs, n->narrow->set[id],
	    "%s differs from the grant that is narrowed (%s)", grant_keys[id].key,
	    place(n, id, true));
}

/* "none" is no backend to narrow with: it takes the isolation away. */
static void
narrow_isolation(struct narrowing *n)
{
	struct policy *p = &n->base->p;
	const struct policy *q = &n->narrow->p;

	if (q->isolation == ISOLATION_AUTO || q->isolation == p->isolation)
		return;
	if (p->isolation != ISOLATION_AUTO || q->isolation == ISOLATION_NONE) {
		differ(n, KEY_ISOLATION);
		return;
	}
	p->isolation = q->isolation;
	p->isolation_origin = q->isolation_origin;
	n->base->set[KEY_ISOLATION] = n->narrow->set[KEY_ISOLATION];
}

static void
narrow_require(struct narrowing *n)
{
	n->base->p.require |= n->narrow->p.require;
}

static void
narrow_working_directory(struct narrowing *n)
{
	const struct policy *p = &n->base->p, *q = &n->narrow->p;
	const char *base = p->working_directory;

	if (base == NULL)
		base = n->vc->ctx->cwd;
	if (p->working_directory_temp && q->working_directory_temp)
		return;
	if (p->working_directory_temp || q->working_directory_temp ||
	    strcmp(base, q->working_directory) != 0)
		differ(n, KEY_WORKING_DIRECTORY);
}

static void
narrow_shell(struct narrowing *n)
{
	if (strcmp(n->base->p.shell, n->narrow->p.shell) != 0)
		differ(n, KEY_SHELL);
}

static void
narrow_timeout(struct narrowing *n)
{
	struct policy *p = &n->base->p;
	int64_t limit = n->narrow->p.timeout_ms;

	if (limit < 0 || (p->timeout_ms >= 0 && p->timeout_ms <= limit))
		return;
	p->timeout_ms = limit;
	n->base->set[KEY_TIMEOUT] = n->narrow->set[KEY_TIMEOUT];
}

static void
narrow_kill_after(struct narrowing *n)
{
	if (n->narrow->p.kill_after_ms >= n->base->p.kill_after_ms)
		return;
	n->base->p.kill_after_ms = n->narrow->p.kill_after_ms;
	n->base->set[KEY_KILL_AFTER] = n->narrow->set[KEY_KILL_AFTER];
}

static void
narrow_temp(struct narrowing *n)
{
	if (n->narrow->p.temp >= n->base->p.temp)
		return;
	n->base->p.temp = n->narrow->p.temp;
	n->base->set[KEY_TEMP] = n->narrow->set[KEY_TEMP];
}

static void
narrow_pass_env(struct narrowing *n)
{
	intersect(
	    n->vc->arena, &n->base->p.pass_env, &n->narrow->p.pass_env, covers_name);
}

static void
narrow_pass_ca(struct narrowing *n)
{
	n->base->p.pass_ca &= n->narrow->p.pass_ca;
}

/* ---- [filesystem] ---- */

/* Access needs every layer, so the rules of a grant stay together. */
static void
narrow_layer(struct narrowing *n)
{
	struct policy *p = &n->base->p;

	p->layers = arena_grow(n->vc->arena, p->layers, p->nlayers, sizeof(*p->layers));
	p->layers[p->nlayers++] = n->narrow->p.layers[0];
}

static void
narrow_git_config(struct narrowing *n)
{
	n->base->p.allow_git_config &= n->narrow->p.allow_git_config;
}

/*
 * How deep the rule's root lies if it has the path at or below it: 1 for "/", one more
 * a component; 0 if it has not. For a pattern, the deepest ancestor that it matches.
 */
static size_t
rule_reach(struct arena *a, const struct path_rule *r, const char *path)
{
	if (r->pattern_at == 0)
		return path_within(path, r->path) ? path_depth(r->path) + 1 : 0;
	const char *base =
	    path_normalise(a, arena_strndup(a, r->path, r->pattern_at), "/");
	for (const char *p = path;; p = path_parent(a, p)) {
		if (path_match_below(base, r->path + r->pattern_at, p))
			return path_depth(p) + 1;
		if (strcmp(p, "/") == 0)
			return 0;
	}
}

/* The most specific of allow_write and deny_read decides; deny_write always wins. */
static bool
layer_writes(struct narrowing *n, const struct layer *l, const char *path)
{
	const char *cwd = n->base->p.working_directory;
	size_t open = 0, closed = 0;

	if (cwd == NULL)
		cwd = n->vc->ctx->cwd;
	if (l->write_working_directory && path_within(path, cwd))
		open = path_depth(cwd) + 1;
	for (size_t i = 0; i < l->nrules; i++) {
		const struct path_rule *r = &l->rules[i];
		size_t reach = rule_reach(n->vc->arena, r, path);

		if (reach != 0 && r->kind == RULE_DENY_WRITE)
			return false;
		if (r->kind == RULE_ALLOW_WRITE && reach > open)
			open = reach;
		if (r->kind == RULE_DENY_READ && reach > closed)
			closed = reach;
	}
	return open > closed;
}

static void
narrow_create(struct narrowing *n)
{
	const struct policy *p = &n->base->p;

	for (size_t i = 0; i < p->ncreate; i++)
		if (!layer_writes(n, &n->narrow->p.layers[0], p->create[i].path))
			errs_at(n->vc->arena, n->vc->errs, p->create[i].origin,
			    "create '%s' is nothing that '%s' lets be written",
			    p->create[i].written, n->narrow->name);
}

static void
narrow_devices(struct narrowing *n)
{
	intersect(
	    n->vc->arena, &n->base->p.devices, &n->narrow->p.devices, covers_device);
}

/* ---- [network] ---- */

static void
narrow_net_mode(struct narrowing *n)
{
	struct policy *p = &n->base->p;
	const struct policy *q = &n->narrow->p;

	if (q->net >= p->net)
		return;
	p->net = q->net;
	p->net_origin = q->net_origin;
	if (p->net_origin.file == NULL)
		p->net_origin.file = n->narrow->name;
	n->base->set[KEY_NET_MODE] = n->narrow->set[KEY_NET_MODE];
}

/* A grant that opens the whole network has no list that a host must be in. */
static void
narrow_domains(struct narrowing *n)
{
	struct arena *a = n->vc->arena;
	struct policy *p = &n->base->p;
	const struct policy *q = &n->narrow->p;

	if (q->net == NET_ALL)
		return;
	if (n->base_net == NET_ALL)
		p->ndomain_layers = 0;
	p->allow_domains =
	    arena_grow(a, p->allow_domains, p->ndomain_layers, sizeof(*p->allow_domains));
	p->deny_domains =
	    arena_grow(a, p->deny_domains, p->ndomain_layers, sizeof(*p->deny_domains));
	p->allow_domains[p->ndomain_layers] = q->allow_domains[0];
	p->deny_domains[p->ndomain_layers] = q->deny_domains[0];
	p->ndomain_layers++;
}

/* In a grant of mode 'all' every port is open, whatever its list says. */
static void
narrow_ports(
    struct narrowing *n, struct located_list *base, const struct located_list *narrow)
{
	if (n->narrow->p.net == NET_ALL)
		return;
	if (n->base_net == NET_ALL)
		*base = *narrow;
	else
		intersect(n->vc->arena, base, narrow, covers_port);
}

static void
narrow_host_ports(struct narrowing *n)
{
	narrow_ports(n, &n->base->p.allow_host_ports, &n->narrow->p.allow_host_ports);
}

static void
narrow_publish_ports(struct narrowing *n)
{
	narrow_ports(n, &n->base->p.publish_ports, &n->narrow->p.publish_ports);
}

static void
narrow_local_binding(struct narrowing *n)
{
	struct policy *p = &n->base->p;

	if (!p->allow_local_binding || n->narrow->p.allow_local_binding)
		return;
	p->allow_local_binding = false;
	n->base->set[KEY_ALLOW_LOCAL_BINDING] = n->narrow->set[KEY_ALLOW_LOCAL_BINDING];
}

static void
narrow_parent_proxy(struct narrowing *n)
{
	if (strcmp(n->base->p.parent_proxy.text, n->narrow->p.parent_proxy.text) != 0)
		differ(n, KEY_PARENT_PROXY);
}

static void
narrow_parent_no_proxy(struct narrowing *n)
{
	if (strcmp(n->base->p.parent_no_proxy.text, n->narrow->p.parent_no_proxy.text) !=
	    0)
		differ(n, KEY_PARENT_NO_PROXY);
}

static void
narrow_java_proxy(struct narrowing *n)
{
	n->base->p.java_proxy &= n->narrow->p.java_proxy;
}

/* ---- [unix_sockets] ---- */

static void
narrow_unix_mode(struct narrowing *n)
{
	struct policy *p = &n->base->p;
	const struct policy *q = &n->narrow->p;

	if (q->unix_mode >= p->unix_mode)
		return;
	p->unix_mode = q->unix_mode;
	p->unix_origin = q->unix_origin;
	if (p->unix_origin.file == NULL)
		p->unix_origin.file = n->narrow->name;
	n->base->set[KEY_UNIX_MODE] = n->narrow->set[KEY_UNIX_MODE];
}

static bool
socket_covers(const struct path_rule *outer, const struct path_rule *inner)
{
	if (strcmp(outer->path, inner->path) == 0)
		return outer->pattern_at == inner->pattern_at;
	if (outer->pattern_at != 0)
		return false;
	return strstr(inner->path, "/..") == NULL &&
	       path_within(inner->path, outer->path);
}

static bool
sockets_cover(const struct path_rule *v, size_t n, const struct path_rule *inner)
{
	for (size_t i = 0; i < n; i++)
		if (socket_covers(&v[i], inner))
			return true;
	return false;
}

static void
keep_sockets(struct arena *a, struct policy *to, const struct path_rule *from,
    size_t nfrom, const struct path_rule *by, size_t nby)
{
	for (size_t i = 0; i < nfrom; i++) {
		if (!sockets_cover(by, nby, &from[i]) ||
		    sockets_cover(to->unix_allow, to->nunix_allow, &from[i]))
			continue;
		to->unix_allow = arena_grow(
		    a, to->unix_allow, to->nunix_allow, sizeof(*to->unix_allow));
		to->unix_allow[to->nunix_allow++] = from[i];
	}
}

/* As with ports: in mode 'all' every host socket is open. */
static void
narrow_unix_allow(struct narrowing *n)
{
	struct policy *p = &n->base->p;
	const struct policy *q = &n->narrow->p;
	const struct path_rule *mine = p->unix_allow;
	size_t nmine = p->nunix_allow;

	if (q->unix_mode == UNIX_ALL)
		return;
	if (n->base_unix == UNIX_ALL) {
		p->unix_allow = q->unix_allow;
		p->nunix_allow = q->nunix_allow;
		return;
	}
	p->unix_allow = NULL;
	p->nunix_allow = 0;
	keep_sockets(n->vc->arena, p, mine, nmine, q->unix_allow, q->nunix_allow);
	keep_sockets(n->vc->arena, p, q->unix_allow, q->nunix_allow, mine, nmine);
}

/* ---- [env], [limits], [report] ---- */

static void
narrow_env(struct narrowing *n)
{
	struct policy *p = &n->base->p;
	const struct policy *q = &n->narrow->p;
	struct text_index theirs = {NULL, 0, 0};
	size_t kept = 0;

	for (size_t i = 0; i < q->nenv; i++)
		text_index_add(n->vc->arena, &theirs, q->env[i].name,
		    strlen(q->env[i].name), &q->env[i]);
	for (size_t i = 0; i < p->nenv; i++) {
		const struct env_setting *same =
		    text_index_find(&theirs, p->env[i].name, strlen(p->env[i].name));

		if (same != NULL && strcmp(same->value, p->env[i].value) == 0)
			p->env[kept++] = p->env[i];
	}
	p->nenv = kept;
}

static void
narrow_limit(struct narrowing *n, enum limit limit)
{
	struct limit_value *mine = &n->base->p.limits[limit];
	const struct limit_value *theirs = &n->narrow->p.limits[limit];

	if (!theirs->set || (mine->set && mine->value <= theirs->value))
		return;
	*mine = *theirs;
	n->base->set[KEY_LIMIT_MEMORY + limit] = theirs->origin;
}

static void
narrow_memory(struct narrowing *n)
{
	narrow_limit(n, LIMIT_MEMORY);
}

static void
narrow_cpu_time(struct narrowing *n)
{
	narrow_limit(n, LIMIT_CPU_TIME);
}

static void
narrow_processes(struct narrowing *n)
{
	narrow_limit(n, LIMIT_PROCESSES);
}

static void
narrow_open_files(struct narrowing *n)
{
	narrow_limit(n, LIMIT_OPEN_FILES);
}

static void
narrow_file_size(struct narrowing *n)
{
	narrow_limit(n, LIMIT_FILE_SIZE);
}

static void
narrow_core(struct narrowing *n)
{
	narrow_limit(n, LIMIT_CORE);
}

/* Seeing more is no right of the command: the grant that reports more decides. */
static void
narrow_denials(struct narrowing *n)
{
	struct policy *p = &n->base->p;
	const struct policy *q = &n->narrow->p;

	if (q->denials < p->denials || (p->denials_set && q->denials == p->denials))
		return;
	p->denials = q->denials;
	p->denials_set = true;
	n->base->set[KEY_DENIALS] = n->narrow->set[KEY_DENIALS];
}

/* When a row is applied: the narrow grant has the section, or it names the key. */
enum when { IN_LAYER, IF_SECTION, IF_SET };

static const struct {
	enum when when; /* IN_LAYER: another row does it for this key too */
	void (*apply)(struct narrowing *n);
} rows[KEY_COUNT] = {
    [KEY_ISOLATION] = {IF_SET, narrow_isolation},
    [KEY_REQUIRE] = {IF_SET, narrow_require},
    [KEY_WORKING_DIRECTORY] = {IF_SET, narrow_working_directory},
    [KEY_SHELL] = {IF_SET, narrow_shell},
    [KEY_TIMEOUT] = {IF_SET, narrow_timeout},
    [KEY_KILL_AFTER] = {IF_SET, narrow_kill_after},
    [KEY_TEMP] = {IF_SET, narrow_temp},
    [KEY_PASS_ENV] = {IF_SECTION, narrow_pass_env},
    [KEY_PASS_CA] = {IF_SECTION, narrow_pass_ca},
    [KEY_DENY_READ] = {IF_SECTION, narrow_layer},
    [KEY_ALLOW_READ] = {IN_LAYER, NULL},
    [KEY_ALLOW_WRITE] = {IN_LAYER, NULL},
    [KEY_DENY_WRITE] = {IN_LAYER, NULL},
    [KEY_READ_ONLY_PATHS] = {IN_LAYER, NULL},
    [KEY_READ_WRITE_PATHS] = {IN_LAYER, NULL},
    [KEY_WRITE_WORKING_DIRECTORY] = {IN_LAYER, NULL},
    [KEY_ALLOW_GIT_CONFIG] = {IF_SECTION, narrow_git_config},
    [KEY_CREATE] = {IF_SECTION, narrow_create},
    [KEY_DEVICES] = {IF_SECTION, narrow_devices},
    [KEY_NET_MODE] = {IF_SECTION, narrow_net_mode},
    [KEY_ALLOW_DOMAINS] = {IF_SECTION, narrow_domains},
    [KEY_DENY_DOMAINS] = {IN_LAYER, NULL},
    [KEY_ALLOW_HOST_PORTS] = {IF_SECTION, narrow_host_ports},
    [KEY_PUBLISH_PORTS] = {IF_SECTION, narrow_publish_ports},
    [KEY_ALLOW_LOCAL_BINDING] = {IF_SECTION, narrow_local_binding},
    [KEY_PARENT_PROXY] = {IF_SET, narrow_parent_proxy},
    [KEY_PARENT_NO_PROXY] = {IF_SET, narrow_parent_no_proxy},
    [KEY_JAVA_PROXY] = {IF_SECTION, narrow_java_proxy},
    [KEY_UNIX_MODE] = {IF_SECTION, narrow_unix_mode},
    [KEY_UNIX_ALLOW] = {IF_SECTION, narrow_unix_allow},
    [KEY_ENV_NAME] = {IF_SECTION, narrow_env},
    [KEY_LIMIT_MEMORY] = {IF_SET, narrow_memory},
    [KEY_LIMIT_CPU_TIME] = {IF_SET, narrow_cpu_time},
    [KEY_LIMIT_PROCESSES] = {IF_SET, narrow_processes},
    [KEY_LIMIT_OPEN_FILES] = {IF_SET, narrow_open_files},
    [KEY_LIMIT_FILE_SIZE] = {IF_SET, narrow_file_size},
    [KEY_LIMIT_CORE] = {IF_SET, narrow_core},
    [KEY_DENIALS] = {IF_SET, narrow_denials},
};

void
narrow_apply(struct value_context *vc, struct draft *base, const struct draft *narrow)
{
	struct narrowing n = {vc, base, narrow, base->p.net, base->p.unix_mode};

	for (unsigned id = 0; id < KEY_COUNT; id++) {
		unsigned section = 1U << grant_key_section((enum grant_key_id)id);
		bool applies = rows[id].when == IF_SET
		                   ? draft_has(narrow, (enum grant_key_id)id)
		                   : (narrow->sections & section) != 0;

		if (applies && rows[id].apply != NULL)
			rows[id].apply(&n);
	}
}
