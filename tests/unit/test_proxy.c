/*
 * test_proxy: the whole proxy on loopback, attacked: raw requests with the origin's log as
 * judge, tunnels, SOCKS, server names, parents, limits. ok.test is granted and bad.test is
 * not; both are there and would answer.
 */
#include "proxytest.h"
#include "tap.h"

#include "socks.h"

#define OK_ADDR  "127.0.0.2"
#define BAD_ADDR "127.0.0.3"

struct raw {
	const char *s;
	size_t len;
};
#define RAW(text)                                                                        \
	{                                                                                \
		text, sizeof(text) - 1                                                   \
	}

struct world {
	uint16_t port; /* of both origins */
	struct shared_log *ok, *bad, *asked;
	pid_t ok_pid, bad_pid;
};

static const struct fake_name names[] = {
    {"ok.test", {OK_ADDR}},
    {"sub.ok.test", {OK_ADDR}},
    {"bad.test", {BAD_ADDR}},
    {"rebind.test", {BAD_ADDR}},
    {"mixed.test", {BAD_ADDR, OK_ADDR}},
    {"down.test", {"127.0.0.2", "127.0.0.2"}},
    {"silent.test", {""}},
    {"xok.test", {BAD_ADDR}},
    {NULL, {NULL}},
};

static const char grant[] =
    "allow_domains = ok.test, *.ok.test, rebind.test, mixed.test, "
    "down.test, silent.test, missing.test, 127.0.0.2\n"
    "parent_proxy = none\n";

/* ---- origins ---- */

static const struct {
	const char *path;
	struct raw answer;
} canned[] = {
    {"/nothing ", RAW("")},
    {"/http09 ", RAW("hello there\n")},
    {"/bare-lf ", RAW("HTTP/1.1 200 OK\nContent-Length: 1\n\nx")},
    {"/two-lengths ",
        RAW("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxy")},
    {"/length-and-chunked ",
        RAW("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"
            "1\r\nx\r\n0\r\n\r\n")},
    {"/folded ", RAW("HTTP/1.1 200 OK\r\nX: 1\r\n 2\r\nContent-Length: 1\r\n\r\nx")},
    {"/blank-colon ", RAW("HTTP/1.1 200 OK\r\nContent-Length : 1\r\n\r\nx")},
    {"/nul ", RAW("HTTP/1.1 200 OK\r\nX: \0\r\nContent-Length: 1\r\n\r\nx")},
    {"/odd-coding ", RAW("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nx")},
    {"/unasked-101 ", RAW("HTTP/1.1 101 Switching\r\nConnection: upgrade\r\n"
                          "Upgrade: websocket\r\n\r\n")},
    {"/no-reason ", RAW("HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nok")},
    {"/to-close ", RAW("HTTP/1.1 200 OK\r\n\r\nto the end")},
    {"/http10 ", RAW("HTTP/1.0 200 OK\r\n\r\nof the old kind")},
    {"/chunked ", RAW("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                      "5;name=\"v\"\r\nhello\r\n6\r\n world\r\n0\r\nX-T: 1\r\n\r\n")},
    {"/bad-chunk ",
        RAW("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5x\r\nhello\r\n")},
    {"/cut ", RAW("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")},
    {"/hundred ", RAW("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nLink: x\r\n\r\n"
                      "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")},
    {"/204 ", RAW("HTTP/1.1 204 No Content\r\n\r\n")},
    {"/304 ", RAW("HTTP/1.1 304 Not Modified\r\nContent-Length: 99\r\n\r\n")},
    {"/hop ",
        RAW("HTTP/1.1 200 OK\r\nConnection: X-Secret\r\nX-Secret: 1\r\n"
            "Keep-Alive: 5\r\nProxy-Authenticate: Basic\r\nContent-Length: 2\r\n\r\nok")},
    {"/extra ",
        RAW("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 Smuggled\r\n"
            "Content-Length: 0\r\n\r\n")},
    {"/407 ", RAW("HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n")},
};

/* The head of a request and, by its length or chunks, the body: read and logged. */
static bool
origin_read(int fd, struct shared_log *log, char *buf, size_t cap)
{
	size_t len = 0;
	char *end;

	do {
		ssize_t n = recv(fd, buf + len, cap - 1 - len, 0);
		if (n <= 0)
			return false;
		log_bytes(log, buf + len, (size_t)n);
		len += (size_t)n;
		buf[len] = '\0';
		end = strstr(buf, "\r\n\r\n");
	} while (end == NULL);
	const char *length = strstr(buf, "Content-Length: ");
	size_t want = length != NULL ? (size_t)strtoul(length + 16, NULL, 10) : 0;
	bool chunked = strstr(buf, "Transfer-Encoding: chunked") != NULL;
	size_t body = len - (size_t)(end + 4 - buf);
	while (body < want ||
	       (chunked && (len < 5 || memcmp(buf + len - 4, "\r\n\r\n", 4) != 0 ||
	                       strstr(end, "\n0\r\n") == NULL))) {
		char *to = chunked ? buf + len : buf;
		size_t room = chunked ? cap - 1 - len : cap / 2;
		ssize_t n = recv(fd, to, room, 0);
		if (n <= 0)
			return false;
		log_bytes(log, to, (size_t)n < 64 ? (size_t)n : 64);
		len += chunked ? (size_t)n : 0;
		body += (size_t)n;
	}
	return true;
}

