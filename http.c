/*
 * http.c: heads of HTTP/1: parsed, judged for ambiguity, written anew.
 *
 * Owns the syntax of request lines, status lines and fields. Must not make a system call,
 * nor decide whether a host is granted. A head is parsed in one walk that checks every
 * byte and notes what matters; building walks the same lines again and leaves out what
 * belongs to one hop. What is refused here and why: RFC 9112 sections 2.2, 5.1, 5.2, 6.3,
 * 11.2 (splitting and smuggling); where the RFC lets a recipient choose, the choice is to
 * refuse, since the next hop may choose otherwise.
 */
#include "http.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "util.h"

#define METHOD_MAX    32
#define LENGTH_DIGITS 18 /* below 2^63 whatever the digits are */

enum field {
	F_OTHER,
	F_HOST,
	F_CONNECTION,
	F_LENGTH,
	F_CODING,
	F_UPGRADE,
	F_EXPECT,
	F_CREDENTIALS,
	F_HOP, /* for this hop alone */
};

static const struct {
	const char *name;
	enum field kind;
} field_kinds[] = {
    {"host", F_HOST},
    {"connection", F_CONNECTION},
    {"proxy-connection", F_CONNECTION},
    {"content-length", F_LENGTH},
    {"transfer-encoding", F_CODING},
    {"upgrade", F_UPGRADE},
    {"expect", F_EXPECT},
    {"proxy-authorization", F_CREDENTIALS},
    {"keep-alive", F_HOP},
    {"te", F_HOP},
    {"http2-settings", F_HOP},
};

/* ---- bytes ---- */

static char
lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

bool
span_is(struct span a, const char *word)
{
	for (size_t i = 0; i < a.len; i++)
		if (word[i] == '\0' || lower(a.s[i]) != lower(word[i]))
			return false;
	return word[a.len] == '\0';
}

static bool
span_same(struct span a, struct span b)
{
	for (size_t i = 0; i < a.len && a.len == b.len; i++)
		if (lower(a.s[i]) != lower(b.s[i]))
			return false;
	return a.len == b.len;
}

static bool
span_starts(struct span a, const char *word)
{
	size_t n = strlen(word);
	return a.len >= n && span_is((struct span){a.s, n}, word);
}

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* A byte of a token: a method or the name of a field. */
static bool
is_token(char c)
{
	return is_digit(c) || (lower(c) >= 'a' && lower(c) <= 'z') ||
	       (c != '\0' && strchr("!#$%&'*+-.^_`|~", c) != NULL);
}

/* A byte of a value; a tab is blank, other control bytes are nothing's. */
static bool
is_text(char c)
{
	unsigned char u = (unsigned char)c;
	return u == '\t' || (u >= ' ' && u != 0x7f);
}

static struct span
trim(struct span v)
{
	while (v.len > 0 && (v.s[0] == ' ' || v.s[0] == '\t'))
		v.s++, v.len--;
	while (v.len > 0 && (v.s[v.len - 1] == ' ' || v.s[v.len - 1] == '\t'))
		v.len--;
	return v;
}

static enum http_result
bad(struct http_error *e, int status, const char *text)
{
	e->status = status;
	e->text = text;
	return HTTP_BAD;
}

/* Takes the bytes up to the separator from *rest; all of it when there is none. */
static struct span
take_until(struct span *rest, char separator)
{
	const char *end = memchr(rest->s, separator, rest->len);
	struct span part = {rest->s, end == NULL ? rest->len : (size_t)(end - rest->s)};
	size_t used = part.len + (end != NULL);
	rest->s += used;
	rest->len -= used;
	return part;
}

/* The next line of whole lines, without its CRLF; http_head_end() has seen every CRLF. */
static struct span
take_line(struct span *rest)
{
	struct span line = take_until(rest, '\n');
	if (line.len > 0)
		line.len--;
	return line;
}

/* Whether a list of words with commas has the word. */
static bool
list_has(struct span list, const char *word)
{
	while (list.len > 0)
		if (span_is(trim(take_until(&list, ',')), word))
			return true;
	return false;
}

/* ---- the end of a head ---- */

enum http_result
http_head_end(
    const char *data, size_t len, size_t *scanned, size_t *size, struct http_error *e)
{
	size_t limit = len < HTTP_HEAD_LIMIT ? len : HTTP_HEAD_LIMIT;
	const char *lf;

	while (*scanned < limit &&
	       (lf = memchr(data + *scanned, '\n', limit - *scanned)) != NULL) {
		size_t at = (size_t)(lf - data);
		if (at == 0 || data[at - 1] != '\r')
			return bad(e, 400, "a line of the head does not end in CRLF");
		*scanned = at + 1;
		if (at == 1 || (at >= 3 && data[at - 2] == '\n')) {
			*size = at + 1;
			return HTTP_OK;
		}
	}
	*scanned = limit;
	if (len >= HTTP_HEAD_LIMIT)
		return bad(e, 431, "the head is larger than 64 KiB");
	return HTTP_MORE;
}

