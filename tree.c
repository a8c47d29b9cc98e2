/*
 * tree.c: killing a process tree by walking /proc; see tree.h.
 *
 * Rounds: stop whatever is found until nothing new turns up (a stopped process cannot
 * fork), then kill it all; again until a round finds nothing. Orphans come to root, which
 * is a subreaper (Linux 3.4), so setsid(2) and double forks do not help against it.
 */
#include "tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util.h"

struct process {
	pid_t pid, parent;
	bool below, stopped;
};

struct table {
	struct process *p;
	size_t n;
};

#define THREADS_AFTER_STATE 17

/* state points into the text. A process whose first thread has ended is no zombie yet. */
static bool
is_dead(const char *state)
{
	if (*state != 'Z')
		return *state == 'X';
	for (int i = 0; i < THREADS_AFTER_STATE && state != NULL; i++) {
		state = strchr(state, ' ');
		state += state != NULL;
	}
	return state == NULL || strtol(state, NULL, 10) < 2;
}

/* "PID (any name) STATE PPID …"; a name may hold anything, so from its last parenthesis. */
static bool
read_stat(int proc, const char *name, struct process *out)
{
	char buf[512], path[300];
	uint64_t pid;
	const char *why;
	size_t len = strlen(name);
	if (!parse_uint(name, 1, 1 << 30, &pid, &why) || len > 200)
		return false;
	memcpy(path, name, len);
	memcpy(path + len, "/stat", 6);
	int fd = openat(proc, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	ssize_t n = read(fd, buf, sizeof(buf) - 1);
	close(fd);
	if (n <= 0)
		return false;
	buf[n] = '\0';
	char *p = strrchr(buf, ')');
	if (p == NULL || strlen(p) < 5 || is_dead(p + 2))
		return false;
	*out = (struct process){.pid = (pid_t)pid,
	    .parent = (pid_t)strtol(p + 4, NULL, 10),
	    .stopped = p[2] == 'T'};
	return true;
}

static struct table
read_table(struct arena *a)
{
	struct table t = {NULL, 0};
	struct process one;
	DIR *d = opendir("/proc");
	if (d == NULL)
		return t;
	for (struct dirent *e; (e = readdir(d)) != NULL;)
		if (read_stat(dirfd(d), e->d_name, &one)) {
			t.p = arena_grow(a, t.p, t.n, sizeof(*t.p));
			t.p[t.n++] = one;
		}
	closedir(d);
	return t;
}

static bool
is_spared(pid_t pid, const pid_t *spare, size_t nspare)
{
	for (size_t i = 0; i < nspare; i++)
		if (spare[i] == pid)
			return true;
	return false;
}

static void
mark_below(struct table *t, pid_t root, const pid_t *spare, size_t nspare)
{
	for (bool more = true; more;) {
		more = false;
		for (size_t i = 0; i < t->n; i++)
			for (size_t k = 0; k < t->n && !t->p[i].below; k++)
				if ((t->p[i].parent == root &&
				        !is_spared(t->p[i].pid, spare, nspare)) ||
				    (t->p[k].below && t->p[k].pid == t->p[i].parent))
					more = t->p[i].below = true;
	}
}

/* Sends sig to all below root; the number of those that were not stopped yet. */
static size_t
signal_below(pid_t root, const pid_t *spare, size_t nspare, int sig, size_t *found)
{
	struct arena a = {NULL};
	struct table t = read_table(&a);
	size_t running = 0;
	*found = 0;
	mark_below(&t, root, spare, nspare);
	for (size_t i = 0; i < t.n; i++)
		if (t.p[i].below && kill(t.p[i].pid, sig) == 0) {
			(*found)++;
			running += !t.p[i].stopped;
		}
	arena_free(&a);
	return running;
}

#define STOP_ROUNDS 64 /* then kill all the same: a stop can be undone from outside */

void
tree_kill(pid_t root, const pid_t *spare, size_t nspare)
{
	size_t found;
	do {
		for (int i = 0; i < STOP_ROUNDS &&
		                signal_below(root, spare, nspare, SIGSTOP, &found) > 0;
		     i++)
			;
		signal_below(root, spare, nspare, SIGKILL, &found);
		if (found > 0)
			usleep(1000);
	} while (found > 0);
}

size_t
tree_children(struct arena *a, pid_t parent, pid_t **children)
{
	struct table t = read_table(a);
	size_t n = 0;
	*children = NULL;
	for (size_t i = 0; i < t.n; i++)
		if (t.p[i].parent == parent) {
			*children = arena_grow(a, *children, n, sizeof(**children));
			(*children)[n++] = t.p[i].pid;
		}
	return n;
}
