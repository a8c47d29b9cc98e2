/*
 * resolve.c: names to addresses, in a process of its own.
 *
 * Owns every look-up and every thread of srun. Must not judge a name or an address: it is
 * asked what the proxy has found granted, and what it answers is judged again there.
 *
 * One thread reads the queries. Each look-up has a thread of its own, which answers all
 * who asked for that name meanwhile and ends; it asks for IPv4, and starts another that
 * asks for IPv6. A look-up cannot be called off (it is in getaddrinfo), so a cancelled one
 * goes on and keeps its place until the system's resolver gives up. All that is shared is
 * struct resolver, under its one lock. The lock is held while answers are sent: the asker
 * never blocks on us, so that ends.
 */
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <resolv.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "hostsfile.h"
#include "resolve.h"
#include "util.h"

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0 /* macOS: SO_NOSIGPIPE, by who makes the pair */
#endif

#define STACK_BYTES (128 * 1024) /* musl's look-up takes 20 KiB; only that is touched */
#define HELD_MS     2000         /* a good answer serves who asks next */
#define GRACE_MS    50           /* what IPv4 waits for IPv6 (RFC 8305, section 3) */

#define HOSTS_FILE "/etc/hosts"
#define CONF_FILE  "/etc/resolv.conf"

const char *const resolve_files[] = {HOSTS_FILE, CONF_FILE, NULL};

const char *const resolve_status_words[] = {
    [RESOLVE_OK] = "has an address",
    [RESOLVE_NO_NAME] = "is no name that the resolver knows",
    [RESOLVE_NO_DATA] = "has no address",
    [RESOLVE_TRY] = "cannot be looked up: no name server answers",
    [RESOLVE_FAIL] = "cannot be looked up: the name server answers with an error",
    [RESOLVE_BUSY] = "cannot be looked up: too many look-ups at once",
    [RESOLVE_STALE] = "cannot be looked up: /etc/resolv.conf was replaced",
};

struct waiter {
	uint32_t id;
	struct waiter *next;
};

enum lookup_state { LOOKUP_FREE, LOOKUP_RUNNING, LOOKUP_HELD };

struct lookup {
	struct resolver *resolver;
	enum lookup_state state;
	size_t len;
	char name[HOST_TEXT_MAX + 1];
	struct waiter *waiters;       /* RUNNING */
	int64_t until;                /* HELD */
	struct resolve_answer answer; /* HELD */
};

/*
 * The IPv6 half of a look-up. It may outlive its look-up; who is last frees it. musl
 * gives up a name altogether when a server is silent or fails for AAAA alone, as many
 * do, so the two are asked apart.
 */
struct six {
	struct resolver *resolver;
	pthread_cond_t done;
	bool ended, abandoned;
	char name[HOST_TEXT_MAX + 1];
	struct resolve_answer answer;
};

struct resolver {
	int fd;
	pthread_attr_t thread;
	pthread_mutex_t lock;
	size_t used; /* places that ever held one: the rest is untouched memory */
	struct lookup lookups[RESOLVE_LOOKUPS_MAX];
};

/* ---- one look-up, in its thread ---- */

static void
add_addr(struct resolve_answer *out, const struct host_addr *addr)
{
	for (size_t i = 0; i < out->n; i++)
		if (host_addr_equal(&out->addrs[i], addr))
			return;
	if (out->n < RESOLVE_ADDRS_MAX)
		out->addrs[out->n++] = *addr;
}

