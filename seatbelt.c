/*
 * seatbelt.c: the macOS backend: a policy as the profile of a sandbox. Pure; sbprofile.c
 * has the words. Starts nothing itself.
 *
 * Theory. The answer about a path can only change where a rule names a path. So all of
 * those are sorted, parents first, rules_decide() says what holds there, and where that
 * differs from what holds above it the profile has one filter. Filters go out by depth of
 * change (deny, allow in it, deny in that …), each depth as one rule of the same
 * operation, since among those the last that matches decides.
 *
 * Reading: everything, but for denies, in both spellings of the data volume. Writing:
 * nothing, but for roots. What must stay where it is (roots, directories on the way to
 * what is denied in them) has an unlink rule, since a rename takes rules along.
 *
 * Must not: put a byte of a path into the text; allow by a more special operation what a
 * deny takes back by a more general one (it would not).
 */
#include "seatbelt.h"

#include <string.h>
#include <sys/socket.h>

#include "grant.h"
#include "hostrule.h"
#include "path.h"
#include "rules.h"
#include "sbprofile.h"

#define MAC_PATH_MAX 1024 /* with its NUL */

/* A path at which the answer may change. */
struct node {
	const char *path;
	const struct rule_fact *by; /* a rule that names it; NULL: the run's own */
	bool readable, writable;
	unsigned read_depth, write_depth; /* how often each has changed down to here */
	bool read_here, write_here;       /* it changes at this path */
	const struct node *above;         /* NULL at "/" */
};

struct compiler {
	struct profile f;
	const struct policy *p;
	const struct survey *s;
	const struct seatbelt_facts *facts;
	struct errs *errs;
	struct node *nodes;
	size_t n;
	size_t next; /* number of the next parameter */
	const char *terminal;
	bool other_spelling; /* the data volume can be written by its own name */
};

static void
put(struct compiler *c, const char *text)
{
	bytes_puts(c->f.a, &c->f.text, text);
}

/* ---- what holds where ---- */

static void
add_node(struct compiler *c, const char *path, const struct rule_fact *by)
{
	for (size_t i = 0; i < c->n; i++)
		if (strcmp(c->nodes[i].path, path) == 0) {
			if (c->nodes[i].by == NULL)
				c->nodes[i].by = by;
			return;
		}
	c->nodes = arena_grow(c->f.a, c->nodes, c->n, sizeof(*c->nodes));
	c->nodes[c->n++] = (struct node){.path = path, .by = by};
}

static void
sort_nodes(struct compiler *c)
{
	for (size_t i = 1; i < c->n; i++)
		for (size_t j = i; j > 0; j--) {
			struct node *x = &c->nodes[j - 1], *y = &c->nodes[j], t = *x;
			if (path_compare(x->path, y->path) <= 0)
				break;
			*x = *y;
			*y = t;
		}
}

static const struct node *
node_above(const struct compiler *c, const char *path, size_t before)
{
	for (size_t i = before; i-- > 0;)
		if (path_within(path, c->nodes[i].path))
			return &c->nodes[i];
	return NULL;
}

static void
judge_node(struct compiler *c, size_t i)
{
	struct node *n = &c->nodes[i];
	const struct node *up = n->above = node_above(c, n->path, i);
	enum access access = rules_decide(c->s, n->path, NULL);
	n->readable = access != ACCESS_NONE;
	n->writable = access == ACCESS_WRITE;
	/* Everything has a second name in there, so an open /System must not open that. */
	if (n->by == NULL && strcmp(n->path, SB_DATA_VOLUME) == 0) {
		n->readable = c->nodes[0].readable;
		n->writable = c->nodes[0].writable;
	}
	n->read_here = up != NULL && n->readable != up->readable;
	n->write_here = n->writable != (up != NULL && up->writable);
	if (n->writable && (path_within(SB_DATA_VOLUME, n->path) ||
	                       path_within(n->path, SB_DATA_VOLUME)))
		c->other_spelling = true;
	n->read_depth = (up != NULL ? up->read_depth : 0) + n->read_here;
	n->write_depth = (up != NULL ? up->write_depth : 0) + n->write_here;
}

