/*
 * tempdir.h: the directories that a run makes for itself and that go with it.
 */
#ifndef SRUN_TEMPDIR_H
#define SRUN_TEMPDIR_H

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "host.h"
#include "util.h"

struct tempdir {
	const char *path;
	ino_t ino; /* 0 until it is made */
};

struct tempdirs {
	struct tempdir *v;
	size_t n;
	const char *parent; /* removed with the last run that uses it; NULL: it stays */
};

/* A directory of this user's that nobody else may enter. */
bool tempdir_is_private(const struct stat *st, uid_t uid);

/*
 * Whether dir is the caller's own, closed to everybody else and writable, or can be made
 * so. Another user may have taken the name first.
 */
bool tempdir_usable(const struct host *h, const char *dir);

/* Makes dir if it is missing; false with errno, EPERM when it is not the caller's alone. */
bool tempdir_make_shared(const struct host *h, const char *dir);

/*
 * Names for this run, in out->temp, and the directories that hold such names of this
 * caller's runs, in out->closed: no run may look into them. Looks, makes nothing.
 */
void tempdir_choose(struct arena *a, const struct host *h, struct run_paths *out);

/* Random characters that a name may have. */
void tempdir_random(char *out, size_t n);

void tempdir_add(struct arena *a, struct tempdirs *t, const char *path);

/* Makes them all, with the directory that they are in. False with one error added. */
bool tempdirs_make(
    struct arena *a, const struct host *h, struct tempdirs *t, struct errs *errs);

/*
 * The lines that let another run remove them. Before and after tempdirs_make() the text has
 * the same length, so one write replaces the other.
 */
void tempdirs_encode(struct arena *a, const struct tempdirs *t, struct bytes *out);

/*
 * Removes each that is the inode that was made, following no link. False when something
 * stays; reasons are added to errs, which may be NULL. What stands at the name of one and
 * is another file is left alone and is no failure, but said.
 */
bool tempdirs_remove(struct arena *a, const struct tempdirs *t, struct errs *errs);

/* The same from the lines, for a run that is dead. Changes list. */
bool tempdirs_sweep(struct arena *a, char *list);

#endif
