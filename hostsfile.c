/*
 * hostsfile.c: one line of hosts(5).
 *
 * Owns its format. Must not open the file or make a system call.
 */
#include <string.h>
#include <strings.h>

#include "hostsfile.h"

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* The next word from *at on; its length, 0 at the end. */
static size_t
next_word(const char *line, size_t len, size_t *at)
{
	size_t start;

	while (*at < len && is_blank(line[*at]))
		++*at;
	start = *at;
	while (*at < len && !is_blank(line[*at]))
		++*at;
	return *at - start;
}

bool
hosts_line(const char *line, size_t len, const char *name, struct host_addr *out)
{
	const char *comment = memchr(line, '#', len);
	size_t at = 0, word, addr_len, name_len = strlen(name);
	const char *addr;

	if (comment != NULL)
		len = (size_t)(comment - line);
	addr_len = next_word(line, len, &at);
	addr = line + at - addr_len;
	while ((word = next_word(line, len, &at)) != 0) {
		const char *start = line + at - word;

		if (word > 1 && start[word - 1] == '.')
			word--;
		if (word == name_len && strncasecmp(start, name, word) == 0)
			return host_addr_parse(addr, addr_len, out);
	}
	return false;
}
