/*
 * host.c: facts of this host. Looks (lstat, readlink, access), never changes anything.
 *
 * Every path a policy names is resolved here once (hostpath.c), and judged. Later stages use
 * only canonical paths.
 */
#include "host.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "caches.h"
#include "env.h"
#include "expand.h"
#include "listing.h"
#include "path.h"
#include "rules.h"
#include "state.h"

#define OVERFLOW_UID 65534 /* whoever is not in this user namespace, also root */

/* A directory that the caller can write, canonical; NULL when it is none. */
static const char *
usable_directory(struct arena *a, const char *path)
{
	struct path_fact f;
	if (path == NULL || path[0] != '/')
		return NULL;
	host_resolve(a, path_normalise(a, path, "/"), &f);
	return f.err == 0 && f.kind == FILE_DIR && f.writable ? f.real : NULL;
}

#define TEMP_BASE_LIMIT 60 /* so that a unix socket below still fits in 107 bytes */

/*
 * The caller's TMPDIR where it is usable, else the first of the usual places. Private
 * directories go there too, unless it is so long that sockets in them would not work.
 */
static void
find_temp(struct arena *a, struct host *h, const char *const *environ)
{
	static const char *const places[] = {"/tmp", "/var/tmp"};
	const char *wanted = usable_directory(a, env_get(environ, "TMPDIR"));
	for (size_t i = 0; i < SRUN_ARRAY_LEN(places); i++) {
		const char *place = usable_directory(a, places[i]);
		if (place != NULL)
			h->temp_places[h->ntemp_places++] = place;
	}
	const char *usual = h->ntemp_places > 0 ? h->temp_places[0] : wanted;
	if (usual == NULL)
		usual = places[0];
	h->temp_host = wanted != NULL ? wanted : usual;
	h->temp_base =
	    wanted != NULL && strlen(wanted) <= TEMP_BASE_LIMIT ? wanted : usual;
}

static const char *
read_self(struct arena *a)
{
	char buf[PATH_LIMIT + 1];
	ssize_t n = readlink("/proc/self/exe", buf, sizeof(buf) - 1);
	return n > 0 && buf[0] == '/' ? arena_strndup(a, buf, (size_t)n) : NULL;
}

void
host_read(struct arena *a, struct host *h, const char *const *environ)
{
	char buf[PATH_LIMIT + 1];
	h->ntemp_places = 0;
	h->uid = getuid();
	h->gid = getgid();
	h->environ = environ;
	h->home = env_home(environ, h->uid);
	if (h->home != NULL)
		h->home = path_normalise(a, h->home, "/");
	/* "(unreachable)/…" is how the kernel names a directory outside this root. */
	h->cwd = getcwd(buf, sizeof(buf)) != NULL && buf[0] == '/' ? arena_strdup(a, buf)
	                                                           : NULL;
	find_temp(a, h, environ);
	h->self = read_self(a);
}

/* ---- surveying a policy ---- */

struct surveyor {
	struct arena *a;
	const struct policy *p;
	const struct host *h;
	const struct run_paths *names;
	struct survey *s;
	struct errs *errs, *notes;
	struct listings listings;
	struct expander expander;
	struct layer_facts *layer; /* the one being surveyed */
};

static const char *
kind_word(const struct path_rule *r)
{
	return rule_kind_names[r->kind];
}

/* Whether a missing path is one that srun makes before the start. */
static bool
will_be_made(const struct surveyor *v, const char *real)
{
	for (size_t i = 0; i < v->s->ncreate; i++)
		if (v->s->create[i].real != NULL &&
		    path_within(v->s->create[i].real, real))
			return true;
	return v->s->working_directory.real != NULL &&
	       path_within(v->s->working_directory.real, real);
}

/* How to have it made, in the words of where the rule was said. */
static const char *
make_hint(struct arena *a, const struct path_rule *r)
{
	if (r->kind != RULE_ALLOW_WRITE)
		return "";
	if (str_starts(r->origin.file, "--"))
		return arena_printf(
		    a, " [add --set 'filesystem.create=%s' to have it made]", r->written);
	return arena_printf(a, " [add 'create = %s' to have it made]", r->written);
}

