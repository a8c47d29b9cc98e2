/*
 * sys.h: helpers with effects: descriptors, whole reads and writes, the clock.
 * Errors are -1 with errno, as system calls give them.
 */
#ifndef SRUN_SYS_H
#define SRUN_SYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "util.h"

/* Milliseconds of CLOCK_MONOTONIC. */
int64_t sys_now_ms(void);

/* Writes or reads exactly len bytes, going on after EINTR; read: EOF before that is EPIPE. */
int sys_write_all(int fd, const void *data, size_t len);
int sys_read_all(int fd, void *data, size_t len);

/*
 * A whole regular file of at most limit bytes (EFBIG), NUL-terminated in the arena. Anything
 * else is EINVAL and is neither waited for nor read.
 */
int sys_read_file(
    struct arena *a, int dirfd, const char *path, size_t limit, struct bytes *out);
/* The same by an absolute path; ELOOP when a link is on the way or at its end. */
int sys_read_place(struct arena *a, const char *path, size_t limit, struct bytes *out);

/* A directory by its absolute path; ELOOP when a link is on the way or at its end. */
int sys_open_directory(const char *path);
/* Whatever is at an absolute path, to be named only (O_PATH); never through a link. */
int sys_open_place(const char *path);

/* An anonymous file with these bytes, read position at 0, close-on-exec. */
int sys_data_fd(const char *name, const void *data, size_t len);

/*
 * Every descriptor from 3 on becomes close-on-exec (or is closed), but those in keep
 * (sorted or not). Uses close_range(2), Linux 5.9, or a walk over /proc/self/fd.
 */
int sys_cloexec_from(int first);
int sys_close_except(const int *keep, size_t nkeep);

/* Opens /dev/null on those of 0, 1 and 2 that are closed. */
int sys_fill_stdio(void);
/* Puts /dev/null in place of a descriptor; of 0, 1 and 2. */
int sys_null_fd(int fd);
int sys_null_stdio(void);

/*
 * One message on a Unix socket that keeps messages apart, with a descriptor or -1. Sent
 * whole, 0 or -1; received into *fd (-1 when none came, close-on-exec): its length, 0 at the
 * end, -1 with errno. A message with more than one descriptor is EBADMSG.
 */
int sys_send_fd(int sock, const void *data, size_t len, int fd);
ssize_t sys_recv_fd(int sock, void *data, size_t len, int *fd);

/*
 * Enters the namespace of process pid that /proc calls "ns/NAME" and setns(2) type, by way
 * of the user namespace that owns it, over which its maker's user has every privilege
 * (user_namespaces(7)). Needs a process with one thread. -1 with errno.
 */
int sys_enter_namespace(pid_t pid, const char *name, int type);

/* pidfd_open(2), Linux 5.3, close-on-exec; pidfd_send_signal(2). */
int sys_pidfd(pid_t pid);
int sys_pidfd_kill(int pidfd, int sig);
/* The same for the whole group that the process leads or led, Linux 6.9. */
int sys_pidfd_kill_group(int pidfd, int sig);

#endif