/* ---- fields ---- */

static enum field
field_kind(struct span name)
{
	for (size_t i = 0; i < SRUN_ARRAY_LEN(field_kinds); i++)
		if (span_is(name, field_kinds[i].name))
			return field_kinds[i].kind;
	return span_starts(name, "proxy-") ? F_HOP : F_OTHER;
}

/* A line into its name and its value with the blanks around it. */
static const char *
field_split(struct span line, struct span *name, struct span *value)
{
	*value = line;
	*name = take_until(value, ':');
	if (line.len == 0 || line.s[0] == ' ' || line.s[0] == '\t')
		return "a field is folded over lines";
	if (name->len == line.len)
		return "a field has no colon";
	if (name->len == 0)
		return "a field has no name";
	for (size_t i = 0; i < name->len; i++)
		if (!is_token(name->s[i]))
			return "the name of a field has a blank or an odd byte";
	for (size_t i = 0; i < value->len; i++)
		if (!is_text(value->s[i]))
			return "a field has a control byte";
	return NULL;
}

/* What a head has said so far about what may be said once. */
struct seen {
	bool host, length, coding, credentials, close, keep, upgrade, websocket;
};

/* Digits and blanks before them, nothing else: "5, 5", "+5" and "5 " are read in two ways. */
static const char *
read_length(struct http_head *h, struct seen *seen, struct span value)
{
	if (seen->length)
		return "Content-Length is there twice";
	seen->length = true;
	while (value.len > 0 && value.s[0] == ' ')
		value.s++, value.len--;
	if (value.len == 0 || value.len > LENGTH_DIGITS)
		return "Content-Length is no number";
	h->length = 0;
	for (size_t i = 0; i < value.len; i++) {
		if (!is_digit(value.s[i]))
			return "Content-Length is no number";
		h->length = h->length * 10 + (uint64_t)(value.s[i] - '0');
	}
	h->framing = h->length == 0 ? HTTP_NO_BODY : HTTP_LENGTH;
	return NULL;
}

static const char *
read_coding(struct http_head *h, struct seen *seen, struct span value)
{
	if (seen->coding)
		return "Transfer-Encoding is there twice";
	seen->coding = true;
	while (value.len > 0 && value.s[0] == ' ')
		value.s++, value.len--;
	if (!span_is(value, "chunked"))
		return "Transfer-Encoding is not 'chunked'";
	h->framing = HTTP_CHUNKED;
	return NULL;
}

static const char *
read_connection(struct http_head *h, struct seen *seen, struct span value)
{
	if (h->nconnection == HTTP_CONNECTIONS_MAX)
		return "there are too many Connection fields";
	h->connection[h->nconnection++] = value;
	seen->close = seen->close || list_has(value, "close");
	seen->keep = seen->keep || list_has(value, "keep-alive");
	seen->upgrade = seen->upgrade || list_has(value, "upgrade");
	return NULL;
}

static const char *
read_field(struct http_head *h, struct seen *seen, struct span name, struct span value)
{
	switch (field_kind(name)) {
	case F_HOST:
		if (seen->host)
			return "Host is there twice";
		seen->host = true;
		return NULL;
	case F_CONNECTION:
		return read_connection(h, seen, trim(value));
	case F_LENGTH:
		return read_length(h, seen, value);
	case F_CODING:
		return read_coding(h, seen, value);
	case F_UPGRADE:
		seen->websocket = seen->websocket || list_has(value, "websocket");
		return NULL;
	case F_EXPECT:
		h->expects = span_is(trim(value), "100-continue");
		return NULL;
	case F_CREDENTIALS:
		if (seen->credentials)
			return "Proxy-Authorization is there twice";
		seen->credentials = true;
		h->credentials = trim(value);
		return NULL;
	case F_OTHER:
	case F_HOP:
		break;
	}
	return NULL;
}

