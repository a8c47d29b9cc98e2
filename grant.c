/*
 * grant.c: the text of a grant → settings, through inih.
 *
 * Owns the dialect: sections, keys, quoting, and what is refused. The only file that
 * includes <ini.h>. Must not judge a value (policy.c does), open a file, or guess.
 *
 * The library cuts lines at 198 bytes and section names at 49, joins indented lines,
 * ends a value at " ;" or NUL, takes ':' for '=', and skips "[open". So it never sees a
 * line as written: read_line(), its reader, judges each raw line first, hands on only a
 * short one of the same structure ("key = @"), and keeps the key and the value as they
 * are. The handler then checks that the library saw what was meant, and files them.
 */
#include <ini.h>
#include <string.h>

#include "grant.h"
#include "textindex.h"

#define STAND_IN   "@" /* what the library sees as every value */
#define KEY_HANDED 100 /* a longer key is handed on as KEY_LONG */
#define KEY_LONG   "long"
#define SHOWN      64 /* bytes of a broken key or section in a message */
#define BOM        "\xef\xbb\xbf"

const struct grant_key grant_keys[] = {
    [KEY_ISOLATION] = {"sandbox", "isolation", "name", "auto", "the backend", false},
    [KEY_REQUIRE] = {"sandbox", "require", "list", "empty",
        "refuse a backend that cannot enforce these: fs, deny-set, net, unix, pid, all",
        true},
    [KEY_WORKING_DIRECTORY] = {"sandbox", "working_directory", "path or temp",
        "the caller's", "where the command starts; temp is made for the run", false},
    [KEY_SHELL] = {"sandbox", "shell", "path", "/bin/sh", "for -c and srun-sh", false},
    [KEY_TIMEOUT] = {"sandbox", "timeout", "time", "none",
        "after this, TERM to the command", false},
    [KEY_KILL_AFTER] = {"sandbox", "kill_after", "time", "2s",
        "after this and timeout, KILL to the tree", false},
    [KEY_TEMP] = {"sandbox", "temp", "private, tmp or host", "private",
        "which temporary directories the command has", false},
    [KEY_PASS_ENV] = {"sandbox", "pass_env", "names, PREFIX_*", "empty",
        "variables forwarded from the host if set", true},
    [KEY_PASS_CA] = {"sandbox", "pass_ca", "yes or no", "no",
        "forward the CA-bundle variables and make those files readable", false},
    [KEY_DENY_READ] = {"filesystem", "deny_read", "paths", "empty",
        "closes a subtree for reading and writing", true},
    [KEY_ALLOW_READ] = {"filesystem", "allow_read", "paths", "empty",
        "opens again inside a deny_read", true},
    [KEY_ALLOW_WRITE] = {"filesystem", "allow_write", "paths", "empty",
        "opens a subtree for writing and reading", true},
    [KEY_DENY_WRITE] = {"filesystem", "deny_write", "paths", "empty",
        "closes a subtree for writing, whatever is more specific", true},
    [KEY_READ_ONLY_PATHS] = {"filesystem", "read_only_paths", "paths", "empty",
        "allow_read and deny_write", true},
    [KEY_READ_WRITE_PATHS] = {"filesystem", "read_write_paths", "paths", "empty",
        "allow_read and allow_write", true},
    [KEY_WRITE_WORKING_DIRECTORY] = {"filesystem", "write_working_directory", "yes or no",
        "yes", "the working directory may be written", false},
    [KEY_ALLOW_GIT_CONFIG] = {"filesystem", "allow_git_config", "yes or no", "no",
        "lifts .git/config from the mandatory deny set", false},
    [KEY_CREATE] = {"filesystem", "create", "paths", "empty",
        "directories under a write root, made before the start if missing", true},
    [KEY_DEVICES] = {"filesystem", "devices", "list", "minimal",
        "nodes below /dev besides the usual ones", true},
    [KEY_NET_MODE] = {"network", "mode", "none, restricted or all",
        "none, or restricted when an allow key is set", "the network as a whole", false},
    [KEY_ALLOW_DOMAINS] = {"network", "allow_domains", "domain rules", "empty",
        "hosts that may be reached", true},
    [KEY_DENY_DOMAINS] = {"network", "deny_domains", "domain rules", "empty",
        "hosts that may not be reached, whatever allows them", true},
    [KEY_ALLOW_HOST_PORTS] = {"network", "allow_host_ports", "[ADDR:]PORT", "empty",
        "services on the host's loopback that may be reached", true},
    [KEY_PUBLISH_PORTS] = {"network", "publish_ports", "[ADDR:]PORT", "empty",
        "servers inside that the host's 127.0.0.1 reaches", true},
    [KEY_ALLOW_LOCAL_BINDING] = {"network", "allow_local_binding", "yes or no",
        "yes on Linux, no on macOS", "listen and connect on loopback", false},
    [KEY_PARENT_PROXY] = {"network", "parent_proxy", "env, none or URL", "env",
        "the proxy that srun's own proxy goes through", false},
    [KEY_PARENT_NO_PROXY] = {"network", "parent_no_proxy",
        "env, none or a list in "
        "NO_PROXY's form",
        "env", "hosts reached without the parent proxy", false},
    [KEY_JAVA_PROXY] = {"network", "java_proxy", "yes or no", "no",
        "proxy properties in JAVA_TOOL_OPTIONS", false},
    [KEY_UNIX_MODE] = {"unix_sockets", "mode", "none, inside or all", "inside",
        "unix sockets as a whole", false},
    [KEY_UNIX_ALLOW] = {"unix_sockets", "allow", "paths", "empty",
        "host sockets the command may connect to", true},
    [KEY_ENV_NAME] = {"env", "NAME", "value", "", "set in the child", false},
    [KEY_LIMIT_MEMORY] = {"limits", "memory", "size", "none", "address space", false},
    [KEY_LIMIT_CPU_TIME] = {"limits", "cpu_time", "time with a unit", "none",
        "processor time, rounded up to seconds", false},
    [KEY_LIMIT_PROCESSES] = {"limits", "processes", "number", "none",
        "processes and threads", false},
    [KEY_LIMIT_OPEN_FILES] = {"limits", "open_files", "number", "none",
        "descriptors of one process", false},
    [KEY_LIMIT_FILE_SIZE] = {"limits", "file_size", "size", "none",
        "the largest file that can be written", false},
    [KEY_LIMIT_CORE] = {"limits", "core", "size", "none", "the largest core file", false},
    [KEY_DENIALS] = {"report", "denials", "off, writes or all",
        "writes where it is free of side effects", "which refusals are reported", false},
};

