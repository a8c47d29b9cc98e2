/*
 * socks.h: SOCKS5 (RFC 1928, 1929), SOCKS4 and 4a as bytes, on both sides: what a client
 * asks, what a parent proxy answers. Pure.
 */
#ifndef SRUN_SOCKS_H
#define SRUN_SOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SOCKS_REPLY_MAX 16
#define SOCKS_HOST_MAX  255

enum socks_step {
	SOCKS_MORE,    /* send the reply, if any; then more bytes are needed */
	SOCKS_REQUEST, /* a request to CONNECT is whole */
	SOCKS_REFUSED, /* send the reply and end: credentials, command, address type, form */
};

/* What has been agreed on one connection; all zero at first. */
struct socks {
	uint8_t version; /* 4 or 5, from the first byte */
	uint8_t state;
	bool trusted; /* the token was given, or none is asked for */
	/* The request. An address is text, as it would be in a URL without brackets. */
	char host[SOCKS_HOST_MAX + 1];
	size_t host_len; /* host may hold any byte but is ended by a NUL as well */
	uint16_t port;
	bool literal; /* the client gave an address, not a name */
};

/*
 * Goes on with the client's next bytes: *used of them are done with, *reply_len bytes are
 * to be sent. Called again while it uses bytes. token is NULL or the password that every
 * client must give (for SOCKS4: the user name).
 */
enum socks_step socks_serve(struct socks *s, const char *token, const unsigned char *data,
    size_t len, size_t *used, unsigned char reply[SOCKS_REPLY_MAX], size_t *reply_len);

enum socks_code { SOCKS_DONE, SOCKS_NOT_ALLOWED, SOCKS_UNREACHABLE, SOCKS_FAILED };
/* The answer to a request; its length. */
size_t socks_answer(
    const struct socks *s, enum socks_code code, unsigned char reply[SOCKS_REPLY_MAX]);

/* ---- as client of a parent that speaks SOCKS5 ---- */

#define SOCKS_CLIENT_MAX 600

struct socks_client {
	uint8_t state;
};
/*
 * Goes on with the parent's bytes (none at first): *send_len bytes are to be sent. user is
 * NULL for a parent without credentials. SOCKS_REQUEST means that the tunnel stands;
 * what follows the used bytes is the origin's.
 */
enum socks_step socks_ask(struct socks_client *c, const char *host, uint16_t port,
    const char *user, const char *password, const unsigned char *data, size_t len,
    size_t *used, unsigned char send[SOCKS_CLIENT_MAX], size_t *send_len);

#endif
