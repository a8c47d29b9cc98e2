/*
 * gitdir.c: what git's own files say, without running git: a ".git" file names another
 * directory, a configuration names files that git obeys or runs. Pure; the text is
 * untrusted.
 */
#include "gitdir.h"

#include <string.h>

/* What git takes for a blank: neither \v nor \f, in no locale. */
static bool
is_blank(int c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool
is_letter(int c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool
is_key(int c)
{
	return is_letter(c) || (c >= '0' && c <= '9') || c == '-';
}

static char
lower(int c)
{
	return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

const char *
gitdir_of_file(struct arena *a, const char *text, size_t len)
{
	static const char word[] = "gitdir:";
	if (len < sizeof(word) - 1 || memcmp(text, word, sizeof(word) - 1) != 0)
		return NULL;
	const char *s = text + sizeof(word) - 1;
	const char *end = memchr(s, '\n', len - (sizeof(word) - 1));
	size_t n = end != NULL ? (size_t)(end - s) : len - (sizeof(word) - 1);
	while (n > 0 && is_blank(s[0])) {
		s++;
		n--;
	}
	while (n > 0 && is_blank(s[n - 1]))
		n--;
	return n > 0 ? arena_strndup(a, s, n) : NULL;
}

/* ---- configurations ---- */

/* Blanks before a byte that counts: as they are, or each as ' '. */
struct value {
	struct bytes plain, kept, blanks;
};

struct reader {
	struct arena *a;
	const char *text;
	size_t at, len, most;
	bool end;
	struct value value; /* of the setting that is read */
};

/* The end of the text ends a line too; a CR before the end of a line is no part of it. */
static int
next(struct reader *r)
{
	if (r->at >= r->len) {
		r->end = true;
		return '\n';
	}
	unsigned char c = (unsigned char)r->text[r->at++];
	if (c == '\r' && r->at < r->len && r->text[r->at] == '\n')
		return (unsigned char)r->text[r->at++];
	return c;
}

static void
skip_line(struct reader *r)
{
	while (next(r) != '\n')
		continue;
}

static void
add(struct reader *r, struct bytes *b, int c)
{
	char byte = (char)c;
	bytes_add(r->a, b, &byte, 1);
}

/* What stands for a byte behind a backslash; -1: git gives up. */
static int
escaped(int c)
{
	static const char from[] = "tbn\\\"", to[] = "\t\b\n\\\"";
	const char *at = c != '\0' ? strchr(from, c) : NULL;
	return at != NULL ? to[at - from] : -1;
}

static void
end_blanks(struct reader *r, struct value *v)
{
	if (v->blanks.len == 0)
		return;
	bytes_add(r->a, &v->kept, v->blanks.data, v->blanks.len);
	for (; v->blanks.len > 0; v->blanks.len--)
		add(r, &v->plain, ' ');
}

static void
add_to_value(struct reader *r, struct value *v, int c)
{
	add(r, &v->plain, c);
	add(r, &v->kept, c);
}

static bool
read_value(struct reader *r, struct value *v)
{
	bool quoted = false;
	for (;;) {
		int c = next(r);
		if (c == '\n')
			return !quoted;
		if (!quoted && is_blank(c)) {
			if (v->plain.len > 0)
				add(r, &v->blanks, c);
			continue;
		}
		if (!quoted && (c == ';' || c == '#')) {
			skip_line(r);
			return true;
		}
		end_blanks(r, v);
		if (c == '"') {
			quoted = !quoted;
		} else if (c != '\\') {
			add_to_value(r, v, c);
		} else if ((c = next(r)) != '\n') {
			if (escaped(c) < 0) {
				skip_line(r);
				return false;
			}
			add_to_value(r, v, escaped(c));
		}
	}
}

/* "sub"] behind "[section" and a blank. */
static bool
read_subsection(struct reader *r, struct bytes *name)
{
	int c;
	do
		c = next(r);
	while (c != '\n' && is_blank(c));
	if (c != '"') {
		if (c != '\n')
			skip_line(r);
		return false;
	}
	add(r, name, '.');
	while ((c = next(r)) != '"') {
		if (c == '\\')
			c = next(r);
		if (c == '\n')
			return false;
		add(r, name, c);
	}
	if ((c = next(r)) != ']' && c != '\n')
		skip_line(r);
	return c == ']';
}

/* Behind '[': the section's name. */
static bool
read_section(struct reader *r, struct bytes *name)
{
	int c;
	name->len = 0;
	while ((c = next(r)) != ']') {
		if (c == '\n')
			return false;
		if (is_blank(c))
			return read_subsection(r, name);
		if (!is_key(c) && c != '.') {
			skip_line(r);
			return false;
		}
		add(r, name, lower(c));
	}
	return name->len > 0;
}

/* The name's bytes as a string: up to a NUL, as git compares them. */
static const char *
string_of(struct reader *r, const struct bytes *b)
{
	return b->len > 0 ? arena_strndup(r->a, b->data, strnlen(b->data, b->len)) : "";
}

static bool
is_wanted(struct reader *r, struct bytes *name, const struct git_settings *out)
{
	if (r->most == SIZE_MAX)
		return true;
	add(r, name, '\0');
	name->len--;
	return out->n < r->most && gitdir_kind(name->data) != GIT_PATH_NONE;
}

/* The key begins with c, behind what name has of the section. */
static bool
read_setting(struct reader *r, int c, struct bytes *name, struct git_settings *out)
{
	struct value *v = &r->value;
	bool with_value = false;
	v->plain.len = v->kept.len = v->blanks.len = 0;
	add(r, name, lower(c));
	while (is_key(c = next(r)))
		add(r, name, lower(c));
	while (c == ' ' || c == '\t')
		c = next(r);
	if (c != '\n') {
		with_value = c == '=';
		if (!with_value)
			skip_line(r);
		if (!with_value || !read_value(r, v))
			return false;
	}
	if (!is_wanted(r, name, out))
		return true;
	out->v = arena_grow(r->a, out->v, out->n, sizeof(*out->v));
	out->v[out->n++] = (struct git_setting){.name = string_of(r, name),
	    .value = with_value ? string_of(r, &v->plain) : NULL,
	    .kept = with_value ? string_of(r, &v->kept) : NULL};
	return true;
}

static void
note_unsound(struct git_settings *out)
{
	if (out->sound == SIZE_MAX)
		out->sound = out->n;
}

void
gitdir_config(
    struct arena *a, const char *text, size_t len, size_t most, struct git_settings *out)
{
	static const char bom[] = "\xef\xbb\xbf";
	struct reader r = {.a = a, .text = text, .len = len, .most = most};
	struct bytes section = {NULL, 0, 0}, name = {NULL, 0, 0};
	out->sound = SIZE_MAX;
	if (len >= sizeof(bom) - 1 && memcmp(text, bom, sizeof(bom) - 1) == 0)
		r.at = sizeof(bom) - 1;
	while (!r.end) {
		int c = next(&r);
		if (is_blank(c))
			continue;
		if (c == '#' || c == ';') {
			skip_line(&r);
		} else if (c == '[') {
			if (!read_section(&r, &section))
				note_unsound(out);
			add(&r, &section, '.');
		} else if (is_letter(c)) {
			name.len = 0;
			bytes_add(a, &name, section.data, section.len);
			if (!read_setting(&r, c, &name, out))
				note_unsound(out);
		} else {
			note_unsound(out);
			skip_line(&r);
		}
	}
}

/* ---- what settings mean ---- */

/*
 * Settings that name what git runs or obeys in the course of "status", "diff", "commit",
 * "fetch" and the like. An alias or a tool that somebody calls by its name is not one.
 */
static const struct {
	const char *section, *key; /* with or without a subsection between */
	enum git_path_kind kind;
} meanings[] = {
    {"core", "hookspath", GIT_PATH_OBEYED},
    {"core", "attributesfile", GIT_PATH_OBEYED},
    {"init", "templatedir", GIT_PATH_OBEYED},
    {"include", "path", GIT_PATH_INCLUDE},
    {"includeif", "path", GIT_PATH_INCLUDE},
    {"core", "fsmonitor", GIT_PATH_COMMAND},
    {"core", "sshcommand", GIT_PATH_COMMAND},
    {"core", "gitproxy", GIT_PATH_COMMAND},
    {"core", "askpass", GIT_PATH_COMMAND},
    {"core", "pager", GIT_PATH_COMMAND},
    {"core", "editor", GIT_PATH_COMMAND},
    {"core", "alternaterefscommand", GIT_PATH_COMMAND},
    {"sequence", "editor", GIT_PATH_COMMAND},
    {"interactive", "difffilter", GIT_PATH_COMMAND},
    {"pager", NULL, GIT_PATH_COMMAND},
    {"diff", "external", GIT_PATH_COMMAND},
    {"diff", "command", GIT_PATH_COMMAND},
    {"diff", "textconv", GIT_PATH_COMMAND},
    {"filter", "clean", GIT_PATH_COMMAND},
    {"filter", "smudge", GIT_PATH_COMMAND},
    {"filter", "process", GIT_PATH_COMMAND},
    {"merge", "driver", GIT_PATH_COMMAND},
    {"trailer", "command", GIT_PATH_COMMAND},
    {"trailer", "cmd", GIT_PATH_COMMAND},
    {"hook", "command", GIT_PATH_COMMAND},
    {"submodule", "update", GIT_PATH_COMMAND},
    {"remote", "uploadpack", GIT_PATH_COMMAND},
    {"remote", "receivepack", GIT_PATH_COMMAND},
    {"uploadpack", "packobjectshook", GIT_PATH_COMMAND},
    {"gpg", "program", GIT_PATH_HELPER},
    {"credential", "helper", GIT_PATH_HELPER},
};

enum git_path_kind
gitdir_kind(const char *name)
{
	const char *dot = strchr(name, '.'), *last = strrchr(name, '.');
	for (size_t i = 0; dot != NULL && i < SRUN_ARRAY_LEN(meanings); i++) {
		size_t n = strlen(meanings[i].section);
		if ((size_t)(dot - name) == n &&
		    strncmp(name, meanings[i].section, n) == 0 &&
		    (meanings[i].key == NULL || strcmp(last + 1, meanings[i].key) == 0))
			return meanings[i].kind;
	}
	return GIT_PATH_NONE;
}

void
gitdir_words(struct arena *a, const char *command, struct strv *out)
{
	/* Where quotes and '=' stand is not looked at: every piece is a candidate. */
	static const char between[] = " \t\r\n\"'`$&|;<>(){}!\\=,:";
	for (const char *s = command; *(s += strspn(s, between)) != '\0';) {
		size_t n = strcspn(s, between);
		strv_push(a, out, arena_strndup(a, s, n));
		s += n;
	}
}
