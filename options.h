/*
 * options.h: the command line as data.
 */
#ifndef SRUN_OPTIONS_H
#define SRUN_OPTIONS_H

#include "msg.h"
#include "policy.h"
#include "util.h"

enum mode { MODE_RUN, MODE_CHECK, MODE_PRINT, MODE_HELP, MODE_VERSION, MODE_CONNECT };

struct options {
	enum mode mode;
	enum msg_level level;
	const char *grant; /* -f; "-" is stdin */
	int grant_fd;      /* -1: none */
	struct strv narrow;
	struct grant_extra *extra; /* --set and the options that are short for it */
	size_t nextra;
	int *keep_fds;
	size_t nkeep_fds;
	const char *id;     /* NULL: random */
	const char *string; /* of -c; NULL: none */
	struct strv words;  /* COMMAND ARG…, or NAME ARG… after -c */
};

/*
 * Reads argv. All errors are added; false when there is one. A program called "srun-sh"
 * (or "-srun-sh", or under the name it was installed as) takes every word for the shell:
 * then shell is true.
 */
bool options_parse(
    struct arena *a, int argc, char **argv, struct options *o, struct errs *errs);
bool options_is_shell(const char *argv0);
/* So does one called "srun-connect" with HOST and PORT, as git's GIT_PROXY_COMMAND. */
bool options_is_connect(const char *argv0);

/* The text of --help. */
const char *options_help(struct arena *a);

#endif
