/*
 * hostrule.h: whether a domain rule or a port rule of the grant is well formed.
 * Pure. What a rule matches is decided elsewhere.
 */
#ifndef SRUN_HOSTRULE_H
#define SRUN_HOSTRULE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * NULL if rule is a domain rule: NAME, *.NAME, **.NAME, an address or a CIDR, each with
 * an optional :PORT, and in deny lists '*' too. Otherwise the reason, as words that
 * follow the quoted rule ("has an empty label").
 */
const char *domain_rule_check(const char *rule, bool deny);

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

/* NULL if url can be a parent proxy: http://, socks5:// or socks5h://, host and port. */
const char *proxy_url_check(const char *url);

#endif
