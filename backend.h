/*
 * backend.h: the table of backends and the choice among them.
 *
 * A backend is found (cheap: does what it needs exist), compiled (pure: policy + facts →
 * struct launch) and started by launch.c. Whether it works here and now is shown by the
 * start itself; only when that fails is its probe started, the smallest sandbox of its
 * kind, to tell "isolation is unavailable" from "this policy cannot be set up". Only the
 * first lets "auto" go on to the next backend: otherwise a command could make the next
 * run fail, and so run free.
 */
#ifndef SRUN_BACKEND_H
#define SRUN_BACKEND_H

#include "host.h"
#include "launch.h"
#include "policy.h"

/* Why a backend is not to be had, and what would help. */
struct finding {
	const char *reason;
	const char *remedy; /* NULL: none known */
	/*
	 * It will be so at the next try too. Only then may "auto" go on: a moment without
	 * processes or memory, which a command can bring about, must not run the next free.
	 */
	bool lasting;
	/* Something that the grant is about went away meanwhile: worth another look. */
	bool vanished;
};

struct backend {
	const char *name;
	enum isolation id;
	unsigned enforces; /* ENFORCE_* bits at its best */
	bool elsewhere;    /* of another system: "auto" passes it, --print shows it */
	/*
	 * Whether what it needs exists; a system call or two, no process. Fills helper_argv:
	 * from then on the launch can be started, while its policy is still being compiled.
	 */
	bool (*find)(
	    struct arena *a, const struct host *h, struct launch *l, struct finding *f);
	/* Fills the sandbox part of the launch. Pure. Errors name FILE:LINE. */
	bool (*compile)(struct arena *a, const struct policy *p, const struct survey *s,
	    struct launch *l, struct errs *errs);
	/* The smallest sandbox; NULL when there is nothing that could fail. */
	void (*compile_probe)(struct arena *a, struct launch *l);
	/* What the helper's words on stderr mean. */
	void (*explain)(struct arena *a, const char *words, struct finding *f);
};

extern const struct backend
    *const backends[]; /* in the order of "auto", NULL at the end */

/* NULL for a name that is not built. */
const struct backend *backend_by_id(enum isolation id);
const char *isolation_name(enum isolation id);

/* What the policy would have enforced. */
unsigned policy_needs(const struct policy *p);

/* "fs, net" for a mask; "nothing" for 0. */
const char *enforce_text(struct arena *a, unsigned mask);

#endif
