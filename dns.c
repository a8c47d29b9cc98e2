/*
 * dns.c: DNS messages in and out; see dns.h. Pure: no socket, no decision about a name.
 */
#include "dns.h"

#include <string.h>

#define HEAD     12
#define LABEL    63
#define CLASS_IN 1
/* Bits of the flags. */
#define QR     0x8000U
#define OPCODE 0x7800U
#define AA     0x0400U
#define RD     0x0100U
#define RA     0x0080U

static uint16_t
get16(const unsigned char *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

static unsigned char *
put16(unsigned char *p, unsigned v)
{
	p[0] = (unsigned char)(v >> 8);
	p[1] = (unsigned char)v;
	return p + 2;
}

static unsigned char *
put32(unsigned char *p, uint32_t v)
{
	return put16(put16(p, v >> 16), v & 0xffffU);
}

static char
lower(unsigned char c)
{
	return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

/* A byte that can stand in a label of a host's name: all but blanks, controls and dots. */
static bool
is_plain(unsigned char c)
{
	return c > ' ' && c < 0x7f && c != '.';
}

/*
 * The name at p as text. Its length in the message, 0 when it is cut or compressed (a
 * question has nothing before it to point to). *plain: it is a name that a host can have.
 */
static size_t
parse_name(const unsigned char *p, size_t len, char name[DNS_NAME_LIMIT + 1], bool *plain)
{
	size_t at = 0, out = 0;
	*plain = true;
	for (;;) {
		if (at >= len || p[at] > LABEL)
			return 0;
		size_t n = p[at++];
		if (n == 0)
			break;
		if (n > len - at)
			return 0;
		if (out + n + (out > 0) > DNS_NAME_LIMIT)
			return 0;
		if (out > 0)
			name[out++] = '.';
		for (size_t i = 0; i < n; i++) {
			*plain = *plain && is_plain(p[at + i]);
			name[out++] = lower(p[at + i]);
		}
		at += n;
	}
	name[out] = '\0';
	return at;
}

enum dns_verdict
dns_parse(
    const unsigned char *data, size_t len, struct dns_query *q, enum dns_rcode *rcode)
{
	bool plain;
	*q = (struct dns_query){0};
	if (len < HEAD)
		return DNS_IGNORE;
	q->id = get16(data);
	q->flags = get16(data + 2);
	if ((q->flags & QR) != 0)
		return DNS_IGNORE;
	*rcode = DNS_NOT_IMPLEMENTED;
	if ((q->flags & OPCODE) != 0)
		return DNS_BAD;
	*rcode = DNS_FORMAT_ERROR;
	if (get16(data + 4) != 1)
		return DNS_BAD;
	size_t n = parse_name(data + HEAD, len - HEAD, q->name, &plain);
	if (n == 0 || len - HEAD - n < 4)
		return DNS_BAD;
	q->type = get16(data + HEAD + n);
	q->class = get16(data + HEAD + n + 2);
	q->question_len = n + 4;
	*rcode = plain ? DNS_NO_ERROR : DNS_NXDOMAIN;
	return plain ? DNS_OK : DNS_BAD;
}

size_t
dns_reply(const unsigned char *data, const struct dns_query *q, enum dns_rcode rcode,
    uint32_t addr, uint32_t ttl_s, unsigned char out[DNS_REPLY_LIMIT])
{
	bool record = rcode == DNS_NO_ERROR && addr != 0 && q->type == DNS_A &&
	              q->class == CLASS_IN;
	unsigned char *p = out;
	p = put16(p, q->id);
	p = put16(p, QR | (q->flags & (OPCODE | RD)) | AA | RA | (unsigned)rcode);
	p = put16(p, q->question_len > 0);
	p = put16(p, record);
	p = put32(p, 0); /* no other sections */
	/* The question goes back as it came: clients compare it, some with its case. */
	memcpy(p, data + HEAD, q->question_len);
	p += q->question_len;
	if (record) {
		p = put16(p, 0xc000U | HEAD); /* the name of the question */
		p = put16(p, DNS_A);
		p = put16(p, CLASS_IN);
		p = put32(p, ttl_s);
		p = put16(p, 4);
		p = put32(p, addr);
	}
	return (size_t)(p - out);
}
