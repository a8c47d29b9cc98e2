/*
 * caches.h: the missing directories of "allow_write = @caches" that are made before the
 * start, so that a package manager works in a home that has never seen it.
 */
#ifndef SRUN_CACHES_H
#define SRUN_CACHES_H

#include "host.h"
#include "policy.h"
#include "util.h"

/*
 * The program whose cache this member of @caches is, without its "~/"; NULL: it is no
 * directory, or one of another system. Pure.
 */
const char *caches_program(const char *member);

/*
 * Appends to s->create each member of @caches in the base grant that is missing, whose
 * program is in PATH, and that the caller can make. The rest is left out without a word.
 */
void caches_survey(
    struct arena *a, const struct policy *p, const struct host *h, struct survey *s);

/* Whether path, as a rule has it, is one of those. */
bool caches_made(const struct policy *p, const struct survey *s, const char *path);

/* Once the rules are known: takes back what a --narrow file or a deny does not let be written. */
void caches_check(const struct policy *p, struct survey *s);

#endif
