/*
 * exchange.c: one HTTP request and its answer at a time.
 *
 * Owns keep-alive on both sides. Must not open a socket, nor forward a byte of a head: what
 * goes out is what http.c built. The other side's connection is used again only for the
 * same host, port and route, only by the client whose requests it carried, and only for a
 * request that can be sent once more if it turns out to be closed.
 */
#include "exchange.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dial.h"

/* ---- refusals ---- */

static void
refuse_text(struct conn *c, int status, const char *what, const char *why, bool keep)
{
	struct work *w = c->work;

	w->refusal.status = status;
	w->refusal.code = SOCKS_FAILED;
	w->refusal.hint[0] = '\0';
	snprintf(w->refusal.reason, sizeof(w->refusal.reason), "srun: %s%s", what, why);
	conn_refuse(c, keep);
}

/* No answer has begun, and there will be none of the other side's. */
static void
refuse_answer(struct conn *c, const char *why)
{
	struct work *w = c->work;
	bool keep = w->keep_client && w->body.done;
	char authority[HOST_AUTHORITY_MAX], what[HOST_AUTHORITY_MAX + 2];

	host_authority_text(&w->host, w->port, authority);
	snprintf(what, sizeof(what), "%s: ", authority);
	conn_close_up(c);
	refuse_text(c, 502, what, why, keep);
}

/* ---- a request ---- */

static bool
same_up(const struct conn *c)
{
	const struct work *w = c->work;

	return c->up.fd >= 0 && w->up_port == w->port && w->up_parent == w->parent &&
	       strcmp(w->up_host.text, w->host.text) == 0;
}

/* May be sent twice. */
static bool
repeatable(const struct http_request *r)
{
	return r->h.framing == HTTP_NO_BODY &&
	       (span_is(r->method, "GET") || r->head || span_is(r->method, "OPTIONS"));
}

static bool
build_head(struct conn *c)
{
	struct work *w = c->work;
	char authority[HOST_AUTHORITY_MAX];
	struct http_forward f = {.authority = authority, .keep_alive = w->keep_client};
	size_t cap = w->request.h.size + 2 * sizeof(authority) + 256;

	host_authority_text(&w->host, w->port == 80 ? 0 : w->port, authority);
	if (w->parent != NULL && w->parent->kind == PARENT_HTTP) {
		f.absolute = true;
		f.basic = w->parent->basic;
		cap += f.basic != NULL ? strlen(f.basic) : 0;
	}
	free(w->head);
	w->head = malloc(cap);
	if (w->head == NULL)
		return false;
	w->head_len = http_request_build(&w->request, &f, w->head, cap);
	return w->head_len > 0;
}

/* A request whose host is judged and routed; its head is still in c->in. */
static void
begin(struct conn *c)
{
	struct work *w = c->work;
	struct relay *relay = &c->hub->relay;
	bool again = !w->request.connect && repeatable(&w->request);

	if (w->request.connect) {
		relay_unstash(relay, &c->in, w->request.h.size);
		conn_close_up(c);
		dial_start(c);
		return;
	}
	if (!build_head(c)) {
		refuse_text(c, 431, "the head is too large", "", false);
		return;
	}
	relay_unstash(relay, &c->in, w->request.h.size);
	http_body_start(&w->body, w->request.h.framing, w->request.h.length, false);
	w->again = !again;
	if (again && same_up(c)) {
		w->reused = true;
		exchange_start(c);
		return;
	}
	conn_close_up(c);
	dial_start(c);
}

static bool
token_given(struct conn *c)
{
	const char *token = c->hub->config->token;
	return token == NULL || http_basic_is(c->work->request.h.credentials, token);
}

