/*
 * env.c: the command's environment, from nothing. The only room that reads the host's
 * variables on the command's behalf. Never calls setenv.
 */
#include "env.h"

#include <pwd.h>
#include <string.h>

#include "value.h"

#define DEFAULT_PATH "/usr/local/bin:/usr/bin:/bin"

/* The four that every command gets, but TMPDIR, which is srun's own. */
static const char *const always[] = {"PATH", "HOME", "LANG", NULL};

/* Only of use, and only given, when a terminal is there. */
static const char *const for_terminal[] = {
    "TERM", "COLORTERM", "NO_COLOR", "COLUMNS", "LINES", NULL};

const char *
env_get(const char *const *environ, const char *name)
{
	size_t n = strlen(name);
	for (size_t i = 0; environ[i] != NULL; i++)
		if (strncmp(environ[i], name, n) == 0 && environ[i][n] == '=')
			return environ[i] + n + 1;
	return NULL;
}

const char *
env_host(const struct host *h, const char *name)
{
	return env_get(h->environ, name);
}

const char *
env_home(const char *const *environ, uid_t uid)
{
	const char *home = env_get(environ, "HOME");
	if (home != NULL && home[0] == '/')
		return home;
	const struct passwd *pw = getpwuid(uid);
	return pw != NULL && pw->pw_dir != NULL && pw->pw_dir[0] == '/' ? pw->pw_dir
	                                                                : NULL;
}

static void
set(struct arena *a, struct strv *out, const char *name, const char *value)
{
	size_t n = strlen(name);
	char *text = arena_printf(a, "%s=%s", name, value);
	for (size_t i = 0; i < out->n; i++)
		if (strncmp(out->v[i], name, n) == 0 && out->v[i][n] == '=') {
			out->v[i] = text;
			return;
		}
	strv_push(a, out, text);
}

static void
pass(struct arena *a, struct strv *out, const struct host *h, const char *name)
{
	const char *value = env_host(h, name);
	if (value != NULL)
		set(a, out, name, value);
}

/*
 * Names that make a program load or run something: they come by exact name only, never by
 * a prefix, so "LC_*" is safe to write and "G*" does not let GIT_SSH in.
 */
