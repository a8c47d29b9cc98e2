/*
 * test_resolve: the resolver process against a name server of our own, in namespaces of
 * our own: /etc is a file system in memory, so that it is the system's look-up that runs.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "hostsfile.h"
#include "resolve.h"
#include "tap.h"
#include "util.h"

#define SLOW_MS     100
#define PATIENCE_MS 8000

static int64_t
now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

/* ---- the place ---- */

static bool
write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	bool good = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return good;
}

static bool
loopback_up(void)
{
	struct ifreq ifr = {.ifr_name = "lo"};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool good;

	ifr.ifr_flags = IFF_UP | IFF_RUNNING;
	good = fd >= 0 && ioctl(fd, SIOCSIFFLAGS, &ifr) == 0;
	close(fd);
	return good;
}

static bool
make_place(void)
{
	char map[64];
	unsigned uid = getuid(), gid = getgid();

	if (unshare(CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWNS) != 0)
		return false;
	snprintf(map, sizeof(map), "0 %u 1", uid);
	if (!write_file("/proc/self/uid_map", map) ||
	    !write_file("/proc/self/setgroups", "deny"))
		return false;
	snprintf(map, sizeof(map), "0 %u 1", gid);
	if (!write_file("/proc/self/gid_map", map) || !loopback_up())
		return false;
	if (mount("tmpfs", "/etc", "tmpfs", MS_NOSUID | MS_NODEV, NULL) != 0)
		return false;
	return write_file("/etc/hosts", "127.0.0.1 localhost\n"
	                                "198.51.100.1\tfile.test Alias.Test. # not.test\n"
	                                "2001:db8::1 file.test\n"
	                                "198.51.100.1 file.test\n"
	                                "fe80::1%lo zone.test\n"
	                                "127.1 short.test\n"
	                                "198.51.100.2 single\n"
	                                "198.51.100.3 last.test") &&
	       write_file("/etc/resolv.conf",
	           "nameserver 127.0.0.1\nsearch corp.test\noptions ndots:5\n");
}

/* ---- the name server ---- */

/* What it was asked: counted by the first letter of the name. */
struct counts {
	unsigned asked[256];
};

enum { RCODE_OK = 0, RCODE_SERVFAIL = 2, RCODE_NXDOMAIN = 3, RCODE_REFUSED = 5 };

/* By the first label: "silent12" is "silent". */
static const struct behaviour {
	const char *name;
	int rcode;
	unsigned addrs;
	bool silent, slow, cut;
	enum { SIX_NONE, SIX_ONE, SIX_SILENT, SIX_BROKEN } six; /* the answer for AAAA */
} behaviours[] = {
    {"good", RCODE_OK, 1, false, false, false, SIX_NONE},
    {"many", RCODE_OK, 20, false, false, false, SIX_NONE},
    {"nodata", RCODE_OK, 0, false, false, false, SIX_NONE},
    {"xnone", RCODE_NXDOMAIN, 0, false, false, false, SIX_NONE},
    {"broken", RCODE_SERVFAIL, 0, false, false, false, SIX_NONE},
    {"refused", RCODE_REFUSED, 0, false, false, false, SIX_NONE},
    {"trunc", RCODE_OK, 0, false, false, true, SIX_NONE},
    {"quiet", RCODE_OK, 0, true, false, false, SIX_NONE},
    {"slow", RCODE_OK, 1, false, true, false, SIX_NONE},
    {"half", RCODE_OK, 1, false, false, false, SIX_SILENT},
    {"lame", RCODE_OK, 1, false, false, false, SIX_BROKEN},
    {"both", RCODE_OK, 1, false, false, false, SIX_ONE},
    {"vsix", RCODE_OK, 0, false, false, false, SIX_ONE},
};

static const struct behaviour *
behaviour_of(const unsigned char *label)
{
	for (size_t i = 0; i < SRUN_ARRAY_LEN(behaviours); i++) {
		size_t n = strlen(behaviours[i].name);

		if (label[0] >= n && memcmp(label + 1, behaviours[i].name, n) == 0)
			return &behaviours[i];
	}
	return NULL;
}