static void
judge(struct compiler *c)
{
	add_node(c, "/", NULL);
	add_node(c, SB_DATA_VOLUME, NULL);
	if (c->s->temp_dir != NULL)
		add_node(c, c->s->temp_dir, NULL);
	for (size_t i = 0; i < c->s->nlayers; i++)
		for (size_t j = 0; j < c->s->layers[i].nrules; j++) {
			const struct rule_fact *r = &c->s->layers[i].rules[j];
			if (r->fact.real != NULL)
				add_node(c, r->fact.real, r);
		}
	sort_nodes(c);
	for (size_t i = 0; i < c->n; i++)
		judge_node(c, i);
}

/* What holds at any path, rule or not. */
static const struct node *
holds_at(const struct compiler *c, const char *path)
{
	const struct node *n = node_above(c, path, c->n);
	return n != NULL ? n : &c->nodes[0];
}

static bool
is_missing(const struct node *n)
{
	return n->by != NULL && n->by->fact.kind == FILE_MISSING;
}

/* ---- what cannot be said ---- */

static void
refuse(struct compiler *c, struct origin o, const char *text)
{
	errs_at(c->f.a, c->errs, o.file != NULL ? o : c->p->source.origin, "%s", text);
}

static void
check_node(struct compiler *c, const struct node *n)
{
	if (n->by == NULL || (!n->read_here && !n->write_here))
		return;
	const struct path_rule *r = n->by->rule;
	if (strlen(n->path) >= MAC_PATH_MAX)
		refuse(c, r->origin,
		    arena_printf(c->f.a,
		        "%s '%.40s...' has more than the %d bytes of a path on macOS",
		        rule_kind_names[r->kind], r->written, MAC_PATH_MAX - 1));
	/* It could be made under a name whose letters are composed in another way. */
	else if (is_missing(n) && !n->writable && n->above->writable &&
	         sb_fold(c->f.a, n->path + n->by->fact.existing_len) == NULL)
		refuse(c, r->origin,
		    arena_printf(c->f.a,
		        "%s '%s' does not exist, and 'seatbelt' cannot hold a missing "
		        "name "
		        "that is not ASCII [make it first]",
		        rule_kind_names[r->kind], r->written));
}

static void
check_ports(struct compiler *c)
{
	for (size_t i = 0; i < c->p->allow_host_ports.n; i++) {
		const struct located *l = &c->p->allow_host_ports.v[i];
		static const unsigned char v4[4] = {127, 0, 0, 1};
		static const unsigned char v6[16] = {[15] = 1};
		struct host_port port;
		if (host_port_parse(l->text, &port) == NULL &&
		    (port.family == AF_UNSPEC ||
		        memcmp(port.addr, port.family == AF_INET ? v4 : v6,
		            port.family == AF_INET ? 4 : 16) == 0))
			continue;
		refuse(c, l->origin,
		    arena_printf(c->f.a,
		        "allow_host_ports '%s': 'seatbelt' knows no address of the host "
		        "but "
		        "127.0.0.1 and ::1 together [write the port alone]",
		        l->text));
	}
	for (size_t i = 0; i < c->p->publish_ports.n; i++)
		refuse(c, c->p->publish_ports.v[i].origin,
		    arena_printf(c->f.a,
		        "publish_ports '%s': under 'seatbelt' the command is on the "
		        "host's "
		        "loopback itself [set allow_local_binding = yes instead]",
		        c->p->publish_ports.v[i].text));
}

static bool
check(struct compiler *c)
{
	size_t before = c->errs->text.n;
	for (size_t i = 0; i < c->n; i++)
		check_node(c, &c->nodes[i]);
	check_ports(c);
	if (c->p->temp == TEMP_TMP)
		refuse(c,
		    c->p->key_origins != NULL ? c->p->key_origins[KEY_TEMP]
		                              : c->p->source.origin,
		    "temp 'tmp': 'seatbelt' cannot make /tmp private [use temp = "
		    "private, "
		    "or temp = host]");
	return c->errs->text.n == before;
}

/* ---- filters ---- */

static const char *
param(struct compiler *c, const char *name, const char *value)
{
	return sb_param(&c->f, name, c->next++, "", value, "");
}

static void
subpath(struct compiler *c, const char *name, const char *path)
{
	sb_filter(&c->f, "subpath", param(c, name, path));
}

/*
 * The other name of everything denied, last: what is open in there is open by its own
 * name alone.
 */