static void
judge_missing(struct surveyor *v, const struct path_rule *r, struct path_fact *f)
{
	bool deny = r->kind == RULE_DENY_READ || r->kind == RULE_DENY_WRITE;
	if (f->real != NULL && !deny && will_be_made(v, f->real))
		return;
	if (r->optional || r->matched) {
		f->real = NULL;
	} else if (!deny) {
		errs_at(v->a, v->errs, r->origin, "%s '%s' does not exist%s",
		    kind_word(r), r->written, make_hint(v->a, r));
	}
}

static const struct path_rule *
implied_rule(struct surveyor *v, enum rule_kind kind, const char *path)
{
	struct path_rule *r = arena_alloc(v->a, sizeof(*r));
	*r = (struct path_rule){.kind = kind,
	    .path = path,
	    .written = path,
	    .optional = true,
	    .origin = {.file = "default"}};
	return r;
}

static void
add_implied(struct surveyor *v, struct layer_facts *l, enum rule_kind kind,
    const struct path_fact *fact)
{
	l->rules = arena_grow(v->a, l->rules, l->nrules, sizeof(*l->rules));
	l->rules[l->nrules].rule = implied_rule(v, kind, fact->real);
	l->rules[l->nrules++].fact = *fact;
}

/* The file in the way becomes a deny_write of its own; the rule itself has nothing to close. */
static void
pin_file(struct surveyor *v, struct path_fact *f)
{
	struct path_fact file = *f;
	file.err = 0;
	file.path = file.real;
	add_implied(v, v->layer, RULE_DENY_WRITE, &file);
	f->real = NULL;
}

static void
judge_fact(struct surveyor *v, const struct path_rule *r, struct path_fact *f)
{
	bool deny = r->kind == RULE_DENY_READ || r->kind == RULE_DENY_WRITE;
	/* A path the caller cannot reach is one the command cannot reach either. */
	bool unreachable = deny && (f->err == EACCES || f->err == ENOTDIR);
	if (f->err == ENOENT && f->real != NULL) {
		judge_missing(v, r, f);
	} else if (f->err == ENOTDIR && deny && f->real != NULL) {
		/* A plain file stands where a directory is meant: it must stay what it is. */
		pin_file(v, f);
	} else if (f->err != 0 && (r->optional || unreachable)) {
		f->real = NULL;
	} else if (f->err != 0) {
		f->real = NULL;
		errs_at(v->a, v->errs, r->origin, "%s '%s': %s", kind_word(r), r->written,
		    strerror(f->err));
	}
}

static bool
is_shared_temp(const struct survey *s, const char *path)
{
	for (size_t i = 0; i < s->nshared_temp; i++)
		if (s->shared_temp[i] != NULL && strcmp(path, s->shared_temp[i]) == 0)
			return true;
	return false;
}

static void
judge_place(struct surveyor *v, const struct path_rule *r, const struct path_fact *f)
{
	const char *hint = f->real != NULL ? rules_own_place(f->real) : NULL;
	if (hint != NULL)
		errs_at(v->a, v->errs, r->origin, "%s '%s' cannot be held [%s]",
		    kind_word(r), r->written, hint);
	if (r->kind == RULE_ALLOW_WRITE && f->real != NULL &&
	    path_within(f->real, "/sys"))
		errs_at(v->a, v->errs, r->origin,
		    "allow_write '%s': /sys is never writable", r->written);
	bool allow = r->kind == RULE_ALLOW_READ || r->kind == RULE_ALLOW_WRITE;
	if (allow && f->real != NULL && is_shared_temp(v->s, f->real))
		errs_at(v->a, v->errs, r->origin,
		    "%s '%s' can have no effect with temp 'tmp', which makes it private",
		    kind_word(r), r->written);
	if (allow && f->real != NULL && strv_has(&v->names->closed, f->real))
		errs_at(v->a, v->errs, r->origin,
		    "%s '%s' would open the temporary directories of other runs",
		    kind_word(r), r->written);
}

/* Root without its privileges cannot write what belongs to somebody else. */
static bool
writable_inside(const struct host *h, const struct path_fact *f)
{
	if (!f->writable)
		return false;
	return h->uid != 0 || f->uid == 0 || (f->mode & S_IWOTH) != 0;
}

