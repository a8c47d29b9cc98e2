/*
 * verify.h: is the sandbox, seen from outside while inner waits, what was planned?
 */
#ifndef SRUN_VERIFY_H
#define SRUN_VERIFY_H

#include "launch.h"

/*
 * Pure: the text of /proc/PID/mountinfo against the plan. Every operation has its mount,
 * the last one at its place, with the planned mode; nothing else is writable. An error for
 * each difference.
 */
bool verify_mountinfo(
    struct arena *a, const struct mount_plan *m, const char *text, struct errs *errs);

/*
 * The same with what /proc has, and that each bound path is the very file that was resolved.
 * Adds errors; false when the command must not start.
 */
bool verify_sandbox(
    struct arena *a, const struct launch *l, pid_t inner, struct errs *errs);

#endif
