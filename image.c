/*
 * image.c: the launch image as bytes; see image.h. Pure.
 */
#include "image.h"

#include <string.h>

/* ---- writing ---- */

struct writer {
	struct arena *a;
	struct bytes *out;
};

static void
put_num(struct writer *w, uint64_t v)
{
	bytes_add(w->a, w->out, &v, sizeof(v));
}

static void
put_data(struct writer *w, const void *data, size_t len)
{
	put_num(w, len);
	bytes_add(w->a, w->out, data, len);
	bytes_add(w->a, w->out, "", 1);
}

static void
put_text(struct writer *w, const char *s)
{
	put_data(w, s != NULL ? s : "", s != NULL ? strlen(s) : 0);
}

static void
put_strv(struct writer *w, const struct strv *v)
{
	put_num(w, v->n);
	for (size_t i = 0; i < v->n; i++)
		put_text(w, v->v[i]);
}

void
image_encode(struct arena *a, const struct image *im, struct bytes *out)
{
	struct writer w = {a, out};
	put_strv(&w, &im->argv);
	put_strv(&w, &im->envp);
	put_text(&w, im->working_directory);
	put_num(&w, im->working_directory_dev);
	put_num(&w, im->working_directory_ino);
	put_text(&w, im->shell);
	for (size_t i = 0; i < LIMIT_COUNT; i++) {
		put_num(&w, im->limits[i].set);
		put_num(&w, im->limits[i].value);
	}
	put_data(&w, im->keep_fds, im->nkeep_fds * sizeof(*im->keep_fds));
	put_num(&w, im->nproofs);
	for (size_t i = 0; i < im->nproofs; i++) {
		put_num(&w, im->proofs[i].kind);
		put_text(&w, im->proofs[i].path);
	}
	put_num(&w, im->signal_mask);
	put_num(&w, im->sigchld_ignored);
	put_num(&w, im->open_files);
}

/* ---- reading ---- */

struct reader {
	struct arena *a;
	const char *p;
	size_t left;
	bool bad;
};

static uint64_t
get_num(struct reader *r)
{
	uint64_t v = 0;
	if (r->left < sizeof(v)) {
		r->bad = true;
		return 0;
	}
	memcpy(&v, r->p, sizeof(v));
	r->p += sizeof(v);
	r->left -= sizeof(v);
	return v;
}

static const char *
get_data(struct reader *r, size_t *len)
{
	uint64_t n = get_num(r);
	if (r->bad || r->left == 0 || n > r->left - 1 || r->p[n] != '\0') {
		r->bad = true;
		*len = 0;
		return "";
	}
	const char *p = r->p;
	*len = (size_t)n;
	r->p += n + 1;
	r->left -= (size_t)n + 1;
	return p;
}

static const char *
get_text(struct reader *r)
{
	size_t len;
	return get_data(r, &len);
}

static void
get_strv(struct reader *r, struct strv *v)
{
	uint64_t n = get_num(r);
	for (uint64_t i = 0; i < n && !r->bad; i++)
		strv_push(r->a, v, get_text(r));
}

/* A copy, since what lies in the bytes need not be aligned. */
static void *
get_copy(struct reader *r, size_t *len)
{
	const char *p = get_data(r, len);
	void *copy = arena_alloc(r->a, *len + 1);
	memcpy(copy, p, *len);
	return copy;
}

static void
get_proofs(struct reader *r, struct image *im)
{
	uint64_t n = get_num(r);
	for (uint64_t i = 0; i < n && !r->bad; i++) {
		im->proofs =
		    arena_grow(r->a, im->proofs, im->nproofs, sizeof(*im->proofs));
		im->proofs[im->nproofs].kind = (enum proof_kind)get_num(r);
		im->proofs[im->nproofs++].path = get_text(r);
	}
}

bool
image_decode(struct arena *a, const char *data, size_t len, struct image *im)
{
	struct reader r = {a, data, len, false};
	*im = (struct image){.nproofs = 0};
	get_strv(&r, &im->argv);
	get_strv(&r, &im->envp);
	im->working_directory = get_text(&r);
	im->working_directory_dev = get_num(&r);
	im->working_directory_ino = get_num(&r);
	im->shell = get_text(&r);
	for (size_t i = 0; i < LIMIT_COUNT; i++) {
		im->limits[i].set = get_num(&r) != 0;
		im->limits[i].value = get_num(&r);
	}
	size_t n;
	im->keep_fds = get_copy(&r, &n);
	im->nkeep_fds = n / sizeof(*im->keep_fds);
	get_proofs(&r, im);
	im->signal_mask = get_num(&r);
	im->sigchld_ignored = get_num(&r) != 0;
	im->open_files = get_num(&r);
	return !r.bad && r.left == 0 && im->argv.n > 0;
}
