/*
 * hostrule.c: domain rules, host ports and proxy URLs of the grant, as text.
 *
 * Owns what is well formed. Must not resolve, match or make a system call. A rule is
 * refused rather than mended: a URL or a short address in an allow list means that the
 * writer has something else in mind than what would be matched.
 */
#include <arpa/inet.h>
#include <string.h>
#include <sys/socket.h>

#include "hostrule.h"
#include "util.h"

#define NAME_MAX_BYTES  253
#define LABEL_MAX_BYTES 63
#define ADDR_MAX_TEXT   45 /* the longest IPv6 text with a dotted quad in it */
#define PORT_MAX        65535

static bool
port_parse(const char *s, uint16_t *out)
{
	const char *why;
	uint64_t value;

	if (strlen(s) > 5 || !parse_uint(s, 1, PORT_MAX, &value, &why))
		return false;
	*out = (uint16_t)value;
	return true;
}

/* The first len bytes of s as an address written out; AF_UNSPEC if it is none. */
static int
addr_parse(const char *s, size_t len, unsigned char addr[16])
{
	char text[ADDR_MAX_TEXT + 1];
	int family = memchr(s, ':', len) != NULL ? AF_INET6 : AF_INET;

	if (len > ADDR_MAX_TEXT)
		return AF_UNSPEC;
	memcpy(text, s, len);
	text[len] = '\0';
	return inet_pton(family, text, addr) == 1 ? family : AF_UNSPEC;
}

