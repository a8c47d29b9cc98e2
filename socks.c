/*
 * socks.c: SOCKS as bytes.
 *
 * Owns the wire forms. Must not make a system call, nor judge a host: it hands over the
 * bytes of a name as they came, with their length, so that a NUL in a name is seen by
 * whoever judges it and by nobody else. Only CONNECT exists here.
 */
#include "socks.h"

#include <arpa/inet.h>
#include <string.h>
#include <sys/socket.h>

enum {
	VERSION_5 = 5,
	VERSION_4 = 4,
	COMMAND_CONNECT = 1,
	METHOD_NONE = 0,
	METHOD_PASSWORD = 2,
	METHOD_REFUSED = 0xff,
	TYPE_V4 = 1,
	TYPE_NAME = 3,
	TYPE_V6 = 4,
	REPLY_FAILED = 1,
	REPLY_NOT_ALLOWED = 2,
	REPLY_UNREACHABLE = 4,
	REPLY_COMMAND = 7,
	REPLY_ADDRESS_TYPE = 8,
	V4_GRANTED = 0x5a,
	V4_REJECTED = 0x5b,
};

enum state { S_FIRST, S_PASSWORD, S_REQUEST };

static size_t
set_reply(unsigned char *reply, const unsigned char *bytes, size_t n)
{
	memcpy(reply, bytes, n);
	return n;
}

static size_t
reply_5(unsigned char *reply, unsigned char code)
{
	const unsigned char bytes[10] = {VERSION_5, code, 0, TYPE_V4};
	return set_reply(reply, bytes, sizeof(bytes));
}

static size_t
reply_4(unsigned char *reply, unsigned char code)
{
	const unsigned char bytes[8] = {0, code};
	return set_reply(reply, bytes, sizeof(bytes));
}

static bool
token_is(const char *token, const unsigned char *given, size_t len)
{
	size_t want = strlen(token);
	unsigned char differ = 0;

	if (len != want)
		return false;
	for (size_t i = 0; i < len; i++)
		differ |= (unsigned char)((unsigned char)token[i] ^ given[i]);
	return differ == 0;
}

/* VER NMETHODS METHODS: a method without credentials where that is enough. */
static enum socks_step
serve_methods(struct socks *s, const char *token, const unsigned char *data, size_t len,
    size_t *used, unsigned char *reply, size_t *reply_len)
{
	unsigned char chosen = METHOD_REFUSED;

	if (len < 2 || len < 2U + data[1])
		return SOCKS_MORE;
	*used = 2U + data[1];
	if (memchr(data + 2, METHOD_PASSWORD, data[1]) != NULL)
		chosen = METHOD_PASSWORD;
	if (token == NULL && memchr(data + 2, METHOD_NONE, data[1]) != NULL)
		chosen = METHOD_NONE;
	const unsigned char bytes[2] = {VERSION_5, chosen};
	*reply_len = set_reply(reply, bytes, sizeof(bytes));
	s->trusted = token == NULL;
	s->state = chosen == METHOD_PASSWORD ? S_PASSWORD : S_REQUEST;
	return chosen == METHOD_REFUSED ? SOCKS_REFUSED : SOCKS_MORE;
}

/* VER=1 ULEN USER PLEN PASSWORD */
static enum socks_step
serve_password(struct socks *s, const char *token, const unsigned char *data, size_t len,
    size_t *used, unsigned char *reply, size_t *reply_len)
{
	size_t plen = 0, whole = len;
	bool right = data[0] == 1;

	if (right && (len < 2 || len < 3U + data[1]))
		return SOCKS_MORE;
	if (right) {
		plen = data[2 + data[1]];
		whole = 3U + data[1] + plen;
	}
	if (len < whole)
		return SOCKS_MORE;
	*used = whole;
	s->trusted =
	    right && (token == NULL || token_is(token, data + 3 + data[1], plen));
	const unsigned char bytes[2] = {1, s->trusted ? 0 : 1};
	*reply_len = set_reply(reply, bytes, sizeof(bytes));
	s->state = S_REQUEST;
	return s->trusted ? SOCKS_MORE : SOCKS_REFUSED;
}

static void
set_address(struct socks *s, int family, const unsigned char *bytes)
{
	s->literal = true;
	inet_ntop(family, bytes, s->host, sizeof(s->host));
	s->host_len = strlen(s->host);
}