static bool
origin_answer(int fd, const char *buf)
{
	const char *path = strchr(buf, ' ');

	path = path == NULL ? "" : path + 1;
	for (size_t i = 0; i < SRUN_ARRAY_LEN(canned); i++)
		if (strncmp(path, canned[i].path, strlen(canned[i].path)) == 0) {
			send_bytes(fd, canned[i].answer.s, canned[i].answer.len);
			return strstr(path, "/20") == path || strstr(path, "/30") == path;
		}
	if (strncmp(path, "/upgrade ", 9) == 0 &&
	    strstr(buf, "Upgrade: websocket") != NULL) {
		char echo[4096];
		ssize_t n;
		send_text(fd,
		    "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n"
		    "Upgrade: websocket\r\n\r\nframe0");
		while ((n = recv(fd, echo, sizeof(echo), 0)) > 0)
			send_bytes(fd, echo, (size_t)n);
		return false;
	}
	if (strncmp(path, "/big ", 5) == 0) {
		static char block[1 << 20];
		send_text(fd, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n");
		memset(block, 'x', sizeof(block));
		for (int i = 0; i < 5; i++)
			send_bytes(fd, block, sizeof(block));
		return false;
	}
	send_text(fd, strncmp(buf, "HEAD ", 5) == 0
	                  ? "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"
	                  : "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello");
	return true;
}

/* Echoes, when the first bytes are no request of HTTP. */
static void
origin_conn(int fd, struct shared_log *log)
{
	static char buf[1 << 20];
	ssize_t n = recv(fd, buf, 8, MSG_PEEK);

	if (n > 0 && (buf[0] == 0x16 || memcmp(buf, "raw", n < 3 ? (size_t)n : 3) == 0)) {
		while ((n = recv(fd, buf, sizeof(buf), 0)) > 0) {
			log_bytes(log, buf, (size_t)n < 64 ? (size_t)n : 64);
			send_bytes(fd, buf, (size_t)n);
		}
		/* The other direction stays open until this one is done. */
		send_text(fd, "tail");
		return;
	}
	while (origin_read(fd, log, buf, sizeof(buf)) && origin_answer(fd, buf))
		continue;
}

static pid_t
start_origin(const char *addr, uint16_t *port, struct shared_log *log)
{
	int lfd = listen_on(addr, port);
	pid_t pid = child();

	if (pid != 0) {
		close(lfd);
		return pid;
	}
	ignore(SIGCHLD);
	for (;;) {
		int fd = accept(lfd, NULL, NULL);
		if (fd < 0)
			continue;
		__atomic_fetch_add(&log->conns, 1, __ATOMIC_SEQ_CST);
		if (child() == 0) {
			close(lfd);
			origin_conn(fd, log);
			shutdown(fd, SHUT_WR);
			_exit(0);
		}
		close(fd);
	}
}

/* ---- raw requests ---- */

#define R(line, fields) line "\r\nHost: ok.test\r\n" fields "\r\n"
#define GET             "GET http://ok.test:PORT/ HTTP/1.1"
#define POST            "POST http://ok.test:PORT/ HTTP/1.1"

struct raw_case {
	const char *name;
	struct raw send;
	const char *want;    /* in what the client gets */
	const char *reaches; /* in the origin's log; NULL: the origin sees no byte */
	const char *never;   /* not in the log */
};

static const struct raw_case raw_cases[] = {
    /* what works */
    {"absolute form", RAW(R(GET, "")), "HTTP/1.1 200",
        "GET / HTTP/1.1\r\nHost: ok.test:", NULL},
    {"path and query", RAW(R("GET http://ok.test:PORT/p?q=1 HTTP/1.1", "")), "200",
        "GET /p?q=1 HTTP/1.1", NULL},
    {"query without path", RAW(R("GET http://ok.test:PORT?q HTTP/1.1", "")), "200",
        "GET /?q HTTP/1.1", NULL},
    {"HTTP/1.0", RAW("GET http://ok.test:PORT/ HTTP/1.0\r\n\r\n"), "HTTP/1.0 200",
        "GET / HTTP/1.0\r\nHost: ok.test", NULL},
    {"scheme in capitals", RAW(R("GET HTTP://ok.test:PORT/ HTTP/1.1", "")), "200",
        "GET / ", NULL},
    {"name in capitals, dot at the end", RAW(R("GET http://OK.Test.:PORT/ HTTP/1.1", "")),
        "200", "Host: ok.test:", "OK.Test"},
    {"an empty line in front", RAW("\r\n" R(GET, "")), "200", "GET / ", NULL},
    {"subdomain", RAW(R("GET http://sub.ok.test:PORT/ HTTP/1.1", "")), "200",
        "Host: sub.ok.test:", NULL},
    {"granted address", RAW(R("GET http://127.0.0.2:PORT/ HTTP/1.1", "")), "200",
        "Host: 127.0.0.2:", NULL},
    {"granted address in hexadecimal", RAW(R("GET http://0x7f000002:PORT/ HTTP/1.1", "")),
        "200", "Host: 127.0.0.2:", "0x7f"},
    {"HEAD", RAW("HEAD http://ok.test:PORT/ HTTP/1.1\r\n\r\n"), "Content-Length: 5",
        "HEAD / ", NULL},
    {"OPTIONS without a path", RAW("OPTIONS http://ok.test:PORT HTTP/1.1\r\n\r\n"), "200",
        "OPTIONS * HTTP/1.1", NULL},
    {"body by length", RAW(R(POST, "Content-Length: 4\r\n") "abcd"), "200",
        "\r\n\r\nabcd", NULL},
    {"body in chunks",
        RAW(R(POST, "Transfer-Encoding: chunked\r\n") "4\r\nabcd\r\n0\r\n\r\n"), "200",
        "4\r\nabcd\r\n0\r\n\r\n", NULL},
    {"chunk extension is dropped",
        RAW(R(POST, "Transfer-Encoding: chunked\r\n") "4;a=\"b\"\r\nabcd\r\n0;z\r\n\r\n"),
        "200", "4\r\nabcd\r\n0\r\n\r\n", ";a="},
    {"trailer is kept",
        RAW(R(POST, "Transfer-Encoding: chunked\r\n") "1\r\na\r\n0\r\nX-Sum: 1\r\n\r\n"),
        "200", "X-Sum: 1", NULL},
    {"Expect is kept", RAW(R(POST, "Expect: 100-continue\r\nContent-Length: 1\r\n") "a"),
        "200", "Expect: 100-continue", NULL},
    {"length 0 is kept", RAW(R(POST, "Content-Length: 0\r\n")), "200",
        "Content-Length: 0", NULL},
    {"credentials for the origin are kept", RAW(R(GET, "Authorization: Basic eDp5\r\n")),
        "200", "Authorization: Basic eDp5", NULL},
    {"bytes above 127 in a field", RAW(R(GET, "X: \xc3\xa4\r\n")), "200", "X: \xc3\xa4",
        NULL},

    /* what belongs to one hop */
    {"Proxy-Authorization", RAW(R(GET, "Proxy-Authorization: Basic dTpw\r\n")), "200",
        "GET", "dTpw"},
    {"Proxy-Connection", RAW(R(GET, "Proxy-Connection: keep-alive\r\n")), "200", "GET",
        "Proxy-"},
    {"Proxy-anything", RAW(R(GET, "Proxy-Foo: leak\r\n")), "200", "GET", "leak"},
    {"named by Connection", RAW(R(GET, "Connection: X-Foo, close\r\nX-Foo: leak\r\n")),
        "200", "GET", "leak"},
    {"Connection names what comes before it",
        RAW(R(GET, "X-Foo: leak\r\nConnection: x-foo\r\n")), "200", "GET", "leak"},
    {"TE and Keep-Alive", RAW(R(GET, "TE: trailers\r\nKeep-Alive: 300\r\n")), "200",
        "GET", "trailers"},
    {"Upgrade to h2c is not passed",
        RAW(R(GET, "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: "
                   "h2c\r\nHTTP2-Settings: AAM\r\n")),
        "200", "GET", "h2c"},
    {"Host of the client is not passed",
        RAW("GET http://ok.test:PORT/ HTTP/1.1\r\nHost: bad.test\r\n\r\n"), "200",
        "Host: ok.test:", "bad.test"},
    {"no Host", RAW("GET http://ok.test:PORT/ HTTP/1.1\r\n\r\n"), "200",
        "Host: ok.test:", NULL},
    {"X-Forwarded-Host is the origin's matter",
        RAW(R(GET, "X-Forwarded-Host: bad.test\r\n")), "200", "Host: ok.test:", NULL},

    /* hosts that are not granted */
    {"another name", RAW(R("GET http://bad.test:PORT/ HTTP/1.1", "")),
        "403 srun: bad.test:", NULL, NULL},
    {"CONNECT to another name", RAW(R("CONNECT bad.test:PORT HTTP/1.1", "")),
        "403 srun: bad.test:", NULL, NULL},
    {"a name that ends alike", RAW(R("GET http://xok.test:PORT/ HTTP/1.1", "")), "403 ",
        NULL, NULL},
    {"a name that begins alike",
        RAW(R("GET http://ok.test.evil.test:PORT/ HTTP/1.1", "")), "403 ", NULL, NULL},
    {"an address of another host", RAW(R("GET http://127.0.0.3:PORT/ HTTP/1.1", "")),
        "403 ", NULL, NULL},
    {"that address in hexadecimal", RAW(R("GET http://0x7f000003:PORT/ HTTP/1.1", "")),
        "403 ", NULL, NULL},
    {"that address in octal", RAW(R("GET http://0177.0.0.3:PORT/ HTTP/1.1", "")), "403 ",
        NULL, NULL},
    {"that address as one number", RAW(R("GET http://2130706435:PORT/ HTTP/1.1", "")),
        "403 ", NULL, NULL},
    {"that address, mapped", RAW(R("GET http://[::ffff:127.0.0.3]:PORT/ HTTP/1.1", "")),
        "403 ", NULL, NULL},
    {"the loopback", RAW(R("GET http://127.1:PORT/ HTTP/1.1", "")), "403 ", NULL, NULL},
    {"the unspecified address", RAW(R("GET http://0.0.0.0:PORT/ HTTP/1.1", "")), "403 ",
        NULL, NULL},
    {"0", RAW(R("GET http://0:PORT/ HTTP/1.1", "")), "403 ", NULL, NULL},
    {"::", RAW(R("CONNECT [::]:PORT HTTP/1.1", "")), "403 ", NULL, NULL},
    {"::1", RAW(R("CONNECT [::1]:PORT HTTP/1.1", "")), "403 ", NULL, NULL},
    {"metadata", RAW(R("GET http://169.254.169.254/ HTTP/1.1", "")), "403 ", NULL, NULL},
    {"localhost", RAW(R("GET http://localhost:PORT/ HTTP/1.1", "")), "403 ", NULL, NULL},
    {"granted name, guarded address", RAW(R("GET http://rebind.test:PORT/ HTTP/1.1", "")),
        "403 ", NULL, NULL},
    {"the good address of two", RAW(R("GET http://mixed.test:PORT/ HTTP/1.1", "")), "200",
        "Host: mixed.test", NULL},
    {"no such name", RAW(R("GET http://missing.test:PORT/ HTTP/1.1", "")),
        "502 srun: 'missing.test'", NULL, NULL},
    {"nobody listens", RAW(R("GET http://down.test:9/ HTTP/1.1", "")),
        "502 srun: cannot connect to down.test:9", NULL, NULL},

    /* hosts that are none */
    {"zone", RAW(R("GET http://[fe80::1%25eth0]:PORT/ HTTP/1.1", "")), "HTTP/1.1 40",
        NULL, NULL},
    {"zone in CONNECT", RAW(R("CONNECT [::1%lo]:PORT HTTP/1.1", "")), "HTTP/1.1 40", NULL,
        NULL},
    {"user name", RAW(R("GET http://ok.test@bad.test:PORT/ HTTP/1.1", "")), "400 ", NULL,
        NULL},
    {"backslash", RAW(R("GET http://ok.test\\@bad.test:PORT/ HTTP/1.1", "")), "400 ",
        NULL, NULL},
    {"percent", RAW(R("GET http://ok%2etest:PORT/ HTTP/1.1", "")), "400 ", NULL, NULL},
    {"bytes above 127 in the host",
        RAW(R("GET http://\xc3\xb6k.test:PORT/ HTTP/1.1", "")), "400 ", NULL, NULL},
    {"brackets around a name", RAW(R("CONNECT [ok.test]:PORT HTTP/1.1", "")), "400 ",
        NULL, NULL},
    {"bracket that is not closed", RAW(R("CONNECT [ok.test HTTP/1.1", "")), "400 ", NULL,
        NULL},
    {"bracket that is not opened", RAW(R("CONNECT ok.test] HTTP/1.1", "")), "400 ", NULL,
        NULL},
    {"CONNECT without a port", RAW(R("CONNECT ok.test HTTP/1.1", "")), "400 ", NULL,
        NULL},
    {"CONNECT with an empty port", RAW(R("CONNECT ok.test: HTTP/1.1", "")), "400 ", NULL,
        NULL},
    {"CONNECT without a host", RAW(R("CONNECT :PORT HTTP/1.1", "")), "400 ", NULL, NULL},
    {"port 0", RAW(R("CONNECT ok.test:0 HTTP/1.1", "")), "400 ", NULL, NULL},
    {"port 65536", RAW(R("CONNECT ok.test:65536 HTTP/1.1", "")), "400 ", NULL, NULL},
    {"a second port", RAW(R("CONNECT ok.test:PORT PORT HTTP/1.1", "")), "400 ", NULL,
        NULL},
    {"port with a sign", RAW(R("CONNECT ok.test:+80 HTTP/1.1", "")), "400 ", NULL, NULL},
    {"empty label", RAW(R("GET http://ok..test:PORT/ HTTP/1.1", "")), "400 ", NULL, NULL},
    {"CONNECT with a URL", RAW(R("CONNECT http://ok.test:PORT HTTP/1.1", "")), "400 ",
        NULL, NULL},

    /* targets and methods */
    {"origin form", RAW(R("GET / HTTP/1.1", "")), "400 srun: this is a proxy", NULL,
        NULL},
    {"https in absolute form", RAW(R("GET https://ok.test/ HTTP/1.1", "")), "400 ", NULL,
        NULL},
    {"ftp", RAW(R("GET ftp://ok.test/ HTTP/1.1", "")), "400 ", NULL, NULL},
    {"asterisk", RAW(R("OPTIONS * HTTP/1.1", "")), "400 ", NULL, NULL},
    {"fragment", RAW(R("GET http://ok.test:PORT/#x HTTP/1.1", "")), "400 ", NULL, NULL},
    {"preface of HTTP/2", RAW("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), "HTTP/1.1 ", NULL,
        NULL},
    {"HTTP/2.0", RAW(R("GET http://ok.test:PORT/ HTTP/2.0", "")), "505 ", NULL, NULL},
    {"HTTP/1.2", RAW(R("GET http://ok.test:PORT/ HTTP/1.2", "")), "505 ", NULL, NULL},
    {"HTTP/0.9", RAW("GET http://ok.test:PORT/\r\n\r\n"), "400 ", NULL, NULL},
    {"http/1.1", RAW(R("GET http://ok.test:PORT/ http/1.1", "")), "400 ", NULL, NULL},
    {"two blanks", RAW(R("GET  http://ok.test:PORT/ HTTP/1.1", "")), "400 ", NULL, NULL},
    {"a tab", RAW(R("GET\thttp://ok.test:PORT/ HTTP/1.1", "")), "400 ", NULL, NULL},
    {"a blank in the path", RAW(R("GET http://ok.test:PORT/a b HTTP/1.1", "")), "400 ",
        NULL, NULL},
    {"odd method", RAW(R("G(T http://ok.test:PORT/ HTTP/1.1", "")), "400 ", NULL, NULL},
    {"TLS to the proxy", RAW("\x16\x03\x01\x00\x05hello\r\n\r\n"), "400 ", NULL, NULL},

    /* framing */
    {"length and chunks",
        RAW(R(POST,
            "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n") "0\r\n\r\nGET "
                                                                   "http://bad.test/"),
        "400 ", NULL, NULL},
    {"chunks and length",
        RAW(R(POST, "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n") "0\r\n\r\n"),
        "400 ", NULL, NULL},
    {"length twice, alike",
        RAW(R(POST, "Content-Length: 4\r\nContent-Length: 4\r\n") "abcd"), "400 ", NULL,
        NULL},
    {"length twice", RAW(R(POST, "Content-Length: 4\r\nContent-Length: 5\r\n") "abcd"),
        "400 ", NULL, NULL},
    {"length as a list", RAW(R(POST, "Content-Length: 4, 4\r\n") "abcd"), "400 ", NULL,
        NULL},
    {"length with a sign", RAW(R(POST, "Content-Length: +4\r\n") "abcd"), "400 ", NULL,
        NULL},
    {"length below 0", RAW(R(POST, "Content-Length: -1\r\n") "abcd"), "400 ", NULL, NULL},
    {"length in hexadecimal", RAW(R(POST, "Content-Length: 0x4\r\n") "abcd"), "400 ",
        NULL, NULL},
    {"empty length", RAW(R(POST, "Content-Length:\r\n") "abcd"), "400 ", NULL, NULL},
    {"length too large", RAW(R(POST, "Content-Length: 99999999999999999999\r\n") "abcd"),
        "400 ", NULL, NULL},
    {"length with a tab", RAW(R(POST, "Content-Length: 4\t\r\n") "abcd"), "400 ", NULL,
        NULL},
    {"chunked with a tab", RAW(R(POST, "Transfer-Encoding: chunked\t\r\n") "0\r\n\r\n"),
        "400 ", NULL, NULL},
    {"chunked with a tab in front",
        RAW(R(POST, "Transfer-Encoding:\tchunked\r\n") "0\r\n\r\n"), "400 ", NULL, NULL},
    {"chunked with a vertical tab",
        RAW(R(POST, "Transfer-Encoding: \vchunked\r\n") "0\r\n\r\n"), "400 ", NULL, NULL},
    {"xchunked", RAW(R(POST, "Transfer-Encoding: xchunked\r\n") "0\r\n\r\n"), "400 ",
        NULL, NULL},
    {"chunked, identity",
        RAW(R(POST, "Transfer-Encoding: chunked, identity\r\n") "0\r\n\r\n"), "400 ",
        NULL, NULL},
    {"gzip, chunked", RAW(R(POST, "Transfer-Encoding: gzip, chunked\r\n") "0\r\n\r\n"),
        "400 ", NULL, NULL},
    {"identity", RAW(R(POST, "Transfer-Encoding: identity\r\n")), "400 ", NULL, NULL},
    {"chunked twice",
        RAW(R(POST,
            "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n") "0\r\n\r\n"),
        "400 ", NULL, NULL},
    {"\"chunked\"", RAW(R(POST, "Transfer-Encoding: \"chunked\"\r\n") "0\r\n\r\n"),
        "400 ", NULL, NULL},
    {"chunks in HTTP/1.0",
        RAW("POST http://ok.test:PORT/ HTTP/1.0\r\nTransfer-Encoding: "
            "chunked\r\n\r\n0\r\n\r\n"),
        "400 ", NULL, NULL},
    {"blank before the colon", RAW(R(POST, "Content-Length : 4\r\n") "abcd"), "400 ",
        NULL, NULL},
    {"blank before the name",
        RAW("POST http://ok.test:PORT/ HTTP/1.1\r\n Host: ok.test\r\n\r\n"), "400 ", NULL,
        NULL},
    {"folded", RAW(R(GET, "X: a\r\n b\r\n")), "400 ", NULL, NULL},
    {"folded with a tab", RAW(R(GET, "Transfer-Encoding:\r\n\tchunked\r\n")), "400 ",
        NULL, NULL},
    {"bare LF after the request line",
        RAW("GET http://ok.test:PORT/ HTTP/1.1\nHost: ok.test\r\n\r\n"), "400 ", NULL,
        NULL},
    {"bare LF after a field", RAW(R(GET, "X: 1\nY: 2\r\n")), "400 ", NULL, NULL},
    {"bare LF at the end", RAW("GET http://ok.test:PORT/ HTTP/1.1\r\n\n"), "400 ", NULL,
        NULL},
    {"bare CR in a field", RAW(R(GET, "X: 1\rContent-Length: 9\r\n")), "400 ", NULL,
        NULL},
    {"CR CR LF", RAW(R(GET, "X: 1\r\r\n")), "400 ", NULL, NULL},
    {"NUL in a field", RAW(R(GET, "X: \0\r\n")), "400 ", NULL, NULL},
    {"NUL in the target", RAW(R("GET http://bad.test\0.ok.test:PORT/ HTTP/1.1", "")),
        "400 ", NULL, NULL},
    {"NUL in a name", RAW(R(GET, "X\0: 1\r\n")), "400 ", NULL, NULL},
    {"DEL in a field", RAW(R(GET, "X: \x7f\r\n")), "400 ", NULL, NULL},
    {"no colon", RAW(R(GET, "Nonsense\r\n")), "400 ", NULL, NULL},
    {"no name", RAW(R(GET, ": 1\r\n")), "400 ", NULL, NULL},
    {"Host twice", RAW(R(GET, "Host: bad.test\r\n")), "400 ", NULL, NULL},
    {"Proxy-Authorization twice",
        RAW(R(GET, "Proxy-Authorization: a\r\nProxy-Authorization: b\r\n")), "400 ", NULL,
        NULL},
    {"CONNECT with a body",
        RAW(R("CONNECT ok.test:PORT HTTP/1.1", "Content-Length: 5\r\n") "hello"), "400 ",
        NULL, NULL},
    {"CONNECT with chunks",
        RAW(R("CONNECT ok.test:PORT HTTP/1.1", "Transfer-Encoding: chunked\r\n")), "400 ",
        NULL, NULL},

    /* chunks: the head goes out, the rest does not, and the origin never sees a whole one */
    {"chunk size with 0x",
        RAW(R(POST, "Transfer-Encoding: chunked\r\n") "0x4\r\nabcd\r\n0\r\n\r\n"), "400 ",
        "POST", "abcd"},
    {"chunk size with a blank",
        RAW(R(POST, "Transfer-Encoding: chunked\r\n") "4 \r\nabcd\r\n0\r\n\r\n"), "400 ",
        "POST", "abcd"},
    {"chunk size with a sign",
        RAW(R(POST, "Transfer-Encoding: chunked\r\n") "+4\r\nabcd\r\n0\r\n\r\n"), "400 ",
        "POST", "abcd"},
    {"chunk size too long",
        RAW(R(POST,
            "Transfer-Encoding: chunked\r\n") "00000000000000004\r\nabcd\r\n0\r\n\r\n"),
        "400 ", "POST", "abcd"},
    {"no chunk size",
        RAW(R(POST, "Transfer-Encoding: chunked\r\n") ";x\r\nabcd\r\n0\r\n\r\n"), "400 ",
        "POST", "abcd"},
    {"bare LF behind a chunk size",
        RAW(R(POST, "Transfer-Encoding: chunked\r\n") "4\nabcd\r\n0\r\n\r\n"), "400 ",
        "POST", "abcd"},
    {"bare LF in an extension",
        RAW(R(
            POST, "Transfer-Encoding: chunked\r\n") "4;a\nGET http://bad.test/ "
                                                    "HTTP/1.1\r\n\r\nabcd\r\n0\r\n\r\n"),
        "400 ", "POST", "bad.test"},
    {"data longer than the chunk",
        RAW(R(POST, "Transfer-Encoding: chunked\r\n") "4\r\nabcdXX\r\n0\r\n\r\n"), "400 ",
        "POST", "XX"},
    {"trailer that frames",
        RAW(R(POST, "Transfer-Encoding: chunked\r\n") "0\r\nContent-Length: 5\r\n\r\n"),
        "400 ", "POST", "Content-Length:"},
    {"trailer that routes",
        RAW(R(POST, "Transfer-Encoding: chunked\r\n") "0\r\nHost: bad.test\r\n\r\n"),
        "400 ", "POST", "bad.test"},
    {"trailer for the proxy",
        RAW(R(POST, "Transfer-Encoding: chunked\r\n") "0\r\nProxy-X: 1\r\n\r\n"), "400 ",
        "POST", "Proxy-X:"},

    /* one after the other: each is judged */
    {"pipelined to another host",
        RAW(R(GET, "") R("GET http://bad.test:PORT/ HTTP/1.1", "")), "403 srun: bad.test",
        "GET / ", "bad.test"},
    {"pipelined behind a body",
        RAW(R(POST, "Content-Length: 4\r\n") "abcd" R(
            "GET http://bad.test:PORT/ HTTP/1.1", "")),
        "403 srun: bad.test", "abcd", "bad.test"},
    {"pipelined behind chunks",
        RAW(R(POST, "Transfer-Encoding: chunked\r\n") "1\r\na\r\n0\r\n\r\n" R(
            "GET http://bad.test:PORT/x HTTP/1.1", "")),
        "403 srun: bad.test", "POST", "/x"},
    {"after a refusal the next is served",
        RAW(R("GET http://bad.test:PORT/ HTTP/1.1", "")
                R("GET http://ok.test:PORT/second HTTP/1.1", "Connection: close\r\n")),
        "200 OK", "GET /second", NULL},
    {"a refused request's body is no request",
        RAW(R("POST http://bad.test:PORT/ HTTP/1.1", "Content-Length: 400\r\n")
                R("GET http://ok.test:PORT/hidden HTTP/1.1", "")),
        "403 ", NULL, NULL},
    {"CONNECT, then a request in the tunnel is the origin's",
        RAW(R("CONNECT ok.test:PORT HTTP/1.1", "") "GET /in-tunnel HTTP/1.1\r\n\r\n"),
        "hello", "GET /in-tunnel", NULL},

    /* answers */
    {"no answer", RAW(R("GET http://ok.test:PORT/nothing HTTP/1.1", "")), "502 ", "GET",
        NULL},
    {"answer of HTTP/0.9", RAW(R("GET http://ok.test:PORT/http09 HTTP/1.1", "")), "502 ",
        "GET", NULL},
    {"answer with bare LF", RAW(R("GET http://ok.test:PORT/bare-lf HTTP/1.1", "")),
        "502 ", "GET", NULL},
    {"answer with two lengths",
        RAW(R("GET http://ok.test:PORT/two-lengths HTTP/1.1", "")), "502 ", "GET", NULL},
    {"answer with length and chunks",
        RAW(R("GET http://ok.test:PORT/length-and-chunked HTTP/1.1", "")), "502 ", "GET",
        NULL},
    {"folded answer", RAW(R("GET http://ok.test:PORT/folded HTTP/1.1", "")), "502 ",
        "GET", NULL},
    {"blank before the colon in an answer",
        RAW(R("GET http://ok.test:PORT/blank-colon HTTP/1.1", "")), "502 ", "GET", NULL},
    {"NUL in an answer", RAW(R("GET http://ok.test:PORT/nul HTTP/1.1", "")), "502 ",
        "GET", NULL},
    {"odd coding in an answer", RAW(R("GET http://ok.test:PORT/odd-coding HTTP/1.1", "")),
        "502 ", "GET", NULL},
    {"101 that was not asked for",
        RAW(R("GET http://ok.test:PORT/unasked-101 HTTP/1.1", "")), "502 ", "GET", NULL},
    {"answer without a reason", RAW(R("GET http://ok.test:PORT/no-reason HTTP/1.1", "")),
        "\r\n\r\nok", "GET", NULL},
    {"answer to the end", RAW(R("GET http://ok.test:PORT/to-close HTTP/1.1", "")),
        "Connection: close\r\n\r\nto the end", "GET", NULL},
    {"answer of HTTP/1.0", RAW(R("GET http://ok.test:PORT/http10 HTTP/1.1", "")),
        "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nof the old kind", "GET", NULL},
    {"answer in chunks", RAW(R("GET http://ok.test:PORT/chunked HTTP/1.1", "")),
        "\r\n\r\n5\r\nhello\r\n6\r\n world\r\n0\r\nX-T: 1\r\n\r\n", "GET", NULL},
    {"answer in chunks for HTTP/1.0",
        RAW("GET http://ok.test:PORT/chunked HTTP/1.0\r\n\r\n"),
        "Connection: close\r\n\r\nhello world", "GET", NULL},
    {"badly chunked answer", RAW(R("GET http://ok.test:PORT/bad-chunk HTTP/1.1", "")),
        "Transfer-Encoding: chunked", "GET", NULL},
    {"answer that is cut", RAW(R("GET http://ok.test:PORT/cut HTTP/1.1", "")),
        "\r\n\r\nhalf", "GET", NULL},
    {"100 and 103 before the answer",
        RAW(R("GET http://ok.test:PORT/hundred HTTP/1.1", "")),
        "HTTP/1.1 103 Early\r\nLink: x\r\n\r\nHTTP/1.1 200 OK", "GET", NULL},
    {"100 is not for HTTP/1.0", RAW("GET http://ok.test:PORT/hundred HTTP/1.0\r\n\r\n"),
        "HTTP/1.0 200 OK", "GET", NULL},
    {"204",
        RAW(R("GET http://ok.test:PORT/204 HTTP/1.1", "")
                R("GET http://ok.test:PORT/after HTTP/1.1", "Connection: close\r\n")),
        "hello", "GET /after", NULL},
    {"304 with a length",
        RAW(R("GET http://ok.test:PORT/304 HTTP/1.1", "")
                R("GET http://ok.test:PORT/after HTTP/1.1", "Connection: close\r\n")),
        "hello", "GET /after", NULL},
    {"hop fields of an answer",
        RAW(R("GET http://ok.test:PORT/hop HTTP/1.1", "Connection: close\r\n")),
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok", "GET",
        NULL},
    {"407 of an origin is the origin's",
        RAW(R("GET http://ok.test:PORT/407 HTTP/1.1", "")), "407 No", "GET", NULL},
};

/* The bytes with PORT made a number. */
static size_t
with_port(const struct raw *r, uint16_t port, char *out)
{
	char text[8];
	size_t n = 0, digits = (size_t)snprintf(text, sizeof(text), "%u", port);

	for (size_t i = 0; i < r->len;) {
		if (r->len - i >= 4 && memcmp(r->s + i, "PORT", 4) == 0) {
			memcpy(out + n, text, digits);
			n += digits;
			i += 4;
		} else {
			out[n++] = r->s[i++];
		}
	}
	return n;
}

/* As strstr(), over text that may have a NUL in it. */
static bool
has(const char *text, size_t len, const char *word)
{
	return word[0] == '\0' || memmem(text, len, word, strlen(word)) != NULL;
}

static void
run_case(const struct world *w, const struct bench_proxy *p, const struct raw_case *rc,
    bool slowly)
{
	static char got[1 << 20];
	char bytes[4096];
	size_t n = with_port(&rc->send, w->port, bytes), len;
	int fd = dial("127.0.0.1", p->port);
	bool closed, good;

	clear_log(w->ok);
	clear_log(w->bad);
	for (size_t i = 0; slowly && i < n; i++) {
		send_bytes(fd, bytes + i, 1);
		if (i % 16 == 0)
			usleep(100);
	}
	if (!slowly)
		send_bytes(fd, bytes, n);
	shutdown(fd, SHUT_WR);
	len = read_for(fd, got, sizeof(got), 0, ANSWER_MS, &closed);
	close(fd);
	/* The origin may be slower to log than the proxy to refuse. */
	for (int i = 0;
	     i < 100 && rc->reaches != NULL && !has(w->ok->text, w->ok->len, rc->reaches);
	     i++)
		usleep(5000);
	good =
	    closed && has(got, len, rc->want) && w->bad->len == 0 && w->bad->conns == 0;
	good = good && (rc->reaches != NULL ? has(w->ok->text, w->ok->len, rc->reaches)
	                                    : w->ok->len == 0 && w->ok->conns == 0);
	good = good && (rc->never == NULL || !has(w->ok->text, w->ok->len, rc->never));
	if (!ok(good, "%s%s", rc->name, slowly ? " (byte by byte)" : ""))
		printf("# closed %d, got  %.300s\n# origin saw %.300s\n# bad origin saw "
		       "%zu\n",
		    closed, got, w->ok->text, w->bad->len);
}

static void
test_raw(const struct world *w, const struct bench_proxy *p)
{
	for (size_t i = 0; i < SRUN_ARRAY_LEN(raw_cases); i++)
		run_case(w, p, &raw_cases[i], false);
	for (size_t i = 0; i < SRUN_ARRAY_LEN(raw_cases); i++)
		run_case(w, p, &raw_cases[i], true);
}

/* ---- more than one exchange ---- */

static int
ask(const struct bench_proxy *p, const char *fmt, uint16_t port)
{
	struct raw r = {fmt, strlen(fmt)};
	char bytes[4096];
	size_t n = with_port(&r, port, bytes);
	int fd = dial("127.0.0.1", p->port);

	send_bytes(fd, bytes, n);
	return fd;
}

static void
test_keep_alive(const struct world *w, const struct bench_proxy *p)
{
	char got[4096];
	bool closed;
	unsigned before;
	int fd;

	clear_log(w->ok);
	fd = ask(p, R(GET, ""), w->port);
	for (int i = 0; i < 20; i++) {
		read_for(fd, got, sizeof(got), 43, ANSWER_MS, &closed);
		if (closed || strstr(got, "hello") == NULL)
			break;
		struct raw r = RAW(R(GET, ""));
		char bytes[512];
		send_bytes(fd, bytes, with_port(&r, w->port, bytes));
	}
	read_for(fd, got, sizeof(got), 43, ANSWER_MS, &closed);
	ok(!closed && strstr(got, "hello") != NULL, "21 requests on one connection");
	is_int(w->ok->conns, 1, "and one connection to the origin");
	before = w->ok->conns;
	struct raw other = RAW("GET http://sub.ok.test:PORT/ HTTP/1.1\r\n\r\n");
	char bytes[512];
	send_bytes(fd, bytes, with_port(&other, w->port, bytes));
	read_for(fd, got, sizeof(got), 43, ANSWER_MS, &closed);
	is_int(w->ok->conns, before + 1, "another name has a connection of its own");
	close(fd);
}

static void
test_extra_answer(const struct world *w, const struct bench_proxy *p)
{
	char got[4096];
	bool closed;
	int fd = ask(p, R("GET http://ok.test:PORT/extra HTTP/1.1", ""), w->port);

	read_for(fd, got, sizeof(got), 0, 300, &closed);
	ok(strstr(got, "ok") != NULL && strstr(got, "Smuggled") == NULL,
	    "bytes behind an answer are no answer");
	struct raw r = RAW(R(GET, "Connection: close\r\n"));
	char bytes[512];
	send_bytes(fd, bytes, with_port(&r, w->port, bytes));
	read_for(fd, got, sizeof(got), 0, ANSWER_MS, &closed);
	ok(strstr(got, "hello") != NULL && strstr(got, "Smuggled") == NULL,
	    "nor to the next request");
	close(fd);
}

static void
test_websocket(const struct world *w, const struct bench_proxy *p)
{
	char got[4096];
	bool closed;
	int fd = ask(p,
	    R("GET http://ok.test:PORT/upgrade HTTP/1.1",
	        "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: a\r\n"),
	    w->port);

	read_for(fd, got, sizeof(got), 87, ANSWER_MS, &closed);
	ok(strncmp(got, "HTTP/1.1 101", 12) == 0 && strstr(got, "frame0") != NULL,
	    "an upgrade to websocket, and the frame that comes with it");
	send_bytes(fd,
	    "\x81\x03"
	    "abc",
	    5);
	read_for(fd, got, sizeof(got), 5, ANSWER_MS, &closed);
	ok(memcmp(got,
	       "\x81\x03"
	       "abc",
	       5) == 0,
	    "frames go both ways");
	close(fd);
}

static void
test_big(const struct world *w, const struct bench_proxy *p)
{
	static char got[6 << 20];
	bool closed, all = true;

	for (int i = 0; i < 20 && all; i++) {
		int fd = ask(p,
		    R("GET http://ok.test:PORT/big HTTP/1.1", "Connection: close\r\n"),
		    w->port);
		/* A reader that is slow to begin: what waits is not dropped. */
		usleep(20000);
		size_t n = read_for(fd, got, sizeof(got), 0, ANSWER_MS, &closed);
		char *body = strstr(got, "\r\n\r\n");
		all = closed && body != NULL && n - (size_t)(body + 4 - got) == 5 << 20;
		close(fd);
	}
	ok(all, "20 answers of 5 MiB that end with the connection are whole");
}

static void
test_upload(const struct world *w, const struct bench_proxy *p)
{
	static char block[1 << 20];
	char got[4096], head[256];
	bool closed;
	int fd = dial("127.0.0.1", p->port);

	memset(block, 'y', sizeof(block));
	snprintf(head, sizeof(head),
	    "POST http://ok.test:%u/ HTTP/1.1\r\nContent-Length: %u\r\n\r\n", w->port,
	    8U << 20);
	send_text(fd, head);
	for (int i = 0; i < 8; i++)
		send_bytes(fd, block, sizeof(block));
	read_for(fd, got, sizeof(got), 43, ANSWER_MS, &closed);
	ok(strstr(got, "200 OK") != NULL, "a body of 8 MiB streams");
	close(fd);
}

/* ---- heads that are large, slow or many ---- */

static void
test_limits(const struct bench_proxy *p)
{
	static char got[4096], line[1001];
	bool closed;
	int fd = dial("127.0.0.1", p->port);

	memset(line, 'a', sizeof(line) - 1);
	send_text(fd, "GET http://ok.test/ HTTP/1.1\r\n");
	for (int i = 0; i < 70; i++) {
		send_text(fd, "X: ");
		send_text(fd, line);
		send_text(fd, "\r\n");
	}
	read_for(fd, got, sizeof(got), 0, ANSWER_MS, &closed);
	ok(closed && strstr(got, "431 ") != NULL, "a head of more than 64 KiB");
	close(fd);

	fd = dial("127.0.0.1", p->port);
	send_text(fd, "GET http://ok.test/ HTTP/1.1\r\n");
	for (int i = 0; i < 300; i++)
		send_text(fd, "X: 1\r\n");
	send_text(fd, "\r\n");
	read_for(fd, got, sizeof(got), 0, ANSWER_MS, &closed);
	ok(closed && strstr(got, "431 ") != NULL, "a head of more than 256 fields");
	close(fd);
}

/* ---- tunnels ---- */

static size_t
hello(unsigned char *out, const char *sni, size_t split)
{
	unsigned char body[512];
	size_t n = 0, len = sni != NULL ? strlen(sni) : 0;

	memset(body, 0, sizeof(body));
	n = 4;
	body[n] = 3, body[n + 1] = 3;
	n += 34;
	body[n++] = 0;
	body[n++] = 0, body[n++] = 2, body[n++] = 0x13, body[n++] = 1;
	body[n++] = 1, body[n++] = 0;
	size_t ext = n;
	n += 2;
	body[n++] = 0, body[n++] = 43, body[n++] = 0, body[n++] = 3;
	body[n++] = 2, body[n++] = 3, body[n++] = 4;
	if (sni != NULL) {
		body[n++] = 0, body[n++] = 0;
		body[n++] = 0, body[n++] = (unsigned char)(len + 5);
		body[n++] = 0, body[n++] = (unsigned char)(len + 3);
		body[n++] = 0, body[n++] = 0, body[n++] = (unsigned char)len;
		memcpy(body + n, sni, len);
		n += len;
	}
	body[ext] = (unsigned char)((n - ext - 2) >> 8);
	body[ext + 1] = (unsigned char)(n - ext - 2);
	body[0] = 1;
	body[2] = (unsigned char)((n - 4) >> 8);
	body[3] = (unsigned char)(n - 4);
	size_t o = 0;
	for (size_t i = 0; i < n;) {
		size_t part = split > 0 && n - i > split ? split : n - i;
		out[o++] = 0x16, out[o++] = 3, out[o++] = 1;
		out[o++] = (unsigned char)(part >> 8), out[o++] = (unsigned char)part;
		memcpy(out + o, body + i, part);
		o += part;
		i += part;
	}
	return o;
}

static const struct {
	const char *name, *connect, *sni;
	size_t split;
	bool passes;
} sni_cases[] = {
    {"the same name", "CONNECT ok.test:PORT HTTP/1.1", "ok.test", 0, true},
    {"the same name in capitals", "CONNECT OK.test:PORT HTTP/1.1", "Ok.Test", 0, true},
    {"the same name, one byte a record", "CONNECT ok.test:PORT HTTP/1.1", "ok.test", 1,
        true},
    {"the same name over three records", "CONNECT ok.test:PORT HTTP/1.1", "ok.test", 40,
        true},
    {"another granted name", "CONNECT ok.test:PORT HTTP/1.1", "sub.ok.test", 0, false},
    {"another name", "CONNECT ok.test:PORT HTTP/1.1", "bad.test", 0, false},
    {"another name over records", "CONNECT ok.test:PORT HTTP/1.1", "bad.test", 7, false},
    {"a longer name", "CONNECT ok.test:PORT HTTP/1.1", "ok.test.bad.test", 0, false},
    {"no name", "CONNECT ok.test:PORT HTTP/1.1", NULL, 0, false},
    {"no name to a granted address", "CONNECT 127.0.0.2:PORT HTTP/1.1", NULL, 0, true},
    {"a name to a granted address", "CONNECT 127.0.0.2:PORT HTTP/1.1", "bad.test", 0,
        true},
};

static void
test_sni(const struct world *w, const struct bench_proxy *p)
{
	for (size_t i = 0; i < SRUN_ARRAY_LEN(sni_cases); i++) {
		unsigned char tls[8192];
		char got[8192], head[128];
		bool closed;
		size_t n = hello(tls, sni_cases[i].sni, sni_cases[i].split), len;

		clear_log(w->ok);
		snprintf(head, sizeof(head), "%s\r\n\r\n", sni_cases[i].connect);
		int fd = ask(p, head, w->port);
		read_for(fd, got, sizeof(got), 39, ANSWER_MS, &closed);
		bool tunnel =
		    strcmp(got, "HTTP/1.1 200 Connection established\r\n\r\n") == 0;
		send_bytes(fd, tls, n);
		len = read_for(fd, got, sizeof(got), sni_cases[i].passes ? n : 0,
		    ANSWER_MS, &closed);
		if (sni_cases[i].passes)
			ok(tunnel && len == n && memcmp(got, tls, n) == 0,
			    "TLS with %s passes", sni_cases[i].name);
		else
			ok(tunnel && closed && len == 7 && got[0] == 0x15 &&
			        got[6] == 49 && w->ok->len == 0,
			    "TLS with %s is refused by an alert, the origin sees nothing",
			    sni_cases[i].name);
		close(fd);
	}
}

static void
test_tunnel(const struct world *w, const struct bench_proxy *p)
{
	char got[4096];
	bool closed;
	int fd = ask(p, "CONNECT ok.test:PORT HTTP/1.1\r\n\r\nraw early", w->port);

	read_for(fd, got, sizeof(got), 48, ANSWER_MS, &closed);
	ok(strstr(got, "\r\n\r\nraw early") != NULL, "early data behind CONNECT");
	send_text(fd, "more");
	read_for(fd, got, sizeof(got), 4, ANSWER_MS, &closed);
	is_str(got, "more", "a tunnel echoes");
	shutdown(fd, SHUT_WR);
	read_for(fd, got, sizeof(got), 0, ANSWER_MS, &closed);
	ok(closed && strcmp(got, "tail") == 0, "half closed, the tail still comes");
	close(fd);
}

static void
test_tunnel_bulk(const struct world *w, const struct bench_proxy *p)
{
	static char block[1 << 20], got[1 << 20];
	bool closed, same = true;
	int fd = ask(p, "CONNECT ok.test:PORT HTTP/1.1\r\n\r\n", w->port);
	pid_t writer;

	read_for(fd, got, 40, 39, ANSWER_MS, &closed);
	for (size_t i = 0; i < sizeof(block); i++)
		block[i] = (char)(i * 7 + i / 251);
	memcpy(block, "raw", 3);
	writer = child();
	if (writer == 0) {
		for (int i = 0; i < 50; i++)
			send_bytes(fd, block, sizeof(block));
		shutdown(fd, SHUT_WR);
		_exit(0);
	}
	for (size_t at = 0; at < 50 * sizeof(block) && same;) {
		size_t left = 50 * sizeof(block) - at;
		ssize_t n = recv(fd, got, left < sizeof(got) ? left : sizeof(got), 0);
		if (n <= 0)
			same = false;
		for (ssize_t i = 0; i < n && same; i++)
			same = got[i] == block[(at + (size_t)i) % sizeof(block)];
		at += n > 0 ? (size_t)n : 0;
	}
	read_for(fd, got, 100, 0, ANSWER_MS, &closed);
	ok(same && strcmp(got, "tail") == 0,
	    "50 MiB through a tunnel and back are the same");
	end_child(writer);
	close(fd);
}

/* ---- SOCKS ---- */

static const struct {
	const char *name;
	struct raw send;
	struct raw want;
	bool reaches;
} socks_cases[] = {
    {"5 by name",
        RAW("\5\1\0"
            "\5\1\0\3\7ok.test@@"
            "raw1"),
        RAW("\5\0"
            "\5\0\0\1\0\0\0\0\0\0"
            "raw1"),
        true},
    {"5 by address",
        RAW("\5\1\0"
            "\5\1\0\1\177\0\0\2@@"
            "raw2"),
        RAW("\5\0"
            "\5\0\0\1\0\0\0\0\0\0"
            "raw2"),
        true},
    {"5 by a mapped address",
        RAW("\5\1\0"
            "\5\1\0\4\0\0\0\0\0\0\0\0\0\0\377\377\177\0\0\2@@"
            "raw3"),
        RAW("\5\0"
            "\5\0\0\1\0\0\0\0\0\0"
            "raw3"),
        true},
    {"5 with user and password",
        RAW("\5\1\2"
            "\1\1u\1p"
            "\5\1\0\3\7ok.test@@"
            "raw4"),
        RAW("\5\2\1\0"
            "\5\0\0\1\0\0\0\0\0\0"
            "raw4"),
        true},
    {"5 with credentials nobody asked for",
        RAW("\5\2\0\2"
            "\1\1u\1p"
            "\5\1\0\3\7ok.test@@"
            "raw5"),
        RAW("\5\0\1\0"
            "\5\0\0\1\0\0\0\0\0\0"
            "raw5"),
        true},
    {"4a",
        RAW("\4\1@@\0\0\0\1user\0ok.test\0"
            "raw6"),
        RAW("\0\x5a\0\0\0\0\0\0"
            "raw6"),
        true},
    {"4",
        RAW("\4\1@@\177\0\0\2\0"
            "raw7"),
        RAW("\0\x5a\0\0\0\0\0\0"
            "raw7"),
        true},
    {"5, another name",
        RAW("\5\1\0"
            "\5\1\0\3\10bad.test@@"),
        RAW("\5\0"
            "\5\2\0\1\0\0\0\0\0\0"),
        false},
    {"5, another address",
        RAW("\5\1\0"
            "\5\1\0\1\177\0\0\3@@"),
        RAW("\5\0"
            "\5\2\0\1\0\0\0\0\0\0"),
        false},
    {"5, NUL in a name",
        RAW("\5\1\0"
            "\5\1\0\3\20bad.test\0.ok.test@@"),
        RAW("\5\0"
            "\5\2\0\1\0\0\0\0\0\0"),
        false},
    {"5, line feed in a name",
        RAW("\5\1\0"
            "\5\1\0\3\10ok.test\n@@"),
        RAW("\5\0"
            "\5\2\0\1\0\0\0\0\0\0"),
        false},
    {"5, byte above 127",
        RAW("\5\1\0"
            "\5\1\0\3\10ok.test\200@@"),
        RAW("\5\0"
            "\5\2\0\1\0\0\0\0\0\0"),
        false},
    {"5, empty name",
        RAW("\5\1\0"
            "\5\1\0\3\0@@"),
        RAW("\5\0"
            "\5\2\0\1\0\0\0\0\0\0"),
        false},
    {"5, an address as a name",
        RAW("\5\1\0"
            "\5\1\0\3\11"
            "127.0.0.3@@"),
        RAW("\5\0"
            "\5\2\0\1\0\0\0\0\0\0"),
        false},
    {"5, ::1 as a name",
        RAW("\5\1\0"
            "\5\1\0\3\3::1@@"),
        RAW("\5\0"
            "\5\2\0\1\0\0\0\0\0\0"),
        false},
    {"5, guarded address",
        RAW("\5\1\0"
            "\5\1\0\3\13rebind.test@@"),
        RAW("\5\0"
            "\5\2\0\1\0\0\0\0\0\0"),
        false},
    {"5, no such name",
        RAW("\5\1\0"
            "\5\1\0\3\14missing.test@@"),
        RAW("\5\0"
            "\5\4\0\1\0\0\0\0\0\0"),
        false},
    {"5, BIND",
        RAW("\5\1\0"
            "\5\2\0\3\7ok.test@@"),
        RAW("\5\0"
            "\5\7\0\1\0\0\0\0\0\0"),
        false},
    {"5, UDP",
        RAW("\5\1\0"
            "\5\3\0\3\7ok.test@@"),
        RAW("\5\0"
            "\5\7\0\1\0\0\0\0\0\0"),
        false},
    {"5, odd address type",
        RAW("\5\1\0"
            "\5\1\0\2\7ok.test@@"),
        RAW("\5\0"
            "\5\10\0\1\0\0\0\0\0\0"),
        false},
    {"5, port 0",
        RAW("\5\1\0"
            "\5\1\0\3\7ok.test\0\0"),
        RAW("\5\0"
            "\5\2\0\1\0\0\0\0\0\0"),
        false},
    {"5, no method we know", RAW("\5\1\1"), RAW("\5\377"), false},
    {"5, no method at all", RAW("\5\0"), RAW("\5\377"), false},
    {"4a, another name", RAW("\4\1@@\0\0\0\1\0bad.test\0"), RAW("\0\x5b\0\0\0\0\0\0"),
        false},
    {"4, another address", RAW("\4\1@@\177\0\0\3\0"), RAW("\0\x5b\0\0\0\0\0\0"), false},
    {"4, BIND", RAW("\4\2@@\177\0\0\2\0"), RAW("\0\x5b\0\0\0\0\0\0"), false},
};

static void
socks_case(const struct world *w, const struct bench_proxy *p, size_t i, bool slowly)
{
	char bytes[256], got[256];
	const struct raw *send = &socks_cases[i].send, *want = &socks_cases[i].want;
	bool closed, reached;
	int fd = dial("127.0.0.1", p->port);

	clear_log(w->ok);
	clear_log(w->bad);
	memcpy(bytes, send->s, send->len);
	for (size_t k = 0; k + 1 < send->len; k++)
		if (memcmp(bytes + k, "@@", 2) == 0) {
			bytes[k] = (char)(w->port >> 8);
			bytes[k + 1] = (char)w->port;
		}
	for (size_t k = 0; slowly && k < send->len; k++) {
		send_bytes(fd, bytes + k, 1);
		usleep(50);
	}
	if (!slowly)
		send_bytes(fd, bytes, send->len);
	size_t len = read_for(fd, got, sizeof(got),
	    socks_cases[i].reaches ? want->len : 0, ANSWER_MS, &closed);
	close(fd);
	reached = w->ok->conns > 0;
	if (!ok(len == want->len && memcmp(got, want->s, len) == 0 &&
	            reached == socks_cases[i].reaches && w->bad->conns == 0,
	        "SOCKS %s%s", socks_cases[i].name, slowly ? " (byte by byte)" : "")) {
		printf("# got");
		for (size_t k = 0; k < len; k++)
			printf(" %02x", (unsigned char)got[k]);
		printf(", origin %u\n", w->ok->conns);
	}
}

static void
test_socks(const struct world *w, const struct bench_proxy *p)
{
	for (size_t i = 0; i < SRUN_ARRAY_LEN(socks_cases); i++) {
		socks_case(w, p, i, false);
		socks_case(w, p, i, true);
	}
}

/* ---- what else the proxy promises ---- */

static void
test_reports(const struct bench_proxy *p)
{
	struct proxy_report r;
	unsigned n = 0, bad = 0, sni = 0, addr = 0;
	bool done = false, sane = true;
	const char flush = PROXY_ORDER_FLUSH;

	send(p->control, &flush, 1, MSG_NOSIGNAL);
	while (!done && next_report(p, &r, ANSWER_MS)) {
		done = r.kind == PROXY_DONE;
		if (done)
			break;
		n++;
		sane = sane && r.kind == PROXY_DENIED && r.index <= PROXY_DENIALS_MAX &&
		       r.count > 0 && memchr(r.host, '\0', sizeof(r.host)) != NULL;
		bad += strcmp(r.host, "bad.test") == 0 && r.denial == DENIAL_NOT_GRANTED;
		sni += strcmp(r.host, "ok.test") == 0 && r.denial == DENIAL_SNI &&
		       strcmp(r.text, "bad.test") == 0;
		addr += strcmp(r.host, "rebind.test") == 0 && r.denial == DENIAL_ADDRESS;
	}
	ok(done && sane && n > 5, "%u reports, and then word that it was all", n);
	ok(bad > 0 && sni > 0 && addr > 0, "a name, a server name, an address are in it");
}

static void
test_names_asked(const struct world *w)
{
	ok(strstr(w->asked->text, "ok.test\n") != NULL, "granted names were looked up");
	ok(strstr(w->asked->text, "bad.test") == NULL &&
	        strstr(w->asked->text, "evil") == NULL,
	    "no other name was ever asked for");
}

static void
test_cancel(const struct world *w, const struct bench_proxy *p)
{
	char got[256];
	bool closed;
	int fds[100], fd;

	for (int i = 0; i < 100; i++)
		fds[i] = ask(p, R("GET http://silent.test:PORT/ HTTP/1.1", ""), w->port);
	int64_t start = sys_now_ms();
	fd = ask(p, R(GET, ""), w->port);
	read_for(fd, got, sizeof(got), 43, ANSWER_MS, &closed);
	ok(strstr(got, "200 OK") != NULL && sys_now_ms() - start < 500,
	    "100 names that are not answered keep nobody waiting (%d ms)",
	    (int)(sys_now_ms() - start));
	close(fd);
	for (int i = 0; i < 100; i++) {
		struct linger now = {1, 0};
		setsockopt(fds[i], SOL_SOCKET, SO_LINGER, &now, sizeof(now));
		close(fds[i]);
	}
}

/* ---- other proxies ---- */

static void
test_token(const struct world *w)
{
	struct bench_proxy p;
	struct proxy_setup s = {
	    .grant = grant, .names = names, .asked = w->asked, .token = "s3cret"};
	static const struct raw_case cases[] = {
	    {"without the token", RAW(R(GET, "Connection: close\r\n")),
	        "407 srun: ", NULL, NULL},
	    {"with a wrong token",
	        RAW(R(GET, "Proxy-Authorization: Basic c3J1bjp3cm9uZw==\r\nConnection: "
	                   "close\r\n")),
	        "407 ", NULL, NULL},
	    {"with no Basic",
	        RAW(R(
	            GET, "Proxy-Authorization: Bearer s3cret\r\nConnection: close\r\n")),
	        "407 ", NULL, NULL},
	    {"with the token",
	        RAW(R(GET, "Proxy-Authorization: Basic c3J1bjpzM2NyZXQ=\r\nConnection: "
	                   "close\r\n")),
	        "200 OK", "GET / ", "c3J1"},
	    {"the challenge keeps the connection",
	        RAW(R("CONNECT ok.test:PORT HTTP/1.1", "")
	                R(GET, "Proxy-Authorization: basic "
	                       "c3J1bjpzM2NyZXQ=\r\nConnection: close\r\n")),
	        "200 OK", "GET / ", NULL},
	};
	static const struct {
		const char *name;
		struct raw send, want;
	} socks[] = {
	    {"SOCKS without credentials", RAW("\5\1\0"), RAW("\5\377")},
	    {"SOCKS with wrong ones",
	        RAW("\5\2\0\2"
	            "\1\1u\1x"),
	        RAW("\5\2\1\1")},
	    {"SOCKS that skips them",
	        RAW("\5\2\0\2"
	            "\5\1\0\3\7ok.test\0\1"),
	        RAW("\5\2\1\1")},
	    {"SOCKS 4a without the token", RAW("\4\1\0\1\0\0\0\1u\0ok.test\0"),
	        RAW("\0\x5b\0\0\0\0\0\0")},
	};

	ok(start_proxy(&p, &s), "a proxy with a token starts");
	for (size_t i = 0; i < SRUN_ARRAY_LEN(cases); i++)
		run_case(w, &p, &cases[i], false);
	for (size_t i = 0; i < SRUN_ARRAY_LEN(socks); i++) {
		char got[64];
		bool closed;
		int fd = dial("127.0.0.1", p.port);
		send_bytes(fd, socks[i].send.s, socks[i].send.len);
		size_t len = read_for(fd, got, sizeof(got), 0, ANSWER_MS, &closed);
		ok(closed && len == socks[i].want.len &&
		        memcmp(got, socks[i].want.s, len) == 0,
		    "%s", socks[i].name);
		close(fd);
	}
	stop_proxy(&p);
}

/*
 * A parent that logs what it gets and answers by the port that is asked for: 200 and an
 * echo, or one of the odd answers.
 */
static const struct raw parent_answers[] = {
    RAW("HTTP/1.1 200 OK\r\n\r\nhi"),
    RAW("HTTP/1.0 200 Connection established\r\nContent-Length: 9\r\n\r\n"),
    RAW("HTTP/1.1 407 Authenticate\r\nProxy-Authenticate: Basic\r\n\r\n"),
    RAW("HTTP/1.1 403 No\r\n\r\n"),
    RAW("garbage\r\n\r\n"),
    RAW("HTTP/1.1 200 OK\n\n"),
    RAW(""),
    RAW("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\n"),
};

static void
parent_conn(int fd, struct shared_log *log)
{
	static char buf[1 << 16];
	size_t len = 0;
	ssize_t n;

	do {
		n = recv(fd, buf + len, sizeof(buf) - 1 - len, 0);
		if (n <= 0)
			return;
		log_bytes(log, buf + len, (size_t)n);
		len += (size_t)n;
		buf[len] = '\0';
	} while (strstr(buf, "\r\n\r\n") == NULL);
	if (strncmp(buf, "CONNECT ", 8) != 0) {
		send_text(fd, strstr(buf, "/need407 ") != NULL
		                  ? "HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n"
		                  : "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nparent");
		return;
	}
	const char *colon = strchr(buf + 8, ':');
	size_t which = colon != NULL ? (size_t)strtoul(colon + 1, NULL, 10) - 1 : 0;
	if (which >= SRUN_ARRAY_LEN(parent_answers))
		return;
	send_bytes(fd, parent_answers[which].s, parent_answers[which].len);
	while (parent_answers[which].len > 0 && (n = recv(fd, buf, sizeof(buf), 0)) > 0)
		send_bytes(fd, buf, (size_t)n);
}

/* SOCKS5 with user "u@" and password "p:". */
static void
socks_parent_conn(int fd, struct shared_log *log)
{
	unsigned char b[300];

	recv(fd, b, 3, MSG_WAITALL);
	log_bytes(log, b[2] == 2 ? "password;" : "none;", b[2] == 2 ? 9 : 5);
	send_bytes(fd, b[2] == 2 ? "\5\2" : "\5\0", 2);
	if (b[2] == 2) {
		recv(fd, b, 7, MSG_WAITALL);
		log_bytes(log, (char *)b, 7);
		send_bytes(fd, "\1\0", 2);
	}
	recv(fd, b, 5, MSG_WAITALL);
	recv(fd, b + 5, b[4] + 2U, MSG_WAITALL);
	log_bytes(log, (char *)b + 5, b[4]);
	if (b[4] + 2 > 200)
		return;
	send_bytes(fd, "\5\0\0\1\0\0\0\0\0\0tail", 14);
	ssize_t n;
	while ((n = recv(fd, b, sizeof(b), 0)) > 0)
		send_bytes(fd, b, (size_t)n);
}

static pid_t
start_parent(
    uint16_t *port, struct shared_log *log, void (*serve)(int, struct shared_log *))
{
	int lfd = listen_on("127.0.0.4", port);
	pid_t pid = child();

	if (pid != 0) {
		close(lfd);
		return pid;
	}
	ignore(SIGCHLD);
	for (;;) {
		int fd = accept(lfd, NULL, NULL);
		if (fd >= 0 && child() == 0) {
			serve(fd, log);
			_exit(0);
		}
		close(fd);
	}
}

static void
test_parent_http(const struct world *w)
{
	struct shared_log *log = make_log();
	uint16_t port = 0;
	pid_t parent = start_parent(&port, log, parent_conn);
	struct bench_proxy p;
	char text[512], got[1024];
	bool closed;
	static const struct {
		const char *name, *send, *want, *logged;
	} cases[] = {
	    {"absolute form",
	        "GET http://ok.test/p HTTP/1.1\r\nConnection: close\r\n\r\n", "parent",
	        "GET http://ok.test/p HTTP/1.1\r\nHost: ok.test\r\n"},
	    {"credentials go to the parent",
	        "GET http://ok.test/p HTTP/1.1\r\nProxy-Authorization: Basic "
	        "eDp5\r\nConnection: close\r\n\r\n",
	        "parent", "Proxy-Authorization: Basic dUA6cDo=\r\n"},
	    {"407 for a request is no answer for the client",
	        "GET http://ok.test/need407 HTTP/1.1\r\nConnection: close\r\n\r\n",
	        "502 srun: ", "GET"},
	    {"CONNECT, and what came with the answer",
	        "CONNECT ok.test:1 HTTP/1.1\r\n\r\nraw", "\r\n\r\nhiraw",
	        "CONNECT ok.test:1 HTTP/1.1\r\nHost: ok.test:1\r\n"},
	    {"CONNECT, an answer with a length", "CONNECT ok.test:2 HTTP/1.1\r\n\r\nraw",
	        "\r\n\r\nraw", "CONNECT"},
	    {"CONNECT, 407", "CONNECT ok.test:3 HTTP/1.1\r\n\r\n",
	        "502 srun: the parent proxy", "CONNECT"},
	    {"CONNECT, 403", "CONNECT ok.test:4 HTTP/1.1\r\n\r\n", "answered 403",
	        "CONNECT"},
	    {"CONNECT, garbage", "CONNECT ok.test:5 HTTP/1.1\r\n\r\n", "502 srun",
	        "CONNECT"},
	    {"CONNECT, bare LF", "CONNECT ok.test:6 HTTP/1.1\r\n\r\n", "502 srun",
	        "CONNECT"},
	    {"CONNECT, no answer", "CONNECT ok.test:7 HTTP/1.1\r\n\r\n", "502 srun",
	        "CONNECT"},
	    {"CONNECT, 100 first", "CONNECT ok.test:8 HTTP/1.1\r\n\r\nraw", "\r\n\r\nraw",
	        "CONNECT"},
	    {"SOCKS goes by CONNECT", "\4\1", "", NULL},
	    {"what is not granted does not go there",
	        "GET http://bad.test/ HTTP/1.1\r\nConnection: close\r\n\r\n", "403 ",
	        NULL},
	    {"nor a guarded address", "CONNECT 127.0.0.3:1 HTTP/1.1\r\n\r\n", "403 ",
	        NULL},
	};

	snprintf(text, sizeof(text),
	    "allow_domains = ok.test\nparent_proxy = "
	    "http://u%%40:p%%3a@127.0.0.4:%u\nparent_no_proxy = none\n",
	    port);
	struct proxy_setup s = {.grant = text, .names = names, .asked = w->asked};
	ok(start_proxy(&p, &s), "a proxy with an HTTP parent starts");
	clear_log(w->asked);
	clear_log(w->ok);
	for (size_t i = 0; i < SRUN_ARRAY_LEN(cases); i++) {
		clear_log(log);
		int fd = dial("127.0.0.1", p.port);
		send_text(fd, cases[i].send);
		shutdown(fd, SHUT_WR);
		read_for(fd, got, sizeof(got), 0, ANSWER_MS, &closed);
		if (!ok(strstr(got, cases[i].want) != NULL &&
		            (cases[i].logged == NULL
		                    ? log->len == 0
		                    : strstr(log->text, cases[i].logged) != NULL) &&
		            strstr(log->text, "eDp5") == NULL,
		        "parent: %s", cases[i].name))
			printf("# got %s\n# parent saw %s\n", got, log->text);
		close(fd);
	}
	ok(w->asked->len == 0 && w->ok->conns == 0,
	    "parent: no name was looked up, nothing dialled directly");
	end_child(parent);
	int fd = dial("127.0.0.1", p.port);
	send_text(fd, "CONNECT ok.test:1 HTTP/1.1\r\n\r\n");
	read_for(fd, got, sizeof(got), 0, ANSWER_MS, &closed);
	ok(strstr(got, "502 srun: cannot connect to the parent proxy") != NULL &&
	        w->ok->conns == 0,
	    "parent: when it is down nothing goes past it");
	close(fd);
	stop_proxy(&p);
}

static void
test_parent_socks(const struct world *w)
{
	struct shared_log *log = make_log();
	uint16_t port = 0;
	pid_t parent = start_parent(&port, log, socks_parent_conn);
	struct bench_proxy p;
	char text[512], got[1024];
	bool closed;

	snprintf(text, sizeof(text),
	    "allow_domains = ok.test\nparent_proxy = "
	    "socks5h://u%%40:p%%3a@127.0.0.4:%u\nparent_no_proxy = none\n",
	    port);
	struct proxy_setup s = {.grant = text, .names = names, .asked = w->asked};
	ok(start_proxy(&p, &s), "a proxy with a SOCKS parent starts");
	int fd = dial("127.0.0.1", p.port);
	send_text(fd, "CONNECT ok.test:443 HTTP/1.1\r\n\r\nraw");
	read_for(fd, got, sizeof(got), 46, ANSWER_MS, &closed);
	ok(strstr(got, "\r\n\r\ntailraw") != NULL, "SOCKS parent: a tunnel");
	ok(memcmp(log->text, "password;\1\2u@\2p:ok.test", 23) == 0,
	    "SOCKS parent: credentials decoded, the name not looked up");
	close(fd);
	end_child(parent);
	stop_proxy(&p);
}

static int
inside_socket(void)
{
	return socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

/* The stock of sockets stands for the loopback of the sandbox. */
static void
test_inside(const struct world *w)
{
	int stock[2] = {inside_socket(), inside_socket()};
	struct proxy_setup s = {.grant = grant,
	    .names = names,
	    .asked = w->asked,
	    .inside = stock,
	    .ninside = 2};
	struct bench_proxy p;
	struct shared_log *log = make_log();
	uint16_t port = 0;
	pid_t origin = start_origin("127.0.0.1", &port, log);
	bool all = true;

	ok(start_proxy(&p, &s), "a proxy with sockets of the namespace starts");
	close(stock[0]);
	close(stock[1]);
	for (int i = 0; i < 20 && all; i++) {
		char got[512];
		bool closed;
		int fd = ask(&p,
		    i % 2 == 0
		        ? "GET http://localhost:PORT/ HTTP/1.1\r\nConnection: "
		          "close\r\n\r\n"
		        : "CONNECT 127.0.0.1:PORT HTTP/1.1\r\n\r\nGET / HTTP/1.0\r\n\r\n",
		    port);
		shutdown(fd, SHUT_WR);
		read_for(fd, got, sizeof(got), 0, ANSWER_MS, &closed);
		all = strstr(got, "hello") != NULL;
		if (!all)
			printf("# try %d: %s\n", i, got);
		close(fd);
	}
	ok(all, "two sockets serve twenty connections to the sandbox's loopback");
	end_child(origin);
	stop_proxy(&p);
}

/* A port of the host's loopback, by a raw listener, and a published one. */
static void
test_raw_listeners(const struct world *w)
{
	struct shared_log *log = make_log();
	uint16_t target = 0, raw = 0, denied = 0;
	pid_t origin = start_origin("127.0.0.1", &target, log);
	struct proxy_listener more[2] = {
	    {.raw = true, .port = target}, {.raw = true, .port = target}};
	struct bench_proxy p;
	char text[128], got[512];
	bool closed;

	host_name_parse("127.0.0.1", 9, &more[0].target);
	more[0].fd = listen_on("127.0.0.5", &raw);
	host_name_parse("127.0.0.3", 9, &more[1].target);
	more[1].fd = listen_on("127.0.0.6", &denied);
	snprintf(text, sizeof(text),
	    "allow_domains = ok.test\nallow_host_ports = %u\nparent_proxy = none\n",
	    target);
	struct proxy_setup s = {
	    .grant = text, .names = names, .asked = w->asked, .more = more, .nmore = 2};
	ok(start_proxy(&p, &s), "a proxy with raw listeners starts");
	int fd = dial("127.0.0.5", raw);
	send_text(fd, "GET / HTTP/1.0\r\n\r\n");
	shutdown(fd, SHUT_WR);
	read_for(fd, got, sizeof(got), 0, ANSWER_MS, &closed);
	ok(strstr(got, "hello") != NULL,
	    "a raw listener reaches a granted port of the host");
	close(fd);
	fd = dial("127.0.0.6", denied);
	ok(read_for(fd, got, sizeof(got), 0, ANSWER_MS, &closed) == 0 && closed,
	    "and is closed where its target is not granted");
	close(fd);
	fd = ask(&p, R("GET http://localhost:PORT/ HTTP/1.1", "Connection: close\r\n"),
	    target);
	read_for(fd, got, sizeof(got), 0, ANSWER_MS, &closed);
	ok(strstr(got, "hello") != NULL, "the same port by way of the proxy");
	close(fd);
	end_child(origin);
	close(more[0].fd);
	close(more[1].fd);
	stop_proxy(&p);
}

static long
cpu_ms(pid_t pid)
{
	char path[64], text[1024];
	unsigned long user = 0, system = 0;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY);
	ssize_t n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0)
		return -1;
	text[n] = '\0';
	sscanf(strrchr(text, ')'),
	    ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &system);
	return (long)(user + system) * 1000 / sysconf(_SC_CLK_TCK);
}

static void
test_few_descriptors(const struct world *w)
{
	struct proxy_setup s = {
	    .grant = grant, .names = names, .asked = w->asked, .files = 64};
	struct bench_proxy p;
	char got[512];
	bool closed;
	int fds[64], fd;

	ok(start_proxy(&p, &s), "a proxy with 64 descriptors starts");
	for (int i = 0; i < 64; i++)
		fds[i] = ask(&p, "CONNECT ok.test:PORT HTTP/1.1\r\n\r\n", w->port);
	usleep(200000);
	long before = cpu_ms(p.pid);
	usleep(500000);
	ok(cpu_ms(p.pid) - before < 100, "at the limit it does not spin");
	for (int i = 0; i < 64; i++)
		close(fds[i]);
	fd = ask(&p, R(GET, "Connection: close\r\n"), w->port);
	read_for(fd, got, sizeof(got), 0, ANSWER_MS, &closed);
	ok(strstr(got, "hello") != NULL, "and goes on when there are some again");
	close(fd);
	stop_proxy(&p);
}

static void
test_end(const struct world *w)
{
	struct proxy_setup s = {.grant = grant, .names = names, .asked = w->asked};
	struct bench_proxy p;
	int status = -1;

	ok(start_proxy(&p, &s), "one more proxy starts");
	int fd = ask(&p, "CONNECT ok.test:PORT HTTP/1.1\r\n\r\n", w->port);
	close(p.control);
	for (int i = 0; i < 300 && waitpid(p.pid, &status, WNOHANG) == 0; i++)
		usleep(10000);
	ok(WIFEXITED(status) && WEXITSTATUS(status) == 0,
	    "it ends when the control socket is closed");
	close(fd);
	close(p.listener);
	waitpid(p.resolver, NULL, 0);
}

/* ---- time: begun first, looked at last ---- */

enum slow {
	SLOW_NOTHING,
	SLOW_HEAD,
	SLOW_SOCKS,
	SLOW_HELLO,
	SLOW_NAME,
	SLOW_DIAL,
	SLOW_IDLE,
	SLOW_COUNT
};

struct slow_ones {
	int64_t start;
	int fd[SLOW_COUNT];
	int full, fill[4]; /* a listener that takes no more */
};

static void
begin_slow(const struct world *w, const struct bench_proxy *p, struct slow_ones *s)
{
	struct sockaddr_in sa;
	socklen_t len = sizeof(sa);
	uint16_t port = 0;
	char got[64];
	bool closed;

	s->start = sys_now_ms();
	s->full = listen_on(OK_ADDR, &port);
	listen(s->full, 0);
	getsockname(s->full, (struct sockaddr *)&sa, &len);
	for (size_t i = 0; i < SRUN_ARRAY_LEN(s->fill); i++) {
		s->fill[i] =
		    socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
		(void)!connect(s->fill[i], (struct sockaddr *)&sa, len);
	}
	s->fd[SLOW_NOTHING] = dial("127.0.0.1", p->port);
	s->fd[SLOW_HEAD] = ask(p, "GET http://ok.test:PORT/ HTTP/1.1\r\nX: ", w->port);
	s->fd[SLOW_SOCKS] = ask(p, "\5", w->port);
	s->fd[SLOW_HELLO] =
	    ask(p, "CONNECT ok.test:PORT HTTP/1.1\r\n\r\n\x16\3\1", w->port);
	s->fd[SLOW_NAME] =
	    ask(p, R("GET http://silent.test:PORT/ HTTP/1.1", ""), w->port);
	s->fd[SLOW_DIAL] = ask(p, R("GET http://ok.test:PORT/ HTTP/1.1", ""), port);
	s->fd[SLOW_IDLE] = ask(p, "CONNECT ok.test:PORT HTTP/1.1\r\n\r\n", w->port);
	read_for(s->fd[SLOW_IDLE], got, sizeof(got), 39, ANSWER_MS, &closed);
}

static void
end_slow(struct slow_ones *s)
{
	static const struct {
		const char *name, *want;
	} ends[] = {
	    [SLOW_NOTHING] = {"a client that says nothing", ""},
	    [SLOW_HEAD] = {"a head that does not end", "HTTP/1.1 408 srun: "},
	    [SLOW_SOCKS] = {"a greeting that does not end", ""},
	    [SLOW_HELLO] = {"a ClientHello that does not end", "HTTP/1.1 200 "},
	    [SLOW_NAME] = {"a name that is not answered", "HTTP/1.1 502 srun: "},
	    [SLOW_DIAL] = {"a host that does not answer",
	        "HTTP/1.1 502 srun: cannot connect"},
	};
	char got[4096];
	bool closed;

	for (size_t i = 0; i < SRUN_ARRAY_LEN(ends); i++) {
		int left = (int)(s->start + 36000 - sys_now_ms());
		bool stays = i == SLOW_NAME || i == SLOW_DIAL;
		/* The connection itself may go on after a 502. */
		read_for(s->fd[i], got, sizeof(got), stays ? 20 : 0, left, &closed);
		if (!ok((closed || stays) &&
		            strncmp(got, ends[i].want, strlen(ends[i].want)) == 0,
		        "in time an end has: %s", ends[i].name))
			printf("# closed %d, got %.200s\n", closed, got);
		close(s->fd[i]);
	}
	send_text(s->fd[SLOW_IDLE], "raw idle");
	read_for(s->fd[SLOW_IDLE], got, sizeof(got), 8, ANSWER_MS, &closed);
	is_str(got, "raw idle", "a tunnel that was idle all the time goes on");
	close(s->fd[SLOW_IDLE]);
	for (size_t i = 0; i < SRUN_ARRAY_LEN(s->fill); i++)
		close(s->fill[i]);
	close(s->full);
}

int
main(void)
{
	struct slow_ones slow;
	struct world w = {.ok = make_log(), .bad = make_log(), .asked = make_log()};
	struct proxy_setup s = {.grant = grant, .names = names, .asked = w.asked};
	struct bench_proxy p;

	ignore(SIGPIPE);
	w.ok_pid = start_origin(OK_ADDR, &w.port, w.ok);
	w.bad_pid = start_origin(BAD_ADDR, &w.port, w.bad);
	/* The control of every refusal: what is refused would answer. */
	int fd = dial(BAD_ADDR, w.port);
	char got[256];
	bool closed;
	send_text(fd, "GET / HTTP/1.0\r\n\r\n");
	read_for(fd, got, sizeof(got), 43, ANSWER_MS, &closed);
	ok(strstr(got, "hello") != NULL && w.bad->conns == 1,
	    "the host that is not granted answers");
	close(fd);

	if (!ok(start_proxy(&p, &s), "the proxy starts"))
		return done();
	begin_slow(&w, &p, &slow);
	test_raw(&w, &p);
	test_keep_alive(&w, &p);
	test_extra_answer(&w, &p);
	test_websocket(&w, &p);
	test_big(&w, &p);
	test_upload(&w, &p);
	test_limits(&p);
	test_sni(&w, &p);
	test_tunnel(&w, &p);
	test_tunnel_bulk(&w, &p);
	test_socks(&w, &p);
	test_cancel(&w, &p);
	test_names_asked(&w);
	test_reports(&p);
	test_token(&w);
	test_parent_http(&w);
	test_parent_socks(&w);
	test_inside(&w);
	test_raw_listeners(&w);
	test_few_descriptors(&w);
	test_end(&w);
	end_slow(&slow);
	stop_proxy(&p);
	end_child(w.ok_pid);
	end_child(w.bad_pid);
	return done();
}
