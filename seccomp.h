/*
 * seccomp.h: the tables of system calls, as filter programs.
 */
#ifndef SRUN_SECCOMP_H
#define SRUN_SECCOMP_H

#include "filter.h"
#include "policy.h"
#include "util.h"

/*
 * Builds the filter for this architecture: struct sock_filter[] as bytes. Other
 * architectures' calls (i386, x32, arm) end the process. False with an error in errs when
 * the architecture is not known or a rule cannot be expressed: the caller must not start.
 */
bool seccomp_build(
    struct arena *a, enum unix_mode unix_mode, struct bytes *out, struct errs *errs);

/* The other way round: everything that the role does not name kills the process. */
bool seccomp_build_role(
    struct arena *a, enum filter_role role, struct bytes *out, struct errs *errs);

#endif
