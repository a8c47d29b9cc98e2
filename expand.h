/*
 * expand.h: the rules of a grant that are patterns → the paths that they mean now.
 */
#ifndef SRUN_EXPAND_H
#define SRUN_EXPAND_H

#include "glob.h"
#include "host.h"

struct expander {
	struct arena *a;
	const struct policy *p;
	const struct host *h;
	const struct survey *s; /* as far as it is known */
	struct errs *errs, *notes;
	struct glob_budget budget; /* of all patterns of a run */
};

/* The limits of expand.c, from now on. */
struct glob_budget expand_budget(void);

/* Whether the rule is a pattern: it has the characters and no file has that very name. */
bool expand_is_pattern(const struct path_rule *r);

/*
 * Whether a deny that names a file is to be taken for a pattern too: the command could have
 * made a file of that name, to have the pattern taken for it. Every allow must be known.
 */
bool expand_is_doubtful(struct expander *x, const struct path_rule *r);

/*
 * Adds the paths that the pattern means now and returns how many it matches: what is denied
 * with another match, or anyway, has no path of its own. An allow that means nothing is an error, as
 * is what cannot be held: a search that stopped short, and a deny_write that a name made
 * later could match. For a deny every allow must be known; layer is where the rule is from.
 */
size_t expand_rule(struct expander *x, const struct layer_facts *layer,
    const struct path_rule *r, struct strv *paths);

#endif