static void
put_other_names(struct compiler *c, const char *rule, bool reading)
{
	size_t first = c->next;
	for (size_t i = 0; i < c->n; i++) {
		const struct node *n = &c->nodes[i];
		const char *path = n->path + (strcmp(n->path, "/") == 0);
		bool denied = reading ? n->read_here && !n->readable
		                      : n->write_here && !n->writable;
		if (!denied || strcmp(path, SB_DATA_VOLUME) == 0)
			continue;
		put(c, c->next == first ? rule : "");
		if (path_within(path, SB_DATA_VOLUME))
			subpath(c, "V", path + strlen(SB_DATA_VOLUME));
		else
			subpath(c, "V", arena_printf(c->f.a, SB_DATA_VOLUME "%s", path));
	}
	put(c, c->next > first ? ")\n" : "");
}

/* A name that is not there yet can be made in other letters: the disk folds them. */
static void
missing_regex(struct compiler *c, const char *path, size_t existing, const char *tail)
{
	const char *before = sb_quote(c->f.a, path, existing);
	const char *fold = sb_fold(c->f.a, path + existing);
	sb_filter(&c->f, "regex",
	    sb_param(
	        &c->f, "M", c->next++, arena_printf(c->f.a, "^%s", before), fold, tail));
}

static unsigned
deepest(const struct compiler *c, bool reading)
{
	unsigned max = 0;
	for (size_t i = 0; i < c->n; i++) {
		unsigned d = reading ? c->nodes[i].read_depth : c->nodes[i].write_depth;
		if (d > max)
			max = d;
	}
	return max;
}

/* ---- reading ---- */

/* Programs look at the directories on the way to what they may read. */
static void
put_ways(struct compiler *c)
{
	struct strv seen = {NULL, 0};
	for (size_t i = 0; i < c->n; i++) {
		if (!c->nodes[i].read_here || !c->nodes[i].readable)
			continue;
		const char *up = path_parent(c->f.a, c->nodes[i].path);
		for (; strcmp(up, "/") != 0; up = path_parent(c->f.a, up))
			if (!holds_at(c, up)->readable && !strv_has(&seen, up))
				strv_push(c->f.a, &seen, up);
	}
	if (seen.n == 0)
		return;
	put(c, "(allow file-read-metadata");
	for (size_t i = 0; i < seen.n; i++)
		sb_filter(&c->f, "literal", param(c, "S", seen.v[i]));
	put(c, ")\n");
}

static void
put_read_depth(struct compiler *c, unsigned depth, bool allow)
{
	put(c, allow ? "(allow file-read* file-clone" : "(deny file-read* file-clone");
	for (size_t i = 0; i < c->n; i++) {
		const struct node *n = &c->nodes[i];
		if (!n->read_here || n->read_depth != depth)
			continue;
		if (allow)
			subpath(c, "A", n->path);
		else
			subpath(c, "R", n->path);
	}
	put(c, ")\n");
}

static void
put_reading(struct compiler *c)
{
	bool open = c->nodes[0].readable;
	put(c, "; reading\n");
	put(c, open ? "(allow file-read*)\n" : "(deny file-read* file-clone)\n");
	/* Other terminals are not read; "/" itself is, or no program starts. */
	put(c, "(deny file-read* file-clone (regex \"^/dev/ttys[0-9]+$\"))\n"
	       "(allow file-read* (literal \"/\")\n"
	       "  (regex "
	       "\"^/dev/(null|zero|random|urandom|ptmx|dtracehelper|fd/[0-9]+)$\")\n"
	       "  (require-all (regex \"^/dev/ttys[0-9]+$\") "
	       "(extension \"com.apple.sandbox.pty\"))");
	if (c->terminal != NULL)
		sb_filter(&c->f, "literal", c->terminal);
	put(c, ")\n");
	for (unsigned d = 1; d <= deepest(c, true); d++)
		put_read_depth(c, d, (d % 2 == 0) == open);
	put_other_names(c, "(deny file-read* file-clone", true);
	put_ways(c);
}

/* ---- writing ---- */

static void
put_write_depth(struct compiler *c, unsigned depth)
{
	bool allow = depth % 2 == 1;
	put(c, allow ? "(allow file-write* file-link" : "(deny file-write* file-link");
	for (size_t i = 0; i < c->n; i++) {
		struct node *n = &c->nodes[i];
		if (!n->write_here || n->write_depth != depth)
			continue;
		if (allow)
			subpath(c, "W", n->path);
		else
			subpath(c, "X", n->path);
		if (!allow && is_missing(n))
			missing_regex(c, n->path, n->by->fact.existing_len, "(/.*)?$");
	}
	put(c, ")\n");
}

