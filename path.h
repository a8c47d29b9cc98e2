/*
 * path.h: paths as text: normalising, prefixes, order, variables, patterns.
 * Pure: no system call. A path here is absolute, without a trailing slash
 * (but "/" itself), without "//" and "/./". ".." stays: only the real tree knows
 * what it means (host.c resolves it).
 */
#ifndef SRUN_PATH_H
#define SRUN_PATH_H

#include <stdbool.h>
#include <stddef.h>

#include "util.h"

#define PATH_LIMIT                                                                       \
	4096 /* bytes of a path without its NUL, as the kernel's PATH_MAX allows */

/* Folds "//", "/./", a trailing "/" and "/."; a relative path is put below base. */
char *path_normalise(struct arena *a, const char *path, const char *base);

/* path is root or below it, compared by whole components. */
bool path_within(const char *path, const char *root);

/* Order in which a parent comes directly before its children ("/a", "/a/b", "/a-b"). */
int path_compare(const char *a, const char *b);

/* Number of components: 0 for "/". */
size_t path_depth(const char *path);

/* The parent directory ("/" for "/"). */
char *path_parent(struct arena *a, const char *path);
/* The last component, a pointer into path ("" for "/"). */
const char *path_base(const char *path);
/* dir + "/" + name, right for dir "/". */
char *path_join(struct arena *a, const char *dir, const char *name);

/* Whether the text has a character that makes it a pattern: * ? [ . */
bool path_has_pattern(const char *path);

/*
 * Whether path matches pattern: '*' and '?' do not match '/', "[…]" a set with
 * ranges and '!' or '^', "**" any number of components, also none.
 */
bool path_match(const char *pattern, const char *path);

/* Whether path lies in the directory base, where the rest of it matches tail ("a/?"). */
bool path_match_below(const char *base, const char *tail, const char *path);

/*
 * One component: the len bytes at pattern against a name; "**" is no more than '*' here.
 * fold: letters that differ only in case are the same, so it can only match more.
 */
bool path_match_name(const char *pattern, size_t len, const char *name, bool fold);

/* A value of a variable by name, NULL when unset. */
typedef const char *path_lookup(void *arg, const char *name);

/*
 * "~", "~/x" (home) and "${NAME}" replaced. Returns NULL with *why set to a text
 * from the arena when a variable is unset or its name is not known to lookup, when
 * home is NULL, for "~user", and for a '$' that does not start "${NAME}".
 */
char *path_expand(struct arena *a, const char *text, const char *home,
    path_lookup *lookup, void *arg, const char **why);

#endif