static void
take_request(struct conn *c)
{
	struct work *w = c->work;
	struct http_request *r = &w->request;
	bool keep;
	const char *why;

	w->keep_client = r->h.keep_alive && !r->connect;
	w->scheme = r->connect ? SCHEME_HTTPS : SCHEME_HTTP;
	/* What was refused may have a body that looks like a request. */
	keep = r->h.keep_alive && r->h.framing == HTTP_NO_BODY;
	if (!token_given(c)) {
		relay_unstash(&c->hub->relay, &c->in, r->h.size);
		refuse_text(c, 407, "the proxy asks for the token of this run", "", keep);
		return;
	}
	why = host_authority_parse(
	    r->authority.s, r->authority.len, r->connect ? 0 : 80, &w->host, &w->port);
	if (why != NULL) {
		refuse_text(c, 400, "the host of the request ", why, false);
		return;
	}
	if (!dial_judge(c) || !dial_route(c)) {
		relay_unstash(&c->hub->relay, &c->in, r->h.size);
		conn_refuse(c, keep && !r->connect);
		return;
	}
	begin(c);
}

/* True when the head is whole, or was refused. */
static bool
read_head(struct conn *c, struct http_error *e, enum http_result *result)
{
	struct relay *relay = &c->hub->relay;
	size_t size, n;

	c->work->request.head = false; /* of the one before */
	for (;;) {
		*result = http_head_end(c->in.data, c->in.len, &c->in.scanned, &size, e);
		/* Some clients end a body with an empty line too many (RFC 9112, 2.2). */
		if (*result == HTTP_OK && size == 2) {
			relay_unstash(relay, &c->in, size);
			continue;
		}
		if (*result == HTTP_OK)
			*result =
			    http_request_parse(c->in.data, size, &c->work->request, e);
		if (*result != HTTP_MORE)
			return true;
		if (!c->client.readable)
			return false;
		if (c->in.len == 0)
			conn_deadline(c, HEAD_MS);
		n = relay_read(relay, &c->client, HEAD_BYTES);
		if (n == 0)
			return false;
		if (!relay_stash(relay, &c->in, relay->buffer, n)) {
			e->status = 503;
			e->text = "out of memory";
			*result = HTTP_BAD;
			return true;
		}
	}
}

void
exchange_head(struct conn *c)
{
	struct http_error e;
	enum http_result result;

	if (!relay_flush(&c->hub->relay, &c->client) || !conn_work(c))
		return;
	/* Between requests the other side has nothing to say but its end. */
	if (c->up.fd >= 0 && (c->up.readable || c->up.eof_near))
		conn_close_up(c);
	if (!read_head(c, &e, &result)) {
		if (c->client.eof)
			conn_close(c);
		return;
	}
	timers_clear(&c->hub->timers, &c->timer);
	if (result == HTTP_BAD)
		refuse_text(c, e.status, e.text, "", false);
	else
		take_request(c);
}

/* ---- the exchange ---- */

void
exchange_start(struct conn *c)
{
	struct work *w = c->work;

	c->state = CONN_EXCHANGE;
	timers_clear(&c->hub->timers, &c->timer);
	w->head_sent = w->answer_begun = false;
	w->keep_up = true;
	relay_unstash(&c->hub->relay, &w->up_in, w->up_in.len);
	conn_queue(c);
}

/* Bytes of the request's body; what is behind them is the next request's. */
static bool
send_body(struct conn *c, char *data, size_t n, bool stashed)
{
	struct work *w = c->work;
	struct relay *relay = &c->hub->relay;
	size_t used, out;

	if (!http_body_filter(&w->body, data, n, &used, &out))
		return false;
	if (!stashed && used < n && !relay_stash(relay, &c->in, data + used, n - used))
		return false;
	if (!relay_write(relay, &c->up, data, out))
		return false;
	if (stashed)
		relay_unstash(relay, &c->in, used);
	return true;
}

