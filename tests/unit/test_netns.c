/*
 * test_netns: sockets made from outside in the network namespace of another process. The
 * control of each: the same address without the namespace is nobody's.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "netns.h"
#include "tap.h"

/* A process with a network namespace of its own; inside it does as it is told by bytes. */
struct sandbox {
	pid_t pid;
	int sock;
};

/* errno of a connect to 127.0.0.1 or NETNS_ADDRESS at port. */
static int
try_connect(uint32_t addr, uint16_t port)
{
	struct sockaddr_in sin = {.sin_family = AF_INET,
	    .sin_port = htons(port),
	    .sin_addr.s_addr = htonl(addr)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int err = connect(fd, (struct sockaddr *)&sin, sizeof(sin)) == 0 ? 0 : errno;
	close(fd);
	return err;
}

static void
sandbox_main(int sock)
{
	struct {
		uint32_t addr;
		uint16_t port;
	} q;
	char ready = unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0 ? 'y' : 'n';
	if (write(sock, &ready, 1) != 1)
		_exit(1);
	while (read(sock, &q, sizeof(q)) == (ssize_t)sizeof(q)) {
		int err = try_connect(q.addr, q.port);
		if (write(sock, &err, sizeof(err)) != (ssize_t)sizeof(err))
			break;
	}
	_exit(0);
}

static bool
sandbox_start(struct sandbox *s)
{
	int pair[2];
	char ready = 'n';
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
		return false;
	s->pid = fork();
	if (s->pid == 0) {
		close(pair[0]);
		sandbox_main(pair[1]);
	}
	close(pair[1]);
	s->sock = pair[0];
	return read(s->sock, &ready, 1) == 1 && ready == 'y';
}

static int
inside_connect(const struct sandbox *s, uint32_t addr, uint16_t port)
{
	struct {
		uint32_t addr;
		uint16_t port;
	} q;
	int err = -1;
	memset(&q, 0, sizeof(q));
	q.addr = addr;
	q.port = port;
	if (write(s->sock, &q, sizeof(q)) != (ssize_t)sizeof(q) ||
	    read(s->sock, &err, sizeof(err)) != (ssize_t)sizeof(err))
		return -1;
	return err;
}

static uint16_t
port_of(int fd)
{
	struct sockaddr_in sin;
	socklen_t len = sizeof(sin);
	return getsockname(fd, (struct sockaddr *)&sin, &len) == 0 ? ntohs(sin.sin_port)
	                                                           : 0;
}

static void
test_listener(const struct sandbox *s, const struct netns_agent *agent)
{
	struct netns_request q = {NETNS_LISTENER, AF_INET, 0, {127, 0, 0, 1}};
	int fd = netns_ask(agent->sock, &q);
	uint16_t port = fd >= 0 ? port_of(fd) : 0;
	struct pollfd p = {.fd = fd, .events = POLLIN};

	ok(fd >= 0 && port > 0, "a listener is made inside");
	is_int(
	    try_connect(INADDR_LOOPBACK, port), ECONNREFUSED, "outside nobody listens");
	is_int(inside_connect(s, INADDR_LOOPBACK, port), 0, "inside it is reached");
	ok(poll(&p, 1, 5000) == 1, "the connection arrives outside");

	q.port = port;
	ok(netns_ask(agent->sock, &q) == -1 && errno == EADDRINUSE,
	    "a port that is taken is an error with its reason");
	close(fd);
	q.port = 53;
	q.op = NETNS_DATAGRAM;
	fd = netns_ask(agent->sock, &q);
	ok(fd >= 0 && port_of(fd) == 53, "a datagram socket is made inside");
	is_int(inside_connect(s, INADDR_LOOPBACK, 53), ECONNREFUSED, "it is no listener");
	close(fd);
	q.op = NETNS_LISTENER;
	fd = netns_ask(agent->sock, &q);
	ok(fd >= 0 && port_of(fd) == 53, "a port below 1024 can be had");
	is_int(inside_connect(s, INADDR_LOOPBACK, 53), 0, "and is reached inside");
	close(fd);
}

static void
test_connector(const struct sandbox *s, const struct netns_agent *agent)
{
	struct netns_request listen = {NETNS_LISTENER, AF_INET, 0, {198, 18, 0, 1}};
	struct netns_request plain = {NETNS_CONNECTOR, AF_INET, 0, {0}};
	int server = netns_ask(agent->sock, &listen);
	int fd = netns_ask(agent->sock, &plain);
	struct sockaddr_in sin = {.sin_family = AF_INET,
	    .sin_port = htons(server >= 0 ? port_of(server) : 0),
	    .sin_addr.s_addr = htonl(NETNS_ADDRESS)};
	struct pollfd p = {.fd = server, .events = POLLIN};

	ok(server >= 0, "the second address of loopback is there");
	ok(fd >= 0 && (connect(fd, (struct sockaddr *)&sin, sizeof(sin)) == 0 ||
	                  errno == EINPROGRESS),
	    "a socket from inside connects to what listens inside");
	ok(poll(&p, 1, 5000) == 1, "and arrives there");
	close(server);
	listen.port = 443;
	listen.addr[2] = 7;
	listen.addr[1] = 19;
	server = netns_ask(agent->sock, &listen);
	ok(server >= 0, "every address of the range can be listened on");
	is_int(inside_connect(s, 0xc6130701U, 443), 0, "and is reached inside");
	is_int(
	    inside_connect(s, 0xc6130702U, 443), ECONNREFUSED, "its neighbour is nobody");
	is_int(inside_connect(s, 0xc6140701U, 443), ENETUNREACH, "beyond it is nothing");
	is_int(inside_connect(s, 0xc6336401U, 80), ENETUNREACH,
	    "there is no way out of it all the same");
	close(fd);
	close(server);
}

static void
test_failures(struct arena *a)
{
	struct netns_agent agent;
	struct errs errs = {{NULL, 0}};
	struct netns_request q = {NETNS_CONNECTOR, AF_INET, 0, {0}};
	int pair[2];
	/* No such process: its number cannot exist. */
	ok(!netns_start(a, 1 << 30, &agent, &errs) && errs.text.n == 1 && agent.pid == 0,
	    "a process that is gone is an error with words");
	printf("# %s\n", errs.text.n > 0 ? errs.text.v[0] : "");
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
		return;
	close(pair[1]);
	ok(netns_ask(pair[0], &q) == -1 && errno == EPIPE, "so is an agent that is gone");
	close(pair[0]);
}

int
main(void)
{
	struct arena a = {NULL};
	struct errs errs = {{NULL, 0}};
	struct sandbox s;
	struct netns_agent agent;

	if (!ok(sandbox_start(&s), "a network namespace can be made"))
		return done();
	if (ok(netns_start(&a, s.pid, &agent, &errs), "the agent enters it")) {
		test_listener(&s, &agent);
		test_connector(&s, &agent);
		pid_t pid = agent.pid;
		netns_end(&agent);
		ok(kill(pid, 0) != 0 && errno == ESRCH,
		    "the agent is gone after its end");
	} else {
		printf("# %s\n", errs.text.v[0]);
	}
	test_failures(&a);
	close(s.sock);
	waitpid(s.pid, NULL, 0);
	arena_free(&a);
	return done();
}
