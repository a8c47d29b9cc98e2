/*
 * interp.c: interp.h on macOS: only scripts name an interpreter that can be missing.
 */
#include "interp.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

const char *
interp_of(struct arena *a, const char *file)
{
	char head[512] = "";
	int fd = open(file, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	ssize_t n = fd < 0 ? -1 : read(fd, head, sizeof(head) - 1);
	if (fd >= 0)
		close(fd);
	if (n < 3 || head[0] != '#' || head[1] != '!')
		return NULL;
	const char *name = head + 2 + strspn(head + 2, " \t");
	size_t len = strcspn(name, " \t\n");
	return len > 0 ? arena_strndup(a, name, len) : NULL;
}
