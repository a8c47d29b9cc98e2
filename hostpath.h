/*
 * hostpath.h: what one path means on the real tree.
 */
#ifndef SRUN_HOSTPATH_H
#define SRUN_HOSTPATH_H

#include <stdbool.h>
#include <sys/types.h>

#include "util.h"

enum file_kind { FILE_MISSING, FILE_DIR, FILE_REGULAR, FILE_OTHER };

/* A symbolic link met on the way: its own canonical path and its text. */
struct link_hop {
	const char *path;
	const char *target;
	uid_t uid; /* whose it is */
	bool own;  /* the caller's: a command of an earlier run could have made it */
};

/* What a path means on the real tree. */
struct path_fact {
	const char *path; /* as asked */
	/*
	 * Canonical. When the last components are missing, the canonical path of the
	 * deepest existing directory plus the rest; existing_len says where that ends.
	 */
	const char *real;
	size_t existing_len;
	enum file_kind kind;
	dev_t dev;
	ino_t ino;
	uid_t uid;
	mode_t mode;
	bool writable; /* the caller may write it (access(2)) */
	bool held;     /* an empty directory of ours that stands in for a denied name */
	const struct link_hop *links;
	size_t nlinks;
	const char *stuck; /* with EACCES: the directory that cannot be searched; NULL */
	int err; /* 0, ENOENT for missing, ELOOP, EACCES, ENOTDIR, … when it cannot be resolved */
};

/* Resolves one path component by component; the outcome is in the fact. */
void host_resolve(struct arena *a, const char *path, struct path_fact *out);

#endif