/* False when the exchange is over by it. */
static bool
move_body(struct conn *c)
{
	struct work *w = c->work;
	struct relay *relay = &c->hub->relay;
	size_t moved = 0, n;
	bool good = true;

	while (!w->body.done && c->up.out == NULL && !c->up.shut) {
		if (moved > TURN_BYTES) {
			conn_queue(c);
			return true;
		}
		if (c->in.len > 0) {
			moved += c->in.len;
			good = send_body(c, c->in.data, c->in.len, true);
		} else if (c->client.readable) {
			n = relay_read(relay, &c->client, RELAY_BUFFER);
			moved += n;
			good = n == 0 || send_body(c, relay->buffer, n, false);
		} else if (c->client.eof) {
			/* Never whole: the other side must not take it for a request. */
			conn_close(c);
			return false;
		} else {
			return true;
		}
		if (good)
			continue;
		if (w->answer_begun) {
			conn_close(c);
		} else {
			conn_close_up(c);
			refuse_text(c, 400, "the body is not well chunked", "", false);
		}
		return false;
	}
	return true;
}

/* The exchange is over, the answer is sent but for what waits in c->client.out. */
static void
finish(struct conn *c)
{
	struct work *w = c->work;

	if (!w->keep_up || !w->body.done || !w->keep_client || w->up_in.len > 0)
		conn_close_up(c);
	if (!w->body.done || !w->keep_client) {
		conn_linger(c);
		return;
	}
	relay_unstash(&c->hub->relay, &w->up_in, w->up_in.len);
	c->state = CONN_HEAD;
	c->in.scanned = 0;
	conn_deadline(c, c->in.len > 0 ? HEAD_MS : IDLE_MS);
	conn_queue(c);
}

/* The end came where there should be more. False always: the exchange is over. */
static bool
cut_off(struct conn *c)
{
	struct work *w = c->work;

	if (w->answer_begun) {
		/* Without a length an end would look like the whole of it. */
		if (w->answer.framing == HTTP_TO_CLOSE || w->answer.unchunk)
			c->up.reset = true;
		conn_close(c);
		return false;
	}
	if (w->reused && !w->again && w->up_in.len == 0) {
		w->again = true;
		conn_close_up(c);
		dial_start(c);
		return false;
	}
	refuse_answer(c, "the connection was closed without an answer");
	return false;
}

static bool
send_head(struct conn *c, const struct http_response *r, const struct http_answer *a)
{
	size_t cap = r->h.size + 256, len;
	char *head = malloc(cap);
	bool good = false;

	if (head != NULL) {
		len = http_response_build(r, a, head, cap);
		good = len > 0 && relay_write(&c->hub->relay, &c->client, head, len);
	}
	free(head);
	return good;
}

/* The answer itself, after those that only announce it. */
static bool
take_answer(struct conn *c, const struct http_response *r)
{
	struct work *w = c->work;
	struct http_answer a = {.minor = w->request.h.minor};

	a.unchunked = a.minor == 0 && r->h.framing == HTTP_CHUNKED;
	w->keep_up = r->h.keep_alive && r->h.framing != HTTP_TO_CLOSE && w->body.done &&
	             !c->up.shut;
	w->keep_client = w->keep_client && r->h.framing != HTTP_TO_CLOSE &&
	                 !a.unchunked && w->body.done;
	a.keep_alive = w->keep_client;
	if (!send_head(c, r, &a)) {
		conn_close(c);
		return false;
	}
	http_body_start(&w->answer, r->h.framing, r->h.length, a.unchunked);
	w->answer_begun = true;
	free(w->head);
	w->head = NULL;
	relay_unstash(&c->hub->relay, &w->up_in, r->h.size);
	return true;
}

/* 101: bytes of any form from now on. */
static bool
take_upgrade(struct conn *c, const struct http_response *r)
{
	struct work *w = c->work;
	struct http_answer a = {.minor = 1};

	if (!w->request.h.websocket || !r->h.websocket) {
		refuse_answer(c, "changes the protocol without being asked");
		return false;
	}
	if (send_head(c, r, &a)) {
		relay_unstash(&c->hub->relay, &w->up_in, r->h.size);
		conn_tunnel(c);
	} else {
		conn_close(c);
	}
	return false;
}