/* Roots that are in no other root: what is in those is seen from the outer one. */
static bool
is_outer_root(const struct compiler *c, const struct node *n)
{
	return n->write_here && n->writable && n->write_depth == 1 &&
	       (c->s->temp_dir == NULL || strcmp(n->path, c->s->temp_dir) != 0);
}

static void
put_mandatory(struct compiler *c)
{
	const char *home = c->s->home.real;
	bool in_home = false;
	sb_mandatory(&c->f, c->p->allow_git_config);
	for (size_t i = 0; i < c->n; i++) {
		const struct node *n = &c->nodes[i];
		if (!is_outer_root(c, n))
			continue;
		const char *path = strcmp(n->path, "/") == 0 ? "" : n->path;
		bytes_printf(c->f.a, &c->f.text, "(mandatory \"%s\")\n",
		    sb_param(&c->f, "Q", c->next++, "^(" SB_DATA_VOLUME ")?",
		        sb_quote(c->f.a, path, strlen(path)), "/(.*/)?"));
		in_home = in_home || (home != NULL && sb_in_home(c->f.a, home, n->path));
	}
	if (in_home)
		sb_mandatory_home(&c->f);
	if (in_home)
		bytes_printf(c->f.a, &c->f.text, "(mandatory-home \"%s\")\n",
		    sb_param(&c->f, "H", c->next++, "^(" SB_DATA_VOLUME ")?",
		        sb_quote(c->f.a, home, strlen(home)), "/"));
}

/* Roots, and the directories between them and what is denied in them. */
static void
gather_fixed(struct compiler *c, struct strv *fixed)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct node *n = &c->nodes[i];
		if (!n->write_here || strcmp(n->path, "/") == 0)
			continue;
		if (n->writable && !strv_has(fixed, n->path))
			strv_push(c->f.a, fixed, n->path);
		const char *up = path_parent(c->f.a, n->path);
		for (; strcmp(up, "/") != 0; up = path_parent(c->f.a, up))
			if (holds_at(c, up)->writable && !strv_has(fixed, up))
				strv_push(c->f.a, fixed, up);
	}
}

/*
 * A directory on the way that is missing must not be made either: another, prepared with
 * the denied name in it, could be moved there.
 */
static void
put_missing_ways(struct compiler *c)
{
	struct strv seen = {NULL, 0};
	for (size_t i = 0; i < c->n; i++) {
		const struct node *n = &c->nodes[i];
		if (!n->write_here || n->writable || !is_missing(n))
			continue;
		size_t there = n->by->fact.existing_len;
		const char *up = path_parent(c->f.a, n->path);
		for (; strlen(up) > there && strcmp(up, "/") != 0;
		     up = path_parent(c->f.a, up))
			if (holds_at(c, up)->writable && !strv_has(&seen, up)) {
				put(c, seen.n == 0 ? "(deny file-write-create" : "");
				strv_push(c->f.a, &seen, up);
				missing_regex(c, up, there, "$");
			}
	}
	put(c, seen.n > 0 ? ")\n" : "");
}

static void
put_devices(struct compiler *c)
{
	if (c->p->devices.n == 0)
		return;
	size_t first = c->next;
	put(c, "(allow file-write* file-ioctl");
	for (size_t i = 0; i < c->p->devices.n; i++)
		sb_filter(&c->f, "literal", param(c, "D", c->p->devices.v[i].text));
	put(c, c->next > first ? ")\n" : "");
}

static void
put_writing(struct compiler *c)
{
	struct strv fixed = {NULL, 0};
	put(c, "; writing\n");
	sb_caches(&c->f);
	for (unsigned d = 1; d <= deepest(c, false); d++)
		put_write_depth(c, d);
	if (c->other_spelling)
		put_other_names(c, "(deny file-write* file-link", false);
	sb_devices(&c->f, c->terminal);
	put_devices(c);
	put_mandatory(c);
	gather_fixed(c, &fixed);
	put(c, "; what must stay where it is\n");
	if (fixed.n > 0) {
		put(c, "(deny file-write-unlink");
		for (size_t i = 0; i < fixed.n; i++)
			sb_filter(&c->f, "literal", param(c, "N", fixed.v[i]));
		put(c, ")\n");
	}
	put_missing_ways(c);
}

/* ---- network and sockets ---- */