/* All fields of a head. framing and the rest of *h are set. */
static enum http_result
read_fields(struct http_head *h, struct http_error *e)
{
	struct span rest = h->fields, name, value;
	struct seen seen = {false};
	size_t n = 0;

	while (rest.len > 0) {
		struct span line = take_line(&rest);
		const char *why = field_split(line, &name, &value);
		if (why == NULL)
			why = read_field(h, &seen, name, value);
		if (why != NULL)
			return bad(e, 400, why);
		if (++n > HTTP_FIELDS_MAX)
			return bad(e, 431, "the head has more than 256 fields");
	}
	if (seen.length && seen.coding)
		return bad(e, 400, "Content-Length and Transfer-Encoding are both there");
	if (seen.coding && h->minor == 0)
		return bad(e, 400, "Transfer-Encoding is not in HTTP/1.0");
	h->keep_alive = !seen.close && (h->minor == 1 || seen.keep);
	h->websocket = seen.upgrade && seen.websocket && h->minor == 1;
	if (!seen.length && !seen.coding)
		h->framing = HTTP_TO_CLOSE;
	return HTTP_OK;
}

/* ---- requests ---- */

/* "http://AUTHORITY[/PATH][?QUERY]" */
static const char *
read_url(struct http_request *r, struct span target)
{
	size_t len = 0;

	if (span_starts(target, "https://"))
		return "https needs CONNECT, not a whole URL";
	if (!span_starts(target, "http://"))
		return target.s[0] == '/' || span_is(target, "*")
		           ? "this is a proxy: the request must name its host"
		           : "the target is no http:// URL";
	target.s += 7;
	target.len -= 7;
	if (memchr(target.s, '#', target.len) != NULL)
		return "the target has a fragment";
	while (len < target.len && target.s[len] != '/' && target.s[len] != '?')
		len++;
	r->authority = (struct span){target.s, len};
	r->path = (struct span){target.s + len, target.len - len};
	return len > 0 ? NULL : "the target has no host";
}

/* "METHOD SP TARGET SP HTTP/1.N" */
static enum http_result
read_request_line(struct http_request *r, struct span line, struct http_error *e)
{
	struct span rest = line, target;
	const char *why;

	r->method = take_until(&rest, ' ');
	target = take_until(&rest, ' ');
	for (size_t i = 0; i < r->method.len; i++)
		if (!is_token(r->method.s[i]))
			return bad(e, 400, "the method has an odd byte");
	if (r->method.len == 0 || r->method.len > METHOD_MAX || target.len == 0)
		return bad(e, 400, "the request line is not METHOD TARGET VERSION");
	for (size_t i = 0; i < target.len; i++)
		if (!is_text(target.s[i]) || target.s[i] == '\t')
			return bad(e, 400, "the target has a control byte");
	if (rest.len != 8 || memcmp(rest.s, "HTTP/", 5) != 0 || rest.s[6] != '.' ||
	    !is_digit(rest.s[5]) || !is_digit(rest.s[7]))
		return bad(e, 400, "the request line has no version");
	if (rest.s[5] != '1' || rest.s[7] > '1')
		return bad(e, 505, "the version is not HTTP/1.0 or HTTP/1.1");
	r->h.minor = rest.s[7] - '0';
	/* Methods are case-sensitive: "connect" is another one, and nobody's. */
	r->connect = r->method.len == 7 && memcmp(r->method.s, "CONNECT", 7) == 0;
	r->head = r->method.len == 4 && memcmp(r->method.s, "HEAD", 4) == 0;
	r->authority = target;
	why = r->connect ? NULL : read_url(r, target);
	return why == NULL ? HTTP_OK : bad(e, 400, why);
}

enum http_result
http_request_parse(
    const char *data, size_t size, struct http_request *r, struct http_error *e)
{
	struct span rest = {data, size - 2}; /* without the empty line */
	struct span line = take_line(&rest);

	memset(r, 0, sizeof(*r));
	r->h.size = size;
	if (memchr(data, '\0', size) != NULL)
		return bad(e, 400, "the head has a NUL byte");
	if (read_request_line(r, line, e) != HTTP_OK)
		return HTTP_BAD;
	r->h.fields = rest;
	if (read_fields(&r->h, e) != HTTP_OK)
		return HTTP_BAD;
	if (r->h.framing == HTTP_TO_CLOSE)
		r->h.framing = HTTP_NO_BODY;
	if (r->connect && r->h.framing != HTTP_NO_BODY)
		return bad(e, 400, "CONNECT has a body");
	r->h.websocket =
	    r->h.websocket && span_is(r->method, "GET") && r->h.framing == HTTP_NO_BODY;
	return HTTP_OK;
}

/* ---- answers ---- */