/* One head, if it is there. False when the exchange is over or waits. */
static bool
read_answer_head(struct conn *c)
{
	struct work *w = c->work;
	struct relay *relay = &c->hub->relay;
	struct http_response r;
	struct http_error e;
	size_t size, n;
	enum http_result got =
	    http_head_end(w->up_in.data, w->up_in.len, &w->up_in.scanned, &size, &e);

	if (got == HTTP_OK)
		got = http_response_parse(w->up_in.data, size, &w->request, &r, &e);
	if (got == HTTP_BAD) {
		refuse_answer(c, e.text);
		return false;
	}
	if (got == HTTP_OK && r.status == 101)
		return take_upgrade(c, &r);
	if (got == HTTP_OK && r.status == 407 && w->parent != NULL) {
		refuse_answer(c, "the parent proxy does not take the credentials (407)");
		return false;
	}
	if (got == HTTP_OK && r.status >= 200)
		return take_answer(c, &r);
	if (got == HTTP_OK) {
		struct http_answer a = {.minor = 1};
		if (w->request.h.minor == 1 && !send_head(c, &r, &a)) {
			conn_close(c);
			return false;
		}
		relay_unstash(relay, &w->up_in, size);
		return true;
	}
	if (!c->up.readable)
		return c->up.eof ? cut_off(c) : false;
	n = relay_read(relay, &c->up, HEAD_BYTES);
	if (n > 0 && !relay_stash(relay, &w->up_in, relay->buffer, n)) {
		refuse_answer(c, "out of memory");
		return false;
	}
	return true;
}

/* Bytes of the answer's body; there should be none behind them. */
static bool
send_answer(struct conn *c, char *data, size_t n, size_t *used)
{
	struct work *w = c->work;
	size_t out;

	if (!http_body_filter(&w->answer, data, n, used, &out))
		return false;
	if (*used < n)
		w->keep_up = false;
	return relay_write(&c->hub->relay, &c->client, data, out);
}

/* False when the exchange is over or waits. */
static bool
move_answer(struct conn *c, size_t *moved)
{
	struct work *w = c->work;
	struct relay *relay = &c->hub->relay;
	size_t n, used = 0;
	bool good = true;

	if (w->answer.done) {
		finish(c);
		return false;
	}
	if (c->client.out != NULL)
		return false;
	if (*moved > TURN_BYTES) {
		conn_queue(c);
		return false;
	}
	if (w->up_in.len > 0) {
		good = send_answer(c, w->up_in.data, w->up_in.len, &used);
		relay_unstash(relay, &w->up_in, w->up_in.len);
	} else if (c->up.readable) {
		n = relay_read(relay, &c->up, RELAY_BUFFER);
		*moved += n;
		good = n == 0 || send_answer(c, relay->buffer, n, &used);
	} else if (c->up.eof) {
		return !c->up.reset && http_body_eof(&w->answer) ? true : cut_off(c);
	} else {
		return false;
	}
	if (!good)
		conn_close(c);
	return good;
}

void
exchange_step(struct conn *c)
{
	struct work *w = c->work;
	struct relay *relay = &c->hub->relay;
	size_t moved = 0;

	if (c->client.hup && !c->client.shut) {
		conn_close(c);
		return;
	}
	relay_flush(relay, &c->up);
	relay_flush(relay, &c->client);
	if (!w->head_sent) {
		w->head_sent = true;
		if (!relay_write(relay, &c->up, w->head, w->head_len)) {
			refuse_answer(c, "out of memory");
			return;
		}
	}
	if (!move_body(c))
		return;
	while (c->state == CONN_EXCHANGE &&
	       (w->answer_begun ? move_answer(c, &moved) : read_answer_head(c)))
		continue;
}
