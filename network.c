/*
 * network.c: the processes of a restricted network and the sockets between them. Owns
 * their start, their order and their end. Must not judge a host (hostmatch.c) nor speak a
 * protocol; what it reads from the proxy is of a process that may have been taken over.
 */
#include "network.h"

#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "confine.h"
#include "msg.h"
#include "resolve.h"
#include "sys.h"

#define STOCK         16 /* sockets of the run's network that the proxy may connect there */
#define NAMES_PORT    53
#define PUBLISHED_MAX 64
#define BACKLOG       1024
#define FLUSH_MS      500 /* for the last reports; a proxy that takes longer has hung */

/* ---- what the policy asks for ---- */

static void
add_listener(struct arena *a, struct network *net, const struct proxy_listener *l)
{
	net->listeners =
	    arena_grow(a, net->listeners, net->nlisteners, sizeof(*net->listeners));
	net->listeners[net->nlisteners++] = *l;
}

static struct netns_request *
add_request(struct arena *a, struct network *net)
{
	net->requests =
	    arena_grow(a, net->requests, net->nrequests, sizeof(*net->requests));
	struct netns_request *q = &net->requests[net->nrequests++];
	*q = (struct netns_request){.op = NETNS_CONNECTOR, .family = AF_INET};
	return q;
}

static const unsigned char loopback4[16] = {127, 0, 0, 1};
static const unsigned char loopback6[16] = {[15] = 1};

static void
add_inside(struct arena *a, struct network *net, int family, const unsigned char *addr,
    const struct proxy_listener *l)
{
	struct netns_request *q = add_request(a, net);
	q->op = NETNS_LISTENER;
	q->family = (uint8_t)family;
	q->port = l->raw ? l->port : NETWORK_PORT;
	memcpy(q->addr, addr, sizeof(q->addr));
	add_listener(a, net, l);
}

/*
 * A service of the host under its own address inside. Without an address it is whatever
 * "localhost" is on the host: a program inside that tries ::1 first is led to 127.0.0.1.
 */
static void
add_host_port(struct arena *a, struct network *net, const struct host_port *hp)
{
	struct proxy_listener l = {.fd = -1, .raw = true, .port = hp->port};
	struct host_addr addr;
	if (hp->family != AF_UNSPEC) {
		host_addr_make(hp->family, hp->addr, &addr);
		host_name_of_addr(&addr, &l.target);
		add_inside(a, net, hp->family, hp->addr, &l);
		return;
	}
	host_name_parse("localhost", 9, &l.target);
	add_inside(a, net, AF_INET, loopback4, &l);
	add_inside(a, net, AF_INET6, loopback6, &l);
}

