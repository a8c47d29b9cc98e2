/*
 * proxy: measures the proxy on loopback against the same work without it, in turns.
 *	proxy [ROUNDS [MIB]]
 * Prints ratios: bulk with 1 and 64 streams, new connections a second; the memory of 10,000
 * idle tunnels; 200 clients at once whose bytes are compared; and that nothing is left.
 */
#include <time.h>

#include "proxytest.h"

#define ADDR    "127.0.0.2"
#define STREAMS 64
#define IDLE    9900 /* two descriptors each, of 20,000 that a container often has */
#define CLIENTS 200
#define BLOCK   (256U * 1024)

static char block[BLOCK];

/* "N" and 15 digits: so many bytes are sent back, the pattern of the block again and again. */
static void
source_conn(int fd)
{
	char ask[17] = "";
	int on = 1;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	if (recv(fd, ask, 16, MSG_WAITALL) != 16)
		return;
	uint64_t left = strtoull(ask + 1, NULL, 10);
	while (left > 0) {
		ssize_t n = send(fd, block, left < BLOCK ? left : BLOCK, MSG_NOSIGNAL);
		if (n <= 0)
			return;
		/* So that the pattern goes on, a part of a block is finished first. */
		for (size_t at = (size_t)n; at < BLOCK && left > at;) {
			ssize_t more = send(fd, block + at,
			    left - at < BLOCK - at ? left - at : BLOCK - at,
			    MSG_NOSIGNAL);
			if (more <= 0)
				return;
			at += (size_t)more;
			n += more;
		}
		left -= (uint64_t)n;
	}
}

/* A process for each of the first connections, so that 64 streams have 64 sources. */
static pid_t
start_source(uint16_t *port)
{
	int lfd = listen_on(ADDR, port);
	pid_t pid = child();

	if (pid != 0) {
		close(lfd);
		return pid;
	}
	ignore(SIGCHLD);
	for (int i = 0; i < STREAMS * 4; i++)
		if (child() == 0)
			for (;;) {
				int fd = accept(lfd, NULL, NULL);
				if (fd >= 0)
					source_conn(fd);
				close(fd);
			}
	for (;;)
		pause();
}

/* Holds what it accepts and says nothing. */
static pid_t
start_silent(uint16_t *port)
{
	int lfd = listen_on(ADDR, port);
	pid_t pid = child();

	if (pid == 0)
		for (;;)
			accept(lfd, NULL, NULL);
	close(lfd);
	return pid;
}

/* A connection to the port, directly or through the proxy. */
static int
reach(const struct bench_proxy *p, uint16_t port)
{
	char text[128];

	if (p == NULL)
		return dial(ADDR, port);
	int fd = dial("127.0.0.1", p->port);
	snprintf(text, sizeof(text), "CONNECT ok.test:%u HTTP/1.1\r\n\r\n", port);
	send_text(fd, text);
	if (recv(fd, text, 39, MSG_WAITALL) != 39 ||
	    strncmp(text, "HTTP/1.1 200", 12) != 0) {
		text[39] = '\0';
		fprintf(stderr, "proxy: %s\n", text);
		exit(1);
	}
	return fd;
}

static void
ask_for(int fd, uint64_t bytes)
{
	char text[32];

	snprintf(text, sizeof(text), "N%015llu", (unsigned long long)bytes);
	send_bytes(fd, text, 16);
}

static double
now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* Seconds for so many bytes over n streams. */
static double
bulk(const struct bench_proxy *p, uint16_t port, int n, uint64_t bytes)
{
	static char buf[BLOCK];
	struct pollfd v[STREAMS];
	double start = now();
	int open = n;

	for (int i = 0; i < n; i++) {
		v[i] = (struct pollfd){reach(p, port), POLLIN, 0};
		ask_for(v[i].fd, bytes / (uint64_t)n);
	}
	while (open > 0) {
		poll(v, (nfds_t)n, -1);
		for (int i = 0; i < n; i++) {
			if (v[i].fd < 0 || v[i].revents == 0)
				continue;
			if (recv(v[i].fd, buf, sizeof(buf), 0) <= 0) {
				close(v[i].fd);
				v[i].fd = -1;
				open--;
			}
		}
	}
	return now() - start;
}

static double
connections(const struct bench_proxy *p, uint16_t port, int n)
{
	double start = now();
	char c;

	for (int i = 0; i < n; i++) {
		int fd = reach(p, port);
		ask_for(fd, 1);
		recv(fd, &c, 1, 0);
		close(fd);
	}
	return now() - start;
}

static int
compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double
median(double *v, int n)
{
	qsort(v, (size_t)n, sizeof(*v), compare);
	return v[n / 2];
}

static long
field_of(pid_t pid, const char *name)
{
	char path[64], text[8192];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	fd = open(path, O_RDONLY);
	ssize_t n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	const char *at = strstr(text, name);
	return at != NULL ? strtol(at + strlen(name) + 1, NULL, 10) : -1;
}

/* Seconds of processor time so far: what load on the machine changes least. */
static double
cpu_of(pid_t pid)
{
	char path[64], text[1024];
	unsigned long user = 0, system = 0;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY);
	ssize_t n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	const char *at = strrchr(text, ')');
	if (at != NULL)
		sscanf(at, ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user,
		    &system);
	return (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
}

static int
count_fds(pid_t pid)
{
	char path[64];
	int n = 0;

	for (int i = 0; i < 40000; i++) {
		snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)pid, i);
		n += access(path, F_OK) == 0;
	}
	return n;
}