static void
judge_write_root(struct surveyor *v, const struct path_rule *r, const struct path_fact *f)
{
	if (r->kind != RULE_ALLOW_WRITE || f->err != 0 || writable_inside(v->h, f))
		return;
	if (v->h->uid == 0 && f->uid != 0)
		errs_at(v->a, v->notes, r->origin,
		    "'%s' belongs to uid %lu and will be read-only, for root has no "
		    "privileges inside [run srun as that user]",
		    f->real, (unsigned long)f->uid);
	else if (!r->optional)
		errs_at(v->a, v->notes, r->origin,
		    "'%s' is not writable for you, so it is read-only", f->real);
}

/*
 * A link that another user made, in /tmp for example, would lead the grant where that user
 * likes. The kernel's protected_symlinks is no help: the links are resolved here.
 */
static void
judge_owners(struct surveyor *v, struct origin o, const char *what, const char *written,
    const struct path_fact *f)
{
	for (size_t i = 0; i < f->nlinks; i++) {
		const struct link_hop *l = &f->links[i];
		if (l->own || l->uid == 0 ||
		    (l->uid == OVERFLOW_UID &&
		        access(path_parent(v->a, l->path), W_OK) != 0))
			continue;
		errs_at(v->a, v->errs, o,
		    "%s '%s' goes through the link '%s', which belongs to uid %lu, "
		    "neither "
		    "you nor root [name the target, if it is what you mean]",
		    what, written, l->path, (unsigned long)l->uid);
	}
}

static void
survey_rule(struct surveyor *v, const struct path_rule *r, struct rule_fact *out)
{
	out->rule = r;
	if (r->optional && !listing_may_exist(&v->listings, r->path) &&
	    !caches_made(v->p, v->s, r->path)) {
		out->fact = (struct path_fact){
		    .path = r->path, .kind = FILE_MISSING, .err = ENOENT};
		return;
	}
	host_resolve(v->a, r->path, &out->fact);
	if (r->kind == RULE_ALLOW_READ || r->kind == RULE_ALLOW_WRITE)
		judge_owners(v, r->origin, kind_word(r), r->written, &out->fact);
	judge_fact(v, r, &out->fact);
	judge_place(v, r, &out->fact);
	judge_write_root(v, r, &out->fact);
}

/* A directory that srun makes before the start. */
static struct path_fact
fact_to_make(const char *path)
{
	return (struct path_fact){
	    .path = path, .real = path, .kind = FILE_MISSING, .err = ENOENT};
}

static void
survey_cwd(struct surveyor *v)
{
	const struct policy *p = v->p;
	struct path_fact *f = &v->s->working_directory;
	if (p->working_directory_temp) {
		*f = fact_to_make(arena_printf(v->a, "%s.work", v->names->temp));
		return;
	}
	const char *path =
	    p->working_directory != NULL ? p->working_directory : v->h->cwd;
	if (path == NULL) {
		errs_add(v->a, v->errs, "the current directory is gone [use --cwd DIR]");
		*f = fact_to_make("/");
		return;
	}
	host_resolve(v->a, path, f);
	struct origin o = p->working_directory_origin;
	if (o.file == NULL)
		o.file = "working directory";
	judge_owners(v, o, "working_directory", path, f);
	if (f->err == ENOENT && f->real != NULL && path_parent(v->a, f->real) != NULL &&
	    strlen(path_parent(v->a, f->real)) <= f->existing_len)
		return;
	if (f->err != 0)
		errs_at(v->a, v->errs, o, "working_directory '%s': %s%s", path,
		    strerror(f->err),
		    f->err == ENOENT ? " [its parent does not exist either]" : "");
	else if (f->kind != FILE_DIR)
		errs_at(
		    v->a, v->errs, o, "working_directory '%s' is not a directory", path);
	if (f->real == NULL)
		f->real = "/";
}

/* Why the working directory is not a write root by itself, or NULL when it is. */
static const char *
cwd_refusal(const struct surveyor *v)
{
	const char *cwd = v->s->working_directory.real;
	if (strcmp(cwd, "/") == 0)
		return "it is the root directory";
	if (path_within(cwd, "/proc") || path_within(cwd, "/sys"))
		return "it is the kernel's";
	if (v->s->home.real != NULL && path_within(v->s->home.real, cwd))
		return strcmp(v->s->home.real, cwd) == 0
		           ? "it is the home directory"
		           : "the home directory is below it";
	return NULL;
}

