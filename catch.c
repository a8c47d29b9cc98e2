/*
 * catch.c: the table of caught hosts and the answers of the resolver inside. Owns who has
 * which address, for the whole run: one that was given is never given to another host.
 */
#include "catch.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "netns.h"

/*
 * Where a rule names no port, one has to be guessed: a listener is for one port. What
 * programs without a proxy of their own speak, and web ports that are not in a proxy's
 * reach because the program (Node's http before 24, a static one) has no setting for it.
 */
static const uint16_t usual_ports[] = {
    443,   /* https */
    80,    /* http */
    22,    /* ssh */
    9418,  /* git */
    873,   /* rsync */
    3690,  /* svn */
    8080,  /* http */
    8443,  /* https */
    5432,  /* postgresql */
    3306,  /* mysql */
    1433,  /* sql server */
    6379,  /* redis */
    27017, /* mongodb */
    5672,  /* amqp */
    5671,  /* amqps */
    9092,  /* kafka */
    25,    /* smtp */
    465,   /* smtps */
    587,   /* submission */
    993,   /* imaps */
    995,   /* pop3s */
    389,   /* ldap */
    636,   /* ldaps */
};

/* ---- ports ---- */

static bool
is_granted(const struct catch_table *t, const struct host_name *host, uint16_t port)
{
	return host_judge(t->rules, host, port).verdict == HOST_GRANTED;
}

static size_t
add_port(const struct catch_table *t, const struct host_name *host, uint16_t port,
    uint16_t *ports, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (ports[i] == port)
			return n;
	if (n < CATCH_PORTS_MAX && port != 0 && is_granted(t, host, port))
		ports[n++] = port;
	return n;
}

size_t
catch_ports(const struct catch_table *t, const struct host_name *host,
    uint16_t ports[CATCH_PORTS_MAX])
{
	size_t n = 0;
	/* What the grant names comes before what is guessed. */
	for (size_t k = 0; k < t->rules->nlayers; k++)
		for (size_t i = 0; i < t->rules->allow[k].n; i++)
			if (host_rule_matches(&t->rules->allow[k].v[i], host))
				n = add_port(
				    t, host, t->rules->allow[k].v[i].port, ports, n);
	for (size_t i = 0; i < SRUN_ARRAY_LEN(usual_ports); i++)
		n = add_port(t, host, usual_ports[i], ports, n);
	return n;
}

/* ---- the table ---- */

static const struct caught *
find(const struct catch_table *t, const struct host_name *host)
{
	for (size_t i = 0; i < t->n; i++)
		if (strcmp(t->v[i].host.text, host->text) == 0)
			return &t->v[i];
	return NULL;
}

/* The host's entry, new if need be; NULL when the table is full or memory short. */
static const struct caught *
take(struct catch_table *t, const struct host_name *host, bool *fresh)
{
	const struct caught *old = find(t, host);
	*fresh = old == NULL;
	if (old != NULL || t->n == CATCH_HOSTS_MAX)
		return old;
	/* Grown by doubling: at each power of two. */
	if ((t->n & (t->n - 1)) == 0) {
		size_t cap = t->n == 0 ? 1 : 2 * t->n;
		struct caught *v = realloc(t->v, cap * sizeof(*v));
		if (v == NULL)
			return NULL;
		t->v = v;
	}
	struct caught *c = &t->v[t->n++];
	c->host = *host;
	/* 198.18.0.1 is the namespace's own. */
	c->addr = NETNS_ADDRESS + (uint32_t)t->n;
	return c;
}

const struct host_name *
catch_host(const struct catch_table *t, const struct host_addr *addr)
{
	const unsigned char *b = addr->bytes;
	uint32_t v =
	    (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
	if (addr->family != AF_INET || v <= NETNS_ADDRESS || v - NETNS_ADDRESS > t->n)
		return NULL;
	return &t->v[v - NETNS_ADDRESS - 1].host;
}

/* ---- answers ---- */

#define LOOPBACK 0x7f000001U

/* What a host's name is answered with; 0 with *rcode where there is no address. */
static uint32_t
address_of(
    struct catch_table *t, struct catch_answer *out, bool wanted, enum dns_rcode *rcode)
{
	uint16_t ports[CATCH_PORTS_MAX];
	bool fresh;
	if (host_is_localhost(out->host.text))
		return LOOPBACK;
	if (catch_ports(t, &out->host, ports) == 0) {
		*rcode = DNS_NXDOMAIN;
		out->denied = true;
		return 0;
	}
	if (!wanted)
		return 0;
	const struct caught *c = take(t, &out->host, &fresh);
	if (c == NULL) {
		*rcode = DNS_REFUSED;
		return 0;
	}
	out->fresh = fresh ? c : NULL;
	return c->addr;
}

void
catch_query(struct catch_table *t, const unsigned char *data, size_t len,
    struct catch_answer *out)
{
	struct dns_query q;
	enum dns_rcode rcode = DNS_NO_ERROR;
	uint32_t addr = 0;
	out->len = 0;
	out->fresh = NULL;
	out->denied = false;
	switch (dns_parse(data, len, &q, &rcode)) {
	case DNS_IGNORE:
		return;
	case DNS_OK:
		/* An address is no name to look up, and a name must be one for the rules. */
		if (host_name_parse(q.name, strlen(q.name), &out->host) != NULL ||
		    out->host.addr.family != AF_UNSPEC)
			rcode = DNS_NXDOMAIN;
		else
			addr = address_of(t, out, q.type == DNS_A, &rcode);
		break;
	case DNS_BAD:
		break;
	}
	out->len = dns_reply(data, &q, rcode, addr, CATCH_TTL_S, out->data);
}
