/*
 * route.h: which way a granted host is reached: directly, or through a parent proxy of
 * the grant or of the caller's environment. Pure. The policy is judged first, always:
 * a route opens nothing, and what a parent cannot carry fails.
 */
#ifndef SRUN_ROUTE_H
#define SRUN_ROUTE_H

#include "hostname.h"
#include "hostrule.h"
#include "policy.h"

enum parent_kind {
	PARENT_HTTP,   /* absolute form for http, CONNECT for the rest */
	PARENT_SOCKS5, /* is given the name, "socks5" as much as "socks5h" */
	PARENT_BROKEN, /* the environment says something that cannot be used: 502 */
};

struct parent {
	enum parent_kind kind;
	struct host_name host; /* may be a name: looked up by us, guard not applied */
	uint16_t port;
	/* Percent-decoded, no NUL inside; NULL without "user@". SOCKS5: at most 255 bytes. */
	const char *user, *password;
	const char *basic; /* base64 of user:password, for Proxy-Authorization; or NULL */
	const char *why;   /* BROKEN: "is not a proxy URL", without the URL (it may
	                         hold a password) */
	struct origin origin; /* FILE:LINE, or the variable's name as file */
};

/*
 * NULL and *out, or the reason. lenient, for a variable: blanks around, no scheme (then
 * http) and no port (80, socks5: 1080) are taken; in a grant they are errors.
 */
const char *parent_parse(
    struct arena *a, const char *url, bool lenient, struct parent *out);

struct routes {
	const struct parent *http, *https; /* NULL: directly */
	struct host_rule *bypass;          /* NO_PROXY */
	size_t nbypass;
	bool bypass_all; /* NO_PROXY=* */
};

/*
 * From parent_proxy and parent_no_proxy of the policy and, where they say "env", from
 * environ: lower case before upper, the scheme's own variable before ALL_PROXY; one that
 * is set and empty means "directly". A bad entry of NO_PROXY is left out, with a line in
 * warnings ("NO_PROXY: 'x:y' has no port from 1 to 65535"). What the grant says has been
 * checked when it was read.
 */
struct routes routes_make(struct arena *a, const struct policy *p,
    const char *const *environ, struct strv *warnings);

/* For a request in absolute form; CONNECT and SOCKS are SCHEME_HTTPS. */
enum route_scheme { SCHEME_HTTP, SCHEME_HTTPS };

/* NULL: directly. Loopback never goes to a parent. Look at kind PARENT_BROKEN first. */
const struct parent *route_choose(const struct routes *r, const struct host_name *h,
    uint16_t port, enum route_scheme scheme);

/*
 * One entry of NO_PROXY: a name (with everything below it), ".name" (the same), "*.name"
 * (below it only), an address or a network, each with an optional ":PORT". NULL and *out,
 * or the reason. "*" is no entry: it counts only as the whole list.
 */
const char *no_proxy_parse(struct arena *a, const char *entry, struct host_rule *out);

/*
 * A whole list, entries apart by commas or blanks; empty ones are passed over. For each
 * bad entry bad() is called, and it is left out.
 */
void no_proxy_list(struct arena *a, const char *list, struct routes *out,
    void (*bad)(void *arg, const char *entry, const char *why), void *arg);

#endif
