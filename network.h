/*
 * network.h: the restricted network of a run: its proxy and resolver as processes, the
 * sockets they are given, and what the proxy has to say.
 *
 *   srun --control-- proxy --socketpair-- resolver
 *                      └ listeners in the run's network namespace (netns.c)
 *
 * Proxy and resolver are forked while the sandbox is still being made, and wait. They get
 * their listeners once inner is there, and the command starts only after the proxy has
 * said that it is ready. Should the proxy end, the run ends: it fails closed.
 */
#ifndef SRUN_NETWORK_H
#define SRUN_NETWORK_H

#include <sys/types.h>

#include "hostmatch.h"
#include "netns.h"
#include "policy.h"
#include "proxy.h"
#include "route.h"
#include "util.h"

/* Of the proxy, on 127.0.0.1 of the run: the network is the run's own, so any would do. */
#define NETWORK_PORT 3128

struct network {
	pid_t proxy, resolver, agent; /* children; 0: none */
	int control;                  /* -1: no restricted network */
	struct host_rules rules;
	struct routes routes;
	struct host_addr_list own;
	struct proxy_listener *listeners;
	struct netns_request
	    *requests; /* one a listener of the namespace, then the stock */
	size_t nlisteners, npublished, nrequests;
	struct proxy_report *denied; /* PROXY_DENIALS_MAX + 1 entries; kind 0: unused */
	const char *failure;         /* what the proxy said when it could not begin */
};

#define NETWORK_NONE                                                                     \
	{                                                                                \
		.control = -1                                                            \
	}

/*
 * Starts proxy and resolver for a policy whose network is restricted. environ is the
 * host's, for parent proxies. What is odd there but harmless is added to notes. False with
 * texts in errs (FILE:LINE where a line is to blame).
 */
bool network_begin(struct arena *a, const struct policy *p, const char *const *environ,
    struct network *net, struct errs *notes, struct errs *errs);

/* Makes the listeners in the network of process inner and hands them over. */
bool network_open(struct arena *a, struct network *net, pid_t inner, struct errs *errs);

/* Reads what the proxy has reported. False when it is gone. */
bool network_read(struct network *net);

/* A child of srun has been reaped; it may have been one of these. */
void network_reaped(struct network *net, pid_t pid);

/* Asks for the last reports, ends the processes. May be repeated. */
void network_end(struct network *net);

/* One line a host that was refused, with the line that would allow it; at most limit. */
void network_denials(
    struct arena *a, const struct network *net, size_t limit, struct errs *lines);

#endif
