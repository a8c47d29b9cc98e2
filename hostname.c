/*
 * hostname.c: the canonical form of a host.
 *
 * Owns what is a host and how it is written. Must not resolve, judge or make a system
 * call. The bytes are hostile: everything that is not known to be a host is refused,
 * because a second reader (a resolver, a parent proxy, an origin) might understand it.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "hostname.h"
#include "punycode.h"
#include "util.h"

#define LABEL_MAX     63
#define ADDR_TEXT_MAX 45 /* the longest IPv6 text with a dotted quad in it */
#define ACE           "xn--"
#define ACE_LEN       4

/* ---- addresses ---- */

void
host_addr_make(int family, const void *bytes, struct host_addr *out)
{
	static const unsigned char mapped[12] = {[10] = 0xff, [11] = 0xff};
	const unsigned char *b = bytes;

	memset(out, 0, sizeof(*out));
	if (family == AF_INET6 && memcmp(b, mapped, sizeof(mapped)) == 0) {
		family = AF_INET;
		b += sizeof(mapped);
	}
	out->family = family;
	memcpy(out->bytes, b, family == AF_INET ? 4 : 16);
}

bool
host_addr_equal(const struct host_addr *a, const struct host_addr *b)
{
	return a->family == b->family &&
	       memcmp(a->bytes, b->bytes, sizeof(a->bytes)) == 0;
}

bool
host_addr_within(const struct host_addr *addr, const struct host_addr *net, unsigned bits)
{
	unsigned whole = bits / 8, rest = bits % 8;
	unsigned char mask = (unsigned char)(0xff00U >> rest);

	if (addr->family != net->family || memcmp(addr->bytes, net->bytes, whole) != 0)
		return false;
	return rest == 0 || ((addr->bytes[whole] ^ net->bytes[whole]) & mask) == 0;
}

bool
host_addr_parse(const char *s, size_t len, struct host_addr *out)
{
	char text[ADDR_TEXT_MAX + 1];
	unsigned char bytes[16];
	int family = memchr(s, ':', len) != NULL ? AF_INET6 : AF_INET;

	if (len > ADDR_TEXT_MAX || memchr(s, '\0', len) != NULL)
		return false;
	memcpy(text, s, len);
	text[len] = '\0';
	if (inet_pton(family, text, bytes) != 1)
		return false;
	host_addr_make(family, bytes, out);
	return true;
}

void
host_name_of_addr(const struct host_addr *addr, struct host_name *out)
{
	memset(out, 0, sizeof(*out));
	out->addr = *addr;
	if (inet_ntop(addr->family, addr->bytes, out->text, sizeof(out->text)) == NULL)
		out->text[0] = '\0';
	out->len = strlen(out->text);
}

/* -1 for a byte that is no digit. */
static int
digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* One part as strtoul(3) with base 0 reads it: 10, 012, 0xa. At most 32 bits. */
static bool
part_parse(const char *s, size_t len, uint64_t *out)
{
	int base = 10;

	if (len > 1 && s[0] == '0') {
		base = (s[1] | 0x20) == 'x' ? 16 : 8;
		s += base == 16 ? 2 : 1;
		len -= base == 16 ? 2 : 1;
	}
	*out = 0;
	for (size_t i = 0; i < len; i++) {
		int d = digit_value(s[i]);

		if (d < 0 || d >= base)
			return false;
		*out = *out * (unsigned)base + (unsigned)d;
		if (*out > UINT32_MAX)
			return false;
	}
	return len != 0;
}

/* inet_aton(3): one to four parts, the last fills the bytes that are left. */
static bool
addr4_parse(const char *s, size_t len, struct host_addr *out)
{
	unsigned char b[4] = {0};
	const char *end = s + len;
	size_t n = 0;

	for (;; n++) {
		const char *dot = memchr(s, '.', (size_t)(end - s));
		uint64_t v;

		if (!part_parse(s, (size_t)((dot == NULL ? end : dot) - s), &v))
			return false;
		if (dot == NULL) {
			if (v >> (8 * (4 - n)) != 0)
				return false;
			for (size_t i = 3; i + 1 > n; i--, v >>= 8)
				b[i] = (unsigned char)v;
			host_addr_make(AF_INET, b, out);
			return true;
		}
		if (n == 3 || v > 255)
			return false;
		b[n] = (unsigned char)v;
		s = dot + 1;
	}
}

