/*
 * test_mounts: rules and facts → the list of mount operations, or a refusal that names
 * path and line.
 */
#include "fake.h"
#include "mounts.h"
#include "path.h"
#include "tap.h"

/* An operation as text: "kind dest", and what is bound when that is something else. */
static void
show_op(struct fake *f, struct bytes *out, const struct mount_op *op)
{
	bytes_printf(&f->arena, out, "%s%s %s", out->len > 0 ? "; " : "",
	    mount_kind_name(op->kind), op->dest);
	if (strcmp(op->source, op->dest) != 0)
		bytes_printf(&f->arena, out, " <- %s", op->source);
}

/* What every plan has; left out of the expectations. */
static bool
standing(const struct mount_op *op)
{
	return op->kind == MOUNT_DEV || op->kind == MOUNT_PROC;
}

static const char *
show_plan(struct fake *f, const struct mount_plan *m)
{
	struct bytes out = {NULL, 0, 0};

	if (m == NULL)
		return arena_printf(&f->arena, "refused: %s", fake_errors(f));
	for (size_t i = 0; i < m->n; i++)
		if (!standing(&m->ops[i]))
			show_op(f, &out, &m->ops[i]);
	bytes_add(&f->arena, &out, "", 1);
	return out.data;
}

/* What holds for every plan, whatever the rules. */
static void
check_shape(struct fake *f, const struct mount_plan *m, const char *name)
{
	bool sorted = true, root = m->n > 0 && strcmp(m->ops[0].dest, "/") == 0,
	     twice = false;
	size_t dev = 0, proc = 0;

	for (size_t i = 0; i < m->n; i++) {
		sorted = sorted && (i == 0 || path_compare(m->ops[i - 1].dest,
		                                  m->ops[i].dest) <= 0);
		twice =
		    twice || (i > 0 && strcmp(m->ops[i - 1].dest, m->ops[i].dest) == 0);
		root = root && (m->ops[i].kind <= MOUNT_ROOT_NONE) == (i == 0);
		dev += m->ops[i].kind == MOUNT_DEV && strcmp(m->ops[i].dest, "/dev") == 0;
		proc +=
		    m->ops[i].kind == MOUNT_PROC && strcmp(m->ops[i].dest, "/proc") == 0;
	}
	if (!ok(sorted && root && !twice && dev == 1 && proc == 1, "'%s': in order",
	        name))
		printf("# sorted %d root first %d twice %d dev %zu proc %zu\n# %s\n",
		    sorted, root, twice, dev, proc, show_plan(f, m));
}

static void
check_plan(struct fake *f, const char *name, const char *want)
{
	const struct mount_plan *m =
	    mounts_plan(&f->arena, &f->policy, &f->survey, &f->errs);

	is_str(show_plan(f, m), want, "'%s'", name);
	if (m != NULL)
		check_shape(f, m, name);
}

/* ---- rules alone ---- */

