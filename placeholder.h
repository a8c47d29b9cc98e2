/*
 * placeholder.h: names held for the deny set: made, shared by runs, removed by the last.
 */
#ifndef SRUN_PLACEHOLDER_H
#define SRUN_PLACEHOLDER_H

#include "deny_set.h"
#include "util.h"

/*
 * One directory in which names are held. While any run holds it nobody removes what was
 * made in it. Descriptors are -1 when there is none.
 */
struct hold {
	const char *directory; /* canonical */
	const char *journal;   /* name in the state directory */
	int dirfd, journal_fd;
};

struct holds {
	int statefd; /* the state directory; not owned */
	struct hold *v;
	size_t n;
};

/*
 * Locks the directory for this run (shared). Must come before looking whether names in it
 * exist. NULL when the directory is not there or not the caller's to write; *err is 0
 * then, an errno when the journal could not be kept.
 */
struct hold *hold_directory(
    struct arena *a, struct holds *h, const char *directory, int *err);

/*
 * Makes name in it, journalled first. True also when another run that is still there made
 * the same. False with errno; EEXIST when somebody else did: then it is held as it is.
 */
bool hold_make(
    struct arena *a, int statefd, struct hold *h, const char *name, enum deny_hold how);

/* Whether what is at path was made by a run of srun to hold the name, and is unchanged. */
bool hold_is_ours(struct arena *a, int statefd, const char *path);

/* Gives every directory up; the last run removes what was made, where it is unchanged. */
void holds_release(struct arena *a, struct holds *h);

/*
 * Files of the state directory that belong to a directory and stay from run to run: what a
 * walk over it saw (".scan"), what its runs are shown of a file (".exclude"). The name, and
 * writing it whole or not at all.
 */
const char *hold_cache_name(struct arena *a, const char *directory, const char *suffix);
bool hold_write_cache(
    struct arena *a, int statefd, const char *name, const struct bytes *data);

/* Removes what dead runs left. */
void holds_sweep(struct arena *a, int statefd);

#endif
