/*
 * scancache.c: a walked tree as bytes, so that the next run need not read what has not
 * changed. Pure. The bytes come from a file only the caller can write; they are checked all
 * the same, and a wrong one only costs the walk its shortcut.
 */
#include "scancache.h"

#include <string.h>

#define MAGIC       0x6e616374U /* of this layout */
#define DEPTH_LIMIT 64

struct in {
	struct arena *a;
	const char *p;
	size_t left;
	bool bad;
};

/* Two builds with different tables must not read each other's indices. */
static uint32_t
table_hash(void)
{
	uint32_t h = 0x811c9dc5U;
	for (size_t i = 0; i < deny_set_size; i++)
		for (const char *s = deny_set[i].path;; s++) {
			h = (h ^ (unsigned char)*s) * 0x01000193U;
			if (*s == '\0')
				break;
		}
	return h ^ MAGIC;
}

static void
put(struct arena *a, struct bytes *b, const void *data, size_t len)
{
	bytes_add(a, b, data, len);
}

static void
put_name(struct arena *a, struct bytes *b, const char *name)
{
	uint16_t n = (uint16_t)strlen(name);
	put(a, b, &n, sizeof(n));
	put(a, b, name, n);
}

static void
put_node(struct arena *a, const struct scan_node *node, struct bytes *b)
{
	uint32_t counts[3] = {(uint32_t)node->nmarks, (uint32_t)node->nsub,
	    (uint32_t)node->gitdir | (uint32_t)node->repo << 1};
	put_name(a, b, node->name);
	put(a, b, &node->ctime_ns, sizeof(node->ctime_ns));
	put(a, b, &node->ino, sizeof(node->ino));
	put(a, b, counts, sizeof(counts));
	for (size_t i = 0; i < node->nmarks; i++) {
		put(a, b, &node->marks[i].entry, sizeof(node->marks[i].entry));
		put_name(a, b, node->marks[i].name);
	}
	for (size_t i = 0; i < node->nsub; i++)
		put_node(a, node->sub[i], b);
}

void
scan_encode(struct arena *a, const struct scan_node *tree, struct bytes *out)
{
	uint32_t head = table_hash();
	put(a, out, &head, sizeof(head));
	put_node(a, tree, out);
}

static void
get(struct in *in, void *out, size_t len)
{
	memset(out, 0, len);
	if (in->bad || in->left < len) {
		in->bad = true;
		return;
	}
	memcpy(out, in->p, len);
	in->p += len;
	in->left -= len;
}

static const char *
get_name(struct in *in)
{
	uint16_t n;
	get(in, &n, sizeof(n));
	if (in->bad || n > in->left || memchr(in->p, '\0', n) != NULL) {
		in->bad = true;
		return "";
	}
	const char *name = arena_strndup(in->a, in->p, n);
	in->p += n;
	in->left -= n;
	return name;
}

static struct scan_node *
get_node(struct in *in, unsigned depth)
{
	struct scan_node *node = arena_alloc(in->a, sizeof(*node));
	uint32_t counts[3];
	node->name = get_name(in);
	get(in, &node->ctime_ns, sizeof(node->ctime_ns));
	get(in, &node->ino, sizeof(node->ino));
	get(in, counts, sizeof(counts));
	/* Each mark and directory takes some bytes: a count beyond what is left is a lie. */
	if (in->bad || depth > DEPTH_LIMIT || counts[0] > in->left ||
	    counts[1] > in->left) {
		in->bad = true;
		return node;
	}
	node->gitdir = (counts[2] & 1) != 0;
	node->repo = (counts[2] & 2) != 0;
	node->marks = arena_alloc(in->a, ((size_t)counts[0] + 1) * sizeof(*node->marks));
	node->sub =
	    arena_alloc(in->a, ((size_t)counts[1] + 1) * sizeof(struct scan_node *));
	for (uint32_t i = 0; i < counts[0] && !in->bad; i++) {
		struct scan_mark *m = &node->marks[node->nmarks++];
		get(in, &m->entry, sizeof(m->entry));
		m->name = get_name(in);
		if (m->entry < -1 || m->entry >= (int32_t)deny_set_size)
			in->bad = true;
	}
	for (uint32_t i = 0; i < counts[1] && !in->bad; i++)
		node->sub[node->nsub++] = get_node(in, depth + 1);
	return node;
}

struct scan_node *
scan_decode(struct arena *a, const char *data, size_t len)
{
	struct in in = {a, data, len, false};
	uint32_t head;
	get(&in, &head, sizeof(head));
	if (in.bad || head != table_hash())
		return NULL;
	struct scan_node *tree = get_node(&in, 0);
	return in.bad || in.left != 0 ? NULL : tree;
}
