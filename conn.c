/*
 * conn.c: the life of one connection: which protocol it speaks, tunnels, refusals, its end.
 *
 * Owns the states. Must not parse HTTP, nor decide what is granted. After every event
 * conn_step() goes as far as it can; nothing is remembered but what the ends know about
 * their readiness, so that the order of events does not matter.
 */
#include "conn.h"

#include <netinet/in.h>
#include <linux/sockios.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "dial.h"
#include "exchange.h"
#include "tls_sni.h"

#define PROBE_S 30

static const char established[] = "HTTP/1.1 200 Connection established\r\n\r\n";

/* ---- birth and death ---- */

bool
conn_work(struct conn *c)
{
	if (c->work == NULL)
		c->work = calloc(1, sizeof(*c->work));
	if (c->work == NULL)
		conn_close(c);
	return c->work != NULL;
}

static void
free_work(struct conn *c)
{
	if (c->work == NULL)
		return;
	dial_cancel(c);
	relay_unstash(&c->hub->relay, &c->work->up_in, c->work->up_in.len);
	free(c->work->head);
	free(c->work);
	c->work = NULL;
}

/* Whether the peer has everything that was sent, so that a reset takes nothing away. */
static bool
delivered(int fd)
{
	int left;

	return ioctl(fd, SIOCOUTQ, &left) == 0 && left == 0;
}

/* The other end broke: this one's peer is told so, rather than shown a clean end. */
static void
pass_reset(struct end *e, const struct end *other)
{
	struct linger now = {.l_onoff = 1, .l_linger = 0};

	if (other->reset && e->fd >= 0 && e->out == NULL && delivered(e->fd))
		setsockopt(e->fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
}

/* A socket of the namespace cannot be made anew: it is disconnected and kept. */
static void
give_back(struct conn *c)
{
	struct inside_socket *s = &c->hub->inside[c->inside - 1];
	struct sockaddr none = {.sa_family = AF_UNSPEC};

	events_remove(&c->hub->events, s->fd);
	/* One that cannot be is not used again. */
	s->used = connect(s->fd, &none, sizeof(none)) != 0;
	c->inside = 0;
}

void
conn_close_up(struct conn *c)
{
	if (c->up.fd < 0)
		return;
	relay_drop(&c->hub->relay, &c->up);
	if (c->inside != 0)
		give_back(c);
	else
		close(c->up.fd);
	c->up.fd = -1;
	c->up_closed = c->hub->turn;
}

void
conn_close(struct conn *c)
{
	struct hub *hub = c->hub;

	if (c->state == CONN_DEAD)
		return;
	c->state = CONN_DEAD;
	pass_reset(&c->client, &c->up);
	pass_reset(&c->up, &c->client);
	timers_clear(&hub->timers, &c->timer);
	free_work(c);
	conn_close_up(c);
	relay_drop(&hub->relay, &c->client);
	close(c->client.fd);
	relay_unstash(&hub->relay, &c->in, c->in.len);
	free(c->peek);
	c->peek = NULL;
	hub->nconns--;
	/* One that is queued is found dead there, and moved. */
	if (!c->queued) {
		c->next = hub->dead;
		hub->dead = c;
	}
}

void
conn_bury(struct hub *hub)
{
	while (hub->dead != NULL) {
		struct conn *c = hub->dead;
		hub->dead = c->next;
		free(c);
	}
}

void
conn_queue(struct conn *c)
{
	if (c->queued || c->state == CONN_DEAD)
		return;
	c->queued = true;
	c->next = c->hub->again;
	c->hub->again = c;
}

void
conn_deadline(struct conn *c, int ms)
{
	if (c->state != CONN_DEAD)
		timers_set(&c->hub->timers, &c->timer, c->hub->now + ms);
}

/* ---- refusals ---- */

void
conn_linger(struct conn *c)
{
	if (c->state == CONN_DEAD)
		return;
	conn_close_up(c);
	free_work(c);
	relay_unstash(&c->hub->relay, &c->in, c->in.len);
	c->state = CONN_LINGER;
	timers_clear(&c->hub->timers, &c->timer);
	conn_queue(c);
}

static void
refuse_socks(struct conn *c)
{
	unsigned char reply[SOCKS_REPLY_MAX];
	size_t n = socks_answer(&c->work->socks, c->work->refusal.code, reply);

	relay_write(&c->hub->relay, &c->client, reply, n);
	conn_linger(c);
}

static void
refuse_http(struct conn *c, bool keep_alive)
{
	struct work *w = c->work;
	char text[2048], body[1024];
	struct http_refusal r = {.status = w->refusal.status,
	    .reason = w->refusal.reason,
	    .body = body,
	    .keep_alive = keep_alive,
	    .no_body = w->request.head,
	    .challenge = w->refusal.status == 407};

	snprintf(body, sizeof(body), "%s\n%s%s", w->refusal.reason, w->refusal.hint,
	    w->refusal.hint[0] != '\0' ? "\n" : "");
	size_t n = http_refusal_build(&r, text, sizeof(text));
	relay_write(&c->hub->relay, &c->client, text, n);
	if (!keep_alive) {
		conn_linger(c);
		return;
	}
	c->state = CONN_HEAD;
	c->in.scanned = 0;
	conn_deadline(c, c->in.len > 0 ? HEAD_MS : IDLE_MS);
	conn_queue(c);
}

void
conn_refuse(struct conn *c, bool keep_alive)
{
	if (c->listener->raw)
		conn_close(c);
	else if (c->socks)
		refuse_socks(c);
	else
		refuse_http(c, keep_alive);
}

static void
step_linger(struct conn *c)
{
	struct relay *relay = &c->hub->relay;

	/* An answer takes the time that its reader takes; only then the clock runs. */
	if (relay_flush(relay, &c->client) && c->timer.slot == 0) {
		c->client.shut = true;
		shutdown(c->client.fd, SHUT_WR);
		conn_deadline(c, LINGER_MS);
	}
	while (c->client.readable && c->lingered < LINGER_BYTES)
		c->lingered += (uint32_t)relay_read(relay, &c->client, RELAY_BUFFER);
	if (c->client.out == NULL && (c->client.eof || c->lingered >= LINGER_BYTES))
		conn_close(c);
}

/* ---- tunnels ---- */

void
conn_tunnel(struct conn *c)
{
	struct relay *relay = &c->hub->relay;
	struct stash *early = &c->work->up_in;
	bool good = relay_write(relay, &c->client, early->data, early->len);

	good = good && relay_write(relay, &c->up, c->in.data, c->in.len);
	relay_unstash(relay, &c->in, c->in.len);
	free_work(c);
	timers_clear(&c->hub->timers, &c->timer);
	c->state = CONN_TUNNEL;
	if (good)
		conn_queue(c);
	else
		conn_close(c);
}

/*
 * It sends no more; whether it still reads shows only when something is sent. A client that
 * is gone must not hold a connection to a host that never says anything.
 */
static void
probe(int fd)
{
	const int on = 1, idle = PROBE_S, times = 3;

	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof(idle));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &idle, sizeof(idle));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &times, sizeof(times));
}