const size_t grant_nkeys = SRUN_ARRAY_LEN(grant_keys);

/* The rows of a section: from first up to the next section's first. */
static const struct {
	const char *name;
	enum grant_key_id first, end;
} sections[SECTION_COUNT] = {
    [SECTION_SANDBOX] = {"sandbox", KEY_ISOLATION, KEY_DENY_READ},
    [SECTION_FILESYSTEM] = {"filesystem", KEY_DENY_READ, KEY_NET_MODE},
    [SECTION_NETWORK] = {"network", KEY_NET_MODE, KEY_UNIX_MODE},
    [SECTION_UNIX_SOCKETS] = {"unix_sockets", KEY_UNIX_MODE, KEY_ENV_NAME},
    [SECTION_ENV] = {"env", KEY_ENV_NAME, KEY_LIMIT_MEMORY},
    [SECTION_LIMITS] = {"limits", KEY_LIMIT_MEMORY, KEY_DENIALS},
    [SECTION_REPORT] = {"report", KEY_DENIALS, KEY_COUNT},
};

/* Where the reader is: no section was opened, an unknown one, or a known one's number. */
enum { AT_START = -2, AT_UNKNOWN = -1 };

/* A run of bytes in the text. */
struct span {
	const char *at;
	size_t len;
};

struct reader {
	struct arena *arena;
	struct errs *errs;
	struct settings *out;
	struct origin origin; /* of the line at hand */
	bool quoting;         /* a single value may be quoted */

	const char *at, *end;
	unsigned line;
	bool lineless; /* origins have no line: the built-in default */
	int section;
	struct span key, value;
	char handed[KEY_HANDED + 1]; /* the key as the library has it */
	size_t lines_handed, lines_taken;

	unsigned first_line[KEY_COUNT];
	struct text_index env_lines; /* name of a variable → its setting's line */
};

/* ---- names ---- */

enum grant_section
grant_key_section(enum grant_key_id id)
{
	int i = 0;

	while (id >= sections[i].end)
		i++;
	return (enum grant_section)i;
}

static int
find_section(struct span name)
{
	for (int i = 0; i < SECTION_COUNT; i++)
		if (strlen(sections[i].name) == name.len &&
		    memcmp(sections[i].name, name.at, name.len) == 0)
			return i;
	return AT_UNKNOWN;
}

