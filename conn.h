/*
 * conn.h: the connections of the proxy and what they share.
 *
 * A connection is a small struct for as long as it lives; struct work is there only while
 * something is asked, dialled or answered, so that an idle tunnel costs next to nothing.
 */
#ifndef SRUN_CONN_H
#define SRUN_CONN_H

#include "catch.h"
#include "denials.h"
#include "events.h"
#include "http.h"
#include "httpbody.h"
#include "proxy.h"
#include "relay.h"
#include "resolve.h"
#include "socks.h"

enum {
	HEAD_MS = 30000,  /* a head, a greeting, a ClientHello: whole by then */
	IDLE_MS = 120000, /* between two requests */
	DIAL_MS = 10000, /* look-up, all addresses; and once more for a parent's answer */
	LINGER_MS = 2000,     /* after a refusal, so that it is read before the reset */
	TURN_BYTES = 1 << 20, /* moved for one connection before the others have theirs */
	LINGER_BYTES = 4 << 20,
	HEAD_BYTES = 16 << 10, /* read at once while a head is expected */
	KNOWN_MS = 2000,
	KNOWN_MAX = 16,
};

enum source_kind {
	SOURCE_CLIENT,
	SOURCE_UP,
	SOURCE_LISTENER,
	SOURCE_CONTROL,
	SOURCE_RESOLVER,
	SOURCE_NAMES
};

struct conn;

/* One socket of the run's namespace: free, or in use by a connection. */
struct inside_socket {
	int fd, family;
	bool used;
};

/* The addresses of a name, for as long as a burst of connections lasts. */
struct known {
	struct host_name name;
	int64_t until;
	unsigned n;
	struct host_addr addrs[RESOLVE_ADDRS_MAX];
};

struct hub {
	const struct proxy_config *config;
	struct events events;
	struct timers timers;
	struct relay relay;
	struct denial_table denials;
	struct catch_table caught;
	int64_t now;   /* milliseconds, as of this turn */
	uint32_t turn; /* its number */
	bool crowd;    /* more than one thing happened in it */
	struct conn *lookups[RESOLVE_LOOKUPS_MAX];
	struct known known[KNOWN_MAX];
	uint32_t lookup_round; /* so that an id is not used again soon */
	struct inside_socket *inside;
	size_t nconns, nconns_max;
	struct conn *again; /* have more to do without a new event */
	struct conn *dead;  /* freed at the end of the turn */
};

enum conn_state {
	CONN_FIRST, /* no byte yet */
	CONN_SOCKS,
	CONN_HEAD, /* of an HTTP request */
	CONN_DIAL,
	CONN_PEEK, /* a tunnel whose first bytes have to be seen before they may pass */
	CONN_TUNNEL,
	CONN_EXCHANGE, /* an HTTP request and its answer */
	CONN_LINGER,
	CONN_DEAD,
};

/* Why a request goes no further. */
struct refusal {
	int status;
	enum socks_code code;
	char reason[HOST_REASON_MAX + 64];
	char hint[HOST_REASON_MAX + 64]; /* "" or a line for the body */
};

enum dial_step { DIAL_LOOKUP, DIAL_CONNECT, DIAL_PARENT };

struct work {
	/* What is asked for. */
	struct host_name host;
	uint16_t port;
	enum route_scheme scheme;
	struct host_judgement judgement;
	struct socks socks;
	struct refusal refusal;

	/* Dialling. */
	enum dial_step step;
	const struct parent *parent; /* NULL: directly */
	uint32_t lookup;             /* its id; 0: none is open */
	bool literal; /* the rule is about addresses: no server name needed */
	bool inside;
	struct host_addr addrs[RESOLVE_ADDRS_MAX];
	unsigned naddrs, tried;
	int64_t dial_end;
	int error; /* errno of the last address */
	struct socks_client socks_client;

	/* HTTP. */
	struct http_request
	    request; /* its spans are good only while the head is parsed */
	struct http_body body, answer;
	char *head; /* for the next hop; kept until an answer begins, for one more try */
	size_t head_len;
	struct stash up_in;
	bool head_sent, answer_begun;
	bool keep_client, keep_up; /* when this exchange is over */
	bool reused;               /* the connection had an exchange before */
	bool again;                /* this is the second try */

	/* What the open connection to the other side is good for. */
	struct host_name up_host;
	uint16_t up_port;
	const struct parent *up_parent;
};

/* What a tunnel's first bytes are held against. */
struct peek {
	uint16_t port;
	char name[]; /* canonical */
};

struct conn {
	struct end client, up;
	struct hub *hub;
	struct conn *next; /* in hub->again or hub->dead */
	struct work *work;
	const struct proxy_listener *listener;
	struct stash in; /* of the client */
	struct peek *peek;
	struct timer timer;
	uint8_t state;   /* enum conn_state */
	bool queued;     /* in hub->again */
	bool socks;      /* refusals are said in SOCKS */
	uint16_t inside; /* 1 + index of the socket in use */
	uint32_t lingered;
	uint32_t up_closed; /* the turn in which c->up was closed last */
};

/* ---- conn.c ---- */

/* Takes over an accepted socket; closes it when there is no memory. */
void conn_new(struct hub *hub, const struct proxy_listener *listener, int fd);
/* Goes on as far as possible. */
void conn_step(struct conn *c);
void conn_timeout(struct conn *c);
void conn_close(struct conn *c);
/* At the end of a turn: nothing points to them any more. */
void conn_bury(struct hub *hub);

/* Shared with dial.c and exchange.c. */
void conn_queue(struct conn *c);
void conn_deadline(struct conn *c, int ms);
/* After dialling: the tunnel or the request goes on, or is refused. */
void conn_dialled(struct conn *c, bool good);
/* Answers with work->refusal in the client's protocol; the connection ends, or not. */
void conn_refuse(struct conn *c, bool keep_alive);
/* Raw bytes from now on. */
void conn_tunnel(struct conn *c);
void conn_linger(struct conn *c);
void conn_close_up(struct conn *c);
/* Makes work if there is none; false when there is no memory: the connection is closed. */
bool conn_work(struct conn *c);

#endif
