/*
 * macsys.h: what only macOS has, each behind one call: macsys.c on a Mac, a stand-in in
 * the tests elsewhere. Nothing here decides anything.
 */
#ifndef SRUN_MACSYS_H
#define SRUN_MACSYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Whether this process is in a sandbox: its own or one around everything. */
bool macsys_is_sandboxed(void);

/*
 * Starts file in a process group of its own with 0, 1, 2 and the descriptors fds; every
 * other is closed. Returns 0 or an errno.
 */
int macsys_spawn(pid_t *pid, const char *file, char *const argv[], char *const envp[],
    const int *fds, size_t nfds);

enum macsys_event { MACSYS_ENDED, MACSYS_TIME, MACSYS_SIGNAL, MACSYS_ERROR };

/*
 * Waits until the child ends (it is left to be reaped, so that its number stays its own),
 * until the time is up (-1: never), or until one of the signals that would end us comes.
 * macsys_hold_signals() must have been called: those are then noticed here only.
 */
bool macsys_hold_signals(void);
enum macsys_event macsys_wait(pid_t child, int64_t timeout_ms, int *sig);

/*
 * Sends sig to every process that may look up the service "srun.NONCE", as only those of
 * one run may, however they were detached. Returns how many there were.
 */
size_t macsys_signal_run(const char *nonce, int sig);

#endif