/* "ADDR/BITS" without bits set behind the prefix. */
static const char *
cidr_check(const char *s, size_t len, bool deny)
{
	const char *slash = memchr(s, '/', len), *why;
	unsigned char addr[16] = {0};
	char bits_text[4] = "";
	size_t alen = (size_t)(slash - s), blen = len - alen - 1;
	int family = addr_parse(s, alen, addr);
	uint64_t bits, width = family == AF_INET6 ? 128 : 32;

	if (family == AF_UNSPEC)
		return "has a path [write the host name alone]";
	if (blen < sizeof(bits_text))
		memcpy(bits_text, slash + 1, blen);
	if (!parse_uint(bits_text, 0, width, &bits, &why))
		return "has no prefix length that fits the address";
	if (bits == 0 && !deny)
		return "would allow every address";
	for (uint64_t i = bits; i < width; i++)
		if ((addr[i / 8] >> (7 - i % 8) & 1) != 0)
			return "has bits set behind the prefix [write the network's "
			       "address]";
	return NULL;
}

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool
is_hex(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* Whether resolvers take a name that ends in this label for an address. */
static bool
label_is_number(const char *label, size_t len)
{
	bool hex = len >= 2 && label[0] == '0' && (label[1] == 'x' || label[1] == 'X');

	for (size_t i = hex ? 2 : 0; i < len; i++)
		if (hex ? !is_hex(label[i]) : !is_digit(label[i]))
			return false;
	return len != 0;
}

/* Bytes of a multibyte character are taken: rules may have names of any script. */
static bool
label_byte(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       c == '-' || c == '_' || (unsigned char)c >= 0x80;
}

static const char *
label_check(const char *label, size_t len)
{
	if (len == 0)
		return "has an empty label";
	if (len > LABEL_MAX_BYTES)
		return "has a label of more than 63 bytes";
	if (label[0] == '-' || label[len - 1] == '-')
		return "has a label that starts or ends with '-'";
	for (size_t i = 0; i < len; i++) {
		if (label[i] == '*')
			return "has a '*' that is not '*.' or '**.' in front";
		if (!label_byte(label[i]))
			return "has a byte that no host name has";
	}
	return NULL;
}

/* Whether the bytes are well-formed UTF-8 as far as lead and continuation bytes go. */
static bool
utf8_plausible(const char *s, size_t len)
{
	for (size_t i = 0; i < len;) {
		unsigned char c = (unsigned char)s[i++];
		int more = c < 0x80 ? 0 : c < 0xc2 ? -1 : c < 0xe0 ? 1 : c < 0xf0 ? 2 : 3;

		if (more < 0 || c >= 0xf5)
			return false;
		for (; more > 0; more--)
			if (i >= len || ((unsigned char)s[i++] & 0xc0) != 0x80)
				return false;
	}
	return true;
}

/* A host name with an optional dot at the end. */
static const char *
name_check(const char *s, size_t len)
{
	size_t last = 0, last_len = 0;

	if (len > 1 && s[len - 1] == '.')
		len--;
	if (len > NAME_MAX_BYTES)
		return "has more than 253 bytes";
	if (!utf8_plausible(s, len))
		return "is not UTF-8";
	for (size_t i = 0; i <= len; i += last_len + 1) {
		const char *dot = memchr(s + i, '.', len - i), *why;

		last = i;
		last_len = dot == NULL ? len - i : (size_t)(dot - s) - i;
		why = label_check(s + i, last_len);
		if (why != NULL)
			return why;
	}
	if (label_is_number(s + last, last_len))
		return "ends in a number but is no address [write all four numbers]";
	return NULL;
}

/* What stands before the port, without brackets. */
static const char *
host_check(const char *s, size_t len, bool deny)
{
	unsigned char addr[16];
	size_t skip = 0;

	if (len == 0)
		return "has no host";
	if (len == 1 && s[0] == '*')
		return deny ? NULL : "is every host ['*' is for deny_domains only]";
	if (memchr(s, '/', len) != NULL)
		return cidr_check(s, len, deny);
	if (addr_parse(s, len, addr) != AF_UNSPEC)
		return NULL;
	if (memchr(s, ':', len) != NULL)
		return "is neither an address nor HOST:PORT";
	if (len >= 2 && memcmp(s, "*.", 2) == 0)
		skip = 2;
	else if (len >= 3 && memcmp(s, "**.", 3) == 0)
		skip = 3;
	return name_check(s + skip, len - skip);
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
bracket_check(const char *rule, bool deny)
{
	const char *close = strchr(rule, ']');
	unsigned char addr[16];
	uint16_t port;
	size_t len;

	if (close == NULL)
		return "has a '[' without ']'";
	len = (size_t)(close - rule) - 1;
	if (memchr(rule + 1, ':', len) == NULL)
		return "has brackets without an IPv6 address";
	if (close[1] != '\0' && (close[1] != ':' || !port_parse(close + 2, &port)))
		return "has no port from 1 to 65535 behind the brackets";
	if (memchr(rule + 1, '/', len) != NULL)
		return cidr_check(rule + 1, len, deny);
	if (addr_parse(rule + 1, len, addr) != AF_INET6)
		return "has brackets without an IPv6 address";
	return NULL;
}

const char *
domain_rule_check(const char *rule, bool deny)
{
	const char *why = stray_check(rule), *colon = strchr(rule, ':');
	uint16_t port;

	if (why != NULL)
		return why;
	if (rule[0] == '[')
		return bracket_check(rule, deny);
	/* Two colons: an IPv6 address, where the last group is no port. */
	if (colon == NULL || strchr(colon + 1, ':') != NULL)
		return host_check(rule, strlen(rule), deny);
	if (!port_parse(colon + 1, &port))
		return strchr(colon, '/') != NULL
		           ? "has a path [write the host name alone]"
		           : "has no port from 1 to 65535";
	return host_check(rule, (size_t)(colon - rule), deny);
}

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
	const char *colon = strrchr(text, ':');
	struct host_port hp = {.family = AF_UNSPEC};
	size_t len;

	if (!port_parse(colon == NULL ? text : colon + 1, &hp.port))
		return "is not [ADDRESS:]PORT with a port from 1 to 65535";
	if (colon != NULL) {
		bool six = text[0] == '[' && colon > text && colon[-1] == ']';

		len = (size_t)(colon - text);
		hp.family = six ? addr_parse(text + 1, len - 2, hp.addr)
		                : addr_parse(text, len, hp.addr);
		if (hp.family == AF_UNSPEC || six != (hp.family == AF_INET6))
			return "has no address before the port [write the port alone, "
			       "127.0.0.1:PORT or [::1]:PORT]";
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
	static const unsigned char first[4] = {127, 0, 0, 1};

	if (outer->port != inner->port)
		return false;
	if (outer->family == AF_UNSPEC)
		return inner->family != AF_INET || memcmp(inner->addr, first, 4) == 0;
	return outer->family == inner->family &&
	       memcmp(outer->addr, inner->addr, 16) == 0;
}

const char *
proxy_url_check(const char *url)
{
	static const char *const schemes[] = {"http://", "socks5://", "socks5h://"};
	const char *host = NULL, *at, *why;
	size_t len;

	for (size_t i = 0; i < SRUN_ARRAY_LEN(schemes); i++)
		if (str_starts(url, schemes[i]))
			host = url + strlen(schemes[i]);
	if (host == NULL)
		return "is not a proxy URL (http://HOST:PORT or socks5://HOST:PORT)";
	for (const char *p = host; *p != '\0'; p++)
		if ((unsigned char)*p <= ' ' || *p == 0x7f)
			return "has a blank or a control byte";
	at = strrchr(host, '@');
	host = at == NULL ? host : at + 1;
	len = strcspn(host, "/");
	if (host[len] != '\0' && host[len + 1] != '\0')
		return "has a path";
	if (len > NAME_MAX_BYTES + 8)
		return "has more than 253 bytes";
	{
		char text[NAME_MAX_BYTES + 9];

		memcpy(text, host, len);
		text[len] = '\0';
		if (strpbrk(text, "*/") != NULL)
			return "has no host name";
		why = domain_rule_check(text, false);
	}
	return why;
}