/* One direction, as far as it goes. False when there is no memory. */
static bool
move(struct conn *c, struct end *from, struct end *to)
{
	struct relay *relay = &c->hub->relay;
	size_t moved = 0, n;

	while (relay_flush(relay, to) && from->readable && !to->shut) {
		if (moved > TURN_BYTES) {
			conn_queue(c);
			return true;
		}
		n = relay_read(relay, from, RELAY_BUFFER);
		moved += n;
		if (n > 0 && !relay_write(relay, to, relay->buffer, n))
			return false;
	}
	if (from->eof && to->out == NULL && !to->shut) {
		to->shut = true;
		probe(from->fd);
		/* A reset is passed on by conn_close(), when both directions are over. */
		if (!from->reset)
			shutdown(to->fd, SHUT_WR);
	}
	return true;
}

/* Over when nothing can be sent in either direction, or when one end broke. */
static void
end_tunnel(struct conn *c)
{
	bool up_over = c->up.shut && c->up.out == NULL;
	bool client_over = c->client.shut && c->client.out == NULL;

	if ((up_over && client_over) || (c->client.reset && up_over) ||
	    (c->up.reset && client_over))
		conn_close(c);
}

/* All was read of it, and now it cannot be written to either. */
static void
notice_break(struct end *e)
{
	if (e->hup && e->eof && !e->shut)
		e->reset = e->shut = true;
}

static void
step_tunnel(struct conn *c)
{
	notice_break(&c->client);
	notice_break(&c->up);
	if (!move(c, &c->client, &c->up) || !move(c, &c->up, &c->client))
		conn_close(c);
	else
		end_tunnel(c);
}

static bool
begin_peek(struct conn *c)
{
	const struct work *w = c->work;

	c->peek = malloc(sizeof(*c->peek) + w->host.len + 1);
	if (c->peek == NULL)
		return false;
	c->peek->port = w->port;
	memcpy(c->peek->name, w->host.text, w->host.len + 1);
	return true;
}

static void
end_peek(struct conn *c)
{
	free(c->peek);
	c->peek = NULL;
}

