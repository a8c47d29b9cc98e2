/*
 * rmtree.h: removing a directory tree that a hostile command has filled.
 */
#ifndef SRUN_RMTREE_H
#define SRUN_RMTREE_H

#include <stdbool.h>

/*
 * Removes path and everything below, following no link. Directories without rights are
 * opened up first; depth costs neither stack nor descriptors. True when it is gone (also
 * when it never was); false with errno when something stays.
 */
bool rmtree(const char *path);

#endif
