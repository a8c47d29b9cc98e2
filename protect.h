/*
 * protect.h: the mandatory deny set on this host: what exists becomes rules, what is
 * missing is held.
 */
#ifndef SRUN_PROTECT_H
#define SRUN_PROTECT_H

#include "exitcheck.h"
#include "host.h"
#include "placeholder.h"
#include "policy.h"

/* One protected name, for --check. */
struct protected_name {
	const char *path;
	const char *reason;
	bool missing; /* held by a placeholder */
};

struct protection {
	struct protected_name *v;
	size_t n;
	struct strv stopped; /* roots in which the scan stopped short: why, what to do */
	size_t directories;  /* how many it saw */
	struct exit_check exit;
	bool vanished; /* a name could not be held since its directory went away */
};

/* Files that steer srun itself: the grant, what narrows it, the helper program. */
struct protect_files {
	struct strv paths;
	struct strv places; /* where state is looked for: held also while it is missing */
	const char *state_dir;
};

/*
 * Adds a deny_write rule to the survey for everything of the mandatory deny set that lies
 * where the command may write. holds: where missing names are made and journalled; NULL
 * makes nothing (--check). An allow_write of a name of the set is an error, as is one that
 * cannot be held. Must come after the directories of 'create' are made.
 */
extern const struct scan_limits protect_limits;
bool protect_survey(struct arena *a, const struct policy *p, const struct host *h,
    struct survey *s, const struct protect_files *files, struct holds *holds,
    struct protection *out, struct errs *errs, struct errs *notes);

#endif
