/*
 * dial.c: one outgoing connection.
 *
 * Owns the order judge, route, look up, judge each address, connect. Must not read a
 * client's bytes. The address that is judged is the one that is dialled: a name is looked
 * up once, and nothing is dialled that was not judged. A route that fails is not replaced
 * by another one: what a parent does not carry is a failure.
 */
#include "dial.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "util.h"

#define ATTEMPT_LEAST_MS 1000

static bool refuse(struct work *w, int status, enum socks_code code, const char *fmt, ...)
    SRUN_PRINTF(4, 5);

static bool
refuse(struct work *w, int status, enum socks_code code, const char *fmt, ...)
{
	va_list ap;

	w->refusal.status = status;
	w->refusal.code = code;
	w->refusal.hint[0] = '\0';
	va_start(ap, fmt);
	vsnprintf(w->refusal.reason, sizeof(w->refusal.reason), fmt, ap);
	va_end(ap);
	return false;
}

static void
over(struct conn *c, bool good)
{
	timers_clear(&c->hub->timers, &c->timer);
	conn_dialled(c, good);
}

static void
fail(struct conn *c)
{
	conn_close_up(c);
	over(c, false);
}

/* ---- judgement ---- */

static void
record(
    struct conn *c, enum proxy_denial denial, size_t layer, const struct host_rule *rule)
{
	struct work *w = c->work;
	denials_add(&c->hub->denials, denial, w->host.text, w->port, w->refusal.reason,
	    c->hub->config->rules, layer, rule);
}

/* The line of the grant that would let this pass. */
static void
hint(struct work *w)
{
	char what[HOST_AUTHORITY_MAX];
	bool inside = w->judgement.verdict == HOST_INSIDE;

	if (inside)
		snprintf(what, sizeof(what), "%u", w->port);
	else
		host_authority_text(&w->host, w->port, what);
	snprintf(w->refusal.hint, sizeof(w->refusal.hint),
	    "to allow it, the grant needs [network] %s = %s",
	    inside ? "allow_host_ports" : "allow_domains", what);
}

bool
dial_judge(struct conn *c)
{
	struct work *w = c->work;
	char text[HOST_REASON_MAX];

	/* Who looked the name up first comes with the address that stands for it. */
	const struct host_name *caught = catch_host(&c->hub->caught, &w->host.addr);
	if (caught != NULL)
		w->host = *caught;
	w->judgement = host_judge(c->hub->config->rules, &w->host, w->port);
	switch (w->judgement.verdict) {
	case HOST_GRANTED:
	case HOST_LOOPBACK:
		return true;
	case HOST_INSIDE:
		if (c->hub->config->ninside > 0)
			return true;
		break;
	case HOST_NOT_GRANTED:
	case HOST_DENIED:
		break;
	}
	host_reason(&w->host, w->port, &w->judgement, text);
	refuse(w, 403, SOCKS_NOT_ALLOWED, "srun: %s", text);
	if (w->judgement.verdict != HOST_DENIED)
		hint(w);
	record(c, w->judgement.verdict == HOST_DENIED ? DENIAL_RULE : DENIAL_NOT_GRANTED,
	    w->judgement.layer, w->judgement.rule);
	return false;
}

bool
dial_route(struct conn *c)
{
	struct work *w = c->work;
	const struct routes *routes = c->hub->config->routes;

	w->parent = NULL;
	if (w->judgement.verdict != HOST_GRANTED || routes == NULL)
		return true;
	w->parent = route_choose(routes, &w->host, w->port, w->scheme);
	if (w->parent == NULL || w->parent->kind != PARENT_BROKEN)
		return true;
	return refuse(w, 502, SOCKS_FAILED, "srun: the parent proxy of '%s' %s",
	    w->parent->origin.file, w->parent->why);
}

/* ---- addresses ---- */

static bool
is_localhost(const struct host_name *h)
{
	return h->addr.family == AF_UNSPEC &&
	       (strcmp(h->text, "localhost") == 0 || str_ends(h->text, ".localhost"));
}

/* What a name of the loopback stands for, without asking anybody. */
static void
loopback_addresses(struct work *w)
{
	static const unsigned char four[4] = {127, 0, 0, 1}, six[16] = {[15] = 1};

	host_addr_make(AF_INET, four, &w->addrs[0]);
	host_addr_make(AF_INET6, six, &w->addrs[1]);
	w->naddrs = 2;
}

