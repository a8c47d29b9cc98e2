/*
 * filter.c: the system call filters as the build made them. Making one at run time takes
 * libseccomp longer than all the rest of srun before its first fork, so mkfilter does it
 * once; a unit test compares with what seccomp.c gives now.
 */
#include "filter.h"

/* filter_no_unix[], filter_all[], filter_proxy[], filter_resolver[], filter_agent[], by mkfilter. */
#include "filter_data.h"

const void *
filter_for(enum unix_mode mode, size_t *len)
{
	/* "inside" needs a decision for each connect; until that is built it is "none". */
	*len = mode == UNIX_ALL ? sizeof(filter_all) : sizeof(filter_no_unix);
	return mode == UNIX_ALL ? filter_all : filter_no_unix;
}

const void *
filter_for_role(enum filter_role role, size_t *len)
{
	static const struct {
		const void *code;
		size_t len;
	} roles[FILTER_ROLES] = {
	    [FILTER_PROXY] = {filter_proxy, sizeof(filter_proxy)},
	    [FILTER_RESOLVER] = {filter_resolver, sizeof(filter_resolver)},
	    [FILTER_AGENT] = {filter_agent, sizeof(filter_agent)},
	};
	*len = roles[role].len;
	return roles[role].code;
}