/* All the addresses that the hosts file has; lines that do not fit the buffer are none. */
static void
search_hosts(const char *name, struct resolve_answer *out)
{
	int fd = open(HOSTS_FILE, O_RDONLY | O_CLOEXEC);
	char buf[4096];
	size_t have = 0;
	bool skipping = false;
	ssize_t n;

	if (fd < 0)
		return;
	do {
		const char *start = buf, *end;
		struct host_addr addr;

		n = read(fd, buf + have, sizeof(buf) - 1 - have);
		have += n > 0 ? (size_t)n : 0;
		if (n <= 0)
			buf[have++] = '\n'; /* the last line may have none */
		while ((end = memchr(start, '\n', have)) != NULL) {
			size_t len = (size_t)(end - start);

			if (!skipping && hosts_line(start, len, name, &addr))
				add_addr(out, &addr);
			skipping = false;
			start = end + 1;
			have -= len + 1;
		}
		if (have == sizeof(buf) - 1) {
			skipping = true;
			have = 0;
		}
		memmove(buf, start, have);
	} while (n > 0);
	close(fd);
}

/* Under the confinement a file that came later in the place of a known one is closed. */
static bool
conf_is_stale(void)
{
	int fd = open(CONF_FILE, O_RDONLY | O_CLOEXEC);
	bool stale = fd < 0 && (errno == EACCES || errno == EPERM);

	if (fd >= 0)
		close(fd);
	return stale;
}

/* musl 1.2.3 says EAI_NONAME for both; the reply's code tells them apart. */
static enum resolve_status
why_no_name(const char *name)
{
	unsigned char reply[512] = {0};

	if (strchr(name, '.') == NULL) /* search domains: there was no one question */
		return RESOLVE_NO_NAME;
	res_query(name, 1 /* IN */, 1 /* A */, reply, sizeof(reply));
	if ((reply[2] & 0x80) == 0) /* no reply at all, this time */
		return RESOLVE_NO_NAME;
	if ((reply[2] & 0x02) != 0) /* cut short: musl 1.2.3 does not ask by TCP */
		return RESOLVE_FAIL;
	return (reply[3] & 15) == 0 ? RESOLVE_NO_DATA : RESOLVE_NO_NAME;
}

static const struct {
	int code;
	enum resolve_status status;
} codes[] = {
    {0, RESOLVE_OK},
    {EAI_AGAIN, RESOLVE_TRY},
    {EAI_MEMORY, RESOLVE_BUSY},
    {EAI_SYSTEM, RESOLVE_BUSY}, /* no descriptor, most likely */
#ifdef EAI_NODATA
    {EAI_NODATA, RESOLVE_NO_DATA},
#endif
#ifdef EAI_ADDRFAMILY
    {EAI_ADDRFAMILY, RESOLVE_NO_DATA},
#endif
};

static enum resolve_status
status_of(int code, int family, const char *name)
{
	/* Of IPv6 nothing more is asked: the other half knows whether the name is there. */
	if (code == EAI_NONAME)
		return family == AF_INET ? why_no_name(name) : RESOLVE_NO_DATA;
	for (size_t i = 0; i < SRUN_ARRAY_LEN(codes); i++)
		if (codes[i].code == code)
			return codes[i].status;
	return RESOLVE_FAIL;
}

static void
add_sockaddr(struct resolve_answer *out, const struct addrinfo *i)
{
	struct sockaddr_in sin;
	struct sockaddr_in6 sin6;
	struct host_addr addr;

	if (i->ai_family == AF_INET && i->ai_addrlen >= sizeof(sin)) {
		memcpy(&sin, i->ai_addr, sizeof(sin));
		host_addr_make(AF_INET, &sin.sin_addr, &addr);
	} else if (i->ai_family == AF_INET6 && i->ai_addrlen >= sizeof(sin6)) {
		memcpy(&sin6, i->ai_addr, sizeof(sin6));
		host_addr_make(AF_INET6, &sin6.sin6_addr, &addr);
	} else {
		return;
	}
	add_addr(out, &addr);
}

