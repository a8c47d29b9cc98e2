/*
 * build.h: for tests: a grant's text built into a policy in a made-up place, and a look
 * at the errors.
 */
#ifndef SRUN_TEST_BUILD_H
#define SRUN_TEST_BUILD_H

#include "grant.h"
#include "policy.h"
#include "tap.h"
#include "util.h"

struct built {
	struct arena arena;
	struct errs errs;
	const struct policy *p;
};

static const char *const build_environ[] = {"TMPDIR=/tmp/u",
    "XDG_CONFIG_HOME=/home/u/.config", "XDG_RUNTIME_DIR=/run/user/1000",
    "XDG_EMPTY=", "XDG_BAD=relative", "XDG_DATA_DIRS=/usr/share:/x", "OTHER=/other",
    NULL};
static const struct grant_context build_context = {
    "/home/u", "/home/u/work", build_environ};

static inline struct grant_text
build_text(const char *name, const char *text)
{
	return (struct grant_text){
	    .name = name, .dir = "/etc/grants", .data = text, .len = strlen(text)};
}

/* All of a policy_build(): text, options, and NULL-terminated narrow texts n0.ini, … */
static inline void
build_all(struct built *b, const char *text, const struct grant_extra *extra,
    size_t nextra, const char *const *narrow)
{
	static const char *const names[] = {"n0.ini", "n1.ini", "n2.ini"};
	struct grant_text base = build_text("g.ini", text), narrows[3] = {0};
	size_t n = 0;

	for (; narrow != NULL && narrow[n] != NULL && n < 3; n++)
		narrows[n] = build_text(names[n], narrow[n]);
	*b = (struct built){{NULL}, {{NULL, 0}}, NULL};
	b->p = policy_build(
	    &b->arena, &base, extra, nextra, narrows, n, &build_context, &b->errs);
}

static inline void
build(struct built *b, const char *text)
{
	build_all(b, text, NULL, 0, NULL);
}

static inline void
build_free(struct built *b)
{
	arena_free(&b->arena);
	*b = (struct built){{NULL}, {{NULL, 0}}, NULL};
}

/* All errors, with " | " between them; "" if there is none. */
static inline const char *
build_errors(struct built *b)
{
	struct bytes out = {NULL, 0, 0};

	for (size_t i = 0; i < b->errs.text.n; i++)
		bytes_printf(&b->arena, &out, "%s%s", i ? " | " : "", b->errs.text.v[i]);
	bytes_add(&b->arena, &out, "", 1);
	return out.data;
}

/* The errors are exactly want ("" = none), and there is a policy only without errors. */
static inline bool
build_is(const char *text, const char *want)
{
	struct built b;
	const char *got;
	bool good;

	build(&b, text);
	got = build_errors(&b);
	good = strcmp(got, want) == 0 && (b.p != NULL) == (want[0] == '\0');
	if (!ok(good, "%.60s", want[0] == '\0' ? "accepted" : want))
		printf("# text %.200s\n# got  %.400s\n# want %.400s\n", text, got, want);
	build_free(&b);
	return good;
}

#endif
