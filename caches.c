/*
 * caches.c: which missing cache directories are made; see caches.h. Only for a program
 * that is installed: nobody wants the directories of forty package managers in the home.
 *
 * Must not: change anything. state.c makes what stands in s->create.
 */
#include "caches.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "env.h"
#include "hostpath.h"
#include "path.h"
#include "rules.h"

/* The first row that is the member or a directory above it. */
static const struct {
	const char *place, *program;
} owners[] = {
    {".npm", "npm"}, {".cache/yarn", "yarn"}, {".yarn", "yarn"}, {".cache/pnpm", "pnpm"},
    {".local/share/pnpm", "pnpm"}, {".bun", "bun"}, {".cache/deno", "deno"},
    {".cache/node-gyp", "npm"}, {".cache/node/corepack", "corepack"},
    {".cache/pip", "python3"}, {".cache/uv", "uv"}, {".cache/pypoetry", "poetry"},
    {".cache/pipenv", "pipenv"}, {".cache/pdm", "pdm"}, {".conda", "conda"},
    {".cargo/.package-cache", NULL}, /* a file, which cargo does without */
    {".cargo", "cargo"}, {".cache/sccache", "sccache"}, {"go", "go"},
    {".cache/go-build", "go"}, {".m2", "mvn"}, {".gradle", "gradle"}, {".ivy2", "sbt"},
    {".cache/coursier", "cs"}, {".bundle", "bundle"}, {".cache/gem", "gem"},
    {".cache/composer", "composer"}, {".composer", "composer"}, {".nuget", "dotnet"},
    {".local/share/NuGet", "dotnet"}, {".pub-cache", "dart"}, {".cache/rebar3", "rebar3"},
    {".cache/zig", "zig"}, {".cache/bazel", "bazel"}, {".cache/ccache", "ccache"},
    {".ccache", NULL}, /* where ccache had it before 4.0; it goes on using one it finds */
};

const char *
caches_program(const char *member)
{
	for (size_t i = 0; i < SRUN_ARRAY_LEN(owners); i++) {
		size_t n = strlen(owners[i].place);
		if (strncmp(member, owners[i].place, n) == 0 &&
		    (member[n] == '\0' || member[n] == '/'))
			return owners[i].program;
	}
	return NULL;
}

static bool
is_installed(struct arena *a, const char *search, const char *program)
{
	for (const char *dir = search; *dir != '\0'; dir += *dir == ':') {
		size_t n = strcspn(dir, ":");
		/* A relative one would be looked for in a directory of the command's. */
		if (*dir == '/' &&
		    access(arena_printf(a, "%.*s/%s", (int)n, dir, program), X_OK) == 0)
			return true;
		dir += n;
	}
	return false;
}

static bool
can_be_made(struct arena *a, const struct path_fact *f)
{
	return f->real != NULL && f->err == ENOENT &&
	       access(arena_strndup(a, f->real, f->existing_len), W_OK) == 0;
}

void
caches_survey(
    struct arena *a, const struct policy *p, const struct host *h, struct survey *s)
{
	const struct layer *l = &p->layers[0];
	const char *search = env_host(h, "PATH");
	size_t home = h->home != NULL ? strlen(h->home) : 0;
	for (size_t i = 0; i < l->nrules && home > 1 && search != NULL; i++) {
		const struct path_rule *r = &l->rules[i];
		struct path_fact f;
		if (r->kind != RULE_ALLOW_WRITE || !r->optional ||
		    strcmp(r->written, "@caches") != 0 ||
		    !path_within(r->path, h->home) || r->path[home] != '/')
			continue;
		const char *program = caches_program(r->path + home + 1);
		if (program == NULL || access(r->path, F_OK) == 0 ||
		    !is_installed(a, search, program))
			continue;
		host_resolve(a, r->path, &f);
		if (!can_be_made(a, &f))
			continue;
		s->create = arena_grow(a, s->create, s->ncreate, sizeof(*s->create));
		s->create[s->ncreate++] = f;
	}
}

bool
caches_made(const struct policy *p, const struct survey *s, const char *path)
{
	for (size_t i = p->ncreate; i < s->ncreate; i++)
		if (strcmp(s->create[i].path, path) == 0)
			return true;
	return false;
}

void
caches_check(const struct policy *p, struct survey *s)
{
	size_t n = p->ncreate;
	for (size_t i = n; i < s->ncreate; i++)
		if (rules_decide(s, s->create[i].real, NULL) == ACCESS_WRITE)
			s->create[n++] = s->create[i];
	s->ncreate = n;
}
