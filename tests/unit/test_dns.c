/*
 * test_dns: queries as clients send them and as nobody should, and the replies.
 */
#include "dns.h"
#include "tap.h"

#define HEAD "\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00"
#define A_IN "\x00\x01\x00\x01"
#define L63  "aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffggg"
#define L61  "aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffg"

#define BYTES(s) (s), sizeof(s) - 1

/* clang-format off */
static const struct {
	const char *what;
	const char *data;
	size_t len;
	enum dns_verdict verdict;
	enum dns_rcode rcode;
	const char *name;
} rows[] = {
    {"a host", BYTES(HEAD "\x07" "example" "\x03" "org" "\x00" A_IN), DNS_OK, 0, "example.org"},
    {"upper case", BYTES(HEAD "\x07" "eXampLe" "\x03" "ORG" "\x00" A_IN), DNS_OK, 0, "example.org"},
    {"one label", BYTES(HEAD "\x02" "db" "\x00" A_IN), DNS_OK, 0, "db"},
    {"the root", BYTES(HEAD "\x00" A_IN), DNS_OK, 0, ""},
    {"an underscore", BYTES(HEAD "\x05" "_http" "\x01" "x" "\x00" A_IN), DNS_OK, 0, "_http.x"},
    {"a label of 63", BYTES(HEAD "\x3f" L63 "\x00" A_IN), DNS_OK, 0, L63},
    {"253 characters", BYTES(HEAD "\x3f" L63 "\x3f" L63 "\x3f" L63 "\x3d" L61 "\x00" A_IN), DNS_OK, 0, L63 "." L63 "." L63 "." L61},
    {"254 characters", BYTES(HEAD "\x3f" L63 "\x3f" L63 "\x3f" L63 "\x3e" L61 "x" "\x00" A_IN), DNS_BAD, DNS_FORMAT_ERROR, NULL},
    {"more after the question (EDNS)", BYTES(HEAD "\x01" "x" "\x00" A_IN "\x00\x00\x29\x04\xd0\x00\x00\x00\x00\x00\x00"), DNS_OK, 0, "x"},
    {"a dot inside a label", BYTES(HEAD "\x03" "a.b" "\x03" "org" "\x00" A_IN), DNS_BAD, DNS_NXDOMAIN, NULL},
    {"a NUL inside a label", BYTES(HEAD "\x03" "a\x00" "b" "\x03" "org" "\x00" A_IN), DNS_BAD, DNS_NXDOMAIN, NULL},
    {"a blank", BYTES(HEAD "\x03" "a b" "\x00" A_IN), DNS_BAD, DNS_NXDOMAIN, NULL},
    {"a byte over 127", BYTES(HEAD "\x02" "\xc3\xa4" "\x00" A_IN), DNS_BAD, DNS_NXDOMAIN, NULL},
    {"a pointer", BYTES(HEAD "\xc0\x0c" A_IN), DNS_BAD, DNS_FORMAT_ERROR, NULL},
    {"a pointer after a label", BYTES(HEAD "\x01" "x" "\xc0\x0c" A_IN), DNS_BAD, DNS_FORMAT_ERROR, NULL},
    {"a label of 64", BYTES(HEAD "\x40" L63 "x" "\x00" A_IN), DNS_BAD, DNS_FORMAT_ERROR, NULL},
    {"no end of the name", BYTES(HEAD "\x01" "x"), DNS_BAD, DNS_FORMAT_ERROR, NULL},
    {"a label longer than the message", BYTES(HEAD "\x09" "x\x00" A_IN), DNS_BAD, DNS_FORMAT_ERROR, NULL},
    {"no class", BYTES(HEAD "\x01" "x" "\x00" "\x00\x01"), DNS_BAD, DNS_FORMAT_ERROR, NULL},
    {"no question", BYTES("\x12\x34\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00"), DNS_BAD,
        DNS_FORMAT_ERROR, NULL},
    {"two questions", BYTES("\x12\x34\x01\x00\x00\x02\x00\x00\x00\x00\x00\x00" "\x01" "x" "\x00" A_IN), DNS_BAD, DNS_FORMAT_ERROR, NULL},
    {"an update", BYTES("\x12\x34\x28\x00\x00\x01\x00\x00\x00\x00\x00\x00" "\x01" "x" "\x00" A_IN), DNS_BAD, DNS_NOT_IMPLEMENTED, NULL},
    {"a reply", BYTES("\x12\x34\x81\x80\x00\x01\x00\x00\x00\x00\x00\x00" "\x01" "x" "\x00" A_IN), DNS_IGNORE, 0, NULL},
    {"eleven bytes", BYTES("\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00"), DNS_IGNORE, 0,
        NULL},
    {"nothing", BYTES(""), DNS_IGNORE, 0, NULL},
};
/* clang-format on */

