/*
 * protectalias.h: other names of what the deny set and the grant deny.
 */
#ifndef SRUN_PROTECTALIAS_H
#define SRUN_PROTECTALIAS_H

#include "protectgit.h"

/* After every name is known: each other name of one becomes a rule, or the run is refused. */
void protect_other_names(struct protector *x);

#endif
