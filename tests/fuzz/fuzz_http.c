/*
 * fuzz_http: any bytes as a request, an answer and a body in chunks. What is taken and
 * written anew must be taken again, with the same meaning; a body must come out the same
 * whatever the pieces it came in.
 */
#include <string.h>

#include "fuzz.h"
#include "http.h"
#include "httpbody.h"

static char out[HTTP_HEAD_LIMIT * 2], again[HTTP_HEAD_LIMIT * 2];

static size_t
whole_head(const char *data, size_t len)
{
	size_t scanned = 0, size = 0;
	struct http_error e;

	if (http_head_end(data, len, &scanned, &size, &e) != HTTP_OK || size == 2)
		return 0;
	must(size <= len && memcmp(data + size - 2, "\r\n", 2) == 0);
	return size;
}

static void
fuzz_request(const char *data, size_t len)
{
	struct http_request r, s;
	struct http_error e;
	struct http_forward f = {
	    .authority = "h.test", .keep_alive = true, .absolute = true};
	size_t size = whole_head(data, len), n, m;

	if (size == 0 || http_request_parse(data, size, &r, &e) != HTTP_OK || r.connect)
		return;
	n = http_request_build(&r, &f, out, sizeof(out));
	must(n > 0 && whole_head(out, n) == n);
	must(http_request_parse(out, n, &s, &e) == HTTP_OK);
	must(s.h.framing == r.h.framing && s.h.length == r.h.length);
	must(s.method.len == r.method.len && s.head == r.head && s.h.minor == r.h.minor);
	must(span_is(s.authority, "h.test") && s.h.credentials.len == 0);
	m = http_request_build(&s, &f, again, sizeof(again));
	must(m == n && memcmp(out, again, n) == 0);
}

static void
fuzz_answer(const char *data, size_t len)
{
	struct http_response r, s;
	struct http_error e;
	struct http_answer a = {.minor = 1, .keep_alive = true};
	size_t size = whole_head(data, len), n;

	if (size == 0 || http_response_parse(data, size, NULL, &r, &e) != HTTP_OK)
		return;
	n = http_response_build(&r, &a, out, sizeof(out));
	must(n > 0 && whole_head(out, n) == n);
	must(http_response_parse(out, n, NULL, &s, &e) == HTTP_OK);
	must(s.status == r.status && s.h.framing == r.h.framing);
	must(s.h.framing != HTTP_LENGTH || s.h.length == r.h.length);
}

static bool
filter(const char *data, size_t len, size_t piece, bool unchunk, char *to, size_t *n)
{
	struct http_body b;
	static char part[4096];

	http_body_start(&b, HTTP_CHUNKED, 0, unchunk);
	*n = 0;
	for (size_t at = 0; at < len && !b.done;) {
		size_t take = len - at < piece ? len - at : piece, used, kept;
		memcpy(part, data + at, take);
		if (!http_body_filter(&b, part, take, &used, &kept))
			return false;
		must(used <= take && kept <= used && (used == take || b.done));
		memcpy(to + *n, part, kept);
		*n += kept;
		at += used;
	}
	return b.done;
}

static void
fuzz_chunks(const char *data, size_t len)
{
	size_t n, m;

	if (len > 4096)
		return;
	bool whole = filter(data, len, 4096, false, out, &n);
	must(filter(data, len, 1, false, again, &m) == whole);
	must(!whole || (n == m && memcmp(out, again, n) == 0));
	if (!whole)
		return;
	/* What goes on is well chunked, without anything that could be read otherwise. */
	must(filter(out, n, 4096, false, again, &m) && m == n);
	must(filter(data, len, 7, true, out, &n));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	fuzz_request((const char *)data, len);
	fuzz_answer((const char *)data, len);
	fuzz_chunks((const char *)data, len);
	return 0;
}
