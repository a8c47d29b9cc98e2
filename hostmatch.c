/*
 * hostmatch.c: the decision on a host, and on each address it has.
 *
 * Owns what the domain rules of all layers say together, and which addresses are closed
 * to a name whatever it resolves to. Must not look anything up or make a system call.
 */
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "hostmatch.h"

struct host_rules
host_rules_make(struct arena *a, const struct policy *p)
{
	struct host_rules r = {
	    p->allow_domains, p->deny_domains, p->ndomain_layers, NULL, 0};
	struct host_port *ports = NULL;
	struct host_port port;

	for (size_t i = 0; i < p->allow_host_ports.n; i++) {
		if (host_port_parse(p->allow_host_ports.v[i].text, &port) != NULL)
			continue; /* policy.c has parsed it */
		ports = arena_grow(a, ports, r.nhost_ports, sizeof(*ports));
		ports[r.nhost_ports++] = port;
	}
	r.host_ports = ports;
	return r;
}

/* ---- what an address is ---- */

const char *const addr_class_names[] = {
    [ADDR_PUBLIC] = "a public address",
    [ADDR_METADATA] = "a cloud's metadata address",
    [ADDR_LOOPBACK] = "a loopback address",
    [ADDR_OWN] = "an address of this host",
    [ADDR_UNSPECIFIED] = "an unspecified address",
    [ADDR_LINK_LOCAL] = "a link-local address",
    [ADDR_MULTICAST] = "a multicast address",
    [ADDR_BROADCAST] = "the broadcast address",
    [ADDR_PRIVATE] = "a private address",
};

struct range {
	struct host_addr net;
	unsigned bits;
	enum addr_class class;
};

#define V4(a, b, c, d)                                                                   \
	{                                                                                \
		.family = AF_INET, .bytes = { a, b, c, d }                               \
	}
#define V6(...)                                                                          \
	{                                                                                \
		.family = AF_INET6, .bytes = { __VA_ARGS__ }                             \
	}

/*
 * IANA's special-purpose registries, and where clouds keep what a machine may know of
 * itself. The documentation ranges are not here: nothing answers on them. Benchmark
 * (198.18/15) counts as private and not as unspecified, since VPN clients use it for
 * names of the whole internet.
 */
static const struct range ranges[] = {
    {V4(169, 254, 169, 254), 32, ADDR_METADATA},  /* AWS, Azure, GCP, and most */
    {V4(169, 254, 170, 2), 32, ADDR_METADATA},    /* AWS ECS */
    {V4(169, 254, 170, 23), 32, ADDR_METADATA},   /* AWS EKS */
    {V4(100, 100, 100, 200), 32, ADDR_METADATA},  /* Alibaba */
    {V4(168, 63, 129, 16), 32, ADDR_METADATA},    /* Azure's host */
    {V4(192, 0, 0, 192), 32, ADDR_METADATA},      /* Oracle */
    {V6(0xfd, 0, 0x0e, 0xc2), 32, ADDR_METADATA}, /* AWS */
    {V6(0xfd, 0x20, 0, 0xce, [14] = 0x02, [15] = 0x54), 128, ADDR_METADATA},
    {V6(0xfd, 0, 0, 0xc1, [12] = 0xa9, [13] = 0xfe, [14] = 0xa9, [15] = 0xfe), 128,
        ADDR_METADATA},
    {V6(0xfd, 0, 0, 0x42, [15] = 0x42), 128, ADDR_METADATA},
    {V6(0xfd, 0, 0xa9, 0xfe, 0xa9, 0xfe, [15] = 0x01), 128, ADDR_METADATA},
    {V6(0xfd, 0, 0x01, 0, [12] = 0x01, [13] = 0x00, [14] = 0x02, [15] = 0x00), 128,
        ADDR_METADATA},
    {V4(127, 0, 0, 0), 8, ADDR_LOOPBACK}, {V6([15] = 1), 128, ADDR_LOOPBACK},
    {V4(0, 0, 0, 0), 8, ADDR_UNSPECIFIED}, {V6(0), 128, ADDR_UNSPECIFIED},
    {V4(169, 254, 0, 0), 16, ADDR_LINK_LOCAL}, {V6(0xfe, 0x80), 10, ADDR_LINK_LOCAL},
    {V4(224, 0, 0, 0), 4, ADDR_MULTICAST}, {V6(0xff), 8, ADDR_MULTICAST},
    {V4(255, 255, 255, 255), 32, ADDR_BROADCAST}, {V4(10, 0, 0, 0), 8, ADDR_PRIVATE},
    {V4(172, 16, 0, 0), 12, ADDR_PRIVATE}, {V4(192, 168, 0, 0), 16, ADDR_PRIVATE},
    {V4(100, 64, 0, 0), 10, ADDR_PRIVATE}, /* shared, RFC 6598 */
    {V4(192, 0, 0, 0), 24, ADDR_PRIVATE},  /* protocol assignments */
    {V4(198, 18, 0, 0), 15, ADDR_PRIVATE}, /* benchmarks */
    {V4(240, 0, 0, 0), 4, ADDR_PRIVATE},   /* reserved */
    {V6(0xfc), 7, ADDR_PRIVATE},
    {V6(0xfe, 0xc0), 10, ADDR_PRIVATE},                /* site-local, RFC 3879 */
    {V6(0, 0x64, 0xff, 0x9b, 0, 1), 48, ADDR_PRIVATE}, /* local NAT64, RFC 8215 */
};

