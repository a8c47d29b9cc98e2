/* test_hostname: the canonical form of hosts, of rules' names, and punycode. */
#include <sys/socket.h>

#include "hostname.h"
#include "punycode.h"
#include "tap.h"
#include "util.h"

#define L63  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define L61  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define N253 L63 "." L63 "." L63 "." L61

/* What a client wrote, and the canonical text; an address is marked with '=' in front. */
static const struct {
	const char *text, *want; /* NULL: refused */
} hosts[] = {
    {"example.com", "example.com"},
    {"Example.COM", "example.com"},
    {"example.com.", "example.com"},
    {"example.com..", NULL},
    {".", NULL},
    {"..", NULL},
    {"", NULL},
    {".example.com", NULL},
    {"a..b", NULL},
    {"db", "db"},
    {"db.", "db"},
    {"_dmarc.example.com", "_dmarc.example.com"},
    {"a-b.c--d.com", "a-b.c--d.com"},
    {"foo-.example.com", "foo-.example.com"},
    {"3com.com", "3com.com"},
    {"1.2.3.com", "1.2.3.com"},
    {"1.2.3.4.com", "1.2.3.4.com"},
    {"0x7f.com", "0x7f.com"},
    {L63 ".com", L63 ".com"},
    {L63 "a.com", NULL},
    {N253, N253},
    {N253 ".", N253},
    {N253 "a", NULL},
    {N253 ".a", NULL},
    {"exa mple.com", NULL},
    {" example.com", NULL},
    {"example.com ", NULL},
    {"example.com\t", NULL},
    {"example.com\r\n", NULL},
    {"exa\x01mple.com", NULL},
    {"exa\x7fmple.com", NULL},
    {"exa%6dple.com", NULL},
    {"user@example.com", NULL},
    {"example.com/", NULL},
    {"example.com?x", NULL},
    {"example.com#x", NULL},
    {"example.com\\x", NULL},
    {"a,b", NULL},
    {"*.example.com", NULL},
    {"*", NULL},
    {"example.com:80", NULL},
    {"m\xc3\xbcnchen.de", NULL},
    {"example\xe3\x80\x82"
     "com",
        NULL},
    {"\xef\xbd\x85xample.com", NULL},
    {"xn--mnchen-3ya.de", "xn--mnchen-3ya.de"},
    {"XN--Mnchen-3YA.de", "xn--mnchen-3ya.de"},
    {"xn--.com", NULL},
    {"xn--a.com", NULL},
    {"xn--abc-.com", NULL},
    {"xn--zzzzzzzzzz.com", "xn--zzzzzzzzzz.com"},
    {"xn--99999999.com", NULL},
    {"xn--mnchen-3y_.de", NULL},
    /* addresses of version 4, as inet_aton(3) reads them */
    {"127.0.0.1", "=127.0.0.1"},
    {"127.0.0.1.", "=127.0.0.1"},
    {"127.1", "=127.0.0.1"},
    {"127.0.1", "=127.0.0.1"},
    {"1.65535", "=1.0.255.255"},
    {"1.2.65535", "=1.2.255.255"},
    {"1.16777215", "=1.255.255.255"},
    {"1.16777216", NULL},
    {"1.2.65536", NULL},
    {"1.2.3.256", NULL},
    {"1.256.3.4", NULL},
    {"2130706433", "=127.0.0.1"},
    {"4294967295", "=255.255.255.255"},
    {"4294967296", NULL},
    {"99999999999999999999999", NULL},
    {"18446744073709551617", NULL}, /* 2^64 + 1 */
    {"0x1000000000000007f", NULL},
    {"0", "=0.0.0.0"},
    {"00", "=0.0.0.0"},
    {"0.0.0.0", "=0.0.0.0"},
    {"0x7f000001", "=127.0.0.1"},
    {"0X7F000001", "=127.0.0.1"},
    {"0x7f.1", "=127.0.0.1"},
    {"0x7f.0.0.0x1", "=127.0.0.1"},
    {"0x0000000000007f000001", "=127.0.0.1"},
    {"0x100000000", NULL},
    {"0x", NULL},
    {"0xg", "0xg"},
    {"0x7g.1", NULL},
    {"0177.0.0.1", "=127.0.0.1"},
    {"0177.0.0.3", "=127.0.0.3"},
    {"00000177.0.0.01", "=127.0.0.1"},
    {"017700000001", "=127.0.0.1"},
    {"010.0.0.1", "=8.0.0.1"},
    {"08.0.0.1", NULL},
    {"09", NULL},
    {"1.2.3.08", NULL},
    {"1.2.3.4.5", NULL},
    {"a.1", NULL},
    {"example.0x1", NULL},
    {"1..2", NULL},
    {"1.2.3.4..", NULL},
    {"-1", "-1"},
    {"+1", NULL},
    /* version 6 */
    {"::1", "=::1"},
    {"[::1]", "=::1"},
    {"[::1", NULL},
    {"::1]", NULL},
    {"[]", NULL},
    {"[", NULL},
    {"]", NULL},
    {"[[::1]]", NULL},
    {"[127.0.0.1]", NULL},
    {"[example.com]", NULL},
    {"[::1]x", NULL},
    {"::", "=::"},
    {"[::]", "=::"},
    {"2001:DB8::1", "=2001:db8::1"},
    {"2001:db8:0:0:0:0:0:1", "=2001:db8::1"},
    {"::ffff:127.0.0.3", "=127.0.0.3"},
    {"[::ffff:127.0.0.3]", "=127.0.0.3"},
    {"::ffff:7f00:1", "=127.0.0.1"},
    {"0:0:0:0:0:ffff:7f00:1", "=127.0.0.1"},
    {"64:ff9b::7f00:1", "=64:ff9b::7f00:1"},
    {"fe80::1%eth0", NULL},
    {"[fe80::1%25eth0]", NULL},
    {"fe80::1", "=fe80::1"},
    {":::", NULL},
    {":1", NULL},
    {"1:2:3:4:5:6:7", NULL},
    {"1:2:3:4:5:6:7:8:9", NULL},
    {"::ffff:127.1", NULL},
    {"::ffff:0177.0.0.1", NULL},
    {"::12345", NULL},
    {"::1.", NULL},
};

