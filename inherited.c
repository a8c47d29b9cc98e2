/*
 * inherited.c: the descriptors that the caller hands on: checks, and closing the rest.
 */
#include "inherited.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "sys.h"

void
inherited_check(struct arena *a, const struct options *o, struct errs *errs)
{
	for (size_t i = 0; i < o->nkeep_fds; i++)
		if (fcntl(o->keep_fds[i], F_GETFD) < 0)
			errs_add(a, errs, "--keep-fd %d: the descriptor is not open",
			    o->keep_fds[i]);
	if (o->grant_fd >= 0 && fcntl(o->grant_fd, F_GETFD) < 0)
		errs_add(
		    a, errs, "--grant-fd %d: the descriptor is not open", o->grant_fd);
}

void
inherited_close(struct arena *a, const struct options *o)
{
	size_t n = o->nkeep_fds;
	int *keep = arena_alloc(a, (n + 1) * sizeof(*keep));
	for (size_t i = 0; i < n; i++)
		keep[i] = o->keep_fds[i];
	if (o->grant_fd >= 0)
		keep[n++] = o->grant_fd;
	sys_close_except(keep, n);
}

void
inherited_no_directories(struct arena *a, const struct options *o, struct errs *errs)
{
	for (size_t i = 0; i < 3 + o->nkeep_fds; i++) {
		int fd = i < 3 ? (int)i : o->keep_fds[i - 3];
		struct stat st;
		if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode))
			errs_add(a, errs,
			    "descriptor %d is a directory, and would lead around every "
			    "rule [give the command a path, or /dev/null]",
			    fd);
	}
}
