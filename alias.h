/*
 * alias.h: other names of protected files: what a mount on one name does not hold. Looks,
 * never changes anything.
 */
#ifndef SRUN_ALIAS_H
#define SRUN_ALIAS_H

#include <sys/types.h>

#include "util.h"

/* A regular file with more than one name. */
struct alias_file {
	const char *path;
	dev_t dev;
	ino_t ino;
	nlink_t names;
};

struct alias_files {
	struct alias_file *v;
	size_t n;
};

/* Adds path, or what is below it, where a file has several names. False: too much to see. */
bool alias_collect(struct arena *a, const char *path, struct alias_files *out);

struct alias_found {
	const char *path; /* the other name */
	const char *of;
};
struct alias_list {
	struct alias_found *v;
	size_t n;
};

/*
 * The other names of these files in root (canonical) and below, whatever is in between. False
 * when it took too long, and some may not have been found.
 */
bool alias_links(struct arena *a, const char *root, const struct alias_files *files,
    struct alias_list *out);

/*
 * Other paths to these paths by the mounts of the host: text is mountinfo. Pure. A path is
 * given once for each mount that shows it, or a part of it, at another place.
 */
void alias_mounts(
    struct arena *a, const char *text, const struct strv *paths, struct alias_list *out);

#endif
