/*
 * resolve.h: the resolver, a process of its own that turns names into addresses.
 *
 * The only room with threads: getaddrinfo(3) blocks, and one silent server must not
 * delay the other names. The process is made by a fork of a process with one thread; it
 * holds one end of a socketpair and nothing else, and it ends when the other end is closed.
 *
 *     int pair[2];
 *     socketpair(AF_UNIX, RESOLVE_SOCKET_TYPE | SOCK_CLOEXEC, 0, pair);
 *     if (fork() == 0) { close everything but pair[1]; resolve_serve(pair[1], confine, arg); }
 *
 * Messages are structs of fixed size, one a datagram. The other side is trusted with the
 * format but not with the names: they come from the command, canonical (hostname.h) and
 * granted (hostmatch.h). Answers are in no order; each query gets exactly one, unless it
 * was cancelled, and then at most one.
 */
#ifndef SRUN_RESOLVE_H
#define SRUN_RESOLVE_H

#include "hostname.h"

#ifdef __APPLE__
#define RESOLVE_SOCKET_TYPE SOCK_DGRAM
#else
#define RESOLVE_SOCKET_TYPE SOCK_SEQPACKET
#endif

/*
 * At once; more get RESOLVE_BUSY without waiting. Each takes two threads and up to three
 * descriptors (IPv4 and IPv6 are asked apart): who starts the process raises its limit.
 */
#define RESOLVE_LOOKUPS_MAX 256
#define RESOLVE_ADDRS_MAX   48 /* what musl returns at most */

enum resolve_ask {
	RESOLVE_LOOKUP,
	RESOLVE_CANCEL, /* nobody waits for this id any more */
};

struct resolve_query {
	uint32_t id; /* chosen by the asker, unique among its open queries */
	uint8_t ask;
	uint8_t len;
	char name[HOST_TEXT_MAX]; /* not NUL-terminated */
};

enum resolve_status {
	RESOLVE_OK,      /* n addresses, in the order in which to try them */
	RESOLVE_NO_NAME, /* there is no such name */
	RESOLVE_NO_DATA, /* the name is there, without an address */
	RESOLVE_TRY,     /* no server answered, or one failed: may work later */
	RESOLVE_FAIL,    /* a server answered with an error, or anything else */
	RESOLVE_BUSY,    /* too many look-ups at once */
	RESOLVE_STALE,   /* /etc/resolv.conf was replaced by a file that the confinement
	                    does not know: a new resolver is needed */
};
/* Words that follow the quoted name, in that order: "is no name that the resolver knows". */
extern const char *const resolve_status_words[];

struct resolve_answer {
	uint32_t id;
	uint8_t status;
	uint8_t n;
	struct host_addr addrs[RESOLVE_ADDRS_MAX];
};

/*
 * Serves the socket until its other end is closed; then the process exits with 0, on
 * anything unexpected with 1. confine (may be NULL) is called once, before the first
 * read and the first thread; if it returns other than 0 nothing is served and the
 * process exits with 1.
 *
 * What must still work after confine, found by tracing: open (musl on x86_64) or openat,
 * read, readv of the files in resolve_files[]; socket of INET and INET6 of type DGRAM,
 * bind, connect, send*, recv*, getsockname, setsockopt, poll; clone for threads, mmap,
 * munmap, mprotect, futex, brk, set_robust_list, rt_sigprocmask, rt_sigaction,
 * clock_gettime, exit, close, fcntl, fstat, lseek. Nothing is written, listed, executed
 * or killed.
 */
_Noreturn void resolve_serve(int fd, int (*confine)(void *arg), void *arg);

/*
 * The files it reads, NULL at the end; one that is missing is passed over. Who confines
 * resolves links in them. What manages resolv.conf replaces it by rename(2): a rule for
 * the file alone then no longer fits, and look-ups are RESOLVE_STALE. Where the link leads
 * to a directory that holds nothing else (/run/systemd/resolve), a rule for that directory
 * keeps working.
 */
extern const char *const resolve_files[];

/* ---- the asker's side: neither call ever blocks ---- */

/* 0, or -1 with EAGAIN when the resolver does not read fast enough: answer 503. */
int resolve_ask(int fd, uint32_t id, const struct host_name *name);
int resolve_cancel(int fd, uint32_t id);
/* 1 and *out; 0 when there is none now; -1: the resolver is gone (EPIPE) or broken. */
int resolve_next(int fd, struct resolve_answer *out);

#endif
