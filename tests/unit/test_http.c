/*
 * test_http: heads and bodies of HTTP/1 as bytes. What the proxy does with them is in
 * test_proxy; here are the forms, split at every byte.
 */
#include <stdlib.h>
#include <string.h>

#include "http.h"
#include "httpbody.h"
#include "tap.h"
#include "util.h"

struct raw {
	const char *s;
	size_t len;
};
#define RAW(text)                                                                        \
	{                                                                                \
		text, sizeof(text) - 1                                                   \
	}
#define HEAD(fields) "GET http://h/ HTTP/1.1\r\n" fields "\r\n"

static enum http_result
parse(const char *s, size_t len, struct http_request *r, struct http_error *e)
{
	size_t scanned = 0, size;
	enum http_result got = http_head_end(s, len, &scanned, &size, e);

	return got == HTTP_OK ? http_request_parse(s, size, r, e) : got;
}

static const struct {
	const char *name;
	struct raw head;
	int status; /* 0: taken */
} heads[] = {
    {"plain", RAW(HEAD("")), 0},
    {"fields", RAW(HEAD("A: b\r\nC:d\r\nE: \r\n")), 0},
    {"tab in a value", RAW(HEAD("A: b\tc\r\n")), 0},
    {"every byte of a token", RAW(HEAD("!#$%&'*+-.^_`|~09azAZ: 1\r\n")), 0},
    {"the longest length", RAW(HEAD("Content-Length: 999999999999999999\r\n")), 0},
    {"a length of 19 digits", RAW(HEAD("Content-Length: 1000000000000000000\r\n")), 400},
    {"length and blanks before it", RAW(HEAD("Content-Length:   7\r\n")), 0},
    {"length and a blank behind it", RAW(HEAD("Content-Length: 7 \r\n")), 400},
    {"length with a NUL", RAW(HEAD("Content-Length: 7\0\r\n")), 400},
    {"CHUNKED", RAW(HEAD("TRANSFER-ENCODING: CHUNKED\r\n")), 0},
    {"chunked;q=1", RAW(HEAD("Transfer-Encoding: chunked;q=1\r\n")), 400},
    {"chunked and a blank", RAW(HEAD("Transfer-Encoding: chunked \r\n")), 400},
    {"chunked, chunked", RAW(HEAD("Transfer-Encoding: chunked, chunked\r\n")), 400},
    {"empty coding", RAW(HEAD("Transfer-Encoding:\r\n")), 400},
    {"name with a slash", RAW(HEAD("A/b: 1\r\n")), 400},
    {"name with a byte above 127", RAW(HEAD("\xe4: 1\r\n")), 400},
    {"name in brackets", RAW(HEAD("[a]: 1\r\n")), 400},
    {"escape in a value", RAW(HEAD("A: \x1b[2J\r\n")), 400},
    {"nine Connection fields",
        RAW(HEAD("Connection: a\r\nConnection: a\r\nConnection: a\r\n"
                 "Connection: a\r\nConnection: a\r\nConnection: a\r\n"
                 "Connection: a\r\nConnection: a\r\nConnection: a\r\n")),
        400},
    {"method of 33 bytes",
        RAW("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA http://h/ HTTP/1.1\r\n\r\n"), 400},
    {"empty method", RAW(" http://h/ HTTP/1.1\r\n\r\n"), 400},
    {"empty target", RAW("GET  HTTP/1.1\r\n\r\n"), 400},
    {"a blank behind the version", RAW("GET http://h/ HTTP/1.1 \r\n\r\n"), 400},
    {"HTTP/11", RAW("GET http://h/ HTTP/11\r\n\r\n"), 400},
    {"HTTP/1.10", RAW("GET http://h/ HTTP/1.10\r\n\r\n"), 400},
    {"HTTP/3.0", RAW("GET http://h/ HTTP/3.0\r\n\r\n"), 505},
    {"no host in the URL", RAW("GET http:///x HTTP/1.1\r\n\r\n"), 400},
    {"no authority", RAW("GET http:h HTTP/1.1\r\n\r\n"), 400},
    {"file", RAW("GET file:///etc/passwd HTTP/1.1\r\n\r\n"), 400},
    {"CONNECT with a length of 0",
        RAW("CONNECT h:1 HTTP/1.1\r\nContent-Length: 0\r\n\r\n"), 0},
    {"CONNECT with a length", RAW("CONNECT h:1 HTTP/1.1\r\nContent-Length: 1\r\n\r\n"),
        400},
    {"connect in lower case is another method", RAW("connect h:1 HTTP/1.1\r\n\r\n"), 400},
};

