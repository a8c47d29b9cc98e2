/*
 * unbuilt.c: what a grant can say and srun cannot do yet, as one table.
 *
 * Owns the refusal of those settings: none may be accepted and then not enforced. Whoever
 * builds one deletes its row. Must not know a default: a row looks at what was said.
 */
#include "grant.h"
#include "policy.h"
#include "unbuilt.h"

static bool
wants_native(const struct policy *p)
{
	return p->isolation == ISOLATION_NATIVE;
}

static bool
wants_landlock(const struct policy *p)
{
	return p->isolation == ISOLATION_LANDLOCK;
}

static bool
wants_no_local_binding(const struct policy *p)
{
	return !p->allow_local_binding &&
	       p->key_origins[KEY_ALLOW_LOCAL_BINDING].file != NULL;
}

static bool
wants_unix_inside(const struct policy *p)
{
	return p->unix_mode == UNIX_INSIDE && p->unix_origin.file != NULL;
}

static bool
wants_unix_allow(const struct policy *p)
{
	return p->nunix_allow != 0;
}

static bool
wants_memory(const struct policy *p)
{
	return p->limits[LIMIT_MEMORY].set;
}

static bool
wants_processes(const struct policy *p)
{
	return p->limits[LIMIT_PROCESSES].set;
}

static bool
wants_denials(const struct policy *p)
{
	return p->denials_set && p->denials != DENIALS_OFF;
}

static const struct {
	enum grant_key_id key;
	bool (*wanted)(const struct policy *p);
	const char *what;
} rows[] = {
    {KEY_ISOLATION, wants_native, "isolation 'native'"},
    {KEY_ISOLATION, wants_landlock, "isolation 'landlock'"},
    {KEY_ALLOW_LOCAL_BINDING, wants_no_local_binding, "allow_local_binding 'no'"},
    {KEY_UNIX_MODE, wants_unix_inside, "unix_sockets mode 'inside' by name"},
    {KEY_UNIX_ALLOW, wants_unix_allow, "unix_sockets allow"},
    {KEY_LIMIT_MEMORY, wants_memory, "limit 'memory'"},
    {KEY_LIMIT_PROCESSES, wants_processes, "limit 'processes'"},
    {KEY_DENIALS, wants_denials, "denials other than 'off'"},
};

/* Some modes follow from another key, which is then the place to name. */
static struct origin
where(const struct policy *p, enum grant_key_id key)
{
	struct origin o = p->key_origins[key];

	if (key == KEY_UNIX_MODE)
		o = p->unix_origin;
	return o.file == NULL ? p->source.origin : o;
}

void
policy_unbuilt(struct arena *a, const struct policy *p, struct errs *errs)
{
	for (size_t i = 0; i < SRUN_ARRAY_LEN(rows); i++)
		if (rows[i].wanted(p))
			errs_at(a, errs, where(p, rows[i].key), "%s is not built yet",
			    rows[i].what);
}
