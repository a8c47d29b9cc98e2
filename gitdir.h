/*
 * gitdir.h: what git's own files say, without running git.
 */
#ifndef SRUN_GITDIR_H
#define SRUN_GITDIR_H

#include "util.h"

/* Pure: the path after "gitdir:" in the text of a ".git" file; NULL when it is none. */
const char *gitdir_of_file(struct arena *a, const char *text, size_t len);

/*
 * Pure: the values in a git configuration that name files git obeys or runs:
 * core.hooksPath, core.attributesFile, include.path, includeIf.*.path. As written.
 */
void gitdir_config_paths(struct arena *a, const char *text, size_t len, struct strv *out);

#endif
