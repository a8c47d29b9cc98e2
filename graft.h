/*
 * graft.h: mounts of a plan that srun makes itself, in a sandbox that is up and waits.
 *
 * bubblewrap reads the table of mounts anew for every bind, so that their cost grows with
 * the square of their number. What lies on itself, is held or is closed needs nothing of
 * the host's that the sandbox does not have: a process of ours enters and adds it there.
 */
#ifndef SRUN_GRAFT_H
#define SRUN_GRAFT_H

#include <sys/types.h>

#include "mounts.h"

/* The process that waits for a sandbox. */
struct graft {
	pid_t pid; /* a child of the caller; 0: none */
	int sock;
};

#define GRAFT_NONE                                                                       \
	{                                                                                \
		0, -1                                                                    \
	}

/*
 * Which operations of a plan can be made that way, one bool each: the helper program makes
 * the rest, and before them. Pure.
 */
bool *graft_choose(struct arena *a, const struct mount_plan *m);

/* Starts the process, so that it is there when the sandbox is. False with errno. */
bool graft_start(struct graft *g, const struct mount_plan *m, const bool *chosen);

/*
 * Makes the chosen mounts in the mount namespace of process inner, and ends the process.
 * NULL when all are there; otherwise what failed: the sandbox has to be made anew.
 */
const char *graft_run(
    struct arena *a, struct graft *g, const struct mount_plan *m, pid_t inner);

/* Ends and reaps the process, whatever it is doing. May be repeated. */
void graft_end(struct graft *g);

#endif
