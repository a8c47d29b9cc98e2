/*
 * test_image: the launch image goes through its bytes unchanged, and bytes that are cut
 * or odd never lead outside of them.
 */
#include <stdlib.h>

#include "image.h"
#include "tap.h"

static struct arena arena;
static unsigned long long touched; /* so that nothing read is optimised away */

static struct image
sample(void)
{
	static int keep[] = {3, 7, 63};
	static struct proof proofs[] = {{PROOF_WRITE, "/usr"},
	    {PROOF_READ, "/home/u/.ssh"}, {PROOF_CONNECT, ""}, {PROOF_PRIVILEGE, ""}};
	struct image im = {
	    .working_directory = "/home/u/proj",
	    .working_directory_dev = 0xfedcba9876543210,
	    .working_directory_ino = 0x0123456789abcdef,
	    .shell = "/bin/sh",
	    .keep_fds = keep,
	    .nkeep_fds = SRUN_ARRAY_LEN(keep),
	    .proofs = proofs,
	    .nproofs = SRUN_ARRAY_LEN(proofs),
	    .signal_mask = 1ULL << 63 | 1,
	    .sigchld_ignored = true,
	    .open_files = 16,
	};
	strv_push(&arena, &im.argv, "sh");
	strv_push(&arena, &im.argv, "");
	strv_push(&arena, &im.argv, "-c\n\t\xff");
	strv_push(&arena, &im.envp, "PATH=/bin");
	strv_push(&arena, &im.envp, "EMPTY=");
	im.limits[LIMIT_CPU_TIME] = (struct limit_value){.set = true, .value = 10};
	im.limits[LIMIT_CORE] = (struct limit_value){.set = true, .value = UINT64_MAX};
	return im;
}

static bool
same_strv(const struct strv *a, const struct strv *b)
{
	bool same = a->n == b->n && (b->n == 0 || b->v[b->n] == NULL);

	for (size_t i = 0; same && i < a->n; i++)
		same = strcmp(a->v[i], b->v[i]) == 0;
	return same;
}

static void
check_same(const struct image *a, const struct image *b, const char *name)
{
	bool limits = true, proofs = a->nproofs == b->nproofs;

	ok(same_strv(&a->argv, &b->argv), "%s: argv", name);
	ok(same_strv(&a->envp, &b->envp), "%s: environment", name);
	is_str(b->working_directory, a->working_directory, "%s: working directory", name);
	ok(a->working_directory_dev == b->working_directory_dev &&
	        a->working_directory_ino == b->working_directory_ino,
	    "%s: its identity", name);
	is_str(b->shell, a->shell, "%s: shell", name);
	for (size_t i = 0; i < LIMIT_COUNT; i++)
		limits = limits && a->limits[i].set == b->limits[i].set &&
		         a->limits[i].value == b->limits[i].value;
	ok(limits, "%s: limits", name);
	ok(a->nkeep_fds == b->nkeep_fds &&
	        (a->nkeep_fds == 0 ||
	            memcmp(a->keep_fds, b->keep_fds, a->nkeep_fds * sizeof(int)) == 0),
	    "%s: descriptors", name);
	for (size_t i = 0; proofs && i < a->nproofs; i++)
		proofs = a->proofs[i].kind == b->proofs[i].kind &&
		         strcmp(a->proofs[i].path, b->proofs[i].path) == 0;
	ok(proofs, "%s: proofs", name);
	ok(a->signal_mask == b->signal_mask && a->sigchld_ignored == b->sigchld_ignored &&
	        a->open_files == b->open_files,
	    "%s: the rest", name);
}

static void
touch(const void *data, size_t n)
{
	const unsigned char *p = data;

	for (size_t i = 0; i < n; i++)
		touched += p[i];
}

static void
touch_strv(const struct strv *s)
{
	for (size_t i = 0; i < s->n; i++)
		touch(s->v[i], strlen(s->v[i]) + 1);
}

/* Reads all that a decoded image points to. */
static void
touch_image(const struct image *im)
{
	touch_strv(&im->argv);
	touch_strv(&im->envp);
	touch(im->working_directory, strlen(im->working_directory) + 1);
	touch(im->shell, strlen(im->shell) + 1);
	touch(im->keep_fds, im->nkeep_fds * sizeof(*im->keep_fds));
	for (size_t i = 0; i < im->nproofs; i++)
		touch(im->proofs[i].path, strlen(im->proofs[i].path) + 1);
}

/* From a copy that ends where the bytes end, at an odd address. */
static bool
decode_exactly(const char *data, size_t len, struct image *im)
{
	struct arena a = {NULL};
	char *copy = malloc(len + 1);

	if (copy == NULL)
		exit(1);
	memcpy(copy + 1, data, len);
	bool good = image_decode(&a, copy + 1, len, im);
	if (good)
		touch_image(im);
	arena_free(&a);
	free(copy);
	return good;
}

