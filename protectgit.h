/*
 * protectgit.h: what protect.c and the rooms named after it share: the state of joining the mandatory
 * deny set with this host, and the ways to protect a name. Nobody else includes it.
 */
#ifndef SRUN_PROTECTGIT_H
#define SRUN_PROTECTGIT_H

#include "protect.h"
#include "rules.h"
#include "scan.h"

/* A git directory and the top of a work tree that uses it. */
struct git_top {
	const char *gitdir, *top;
};

struct protector {
	struct arena *a;
	const struct policy *p;
	const struct host *h;
	struct survey *s;
	struct holds *holds;
	struct protection *out;
	struct errs *errs, *notes;
	struct strv roots; /* write roots that outlive the run, canonical */
	struct scan scan;
	struct git_top *tops;
	size_t ntops;
	struct strv failed;  /* what could not be held: said already */
	struct strv links;   /* links in the way that were refused already */
	struct strv configs; /* git configurations that were read already */
};

bool protect_writable(const struct protector *x, const char *path);

/*
 * A name that exists becomes a deny_write rule, where the command could write it. A link
 * on the way that the command could replace is an error.
 */
void protect_existing(struct protector *x, const char *path, const char *reason);

/* Whether the way to a name has a link that the command could replace: that is an error. */
bool protect_links(struct protector *x, const struct path_fact *f, const char *reason);

/* The entry at base/relative: denied when it exists, held when it does not. */
void protect_entry(struct protector *x, const char *base, const struct deny_entry *e);

/*
 * A directory in which names are held, locked before it is looked into. NULL when there is
 * nothing to hold or nothing is made, and after an error.
 */
struct hold *protect_lock(struct protector *x, const char *directory);

/* Any path, as somebody's configuration has it: denied, or held as how says. */
void protect_path(
    struct protector *x, const char *path, enum deny_hold how, const char *reason);

/* ---- protectgit.c ---- */

/* A ".git" file that the walk found. */
void protect_gitfile(struct protector *x, const char *path);
/* Every git directory that is known, and what their configurations name. */
void protect_gitdirs(struct protector *x);
/* The repository that a write root lies in: its configuration may name what is in the root. */
void protect_enclosing(struct protector *x, const char *root);
/* The caller's and the host's configuration. */
void protect_git_global(struct protector *x);
/*
 * Shows the command an info/exclude with the held names in it, so that "git clean" and
 * "git stash -u" pass over them. After everything is held.
 */
void protect_excludes(struct protector *x, const char *state_dir);
/* Whether path is one of the protected parts of a git directory, or below one. */
bool protect_git_part(struct protector *x, const char *path, const char **part);

#endif
