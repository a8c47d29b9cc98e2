/*
 * seatbelt.h: the macOS backend: policy + facts → a profile for /usr/bin/sandbox-exec.
 */
#ifndef SRUN_SEATBELT_H
#define SRUN_SEATBELT_H

#include "backend.h"

/* What a run knows besides the policy and the survey. */
struct seatbelt_facts {
	const char *nonce;   /* hexadecimal digits, of this run alone */
	uint16_t proxy_port; /* of srun's proxy on the loopback; 0: there is none */
};

struct seatbelt_profile {
	const char *text;   /* ASCII; no byte of it comes from the grant or the host */
	struct strv params; /* "NAME=value", for -D */
};

/*
 * Compiles on every system, and makes no system call. What Seatbelt cannot express is an
 * error that names its line. rules_decide() is asked about every path that a rule names,
 * so the profile has the meaning that the mounts of other backends have.
 */
bool seatbelt_compile(struct arena *a, const struct policy *p, const struct survey *s,
    const struct seatbelt_facts *facts, struct seatbelt_profile *out, struct errs *errs);

extern const struct backend seatbelt_backend;

#endif