/* A name with a dot is absolute: no search domain may turn it into another. */
static void
ask_servers(const char *name, int family, struct resolve_answer *out)
{
	struct addrinfo hints = {.ai_family = family, .ai_socktype = SOCK_STREAM};
	struct addrinfo *list = NULL;
	char absolute[HOST_TEXT_MAX + 2];
	size_t len = strlen(name);
	int code;

	memcpy(absolute, name, len + 1);
	if (strchr(name, '.') != NULL)
		memcpy(absolute + len, ".", 2);
	code = getaddrinfo(absolute, NULL, &hints, &list);
	out->status = (uint8_t)status_of(code, family, absolute);
	if (code != 0)
		return;
	for (const struct addrinfo *i = list; i != NULL; i = i->ai_next)
		add_sockaddr(out, i);
	freeaddrinfo(list);
	if (out->n == 0)
		out->status = RESOLVE_NO_DATA;
}

/* Whether there is a way to the address: what comes of it is tried first. No byte is sent. */
static bool
has_route(const struct host_addr *addr)
{
	struct sockaddr_in6 to = {.sin6_family = AF_INET6, .sin6_port = htons(53)};
	int fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool good;

	if (fd < 0)
		return false;
	memcpy(&to.sin6_addr, addr->bytes, sizeof(to.sin6_addr));
	good = connect(fd, (const struct sockaddr *)&to, sizeof(to)) == 0;
	close(fd);
	return good;
}

/* The two halves as one answer, in the order in which to try the addresses. */
static void
merge(struct resolve_answer *out, const struct resolve_answer *six)
{
	struct resolve_answer four = *out;
	bool six_first = six->n != 0 && four.n != 0 && has_route(&six->addrs[0]);
	const struct resolve_answer *order[2] = {&four, six};

	if (six->n == 0) {
		/* Silence for AAAA may hide an address that an empty answer does not. */
		if (four.status == RESOLVE_NO_DATA)
			out->status = six->status;
		return;
	}
	if (six_first) {
		order[0] = six;
		order[1] = &four;
	}
	out->status = RESOLVE_OK;
	out->n = 0;
	for (size_t i = 0; i < 2; i++)
		for (size_t j = 0; j < order[i]->n; j++)
			add_addr(out, &order[i]->addrs[j]);
}

/* ---- the IPv6 half ---- */

static void
six_free(struct six *six)
{
	pthread_cond_destroy(&six->done);
	free(six);
}

static void *
look_up_six(void *arg)
{
	struct six *six = arg;
	struct resolve_answer a = {.status = RESOLVE_OK};
	bool last;

	ask_servers(six->name, AF_INET6, &a);
	pthread_mutex_lock(&six->resolver->lock);
	six->answer = a;
	six->ended = true;
	last = six->abandoned;
	pthread_cond_signal(&six->done);
	pthread_mutex_unlock(&six->resolver->lock);
	if (last)
		six_free(six);
	return NULL;
}

/* NULL when there is no room for one: IPv4 goes on alone. */
static struct six *
start_six(struct resolver *r, const char *name)
{
	struct six *six = calloc(1, sizeof(*six));
	pthread_t thread;

	if (six == NULL)
		return NULL;
	six->resolver = r;
	memcpy(six->name, name, strlen(name) + 1);
	if (pthread_cond_init(&six->done, NULL) != 0) {
		free(six);
		return NULL;
	}
	if (pthread_create(&thread, &r->thread, look_up_six, six) == 0)
		return six;
	six_free(six);
	return NULL;
}

/* With the lock held: adds what it has found, waiting only as long as it is worth. */
static void
join_six(struct six *six, struct resolve_answer *a)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += GRACE_MS * 1000000L;
	until.tv_sec += until.tv_nsec / 1000000000L;
	until.tv_nsec %= 1000000000L;
	while (!six->ended && a->status != RESOLVE_NO_NAME) {
		if (a->n == 0)
			pthread_cond_wait(&six->done, &six->resolver->lock);
		else if (pthread_cond_timedwait(
		             &six->done, &six->resolver->lock, &until) != 0)
			break;
	}
	if (six->ended) {
		if (a->status != RESOLVE_NO_NAME)
			merge(a, &six->answer);
		six_free(six);
	} else {
		six->abandoned = true;
	}
}

