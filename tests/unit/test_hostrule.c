/* test_hostrule: which domain rules and ports are well formed. */
#include "hostrule.h"
#include "tap.h"
#include "util.h"

#define L63  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define L61  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define N253 L63 "." L63 "." L63 "." L61

static const struct {
	const char *rule;
	bool allow, deny; /* whether it is good there */
} rules[] = {
    {"example.com", true, true},
    {"Example.COM", true, true},
    {"example.com.", true, true},
    {"example.com:443", true, true},
    {"example.com.:443", true, true},
    {"*.example.com", true, true},
    {"**.example.com", true, true},
    {"*.example.com:8080", true, true},
    {"*.com", true, true},
    {"localhost", false, true},
    {"localhost:5555", false, true},
    {"*.localhost", false, true},
    {"notlocalhost", true, true},
    {"xn--zzzzzzzzzz--.com", false, false},
    {"xn--.com", false, false},
    {"xn--a.com", false, false},
    {"::ffff:10.0.0.0/104", true, true},
    {"::ffff:0.0.0.0/96", false, true},
    {"::ffff:0.0.0.0/95", false, false},
    {"::ffff:10.0.0.1/104", false, false},
    {"db", true, true},
    {"_dmarc.example.com", true, true},
    {"xn--mnchen-3ya.de", true, true},
    {"m\xc3\xbcnchen.de", true, true},
    {"3com.com", true, true},
    {"1.2.3.com", true, true},
    {N253, true, true},
    {N253 ".", true, true},
    {N253 "a", false, false},
    {L63 "a.com", false, false},
    {"*." N253, true, true},
    {"", false, false},
    {".", false, false},
    {"..", false, false},
    {".example.com", false, false},
    {"a..b", false, false},
    {"a.b..", false, false},
    {"*.", false, false},
    {"*", false, true},
    {"*:443", false, true},
    {"**", false, false},
    {"***.a.com", false, false},
    {"*.*.com", false, false},
    {"a.*.com", false, false},
    {"*a.com", false, false},
    {"a*.com", false, false},
    {"https://example.com", false, false},
    {"https://*.x", false, false},
    {"example.com/", false, false},
    {"x/path", false, false},
    {"x:443/path", false, false},
    {"%2A.x", false, false},
    {"user@example.com", false, false},
    {"exa mple.com", false, false},
    {"example.com\t", false, false},
    {"exa\x01mple.com", false, false},
    {"exa\x7fmple.com", false, false},
    {"m\xfcnchen.de", false, false},
    {"\xc3", false, false},
    {"-a.com", false, false},
    {"a-.com", false, false},
    {"a,b.com", false, false},
    {"a.com?x", false, false},
    {"a.com:", false, false},
    {"a.com:0", false, false},
    {"a.com:65535", true, true},
    {"a.com:65536", false, false},
    {"a.com:http", false, false},
    {"a.com:+1", false, false},
    {"a.com:*", false, false},
    {":443", false, false},
    {"1.2.3.4", true, true},
    {"1.2.3.4:80", true, true},
    {"127.1", false, false},
    {"2130706433", false, false},
    {"0x7f.1", false, false},
    {"0x7f000001", false, false},
    {"0177.0.0.1", false, false},
    {"1.2.3.4.5", false, false},
    {"1.2.3.256", false, false},
    {"1.2.3.4.", false, false},
    {"*.1.2.3.4", false, false},
    {"10.0.0.0/8", true, true},
    {"10.0.0.0/8:443", true, true},
    {"10.0.0.1/8", false, false},
    {"10.0.0.1/32", true, true},
    {"10.0.0.0/33", false, false},
    {"10.0.0.0/", false, false},
    {"10.0.0.0/0008", false, false},
    {"0.0.0.0/0", false, true},
    {"::1", true, true},
    {"[::1]", true, true},
    {"[::1]:443", true, true},
    {"[::1]:0", false, false},
    {"[::1]443", false, false},
    {"[::1", false, false},
    {"[1.2.3.4]:80", false, false},
    {"[a.com]:80", false, false},
    {"::ffff:127.0.0.1", true, true},
    {"2001:db8::/32", true, true},
    {"[2001:db8::/32]:443", true, true},
    {"2001:db8::1/32", false, false},
    {"2001:db8::/129", false, false},
    {"::/0", false, true},
    {"fe80::1%eth0", false, false},
    {"a:b:c", false, false},
    {"1:2:3:4:5:6:7:8:9", false, false},
    {"[]:80", false, false},
    {"[", false, false},
};

