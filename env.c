/*
 * env.c: the command's environment, from nothing. The only room that reads the host's
 * variables on the command's behalf. Never calls setenv.
 */
#include "env.h"

#include <pwd.h>
#include <string.h>

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

void
env_build(struct arena *a, const struct policy *p, const struct host *h, const char *temp,
    bool terminal, const char *id, struct strv *out)
{
	for (size_t i = 0; always[i] != NULL; i++)
		pass(a, out, h, always[i]);
	if (env_host(h, "PATH") == NULL)
		set(a, out, "PATH", DEFAULT_PATH);
	if (h->home != NULL)
		set(a, out, "HOME", h->home);
	for (size_t i = 0; terminal && for_terminal[i] != NULL; i++)
		pass(a, out, h, for_terminal[i]);
	for (size_t i = 0; i < p->pass_env.n; i++) {
		const char *name = p->pass_env.v[i].text;
		if (str_ends(name, "*"))
			pass_prefix(a, out, h, name);
		else
			pass(a, out, h, name);
	}
	set(a, out, "TMPDIR", temp);
	set(a, out, "SRUN", "1");
	set(a, out, "SRUN_ID", id);
	for (size_t i = 0; i < p->nenv; i++)
		set(a, out, p->env[i].name, p->env[i].value);
}
