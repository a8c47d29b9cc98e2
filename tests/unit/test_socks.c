/*
 * test_socks: SOCKS as bytes, cut at every byte; the whole proxy's cases are in test_proxy.
 */
#include <stdlib.h>
#include <string.h>

#include "socks.h"
#include "tap.h"
#include "tls_sni.h"
#include "util.h"

struct raw {
	const char *s;
	size_t len;
};
#define RAW(text)                                                                        \
	{                                                                                \
		text, sizeof(text) - 1                                                   \
	}

static const struct {
	const char *name, *token;
	struct raw in;
	enum socks_step step;
	struct raw replies;
	const char *host; /* REQUEST */
	unsigned port;
} served[] = {
    {"5, a name", NULL, RAW("\5\1\0\5\1\0\3\1h\0\120"), SOCKS_REQUEST, RAW("\5\0"), "h",
        80},
    {"5, IPv4", NULL, RAW("\5\1\0\5\1\0\1\1\2\3\4\1\0"), SOCKS_REQUEST, RAW("\5\0"),
        "1.2.3.4", 256},
    {"5, IPv6", NULL, RAW("\5\1\0\5\1\0\4\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1\0\1"),
        SOCKS_REQUEST, RAW("\5\0"), "::1", 1},
    {"5, many methods", NULL, RAW("\5\3\1\2\0\5\1\0\3\1h\0\1"), SOCKS_REQUEST,
        RAW("\5\0"), "h", 1},
    {"5, password", "p", RAW("\5\1\2\1\1u\1p\5\1\0\3\1h\0\1"), SOCKS_REQUEST,
        RAW("\5\2\1\0"), "h", 1},
    {"5, empty user", "p", RAW("\5\1\2\1\0\1p\5\1\0\3\1h\0\1"), SOCKS_REQUEST,
        RAW("\5\2\1\0"), "h", 1},
    {"5, wrong password", "p", RAW("\5\1\2\1\1u\1x"), SOCKS_REFUSED, RAW("\5\2\1\1"),
        NULL, 0},
    {"5, longer password", "p", RAW("\5\1\2\1\1u\2pp"), SOCKS_REFUSED, RAW("\5\2\1\1"),
        NULL, 0},
    {"5, no password offered", "p", RAW("\5\1\0"), SOCKS_REFUSED, RAW("\5\377"), NULL, 0},
    {"5, password left out", "p", RAW("\5\1\2\5\1\0\3"), SOCKS_REFUSED, RAW("\5\2\1\1"),
        NULL, 0},
    {"5, reserved byte set", NULL, RAW("\5\1\0\5\1\1\3\1h\0\1"), SOCKS_REFUSED,
        RAW("\5\0\5\1\0\1\0\0\0\0\0\0"), NULL, 0},
    {"5, other version in the request", NULL, RAW("\5\1\0\4\1\0\3\1h\0\1"), SOCKS_REFUSED,
        RAW("\5\0\5\1\0\1\0\0\0\0\0\0"), NULL, 0},
    {"4a", NULL, RAW("\4\1\0\1\0\0\0\1u\0h\0"), SOCKS_REQUEST, RAW(""), "h", 1},
    {"4", NULL, RAW("\4\1\0\1\1\2\3\4\0"), SOCKS_REQUEST, RAW(""), "1.2.3.4", 1},
    {"4, token", "u", RAW("\4\1\0\1\1\2\3\4u\0"), SOCKS_REQUEST, RAW(""), "1.2.3.4", 1},
    {"4, wrong token", "u", RAW("\4\1\0\1\1\2\3\4x\0"), SOCKS_REFUSED,
        RAW("\0\x5b\0\0\0\0\0\0"), NULL, 0},
    {"4, 0.0.0.0 is an address", NULL, RAW("\4\1\0\1\0\0\0\0\0"), SOCKS_REQUEST, RAW(""),
        "0.0.0.0", 1},
    {"6", NULL, RAW("\6\1"), SOCKS_REFUSED, RAW(""), NULL, 0},
};

