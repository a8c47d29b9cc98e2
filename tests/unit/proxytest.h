/*
 * proxytest.h: for tests and measurements: a proxy on loopback with rules from the text of
 * a grant, a resolver that answers from a table, origins that log what reaches them. The
 * log is memory that all of them share; it is the judge of every refusal.
 */
#ifndef SRUN_TEST_PROXY_H
#define SRUN_TEST_PROXY_H

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "policy.h"
#include "proxy.h"
#include "resolve.h"
#include "sys.h"

#define LOG_SIZE  (1U << 20)
#define ANSWER_MS 5000

struct shared_log {
	size_t len;
	unsigned conns;
	char text[LOG_SIZE];
};

struct fake_name {
	const char *name;
	const char *addrs[4]; /* none: there is no such name; "" first: silence */
};

struct bench_proxy {
	pid_t pid, resolver;
	int control, listener;
	uint16_t port;
	const struct host_rules *rules;
	struct routes *routes;
	struct arena arena;
};

/* What bash and other programs set; tests decide themselves. */
static const char *const no_environ[] = {NULL};

static inline void
die(const char *what)
{
	fprintf(stderr, "# %s: %s\n", what, strerror(errno));
	_exit(99);
}

static inline void
ignore(int sig)
{
	struct sigaction sa = {.sa_handler = SIG_IGN};

	sigaction(sig, &sa, NULL);
}

/* A child that dies with this process; 0 in the child. */
static inline pid_t
child(void)
{
	fflush(NULL);
	pid_t pid = fork();
	if (pid < 0)
		die("fork");
	if (pid == 0)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	return pid;
}

static inline void
end_child(pid_t pid)
{
	if (pid > 0) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
}

