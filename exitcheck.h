/*
 * exitcheck.h: the protected names before and after a run. Looks, never changes anything.
 */
#ifndef SRUN_EXITCHECK_H
#define SRUN_EXITCHECK_H

#include <sys/types.h>

#include "placeholder.h"
#include "scan.h"
#include "util.h"

/* A protected name as it was before the command started. */
struct exit_name {
	const char *path;
	bool held; /* a placeholder: only that it is still there matters */
	dev_t dev;
	ino_t ino;
	int64_t mtime_ns, size;
	mode_t mode;
};

struct exit_root {
	const char *path;
	const struct scan_node
	    *tree; /* of the walk before the start; NULL: it was cut short */
};

struct exit_check {
	struct exit_name *names;
	size_t nnames;
	struct exit_root *roots;
	size_t nroots;
	struct strv gitdirs; /* known before */
	struct strv found;   /* names of the set that were there, protected or not */
	int64_t begin_ns;    /* CLOCK_REALTIME before the start */
};

/* Remembers a protected name as it is now. */
void exit_check_name(struct arena *a, struct exit_check *x, const char *path, bool held);
void exit_check_root(struct arena *a, struct exit_check *x, const char *path,
    const struct scan_node *tree);

/*
 * Compares. Adds a line to out for each protected name that changed, each new name of the
 * set, each new repository, each new setuid file and each rebase left with commands to
 * run, by whomever: it cannot tell. holds knows the names that other
 * runs hold.
 */
void exit_check_compare(struct arena *a, const struct exit_check *x,
    const struct scan_limits *limits, struct holds *holds, struct errs *out);

#endif
