/*
 * exec.h: finding and executing the command, in the command's own process, and why that
 * failed: 126 and 127 as a shell gives them.
 */
#ifndef SRUN_EXEC_H
#define SRUN_EXEC_H

#include <stdnoreturn.h>

#include "image.h"

/* Written to the report descriptor, followed by len bytes of text. */
struct exec_failure {
	int32_t err;
	int32_t code; /* 125, 126 or 127 */
	uint32_t len;
};

noreturn void exec_report(int report, int code, int err, const char *text);

/* Looks along the PATH of the image's environment; never returns. */
noreturn void exec_command(const struct image *im, int report);

#endif