/* Where an IPv6 address carries an IPv4 one: bytes at start, and the four at "at". */
static const struct carrier {
	unsigned char mark[12];
	unsigned char start, len, at, flip;
} carriers[] = {
    {{0}, 0, 12, 12, 0},                        /* ::a.b.c.d */
    {{[8] = 0xff, [9] = 0xff}, 0, 12, 12, 0},   /* ::ffff:0:a.b.c.d */
    {{0, 0x64, 0xff, 0x9b}, 0, 12, 12, 0},      /* NAT64, RFC 6052 */
    {{0, 0x64, 0xff, 0x9b, 0, 1}, 0, 6, 12, 0}, /* RFC 8215 */
    {{0x20, 0x02}, 0, 2, 2, 0},                 /* 6to4 */
    {{0x20, 0x01, 0, 0}, 0, 4, 12, 0xff},       /* Teredo */
    {{0, 0, 0x5e, 0xfe}, 8, 4, 12, 0},          /* ISATAP */
    {{0x02, 0, 0x5e, 0xfe}, 8, 4, 12, 0},       /* ISATAP */
};

/* Whether addr carries one in the way of that row; then it is in *v4. */
static bool
carried(const struct host_addr *addr, const struct carrier *c, struct host_addr *v4)
{
	unsigned char b[4];

	if (addr->family != AF_INET6 ||
	    memcmp(addr->bytes + c->start, c->mark, c->len) != 0)
		return false;
	for (size_t i = 0; i < sizeof(b); i++)
		b[i] = addr->bytes[c->at + i] ^ c->flip;
	host_addr_make(AF_INET, b, v4);
	return true;
}

/* The class of an address, and how many bits a rule needs at least to open it. */
struct guard {
	enum addr_class class;
	unsigned bits;
};

static bool
is_own(const struct host_addr *addr, const struct host_addr_list *own)
{
	for (size_t i = 0; own != NULL && i < own->n; i++)
		if (host_addr_equal(addr, &own->v[i]))
			return true;
	return false;
}

static struct guard
guard_alone(const struct host_addr *addr, const struct host_addr_list *own)
{
	const struct range *r = NULL;

	for (size_t i = 0; r == NULL && i < SRUN_ARRAY_LEN(ranges); i++)
		if (host_addr_within(addr, &ranges[i].net, ranges[i].bits))
			r = &ranges[i];
	/* An own address in 10/8 is not opened by 10.0.0.0/8; one in 127/8 is loopback. */
	if ((r == NULL || r->class > ADDR_OWN) && is_own(addr, own))
		return (struct guard){ADDR_OWN, 128};
	if (r == NULL)
		return (struct guard){ADDR_PUBLIC, 0};
	return (struct guard){r->class, r->bits};
}

static struct guard
guard_of(const struct host_addr *addr, const struct host_addr_list *own)
{
	struct guard g = guard_alone(addr, own);
	struct host_addr v4;

	for (size_t i = 0; g.class == ADDR_PUBLIC || g.class == ADDR_PRIVATE; i++) {
		enum addr_class inner;

		if (i == SRUN_ARRAY_LEN(carriers))
			break;
		if (!carried(addr, &carriers[i], &v4))
			continue;
		inner = guard_alone(&v4, own).class;
		if (inner != ADDR_PUBLIC)
			g = (struct guard){inner, 128};
	}
	return g;
}

