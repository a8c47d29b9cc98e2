/*
 * backend.c: the table of backends, what a policy needs of them, and "none".
 * Nothing here depends on the operating system.
 */
#include "backend.h"

#include <string.h>

#include "bwrap.h"
#include "seatbelt.h"

static bool
none_find(struct arena *a, const struct host *h, struct launch *l, struct finding *f)
{
	(void)a;
	(void)h;
	(void)l;
	(void)f;
	return true;
}

static bool
none_compile(struct arena *a, const struct policy *p, const struct survey *s,
    struct launch *l, struct errs *errs)
{
	(void)a;
	(void)p;
	(void)s;
	(void)errs;
	l->mounts = NULL;
	l->own_network = false;
	l->own_pids = false;
	return true;
}

/* Not an absence of a backend: environment, directory, timeout and tree kill still hold. */
static const struct backend none_backend = {
    .name = "none",
    .id = ISOLATION_NONE,
    .enforces = 0,
    .find = none_find,
    .compile = none_compile,
};

const struct backend *const backends[] = {
    &bwrap_backend, &seatbelt_backend, &none_backend, NULL};

const struct backend *
backend_by_id(enum isolation id)
{
	for (size_t i = 0; backends[i] != NULL; i++)
		if (backends[i]->id == id)
			return backends[i];
	return NULL;
}

const char *
isolation_name(enum isolation id)
{
	static const char *const names[] = {
	    [ISOLATION_AUTO] = "auto",
	    [ISOLATION_SEATBELT] = "seatbelt",
	    [ISOLATION_BWRAP] = "bwrap",
	    [ISOLATION_NATIVE] = "native",
	    [ISOLATION_LANDLOCK] = "landlock",
	    [ISOLATION_NONE] = "none",
	};
	return names[id];
}

unsigned
policy_needs(const struct policy *p)
{
	unsigned needs = ENFORCE_FS | ENFORCE_DENY_SET | ENFORCE_PID;
	if (p->net != NET_ALL)
		needs |= ENFORCE_NET;
	if (p->unix_mode != UNIX_ALL)
		needs |= ENFORCE_UNIX;
	return needs;
}

const char *
enforce_text(struct arena *a, unsigned mask)
{
	const char *text = "";
	for (unsigned i = 0; enforce_names[i] != NULL; i++)
		if (mask & (1U << i))
			text = arena_printf(a, "%s%s%s", text, *text != '\0' ? ", " : "",
			    enforce_names[i]);
	return *text != '\0' ? text : "nothing";
}