static const struct {
	const char *rules, *want;
} plans[] = {
    /* the root */
    {"", "root read-only /"},
    {"aw /", "root writable /"},
    {"dr /", "root empty /"},
    {"ar /", "root read-only /"},
    {"dr /; ar /usr; ar /etc; aw /w",
        "root empty /; read-only /etc; read-only /usr; writable /w"},
    {"dr /; ar /usr; dr /usr/src; ar /usr/src/linux",
        "root empty /; read-only /usr; closed around /usr/src; read-only /usr/src/linux"},

    /* masks, and what is opened inside them */
    {"dr /home", "root read-only /; closed /home"},
    {"dr /etc/shadow file", "root read-only /; closed file /etc/shadow <- " FAKE_CLOSED},
    {"dr /home; ar /home/u/pub",
        "root read-only /; closed around /home; read-only /home/u/pub"},
    {"dr /home; aw /home/u/proj",
        "root read-only /; closed around /home; writable /home/u/proj"},
    {"dr /home; ar /home/u/f file",
        "root read-only /; closed around /home; read-only /home/u/f"},
    {"dr /home; ar /home/u/pub; dr /home/u/pub/k",
        "root read-only /; closed around /home; read-only /home/u/pub; closed "
        "/home/u/pub/k"},
    {"dr /home; aw /home/u/p; dr /home/u/p/k; ar /home/u/p/k/pub",
        "root read-only /; closed around /home; writable /home/u/p; closed around "
        "/home/u/p/k; "
        "read-only /home/u/p/k/pub"},

    /* write roots and what is protected inside: every directory between is pinned */
    {"aw /w", "root read-only /; writable /w"},
    {"aw /w; dw /w/.git", "root read-only /; writable /w; read-only /w/.git"},
    {"aw /w; dw /w/.git/hooks",
        "root read-only /; writable /w; pinned /w/.git; read-only /w/.git/hooks"},
    {"aw /w; dw /w/a/b/c/d", "root read-only /; writable /w; pinned /w/a; pinned /w/a/b; "
                             "pinned /w/a/b/c; read-only /w/a/b/c/d"},
    {"aw /w; dw /w/a/b; dw /w/a/c", "root read-only /; writable /w; pinned /w/a; "
                                    "read-only /w/a/b; read-only /w/a/c"},
    {"aw /w; dw /w/a/f file",
        "root read-only /; writable /w; pinned /w/a; read-only /w/a/f"},
    {"aw /w; dr /w/a/k", "root read-only /; writable /w; pinned /w/a; closed /w/a/k"},
    {"aw /w; dr /w/a/k file",
        "root read-only /; writable /w; pinned /w/a; closed file /w/a/k <- " FAKE_CLOSED},
    {"aw /w; dw /w/a/b; dr /w/a/b/c/k", "root read-only /; writable /w; pinned /w/a; "
                                        "read-only /w/a/b; closed /w/a/b/c/k"},
    {"aw /w; dr /w/a/s; aw /w/a/s/x/out; dw /w/a/s/x/out/y/z",
        "root read-only /; writable /w; pinned /w/a; closed around /w/a/s; "
        "writable /w/a/s/x/out; pinned /w/a/s/x/out/y; read-only /w/a/s/x/out/y/z"},
    {"aw /; dw /etc", "root writable /; read-only /etc"},
    {"aw /; dw /etc/ssh/keys",
        "root writable /; pinned /etc; pinned /etc/ssh; read-only /etc/ssh/keys"},
    {"aw /; dr /home/u", "root writable /; pinned /home; closed /home/u"},
    /* outside a write root nothing needs a pin */
    {"dr /home/u/.ssh; dw /etc/ssh", "root read-only /; closed /home/u/.ssh"},

    /* rules that another one implies are dropped */
    {"ar /usr; ar /etc", "root read-only /"},
    {"dw /usr", "root read-only /"},
    {"aw /w; aw /w/a; ar /w/b", "root read-only /; writable /w"},
    {"dr /home; dr /home/u; dr /home/u/.ssh", "root read-only /; closed /home"},
    {"aw /w; dw /w/a; dw /w/a/b; ar /w/a/c",
        "root read-only /; writable /w; read-only /w/a"},
    {"aw /w; aw /w; dr /x; dr /x", "root read-only /; writable /w; closed /x"},
    {"dr /home; ar /home", "root read-only /"},
    {"aw /w; dw /w", "root read-only /"},
    {"aw /w; dw /w/a; aw /w/a/b", "root read-only /; writable /w; read-only /w/a"},

    /* names that sort between a directory and its children */
    {"dr /a; ar /a/b; dr /a-b; dr /a.b",
        "root read-only /; closed around /a; read-only /a/b; closed /a-b; closed /a.b"},

    /* layers */
    {"aw /w |", "root read-only /"},
    {"aw /w | aw /w/src", "root read-only /; writable /w/src"},
    {"aw /w; dw /w/a | aw /w; dr /w/b",
        "root read-only /; writable /w; read-only /w/a; closed /w/b"},
    {"dr /home; ar /home/u | dr /home; ar /home/u/pub",
        "root read-only /; closed around /home; read-only /home/u/pub"},
    {"| dr /", "root empty /"},

    /* links: what a mask took away is made again, and the mask lets one pass through */
    {"dr /home; ar /data/x via=/home/u/l>/data/x",
        "root read-only /; closed around /home; link /home/u/l <- /data/x"},
    {"dr /; ar /usr/bin via=/bin>usr/bin",
        "root empty /; link /bin <- usr/bin; read-only /usr/bin"},
    {"dr /; ar /usr/bin via=/bin>usr/bin; ar /usr/bin/sh via=/bin>usr/bin",
        "root empty /; link /bin <- usr/bin; read-only /usr/bin"},
    {"ar /data/x via=/home/u/l>/data/x", "root read-only /"},
    {"dr /home; ar /home/u/real via=/home/u/l>real",
        "root read-only /; closed around /home; link /home/u/l <- real; read-only "
        "/home/u/real"},
    /* a deny goes where the link leads, and the link stays as it is */
    {"aw /w; dr /data/k via=/w/l>/data/k",
        "root read-only /; closed /data/k; writable /w"},
    {"dr /data/k via=/home/u/l>/data/k", "root read-only /; closed /data/k"},
    {"dw /data/k via=/home/u/l>/data/k; aw /data",
        "root read-only /; writable /data; read-only /data/k"},

    /* refused: a link that the command could replace */
    {"aw /w; dw /w/real via=/w/l>real", "refused: g.ini:2: deny_write '/w/real' goes "
                                        "through the link '/w/l', which the command "
                                        "could replace [name the target '/w/real']"},
    {"aw /w; ar /data via=/w/l>/data", "refused: g.ini:2: allow_read '/data' goes "
                                       "through the link '/w/l', which the command "
                                       "could replace [name the target '/data']"},
    {"aw /w; aw /data via=/x/l>/w/m via=/w/m>/data",
        "refused: g.ini:2: allow_write '/data' goes through the link '/w/m', which the "
        "command "
        "could replace [name the target '/data']"},
    {"aw /w; dw /w/d; ar /data via=/w/d/l>/data",
        "root read-only /; writable /w; read-only /w/d"},
    {"aw /w | ; ar /data via=/w/l>/data", "root read-only /"},

    /* refused: a name that the command could make */
    {"aw /w; dw /w/.envrc missing", "refused: g.ini:2: deny_write '/w/.envrc' does not "
                                    "exist, the command could make it, and it "
                                    "cannot be held [make it first]"},
    {"aw /w; dr /w/a/b/c missing", "refused: g.ini:2: deny_read '/w/a/b/c' does not "
                                   "exist, the command could make it, and it "
                                   "cannot be held [make it first]"},
    {"dr /home/u/.ssh missing; dw /etc/x missing", "root read-only /"},
    {"aw /w; dw /w/a; dw /w/a/x missing; dr /w/a/y missing",
        "root read-only /; writable /w; read-only /w/a"},
    {"aw /w; dw /w/x missing; dw /w/real via=/w/l>real",
        "refused: g.ini:3: deny_write '/w/real' goes through the link '/w/l', which the "
        "command "
        "could replace [name the target '/w/real'] | g.ini:2: deny_write '/w/x' does not "
        "exist, "
        "the command could make it, and it cannot be held [make it first]"},
};