/* A line that closes the very working directory is not undone by a default. */
static bool
closes_cwd(const struct surveyor *v, const struct layer_facts *l)
{
	bool closed = false;
	for (size_t i = 0; i < l->nrules; i++) {
		const struct rule_fact *r = &l->rules[i];
		if (r->fact.real == NULL ||
		    strcmp(r->fact.real, v->s->working_directory.real) != 0)
			continue;
		if (r->rule->kind == RULE_ALLOW_READ || r->rule->kind == RULE_ALLOW_WRITE)
			return false;
		closed = closed || r->rule->kind == RULE_DENY_READ;
	}
	return closed;
}

/* Where this caller's runs have their temporary directories: this run sees only its own. */
static void
close_shared(struct surveyor *v)
{
	const struct strv *closed = &v->names->closed;
	for (size_t i = 0; i < closed->n; i++) {
		struct path_fact f = {
		    .path = closed->v[i], .real = closed->v[i], .kind = FILE_DIR};
		add_implied(v, &v->s->layers[0], RULE_DENY_READ, &f);
	}
}

static void
add_rule(struct surveyor *v, struct layer_facts *l, const struct path_rule *r)
{
	struct rule_fact f;
	survey_rule(v, r, &f);
	/* Two hundred members of a named set that do not exist are nobody's concern. */
	if ((r->optional || r->matched) && f.fact.real == NULL && f.fact.stuck == NULL)
		return;
	l->rules = arena_grow(v->a, l->rules, l->nrules, sizeof(*l->rules));
	l->rules[l->nrules++] = f;
}

/* A rule for each name that the pattern matches; whether any is another than its own. */
static bool
add_pattern(struct surveyor *v, struct layer_facts *l, const struct path_rule *r)
{
	struct strv paths = {NULL, 0};
	size_t found = expand_rule(&v->expander, l, r, &paths);
	struct path_rule *rules = arena_alloc(v->a, (paths.n + 1) * sizeof(*rules));
	bool others = false;
	v->layer = l;
	for (size_t i = 0; i < paths.n; i++) {
		others = others || strcmp(path_base(paths.v[i]), path_base(r->path)) != 0;
		rules[i] = *r;
		rules[i].path = paths.v[i];
		rules[i].pattern_at = 0;
		rules[i].matched = true;
		add_rule(v, l, &rules[i]);
	}
	struct survey *s = v->s;
	s->patterns = arena_grow(v->a, s->patterns, s->npatterns, sizeof(*s->patterns));
	s->patterns[s->npatterns++] = (struct pattern_fact){r, found};
	return others;
}

/* Both the name and the pattern, which is said when it makes a difference. */
static void
add_doubtful(struct surveyor *v, struct layer_facts *l, const struct path_rule *r)
{
	size_t faults = v->errs->text.n;
	if (add_pattern(v, l, r) && v->errs->text.n == faults)
		errs_at(v->a, v->notes, r->origin,
		    "%s '%s' is the name of a file that the command could have made: "
		    "what "
		    "it matches as a pattern is denied too ['literal:' in front means "
		    "the "
		    "name]",
		    kind_word(r), r->written);
}

/* When every allow is known: what a deny can hold depends on what may be written. */
static void
add_denied_patterns(struct surveyor *v, enum rule_kind kind)
{
	for (size_t i = 0; i < v->s->nlayers; i++)
		for (size_t k = 0; k < v->p->layers[i].nrules; k++) {
			const struct path_rule *r = &v->p->layers[i].rules[k];
			if (r->kind == kind && expand_is_pattern(r))
				add_pattern(v, &v->s->layers[i], r);
			else if (r->kind == kind && expand_is_doubtful(&v->expander, r))
				add_doubtful(v, &v->s->layers[i], r);
		}
}

