/*
 * grantfile.h: the bytes of a grant, read once from a file that was checked.
 */
#ifndef SRUN_GRANTFILE_H
#define SRUN_GRANTFILE_H

#include <stdbool.h>

#include "util.h"

struct grant_text; /* policy.h */

#define GRANT_LIMIT (1024 * 1024 - 1) /* bytes: a grant of 1 MiB is refused */

/*
 * Opens, checks (regular file or FIFO, not writable by everyone, size) and reads a grant
 * file once through one descriptor. strict: found in the user's or the system's place, so
 * it must belong to root or uid (or to the overflow uid where the caller cannot write it)
 * and be writable by nobody else but a group whose gid is the owner's user-private one.
 * Returns false with one error in errs.
 */
bool grant_read_file(struct arena *a, const char *path, bool strict,
    struct grant_text *out, struct errs *errs);
/* Reads to EOF from a descriptor; does not close it. name is what messages call it. */
bool grant_read_fd(struct arena *a, int fd, const char *name, const char *dir,
    struct grant_text *out, struct errs *errs);

#endif