/* ---- facts besides rules ---- */

static struct fake f;

static void
test_dropped(void)
{
	fake_init(&f, "ar /usr; aw /w; aw /w/a; dr /x; dr /x/y; dw /etc");
	const struct mount_plan *m = mounts_plan(&f.arena, &f.policy, &f.survey, &f.errs);
	is_int(m->dropped, 4, "dropped rules are counted");
	fake_free(&f);
}

static void
test_why(void)
{
	fake_init(&f, "aw /w; dr /w/a/k; dw /w/b | aw /w; dr /x");
	const struct mount_plan *m = mounts_plan(&f.arena, &f.policy, &f.survey, &f.errs);
	static const struct {
		const char *dest;
		unsigned line;
	} want[] = {{"/", 0}, {"/w", 1}, {"/w/a", 2}, {"/w/a/k", 2}, {"/w/b", 3},
	    {"/x", 5}, {"/dev", 0}, {"/proc", 0}};
	for (size_t k = 0; k < SRUN_ARRAY_LEN(want); k++)
		for (size_t i = 0; i < m->n; i++)
			if (strcmp(m->ops[i].dest, want[k].dest) == 0)
				is_int(m->ops[i].rule != NULL
				           ? m->ops[i].rule->origin.line
				           : 0,
				    want[k].line, "the rule of '%s'", want[k].dest);
	is_int(m->n, SRUN_ARRAY_LEN(want), "and nothing else is mounted");
	fake_free(&f);
}

