/*
 * unbuilt.h: refuses what a grant can say and srun cannot do yet.
 */
#ifndef SRUN_UNBUILT_H
#define SRUN_UNBUILT_H

#include "util.h"

struct policy; /* policy.h */

/* Adds an error for every setting that parses but whose enforcement is not built yet. */
void policy_unbuilt(struct arena *a, const struct policy *p, struct errs *errs);

#endif
