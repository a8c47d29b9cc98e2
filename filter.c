/*
 * filter.c: the system call filters as the build made them. Making one at run time takes
 * libseccomp longer than all the rest of srun before its first fork, so mkfilter does it
 * once; a unit test compares with what seccomp.c gives now.
 */
#include "filter.h"

/* filter_no_unix[] and filter_all[], written by mkfilter. */
#include "filter_data.h"

const void *
filter_for(enum unix_mode mode, size_t *len)
{
	/* "inside" needs a decision for each connect; until that is built it is "none". */
	*len = mode == UNIX_ALL ? sizeof(filter_all) : sizeof(filter_no_unix);
	return mode == UNIX_ALL ? filter_all : filter_no_unix;
}
