/*
 * rmtree.h: removing a directory tree that a hostile command has filled.
 */
#ifndef SRUN_RMTREE_H
#define SRUN_RMTREE_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Removes name, in the directory at, and everything below, following no link. Directories
 * without rights are opened up first; depth costs neither stack nor descriptors. With ino
 * only the directory that has this number on the file system of at: anything else stays,
 * with errno ESTALE or ENOTDIR. True when it is gone (also when it never was); false with
 * errno when something stays.
 */
bool rmtree(int at, const char *name, ino_t ino);

#endif
