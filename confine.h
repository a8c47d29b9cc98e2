/*
 * confine.h: a process of srun's own that reads hostile bytes gives up what it does not
 * need, for good.
 */
#ifndef SRUN_CONFINE_H
#define SRUN_CONFINE_H

#include <stdbool.h>
#include <stddef.h>

#include "filter.h"

struct confine {
	enum filter_role role;
	const int *keep; /* descriptors it goes on to use */
	size_t nkeep;
	const char *const *files; /* it may read these, NULL at the end; NULL: none */
	bool low_ports;           /* it keeps the capability to bind ports below 1024 */
};

/*
 * All stages, in order, in this process, which must have one thread. False when one that
 * must hold does not; *stage then says which, and the caller must end. Landlock is used
 * where the kernel has it.
 */
bool confine_enter(const struct confine *c, const char **stage);

#endif
