/*
 * tree.h: killing everything that descends from a process, where no namespace does it.
 */
#ifndef SRUN_TREE_H
#define SRUN_TREE_H

#include <sys/types.h>

/*
 * Kills every descendant of root, not root itself, until none is left but zombies. root
 * must be the caller and a child subreaper, so that whoever loses its parent comes to it.
 */
void tree_kill(pid_t root);

#endif
