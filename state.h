/*
 * state.h: what a run makes on the host, and its certain removal.
 */
#ifndef SRUN_STATE_H
#define SRUN_STATE_H

#include "host.h"
#include "launch.h"
#include "placeholder.h"
#include "tempdir.h"
#include "util.h"

/* Descriptors are -1 when there is none. */
struct state {
	const char *dir; /* the per-uid directory */
	int dirfd;
	const char *hold_dir; /* where names are held: another, or dir */
	int hold_dirfd;       /* -1 when it is dir */
	const char *entry;    /* name of this run's entry in it */
	int entry_fd;         /* open and locked while the run lives */
	struct tempdirs temps;
	struct holds holds; /* directories in which names are held for the deny set */
};

#define STATE_NONE                                                                       \
	{                                                                                \
		NULL, -1, NULL, -1, NULL, -1, {NULL, 0, NULL},                           \
		{                                                                        \
			.statefd = -1                                                    \
		}                                                                        \
	}

/* Where run-time state lives for this caller; never looks at HOME or TMPDIR. Pure but for
 * one stat. */
const char *state_dir(struct arena *a, const struct host *h);

/*
 * Where journals of held names lie, and what goes with them: never looks at the environment,
 * so that all runs of the caller share them.
 */
const char *state_hold_dir(struct arena *a, const struct host *h);

/* The two above, or the one that both are: what has to be swept after a run. */
void state_dirs(struct arena *a, const struct host *h, struct strv *out);

/* Every place where this caller's state may be looked for, whatever the environment is. */
void state_places(struct arena *a, const struct host *h, struct strv *out);

/* Random hex for an id. */
const char *state_random_id(struct arena *a);

/* Files of the state directory that runs show in place of others. */
enum state_file {
	STATE_CLOSED,   /* empty, mode 000: what may not be read */
	STATE_RESOLVER, /* /etc/resolv.conf: the resolver is inside */
	STATE_HOSTS,    /* /etc/hosts: localhost alone */
	STATE_FILES
};
/* The path of one below dir. Pure. */
const char *state_file(struct arena *a, const char *dir, enum state_file which);

/* Adds to s what is shown where the network is srun's: files that names are looked up with. */
void state_show_names(
    struct arena *a, const struct policy *p, const char *dir, struct survey *s);

/*
 * Opens the state directory (made if missing, refused when it is not the caller's own),
 * sweeps what dead runs left, enters this run, and makes what it needs: the closed file, the
 * private temp directory, a temp working directory, what 'create' names, a missing working
 * directory. After an error, state_end() undoes it.
 */
bool state_begin(struct arena *a, const struct host *h, const struct policy *p,
    const struct survey *s, const struct run_paths *names, struct state *st,
    struct errs *errs);

/*
 * Removes what dead runs have left, if the directory is there and the caller's own. The
 * locks in it say who is dead.
 */
void state_sweep(const char *dir);

/* Removes what was made for the run and its entry. */
bool state_end(struct arena *a, struct state *st, struct errs *errs);

#endif