/* ---- labels ---- */

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Whether resolvers take a name that ends in this label for an address. */
static bool
label_is_number(const char *label, size_t len)
{
	bool hex = len >= 2 && label[0] == '0' && (label[1] | 0x20) == 'x';

	for (size_t i = hex ? 2 : 0; i < len; i++)
		if (hex ? digit_value(label[i]) < 0 : !is_digit(label[i]))
			return false;
	return len != 0;
}

static char
lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

static bool
is_label_byte(char c)
{
	return is_digit(c) || (lower(c) >= 'a' && lower(c) <= 'z') || c == '-' ||
	       c == '_';
}

/* An "xn--" label stands for one text only: what does not come back is refused. */
static bool
ace_is_canonical(const char *label, size_t len)
{
	uint32_t points[LABEL_MAX];
	char again[LABEL_MAX];
	size_t n = punycode_decode(label + ACE_LEN, len - ACE_LEN, points, LABEL_MAX);
	size_t back = punycode_encode(points, n, again, sizeof(again));
	bool wide = false;

	for (size_t i = 0; i < n; i++) {
		if (points[i] >= 0x80 && points[i] < 0xa0)
			return false; /* control characters */
		wide = wide || points[i] >= 0x80;
	}
	return wide && back == len - ACE_LEN && memcmp(again, label + ACE_LEN, back) == 0;
}

/* Adds the label in lower case, with a dot in front unless it is the first. */
static const char *
label_add(struct host_name *h, const char *label, size_t len)
{
	size_t at = h->len == 0 ? 0 : h->len + 1;

	if (len == 0)
		return "has an empty label";
	if (len > LABEL_MAX)
		return "has a label of more than 63 bytes";
	if (at + len > HOST_TEXT_MAX)
		return "has more than 253 bytes";
	for (size_t i = 0; i < len; i++) {
		if (!is_label_byte(label[i]))
			return "has a byte that no host name has";
		h->text[at + i] = lower(label[i]);
	}
	if (at != 0)
		h->text[at - 1] = '.';
	h->len = at + len;
	if (len >= ACE_LEN && memcmp(h->text + at, ACE, ACE_LEN) == 0 &&
	    !ace_is_canonical(h->text + at, len))
		return "has an 'xn--' label that is no punycode";
	return NULL;
}

typedef const char *add_fn(struct host_name *h, const char *label, size_t len);

/* A name without a dot at the end, label by label. */
static const char *
labels_add(const char *s, size_t len, struct host_name *h, add_fn *add)
{
	const char *end = s + len;

	for (;;) {
		const char *dot = memchr(s, '.', (size_t)(end - s));
		size_t n = (size_t)((dot == NULL ? end : dot) - s);
		const char *why = add(h, s, n);

		if (why != NULL)
			return why;
		if (dot == NULL)
			break;
		s = dot + 1;
	}
	if (label_is_number(s, (size_t)(end - s)))
		return "ends in a number but is no address [write all four numbers]";
	return NULL;
}

/* ---- hosts of requests ---- */

static const char *
stray_byte(const char *s, size_t len)
{
	if (len == 0)
		return "is empty";
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)s[i];

		if (c <= ' ' || c == 0x7f)
			return "has a blank or a control byte";
		if (c >= 0x80)
			return "has a byte that is not ASCII";
		if (c == '%')
			return "has a '%'";
		if (c == '@')
			return "has a '@'";
	}
	return NULL;
}

const char *
host_name_parse(const char *s, size_t len, struct host_name *out)
{
	const char *why = stray_byte(s, len);
	struct host_addr addr;
	bool brackets = len != 0 && s[0] == '[';

	if (why != NULL)
		return why;
	if (brackets || memchr(s, ':', len) != NULL) {
		if (brackets && (len < 2 || s[len - 1] != ']'))
			return "has a '[' without ']'";
		s += brackets;
		len -= brackets ? 2 : 0;
		if (memchr(s, ':', len) == NULL || !host_addr_parse(s, len, &addr))
			return brackets ? "has brackets without an IPv6 address"
			                : "is neither a name nor an address";
		host_name_of_addr(&addr, out);
		return NULL;
	}
	if (len > 1 && s[len - 1] == '.')
		len--;
	if (addr4_parse(s, len, &addr)) {
		host_name_of_addr(&addr, out);
		return NULL;
	}
	memset(out, 0, sizeof(*out));
	return labels_add(s, len, out, label_add);
}

