/*
 * netns.c: the agent of a run's network namespace. Owns entering the namespace and making
 * sockets in it. Must not decide who may listen or connect, and never reads a byte that a
 * command wrote: its clients are srun and the proxy, their requests of a fixed size.
 *
 * A process can enter a network namespace only with privileges over the user namespace that
 * owns it, which the caller has as that namespace's maker (user_namespaces(7)); they come
 * with setns into it and stay with the agent alone. Entering is refused to a process with
 * threads, so the agent is forked from srun while srun has none.
 */
#include "netns.h"

#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "confine.h"
#include "msg.h"
#include "sys.h"

#define BACKLOG 1024

/* ---- inside the namespace ---- */

/* A local route: its addresses need not be assigned to be listened on. */
static int
add_route(void)
{
	struct {
		struct nlmsghdr head;
		struct rtmsg route;
		struct rtattr dst_head;
		uint32_t dst;
		struct rtattr oif_head;
		uint32_t oif;
	} q = {
	    .head = {.nlmsg_len = sizeof(q),
	        .nlmsg_type = RTM_NEWROUTE,
	        .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE},
	    .route = {.rtm_family = AF_INET,
	        .rtm_dst_len = NETNS_BITS,
	        .rtm_table = RT_TABLE_LOCAL,
	        .rtm_protocol = RTPROT_STATIC,
	        .rtm_scope = RT_SCOPE_HOST,
	        .rtm_type = RTN_LOCAL},
	    .dst_head = {RTA_LENGTH(sizeof(uint32_t)), RTA_DST},
	    .dst = htonl(NETNS_NET),
	    .oif_head = {RTA_LENGTH(sizeof(uint32_t)), RTA_OIF},
	    .oif = if_nametoindex("lo"),
	};
	struct {
		struct nlmsghdr head;
		struct nlmsgerr error;
	} answer = {.error = {.error = EPROTO}};
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	if (fd < 0)
		return -1;
	ssize_t n = send(fd, &q, sizeof(q), 0);
	if (n == (ssize_t)sizeof(q))
		n = recv(fd, &answer, sizeof(answer), 0);
	int err = errno;
	close(fd);
	errno = err;
	if (n < (ssize_t)sizeof(answer))
		return -1;
	errno = -answer.error.error;
	return answer.head.nlmsg_type == NLMSG_ERROR && errno == 0 ? 0 : -1;
}

/*
 * glibc's AI_ADDRCONFIG takes a host whose only address is 127.0.0.1 for one without
 * IPv4, and then resolves nothing: one more address on loopback makes it look.
 */
static int
set_loopback(void)
{
	struct sockaddr_in sin = {
	    .sin_family = AF_INET, .sin_addr.s_addr = htonl(NETNS_ADDRESS)};
	struct ifreq ifr = {.ifr_name = "lo:1"}, up = {.ifr_name = "lo"};
	up.ifr_flags = IFF_UP;
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -1;
	memcpy(&ifr.ifr_addr, &sin, sizeof(sin));
	int result = ioctl(fd, SIOCSIFADDR, &ifr);
	sin.sin_addr.s_addr = 0xffffffffU;
	memcpy(&ifr.ifr_netmask, &sin, sizeof(sin));
	if (result == 0)
		result = ioctl(fd, SIOCSIFNETMASK, &ifr);
	if (result == 0)
		result = ioctl(fd, SIOCSIFFLAGS, &up);
	int err = errno;
	close(fd);
	errno = err;
	return result == 0 ? add_route() : -1;
}

/* A descriptor, or -1 with errno. */
static int
make_socket(const struct netns_request *q)
{
	struct sockaddr_in sin = {.sin_family = AF_INET, .sin_port = htons(q->port)};
	struct sockaddr_in6 sin6 = {.sin6_family = AF_INET6, .sin6_port = htons(q->port)};
	bool six = q->family == AF_INET6;
	int one = 1;
	memcpy(&sin.sin_addr, q->addr, sizeof(sin.sin_addr));
	memcpy(&sin6.sin6_addr, q->addr, sizeof(sin6.sin6_addr));
	int type = q->op == NETNS_DATAGRAM ? SOCK_DGRAM : SOCK_STREAM;
	int fd = socket(six ? AF_INET6 : AF_INET, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0 || q->op == NETNS_CONNECTOR)
		return fd;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (six)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &one, sizeof(one));
	const struct sockaddr *sa =
	    six ? (const struct sockaddr *)&sin6 : (const struct sockaddr *)&sin;
	if (bind(fd, sa, six ? sizeof(sin6) : sizeof(sin)) == 0 &&
	    (type == SOCK_DGRAM || listen(fd, BACKLOG) == 0))
		return fd;
	int err = errno;
	close(fd);
	errno = err;
	return -1;
}