static bool
same_name(const char *sni, const char *name)
{
	struct host_name h;

	return host_name_parse(sni, strlen(sni), &h) == NULL && strcmp(h.text, name) == 0;
}

static void
refuse_peek(struct conn *c, enum tls_sni got, const char *sni)
{
	const struct host_rules *rules = c->hub->config->rules;

	denials_add(&c->hub->denials, DENIAL_SNI, c->peek->name, c->peek->port,
	    got == TLS_SNI_NAME ? sni : "", rules, 0, NULL);
	end_peek(c);
	relay_write(&c->hub->relay, &c->client, tls_alert_denied, TLS_ALERT_LEN);
	conn_linger(c);
}

/* What the client has said so far; nothing of it has gone further. */
static void
judge_peek(struct conn *c)
{
	char sni[TLS_SNI_MAX + 1];
	struct relay *relay = &c->hub->relay;
	enum tls_sni got =
	    tls_sni_read((const unsigned char *)c->in.data, c->in.len, sni);

	if (got == TLS_SNI_MORE) {
		if (c->client.eof)
			conn_close(c);
		return;
	}
	if (got != TLS_SNI_NOT_TLS &&
	    !(got == TLS_SNI_NAME && same_name(sni, c->peek->name))) {
		refuse_peek(c, got, sni);
		return;
	}
	end_peek(c);
	timers_clear(&c->hub->timers, &c->timer);
	c->state = CONN_TUNNEL;
	if (!relay_write(relay, &c->up, c->in.data, c->in.len))
		conn_close(c);
	relay_unstash(relay, &c->in, c->in.len);
}

static void
step_peek(struct conn *c)
{
	struct relay *relay = &c->hub->relay;
	size_t n;

	if (!move(c, &c->up, &c->client)) {
		conn_close(c);
		return;
	}
	while (c->state == CONN_PEEK && c->client.readable) {
		n = relay_read(relay, &c->client, HEAD_BYTES);
		if (n > 0 && c->in.len == 0)
			conn_deadline(c, HEAD_MS);
		if (n > 0 && !relay_stash(relay, &c->in, relay->buffer, n)) {
			conn_close(c);
			return;
		}
		if (c->state == CONN_PEEK && c->in.len > 0)
			judge_peek(c);
	}
	if (c->state != CONN_PEEK || c->in.len > 0 || !c->client.eof)
		return;
	/* It never says anything: half a tunnel. */
	end_peek(c);
	c->state = CONN_TUNNEL;
}

/* ---- the way in ---- */

static void
start_tunnel(struct conn *c)
{
	struct relay *relay = &c->hub->relay;
	struct work *w = c->work;
	unsigned char reply[SOCKS_REPLY_MAX];
	size_t n;
	bool good = true;

	if (c->socks) {
		n = socks_answer(&w->socks, SOCKS_DONE, reply);
		good = relay_write(relay, &c->client, reply, n);
	} else if (!c->listener->raw) {
		good =
		    relay_write(relay, &c->client, established, sizeof(established) - 1);
	}
	if (!good || w->literal || (c->listener->raw && c->listener->published)) {
		if (good)
			conn_tunnel(c);
		else
			conn_close(c);
		return;
	}
	if (!relay_write(relay, &c->client, w->up_in.data, w->up_in.len) ||
	    !begin_peek(c)) {
		conn_close(c);
		return;
	}
	free_work(c);
	c->state = CONN_PEEK;
	if (c->in.len > 0) {
		conn_deadline(c, HEAD_MS);
		judge_peek(c);
	}
}

void
conn_dialled(struct conn *c, bool good)
{
	const struct work *w = c->work;
	bool plain = !c->socks && !c->listener->raw && !w->request.connect;

	if (!good)
		conn_refuse(
		    c, plain && w->keep_client && w->request.h.framing == HTTP_NO_BODY);
	else if (plain)
		exchange_start(c);
	else
		start_tunnel(c);
	conn_queue(c);
}

/* A host that was named whole: by SOCKS, or by the listener. */
static void
dial_named(struct conn *c)
{
	c->work->scheme = SCHEME_HTTPS;
	timers_clear(&c->hub->timers, &c->timer);
	if (dial_judge(c) && dial_route(c))
		dial_start(c);
	else
		conn_refuse(c, false);
}

static void
take_socks(struct conn *c)
{
	struct work *w = c->work;

	if (w->socks.port == 0 ||
	    host_name_parse(w->socks.host, w->socks.host_len, &w->host) != NULL) {
		w->refusal.code = SOCKS_NOT_ALLOWED;
		conn_refuse(c, false);
		return;
	}
	w->port = w->socks.port;
	dial_named(c);
}

