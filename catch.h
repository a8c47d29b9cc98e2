/*
 * catch.h: hosts of the grant under addresses of the run's own network, for programs that
 * know no proxy: they look a name up, get an address of 198.18.0.0/15 (netns.h), and what
 * they connect to there is srun's, which knows the host by that address. Pure but for the
 * memory of the table. Judges nothing by itself: hostmatch.c does, now and at each connect.
 */
#ifndef SRUN_CATCH_H
#define SRUN_CATCH_H

#include "dns.h"
#include "hostmatch.h"

#define CATCH_HOSTS_MAX 2048
#define CATCH_PORTS_MAX 64
#define CATCH_TTL_S     60

struct caught {
	struct host_name host;
	uint32_t addr; /* host byte order */
};

struct catch_table {
	const struct host_rules *rules;
	struct caught *v;
	size_t n;
};

struct catch_answer {
	unsigned char data[DNS_REPLY_LIMIT];
	size_t len;                 /* 0: nothing is to be sent */
	const struct caught *fresh; /* got its address just now: listen there; or NULL */
	bool denied;                /* host is not in the grant */
	struct host_name host;
};

/* The reply to a query of len bytes. fresh is good until the next call. */
void catch_query(struct catch_table *t, const unsigned char *data, size_t len,
    struct catch_answer *out);

/* Ports on which the grant opens a host, most used first; how many. */
size_t catch_ports(const struct catch_table *t, const struct host_name *host,
    uint16_t ports[CATCH_PORTS_MAX]);

/* Who has this address; NULL: nobody. */
const struct host_name *catch_host(
    const struct catch_table *t, const struct host_addr *addr);

#endif
