/*
 * listing.h: whether many names exist, by reading each directory once.
 */
#ifndef SRUN_LISTING_H
#define SRUN_LISTING_H

#include <stdbool.h>

#include "util.h"

/* Directories read so far; zero-initialised. */
struct listing_dir;
struct listings {
	struct arena *a;
	struct listing_dir *dirs;
	size_t ndirs;
};

/*
 * Whether path could exist: false only when a component is missing from its directory. A
 * directory that cannot be read, or one reached by a link, gives true: look closer then.
 */
bool listing_may_exist(struct listings *l, const char *path);

#endif
