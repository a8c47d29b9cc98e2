/* test_hostmatch: which hosts a grant lets be reached, and at which addresses. */
#include <stdlib.h>
#include <sys/socket.h>

#include "hostmatch.h"
#include "tap.h"

/* ---- a grant in few words ---- */

struct grant {
	const char *allow, *deny;
	const char *allow2, *deny2; /* of a --narrow file; both NULL: there is none */
	const char *ports;
};

static struct grant_text
text_of(struct arena *a, const char *name, const char *allow, const char *deny,
    const char *ports)
{
	struct bytes b = {NULL, 0, 0};

	bytes_puts(a, &b, "[network]\nmode = restricted\n");
	if (allow != NULL)
		bytes_printf(a, &b, "allow_domains = %s\n", allow);
	if (deny != NULL)
		bytes_printf(a, &b, "deny_domains = %s\n", deny);
	if (ports != NULL)
		bytes_printf(a, &b, "allow_host_ports = %s\n", ports);
	return (struct grant_text){
	    .name = name, .dir = "/", .data = b.data, .len = b.len};
}

static struct host_rules
rules_of(struct arena *a, const struct grant *g)
{
	static const char *const none[] = {NULL};
	struct grant_context ctx = {"/home/u", "/w", none};
	struct errs errs = {{NULL, 0}};
	struct grant_text base = text_of(a, "g", g->allow, g->deny, g->ports);
	struct grant_text narrow = text_of(a, "n", g->allow2, g->deny2, g->ports);
	bool two = g->allow2 != NULL || g->deny2 != NULL;
	const struct policy *p =
	    policy_build(a, &base, NULL, 0, &narrow, two ? 1 : 0, &ctx, &errs);

	if (p == NULL) {
		printf("Bail out! %s\n", errs.text.v[0]);
		exit(1);
	}
	return host_rules_make(a, p);
}

/* ---- hosts ---- */

static const char *
judge(struct arena *a, const struct grant *g, const char *host, uint16_t port)
{
	static const char *const verdicts[] = {
	    [HOST_NOT_GRANTED] = "no",
	    [HOST_DENIED] = "denied",
	    [HOST_GRANTED] = "granted",
	    [HOST_LOOPBACK] = "loopback",
	    [HOST_INSIDE] = "inside",
	};
	struct host_rules r = rules_of(a, g);
	struct host_judgement j;
	struct host_name h;

	if (host_name_parse(host, strlen(host), &h) != NULL)
		return "bad";
	j = host_judge(&r, &h, port);
	if (j.rule == NULL)
		return verdicts[j.verdict];
	return arena_printf(a, "%s %s", verdicts[j.verdict], j.rule->text);
}

#define OK                                                                               \
	{                                                                                \
		.allow = "ok.test"                                                       \
	}
#define BELOW                                                                            \
	{                                                                                \
		.allow = "*.ok.test"                                                     \
	}
#define TREE                                                                             \
	{                                                                                \
		.allow = "**.ok.test"                                                    \
	}
#define BOTH                                                                             \
	{                                                                                \
		.allow = "ok.test, *.ok.test"                                            \
	}
#define PORT                                                                             \
	{                                                                                \
		.allow = "ok.test:443"                                                   \
	}
#define PORTS                                                                            \
	{                                                                                \
		.allow = "ok.test:443, ok.test:80, *.ok.test:8080"                       \
	}
#define IP                                                                               \
	{                                                                                \
		.allow = "192.0.2.7"                                                     \
	}
#define IP6                                                                              \
	{                                                                                \
		.allow = "2001:db8::7, [2001:db8::8]:443"                                \
	}
#define NET                                                                              \
	{                                                                                \
		.allow = "192.0.2.0/28, 2001:db8:1::/48, [2001:db8:2::/48]:443"          \
	}
#define IPPORT                                                                           \
	{                                                                                \
		.allow = "192.0.2.7:443, 198.51.100.0/24:22"                             \
	}
#define IDN                                                                              \
	{                                                                                \
		.allow = "m\xc3\xbcnchen.de, *.B\xc3\x9c"                                \
		         "cher.example"                                                  \
	}
#define DENY                                                                             \
	{                                                                                \
		.allow = "**.ok.test", .deny = "bad.ok.test"                             \
	}
#define DENYALL                                                                          \
	{                                                                                \
		.allow = "ok.test, 192.0.2.7", .deny2 = "*"                              \
	}
#define DENY22                                                                           \
	{                                                                                \
		.allow = "**.ok.test", .deny = "*:22"                                    \
	}
#define DENYSUB                                                                          \
	{                                                                                \
		.allow = "**.ok.test", .deny = "*.b.ok.test, ok.test:22"                 \
	}
#define DENYIP                                                                           \
	{                                                                                \
		.allow = "192.0.2.0/24", .deny = "192.0.2.8/29, 192.0.2.1:80"            \
	}
#define DENYV4                                                                           \
	{                                                                                \
		.allow = "64:ff9b::/96, ::/8, 2002::/16", .deny = "10.0.0.0/8"           \
	}
#define TWO                                                                              \
	{                                                                                \
		.allow = "**.ok.test, x.test", .allow2 = "a.ok.test, y.test"             \
	}
#define TWODENY                                                                          \
	{                                                                                \
		.allow = "**.ok.test", .allow2 = "**.ok.test", .deny2 = "a.ok.test"      \
	}
#define TWONONE                                                                          \
	{                                                                                \
		.allow = "**.ok.test", .deny2 = "z.test"                                 \
	}
#define TWOPORT                                                                          \
	{                                                                                \
		.allow = "ok.test:443, ok.test:80", .allow2 = "ok.test:443"              \
	}
#define TWOIP                                                                            \
	{                                                                                \
		.allow = "10.0.0.0/8", .allow2 = "10.1.0.0/16"                           \
	}
