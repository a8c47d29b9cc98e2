/*
 * sbprofile.c: the words of a Seatbelt profile. Pure: tables and text, no system call.
 *
 * Owns what is the same for every grant. Must never put a byte of the grant or of the host
 * into the text: a quote or a newline in a path cannot change a profile that it is not in.
 *
 * What one must know of the language (each has its test in tests/seatbelt):
 * - the operation comes first: a rule on file-write-unlink is not undone by a later one on
 *   file-write*. Among the rules of one operation the last that matches decides;
 * - (deny default) does not reach every operation: process-info*, nvram*, file-link and
 *   file-clone are open unless they are denied by name;
 * - the text of a string may have 1,025 bytes; longer ones are refused as a whole.
 */
#include "sbprofile.h"

#include <ctype.h>
#include <string.h>

#include "deny_set.h"
#include "path.h"

#define STRING_LIMIT 900 /* of one regular expression */

/* ---- pieces ---- */

const char *
sb_param(struct profile *f, const char *name, size_t number, const char *before,
    const char *value, const char *after)
{
	const char *full = arena_printf(f->a, "%s%zu", name, number);
	strv_push(f->a, &f->params,
	    arena_printf(f->a, "%s=%s%s%s", full, before, value, after));
	return full;
}

void
sb_filter(struct profile *f, const char *kind, const char *param)
{
	bytes_printf(f->a, &f->text, "\n  (%s (param \"%s\"))", kind, param);
}

const char *
sb_quote(struct arena *a, const char *text, size_t len)
{
	struct bytes b = {NULL, 0, 0};
	for (size_t i = 0; i < len; i++) {
		if (strchr("\\^$.*+?()[]{}|", text[i]) != NULL)
			bytes_puts(a, &b, "\\");
		bytes_add(a, &b, &text[i], 1);
	}
	bytes_add(a, &b, "", 1);
	return b.data;
}

const char *
sb_fold(struct arena *a, const char *text)
{
	struct bytes b = {NULL, 0, 0};
	for (; *text != '\0'; text++) {
		unsigned char c = (unsigned char)*text;
		if (c >= 0x80)
			return NULL;
		if (isalpha(c))
			bytes_printf(a, &b, "[%c%c]", tolower(c), toupper(c));
		else
			bytes_puts(a, &b, sb_quote(a, text, 1));
	}
	bytes_add(a, &b, "", 1);
	return b.data;
}

static void
put(struct profile *f, const char *text)
{
	bytes_puts(f->a, &f->text, text);
}

/* ---- groups that never differ ---- */

static const char closed[] =
    "; what (deny default) does not reach\n"
    "(deny process-info*)\n"
    "(deny nvram*)\n"
    "(deny file-link)\n"
    "; processes: all of this run, nothing of the others\n"
    "(allow process-exec)\n"
    "(allow process-fork)\n"
    "(allow signal (target self) (target same-sandbox))\n"
    "(allow process-info* (target self) (target same-sandbox))\n"
    "(allow process-info-listpids)\n"
    "(allow mach-priv-task-port (target same-sandbox))\n"
    "; processors are counted by way of the host port; what can be set there stays "
    "closed\n"
    "(allow mach-host*)\n"
    "(deny mach-host-exception-port-set)\n"
    "(deny mach-host-special-port-set)\n"
    "; everything but the arguments and environments of processes\n"
    "(allow sysctl-read)\n"
    "(deny sysctl-read (sysctl-name-regex \"procargs\"))\n"
    "(allow sysctl-write (sysctl-name \"kern.grade_cputype\") "
    "(sysctl-name \"kern.tcsm_enable\"))\n"
    "; semaphores, shared memory, sockets of the kernel\n"
    "(allow ipc-posix-sem*)\n"
    "(allow ipc-posix-shm*)\n"
    "(allow ipc-sysv*)\n"
    "(allow iokit-open (iokit-registry-entry-class \"RootDomainUserClient\"))\n"
    "(allow system-socket (require-all (socket-domain AF_SYSTEM) (socket-protocol 2)))\n";

/*
 * Who asks for it is beside each. Not here: the keychain (SecurityServer, securityd,
 * secd), the pasteboard, the window server, LaunchServices and AppleEvents (both start
 * programs outside), cfprefsd (reads any preference, whatever deny_read says).
 */
