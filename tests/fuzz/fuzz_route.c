/* fuzz_route: a proxy URL, a NO_PROXY list and a host, a line each. */
#include <string.h>
#include <sys/socket.h>

#include "fuzz.h"
#include "route.h"

static void
count(void *arg, const char *entry, const char *why)
{
	must(entry[0] != '\0' && why[0] != '\0');
	++*(size_t *)arg;
}

static void
check_parent(struct arena *a, const char *url)
{
	for (int lenient = 0; lenient < 2; lenient++) {
		struct parent p;

		if (parent_parse(a, url, lenient != 0, &p) != NULL)
			continue;
		must(p.kind != PARENT_BROKEN && p.port != 0 && p.host.len != 0);
		must((p.user == NULL) == (p.password == NULL));
		must((p.basic != NULL) == (p.user != NULL && p.kind == PARENT_HTTP));
		must(p.basic == NULL || strlen(p.basic) % 4 == 0);
		must(lenient != 0 || strstr(url, "://") != NULL);
	}
}

/* Only '*' alone, with separators around, is every host. */
static bool
is_star(const char *list)
{
	size_t at = strspn(list, ", \t\r\n");

	return list[at] == '*' &&
	       strspn(list + at + 1, ", \t\r\n") == strlen(list + at + 1);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct arena a = {NULL};
	char *text = arena_strndup(&a, (const char *)data, len);
	const char *url = strsep(&text, "\n");
	const char *list = text == NULL ? "" : strsep(&text, "\n");
	const char *host = text == NULL ? "ok.test" : text;
	struct parent parent = {.kind = PARENT_HTTP};
	struct routes r = {&parent, &parent, NULL, 0, false};
	struct host_name h;
	uint16_t port;
	size_t bad = 0;

	check_parent(&a, url);
	no_proxy_list(&a, list, &r, count, &bad);
	must(r.bypass_all == is_star(list));
	for (size_t i = 0; i < r.nbypass; i++)
		must(r.bypass[i].kind != HOST_RULE_ANY);
	if (host_authority_parse(host, strlen(host), 443, &h, &port) == NULL) {
		const struct parent *p = route_choose(&r, &h, port, SCHEME_HTTPS);

		must(p == NULL || p == &parent);
		must(p != NULL || r.bypass_all || r.nbypass != 0 ||
		     host_is_localhost(h.text) || h.addr.family != AF_UNSPEC);
	}
	arena_free(&a);
	return 0;
}