#define HOSTP                                                                            \
	{                                                                                \
		.allow = "ok.test", .ports = "5432, 127.0.0.2:80, [::1]:81"              \
	}
#define LOOP                                                                             \
	{                                                                                \
		.allow = "127.0.0.2, 127.0.0.3:80, ::1"                                  \
	}
#define LOOPNET                                                                          \
	{                                                                                \
		.allow = "127.0.0.0/8"                                                   \
	}
#define WIDE                                                                             \
	{                                                                                \
		.allow = "0.0.0.0/1, 128.0.0.0/1"                                        \
	}
#define NONE                                                                             \
	{                                                                                \
		0                                                                        \
	}
#define TESTS                                                                            \
	{                                                                                \
		.allow = "*.test"                                                        \
	}

static const struct {
	struct grant grant;
	const char *host;
	uint16_t port;
	const char *want;
} hosts[] = {
    {OK, "ok.test", 443, "granted ok.test"},
    {OK, "ok.test", 1, "granted ok.test"},
    {OK, "ok.test", 65535, "granted ok.test"},
    {OK, "ok.test", 0, "granted ok.test"},
    {OK, "OK.Test.", 443, "granted ok.test"},
    {OK, "a.ok.test", 443, "no"},
    {OK, "test", 443, "no"},
    {OK, "ok", 443, "no"},
    {OK, "ok.tes", 443, "no"},
    {OK, "ok.testx", 443, "no"},
    {OK, "ok.test.com", 443, "no"},
    {OK, "k.test", 443, "no"},
    {OK, "192.0.2.7", 443, "no"},
    {OK, "ok.test..", 443, "bad"},
    {OK, "ok%2etest", 443, "bad"},
    {{.allow = "OK.Test."}, "ok.test", 443, "granted OK.Test."},
    {{.allow = "db"}, "db", 5432, "granted db"},
    {{.allow = "db"}, "DB.", 5432, "granted db"},
    {{.allow = "db"}, "x.db", 5432, "no"},
    {{.allow = "*.com"}, "example.com", 443, "granted *.com"},
    {{.allow = "*.com"}, "com", 443, "no"},
    {{.allow = "_x.ok.test"}, "_x.ok.test", 443, "granted _x.ok.test"},
    /* labels are compared whole */
    {BOTH, "ok.test", 8080, "granted ok.test"},
    {BOTH, "api.ok.test", 8080, "granted *.ok.test"},
    {BOTH, "a.b.ok.test", 8080, "granted *.ok.test"},
    {BOTH, "notok.test", 8080, "no"},
    {BOTH, "ok.test.evil.test", 8080, "no"},
    {BOTH, "xok.test", 8080, "no"},
    {BOTH, "okatest", 8080, "no"},
    {BOTH, "ok-test", 8080, "no"},
    {BOTH, "api-ok.test", 8080, "no"},
    {BOTH, "ok.test.ok.test", 8080, "granted *.ok.test"},
    {BOTH, "-ok.test", 8080, "no"},
    {BOTH, ".ok.test", 8080, "bad"},
    /* the rule does not know the protocol: there is one question for all */
    {OK, "bad.test", 8080, "no"},
    {OK, "bad.test", 80, "no"},
    {OK, "bad.test", 443, "no"},
    /* nor does it know the peer or a header */
    {OK, "bad.test", 8443, "no"},
    {BELOW, "ok.test", 443, "no"},
    {BELOW, "a.ok.test", 443, "granted *.ok.test"},
    {BELOW, "a.b.c.d.ok.test", 443, "granted *.ok.test"},
    {BELOW, "aok.test", 443, "no"},
    {BELOW, "*.ok.test", 443, "bad"},
    {TREE, "ok.test", 443, "granted **.ok.test"},
    {TREE, "a.ok.test", 443, "granted **.ok.test"},
    {TREE, "a.b.ok.test", 443, "granted **.ok.test"},
    {TREE, "aok.test", 443, "no"},
    {TREE, "test", 443, "no"},
    {{.allow = "**.ok.test, ok.test"}, "ok.test", 443, "granted ok.test"},
    {{.allow = "ok.test, **.ok.test"}, "ok.test", 443, "granted ok.test"},
    /* ports */
    {PORT, "ok.test", 443, "granted ok.test:443"},
    {PORT, "ok.test", 80, "no ok.test:443"},
    {PORT, "ok.test", 4430, "no ok.test:443"},
    {PORT, "ok.test", 44, "no ok.test:443"},
    {PORT, "ok.test", 0, "no ok.test:443"},
    {PORT, "a.ok.test", 443, "no"},
    {PORTS, "ok.test", 80, "granted ok.test:80"},
    {PORTS, "ok.test", 443, "granted ok.test:443"},
    {PORTS, "ok.test", 8080, "no ok.test:80"},
    {PORTS, "a.ok.test", 8080, "granted *.ok.test:8080"},
    {PORTS, "a.ok.test", 443, "no *.ok.test:8080"},
    {PORTS, "ok.test", 0, "no ok.test:80"},
    {{.allow = "ok.test:443, ok.test"}, "ok.test", 80, "granted ok.test"},
    {{.allow = "ok.test:443, ok.test"}, "ok.test", 0, "granted ok.test"},
    /* addresses, in every spelling */
    {IP, "192.0.2.7", 443, "granted 192.0.2.7"},
    {IP, "192.0.2.7.", 443, "granted 192.0.2.7"},
    {IP, "192.0.519", 443, "granted 192.0.2.7"},
    {IP, "192.519", 443, "granted 192.0.2.7"},
    {IP, "3221225991", 443, "granted 192.0.2.7"},
    {IP, "0xc0000207", 443, "granted 192.0.2.7"},
    {IP, "0xC0.0.0x2.7", 443, "granted 192.0.2.7"},
    {IP, "0300.0.02.07", 443, "granted 192.0.2.7"},
    {IP, "::ffff:192.0.2.7", 443, "granted 192.0.2.7"},
    {IP, "[::ffff:c000:207]", 443, "granted 192.0.2.7"},
    {IP, "::192.0.2.7", 443, "no"},
    {IP, "64:ff9b::192.0.2.7", 443, "no"},
    {IP, "2002:c000:207::", 443, "no"},
    {IP, "192.0.2.8", 443, "no"},
    {IP, "192.0.2.70", 443, "no"},
    {IP, "1.192.0.2.7", 443, "bad"},
    {IP, "a.192.0.2.7", 443, "bad"},
    {IP, "192.0.2.7.nip.io", 443, "no"},
    {IP, "ok.test", 443, "no"},
    {IP6, "2001:db8::7", 443, "granted 2001:db8::7"},
    {IP6, "2001:DB8:0:0::7", 80, "granted 2001:db8::7"},
    {IP6, "[2001:0db8:0000::0007]", 443, "granted 2001:db8::7"},
    {IP6, "2001:db8::8", 443, "granted [2001:db8::8]:443"},
    {IP6, "2001:db8::8", 80, "no [2001:db8::8]:443"},
    {IP6, "2001:db8::9", 443, "no"},
    {IP6, "2001:db8::7%1", 443, "bad"},
    {{.allow = "::ffff:192.0.2.7"}, "192.0.2.7", 443, "granted ::ffff:192.0.2.7"},
    {{.allow = "::ffff:192.0.2.0/120"}, "192.0.2.9", 443, "granted ::ffff:192.0.2.0/120"},
    {{.allow = "::ffff:192.0.2.0/120"}, "192.0.3.9", 443, "no"},
    {NET, "192.0.2.0", 443, "granted 192.0.2.0/28"},
    {NET, "192.0.2.15", 443, "granted 192.0.2.0/28"},
    {NET, "192.0.2.16", 443, "no"},
    {NET, "192.0.1.255", 443, "no"},
    {NET, "::ffff:192.0.2.15", 443, "granted 192.0.2.0/28"},
    {NET, "2001:db8:1:ffff::1", 443, "granted 2001:db8:1::/48"},
    {NET, "2001:db8:3::", 443, "no"},
    {NET, "2001:db8:2::1", 443, "granted [2001:db8:2::/48]:443"},
    {NET, "2001:db8:2::1", 80, "no [2001:db8:2::/48]:443"},
    {NET, "x.test", 443, "no"},
    {IPPORT, "192.0.2.7", 443, "granted 192.0.2.7:443"},
    {IPPORT, "192.0.2.7", 80, "no 192.0.2.7:443"},
    {IPPORT, "198.51.100.9", 22, "granted 198.51.100.0/24:22"},
    {IPPORT, "198.51.100.9", 23, "no 198.51.100.0/24:22"},
    {{.allow = "**.2.7x"}, "192.0.2.7", 443, "no"},
    /* other scripts: only in rules */
    {IDN, "xn--mnchen-3ya.de", 443, "granted m\xc3\xbcnchen.de"},
    {IDN, "XN--MNCHEN-3YA.DE.", 443, "granted m\xc3\xbcnchen.de"},
    {IDN, "m\xc3\xbcnchen.de", 443, "bad"},
    {IDN, "munchen.de", 443, "no"},
    {IDN, "a.xn--bcher-kva.example", 443,
        "granted *.B\xc3\x9c"
        "cher.example"},
    {IDN, "xn--bcher-kva.example", 443, "no"},
    {{.allow = "xn--mnchen-3ya.de"}, "xn--mnchen-3ya.de", 443,
        "granted xn--mnchen-3ya.de"},
    /* deny wins */
    {DENYALL, "ok.test", 443, "denied *"},
    {DENYALL, "192.0.2.7", 443, "denied *"},
    {DENYALL, "x.test", 443, "denied *"},
    {DENYALL, "localhost", 443, "denied *"},
    {DENY, "ok.test", 443, "granted **.ok.test"},
    {DENY, "a.ok.test", 443, "granted **.ok.test"},
    {DENY, "bad.ok.test", 443, "denied bad.ok.test"},
    {DENY, "BAD.ok.test.", 443, "denied bad.ok.test"},
    {DENY, "x.bad.ok.test", 443, "granted **.ok.test"},
    {DENY22, "ok.test", 443, "granted **.ok.test"},
    {DENY22, "ok.test", 22, "denied *:22"},
    {DENY22, "ok.test", 0, "denied *:22"},
    {DENY22, "x.test", 22, "denied *:22"},
    {DENYSUB, "ok.test", 443, "granted **.ok.test"},
    {DENYSUB, "ok.test", 22, "denied ok.test:22"},
    {DENYSUB, "b.ok.test", 443, "granted **.ok.test"},
    {DENYSUB, "a.b.ok.test", 443, "denied *.b.ok.test"},
    {DENYSUB, "a.b.c.ok.test", 443, "granted **.ok.test"},
    {DENYIP, "192.0.2.2", 80, "granted 192.0.2.0/24"},
    {DENYIP, "192.0.2.1", 80, "denied 192.0.2.1:80"},
    {DENYIP, "192.0.2.1", 443, "granted 192.0.2.0/24"},
    {DENYIP, "192.0.2.8", 443, "denied 192.0.2.8/29"},
    {DENYIP, "192.0.2.15", 443, "denied 192.0.2.8/29"},
    {DENYIP, "192.0.527", 443, "denied 192.0.2.8/29"},
    {DENYIP, "::ffff:192.0.2.15", 443, "denied 192.0.2.8/29"},
    {DENYIP, "192.0.2.16", 443, "granted 192.0.2.0/24"},
    {DENYV4, "64:ff9b::10.0.0.1", 443, "denied 10.0.0.0/8"},
    {DENYV4, "::10.0.0.1", 443, "denied 10.0.0.0/8"},
    {DENYV4, "2002:a00:1::", 443, "denied 10.0.0.0/8"},
    {DENYV4, "64:ff9b::11.0.0.1", 443, "granted 64:ff9b::/96"},
    {{.allow = "ok.test", .deny2 = "ok.test"}, "ok.test", 443, "denied ok.test"},
    {{.allow = "ok.test:443", .deny = "ok.test:80"}, "ok.test", 443,
        "granted ok.test:443"},
    {{.allow = "ok.test", .deny = "localhost"}, "localhost", 1, "denied localhost"},
    /* every layer must allow, any deny wins */
    {TWO, "a.ok.test", 443, "granted **.ok.test"},
    {TWO, "ok.test", 443, "no"},
    {TWO, "x.test", 443, "no"},
    {TWO, "y.test", 443, "no"},
    {TWODENY, "ok.test", 443, "granted **.ok.test"},
    {TWODENY, "a.ok.test", 443, "denied a.ok.test"},
    {TWONONE, "ok.test", 443, "no"},
    {TWONONE, "z.test", 443, "denied z.test"},
    {TWOPORT, "ok.test", 443, "granted ok.test:443"},
    {TWOPORT, "ok.test", 80, "no ok.test:443"},
    {TWOIP, "10.1.2.3", 443, "granted 10.0.0.0/8"},
    {TWOIP, "10.2.2.3", 443, "no"},
    {{.allow = "a.test", .deny = "b.test", .allow2 = "a.test, b.test"}, "b.test", 443,
        "denied b.test"},
    {NONE, "ok.test", 443, "no"},
    {NONE, "192.0.2.1", 443, "no"},
    /* the loopback */
    {NONE, "localhost", 8001, "inside"},
    {NONE, "127.0.0.1", 8001, "inside"},
    {NONE, "127.0.0.2", 8080, "inside"},
    {NONE, "127.1", 8001, "inside"},
    {NONE, "[::1]", 8001, "inside"},
    {NONE, "::ffff:127.0.0.3", 80, "inside"},
    {NONE, "LOCALHOST.", 8001, "inside"},
    {NONE, "x.localhost", 8001, "inside"},
    {NONE, "xlocalhost", 8001, "no"},
    {NONE, "localhost.test", 8001, "no"},
    {NONE, "0.0.0.0", 8001, "no"},
    {NONE, "0", 8001, "no"},
    {NONE, "[::]", 8001, "no"},
    {NONE, "::127.0.0.1", 8001, "no"},
    {NONE, "64:ff9b::7f00:1", 8001, "no"},
    {HOSTP, "127.0.0.1", 5432, "loopback"},
    {HOSTP, "::1", 5432, "loopback"},
    {HOSTP, "localhost", 5432, "loopback"},
    {HOSTP, "db.localhost", 5432, "loopback"},
    {HOSTP, "127.0.0.2", 5432, "inside"},
    {HOSTP, "127.0.0.1", 5433, "inside"},
    {HOSTP, "127.0.0.2", 80, "loopback"},
    {HOSTP, "127.0.0.1", 80, "inside"},
    {HOSTP, "localhost", 80, "inside"},
    {HOSTP, "localhost", 81, "loopback"},
    {HOSTP, "::1", 81, "loopback"},
    {HOSTP, "127.0.0.1", 81, "inside"},
    {HOSTP, "64:ff9b::7f00:1", 5432, "no"},
    {HOSTP, "127.0.0.1", 0, "inside"},
    {HOSTP, "ok.test", 5432, "granted ok.test"},
    {{.allow = "ok.test", .deny = "127.0.0.0/8", .ports = "80"}, "127.0.0.1", 80,
        "denied 127.0.0.0/8"},
    {LOOP, "127.0.0.2", 8080, "granted 127.0.0.2"},
    {LOOP, "127.0.0.3", 80, "granted 127.0.0.3:80"},
    {LOOP, "127.0.0.3", 81, "inside"},
    {LOOP, "127.0.0.1", 80, "inside"},
    {LOOP, "::1", 80, "granted ::1"},
    {LOOP, "localhost", 80, "inside"},
    {LOOPNET, "127.0.0.1", 80, "granted 127.0.0.0/8"},
    {LOOPNET, "::1", 80, "inside"},
    {WIDE, "127.0.0.1", 80, "inside"},
    {WIDE, "192.0.2.1", 80, "granted 128.0.0.0/1"},
    {WIDE, "2001:db8::1", 80, "no"},
    {{.allow = "127.0.0.0/8", .allow2 = "127.0.0.2"}, "127.0.0.1", 80, "inside"},
    {{.allow = "127.0.0.0/8", .allow2 = "127.0.0.2"}, "127.0.0.2", 80,
        "granted 127.0.0.0/8"},
    /* no address is a name below "test" */
    {TESTS, "0.0.0.0", 80, "no"},
    {TESTS, "127.1", 80, "inside"},
    {TESTS, "2130706433", 80, "inside"},
    {TESTS, "0x7f000003", 80, "inside"},
    {TESTS, "0177.0.0.3", 80, "inside"},
    {TESTS, "[::ffff:127.0.0.3]", 80, "inside"},
    {TESTS, "[::]", 80, "no"},
    {TESTS, "100.100.100.200", 80, "no"},
    {TESTS, "169.254.169.254", 80, "no"},
};