static void
survey_layer(struct surveyor *v, size_t i)
{
	const struct layer *l = &v->p->layers[i];
	struct layer_facts *out = &v->s->layers[i];
	v->layer = out;
	if (i == 0)
		close_shared(v);
	for (size_t k = 0; k < l->nrules; k++) {
		const struct path_rule *r = &l->rules[k];
		bool deny = r->kind == RULE_DENY_READ || r->kind == RULE_DENY_WRITE;
		if (!expand_is_pattern(r))
			add_rule(v, out, r);
		else if (!deny)
			add_pattern(v, out, r);
	}
	v->s->cwd_note = cwd_refusal(v);
	v->s->cwd_can_be_root = v->s->cwd_note == NULL;
	if (!l->write_working_directory)
		v->s->cwd_note = "write_working_directory = no";
	/* A directory made for the run is there to be written. */
	if (v->p->working_directory_temp)
		v->s->cwd_note = NULL;
	if (v->s->cwd_note == NULL && !closes_cwd(v, out))
		add_implied(v, out, RULE_ALLOW_WRITE, &v->s->working_directory);
	if (v->s->temp_dir != NULL) {
		struct path_fact temp = fact_to_make(v->s->temp_dir);
		add_implied(v, out, RULE_ALLOW_WRITE, &temp);
	} else {
		struct path_fact temp;
		host_resolve(v->a, v->h->temp_host, &temp);
		if (temp.err == 0)
			add_implied(v, out, RULE_ALLOW_WRITE, &temp);
	}
}

/*
 * /run holds the sockets of the host's services. Of it only what programs need stays:
 * the resolver's file and the paths where NixOS keeps its system.
 */
static void
survey_run(struct surveyor *v)
{
	static const char *const needed[] = {"/etc/resolv.conf", "/run/current-system",
	    "/run/opengl-driver", "/run/wrappers"};
	struct layer_facts *l = &v->s->layers[0];
	struct path_fact run;
	host_resolve(v->a, "/run", &run);
	if (run.err != 0 || run.kind != FILE_DIR || strcmp(run.real, "/run") != 0)
		return;
	struct path_fact open[SRUN_ARRAY_LEN(needed)];
	size_t nopen = 0;
	for (size_t i = 0; i < SRUN_ARRAY_LEN(needed); i++) {
		struct path_fact *f = &open[nopen];
		host_resolve(v->a, needed[i], f);
		if (f->err == 0 && path_within(f->real, "/run") &&
		    rules_decide(v->s, f->real, NULL) != ACCESS_NONE)
			nopen++;
	}
	v->s->run_is_dir = true;
	add_implied(v, l, RULE_DENY_READ, &run);
	for (size_t i = 0; i < nopen; i++)
		add_implied(v, l, RULE_ALLOW_READ, &open[i]);
}

/* For whom an entry is closed. */
enum kernel_when {
	FOR_ALL,
	FOR_ROOT,         /* its mode keeps all others out */
	FOR_ROOT_MOUNTED, /* the same, and only when a file system is mounted there */
};

/*
 * Parts of /proc and /sys that reach the host. Root needs no capability to write
 * /proc/sys/kernel/core_pattern or to read /proc/kpageflags, only its uid (seen with
 * bubblewrap 0.8 on 6.18). What the kernel itself keeps from a process without capabilities
 * is not here: /proc/kmsg, the addresses in kallsyms, modules and iomem.
 */