/* The reply in place of the query, of which the first len bytes are the question's. */
static size_t
make_reply(unsigned char *m, size_t len, const struct behaviour *b, bool is_a)
{
	static const unsigned char four[] = {
	    0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 9, 0, 4, 198, 51, 100, 0};
	static const unsigned char six[] = {
	    0xc0, 12, 0, 28, 0, 1, 0, 0, 0, 9, 0, 16, 0x20, 0x01, 0x0d, 0xb8, [27] = 7};
	bool broken = !is_a && b->six == SIX_BROKEN;
	unsigned n = is_a ? b->addrs : 0;

	m[2] = (unsigned char)(0x80 | (m[2] & 1) | (b->cut ? 2 : 0));
	m[3] = (unsigned char)(0x80 | (broken ? RCODE_SERVFAIL : b->rcode));
	m[9] = m[11] = 0;
	for (unsigned i = 0; i < n; i++) {
		memcpy(m + len, four, sizeof(four));
		len += sizeof(four);
		m[len - 1] = (unsigned char)(7 + i);
	}
	if (!is_a && b->six == SIX_ONE) {
		n = 1;
		memcpy(m + len, six, sizeof(six));
		len += sizeof(six);
	}
	m[7] = (unsigned char)n;
	return len;
}

/*
 * "NAME.test." is as it behaves; "NAME.test.corp.test." would be a search domain's, and
 * is answered with an address, so that whoever asks for it is found out.
 */
static _Noreturn void
serve_names(int fd, struct counts *counts)
{
	for (;;) {
		unsigned char m[512];
		struct sockaddr_in from;
		socklen_t from_len = sizeof(from);
		ssize_t n =
		    recvfrom(fd, m, sizeof(m), 0, (struct sockaddr *)&from, &from_len);
		const struct behaviour *b;
		size_t at = 12, labels = 0;

		if (n < 17)
			continue;
		b = behaviour_of(m + 12);
		for (; m[at] != 0 && at < (size_t)n - 5; at += m[at] + 1U)
			labels++;
		if (m[at + 2] == 1)
			counts->asked[m[13]]++;
		if (b == NULL && labels > 1)
			b = &behaviours[3];
		if (labels > 2 || b == NULL)
			b = &behaviours[0];
		if (b->silent || (b->six == SIX_SILENT && m[at + 2] == 28))
			continue;
		if (b->slow && m[at + 2] == 1)
			usleep(SLOW_MS * 1000);
		n = (ssize_t)make_reply(m, at + 5, b, m[at + 2] == 1);
		sendto(fd, m, (size_t)n, 0, (struct sockaddr *)&from, from_len);
	}
}

static pid_t
start_server(struct counts *counts)
{
	struct sockaddr_in sin = {.sin_family = AF_INET, .sin_port = htons(53)};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), size = 1 << 20;
	pid_t pid;

	sin.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	if (fd < 0 || bind(fd, (struct sockaddr *)&sin, sizeof(sin)) != 0)
		return -1;
	fflush(stdout);
	pid = fork();
	if (pid == 0)
		serve_names(fd, counts);
	close(fd);
	return pid;
}

/* ---- the resolver ---- */

static int
confine_fails(void *arg)
{
	(void)arg;
	return -1;
}

static pid_t
start_resolver(int *fd, int (*confine)(void *arg))
{
	int pair[2];
	pid_t pid;

	if (socketpair(AF_UNIX, RESOLVE_SOCKET_TYPE | SOCK_CLOEXEC, 0, pair) != 0)
		return -1;
	fflush(stdout); /* the process ends by _exit, but a sanitizer's may write */
	pid = fork();
	if (pid == 0) {
		close(pair[0]);
		resolve_serve(pair[1], confine, NULL);
	}
	close(pair[1]);
	*fd = pair[0];
	return pid;
}

static bool
ask(int fd, uint32_t id, const char *name)
{
	struct host_name h;

	return host_name_parse(name, strlen(name), &h) == NULL &&
	       resolve_ask(fd, id, &h) == 0;
}

