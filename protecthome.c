/*
 * protecthome.c: the deny set in the home directory: its entries, wherever a variable of the
 * host's environment has moved them, and the directories of PATH that lie in it.
 *
 * Must not: make anything by itself; protect.c does.
 */
#include "protecthome.h"

#include <string.h>

#include "deny_set.h"
#include "env.h"
#include "path.h"

#define ON_PATH "a directory of PATH: the host runs what is in it"
#define NAMED   "a variable of the host's environment names it"

/* What lies in a write root is known by its text, unless links lead there. */
static void
protect_moved(struct protector *x, const struct deny_move *m)
{
	const char *directory = env_host(x->h, m->variable);
	struct path_fact f;
	if (directory == NULL || directory[0] != '/')
		return;
	host_resolve(x->a, directory, &f);
	for (size_t i = 0; f.real != NULL && i < deny_set_size; i++) {
		const struct deny_entry *e = &deny_set[i];
		if (e->scope != DENY_HOME || !str_starts(e->path, m->prefix) ||
		    !protect_writable(x, path_join(x->a, f.real, e->path + m->drop)))
			continue;
		protect_path(
		    x, path_join(x->a, directory, e->path + m->drop), e->hold, e->reason);
	}
}

/* Of the host's PATH what lies in the home, by its name or by where a link leads. */
static void
protect_programs(struct protector *x, const char *home)
{
	const char *path = env_host(x->h, "PATH");
	while (path != NULL && *path != '\0') {
		size_t n = strcspn(path, ":");
		const char *dir = arena_strndup(x->a, path, n);
		struct path_fact f = {.real = NULL};
		if (dir[0] == '/')
			host_resolve(x->a, dir, &f);
		if (f.real != NULL &&
		    !path_within(f.real, x->s->working_directory.real) &&
		    (path_within(f.real, home) ||
		        path_within(path_normalise(x->a, dir, "/"), x->h->home)))
			protect_path(x, dir, HOLD_DIR, ON_PATH);
		path += n;
		path += *path == ':';
	}
}

void
protect_home(struct protector *x)
{
	const char *home = x->s->home.real;
	for (size_t i = 0; i < deny_moves_size; i++)
		protect_moved(x, &deny_moves[i]);
	for (size_t i = 0; deny_named[i] != NULL; i++) {
		const char *file = env_host(x->h, deny_named[i]);
		if (file != NULL && file[0] == '/')
			protect_path(x, file, HOLD_EMPTY_FILE, NAMED);
	}
	if (x->s->home.err != 0 || home == NULL)
		return;
	for (size_t i = 0; i < deny_set_size; i++)
		if (deny_set[i].scope == DENY_HOME)
			protect_entry(x, home, &deny_set[i]);
	protect_programs(x, home);
}
