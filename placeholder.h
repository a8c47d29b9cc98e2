/*
 * placeholder.h: names held for the deny set: made, shared by runs, removed by the last.
 */
#ifndef SRUN_PLACEHOLDER_H
#define SRUN_PLACEHOLDER_H

#include <sys/types.h>

#include "deny_set.h"
#include "util.h"

/* A journal that this run has locked (shared), in the state directory statefd. */
struct hold_lock {
	int statefd, fd;
};

/*
 * One directory in which names are held. While any run holds it nobody removes what was
 * made in it.
 */
struct hold {
	const char *directory; /* canonical */
	const char *journal;   /* name in every state directory */
	int dirfd;
	ino_t ino;
	struct hold_lock *locks; /* the first is of our own state directory */
	size_t nlocks;
};

struct holds {
	int statefd; /* our state directory; not owned */
	/*
	 * Other places where a run of the same user may keep its journals, since where that
	 * is depends on what there is when it starts. Opened when first needed.
	 */
	struct strv places;
	int *placefds;
	size_t nplacefds;
	struct hold *v;
	size_t n;
};

/*
 * Locks the directory for this run (shared). Must come before looking whether names in it
 * exist. NULL when there is nothing to hold, since it is missing or not the caller's to
 * write (*err is 0 then), and after a failure (*err is the errno): never go on after that.
 */
struct hold *hold_directory(
    struct arena *a, struct holds *h, const char *directory, int *err);

/*
 * Makes name in it, journalled first. True also when a run that is still there made the
 * same; its lock is shared then. False with errno; EEXIST when somebody else did: then it
 * is held as it is.
 */
bool hold_make(struct arena *a, struct holds *h, struct hold *in, const char *name,
    enum deny_hold how);

/*
 * Whether what is at path was made by a run of srun to hold the name, and is unchanged.
 * Where this run holds the directory it shares the lock of the run that made it, so that
 * the answer lasts.
 */
bool hold_is_ours(struct arena *a, struct holds *h, const char *path);

/* Gives every directory up; the last run removes what was made, where it is unchanged. */
void holds_release(struct arena *a, struct holds *h);

/*
 * Files of the state directory that belong to a directory and stay from run to run: what a
 * walk over it saw (".scan"), what its runs are shown of a file (".exclude"). The name, and
 * writing it whole or not at all; now and then the old ones are removed with that.
 */
const char *hold_cache_name(struct arena *a, const char *directory, const char *suffix);
bool hold_write_cache(
    struct arena *a, int statefd, const char *name, const struct bytes *data);
/* Says that one was used as it is. */
void hold_touch_cache(int statefd, const char *name);

/* Removes what dead runs left. */
void holds_sweep(struct arena *a, int statefd);

#endif
