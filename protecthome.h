/*
 * protecthome.h: the deny set in the home directory.
 */
#ifndef SRUN_PROTECTHOME_H
#define SRUN_PROTECTHOME_H

#include "protectgit.h"

/* Every entry of scope DENY_HOME, what the environment names, and what of PATH lies there. */
void protect_home(struct protector *x);

#endif