static const struct {
	struct kernel_path entry;
	enum kernel_when when;
} kernel_paths[] = {
    {{"/proc/acpi", KERNEL_MASK_DIR}, FOR_ALL},           /* sleep, wake-up */
    {{"/proc/bus", KERNEL_READ_ONLY}, FOR_ALL},           /* PCI configuration space */
    {{"/proc/fs", KERNEL_READ_ONLY}, FOR_ALL},            /* NFS exports, file systems */
    {{"/proc/irq", KERNEL_READ_ONLY}, FOR_ALL},           /* where interrupts go */
    {{"/proc/kcore", KERNEL_MASK_FILE}, FOR_ALL},         /* memory */
    {{"/proc/keys", KERNEL_MASK_FILE}, FOR_ALL},          /* not of a namespace */
    {{"/proc/kpagecgroup", KERNEL_MASK_FILE}, FOR_ROOT},  /* whose each page is */
    {{"/proc/kpagecount", KERNEL_MASK_FILE}, FOR_ROOT},   /* how often it is mapped */
    {{"/proc/kpageflags", KERNEL_MASK_FILE}, FOR_ROOT},   /* what it is used for */
    {{"/proc/latency_stats", KERNEL_MASK_FILE}, FOR_ALL}, /* processes of the host */
    {{"/proc/pagetypeinfo", KERNEL_MASK_FILE}, FOR_ROOT},
    {{"/proc/sched_debug", KERNEL_MASK_FILE}, FOR_ALL}, /* processes; until 5.13 */
    {{"/proc/scsi", KERNEL_MASK_DIR}, FOR_ALL},         /* removing a disk */
    {{"/proc/slabinfo", KERNEL_MASK_FILE}, FOR_ROOT},   /* helps with the heap's layout */
    {{"/proc/sys", KERNEL_READ_ONLY}, FOR_ALL},
    {{"/proc/sysrq-trigger", KERNEL_READ_ONLY}, FOR_ALL},
    {{"/proc/timer_list", KERNEL_MASK_FILE}, FOR_ALL},  /* processes, addresses */
    {{"/proc/timer_stats", KERNEL_MASK_FILE}, FOR_ALL}, /* processes; until 4.11 */
    {{"/proc/vmallocinfo", KERNEL_MASK_FILE}, FOR_ROOT},
    {{"/sys/devices/virtual/powercap", KERNEL_MASK_DIR}, FOR_ROOT}, /* CVE-2020-8694 */
    {{"/sys/firmware", KERNEL_MASK_DIR}, FOR_ALL},        /* ACPI tables, EFI variables */
    {{"/sys/fs/bpf", KERNEL_MASK_DIR}, FOR_ROOT_MOUNTED}, /* pinned programs */
    {{"/sys/fs/pstore", KERNEL_MASK_DIR}, FOR_ROOT_MOUNTED}, /* the last crash's log */
    {{"/sys/kernel/config", KERNEL_MASK_DIR}, FOR_ROOT_MOUNTED},
    {{"/sys/kernel/debug", KERNEL_MASK_DIR}, FOR_ROOT_MOUNTED},
    {{"/sys/kernel/security", KERNEL_MASK_DIR},
        FOR_ROOT_MOUNTED},                             /* policies, IMA's list */
    {{"/sys/kernel/slab", KERNEL_MASK_DIR}, FOR_ROOT}, /* as slabinfo */
    {{"/sys/kernel/tracing", KERNEL_MASK_DIR}, FOR_ROOT_MOUNTED}, /* what others do */
};

static bool
is_closed_kernel(const struct host *h, const char *path, enum kernel_when when)
{
	struct stat st, sys;
	if (when == FOR_ALL)
		return access(path, F_OK) == 0;
	if (h->uid != 0 || access(path, R_OK) != 0)
		return false;
	return when == FOR_ROOT || (stat(path, &st) == 0 && stat("/sys", &sys) == 0 &&
	                               st.st_dev != sys.st_dev);
}

static void
survey_kernel(struct surveyor *v)
{
	size_t n = SRUN_ARRAY_LEN(kernel_paths);
	struct path_fact sys;
	host_resolve(v->a, "/sys", &sys);
	v->s->has_sys = sys.kind == FILE_DIR && strcmp(sys.real, "/sys") == 0;
	v->s->kernel = arena_alloc(v->a, n * sizeof(*v->s->kernel));
	for (size_t i = 0; i < n; i++)
		if (is_closed_kernel(
		        v->h, kernel_paths[i].entry.path, kernel_paths[i].when))
			v->s->kernel[v->s->nkernel++] = kernel_paths[i].entry;
}

static void
survey_devices(struct surveyor *v)
{
	const struct located_list *d = &v->p->devices;
	v->s->devices = arena_alloc(v->a, (d->n + 1) * sizeof(*v->s->devices));
	for (size_t i = 0; i < d->n; i++) {
		struct path_fact *f = &v->s->devices[i];
		host_resolve(v->a, d->v[i].text, f);
		judge_owners(v, d->v[i].origin, "devices", d->v[i].text, f);
		if (f->err != 0 || !path_within(f->real, "/dev"))
			errs_at(v->a, v->errs, d->v[i].origin, "devices '%s': %s",
			    d->v[i].text,
			    f->err != 0 ? strerror(f->err) : "is not below /dev");
	}
}

