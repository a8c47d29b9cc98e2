/*
 * env.h: the command's environment, built from nothing.
 */
#ifndef SRUN_ENV_H
#define SRUN_ENV_H

#include "host.h"
#include "policy.h"
#include "util.h"

/* What leads programs to the proxy of a run whose network is restricted. */
struct env_proxy {
	uint16_t port;    /* on 127.0.0.1 inside */
	const char *self; /* srun, for ssh's ProxyCommand; NULL: cannot be named there */
	const char *connect; /* its second name, for git; NULL: not installed */
	bool java;
};

/*
 * NAME=VALUE strings, no name twice. temp is the value of TMPDIR. terminal: one of the
 * standard descriptors is a terminal. id is the run's. proxy: NULL when there is none. Later
 * sources win: the host's four variables, terminal variables, pass_env, srun's own, [env].
 */
void env_build(struct arena *a, const struct policy *p, const struct host *h,
    const char *temp, bool terminal, const char *id, const struct env_proxy *proxy,
    struct strv *out);

/* Whether a path needs no quoting in a shell's command line and in ssh's ProxyCommand. */
bool env_is_plain_path(const char *path);

/* The value in NAME=VALUE strings; NULL when unset. */
const char *env_get(const char *const *environ, const char *name);

/* $HOME if it is an absolute path, or the passwd entry's; NULL if neither. */
const char *env_home(const char *const *environ, uid_t uid);

/* The host's value; NULL when unset. */
const char *env_host(const struct host *h, const char *name);

#endif