/* Gives n more bytes each time. */
static enum socks_step
serve(struct socks *s, const char *token, const struct raw *in, size_t n, char *replies,
    size_t *len)
{
	size_t from = 0, have = n < in->len ? n : in->len;
	enum socks_step step = SOCKS_MORE;

	*len = 0;
	for (;;) {
		unsigned char reply[SOCKS_REPLY_MAX], *part = malloc(have - from + 1);
		size_t used, got;
		memcpy(part, in->s + from, have - from);
		step = socks_serve(s, token, part, have - from, &used, reply, &got);
		free(part);
		memcpy(replies + *len, reply, got);
		*len += got;
		from += used;
		if (step != SOCKS_MORE || (used == 0 && have == in->len))
			return step;
		if (used == 0)
			have = have + n < in->len ? have + n : in->len;
	}
}

static void
test_served(void)
{
	for (size_t i = 0; i < SRUN_ARRAY_LEN(served); i++) {
		bool good = true;
		for (size_t n = 1; n <= served[i].in.len; n++) {
			struct socks s = {0};
			char replies[128];
			size_t len;
			enum socks_step step =
			    serve(&s, served[i].token, &served[i].in, n, replies, &len);
			good = good && step == served[i].step &&
			       len == served[i].replies.len &&
			       memcmp(replies, served[i].replies.s, len) == 0;
			if (step == SOCKS_REQUEST && served[i].host != NULL)
				good = good && strcmp(s.host, served[i].host) == 0 &&
				       s.host_len == strlen(s.host) &&
				       s.port == served[i].port;
		}
		ok(good, "SOCKS %s, in pieces of every size", served[i].name);
	}
	static const struct raw nul = RAW("\5\1\0\5\1\0\3\3a\0b\0\1");
	struct socks s = {0};
	char replies[64];
	size_t len;
	serve(&s, NULL, &nul, 64, replies, &len);
	ok(s.host_len == 3 && memcmp(s.host, "a\0b", 3) == 0,
	    "SOCKS: a NUL is handed over");
	static char user[400] = "\4\1\0\1\1\2\3\4";
	memset(user + 8, 'u', sizeof(user) - 8);
	struct raw endless = {user, sizeof(user)};
	memset(&s, 0, sizeof(s));
	is_int(serve(&s, NULL, &endless, 64, replies, &len), SOCKS_REFUSED,
	    "SOCKS 4: a user without end");
}

static const struct {
	const char *name, *user;
	struct raw in;
	enum socks_step step;
	struct raw sent;
	size_t left;
} asked[] = {
    {"no credentials", NULL, RAW("\5\0\5\0\0\1\0\0\0\0\0\0tail"), SOCKS_REQUEST,
        RAW("\5\1\0\5\1\0\3\1h\0\1"), 4},
    {"credentials", "u", RAW("\5\2\1\0\5\0\0\3\1x\0\0"), SOCKS_REQUEST,
        RAW("\5\1\2\1\1u\1p\5\1\0\3\1h\0\1"), 0},
    {"IPv6 in the answer", NULL, RAW("\5\0\5\0\0\4\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1\0\1"),
        SOCKS_REQUEST, RAW("\5\1\0\5\1\0\3\1h\0\1"), 0},
    {"no method", NULL, RAW("\5\377"), SOCKS_REFUSED, RAW("\5\1\0"), 0},
    {"another method than offered", NULL, RAW("\5\2"), SOCKS_REFUSED, RAW("\5\1\0"), 0},
    {"credentials refused", "u", RAW("\5\2\1\1"), SOCKS_REFUSED, RAW("\5\1\2\1\1u\1p"),
        0},
    {"refused", NULL, RAW("\5\0\5\2\0\1\0\0\0\0\0\0"), SOCKS_REFUSED,
        RAW("\5\1\0\5\1\0\3\1h\0\1"), 0},
    {"HTTP", NULL, RAW("HTTP/1.1 400 Bad\r\n\r\n"), SOCKS_REFUSED, RAW("\5\1\0"), 0},
    {"odd address type", NULL, RAW("\5\0\5\0\0\7\0\0\0\0\0\0"), SOCKS_REFUSED,
        RAW("\5\1\0\5\1\0\3\1h\0\1"), 0},
};

