/*
 * supervise.h: the life of a run from GO to its end: signals, terminal, timeout, status.
 */
#ifndef SRUN_SUPERVISE_H
#define SRUN_SUPERVISE_H

#include "guardian.h"
#include "image.h"
#include "launch.h"
#include "network.h"

enum outcome {
	OUTCOME_EXIT,        /* code */
	OUTCOME_SIGNAL,      /* signal */
	OUTCOME_TIMEOUT,     /* code is 124 */
	OUTCOME_NOT_STARTED, /* code is 125, 126 or 127; reason */
	OUTCOME_INTERNAL,    /* code is 125; reason */
};

struct result {
	enum outcome outcome;
	int code, signal;
	bool started;
	const char *reason; /* from the arena */
	int64_t duration_ms;
	struct ended_usage usage;
};

/* Everything srun has to undo in its own process: signals blocked, terminal known. */
struct supervisor {
	int sigfd;
	uint64_t signal_mask; /* the caller's, for the command */
	bool sigchld_ignored;
	uint64_t open_files; /* as in struct image */
	bool has_children;   /* they came with the exec of srun and are not srun's */
	int tty;             /* the controlling terminal, -1: none */
	bool tty_given;      /* the command's group is in the foreground */
};

/*
 * Blocks the signals srun handles and opens the descriptor they are read from; opens the
 * controlling terminal if there is one. False with errno.
 */
bool supervise_init(struct supervisor *sv);

/* Sends the image: what the command will be. It is not executed before supervise_run(). */
void supervise_prepare(struct arena *a, const struct supervisor *sv,
    const struct launch *l, const struct session *s);

/*
 * Gives the GO and stays until the run is over: the whole tree is gone, the terminal
 * given back. launch_abort() is left to the caller: the helper may take a moment to end.
 */
void supervise_run(struct arena *a, struct supervisor *sv, const struct launch *l,
    struct session *s, struct guardian *g, struct network *net, struct result *r);

/* Ends this process as the command ended: by exit code, or by the same signal. */
_Noreturn void supervise_exit(const struct result *r);
/* Ends this process by a signal that came before there was a command. */
_Noreturn void supervise_die(int sig);

#endif
