/*
 * inner.h: the stage that runs last before the command: init of its process namespace,
 * or its subreaper where there is none.
 */
#ifndef SRUN_INNER_H
#define SRUN_INNER_H

#include "policy.h"

/*
 * Runs the protocol of launch.h on sock until the command and its tree are gone. filter
 * names the system call filter to load; NULL: none. own_pids: it is the init of a process
 * namespace. Returns the exit status of inner itself, which nobody needs to look at.
 */
int inner_main(int sock, const enum unix_mode *filter, bool own_pids);

/*
 * The same when executed by a helper program, as LAUNCH_INNER_WORD says: argv[2] is where
 * the slots of the descriptors begin, argv[3] the filter. The four words are overwritten.
 */
int inner_exec_main(char **argv);

#endif
