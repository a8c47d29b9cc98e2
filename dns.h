/*
 * dns.h: queries of the command to the resolver inside its network, as bytes (RFC 1035).
 * Pure. One question a message, answers that fit a UDP datagram, no compression needed.
 */
#ifndef SRUN_DNS_H
#define SRUN_DNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DNS_NAME_LIMIT  253 /* characters of a name as text, without the root's dot */
#define DNS_REPLY_LIMIT 512 /* what every client takes */

enum dns_type { DNS_A = 1, DNS_AAAA = 28 }; /* others are numbers only */

enum dns_rcode {
	DNS_NO_ERROR = 0,
	DNS_FORMAT_ERROR = 1,
	DNS_NXDOMAIN = 3,
	DNS_NOT_IMPLEMENTED = 4,
	DNS_REFUSED = 5,
};

struct dns_query {
	uint16_t id, flags, type, class;
	char name[DNS_NAME_LIMIT + 1]; /* lower case, labels with dots, "" for the root */
	size_t question_len; /* of the question, which follows the 12 bytes of the head */
};

enum dns_verdict {
	DNS_OK,
	DNS_IGNORE, /* not a query, or too short to be answered */
	DNS_BAD,    /* to be answered with rcode: only id and flags of q are set */
};

/*
 * A name that a host cannot have (a dot or a control byte inside a label, or more than
 * DNS_NAME_LIMIT characters) is DNS_BAD with DNS_NXDOMAIN.
 */
enum dns_verdict dns_parse(
    const unsigned char *data, size_t len, struct dns_query *q, enum dns_rcode *rcode);

/*
 * The reply to data, which dns_parse() has read into q, in out; its length. addr is what an
 * A question is answered with, host byte order; 0: an answer without a record.
 */
size_t dns_reply(const unsigned char *data, const struct dns_query *q,
    enum dns_rcode rcode, uint32_t addr, uint32_t ttl_s,
    unsigned char out[DNS_REPLY_LIMIT]);

#endif
