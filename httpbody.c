/*
 * httpbody.c: bodies by length, in chunks, or to the end of the connection.
 *
 * Must not make a system call. Chunks are read strictly: hexadecimal digits, extensions
 * without control bytes, CRLF, and nothing else; recipients differ in the rest (bare LF in
 * an extension, blanks before the semicolon, "0x"), which is how a request is hidden in a
 * body. Extensions are of one hop and are dropped. A trailer that would be framing or
 * routing in a head is refused.
 */
#include "httpbody.h"

#include <string.h>

#include "util.h"

#define SIZE_DIGITS 15 /* below 2^60 */

enum state {
	S_SIZE,    /* digits of a chunk's size */
	S_EXT,     /* the rest of that line */
	S_SIZE_LF, /* its LF */
	S_DATA,
	S_DATA_CR, /* the CRLF behind the data */
	S_DATA_LF,
	S_TRAILER, /* the first byte of a trailer or of the last line */
	S_NAME,
	S_VALUE,
	S_TRAILER_LF,
	S_LAST_LF,
};

static const char *const refused_trailers[] = {
    "content-length",
    "transfer-encoding",
    "host",
    "connection",
    "upgrade",
    "te",
    "trailer",
    "content-encoding",
    "content-type",
    "content-range",
    "authorization",
    "set-cookie",
    "keep-alive",
    "expect",
};

void
http_body_start(
    struct http_body *b, enum http_framing framing, uint64_t length, bool unchunk)
{
	memset(b, 0, sizeof(*b));
	b->framing = (uint8_t)framing;
	b->left = framing == HTTP_LENGTH ? length : 0;
	b->unchunk = unchunk;
	b->done = framing == HTTP_NO_BODY || (framing == HTTP_LENGTH && length == 0);
	b->state = S_SIZE;
}

static int
hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool
is_text(char c)
{
	unsigned char u = (unsigned char)c;
	return u == '\t' || (u >= ' ' && u != 0x7f);
}

static bool
is_token(char c)
{
	return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') ||
	       (c != '\0' && strchr("!#$%&'*+-.^_`|~", c) != NULL);
}

static bool
trailer_refused(const struct http_body *b)
{
	struct span name = {b->name, b->nname};

	if (b->nname >= 6 && span_is((struct span){b->name, 6}, "proxy-"))
		return true;
	for (size_t i = 0; i < SRUN_ARRAY_LEN(refused_trailers); i++)
		if (span_is(name, refused_trailers[i]))
			return true;
	return false;
}

/* A byte of the line with the size. *keep says whether it is sent on. */
static bool
size_byte(struct http_body *b, char c, bool *keep)
{
	int digit = hex_value(c);

	if (digit >= 0) {
		b->digit = true;
		b->left = b->left << 4 | (uint64_t)digit;
		return ++b->line <= SIZE_DIGITS;
	}
	*keep = c == '\r';
	b->state = c == '\r' ? S_SIZE_LF : S_EXT;
	b->line = 0;
	return b->digit && (c == '\r' || c == ';');
}

static bool
name_byte(struct http_body *b, char c)
{
	if (c == ':') {
		b->state = S_VALUE;
		return !trailer_refused(b);
	}
	/* A longer name is none of those refused, but for its beginning. */
	if (b->nname < sizeof(b->name))
		b->name[b->nname++] = c;
	return is_token(c);
}

static bool
trailer_byte(struct http_body *b, char c)
{
	if (++b->line > HTTPBODY_TRAILERS_MAX)
		return false;
	switch (b->state) {
	case S_TRAILER:
		b->nname = 0;
		b->state = c == '\r' ? S_LAST_LF : S_NAME;
		return c == '\r' || (c != ':' && name_byte(b, c));
	case S_NAME:
		return name_byte(b, c);
	case S_VALUE:
		if (c == '\r')
			b->state = S_TRAILER_LF;
		return c == '\r' || is_text(c);
	case S_TRAILER_LF:
		b->state = S_TRAILER;
		return c == '\n';
	default: /* S_LAST_LF */
		b->done = true;
		return c == '\n';
	}
}

static bool
framing_byte(struct http_body *b, char c, bool *keep)
{
	*keep = true;
	switch (b->state) {
	case S_SIZE:
		return size_byte(b, c, keep);
	case S_EXT:
		*keep = c == '\r';
		if (c == '\r')
			b->state = S_SIZE_LF;
		return ++b->line <= HTTPBODY_LINE_MAX && (c == '\r' || is_text(c));
	case S_SIZE_LF:
		b->line = 0;
		b->state = b->left > 0 ? S_DATA : S_TRAILER;
		return c == '\n';
	case S_DATA_CR:
		b->state = S_DATA_LF;
		return c == '\r';
	case S_DATA_LF:
		b->state = S_SIZE;
		b->digit = false;
		b->line = 0;
		return c == '\n';
	default:
		return trailer_byte(b, c);
	}
}

static size_t
smaller(uint64_t a, size_t b)
{
	return a < b ? (size_t)a : b;
}

static void
keep_bytes(char *data, size_t *out, size_t at, size_t n)
{
	if (*out != at)
		memmove(data + *out, data + at, n);
	*out += n;
}

static bool
filter_chunks(struct http_body *b, char *data, size_t len, size_t *used, size_t *out)
{
	size_t at = 0;
	bool keep;

	*out = 0;
	while (at < len && !b->done) {
		if (b->state == S_DATA) {
			size_t n = smaller(b->left, len - at);
			keep_bytes(data, out, at, n);
			at += n;
			b->left -= n;
			if (b->left == 0)
				b->state = S_DATA_CR;
			continue;
		}
		char c = data[at];
		if (!framing_byte(b, c, &keep))
			return false;
		if (keep && !b->unchunk)
			data[(*out)++] = c;
		at++;
	}
	*used = at;
	return true;
}

bool
http_body_filter(struct http_body *b, char *data, size_t len, size_t *used, size_t *out)
{
	if (b->framing == HTTP_CHUNKED)
		return filter_chunks(b, data, len, used, out);
	*used = *out = 0;
	if (b->done)
		return true;
	*used = *out = b->framing == HTTP_LENGTH ? smaller(b->left, len) : len;
	if (b->framing == HTTP_LENGTH) {
		b->left -= *used;
		b->done = b->left == 0;
	}
	return true;
}

bool
http_body_eof(struct http_body *b)
{
	if (b->framing == HTTP_TO_CLOSE)
		b->done = true;
	return b->done;
}