static inline struct shared_log *
make_log(void)
{
	void *p = mmap(NULL, sizeof(struct shared_log), PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		die("mmap");
	return p;
}

static inline void
log_bytes(struct shared_log *log, const char *data, size_t n)
{
	size_t at = __atomic_fetch_add(&log->len, n, __ATOMIC_SEQ_CST);
	if (at + n < LOG_SIZE)
		memcpy(log->text + at, data, n);
}

static inline void
clear_log(struct shared_log *log)
{
	memset(log->text, 0, log->len < LOG_SIZE ? log->len : LOG_SIZE);
	log->len = 0;
	log->conns = 0;
}

static inline int
listen_on(const char *addr, uint16_t *port)
{
	struct sockaddr_in sa = {.sin_family = AF_INET, .sin_port = htons(*port)};
	socklen_t len = sizeof(sa);
	int on = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	inet_pton(AF_INET, addr, &sa.sin_addr);
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (fd < 0 || bind(fd, (struct sockaddr *)&sa, sizeof(sa)) != 0 ||
	    listen(fd, 4096) != 0 || getsockname(fd, (struct sockaddr *)&sa, &len) != 0)
		die("listen");
	*port = ntohs(sa.sin_port);
	return fd;
}

static inline int
dial(const char *addr, uint16_t port)
{
	struct sockaddr_in sa = {.sin_family = AF_INET, .sin_port = htons(port)};
	int on = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	inet_pton(AF_INET, addr, &sa.sin_addr);
	if (fd < 0 || connect(fd, (struct sockaddr *)&sa, sizeof(sa)) != 0)
		die("connect");
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	return fd;
}

/* ---- the resolver ---- */

static inline void
fake_answer(const struct fake_name *n, struct resolve_answer *a)
{
	a->status = RESOLVE_NO_NAME;
	for (size_t i = 0; i < 4 && n->addrs[i] != NULL; i++) {
		struct host_addr *to = &a->addrs[a->n];
		unsigned char b[16];
		int family = strchr(n->addrs[i], ':') != NULL ? AF_INET6 : AF_INET;
		inet_pton(family, n->addrs[i], b);
		host_addr_make(family, b, to);
		a->n++;
		a->status = RESOLVE_OK;
	}
}

static inline void
serve_names(int fd, const struct fake_name *names, struct shared_log *asked)
{
	struct resolve_query q;

	while (recv(fd, &q, sizeof(q), 0) == (ssize_t)sizeof(q)) {
		struct resolve_answer a = {.id = q.id, .status = RESOLVE_NO_NAME};
		bool silent = false;
		if (q.ask != RESOLVE_LOOKUP)
			continue;
		log_bytes(asked, q.name, q.len);
		log_bytes(asked, "\n", 1);
		for (const struct fake_name *n = names; n->name != NULL; n++)
			if (strlen(n->name) == q.len &&
			    memcmp(n->name, q.name, q.len) == 0) {
				silent = n->addrs[0] != NULL && n->addrs[0][0] == '\0';
				if (!silent)
					fake_answer(n, &a);
			}
		if (!silent)
			send(fd, &a, sizeof(a), MSG_NOSIGNAL);
	}
	_exit(0);
}

/* ---- the proxy ---- */

struct proxy_setup {
	const char *grant; /* the text of [network] */
	const struct fake_name *names;
	struct shared_log *asked;
	const char *token;
	const char *const *environ;        /* for the routes; NULL: none */
	const struct proxy_listener *more; /* besides the one for the proxy's protocols */
	size_t nmore;
	const int *inside;
	size_t ninside;
	const struct host_addr_list *own;
	rlim_t files; /* 0: as it is */
};

static inline const struct policy *
policy_of(struct arena *a, const char *network)
{
	const char *text = arena_printf(a, "[network]\n%s\n", network);
	struct grant_text grant = {"test", "/", text, strlen(text), false};
	struct grant_context ctx = {"/root", "/", no_environ};
	struct errs errs = {{NULL, 0}};
	const struct policy *p = policy_build(a, &grant, NULL, 0, NULL, 0, &ctx, &errs);

	if (p == NULL) {
		printf("# %s\n", errs.text.v[0]);
		_exit(99);
	}
	return p;
}

static inline void
proxy_child(struct proxy_config *config, rlim_t files)
{
	struct rlimit limit;

	if (files != 0) {
		limit.rlim_cur = limit.rlim_max = files;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
#if defined(__SANITIZE_ADDRESS__)
	config->unconfined = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
	config->unconfined = true;
#endif
#endif
	proxy_main(config);
}

/* One report, or false after the time. */
static inline bool
next_report(const struct bench_proxy *p, struct proxy_report *r, int ms)
{
	struct pollfd pfd = {p->control, POLLIN, 0};
	return poll(&pfd, 1, ms) == 1 &&
	       recv(p->control, r, sizeof(*r), 0) == (ssize_t)sizeof(*r);
}

static inline bool
start_proxy(struct bench_proxy *p, const struct proxy_setup *s)
{
	static struct host_rules rules[64];
	static struct routes routes[64];
	static unsigned used;
	static struct proxy_listener listeners[8];
	struct proxy_config config = {.token = s->token,
	    .names = -1,
	    .agent = -1,
	    .inside = s->inside,
	    .ninside = s->ninside,
	    .own = s->own,
	    .listeners = listeners,
	    .nlisteners = 1 + s->nmore};
	int control[2], names[2];
	struct proxy_report r;
	struct strv warnings = {NULL, 0};

	memset(p, 0, sizeof(*p));
	const struct policy *policy = policy_of(&p->arena, s->grant);
	unsigned slot = used++ % 64;
	rules[slot] = host_rules_make(&p->arena, policy);
	routes[slot] = routes_make(
	    &p->arena, policy, s->environ != NULL ? s->environ : no_environ, &warnings);
	p->rules = config.rules = &rules[slot];
	p->routes = &routes[slot];
	config.routes = p->routes;
	p->listener = listen_on("127.0.0.1", &p->port);
	memset(listeners, 0, sizeof(listeners));
	listeners[0].fd = p->listener;
	if (s->nmore > 0)
		memcpy(listeners + 1, s->more, s->nmore * sizeof(*s->more));
	if (socketpair(AF_UNIX, PROXY_CONTROL_TYPE | SOCK_CLOEXEC, 0, control) != 0 ||
	    socketpair(AF_UNIX, RESOLVE_SOCKET_TYPE | SOCK_CLOEXEC, 0, names) != 0)
		die("socketpair");
	p->resolver = child();
	if (p->resolver == 0) {
		close(names[0]);
		close(control[0]);
		close(control[1]);
		serve_names(names[1], s->names, s->asked);
	}
	p->pid = child();
	if (p->pid == 0) {
		close(names[1]);
		close(control[0]);
		config.control = control[1];
		config.resolver = names[0];
		proxy_child(&config, s->files);
	}
	close(control[1]);
	close(names[0]);
	close(names[1]);
	p->control = control[0];
	return next_report(p, &r, ANSWER_MS) && r.kind == PROXY_READY;
}

static inline void
stop_proxy(struct bench_proxy *p)
{
	close(p->control);
	close(p->listener);
	/* It must end by itself when the control socket does. */
	for (int i = 0; i < 200 && waitpid(p->pid, NULL, WNOHANG) == 0; i++)
		usleep(10000);
	if (waitpid(p->pid, NULL, WNOHANG) == 0)
		end_child(p->pid);
	waitpid(p->resolver, NULL, 0);
	arena_free(&p->arena);
}

/* ---- a client ---- */

/*
 * Reads until the peer closes, until there is want bytes (0: never enough), or for ms.
 * Returns the bytes; *closed says why it ended. The text ends in NUL.
 */
static inline size_t
read_for(int fd, char *buf, size_t cap, size_t want, int ms, bool *closed)
{
	int64_t end = sys_now_ms() + ms;
	size_t len = 0;

	*closed = false;
	while (len < cap - 1 && (want == 0 || len < want)) {
		int left = (int)(end - sys_now_ms());
		struct pollfd pfd = {fd, POLLIN, 0};
		if (left <= 0 || poll(&pfd, 1, left) <= 0)
			break;
		ssize_t n = recv(fd, buf + len, cap - 1 - len, 0);
		if (n <= 0) {
			*closed = true;
			break;
		}
		len += (size_t)n;
	}
	buf[len] = '\0';
	return len;
}

static inline void
send_bytes(int fd, const void *data, size_t len)
{
	const char *p = data;

	while (len > 0) {
		ssize_t n = send(fd, p, len, MSG_NOSIGNAL);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return;
		p += n;
		len -= (size_t)n;
	}
}

static inline void
send_text(int fd, const char *s)
{
	send_bytes(fd, s, strlen(s));
}

#endif
