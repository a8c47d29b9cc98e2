/*
 * tree.h: killing everything that descends from a process, where no namespace does it.
 */
#ifndef SRUN_TREE_H
#define SRUN_TREE_H

#include <sys/types.h>

#include "util.h"

/*
 * Kills every descendant of root, not root itself, until none is left but zombies. root
 * must be the caller and a child subreaper, so that whoever loses its parent comes to it.
 * The children of root in spare are left alone, with all below them.
 */
void tree_kill(pid_t root, const pid_t *spare, size_t nspare);

/* The children of a process; how many there are. */
size_t tree_children(struct arena *a, pid_t parent, pid_t **children);

#endif