static void
test_hosts(void)
{
	for (size_t i = 0; i < SRUN_ARRAY_LEN(hosts); i++) {
		struct arena a = {NULL};
		const struct grant *g = &hosts[i].grant;

		is_str(judge(&a, g, hosts[i].host, hosts[i].port), hosts[i].want,
		    "%s%s%s: %s:%u", g->allow == NULL ? "" : g->allow,
		    g->deny == NULL ? "" : " but ", g->deny == NULL ? "" : g->deny,
		    hosts[i].host, (unsigned)hosts[i].port);
		arena_free(&a);
	}
}

/* ---- addresses ---- */

static const struct host_addr own[] = {
    {AF_INET, {127, 0, 0, 1}},
    {AF_INET, {192, 168, 1, 5}},
    {AF_INET, {203, 0, 113, 9}},
    {AF_INET6, {0x20, 0x01, 0x0d, 0xb8, [15] = 0x55}},
};
static const struct host_addr_list own_list = {own, SRUN_ARRAY_LEN(own)};

static const struct {
	const char *addr;
	enum addr_class class;
} classes[] = {
    {"8.8.8.8", ADDR_PUBLIC},
    {"1.1.1.1", ADDR_PUBLIC},
    {"192.0.2.1", ADDR_PUBLIC},
    {"198.51.100.1", ADDR_PUBLIC},
    {"203.0.113.1", ADDR_PUBLIC},
    {"126.255.255.255", ADDR_PUBLIC},
    {"128.0.0.0", ADDR_PUBLIC},
    {"9.255.255.255", ADDR_PUBLIC},
    {"11.0.0.0", ADDR_PUBLIC},
    {"172.15.255.255", ADDR_PUBLIC},
    {"172.32.0.0", ADDR_PUBLIC},
    {"192.167.255.255", ADDR_PUBLIC},
    {"192.169.0.0", ADDR_PUBLIC},
    {"100.63.255.255", ADDR_PUBLIC},
    {"100.128.0.0", ADDR_PUBLIC},
    {"169.253.255.255", ADDR_PUBLIC},
    {"169.255.0.0", ADDR_PUBLIC},
    {"198.17.255.255", ADDR_PUBLIC},
    {"198.20.0.0", ADDR_PUBLIC},
    {"223.255.255.255", ADDR_PUBLIC},
    {"192.0.1.0", ADDR_PUBLIC},
    {"2606:4700::1111", ADDR_PUBLIC},
    {"2001:db8::1", ADDR_PUBLIC},
    {"fec0::", ADDR_PRIVATE},
    {"127.0.0.1", ADDR_LOOPBACK},
    {"127.255.255.255", ADDR_LOOPBACK},
    {"127.0.0.2", ADDR_LOOPBACK},
    {"::1", ADDR_LOOPBACK},
    {"0.0.0.0", ADDR_UNSPECIFIED},
    {"0.255.255.255", ADDR_UNSPECIFIED},
    {"::", ADDR_UNSPECIFIED},
    {"169.254.0.1", ADDR_LINK_LOCAL},
    {"169.254.255.255", ADDR_LINK_LOCAL},
    {"fe80::1", ADDR_LINK_LOCAL},
    {"febf::1", ADDR_LINK_LOCAL},
    {"169.254.169.254", ADDR_METADATA},
    {"169.254.170.2", ADDR_METADATA},
    {"169.254.170.23", ADDR_METADATA},
    {"100.100.100.200", ADDR_METADATA},
    {"168.63.129.16", ADDR_METADATA},
    {"192.0.0.192", ADDR_METADATA},
    {"fd00:ec2::254", ADDR_METADATA},
    {"fd00:ec2::23", ADDR_METADATA},
    {"fd20:ce::254", ADDR_METADATA},
    {"fd00:c1::a9fe:a9fe", ADDR_METADATA},
    {"fd00:42::42", ADDR_METADATA},
    {"fd00:a9fe:a9fe::1", ADDR_METADATA},
    {"fd00:100::100:200", ADDR_METADATA},
    {"fd20:ce::255", ADDR_PRIVATE},
    {"168.63.129.17", ADDR_PUBLIC},
    {"100.100.100.201", ADDR_PRIVATE},
    {"224.0.0.1", ADDR_MULTICAST},
    {"239.255.255.255", ADDR_MULTICAST},
    {"ff02::1", ADDR_MULTICAST},
    {"255.255.255.255", ADDR_BROADCAST},
    {"10.0.0.0", ADDR_PRIVATE},
    {"10.255.255.255", ADDR_PRIVATE},
    {"172.16.0.0", ADDR_PRIVATE},
    {"172.31.255.255", ADDR_PRIVATE},
    {"192.168.0.1", ADDR_PRIVATE},
    {"100.64.0.1", ADDR_PRIVATE},
    {"192.0.0.8", ADDR_PRIVATE},
    {"198.18.0.1", ADDR_PRIVATE},
    {"198.19.255.255", ADDR_PRIVATE},
    {"240.0.0.1", ADDR_PRIVATE},
    {"255.255.255.254", ADDR_PRIVATE},
    {"fc00::1", ADDR_PRIVATE},
    {"fdff::1", ADDR_PRIVATE},
    {"192.168.1.5", ADDR_OWN},
    {"203.0.113.9", ADDR_OWN},
    {"2001:db8::55", ADDR_OWN},
    /* what IPv6 carries */
    {"::ffff:127.0.0.1", ADDR_LOOPBACK},
    {"::ffff:10.0.0.1", ADDR_PRIVATE},
    {"::ffff:8.8.8.8", ADDR_PUBLIC},
    {"::127.0.0.1", ADDR_LOOPBACK},
    {"::10.0.0.1", ADDR_PRIVATE},
    {"::2", ADDR_UNSPECIFIED},
    {"::169.254.169.254", ADDR_METADATA},
    {"::ffff:0:127.0.0.1", ADDR_LOOPBACK},
    {"::ffff:0:203.0.113.9", ADDR_OWN},
    {"64:ff9b::127.0.0.1", ADDR_LOOPBACK},
    {"64:ff9b::7f00:1", ADDR_LOOPBACK},
    {"64:ff9b::169.254.169.254", ADDR_METADATA},
    {"64:ff9b::192.168.1.5", ADDR_OWN},
    {"64:ff9b::192.168.1.6", ADDR_PRIVATE},
    {"64:ff9b::8.8.8.8", ADDR_PUBLIC},
    {"64:ff9b:1::8.8.8.8", ADDR_PRIVATE},
    {"64:ff9b:1::127.0.0.1", ADDR_LOOPBACK},
    {"64:ff9b:1::169.254.169.254", ADDR_METADATA},
    {"2002:7f00:1::", ADDR_LOOPBACK},
    {"2002:7f00:1::1", ADDR_LOOPBACK},
    {"2002:a00:1::1", ADDR_PRIVATE},
    {"2002:a9fe:a9fe::1", ADDR_METADATA},
    {"2002:808:808::1", ADDR_PUBLIC},
    {"2001:0:0102:0304::80ff:fffe", ADDR_LOOPBACK},
    {"2001:0:0102:0304::f7f7:f7f7", ADDR_PUBLIC},
    {"2001:0:0102:0304::f5ff:fffe", ADDR_PRIVATE},
    {"2606::5efe:7f00:1", ADDR_LOOPBACK},
    {"2606::200:5efe:7f00:1", ADDR_LOOPBACK},
    {"2606::5efe:808:808", ADDR_PUBLIC},
};