static void
step_socks(struct conn *c)
{
	struct relay *relay = &c->hub->relay;
	unsigned char reply[SOCKS_REPLY_MAX];
	size_t used, len, n;
	enum socks_step step;

	if (!relay_flush(relay, &c->client) || !conn_work(c))
		return;
	for (;;) {
		step = socks_serve(&c->work->socks, c->hub->config->token,
		    (const unsigned char *)c->in.data, c->in.len, &used, reply, &len);
		relay_write(relay, &c->client, reply, len);
		if (used > 0)
			relay_unstash(relay, &c->in, used);
		if (step == SOCKS_REQUEST) {
			take_socks(c);
			return;
		}
		if (step == SOCKS_REFUSED) {
			conn_linger(c);
			return;
		}
		if (used > 0)
			continue;
		n = c->client.readable ? relay_read(relay, &c->client, HEAD_BYTES) : 0;
		if (n == 0)
			break;
		if (!relay_stash(relay, &c->in, relay->buffer, n)) {
			conn_close(c);
			return;
		}
	}
	if (c->client.eof)
		conn_close(c);
}

static void
step_first(struct conn *c)
{
	struct relay *relay = &c->hub->relay;
	size_t n = c->client.readable ? relay_read(relay, &c->client, HEAD_BYTES) : 0;

	if (n == 0) {
		if (c->client.eof)
			conn_close(c);
		return;
	}
	if (!relay_stash(relay, &c->in, relay->buffer, n)) {
		conn_close(c);
		return;
	}
	unsigned char first = (unsigned char)c->in.data[0];
	c->socks = first == 4 || first == 5;
	c->state = c->socks ? CONN_SOCKS : CONN_HEAD;
	bool text = first == '\r' || first == '\n' || (first >= ' ' && first < 127);
	if (!c->socks && !text && conn_work(c)) {
		c->work->refusal.status = 400;
		snprintf(c->work->refusal.reason, sizeof(c->work->refusal.reason),
		    "srun: %s",
		    first == TLS_FIRST_BYTE
		        ? "the proxy speaks no TLS [use http:// for its own URL]"
		        : "neither HTTP nor SOCKS");
		conn_refuse(c, false);
	}
}

static void
start_raw(struct conn *c)
{
	const struct proxy_listener *l = c->listener;

	if (!conn_work(c))
		return;
	c->work->host = l->target;
	c->work->port = l->port;
	if (!l->published) {
		dial_named(c);
		return;
	}
	c->work->judgement.verdict = HOST_INSIDE;
	dial_start(c);
}

void
conn_new(struct hub *hub, const struct proxy_listener *listener, int fd)
{
	struct conn *c = calloc(1, sizeof(*c));

	if (c == NULL) {
		close(fd);
		return;
	}
	c->hub = hub;
	c->listener = listener;
	c->client.source.kind = SOURCE_CLIENT;
	c->client.fd = fd;
	c->up.fd = -1;
	hub->nconns++;
	if (!events_add(&hub->events, fd, &c->client.source, true)) {
		conn_close(c);
		return;
	}
	/* Mostly the first bytes are there already. */
	c->client.readable = c->client.writable = true;
	conn_deadline(c, HEAD_MS);
	if (c->state != CONN_DEAD && listener->raw)
		start_raw(c);
	conn_step(c);
}

/* ---- events ---- */

static void
step_dial(struct conn *c)
{
	if (c->client.hup)
		conn_close(c);
	else
		dial_step(c);
}

void
conn_step(struct conn *c)
{
	static void (*const steps[])(struct conn *) = {
	    [CONN_FIRST] = step_first,
	    [CONN_SOCKS] = step_socks,
	    [CONN_HEAD] = exchange_head,
	    [CONN_DIAL] = step_dial,
	    [CONN_PEEK] = step_peek,
	    [CONN_TUNNEL] = step_tunnel,
	    [CONN_EXCHANGE] = exchange_step,
	    [CONN_LINGER] = step_linger,
	};
	uint8_t before;

	do {
		before = c->state;
		if (before != CONN_DEAD)
			steps[before](c);
	} while (c->state != before);
}

void
conn_timeout(struct conn *c)
{
	if (c->state == CONN_DIAL) {
		dial_timeout(c);
		conn_step(c);
	} else if (c->state == CONN_HEAD && c->in.len > 0 && conn_work(c)) {
		c->work->refusal.status = 408;
		c->work->refusal.hint[0] = '\0';
		snprintf(c->work->refusal.reason, sizeof(c->work->refusal.reason),
		    "srun: the head was not whole within %d s", HEAD_MS / 1000);
		conn_refuse(c, false);
	} else {
		conn_close(c);
	}
}
