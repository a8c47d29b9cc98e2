/*
 * interp.h: which interpreter a program file asks for.
 */
#ifndef SRUN_INTERP_H
#define SRUN_INTERP_H

#include "util.h"

/* The PT_INTERP of an ELF file or the program of a "#!" line; NULL: none, or not readable. */
const char *interp_of(struct arena *a, const char *file);

#endif