bool
port_parse(const char *s, size_t len, uint16_t *out)
{
	unsigned value = 0;

	if (len == 0 || len > 5)
		return false;
	for (size_t i = 0; i < len; i++) {
		if (!is_digit(s[i]))
			return false;
		value = value * 10 + (unsigned)(s[i] - '0');
	}
	*out = (uint16_t)value;
	return value != 0 && value <= UINT16_MAX;
}

const char *
host_authority_parse(
    const char *s, size_t len, uint16_t fallback, struct host_name *out, uint16_t *port)
{
	const char *close = len != 0 && s[0] == '[' ? memchr(s, ']', len) : NULL;
	size_t skip = close == NULL ? 0 : (size_t)(close - s) + 1;
	const char *colon = memchr(s + skip, ':', len - skip);
	size_t host_len = colon == NULL ? len : (size_t)(colon - s);

	*port = fallback;
	if (colon == NULL && fallback == 0)
		return "has no port";
	if (colon != NULL && !port_parse(colon + 1, len - host_len - 1, port))
		return "has no port from 1 to 65535";
	return host_name_parse(s, host_len, out);
}

size_t
host_authority_text(
    const struct host_name *h, uint16_t port, char out[HOST_AUTHORITY_MAX])
{
	bool six = h->addr.family == AF_INET6;
	int n = snprintf(
	    out, HOST_AUTHORITY_MAX, "%s%s%s", six ? "[" : "", h->text, six ? "]" : "");

	if (port != 0)
		n += snprintf(
		    out + n, HOST_AUTHORITY_MAX - (size_t)n, ":%u", (unsigned)port);
	return (size_t)n;
}

/* ---- hosts of rules ---- */

/*
 * Characters whose small form is a fixed step away; pairs: every other one, from first.
 * Only what NFC and IDNA leave as it is: the rest is in refused[].
 */
static const struct {
	uint32_t first, last;
	uint32_t step;
	bool pairs;
} folds[] = {
    {'A', 'Z', 32, false},
    {0xc0, 0xd6, 32, false},
    {0xd8, 0xde, 32, false},
    {0x100, 0x12e, 1, true},
    {0x134, 0x136, 1, true},
    {0x139, 0x13d, 1, true},
    {0x141, 0x147, 1, true},
    {0x14a, 0x176, 1, true},
    {0x179, 0x17d, 1, true},
    {0x386, 0x386, 38, false},
    {0x388, 0x38a, 37, false},
    {0x38c, 0x38c, 64, false},
    {0x38e, 0x38f, 63, false},
    {0x391, 0x3a1, 32, false},
    {0x3a3, 0x3ab, 32, false},
    {0x400, 0x40f, 80, false},
    {0x410, 0x42f, 32, false},
    {0x460, 0x480, 1, true},
    {0x48a, 0x4be, 1, true},
    {0x4c0, 0x4c0, 15, false},
    {0x4c1, 0x4cd, 1, true},
    {0x4d0, 0x52e, 1, true},
    {0x531, 0x556, 48, false},
    {0x1e00, 0x1e94, 1, true},
    {0x1ea0, 0x1efe, 1, true},
};

/*
 * Characters that IDNA maps to others or forbids (UTS 46), or that change under NFC, in
 * ranges that are rather too wide: the writer can always give the "xn--" form.
 */
