/*
 * deny_set.h: the mandatory deny set: what cannot be written whatever the grant says.
 * Pure: a table and questions about names.
 */
#ifndef SRUN_DENY_SET_H
#define SRUN_DENY_SET_H

#include <stdbool.h>
#include <stddef.h>

enum deny_scope {
	DENY_HOME, /* path below the home directory */
	DENY_TREE, /* path at any depth in a write root */
	DENY_GIT,  /* path in every git directory */
};

/*
 * What stands in for a name that does not exist, so that the command cannot make it. An
 * empty directory as a rule: git neither lists nor adds one. git 2.39 dies on a directory
 * at some of its own names, so those are files.
 */
enum deny_hold {
	HOLD_NONE,       /* a missing one has no effect, or cannot be held */
	HOLD_DIR,        /* an empty directory */
	HOLD_EMPTY_FILE, /* an empty file */
	HOLD_DOT_FILE,   /* a file holding "." */
	HOLD_PARENT,     /* a directory on the way to one of those: stays writable */
};

/* Where in a write root a missing name is held. */
enum deny_where {
	WHERE_ROOT,   /* at the top of each write root and of each repository in it */
	WHERE_REPO,   /* at the top of repositories only: elsewhere it has no effect */
	WHERE_INSIDE, /* as WHERE_ROOT, but only where the directory it is in exists */
};

struct deny_entry {
	enum deny_scope scope;
	const char
	    *path; /* relative; a leading '*' in the last component matches any text */
	enum deny_hold hold;
	enum deny_where where;
	const char *reason;
};

extern const struct deny_entry deny_set[];
extern const size_t deny_set_size;

/*
 * The DENY_TREE entry for name (one component) in a directory called parent (one
 * component, "" at the top); NULL when there is none. fold: compare letters without case.
 */
const struct deny_entry *deny_set_tree(const char *parent, const char *name, bool fold);

/*
 * The first DENY_TREE entry of two components whose first is name: a link there leads to
 * what the entry denies. NULL when there is none.
 */
const struct deny_entry *deny_set_way(const char *name, bool fold);

/* Variables of the host that put DENY_HOME entries elsewhere. */
struct deny_move {
	const char *variable;
	const char *prefix; /* of the entries that go there */
	size_t drop;        /* how much of the prefix does not go with them */
};
extern const struct deny_move deny_moves[];
extern const size_t deny_moves_size;

/* Variables of the host that name a file which is run or obeyed like those of the set. */
extern const char *const deny_named[]; /* ended by NULL */

/* Whether name could be the first or last component of any DENY_TREE entry: cheap. */
bool deny_set_maybe(const char *name);

#endif