static void
test_identity(void)
{
	fake_init(&f, "aw /w; dw /w/d; dr /w/f file; dr /w/e");
	const struct mount_plan *m = mounts_plan(&f.arena, &f.policy, &f.survey, &f.errs);
	for (size_t i = 0; i < m->n; i++) {
		const struct mount_op *op = &m->ops[i];
		if (op->kind == MOUNT_BIND_RW || op->kind == MOUNT_BIND_RO)
			ok(op->dev == 1 && op->ino == op->rule->origin.line,
			    "'%s' is bound by what was resolved", op->dest);
		else if (op->kind == MOUNT_MASK_FILE)
			ok(op->ino == 0,
			    "a closed file is not compared with what it covers");
	}
	fake_free(&f);
}

static void
test_temp_private(void)
{
	fake_init(&f, "dr /tmp; aw /tmp/srun-x missing implied");
	f.survey.temp_dir = "/tmp/srun-x";
	check_plan(&f, "a private directory that is made later, below a closed /tmp",
	    "root read-only /; closed around /tmp; writable /tmp/srun-x");
	fake_free(&f);
}

static void
test_temp_tmp(void)
{
	static const struct {
		const char *rules, *want;
	} rows[] = {
	    {"", "root read-only /; private /tmp; private /var/tmp"},
	    {"aw /tmp/p",
	        "root read-only /; private /tmp; writable /tmp/p; private /var/tmp"},
	    {"ar /tmp/p",
	        "root read-only /; private /tmp; read-only /tmp/p; private /var/tmp"},
	    {"ar /tmp/p/q; ar /tmp/p",
	        "root read-only /; private /tmp; read-only /tmp/p; private /var/tmp"},
	    {"aw /var/tmp/p; dw /var/tmp/p/d/e",
	        "root read-only /; private /tmp; private /var/tmp; writable /var/tmp/p; "
	        "pinned /var/tmp/p/d; read-only /var/tmp/p/d/e"},
	    {"dr /tmp/x", "root read-only /; private /tmp; private /var/tmp"},
	    {"dr /tmp; ar /tmp/x", "root read-only /; private /tmp; read-only /tmp/x; "
	                           "private /var/tmp"},
	    {"aw /tmp", "root read-only /; private /tmp; private /var/tmp"},
	    {"aw /", "root writable /; private /tmp; private /var/tmp"},
	    {"dr /", "root empty /; private /tmp; private /var/tmp"},
	    /* no grant: what is only protected is not brought in */
	    {"dw /tmp/x", "root read-only /; private /tmp; private /var/tmp"},
	    {"ar /tmp/x; dw /tmp/x",
	        "root read-only /; private /tmp; read-only /tmp/x; private /var/tmp"},
	    {"dw /tmp/x; ar /tmp/x/y",
	        "root read-only /; private /tmp; read-only /tmp/x/y; private /var/tmp"},
	    /* a granted path by a link that is not there any more */
	    {"aw /data/x via=/tmp/l>/data/x", "root read-only /; writable /data/x; "
	                                      "private /tmp; link /tmp/l <- /data/x; "
	                                      "private /var/tmp"},
	    /* a closed directory around must let one pass */
	    {"dr /var",
	        "root read-only /; private /tmp; closed around /var; private /var/tmp"},
	};
	for (size_t i = 0; i < SRUN_ARRAY_LEN(rows); i++) {
		fake_init(&f, rows[i].rules);
		f.policy.temp = TEMP_TMP;
		f.survey.shared_temp[0] = "/tmp";
		f.survey.shared_temp[1] = "/var/tmp";
		f.survey.nshared_temp = 2;
		check_plan(&f, rows[i].rules, rows[i].want);
		fake_free(&f);
	}
}