static void
test_classes(void)
{
	for (size_t i = 0; i < SRUN_ARRAY_LEN(classes); i++) {
		struct host_addr addr;

		ok(host_addr_parse(classes[i].addr, strlen(classes[i].addr), &addr),
		    "%s is an address", classes[i].addr);
		is_str(addr_class_names[addr_classify(&addr, &own_list)],
		    addr_class_names[classes[i].class], "%s", classes[i].addr);
	}
}

static const struct {
	struct grant grant;
	const char *host;
	uint16_t port;
	const char *addr, *want;
} dials[] = {
    {OK, "ok.test", 443, "8.8.8.8", "allowed"},
    {OK, "ok.test", 443, "2606:4700::1111", "allowed"},
    {OK, "ok.test", 443, "64:ff9b::808:808", "allowed"},
    {OK, "ok.test", 443, "10.0.0.1", "allowed"},
    {OK, "ok.test", 443, "fd12::1", "allowed"},
    {OK, "ok.test", 443, "198.18.0.9", "allowed"},
    {OK, "ok.test", 443, "127.0.0.1", "guarded"},
    {OK, "ok.test", 443, "127.0.0.3", "guarded"},
    {OK, "ok.test", 443, "::1", "guarded"},
    {OK, "ok.test", 443, "0.0.0.0", "guarded"},
    {OK, "ok.test", 443, "::", "guarded"},
    {OK, "ok.test", 443, "169.254.1.1", "guarded"},
    {OK, "ok.test", 443, "169.254.169.254", "guarded"},
    {OK, "ok.test", 443, "fe80::1", "guarded"},
    {OK, "ok.test", 443, "224.0.0.1", "guarded"},
    {OK, "ok.test", 443, "255.255.255.255", "guarded"},
    {OK, "ok.test", 443, "192.168.1.5", "guarded"},
    {OK, "ok.test", 443, "203.0.113.9", "guarded"},
    {OK, "ok.test", 443, "2001:db8::55", "guarded"},
    {OK, "ok.test", 443, "::ffff:127.0.0.1", "guarded"},
    {OK, "ok.test", 443, "::127.0.0.1", "guarded"},
    {OK, "ok.test", 443, "64:ff9b::7f00:1", "guarded"},
    {OK, "ok.test", 443, "2002:7f00:1::", "guarded"},
    {PORT, "ok.test", 443, "10.0.0.1", "allowed"},
    {BELOW, "a.ok.test", 443, "8.8.8.8", "allowed"},
    {BELOW, "a.ok.test", 443, "10.0.0.1", "guarded"},
    {BELOW, "a.ok.test", 443, "192.168.9.9", "guarded"},
    {BELOW, "a.ok.test", 443, "100.64.0.1", "guarded"},
    {BELOW, "a.ok.test", 443, "198.18.0.1", "guarded"},
    {BELOW, "a.ok.test", 443, "fd12::1", "guarded"},
    {BELOW, "a.ok.test", 443, "64:ff9b::10.0.0.1", "guarded"},
    {TREE, "ok.test", 443, "10.0.0.1", "guarded"},
    {TREE, "ok.test", 443, "8.8.8.8", "allowed"},
    {{.allow = "*.ok.test, a.ok.test"}, "a.ok.test", 443, "10.0.0.1", "allowed"},
    {{.allow = "*.ok.test, a.ok.test:80"}, "a.ok.test", 443, "10.0.0.1", "guarded"},
    {{.allow = "*.ok.test, 10.0.0.0/8"}, "a.ok.test", 443, "10.0.0.1", "allowed"},
    {{.allow = "*.ok.test, 10.0.0.0/8:80"}, "a.ok.test", 443, "10.0.0.1", "guarded"},
    {{.allow = "*.ok.test, 8.0.0.0/6"}, "a.ok.test", 443, "10.0.0.1", "guarded"},
    /* opened by an explicit rule */
    {{.allow = "ok.test, 127.0.0.3"}, "ok.test", 80, "127.0.0.3", "allowed"},
    {{.allow = "ok.test, 127.0.0.3"}, "ok.test", 80, "127.0.0.4", "guarded"},
    {{.allow = "ok.test, 127.0.0.3:81"}, "ok.test", 80, "127.0.0.3", "guarded"},
    {{.allow = "ok.test, 127.0.0.0/8"}, "ok.test", 80, "127.0.0.1", "allowed"},
    {{.allow = "ok.test, 0.0.0.0/1"}, "ok.test", 80, "127.0.0.1", "guarded"},
    {{.allow = "ok.test, 169.254.0.0/16"}, "ok.test", 80, "169.254.1.1", "allowed"},
    {{.allow = "ok.test, 169.254.0.0/16"}, "ok.test", 80, "169.254.169.254", "guarded"},
    {{.allow = "169.254.169.254"}, "169.254.169.254", 80, "169.254.169.254", "allowed"},
    {{.allow = "ok.test, 192.168.1.0/24"}, "ok.test", 80, "192.168.1.5", "guarded"},
    {{.allow = "ok.test, 192.168.1.0/24"}, "ok.test", 80, "192.168.1.6", "allowed"},
    {{.allow = "ok.test, 192.168.1.5"}, "ok.test", 80, "192.168.1.5", "allowed"},
    {{.allow = "ok.test, 2001:db8::55"}, "ok.test", 80, "2001:db8::55", "allowed"},
    {{.allow = "ok.test, 127.0.0.1"}, "ok.test", 80, "64:ff9b::7f00:1", "guarded"},
    {{.allow = "ok.test, 127.0.0.1"}, "ok.test", 80, "::ffff:127.0.0.1", "allowed"},
    {{.allow = "ok.test, 64:ff9b::7f00:1"}, "ok.test", 80, "64:ff9b::7f00:1", "allowed"},
    {{.allow = "ok.test, 64:ff9b::/96"}, "ok.test", 80, "64:ff9b::7f00:1", "guarded"},
    /* addresses that the client wrote */
    {IP, "192.0.2.7", 443, "192.0.2.7", "allowed"},
    {IPPORT, "192.0.2.7", 80, "192.0.2.7", "guarded"},
    {{.allow = "10.0.0.1"}, "10.0.0.1", 443, "10.0.0.1", "allowed"},
    {{.allow = "10.0.0.0/8"}, "10.0.0.1", 443, "10.0.0.1", "allowed"},
    {{.allow = "10.0.0.0/7"}, "10.0.0.1", 443, "10.0.0.1", "guarded"},
    {WIDE, "10.0.0.1", 443, "10.0.0.1", "guarded"},
    {WIDE, "169.254.169.254", 443, "169.254.169.254", "guarded"},
    {WIDE, "8.8.8.8", 443, "8.8.8.8", "allowed"},
    {WIDE, "203.0.113.9", 443, "203.0.113.9", "guarded"},
    {LOOP, "127.0.0.2", 80, "127.0.0.2", "allowed"},
    /* denies bind names */
    {{.allow = "ok.test", .deny = "93.184.0.0/16"}, "ok.test", 443, "93.184.1.1",
        "denied 93.184.0.0/16"},
    {{.allow = "ok.test", .deny = "93.184.0.0/16"}, "ok.test", 443, "93.185.1.1",
        "allowed"},
    {{.allow = "ok.test", .deny = "93.184.1.1:22"}, "ok.test", 443, "93.184.1.1",
        "allowed"},
    {{.allow = "ok.test", .deny = "93.184.1.1:22"}, "ok.test", 22, "93.184.1.1",
        "denied 93.184.1.1:22"},
    {{.allow = "ok.test", .deny = "10.0.0.0/8"}, "ok.test", 443, "10.1.1.1",
        "denied 10.0.0.0/8"},
    {{.allow = "ok.test", .deny = "10.0.0.0/8"}, "ok.test", 443, "64:ff9b::a01:101",
        "denied 10.0.0.0/8"},
    {{.allow = "ok.test", .deny = "2001:db8::/32"}, "ok.test", 443, "2001:db8::1",
        "denied 2001:db8::/32"},
    {{.allow = "ok.test, 10.0.0.1", .deny2 = "10.0.0.0/8"}, "ok.test", 443, "10.0.0.1",
        "denied 10.0.0.0/8"},
    {{.allow = "ok.test", .deny = "bad.test"}, "ok.test", 443, "8.8.8.8", "allowed"},
    {{.allow = "ok.test", .deny = "::/0"}, "ok.test", 443, "2606::1", "denied ::/0"},
    {{.allow = "ok.test", .deny = "::/0"}, "ok.test", 443, "8.8.8.8", "allowed"},
    {{.allow = "ok.test", .deny = "0.0.0.0/0"}, "ok.test", 443, "8.8.8.8",
        "denied 0.0.0.0/0"},
    {{.allow = "ok.test", .allow2 = "ok.test", .deny2 = "8.8.8.8"}, "ok.test", 443,
        "8.8.8.8", "denied 8.8.8.8"},
    /* layers */
    {{.allow = "ok.test", .allow2 = "**.ok.test"}, "ok.test", 443, "10.0.0.1", "guarded"},
    {{.allow = "**.ok.test", .allow2 = "ok.test"}, "ok.test", 443, "10.0.0.1", "guarded"},
    {{.allow = "ok.test", .allow2 = "ok.test"}, "ok.test", 443, "10.0.0.1", "allowed"},
    {{.allow = "ok.test", .allow2 = "**.ok.test"}, "ok.test", 443, "8.8.8.8", "allowed"},
    {{.allow = "ok.test, 127.0.0.3", .allow2 = "ok.test"}, "ok.test", 443, "127.0.0.3",
        "guarded"},
    {TWOIP, "10.1.0.1", 443, "10.1.0.1", "allowed"},
    {TWOIP, "10.2.0.1", 443, "10.2.0.1", "guarded"},
    /* host ports */
    {HOSTP, "localhost", 5432, "127.0.0.1", "allowed"},
    {HOSTP, "localhost", 5432, "::1", "allowed"},
    {HOSTP, "localhost", 81, "127.0.0.1", "guarded"},
    {HOSTP, "localhost", 81, "::1", "allowed"},
    {HOSTP, "127.0.0.1", 5432, "127.0.0.1", "allowed"},
    {HOSTP, "ok.test", 5432, "127.0.0.1", "allowed"},
    {HOSTP, "ok.test", 5433, "127.0.0.1", "guarded"},
    {HOSTP, "ok.test", 5432, "127.0.0.9", "guarded"},
    {HOSTP, "ok.test", 5432, "64:ff9b::7f00:1", "guarded"},
    {HOSTP, "ok.test", 5432, "192.168.1.5", "guarded"},
};