/* 1, or 0 after so many milliseconds, or -1. */
static int
next(int fd, int ms, struct resolve_answer *a)
{
	struct pollfd p = {fd, POLLIN, 0};

	if (poll(&p, 1, ms) <= 0)
		return 0;
	return resolve_next(fd, a);
}

/* Exit status once the other end is closed, -1 if it has not ended in time. */
static int
end_of(pid_t pid, int fd)
{
	int status;

	if (fd >= 0)
		close(fd);
	for (int i = 0; i < 200; i++) {
		if (waitpid(pid, &status, WNOHANG) == pid)
			return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
		usleep(10000);
	}
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	return -1;
}

/* ---- answers ---- */

static const struct {
	const char *name;
	enum resolve_status status;
	const char *addrs;
} answers[] = {
    {"good.test", RESOLVE_OK, "198.51.100.7"},
    {"file.test", RESOLVE_OK, "198.51.100.1 2001:db8::1"},
    {"alias.test", RESOLVE_OK, "198.51.100.1"},
    {"last.test", RESOLVE_OK, "198.51.100.3"},
    {"single", RESOLVE_OK, "198.51.100.2"},
    {"not.test", RESOLVE_NO_NAME, ""},
    {"zone.test", RESOLVE_NO_NAME, ""},
    {"short.test", RESOLVE_NO_NAME, ""},
    {"xnone.test", RESOLVE_NO_NAME, ""},
    {"nodata.test", RESOLVE_NO_DATA, ""},
    {"broken.test", RESOLVE_TRY, ""},
#ifdef __GLIBC__ /* asks again by TCP, where nobody answers */
    {"trunc.test", RESOLVE_TRY, ""},
#else
    {"trunc.test", RESOLVE_FAIL, ""},
#endif
    {"other.test", RESOLVE_NO_NAME, ""},
    {"both.test", RESOLVE_OK, "198.51.100.7 2001:db8::7"},
    {"vsix.test", RESOLVE_OK, "2001:db8::7"},
    /* servers that are silent, or fail, for AAAA alone */
    {"half.test", RESOLVE_OK, "198.51.100.7"},
    {"lame.test", RESOLVE_OK, "198.51.100.7"},
    /* one label: the search domain is the system's, and is used */
    {"intranet", RESOLVE_OK, "198.51.100.7"},
};

static void
test_answers(void)
{
	int fd;
	pid_t pid = start_resolver(&fd, NULL);

	for (size_t i = 0; i < SRUN_ARRAY_LEN(answers); i++) {
		struct arena a = {NULL};
		struct bytes got = {NULL, 0, 0};
		struct resolve_answer answer;

		ok(ask(fd, (uint32_t)i, answers[i].name), "%s is asked", answers[i].name);
		if (!ok(next(fd, PATIENCE_MS, &answer) == 1 && answer.id == i,
		        "%s is answered", answers[i].name))
			continue;
		is_int(answer.status, answers[i].status, "%s %s", answers[i].name,
		    resolve_status_words[answer.status]);
		for (size_t j = 0; j < answer.n; j++) {
			struct host_name h;

			host_name_of_addr(&answer.addrs[j], &h);
			bytes_printf(&a, &got, "%s%s", j == 0 ? "" : " ", h.text);
		}
		bytes_add(&a, &got, "", 1);
		is_str(
		    got.data, answers[i].addrs, "the addresses of %s", answers[i].name);
		arena_free(&a);
	}
	is_int(end_of(pid, fd), 0, "it ends when the other end is closed");
}

static void
test_many_addresses(void)
{
	struct resolve_answer a;
	int fd;
	pid_t pid = start_resolver(&fd, NULL);

	ok(ask(fd, 1, "many.test") && next(fd, PATIENCE_MS, &a) == 1 && a.n == 20,
	    "twenty addresses arrive");
	end_of(pid, fd);
}

