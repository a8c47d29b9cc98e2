/*
 * fuzz_rules: a host, a port and rules of two layers, all as text. First line HOST:PORT,
 * second line an address it has, then a rule a line: "RULE" allows, "!RULE" denies, and
 * after a line "---" the rules of the second layer.
 */
#include <string.h>
#include <sys/socket.h>

#include "fuzz.h"
#include "hostmatch.h"

struct rules {
	struct host_rule_list allow[2], deny[2];
	size_t nlayers;
};

static void
add_rule(struct arena *a, struct rules *r, const char *text)
{
	bool deny = text[0] == '!';
	struct host_rule_list *l =
	    deny ? &r->deny[r->nlayers - 1] : &r->allow[r->nlayers - 1];
	struct host_rule rule;

	if (host_rule_parse(a, text + deny, deny, &rule) != NULL)
		return;
	must(deny || rule.kind != HOST_RULE_ANY);
	must(rule.bits <= 128 && (rule.name == NULL) == (rule.kind >= HOST_RULE_ADDR));
	l->v = arena_grow(a, l->v, l->n, sizeof(*l->v));
	l->v[l->n++] = rule;
}

static bool
some_matches(const struct host_rule_list *l, const struct host_name *h, uint16_t port)
{
	for (size_t i = 0; i < l->n; i++)
		if ((l->v[i].port == 0 || l->v[i].port == port) &&
		    host_rule_matches(&l->v[i], h))
			return true;
	return false;
}

static void
check(const struct rules *rules, const struct host_name *h, uint16_t port,
    const struct host_addr *addr)
{
	struct host_rules both = {rules->allow, rules->deny, rules->nlayers, NULL, 0};
	struct host_rules one = {rules->allow, rules->deny, 1, NULL, 0};
	struct host_judgement j = host_judge(&both, h, port);
	struct addr_judgement aj = addr_judge(&both, h, port, addr, NULL);
	char text[HOST_REASON_MAX];

	for (size_t i = 0; i < both.nlayers; i++) {
		if (some_matches(&rules->deny[i], h, port))
			must(j.verdict == HOST_DENIED);
		if (j.verdict == HOST_GRANTED)
			must(some_matches(&rules->allow[i], h, port));
	}
	/* A layer more never gives more. */
	if (j.verdict == HOST_GRANTED)
		must(host_judge(&one, h, port).verdict == HOST_GRANTED);
	if (aj.verdict == ADDR_ALLOWED)
		must(addr_judge(&one, h, port, addr, NULL).verdict == ADDR_ALLOWED);
	/* What is asked for every port holds for this one. */
	if (host_judge(&both, h, 0).verdict == HOST_GRANTED)
		must(j.verdict == HOST_GRANTED);
	must(host_reason(h, port, &j, text) == strlen(text));
	must(addr_reason(h, port, &aj, text) == strlen(text));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct arena a = {NULL};
	struct rules rules = {.nlayers = 1};
	char *text = arena_strndup(&a, (const char *)data, len), *line;
	struct host_name h;
	struct host_addr addr = {AF_INET, {192, 0, 2, 1}};
	uint16_t port;

	if (len == 0)
		goto out;
	line = strsep(&text, "\n");
	if (host_authority_parse(line, strlen(line), 443, &h, &port) != NULL)
		goto out;
	line = text == NULL ? NULL : strsep(&text, "\n");
	if (line != NULL)
		host_addr_parse(line, strlen(line), &addr);
	if (h.addr.family != AF_UNSPEC)
		addr = h.addr;
	while (text != NULL) {
		line = strsep(&text, "\n");
		if (strcmp(line, "---") == 0)
			rules.nlayers = 2;
		else
			add_rule(&a, &rules, line);
	}
	check(&rules, &h, port, &addr);
out:
	arena_free(&a);
	return 0;
}
