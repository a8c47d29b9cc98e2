/*
 * bwrap.h: the bubblewrap backend: mount operations → the bytes of its --args.
 */
#ifndef SRUN_BWRAP_H
#define SRUN_BWRAP_H

#include "backend.h"

extern const struct backend bwrap_backend;

#endif
