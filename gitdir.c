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

static const struct {
	const char *section, *key;
	enum git_path_kind kind;
} obeyed[] = {
    {"core", "hookspath", GIT_PATH_HOOKS},
    {"core", "attributesfile", GIT_PATH_FILE},
    {"core", "fsmonitor", GIT_PATH_PROGRAM},
    {"include", "path", GIT_PATH_INCLUDE},
    {"includeif", "path", GIT_PATH_INCLUDE},
};

static void
take_value(struct arena *a, const char *section, const char *key, const char *value,
    struct git_paths *out)
{
	for (size_t i = 0; i < SRUN_ARRAY_LEN(obeyed); i++) {
		if (strcasecmp(section, obeyed[i].section) != 0 ||
		    strcasecmp(key, obeyed[i].key) != 0)
			continue;
		out->v = arena_grow(a, out->v, out->n, sizeof(*out->v));
		out->v[out->n++] = (struct git_path){obeyed[i].kind, value};
	}
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

/* Past a section header at the start of a line, which may have a key behind it. */
static size_t
skip_section(const char *line, size_t n)
{
	const char *close = memchr(line, ']', n);
	size_t at = close != NULL ? (size_t)(close - line) + 1 : n;
	while (at < n && isspace((unsigned char)line[at]))
		at++;
	return at;
}

void
gitdir_config_paths(struct arena *a, const char *text, size_t len, struct git_paths *out)
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
			size_t skip = skip_section(line, n);
			line += skip;
			n -= skip;
		}
		size_t k = 0;
		while (k < n && k + 1 < sizeof(key) && isalnum((unsigned char)line[k])) {
			key[k] = line[k];
			k++;
		}
		key[k] = '\0';
		const char *eq = n > 0 ? memchr(line, '=', n) : NULL;
		if (k == 0 || eq == NULL)
			continue;
		const char *value = config_value(a, eq + 1, n - (size_t)(eq + 1 - line));
		if (value != NULL)
			take_value(a, section, key, value, out);
	}
}
