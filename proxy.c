/*
 * proxy.c: the proxy process: its descriptors, its loop, its end.
 *
 * Owns accepting, the control socket, the deadlines and the order of a turn. Must not read
 * a client's bytes (conn.c and below do) nor open anything after proxy_main() has entered
 * its confinement. One turn: wait; what happened; what has more to do; deadlines; reports;
 * burial. A connection that ends is freed only at the end of its turn, since later events
 * of the same batch may still name it.
 */
#include "proxy.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "confine.h"
#include "conn.h"
#include "dial.h"
#include "netns.h"
#include "sys.h"

enum {
	BATCH = 256,
	ACCEPT_MAX = 64,      /* a turn and listener */
	REPORT_MS = 100,      /* between two rounds of reports */
	PAUSE_MS = 100,       /* without descriptors: until it is tried again */
	DESCRIPTORS_OWN = 32, /* not for connections */
	CONNS_MAX = 16384,
	NAMES_MAX = 32,    /* a turn */
	CAUGHT_MAX = 2048, /* listeners for names */
};

struct gate {
	struct source source;
	const struct proxy_listener *listener;
	struct gate *next;
};

struct loop {
	struct hub hub;
	struct gate *gates; /* every listener's */
	struct source control, resolver, names;
	bool closed;       /* the gates are not waited for */
	int64_t open_at;   /* closed for want of descriptors: try then */
	int64_t report_at; /* not before */
	bool flush;        /* PROXY_DONE is due */
	size_t ncaught;    /* listeners for names that were looked up */
};

/* ---- reports ---- */

static bool
send_report(struct loop *l, const struct proxy_report *r)
{
	return send(l->hub.config->control, r, sizeof(*r), MSG_DONTWAIT | MSG_NOSIGNAL) ==
	       (ssize_t)sizeof(*r);
}

static _Noreturn void
give_up(struct loop *l, const char *what)
{
	struct proxy_report r = {.kind = PROXY_FAILED};

	strncpy(r.text, what, sizeof(r.text) - 1);
	send_report(l, &r);
	_exit(1);
}

static void
report(struct loop *l)
{
	const struct proxy_report done = {.kind = PROXY_DONE}, *r;
	struct hub *hub = &l->hub;

	if (hub->now < l->report_at && !l->flush)
		return;
	l->report_at = hub->now + REPORT_MS;
	while ((r = denials_next(&hub->denials)) != NULL) {
		if (!send_report(l, r)) {
			denials_unsent(&hub->denials, r);
			return;
		}
	}
	if (l->flush)
		l->flush = !send_report(l, &done);
}

static void
read_control(struct loop *l)
{
	char order;
	ssize_t n = recv(l->hub.config->control, &order, 1, MSG_DONTWAIT);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	/* The supervisor is gone: so is the run. */
	if (n <= 0)
		_exit(0);
	l->flush = l->flush || order == PROXY_ORDER_FLUSH;
}

/* ---- accepting ---- */

static void
set_gates(struct loop *l, bool open)
{
	for (struct gate *g = l->gates; g != NULL; g = g->next) {
		if (!open)
			events_remove(&l->hub.events, g->listener->fd);
		else
			events_add(&l->hub.events, g->listener->fd, &g->source, false);
	}
	l->closed = !open;
}

/* Before the gates are set, or to be waited for at once by the caller. */
static struct gate *
add_gate(struct loop *l, const struct proxy_listener *listener)
{
	struct gate *g = calloc(1, sizeof(*g));

	if (g == NULL)
		return NULL;
	g->source.kind = SOURCE_LISTENER;
	g->listener = listener;
	g->next = l->gates;
	l->gates = g;
	return g;
}

static void
close_gates(struct loop *l, int64_t until)
{
	if (!l->closed)
		set_gates(l, false);
	l->open_at = until;
}

/* Each connection has room for both its descriptors before it is accepted. */
static void
accept_some(struct loop *l, const struct proxy_listener *listener)
{
	struct hub *hub = &l->hub;

	/* One at a time is enough for one client after the other; a crowd shows itself. */
	for (int i = 0; i < ACCEPT_MAX && (i == 0 || hub->crowd); i++) {
		if (hub->nconns >= hub->nconns_max) {
			close_gates(l, 0);
			return;
		}
		int fd = accept4(listener->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
		if (fd >= 0) {
			conn_new(hub, listener, fd);
		} else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS ||
		           errno == ENOMEM) {
			close_gates(l, hub->now + PAUSE_MS);
			return;
		} else if (errno == EAGAIN) {
			return;
		}
	}
}

static void
open_gates(struct loop *l)
{
	struct hub *hub = &l->hub;

	if (l->closed && hub->now >= l->open_at && hub->nconns < hub->nconns_max)
		set_gates(l, true);
}

/* ---- names that are looked up inside ---- */

