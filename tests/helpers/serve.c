/*
 * serve.c: a server for controls: listens, says where ("PORT", a line), and says "hello"
 * to everybody who connects until it is killed or its stdin ends.
 *	serve ADDRESS | serve PATH      an IP address, or the path of a unix socket
 */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int
listen_unix(const char *path)
{
	struct sockaddr_un sun = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (strlen(path) >= sizeof(sun.sun_path))
		return -1;
	memcpy(sun.sun_path, path, strlen(path));
	if (fd < 0 || bind(fd, (struct sockaddr *)&sun, sizeof(sun)) || listen(fd, 16))
		return -1;
	puts(path);
	return fd;
}

static int
listen_ip(const char *address)
{
	struct sockaddr_in in = {.sin_family = AF_INET};
	struct sockaddr_in6 in6 = {.sin6_family = AF_INET6};
	int family = strchr(address, ':') ? AF_INET6 : AF_INET;
	struct sockaddr *sa =
	    family == AF_INET ? (struct sockaddr *)&in : (struct sockaddr *)&in6;
	socklen_t len = family == AF_INET ? sizeof(in) : sizeof(in6);
	void *to = family == AF_INET ? (void *)&in.sin_addr : (void *)&in6.sin6_addr;
	int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || inet_pton(family, address, to) != 1 || bind(fd, sa, len) ||
	    listen(fd, 16) || getsockname(fd, sa, &len))
		return -1;
	printf("%d\n", ntohs(family == AF_INET ? in.sin_port : in6.sin6_port));
	return fd;
}

int
main(int argc, char **argv)
{
	if (argc != 2) {
		fputs("usage: serve ADDRESS|PATH\n", stderr);
		return 2;
	}
	int fd = argv[1][0] == '/' ? listen_unix(argv[1]) : listen_ip(argv[1]);
	if (fd < 0) {
		perror("serve");
		return 1;
	}
	fflush(stdout);
	for (;;) {
		struct pollfd p[2] = {
		    {.fd = fd, .events = POLLIN}, {.fd = 0, .events = POLLIN}};
		if (poll(p, 2, -1) < 0 && errno != EINTR)
			return 1;
		if (p[1].revents)
			return 0;
		if (!p[0].revents)
			continue;
		int c = accept(fd, NULL, NULL);
		if (c < 0)
			continue;
		/* Who connects may be gone already. */
		if (send(c, "hello\n", 6, MSG_NOSIGNAL) != 6 && errno != EPIPE)
			perror("serve");
		close(c);
	}
}