static void
test_asked(void)
{
	for (size_t i = 0; i < SRUN_ARRAY_LEN(asked); i++) {
		struct socks_client c = {0};
		unsigned char send[SOCKS_CLIENT_MAX];
		char sent[2048];
		size_t n = 0, from = 0, have = 0, used, len;
		enum socks_step step;
		for (;;) {
			step = socks_ask(&c, "h", 1, asked[i].user, "p",
			    (const unsigned char *)asked[i].in.s + from, have - from,
			    &used, send, &len);
			memcpy(sent + n, send, len);
			n += len;
			from += used;
			if (step != SOCKS_MORE ||
			    (have == asked[i].in.len && used == 0 && len == 0))
				break;
			if (used == 0 && have < asked[i].in.len)
				have++;
		}
		ok(step == asked[i].step && n == asked[i].sent.len &&
		        memcmp(sent, asked[i].sent.s, n) == 0,
		    "a parent: %s", asked[i].name);
		if (step == SOCKS_REQUEST)
			is_int(have - from, 0, "a parent: %s: nothing else is taken",
			    asked[i].name);
	}
}

/* ---- server names ---- */

/* A hello of one record: the handshake's bytes are given. */

static const unsigned char start[] = {0x16, 3, 1};

static size_t
make_hello(unsigned char *out, const char *ext, size_t len)
{
	size_t n = 9 + 34 + 1 + 4 + 2, body = 34 + 1 + 4 + 2 + 2 + len;

	memset(out, 0, n + 2 + len);
	memcpy(out, start, 3);
	out[3] = (unsigned char)((body + 4) >> 8);
	out[4] = (unsigned char)(body + 4);
	out[5] = 1;
	out[7] = (unsigned char)(body >> 8);
	out[8] = (unsigned char)body;
	out[9 + 35 + 1] = 2;
	out[9 + 35 + 4] = 1;
	out[n] = (unsigned char)(len >> 8);
	out[n + 1] = (unsigned char)len;
	memcpy(out + n + 2, ext, len);
	return n + 2 + len;
}

static const struct {
	const char *name;
	struct raw ext;
	enum tls_sni want;
	const char *sni;
} hellos[] = {
    {"a name", RAW("\0\0\0\6\0\4\0\0\1a"), TLS_SNI_NAME, "a"},
    {"behind another", RAW("\0\27\0\0\0\0\0\6\0\4\0\0\1a"), TLS_SNI_NAME, "a"},
    {"before another", RAW("\0\0\0\6\0\4\0\0\1a\0\27\0\0"), TLS_SNI_NAME, "a"},
    {"none", RAW("\0\27\0\0"), TLS_SNI_NONE, NULL},
    {"no extensions", RAW(""), TLS_SNI_NONE, NULL},
    {"twice", RAW("\0\0\0\6\0\4\0\0\1a\0\0\0\6\0\4\0\0\1b"), TLS_SNI_BAD, NULL},
    {"two names", RAW("\0\0\0\12\0\10\0\0\1a\0\0\1b"), TLS_SNI_BAD, NULL},
    {"empty name", RAW("\0\0\0\5\0\3\0\0\0"), TLS_SNI_BAD, NULL},
    {"empty list", RAW("\0\0\0\2\0\0"), TLS_SNI_BAD, NULL},
    {"empty extension", RAW("\0\0\0\0"), TLS_SNI_BAD, NULL},
    {"another type of name", RAW("\0\0\0\6\0\4\1\0\1a"), TLS_SNI_BAD, NULL},
    {"NUL in it", RAW("\0\0\0\10\0\6\0\0\3a\0b"), TLS_SNI_BAD, NULL},
    {"blank in it", RAW("\0\0\0\6\0\4\0\0\1 "), TLS_SNI_BAD, NULL},
    {"list shorter than the extension", RAW("\0\0\0\7\0\4\0\0\1ab"), TLS_SNI_BAD, NULL},
    {"list longer than the extension", RAW("\0\0\0\6\0\5\0\0\1a"), TLS_SNI_BAD, NULL},
    {"name longer than the list", RAW("\0\0\0\6\0\4\0\0\2a"), TLS_SNI_BAD, NULL},
    {"extension longer than the hello", RAW("\0\27\1\0a"), TLS_SNI_BAD, NULL},
    {"half an extension", RAW("\0\27\0"), TLS_SNI_BAD, NULL},
};