/* The row of that key in the section, KEY_COUNT if there is none. */
static enum grant_key_id
find_key(int section, struct span name)
{
	unsigned end = sections[section].end;

	if (section == SECTION_ENV)
		return KEY_ENV_NAME;
	for (unsigned i = sections[section].first; i < end; i++)
		if (strncmp(grant_keys[i].key, name.at, name.len) == 0 &&
		    grant_keys[i].key[name.len] == '\0')
			return (enum grant_key_id)i;
	return KEY_COUNT;
}

/* At most SHOWN bytes of the text, for a message. */
static const char *
shown(struct reader *r, struct span s)
{
	if (s.len <= SHOWN)
		return arena_strndup(r->arena, s.at, s.len);
	return arena_printf(r->arena, "%.*s...", SHOWN, s.at);
}

static void
unknown_section(struct reader *r, struct span name)
{
	const char *names[SECTION_COUNT + 1], *text = shown(r, name), *near;

	for (int i = 0; i < SECTION_COUNT; i++)
		names[i] = sections[i].name;
	names[SECTION_COUNT] = NULL;
	near = nearest_name(text, names);
	if (near != NULL)
		errs_at(r->arena, r->errs, r->origin,
		    "unknown section '%s' [did you mean '%s'?]", text, near);
	else
		errs_at(r->arena, r->errs, r->origin, "unknown section '%s'", text);
}

/* Another section that has the key, or NULL. */
static const char *
section_of(struct span name)
{
	for (int i = 0; i < SECTION_COUNT; i++)
		if (i != SECTION_ENV && find_key(i, name) != KEY_COUNT)
			return sections[i].name;
	return NULL;
}

static void
unknown_key(struct reader *r, int section, struct span name)
{
	const char *names[KEY_COUNT + 1], *text = shown(r, name), *near, *other;
	size_t n = 0;

	for (unsigned i = sections[section].first; i < sections[section].end; i++)
		names[n++] = grant_keys[i].key;
	names[n] = NULL;
	near = nearest_name(text, names);
	other = section_of(name);
	if (other != NULL)
		errs_at(r->arena, r->errs, r->origin,
		    "unknown key '%s' in [%s] [it belongs in section '%s']", text,
		    sections[section].name, other);
	else if (near != NULL)
		errs_at(r->arena, r->errs, r->origin,
		    "unknown key '%s' in [%s] [did you mean '%s'?]", text,
		    sections[section].name, near);
	else
		errs_at(r->arena, r->errs, r->origin, "unknown key '%s' in [%s]", text,
		    sections[section].name);
}

/* ---- values ---- */

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static struct span
trimmed(const char *at, const char *end)
{
	while (at < end && is_blank(*at))
		at++;
	while (end > at && is_blank(end[-1]))
		end--;
	return (struct span){at, (size_t)(end - at)};
}

/*
 * Whether an unquoted value holds what a person means as a comment. The library itself
 * would end the value at " ;".
 */
static bool
has_comment(struct span s)
{
	for (size_t i = 1; i < s.len; i++)
		if ((s.at[i] == '#' || s.at[i] == ';') && is_blank(s.at[i - 1]))
			return true;
	return false;
}

#define COMMENT_BEHIND                                                                   \
	"a comment behind a value [give it a line of its own, or put the value in "      \
	"quotes]"

/* The quote that closes the one at 'at', or NULL; '""' on the way is a quote inside. */
static const char *
closing_quote(const char *at, const char *end)
{
	for (const char *p = at + 1; (p = memchr(p, '"', (size_t)(end - p))) != NULL;
	     p += 2)
		if (p + 1 == end || p[1] != '"')
			return p;
	return NULL;
}

/*
 * A quoted value from its opening quote: *at moves behind the closing one. Inside, '""'
 * is one quote and everything else is itself. NULL if nothing closes it.
 */
static char *
take_quoted(struct arena *a, const char **at, const char *end)
{
	const char *close = closing_quote(*at, end);
	char *out;
	size_t n = 0;

	if (close == NULL)
		return NULL;
	out = arena_alloc(a, (size_t)(close - *at));
	for (const char *p = *at + 1; p < close; p += *p == '"' ? 2 : 1)
		out[n++] = *p;
	*at = close + 1;
	return out;
}

/*
 * The next value of a list; *at moves behind its comma, or to NULL after the last one.
 * NULL with *why set when it is empty, badly quoted or followed by a comment.
 */