static const struct {
	const char *name;
	bool network; /* only where there is one */
} services[] = {
    {"com.apple.system.opendirectoryd.libinfo", false},    /* getpwuid(3) */
    {"com.apple.system.opendirectoryd.membership", false}, /* getgroups(2) */
    {"com.apple.bsd.dirhelper", false},                    /* confstr(3) */
    {"com.apple.system.notification_center", false},
    {"com.apple.logd", false},
    {"com.apple.system.logger", false},
    {"com.apple.diagnosticd", false},
    {"com.apple.SystemConfiguration.configd", false}, /* uv and others panic without it */
    {"com.apple.SystemConfiguration.DNSConfiguration", false},
    {"com.apple.PowerManagement.control", false},
    {"com.apple.FSEvents", false}, /* file watchers */
    {"com.apple.CoreServices.coreservicesd", false},
    {"com.apple.lsd.mapdb", false},
    /* TLS of Go; it fetches certificates by itself, so not where there is no network. */
    {"com.apple.trustd.agent", true},
};

void
sb_processes(struct profile *f, const char *nonce, enum net_mode net)
{
	bytes_printf(f->a, &f->text,
	    "(version 1)\n(deny default (with message \"srun-%s\"))\n", nonce);
	put(f, closed);
	put(f, "; services, and a name of this run by which its processes are known\n"
	       "(allow mach-lookup");
	for (size_t i = 0; i < SRUN_ARRAY_LEN(services); i++)
		if (!services[i].network || net != NET_NONE)
			bytes_printf(
			    f->a, &f->text, "\n  (global-name \"%s\")", services[i].name);
	bytes_printf(f->a, &f->text, "\n  (global-name \"srun.%s\"))\n", nonce);
}

/* A terminal made by the run itself: the kernel marks it so. */
#define OWN_PTY                                                                          \
	"\n  (require-all (regex \"^/dev/ttys[0-9]+$\") "                                \
	"(extension \"com.apple.sandbox.pty\"))"

void
sb_terminal(struct profile *f, const char *terminal)
{
	put(f, "; terminals: the inherited one and those that the run makes\n"
	       "(allow pseudo-tty)\n"
	       "(allow file-ioctl\n  (literal \"/dev/ptmx\")\n"
	       "  (literal \"/dev/dtracehelper\")" OWN_PTY);
	if (terminal != NULL) {
		put(f, "\n  (literal \"/dev/tty\")");
		sb_filter(f, "literal", terminal);
	}
	/* TIOCSTI: typing into the caller's shell. The name is not known everywhere. */
	put(f, ")\n(if (defined? 'ioctl-command) (deny file-ioctl (ioctl-command "
	       "#x80017472)))\n");
}

void
sb_caches(struct profile *f)
{
	/* The shims of the developer tools do not ask TMPDIR (openai/codex#25991). */
	put(f, "; caches of the developer tools, which have one place\n"
	       "(allow file-write*\n"
	       "  (regex \"^/private/var/folders/[^/]+/[^/]+/T/xcrun_db[^/]*$\")\n"
	       "  (regex "
	       "\"^/private/var/folders/[^/]+/[^/]+/C/clang/ModuleCache(/.*)?$\"))\n");
}

void
sb_devices(struct profile *f, const char *terminal)
{
	static const char *const nodes[] = {"/dev/null", "/dev/zero", "/dev/ptmx",
	    "/dev/dtracehelper", "/dev/stdout", "/dev/stderr"};
	put(f, "; devices: these, also where everything else may be written\n"
	       "(deny file-write* file-link (subpath \"/dev\"))\n"
	       "(allow file-write*");
	for (size_t i = 0; i < SRUN_ARRAY_LEN(nodes); i++)
		bytes_printf(f->a, &f->text, "\n  (literal \"%s\")", nodes[i]);
	put(f, "\n  (regex \"^/dev/fd/[0-9]+$\")" OWN_PTY);
	if (terminal != NULL) {
		put(f, "\n  (literal \"/dev/tty\")");
		sb_filter(f, "literal", terminal);
	}
	put(f, ")\n");
}

/* ---- the mandatory deny set ---- */

/* As sb_fold(), with nothing that a string of the profile would have to quote. */
static void
put_fold(struct profile *f, struct bytes *b, const char *text)
{
	for (; *text != '\0'; text++)
		if (*text == '*')
			bytes_puts(f->a, b, "[^/]*");
		else if (isalpha((unsigned char)*text))
			bytes_printf(f->a, b, "[%c%c]", tolower((unsigned char)*text),
			    toupper((unsigned char)*text));
		else if (*text == '/' || *text == '-' || *text == '_' ||
		         isdigit((unsigned char)*text))
			bytes_add(f->a, b, text, 1);
		else
			bytes_printf(f->a, b, "[%c]", *text);
}