/* "HTTP/1.N SP DDD [SP REASON]" */
static enum http_result
read_status_line(struct http_response *r, struct span line, struct http_error *e)
{
	if (line.len < 12 || memcmp(line.s, "HTTP/1.", 7) != 0 || !is_digit(line.s[7]) ||
	    line.s[8] != ' ' || line.s[9] < '1' || line.s[9] > '5' ||
	    !is_digit(line.s[10]) || !is_digit(line.s[11]))
		return bad(e, 502, "the answer is not HTTP/1");
	if (line.len > 12 && line.s[12] != ' ')
		return bad(e, 502, "the answer has no good status line");
	r->h.minor = line.s[7] == '0' ? 0 : 1;
	r->status =
	    (line.s[9] - '0') * 100 + (line.s[10] - '0') * 10 + (line.s[11] - '0');
	if (line.len > 13)
		r->reason = (struct span){line.s + 13, line.len - 13};
	for (size_t i = 0; i < r->reason.len; i++)
		if (!is_text(r->reason.s[i]))
			return bad(e, 502, "the answer has a control byte");
	return HTTP_OK;
}

enum http_result
http_response_parse(const char *data, size_t size, const struct http_request *asked,
    struct http_response *r, struct http_error *e)
{
	struct span rest = {data, size - 2};
	struct span line = take_line(&rest);

	memset(r, 0, sizeof(*r));
	r->h.size = size;
	r->reason = (struct span){"", 0};
	if (memchr(data, '\0', size) != NULL)
		return bad(e, 502, "the answer has a NUL byte");
	if (read_status_line(r, line, e) != HTTP_OK)
		return HTTP_BAD;
	r->h.fields = rest;
	if (read_fields(&r->h, e) != HTTP_OK) {
		e->status = 502;
		return HTTP_BAD;
	}
	if ((asked != NULL && asked->head) || r->status < 200 || r->status == 204 ||
	    r->status == 304)
		r->h.framing = HTTP_NO_BODY;
	return HTTP_OK;
}

/* ---- writing ---- */

struct out {
	char *s;
	size_t len, cap;
	bool full;
};

static void
put(struct out *o, struct span v)
{
	if (o->full || o->cap - o->len < v.len) {
		o->full = true;
		return;
	}
	if (v.len > 0)
		memcpy(o->s + o->len, v.s, v.len);
	o->len += v.len;
}

static void
puts_out(struct out *o, const char *s)
{
	put(o, (struct span){s, strlen(s)});
}

static void __attribute__((format(printf, 2, 3)))
printf_out(struct out *o, const char *fmt, ...)
{
	va_list ap;
	size_t room = o->cap - o->len;
	int n;

	if (o->full)
		return;
	va_start(ap, fmt);
	n = vsnprintf(o->s + o->len, room, fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= room)
		o->full = true;
	else
		o->len += (size_t)n;
}

static bool
named_by_connection(const struct http_head *h, struct span name)
{
	for (size_t i = 0; i < h->nconnection; i++) {
		struct span list = h->connection[i];
		while (list.len > 0)
			if (span_same(trim(take_until(&list, ',')), name))
				return true;
	}
	return false;
}

/* The fields that are for both ends; the rest is said anew by the caller. */
static void
put_fields(struct out *o, const struct http_head *h)
{
	struct span rest = h->fields, name, value;

	while (rest.len > 0 && !o->full) {
		struct span line = take_line(&rest);
		if (field_split(line, &name, &value) != NULL)
			continue;
		enum field kind = field_kind(name);
		if (kind == F_EXPECT ? !h->expects : kind != F_OTHER)
			continue;
		if (named_by_connection(h, name))
			continue;
		put(o, name);
		puts_out(o, ": ");
		put(o, trim(value));
		puts_out(o, "\r\n");
	}
}

static void
put_framing(struct out *o, const struct http_head *h)
{
	if (h->framing == HTTP_CHUNKED)
		puts_out(o, "Transfer-Encoding: chunked\r\n");
	if (h->framing == HTTP_LENGTH)
		printf_out(o, "Content-Length: %llu\r\n", (unsigned long long)h->length);
}

/* "Content-Length: 0" of a POST is worth keeping; where nothing was said nothing is. */
static bool
said_length(const struct http_head *h)
{
	struct span rest = h->fields, name, value;

	while (rest.len > 0) {
		struct span line = take_line(&rest);
		if (field_split(line, &name, &value) == NULL &&
		    field_kind(name) == F_LENGTH)
			return true;
	}
	return false;
}

static size_t
finish(struct out *o)
{
	puts_out(o, "\r\n");
	return o->full ? 0 : o->len;
}

