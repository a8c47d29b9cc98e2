/*
 * gitdir.c: what git's own files say, without running git: a ".git" file names another
 * directory, a configuration names files that git obeys. Pure; the text is untrusted.
 */
#include "gitdir.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

static const char *
trimmed(struct arena *a, const char *s, size_t n)
{
	while (n > 0 && isspace((unsigned char)s[0])) {
		s++;
		n--;
	}
	while (n > 0 && isspace((unsigned char)s[n - 1]))
		n--;
	return n > 0 ? arena_strndup(a, s, n) : NULL;
}

const char *
gitdir_of_file(struct arena *a, const char *text, size_t len)
{
	static const char word[] = "gitdir:";
	if (len < sizeof(word) - 1 || memcmp(text, word, sizeof(word) - 1) != 0)
		return NULL;
	const char *end = memchr(text, '\n', len);
	size_t n = end != NULL ? (size_t)(end - text) : len;
	return trimmed(a, text + sizeof(word) - 1, n - (sizeof(word) - 1));
}

/* A value without its quotes and without a comment behind it. */
static const char *
config_value(struct arena *a, const char *s, size_t n)
{
	struct bytes b = {NULL, 0, 0};
	bool quoted = false;
	for (size_t i = 0; i < n; i++) {
		if (s[i] == '"') {
			quoted = !quoted;
			continue;
		}
		if (!quoted && (s[i] == '#' || s[i] == ';'))
			break;
		if (s[i] == '\\' && i + 1 < n)
			i++;
		bytes_add(a, &b, s + i, 1);
	}
	return b.len > 0 ? trimmed(a, b.data, b.len) : NULL;
}

static bool
names_a_file(const char *section, const char *key)
{
	static const struct {
		const char *section, *key;
	} known[] = {
	    {"core", "hookspath"},
	    {"core", "attributesfile"},
	    {"include", "path"},
	    {"includeif", "path"},
	};
	for (size_t i = 0; i < SRUN_ARRAY_LEN(known); i++)
		if (strcasecmp(section, known[i].section) == 0 &&
		    strcasecmp(key, known[i].key) == 0)
			return true;
	return false;
}

/* "[section]" or "[section "sub"]" at the start of a line: the section's name. */
static void
take_section(const char *line, size_t n, char *section, size_t size)
{
	size_t len = 0;
	for (size_t i = 1; i < n && len + 1 < size; i++) {
		if (line[i] == ']' || line[i] == '"' || isspace((unsigned char)line[i]))
			break;
		section[len++] = line[i];
	}
	section[len] = '\0';
}

void
gitdir_config_paths(struct arena *a, const char *text, size_t len, struct strv *out)
{
	char section[64] = "", key[64];
	for (size_t at = 0; at < len;) {
		const char *end = memchr(text + at, '\n', len - at);
		size_t n = end != NULL ? (size_t)(end - (text + at)) : len - at;
		const char *line = text + at;
		at += n + 1;
		while (n > 0 && isspace((unsigned char)*line)) {
			line++;
			n--;
		}
		if (n > 0 && line[0] == '[') {
			take_section(line, n, section, sizeof(section));
			const char *close = memchr(line, ']', n);
			size_t skip = close != NULL ? (size_t)(close - line) + 1 : n;
			line += skip;
			n -= skip;
			while (n > 0 && isspace((unsigned char)*line)) {
				line++;
				n--;
			}
		}
		size_t k = 0;
		while (k < n && k + 1 < sizeof(key) && isalnum((unsigned char)line[k])) {
			key[k] = line[k];
			k++;
		}
		key[k] = '\0';
		const char *eq = n > 0 ? memchr(line, '=', n) : NULL;
		if (k == 0 || eq == NULL || !names_a_file(section, key))
			continue;
		const char *value = config_value(a, eq + 1, n - (size_t)(eq + 1 - line));
		if (value != NULL)
			strv_push(a, out, value);
	}
}