/* ttyname(3), for a terminal whose name is that of a terminal here too. */
static const char *
terminal_of(struct arena *a, int fd)
{
	struct stat open, named;
	char name[64];
	ssize_t n = readlink(arena_printf(a, "/proc/self/fd/%d", fd), name, sizeof(name));
	if (n <= 0 || n == (ssize_t)sizeof(name))
		return NULL;
	const char *path = arena_strndup(a, name, (size_t)n);
	if (!str_starts(path, "/dev/pts/") && !str_starts(path, "/dev/tty"))
		return NULL;
	if (fstat(fd, &open) != 0 || lstat(path, &named) != 0 || !S_ISCHR(open.st_mode) ||
	    open.st_dev != named.st_dev || open.st_ino != named.st_ino)
		return NULL;
	return path;
}

static void
survey_terminal(struct surveyor *v)
{
	for (int fd = 0; fd <= 2 && v->s->terminal == NULL; fd++)
		v->s->terminal = terminal_of(v->a, fd);
}

static void
survey_create(struct surveyor *v)
{
	for (size_t i = 0; i < v->p->ncreate; i++) {
		v->s->create =
		    arena_grow(v->a, v->s->create, v->s->ncreate, sizeof(*v->s->create));
		struct path_fact *f = &v->s->create[v->s->ncreate++];
		host_resolve(v->a, v->p->create[i].path, f);
		judge_owners(
		    v, v->p->create[i].origin, "create", v->p->create[i].written, f);
		if (f->real == NULL || f->err == ENOTDIR)
			errs_at(v->a, v->errs, v->p->create[i].origin, "create '%s': %s",
			    v->p->create[i].written, strerror(f->err));
	}
	caches_survey(v->a, v->p, v->h, v->s);
}

/* What can be judged only when every rule is resolved. */
static void
check_create(struct surveyor *v)
{
	for (size_t i = 0; i < v->p->ncreate; i++) {
		const struct path_fact *f = &v->s->create[i];
		if (f->real != NULL && rules_decide(v->s, f->real, NULL) != ACCESS_WRITE)
			errs_at(v->a, v->errs, v->p->create[i].origin,
			    "create '%s' is not in a write root [add it to allow_write]",
			    v->p->create[i].written);
		else if (f->real != NULL && f->err == 0 && f->kind != FILE_DIR)
			errs_at(v->a, v->errs, v->p->create[i].origin,
			    "create '%s' exists and is not a directory",
			    v->p->create[i].written);
	}
	caches_check(v->p, v->s);
}

/* The directories that temp = tmp makes private. One may be missing or a link to the other. */
static void
survey_shared_temp(struct surveyor *v)
{
	static const char *const names[] = {"/tmp", "/var/tmp"};
	struct survey *s = v->s;
	for (size_t i = 0; v->p->temp == TEMP_TMP && i < SRUN_ARRAY_LEN(names); i++) {
		struct path_fact f;
		host_resolve(v->a, names[i], &f);
		if (f.kind == FILE_DIR && !is_shared_temp(s, f.real))
			s->shared_temp[s->nshared_temp++] = f.real;
	}
}

static void
check_cwd(struct surveyor *v)
{
	const struct path_rule *why = NULL;
	const char *cwd = v->s->working_directory.real;
	enum access access = rules_decide(v->s, cwd, &why);
	v->s->cwd_is_root = access == ACCESS_WRITE;
	if (is_shared_temp(v->s, cwd))
		errs_add(v->a, v->errs,
		    "temp 'tmp' hides the working directory '%s' [use one below it]",
		    cwd);
	if (access == ACCESS_NONE)
		errs_at(v->a, v->errs, why->origin,
		    "deny_read '%s' closes the working directory '%s'", why->written,
		    cwd);
	else if (access == ACCESS_READ && v->s->cwd_note == NULL && why != NULL)
		v->s->cwd_note = arena_printf(v->a, "%s: deny_write '%s'",
		    origin_text(v->a, why->origin), why->written);
}

/*
 * What is denied in a directory that nobody can search is out of reach only until the
 * command, as its owner, changes the mode. Where it could, all of the directory is denied.
 */