static void
idle(const struct bench_proxy *p, uint16_t port, pid_t silent)
{
	static int fds[IDLE];
	long before = field_of(p->pid, "VmRSS:");
	int fds_before = count_fds(p->pid);

	for (int i = 0; i < IDLE; i++)
		fds[i] = reach(p, port);
	long after = field_of(p->pid, "VmRSS:");
	printf("%d idle tunnels: %ld bytes each (%ld KiB before, %ld KiB with them)\n",
	    IDLE, (after - before) * 1024 / IDLE, before, after);
	for (int i = 0; i < IDLE; i++)
		close(fds[i]);
	/* Of a client that is gone it learns at once from hosts that close in turn. */
	end_child(silent);
	usleep(500000);
	printf("  afterwards: %d descriptors (%d before), %ld KiB\n", count_fds(p->pid),
	    fds_before, field_of(p->pid, "VmRSS:"));
}

/* One of the clients: tunnels whose bytes are compared, until the time is over. */
static void
client(const struct bench_proxy *p, uint16_t port, double end, unsigned *good,
    unsigned *bad, unsigned seed)
{
	static char buf[BLOCK];

	while (now() < end) {
		uint64_t want = 1 + (seed = seed * 1103515245 + 12345) % (4U << 20),
		         at = 0;
		bool same = true;
		int fd = reach(p, port);
		ask_for(fd, want);
		for (;;) {
			ssize_t n = recv(fd, buf, sizeof(buf), 0);
			if (n <= 0)
				break;
			for (ssize_t i = 0; i < n && same; i++)
				same = buf[i] == block[(at + (size_t)i) % BLOCK];
			at += (uint64_t)n;
		}
		close(fd);
		__atomic_fetch_add(same && at == want ? good : bad, 1, __ATOMIC_SEQ_CST);
	}
}

static void
parallel(const struct bench_proxy *p, uint16_t port, int seconds)
{
	unsigned *count =
	    mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	double end = now() + seconds;
	int fds_before = count_fds(p->pid);
	pid_t pids[CLIENTS];

	for (int i = 0; i < CLIENTS; i++) {
		pids[i] = child();
		if (pids[i] == 0) {
			client(
			    p, port, end, &count[0], &count[1], (unsigned)i * 7919 + 1);
			_exit(0);
		}
	}
	for (int i = 0; i < CLIENTS; i++)
		waitpid(pids[i], NULL, 0);
	usleep(300000);
	printf("%d clients for %d s: %u transfers whole, %u not; %d descriptors (%d "
	       "before), %ld KiB\n",
	    CLIENTS, seconds, count[0], count[1], count_fds(p->pid), fds_before,
	    field_of(p->pid, "VmRSS:"));
}

static const struct fake_name names[] = {{"ok.test", {ADDR}}, {NULL, {NULL}}};

static void
compare_with_none(const struct bench_proxy *p, uint16_t port, int rounds, uint64_t bytes)
{
	static const int streams[] = {1, STREAMS};
	double direct[64], proxied[64];

	for (size_t s = 0; s < 2; s++) {
		double cpu = cpu_of(p->pid);
		for (int i = 0; i < rounds; i++) {
			direct[i] = bulk(NULL, port, streams[s], bytes);
			proxied[i] = bulk(p, port, streams[s], bytes);
		}
		double d = median(direct, rounds), q = median(proxied, rounds);
		cpu = (cpu_of(p->pid) - cpu) * 1e9 / ((double)bytes * rounds);
		printf("bulk, %2d streams: %.2f GB/s, without a proxy %.2f: ratio %.2f; "
		       "the proxy itself %.2f s/GB\n",
		    streams[s], (double)bytes / q / 1e9, (double)bytes / d / 1e9, d / q,
		    cpu);
	}
	double cpu = cpu_of(p->pid);
	for (int i = 0; i < rounds; i++) {
		direct[i] = connections(NULL, port, 2000);
		proxied[i] = connections(p, port, 2000);
	}
	double d = median(direct, rounds), q = median(proxied, rounds);
	cpu = (cpu_of(p->pid) - cpu) * 1e6 / (2000.0 * rounds);
	printf(
	    "connections: %.0f/s, without a proxy %.0f/s: ratio %.2f; the proxy itself "
	    "%.0f us each\n",
	    2000 / q, 2000 / d, d / q, cpu);
}

int
main(int argc, char **argv)
{
	int rounds = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 5;
	uint64_t bytes = (argc > 2 ? strtoull(argv[2], NULL, 10) : 512) << 20;
	struct rlimit files;
	struct shared_log *asked = make_log();
	struct proxy_setup s = {
	    .grant = "allow_domains = ok.test, 127.0.0.2\nparent_proxy = none",
	    .names = names,
	    .asked = asked};
	struct bench_proxy p;
	uint16_t port = 0, silent = 0;

	ignore(SIGPIPE);
	setvbuf(stdout, NULL, _IOLBF, 0);
	getrlimit(RLIMIT_NOFILE, &files);
	files.rlim_cur = files.rlim_max;
	setrlimit(RLIMIT_NOFILE, &files);
	for (size_t i = 0; i < BLOCK; i++)
		block[i] = (char)(i * 31 + i / 253);
	pid_t source = start_source(&port), quiet = start_silent(&silent);
	if (rounds < 1 || rounds > 64 || !start_proxy(&p, &s))
		die("the proxy does not start");
	compare_with_none(&p, port, rounds, bytes);
	idle(&p, silent, quiet);
	parallel(&p, port, argc > 3 ? (int)strtol(argv[3], NULL, 10) : 10);
	stop_proxy(&p);
	end_child(source);
	return 0;
}