static bool
steers(const char *name)
{
	static const char *const prefixes[] = {"LD_", "DYLD_", "GIT_", "BASH_FUNC_",
	    "PYTHON", "PERL5", "RUBY", "NODE_", "JAVA_TOOL", "_JAVA", "SRUN"};
	static const char *const names[] = {"BASH_ENV", "ENV", "PERLLIB", "IFS",
	    "SHELLOPTS", "BASHOPTS", "PS4", "PROMPT_COMMAND", "EDITOR", "VISUAL", "PAGER",
	    "GCONV_PATH", "LOCPATH", "NLSPATH", "MAKEFLAGS"};
	for (size_t i = 0; i < SRUN_ARRAY_LEN(prefixes); i++)
		if (str_starts(name, prefixes[i]))
			return true;
	for (size_t i = 0; i < SRUN_ARRAY_LEN(names); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

static void
pass_prefix(struct arena *a, struct strv *out, const struct host *h, const char *pattern)
{
	size_t n = strlen(pattern) - 1; /* without '*' */
	for (size_t i = 0; h->environ[i] != NULL; i++) {
		const char *eq = strchr(h->environ[i], '=');
		if (eq == NULL || strncmp(h->environ[i], pattern, n) != 0)
			continue;
		char *name =
		    arena_strndup(a, h->environ[i], (size_t)(eq - h->environ[i]));
		if (!steers(name))
			pass(a, out, h, name);
	}
}

/*
 * The variables by which programs find a proxy. Both cases, since curl, wget, git and apt
 * ignore HTTP_PROXY and Ruby ignores https_proxy; an http URL for all, since a socks one
 * breaks httpx, deno and gRPC. Private addresses are not in no_proxy: what the grant has of
 * them is reached through the proxy alone.
 */
static const struct {
	const char *name, *before;
	bool port; /* then the port follows, and nothing else */
} proxy_variables[] = {
    {"http_proxy", "http://127.0.0.1:", true},
    {"HTTP_PROXY", "http://127.0.0.1:", true},
    {"https_proxy", "http://127.0.0.1:", true},
    {"HTTPS_PROXY", "http://127.0.0.1:", true},
    {"all_proxy", "http://127.0.0.1:", true},
    {"ALL_PROXY", "http://127.0.0.1:", true},
    {"grpc_proxy", "http://127.0.0.1:", true},
    {"GRPC_PROXY", "http://127.0.0.1:", true},
    {"no_proxy", "localhost,127.0.0.1,::1", false},
    {"NO_PROXY", "localhost,127.0.0.1,::1", false},
    {"NODE_USE_ENV_PROXY", "1", false}, /* Node 22.21 and 24 on */
    {"RSYNC_PROXY", "127.0.0.1:", true},
    {"CLOUDSDK_PROXY_TYPE", "http", false}, /* "https" is refused by gcloud */
    {"CLOUDSDK_PROXY_ADDRESS", "127.0.0.1", false},
    {"CLOUDSDK_PROXY_PORT", "", true},
    {"SRUN_PROXY", "127.0.0.1:", true},
};

/* A JVM reads no variable but this, and prints a line for it: only when asked for. */
#define JAVA_OPTIONS                                                                     \
	"-Dhttp.proxyHost=127.0.0.1 -Dhttp.proxyPort=%u "                                \
	"-Dhttps.proxyHost=127.0.0.1 -Dhttps.proxyPort=%u "                              \
	"-Dhttp.nonProxyHosts=localhost|127.*|[::1]"

bool
env_is_plain_path(const char *path)
{
	return path[strspn(path, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	                         "0123456789/._+-")] == '\0';
}

static void
set_proxy(struct arena *a, const struct env_proxy *proxy, struct strv *out)
{
	const char *port = arena_printf(a, "%u", proxy->port);
	for (size_t i = 0; i < SRUN_ARRAY_LEN(proxy_variables); i++)
		set(a, out, proxy_variables[i].name,
		    arena_printf(a, "%s%s", proxy_variables[i].before,
		        proxy_variables[i].port ? port : ""));
	if (proxy->self != NULL)
		set(a, out, "GIT_SSH_COMMAND",
		    arena_printf(a,
		        "ssh -o ControlMaster=no -o ControlPath=none "
		        "-o ProxyCommand='%s --connect %%h %%p'",
		        proxy->self));
	if (proxy->connect != NULL)
		set(a, out, "GIT_PROXY_COMMAND", proxy->connect);
	if (proxy->java)
		set(a, out, "JAVA_TOOL_OPTIONS",
		    arena_printf(a, JAVA_OPTIONS, proxy->port, proxy->port));
}

/* With the host's network comes the host's way out of it. */
static void
pass_proxy(struct arena *a, const struct host *h, struct strv *out)
{
	static const char *const names[] = {"http_proxy", "HTTP_PROXY", "https_proxy",
	    "HTTPS_PROXY", "ftp_proxy", "FTP_PROXY", "all_proxy", "ALL_PROXY", "no_proxy",
	    "NO_PROXY"};
	for (size_t i = 0; i < SRUN_ARRAY_LEN(names); i++)
		pass(a, out, h, names[i]);
}

void
env_build(struct arena *a, const struct policy *p, const struct host *h, const char *temp,
    bool terminal, const char *id, const struct env_proxy *proxy, struct strv *out)
{
	for (size_t i = 0; always[i] != NULL; i++)
		pass(a, out, h, always[i]);
	if (env_host(h, "PATH") == NULL)
		set(a, out, "PATH", DEFAULT_PATH);
	if (h->home != NULL)
		set(a, out, "HOME", h->home);
	for (size_t i = 0; terminal && for_terminal[i] != NULL; i++)
		pass(a, out, h, for_terminal[i]);
	if (p->net == NET_ALL)
		pass_proxy(a, h, out);
	for (size_t i = 0; p->pass_ca && value_ca_variables[i] != NULL; i++)
		pass(a, out, h, value_ca_variables[i]);
	for (size_t i = 0; i < p->pass_env.n; i++) {
		const char *name = p->pass_env.v[i].text;
		if (str_ends(name, "*"))
			pass_prefix(a, out, h, name);
		else
			pass(a, out, h, name);
	}
	if (proxy != NULL)
		set_proxy(a, proxy, out);
	set(a, out, "TMPDIR", temp);
	set(a, out, "SRUN", "1");
	set(a, out, "SRUN_ID", id);
	for (size_t i = 0; i < p->nenv; i++)
		set(a, out, p->env[i].name, p->env[i].value);
}
