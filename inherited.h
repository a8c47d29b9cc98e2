/*
 * inherited.h: the descriptors that the caller hands on.
 */
#ifndef SRUN_INHERITED_H
#define SRUN_INHERITED_H

#include "options.h"
#include "util.h"

/* Adds an error for each descriptor that an option names and that is not open. */
void inherited_check(struct arena *a, const struct options *o, struct errs *errs);

/* What the caller has left open is not for the command, and not for srun to hold open. */
void inherited_close(struct arena *a, const struct options *o);

/*
 * Adds an error for each that the command would get and that is a directory: it leads to
 * the host's own tree, past every mount that srun makes, and from there openat(2) reaches
 * whatever the caller could.
 */
void inherited_no_directories(
    struct arena *a, const struct options *o, struct errs *errs);

#endif