/* Alternatives, gathered until a string is full: "\n  (below q "HEAD(A|B|…)TAIL")". */
struct alternatives {
	const char *head, *tail;
	struct bytes b;
};

static void
flush(struct profile *f, struct alternatives *v)
{
	if (v->b.len == 0)
		return;
	bytes_printf(f->a, &f->text, "\n    (below q \"%s(%.*s)%s\")", v->head,
	    (int)v->b.len, v->b.data, v->tail);
	v->b.len = 0;
}

static void
alternative(struct profile *f, struct alternatives *v, const char *name)
{
	struct bytes one = {NULL, 0, 0};
	put_fold(f, &one, name);
	if (v->b.len + one.len > STRING_LIMIT)
		flush(f, v);
	bytes_puts(f->a, &v->b, v->b.len > 0 ? "|" : "");
	bytes_add(f->a, &v->b, one.data, one.len);
}

#define AND_BELOW "(/.*)?$"

static void
names(struct profile *f, enum deny_scope scope, const char *head, const char *left_out)
{
	struct alternatives v = {head, AND_BELOW, {NULL, 0, 0}};
	for (size_t i = 0; i < deny_set_size; i++)
		if (deny_set[i].scope == scope &&
		    (left_out == NULL || strcmp(deny_set[i].path, left_out) != 0))
			alternative(f, &v, deny_set[i].path);
	flush(f, &v);
}

/*
 * The directories on the way to a name of two parts must neither be moved away nor be
 * made: one that was prepared under another name could be moved there, names and all.
 */
static void
ways(struct profile *f, enum deny_scope scope)
{
	struct alternatives v = {"", "$", {NULL, 0, 0}};
	struct strv seen = {NULL, 0};
	for (size_t i = 0; i < deny_set_size; i++) {
		const char *path = deny_set[i].path;
		for (const char *s = path; (s = strchr(s, '/')) != NULL; s++) {
			const char *way = arena_strndup(f->a, path, (size_t)(s - path));
			if (deny_set[i].scope != scope || strv_has(&seen, way))
				continue;
			strv_push(f->a, &seen, way);
			alternative(f, &v, way);
		}
	}
	flush(f, &v);
}

#define GIT_DIR "[.][gG][iI][tT]"
#define GIT_INNER                                                                        \
	GIT_DIR "/([mM][oO][dD][uU][lL][eE][sS]|[wW][oO][rR][kK][tT][rR][eE][eE][sS])"

void
sb_mandatory(struct profile *f, bool allow_git_config)
{
	put(f, "; the mandatory deny set: in any case, at any depth below a root\n"
	       "(define (below q name) (regex (string-append (param q) name)))\n"
	       "(define (mandatory q)\n  (deny file-write* file-link");
	names(f, DENY_TREE, "", NULL);
	names(f, DENY_GIT, GIT_DIR "/", allow_git_config ? "config" : NULL);
	names(f, DENY_GIT, GIT_INNER "/(.*/)?", NULL);
	put(f, ")\n  (deny file-write-unlink file-write-create file-write-data");
	ways(f, DENY_TREE);
	put(f, "\n    (below q \"" GIT_DIR "$\")"
	       "\n    (below q \"" GIT_DIR "/[iI][nN][fF][oO]$\")"
	       "\n    (below q \"" GIT_INNER "(/[^/]+)?$\")))\n");
}

bool
sb_in_home(struct arena *a, const char *home, const char *root)
{
	for (size_t i = 0; i < deny_set_size; i++) {
		const char *path = path_join(a, home, deny_set[i].path);
		if (deny_set[i].scope == DENY_HOME &&
		    (path_within(path, root) || path_within(root, path)))
			return true;
	}
	return false;
}

void
sb_mandatory_home(struct profile *f)
{
	put(f, "(define (mandatory-home q)\n  (deny file-write* file-link");
	names(f, DENY_HOME, "", NULL);
	put(f, ")\n  (deny file-write-unlink file-write-create file-write-data");
	ways(f, DENY_HOME);
	put(f, "))\n");
}

/* ---- network ---- */

/*
 * Never a bare (allow network*): it opens every unix socket. (local …) on
 * network-outbound would open every destination. network-inbound covers bind(2).
 */
void
sb_network(struct profile *f, enum net_mode net, bool local_binding)
{
	if (net == NET_ALL)
		put(f, "(allow network-outbound (remote ip))\n"
		       "(allow network-inbound (local ip))\n"
		       "(allow network-outbound (literal "
		       "\"/private/var/run/mDNSResponder\"))\n");
	else if (local_binding)
		put(f, "(allow network-inbound (local ip \"*:*\"))\n");
}