static _Noreturn void
agent_main(pid_t inner, int sock)
{
	struct netns_request q;
	sigset_t none;
	int32_t err;
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	/* Not of the caller's job: what the terminal sends is not for it. */
	setpgid(0, 0);
	for (int fd = 0; fd <= 2; fd++)
		sys_null_fd(fd);
	err = sys_close_except(&sock, 1) == 0 &&
	              sys_enter_namespace(inner, "net", CLONE_NEWNET) == 0 &&
	              set_loopback() == 0
	          ? 0
	          : errno;
	/* After setns, which resets what it sets. */
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	const struct confine confine = {
	    .role = FILTER_AGENT, .keep = &sock, .nkeep = 1, .low_ports = true};
	const char *stage;
	if (err == 0 && !confine_enter(&confine, &stage))
		err = errno != 0 ? errno : EPERM;
	if (sys_send_fd(sock, &err, sizeof(err), -1) != 0 || err != 0)
		_exit(EXIT_SRUN);
	while (recv(sock, &q, sizeof(q), 0) == (ssize_t)sizeof(q)) {
		int fd = make_socket(&q);
		err = fd >= 0 ? 0 : errno;
		int sent = sys_send_fd(sock, &err, sizeof(err), fd);
		if (fd >= 0)
			close(fd);
		if (sent != 0)
			break;
	}
	_exit(0);
}

/* ---- outside ---- */

/* What the agent answers: a descriptor, -1 with errno. */
static int
receive_answer(int sock)
{
	int32_t err;
	int fd;
	ssize_t n = sys_recv_fd(sock, &err, sizeof(err), &fd);
	if (n == (ssize_t)sizeof(err) && err == 0)
		return fd;
	if (fd >= 0)
		close(fd);
	errno = n == (ssize_t)sizeof(err) ? err : EPIPE;
	return -1;
}

int
netns_ask(int sock, const struct netns_request *request)
{
	if (send(sock, request, sizeof(*request), MSG_NOSIGNAL) !=
	    (ssize_t)sizeof(*request)) {
		errno = EPIPE;
		return -1;
	}
	return receive_answer(sock);
}

/* As many as fit into the socket's buffer for certain. */
#define AT_ONCE 32

static int
ask_some(int sock, const struct netns_request *q, size_t n, int *fds)
{
	int err = 0;
	size_t sent = 0;
	while (sent < n &&
	       send(sock, &q[sent], sizeof(*q), MSG_NOSIGNAL) == (ssize_t)sizeof(*q))
		sent++;
	for (size_t i = 0; i < n; i++) {
		errno = EPIPE;
		fds[i] = i < sent ? receive_answer(sock) : -1;
		if (fds[i] < 0 && err == 0)
			err = errno;
	}
	errno = err;
	return err == 0 ? 0 : -1;
}

int
netns_ask_all(int sock, const struct netns_request *q, size_t n, int *fds)
{
	int err = 0;
	for (size_t i = 0; i < n; i += AT_ONCE)
		if (ask_some(sock, q + i, n - i < AT_ONCE ? n - i : AT_ONCE, fds + i) !=
		        0 &&
		    err == 0)
			err = errno;
	errno = err;
	return err == 0 ? 0 : -1;
}

bool
netns_start(struct arena *a, pid_t inner, struct netns_agent *agent, struct errs *errs)
{
	int pair[2];
	*agent = (struct netns_agent){0, -1};
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) {
		errs_add(a, errs, "cannot make a socket pair: %s", strerror(errno));
		return false;
	}
	agent->pid = fork();
	if (agent->pid == 0)
		agent_main(inner, pair[1]);
	int err = errno;
	close(pair[1]);
	agent->sock = pair[0];
	if (agent->pid > 0) {
		/* The word that it is there carries no descriptor. */
		errno = 0;
		if (receive_answer(agent->sock) == -1 && errno == 0)
			return true;
		err = errno;
	}
	netns_end(agent);
	errs_add(
	    a, errs, "cannot enter the network namespace of the run: %s", strerror(err));
	return false;
}

void
netns_end(struct netns_agent *agent)
{
	if (agent->sock >= 0)
		close(agent->sock);
	if (agent->pid > 0) {
		kill(agent->pid, SIGKILL);
		while (waitpid(agent->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	*agent = (struct netns_agent){0, -1};
}