static const char *
take_value(struct reader *r, const char **at, const char *end, const char **why)
{
	struct arena *a = r->arena;
	struct span s = trimmed(*at, end);
	const char *p = s.at, *value;

	end = s.at + s.len;
	*why = "unterminated quote";
	if (p < end && *p == '"') {
		value = take_quoted(a, &p, end);
		if (value == NULL)
			return NULL;
		s = trimmed(p, end);
		p = s.at;
		*why =
		    "text behind a closing quote [put a comma between, or write '\"\"' "
		    "for a quote inside]";
		if (p < end && *p != ',')
			return NULL;
	} else {
		const char *comma = memchr(p, ',', s.len);

		s = trimmed(p, comma == NULL ? end : comma);
		*why = COMMENT_BEHIND;
		if (r->quoting && has_comment(s))
			return NULL;
		value = arena_strndup(a, s.at, s.len);
		p = comma == NULL ? end : comma;
	}
	*why = "empty value in a list";
	*at = p < end ? p + 1 : NULL;
	return value[0] == '\0' ? NULL : value;
}

static void
reserve(struct arena *a, struct settings *all, size_t cap)
{
	struct setting *moved = arena_alloc(a, cap * sizeof(*moved));

	if (all->n != 0)
		memcpy(moved, all->v, all->n * sizeof(*moved));
	all->v = moved;
	all->cap = cap;
}

static void
file_setting(struct reader *r, enum grant_key_id id, const char *name, const char *value)
{
	struct settings *out = r->out;

	if (out->n == out->cap)
		reserve(r->arena, out, out->cap < 8 ? 16 : out->cap * 2);
	out->v[out->n++] = (struct setting){id, name, value, r->origin, !r->quoting};
}

static void
file_list(struct reader *r, enum grant_key_id id, struct span text)
{
	const char *at = text.at, *why;

	while (at != NULL) {
		const char *value = take_value(r, &at, text.at + text.len, &why);

		if (value == NULL) {
			errs_at(r->arena, r->errs, r->origin, "%s: %s",
			    grant_keys[id].key, why);
			return;
		}
		file_setting(r, id, grant_keys[id].key, value);
	}
}

/* A value that is one: quoted as a whole, or taken as it is. */
static void
file_single(struct reader *r, enum grant_key_id id, const char *name, struct span text)
{
	const char *value, *at = text.at, *end = text.at + text.len;

	if (r->quoting && text.len != 0 && text.at[0] == '"') {
		value = take_quoted(r->arena, &at, end);
		if (value == NULL || at != end) {
			errs_at(r->arena, r->errs, r->origin, "%s: %s", name,
			    value == NULL ? "unterminated quote"
			                  : "text behind the closing quote [write '\"\"' "
			                    "for a quote inside]");
			return;
		}
	} else if (r->quoting && has_comment(text)) {
		errs_at(r->arena, r->errs, r->origin, "%s: %s", name, COMMENT_BEHIND);
		return;
	} else {
		value = arena_strndup(r->arena, text.at, text.len);
	}
	if (value[0] == '\0' && id != KEY_ENV_NAME) {
		errs_at(r->arena, r->errs, r->origin, "%s: no value", name);
		return;
	}
	file_setting(r, id, name, value);
}

/* ---- lines ---- */

/* False, with an error, if the single-valued key was set before in the same text. */
static bool
check_once(struct reader *r, enum grant_key_id id, const char *name)
{
	unsigned first = r->first_line[id];

	if (id == KEY_ENV_NAME) {
		const unsigned *line = text_index_find(&r->env_lines, name, strlen(name));
		unsigned *mine;

		first = line == NULL ? 0 : *line;
		if (first == 0) {
			mine = arena_alloc(r->arena, sizeof(*mine));
			*mine = r->line;
			text_index_add(r->arena, &r->env_lines, name, strlen(name), mine);
		}
	} else if (first == 0) {
		r->first_line[id] = r->line;
	}
	if (first == 0)
		return true;
	errs_at(r->arena, r->errs, r->origin, "'%s' is set twice, first in line %u",
	    shown(r, (struct span){name, strlen(name)}), first);
	return false;
}

