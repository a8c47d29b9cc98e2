/* test_route: parent proxies, NO_PROXY, and which way a host is reached. */
#include <stdlib.h>
#include <sys/socket.h>

#include "route.h"
#include "tap.h"

#define A64  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define A256 A64 A64 A64 A64

/* "http proxy:3128 user/password", or the reason with '!' in front. */
static const char *
parent_text(struct arena *a, const struct parent *p)
{
	static const char *const kinds[] = {
	    [PARENT_HTTP] = "http", [PARENT_SOCKS5] = "socks5", [PARENT_BROKEN] = "!"};
	char authority[HOST_AUTHORITY_MAX];

	if (p == NULL)
		return "direct";
	if (p->kind == PARENT_BROKEN)
		return arena_printf(a, "!%s", p->why);
	host_authority_text(&p->host, p->port, authority);
	return arena_printf(a, "%s %s%s%s%s%s", kinds[p->kind], authority,
	    p->user == NULL ? "" : " ", p->user == NULL ? "" : p->user,
	    p->user == NULL ? "" : "/", p->user == NULL ? "" : p->password);
}

static const struct {
	const char *url;
	bool lenient;
	const char *want; /* NULL: refused */
} urls[] = {
    {"http://proxy:3128", false, "http proxy:3128"},
    {"http://proxy:3128/", false, "http proxy:3128"},
    {"HTTP://Proxy.Corp.:3128", false, "http proxy.corp:3128"},
    {"http://proxy", false, "http proxy:80"},
    {"socks5://127.0.0.1:1080", false, "socks5 127.0.0.1:1080"},
    {"socks5://proxy", false, "socks5 proxy:1080"},
    {"socks5h://[::1]:1080", false, "socks5 [::1]:1080"},
    {"http://127.1:80", false, "http 127.0.0.1:80"},
    {"http://user:p%40ss@proxy:3128", false, "http proxy:3128 user/p@ss"},
    {"http://user:p@ss@proxy:3128", false, "http proxy:3128 user/p@ss"},
    {"http://user:p:q@proxy:3128", false, "http proxy:3128 user/p:q"},
    {"http://user@proxy:3128", false, "http proxy:3128 user/"},
    {"http://user:@proxy:3128", false, "http proxy:3128 user/"},
    {"http://:pw@proxy:3128", false, "http proxy:3128 /pw"},
    {"http://@proxy:3128", false, "http proxy:3128"},
    {"http://us%C3%A9r:p%2Fw%0A@proxy:3128", false, "http proxy:3128 us\xc3\xa9r/p/w\n"},
    {"socks5://u%3Au:p@proxy", false, "socks5 proxy:1080 u:u/p"},
    {"socks5://u:p@proxy", false, "socks5 proxy:1080 u/p"},
    {"http://u%3Au:p@proxy", false, NULL},
    {"http://u:p%4@proxy", false, NULL},
    {"http://u:p%@proxy", false, NULL},
    {"http://u:p%zz@proxy", false, NULL},
    {"http://u:p%00@proxy", false, NULL},
    {"socks5://" A256 ":p@proxy", false, NULL},
    {"socks5://u:" A256 "@proxy", false, NULL},
    {"http://u:" A256 "@proxy", false, "http proxy:80 u/" A256},
    {"https://proxy:3128", false, NULL},
    {"socks4://proxy:3128", false, NULL},
    {"socks://proxy:3128", false, NULL},
    {"ftp://proxy", false, NULL},
    {"proxy:3128", false, NULL},
    {"proxy", false, NULL},
    {"", false, NULL},
    {"http:", false, NULL},
    {"http:/proxy", false, NULL},
    {"http://", false, NULL},
    {"http:///", false, NULL},
    {"http://u:p@", false, NULL},
    {"http://:80", false, NULL},
    {"http://proxy:", false, NULL},
    {"http://proxy:0", false, NULL},
    {"http://proxy:65536", false, NULL},
    {"http://proxy:99999", false, NULL},
    {"http://proxy:80x", false, NULL},
    {"http://proxy:80/path", false, NULL},
    {"http://proxy:80//", false, NULL},
    {"http://proxy:80?", false, NULL},
    {"http://proxy:80#", false, NULL},
    {"http://u:p/w@proxy:80", false, NULL},
    {"http://*.proxy:80", false, NULL},
    {"http://pro xy:80", false, NULL},
    {" http://proxy:80", false, NULL},
    {"http://proxy:80\n", false, NULL},
    {"http://pr\xc3\xb6xy:80", false, NULL},
    {"http://[::1", false, NULL},
    {"http://::1:80", false, NULL},
    {"http://[proxy]:80", false, NULL},
    {"http://1.2.3.4.5:80", false, NULL},
    /* what a variable may say */
    {"  http://127.0.0.4:3128 ", true, "http 127.0.0.4:3128"},
    {"\thttp://127.0.0.4:3128\r\n", true, "http 127.0.0.4:3128"},
    {"127.0.0.4:3128", true, "http 127.0.0.4:3128"},
    {"127.0.0.4:3128/", true, "http 127.0.0.4:3128"},
    {"u:p@proxy:3128", true, "http proxy:3128 u/p"},
    {"proxy", true, "http proxy:80"},
    {"http://127.0.0.4:3128/", true, "http 127.0.0.4:3128"},
    {"socks5://127.0.0.4", true, "socks5 127.0.0.4:1080"},
    {"https://127.0.0.4:3129", true, NULL},
    {"socks4a://127.0.0.4:3129", true, NULL},
    {"http://[::1", true, NULL},
    {"http://h:99999", true, NULL},
    {"h:99999", true, NULL},
    {"http://", true, NULL},
    {"http://a b:80", true, NULL},
    {"://proxy:80", true, NULL},
    {"none", true, "http none:80"},
};

