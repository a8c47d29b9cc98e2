/*
 * rules.h: the one decision about a path: may the command read it, may it write it,
 * and which rule says so. Pure. The mount plan, --check and the tests all ask here.
 */
#ifndef SRUN_RULES_H
#define SRUN_RULES_H

#include "host.h"

enum access { ACCESS_NONE, ACCESS_READ, ACCESS_WRITE }; /* each includes the one before */

/*
 * What the rules of every layer together give for a canonical path. *why, when not
 * NULL, is the deciding rule, or NULL for the default (read everywhere, write nowhere).
 */
enum access rules_decide(
    const struct survey *s, const char *path, const struct path_rule **why);

/* Of the directories that are srun's own inside: what the command gets there. Else NULL. */
const char *rules_own_place(const char *path);

#endif
