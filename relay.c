/*
 * relay.c: reading from and writing to one socket.
 *
 * Must not know who the peers are. Nothing is lost and nothing is kept twice: a read
 * happens only when the other end has taken everything before it.
 */
#include "relay.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define SWAP_LEAST (RELAY_BUFFER / 4) /* tails below this are copied */

bool
relay_open(struct relay *r)
{
	memset(r, 0, sizeof(*r));
	r->buffer = malloc(RELAY_BUFFER);
	return r->buffer != NULL;
}

static size_t
read_size(const struct relay *r, size_t limit)
{
	size_t left = r->kept < RELAY_BUDGET ? (RELAY_BUDGET - r->kept) / 16 : 0;

	if (left > limit)
		return limit;
	return left < RELAY_READ_LEAST ? RELAY_READ_LEAST : left;
}

size_t
relay_read(struct relay *r, struct end *e, size_t limit)
{
	size_t want = read_size(r, limit);
	ssize_t n;

	do
		n = recv(e->fd, r->buffer, want, 0);
	while (n < 0 && errno == EINTR);
	if (n > 0) {
		/* A short read empties the socket; an end behind it makes no new edge. */
		if ((size_t)n < want && !e->eof_near)
			e->readable = false;
		return (size_t)n;
	}
	e->readable = false;
	if (n == 0)
		e->eof = true;
	else if (errno != EAGAIN)
		e->eof = e->reset = true;
	return 0;
}

static void
free_out(struct relay *r, struct end *e)
{
	if (e->out == NULL)
		return;
	r->kept -= e->cap;
	if (e->cap == RELAY_BUFFER && r->nspare < RELAY_SPARES)
		r->spare[r->nspare++] = e->out;
	else
		free(e->out);
	e->out = NULL;
	e->off = e->len = e->cap = 0;
}

void
relay_drop(struct relay *r, struct end *e)
{
	free_out(r, e);
}

/* Bytes that were sent; 0 when it takes none now or no more. */
static size_t
send_some(struct end *e, const char *data, size_t len)
{
	ssize_t n;

	do
		n = send(e->fd, data, len, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	if (n >= 0 && (size_t)n == len)
		return len;
	e->writable = false;
	if (n >= 0)
		return (size_t)n;
	/* What the other side sent before can still be read. */
	if (errno != EAGAIN)
		e->shut = true;
	return 0;
}

/* The buffer itself is kept and another takes its place. */
static bool
keep_buffer(struct relay *r, struct end *e, size_t off, size_t len)
{
	char *next = r->nspare > 0 ? r->spare[--r->nspare] : malloc(RELAY_BUFFER);

	if (next == NULL)
		return false;
	e->out = r->buffer;
	e->off = (uint32_t)off;
	e->len = (uint32_t)(off + len);
	e->cap = RELAY_BUFFER;
	r->buffer = next;
	r->kept += e->cap;
	return true;
}

static bool
keep_copy(struct relay *r, struct end *e, const char *data, size_t len)
{
	size_t have = e->len - e->off;
	char *all = malloc(have + len);

	if (all == NULL)
		return false;
	if (e->out != NULL)
		if (have > 0)
			memcpy(all, e->out + e->off, have);
	memcpy(all + have, data, len);
	free_out(r, e);
	e->out = all;
	e->len = e->cap = (uint32_t)(have + len);
	r->kept += e->cap;
	return true;
}

bool
relay_write(struct relay *r, struct end *e, const void *bytes, size_t len)
{
	const char *data = bytes;
	bool own = data >= r->buffer && data < r->buffer + RELAY_BUFFER;
	size_t sent = 0;

	if (len == 0 || e->shut || e->fd < 0)
		return true;
	if (e->out == NULL && e->writable)
		sent = send_some(e, data, len);
	if (sent == len || e->shut)
		return true;
	if (own && e->out == NULL && len - sent >= SWAP_LEAST)
		return keep_buffer(r, e, (size_t)(data - r->buffer) + sent, len - sent);
	return keep_copy(r, e, data + sent, len - sent);
}

bool
relay_flush(struct relay *r, struct end *e)
{
	if (e->out != NULL && e->shut)
		free_out(r, e);
	if (e->out != NULL && e->writable)
		e->off += (uint32_t)send_some(e, e->out + e->off, e->len - e->off);
	if (e->out != NULL && (e->off == e->len || e->shut))
		free_out(r, e);
	return e->out == NULL;
}

bool
relay_stash(struct relay *r, struct stash *s, const char *data, size_t n)
{
	if (n > s->cap - s->len) {
		size_t cap = s->len + n < 512 ? 512 : (s->len + n) * 2;
		if (r->kept + cap > RELAY_KEPT_MAX || cap > UINT32_MAX)
			return false;
		char *more = realloc(s->data, cap);
		if (more == NULL)
			return false;
		r->kept += cap - s->cap;
		s->data = more;
		s->cap = (uint32_t)cap;
	}
	memcpy(s->data + s->len, data, n);
	s->len += (uint32_t)n;
	return true;
}

void
relay_unstash(struct relay *r, struct stash *s, size_t n)
{
	s->len -= (uint32_t)n;
	s->scanned = 0;
	if (s->len > 0) {
		memmove(s->data, s->data + n, s->len);
		return;
	}
	free(s->data);
	r->kept -= s->cap;
	s->data = NULL;
	s->cap = 0;
}