static void
test_hosts(void)
{
	for (size_t i = 0; i < SRUN_ARRAY_LEN(hosts); i++) {
		struct host_name h;
		const char *text = hosts[i].text, *want = hosts[i].want;
		const char *why = host_name_parse(text, strlen(text), &h);
		char got[HOST_TEXT_MAX + 2] = "";

		if (why == NULL) {
			snprintf(got, sizeof(got), "%s%s",
			    h.addr.family == AF_UNSPEC ? "" : "=", h.text);
			is_int(h.len, strlen(h.text), "the length of '%.40s'", text);
		}
		is_str(why == NULL ? got : NULL, want, "host '%.40s': %s", text,
		    why == NULL ? "good" : why);
	}
}

static void
test_bytes(void)
{
	static const char nul[] = "ok.test\0.evil.test", nul6[] = "::1\0:2";
	struct host_name h;

	ok(host_name_parse(nul, sizeof(nul) - 1, &h) != NULL, "NUL in a name");
	ok(host_name_parse(nul6, sizeof(nul6) - 1, &h) != NULL, "NUL in an address");
	ok(host_name_parse("ok.testX", 7, &h) == NULL, "the length counts");
	is_str(h.text, "ok.test", "and nothing behind it is read");
	for (int c = 0; c < 256; c++) {
		char text[] = "a?b.test";
		bool name = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
		            (c >= 'a' && c <= 'z') || c == '-' || c == '.' || c == '_';

		text[1] = (char)c;
		is_int(host_name_parse(text, sizeof(text) - 1, &h) == NULL, name,
		    "byte 0x%02x", (unsigned)c);
	}
}

