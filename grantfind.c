/*
 * grantfind.c: which grant a call is for. Owns the order in which one is looked for. A
 * file of the project is never looked for: it is data of what is confined.
 */
#include "grantfind.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "env.h"
#include "grantfile.h"
#include "path.h"

void
grant_places(struct arena *a, const struct host *h, struct strv *places)
{
	const char *config = env_host(h, "XDG_CONFIG_HOME");
	if (config != NULL && config[0] == '/')
		strv_push(a, places, path_join(a, config, "srun/srun.ini"));
	else if (h->home != NULL)
		strv_push(a, places, path_join(a, h->home, ".config/srun/srun.ini"));
	strv_push(a, places, "/etc/srun/srun.ini");
}

static bool
look(struct arena *a, const struct host *h, struct grant_text *out, const char **found,
    struct errs *errs)
{
	struct strv places = {NULL, 0};
	const char *named = env_host(h, "SRUN_GRANT");
	if (named != NULL && *named != '\0') {
		*found = named;
		return grant_read_file(a, named, false, out, errs);
	}
	grant_places(a, h, &places);
	for (size_t i = 0; i < places.n; i++)
		if (access(places.v[i], F_OK) == 0 || errno != ENOENT) {
			*found = places.v[i];
			return grant_read_file(a, places.v[i], true, out, errs);
		}
	*out = grant_default();
	return true;
}

/* A grant that comes by a descriptor of a file: what is written there is the next one. */
static const char *
path_of(struct arena *a, int fd)
{
	struct stat st, named;
	char path[4096];
	ssize_t n =
	    readlink(arena_printf(a, "/proc/self/fd/%d", fd), path, sizeof(path) - 1);
	if (n <= 0 || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
		return NULL;
	path[n] = '\0';
	return path[0] == '/' && lstat(path, &named) == 0 && named.st_dev == st.st_dev &&
	               named.st_ino == st.st_ino
	           ? arena_strdup(a, path)
	           : NULL;
}

bool
grant_find(struct arena *a, const struct host *h, const struct options *o,
    struct grant_text *out, const char **found, struct errs *errs)
{
	const char *dir = h->cwd != NULL ? h->cwd : "/";
	*found = NULL;
	if (o->grant_fd >= 0) {
		*found = path_of(a, o->grant_fd);
		bool ok = grant_read_fd(a, o->grant_fd,
		    arena_printf(a, "descriptor %d", o->grant_fd), dir, out, errs);
		close(o->grant_fd);
		return ok;
	}
	if (o->grant != NULL && strcmp(o->grant, "-") == 0) {
		*found = path_of(a, 0);
		return grant_read_fd(a, 0, "stdin", dir, out, errs);
	}
	if (o->grant != NULL)
		return grant_read_file(a, o->grant, false, out, errs);
	return look(a, h, out, found, errs);
}
