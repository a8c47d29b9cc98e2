/*
 * sbrun.h: a command under sandbox-exec: start, proof, GO, exact exit codes, the end of all.
 *
 *   srun --spawn--> /usr/bin/sandbox-exec --exec--> srun again (inner) --exec--> the command
 *
 * sandbox-exec says 71 both when it cannot apply a profile and when the program cannot be
 * executed, so its codes are not enough: inner tells, over a socket that closes on exec,
 *   inner → srun  READY     it is in a sandbox (it asked the kernel, not sandbox-exec)
 *   srun → inner  the image argv, environment, directory, limits
 *   inner → srun  a failure, or the end of the socket: the command runs
 */
#ifndef SRUN_SBRUN_H
#define SRUN_SBRUN_H

#include "image.h"

#define SBRUN_INNER_WORD "--as-sandboxed" /* argv[1]; argv[2] is the descriptor */

struct sbrun {
	const char *profile;
	const struct strv *params;
	const char *nonce;
	const char *self; /* this program */
	const struct image *image;
	int64_t timeout_ms, kill_after_ms; /* -1: none */
};

enum sbrun_end {
	SBRUN_EXIT,        /* code */
	SBRUN_SIGNAL,      /* signal */
	SBRUN_TIMEOUT,     /* code is 124 */
	SBRUN_CANCELLED,   /* a signal came for us; everything is gone */
	SBRUN_NOT_STARTED, /* code is 125, 126 or 127; reason */
	SBRUN_UNAVAILABLE, /* there is no sandbox to be had here; reason */
};

struct sbrun_result {
	enum sbrun_end end;
	int code, signal;
	const char *reason; /* from the arena */
};

/* Nothing of the run is left when this returns. */
void sbrun_command(struct arena *a, const struct sbrun *r, struct sbrun_result *out);

/* Whether a sandbox can really be had here: the smallest one is made. reason as above. */
bool sbrun_probe(struct arena *a, const char *self, const char **reason);

/* The inner stage; does not return but with an exit code. */
int sbrun_inner_main(const char *descriptor);

#endif