static void
test_dials(void)
{
	static const char *const verdicts[] = {
	    [ADDR_GUARDED] = "guarded",
	    [ADDR_DENIED] = "denied",
	    [ADDR_ALLOWED] = "allowed",
	};

	for (size_t i = 0; i < SRUN_ARRAY_LEN(dials); i++) {
		struct arena a = {NULL};
		struct host_rules r = rules_of(&a, &dials[i].grant);
		struct host_name h;
		struct host_addr addr;
		struct addr_judgement j;

		ok(host_name_parse(dials[i].host, strlen(dials[i].host), &h) == NULL &&
		        host_addr_parse(dials[i].addr, strlen(dials[i].addr), &addr),
		    "row %zu can be read", i);
		j = addr_judge(&r, &h, dials[i].port, &addr, &own_list);
		is_str(arena_printf(&a, "%s%s%s", verdicts[j.verdict],
		           j.rule == NULL ? "" : " ", j.rule == NULL ? "" : j.rule->text),
		    dials[i].want, "row %zu: %s:%u at %s", i, dials[i].host,
		    (unsigned)dials[i].port, dials[i].addr);
		arena_free(&a);
	}
}

/* ---- what comes with a verdict ---- */

static void
test_words(void)
{
	struct arena a = {NULL};
	struct host_rules r = rules_of(&a, &(struct grant)DENYSUB);
	struct host_rules two = rules_of(&a, &(struct grant)TWODENY);
	struct host_rules ports = rules_of(&a, &(struct grant)PORT);
	struct host_judgement j;
	struct addr_judgement aj = {ADDR_GUARDED, ADDR_METADATA, NULL};
	struct host_name h;
	char text[HOST_REASON_MAX];

	host_name_parse("ok.test", 7, &h);
	j = host_judge(&r, &h, 22);
	is_str(origin_text(&a, j.rule->origin), "g:4", "where the rule stands");
	host_reason(&h, 22, &j, text);
	is_str(text, "ok.test:22 is denied by the grant", "denied");
	j = host_judge(&ports, &h, 22);
	host_reason(&h, 22, &j, text);
	is_str(text, "ok.test:22 is not in the grant, with another port it is", "port");
	addr_reason(&h, 22, &aj, text);
	is_str(text,
	    "ok.test:22 has a cloud's metadata address that the grant does not open",
	    "guarded");
	aj.verdict = ADDR_DENIED;
	addr_reason(&h, 22, &aj, text);
	is_str(text, "ok.test:22 has an address that the grant denies", "denied");
	host_name_parse("[2001:db8::1]", 13, &h);
	j = host_judge(&r, &h, 443);
	host_reason(&h, 443, &j, text);
	is_str(text, "[2001:db8::1]:443 is not in the grant", "not granted");
	host_name_parse("a.ok.test", 9, &h);
	j = host_judge(&two, &h, 443);
	ok(j.layer == 1, "the layer of a deny");
	is_str(origin_text(&a, j.rule->origin), "n:4", "and its place");
	arena_free(&a);
}