/* Where there is a way to IPv6 it is tried first. */
static void
test_order(void)
{
	struct { /* in6_ifreq, which no header gives beside the C library's */
		struct in6_addr addr;
		uint32_t prefix;
		int index;
	} six = {.prefix = 128, .index = 1};
	struct resolve_answer a;
	int sock = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0), fd;
	pid_t pid;

	six.addr.s6_addr[0] = 0x20;
	six.addr.s6_addr[1] = 0x01;
	six.addr.s6_addr[2] = 0x0d;
	six.addr.s6_addr[3] = 0xb8;
	six.addr.s6_addr[15] = 7;
	if (!ok(sock >= 0 && ioctl(sock, SIOCSIFADDR, &six) == 0,
	        "an IPv6 address on lo"))
		return;
	usleep(100000);
	pid = start_resolver(&fd, NULL);
	ask(fd, 1, "both1.test");
	ok(next(fd, PATIENCE_MS, &a) == 1 && a.n == 2 && a.addrs[0].family == AF_INET6,
	    "it comes first then");
	end_of(pid, fd);
	close(sock);
}

/* A server that knows nothing of AAAA costs nothing. */
static void
test_half(void)
{
	struct resolve_answer a;
	int64_t start = now_us();
	int fd;
	pid_t pid = start_resolver(&fd, NULL);

	ok(ask(fd, 1, "half1.test") && next(fd, PATIENCE_MS, &a) == 1 && a.n == 1,
	    "an answer though AAAA gets none");
	ok(now_us() - start < 1000000, "within a second (%lld us)",
	    (long long)(now_us() - start));
	ok(ask(fd, 2, "lame1.test") && next(fd, PATIENCE_MS, &a) == 1 && a.n == 1 &&
	        now_us() - start < 2000000,
	    "nor does one that fails for it");
	is_int(end_of(pid, fd), 0, "it ends");
}

/* One look-up serves all who ask for the name meanwhile, and for a moment after. */
static void
test_joined(struct counts *counts)
{
	struct resolve_answer a;
	unsigned before = counts->asked['s'];
	bool seen[50] = {false};
	size_t good = 0;
	int fd;
	pid_t pid = start_resolver(&fd, NULL);

	for (uint32_t i = 0; i < 50; i++)
		ask(fd, i, "slow.test");
	for (size_t i = 0; i < 50; i++)
		if (next(fd, PATIENCE_MS, &a) == 1 && a.id < 50 && !seen[a.id] &&
		    a.status == RESOLVE_OK) {
			seen[a.id] = true;
			good++;
		}
	is_int(good, 50, "each of fifty is answered once");
	ask(fd, 99, "slow.test");
	ok(next(fd, SLOW_MS / 2, &a) == 1 && a.id == 99 && a.n == 1, "and one later");
	is_int(counts->asked['s'] - before, 1, "the server was asked once");
	end_of(pid, fd);
}

static void
test_cancelled(void)
{
	struct resolve_answer a;
	int fd;
	pid_t pid = start_resolver(&fd, NULL);

	ask(fd, 1, "slow1.test");
	ask(fd, 2, "slow1.test");
	ask(fd, 3, "slow1.test");
	ok(resolve_cancel(fd, 2) == 0 && resolve_cancel(fd, 77) == 0, "cancelled");
	ok(next(fd, PATIENCE_MS, &a) == 1 && a.id != 2 &&
	        next(fd, PATIENCE_MS, &a) == 1 && a.id != 2,
	    "the others are answered");
	ok(next(fd, 300, &a) == 0, "who cancelled is not");
	end_of(pid, fd);
}

/* A hundred look-ups one after the other: the longest, in microseconds; -1 if any failed. */
static int64_t
worst_of(int fd, const char *prefix, int64_t *mean)
{
	struct resolve_answer a;
	int64_t worst = 0, begin = now_us();
	char name[32];
	unsigned good = 0;

	for (uint32_t i = 0; i < 100; i++) {
		int64_t start = now_us(), took;

		snprintf(name, sizeof(name), "%s%u.test", prefix, i);
		ask(fd, 1000 + i, name);
		good += next(fd, PATIENCE_MS, &a) == 1 && a.id == 1000 + i && a.n == 1;
		took = now_us() - start;
		worst = took > worst ? took : worst;
	}
	*mean = (now_us() - begin) / 100;
	return good == 100 ? worst : -1;
}