static void
test_urls(void)
{
	for (size_t i = 0; i < SRUN_ARRAY_LEN(urls); i++) {
		struct arena a = {NULL};
		struct parent p;
		const char *why = parent_parse(&a, urls[i].url, urls[i].lenient, &p);

		is_str(why == NULL ? parent_text(&a, &p) : NULL, urls[i].want,
		    "URL '%.60s': %s", urls[i].url, why == NULL ? "good" : why);
		arena_free(&a);
	}
}

static void
test_basic(void)
{
	static const struct {
		const char *url, *want;
	} rows[] = {
	    {"http://Aladdin:open%20sesame@p", "QWxhZGRpbjpvcGVuIHNlc2FtZQ=="},
	    {"http://u:p@p", "dTpw"},
	    {"http://u:pp@p", "dTpwcA=="},
	    {"http://u:ppp@p", "dTpwcHA="},
	    {"http://u:%ff%fe%fd@p", "dTr//v0="},
	    {"http://u@p", "dTo="},
	    {"http://p", NULL},
	    {"socks5://u:p@p", NULL},
	};

	for (size_t i = 0; i < SRUN_ARRAY_LEN(rows); i++) {
		struct arena a = {NULL};
		struct parent p;

		is_str(parent_parse(&a, rows[i].url, false, &p) == NULL ? p.basic : "bad",
		    rows[i].want, "Basic of %s", rows[i].url);
		arena_free(&a);
	}
}

/* ---- NO_PROXY ---- */

static void
add_bad(void *arg, const char *entry, const char *why)
{
	(void)why;
	struct bytes *b = ((void **)arg)[1];

	bytes_printf(((void **)arg)[0], b, "%s%s", b->len == 0 ? "" : " ", entry);
}

