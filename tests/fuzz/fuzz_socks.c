/*
 * fuzz_socks: any bytes as a client's and as a parent's. They must be taken the same way
 * whole and byte by byte, and a name must be the bytes that came.
 */
#include <string.h>

#include "fuzz.h"
#include "socks.h"

static enum socks_step
serve(struct socks *s, const char *token, const uint8_t *data, size_t len, size_t piece)
{
	unsigned char reply[SOCKS_REPLY_MAX];
	size_t at = 0, have = 0, used, n;

	for (;;) {
		have = have + piece < len ? have + piece : len;
		for (;;) {
			enum socks_step step =
			    socks_serve(s, token, data + at, have - at, &used, reply, &n);
			must(used <= have - at && n <= sizeof(reply));
			at += used;
			if (step != SOCKS_MORE)
				return step;
			if (used == 0)
				break;
		}
		if (have == len)
			return SOCKS_MORE;
	}
}

static void
fuzz_server(const char *token, const uint8_t *data, size_t len)
{
	struct socks whole = {0}, bytes = {0};
	enum socks_step step = serve(&whole, token, data, len, len + 1);

	must(serve(&bytes, token, data, len, 1) == step);
	if (step != SOCKS_REQUEST)
		return;
	must(whole.host_len <= SOCKS_HOST_MAX && whole.host[whole.host_len] == '\0');
	must(whole.host_len == bytes.host_len && whole.port == bytes.port);
	must(memcmp(whole.host, bytes.host, whole.host_len) == 0);
	must(token == NULL || whole.trusted);
}

static void
fuzz_client(const uint8_t *data, size_t len)
{
	struct socks_client c = {0};
	unsigned char send[SOCKS_CLIENT_MAX];
	size_t at = 0, used, n;
	enum socks_step step;

	do {
		step = socks_ask(&c, "h.test", 1, len % 2 == 0 ? "u" : NULL, "p",
		    data + at, len - at, &used, send, &n);
		must(used <= len - at && n <= sizeof(send));
		at += used;
	} while (step == SOCKS_MORE && (used > 0 || n > 0));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	fuzz_server(NULL, data, len);
	fuzz_server("p", data, len);
	fuzz_client(data, len);
	return 0;
}