static void
set_name(struct socks *s, const unsigned char *bytes, size_t len)
{
	s->literal = false;
	memcpy(s->host, bytes, len);
	s->host[len] = '\0';
	s->host_len = len;
}

/* VER CMD RSV TYPE ADDRESS PORT */
static enum socks_step
serve_request(struct socks *s, const unsigned char *data, size_t len, size_t *used,
    unsigned char *reply, size_t *reply_len)
{
	size_t alen;

	if (len < 5)
		return SOCKS_MORE;
	switch (data[3]) {
	case TYPE_V4:
		alen = 4;
		break;
	case TYPE_V6:
		alen = 16;
		break;
	case TYPE_NAME:
		alen = 1U + data[4];
		break;
	default:
		*used = len;
		*reply_len = reply_5(reply, REPLY_ADDRESS_TYPE);
		return SOCKS_REFUSED;
	}
	if (len < 4 + alen + 2)
		return SOCKS_MORE;
	*used = 4 + alen + 2;
	if (data[0] != VERSION_5 || data[2] != 0 || data[1] != COMMAND_CONNECT) {
		*reply_len = reply_5(reply,
		    data[0] == VERSION_5 && data[2] == 0 ? REPLY_COMMAND : REPLY_FAILED);
		return SOCKS_REFUSED;
	}
	if (data[3] == TYPE_NAME)
		set_name(s, data + 5, data[4]);
	else
		set_address(s, data[3] == TYPE_V4 ? AF_INET : AF_INET6, data + 4);
	s->port = (uint16_t)(data[4 + alen] << 8 | data[5 + alen]);
	return SOCKS_REQUEST;
}

/* VN CD PORT ADDRESS USER NUL [NAME NUL]; an address 0.0.0.x (x not 0) means a name. */
static enum socks_step
serve_4(struct socks *s, const char *token, const unsigned char *data, size_t len,
    size_t *used, unsigned char *reply, size_t *reply_len)
{
	const unsigned char *user = data + 8, *end, *name;
	size_t left, limit = SOCKS_HOST_MAX + 1;

	if (len < 9)
		return SOCKS_MORE;
	left = len - 8;
	end = memchr(user, 0, left < limit ? left : limit);
	*reply_len = reply_4(reply, V4_REJECTED);
	if (end == NULL && left >= limit)
		return SOCKS_REFUSED;
	if (end == NULL)
		goto more;
	s->trusted = token == NULL || token_is(token, user, (size_t)(end - user));
	s->port = (uint16_t)(data[2] << 8 | data[3]);
	name = end + 1;
	if (data[4] == 0 && data[5] == 0 && data[6] == 0 && data[7] != 0) {
		left = len - (size_t)(name - data);
		end = memchr(name, 0, left < limit ? left : limit);
		if (end == NULL && left >= limit)
			return SOCKS_REFUSED;
		if (end == NULL)
			goto more;
		set_name(s, name, (size_t)(end - name));
	} else {
		set_address(s, AF_INET, data + 4);
	}
	*used = (size_t)(end - data) + 1;
	if (data[1] != COMMAND_CONNECT || !s->trusted)
		return SOCKS_REFUSED;
	*reply_len = 0;
	return SOCKS_REQUEST;
more:
	*reply_len = 0;
	return SOCKS_MORE;
}

enum socks_step
socks_serve(struct socks *s, const char *token, const unsigned char *data, size_t len,
    size_t *used, unsigned char reply[SOCKS_REPLY_MAX], size_t *reply_len)
{
	*used = 0;
	*reply_len = 0;
	if (len == 0)
		return SOCKS_MORE;
	if (s->version == 0)
		s->version = data[0];
	if (s->version == VERSION_4)
		return serve_4(s, token, data, len, used, reply, reply_len);
	if (s->version != VERSION_5)
		return SOCKS_REFUSED;
	if (s->state == S_FIRST)
		return serve_methods(s, token, data, len, used, reply, reply_len);
	/*
	 * A client with credentials may send them though none were asked for (rustup
	 * does): a request begins with 5, credentials with 1.
	 */
	if (s->state == S_PASSWORD || data[0] == 1)
		return serve_password(s, token, data, len, used, reply, reply_len);
	return serve_request(s, data, len, used, reply, reply_len);
}

