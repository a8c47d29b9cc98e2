/*
 * textindex.c: a hash table from text to item, so that a grant of a megabyte costs no
 * more a line than a short one. Owns its slots; must not copy or change keys and items.
 */
#include <stdint.h>
#include <string.h>

#include "textindex.h"

#define FIRST_SLOTS 32 /* a power of two */

struct text_slot {
	const char *key;
	size_t len;
	const void *item;
	uint32_t hash;
};

/* FNV-1a. The texts are the caller's own grant: nobody to defend the table against. */
static uint32_t
text_hash(const char *key, size_t len)
{
	uint32_t h = UINT32_C(2166136261);

	for (size_t i = 0; i < len; i++)
		h = (h ^ (unsigned char)key[i]) * UINT32_C(16777619);
	return h;
}

/* The slot that holds the text, or the free one where it would be. */
static struct text_slot *
slot_for(const struct text_index *x, const char *key, size_t len, uint32_t hash)
{
	size_t i = hash & (x->cap - 1);

	for (;; i = (i + 1) & (x->cap - 1)) {
		struct text_slot *s = &x->slots[i];

		if (s->key == NULL)
			return s;
		if (s->hash == hash && s->len == len && memcmp(s->key, key, len) == 0)
			return s;
	}
}

static void
index_grow(struct arena *a, struct text_index *x)
{
	struct text_index bigger = {NULL, x->cap == 0 ? FIRST_SLOTS : x->cap * 2, x->n};

	bigger.slots = arena_alloc(a, bigger.cap * sizeof(*bigger.slots));
	for (size_t i = 0; i < x->cap; i++) {
		const struct text_slot *s = &x->slots[i];

		if (s->key != NULL)
			*slot_for(&bigger, s->key, s->len, s->hash) = *s;
	}
	*x = bigger;
}

void
text_index_add(
    struct arena *a, struct text_index *x, const char *key, size_t len, const void *item)
{
	uint32_t hash = text_hash(key, len);
	struct text_slot *s;

	if (x->n * 2 >= x->cap)
		index_grow(a, x);
	s = slot_for(x, key, len, hash);
	if (s->key != NULL)
		return;
	*s = (struct text_slot){key, len, item, hash};
	x->n++;
}

const void *
text_index_find(const struct text_index *x, const char *key, size_t len)
{
	if (x->n == 0)
		return NULL;
	return slot_for(x, key, len, text_hash(key, len))->item;
}