static const struct {
	uint32_t first, last;
} refused[] = {
    {0x80, 0xbf},
    {0xd7, 0xd7},
    {0xf7, 0xf7},
    {0x130, 0x130},
    {0x132, 0x133},
    {0x13f, 0x140},
    {0x149, 0x149},
    {0x178, 0x178},
    {0x17f, 0x24f},
    {0x2b0, 0x385},
    {0x387, 0x387},
    {0x38b, 0x38b},
    {0x38d, 0x38d},
    {0x3a2, 0x3a2},
    {0x3cf, 0x3ff},
    {0x482, 0x489},
    {0x557, 0x560},
    {0x587, 0x58f},
    {0x610, 0x61f},
    {0x640, 0x640},
    {0x675, 0x678},
    {0x958, 0x95f},
    {0x9dc, 0x9df},
    {0xa33, 0xa36},
    {0xa59, 0xa5e},
    {0xb5c, 0xb5d},
    {0xe33, 0xe33},
    {0xeb3, 0xeb3},
    {0xedc, 0xedd},
    {0xf00, 0xfff},
    {0x10a0, 0x11ff},
    {0x13a0, 0x13ff},
    {0x1680, 0x1680},
    {0x180b, 0x180f},
    {0x1c80, 0x1cbf},
    {0x1d00, 0x1dff},
    {0x1e96, 0x1e9f},
    {0x1f00, 0x2dff},
    {0x2e00, 0x3004},
    {0x3006, 0x3006},
    {0x3008, 0x3020},
    {0x302a, 0x303f},
    {0x3099, 0x309c},
    {0x309f, 0x309f},
    {0x30a0, 0x30a0},
    {0x30ff, 0x30ff},
    {0x3130, 0x318f},
    {0x3190, 0x319f},
    {0x3200, 0x33ff},
    {0xa640, 0xa7ff},
    {0xab30, 0xabbf},
    {0xd7b0, 0xfdff},
    {0xfe00, 0xffff},
    {0x10000, 0x1ffff},
    {0x2f800, 0x2fa1f},
    {0xe0000, 0x10ffff},
};

static uint32_t
fold(uint32_t c)
{
	for (size_t i = 0; i < SRUN_ARRAY_LEN(folds); i++)
		if (c >= folds[i].first && c <= folds[i].last)
			return folds[i].pairs && (c - folds[i].first) % 2 != 0
			           ? c
			           : c + folds[i].step;
	return c;
}

static bool
is_refused(uint32_t c)
{
	for (size_t i = 0; i < SRUN_ARRAY_LEN(refused); i++)
		if (c >= refused[i].first && c <= refused[i].last)
			return true;
	return false;
}

/* The next character of UTF-8, or UINT32_MAX: overlong, a surrogate, cut short. */
static uint32_t
utf8_next(const char *s, size_t len, size_t *at)
{
	static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
	unsigned char c = (unsigned char)s[(*at)++];
	unsigned more = c < 0x80 ? 0 : c < 0xe0 ? 1 : c < 0xf0 ? 2 : 3;
	uint32_t v = more == 0 ? c : c & (0x3fU >> more);

	if ((c >= 0x80 && c < 0xc2) || c >= 0xf5)
		return UINT32_MAX;
	for (unsigned i = 0; i < more; i++) {
		if (*at == len || ((unsigned char)s[*at] & 0xc0) != 0x80)
			return UINT32_MAX;
		v = v << 6 | ((unsigned char)s[(*at)++] & 0x3f);
	}
	if (v < least[more] || v > 0x10ffff || (v >= 0xd800 && v <= 0xdfff))
		return UINT32_MAX;
	return v;
}

/* A label with characters beyond ASCII. */
static const char *
wide_label_add(struct host_name *h, const char *label, size_t len)
{
	uint32_t points[LABEL_MAX];
	char ace[LABEL_MAX] = ACE;
	size_t n = 0, ace_len;

	for (size_t at = 0; at < len; n++) {
		uint32_t c = utf8_next(label, len, &at);

		if (c == UINT32_MAX)
			return "is not UTF-8";
		if (n == LABEL_MAX)
			return "has a label of more than 63 bytes";
		if (c < 0x80 && !is_label_byte((char)c))
			return "has a byte that no host name has";
		if (is_refused(c))
			return "has a character that is mapped or forbidden in names "
			       "[write the label in its 'xn--' form]";
		points[n] = fold(c);
	}
	ace_len = punycode_encode(points, n, ace + ACE_LEN, sizeof(ace) - ACE_LEN);
	if (ace_len == 0)
		return "has a label of more than 63 bytes in its 'xn--' form";
	return label_add(h, ace, ACE_LEN + ace_len);
}

static const char *
rule_label_add(struct host_name *h, const char *label, size_t len)
{
	if (memchr(label, '*', len) != NULL)
		return "has a '*' that is not '*.' or '**.' in front";
	if (len != 0 && (label[0] == '-' || label[len - 1] == '-'))
		return "has a label that starts or ends with '-'";
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)label[i] >= 0x80)
			return wide_label_add(h, label, len);
	return label_add(h, label, len);
}

const char *
host_name_from_rule(const char *s, size_t len, struct host_name *out)
{
	if (len > 1 && s[len - 1] == '.')
		len--;
	memset(out, 0, sizeof(*out));
	return labels_add(s, len, out, rule_label_add);
}