/* Leaves those that may be dialled. False: none may. */
static bool
judge_addresses(struct conn *c)
{
	struct work *w = c->work;
	struct addr_judgement last = {ADDR_ALLOWED, ADDR_PUBLIC, NULL};
	unsigned n = 0;
	char text[HOST_REASON_MAX];

	for (unsigned i = 0; i < w->naddrs; i++) {
		struct addr_judgement j = addr_judge(c->hub->config->rules, &w->host,
		    w->port, &w->addrs[i], c->hub->config->own);
		if (j.verdict == ADDR_ALLOWED)
			w->addrs[n++] = w->addrs[i];
		else
			last = j;
	}
	w->naddrs = n;
	if (n > 0 || last.verdict == ADDR_ALLOWED)
		return true;
	addr_reason(&w->host, w->port, &last, text);
	refuse(w, 403, SOCKS_NOT_ALLOWED, "srun: %s", text);
	record(
	    c, last.verdict == ADDR_DENIED ? DENIAL_RULE : DENIAL_ADDRESS, 0, last.rule);
	return false;
}

/* ---- one attempt ---- */

static socklen_t
fill_sockaddr(
    struct sockaddr_storage *ss, const struct host_addr *a, uint16_t port, int family)
{
	struct sockaddr_in *four = (struct sockaddr_in *)ss;
	struct sockaddr_in6 *six = (struct sockaddr_in6 *)ss;
	static const unsigned char mapped[12] = {[10] = 0xff, [11] = 0xff};

	memset(ss, 0, sizeof(*ss));
	if (family == AF_INET) {
		four->sin_family = AF_INET;
		four->sin_port = htons(port);
		memcpy(&four->sin_addr, a->bytes, 4);
		return sizeof(*four);
	}
	six->sin6_family = AF_INET6;
	six->sin6_port = htons(port);
	if (a->family == AF_INET6) {
		memcpy(&six->sin6_addr, a->bytes, 16);
	} else {
		memcpy(&six->sin6_addr, mapped, 12);
		memcpy((char *)&six->sin6_addr + 12, a->bytes, 4);
	}
	return sizeof(*six);
}

/* A socket of the run's namespace that can carry the family; -1 with errno. */
static int
take_inside(struct conn *c, int family, int *socket_family)
{
	struct hub *hub = c->hub;
	bool spare = false;

	for (size_t i = 0; i < hub->config->ninside; i++) {
		struct inside_socket *s = &hub->inside[i];
		if (s->used || (s->family == AF_INET && family != AF_INET)) {
			spare = spare || !s->used;
			continue;
		}
		s->used = true;
		c->inside = (uint16_t)(i + 1);
		*socket_family = s->family;
		return s->fd;
	}
	errno = spare ? EAFNOSUPPORT : EMFILE;
	return -1;
}

static int
open_socket(struct conn *c, int family, int *socket_family)
{
	int on = 1, fd;

	*socket_family = family;
	if (c->work->inside)
		fd = take_inside(c, family, socket_family);
	else
		fd = socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd >= 0)
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	return fd;
}

/* Begins with one address. False with work->error: try the next one. */
static bool
attempt(struct conn *c, const struct host_addr *a, uint16_t port)
{
	struct sockaddr_storage ss;
	int family, fd = open_socket(c, a->family, &family);
	socklen_t len = fill_sockaddr(&ss, a, port, family);

	if (fd < 0) {
		c->work->error = errno;
		return false;
	}
	memset(&c->up, 0, sizeof(c->up));
	c->up.source.kind = SOURCE_UP;
	c->up.fd = fd;
	if (connect(fd, (struct sockaddr *)&ss, len) != 0 && errno != EINPROGRESS) {
		c->work->error = errno;
	} else if (!events_add(&c->hub->events, fd, &c->up.source, true)) {
		c->work->error = errno;
	} else {
		return true;
	}
	conn_close_up(c);
	return false;
}

static bool
no_descriptor(int err)
{
	return err == EMFILE || err == ENFILE || err == ENOMEM || err == ENOBUFS;
}

static const struct host_name *
dialled_host(const struct work *w)
{
	return w->parent != NULL ? &w->parent->host : &w->host;
}

static uint16_t
dialled_port(const struct work *w)
{
	return w->parent != NULL ? w->parent->port : w->port;
}

