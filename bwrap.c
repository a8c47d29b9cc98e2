/*
 * bwrap.c: the bubblewrap backend. Finds the program, renders mount operations as its
 * arguments, and understands its words when it fails. Starts nothing itself.
 *
 * What it relies on, and why (bubblewrap 0.5 or newer, for --perms):
 * - every namespace is named: --unshare-all and the -try forms go on without one;
 * - --unshare-user --cap-drop ALL for root too: otherwise root inside keeps what is
 *   needed to unmount a mask (containers/bubblewrap#287);
 * - --as-pid-1: inner is the init of the process namespace. bubblewrap's own init could
 *   be traced by the command; ours cannot (it is not dumpable), reports how the command
 *   ended exactly, and ends the namespace when it ends;
 * - --die-with-parent, no --new-session: job control stays the caller's;
 * - the policy travels by --args, so it is in nobody's process list.
 */
#include "bwrap.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "graft.h"
#include "path.h"

/* It puts "/oldroot" or "/newroot" in front, and a call takes 4,095 bytes. */
#define DEST_LIMIT (PATH_LIMIT - 1 - 8)

#define ARGS_LIMIT 8900 /* it counts to 9,000, with those of its own command line */

/* Never PATH: it may hold directories the command can write. */
static const char *const places[] = {
    "/usr/bin/bwrap",
    "/bin/bwrap",
    "/usr/local/bin/bwrap",
    "/run/current-system/sw/bin/bwrap",
};

/*
 * Owned by root, or by what root looks like inside a user namespace, and then at least
 * not by us: the caller must not be able to write it.
 */
static const char *
distrust(const struct host *h, const char *path, const struct stat *st)
{
	if (!S_ISREG(st->st_mode))
		return "is not a regular file";
	if (st->st_uid != 0 && (h->uid == st->st_uid || access(path, W_OK) == 0))
		return "does not belong to root";
	if ((st->st_mode & (S_IWGRP | S_IWOTH)) != 0)
		return "is writable by others than its owner";
	if ((st->st_mode & (S_ISUID | S_ISGID)) != 0)
		return "is setuid, and srun does not use a setuid bubblewrap";
	if ((st->st_mode & S_IXOTH) == 0 && access(path, X_OK) != 0)
		return "is not executable";
	return NULL;
}

/* All that the helper needs to start: the rest comes through the descriptor. */
static void
render_argv(struct arena *a, struct launch *l, const char *program)
{
	l->helper_argv = (struct strv){NULL, 0};
	strv_push(a, &l->helper_argv, program);
	strv_push(a, &l->helper_argv, "--args");
	strv_push(a, &l->helper_argv, arena_printf(a, "%d", launch_fd(l, FD_ARGS)));
	strv_push(a, &l->helper_argv, "--");
	strv_push(a, &l->helper_argv,
	    arena_printf(a, "/proc/self/fd/%d", launch_fd(l, FD_SELF)));
	strv_push(a, &l->helper_argv, LAUNCH_INNER_WORD);
	strv_push(a, &l->helper_argv, arena_printf(a, "%d", l->fd_base));
	strv_push(a, &l->helper_argv,
	    arena_printf(a, "%d", l->filter != NULL ? (int)*l->filter : UNIX_NONE));
}

static bool
bwrap_find(struct arena *a, const struct host *h, struct launch *l, struct finding *f)
{
	*f = (struct finding){"bubblewrap is not installed",
	    "install the package 'bubblewrap'", true, false};
	for (size_t i = 0; i < SRUN_ARRAY_LEN(places); i++) {
		struct stat st;
		if (stat(places[i], &st) != 0)
			continue;
		const char *why = distrust(h, places[i], &st);
		if (why == NULL) {
			render_argv(a, l, places[i]);
			return true;
		}
		*f = (struct finding){arena_printf(a, "'%s' %s", places[i], why),
		    "install the distribution's package 'bubblewrap'", true, false};
	}
	return false;
}

/* ---- rendering ---- */

static void
arg(struct arena *a, struct bytes *b, const char *text)
{
	bytes_add(a, b, text, strlen(text) + 1);
}

static void
arg2(struct arena *a, struct bytes *b, const char *x, const char *y)
{
	arg(a, b, x);
	arg(a, b, y);
}

static void
arg3(struct arena *a, struct bytes *b, const char *x, const char *y, const char *z)
{
	arg2(a, b, x, y);
	arg(a, b, z);
}

