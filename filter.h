/*
 * filter.h: the system call filters, compiled when srun is built. Pure data.
 */
#ifndef SRUN_FILTER_H
#define SRUN_FILTER_H

#include <stddef.h>

#include "policy.h"

/* struct sock_filter[] as bytes, aligned for it; *len in bytes. Made by seccomp.c. */
const void *filter_for(enum unix_mode mode, size_t *len);

/* Processes of srun's own that may make a few calls only. */
enum filter_role { FILTER_PROXY, FILTER_RESOLVER, FILTER_AGENT, FILTER_ROLES };
const void *filter_for_role(enum filter_role role, size_t *len);

#endif