/* A listener on the address that stands for the host: what arrives there is for it. */
static void
catch_port(struct loop *l, const struct host_name *host, uint16_t port, int fd)
{
	struct proxy_listener *listener = calloc(1, sizeof(*listener));
	struct gate *g = listener != NULL ? add_gate(l, listener) : NULL;
	int on = 1;

	if (g == NULL) {
		free(listener);
		close(fd);
		return;
	}
	*listener =
	    (struct proxy_listener){.fd = fd, .raw = true, .target = *host, .port = port};
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	l->ncaught++;
	if (!l->closed)
		events_add(&l->hub.events, fd, &g->source, false);
}

static void
catch_name(struct loop *l, const struct caught *c)
{
	struct netns_request q[CATCH_PORTS_MAX];
	uint16_t ports[CATCH_PORTS_MAX];
	int fds[CATCH_PORTS_MAX];
	size_t n = catch_ports(&l->hub.caught, &c->host, ports);
	const uint32_t addr = htonl(c->addr);

	if (l->ncaught + n > CAUGHT_MAX || l->hub.config->agent < 0)
		return;
	for (size_t i = 0; i < n; i++) {
		q[i] = (struct netns_request){
		    .op = NETNS_LISTENER, .family = AF_INET, .port = ports[i]};
		memcpy(q[i].addr, &addr, sizeof(addr));
	}
	/* One that cannot be had is refused to the client by the kernel. */
	netns_ask_all(l->hub.config->agent, q, n, fds);
	for (size_t i = 0; i < n; i++)
		if (fds[i] >= 0)
			catch_port(l, &c->host, ports[i], fds[i]);
}

static void
read_names(struct loop *l)
{
	struct hub *hub = &l->hub;
	unsigned char query[1500];
	struct sockaddr_in from;

	for (int i = 0; i < NAMES_MAX; i++) {
		socklen_t len = sizeof(from);
		struct catch_answer a;
		ssize_t n = recvfrom(hub->config->names, query, sizeof(query),
		    MSG_DONTWAIT, (struct sockaddr *)&from, &len);
		if (n < 0)
			return;
		catch_query(&hub->caught, query, (size_t)n, &a);
		if (a.denied)
			denials_add(&hub->denials, DENIAL_NOT_GRANTED, a.host.text, 0, "",
			    hub->config->rules, 0, NULL);
		if (a.fresh != NULL)
			catch_name(l, a.fresh);
		if (a.len > 0)
			(void)!sendto(hub->config->names, a.data, a.len,
			    MSG_DONTWAIT | MSG_NOSIGNAL, (const struct sockaddr *)&from,
			    len);
	}
}

/* ---- a turn ---- */

static void
end_is_ready(struct end *e, struct conn *c, unsigned ready)
{
	if (c->state == CONN_DEAD || e->fd < 0)
		return;
	e->readable = e->readable || (ready & READY_IN) != 0;
	e->writable = e->writable || (ready & READY_OUT) != 0;
	e->eof_near = e->eof_near || (ready & READY_EOF) != 0;
	e->hup = e->hup || (ready & READY_BROKEN) != 0;
	conn_step(c);
}

/* The struct that has this member. */
#define HOLDER(pointer, type, member)                                                    \
	((type *)(void *)((char *)(pointer)-offsetof(type, member)))

static void
happened(struct loop *l, const struct happening *h)
{
	struct end *e = HOLDER(h->source, struct end, source);

	switch ((enum source_kind)h->source->kind) {
	case SOURCE_CLIENT:
		end_is_ready(e, HOLDER(e, struct conn, client), h->ready);
		break;
	case SOURCE_UP:
		end_is_ready(e, HOLDER(e, struct conn, up), h->ready);
		break;
	case SOURCE_LISTENER:
		if (!l->closed)
			accept_some(l, HOLDER(h->source, struct gate, source)->listener);
		break;
	case SOURCE_NAMES:
		read_names(l);
		break;
	case SOURCE_CONTROL:
		read_control(l);
		break;
	case SOURCE_RESOLVER:
		/* Without it no name can be judged by its addresses: the run is over. */
		if (!dial_answers(&l->hub))
			_exit(1);
		break;
	}
}

/* Those that were waiting when the turn came to them; what they queue is for the next. */
static void
go_on(struct hub *hub)
{
	struct conn *c = hub->again, *next;

	hub->again = NULL;
	for (; c != NULL; c = next) {
		next = c->next;
		c->queued = false;
		if (c->state == CONN_DEAD) {
			c->next = hub->dead;
			hub->dead = c;
		} else {
			conn_step(c);
		}
	}
}

static void
expire(struct hub *hub)
{
	struct timer *t;

	while ((t = timers_first(&hub->timers)) != NULL && t->at <= hub->now) {
		timers_clear(&hub->timers, t);
		conn_timeout(HOLDER(t, struct conn, timer));
	}
}

static int
until(int64_t now, int64_t at, int timeout)
{
	int64_t left = at > now ? at - now : 0;

	return timeout < 0 || left < timeout ? (int)left : timeout;
}