/* Files the key and value at hand, which stand in a known section. */
static void
accept_line(struct reader *r)
{
	enum grant_key_id id = find_key(r->section, r->key);
	const char *name;

	if (id == KEY_COUNT) {
		unknown_key(r, r->section, r->key);
		return;
	}
	if (grant_keys[id].list) {
		file_list(r, id, r->value);
		return;
	}
	name = id == KEY_ENV_NAME ? arena_strndup(r->arena, r->key.at, r->key.len)
	                          : grant_keys[id].key;
	if (check_once(r, id, name))
		file_single(r, id, name, r->value);
}

/* What is wrong with the bytes of a line, or NULL. */
static const char *
stray_bytes(struct span line)
{
	const char *end = line.at + line.len;

	if (memchr(line.at, '\0', line.len) != NULL)
		return "a NUL byte";
	if (memchr(line.at, '\r', line.len) != NULL)
		return "a carriage return inside a line";
	for (const char *p = line.at; (p = memchr(p, 0xef, (size_t)(end - p))) != NULL;
	     p++)
		if (end - p >= 3 && memcmp(p, BOM, 3) == 0)
			return "a byte order mark that is not at the start";
	return NULL;
}

/* Takes the next raw line, without its end; false when there is none. */
static bool
take_line(struct reader *r, struct span *line)
{
	const char *newline;

	if (r->at == r->end)
		return false;
	newline = memchr(r->at, '\n', (size_t)(r->end - r->at));
	line->at = r->at;
	line->len = (size_t)((newline == NULL ? r->end : newline) - r->at);
	r->at = newline == NULL ? r->end : newline + 1;
	if (newline != NULL && line->len != 0 && newline[-1] == '\r')
		line->len--;
	r->line++;
	r->origin.line = r->lineless ? 0 : r->line;
	return true;
}

/* "[name]": whether it is to be handed on. */
static bool
judge_section(struct reader *r, struct span line)
{
	const char *close = memchr(line.at, ']', line.len);
	struct span name = {line.at + 1, 0};

	r->section = AT_UNKNOWN;
	if (close == NULL) {
		errs_at(r->arena, r->errs, r->origin, "section without ']'");
		return false;
	}
	if (trimmed(close + 1, line.at + line.len).len != 0) {
		errs_at(r->arena, r->errs, r->origin,
		    "text behind a section [a comment has a line of its own]");
		return false;
	}
	name.len = (size_t)(close - name.at);
	r->section = find_section(name);
	if (r->section == AT_UNKNOWN) {
		unknown_section(r, name);
		return false;
	}
	r->out->sections |= 1U << r->section;
	return true;
}