/* 64 names whose server is silent, and what they cost the others. */
static void
test_silent(void)
{
	int64_t alone, beside, mean_alone, mean_beside;
	char name[32];
	int fd;
	pid_t pid = start_resolver(&fd, NULL);

	alone = worst_of(fd, "good", &mean_alone);
	for (uint32_t i = 0; i < 64; i++) {
		snprintf(name, sizeof(name), "quiet%u.test", i);
		ask(fd, i, name);
	}
	beside = worst_of(fd, "goods", &mean_beside);
	ok(alone >= 0 && beside >= 0, "a hundred are answered beside 64 that are not");
	ok(beside - alone <= 50000,
	    "at most 50 ms later (mean %lld us, worst %lld; alone %lld, %lld)",
	    (long long)mean_beside, (long long)beside, (long long)mean_alone,
	    (long long)alone);
	is_int(end_of(pid, fd), 0, "it ends though 64 threads wait");
}

static void
test_at_once(void)
{
	struct resolve_answer a;
	int64_t start;
	char name[32];
	int fd, good = 0;
	pid_t pid = start_resolver(&fd, NULL);

	for (uint32_t i = 0; i < 64; i++) {
		snprintf(name, sizeof(name), "quiet%u.test", i);
		ask(fd, i, name);
	}
	start = now_us();
	for (uint32_t i = 0; i < 60; i++) {
		snprintf(name, sizeof(name), "good%u.test", i);
		ask(fd, 1000 + i, name);
	}
	for (size_t i = 0; i < 60; i++)
		good += next(fd, PATIENCE_MS, &a) == 1 && a.n == 1;
	is_int(good, 60, "60 at once beside 64 silent ones (%lld us)",
	    (long long)(now_us() - start));
	end_of(pid, fd);
}

static void
test_cap(void)
{
	struct resolve_answer a;
	int64_t start;
	char name[32];
	int fd, got;
	pid_t pid = start_resolver(&fd, NULL);

	for (uint32_t i = 0; i < RESOLVE_LOOKUPS_MAX; i++) {
		snprintf(name, sizeof(name), "quiet%u.test", i);
		while (!ask(fd, i, name))
			usleep(1000);
	}
	while (!ask(fd, 9999, "good.test"))
		usleep(1000);
	start = now_us();
	got = next(fd, PATIENCE_MS, &a);
	ok(got == 1 && a.id == 9999 && a.status == RESOLVE_BUSY,
	    "one look-up too many is told at once (%lld us)",
	    (long long)(now_us() - start));
	ask(fd, 10000, "quiet7.test");
	ok(next(fd, 200, &a) == 0, "one for a name that is being asked is not");
	is_int(end_of(pid, fd), 0, "it ends");
}

/* More names than places, one after the other: what is held gives way. */
static void
test_held(void)
{
	struct resolve_answer a;
	char name[32];
	int fd;
	unsigned good = 0;
	pid_t pid = start_resolver(&fd, NULL);

	for (uint32_t i = 0; i < RESOLVE_LOOKUPS_MAX + 50; i++) {
		snprintf(name, sizeof(name), "good%u.test", i);
		ask(fd, i, name);
		good += next(fd, PATIENCE_MS, &a) == 1 && a.id == i && a.n == 1;
	}
	is_int(good, RESOLVE_LOOKUPS_MAX + 50, "each of %u names is answered",
	    (unsigned)RESOLVE_LOOKUPS_MAX + 50);
	end_of(pid, fd);
}

/* Nobody reads the answers: nothing is lost, and asking says so instead of blocking. */
static void
test_unread(void)
{
	struct resolve_answer a;
	uint32_t asked = 0, answered = 0;
	int64_t start = now_us();
	int fd;
	pid_t pid = start_resolver(&fd, NULL);

	while (now_us() - start < 5000000 && asked < 100000) {
		if (!ask(fd, asked, "file.test"))
			break;
		asked++;
	}
	ok(asked < 100000 && errno == EAGAIN, "asking fails with EAGAIN after %u", asked);
	while (answered < asked && next(fd, PATIENCE_MS, &a) == 1)
		answered++;
	is_int(answered, asked, "and every question has its answer");
	is_int(end_of(pid, fd), 0, "it ends");
}