static const unsigned char *
bytes_of(const char *s)
{
	return (const unsigned char *)s;
}

static void
test_queries(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct dns_query q;
		enum dns_rcode rcode = DNS_NO_ERROR;
		enum dns_verdict v =
		    dns_parse(bytes_of(rows[i].data), rows[i].len, &q, &rcode);
		is_int((int)v, (int)rows[i].verdict, "%s: taken as it should be",
		    rows[i].what);
		if (v == DNS_BAD)
			is_int((int)rcode, (int)rows[i].rcode, "%s: with the code",
			    rows[i].what);
		if (v == DNS_OK && rows[i].name != NULL)
			is_str(q.name, rows[i].name, "%s: as text", rows[i].what);
	}
}

static void
is_bytes(
    const unsigned char *got, size_t n, const char *want, size_t len, const char *what)
{
	ok(n == len && memcmp(got, want, len) == 0, "%s", what);
}

static void
test_replies(void)
{
	static const char query[] = HEAD "\x01"
	                                 "X"
	                                 "\x02"
	                                 "de"
	                                 "\x00" A_IN;
	static const char six[] = HEAD "\x01"
	                               "X"
	                               "\x00"
	                               "\x00\x1c\x00\x01";
	static const char none[] = "\x12\x34\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00";
	unsigned char out[DNS_REPLY_LIMIT];
	struct dns_query q;
	enum dns_rcode rcode = DNS_NO_ERROR;

	dns_parse(bytes_of(query), sizeof(query) - 1, &q, &rcode);
	size_t n = dns_reply(bytes_of(query), &q, DNS_NO_ERROR, 0xc6120007U, 60, out);
	is_bytes(out, n,
	    BYTES("\x12\x34\x85\x80\x00\x01\x00\x01\x00\x00\x00\x00"
	          "\x01"
	          "X"
	          "\x02"
	          "de"
	          "\x00" A_IN
	          "\xc0\x0c\x00\x01\x00\x01\x00\x00\x00\x3c\x00\x04\xc6\x12\x00\x07"),
	    "an address, under the name as it was asked");
	n = dns_reply(bytes_of(query), &q, DNS_NXDOMAIN, 0xc6120007U, 60, out);
	is_bytes(out, n,
	    BYTES("\x12\x34\x85\x83\x00\x01\x00\x00\x00\x00\x00\x00"
	          "\x01"
	          "X"
	          "\x02"
	          "de"
	          "\x00" A_IN),
	    "no such name");
	dns_parse(bytes_of(six), sizeof(six) - 1, &q, &rcode);
	n = dns_reply(bytes_of(six), &q, DNS_NO_ERROR, 0xc6120007U, 60, out);
	is_bytes(out, n,
	    BYTES("\x12\x34\x85\x80\x00\x01\x00\x00\x00\x00\x00\x00"
	          "\x01"
	          "X"
	          "\x00"
	          "\x00\x1c\x00\x01"),
	    "IPv6 is answered without a record");
	dns_parse(bytes_of(none), sizeof(none) - 1, &q, &rcode);
	n = dns_reply(bytes_of(none), &q, rcode, 0, 0, out);
	is_bytes(out, n, BYTES("\x12\x34\x85\x81\x00\x00\x00\x00\x00\x00\x00\x00"),
	    "a bad query is answered with its head alone");
}

/* Every cut of a good query: never read past its end (the sanitizers watch). */
static void
test_cuts(void)
{
	static const char query[] = HEAD "\x07"
	                                 "example"
	                                 "\x03"
	                                 "org"
	                                 "\x00" A_IN;
	int good = 0;
	for (size_t n = 0; n < sizeof(query); n++) {
		unsigned char copy[sizeof(query)];
		struct dns_query q;
		enum dns_rcode rcode;
		memcpy(copy, query, n);
		good += dns_parse(copy, n, &q, &rcode) == DNS_OK;
	}
	is_int(good, 1, "only the whole query is one");
}

int
main(void)
{
	test_queries();
	test_replies();
	test_cuts();
	return done();
}
