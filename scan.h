/*
 * scan.h: what of the mandatory deny set exists in the write roots, and which git
 * directories there are. Looks, never changes anything.
 */
#ifndef SRUN_SCAN_H
#define SRUN_SCAN_H

#include <stdbool.h>
#include <sys/types.h>

#include "deny_set.h"
#include "util.h"

struct scan_found {
	const char *path;               /* canonical directory + name */
	const struct deny_entry *entry; /* NULL: a ".git" file */
};

struct scan_limits {
	size_t directories;
	unsigned depth;
	int64_t milliseconds;
};

/*
 * A directory as it was seen. Nothing in it can have changed while its ctime (which no
 * program can set) and inode are the same, so a tree that was kept saves reading it again.
 */
struct scan_mark {
	const char *name;
	int32_t entry; /* index into deny_set[]; -1: a ".git" file */
};
struct scan_node {
	const char *name;
	int64_t ctime_ns; /* 0: too young to be trusted next time */
	uint64_t ino;
	bool gitdir, repo;
	struct scan_mark *marks;
	size_t nmarks;
	struct scan_node **sub;
	size_t nsub;
};

struct scan {
	struct scan_found *found;
	size_t nfound;
	struct strv gitdirs; /* git directories, also bare ones, modules and worktrees */
	struct strv repos;   /* top directories of repositories */
	struct strv unread;  /* directories that could not be read */
	size_t directories, read; /* seen; of these read anew */
	bool pruned;              /* some directories were nested too deep to be seen */
	const char *stopped;      /* why it stopped short; NULL when it saw everything */
};

/*
 * Adds what lies in root (canonical) and below, on whatever file system. Never follows a
 * link. known is the tree of an earlier walk or NULL; returns the tree of
 * this one, NULL when root cannot be read.
 */
struct scan_node *scan_tree(struct arena *a, const char *root,
    const struct scan_limits *limits, const struct scan_node *known, struct scan *out);

/* Whether the file system of this directory folds case in names (casefold, vfat, …). */
bool scan_folds_case(const char *directory);

#endif