static void
test_round_trip(void)
{
	struct image im = sample(),
	             least = {.working_directory = "/", .shell = "/bin/sh"}, got;
	struct bytes b = {NULL, 0, 0};

	image_encode(&arena, &im, &b);
	if (ok(image_decode(&arena, b.data, b.len, &got), "a full image is read back"))
		check_same(&im, &got, "full");
	ok(((uintptr_t)got.keep_fds & 3) == 0, "arrays are aligned");

	b = (struct bytes){NULL, 0, 0};
	strv_push(&arena, &least.argv, "true");
	image_encode(&arena, &least, &b);
	if (ok(image_decode(&arena, b.data, b.len, &got), "the least image is read back"))
		check_same(&least, &got, "least");

	b = (struct bytes){NULL, 0, 0};
	least.argv = (struct strv){NULL, 0};
	image_encode(&arena, &least, &b);
	ok(!image_decode(&arena, b.data, b.len, &got), "no command is refused");
}

/* More words than an arena's block holds. */
static void
test_large(void)
{
	struct image im = {.working_directory = "/", .shell = "/bin/sh"}, got;
	struct bytes b = {NULL, 0, 0};

	for (int i = 0; i < 20000; i++)
		strv_push(&arena, &im.argv, arena_printf(&arena, "word %d", i));
	char *big = arena_alloc(&arena, 1 << 20);
	memset(big, 'x', (1 << 20) - 1);
	strv_push(&arena, &im.envp, big);
	image_encode(&arena, &im, &b);
	ok(image_decode(&arena, b.data, b.len, &got) && same_strv(&im.argv, &got.argv) &&
	        same_strv(&im.envp, &got.envp),
	    "20000 words and one of a megabyte");
}

static void
test_cuts(void)
{
	struct image im = sample(), got;
	struct bytes b = {NULL, 0, 0};
	size_t accepted = 0;

	image_encode(&arena, &im, &b);
	for (size_t n = 0; n < b.len; n++)
		accepted += decode_exactly(b.data, n, &got);
	is_int(accepted, 0, "each of %zu truncations is refused", b.len);
	ok(decode_exactly(b.data, b.len, &got), "the whole is not");
	bytes_add(&arena, &b, "", 1);
	ok(!decode_exactly(b.data, b.len, &got), "a byte too many is refused");
}

/* A text must end where its length says, or its reader would go on. */
static void
test_ends(void)
{
	static const char *const texts[] = {
	    "PATH=/bin", "/bin/sh", "/home/u/proj", "/home/u/.ssh"};
	struct image im = sample(), got;

	for (size_t i = 0; i < SRUN_ARRAY_LEN(texts); i++) {
		struct bytes b = {NULL, 0, 0};
		image_encode(&arena, &im, &b);
		char *at = memmem(b.data, b.len, texts[i], strlen(texts[i]) + 1);
		if (at != NULL)
			at[strlen(texts[i])] = 'x';
		ok(at != NULL && !decode_exactly(b.data, b.len, &got),
		    "'%s' without its end", texts[i]);
	}
}

static unsigned
next_random(unsigned *seed)
{
	*seed = *seed * 1103515245 + 12345;
	return *seed >> 8;
}

static void
test_mutations(void)
{
	struct image im = sample(), got;
	struct bytes b = {NULL, 0, 0};
	unsigned seed = 42, accepted = 0;

	image_encode(&arena, &im, &b);
	char *copy = malloc(b.len);
	if (copy == NULL)
		exit(1);
	for (int round = 0; round < 10000; round++) {
		memcpy(copy, b.data, b.len);
		for (int k = 0; k <= round % 8; k++)
			copy[next_random(&seed) % b.len] = (char)next_random(&seed);
		accepted += decode_exactly(
		    copy, b.len - (round % 3 == 0 ? next_random(&seed) % 16 : 0), &got);
	}
	ok(accepted > 0, "10000 mutations are read without harm");
	/* Lengths and counts at their extremes, wherever a number may lie. */
	static const uint64_t extremes[] = {
	    UINT64_MAX, INT64_MAX, 1ULL << 63, UINT32_MAX, 1ULL << 31};
	for (size_t at = 0; at + 8 <= b.len; at++)
		for (size_t k = 0; k < SRUN_ARRAY_LEN(extremes); k++) {
			memcpy(copy, b.data, b.len);
			memcpy(copy + at, &extremes[k], 8);
			decode_exactly(copy, b.len, &got);
		}
	ok(true, "extreme numbers at every place are read without harm");
	for (int round = 0; round < 2000; round++) {
		for (size_t i = 0; i < b.len; i++)
			copy[i] = (char)next_random(&seed);
		if (decode_exactly(copy, b.len, &got))
			ok(false, "noise %d is refused", round);
	}
	ok(true, "2000 times noise is refused");
	free(copy);
}

int
main(void)
{
	test_round_trip();
	test_large();
	test_cuts();
	test_ends();
	test_mutations();
	ok(touched > 0, "what was decoded was read");
	arena_free(&arena);
	return done();
}
