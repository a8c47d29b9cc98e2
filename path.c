/*
 * path.c: paths as text.
 *
 * Owns normal form, prefixes, order, variables and patterns. Must not make a system
 * call: whether a path exists, and what ".." or a link means, is host.c's to find out.
 */
#include <stdint.h>
#include <string.h>
#include <wctype.h>

#include "path.h"

/*
 * Adds the components of text but empty ones and "." to out, which has room for them. Byte
 * by byte: components are short, and a call of memcpy(3) for each costs more than it saves.
 */
static size_t
append_components(char *out, size_t len, const char *text)
{
	while (*text != '\0') {
		if (*text == '/') {
			text++;
		} else if (text[0] == '.' && (text[1] == '/' || text[1] == '\0')) {
			text++;
		} else {
			out[len++] = '/';
			while (*text != '\0' && *text != '/')
				out[len++] = *text++;
		}
	}
	return len;
}

char *
path_normalise(struct arena *a, const char *path, const char *base)
{
	size_t room = strlen(path) + 3, len = 0;
	char *out;

	if (path[0] == '/')
		base = NULL;
	if (base != NULL)
		room += strlen(base) + 1;
	out = arena_alloc(a, room);
	if (base != NULL)
		len = append_components(out, len, base);
	len = append_components(out, len, path);
	if (len == 0)
		out[len++] = '/';
	out[len] = '\0';
	return out;
}

bool
path_within(const char *path, const char *root)
{
	size_t n = strlen(root);

	if (n == 1 && root[0] == '/')
		return path[0] == '/';
	return strncmp(path, root, n) == 0 && (path[n] == '\0' || path[n] == '/');
}

/* The end sorts first, '/' second, every other byte by its value. */
static int
sort_rank(char c)
{
	if (c == '\0')
		return -2;
	return c == '/' ? -1 : (int)(unsigned char)c;
}

int
path_compare(const char *a, const char *b)
{
	while (*a != '\0' && *a == *b)
		a++, b++;
	return sort_rank(*a) - sort_rank(*b);
}

size_t
path_depth(const char *path)
{
	size_t n = 0;

	for (; *path != '\0'; path++)
		n += path[0] == '/' && path[1] != '\0';
	return n;
}

char *
path_parent(struct arena *a, const char *path)
{
	const char *slash = strrchr(path, '/');

	if (slash == NULL || slash == path)
		return arena_strdup(a, "/");
	return arena_strndup(a, path, (size_t)(slash - path));
}

const char *
path_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash == NULL ? path : slash + 1;
}

char *
path_join(struct arena *a, const char *dir, const char *name)
{
	return arena_printf(a, "%s/%s", strcmp(dir, "/") == 0 ? "" : dir, name);
}

bool
path_has_pattern(const char *path)
{
	return strpbrk(path, "*?[") != NULL;
}

/* ---- patterns ---- */

/* A run of text: one component, or what is left of it. */
struct span {
	const char *at, *end;
};

/*
 * The next character, so that '?' is one letter of a UTF-8 name. A byte that starts no
 * well-formed sequence stands for itself, above every code point.
 */
static uint32_t
next_char(struct span *s)
{
	unsigned char c = (unsigned char)*s->at++;
	uint32_t value = c;
	int more = c >= 0xf0 && c < 0xf8   ? 3
	           : c >= 0xe0 && c < 0xf0 ? 2
	           : c >= 0xc2 && c < 0xe0 ? 1
	                                   : 0;
	const char *p = s->at;

	if (c < 0x80)
		return c;
	if (more == 0 || s->end - p < more)
		return UINT32_C(0x200000) + c;
	value &= 0x3fU >> more;
	for (int i = 0; i < more; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return UINT32_C(0x200000) + c;
		value = value << 6 | (uint32_t)(p[i] & 0x3f);
	}
	s->at = p + more;
	return value;
}

/* The end of the set that starts at its '[', or NULL when no ']' closes it. */
static const char *
set_end(struct span s)
{
	const char *p = s.at + 1;

	if (p < s.end && (*p == '!' || *p == '^'))
		p++;
	if (p < s.end && *p == ']')
		p++;
	while (p < s.end && *p != ']')
		p++;
	return p < s.end ? p : NULL;
}

/* Whether c is in the set between '[' and end (its ']'). */
static bool
set_has(const char *open, const char *end, uint32_t c)
{
	struct span s = {open + 1, end};
	bool negated = s.at < end && (*s.at == '!' || *s.at == '^'), found = false;

	s.at += negated;
	while (s.at < end) {
		uint32_t low = next_char(&s), high = low;

		if (end - s.at >= 2 && *s.at == '-') {
			s.at++;
			high = next_char(&s);
		}
		found |= c >= low && c <= high;
	}
	return found != negated;
}

/* The other cases of a letter; what is no letter, or no code point, is itself. */
static uint32_t
lower(uint32_t c)
{
	return c < 0x110000 ? (uint32_t)towlower((wint_t)c) : c;
}

