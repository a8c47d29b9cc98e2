/*
 * fuzz_sni: any bytes as the first of a connection. An answer that was given for the
 * beginning must not change when more comes.
 */
#include <stdbool.h>
#include <string.h>

#include "fuzz.h"
#include "tls_sni.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	char name[TLS_SNI_MAX + 1], before[TLS_SNI_MAX + 1];
	enum tls_sni whole = tls_sni_read(data, len, name);
	bool decided = false;

	if (whole == TLS_SNI_NAME)
		for (size_t i = 0; name[i] != '\0'; i++)
			must(name[i] > ' ' && name[i] < 0x7f && i < TLS_SNI_MAX);
	for (size_t n = 0; n < len && !decided; n++) {
		enum tls_sni got = tls_sni_read(data, n, before);
		decided = got != TLS_SNI_MORE;
		must(!decided || got == whole);
		must(got != TLS_SNI_NAME || strcmp(name, before) == 0);
	}
	return 0;
}