static const struct {
	const char *list, *host;
	uint16_t port;
	bool direct;
	const char *bad; /* the entries left out */
} bypasses[] = {
    /* an empty item is no item */
    {"x.test,", "ok.test", 80, false, ""},
    {":8080", "ok.test", 8080, false, ":8080"},
    {" , ", "ok.test", 80, false, ""},
    {"", "ok.test", 80, false, ""},
    {",", "ok.test", 80, false, ""},
    {",,x.test,,", "x.test", 80, true, ""},
    {":", "ok.test", 80, false, ":"},
    {".", "ok.test", 80, false, "."},
    {"..", "ok.test", 80, false, ".."},
    {"*.", "ok.test", 80, false, "*."},
    {"/", "ok.test", 80, false, "/"},
    {"/0", "192.0.2.1", 80, false, "/0"},
    /* a bad port makes no rule */
    {"ok.test:8080abc", "ok.test", 8080, false, "ok.test:8080abc"},
    {"[::1]:abc", "ok.test", 8080, false, "[::1]:abc"},
    {"ok.test:", "ok.test", 8080, false, "ok.test:"},
    {"ok.test:0", "ok.test", 8080, false, "ok.test:0"},
    {"ok.test:65536", "ok.test", 8080, false, "ok.test:65536"},
    {"ok.test:-1", "ok.test", 8080, false, "ok.test:-1"},
    {"ok.test:80:80", "ok.test", 80, false, "ok.test:80:80"},
    /* as curl does */
    {"a.test, *", "ok.test", 80, false, "*"},
    {"a.test, *", "a.test", 80, true, "*"},
    {"*, a.test", "ok.test", 80, false, "*"},
    {"bad:, *", "ok.test", 80, false, "bad: *"},
    {"*", "ok.test", 80, true, ""},
    {" * ", "ok.test", 80, true, ""},
    {"*,", "ok.test", 80, true, ""},
    {"* *", "ok.test", 80, false, "* *"},
    {"**", "ok.test", 80, false, "**"},
    {"*:80", "ok.test", 80, false, "*:80"},
    {".ok.test", "ok.test", 80, true, ""},
    {".ok.test", "api.ok.test", 80, true, ""},
    {".ok.test", "notok.test", 80, false, ""},
    {"a.test ok.test", "ok.test", 80, true, ""},
    {"a.test ok.test", "api.ok.test", 80, true, ""},
    {"a.test\tok.test", "ok.test", 80, true, ""},
    {"a.test  ,  ok.test", "ok.test", 80, true, ""},
    /* names */
    {"ok.test", "ok.test", 80, true, ""},
    {"ok.test", "api.ok.test", 80, true, ""},
    {"ok.test", "notok.test", 80, false, ""},
    {"ok.test", "ok.test.evil.test", 80, false, ""},
    {"ok.test", "test", 80, false, ""},
    {"OK.Test.", "ok.test", 80, true, ""},
    {"*.ok.test", "api.ok.test", 80, true, ""},
    {"*.ok.test", "ok.test", 80, false, ""},
    {"**.ok.test", "ok.test", 80, true, ""},
    {"*ok.test", "notok.test", 80, false, "*ok.test"},
    {"ok.*", "ok.test", 80, false, "ok.*"},
    {"http://ok.test", "ok.test", 80, false, "http://ok.test"},
    {"u@ok.test", "ok.test", 80, false, "u@ok.test"},
    {"ok.test/x", "ok.test", 80, false, "ok.test/x"},
    {"db", "db", 80, true, ""},
    {"m\xc3\xbcnchen.de", "xn--mnchen-3ya.de", 80, true, ""},
    /* ports */
    {"ok.test:8080", "ok.test", 8080, true, ""},
    {"ok.test:8080", "ok.test", 80, false, ""},
    {"ok.test:8080", "api.ok.test", 8080, true, ""},
    {".ok.test:8080", "api.ok.test", 8080, true, ""},
    {".ok.test:8080", "api.ok.test", 80, false, ""},
    {"192.0.2.1:80", "192.0.2.1", 80, true, ""},
    {"192.0.2.1:80", "192.0.2.1", 81, false, ""},
    {"[2001:db8::1]:80", "2001:db8::1", 80, true, ""},
    {"[2001:db8::1]:80", "2001:db8::1", 81, false, ""},
    /* addresses and networks */
    {"192.0.2.1", "192.0.2.1", 80, true, ""},
    {"192.0.2.1", "192.0.2.10", 80, false, ""},
    {"192.0.2.1", "3221225985", 80, true, ""},
    {"192.0.2.1", "::ffff:192.0.2.1", 80, true, ""},
    {".0.2.1", "192.0.2.1", 80, false, ".0.2.1"},
    {"0.2.1", "192.0.2.1", 80, false, "0.2.1"},
    {"192.0.2", "192.0.2.1", 80, false, "192.0.2"},
    {"192.0.2.*", "192.0.2.1", 80, false, "192.0.2.*"},
    {"192.0.2.0/24", "192.0.2.255", 80, true, ""},
    {"192.0.2.0/24", "192.0.3.0", 80, false, ""},
    {"192.0.2.1/24", "192.0.2.2", 80, false, "192.0.2.1/24"},
    {"10.0.0.0/8", "10.1.2.3", 80, true, ""},
    {"10.0.0.0/8", "ten.test", 80, false, ""},
    {"0.0.0.0/0", "192.0.2.1", 80, true, ""},
    {"0.0.0.0/0", "ok.test", 80, false, ""},
    {"192.0.2.0/33", "192.0.2.1", 80, false, "192.0.2.0/33"},
    {"192.0.2.0/", "192.0.2.1", 80, false, "192.0.2.0/"},
    {"192.0.2.0/x", "192.0.2.1", 80, false, "192.0.2.0/x"},
    {"2001:db8::/32", "2001:db8:1::1", 80, true, ""},
    {"2001:db8::/32", "2001:db9::1", 80, false, ""},
    {"[2001:db8::1]", "2001:db8::1", 80, true, ""},
    {"2001:db8::1", "2001:db8::1", 443, true, ""},
    {"fe80::1%eth0", "fe80::1", 80, false, "fe80::1%eth0"},
    {"[2001:db8::1", "2001:db8::1", 80, false, "[2001:db8::1"},
    /* the loopback never goes to a parent */
    {"", "localhost", 80, true, ""},
    {"", "x.localhost", 80, true, ""},
    {"", "127.0.0.1", 80, true, ""},
    {"", "127.0.0.2", 80, true, ""},
    {"", "::1", 80, true, ""},
    {"", "xlocalhost", 80, false, ""},
    {"", "10.0.0.1", 80, false, ""},
};