static void
test_kernel(void)
{
	static struct kernel_path paths[] = {
	    {"/proc/bus", KERNEL_READ_ONLY},
	    {"/proc/kcore", KERNEL_MASK_FILE},
	    {"/proc/scsi", KERNEL_MASK_DIR},
	    {"/sys/firmware", KERNEL_MASK_DIR},
	};
	static const struct {
		const char *rules, *want;
	} rows[] = {
	    {"", "root read-only /; read-only /proc/bus; closed file /proc/kcore "
	         "<- " FAKE_CLOSED "; closed /proc/scsi; closed /sys/firmware"},
	    {"dr /", "root empty /; read-only /proc/bus; closed file /proc/kcore "
	             "<- " FAKE_CLOSED "; closed /proc/scsi"},
	    {"dr /; ar /sys",
	        "root empty /; read-only /proc/bus; closed file /proc/kcore "
	        "<- " FAKE_CLOSED
	        "; closed /proc/scsi; read-only /sys; closed /sys/firmware"},
	    {"dr /sys", "root read-only /; read-only /proc/bus; closed file /proc/kcore "
	                "<- " FAKE_CLOSED "; closed /proc/scsi; closed /sys"},
	    {"dr /sys/firmware",
	        "root read-only /; read-only /proc/bus; closed file /proc/kcore "
	        "<- " FAKE_CLOSED "; closed /proc/scsi; closed /sys/firmware"},
	    /* what a grant says does not undo it */
	    {"aw /; dw /sys/firmware",
	        "root writable /; read-only /proc/bus; closed file /proc/kcore "
	        "<- " FAKE_CLOSED
	        "; closed /proc/scsi; read-only /sys; closed /sys/firmware"},
	};
	for (size_t i = 0; i < SRUN_ARRAY_LEN(rows); i++) {
		fake_init(&f, rows[i].rules);
		f.survey.kernel = paths;
		f.survey.nkernel = SRUN_ARRAY_LEN(paths);
		f.survey.has_sys = true;
		check_plan(&f, rows[i].rules, rows[i].want);
		fake_free(&f);
	}
}

/* Whatever is granted around it, /sys is not written. */
static void
test_sys(void)
{
	static const struct {
		const char *rules, *want;
	} rows[] = {
	    {"", "root read-only /"},
	    {"aw /", "root writable /; read-only /sys"},
	    {"aw /; dw /sys", "root writable /; read-only /sys"},
	    {"aw /; dr /sys", "root writable /; closed /sys"},
	    {"dr /", "root empty /"},
	    {"dr /; ar /sys", "root empty /; read-only /sys"},
	    {"aw /; dw /sys/a", "root writable /; read-only /sys; read-only /sys/a"},
	    {"aw /; dr /sys/a", "root writable /; read-only /sys; closed /sys/a"},
	};
	for (size_t i = 0; i < SRUN_ARRAY_LEN(rows); i++) {
		fake_init(&f, rows[i].rules);
		f.survey.has_sys = true;
		check_plan(&f, rows[i].rules, rows[i].want);
		fake_free(&f);
	}
}

static void
test_devices(void)
{
	struct located nodes[] = {{"/dev/kvm", {"g.ini", 1}}, {"/dev/gpu", {"g.ini", 2}},
	    {"/dev/kvm", {"g.ini", 3}}};
	struct path_fact facts[] = {
	    {.real = "/dev/kvm"}, {.real = "/dev/dri/card0"}, {.real = "/dev/kvm"}};

	fake_init(&f, "");
	f.policy.devices = (struct located_list){nodes, 3};
	f.survey.devices = facts;
	check_plan(&f, "devices, one of them named twice",
	    "root read-only /; device /dev/dri/card0; device /dev/kvm");
	fake_free(&f);
}

static void
test_terminal(void)
{
	struct located node[] = {{"/dev/console", {"g.ini", 1}}};
	struct path_fact fact[] = {{.real = "/dev/console"}};

	fake_init(&f, "");
	f.survey.terminal = "/dev/pts/3";
	check_plan(&f, "the caller's terminal",
	    "root read-only /; device /dev/console <- /dev/pts/3");
	f.policy.devices = (struct located_list){node, 1};
	f.survey.devices = fact;
	check_plan(&f, "unless the grant names that node",
	    "root read-only /; device /dev/console");
	fake_free(&f);
}

