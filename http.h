/*
 * http.h: HTTP/1 heads as bytes: what a client asks of the proxy, what an origin answers,
 * both rebuilt from what was understood. Pure: no system call, no memory of its own; spans
 * point into the caller's bytes and live as long as they.
 *
 * Framing is read in the one way that every recipient shares; what could be read in two
 * ways is HTTP_BAD. Nothing is forwarded as it came: heads are written anew, so that bytes
 * that were not understood cannot reach the other side.
 */
#ifndef SRUN_HTTP_H
#define SRUN_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HTTP_HEAD_LIMIT      65536 /* bytes of one head, with its empty line */
#define HTTP_FIELDS_MAX      256
#define HTTP_CONNECTIONS_MAX 8 /* "Connection" fields in one head */

struct span {
	const char *s;
	size_t len;
};

/* Case does not matter. */
bool span_is(struct span a, const char *word);

enum http_result { HTTP_OK, HTTP_MORE, HTTP_BAD };

struct http_error {
	int status; /* for the client: 400, 431, 505; for a bad answer always 502 */
	const char *text;
};

enum http_framing {
	HTTP_NO_BODY,
	HTTP_LENGTH,
	HTTP_CHUNKED,
	HTTP_TO_CLOSE, /* answers only */
};

/* What both kinds of head have. */
struct http_head {
	int minor;       /* HTTP/1.minor, 0 or 1 */
	size_t size;     /* bytes of the head, with its empty line */
	bool keep_alive; /* as version and "Connection" say */
	bool websocket;  /* "Connection: upgrade" and "Upgrade: websocket" */
	bool expects;    /* "Expect: 100-continue" */
	enum http_framing framing;
	uint64_t length; /* HTTP_LENGTH: of the body */
	struct span credentials;
	struct span fields; /* the lines of fields, each with its CRLF */
	struct span connection[HTTP_CONNECTIONS_MAX];
	size_t nconnection;
};

struct http_request {
	struct http_head h;
	struct span method;
	bool connect, head;
	struct span
	    authority;    /* "HOST[:PORT]" of the target, any bytes: not yet judged */
	struct span path; /* with the query; empty: "/", or "*" for OPTIONS */
};

struct http_response {
	struct http_head h;
	int status;
	struct span reason;
};

/*
 * Where a head ends, searched from *scanned on (0 at first; kept by the caller, so that a
 * head that comes byte by byte costs no more). HTTP_OK: *size is the length of the head; 2:
 * an empty line where a head should begin.
 * HTTP_BAD: a line without CR, or the limit.
 */
enum http_result http_head_end(
    const char *data, size_t len, size_t *scanned, size_t *size, struct http_error *e);

/* A whole head of size bytes. HTTP_OK or HTTP_BAD. */
enum http_result http_request_parse(
    const char *data, size_t size, struct http_request *r, struct http_error *e);
enum http_result http_response_parse(const char *data, size_t size,
    const struct http_request *asked, struct http_response *r, struct http_error *e);
/*
 * asked is NULL or the request: its method and version decide about the body. Only
 * method flags and h.minor of it are read, so its spans may be gone.
 */

struct http_forward {
	const char
	    *authority;    /* for Host: the judged name, with the port unless it is 80 */
	bool absolute;     /* to a parent: the whole URL as target */
	const char *basic; /* for the parent: credentials in base64, or NULL */
	bool keep_alive;
};
/* The head for the next hop. Bytes written, 0 when cap is too small. */
size_t http_request_build(
    const struct http_request *r, const struct http_forward *f, char *out, size_t cap);

struct http_answer {
	int minor;       /* the client's */
	bool keep_alive; /* the client's connection stays */
	bool unchunked;  /* the body goes on without its chunks: no length is known */
};
size_t http_response_build(
    const struct http_response *r, const struct http_answer *a, char *out, size_t cap);

/* An answer of srun itself. */
struct http_refusal {
	int status;
	const char *reason; /* the text that clients show: one line, printed as it is */
	const char *body;
	bool keep_alive;
	bool no_body;   /* the answer to HEAD */
	bool challenge; /* 407: ask for Basic credentials */
};
size_t http_refusal_build(const struct http_refusal *r, char *out, size_t cap);

/* Whether a value of Proxy-Authorization is Basic with this password, whatever the name. */
bool http_basic_is(struct span value, const char *password);

#endif