static void
put_port(struct compiler *c, unsigned port)
{
	bytes_printf(c->f.a, &c->f.text,
	    "(allow network-outbound (remote tcp \"localhost:%u\"))\n", port);
}

/* A loopback of its own exists only elsewhere: here it is the host's, so it must be asked for. */
static bool
wants_local_binding(const struct policy *p)
{
	return p->allow_local_binding && p->key_origins != NULL &&
	       p->key_origins[KEY_ALLOW_LOCAL_BINDING].file != NULL;
}

static void
put_network(struct compiler *c)
{
	struct host_port port;
	put(c, "; network\n");
	sb_network(&c->f, c->p->net, wants_local_binding(c->p));
	if (c->p->net == NET_RESTRICTED && c->facts->proxy_port != 0)
		put_port(c, c->facts->proxy_port);
	for (size_t i = 0; i < c->p->allow_host_ports.n; i++)
		if (host_port_parse(c->p->allow_host_ports.v[i].text, &port) == NULL)
			put_port(c, port.port);
}

/* The kernel compares what /tmp, /var and /etc lead to. */
static const char *
behind_links(struct arena *a, const char *path)
{
	static const char *const links[] = {"/tmp", "/var", "/etc"};
	for (size_t i = 0; i < SRUN_ARRAY_LEN(links); i++)
		if (path_within(path, links[i]))
			return arena_printf(a, "/private%s", path);
	return path;
}

static void
put_sockets(struct compiler *c)
{
	put(c, "; unix sockets\n");
	if (c->p->unix_mode != UNIX_NONE || c->p->nunix_allow > 0)
		put(c, "(allow system-socket (socket-domain AF_UNIX))\n");
	if (c->p->unix_mode == UNIX_ALL)
		put(c, "(allow network-outbound network-bind (subpath \"/\"))\n");
	else if (c->p->unix_mode == UNIX_INSIDE && c->s->temp_dir != NULL) {
		put(c, "(allow network-outbound network-bind");
		subpath(c, "T", c->s->temp_dir);
		put(c, ")\n");
	}
	for (size_t i = 0; i < c->p->nunix_allow; i++) {
		put(c, "(allow network-outbound");
		sb_filter(&c->f, "literal",
		    param(c, "U", behind_links(c->f.a, c->p->unix_allow[i].path)));
		put(c, ")\n");
	}
}

bool
seatbelt_compile(struct arena *a, const struct policy *p, const struct survey *s,
    const struct seatbelt_facts *facts, struct seatbelt_profile *out, struct errs *errs)
{
	struct compiler c = {.f = {.a = a}, .p = p, .s = s, .facts = facts, .errs = errs};
	judge(&c);
	if (!check(&c))
		return false;
	if (s->terminal != NULL)
		c.terminal = param(&c, "TTY", s->terminal);
	sb_processes(&c.f, facts->nonce, p->net);
	sb_terminal(&c.f, c.terminal);
	put_reading(&c);
	put_writing(&c);
	put_network(&c);
	put_sockets(&c);
	bytes_add(a, &c.f.text, "", 1);
	*out = (struct seatbelt_profile){c.f.text.data, c.f.params};
	return true;
}

/* ---- the backend ---- */

static bool
seatbelt_find(struct arena *a, const struct host *h, struct launch *l, struct finding *f)
{
	(void)a;
	(void)h;
	(void)l;
	*f = (struct finding){"it is part of macOS, and this is another system",
	    "'--print' shows its profile", true, false};
	return false;
}

static bool
seatbelt_backend_compile(struct arena *a, const struct policy *p, const struct survey *s,
    struct launch *l, struct errs *errs)
{
	struct seatbelt_facts facts = {.nonce = l->nonce};
	struct seatbelt_profile profile;
	if (!seatbelt_compile(a, p, s, &facts, &profile, errs))
		return false;
	l->mounts = NULL;
	l->own_network = false;
	l->own_pids = false;
	l->profile = profile.text;
	l->profile_params = profile.params;
	return true;
}

const struct backend seatbelt_backend = {
    .name = "seatbelt",
    .id = ISOLATION_SEATBELT,
    .elsewhere = true,
    .enforces = ENFORCE_FS | ENFORCE_DENY_SET | ENFORCE_NET | ENFORCE_UNIX,
    .find = seatbelt_find,
    .compile = seatbelt_backend_compile,
};
