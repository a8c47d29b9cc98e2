/*
 * hostrule.c: domain rules and host ports of the grant, from text.
 *
 * Owns what is well formed and what one rule is about. Must not resolve, judge or make a
 * system call. A rule is refused rather than mended: a URL or a short address in an allow
 * list means that the writer has something else in mind than what would be matched.
 */
#include <string.h>
#include <sys/socket.h>

#include "hostrule.h"

static unsigned
addr_width(const struct host_addr *addr)
{
	return addr->family == AF_INET6 ? 128 : 32;
}

/* "ADDR/BITS" without bits set behind the prefix. */
static const char *
network_parse(const char *s, size_t len, bool deny, struct host_rule *r)
{
	const char *slash = memchr(s, '/', len), *why;
	size_t addr_len = (size_t)(slash - s), bits_len = len - addr_len - 1;
	char bits_text[4] = "";
	uint64_t bits, mapped = 0;

	if (!host_addr_parse(s, addr_len, &r->addr))
		return "has a path [write the host name alone]";
	/* A mapped network's first 96 bits are gone from the canonical address. */
	if (r->addr.family == AF_INET && memchr(s, ':', addr_len) != NULL)
		mapped = 96;
	if (bits_len < sizeof(bits_text))
		memcpy(bits_text, slash + 1, bits_len);
	if (!parse_uint(bits_text, 0, addr_width(&r->addr) + mapped, &bits, &why))
		return "has no prefix length that fits the address";
	if (bits < mapped)
		return "has bits set behind the prefix [write the network's address]";
	r->bits = (unsigned)(bits - mapped);
	if (r->bits == 0 && !deny)
		return "would allow every address";
	for (unsigned i = r->bits; i < addr_width(&r->addr); i++)
		if ((r->addr.bytes[i / 8] >> (7 - i % 8) & 1) != 0)
			return "has bits set behind the prefix [write the network's "
			       "address]";
	r->kind = HOST_RULE_NETWORK;
	return NULL;
}

bool
host_is_localhost(const char *name)
{
	return strcmp(name, "localhost") == 0 || str_ends(name, ".localhost");
}

static const char *
name_parse(struct arena *a, const char *s, size_t len, bool deny, struct host_rule *r)
{
	struct host_name name;
	const char *why;
	size_t stars = 0;

	r->kind = HOST_RULE_NAME;
	if (len >= 2 && memcmp(s, "*.", 2) == 0) {
		r->kind = HOST_RULE_BELOW;
		stars = 2;
	} else if (len >= 3 && memcmp(s, "**.", 3) == 0) {
		r->kind = HOST_RULE_TREE;
		stars = 3;
	}
	why = host_name_from_rule(s + stars, len - stars, &name);
	if (why != NULL)
		return why;
	if (!deny && host_is_localhost(name.text))
		return "is the sandbox's own loopback [allow_host_ports opens a port of "
		       "the host's]";
	r->name = arena_strndup(a, name.text, name.len);
	return NULL;
}

/* What stands before the port, without brackets. */
static const char *
host_parse(struct arena *a, const char *s, size_t len, bool deny, struct host_rule *r)
{
	if (len == 0)
		return "has no host";
	if (len == 1 && s[0] == '*') {
		r->kind = HOST_RULE_ANY;
		return deny ? NULL : "is every host ['*' is for deny_domains only]";
	}
	if (memchr(s, '/', len) != NULL)
		return network_parse(s, len, deny, r);
	if (host_addr_parse(s, len, &r->addr)) {
		r->kind = HOST_RULE_ADDR;
		r->bits = addr_width(&r->addr);
		return NULL;
	}
	if (memchr(s, ':', len) != NULL)
		return "is neither an address nor HOST:PORT";
	return name_parse(a, s, len, deny, r);
}

/* Bytes that show another kind of text, with what to say about them. */
static const char *
stray_check(const char *rule)
{
	if (rule[0] == '\0')
		return "is empty";
	if (strstr(rule, "://") != NULL)
		return "is a URL [write the host name alone]";
	for (const char *p = rule; *p != '\0'; p++) {
		unsigned char c = (unsigned char)*p;

		if (c <= ' ' || c == 0x7f)
			return "has a blank or a control byte";
		if (c == '%')
			return "has a '%' [write the name as it is]";
		if (c == '@')
			return "has a user name [write the host name alone]";
	}
	return NULL;
}

/* "[ADDR]", "[ADDR/BITS]", either with ":PORT" behind. */
static const char *
bracket_parse(struct arena *a, const char *rule, bool deny, struct host_rule *r)
{
	const char *close = strchr(rule, ']');
	size_t len;

	if (close == NULL)
		return "has a '[' without ']'";
	len = (size_t)(close - rule) - 1;
	if (memchr(rule + 1, ':', len) == NULL)
		return "has brackets without an IPv6 address";
	if (close[1] != '\0' &&
	    (close[1] != ':' || !port_parse(close + 2, strlen(close + 2), &r->port)))
		return "has no port from 1 to 65535 behind the brackets";
	if (memchr(rule + 1, '/', len) == NULL &&
	    !host_addr_parse(rule + 1, len, &r->addr))
		return "has brackets without an IPv6 address";
	return host_parse(a, rule + 1, len, deny, r);
}

