/* fuzz_hostsfile: any bytes as a line of hosts(5). */
#include <string.h>
#include <sys/socket.h>

#include "fuzz.h"
#include "hostsfile.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct host_addr addr = {AF_UNSPEC, {0}};

	if (hosts_line((const char *)data, len, "ok.test", &addr))
		must(addr.family == AF_INET || addr.family == AF_INET6);
	return 0;
}
