/*
 * driver.c: runs a fuzz target where the compiler has no libFuzzer: every file of the
 * corpus, then changed copies of them for the time that is given.
 *	target [-max_total_time=SECONDS] [-seed=N] [DIRECTORY | FILE]...
 * The same seed makes the same inputs: with FUZZ_KEEP=1 in the environment the last one
 * is in "crash-driver" of the working directory.
 */
#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "fuzz.h"

#define INPUT_MAX  4096
#define INPUTS_MAX 1000

struct input {
	unsigned char *data;
	size_t len;
};

struct corpus {
	struct input v[INPUTS_MAX];
	size_t n;
};

static void
load_file(struct corpus *c, const char *path)
{
	FILE *f = fopen(path, "rb");
	struct input *in = &c->v[c->n];

	if (f == NULL || c->n == INPUTS_MAX) {
		fprintf(stderr, "driver: '%s' cannot be read\n", path);
		exit(2);
	}
	in->data = malloc(INPUT_MAX);
	if (in->data == NULL)
		exit(2);
	in->len = fread(in->data, 1, INPUT_MAX, f);
	c->n++;
	fclose(f);
}

static void
load(struct corpus *c, const char *path)
{
	DIR *dir = opendir(path);
	const struct dirent *e;

	if (dir == NULL) {
		load_file(c, path);
		return;
	}
	while ((e = readdir(dir)) != NULL) {
		char name[1024];

		if (e->d_name[0] == '.')
			continue;
		snprintf(name, sizeof(name), "%s/%s", path, e->d_name);
		load_file(c, name);
	}
	closedir(dir);
}

/* xorshift64: the same seed, the same inputs. */
static uint64_t
next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static size_t
change(uint64_t *state, unsigned char *data, size_t len, const struct input *other)
{
	size_t at = len == 0 ? 0 : next(state) % len, n;

	switch (next(state) % 5) {
	case 0: /* a bit */
		if (len != 0)
			data[at] ^= (unsigned char)(1U << next(state) % 8);
		return len;
	case 1: /* a byte */
		if (len != 0)
			data[at] = (unsigned char)next(state);
		return len;
	case 2: /* some bytes less */
		n = len == 0 ? 0 : next(state) % (len - at) + 1;
		memmove(data + at, data + at + n, len - at - n);
		return len - n;
	case 3: /* one byte more */
		if (len == INPUT_MAX)
			return len;
		memmove(data + at + 1, data + at, len - at);
		data[at] = (unsigned char)next(state);
		return len + 1;
	default: /* the end of another one */
		n = other->len == 0 ? 0 : next(state) % other->len;
		if (at + other->len - n > INPUT_MAX)
			return len;
		memcpy(data + at, other->data + n, other->len - n);
		return at + other->len - n;
	}
}

static void
keep(const unsigned char *data, size_t len)
{
	FILE *f = fopen("crash-driver", "wb");

	if (f == NULL)
		return;
	fwrite(data, 1, len, f);
	fclose(f);
}

static unsigned long
mutate(const struct corpus *c, long seconds, uint64_t state)
{
	unsigned char data[INPUT_MAX];
	time_t end = time(NULL) + seconds;
	bool kept = getenv("FUZZ_KEEP") != NULL;
	unsigned long runs = 0;

	while (time(NULL) < end && c->n != 0) {
		const struct input *in = &c->v[next(&state) % c->n];
		size_t len = in->len;

		memcpy(data, in->data, len);
		for (uint64_t n = next(&state) % 8 + 1; n > 0; n--)
			len = change(&state, data, len, &c->v[next(&state) % c->n]);
		if (kept)
			keep(data, len);
		LLVMFuzzerTestOneInput(data, len);
		runs++;
	}
	return runs;
}

int
main(int argc, char **argv)
{
	static struct corpus c;
	long seconds = 0;
	uint64_t seed = 1;

	for (int i = 1; i < argc; i++) {
		if (strncmp(argv[i], "-max_total_time=", 16) == 0)
			seconds = strtol(argv[i] + 16, NULL, 10);
		else if (strncmp(argv[i], "-seed=", 6) == 0)
			seed = strtoull(argv[i] + 6, NULL, 10) | 1;
		else if (argv[i][0] != '-')
			load(&c, argv[i]);
	}
	for (size_t i = 0; i < c.n; i++)
		LLVMFuzzerTestOneInput(c.v[i].data, c.v[i].len);
	printf("%zu inputs of the corpus, %lu others\n", c.n, mutate(&c, seconds, seed));
	for (size_t i = 0; i < c.n; i++)
		free(c.v[i].data);
	return 0;
}