static void
fail_connect(struct conn *c)
{
	struct work *w = c->work;
	char authority[HOST_AUTHORITY_MAX];

	host_authority_text(dialled_host(w), dialled_port(w), authority);
	if (no_descriptor(w->error))
		refuse(w, 503, SOCKS_FAILED, "srun: out of descriptors");
	else
		refuse(w, 502, SOCKS_UNREACHABLE, "srun: cannot connect to %s%s: %s",
		    w->parent != NULL ? "the parent proxy " : "", authority,
		    strerror(w->error));
	fail(c);
}

/* The next address, with its share of the time that is left. */
static void
next_address(struct conn *c)
{
	struct work *w = c->work;

	w->step = DIAL_CONNECT;
	while (w->tried < w->naddrs) {
		int64_t left = w->dial_end - c->hub->now;
		int64_t share = left / (w->naddrs - w->tried);
		if (left <= 0) {
			w->error = ETIMEDOUT;
			break;
		}
		if (share < ATTEMPT_LEAST_MS)
			share = left < ATTEMPT_LEAST_MS ? left : ATTEMPT_LEAST_MS;
		if (attempt(c, &w->addrs[w->tried++], dialled_port(w))) {
			conn_deadline(c, (int)share);
			return;
		}
		if (no_descriptor(w->error))
			break;
	}
	fail_connect(c);
}

/* ---- look-up ---- */

static void
lookup_done(struct conn *c)
{
	struct work *w = c->work;
	if (w->lookup != 0)
		c->hub->lookups[w->lookup % RESOLVE_LOOKUPS_MAX] = NULL;
	w->lookup = 0;
}

static void
fail_lookup(struct conn *c, enum resolve_status status)
{
	struct work *w = c->work;
	bool busy = status == RESOLVE_BUSY;

	refuse(w, busy ? 503 : 502, busy ? SOCKS_FAILED : SOCKS_UNREACHABLE,
	    "srun: '%s' %s", dialled_host(w)->text, resolve_status_words[status]);
	fail(c);
}

/* Only what was answered well; every use is judged anew. */
static void
remember(
    struct hub *hub, const struct host_name *name, const struct resolve_answer *answer)
{
	struct known *k = &hub->known[0];

	for (size_t i = 0; i < KNOWN_MAX; i++) {
		struct known *at = &hub->known[i];
		if (strcmp(at->name.text, name->text) == 0) {
			k = at;
			break;
		}
		if (at->until < k->until)
			k = at;
	}
	k->name = *name;
	k->until = hub->now + KNOWN_MS;
	k->n = answer->n;
	memcpy(k->addrs, answer->addrs, answer->n * sizeof(k->addrs[0]));
}

static bool
recall(struct conn *c)
{
	struct work *w = c->work;
	const char *name = dialled_host(w)->text;

	for (size_t i = 0; i < KNOWN_MAX; i++) {
		const struct known *k = &c->hub->known[i];
		if (k->until <= c->hub->now || strcmp(k->name.text, name) != 0)
			continue;
		memcpy(w->addrs, k->addrs, k->n * sizeof(k->addrs[0]));
		w->naddrs = k->n;
		return true;
	}
	return false;
}

static void
start_lookup(struct conn *c)
{
	struct hub *hub = c->hub;
	struct work *w = c->work;

	w->step = DIAL_LOOKUP;
	for (uint32_t i = 0; i < RESOLVE_LOOKUPS_MAX && hub->config->resolver >= 0; i++) {
		uint32_t id = ++hub->lookup_round;
		if (id == 0)
			id = ++hub->lookup_round;
		if (hub->lookups[id % RESOLVE_LOOKUPS_MAX] != NULL)
			continue;
		if (resolve_ask(hub->config->resolver, id, dialled_host(w)) != 0)
			break;
		hub->lookups[id % RESOLVE_LOOKUPS_MAX] = c;
		w->lookup = id;
		conn_deadline(c, (int)(w->dial_end - hub->now));
		return;
	}
	fail_lookup(c, RESOLVE_BUSY);
}

static void
take_answer(struct conn *c, const struct resolve_answer *answer)
{
	struct work *w = c->work;
	bool good = answer->status == RESOLVE_OK && answer->n > 0 &&
	            answer->n <= RESOLVE_ADDRS_MAX;

	lookup_done(c);
	if (!good) {
		fail_lookup(
		    c, answer->status <= RESOLVE_STALE && answer->status != RESOLVE_OK
		           ? (enum resolve_status)answer->status
		           : RESOLVE_FAIL);
		return;
	}
	memcpy(w->addrs, answer->addrs, answer->n * sizeof(w->addrs[0]));
	w->naddrs = answer->n;
	remember(c->hub, dialled_host(w), answer);
	/* The guard is for what the command names; a parent is the grant's own choice. */
	if (w->parent == NULL && !judge_addresses(c)) {
		fail(c);
		return;
	}
	next_address(c);
}

