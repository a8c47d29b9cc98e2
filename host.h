/*
 * host.h: facts of this host and of the paths a policy names. Looks, never changes.
 */
#ifndef SRUN_HOST_H
#define SRUN_HOST_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "hostpath.h"
#include "policy.h"
#include "util.h"

struct rule_fact {
	const struct path_rule *rule;
	struct path_fact fact;
};

struct layer_facts {
	struct rule_fact *rules; /* the layer's rules, then the implied ones */
	size_t nrules;
};

/* An entry of /proc or /sys that a sandbox closes although it is not a rule. */
struct kernel_path {
	const char *path;
	enum { KERNEL_READ_ONLY, KERNEL_MASK_FILE, KERNEL_MASK_DIR } how;
};

struct host {
	uid_t uid;
	gid_t gid;
	const char *home; /* $HOME or the passwd entry; NULL if neither */
	const char *cwd;  /* absolute and physical; NULL if it cannot be had */
	const char *const *environ;
	const char *temp_base; /* where private temp directories are made, canonical */
	const char *temp_places[2]; /* /tmp and /var/tmp where usable, canonical */
	size_t ntemp_places;
	const char
	    *temp_host;   /* the caller's TMPDIR, or /tmp: for temp = host, canonical */
	const char *self; /* canonical path of this program; NULL if unknown */
};

/* Names that a run has before there is anything at them; tempdir.c and state.c choose. */
struct run_paths {
	const char *temp;      /* the private temp directory */
	bool parent_stays;     /* the directory it is in outlives all runs */
	struct strv closed;    /* directories in which runs have theirs: closed to all */
	const char *state_dir; /* files that are shown in place of others (state.h) */
};

/* A pattern of the grant, and how many names it matches at the start. */
struct pattern_fact {
	const struct path_rule *rule;
	size_t matches;
};

/* A file that the command sees with another content, read-only. */
struct shown_file {
	const char *path;   /* canonical */
	const char *source; /* what is there instead */
};

/* All facts that compiling a policy needs. Made by host_survey(), immutable after. */
struct survey {
	struct layer_facts *layers;
	size_t nlayers;
	struct pattern_fact *patterns; /* whose matches are rules of the layers */
	size_t npatterns;
	struct path_fact working_directory;
	struct path_fact *create; /* one a policy->create, then those of caches.h */
	size_t ncreate;
	struct path_fact *devices; /* one a policy->devices */
	const char *terminal;      /* node of a terminal among 0, 1 and 2; NULL: none */
	struct path_fact home;     /* kind FILE_MISSING when there is none */
	struct path_fact self;
	const char *
	    temp_dir; /* the run's private directory, not made yet; NULL for temp = host */
	/* With temp = tmp: what is private of /tmp and /var/tmp, canonical, each once. */
	const char *shared_temp[2];
	size_t nshared_temp;
	bool cwd_is_root;     /* the working directory is a write root */
	bool cwd_can_be_root; /* it is one by default, if not in this run */
	const char *cwd_note; /* why it is not, for --check; NULL */
	bool has_sys;         /* /sys is a directory */
	struct kernel_path *kernel;
	size_t nkernel;
	struct path_fact *run_open; /* what stays visible of /run */
	size_t nrun_open;
	bool run_is_dir;
	const char *closed_file; /* an empty file of mode 000 that state.c makes */
	struct shown_file *shown;
	size_t nshown;
};

/* Reads uid, home, cwd, environment. Never fails: what is missing is NULL. */
void host_read(struct arena *a, struct host *h, const char *const *environ);

/*
 * Resolves everything the policy names. Nothing is at names->temp yet: the private temp
 * directory will be made there, and a temp working directory beside it with ".work" added.
 * Adds an error for each path that is missing, unreadable, or otherwise cannot
 * be held; warnings go to notes.
 * Directories listed in create and the working directory may be missing: they are
 * made later (state.c) and their facts say FILE_MISSING. Returns NULL on errors.
 */
struct survey *host_survey(struct arena *a, const struct policy *p, const struct host *h,
    const struct run_paths *names, struct errs *errs, struct errs *notes);

#endif
