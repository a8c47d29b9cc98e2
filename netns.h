/*
 * netns.h: sockets in the network namespace of a run, made from outside it.
 *
 * A small process, the agent, enters the namespace once and then makes sockets there on
 * request, until its last client is gone. A socket belongs for ever to the namespace it was
 * made in, so whoever gets it needs no bridge, no socket file and no right of its own.
 */
#ifndef SRUN_NETNS_H
#define SRUN_NETNS_H

#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>

#include "util.h"

enum netns_op {
	NETNS_CONNECTOR, /* a TCP socket, not connected, not blocking */
	NETNS_LISTENER, /* a TCP socket that listens on addr and port (0: the kernel's choice) */
	NETNS_DATAGRAM, /* a UDP socket bound to addr and port, not blocking */
};

/* What clients ask of the agent: one message each, of this size. */
struct netns_request {
	uint8_t op;     /* enum netns_op */
	uint8_t family; /* AF_INET or AF_INET6 */
	uint16_t port;  /* host byte order */
	unsigned char addr[16];
};

struct netns_agent {
	pid_t pid; /* a child of the caller; 0: none */
	int sock;  /* a client's end; may be shared by processes that ask one at a time */
};

/*
 * On the sandbox's loopback besides 127.0.0.1: every address of 198.18.0.0/15 (RFC 2544; no
 * host of the internet has one) leads to whoever listens on it, and the first is assigned.
 */
#define NETNS_NET     0xc6120000U
#define NETNS_BITS    15
#define NETNS_ADDRESS 0xc6120001U

/*
 * Starts the agent of the namespace that process inner is in (as this process numbers it)
 * and waits until it is there. The caller needs no privilege but to own the user namespace
 * that the network namespace was made in. False with a text in errs: nothing is left.
 */
bool netns_start(
    struct arena *a, pid_t inner, struct netns_agent *agent, struct errs *errs);

/* A new descriptor, close-on-exec; -1 with errno, EPIPE when the agent is gone. */
int netns_ask(int sock, const struct netns_request *request);

/*
 * The same for n requests at a time, which costs one wait: fds has n places. -1 with errno:
 * fds[i] is -1 where it failed, the others are open all the same.
 */
int netns_ask_all(int sock, const struct netns_request *q, size_t n, int *fds);

/* Ends the agent and reaps it. May be repeated. */
void netns_end(struct netns_agent *agent);

#endif