static void
test_authorities(void)
{
	static const struct {
		const char *text;
		uint16_t fallback;
		const char *want; /* as host_authority_text writes it */
	} rows[] = {
	    {"ok.test:8443", 0, "ok.test:8443"},
	    {"OK.test.:8443", 0, "ok.test:8443"},
	    {"ok.test:65535", 0, "ok.test:65535"},
	    {"ok.test:00080", 0, "ok.test:80"},
	    {"127.1:80", 0, "127.0.0.1:80"},
	    {"[::1]:443", 0, "[::1]:443"},
	    {"[::ffff:1.2.3.4]:443", 0, "1.2.3.4:443"},
	    {"ok.test", 80, "ok.test:80"},
	    {"[::1]", 80, "[::1]:80"},
	    {"ok.test", 0, NULL},
	    {"[ok.test]:8443", 0, NULL},
	    {"[ok.test", 0, NULL},
	    {"ok.test]", 0, NULL},
	    {"ok.test:", 0, NULL},
	    {"ok.test:", 80, NULL},
	    {":8443", 0, NULL},
	    {"ok.test:0", 0, NULL},
	    {"ok.test:65536", 0, NULL},
	    {"ok.test:80 80", 0, NULL},
	    {"[ok.test]", 80, NULL},
	    {"[ok.test", 80, NULL},
	    {"ok.test]", 80, NULL},
	    {"ok.test]:80", 80, NULL},
	    {"ok.test:000080", 0, NULL},
	    {"ok.test:+80", 0, NULL},
	    {"ok.test:-1", 0, NULL},
	    {"ok.test:0x50", 0, NULL},
	    {"ok.test:http", 0, NULL},
	    {"ok.test:80:80", 0, NULL},
	    {"ok.test:80/", 0, NULL},
	    {"ok.test:80@bad.test:80", 0, NULL},
	    {"u@ok.test:80", 0, NULL},
	    {"::1:443", 0, NULL},
	    {"::1", 80, NULL},
	    {"[::1]443", 0, NULL},
	    {"[::1]:", 0, NULL},
	    {"[::1]x:80", 0, NULL},
	    {"[::1%1]:80", 0, NULL},
	    {"[]:80", 0, NULL},
	    {"", 80, NULL},
	    {":", 80, NULL},
	};

	for (size_t i = 0; i < SRUN_ARRAY_LEN(rows); i++) {
		struct host_name h;
		char text[HOST_AUTHORITY_MAX] = "";
		uint16_t port;
		size_t len;
		const char *why = host_authority_parse(
		    rows[i].text, strlen(rows[i].text), rows[i].fallback, &h, &port);

		if (why == NULL) {
			len = host_authority_text(&h, port, text);
			is_int(len, strlen(text), "its length");
		}
		is_str(why == NULL ? text : NULL, rows[i].want, "authority '%s': %s",
		    rows[i].text, why == NULL ? "good" : why);
	}
}