/* The longest host with the longest words fits. */
static void
test_longest(void)
{
	char name[HOST_TEXT_MAX + 1], text[HOST_REASON_MAX];
	struct host_name h;

	memset(name, 'a', sizeof(name));
	for (size_t i = 50; i < HOST_TEXT_MAX; i += 51)
		name[i] = '.';
	ok(host_name_parse(name, HOST_TEXT_MAX, &h) == NULL, "253 bytes are a name");
	for (int v = HOST_NOT_GRANTED; v <= HOST_INSIDE; v++) {
		struct host_rule rule = {.text = "x"};
		struct host_judgement j = {(enum host_verdict)v, &rule, 0};
		size_t n = host_reason(&h, 65535, &j, text);

		is_int(n, strlen(text), "words of verdict %d are whole", v);
	}
	for (int c = ADDR_PUBLIC; c <= ADDR_PRIVATE; c++) {
		struct addr_judgement j = {ADDR_GUARDED, (enum addr_class)c, NULL};
		size_t n = addr_reason(&h, 65535, &j, text);

		is_int(n, strlen(text), "words of class %d are whole", c);
	}
}

/* A rule is found wherever it stands, and a list of thousands is no matter. */
static void
test_many(void)
{
	struct arena a = {NULL};
	struct bytes b = {NULL, 0, 0};
	struct grant g = {0};
	struct host_rules r;
	struct host_name h;

	for (int i = 0; i < 3000; i++)
		bytes_printf(&a, &b, "%sh%d.test", i == 0 ? "" : ", ", i);
	bytes_add(&a, &b, "", 1);
	g.allow = b.data;
	r = rules_of(&a, &g);
	host_name_parse("h2999.test", 10, &h);
	ok(host_judge(&r, &h, 80).verdict == HOST_GRANTED, "the last of 3000 rules");
	host_name_parse("h3000.test", 10, &h);
	ok(host_judge(&r, &h, 80).verdict == HOST_NOT_GRANTED, "one more is none");
	arena_free(&a);
}

int
main(void)
{
	test_hosts();
	test_classes();
	test_dials();
	test_words();
	test_longest();
	test_many();
	ok(SRUN_ARRAY_LEN(hosts) + SRUN_ARRAY_LEN(classes) + SRUN_ARRAY_LEN(dials) >= 300,
	    "%zu rows",
	    SRUN_ARRAY_LEN(hosts) + SRUN_ARRAY_LEN(classes) + SRUN_ARRAY_LEN(dials));
	return done();
}