static void
test_confined(void)
{
	struct resolve_answer a;
	int fd;
	pid_t pid = start_resolver(&fd, confine_fails);

	is_int(end_of(pid, -1), 1, "nothing is served when it cannot be confined");
	is_int(next(fd, 100, &a), -1, "and the asker learns it");
	close(fd);
}

/* As the real confinement: only the files named may be read, by what they are now. */
static int
confine_to_files(void *arg)
{
	struct landlock_ruleset_attr all = {
	    .handled_access_fs = LANDLOCK_ACCESS_FS_READ_FILE};
	struct landlock_path_beneath_attr rule = {
	    .allowed_access = LANDLOCK_ACCESS_FS_READ_FILE};
	int set = (int)syscall(SYS_landlock_create_ruleset, &all, sizeof(all), 0);

	(void)arg;
	if (set < 0)
		return -1;
	for (const char *const *f = resolve_files; *f != NULL; f++) {
		rule.parent_fd = open(*f, O_PATH | O_CLOEXEC);
		if (syscall(SYS_landlock_add_rule, set, LANDLOCK_RULE_PATH_BENEATH, &rule,
		        0) != 0)
			return -1;
	}
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	return (int)syscall(SYS_landlock_restrict_self, set, 0);
}

static void
test_stale(void)
{
	static const char text[] = "nameserver 127.0.0.1\n";
	struct resolve_answer a;
	int fd;
	pid_t pid;

	if (syscall(SYS_landlock_create_ruleset, NULL, 0, 1) < 0) {
		ok(true, "a replaced resolv.conf # SKIP no Landlock (%s)",
		    strerror(errno));
		return;
	}
	pid = start_resolver(&fd, confine_to_files);
	ask(fd, 1, "good.test");
	ok(next(fd, PATIENCE_MS, &a) == 1 && a.status == RESOLVE_OK,
	    "looked up by a resolver that may read two files");
	ask(fd, 2, "file.test");
	ok(next(fd, PATIENCE_MS, &a) == 1 && a.status == RESOLVE_OK && a.n == 2,
	    "the hosts file too");
	ok(write_file("/etc/new.conf", text) &&
	        rename("/etc/new.conf", "/etc/resolv.conf") == 0,
	    "the file is replaced");
	ask(fd, 3, "good3.test");
	ok(next(fd, PATIENCE_MS, &a) == 1 && a.status == RESOLVE_STALE,
	    "it says so and asks nobody");
	end_of(pid, fd);
	pid = start_resolver(&fd, confine_to_files);
	ask(fd, 4, "good4.test");
	ok(next(fd, PATIENCE_MS, &a) == 1 && a.status == RESOLVE_OK, "a new one does");
	end_of(pid, fd);
}

static void
test_unsound(void)
{
	static const struct resolve_query queries[] = {
	    {1, 2, 1, "a"},
	    {1, RESOLVE_LOOKUP, 0, ""},
	    {1, RESOLVE_LOOKUP, 254, "a"},
	    {1, RESOLVE_LOOKUP, 2, "a"},
	};
	struct resolve_answer a;
	int fd;

	for (size_t i = 0; i < SRUN_ARRAY_LEN(queries); i++) {
		pid_t pid = start_resolver(&fd, NULL);

		ok(send(fd, &queries[i], sizeof(queries[i]), 0) > 0, "sent");
		is_int(end_of(pid, -1), 1, "unsound query %zu ends it", i);
		close(fd);
	}
	{
		pid_t pid = start_resolver(&fd, NULL);

		ok(send(fd, "x", 1, 0) == 1, "sent");
		is_int(end_of(pid, -1), 1, "a short one as well");
		is_int(resolve_next(fd, &a), -1, "nothing is read then");
		close(fd);
	}
}