enum addr_class
addr_classify(const struct host_addr *addr, const struct host_addr_list *own)
{
	return guard_of(addr, own).class;
}

/* ---- rules ---- */

static bool
is_address_rule(const struct host_rule *r)
{
	return r->kind == HOST_RULE_ADDR || r->kind == HOST_RULE_NETWORK;
}

/* Whether a rule that allows speaks of the port; 0 asks for all of them. */
static bool
allows_port(const struct host_rule *r, uint16_t port)
{
	return r->port == 0 || r->port == port;
}

static bool
denies_port(const struct host_rule *r, uint16_t port)
{
	return port == 0 || allows_port(r, port);
}

/* Whether an address rule that denies is about addr or about what it carries. */
static bool
denies_addr(const struct host_rule *r, const struct host_addr *addr)
{
	struct host_addr v4;

	if (!is_address_rule(r))
		return false;
	if (host_addr_within(addr, &r->addr, r->bits))
		return true;
	for (size_t i = 0; i < SRUN_ARRAY_LEN(carriers); i++)
		if (carried(addr, &carriers[i], &v4) &&
		    host_addr_within(&v4, &r->addr, r->bits))
			return true;
	return false;
}

/* Whether the layer has a rule for this very address, narrow enough for its guard. */
static bool
opens(const struct host_rule_list *layer, const struct host_addr *addr, uint16_t port,
    struct guard g)
{
	unsigned width = addr->family == AF_INET6 ? 128 : 32;
	unsigned least = g.bits < width ? g.bits : width;

	for (size_t i = 0; i < layer->n; i++)
		if (is_address_rule(&layer->v[i]) && layer->v[i].bits >= least &&
		    allows_port(&layer->v[i], port) &&
		    host_addr_within(addr, &layer->v[i].addr, layer->v[i].bits))
			return true;
	return false;
}

/* Whether allow_host_ports opens addr at the port. */
static bool
host_port_opens(const struct host_rules *r, const struct host_addr *addr, uint16_t port)
{
	struct host_port want = {.family = addr->family, .port = port};

	memcpy(want.addr, addr->bytes, sizeof(want.addr));
	for (size_t i = 0; i < r->nhost_ports; i++)
		if (host_port_covers(&r->host_ports[i], &want))
			return true;
	return false;
}

static const struct host_addr loopback[] = {V4(127, 0, 0, 1), V6([15] = 1)};

static bool
is_loopback(const struct host_name *h)
{
	if (h->addr.family == AF_UNSPEC)
		return host_is_localhost(h->text);
	return guard_alone(&h->addr, NULL).class == ADDR_LOOPBACK;
}

static bool
loopback_granted(const struct host_rules *r, const struct host_name *h, uint16_t port)
{
	if (h->addr.family != AF_UNSPEC)
		return host_port_opens(r, &h->addr, port);
	return host_port_opens(r, &loopback[0], port) ||
	       host_port_opens(r, &loopback[1], port);
}

/* ---- the host ---- */

static const struct host_rule *
find_deny(
    const struct host_rules *r, const struct host_name *h, uint16_t port, size_t *layer)
{
	bool is_addr = h->addr.family != AF_UNSPEC;

	for (*layer = 0; *layer < r->nlayers; ++*layer) {
		const struct host_rule_list *l = &r->deny[*layer];

		for (size_t i = 0; i < l->n; i++)
			if (denies_port(&l->v[i], port) &&
			    (host_rule_matches(&l->v[i], h) ||
			        (is_addr && denies_addr(&l->v[i], &h->addr))))
				return &l->v[i];
	}
	return NULL;
}

/* The exact rule before any other; with another port only if none fits. */
static const struct host_rule *
find_allow(const struct host_rule_list *l, const struct host_name *h, uint16_t port,
    const struct host_rule **other_port)
{
	const struct host_rule *found = NULL;

	*other_port = NULL;
	for (size_t i = 0; i < l->n; i++) {
		const struct host_rule *rule = &l->v[i];

		if (!host_rule_matches(rule, h))
			continue;
		if (!allows_port(rule, port))
			*other_port = rule;
		else if (found == NULL || rule->kind == HOST_RULE_NAME ||
		         rule->kind == HOST_RULE_ADDR)
			found = rule;
	}
	return found;
}

