/*
 * connect.c: the command's side of a connection through the proxy. Runs inside the sandbox
 * with no more rights than any program there, so nothing here is a decision: it asks the
 * proxy, says what the proxy said, and copies bytes until both directions have ended.
 */
#include "connect.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "msg.h"
#include "sys.h"
#include "util.h"

#define HEAD_LIMIT 4096

/* "127.0.0.1:PORT" to a connected socket; -1 with a message. */
static int
reach_proxy(const char *proxy)
{
	struct sockaddr_in sin = {.sin_family = AF_INET};
	char addr[INET_ADDRSTRLEN];
	const char *colon = proxy != NULL ? strchr(proxy, ':') : NULL, *why;
	uint64_t port;
	if (colon == NULL || (size_t)(colon - proxy) >= sizeof(addr) ||
	    !parse_uint(colon + 1, 1, 65535, &port, &why)) {
		msg_error(
		    "--connect: no proxy here: SRUN_PROXY is not set [it is for use "
		    "inside a run whose network is restricted]");
		return -1;
	}
	memcpy(addr, proxy, (size_t)(colon - proxy));
	addr[colon - proxy] = '\0';
	sin.sin_port = htons((uint16_t)port);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd >= 0 && inet_pton(AF_INET, addr, &sin.sin_addr) == 1 &&
	    connect(fd, (const struct sockaddr *)&sin, sizeof(sin)) == 0)
		return fd;
	msg_error("--connect: the proxy at %s: %s", proxy, strerror(errno));
	if (fd >= 0)
		close(fd);
	return -1;
}

/*
 * The proxy's answer up to the empty line, and not a byte further: what follows is the
 * host's. Its length, 0 when it is cut or too long.
 */
static size_t
read_head(int fd, char head[HEAD_LIMIT])
{
	size_t n = 0;
	while (n < HEAD_LIMIT - 1 && sys_read_all(fd, head + n, 1) == 0) {
		head[++n] = '\0';
		if (n >= 4 && memcmp(head + n - 4, "\r\n\r\n", 4) == 0)
			return n;
	}
	return 0;
}

/* Asks for the tunnel; false with the proxy's own words as message. */
static bool
ask(int fd, const char *host, const char *port)
{
	char head[HEAD_LIMIT];
	bool six = strchr(host, ':') != NULL && host[0] != '[';
	const char *open = six ? "[" : "", *close = six ? "]" : "";
	int n = snprintf(head, sizeof(head),
	    "CONNECT %s%s%s:%s HTTP/1.1\r\nHost: %s%s%s:%s\r\n\r\n", open, host, close,
	    port, open, host, close, port);
	if (n < 0 || (size_t)n >= sizeof(head) || strpbrk(host, "\r\n ") != NULL ||
	    strpbrk(port, "\r\n ") != NULL) {
		msg_error("--connect: '%s' is no host", host);
		return false;
	}
	size_t len = sys_write_all(fd, head, (size_t)n) == 0 ? read_head(fd, head) : 0;
	const char *blank = len > 0 ? strchr(head, ' ') : NULL;
	if (blank != NULL && strncmp(blank + 1, "200", 3) == 0)
		return true;
	head[len > 0 ? strcspn(head, "\r\n") : 0] = '\0';
	/* "HTTP/1.1 403 srun: example.org:22 is not in the grant": the words alone. */
	const char *words = len > 0 ? strstr(head, "srun: ") : NULL;
	if (words != NULL)
		msg_error("%s", words + 6);
	else
		msg_error("--connect %s %s: %s", host, port,
		    len > 0 ? head : "the proxy gave no answer");
	return false;
}

/* Copies once; false at the end of the source or of the destination. */
static bool
copy(int from, int to)
{
	char buf[65536];
	ssize_t n = read(from, buf, sizeof(buf));
	if (n < 0 && errno == EINTR)
		return true;
	return n > 0 && sys_write_all(to, buf, (size_t)n) == 0;
}

/* Until the host has ended: our own end of input is passed on and is not the end. */
static void
relay(int fd)
{
	struct pollfd p[2] = {{.fd = 0, .events = POLLIN}, {.fd = fd, .events = POLLIN}};
	for (;;) {
		if (poll(p, 2, -1) < 0 && errno != EINTR)
			return;
		if (p[0].revents != 0 && !copy(0, fd)) {
			shutdown(fd, SHUT_WR);
			p[0].fd = -1;
			p[0].revents = 0;
		}
		if (p[1].revents != 0 && !copy(fd, 1))
			return;
	}
}

int
connect_main(const char *proxy, const char *host, const char *port)
{
	int fd = reach_proxy(proxy);
	if (fd < 0 || !ask(fd, host, port))
		return EXIT_SRUN;
	relay(fd);
	close(fd);
	return 0;
}