/* The host's side of a published port: whoever may reach the host's loopback. */
static int
listen_on_host(const struct host_port *hp)
{
	struct sockaddr_in sin = {.sin_family = AF_INET, .sin_port = htons(hp->port)};
	struct sockaddr_in6 sin6 = {
	    .sin6_family = AF_INET6, .sin6_port = htons(hp->port)};
	bool six = hp->family == AF_INET6;
	int one = 1;
	memcpy(&sin.sin_addr, hp->family == AF_UNSPEC ? loopback4 : hp->addr,
	    sizeof(sin.sin_addr));
	memcpy(&sin6.sin6_addr, hp->addr, sizeof(sin6.sin6_addr));
	int fd = socket(
	    six ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	const struct sockaddr *sa =
	    six ? (const struct sockaddr *)&sin6 : (const struct sockaddr *)&sin;
	if (bind(fd, sa, six ? sizeof(sin6) : sizeof(sin)) == 0 &&
	    listen(fd, BACKLOG) == 0)
		return fd;
	int err = errno;
	close(fd);
	errno = err;
	return -1;
}

static void
add_published(
    struct arena *a, struct network *net, const struct located *text, struct errs *errs)
{
	struct proxy_listener l = {.raw = true, .published = true};
	struct host_port hp;
	struct host_addr addr;
	if (host_port_parse(text->text, &hp) != NULL)
		return; /* was checked when the grant was read */
	l.fd = listen_on_host(&hp);
	l.port = hp.port;
	host_addr_make(hp.family == AF_INET6 ? AF_INET6 : AF_INET,
	    hp.family == AF_INET6 ? loopback6 : loopback4, &addr);
	host_name_of_addr(&addr, &l.target);
	if (l.fd < 0)
		errs_at(a, errs, text->origin, "publish_ports '%s': %s", text->text,
		    strerror(errno));
	add_listener(a, net, &l);
	net->npublished++;
}

/* The addresses of this host's interfaces: none of them may be dialled for a name. */
static void
read_own(struct arena *a, struct network *net)
{
	struct ifaddrs *all;
	struct host_addr *v = NULL;
	size_t n = 0;
	if (getifaddrs(&all) != 0)
		return;
	for (struct ifaddrs *i = all; i != NULL; i = i->ifa_next) {
		const struct sockaddr *sa = i->ifa_addr;
		if (sa == NULL || (sa->sa_family != AF_INET && sa->sa_family != AF_INET6))
			continue;
		struct sockaddr_in sin;
		struct sockaddr_in6 sin6;
		memcpy(&sin, sa, sizeof(sin));
		v = arena_grow(a, v, n, sizeof(*v));
		if (sa->sa_family == AF_INET) {
			host_addr_make(AF_INET, &sin.sin_addr, &v[n++]);
		} else {
			memcpy(&sin6, sa, sizeof(sin6));
			host_addr_make(AF_INET6, &sin6.sin6_addr, &v[n++]);
		}
	}
	freeifaddrs(all);
	net->own = (struct host_addr_list){v, n};
}

static void
plan(struct arena *a, const struct policy *p, struct network *net, struct errs *errs)
{
	struct proxy_listener proxy = {.fd = -1};
	/* Published ones first: they are there before the fork, the others are sent. */
	for (size_t i = 0; i < p->publish_ports.n; i++) {
		if (i == PUBLISHED_MAX) {
			errs_at(a, errs, p->publish_ports.v[i].origin,
			    "more than %d publish_ports", PUBLISHED_MAX);
			break;
		}
		add_published(a, net, &p->publish_ports.v[i], errs);
	}
	add_inside(a, net, AF_INET, loopback4, &proxy);
	for (size_t i = 0; i < net->rules.nhost_ports; i++)
		add_host_port(a, net, &net->rules.host_ports[i]);
	for (size_t i = 0; i < STOCK; i++)
		add_request(a, net);
	struct netns_request *names = add_request(a, net);
	names->op = NETNS_DATAGRAM;
	names->port = NAMES_PORT;
	memcpy(names->addr, loopback4, sizeof(names->addr));
}

/* ---- the processes ---- */

static void
become_child(void)
{
	sigset_t none;
	sigemptyset(&none);
	/* Not of the caller's job: what the terminal sends is not for it. */
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	sigprocmask(SIG_SETMASK, &none, NULL);
	for (int fd = 0; fd <= 2; fd++)
		sys_null_fd(fd);
}

static int
confine_resolver(void *arg)
{
	const int *sock = arg;
	const char *stage;
	struct confine c = {
	    .role = FILTER_RESOLVER, .keep = sock, .nkeep = 1, .files = resolve_files};
	return confine_enter(&c, &stage) ? 0 : -1;
}

static _Noreturn void
resolver_main(int sock)
{
	become_child();
	if (sys_close_except(&sock, 1) != 0)
		_exit(EXIT_SRUN);
	resolve_serve(sock, confine_resolver, &sock);
}

/* The descriptors of the requests, in their order, one a message. */
static _Noreturn void
proxy_wait_main(const struct network *net, int control, int resolver)
{
	size_t ninside = net->nlisteners - net->npublished;
	int last[STOCK + 2],
	    keep[2 + PUBLISHED_MAX]; /* the stock, the names, the agent */
	size_t nkeep = 0;
	char byte;
	become_child();
	keep[nkeep++] = control;
	keep[nkeep++] = resolver;
	for (size_t i = 0; i < net->npublished; i++)
		keep[nkeep++] = net->listeners[i].fd;
	if (sys_close_except(keep, nkeep) != 0)
		_exit(EXIT_SRUN);
	for (size_t i = 0; i < net->nrequests + 1; i++) {
		int fd;
		if (sys_recv_fd(control, &byte, 1, &fd) != 1 || fd < 0)
			_exit(EXIT_SRUN);
		if (i < ninside)
			net->listeners[net->npublished + i].fd = fd;
		else
			last[i - ninside] = fd;
	}
	struct proxy_config config = {
	    .control = control,
	    .resolver = resolver,
	    .listeners = net->listeners,
	    .nlisteners = net->nlisteners,
	    .inside = last,
	    .ninside = STOCK,
	    .names = last[STOCK],
	    .agent = last[STOCK + 1],
	    .rules = &net->rules,
	    .own = &net->own,
	    .routes = &net->routes,
	};
	proxy_main(&config);
}

static bool
start(struct network *net)
{
	int control[2], names[2];
	if (socketpair(AF_UNIX, PROXY_CONTROL_TYPE | SOCK_CLOEXEC, 0, control) != 0)
		return false;
	net->control = control[0];
	if (socketpair(AF_UNIX, RESOLVE_SOCKET_TYPE | SOCK_CLOEXEC, 0, names) == 0) {
		net->resolver = fork();
		if (net->resolver == 0)
			resolver_main(names[1]);
		net->proxy = net->resolver > 0 ? fork() : -1;
		if (net->proxy == 0)
			proxy_wait_main(net, control[1], names[0]);
		int err = errno;
		close(names[0]);
		close(names[1]);
		errno = err;
	}
	int err = errno;
	close(control[1]);
	errno = err;
	return net->proxy > 0;
}

bool
network_begin(struct arena *a, const struct policy *p, const char *const *environ,
    struct network *net, struct errs *notes, struct errs *errs)
{
	struct strv warnings = {NULL, 0};
	size_t before = errs->text.n;
	*net = (struct network)NETWORK_NONE;
	net->rules = host_rules_make(a, p);
	net->routes = routes_make(a, p, environ, &warnings);
	for (size_t i = 0; i < warnings.n; i++)
		errs_add(a, notes, "%s", warnings.v[i]);
	read_own(a, net);
	plan(a, p, net, errs);
	net->denied = arena_alloc(a, (PROXY_DENIALS_MAX + 1) * sizeof(*net->denied));
	bool ok = errs->text.n == before;
	if (ok && !start(net)) {
		errs_add(
		    a, errs, "cannot start the proxy of the run: %s", strerror(errno));
		ok = false;
	}
	/* They are the proxy's now. */
	for (size_t i = 0; i < net->npublished; i++)
		if (net->listeners[i].fd >= 0)
			close(net->listeners[i].fd);
	if (!ok)
		network_end(net);
	return ok;
}

/* ---- the sandbox is there ---- */

/* IPv6 may be switched off in the run's network; only who asked for it by name needs it. */
static bool
may_miss(const struct network *net, size_t i)
{
	return i < net->nlisteners - net->npublished &&
	       net->requests[i].family == AF_INET6 &&
	       net->listeners[net->npublished + i].target.addr.family == AF_UNSPEC;
}

/* A listener that nobody reaches takes the place of one that cannot be. */
static int
replace(const struct netns_agent *agent)
{
	struct netns_request q = {.op = NETNS_LISTENER, .family = AF_INET};
	memcpy(q.addr, loopback4, sizeof(q.addr));
	return netns_ask(agent->sock, &q);
}

static bool
hand_over(struct arena *a, struct network *net, const struct netns_agent *agent,
    struct errs *errs)
{
	int *fds = arena_alloc(a, net->nrequests * sizeof(*fds));
	bool ok = true;
	netns_ask_all(agent->sock, net->requests, net->nrequests, fds);
	for (size_t i = 0; i < net->nrequests && ok; i++) {
		int err = errno;
		if (fds[i] < 0 && may_miss(net, i))
			fds[i] = replace(agent);
		if (fds[i] < 0)
			errs_add(a, errs, "cannot listen inside on port %u: %s",
			    net->requests[i].port, strerror(err));
		ok = fds[i] >= 0 && sys_send_fd(net->control, "", 1, fds[i]) == 0;
	}
	for (size_t i = 0; i < net->nrequests; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	return ok && sys_send_fd(net->control, "", 1, agent->sock) == 0;
}

static bool
await_ready(struct arena *a, struct network *net, struct errs *errs)
{
	struct proxy_report r;
	ssize_t n;
	do
		n = recv(net->control, &r, sizeof(r), 0);
	while (n < 0 && errno == EINTR);
	if (n == (ssize_t)sizeof(r) && r.kind == PROXY_READY)
		return true;
	r.text[sizeof(r.text) - 1] = '\0';
	errs_add(a, errs, "the proxy of the run cannot start: %s",
	    n == (ssize_t)sizeof(r) ? r.text : "it ended");
	return false;
}

bool
network_open(struct arena *a, struct network *net, pid_t inner, struct errs *errs)
{
	struct netns_agent agent;
	if (!netns_start(a, inner, &agent, errs))
		return false;
	size_t before = errs->text.n;
	bool ok = hand_over(a, net, &agent, errs);
	/* The proxy is its client now: it ends with the proxy. */
	net->agent = agent.pid;
	close(agent.sock);
	if (!ok && errs->text.n == before)
		errs_add(a, errs, "the proxy of the run ended early");
	return ok && await_ready(a, net, errs);
}

/* ---- while it runs, and after ---- */

/* False at the end of the socket; *done when the proxy has said all. */
static bool
read_one(struct network *net, int flags, bool *done)
{
	struct proxy_report r;
	ssize_t n = recv(net->control, &r, sizeof(r), flags);
	if (n < 0)
		return errno == EINTR || errno == EAGAIN;
	if (n != (ssize_t)sizeof(r))
		return false;
	r.host[sizeof(r.host) - 1] = r.text[sizeof(r.text) - 1] = '\0';
	if (r.kind == PROXY_DENIED && r.index <= PROXY_DENIALS_MAX)
		net->denied[r.index] = r;
	*done = r.kind == PROXY_DONE;
	return r.kind == PROXY_DENIED || r.kind == PROXY_DONE;
}

bool
network_read(struct network *net)
{
	bool done;
	return read_one(net, MSG_DONTWAIT, &done);
}

void
network_reaped(struct network *net, pid_t pid)
{
	if (pid == net->proxy)
		net->proxy = 0;
	if (pid == net->resolver)
		net->resolver = 0;
	if (pid == net->agent)
		net->agent = 0;
}

static void
flush(struct network *net)
{
	static const char order = PROXY_ORDER_FLUSH;
	struct pollfd p = {.fd = net->control, .events = POLLIN};
	int64_t until = sys_now_ms() + FLUSH_MS;
	bool done = send(net->control, &order, 1, MSG_NOSIGNAL) != 1;
	while (!done) {
		int64_t left = until - sys_now_ms();
		if (left <= 0 || poll(&p, 1, (int)left) <= 0 || !read_one(net, 0, &done))
			break;
	}
}

static void
end_process(pid_t *pid)
{
	if (*pid > 0) {
		kill(*pid, SIGKILL);
		while (waitpid(*pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	*pid = 0;
}

void
network_end(struct network *net)
{
	if (net->control < 0)
		return;
	if (net->proxy > 0)
		flush(net);
	close(net->control);
	net->control = -1;
	end_process(&net->proxy);
	end_process(&net->resolver);
	end_process(&net->agent);
}

/* ---- what was refused ---- */

static const char *
denial_text(struct arena *a, const struct network *net, const struct proxy_report *r)
{
	const struct host_rule *rule = proxy_report_rule(&net->rules, r);
	bool six = strchr(r->host, ':') != NULL;
	const char *host = r->host;
	if (r->port != 0)
		host = arena_printf(
		    a, "%s%s%s:%u", six ? "[" : "", r->host, six ? "]" : "", r->port);
	switch ((enum proxy_denial)r->denial) {
	case DENIAL_NOT_GRANTED:
		return arena_printf(
		    a, "%s is not in the grant [allow_domains = %s]", host, host);
	case DENIAL_RULE:
		return rule != NULL ? arena_printf(a, "%s is denied by %s:%u", host,
		                          rule->origin.file, rule->origin.line)
		                    : arena_printf(a, "%s is denied", host);
	case DENIAL_ADDRESS:
		return arena_printf(a,
		    "%s leads to %s [a rule for the address itself would allow it]", host,
		    r->text[0] != '\0' ? r->text : "a guarded address");
	case DENIAL_SNI:
		return arena_printf(a, "%s: TLS for another name, '%s'", host, r->text);
	case DENIAL_OTHERS:
		return "other hosts";
	}
	return host;
}

/* A look-up of a host that is in the table with a port as well. */
static bool
is_said(const struct network *net, size_t i)
{
	for (size_t k = 0; net->denied[i].port == 0 && k < PROXY_DENIALS_MAX; k++)
		if (net->denied[k].kind == PROXY_DENIED && net->denied[k].port != 0 &&
		    strcmp(net->denied[k].host, net->denied[i].host) == 0)
			return true;
	return false;
}

void
network_denials(
    struct arena *a, const struct network *net, size_t limit, struct errs *lines)
{
	size_t more = 0;
	for (size_t i = 0; net->denied != NULL && i <= PROXY_DENIALS_MAX; i++) {
		const struct proxy_report *r = &net->denied[i];
		if (r->kind != PROXY_DENIED || is_said(net, i))
			continue;
		if (lines->text.n >= limit) {
			more++;
			continue;
		}
		const char *times = r->count > 1 ? arena_printf(a, " (%llu times)",
		                                       (unsigned long long)r->count)
		                                 : "";
		errs_add(a, lines, "refused%s: %s", times, denial_text(a, net, r));
	}
	if (more > 0)
		errs_add(a, lines, "refused: %zu more", more);
}
