/*
 * route.c: the way to a host: direct or through a parent proxy.
 *
 * Owns the reading of proxy URLs, of the variables that name them, and of NO_PROXY. Must
 * not judge a host, connect or make a system call. A variable that cannot be used never
 * means "directly", and an entry of NO_PROXY that cannot be read never means "every host".
 */
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

#include "hostmatch.h"
#include "route.h"

#define SOCKS_FIELD_MAX 255 /* RFC 1929 */
#define SEPARATORS      ", \t\r\n"

/* ---- one URL ---- */

static const struct {
	const char *prefix;
	enum parent_kind kind;
	uint16_t port;
} schemes[] = {
    {"http://", PARENT_HTTP, 80},
    {"socks5://", PARENT_SOCKS5, 1080},
    {"socks5h://", PARENT_SOCKS5, 1080},
};

static bool
is_blank(char c)
{
	return c != '\0' && (unsigned char)c <= ' ';
}

static int
hex_value(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = c == '\0' ? NULL : strchr(digits, c | 0x20);

	return at == NULL ? -1 : (int)(at - digits);
}

/* The len bytes with "%XX" decoded; NULL if that is not what stands there, or a NUL. */
static const char *
percent_decode(struct arena *a, const char *s, size_t len)
{
	char *out = arena_alloc(a, len + 1);
	size_t n = 0;

	for (size_t i = 0; i < len; i++) {
		int high, low;

		if (s[i] != '%') {
			out[n++] = s[i];
			continue;
		}
		high = len - i > 2 ? hex_value(s[i + 1]) : -1;
		low = len - i > 2 ? hex_value(s[i + 2]) : -1;
		if (high < 0 || low < 0 || (high | low) == 0)
			return NULL;
		out[n++] = (char)(high << 4 | low);
		i += 2;
	}
	return out;
}

static const char *
base64(struct arena *a, const char *s)
{
	static const char digits[] =
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	size_t len = strlen(s), n = 0;
	char *out = arena_alloc(a, (len + 2) / 3 * 4 + 1);

	for (size_t i = 0; i < len; i += 3) {
		size_t left = len - i;
		uint32_t v = (uint32_t)(unsigned char)s[i] << 16;

		v |= left > 1 ? (uint32_t)(unsigned char)s[i + 1] << 8 : 0;
		v |= left > 2 ? (uint32_t)(unsigned char)s[i + 2] : 0;
		out[n++] = digits[v >> 18];
		out[n++] = digits[v >> 12 & 63];
		out[n++] = left > 1 ? digits[v >> 6 & 63] : '=';
		out[n++] = left > 2 ? digits[v & 63] : '=';
	}
	return out;
}

/* "USER" or "USER:PASSWORD". */
static const char *
credentials_parse(struct arena *a, const char *s, size_t len, struct parent *out)
{
	const char *colon = memchr(s, ':', len);
	size_t user_len = colon == NULL ? len : (size_t)(colon - s);

	out->user = percent_decode(a, s, user_len);
	out->password =
	    colon == NULL ? "" : percent_decode(a, colon + 1, len - user_len - 1);
	if (out->user == NULL || out->password == NULL)
		return "has a '%' in user name or password that is no '%XX' of a byte "
		       "but NUL";
	if (out->kind == PARENT_HTTP) {
		/* RFC 7617: what follows the first colon is the password. */
		if (strchr(out->user, ':') != NULL)
			return "has a ':' in the user name";
		out->basic =
		    base64(a, arena_printf(a, "%s:%s", out->user, out->password));
	} else if (strlen(out->user) > SOCKS_FIELD_MAX ||
	           strlen(out->password) > SOCKS_FIELD_MAX) {
		return "has a user name or password of more than 255 bytes";
	}
	return NULL;
}

/* What stands behind the scheme. */
static const char *
authority_parse(
    struct arena *a, const char *s, size_t len, uint16_t port, struct parent *out)
{
	size_t end = 0, at = 0;
	const char *why;

