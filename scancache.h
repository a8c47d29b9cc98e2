/*
 * scancache.h: a walked tree as bytes and back. Pure.
 */
#ifndef SRUN_SCANCACHE_H
#define SRUN_SCANCACHE_H

#include "scan.h"

void scan_encode(struct arena *a, const struct scan_node *tree, struct bytes *out);
/* NULL for bytes that are cut, odd, or were made with another table. */
struct scan_node *scan_decode(struct arena *a, const char *data, size_t len);

#endif
