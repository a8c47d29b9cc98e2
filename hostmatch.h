/*
 * hostmatch.h: may the command reach this host, and may this address be dialled for it?
 * Pure: no system call, no memory but the caller's.
 *
 * The order for each request, on both questions:
 *
 *   host_name_parse        what the client wrote → canonical, or 400
 *   host_judge             before any look-up: a name outside the grant is never asked for
 *   (look-up)              resolve.h; an address needs none: it is its own only answer
 *   addr_judge             each address, also the one the client wrote out itself, before
 *                          that very address is dialled
 *
 * Behind a parent proxy the parent looks up: there is nothing to give addr_judge, but an
 * address that the client wrote out is judged all the same.
 */
#ifndef SRUN_HOSTMATCH_H
#define SRUN_HOSTMATCH_H

#include "hostname.h"
#include "hostrule.h"
#include "policy.h"

/* The rules of a policy; everything is borrowed from it. */
struct host_rules {
	const struct host_rule_list *allow, *deny; /* nlayers of each */
	size_t nlayers;
	const struct host_port *host_ports; /* allow_host_ports */
	size_t nhost_ports;
};

/* Host ports come from the arena. */
struct host_rules host_rules_make(struct arena *a, const struct policy *p);

enum host_verdict {
	HOST_NOT_GRANTED, /* no rule of some layer is about it */
	HOST_DENIED,      /* a rule of deny_domains is */
	HOST_GRANTED,     /* look it up, ask addr_judge, dial; or give it to a parent */
	HOST_LOOPBACK,    /* allow_host_ports: a service of this host, dialled directly */
	HOST_INSIDE,      /* the loopback of the sandbox: dialled in its namespace, and
	                     refused where the sandbox has no loopback of its own */
};

struct host_judgement {
	enum host_verdict verdict;
	/*
	 * GRANTED: the rule of layer 0 that decided. DENIED: the rule that denies.
	 * NOT_GRANTED: a rule for that host with another port, or NULL. Else NULL.
	 */
	const struct host_rule *rule;
	size_t layer; /* where the rule is; NOT_GRANTED: the layer that has none */
};

/*
 * Deny wins, every layer must allow. Port 0 asks for every port at once: a rule for one
 * port then does not satisfy, and a deny of one port denies.
 *
 * "localhost" and what ends in ".localhost" are loopback without a look-up, and so are
 * 127.0.0.0/8 and ::1: LOOPBACK if allow_host_ports has the port (a name: under 127.0.0.1
 * or ::1, which are then its addresses, to be asked of addr_judge), GRANTED if an address
 * rule of every layer opens it, else INSIDE.
 */
struct host_judgement host_judge(
    const struct host_rules *r, const struct host_name *h, uint16_t port);

/* What an address is for; where more than one applies, the first. */
enum addr_class {
	ADDR_PUBLIC,
	ADDR_METADATA, /* where a cloud tells machines their credentials */
	ADDR_LOOPBACK,
	ADDR_OWN,         /* of this host, whatever other range it is in */
	ADDR_UNSPECIFIED, /* 0.0.0.0/8 and ::, which connect(2) takes for loopback */
	ADDR_LINK_LOCAL,
	ADDR_MULTICAST,
	ADDR_BROADCAST,
	ADDR_PRIVATE, /* and shared, benchmark, reserved ranges */
};
/* "a private address", in the order of enum addr_class. */
extern const char *const addr_class_names[];

/* The addresses of this host's interfaces at the time of the look-up. */
struct host_addr_list {
	const struct host_addr *v;
	size_t n;
};

/* IPv6 that carries an IPv4 address (compatible, NAT64, 6to4, Teredo, ISATAP) is of the
   class of what it carries. own may be NULL. */
enum addr_class addr_classify(
    const struct host_addr *addr, const struct host_addr_list *own);

enum addr_verdict {
	ADDR_GUARDED, /* of a class that the grant does not open for this host */
	ADDR_DENIED,  /* a deny rule by address or network: it binds names as well */
	ADDR_ALLOWED,
};

struct addr_judgement {
	enum addr_verdict verdict;
	enum addr_class class;
	const struct host_rule *rule; /* DENIED: which; else NULL */
};

/*
 * Whether addr may be dialled for h, which host_judge has found GRANTED or LOOPBACK at
 * this port. Every layer must let it pass: a public address always does; a private one
 * if the layer has the exact name, or opens it; every other class only if opened. A
 * layer opens an address by a rule for that address, or for a network no larger than
 * the guarded range that the address is in (127.0.0.0/8 opens loopback, 0.0.0.0/1
 * nothing; metadata and own addresses need themselves). allow_host_ports opens its
 * loopback addresses for every name that is granted.
 */
struct addr_judgement addr_judge(const struct host_rules *r, const struct host_name *h,
    uint16_t port, const struct host_addr *addr, const struct host_addr_list *own);

/* Room for either text: a host, a port and the words. */
#define HOST_REASON_MAX (HOST_AUTHORITY_MAX + 96)
/*
 * What the command may read (reason phrase, SOCKS log), ASCII, one line: "example.org:443
 * is not in the grant". No origin and no address of the host is in it. Returns its length.
 */
size_t host_reason(const struct host_name *h, uint16_t port,
    const struct host_judgement *j, char out[HOST_REASON_MAX]);
size_t addr_reason(const struct host_name *h, uint16_t port,
    const struct addr_judgement *j, char out[HOST_REASON_MAX]);

#endif