static void
test_bypasses(void)
{
	struct parent parent = {.kind = PARENT_HTTP};

	for (size_t i = 0; i < SRUN_ARRAY_LEN(bypasses); i++) {
		struct arena a = {NULL};
		struct routes r = {&parent, &parent, NULL, 0, false};
		struct bytes bad = {NULL, 0, 0};
		void *arg[] = {&a, &bad};
		struct host_name h;
		const char *host = bypasses[i].host;

		no_proxy_list(&a, bypasses[i].list, &r, add_bad, arg);
		bytes_add(&a, &bad, "", 1);
		is_str(
		    bad.data, bypasses[i].bad, "what is bad in '%s'", bypasses[i].list);
		ok(host_name_parse(host, strlen(host), &h) == NULL, "%s is a host", host);
		is_int(route_choose(&r, &h, bypasses[i].port, SCHEME_HTTPS) == NULL,
		    bypasses[i].direct, "'%s' for %s:%u", bypasses[i].list, host,
		    (unsigned)bypasses[i].port);
		arena_free(&a);
	}
}

/* ---- where the routes come from ---- */

static const struct {
	const char *grant; /* lines of [network] */
	const char *environ[6];
	const char *host, *http, *https; /* the route of each scheme */
	const char *warnings;
} origins[] = {
    {"", {NULL}, "ok.test", "direct", "direct", ""},
    /* what CONNECT and SOCKS carry goes by https; http does not */
    {"", {"https_proxy=http://p:1"}, "ok.test", "direct", "http p:1", ""},
    {"", {"HTTPS_PROXY=http://p:1"}, "ok.test", "direct", "http p:1", ""},
    {"", {"http_proxy=http://p:1"}, "ok.test", "http p:1", "direct", ""},
    {"", {"HTTP_PROXY=http://p:1"}, "ok.test", "http p:1", "direct", ""},
    {"", {"HTTP_PROXY=http://p:1", "REQUEST_METHOD=GET"}, "ok.test", "direct", "direct",
        ""},
    {"", {"http_proxy=http://p:1", "REQUEST_METHOD=GET"}, "ok.test", "http p:1", "direct",
        ""},
    {"", {"all_proxy=socks5h://p:1"}, "ok.test", "socks5 p:1", "socks5 p:1", ""},
    {"", {"ALL_PROXY=socks5://p:1"}, "ok.test", "socks5 p:1", "socks5 p:1", ""},
    {"", {"all_proxy=http://a:1", "ALL_PROXY=http://b:1"}, "ok.test", "http a:1",
        "http a:1", ""},
    {"", {"HTTPS_PROXY=http://b:1", "https_proxy=http://a:1"}, "ok.test", "direct",
        "http a:1", ""},
    {"", {"all_proxy=http://a:1", "https_proxy=http://s:1"}, "ok.test", "http a:1",
        "http s:1", ""},
    {"", {"ALL_PROXY=http://a:1", "HTTP_PROXY=http://h:1"}, "ok.test", "http h:1",
        "http a:1", ""},
    {"", {"https_proxy=", "HTTPS_PROXY=http://b:1"}, "ok.test", "direct", "direct", ""},
    {"", {"https_proxy=  ", "all_proxy=http://b:1"}, "ok.test", "http b:1", "direct", ""},
    {"", {"https_proxyx=http://b:1"}, "ok.test", "direct", "direct", ""},
    {"", {"Https_Proxy=http://b:1"}, "ok.test", "direct", "direct", ""},
    {"", {"https_proxy=  http://p:1/ "}, "ok.test", "direct", "http p:1", ""},
    {"", {"https_proxy=p:1"}, "ok.test", "direct", "http p:1", ""},
    {"", {"https_proxy=https://p:1"}, "ok.test", "direct",
        "!is not a proxy URL (http://HOST:PORT or socks5://HOST:PORT)", ""},
    {"", {"https_proxy=http://[::1"}, "ok.test", "direct", "!has no port from 1 to 65535",
        ""},
    {"", {"https_proxy=http://h:99999", "all_proxy=http://p:1"}, "ok.test", "http p:1",
        "!has no port from 1 to 65535", ""},
    {"", {"https_proxy=http://u:p%40@p:1"}, "ok.test", "direct", "http p:1 u/p@", ""},
    {"", {"all_proxy=http://p:1", "no_proxy=ok.test"}, "ok.test", "direct", "direct", ""},
    {"", {"all_proxy=http://p:1", "NO_PROXY=ok.test"}, "ok.test", "direct", "direct", ""},
    {"", {"all_proxy=http://p:1", "NO_PROXY=ok.test", "no_proxy=x.test"}, "ok.test",
        "http p:1", "http p:1", ""},
    {"", {"all_proxy=http://p:1", "NO_PROXY=ok.test", "no_proxy="}, "ok.test", "http p:1",
        "http p:1", ""},
    {"", {"all_proxy=http://p:1", "no_proxy=*"}, "ok.test", "direct", "direct", ""},
    {"", {"all_proxy=http://p:1", "no_proxy=x:y,ok.test"}, "ok.test", "direct", "direct",
        "no_proxy: 'x:y' has no port from 1 to 65535; it is ignored"},
    {"", {"all_proxy=http://p:1", "NO_PROXY=a.test,*"}, "ok.test", "http p:1", "http p:1",
        "NO_PROXY: '*' counts only as the whole list; it is ignored"},
    {"", {"no_proxy=x:y"}, "ok.test", "direct", "direct", ""},
    {"parent_proxy = none\n", {"all_proxy=http://p:1"}, "ok.test", "direct", "direct",
        ""},
    {"parent_proxy = env\n", {"all_proxy=http://p:1"}, "ok.test", "http p:1", "http p:1",
        ""},
    {"parent_proxy = http://g:1\n", {"all_proxy=http://p:1"}, "ok.test", "http g:1",
        "http g:1", ""},
    {"parent_proxy = socks5://u:p@g\n", {NULL}, "ok.test", "socks5 g:1080 u/p",
        "socks5 g:1080 u/p", ""},
    {"parent_proxy = http://g:1\n", {"no_proxy=ok.test"}, "ok.test", "direct", "direct",
        ""},
    {"parent_proxy = http://g:1\nparent_no_proxy = none\n", {"no_proxy=ok.test"},
        "ok.test", "http g:1", "http g:1", ""},
    {"parent_proxy = http://g:1\nparent_no_proxy = .ok.test, 10.0.0.0/8\n", {NULL},
        "a.ok.test", "direct", "direct", ""},
    {"parent_proxy = http://g:1\nparent_no_proxy = .ok.test, 10.0.0.0/8\n", {NULL},
        "b.test", "http g:1", "http g:1", ""},
    {"parent_no_proxy = ok.test\n", {"all_proxy=http://p:1", "no_proxy=b.test"}, "b.test",
        "http p:1", "http p:1", ""},
    /* granted loopback stays here */
    {"allow_host_ports = 5555\nparent_proxy = http://g:1\n", {NULL}, "localhost",
        "direct", "direct", ""},
};

