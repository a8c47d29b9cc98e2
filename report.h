/*
 * report.h: what --check and --print show, as text.
 */
#ifndef SRUN_REPORT_H
#define SRUN_REPORT_H

#include "backend.h"
#include "host.h"
#include "launch.h"
#include "policy.h"
#include "protect.h"

struct report {
	const struct policy *policy;
	const struct host *host;
	const struct survey *survey;
	const struct launch *launch; /* backend and what it enforces */
	const char *backend_reason;  /* why this one, "" when there is nothing to say */
	const struct errs *notes;
	const struct protection *protection;
	const struct errs *protect_notes;
	bool verbose; /* --check: every member of a set and every held name on its own */
};

/* --check: the effective policy. */
const char *report_check(struct arena *a, const struct report *r);
/* --print: everything that would be run, shell-quoted. */
const char *report_print(struct arena *a, const struct report *r);

/* A word as a POSIX shell reads it back. */
const char *report_quote(struct arena *a, const char *word);

#endif
