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
	const char *path; /* canonical directory + name */
	const struct deny_entry *entry; /* NULL: a ".git" file */
};

struct scan_limits {
	size_t directories;
	unsigned depth;
	int64_t milliseconds;
};

struct scan {
	struct scan_found *found;
	size_t nfound;
	struct strv gitdirs;  /* git directories, also bare ones, modules and worktrees */
	struct strv repos;    /* top directories of repositories */
	struct strv unread;   /* directories that could not be read */
	size_t directories;
	const char *stopped; /* why it stopped short; NULL when it saw everything */
};

/* Adds what lies in root (canonical) and below. Never follows a link, never leaves the
 * file system of root. */
void scan_tree(struct arena *a, const char *root, const struct scan_limits *limits,
    struct scan *out);

/* Whether the file system of this directory folds case in names (casefold, vfat, …). */
bool scan_folds_case(const char *directory);

#endif