/* How each kind is said: options with the permissions before and the sealing after. */
static const struct {
	const char *perms;
	const char *option;
	bool two_paths; /* OPTION SOURCE DEST instead of OPTION DEST */
	bool seal;      /* made read-only when everything below is mounted */
} renderings[] = {
    [MOUNT_ROOT_RO] = {NULL, "--ro-bind", true, false},
    [MOUNT_ROOT_RW] = {NULL, "--bind", true, false},
    [MOUNT_ROOT_NONE] = {NULL, NULL, false, true},
    [MOUNT_BIND_RO] = {NULL, "--ro-bind", true, false},
    [MOUNT_BIND_RW] = {NULL, "--bind", true, false},
    [MOUNT_PIN] = {NULL, "--bind", true, false},
    [MOUNT_MASK_DIR] = {"0000", "--tmpfs", false, true},
    [MOUNT_MASK_OPEN] = {"0111", "--tmpfs", false, true},
    [MOUNT_MASK_FILE] = {NULL, "--ro-bind", true, false},
    [MOUNT_HIDE_DIR] = {"0755", "--tmpfs", false, true},
    /* Not sealed: that would cost as much as a bind, and what is written is seen by nobody. */
    [MOUNT_HOLD] = {"0555", "--tmpfs", false, false},
    [MOUNT_TMPFS] = {"1777", "--tmpfs", false, false},
    [MOUNT_DEV] = {NULL, "--dev", false, false},
    [MOUNT_DEV_NODE] = {NULL, "--dev-bind", true, false},
    [MOUNT_PROC] = {NULL, "--proc", false, false},
    [MOUNT_LINK] = {NULL, "--symlink", true, false},
};

static void
render_op(struct arena *a, struct bytes *b, const struct mount_op *op)
{
	if (renderings[op->kind].option == NULL)
		return;
	if (renderings[op->kind].perms != NULL)
		arg2(a, b, "--perms", renderings[op->kind].perms);
	if (renderings[op->kind].two_paths)
		arg3(a, b, renderings[op->kind].option, op->source, op->dest);
	else
		arg2(a, b, renderings[op->kind].option, op->dest);
}

/* Deepest first: a directory is sealed after what is below it. */
static void
render_seals(
    struct arena *a, struct bytes *b, const struct mount_plan *m, const bool *left_out)
{
	for (size_t i = m->n; i-- > 0;) {
		if (!renderings[m->ops[i].kind].seal || (left_out != NULL && left_out[i]))
			continue;
		if (m->ops[i].kind == MOUNT_ROOT_NONE)
			arg3(a, b, "--chmod", "0111", "/");
		arg2(a, b, "--remount-ro", m->ops[i].dest);
	}
}

static void
render_namespaces(struct arena *a, struct bytes *b, bool own_network)
{
	static const char *const always[] = {"--unshare-user", "--unshare-pid",
	    "--unshare-ipc", "--unshare-uts", "--unshare-cgroup", "--die-with-parent",
	    "--as-pid-1"};
	for (size_t i = 0; i < SRUN_ARRAY_LEN(always); i++)
		arg(a, b, always[i]);
	arg2(a, b, "--cap-drop", "ALL");
	if (own_network)
		arg(a, b, "--unshare-net");
}

/* Everything but what is left out (NULL: nothing). */
static void
render(struct arena *a, const struct launch *l, const bool *left_out, struct bytes *b)
{
	const struct mount_plan *m = l->mounts;
	render_namespaces(a, b, l->own_network);
	for (size_t i = 0; i < m->n; i++)
		if (left_out == NULL || !left_out[i])
			render_op(a, b, &m->ops[i]);
	render_seals(a, b, m, left_out);
	arg2(a, b, "--chdir", "/");
}

/* What bubblewrap could only fail at in its own words, without the line of the grant. */
static bool
check_lengths(struct arena *a, const struct mount_plan *m, struct errs *errs)
{
	size_t before = errs->text.n;
	for (size_t i = 0; i < m->n; i++) {
		const struct mount_op *op = &m->ops[i];
		if (strlen(op->dest) <= DEST_LIMIT)
			continue;
		const char *words = arena_printf(a,
		    "'%.40s...' has more than the %d bytes that bubblewrap can mount",
		    op->dest, DEST_LIMIT);
		if (op->rule != NULL)
			errs_at(a, errs, op->rule->origin, "%s", words);
		else
			errs_add(a, errs, "%s", words);
	}
	return errs->text.n == before;
}

static size_t
count_args(const struct bytes *b)
{
	size_t n = 0;
	for (size_t i = 0; i < b->len; i++)
		n += b->data[i] == '\0';
	return n;
}

/* More than can be mounted, said before bubblewrap says it in words of its own. */
static bool
check_number(struct arena *a, const struct launch *l, struct errs *errs)
{
	if (count_args(&l->helper_few) <= ARGS_LIMIT)
		return true;
	errs_add(a, errs,
	    "this grant needs %zu mounts, more than bubblewrap can make "
	    "[name directories instead of what is in them]",
	    l->mounts->n);
	return false;
}