/* Why this cannot be the key of a setting, or NULL. */
static const char *
key_fault(struct span key)
{
	if (key.len == 0)
		return "no key before '='";
	if (memchr(key.at, ':', key.len) != NULL)
		return "':' where 'key = value' is expected";
	for (size_t i = 0; i < key.len; i++) {
		char c = key.at[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
		        (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.'))
			return "not a name before '='";
	}
	return NULL;
}

/* "key = value": whether it is to be handed on. */
static bool
judge_key(struct reader *r, struct span line)
{
	const char *equals = memchr(line.at, '=', line.len), *fault;

	if (equals == NULL) {
		errs_at(r->arena, r->errs, r->origin,
		    "neither '[section]' nor 'key = value': '%s'", shown(r, line));
		return false;
	}
	r->key = trimmed(line.at, equals);
	r->value = trimmed(equals + 1, line.at + line.len);
	fault = key_fault(r->key);
	if (fault != NULL) {
		errs_at(r->arena, r->errs, r->origin, "%s: '%s'", fault, shown(r, line));
		return false;
	}
	if (r->section == AT_START)
		errs_at(r->arena, r->errs, r->origin, "'%s' stands before any [section]",
		    shown(r, r->key));
	return r->section >= 0;
}

/* Judges a raw line; true if the library is to see it. */
static bool
judge_line(struct reader *r, struct span line)
{
	const char *stray = stray_bytes(line);
	struct span text = trimmed(line.at, line.at + line.len);

	if (stray != NULL) {
		errs_at(r->arena, r->errs, r->origin, "%s", stray);
		return false;
	}
	if (text.len == 0 || text.at[0] == ';' || text.at[0] == '#')
		return false;
	if (text.at != line.at) {
		errs_at(r->arena, r->errs, r->origin,
		    "indented line [start it in the first column]");
		return false;
	}
	if (text.at[0] == '[')
		return judge_section(r, text);
	return judge_key(r, text);
}

/* str = a + b + c, at most size bytes with the NUL: both sides are short by now. */
static char *
hand_on(char *str, int size, const char *a, const char *b, const char *c)
{
	const char *parts[] = {a, b, c};
	size_t room = (size_t)size - 1, n = 0;

	for (size_t i = 0; i < SRUN_ARRAY_LEN(parts); i++)
		for (const char *p = parts[i]; *p != '\0' && n < room; p++)
			str[n++] = *p;
	str[n] = '\0';
	return str;
}

/* inih's reader: the stand-in of the next line that is good. */
static char *
read_line(char *str, int size, void *stream)
{
	struct reader *r = stream;
	struct span line;

	while (take_line(r, &line)) {
		if (!judge_line(r, line))
			continue;
		if (line.at[0] == '[')
			return hand_on(str, size, "[", sections[r->section].name, "]\n");
		memset(r->handed, 0, sizeof(r->handed));
		if (r->key.len <= KEY_HANDED)
			memcpy(r->handed, r->key.at, r->key.len);
		else
			memcpy(r->handed, KEY_LONG, sizeof(KEY_LONG));
		r->lines_handed++;
		return hand_on(str, size, r->handed, " = " STAND_IN, "\n");
	}
	return NULL;
}

/* inih's handler. Returning 0 counts as an error at this line. */
static int
take_setting(void *user, const char *section, const char *name, const char *value)
{
	struct reader *r = user;

	if (r->section < 0 || strcmp(section, sections[r->section].name) != 0 ||
	    strcmp(name, r->handed) != 0 || strcmp(value, STAND_IN) != 0)
		return 0;
	r->lines_taken++;
	accept_line(r);
	return 1;
}

/* As many settings as lines, nearly always: what is reserved and not used costs nothing. */
static size_t
count_lines(const struct grant_text *text)
{
	const char *end = text->data + text->len;
	size_t n = 0;

	for (const char *p = text->data; (p = memchr(p, '\n', (size_t)(end - p))) != NULL;
	     p++)
		n++;
	return n;
}

void
grant_parse(struct arena *a, const struct grant_text *text, struct settings *out,
    struct errs *errs)
{
	struct reader *r = arena_alloc(a, sizeof(*r));

	*r = (struct reader){.arena = a,
	    .errs = errs,
	    .out = out,
	    .origin = {text->name, 0},
	    .quoting = true,
	    .at = text->data,
	    .end = text->data + text->len,
	    .lineless = text->lineless,
	    .section = AT_START};
	if (text->len >= 2 && (memcmp(text->data, "\xff\xfe", 2) == 0 ||
	                          memcmp(text->data, "\xfe\xff", 2) == 0)) {
		errs_at(a, errs, r->origin, "is UTF-16 text [save it as UTF-8]");
		return;
	}
	if (text->len >= 3 && memcmp(text->data, BOM, 3) == 0)
		r->at += 3;
	reserve(a, out, out->n + count_lines(text) + 8);
	if (ini_parse_stream(read_line, r, take_setting, r) != 0 ||
	    r->lines_handed != r->lines_taken || r->at != r->end)
		errs_at(a, errs, r->origin, "the INI library read it differently");
}

static bool
is_path_list(enum grant_key_id id)
{
	return id >= KEY_DENY_READ && id <= KEY_READ_WRITE_PATHS;
}

void
grant_parse_extra(struct arena *a, const struct grant_extra *extra, size_t n,
    struct settings *out, struct errs *errs)
{
	struct reader *r = arena_alloc(a, sizeof(*r));

	for (size_t i = 0; i < n; i++) {
		const struct grant_extra *x = &extra[i];
		struct span section = {x->section, strlen(x->section)};
		struct span value = {x->value, strlen(x->value)};
		enum grant_key_id id;

		*r = (struct reader){.arena = a,
		    .errs = errs,
		    .out = out,
		    .origin = {x->option, 0},
		    .quoting = strcmp(x->option, "--set") == 0};
		r->key = (struct span){x->key, strlen(x->key)};
		r->section = find_section(section);
		if (r->section < 0) {
			unknown_section(r, section);
			continue;
		}
		out->sections |= 1U << r->section;
		id = find_key(r->section, r->key);
		if (r->quoting)
			value = trimmed(x->value, x->value + value.len);
		if (id == KEY_COUNT)
			unknown_key(r, r->section, r->key);
		else if (grant_keys[id].list && (r->quoting || !is_path_list(id)))
			file_list(r, id, value);
		else
			file_single(r, id, x->key, value);
	}
}