	while (end < len && strchr("/?#", s[end]) == NULL)
		end++;
	if (len - end > 1 || (end < len && s[end] != '/'))
		return "has a path";
	for (size_t i = 0; i < end; i++)
		if (s[i] == '@')
			at = i + 1;
	if (at == end)
		return "has no host name";
	if (at > 1) {
		why = credentials_parse(a, s, at - 1, out);
		if (why != NULL)
			return why;
	}
	return host_authority_parse(s + at, end - at, port, &out->host, &out->port);
}

const char *
parent_parse(struct arena *a, const char *url, bool lenient, struct parent *out)
{
	struct parent parent = {.kind = PARENT_BROKEN};
	size_t len = strlen(url), skip = 0;
	uint16_t port = 0;
	const char *why;

	while (lenient && is_blank(url[0])) {
		url++;
		len--;
	}
	while (lenient && len != 0 && is_blank(url[len - 1]))
		len--;
	for (size_t i = 0; i < len; i++)
		if (is_blank(url[i]) || url[i] == 0x7f)
			return "has a blank or a control byte";
	for (size_t i = 0; i < SRUN_ARRAY_LEN(schemes); i++) {
		size_t n = strlen(schemes[i].prefix);
		bool assumed = i == 0 && lenient && strstr(url, "://") == NULL;

		if (!assumed && strncasecmp(url, schemes[i].prefix, n) != 0)
			continue;
		skip = assumed ? 0 : n;
		parent.kind = schemes[i].kind;
		port = schemes[i].port;
		break;
	}
	if (parent.kind == PARENT_BROKEN)
		return "is not a proxy URL (http://HOST:PORT or socks5://HOST:PORT)";
	why = authority_parse(a, url + skip, len - skip, port, &parent);
	if (why == NULL)
		*out = parent;
	return why;
}

/* ---- NO_PROXY ---- */

const char *
no_proxy_parse(struct arena *a, const char *entry, struct host_rule *out)
{
	const char *text = entry, *why;
	struct host_rule rule;

	if (entry[0] == '.')
		text = arena_printf(a, "**%s", entry);
	why = host_rule_parse(a, text, true, &rule);
	if (why != NULL)
		return why;
	if (rule.kind == HOST_RULE_ANY)
		return "counts only as the whole list";
	if (rule.kind == HOST_RULE_NAME)
		rule.kind = HOST_RULE_TREE;
	rule.text = entry;
	*out = rule;
	return NULL;
}

void
no_proxy_list(struct arena *a, const char *list, struct routes *out,
    void (*bad)(void *arg, const char *entry, const char *why), void *arg)
{
	size_t end = strspn(list, SEPARATORS);

	if (list[end] == '*' &&
	    list[end + 1 + strspn(list + end + 1, SEPARATORS)] == '\0') {
		out->bypass_all = true;
		return;
	}
	for (; *list != '\0'; list += end + (list[end] != '\0')) {
		struct host_rule rule;
		const char *entry, *why;

		end = strcspn(list, SEPARATORS);
		if (end == 0)
			continue;
		entry = arena_strndup(a, list, end);
		why = no_proxy_parse(a, entry, &rule);
		if (why != NULL) {
			bad(arg, entry, why);
			continue;
		}
		out->bypass =
		    arena_grow(a, out->bypass, out->nbypass, sizeof(*out->bypass));
		out->bypass[out->nbypass++] = rule;
	}
}

/* ---- the environment ---- */

static const char *
variable(const char *const *environ, const char *name)
{
	size_t n = strlen(name);

	for (; *environ != NULL; environ++)
		if (strncmp(*environ, name, n) == 0 && (*environ)[n] == '=')
			return *environ + n + 1;
	return NULL;
}