/* Names of rules: any script. */
static void
test_rule_names(void)
{
	static const struct {
		const char *text, *want;
	} rows[] = {
	    {"example.com", "example.com"},
	    {"m\xc3\xbcnchen.de", "xn--mnchen-3ya.de"},
	    {"M\xc3\x9cNCHEN.de", "xn--mnchen-3ya.de"},
	    {"b\xc3\xbc"
	     "cher.example",
	        "xn--bcher-kva.example"},
	    {"fa\xc3\x9f.de", "xn--fa-hia.de"},
	    {"\xe4\xbe\x8b\xe3\x81\x88.\xe3\x83\x86\xe3\x82\xb9\xe3\x83\x88",
	        "xn--r8jz45g.xn--zckzah"},
	    {"\xd0\xbf\xd1\x80\xd0\xb8\xd0\xbc\xd0\xb5\xd1\x80.\xd1\x80\xd1\x84",
	        "xn--e1afmkfd.xn--p1ai"},
	    {"\xd0\x9f\xd0\xa0\xd0\x98\xd0\x9c\xd0\x95\xd0\xa0.\xd0\xa0\xd0\xa4",
	        "xn--e1afmkfd.xn--p1ai"},
	    {"\xcf\x80\xce\xb1\xcf\x81\xce\xac\xce\xb4\xce\xb5\xce\xb9\xce\xb3\xce\xbc"
	     "\xce"
	     "\xb1",
	        "xn--hxajbheg2az3al"},
	    {"\xce\xa0\xce\x91\xce\xa1\xce\x86\xce\x94\xce\x95\xce\x99\xce\x93\xce\x9c"
	     "\xce"
	     "\x91",
	        "xn--hxajbheg2az3al"},
	    {"\xd9\x85\xd8\xab\xd8\xa7\xd9\x84", "xn--mgbh0fb"},
	    {"vi\xe1\xbb\x87tnam.vn", "xn--vitnam-jk8b.vn"},
	    {"\xc5\x81\xc3\xb3"
	     "d\xc5\xba.pl",
	        "xn--d-uga0v4h.pl"},
	    {"xn--mnchen-3ya.de", "xn--mnchen-3ya.de"},
	    {"u\xcc\x88.de", NULL},    /* not composed */
	    {"\xef\xbd\x81.de", NULL}, /* fullwidth */
	    {"a\xe3\x80\x82"
	     "de",
	        NULL}, /* a dot to IDNA */
	    {"a\xc2\xad"
	     "b.de",
	        NULL},                     /* soft hyphen */
	    {"\xe2\x84\xab.de", NULL},     /* compatibility */
	    {"\xf0\x9f\x92\xa9.de", NULL}, /* a symbol */
	    {"\xed\xa0\x80.de", NULL},     /* a surrogate */
	    {"\xe0\x81\xa1.de", NULL},     /* overlong */
	    {"\xc0\xae.de", NULL},         /* overlong */
	    {"\xf4\x90\x80\x80.de", NULL}, /* above the last */
	    {"\xe4\xbe.de", NULL},         /* cut short */
	    {"\xfc.de", NULL},
	    {"m\xc3\xbc nchen.de", NULL},
	    {"m\xc3\xbc%.de", NULL},
	    {"-m\xc3\xbc.de", NULL},
	    {"*.de", NULL},
	    {"a.1", NULL},
	};

	for (size_t i = 0; i < SRUN_ARRAY_LEN(rows); i++) {
		struct host_name h;
		const char *why =
		    host_name_from_rule(rows[i].text, strlen(rows[i].text), &h);

		is_str(why == NULL ? h.text : NULL, rows[i].want, "rule '%s': %s",
		    rows[i].text, why == NULL ? "good" : why);
	}
}

/* Every character that a rule may have makes a label that a request may have. */
static void
test_every_character(void)
{
	size_t good = 0, bad = 0;

	for (uint32_t c = 0x80; c <= 0x10ffff; c++) {
		char text[8], ace[64];
		struct host_name h, again;
		uint32_t back[4];
		size_t n = 0;

		if (c >= 0xd800 && c <= 0xdfff)
			continue;
		if (c < 0x800) {
			text[n++] = (char)(0xc0 | c >> 6);
		} else if (c < 0x10000) {
			text[n++] = (char)(0xe0 | c >> 12);
			text[n++] = (char)(0x80 | (c >> 6 & 0x3f));
		} else {
			text[n++] = (char)(0xf0 | c >> 18);
			text[n++] = (char)(0x80 | (c >> 12 & 0x3f));
			text[n++] = (char)(0x80 | (c >> 6 & 0x3f));
		}
		text[n++] = (char)(0x80 | (c & 0x3f));
		if (punycode_encode(&c, 1, ace, sizeof(ace)) == 0 ||
		    punycode_decode(
		        ace, punycode_encode(&c, 1, ace, sizeof(ace)), back, 4) != 1 ||
		    back[0] != c)
			bad++;
		if (host_name_from_rule(text, n, &h) != NULL)
			continue;
		good++;
		if (host_name_parse(h.text, h.len, &again) != NULL)
			bad++;
	}
	is_int(bad, 0, "each character comes back");
	ok(good > 40000, "most letters may stand in a rule (%zu)", good);
}

