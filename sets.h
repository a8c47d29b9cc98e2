/*
 * sets.h: named sets ("@credentials", "@npm") as tables. Pure data.
 */
#ifndef SRUN_SETS_H
#define SRUN_SETS_H

#include <stddef.h>

enum set_type { SET_PATHS, SET_DOMAINS };

struct named_set {
	const char *name; /* without '@' */
	enum set_type type;
	/* Each ends in NUL, an empty one ends them all; paths as in a grant ("~/.ssh"). */
	const char *members;
	const char *source; /* where the members come from */
};

extern const struct named_set named_sets[];
extern const size_t named_nsets;

/* NULL if there is none of that name. */
const struct named_set *named_set_find(const char *name);

#endif