static void
close_stuck(struct surveyor *v, struct rule_fact *r)
{
	struct path_fact dir;
	enum access most = r->rule->kind == RULE_DENY_READ ? ACCESS_NONE : ACCESS_READ;
	host_resolve(v->a, r->fact.stuck, &dir);
	if (dir.err != 0 || dir.uid != v->h->uid ||
	    rules_decide(v->s, dir.real, NULL) != ACCESS_WRITE)
		return;
	struct path_rule *rule = arena_alloc(v->a, sizeof(*rule));
	*rule = *r->rule;
	rule->path = dir.real;
	*r = (struct rule_fact){rule, dir};
	if (rules_decide(v->s, dir.real, NULL) > most)
		errs_at(v->a, v->errs, r->rule->origin,
		    "%s '%s' cannot be held: you cannot search '%s', and the command "
		    "could change that [chmod u+x it]",
		    kind_word(r->rule), r->rule->written, dir.real);
	else
		errs_at(v->a, v->notes, r->rule->origin,
		    "%s '%s': you cannot search '%s', so all of it is denied [chmod u+x "
		    "it]",
		    kind_word(r->rule), r->rule->written, dir.real);
}

static void
close_all_stuck(struct surveyor *v)
{
	for (size_t i = 0; i < v->s->nlayers; i++)
		for (size_t k = 0; k < v->s->layers[i].nrules; k++) {
			struct rule_fact *r = &v->s->layers[i].rules[k];
			bool deny = r->rule->kind == RULE_DENY_READ ||
			            r->rule->kind == RULE_DENY_WRITE;
			if (deny && r->fact.stuck != NULL)
				close_stuck(v, r);
		}
}

/* A missing name is held where the command could make it, but others can make it elsewhere. */
static void
note_missing(struct surveyor *v)
{
	for (size_t i = 0; i < v->s->nlayers; i++)
		for (size_t k = 0; k < v->s->layers[i].nrules; k++) {
			const struct rule_fact *r = &v->s->layers[i].rules[k];
			if (r->rule->kind != RULE_DENY_READ || r->rule->optional ||
			    r->fact.real == NULL || r->fact.err != ENOENT)
				continue;
			const char *dir =
			    arena_strndup(v->a, r->fact.real, r->fact.existing_len);
			if (rules_decide(v->s, dir, NULL) != ACCESS_WRITE)
				errs_at(v->a, v->notes, r->rule->origin,
				    "deny_read '%s' does not exist: nothing is closed, "
				    "and it is readable if it appears during the run",
				    r->rule->written);
		}
}

struct survey *
host_survey(struct arena *a, const struct policy *p, const struct host *h,
    const struct run_paths *names, struct errs *errs, struct errs *notes)
{
	struct survey *s = arena_alloc(a, sizeof(*s));
	struct surveyor v = {.a = a,
	    .p = p,
	    .h = h,
	    .names = names,
	    .s = s,
	    .errs = errs,
	    .notes = notes,
	    .listings = {.a = a},
	    .expander = {a, p, h, s, errs, notes, expand_budget()}};
	size_t before = errs->text.n;

	s->closed_file = state_file(a, names->state_dir, STATE_CLOSED);
	s->temp_dir = p->temp == TEMP_HOST ? NULL : names->temp;
	s->nlayers = p->nlayers;
	s->layers = arena_alloc(a, p->nlayers * sizeof(*s->layers));
	s->home = fact_to_make(NULL);
	if (h->home != NULL)
		host_resolve(a, h->home, &s->home);
	if (h->self != NULL)
		host_resolve(a, h->self, &s->self);
	survey_shared_temp(&v);
	survey_cwd(&v);
	survey_create(&v);
	for (size_t i = 0; i < p->nlayers; i++)
		survey_layer(&v, i);
	add_denied_patterns(&v, RULE_DENY_READ);
	add_denied_patterns(&v, RULE_DENY_WRITE);
	close_all_stuck(&v);
	survey_run(&v);
	state_show_names(a, p, names->state_dir, s);
	survey_kernel(&v);
	survey_devices(&v);
	survey_terminal(&v);
	check_create(&v);
	check_cwd(&v);
	note_missing(&v);
	return errs->text.n == before ? s : NULL;
}