static void
test_heads(void)
{
	for (size_t i = 0; i < SRUN_ARRAY_LEN(heads); i++) {
		struct http_request r;
		struct http_error e = {0, ""};
		enum http_result got = parse(heads[i].head.s, heads[i].head.len, &r, &e);
		bool more = true;
		is_int(got == HTTP_BAD  ? e.status
		       : got == HTTP_OK ? 0
		                        : -1,
		    heads[i].status, "head: %s", heads[i].name);
		/* No part of it is a whole one, and none is refused for being short. */
		for (size_t n = 0; n < heads[i].head.len; n++)
			more = more && parse(heads[i].head.s, n, &r, &e) == HTTP_MORE;
		ok(more, "head: %s, cut anywhere, needs more", heads[i].name);
	}
}

static void
test_request(void)
{
	static const char text[] =
	    "PoST hTTp://u.test:81/a?b=//c HTTP/1.1\r\nHost: x\r\n"
	    "Connection: close, X-Y\r\nX-Y: 1\r\nExpect: 100-Continue\r\n"
	    "Content-Length: 5\r\nZ:  v  \r\n\r\n";
	struct http_request r;
	struct http_error e;
	struct http_forward f = {.authority = "u.test:81", .keep_alive = true};
	char out[1024];

	ok(parse(text, sizeof(text) - 1, &r, &e) == HTTP_OK, "a request");
	ok(span_is(r.method, "PoST") && span_is(r.authority, "u.test:81") &&
	        span_is(r.path, "/a?b=//c") && !r.connect && !r.head,
	    "its line");
	ok(r.h.minor == 1 && !r.h.keep_alive && r.h.expects && !r.h.websocket &&
	        r.h.framing == HTTP_LENGTH && r.h.length == 5,
	    "its fields");
	size_t n = http_request_build(&r, &f, out, sizeof(out) - 1);
	out[n] = '\0';
	is_str(out,
	    "PoST /a?b=//c HTTP/1.1\r\nHost: u.test:81\r\nExpect: 100-Continue\r\n"
	    "Z: v\r\nContent-Length: 5\r\n\r\n",
	    "built for the origin");
	f.absolute = true;
	f.basic = "dTpw";
	f.keep_alive = false;
	n = http_request_build(&r, &f, out, sizeof(out) - 1);
	out[n] = '\0';
	is_str(out,
	    "PoST http://u.test:81/a?b=//c HTTP/1.1\r\nHost: u.test:81\r\n"
	    "Expect: 100-Continue\r\nZ: v\r\nContent-Length: 5\r\n"
	    "Proxy-Authorization: Basic dTpw\r\nConnection: close\r\n\r\n",
	    "built for a parent");
	bool small = true;
	for (size_t cap = 0; cap < n; cap++)
		small = small && http_request_build(&r, &f, out, cap) == 0;
	ok(small, "built into too little room: nothing");
}