static bool
bwrap_compile(struct arena *a, const struct policy *p, const struct survey *s,
    struct launch *l, struct errs *errs)
{
	l->own_pids = true;
	l->own_network = p->net != NET_ALL;
	l->mounts = mounts_plan(a, p, s, errs);
	if (l->mounts == NULL || !check_lengths(a, l->mounts, errs))
		return false;
	l->grafted = graft_choose(a, l->mounts);
	render(a, l, NULL, &l->helper_args);
	render(a, l, l->grafted, &l->helper_few);
	return check_number(a, l, errs);
}

/* The same namespaces, /proc and loopback (each fails for its own reasons), no policy. */
static void
bwrap_probe(struct arena *a, struct launch *l)
{
	l->own_pids = true;
	l->own_network = true;
	l->mounts = NULL;
	render_namespaces(a, &l->helper_args, l->own_network);
	arg3(a, &l->helper_args, "--ro-bind", "/", "/");
	arg2(a, &l->helper_args, "--dev", "/dev");
	arg2(a, &l->helper_args, "--proc", "/proc");
	arg2(a, &l->helper_args, "--perms", "0000");
	arg2(a, &l->helper_args, "--tmpfs", "/dev/shm");
}

/*
 * Parts of bubblewrap's messages; the first that is found decides. AppArmor lets the
 * namespace be made and then refuses what is done in it.
 */
#define ANY_ERRNO "Creating new namespace failed"
#define TOO_MANY  "Exceeded maximum number of arguments"

static void
bwrap_explain(struct arena *a, const char *words, struct finding *f)
{
	static const struct {
		const char *part;
		struct {
			const char *reason, *remedy;
		} found;
	} known[] = {
	    {"Unknown option", {"this bubblewrap is too old (0.5 or newer is needed)",
	                           "update the package 'bubblewrap'"}},
	    {"setting up uid map: Permission denied",
	        {"AppArmor refuses user namespaces",
	            "load the profile 'bwrap-userns-restrict' of the packages apparmor "
	            "or apparmor-profiles"}},
	    {"RTM_NEWADDR",
	        {"a user namespace can be made but not used (AppArmor, or gVisor)",
	            "load the AppArmor profile 'bwrap-userns-restrict'"}},
	    {"proc on /newroot/proc: Operation not permitted",
	        {"/proc is masked here, as in a container",
	            "start the container with an unmasked /proc (docker: --security-opt "
	            "systempaths=unconfined)"}},
	    {"max_*_namespaces exceeded",
	        {"user namespaces are switched off",
	            "sysctl user.max_user_namespaces=10000, or the container's limit"}},
	    {"No permissions to create new namespace",
	        {"user namespaces are not permitted",
	            "allow them: sysctl kernel.unprivileged_userns_clone=1, or the "
	            "container's seccomp profile"}},
	    {"does not support user namespaces",
	        {"the kernel has no user namespaces", NULL}},
	    {"Function not implemented", {"the kernel has no user namespaces", NULL}},
	    {ANY_ERRNO, {"namespaces cannot be made",
	                    "allow user namespaces for this user or container"}},
	    {TOO_MANY, {"the grant needs more mounts than bubblewrap can make",
	                   "name directories instead of what is in them"}},
	    {"Failed to make / slave",
	        {"mounting is refused (a container, or a Landlock domain)", NULL}},
	    {"pivot_root",
	        {"the root file system cannot be changed (a chroot or an initramfs)",
	            NULL}},
	};
	for (size_t i = 0; i < SRUN_ARRAY_LEN(known); i++)
		if (strstr(words, known[i].part) != NULL) {
			f->reason = known[i].found.reason;
			f->remedy = known[i].found.remedy;
			/* That one is said with any errno, also of a passing shortage. */
			f->lasting = strcmp(known[i].part, ANY_ERRNO) != 0;
			return;
		}
	size_t n = strcspn(words, "\n"), own = str_starts(words, "bwrap: ") ? 7 : 0;
	*f = (struct finding){.reason = n > own ? arena_printf(a, "bubblewrap: %.*s",
	                                              (int)(n - own), words + own)
	                                        : "bubblewrap ended without a word",
	    .vanished = strstr(words, ": No such file or directory") != NULL};
}

const struct backend bwrap_backend = {
    .name = "bwrap",
    .id = ISOLATION_BWRAP,
    .enforces = ENFORCE_FS | ENFORCE_DENY_SET | ENFORCE_NET | ENFORCE_UNIX | ENFORCE_PID,
    .find = bwrap_find,
    .compile = bwrap_compile,
    .compile_probe = bwrap_probe,
    .explain = bwrap_explain,
};