static void
test_punycode(void)
{
	/* RFC 3492 section 7.1, (A), (B), (L), (S), and one of our own. */
	static const struct {
		uint32_t points[20];
		size_t n;
		const char *want;
	} rows[] = {
	    {{0x0644, 0x064a, 0x0647, 0x0645, 0x0627, 0x0628, 0x062a, 0x0643, 0x0644,
	         0x0645, 0x0648, 0x0634, 0x0639, 0x0631, 0x0628, 0x064a, 0x061f},
	        17, "egbpdaj6bu4bxfgehfvwxn"},
	    {{0x4ed6, 0x4eec, 0x4e3a, 0x4ec0, 0x4e48, 0x4e0d, 0x8bf4, 0x4e2d, 0x6587}, 9,
	        "ihqwcrb4cv8a8dqg056pqjye"},
	    {{0x33, 0x5e74, 0x42, 0x7d44, 0x91d1, 0x516b, 0x5148, 0x751f}, 8,
	        "3B-ww4c5e180e575a65lsy2b"},
	    {{'-', '>', ' ', '$', '1', '.', '0', '0', ' ', '<', '-'}, 11, "-> $1.00 <--"},
	    {{0xfc}, 1, "tda"},
	};
	uint32_t big[64], out[64];
	char text[64];

	for (size_t i = 0; i < SRUN_ARRAY_LEN(rows); i++) {
		size_t n = punycode_encode(rows[i].points, rows[i].n, text, sizeof(text));

		ok(n == strlen(rows[i].want) && memcmp(text, rows[i].want, n) == 0,
		    "encoded: %s", rows[i].want);
		if (i == 2) /* has an upper case letter, which is its own */
			continue;
		n = punycode_decode(text, n, out, 64);
		ok(n == rows[i].n && memcmp(out, rows[i].points, n * sizeof(*out)) == 0,
		    "decoded: %s", rows[i].want);
		is_int(punycode_encode(
		           rows[i].points, rows[i].n, text, strlen(rows[i].want) - 1),
		    0, "no room for %s", rows[i].want);
	}
	for (size_t i = 0; i < 64; i++)
		big[i] = i % 2 == 0 ? 0x10ffff : 0x80;
	is_int(punycode_encode(big, 64, text, sizeof(text)), 0, "too much for a label");
	big[0] = 0x110000;
	is_int(punycode_encode(big, 1, text, sizeof(text)), 0, "no character");
	big[0] = 0xd800;
	is_int(
	    punycode_decode(text, punycode_encode(big, 1, text, sizeof(text)), out, 64),
	    0, "a surrogate");
	is_int(punycode_decode("99999999", 8, out, 64), 0, "overflow");
	is_int(punycode_decode("0", 1, out, 64), 0, "cut short");
	is_int(punycode_decode("A", 1, out, 64), 0, "an upper case digit");
	is_int(punycode_decode("tda", 3, out, 0), 0, "no room to decode");
	is_int(punycode_decode("", 0, out, 64), 0, "nothing");
}

static void
test_addresses(void)
{
	static const unsigned char mapped[16] = {[10] = 0xff, [11] = 0xff, 10, 0, 0, 1};
	static const unsigned char four[4] = {10, 0, 0, 1};
	struct host_addr a, b;
	struct host_name h;

	host_addr_make(AF_INET6, mapped, &a);
	host_addr_make(AF_INET, four, &b);
	ok(a.family == AF_INET && host_addr_equal(&a, &b), "mapped is IPv4");
	host_name_of_addr(&a, &h);
	is_str(h.text, "10.0.0.1", "its text");
	ok(host_addr_parse("10.255.0.1", 10, &b) && host_addr_within(&b, &a, 8) &&
	        !host_addr_within(&b, &a, 9) && host_addr_within(&b, &a, 0),
	    "within, at whole bytes and between");
	ok(host_addr_parse("10.0.0.3", 8, &b) && host_addr_within(&b, &a, 30) &&
	        !host_addr_within(&b, &a, 31) && !host_addr_within(&b, &a, 32),
	    "within, in the last byte");
	ok(host_addr_parse("::", 2, &b) && !host_addr_within(&b, &a, 0),
	    "another family is within nothing");
	ok(!host_addr_parse("127.1", 5, &b) && !host_addr_parse("[::1]", 5, &b),
	    "only addresses written out");
}

int
main(void)
{
	test_hosts();
	test_bytes();
	test_authorities();
	test_rule_names();
	test_every_character();
	test_punycode();
	test_addresses();
	return done();
}