static const struct {
	const char *name;
	struct raw head;
	bool head_request;
	int status; /* 0: bad */
	enum http_framing framing;
} answers[] = {
    {"by length", RAW("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n"), false, 200,
        HTTP_LENGTH},
    {"length 0", RAW("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"), false, 200,
        HTTP_NO_BODY},
    {"to the end", RAW("HTTP/1.1 200 OK\r\n\r\n"), false, 200, HTTP_TO_CLOSE},
    {"chunks", RAW("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"), false, 200,
        HTTP_CHUNKED},
    {"to HEAD", RAW("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n"), true, 200,
        HTTP_NO_BODY},
    {"to HEAD, in chunks", RAW("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
        true, 200, HTTP_NO_BODY},
    {"204", RAW("HTTP/1.1 204 No\r\nContent-Length: 3\r\n\r\n"), false, 204,
        HTTP_NO_BODY},
    {"304", RAW("HTTP/1.1 304 No\r\nContent-Length: 3\r\n\r\n"), false, 304,
        HTTP_NO_BODY},
    {"100", RAW("HTTP/1.1 100 Continue\r\n\r\n"), false, 100, HTTP_NO_BODY},
    {"no reason, no blank", RAW("HTTP/1.1 500\r\nContent-Length: 1\r\n\r\n"), false, 500,
        HTTP_LENGTH},
    {"HTTP/1.7 is 1.1", RAW("HTTP/1.7 200 OK\r\nContent-Length: 1\r\n\r\n"), false, 200,
        HTTP_LENGTH},
    {"HTTP/2", RAW("HTTP/2.0 200 OK\r\n\r\n"), false, 0, HTTP_NO_BODY},
    {"no status", RAW("HTTP/1.1 OK\r\n\r\n"), false, 0, HTTP_NO_BODY},
    {"status 000", RAW("HTTP/1.1 000 X\r\n\r\n"), false, 0, HTTP_NO_BODY},
    {"status 600", RAW("HTTP/1.1 600 X\r\n\r\n"), false, 0, HTTP_NO_BODY},
    {"status of four digits", RAW("HTTP/1.1 2000 X\r\n\r\n"), false, 0, HTTP_NO_BODY},
    {"ICY", RAW("ICY 200 OK\r\n\r\n"), false, 0, HTTP_NO_BODY},
    {"control byte in the reason", RAW("HTTP/1.1 200 \x1b]0;x\a\r\n\r\n"), false, 0,
        HTTP_NO_BODY},
    {"chunks of HTTP/1.0", RAW("HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
        false, 0, HTTP_NO_BODY},
    {"two lengths",
        RAW("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\n"), false,
        0, HTTP_NO_BODY},
};

static void
test_answers(void)
{
	for (size_t i = 0; i < SRUN_ARRAY_LEN(answers); i++) {
		struct http_request asked = {.head = answers[i].head_request};
		struct http_response r;
		struct http_error e = {0, ""};
		bool good = http_response_parse(answers[i].head.s, answers[i].head.len,
		                &asked, &r, &e) == HTTP_OK;
		if (answers[i].status == 0)
			ok(!good && e.status == 502, "answer: %s is refused",
			    answers[i].name);
		else
			ok(good && r.status == answers[i].status &&
			        r.h.framing == answers[i].framing,
			    "answer: %s", answers[i].name);
	}
}

static const struct {
	const char *name;
	struct raw body;
	const char *out; /* NULL: bad */
	size_t left;     /* bytes behind it */
} bodies[] = {
    {"one chunk", RAW("3\r\nabc\r\n0\r\n\r\n"), "3\r\nabc\r\n0\r\n\r\n", 0},
    {"and the next message", RAW("3\r\nabc\r\n0\r\n\r\nGET"), "3\r\nabc\r\n0\r\n\r\n", 3},
    {"digits of both cases", RAW("A\r\n0123456789\r\na\r\n0123456789\r\n0\r\n\r\n"),
        "A\r\n0123456789\r\na\r\n0123456789\r\n0\r\n\r\n", 0},
    {"zeros in front", RAW("0003\r\nabc\r\n000\r\n\r\n"), "0003\r\nabc\r\n000\r\n\r\n",
        0},
    {"extensions", RAW("3;a=b;c=\"d e\"\r\nabc\r\n0;x\r\n\r\n"), "3\r\nabc\r\n0\r\n\r\n",
        0},
    {"data that looks like a chunk", RAW("7\r\n0\r\n\r\nab\r\n0\r\n\r\n"),
        "7\r\n0\r\n\r\nab\r\n0\r\n\r\n", 0},
    {"trailers", RAW("0\r\nA: 1\r\nLonger-Than-Twenty-Bytes: 2\r\n\r\n"),
        "0\r\nA: 1\r\nLonger-Than-Twenty-Bytes: 2\r\n\r\n", 0},
    {"empty", RAW("\r\n"), NULL, 0},
    {"LF", RAW("3\nabc\n0\n\n"), NULL, 0},
    {"CR without LF", RAW("3\rabc\r\n"), NULL, 0},
    {"no CRLF behind data", RAW("3\r\nabc0\r\n\r\n"), NULL, 0},
    {"too much data", RAW("3\r\nabcd\r\n"), NULL, 0},
    {"minus", RAW("-1\r\n"), NULL, 0},
    {"letters", RAW("g\r\n"), NULL, 0},
    {"blank before the digits", RAW(" 3\r\nabc\r\n"), NULL, 0},
    {"blank behind the digits", RAW("3 \r\nabc\r\n"), NULL, 0},
    {"blank before an extension", RAW("3 ;a\r\nabc\r\n"), NULL, 0},
    {"16 digits", RAW("0000000000000003\r\nabc\r\n"), NULL, 0},
    {"overflow", RAW("fffffffffffffffff\r\n"), NULL, 0},
    {"NUL in an extension", RAW("3;\0\r\nabc\r\n"), NULL, 0},
    {"LF in an extension", RAW("3;a\n\r\nabc\r\n"), NULL, 0},
    {"trailer without a name", RAW("0\r\n: 1\r\n\r\n"), NULL, 0},
    {"trailer without a colon", RAW("0\r\nA\r\n\r\n"), NULL, 0},
    {"trailer, folded", RAW("0\r\nA: 1\r\n 2\r\n\r\n"), NULL, 0},
    {"trailer, blank before the colon", RAW("0\r\nA : 1\r\n\r\n"), NULL, 0},
    {"trailer, NUL", RAW("0\r\nA: \0\r\n\r\n"), NULL, 0},
    {"trailer, bare LF", RAW("0\r\nA: 1\n\r\n"), NULL, 0},
    {"trailer that frames", RAW("0\r\ntransfer-ENCODING: chunked\r\n\r\n"), NULL, 0},
    {"trailer of the proxy", RAW("0\r\nproxy-authorization: x\r\n\r\n"), NULL, 0},
};

/* In pieces of a size, each in memory of its own so that sanitizers see its end. */
static bool
filter(const struct raw *in, size_t piece, bool unchunk, char *out, size_t *out_len,
    size_t *left)
{
	struct http_body b;

	http_body_start(&b, HTTP_CHUNKED, 0, unchunk);
	*out_len = 0;
	for (size_t at = 0; at < in->len && !b.done;) {
		size_t n = in->len - at < piece ? in->len - at : piece, used, kept;
		char *part = malloc(n);
		memcpy(part, in->s + at, n);
		bool good = http_body_filter(&b, part, n, &used, &kept);
		if (good)
			memcpy(out + *out_len, part, kept);
		free(part);
		if (!good)
			return false;
		*out_len += kept;
		at += used;
		*left = in->len - at;
	}
	return b.done;
}

static void
test_bodies(void)
{
	char out[512];
	size_t n, left = 0;

	for (size_t i = 0; i < SRUN_ARRAY_LEN(bodies); i++) {
		bool same = true;
		for (size_t piece = 1; piece <= bodies[i].body.len; piece++) {
			bool good = filter(&bodies[i].body, piece, false, out, &n, &left);
			same = same && good == (bodies[i].out != NULL);
			if (good && bodies[i].out != NULL)
				same = same && n == strlen(bodies[i].out) &&
				       memcmp(out, bodies[i].out, n) == 0 &&
				       left == bodies[i].left;
		}
		ok(same, "chunks: %s, in pieces of every size", bodies[i].name);
	}
	static const struct raw two = RAW("3;x\r\nabc\r\n2\r\nde\r\n0\r\nA: 1\r\n\r\n");
	bool same = true;
	for (size_t piece = 1; piece <= two.len; piece++)
		same = same && filter(&two, piece, true, out, &n, &left) && n == 5 &&
		       memcmp(out, "abcde", 5) == 0;
	ok(same, "without the chunks only the data is left");
}

static void
test_lengths(void)
{
	struct http_body b;
	char data[] = "0123456789";
	size_t used, out;

	http_body_start(&b, HTTP_LENGTH, 4, false);
	ok(http_body_filter(&b, data, 3, &used, &out) && used == 3 && out == 3 && !b.done,
	    "length: a part");
	ok(!http_body_eof(&b), "length: an end there is too early");
	ok(http_body_filter(&b, data, 7, &used, &out) && used == 1 && out == 1 && b.done,
	    "length: the rest is another message's");
	http_body_start(&b, HTTP_TO_CLOSE, 0, false);
	ok(http_body_filter(&b, data, 7, &used, &out) && used == 7 && !b.done &&
	        http_body_eof(&b),
	    "to the end: all of it");
	http_body_start(&b, HTTP_NO_BODY, 0, false);
	ok(b.done, "no body: done at once");
}

static void
test_basic(void)
{
	static const struct {
		const char *value;
		bool right;
	} v[] = {
	    {"Basic c3J1bjpzM2NyZXQ=", true},
	    {"basic   c3J1bjpzM2NyZXQ=", true},
	    {"Basic YW55OnMzY3JldA==", true},
	    {"Basic c3J1bjpzM2NyZXQ", true},
	    {"Basic c3J1bjpzM2NyZXR4", false},
	    {"Basic c3J1bjpzM2NyZQ==", false},
	    {"Basic czNjcmV0", false},
	    {"Basic ", false},
	    {"Basic", false},
	    {"", false},
	    {"Bearer s3cret", false},
	    {"Basic !!!!", false},
	};

	for (size_t i = 0; i < SRUN_ARRAY_LEN(v); i++)
		ok(http_basic_is((struct span){v[i].value, strlen(v[i].value)},
		       "s3cret") == v[i].right,
		    "credentials '%s'", v[i].value);
}

static void
test_refusal(void)
{
	struct http_refusal r = {
	    .status = 403, .reason = "srun: x:1 is not in the grant", .body = "b\n"};
	char out[512];
	size_t n = http_refusal_build(&r, out, sizeof(out) - 1);

	out[n] = '\0';
	is_str(out,
	    "HTTP/1.1 403 srun: x:1 is not in the grant\r\nContent-Type: text/plain; "
	    "charset=utf-8\r\nContent-Length: 2\r\nConnection: close\r\n\r\nb\n",
	    "a refusal");
	is_int(http_refusal_build(&r, out, n - 1), 0, "a refusal without room");
}

int
main(void)
{
	test_heads();
	test_request();
	test_answers();
	test_bodies();
	test_lengths();
	test_basic();
	test_refusal();
	return done();
}
