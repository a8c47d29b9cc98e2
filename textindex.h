/*
 * textindex.h: finds an item by a text, in one step however many there are. Pure.
 */
#ifndef SRUN_TEXTINDEX_H
#define SRUN_TEXTINDEX_H

#include <stddef.h>

#include "util.h"

struct text_slot;

/* All zero is an empty index. */
struct text_index {
	struct text_slot *slots;
	size_t cap, n;
};

/* Adds item under the first len bytes of key, which must outlive the index. */
void text_index_add(
    struct arena *a, struct text_index *x, const char *key, size_t len, const void *item);
/* The item added first under that text, or NULL. */
const void *text_index_find(const struct text_index *x, const char *key, size_t len);

#endif
