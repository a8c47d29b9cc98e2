/*
 * grantfind.h: where the grant of a call comes from; first found wins, nothing is merged.
 */
#ifndef SRUN_GRANTFIND_H
#define SRUN_GRANTFIND_H

#include "host.h"
#include "options.h"
#include "policy.h"

/* The places where a grant is looked for when none is named, in their order. */
void grant_places(struct arena *a, const struct host *h, struct strv *places);

/*
 * The text of the grant: of -f or --grant-fd (which is closed), of $SRUN_GRANT, of the
 * first place that has one, or the built-in default. *found is the path of a grant that no
 * option names by path, NULL where there is none. False with one error in errs.
 */
bool grant_find(struct arena *a, const struct host *h, const struct options *o,
    struct grant_text *out, const char **found, struct errs *errs);

#endif
