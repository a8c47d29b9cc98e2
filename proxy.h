/*
 * proxy.h: the proxy that stands between one run's command and the network.
 *
 * One process per run, forked by the supervisor before it has threads; it never returns
 * and never gives up its confinement. It holds: the listeners (made in the run's network
 * namespace, so that nobody else reaches them), the resolver's socket, a socket to the
 * supervisor, a stock of sockets of the run's namespace, and what it dials. Everything in
 * the configuration is memory of the parent as it was at the fork.
 *
 *     int pair[2];
 *     socketpair(AF_UNIX, PROXY_CONTROL_TYPE | SOCK_CLOEXEC, 0, pair);
 *     if (fork() == 0) { config.control = pair[1]; proxy_main(&config); }
 *     read one struct proxy_report: PROXY_READY, or PROXY_FAILED; EOF is a failure too
 *
 * The run must not start before PROXY_READY, and it ends when the socket does: the proxy
 * has died. When the supervisor's end is closed the proxy ends at once.
 */
#ifndef SRUN_PROXY_H
#define SRUN_PROXY_H

#include "hostmatch.h"
#include "route.h"

#ifdef __APPLE__
#define PROXY_CONTROL_TYPE SOCK_DGRAM
#else
#define PROXY_CONTROL_TYPE SOCK_SEQPACKET
#endif

struct proxy_listener {
	int fd; /* bound and listening, non-blocking or not */
	/*
	 * False: HTTP and SOCKS are spoken. True: every connection is for target:port, as
	 * if it had been asked for (allow_host_ports, names caught by their address), and
	 * is judged as such.
	 */
	bool raw;
	/* raw, and the target is dialled in the run's namespace without a judgement:
	   publish_ports, whose listener is on the host's side. */
	bool published;
	struct host_name target;
	uint16_t port;
};

struct proxy_config {
	int control;
	int resolver; /* resolve.h; -1: no name can be looked up */
	const struct proxy_listener *listeners;
	size_t nlisteners;
	/*
	 * Stream sockets made in the run's network namespace, not connected: what the
	 * command asks of its own loopback is dialled with one of them, and afterwards it
	 * is disconnected and used again. AF_INET6 ones carry IPv4 too if IPV6_V6ONLY is
	 * off. None: that loopback is refused.
	 */
	const int *inside;
	size_t ninside;
	/*
	 * For programs that know no proxy: a UDP socket on which the run asks for names, and
	 * the agent of its network (netns.h), which makes the listeners for what is asked.
	 * -1: none.
	 */
	int names, agent;
	const struct host_rules *rules;
	const struct host_addr_list *own; /* this host's addresses; may be NULL */
	const struct routes *routes;      /* may be NULL: no parent */
	const char
	    *token; /* asked of every client; NULL where the listener is the run's own */
	bool unconfined; /* for builds with sanitizers and for fuzzing: no confinement */
};

_Noreturn void proxy_main(const struct proxy_config *config);

/* ---- proxy → supervisor, one a datagram ---- */

enum proxy_report_kind {
	PROXY_READY,
	PROXY_FAILED, /* before READY: text says what; then it ends */
	PROXY_DENIED, /* the state of one entry of the table of denials */
	PROXY_DONE,   /* the answer to PROXY_ORDER_FLUSH: all is reported */
};

enum proxy_denial {
	DENIAL_NOT_GRANTED,
	DENIAL_RULE,    /* a deny rule of names or addresses */
	DENIAL_ADDRESS, /* the name is granted, its addresses are guarded */
	DENIAL_SNI,     /* TLS for another name than the one asked for; text: that name */
	DENIAL_OTHERS,  /* the table was full: what did not fit, together */
};

#define PROXY_DENIALS_MAX 256
#define PROXY_TEXT_MAX    256

/*
 * Bytes of a process that may have been taken over: bounded, but to be shown as any text
 * of the command's is. The strings end in NUL.
 */
struct proxy_report {
	uint32_t kind;
	uint32_t index;  /* DENIED: of the entry, below PROXY_DENIALS_MAX + 1 */
	uint64_t count;  /* DENIED: so far */
	uint32_t denial; /* enum proxy_denial */
	uint16_t port;
	uint16_t layer;
	uint32_t
	    rule; /* 0: none; else 1 + the index in deny of the layer (DENIAL_RULE) */
	char host[PROXY_TEXT_MAX];
	char text[PROXY_TEXT_MAX];
};

/* The rule that a report names, or NULL; never trusts the numbers. */
const struct host_rule *proxy_report_rule(
    const struct host_rules *rules, const struct proxy_report *r);

/* ---- supervisor → proxy, one byte a datagram ---- */

#define PROXY_ORDER_FLUSH 'F' /* report everything now, then PROXY_DONE */

#endif