size_t
http_request_build(
    const struct http_request *r, const struct http_forward *f, char *out, size_t cap)
{
	struct out o = {out, 0, cap, false};

	put(&o, r->method);
	puts_out(&o, " ");
	if (f->absolute) {
		puts_out(&o, "http://");
		puts_out(&o, f->authority);
	}
	if (r->path.len == 0 && span_is(r->method, "OPTIONS"))
		puts_out(&o, f->absolute ? "" : "*");
	else if (r->path.len == 0 || r->path.s[0] != '/')
		puts_out(&o, "/");
	put(&o, r->path);
	printf_out(&o, " HTTP/1.%d\r\nHost: %s\r\n", r->h.minor, f->authority);
	put_fields(&o, &r->h);
	if (r->h.framing == HTTP_NO_BODY && said_length(&r->h))
		puts_out(&o, "Content-Length: 0\r\n");
	put_framing(&o, &r->h);
	if (f->basic != NULL)
		printf_out(&o, "Proxy-Authorization: Basic %s\r\n", f->basic);
	if (r->h.websocket)
		puts_out(&o, "Connection: Upgrade\r\nUpgrade: websocket\r\n");
	else if (!f->keep_alive)
		puts_out(&o, "Connection: close\r\n");
	else if (r->h.minor == 0)
		puts_out(&o, "Connection: keep-alive\r\n");
	return finish(&o);
}

size_t
http_response_build(
    const struct http_response *r, const struct http_answer *a, char *out, size_t cap)
{
	struct out o = {out, 0, cap, false};

	printf_out(&o, "HTTP/1.%d %03d ", a->minor, r->status);
	put(&o, r->reason);
	puts_out(&o, "\r\n");
	put_fields(&o, &r->h);
	if (r->status == 101) {
		puts_out(&o, "Connection: Upgrade\r\nUpgrade: websocket\r\n");
		return finish(&o);
	}
	if (r->status < 200)
		return finish(&o);
	/* To HEAD and with 304 the length is of a body that is not sent: said, not used. */
	if (r->h.framing == HTTP_NO_BODY && r->status != 204 && said_length(&r->h))
		printf_out(
		    &o, "Content-Length: %llu\r\n", (unsigned long long)r->h.length);
	if (!a->unchunked)
		put_framing(&o, &r->h);
	if (!a->keep_alive)
		puts_out(&o, "Connection: close\r\n");
	else if (a->minor == 0)
		puts_out(&o, "Connection: keep-alive\r\n");
	return finish(&o);
}

size_t
http_refusal_build(const struct http_refusal *r, char *out, size_t cap)
{
	struct out o = {out, 0, cap, false};

	printf_out(&o,
	    "HTTP/1.1 %03d %s\r\n"
	    "Content-Type: text/plain; charset=utf-8\r\n"
	    "Content-Length: %zu\r\n",
	    r->status, r->reason, strlen(r->body));
	if (r->challenge)
		puts_out(&o, "Proxy-Authenticate: Basic realm=\"srun\"\r\n");
	puts_out(&o, r->keep_alive ? "" : "Connection: close\r\n");
	puts_out(&o, "\r\n");
	if (!r->no_body)
		puts_out(&o, r->body);
	return o.full ? 0 : o.len;
}

/* ---- Basic credentials ---- */

static const char base64_letters[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* The bytes of base64 text; -1 for what is none. */
static long
base64_decode(struct span text, char *out, size_t cap)
{
	uint32_t bits = 0;
	size_t n = 0, have = 0;

	while (text.len > 0 && text.s[text.len - 1] == '=')
		text.len--;
	for (size_t i = 0; i < text.len; i++) {
		const char *at =
		    text.s[i] == '\0' ? NULL : strchr(base64_letters, text.s[i]);
		if (at == NULL)
			return -1;
		bits = bits << 6 | (uint32_t)(at - base64_letters);
		have += 6;
		if (have < 8)
			continue;
		have -= 8;
		if (n == cap)
			return -1;
		out[n++] = (char)(bits >> have & 0xff);
	}
	return (long)n;
}

bool
http_basic_is(struct span value, const char *password)
{
	char plain[512];
	size_t want = strlen(password);
	unsigned char differ = 0;

	if (!span_starts(value, "basic "))
		return false;
	value = trim((struct span){value.s + 6, value.len - 6});
	long n = base64_decode(value, plain, sizeof(plain));
	const char *colon = n > 0 ? memchr(plain, ':', (size_t)n) : NULL;
	if (colon == NULL || (size_t)(plain + n - colon) - 1 != want)
		return false;
	/* In a time that does not tell how much was right. */
	for (size_t i = 0; i < want; i++)
		differ |= (unsigned char)(colon[1 + i] ^ password[i]);
	return differ == 0;
}