const char *
host_rule_parse(struct arena *a, const char *rule, bool deny, struct host_rule *out)
{
	const char *why = stray_check(rule), *colon = strchr(rule, ':');
	struct host_rule r = {.text = rule};
	size_t len = strlen(rule);

	if (why != NULL)
		return why;
	if (rule[0] == '[') {
		why = bracket_parse(a, rule, deny, &r);
	} else {
		/* Two colons: an IPv6 address, where the last group is no port. */
		if (colon != NULL && strchr(colon + 1, ':') == NULL) {
			if (!port_parse(colon + 1, strlen(colon + 1), &r.port))
				return strchr(colon, '/') != NULL
				           ? "has a path [write the host name alone]"
				           : "has no port from 1 to 65535";
			len = (size_t)(colon - rule);
		}
		why = host_parse(a, rule, len, deny, &r);
	}
	if (why == NULL)
		*out = r;
	return why;
}

/* Whether name has something, and a dot, in front of base. */
static bool
is_below(const struct host_name *h, const char *base)
{
	size_t len = strlen(base);

	return h->len > len + 1 && h->text[h->len - len - 1] == '.' &&
	       memcmp(h->text + h->len - len, base, len) == 0;
}

bool
host_rule_matches(const struct host_rule *r, const struct host_name *h)
{
	bool is_addr = h->addr.family != AF_UNSPEC;

	switch (r->kind) {
	case HOST_RULE_ANY:
		return true;
	case HOST_RULE_ADDR:
	case HOST_RULE_NETWORK:
		return is_addr && host_addr_within(&h->addr, &r->addr, r->bits);
	case HOST_RULE_NAME:
		return !is_addr && strcmp(h->text, r->name) == 0;
	case HOST_RULE_BELOW:
		return !is_addr && is_below(h, r->name);
	case HOST_RULE_TREE:
		return !is_addr &&
		       (strcmp(h->text, r->name) == 0 || is_below(h, r->name));
	}
	return false;
}

bool
host_rule_covers(const struct host_rule *outer, const struct host_rule *inner)
{
	struct host_name h;
	if (outer->port != 0 && outer->port != inner->port)
		return false;
	if (outer->kind == HOST_RULE_ANY || inner->kind == HOST_RULE_ANY)
		return outer->kind == HOST_RULE_ANY;
	if (outer->name == NULL || inner->name == NULL)
		return outer->name == NULL && inner->name == NULL &&
		       inner->bits >= outer->bits &&
		       host_addr_within(&inner->addr, &outer->addr, outer->bits);
	h.len = strlen(inner->name);
	memcpy(h.text, inner->name, h.len + 1);
	bool same = strcmp(outer->name, inner->name) == 0;
	bool below = is_below(&h, outer->name);
	if (outer->kind == HOST_RULE_NAME)
		return same && inner->kind == HOST_RULE_NAME;
	if (outer->kind == HOST_RULE_BELOW)
		return below || (same && inner->kind == HOST_RULE_BELOW);
	return same || below;
}

/* ---- ports ---- */

static bool
is_loopback(const struct host_port *hp)
{
	static const unsigned char one[16] = {[15] = 1};

	if (hp->family == AF_INET)
		return hp->addr[0] == 127;
	return memcmp(hp->addr, one, sizeof(one)) == 0;
}

const char *
host_port_parse(const char *text, struct host_port *out)
{
	const char *colon = strrchr(text, ':'),
	           *digits = colon == NULL ? text : colon + 1;
	struct host_port hp = {.family = AF_UNSPEC};
	struct host_addr addr;
	size_t len;

	if (!port_parse(digits, strlen(digits), &hp.port))
		return "is not [ADDRESS:]PORT with a port from 1 to 65535";
	if (colon != NULL) {
		bool six = text[0] == '[' && colon - text >= 2 && colon[-1] == ']';

		len = (size_t)(colon - text);
		if (!host_addr_parse(text + six, len - 2 * (size_t)six, &addr) ||
		    six != (memchr(text, ':', len) != NULL))
			return "has no address before the port [write the port alone, "
			       "127.0.0.1:PORT or [::1]:PORT]";
		hp.family = addr.family;
		memcpy(hp.addr, addr.bytes, sizeof(hp.addr));
		if (!is_loopback(&hp))
			return "is not an address of the loopback";
	}
	*out = hp;
	return NULL;
}

/* No address named means 127.0.0.1 and ::1. */
bool
host_port_covers(const struct host_port *outer, const struct host_port *inner)
{
	static const unsigned char first[16] = {127, 0, 0, 1}, one[16] = {[15] = 1};

	if (outer->port != inner->port)
		return false;
	if (outer->family == AF_UNSPEC)
		return inner->family == AF_UNSPEC ||
		       memcmp(inner->addr, inner->family == AF_INET ? first : one, 16) ==
		           0;
	return outer->family == inner->family &&
	       memcmp(outer->addr, inner->addr, 16) == 0;
}
