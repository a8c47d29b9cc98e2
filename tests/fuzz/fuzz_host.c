/*
 * fuzz_host: any bytes as a host of a request, of a rule and as an authority. What is
 * taken must be its own canonical form, and an address where inet_aton(3) finds one.
 */
#include <arpa/inet.h>
#include <string.h>
#include <sys/socket.h>

#include "fuzz.h"
#include "hostmatch.h"

static void
check_form(const struct host_name *h)
{
	must(h->len == strlen(h->text) && h->len != 0 && h->len <= HOST_TEXT_MAX);
	must(h->addr.family == AF_UNSPEC || h->addr.family == AF_INET ||
	     h->addr.family == AF_INET6);
	for (size_t i = 0; i < h->len; i++) {
		unsigned char c = (unsigned char)h->text[i];

		must(c > ' ' && c < 0x7f && strchr("%@/[]*", c) == NULL);
		must(c < 'A' || c > 'Z');
	}
	if (h->addr.family == AF_UNSPEC)
		must(h->text[0] != '.' && h->text[h->len - 1] != '.' &&
		     strstr(h->text, "..") == NULL && strchr(h->text, ':') == NULL);
	else
		must(addr_classify(&h->addr, NULL) <= ADDR_PRIVATE);
}

static void
check_again(const struct host_name *h)
{
	char text[HOST_AUTHORITY_MAX];
	struct host_name again;
	uint16_t port;
	size_t n;

	must(host_name_parse(h->text, h->len, &again) == NULL);
	must(memcmp(&again, h, sizeof(again)) == 0);
	n = host_authority_text(h, 65535, text);
	must(n == strlen(text) && n < HOST_AUTHORITY_MAX);
	must(host_authority_parse(text, n, 0, &again, &port) == NULL && port == 65535);
	must(memcmp(&again, h, sizeof(again)) == 0);
}

/* What a resolver would take for an address is none of a name's business. */
static void
check_against_libc(const char *text, const char *why, const struct host_name *h)
{
	struct in_addr four;
	unsigned char six[16];
	struct host_addr want;

	if (strpbrk(text, " \t\n\v\f\r") == NULL && inet_aton(text, &four) == 1) {
		host_addr_make(AF_INET, &four, &want);
		must(why == NULL && host_addr_equal(&want, &h->addr));
	}
	if (inet_pton(AF_INET6, text, six) == 1) {
		host_addr_make(AF_INET6, six, &want);
		must(why == NULL && host_addr_equal(&want, &h->addr));
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	char text[512];
	struct host_name h;
	uint16_t port;
	const char *why;

	if (len >= sizeof(text))
		return 0;
	if (len != 0)
		memcpy(text, data, len);
	text[len] = '\0';
	why = host_name_parse(text, len, &h);
	if (why == NULL) {
		must(memchr(text, '\0', len) == NULL);
		check_form(&h);
		check_again(&h);
	}
	if (strlen(text) == len)
		check_against_libc(text, why, &h);
	if (host_authority_parse(text, len, 80, &h, &port) == NULL) {
		must(port != 0);
		check_form(&h);
		check_again(&h);
	}
	if (host_name_from_rule(text, len, &h) == NULL) {
		check_form(&h);
		check_again(&h);
	}
	return 0;
}