bool
dial_answers(struct hub *hub)
{
	struct resolve_answer answer;
	int got;

	/* One at a time: while there are more the loop says so again. */
	got = resolve_next(hub->config->resolver, &answer);
	if (got <= 0)
		return got == 0;
	struct conn *c = hub->lookups[answer.id % RESOLVE_LOOKUPS_MAX];
	if (c != NULL && c->state == CONN_DIAL && c->work->lookup == answer.id) {
		take_answer(c, &answer);
		conn_step(c);
	}
	return true;
}

/* ---- a parent's consent ---- */

static void
finish_dial(struct conn *c)
{
	struct work *w = c->work;

	w->up_host = w->host;
	w->up_port = w->port;
	w->up_parent = w->parent;
	w->reused = false;
	over(c, true);
}

static void
parent_refused(struct conn *c, const char *what)
{
	struct work *w = c->work;
	char authority[HOST_AUTHORITY_MAX];

	host_authority_text(&w->parent->host, w->parent->port, authority);
	refuse(w, 502, SOCKS_FAILED, "srun: the parent proxy %s %s", authority, what);
	fail(c);
}

static void
send_connect(struct conn *c)
{
	struct work *w = c->work;
	char authority[HOST_AUTHORITY_MAX], head[2048];

	host_authority_text(&w->host, w->port, authority);
	int n = snprintf(head, sizeof(head),
	    "CONNECT %s HTTP/1.1\r\nHost: %s\r\n%s%s%s\r\n", authority, authority,
	    w->parent->basic != NULL ? "Proxy-Authorization: Basic " : "",
	    w->parent->basic != NULL ? w->parent->basic : "",
	    w->parent->basic != NULL ? "\r\n" : "");
	if (n < 0 || (size_t)n >= sizeof(head) ||
	    !relay_write(&c->hub->relay, &c->up, head, (size_t)n))
		parent_refused(c, "has credentials that are too long");
}

/* True when it is decided, either way. */
static bool
parent_http(struct conn *c)
{
	struct work *w = c->work;
	struct http_response r;
	struct http_error e;
	size_t size;
	char what[64];

	for (;;) {
		enum http_result got = http_head_end(
		    w->up_in.data, w->up_in.len, &w->up_in.scanned, &size, &e);
		if (got == HTTP_MORE)
			return false;
		if (got == HTTP_OK)
			got = http_response_parse(w->up_in.data, size, NULL, &r, &e);
		if (got != HTTP_OK) {
			parent_refused(c, "gave no good answer");
			return true;
		}
		relay_unstash(&c->hub->relay, &w->up_in, size);
		if (r.status >= 200 || r.status == 101)
			break;
	}
	if (r.status >= 200 && r.status < 300) {
		finish_dial(c);
		return true;
	}
	snprintf(what, sizeof(what), "answered %d", r.status);
	parent_refused(c, r.status == 407 ? "does not take the credentials (407)" : what);
	return true;
}

static bool
parent_socks(struct conn *c)
{
	struct work *w = c->work;
	unsigned char send[SOCKS_CLIENT_MAX];
	size_t used, len;
	enum socks_step step;

	do {
		step = socks_ask(&w->socks_client, w->host.text, w->port, w->parent->user,
		    w->parent->password, (const unsigned char *)w->up_in.data,
		    w->up_in.len, &used, send, &len);
		if (len > 0 && !relay_write(&c->hub->relay, &c->up, send, len))
			step = SOCKS_REFUSED;
		if (used > 0)
			relay_unstash(&c->hub->relay, &w->up_in, used);
	} while (step == SOCKS_MORE && used > 0);
	if (step == SOCKS_MORE)
		return false;
	if (step == SOCKS_REQUEST)
		finish_dial(c);
	else
		parent_refused(c, "refused");
	return true;
}

static bool
parent_speaks(struct conn *c)
{
	return c->work->parent->kind == PARENT_HTTP ? parent_http(c) : parent_socks(c);
}

