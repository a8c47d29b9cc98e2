/*
 * glob.h: which names of the real tree a pattern matches. Looks, never changes anything.
 */
#ifndef SRUN_GLOB_H
#define SRUN_GLOB_H

#include <stdbool.h>
#include <stdint.h>

#include "util.h"

enum glob_step {
	GLOB_ENTER,
	GLOB_SKIP,  /* nothing in that directory is meant */
	GLOB_WHOLE, /* the directory itself is a match, for all in it */
	GLOB_STOP,  /* no more is to be found out */
};

/* What all walks of a run together may cost. */
struct glob_budget {
	size_t entries, matches; /* that are left */
	int64_t end;             /* ms of the clock of sys_now_ms() */
};

struct glob {
	struct arena *a;
	struct glob_budget *budget;
	/*
	 * A deny must miss nothing: it goes through every link ("**" too), takes names that
	 * the file system takes for the same, and reads a directory again that changed while
	 * it was read. An allow must not find too much: "**" goes through no link.
	 */
	bool deny;
	/*
	 * Asked at each directory before it is read; tail is what is left of the pattern,
	 * cover the match that the directory lies in, or NULL.
	 */
	enum glob_step (*enter)(
	    void *arg, const char *dir, const char *tail, const char *cover);
	/*
	 * Whether a match is worth naming. Of a deny only: what is below a match is denied with it, unless something opens it again.
	 */
	bool (*wanted)(void *arg, const char *cover, const char *path);
	void *arg;

	size_t found;        /* matches, also those that are not wanted */
	struct strv matches; /* as spelled: the last name can be a link. Can repeat */
	struct strv
	    unread; /* directories whose names cannot be known, or are too long to be used */
	const char *stopped; /* why it stopped short of the end; NULL */
};

/*
 * Adds what tail ("*.c", "a/?/b", "**" and so on, without a slash in front) matches below
 * the directory base. For a deny base is canonical, and so is the way to each match.
 */
void glob_walk(struct glob *g, const char *base, const char *tail);

#endif
