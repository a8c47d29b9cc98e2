/*
 * env.h: the command's environment, built from nothing.
 */
#ifndef SRUN_ENV_H
#define SRUN_ENV_H

#include "host.h"
#include "policy.h"
#include "util.h"

/*
 * NAME=VALUE strings, no name twice. temp is the value of TMPDIR. terminal: one of the
 * standard descriptors is a terminal. id is the run's. Later sources win: the host's four
 * variables, terminal variables, pass_env, srun's own, [env].
 */
void env_build(struct arena *a, const struct policy *p, const struct host *h,
    const char *temp, bool terminal, const char *id, struct strv *out);

/* The value in NAME=VALUE strings; NULL when unset. */
const char *env_get(const char *const *environ, const char *name);

/* $HOME if it is an absolute path, or the passwd entry's; NULL if neither. */
const char *env_home(const char *const *environ, uid_t uid);

/* The host's value; NULL when unset. */
const char *env_host(const struct host *h, const char *name);

#endif