static void
read_parent(struct conn *c)
{
	struct work *w = c->work;

	relay_flush(&c->hub->relay, &c->up);
	while (c->up.readable) {
		size_t n = relay_read(&c->hub->relay, &c->up, HEAD_BYTES);
		if (n > 0 &&
		    !relay_stash(&c->hub->relay, &w->up_in, c->hub->relay.buffer, n)) {
			parent_refused(c, "says too much");
			return;
		}
		if (n > 0 && parent_speaks(c))
			return;
		if (c->up.eof) {
			parent_refused(c, "closed the connection");
			return;
		}
	}
}

static void
connected(struct conn *c)
{
	struct work *w = c->work;

	relay_unstash(&c->hub->relay, &w->up_in, w->up_in.len);
	if (w->parent == NULL ||
	    (w->parent->kind == PARENT_HTTP && w->scheme == SCHEME_HTTP)) {
		finish_dial(c);
		return;
	}
	w->step = DIAL_PARENT;
	memset(&w->socks_client, 0, sizeof(w->socks_client));
	conn_deadline(c, DIAL_MS);
	if (w->parent->kind == PARENT_HTTP)
		send_connect(c);
	else
		parent_speaks(c);
	if (c->state == CONN_DIAL && c->work->step == DIAL_PARENT && c->up.fd >= 0)
		read_parent(c);
}

/* ---- the steps from outside ---- */

/* The address is known without a look-up. */
static bool
set_addresses(struct conn *c)
{
	struct work *w = c->work;
	const struct host_name *h = dialled_host(w);

	if (h->addr.family != AF_UNSPEC) {
		w->addrs[0] = h->addr;
		w->naddrs = 1;
		return true;
	}
	if (!is_localhost(h))
		return recall(c);
	loopback_addresses(w);
	return true;
}

void
dial_start(struct conn *c)
{
	struct work *w = c->work;
	bool known;

	c->state = CONN_DIAL;
	w->naddrs = w->tried = 0;
	w->error = 0;
	w->lookup = 0;
	w->dial_end = c->hub->now + DIAL_MS;
	w->inside = w->judgement.verdict == HOST_INSIDE;
	w->literal = w->host.addr.family != AF_UNSPEC || w->inside ||
	             w->judgement.verdict == HOST_LOOPBACK;
	/* An address is judged even where a parent dials it. */
	if (w->parent != NULL && w->host.addr.family != AF_UNSPEC) {
		w->addrs[0] = w->host.addr;
		w->naddrs = 1;
		if (!judge_addresses(c)) {
			fail(c);
			return;
		}
	}
	known = set_addresses(c);
	if (known && w->parent == NULL && !w->inside && !judge_addresses(c)) {
		fail(c);
		return;
	}
	if (known)
		next_address(c);
	else
		start_lookup(c);
}

/* The readiness may be that of the address before, whose event came in the same batch. */
static bool
is_connected(int fd)
{
	struct sockaddr_storage ss;
	socklen_t len = sizeof(ss);

	return getpeername(fd, (struct sockaddr *)&ss, &len) == 0;
}

void
dial_step(struct conn *c)
{
	struct work *w = c->work;
	socklen_t len = sizeof(w->error);

	if (w->step == DIAL_PARENT) {
		read_parent(c);
		return;
	}
	if (w->step != DIAL_CONNECT || !c->up.writable)
		return;
	if (getsockopt(c->up.fd, SOL_SOCKET, SO_ERROR, &w->error, &len) != 0)
		w->error = errno;
	if (w->error == 0 && c->up_closed == c->hub->turn && !is_connected(c->up.fd)) {
		c->up.writable = false;
		return;
	}
	if (w->error == 0) {
		connected(c);
		return;
	}
	conn_close_up(c);
	next_address(c);
}

void
dial_timeout(struct conn *c)
{
	struct work *w = c->work;

	if (w->step == DIAL_PARENT) {
		parent_refused(c, "does not answer");
	} else if (w->step == DIAL_LOOKUP) {
		resolve_cancel(c->hub->config->resolver, w->lookup);
		lookup_done(c);
		fail_lookup(c, RESOLVE_TRY);
	} else {
		w->error = ETIMEDOUT;
		conn_close_up(c);
		next_address(c);
	}
}

void
dial_cancel(struct conn *c)
{
	if (c->work == NULL || c->work->lookup == 0)
		return;
	resolve_cancel(c->hub->config->resolver, c->work->lookup);
	lookup_done(c);
}