size_t
socks_answer(
    const struct socks *s, enum socks_code code, unsigned char reply[SOCKS_REPLY_MAX])
{
	static const unsigned char codes[] = {
	    [SOCKS_DONE] = 0,
	    [SOCKS_NOT_ALLOWED] = REPLY_NOT_ALLOWED,
	    [SOCKS_UNREACHABLE] = REPLY_UNREACHABLE,
	    [SOCKS_FAILED] = REPLY_FAILED,
	};

	if (s->version == VERSION_4)
		return reply_4(reply, code == SOCKS_DONE ? V4_GRANTED : V4_REJECTED);
	return reply_5(reply, codes[code]);
}

/* ---- as client ---- */

enum client_state { C_HELLO, C_METHOD, C_PASSWORD, C_ANSWER };

static size_t
put_password(unsigned char *out, const char *user, const char *password)
{
	size_t ulen = strlen(user), plen = strlen(password);

	if (ulen == 0 || ulen > 255 || plen > 255)
		return 0;
	out[0] = 1;
	out[1] = (unsigned char)ulen;
	memcpy(out + 2, user, ulen);
	out[2 + ulen] = (unsigned char)plen;
	memcpy(out + 3 + ulen, password, plen);
	return 3 + ulen + plen;
}

static size_t
put_request(unsigned char *out, const char *host, uint16_t port)
{
	size_t hlen = strlen(host), n = 4;

	out[0] = VERSION_5;
	out[1] = COMMAND_CONNECT;
	out[2] = 0;
	if (inet_pton(AF_INET, host, out + 4) == 1) {
		out[3] = TYPE_V4;
		n += 4;
	} else if (inet_pton(AF_INET6, host, out + 4) == 1) {
		out[3] = TYPE_V6;
		n += 16;
	} else {
		if (hlen == 0 || hlen > SOCKS_HOST_MAX)
			return 0;
		out[3] = TYPE_NAME;
		out[4] = (unsigned char)hlen;
		memcpy(out + 5, host, hlen);
		n += 1 + hlen;
	}
	out[n] = (unsigned char)(port >> 8);
	out[n + 1] = (unsigned char)(port & 0xff);
	return n + 2;
}

/* Two bytes that must be these. */
static bool
is_pair(const unsigned char *data, unsigned char a, unsigned char b)
{
	return data[0] == a && data[1] == b;
}

static enum socks_step
ask_answer(const unsigned char *data, size_t len, size_t *used)
{
	size_t alen;

	if (len < 5)
		return SOCKS_MORE;
	alen = data[3] == TYPE_V4     ? 4U
	       : data[3] == TYPE_V6   ? 16U
	       : data[3] == TYPE_NAME ? 1U + data[4]
	                              : 0U;
	if (data[0] != VERSION_5 || data[1] != 0 || alen == 0)
		return SOCKS_REFUSED;
	if (len < 4 + alen + 2)
		return SOCKS_MORE;
	*used = 4 + alen + 2;
	return SOCKS_REQUEST;
}

static enum socks_step
ask_request(struct socks_client *c, const char *host, uint16_t port, unsigned char *send,
    size_t *send_len)
{
	c->state = C_ANSWER;
	*send_len = put_request(send, host, port);
	return *send_len > 0 ? SOCKS_MORE : SOCKS_REFUSED;
}

enum socks_step
socks_ask(struct socks_client *c, const char *host, uint16_t port, const char *user,
    const char *password, const unsigned char *data, size_t len, size_t *used,
    unsigned char send[SOCKS_CLIENT_MAX], size_t *send_len)
{
	const unsigned char hello[] = {
	    VERSION_5, 1, user != NULL ? METHOD_PASSWORD : METHOD_NONE};

	*used = *send_len = 0;
	if (c->state == C_HELLO) {
		c->state = C_METHOD;
		*send_len = set_reply(send, hello, sizeof(hello));
		return SOCKS_MORE;
	}
	if (c->state == C_ANSWER)
		return ask_answer(data, len, used);
	if (len < 2)
		return SOCKS_MORE;
	*used = 2;
	if (c->state == C_PASSWORD)
		return is_pair(data, 1, 0) ? ask_request(c, host, port, send, send_len)
		                           : SOCKS_REFUSED;
	if (!is_pair(data, VERSION_5, hello[2]))
		return SOCKS_REFUSED;
	if (user == NULL)
		return ask_request(c, host, port, send, send_len);
	c->state = C_PASSWORD;
	*send_len = put_password(send, user, password);
	return *send_len > 0 ? SOCKS_MORE : SOCKS_REFUSED;
}