static uint32_t
upper(uint32_t c)
{
	return c < 0x110000 ? (uint32_t)towupper((wint_t)c) : c;
}

/* One pattern element that is not '*' against one character; both are moved on. */
static bool
match_one(struct span *pattern, struct span *name, bool fold)
{
	const char *end;
	uint32_t c = next_char(name);

	if (*pattern->at == '?') {
		pattern->at++;
		return true;
	}
	end = *pattern->at == '[' ? set_end(*pattern) : NULL;
	if (end != NULL) {
		bool found = set_has(pattern->at, end, c) ||
		             (fold && (set_has(pattern->at, end, lower(c)) ||
		                          set_has(pattern->at, end, upper(c))));

		pattern->at = end + 1;
		return found;
	}
	uint32_t want = next_char(pattern);
	return want == c || (fold && lower(want) == lower(c));
}

/* One component. Only the last '*' can need another try, so the cost is n times m. */
static bool
match_component(struct span pattern, struct span name, bool fold)
{
	struct span star = {NULL, NULL}, retry = {NULL, NULL};

	while (name.at < name.end) {
		if (pattern.at < pattern.end && *pattern.at == '*') {
			pattern.at++;
			star = pattern;
			retry = name;
			continue;
		}
		if (pattern.at < pattern.end && match_one(&pattern, &name, fold))
			continue;
		if (star.at == NULL)
			return false;
		pattern = star;
		next_char(&retry);
		name = retry;
	}
	while (pattern.at < pattern.end && *pattern.at == '*')
		pattern.at++;
	return pattern.at == pattern.end;
}

bool
path_match_name(const char *pattern, size_t len, const char *name, bool fold)
{
	struct span p = {pattern, pattern + len}, n = {name, name + strlen(name)};

	return match_component(p, n, fold);
}

/* Takes the next component of *rest; false at the end. */
static bool
next_component(const char **rest, struct span *out)
{
	while (**rest == '/')
		(*rest)++;
	if (**rest == '\0')
		return false;
	out->at = *rest;
	*rest += strcspn(*rest, "/");
	out->end = *rest;
	return true;
}

static bool
is_deep(struct span s)
{
	return s.end - s.at == 2 && s.at[0] == '*' && s.at[1] == '*';
}

/* As match_component one level up: components for characters, "**" for '*'. */
bool
path_match(const char *pattern, const char *path)
{
	const char *star = NULL, *retry = NULL;
	struct span want, have;

	if ((pattern[0] == '/') != (path[0] == '/'))
		return false;
	for (;;) {
		const char *before = path, *pattern_before = pattern;
		bool more = next_component(&path, &have);

		if (next_component(&pattern, &want) && is_deep(want)) {
			star = pattern;
			retry = path = before;
			continue;
		}
		pattern = pattern_before;
		if (next_component(&pattern, &want)) {
			if (more && match_component(want, have, false))
				continue;
		} else if (!more) {
			return true;
		}
		if (!more || star == NULL)
			return false;
		pattern = star;
		next_component(&retry, &have);
		path = retry;
	}
}

bool
path_match_below(const char *base, const char *tail, const char *path)
{
	if (!path_within(path, base))
		return false;
	path += base[1] == '\0' ? 0 : strlen(base);
	while (*path == '/')
		path++;
	return path_match(tail, path);
}

/* ---- variables ---- */

/* Adds the value of the variable that text starts with ("${NAME}"); 0 with *why set. */
static size_t
expand_variable(struct arena *a, struct bytes *out, const char *text, path_lookup *lookup,
    void *arg, const char **why)
{
	const char *close = text[1] == '{' ? strchr(text, '}') : NULL, *name, *value;

	if (close == NULL || close == text + 2) {
		*why = arena_printf(a, "'$' starts no '${NAME}' in '%s'", text);
		return 0;
	}
	name = arena_strndup(a, text + 2, (size_t)(close - text - 2));
	value = lookup == NULL ? NULL : lookup(arg, name);
	if (value == NULL) {
		*why = arena_printf(a, "variable '%s' is not set", name);
		return 0;
	}
	bytes_puts(a, out, value);
	return (size_t)(close - text) + 1;
}

char *
path_expand(struct arena *a, const char *text, const char *home, path_lookup *lookup,
    void *arg, const char **why)
{
	struct bytes out = {NULL, 0, 0};

	if (text[0] == '~') {
		if (text[1] != '\0' && text[1] != '/') {
			*why = "'~user' is not supported [write the whole path]";
			return NULL;
		}
		if (home == NULL) {
			*why = "HOME holds no absolute path, and the user database "
			       "has no home for you [set HOME]";
			return NULL;
		}
		bytes_puts(a, &out, home);
		text++;
	}
	while (*text != '\0') {
		size_t n = strcspn(text, "$");

		bytes_add(a, &out, text, n);
		text += n;
		if (*text == '$') {
			n = expand_variable(a, &out, text, lookup, arg, why);
			if (n == 0)
				return NULL;
			text += n;
		}
	}
	bytes_add(a, &out, "", 1);
	return out.data;
}
