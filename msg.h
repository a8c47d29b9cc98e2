/*
 * msg.h: messages to the person: "srun: text\n" on stderr, one write each,
 * control bytes shown as '?', cut at 4 KiB plus the longest path.
 */
#ifndef SRUN_MSG_H
#define SRUN_MSG_H

#include <stdnoreturn.h>

#include "util.h"

/* Exit codes of srun itself; otherwise the command's own. */
enum {
	EXIT_TIMEOUT = 124,
	EXIT_SRUN = 125,
	EXIT_NOT_EXECUTABLE = 126,
	EXIT_NOT_FOUND = 127,
};

enum msg_level { MSG_QUIET, MSG_NORMAL, MSG_VERBOSE };

/* Always written. */
void msg_error(const char *fmt, ...) SRUN_PRINTF(1, 2);
void msg_errs(const struct errs *e);
/* Written unless -q. */
void msg_warn(enum msg_level level, const char *fmt, ...) SRUN_PRINTF(2, 3);
/* Written with -v only. */
void msg_info(enum msg_level level, const char *fmt, ...) SRUN_PRINTF(2, 3);
/* msg_error and exit 125. */
noreturn void msg_die(const char *fmt, ...) SRUN_PRINTF(1, 2);

#endif
