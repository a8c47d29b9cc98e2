/*
 * mounts.h: policy + facts → a sorted list of mount operations, the form in which
 * every mount-namespace backend gets the file rules. Pure.
 */
#ifndef SRUN_MOUNTS_H
#define SRUN_MOUNTS_H

#include <sys/types.h>

#include "host.h"

enum mount_kind {
	MOUNT_ROOT_RO,   /* the whole tree, read-only; always the first operation */
	MOUNT_ROOT_RW,   /* the whole tree, writable */
	MOUNT_ROOT_NONE, /* an empty root: only what follows exists */
	MOUNT_BIND_RO,   /* dest on itself, read-only */
	MOUNT_BIND_RW,   /* dest on itself, writable */
	MOUNT_PIN, /* dest on itself, writable: so that it cannot be renamed or removed */
	MOUNT_MASK_DIR,  /* nothing can be read: an empty directory without any right */
	MOUNT_MASK_OPEN, /* a mask with something granted below: names are not listed */
	MOUNT_MASK_FILE, /* an empty file without any right: source is one, mode 000 */
	MOUNT_HIDE_DIR,  /* an empty, listable, read-only directory */
	MOUNT_HOLD,      /* an empty directory that stands in for a name: writes go nowhere */
	MOUNT_TMPFS,     /* an empty writable directory in memory, mode 1777 */
	MOUNT_DEV,       /* the minimal /dev */
	MOUNT_DEV_NODE,  /* one device node, usable */
	MOUNT_PROC,      /* /proc of the run's own process namespace */
	MOUNT_LINK,      /* a symbolic link made inside a mask; source is its text */
};

struct mount_op {
	enum mount_kind kind;
	const char *dest;   /* canonical */
	const char *source; /* what is bound (canonical), or the text of a link */
	dev_t dev;          /* identity of the source, 0 when there is none */
	ino_t ino;
	const struct path_rule *rule; /* why, NULL for what is always there */
};

struct mount_plan {
	struct mount_op *ops; /* parents before children */
	size_t n;
	size_t dropped; /* rules that another rule already implies */
};

/*
 * Fails (NULL, errors added) for what mounts cannot hold: each names path and line.
 */
const struct mount_plan *mounts_plan(
    struct arena *a, const struct policy *p, const struct survey *s, struct errs *errs);

/* The kind's name as --check and --print show it. */
const char *mount_kind_name(enum mount_kind kind);

/* Whether the kind leaves the command able to write below dest. */
bool mount_kind_writable(enum mount_kind kind);

#endif
