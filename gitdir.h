/*
 * gitdir.h: what git's own files say, without running git.
 */
#ifndef SRUN_GITDIR_H
#define SRUN_GITDIR_H

#include "util.h"

/* Pure: the path after "gitdir:" in the text of a ".git" file; NULL when it is none. */
const char *gitdir_of_file(struct arena *a, const char *text, size_t len);

/* A line of a configuration, with its name as git has it: "core.hookspath". */
struct git_setting {
	const char *name;
	const char *value; /* NULL: the name alone, which means "true" */
	/* As git from 2.45 on reads it, where blanks are kept as they are; else value. */
	const char *kept;
};
struct git_settings {
	struct git_setting *v;
	size_t n;
	/* How many came before the first line that git cannot read; SIZE_MAX: it reads all. */
	size_t sound;
};

/*
 * Pure: as git reads it; where git gives up, the next line is gone on with. Only the first
 * most of those that gitdir_kind() knows; SIZE_MAX: all settings.
 */
void gitdir_config(
    struct arena *a, const char *text, size_t len, size_t most, struct git_settings *out);

/* What a value in a configuration is to git, and what a relative path counts from. */
enum git_path_kind {
	GIT_PATH_NONE,
	GIT_PATH_OBEYED, /* hooks, attributes, templates: from the top of the work tree */
	GIT_PATH_COMMAND, /* a shell command that git runs; or a truth value */
	GIT_PATH_HELPER,  /* likewise; what is behind the program's name is data */
	GIT_PATH_INCLUDE, /* a configuration: from the file that says so */
};
/* Pure: by the name of a setting. */
enum git_path_kind gitdir_kind(const char *name);

/* Pure: the words of a shell command that could be paths. */
void gitdir_words(struct arena *a, const char *command, struct strv *out);

#endif