static const struct policy *
policy_of(struct arena *a, const char *lines, struct errs *errs)
{
	static const char *const none[] = {NULL};
	struct grant_context ctx = {"/home/u", "/w", none};
	const char *text = arena_printf(a, "[network]\nmode = restricted\n%s", lines);
	struct grant_text base = {
	    .name = "g", .dir = "/", .data = text, .len = strlen(text)};

	return policy_build(a, &base, NULL, 0, NULL, 0, &ctx, errs);
}

static void
test_origins(void)
{
	for (size_t i = 0; i < SRUN_ARRAY_LEN(origins); i++) {
		struct arena a = {NULL};
		struct errs errs = {{NULL, 0}};
		struct strv warnings = {NULL, 0};
		const struct policy *p = policy_of(&a, origins[i].grant, &errs);
		struct routes r;
		struct host_name h;

		ok(p != NULL, "grant %zu is good", i);
		if (p == NULL)
			continue;
		r = routes_make(&a, p, origins[i].environ, &warnings);
		host_name_parse(origins[i].host, strlen(origins[i].host), &h);
		is_str(parent_text(&a, route_choose(&r, &h, 80, SCHEME_HTTP)),
		    origins[i].http, "row %zu: http", i);
		is_str(parent_text(&a, route_choose(&r, &h, 443, SCHEME_HTTPS)),
		    origins[i].https, "row %zu: https", i);
		is_str(warnings.n == 0 ? "" : warnings.v[0], origins[i].warnings,
		    "row %zu: warnings", i);
		arena_free(&a);
	}
}

