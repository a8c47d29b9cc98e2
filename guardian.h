/*
 * guardian.h: the process that ends a run when srun is killed and cannot do it itself.
 */
#ifndef SRUN_GUARDIAN_H
#define SRUN_GUARDIAN_H

#include <sys/types.h>

#include "util.h"

/* What the guardian has to end. */
enum ward {
	WARD_HELPER, /* the helper program and its process group */
	WARD_INIT,   /* inner as the init of a namespace: everything there ends with it */
	WARD_REAPER, /* inner without a namespace: ends its tree by itself, and is waited for */
	WARDS,
};

struct guardian {
	pid_t pid;
	int sock; /* its end is srun's life: nobody else holds it for longer than to an exec */
};

#define GUARDIAN_NONE                                                                    \
	{                                                                                \
		-1, -1                                                                   \
	}

/*
 * Starts the guardian, before anything that it has to end or remove: it sleeps until srun
 * is gone. Then it ends its wards and sweeps what state directories there are, as the next run
 * would. False with errno.
 */
bool guardian_start(struct guardian *g, const struct strv *state_dirs);

/*
 * Names a ward, in place of an earlier one of this kind. pidfd may be -1, on an old kernel.
 * Async-signal-safe: the helper names itself between fork and exec, so that there is no
 * moment in which it is there and unknown.
 */
void guardian_tell(int sock, enum ward ward, pid_t pid, int pidfd);

/*
 * While srun is stopped it is to be continued as soon as fd, its end of a socket, is
 * readable. The SIGCONT comes again until guardian_unwatch(): one that is sent just before
 * the stop does not end it.
 */
void guardian_watch(const struct guardian *g, int fd);
void guardian_unwatch(const struct guardian *g);

/* Ends the guardian without waiting for it: there is nothing left to guard. */
void guardian_dismiss(struct guardian *g);

/* A child of srun has been reaped; it may have been the guardian. */
void guardian_reaped(struct guardian *g, pid_t pid);

/* Ends the guardian; may be repeated. */
void guardian_end(struct guardian *g);

#endif