static int
wait_ms(const struct loop *l)
{
	const struct hub *hub = &l->hub;
	const struct timer *t = timers_first(&hub->timers);
	int timeout = -1;

	if (hub->again != NULL)
		return 0;
	if (t != NULL)
		timeout = until(hub->now, t->at, timeout);
	if (hub->denials.ndirty > 0 || l->flush)
		timeout = until(hub->now, l->report_at, timeout);
	if (l->closed && hub->nconns < hub->nconns_max)
		timeout = until(hub->now, l->open_at, timeout);
	return timeout;
}

static void
turn(struct loop *l)
{
	struct happening v[BATCH];
	struct hub *hub = &l->hub;
	int n = events_wait(&hub->events, v, BATCH, wait_ms(l));

	if (n < 0)
		_exit(1);
	hub->turn++;
	hub->crowd = n > 1;
	hub->now = sys_now_ms();
	for (int i = 0; i < n; i++)
		happened(l, &v[i]);
	go_on(hub);
	expire(hub);
	report(l);
	conn_bury(hub);
	open_gates(l);
}

/* ---- start ---- */

/* Small writes must not wait for each other; what a listener accepts inherits that. */
static void
set_up_socket(struct loop *l, int fd)
{
	int flags = fcntl(fd, F_GETFL), on = 1;

	if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0 ||
	    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) != 0)
		give_up(l, "cannot set up a descriptor");
}

static void
prepare_inside(struct loop *l)
{
	struct hub *hub = &l->hub;
	socklen_t len = sizeof(int);

	if (hub->config->ninside == 0)
		return;
	hub->inside = calloc(hub->config->ninside, sizeof(*hub->inside));
	if (hub->inside == NULL)
		give_up(l, "out of memory");
	for (size_t i = 0; i < hub->config->ninside; i++) {
		struct inside_socket *s = &hub->inside[i];
		s->fd = hub->config->inside[i];
		if (getsockopt(s->fd, SOL_SOCKET, SO_DOMAIN, &s->family, &len) != 0)
			give_up(l, "cannot set up a descriptor");
		set_up_socket(l, s->fd);
	}
}

static void
prepare(struct loop *l)
{
	const struct proxy_config *config = l->hub.config;
	struct hub *hub = &l->hub;

	if (!events_open(&hub->events) || !relay_open(&hub->relay) ||
	    !timers_open(&hub->timers, CONNS_MAX))
		give_up(l, "cannot set up the event loop");
	for (size_t i = 0; i < config->nlisteners; i++) {
		if (!add_gate(l, &config->listeners[i]))
			give_up(l, "out of memory");
		set_up_socket(l, config->listeners[i].fd);
	}
	l->names.kind = SOURCE_NAMES;
	hub->caught.rules = config->rules;
	if (config->names >= 0 &&
	    !events_add(&hub->events, config->names, &l->names, false))
		give_up(l, "cannot set up the event loop");
	l->control.kind = SOURCE_CONTROL;
	l->resolver.kind = SOURCE_RESOLVER;
	if (!events_add(&hub->events, config->control, &l->control, false) ||
	    (config->resolver >= 0 &&
	        !events_add(&hub->events, config->resolver, &l->resolver, false)))
		give_up(l, "cannot set up the event loop");
	prepare_inside(l);
	set_gates(l, true);
	hub->now = sys_now_ms();
}

static void
confine(struct loop *l)
{
	const struct proxy_config *config = l->hub.config;
	size_t n = 0;
	int *keep = calloc(config->nlisteners + config->ninside + 5, sizeof(*keep));
	const char *stage;

	if (keep == NULL)
		give_up(l, "out of memory");
	keep[n++] = config->control;
	keep[n++] = l->hub.events.fd;
	if (config->resolver >= 0)
		keep[n++] = config->resolver;
	if (config->names >= 0)
		keep[n++] = config->names;
	if (config->agent >= 0)
		keep[n++] = config->agent;
	for (size_t i = 0; i < config->nlisteners; i++)
		keep[n++] = config->listeners[i].fd;
	for (size_t i = 0; i < config->ninside; i++)
		keep[n++] = config->inside[i];
	const struct confine c = {.role = FILTER_PROXY, .keep = keep, .nkeep = n};
	if (!confine_enter(&c, &stage))
		give_up(l, stage);
	free(keep);
}

static void
count_room(struct loop *l)
{
	const struct proxy_config *config = l->hub.config;
	struct rlimit limit;
	size_t own = DESCRIPTORS_OWN + config->nlisteners + config->ninside +
	             (config->agent >= 0 ? CAUGHT_MAX : 0);

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur < own + 2)
		give_up(l, "there are too few descriptors");
	size_t room =
	    limit.rlim_cur > 2 * CONNS_MAX + own ? 2 * CONNS_MAX : limit.rlim_cur - own;
	l->hub.nconns_max = room / 2;
}

_Noreturn void
proxy_main(const struct proxy_config *config)
{
	struct loop *l = calloc(1, sizeof(*l));
	const struct proxy_report ready = {.kind = PROXY_READY};

	if (l == NULL)
		_exit(1);
	l->hub.config = config;
	prepare(l);
	if (!config->unconfined)
		confine(l);
	count_room(l);
	if (!send_report(l, &ready))
		_exit(1);
	for (;;)
		turn(l);
}