/* Of memory that ends where the bytes do. */
static enum tls_sni
read_sni(const unsigned char *data, size_t len, char *name)
{
	unsigned char *copy = malloc(len + (len == 0));
	memcpy(copy, data, len);
	enum tls_sni got = tls_sni_read(copy, len, name);
	free(copy);
	return got;
}

static void
test_hellos(void)
{
	for (size_t i = 0; i < SRUN_ARRAY_LEN(hellos); i++) {
		unsigned char data[512], split[4096];
		char name[TLS_SNI_MAX + 1];
		size_t n = make_hello(data, hellos[i].ext.s, hellos[i].ext.len), at = 0;
		enum tls_sni got = read_sni(data, n, name);
		bool more = true;
		ok(got == hellos[i].want &&
		        (hellos[i].sni == NULL || strcmp(name, hellos[i].sni) == 0),
		    "hello: %s", hellos[i].name);
		for (size_t cut = 0; cut < n; cut++) {
			got = read_sni(data, cut, name);
			more = more &&
			       (got == TLS_SNI_MORE ||
			           (got == TLS_SNI_BAD && hellos[i].want == TLS_SNI_BAD));
		}
		ok(more, "hello: %s, cut anywhere", hellos[i].name);
		for (size_t k = 5; k < n; k++) {
			memcpy(split + at, start, 3);
			split[at + 3] = 0;
			split[at + 4] = 1;
			split[at + 5] = data[k];
			at += 6;
		}
		ok(read_sni(split, at, name) == hellos[i].want,
		    "hello: %s, a record each byte", hellos[i].name);
	}
}

static const struct {
	const char *name;
	struct raw data;
	enum tls_sni want;
} firsts[] = {
    {"SSH", RAW("SSH-2.0-x\r\n"), TLS_SNI_NOT_TLS},
    {"HTTP", RAW("GET / HTTP/1.1\r\n"), TLS_SNI_NOT_TLS},
    {"one byte", RAW("\x16"), TLS_SNI_MORE},
    {"another version", RAW("\x16\2\0\0\1\1"), TLS_SNI_BAD},
    {"version 4", RAW("\x16\4"), TLS_SNI_BAD},
    {"an empty record", RAW("\x16\3\1\0\0"), TLS_SNI_BAD},
    {"a record that is too long", RAW("\x16\3\1\x41\0"), TLS_SNI_BAD},
    {"another handshake message", RAW("\x16\3\1\0\4\2\0\0\0"), TLS_SNI_BAD},
    {"a hello without end", RAW("\x16\3\1\0\4\1\xff\xff\xff"), TLS_SNI_BAD},
    {"an alert within", RAW("\x16\3\1\0\4\1\0\0\x40\x15\3\1\0\2\2\0"), TLS_SNI_BAD},
    {"an empty hello", RAW("\x16\3\1\0\4\1\0\0\0"), TLS_SNI_BAD},
};

static void
test_firsts(void)
{
	char name[TLS_SNI_MAX + 1];
	unsigned char *drip = malloc(TLS_HELLO_MAX + 6);
	size_t n = 0;

	for (size_t i = 0; i < SRUN_ARRAY_LEN(firsts); i++)
		is_int(read_sni((const unsigned char *)firsts[i].data.s,
		           firsts[i].data.len, name),
		    firsts[i].want, "first bytes: %s", firsts[i].name);
	is_int(tls_sni_read((const unsigned char *)"", 0, name), TLS_SNI_MORE,
	    "first bytes: none");
	/* A hello that says it is long, in records of one byte, without an end. */
	static const unsigned char head[] = {1, 0, 0x7f, 0};
	while (n + 6 <= TLS_HELLO_MAX + 5) {
		memcpy(drip + n, start, 3);
		drip[n + 3] = 0;
		drip[n + 4] = 1;
		drip[n + 5] = n / 6 < 4 ? head[n / 6] : 0xff;
		n += 6;
	}
	is_int(read_sni(drip, TLS_HELLO_MAX, name), TLS_SNI_BAD,
	    "first bytes: 32 KiB are enough");
	free(drip);
}

int
main(void)
{
	test_served();
	test_asked();
	test_hellos();
	test_firsts();
	return done();
}