struct host_judgement
host_judge(const struct host_rules *r, const struct host_name *h, uint16_t port)
{
	struct host_judgement j = {HOST_NOT_GRANTED, NULL, 0};
	const struct host_rule *rule, *first = NULL, *other_port;
	bool loop = is_loopback(h);

	rule = find_deny(r, h, port, &j.layer);
	if (rule != NULL) {
		j.verdict = HOST_DENIED;
		j.rule = rule;
		return j;
	}
	if (loop && loopback_granted(r, h, port))
		return (struct host_judgement){HOST_LOOPBACK, NULL, 0};
	for (j.layer = 0; j.layer < r->nlayers; j.layer++) {
		rule = find_allow(&r->allow[j.layer], h, port, &other_port);
		if (loop && h->addr.family != AF_UNSPEC &&
		    !opens(
		        &r->allow[j.layer], &h->addr, port, guard_alone(&h->addr, NULL)))
			rule = NULL;
		if (rule == NULL && loop)
			return (struct host_judgement){HOST_INSIDE, NULL, 0};
		if (rule == NULL) {
			j.rule = other_port;
			return j;
		}
		if (j.layer == 0)
			first = rule;
	}
	if (first == NULL) /* a policy without a layer grants nothing */
		return j;
	return (struct host_judgement){HOST_GRANTED, first, 0};
}

/* ---- the address ---- */

static bool
has_exact(const struct host_rule_list *l, const struct host_name *h, uint16_t port)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->v[i].kind == HOST_RULE_NAME && allows_port(&l->v[i], port) &&
		    host_rule_matches(&l->v[i], h))
			return true;
	return false;
}

static bool
layer_passes(const struct host_rule_list *l, const struct host_name *h, uint16_t port,
    const struct host_addr *addr, struct guard g)
{
	if (h->addr.family == AF_UNSPEC &&
	    (g.class == ADDR_PUBLIC ||
	        (g.class == ADDR_PRIVATE && has_exact(l, h, port))))
		return true;
	return opens(l, addr, port, g);
}

struct addr_judgement
addr_judge(const struct host_rules *r, const struct host_name *h, uint16_t port,
    const struct host_addr *addr, const struct host_addr_list *own)
{
	struct guard g = guard_of(addr, own);
	struct addr_judgement j = {ADDR_GUARDED, g.class, NULL};

	for (size_t layer = 0; layer < r->nlayers; layer++) {
		const struct host_rule_list *l = &r->deny[layer];

		for (size_t i = 0; i < l->n; i++) {
			if (!denies_port(&l->v[i], port) || !denies_addr(&l->v[i], addr))
				continue;
			j.verdict = ADDR_DENIED;
			j.rule = &l->v[i];
			return j;
		}
	}
	j.verdict = r->nlayers == 0 ? ADDR_GUARDED : ADDR_ALLOWED;
	if (host_port_opens(r, addr, port))
		return j;
	for (size_t layer = 0; layer < r->nlayers; layer++)
		if (!layer_passes(&r->allow[layer], h, port, addr, g))
			j.verdict = ADDR_GUARDED;
	return j;
}

/* ---- words ---- */

static size_t
reason(const struct host_name *h, uint16_t port, const char *words, const char *more,
    const char *end, char out[HOST_REASON_MAX])
{
	char authority[HOST_AUTHORITY_MAX];

	host_authority_text(h, port, authority);
	return (size_t)snprintf(
	    out, HOST_REASON_MAX, "%s %s%s%s", authority, words, more, end);
}

size_t
host_reason(const struct host_name *h, uint16_t port, const struct host_judgement *j,
    char out[HOST_REASON_MAX])
{
	static const char *const words[] = {
	    [HOST_NOT_GRANTED] = "is not in the grant",
	    [HOST_DENIED] = "is denied by the grant",
	    [HOST_GRANTED] = "is in the grant",
	    [HOST_LOOPBACK] = "is a service of this host in the grant",
	    [HOST_INSIDE] = "is the sandbox's own loopback",
	};
	bool other = j->verdict == HOST_NOT_GRANTED && j->rule != NULL;

	return reason(h, port, words[j->verdict],
	    other ? ", with another port it is" : "", "", out);
}

size_t
addr_reason(const struct host_name *h, uint16_t port, const struct addr_judgement *j,
    char out[HOST_REASON_MAX])
{
	if (j->verdict == ADDR_DENIED)
		return reason(
		    h, port, "has an address that the grant denies", "", "", out);
	if (j->verdict == ADDR_ALLOWED)
		return reason(h, port, "has ", addr_class_names[j->class], "", out);
	return reason(h, port, "has ", addr_class_names[j->class],
	    " that the grant does not open", out);
}
