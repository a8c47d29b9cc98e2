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

/* Of one walk. */
struct scan_limits {
	size_t
	    directories; /* read anew; those that are known cost little and do not count */
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

/* A walk that did not see everything. */
struct scan_stop {
	const char *root, *why;
	size_t directories; /* seen until then */
	bool goes_on;       /* the next walk that knows this one's tree sees more */
};

struct scan {
	struct scan_found *found;
	size_t nfound;
	struct strv gitdirs; /* git directories, also bare ones, modules and worktrees */
	struct strv repos;   /* top directories of repositories */
	struct strv unread;  /* directories that could not be read */
	size_t directories, read; /* seen; of these read anew */
	struct scan_stop *stops;  /* one for each walk that stopped short */
	size_t nstops;
};

/*
 * Adds what lies in root (canonical) and below, on whatever file system, the shallow before
 * the deep. Never follows a link. known is the tree of an earlier walk or NULL; returns the
 * tree of this one, NULL when root cannot be read. Where the walk stops short, what is known
 * of the rest is added as it was then, and stays in the tree.
 */
struct scan_node *scan_tree(struct arena *a, const char *root,
    const struct scan_limits *limits, const struct scan_node *known, struct scan *out);

/*
 * Finds directories of a node by name, one after the other: in one step each where they
 * come in the node's own order, which is seldom otherwise.
 */
struct scan_finder {
	const struct scan_node *in; /* NULL: has none */
	size_t next;
	struct scan_node **sorted;
};
const struct scan_node *scan_find(
    struct arena *a, struct scan_finder *f, const char *name);

/* Whether this is the kernel showing itself (/proc, /sys, …): no place for files. */
bool scan_is_kernels(int fd);

/* Whether the file system of this directory folds case in names (casefold, vfat, …). */
bool scan_folds_case(const char *directory);
/* The two halves of it, for an open directory: itself, and all of its file system. */
bool scan_directory_folds(int fd);
bool scan_file_system_folds(int fd);
/* Whether it is what the kernel shows of itself (proc, sysfs, …): endless, no place for files. */
bool scan_is_kernels(int fd);

#endif