static void
test_rules(void)
{
	struct arena a = {NULL};

	for (size_t i = 0; i < SRUN_ARRAY_LEN(rules); i++) {
		struct host_rule r;
		const char *allow = host_rule_parse(&a, rules[i].rule, false, &r);
		const char *deny = host_rule_parse(&a, rules[i].rule, true, &r);

		ok((allow == NULL) == rules[i].allow, "row %zu in allow: %s", i,
		    allow == NULL ? "good" : allow);
		ok((deny == NULL) == rules[i].deny, "row %zu in deny: %s", i,
		    deny == NULL ? "good" : deny);
	}
	arena_free(&a);
}

static void
test_ports(void)
{
	static const struct {
		const char *text;
		bool good;
	} rows[] = {
	    {"5432", true},
	    {"80", true},
	    {"127.0.0.1:5432", true},
	    {"127.0.0.2:5432", true},
	    {"[::1]:5432", true},
	    {"0", false},
	    {"65536", false},
	    {"", false},
	    {"x", false},
	    {":80", false},
	    {"::1:80", false},
	    {"[127.0.0.1]:80", false},
	    {"localhost:80", false},
	    {"10.0.0.1:80", false},
	    {"[2001:db8::1]:80", false},
	    {"[]:80", false},
	    {"]:80", false},
	    {"127.0.0.1:", false},
	    {"000080", false},
	};
	static const struct {
		const char *outer, *inner;
		bool want;
	} covers[] = {
	    {"80", "80", true},
	    {"80", "81", false},
	    {"80", "127.0.0.1:80", true},
	    {"80", "[::1]:80", true},
	    {"80", "127.0.0.2:80", false},
	    {"127.0.0.1:80", "80", false},
	    {"127.0.0.1:80", "127.0.0.1:80", true},
	    {"127.0.0.1:80", "[::1]:80", false},
	};
	struct host_port a, b;

	for (size_t i = 0; i < SRUN_ARRAY_LEN(rows); i++)
		is_int(host_port_parse(rows[i].text, &a) == NULL, rows[i].good,
		    "port '%s'", rows[i].text);
	for (size_t i = 0; i < SRUN_ARRAY_LEN(covers); i++) {
		host_port_parse(covers[i].outer, &a);
		host_port_parse(covers[i].inner, &b);
		is_int(host_port_covers(&a, &b), covers[i].want, "'%s' covers '%s'",
		    covers[i].outer, covers[i].inner);
	}
}

static void
test_covers(struct arena *a)
{
	static const struct {
		const char *outer, *inner;
		bool want, back; /* back: inner covers outer */
	} rows[] = {
	    {"*", "a.test", true, false},
	    {"*", "10.0.0.0/8", true, false},
	    {"*", "*", true, true},
	    {"*:80", "a.test:80", true, false},
	    {"*:80", "a.test", false, false},
	    {"a.test", "a.test", true, true},
	    {"a.test", "A.test.", true, true},
	    {"a.test", "a.test:443", true, false},
	    {"a.test", "b.a.test", false, false},
	    {"a.test", "*.a.test", false, false},
	    {"a.test", "**.a.test", false, true},
	    {"*.a.test", "b.a.test", true, false},
	    {"*.a.test", "xa.test", false, false},
	    {"*.a.test", "**.b.a.test", true, false},
	    {"*.a.test", "**.a.test", false, true},
	    {"**.a.test", "*.b.a.test:1", true, false},
	    {"10.0.0.1", "10.0.0.1", true, true},
	    {"10.0.0.0/8", "10.1.2.3", true, false},
	    {"10.0.0.0/8", "10.1.0.0/16", true, false},
	    {"10.0.0.0/8", "11.0.0.0/16", false, false},
	    {"10.0.0.0/8", "fd00::/8", false, false},
	    {"10.0.0.0/8", "a.test", false, false},
	};
	for (size_t i = 0; i < SRUN_ARRAY_LEN(rows); i++) {
		struct host_rule outer, inner;
		ok(host_rule_parse(a, rows[i].outer, true, &outer) == NULL &&
		        host_rule_parse(a, rows[i].inner, true, &inner) == NULL,
		    "'%s' and '%s' are rules", rows[i].outer, rows[i].inner);
		is_int(host_rule_covers(&outer, &inner), rows[i].want, "'%s' covers '%s'",
		    rows[i].outer, rows[i].inner);
		is_int(host_rule_covers(&inner, &outer), rows[i].back, "'%s' covers '%s'",
		    rows[i].inner, rows[i].outer);
	}
}

int
main(void)
{
	struct arena a = {NULL};

	test_rules();
	test_covers(&a);
	test_ports();
	arena_free(&a);
	return done();
}
