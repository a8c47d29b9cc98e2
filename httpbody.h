/*
 * httpbody.h: where a body of HTTP/1 ends, while it streams by. Pure.
 */
#ifndef SRUN_HTTPBODY_H
#define SRUN_HTTPBODY_H

#include "http.h"

#define HTTPBODY_LINE_MAX     4096 /* of a chunk's first line, with its extensions */
#define HTTPBODY_TRAILERS_MAX 16384

struct http_body {
	uint8_t framing; /* enum http_framing */
	uint8_t state;
	uint8_t nname; /* bytes of a trailer's name so far, in name */
	bool unchunk;  /* chunk lines and trailers are left out */
	bool done;
	bool digit;    /* a chunk's size has begun */
	uint32_t line; /* bytes of the line, or of all trailers, so far */
	uint64_t left; /* bytes of the body or of the chunk to come */
	char name[20];
};

void http_body_start(
    struct http_body *b, enum http_framing framing, uint64_t length, bool unchunk);

/*
 * Takes *used of the len bytes as the body's next and leaves *out bytes of them, at data,
 * to be sent on: chunks lose their extensions, nothing else changes. *used < len only when
 * the body is done: what follows is the next message's. False for bytes that are no good
 * framing: nothing of them may be sent on, and the connection is over.
 */
bool http_body_filter(
    struct http_body *b, char *data, size_t len, size_t *used, size_t *out);

/* The bytes ended: whether the body is whole. */
bool http_body_eof(struct http_body *b);

#endif