static int64_t
now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* ---- what is shared; all with the lock held ---- */

static void
answer(struct resolver *r, uint32_t id, struct resolve_answer *a)
{
	ssize_t n;

	a->id = id;
	do
		n = send(r->fd, a, sizeof(*a), MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	if (n != (ssize_t)sizeof(*a))
		_exit(n < 0 && (errno == EPIPE || errno == ECONNRESET) ? 0 : 1);
}

static void
answer_status(struct resolver *r, uint32_t id, enum resolve_status status)
{
	struct resolve_answer a = {.status = (uint8_t)status};

	answer(r, id, &a);
}

static void
answer_waiters(struct lookup *l, struct resolve_answer *a)
{
	while (l->waiters != NULL) {
		struct waiter *w = l->waiters;

		l->waiters = w->next;
		answer(l->resolver, w->id, a);
		free(w);
	}
}

static void *
look_up(void *arg)
{
	struct lookup *l = arg;
	struct resolver *r = l->resolver;
	struct resolve_answer a = {.status = RESOLVE_OK};
	struct six *six = NULL;

	search_hosts(l->name, &a);
	if (a.n == 0 && conf_is_stale()) {
		a.status = RESOLVE_STALE;
	} else if (a.n == 0) {
		six = start_six(r, l->name);
		ask_servers(l->name, AF_INET, &a);
	}
	pthread_mutex_lock(&r->lock);
	if (six != NULL)
		join_six(six, &a);
	answer_waiters(l, &a);
	l->state = a.status == RESOLVE_OK ? LOOKUP_HELD : LOOKUP_FREE;
	l->until = now_ms() + HELD_MS;
	l->answer = a;
	pthread_mutex_unlock(&r->lock);
	return NULL;
}

static struct lookup *
find_name(struct resolver *r, const struct resolve_query *q, int64_t now)
{
	for (size_t i = 0; i < r->used; i++) {
		struct lookup *l = &r->lookups[i];

		if (l->state == LOOKUP_HELD && l->until <= now)
			l->state = LOOKUP_FREE;
		if (l->state != LOOKUP_FREE && l->len == q->len &&
		    memcmp(l->name, q->name, l->len) == 0)
			return l;
	}
	return NULL;
}

/* A free place, a new one, or that of the answer which is held for longest. */
static struct lookup *
find_place(struct resolver *r)
{
	struct lookup *oldest = NULL;

	for (size_t i = 0; i < r->used; i++) {
		struct lookup *l = &r->lookups[i];

		if (l->state == LOOKUP_FREE)
			return l;
		if (l->state == LOOKUP_HELD &&
		    (oldest == NULL || l->until < oldest->until))
			oldest = l;
	}
	if (r->used < RESOLVE_LOOKUPS_MAX)
		return &r->lookups[r->used++];
	return oldest;
}

/* Nobody waits for it yet: the caller adds the first. */
static struct lookup *
start(struct resolver *r, const struct resolve_query *q)
{
	struct lookup *l = find_place(r);
	pthread_t thread;

	if (l == NULL)
		return NULL;
	l->resolver = r;
	l->len = q->len;
	memcpy(l->name, q->name, l->len);
	l->name[l->len] = '\0';
	l->waiters = NULL;
	l->state = LOOKUP_RUNNING;
	if (pthread_create(&thread, &r->thread, look_up, l) == 0)
		return l;
	l->state = LOOKUP_FREE;
	return NULL;
}

static void
lookup(struct resolver *r, const struct resolve_query *q)
{
	struct lookup *l = find_name(r, q, now_ms());
	struct waiter *w;

	if (l != NULL && l->state == LOOKUP_HELD) {
		answer(r, q->id, &l->answer);
		return;
	}
	w = malloc(sizeof(*w));
	if (w == NULL) {
		answer_status(r, q->id, RESOLVE_BUSY);
		return;
	}
	if (l == NULL)
		l = start(r, q);
	if (l == NULL) {
		free(w);
		answer_status(r, q->id, RESOLVE_BUSY);
		return;
	}
	w->id = q->id;
	w->next = l->waiters;
	l->waiters = w;
}

static void
cancel(struct resolver *r, uint32_t id)
{
	for (size_t i = 0; i < r->used; i++) {
		struct waiter **at = &r->lookups[i].waiters;

		while (*at != NULL && (*at)->id != id)
			at = &(*at)->next;
		if (*at != NULL) {
			struct waiter *w = *at;

			*at = w->next;
			free(w);
			return;
		}
	}
}

/* ---- the process ---- */

static bool
is_sound(const struct resolve_query *q)
{
	return q->ask == RESOLVE_CANCEL ||
	       (q->ask == RESOLVE_LOOKUP && q->len != 0 && q->len <= HOST_TEXT_MAX &&
	           memchr(q->name, '\0', q->len) == NULL);
}

void
resolve_serve(int fd, int (*confine)(void *arg), void *arg)
{
	struct resolver *r = calloc(1, sizeof(*r));
	struct resolve_query q;

	if (r == NULL || (confine != NULL && confine(arg) != 0))
		_exit(1);
	r->fd = fd;
	if (pthread_mutex_init(&r->lock, NULL) != 0 ||
	    pthread_attr_init(&r->thread) != 0 ||
	    pthread_attr_setstacksize(&r->thread, STACK_BYTES) != 0 ||
	    pthread_attr_setdetachstate(&r->thread, PTHREAD_CREATE_DETACHED) != 0)
		_exit(1);
	for (;;) {
		ssize_t n = recv(fd, &q, sizeof(q), 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n == 0 || (n < 0 && errno == ECONNRESET))
			_exit(0);
		if (n != (ssize_t)sizeof(q) || !is_sound(&q))
			_exit(1);
		pthread_mutex_lock(&r->lock);
		if (q.ask == RESOLVE_CANCEL)
			cancel(r, q.id);
		else
			lookup(r, &q);
		pthread_mutex_unlock(&r->lock);
	}
}

/* ---- the asker's side ---- */

static int
ask(int fd, const struct resolve_query *q)
{
	ssize_t n;

	do
		n = send(fd, q, sizeof(*q), MSG_DONTWAIT | MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	return n == (ssize_t)sizeof(*q) ? 0 : -1;
}

int
resolve_ask(int fd, uint32_t id, const struct host_name *name)
{
	struct resolve_query q = {.id = id, .ask = RESOLVE_LOOKUP};

	q.len = (uint8_t)name->len;
	memcpy(q.name, name->text, name->len);
	return ask(fd, &q);
}

int
resolve_cancel(int fd, uint32_t id)
{
	struct resolve_query q = {.id = id, .ask = RESOLVE_CANCEL};

	return ask(fd, &q);
}

/* The resolver reads bytes of strangers: what it says is not more than an answer. */
static bool
answer_is_sound(struct resolve_answer *a)
{
	if (a->status > RESOLVE_STALE || a->n > RESOLVE_ADDRS_MAX ||
	    (a->status == RESOLVE_OK) != (a->n != 0))
		return false;
	for (size_t i = 0; i < a->n; i++) {
		struct host_addr raw = a->addrs[i];

		if (raw.family != AF_INET && raw.family != AF_INET6)
			return false;
		host_addr_make(raw.family, raw.bytes, &a->addrs[i]);
	}
	return true;
}

int
resolve_next(int fd, struct resolve_answer *out)
{
	ssize_t n;

	do
		n = recv(fd, out, sizeof(*out), MSG_DONTWAIT);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return errno == EAGAIN ? 0 : -1;
	if (n == 0)
		errno = EPIPE;
	else if (n != (ssize_t)sizeof(*out) || !answer_is_sound(out))
		errno = EPROTO;
	else
		return 1;
	return -1;
}
