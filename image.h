/*
 * image.h: what inner has to know, as bytes, and the messages between srun and inner.
 * Pure. The bytes never leave this host: native byte order, one version of one program.
 */
#ifndef SRUN_IMAGE_H
#define SRUN_IMAGE_H

#include <signal.h>

#include "launch.h"

/* Encodes the command's part of a launch and how inner is to start it. */
struct image {
	struct strv argv, envp;
	const char *working_directory;
	uint64_t working_directory_dev, working_directory_ino;
	const char *shell;
	struct limit_value limits[LIMIT_COUNT];
	int *keep_fds;
	size_t nkeep_fds;
	struct proof *proofs;
	size_t nproofs;
	uint64_t signal_mask; /* bit N-1: signal N is blocked in the command */
	bool sigchld_ignored; /* as the caller left it */
	uint64_t
	    open_files; /* the caller's soft limit, which srun has raised; 0: it has not */
};

void image_encode(struct arena *a, const struct image *im, struct bytes *out);
/* Strings point into data, which must stay. False for bytes that are cut or odd. */
bool image_decode(struct arena *a, const char *data, size_t len, struct image *im);

/* inner → srun, each followed by len bytes of text. */
enum event_type {
	EVENT_READY,
	EVENT_PROOF_FAILED, /* a: proof_kind, b: errno or 0 when the action succeeded, text: path */
	EVENT_SETUP_FAILED, /* a: errno, text: what */
	EVENT_EXEC_FAILED,  /* a: errno, b: 126 or 127, text: reason */
	EVENT_STARTED,
	EVENT_TTY_SIGNAL, /* a: a signal that the terminal sent to the command's group */
	EVENT_STOPPED, /* a: the signal that stopped the command, b: its whole group had it */
	EVENT_CONTINUED, /* after a stop, whoever did it */
	EVENT_ENDED,     /* a: status of wait(2), text: struct ended_usage */
};
struct event {
	uint32_t type;
	int32_t a, b;
	uint32_t len;
};
#define EVENT_TEXT_LIMIT 8192

struct ended_usage {
	int64_t user_us, system_us, maxrss_kb;
};

/* srun → inner, after the image (which goes first as a uint32_t length and its bytes). */
enum order_type {
	ORDER_GO,       /* the first: the sandbox is as planned, execute the command */
	ORDER_SIGNAL,   /* a: signal, to the command */
	ORDER_GROUP,    /* a: signal, to the command and its group */
	ORDER_CONTINUE, /* the command and its group go on */
	ORDER_KILL,     /* the whole tree */
};
struct order {
	uint32_t type;
	int32_t a;
};

#endif