/* The asker believes no more than what an answer can be. */
static void
test_unsound_answers(void)
{
	struct resolve_answer good = {.id = 1, .status = RESOLVE_OK, .n = 1};
	struct resolve_answer bad[5], got;
	int pair[2];

	good.addrs[0] =
	    (struct host_addr){AF_INET6, {[10] = 0xff, [11] = 0xff, 127, 0, 0, 1}};
	for (size_t i = 0; i < SRUN_ARRAY_LEN(bad); i++)
		bad[i] = good;
	bad[0].status = RESOLVE_STALE + 1;
	bad[1].n = RESOLVE_ADDRS_MAX + 1;
	bad[2].addrs[0].family = AF_UNIX;
	bad[3].n = 0;
	bad[4].status = RESOLVE_NO_NAME;
	if (socketpair(AF_UNIX, RESOLVE_SOCKET_TYPE | SOCK_CLOEXEC, 0, pair) != 0)
		return;
	send(pair[1], &good, sizeof(good), 0);
	ok(resolve_next(pair[0], &got) == 1 && got.addrs[0].family == AF_INET &&
	        got.addrs[0].bytes[0] == 127,
	    "a mapped address is made IPv4 on this side");
	for (size_t i = 0; i < SRUN_ARRAY_LEN(bad); i++) {
		send(pair[1], &bad[i], sizeof(bad[i]), 0);
		ok(resolve_next(pair[0], &got) == -1 && errno == EPROTO,
		    "unsound answer %zu", i);
	}
	send(pair[1], &good, sizeof(good) - 1, 0);
	ok(resolve_next(pair[0], &got) == -1 && errno == EPROTO, "a short answer");
	is_int(resolve_next(pair[0], &got), 0, "none");
	close(pair[1]);
	ok(resolve_next(pair[0], &got) == -1 && errno == EPIPE, "the resolver is gone");
	close(pair[0]);
}

static void
test_hosts_lines(void)
{
	static const struct {
		const char *line, *name, *want;
	} rows[] = {
	    {"1.2.3.4 a.test", "a.test", "1.2.3.4"},
	    {"  1.2.3.4\t a.test \t", "a.test", "1.2.3.4"},
	    {"1.2.3.4 b a.test c", "a.test", "1.2.3.4"},
	    {"1.2.3.4 A.TEST", "a.test", "1.2.3.4"},
	    {"1.2.3.4 a.test.", "a.test", "1.2.3.4"},
	    {"1.2.3.4 a.test\r", "a.test", "1.2.3.4"},
	    {"2001:db8::1 a.test", "a.test", "2001:db8::1"},
	    {"1.2.3.4 a.test#x", "a.test", "1.2.3.4"},
	    {"1.2.3.4 #a.test", "a.test", NULL},
	    {"#1.2.3.4 a.test", "a.test", NULL},
	    {"1.2.3.4 xa.test", "a.test", NULL},
	    {"1.2.3.4 a.testx", "a.test", NULL},
	    {"1.2.3.4 a.test..", "a.test", NULL},
	    {"1.2.3.4", "1.2.3.4", NULL},
	    {"a.test a.test", "a.test", NULL},
	    {"fe80::1%eth0 a.test", "a.test", NULL},
	    {"127.1 a.test", "a.test", NULL},
	    {"", "a.test", NULL},
	    {"   ", "a.test", NULL},
	};

	for (size_t i = 0; i < SRUN_ARRAY_LEN(rows); i++) {
		struct host_addr addr;
		struct host_name h;
		bool got =
		    hosts_line(rows[i].line, strlen(rows[i].line), rows[i].name, &addr);

		if (got)
			host_name_of_addr(&addr, &h);
		is_str(got ? h.text : NULL, rows[i].want, "line '%s'", rows[i].line);
	}
}

int
main(void)
{
	struct counts *counts = mmap(NULL, sizeof(*counts), PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t server;

	test_hosts_lines();
	test_unsound_answers();
	if (!make_place()) {
		ok(true, "the resolver itself # SKIP no user namespace (%s)",
		    strerror(errno));
		return done();
	}
	server = start_server(counts);
	ok(server > 0, "a name server on 127.0.0.1:53");
	test_answers();
	test_many_addresses();
	test_half();
	test_order();
	test_joined(counts);
	test_cancelled();
	test_silent();
	test_at_once();
	test_cap();
	test_held();
	test_unread();
	test_confined();
	test_stale();
	test_unsound();
	kill(server, SIGKILL);
	waitpid(server, NULL, 0);
	return done();
}
