/*
 * launch.h: everything a run needs once decisions are made, and the processes it is
 * made of. Immutable after backend compile; the supervisor and inner only obey it.
 *
 *   srun (supervisor) --socketpair-- inner (in the sandbox; its init) -- the command
 *
 * Messages on the socketpair, in this order:
 *   inner → srun  READY          inner runs where the command will run
 *   srun → inner  the image      argv, environment, limits, proofs (image.h)
 *   srun → inner  GO             the sandbox is as planned
 *   inner → srun  events         proof or exec failed, started, stopped, ended, …
 *   srun → inner  orders         signal the command, continue it, kill the tree
 * The end of either side ends the other: it fails closed.
 */
#ifndef SRUN_LAUNCH_H
#define SRUN_LAUNCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "mounts.h"
#include "policy.h"
#include "util.h"

struct backend;

/*
 * Descriptors that the helper program passes on to inner, in slots from fd_base up (above
 * every kept descriptor, so that numbers are known before anything is opened).
 */
enum launch_slot {
	FD_ARGS,  /* read end of a pipe: helper_args come through it */
	FD_INNER, /* inner's end of the socketpair */
	FD_STDIN, /* the command's 0, 1, 2: the helper itself gets /dev/null and a pipe, */
	FD_STDOUT, /* so that it holds no pipe of the caller's open and its words are ours */
	FD_STDERR,
	FD_SELF,  /* this program, to be executed inside by /proc/self/fd/N */
	FD_SLOTS, /* how many there are */
};
/* argv[1] of inner; argv[2] is fd_base, argv[3] the filter's enum unix_mode. */
#define LAUNCH_INNER_WORD "--as-inner"

/* A denied action that inner tries before exec; each must fail as planned. */
enum proof_kind { PROOF_WRITE, PROOF_READ, PROOF_CONNECT, PROOF_PRIVILEGE };
struct proof {
	enum proof_kind kind;
	const char *path; /* for PROOF_WRITE (a directory) and PROOF_READ; "" otherwise */
};

struct launch {
	const struct backend *backend;
	unsigned enforced; /* ENFORCE_* bits */

	/* The command. */
	struct strv argv, envp;
	const char *working_directory; /* canonical */
	dev_t working_directory_dev;
	ino_t working_directory_ino;
	const char *shell; /* for a file without a magic number, as execvp(3) does */
	struct limit_value limits[LIMIT_COUNT];
	int *keep_fds;
	size_t nkeep_fds;
	int64_t timeout_ms, kill_after_ms;

	/* The sandbox. */
	const struct mount_plan *mounts; /* NULL for a backend without mounts */
	bool own_network;                /* a network namespace with loopback alone */
	bool own_pids;                   /* a process namespace: inner is its init */
	struct proof *proofs;
	size_t nproofs;
	const enum unix_mode *filter; /* which system call filter; NULL: none */
	const char *nonce;            /* random hexadecimal digits: a name of this run */
	const char *profile;          /* for sandbox-exec; NULL for other backends */
	struct strv profile_params;   /* "NAME=value" */

	/* The program that makes the sandbox: empty for a backend that has none. */
	struct strv helper_argv;  /* [0] is its absolute path */
	struct bytes helper_args; /* NUL-separated, passed by descriptor: all mounts */
	struct bytes helper_few;  /* the same without what graft.c makes */
	struct bytes helper_fed;  /* what it was given already; empty: nothing yet */
	const bool *grafted;      /* of mounts: what that is; NULL: nothing */
	int fd_base;
};

/* The number of a slot. */
int launch_fd(const struct launch *l, enum launch_slot slot);

/* A sandbox that is being made or runs. Descriptors are -1 when there is none. */
struct session {
	int sock;  /* our end of the socketpair */
	int words; /* what the helper writes on its stderr */
	int args;  /* where the helper waits for its arguments; closed by launch_feed() */
	pid_t helper; /* the child: the helper program, or inner itself */
	pid_t inner;  /* as this process sees it; 0 until READY */
	int inner_pidfd;
};

enum launch_outcome {
	LAUNCH_READY,
	LAUNCH_FAILED,    /* the helper ended before READY; *words has what it said */
	LAUNCH_ERROR,     /* a system call of ours failed; in errs */
	LAUNCH_CANCELLED, /* a signal for us came first; *sig has it */
};

/* Where the slots start: above every kept descriptor. */
int launch_fd_base(const int *keep_fds, size_t nkeep_fds);

/*
 * Starts the helper, which needs no more of the launch than helper_argv, fd_base and
 * keep_fds: it loads while the rest is still being compiled, and waits for launch_feed().
 * It makes itself known to the guardian (guardian.h). On an error everything made is undone.
 */
enum launch_outcome launch_start(struct arena *a, const struct launch *l, int guardian,
    struct session *s, struct errs *errs);

/*
 * Gives the helper its arguments: helper_few where mounts are grafted, helper_args where
 * not. A helper that is gone shows in launch_wait().
 */
void launch_feed(const struct launch *l, struct session *s);

/*
 * Waits for READY. sigfd is a signalfd of the blocked signals: one that would end us ends
 * the wait with LAUNCH_CANCELLED. Other than LAUNCH_READY: everything is killed and reaped.
 */
enum launch_outcome launch_wait(struct arena *a, struct session *s, int sigfd,
    const char **words, int *sig, struct errs *errs);

#define SESSION_NONE                                                                     \
	{                                                                                \
		-1, -1, -1, -1, 0, -1                                                    \
	}

/* Kills and reaps the helper and everything under it, closes descriptors; may be repeated. */
void launch_abort(struct session *s);

#endif