/* a bypass is about the way and opens nothing: it is no part of the rules at all. */
static void
test_places(void)
{
	static const char *const env[] = {"HTTPS_PROXY=ftp://u:secret@p", NULL};
	struct arena a = {NULL};
	struct errs errs = {{NULL, 0}};
	struct strv warnings = {NULL, 0};
	const struct policy *p = policy_of(&a, "", &errs);
	struct routes r = routes_make(&a, p, env, &warnings);

	is_str(r.https->origin.file, "HTTPS_PROXY", "the variable is named");
	ok(strstr(r.https->why, "secret") == NULL, "its password is not");
	p = policy_of(&a, "parent_proxy = http://g:1\n", &errs);
	r = routes_make(&a, p, env, &warnings);
	is_str(origin_text(&a, r.http->origin), "g:3", "the place in a grant");
	ok(policy_of(&a, "parent_no_proxy = ok.test, x:y, *\n", &errs) == NULL &&
	        errs.text.n == 2,
	    "in a grant a bad entry is an error");
	is_str(errs.text.v[0], "g:3: parent_no_proxy 'x:y' has no port from 1 to 65535",
	    "that names the entry");
	is_str(errs.text.v[1], "g:3: parent_no_proxy '*' counts only as the whole list",
	    "each of them");
	arena_free(&a);
}

int
main(void)
{
	test_urls();
	test_basic();
	test_bypasses();
	test_origins();
	test_places();
	return done();
}
