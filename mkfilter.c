/*
 * mkfilter.c: a program of the build: writes the filters of seccomp.c as a C header on
 * stdout, or with the argument "raw" the stricter one as bytes, for bubblewrap's --seccomp
 * in comparisons. Runs on the machine that builds, for the architecture it was compiled for.
 */
#include <stdio.h>
#include <string.h>

#include "seccomp.h"

static int
put_code(const char *name, bool built, struct bytes code, const struct errs *errs)
{
	if (!built) {
		fprintf(stderr, "mkfilter: %s\n", errs->text.v[0]);
		return 1;
	}
	printf("static const unsigned char %s[] __attribute__((aligned(8))) = {", name);
	for (size_t i = 0; i < code.len; i++)
		printf(
		    "%s0x%02x,", i % 16 == 0 ? "\n\t" : " ", (unsigned char)code.data[i]);
	printf("\n};\n");
	return 0;
}

static int
put(struct arena *a, const char *name, enum unix_mode mode)
{
	struct bytes code = {NULL, 0, 0};
	struct errs errs = {{NULL, 0}};
	bool built = seccomp_build(a, mode, &code, &errs);
	return put_code(name, built, code, &errs);
}

static int
put_role(struct arena *a, const char *name, enum filter_role role)
{
	struct bytes code = {NULL, 0, 0};
	struct errs errs = {{NULL, 0}};
	bool built = seccomp_build_role(a, role, &code, &errs);
	return put_code(name, built, code, &errs);
}

static int
put_raw(struct arena *a)
{
	struct bytes code = {NULL, 0, 0};
	struct errs errs = {{NULL, 0}};
	return !seccomp_build(a, UNIX_NONE, &code, &errs) ||
	       fwrite(code.data, 1, code.len, stdout) != code.len;
}

int
main(int argc, char **argv)
{
	struct arena a = {NULL};
	if (argc == 2 && strcmp(argv[1], "raw") == 0)
		return put_raw(&a);
	printf("/* Made by mkfilter from the table in seccomp.c. */\n");
	int failed = put(&a, "filter_no_unix", UNIX_NONE) |
	             put(&a, "filter_all", UNIX_ALL) |
	             put_role(&a, "filter_proxy", FILTER_PROXY) |
	             put_role(&a, "filter_resolver", FILTER_RESOLVER) |
	             put_role(&a, "filter_agent", FILTER_AGENT);
	arena_free(&a);
	return failed;
}