/* The first of names that is set, be it to nothing; *value is NULL if none is. */
static const char *
first_set(const char *const *environ, const char *const *names, const char **value)
{
	/* In a CGI program HTTP_PROXY is a header that a client sent ("httpoxy"). */
	bool cgi = variable(environ, "REQUEST_METHOD") != NULL;

	for (*value = NULL; *names != NULL; names++) {
		if (cgi && strcmp(*names, "HTTP_PROXY") == 0)
			continue;
		*value = variable(environ, *names);
		if (*value != NULL)
			break;
	}
	return *names;
}

static const struct parent *
parent_of_environ(struct arena *a, const char *const *environ, const char *const *names)
{
	const char *value, *name = first_set(environ, names, &value), *why;
	struct parent *parent;

	if (value == NULL || value[strspn(value, " \t\r\n")] == '\0')
		return NULL;
	parent = arena_alloc(a, sizeof(*parent));
	why = parent_parse(a, value, true, parent);
	if (why != NULL)
		*parent = (struct parent){.kind = PARENT_BROKEN, .why = why};
	parent->origin = (struct origin){name, 0};
	return parent;
}

struct ignoring {
	struct arena *arena;
	const char *name;
	struct strv *warnings;
};

static void
ignore(void *arg, const char *entry, const char *why)
{
	struct ignoring *i = arg;

	strv_push(i->arena, i->warnings,
	    arena_printf(i->arena, "%s: '%s' %s; it is ignored", i->name, entry, why));
}

static void
bypass_of_environ(struct arena *a, const char *const *environ, struct strv *warnings,
    struct routes *out)
{
	static const char *const names[] = {"no_proxy", "NO_PROXY", NULL};
	const char *value, *name = first_set(environ, names, &value);
	struct ignoring i = {a, name, warnings};

	if (value != NULL)
		no_proxy_list(a, value, out, ignore, &i);
}

struct routes
routes_make(struct arena *a, const struct policy *p, const char *const *environ,
    struct strv *warnings)
{
	static const char *const http[] = {
	    "http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY", NULL};
	static const char *const https[] = {
	    "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", NULL};
	const struct located *proxy = &p->parent_proxy, *no_proxy = &p->parent_no_proxy;
	struct routes r = {NULL, NULL, NULL, 0, false};

	if (strcmp(proxy->text, "none") == 0)
		return r;
	if (strcmp(proxy->text, "env") == 0) {
		r.http = parent_of_environ(a, environ, http);
		r.https = parent_of_environ(a, environ, https);
	} else {
		struct parent *parent = arena_alloc(a, sizeof(*parent));
		const char *why = parent_parse(a, proxy->text, false, parent);

		if (why != NULL) /* policy.c has parsed it: fail closed all the same */
			*parent = (struct parent){.kind = PARENT_BROKEN, .why = why};
		parent->origin = proxy->origin;
		r.http = r.https = parent;
	}
	if (r.http == NULL && r.https == NULL)
		return r;
	if (strcmp(no_proxy->text, "env") == 0) {
		bypass_of_environ(a, environ, warnings, &r);
	} else if (strcmp(no_proxy->text, "none") != 0) {
		struct ignoring i = {a, "parent_no_proxy", warnings};

		no_proxy_list(a, no_proxy->text, &r, ignore, &i);
	}
	return r;
}

/* ---- the choice ---- */

const struct parent *
route_choose(const struct routes *r, const struct host_name *h, uint16_t port,
    enum route_scheme scheme)
{
	bool loopback = h->addr.family == AF_UNSPEC
	                    ? host_is_localhost(h->text)
	                    : addr_classify(&h->addr, NULL) == ADDR_LOOPBACK;

	if (r->bypass_all || loopback)
		return NULL;
	for (size_t i = 0; i < r->nbypass; i++)
		if ((r->bypass[i].port == 0 || r->bypass[i].port == port) &&
		    host_rule_matches(&r->bypass[i], h))
			return NULL;
	return scheme == SCHEME_HTTP ? r->http : r->https;
}
