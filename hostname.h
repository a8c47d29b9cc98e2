/*
 * hostname.h: a host as a client or a rule writes it, in one canonical form. Pure.
 *
 * Whatever is judged, looked up, dialled, forwarded and reported is this form and never
 * the bytes that arrived, so that no two rooms can read one host differently.
 */
#ifndef SRUN_HOSTNAME_H
#define SRUN_HOSTNAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HOST_TEXT_MAX 253 /* bytes of a name, RFC 1035 as text without the last dot */

/*
 * AF_INET with the first four bytes and zeros behind, or AF_INET6. An IPv4-mapped
 * address (::ffff:a.b.c.d) is AF_INET: the kernel dials the same. family is AF_UNSPEC
 * where there is no address.
 */
struct host_addr {
	int family;
	unsigned char bytes[16];
};

struct host_name {
	struct host_addr addr;        /* family AF_UNSPEC: a name, to be looked up */
	char text[HOST_TEXT_MAX + 1]; /* lower case, no dot at the end, no brackets */
	size_t len;
};

/*
 * The host in the len bytes at s (any bytes; need not end in NUL). NULL and *out, or the
 * reason as words that follow the quoted host ("has an empty label").
 *
 * A name: ASCII letters, digits, '-', '_', one dot at the end taken off, labels of 1 to
 * 63 bytes, an "xn--" label only if it is what punycode makes of its characters. An
 * address: everything that inet_aton(3) takes (127.1, 0x7f000001, 0177.0.0.1,
 * 2130706433), IPv6 bare or in brackets. Refused besides: a zone ("%eth0"), brackets
 * around anything but IPv6, a last label that is a number without being an address.
 */
const char *host_name_parse(const char *s, size_t len, struct host_name *out);

/*
 * "HOST:PORT" as in CONNECT, Host and an URL: IPv6 must stand in brackets. Without
 * ":PORT" the port is fallback; if that is 0, a missing port is an error. "host:",
 * port 0 and anything behind the digits are errors always.
 */
const char *host_authority_parse(
    const char *s, size_t len, uint16_t fallback, struct host_name *out, uint16_t *port);

/* 1 to 65535 in at most five digits and nothing else. */
bool port_parse(const char *s, size_t len, uint16_t *out);

/* From the bytes of an address (SOCKS, DNS, sockaddr); family AF_INET or AF_INET6. */
void host_addr_make(int family, const void *bytes, struct host_addr *out);
void host_name_of_addr(const struct host_addr *addr, struct host_name *out);

bool host_addr_equal(const struct host_addr *a, const struct host_addr *b);
/* Whether addr lies in the network of the first bits of net (same family only). */
bool host_addr_within(
    const struct host_addr *addr, const struct host_addr *net, unsigned bits);

/* Room for "[" text "]:65535" and the NUL. */
#define HOST_AUTHORITY_MAX (HOST_TEXT_MAX + 9)
/*
 * "host:port" for a request line or a message, IPv6 in brackets; without ":port" when
 * port is 0. Returns its length.
 */
size_t host_authority_text(
    const struct host_name *h, uint16_t port, char out[HOST_AUTHORITY_MAX]);

/* ---- for rules: names that may have characters of any script ---- */

/*
 * As host_name_parse for a name (not for an address), with UTF-8 made punycode. Upper
 * case is folded for Latin, Greek and Cyrillic; what IDNA would map in other ways is an
 * error that asks for the "xn--" form, never a name that cannot match. Stricter than for
 * requests: no label starts or ends with '-'.
 */
const char *host_name_from_rule(const char *s, size_t len, struct host_name *out);

/* An address written out (inet_pton(3), no brackets); false if it is none. */
bool host_addr_parse(const char *s, size_t len, struct host_addr *out);

#endif
