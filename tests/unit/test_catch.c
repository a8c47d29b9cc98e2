/*
 * test_catch: what the resolver inside answers under a grant, and who has which address.
 */
#include <stdlib.h>
#include <sys/socket.h>

#include "catch.h"
#include "netns.h"
#include "tap.h"

static struct arena arena;

static struct host_rules
rules_of(const char *lines)
{
	static const char *const none[] = {NULL};
	struct grant_context ctx = {"/home/u", "/w", none};
	struct errs errs = {{NULL, 0}};
	const char *text =
	    arena_printf(&arena, "[network]\nmode = restricted\n%s", lines);
	struct grant_text base = {
	    .name = "g", .dir = "/", .data = text, .len = strlen(text)};
	const struct policy *p =
	    policy_build(&arena, &base, NULL, 0, NULL, 0, &ctx, &errs);
	if (p == NULL) {
		printf("Bail out! %s\n", errs.text.v[0]);
		exit(1);
	}
	return host_rules_make(&arena, p);
}

/* A query for name; its length. */
static size_t
query(const char *name, unsigned type, unsigned char *out)
{
	static const unsigned char head[] = {7, 7, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0};
	unsigned char *p = out + sizeof(head);
	memcpy(out, head, sizeof(head));
	while (*name != '\0') {
		size_t n = strcspn(name, ".");
		*p++ = (unsigned char)n;
		memcpy(p, name, n);
		p += n;
		name += n + (name[n] == '.');
	}
	*p++ = 0;
	*p++ = 0;
	*p++ = (unsigned char)type;
	*p++ = 0;
	*p++ = 1;
	return (size_t)(p - out);
}

/* "3" for a code, "198.18.0.2" for an address, "0" for an answer without one. */
static const char *
ask(struct catch_table *t, const char *name, unsigned type, struct catch_answer *a)
{
	unsigned char q[512];
	catch_query(t, q, query(name, type, q), a);
	if (a->len == 0)
		return "nothing";
	int code = a->data[3] & 15;
	if (a->data[7] == 0)
		return arena_printf(&arena, "%d", code);
	const unsigned char *p = a->data + a->len - 4;
	return arena_printf(&arena, "%u.%u.%u.%u", p[0], p[1], p[2], p[3]);
}

static const struct {
	const char *name;
	unsigned type;
	const char *answer;
	bool fresh, denied;
} rows[] = {
    {"example.com", DNS_A, "198.18.0.2", true, false},
    {"EXAMPLE.com", DNS_A, "198.18.0.2", false, false},
    {"example.com", DNS_AAAA, "0", false, false},
    {"example.com", 65 /* HTTPS */, "0", false, false},
    {"example.com", 33 /* SRV */, "0", false, false},
    {"a.example.com", DNS_A, "3", false, true},
    {"a.example.org", DNS_A, "198.18.0.3", true, false},
    {"b.example.org", DNS_AAAA, "0", false, false},
    {"b.example.org", DNS_A, "198.18.0.4", true, false},
    {"example.org", DNS_A, "3", false, true},
    {"example.org", DNS_AAAA, "3", false, true},
    {"bad.example.org", DNS_A, "3", false, true},
    {"only.example.net", DNS_A, "198.18.0.5", true, false},
    {"localhost", DNS_A, "127.0.0.1", false, false},
    {"x.localhost", DNS_A, "127.0.0.1", false, false},
    {"localhost", DNS_AAAA, "0", false, false},
    {"10.0.0.1", DNS_A, "3", false, false},
    {"1.0.0.127.in-addr.arpa", 12 /* PTR */, "3", false, true},
    {"", DNS_A, "3", false, false},
};

static void
test_answers(void)
{
	struct host_rules rules = rules_of("allow_domains = example.com, *.example.org\n"
	                                   "allow_domains = only.example.net:2222\n"
	                                   "allow_domains = 10.0.0.1\n"
	                                   "deny_domains = bad.example.org\n");
	struct catch_table t = {.rules = &rules};
	struct catch_answer a;
	for (size_t i = 0; i < SRUN_ARRAY_LEN(rows); i++) {
		is_str(ask(&t, rows[i].name, rows[i].type, &a), rows[i].answer,
		    "'%s' type %u", rows[i].name, rows[i].type);
		ok((a.fresh != NULL) == rows[i].fresh && a.denied == rows[i].denied,
		    "'%s' type %u: what is to be done", rows[i].name, rows[i].type);
	}
	free(t.v);
}

static void
test_ports(void)
{
	struct host_rules rules =
	    rules_of("allow_domains = any.example, one.example:2222, two.example:80\n"
	             "allow_domains = two.example:8000\n"
	             "deny_domains = any.example:22\n");
	struct catch_table t = {.rules = &rules};
	struct host_name h;
	uint16_t ports[CATCH_PORTS_MAX];
	bool ssh = false;
	host_name_parse("one.example", 11, &h);
	ok(catch_ports(&t, &h, ports) == 1 && ports[0] == 2222, "a port that is named");
	host_name_parse("two.example", 11, &h);
	ok(catch_ports(&t, &h, ports) == 2 && ports[0] == 80 && ports[1] == 8000,
	    "two that are named");
	host_name_parse("any.example", 11, &h);
	size_t n = catch_ports(&t, &h, ports);
	for (size_t i = 0; i < n; i++)
		ssh = ssh || ports[i] == 22;
	ok(n > 10 && ports[0] == 443, "the usual ones where none is named");
	ok(!ssh, "but one that is denied");
	host_name_parse("no.example", 10, &h);
	is_int((int)catch_ports(&t, &h, ports), 0, "none for another host");
}

static void
test_table(void)
{
	struct host_rules rules = rules_of("allow_domains = *.example.org\n");
	struct catch_table t = {.rules = &rules};
	struct catch_answer a;
	struct host_addr addr = {.family = AF_INET, .bytes = {198, 18, 0, 2}};
	int good = 0;
	ok(catch_host(&t, &addr) == NULL, "an address that nobody has");
	for (int i = 0; i < CATCH_HOSTS_MAX; i++) {
		ask(&t, arena_printf(&arena, "h%d.example.org", i), DNS_A, &a);
		good += a.fresh != NULL;
	}
	is_int(good, CATCH_HOSTS_MAX, "every host has an address of its own");
	is_str(ask(&t, "more.example.org", DNS_A, &a), "5", "one too many is refused");
	is_str(
	    ask(&t, "h0.example.org", DNS_A, &a), "198.18.0.2", "the first has its own");
	is_str(catch_host(&t, &addr)->text, "h0.example.org", "and is known by it");
	addr.bytes[2] = 8;
	addr.bytes[3] = 1;
	is_str(catch_host(&t, &addr)->text, "h2047.example.org", "so is the last");
	addr.bytes[3] = 2;
	ok(catch_host(&t, &addr) == NULL, "nobody is behind it");
	addr = (struct host_addr){.family = AF_INET, .bytes = {198, 18, 0, 1}};
	ok(catch_host(&t, &addr) == NULL, "the namespace's own address is no host");
	addr = (struct host_addr){.family = AF_INET6, .bytes = {198, 18, 0, 2}};
	ok(catch_host(&t, &addr) == NULL, "nor is an IPv6 address");
	free(t.v);
}

int
main(void)
{
	test_answers();
	test_ports();
	test_table();
	arena_free(&arena);
	return done();
}
