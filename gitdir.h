/*
 * gitdir.h: what git's own files say, without running git.
 */
#ifndef SRUN_GITDIR_H
#define SRUN_GITDIR_H

#include "util.h"

/* Pure: the path after "gitdir:" in the text of a ".git" file; NULL when it is none. */
const char *gitdir_of_file(struct arena *a, const char *text, size_t len);

/* What a path in a configuration is to git, and what a relative one counts from. */
enum git_path_kind {
	GIT_PATH_HOOKS,   /* core.hooksPath: from the top of the work tree */
	GIT_PATH_FILE,    /* core.attributesFile: likewise */
	GIT_PATH_PROGRAM, /* core.fsmonitor: run by "git status"; or a truth value */
	GIT_PATH_INCLUDE, /* include.path, includeIf.*.path: from the file that says so */
};
struct git_path {
	enum git_path_kind kind;
	const char *value; /* as written, without quotes */
};
struct git_paths {
	struct git_path *v;
	size_t n;
};

/* Pure: the values in a git configuration that name files git obeys or runs. */
void gitdir_config_paths(
    struct arena *a, const char *text, size_t len, struct git_paths *out);

#endif
