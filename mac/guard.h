/*
 * guard.h: the process that ends a run when srun is killed and cannot do it itself.
 */
#ifndef SRUN_MAC_GUARD_H
#define SRUN_MAC_GUARD_H

#include "tempdir.h"

/*
 * Starts it, before anything of the run. It sleeps until every holder of the returned
 * descriptor is gone; unless it was dismissed it then kills what carries the nonce and
 * removes the directories. -1 with errno.
 */
int guard_start(const char *nonce, const struct tempdirs *temp);

/* There is nothing left to guard. */
void guard_dismiss(int guard);

#endif
