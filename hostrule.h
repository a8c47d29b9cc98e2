/*
 * hostrule.h: one domain rule or one port rule of the grant: text → what it matches.
 * Pure. The only parser of rules: who may be reached, and what goes around a parent
 * proxy, are read by the same one. What follows from a match is decided in hostmatch.c.
 */
#ifndef SRUN_HOSTRULE_H
#define SRUN_HOSTRULE_H

#include <stdbool.h>
#include <stdint.h>

#include "hostname.h"
#include "util.h"

enum host_rule_kind {
	HOST_RULE_NAME,    /* example.com: that host */
	HOST_RULE_BELOW,   /* *.example.com: every name below it, not itself */
	HOST_RULE_TREE,    /* **.example.com: both */
	HOST_RULE_ADDR,    /* an address written out */
	HOST_RULE_NETWORK, /* ADDRESS/BITS */
	HOST_RULE_ANY,     /* *: every host; only where it denies */
};

struct host_rule {
	const char *text; /* as it was written, for messages */
	struct origin origin;
	enum host_rule_kind kind;
	uint16_t port; /* 0: every port */
	bool of_set;   /* a member of a named set */
	/* ADDR, NETWORK: canonical, a network of mapped addresses is one of IPv4. */
	unsigned bits; /* ADDR: all of them */
	struct host_addr addr;
	const char *name; /* NAME, BELOW, TREE: canonical, without the stars */
};
struct host_rule_list {
	struct host_rule *v;
	size_t n;
};

/*
 * NULL and *out (its origin is the caller's to set; text is borrowed) if rule is a
 * domain rule: NAME, *.NAME, **.NAME, an address or a CIDR, each with an optional :PORT,
 * and where it denies '*' too. Otherwise the reason, as words that follow the quoted
 * rule ("has an empty label").
 */
const char *host_rule_parse(
    struct arena *a, const char *rule, bool deny, struct host_rule *out);

/*
 * Whether the rule is about this host, whatever the port. An address is matched by
 * address rules and '*' only, a name by name rules and '*' only.
 */
bool host_rule_matches(const struct host_rule *r, const struct host_name *h);

/* Whether outer matches whatever inner matches. */
bool host_rule_covers(const struct host_rule *outer, const struct host_rule *inner);

/* "[ADDR:]PORT" on the loopback. family is AF_UNSPEC when no address was named. */
struct host_port {
	int family;
	unsigned char addr[16];
	uint16_t port;
};

/* NULL and *out, or the reason as above. */
const char *host_port_parse(const char *text, struct host_port *out);

/* Whether everything that inner opens is opened by outer. */
bool host_port_covers(const struct host_port *outer, const struct host_port *inner);

/* Whether the name means the loopback by itself: "localhost" and what ends in it. */
bool host_is_localhost(const char *name);

#endif