/* /run is hidden unless the grant closes it itself: then nobody may look. */
static void
test_run(void)
{
	static const struct {
		const char *rules, *want;
	} rows[] = {
	    {"dr /run implied", "root read-only /; hidden /run"},
	    {"dr /run implied; ar /run/r file implied",
	        "root read-only /; hidden /run; read-only /run/r"},
	    {"dr /run", "root read-only /; closed /run"},
	    {"dr /run; dr /run implied", "root read-only /; closed /run"},
	    {"dr /run implied | dr /run", "root read-only /; closed /run"},
	    {"dr /run; dr /run implied; ar /run/r file implied",
	        "root read-only /; closed around /run; read-only /run/r"},
	    {"dr /run implied; ar /data via=/run/l>/data",
	        "root read-only /; hidden /run; "
	        "link /run/l <- /data"},
	    {"dr /srv implied", "root read-only /; closed /srv"},
	};
	for (size_t i = 0; i < SRUN_ARRAY_LEN(rows); i++) {
		fake_init(&f, rows[i].rules);
		f.survey.run_is_dir = true;
		check_plan(&f, rows[i].rules, rows[i].want);
		fake_free(&f);
	}
}

/* Directories that are made before the start are there, as far as a plan goes. */
static void
test_made_later(void)
{
	struct path_rule create = {.kind = RULE_ALLOW_WRITE, .path = "/w/out/a"};
	struct path_fact fact = {.real = "/w/out/a", .kind = FILE_MISSING, .err = ENOENT};

	fake_init(&f, "dr /w; aw /w/out missing; dw /w/out/a missing; aw /new missing");
	f.policy.create = &create;
	f.policy.ncreate = 1;
	f.survey.create = &fact;
	f.survey.ncreate = 1;
	f.survey.working_directory =
	    (struct path_fact){.real = "/new", .kind = FILE_MISSING};
	check_plan(&f, "create and a new working directory",
	    "root read-only /; writable /new; closed around /w; writable /w/out; "
	    "read-only /w/out/a");
	fake_free(&f);
}

static void
test_kinds(void)
{
	static const enum mount_kind writable[] = {MOUNT_ROOT_RW, MOUNT_BIND_RW,
	    MOUNT_PIN, MOUNT_HOLD, MOUNT_TMPFS, MOUNT_DEV, MOUNT_DEV_NODE, MOUNT_PROC};

	for (int k = MOUNT_ROOT_RO; k <= MOUNT_LINK; k++) {
		bool want = false;
		for (size_t i = 0; i < SRUN_ARRAY_LEN(writable); i++)
			want = want || (int)writable[i] == k;
		const char *name = mount_kind_name((enum mount_kind)k);
		ok(name != NULL && mount_kind_writable((enum mount_kind)k) == want,
		    "'%s' is %swritable", name, want ? "" : "not ");
		for (int other = MOUNT_ROOT_RO; other < k; other++)
			if (strcmp(name, mount_kind_name((enum mount_kind)other)) == 0)
				ok(false, "'%s' is the name of two kinds", name);
	}
}

/* Many rules in any order give the same plan as in theirs. */
static void
test_order(void)
{
	fake_init(&f,
	    "aw /w; dw /w/a/b; dr /home; ar /home/u/pub; dr /home/u/pub/k; dw /w/c file; "
	    "aw /x; dr /x/y/z");
	const char *want =
	    show_plan(&f, mounts_plan(&f.arena, &f.policy, &f.survey, &f.errs));
	struct layer_facts *l = &f.survey.layers[0];
	unsigned seed = 1;
	bool same = true;
	for (int round = 0; round < 200; round++) {
		for (size_t i = l->nrules; i-- > 1;) {
			seed = seed * 1103515245 + 12345;
			size_t k = (seed >> 16) % (i + 1);
			struct rule_fact swap = l->rules[i];
			l->rules[i] = l->rules[k];
			l->rules[k] = swap;
		}
		same = same && strcmp(want, show_plan(&f, mounts_plan(&f.arena, &f.policy,
		                                              &f.survey, &f.errs))) == 0;
	}
	ok(same, "200 orders of the rules, one plan");
	fake_free(&f);
}

int
main(void)
{
	for (size_t i = 0; i < SRUN_ARRAY_LEN(plans); i++) {
		fake_init(&f, plans[i].rules);
		check_plan(&f, plans[i].rules, plans[i].want);
		fake_free(&f);
	}
	test_dropped();
	test_why();
	test_identity();
	test_temp_private();
	test_temp_tmp();
	test_kernel();
	test_sys();
	test_devices();
	test_terminal();
	test_run();
	test_made_later();
	test_kinds();
	test_order();
	return done();
}
