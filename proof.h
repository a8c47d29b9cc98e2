/*
 * proof.h: trying, inside the sandbox, what it must refuse.
 */
#ifndef SRUN_PROOF_H
#define SRUN_PROOF_H

#include "launch.h"

/*
 * Tries the action. True when it was refused with the planned errno; otherwise *err is the
 * errno seen, 0 when it succeeded. Leaves nothing behind even when it succeeds.
 */
bool proof_holds(const struct proof *p, int *err);

/* The first of each kind that the plan has, for inner to try before the command starts. */
void proofs_choose(struct arena *a, struct launch *l);

#endif
