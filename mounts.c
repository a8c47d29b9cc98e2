/*
 * mounts.c: policy + facts → mount operations. Pure: no system call.
 *
 * Order of the work:
 *   1. collect boundaries: every canonical path where a rule starts to hold;
 *   2. walk them parents first, ask rules_decide() what each should be, and emit an
 *      operation only where that differs from what the mount above it already gives;
 *   3. pin every directory between a write root and something protected inside it: a
 *      mount travels with its directory entry, so renaming a parent would carry the
 *      protection away (a mount point itself cannot be renamed: EBUSY);
 *   4. sort, parents before children.
 * Destinations are canonical and exist (or are made before the start), so no mount is
 * ever led through a link.
 */
#include "mounts.h"

#include <stdlib.h>
#include <string.h>

#include "path.h"
#include "rules.h"

/* Where ttyname(3) of glibc looks besides /dev/pts, which is another one inside. */
#define TERMINAL_NODE "/dev/console"

/*
 * A start with 3,000 mounts that srun makes itself takes 2.7 s on a busy machine, and grows
 * with the square; bubblewrap is slower, and bwrap.c knows its limit.
 */
#define MOUNTS_LIMIT 5000

struct boundary {
	const char *path;
	const struct path_fact *fact;
	const struct path_rule *rule;
};

struct planner {
	struct arena *a;
	const struct policy *p;
	const struct survey *s;
	struct errs *errs;
	struct mount_plan *plan;
	struct boundary *bounds;
	size_t nbounds;
};

static const struct {
	const char *name;
	bool writable;
} kinds[] = {
    [MOUNT_ROOT_RO] = {"root read-only", false},
    [MOUNT_ROOT_RW] = {"root writable", true},
    [MOUNT_ROOT_NONE] = {"root empty", false},
    [MOUNT_BIND_RO] = {"read-only", false},
    [MOUNT_BIND_RW] = {"writable", true},
    [MOUNT_PIN] = {"pinned", true},
    [MOUNT_MASK_DIR] = {"closed", false},
    [MOUNT_MASK_OPEN] = {"closed around", false},
    [MOUNT_MASK_FILE] = {"closed file", false},
    [MOUNT_HIDE_DIR] = {"hidden", false},
    [MOUNT_HOLD] = {"held", true},
    [MOUNT_TMPFS] = {"private", true},
    [MOUNT_DEV] = {"devices", true},
    [MOUNT_DEV_NODE] = {"device", true},
    [MOUNT_PROC] = {"processes", true},
    [MOUNT_LINK] = {"link", false},
};

const char *
mount_kind_name(enum mount_kind kind)
{
	return kinds[kind].name;
}

bool
mount_kind_writable(enum mount_kind kind)
{
	return kinds[kind].writable;
}

static struct mount_op *
emit(struct planner *pl, enum mount_kind kind, const char *dest)
{
	struct mount_plan *m = pl->plan;
	m->ops = arena_grow(pl->a, m->ops, m->n, sizeof(*m->ops));
	struct mount_op *op = &m->ops[m->n++];
	*op = (struct mount_op){.kind = kind, .dest = dest, .source = dest};
	return op;
}

/* The emitted operation that is nearest above path, path itself excluded. */
static struct mount_op *
above(const struct planner *pl, const char *path)
{
	struct mount_op *best = &pl->plan->ops[0]; /* the root, above everything */
	size_t best_len = 0;
	for (size_t i = 0; i < pl->plan->n; i++) {
		struct mount_op *op = &pl->plan->ops[i];
		size_t len = strlen(op->dest);
		if (op->kind != MOUNT_LINK && len >= best_len &&
		    strcmp(op->dest, path) != 0 && path_within(path, op->dest)) {
			best = op;
			best_len = len;
		}
	}
	return best;
}

static struct mount_op *
find_op(const struct planner *pl, const char *dest)
{
	for (size_t i = 0; i < pl->plan->n; i++)
		if (strcmp(pl->plan->ops[i].dest, dest) == 0)
			return &pl->plan->ops[i];
	return NULL;
}

static bool
emitted(const struct planner *pl, const char *dest)
{
	return find_op(pl, dest) != NULL;
}

/* ---- boundaries ---- */

static void
add_boundary(struct planner *pl, const char *path, const struct path_fact *fact,
    const struct path_rule *r)
{
	pl->bounds = arena_grow(pl->a, pl->bounds, pl->nbounds, sizeof(*pl->bounds));
	pl->bounds[pl->nbounds++] = (struct boundary){path, fact, r};
}

static int
compare_bounds(const void *x, const void *y)
{
	const struct boundary *a = x, *b = y;
	int order = path_compare(a->path, b->path);
	/* At an equal path what the grant says comes before what srun adds. */
	return order != 0 ? order : (int)a->rule->optional - (int)b->rule->optional;
}

static void
collect_boundaries(struct planner *pl)
{
	for (size_t i = 0; i < pl->s->nlayers; i++)
		for (size_t k = 0; k < pl->s->layers[i].nrules; k++) {
			const struct rule_fact *r = &pl->s->layers[i].rules[k];
			if (r->fact.real != NULL && strcmp(r->fact.real, "/") != 0)
				add_boundary(pl, r->fact.real, &r->fact, r->rule);
		}
	if (pl->nbounds > 1)
		qsort(pl->bounds, pl->nbounds, sizeof(*pl->bounds), compare_bounds);
}

/* Missing, and not one of the directories that are made before the start. */
static bool
stays_missing(const struct planner *pl, const struct boundary *b)
{
	if (b->fact->kind != FILE_MISSING)
		return false;
	if (strcmp(b->path, pl->s->working_directory.real) == 0)
		return false;
	if (pl->s->temp_dir != NULL && strcmp(b->path, pl->s->temp_dir) == 0)
		return false;
	for (size_t i = 0; i < pl->s->ncreate; i++)
		if (path_within(pl->s->create[i].real, b->path))
			return false;
	return true;
}

/* ---- judgements on single rules ---- */

/*
 * Whether the command could replace a link that a rule goes through. An allow would then
 * be led elsewhere by an earlier run, a deny_write would lose the name it protects. A link
 * of the caller's in the working directory is no better when this run cannot write there:
 * an earlier one under another grant could.
 */
static void
judge_links(struct planner *pl, const struct rule_fact *r)
{
	if (r->rule->kind == RULE_DENY_READ)
		return;
	for (size_t i = 0; i < r->fact.nlinks; i++) {
		const struct link_hop *link = &r->fact.links[i];
		bool now = rules_decide(pl->s, link->path, NULL) == ACCESS_WRITE;
		bool earlier = link->own && pl->s->cwd_can_be_root &&
		               r->rule->kind != RULE_DENY_WRITE &&
		               path_within(link->path, pl->s->working_directory.real);
		if (!now && !earlier)
			continue;
		errs_at(pl->a, pl->errs, r->rule->origin,
		    "%s '%s' goes through the link '%s', which %s [name the target "
		    "'%s']",
		    rule_kind_names[r->rule->kind], r->rule->written, link->path,
		    now ? "the command could replace"
		        : "the command of an earlier run could have made",
		    r->fact.real);
	}
}

static void
judge_missing_deny(struct planner *pl, const struct boundary *b)
{
	bool deny = b->rule->kind == RULE_DENY_READ || b->rule->kind == RULE_DENY_WRITE;
	if (!deny ||
	    rules_decide(pl->s, path_parent(pl->a, b->path), NULL) != ACCESS_WRITE)
		return;
	errs_at(pl->a, pl->errs, b->rule->origin,
	    "%s '%s' does not exist, the command could make it, and it cannot be held "
	    "[make "
	    "it first]",
	    rule_kind_names[b->rule->kind], b->rule->written);
}

static void
judge_rules(struct planner *pl)
{
	for (size_t i = 0; i < pl->s->nlayers; i++)
		for (size_t k = 0; k < pl->s->layers[i].nrules; k++)
			if (pl->s->layers[i].rules[k].fact.real != NULL)
				judge_links(pl, &pl->s->layers[i].rules[k]);
}

/* ---- operations ---- */

static enum access
gives(const struct mount_op *op)
{
	switch (op->kind) {
	case MOUNT_ROOT_NONE:
	case MOUNT_MASK_DIR:
	case MOUNT_MASK_OPEN:
	case MOUNT_MASK_FILE:
	case MOUNT_HIDE_DIR:
		return ACCESS_NONE;
	case MOUNT_ROOT_RW:
	case MOUNT_BIND_RW:
	case MOUNT_PIN:
	case MOUNT_TMPFS:
		return ACCESS_WRITE;
	case MOUNT_ROOT_RO:
	case MOUNT_BIND_RO:
	case MOUNT_DEV:
	case MOUNT_DEV_NODE:
	case MOUNT_PROC:
	case MOUNT_HOLD:
	case MOUNT_LINK:
		break;
	}
	return ACCESS_READ;
}

static enum mount_kind
kind_for(const struct planner *pl, enum access access, const struct boundary *b)
{
	if (access == ACCESS_WRITE)
		return MOUNT_BIND_RW;
	if (access == ACCESS_READ)
		return b->fact->held ? MOUNT_HOLD : MOUNT_BIND_RO;
	if (b->fact->kind != FILE_DIR)
		return MOUNT_MASK_FILE;
	/* Nobody asked for /run to be closed: programs may look and find nothing. */
	if (pl->s->run_is_dir && strcmp(b->path, "/run") == 0 && b->rule->optional)
		return MOUNT_HIDE_DIR;
	return MOUNT_MASK_DIR;
}

/* Whether an allow names the very path: a private directory has nothing else of the host. */
static bool
granted(const struct planner *pl, const char *path)
{
	for (size_t i = 0; i < pl->nbounds; i++) {
		const struct boundary *b = &pl->bounds[i];
		bool allow =
		    b->rule->kind == RULE_ALLOW_READ || b->rule->kind == RULE_ALLOW_WRITE;
		if (allow && strcmp(b->path, path) == 0)
			return true;
	}
	return false;
}

static bool
emitted_below(const struct planner *pl, const char *dir)
{
	for (size_t i = 0; i < pl->plan->n; i++)
		if (path_within(pl->plan->ops[i].dest, dir))
			return true;
	return false;
}

static void
plan_boundary(struct planner *pl, const struct boundary *b)
{
	if (b->fact->kind == FILE_MISSING && stays_missing(pl, b)) {
		judge_missing_deny(pl, b);
		return;
	}
	if (emitted(pl, b->path))
		return;
	const struct path_rule *why = NULL;
	enum access access = rules_decide(pl->s, b->path, &why);
	struct mount_op *parent = above(pl, b->path);
	/* A private directory hides what is below: grants there are mounted again. */
	bool hidden = parent->kind == MOUNT_TMPFS && access != ACCESS_NONE;
	if (!hidden && gives(parent) == access) {
		pl->plan->dropped++;
		return;
	}
	if (parent->kind == MOUNT_TMPFS &&
	    (access == ACCESS_NONE || !granted(pl, b->path)))
		return;
	if (parent->kind == MOUNT_MASK_DIR)
		parent->kind = MOUNT_MASK_OPEN;
	enum mount_kind kind = kind_for(pl, access, b);
	if (kind == MOUNT_MASK_DIR && emitted_below(pl, b->path))
		kind = MOUNT_MASK_OPEN;
	struct mount_op *op = emit(pl, kind, b->path);
	if (op->kind == MOUNT_MASK_FILE) {
		op->source = pl->s->closed_file;
	} else {
		op->dev = b->fact->dev;
		op->ino = b->fact->ino;
	}
	op->rule = why != NULL ? why : b->rule;
}

/* Root writes there by its uid alone, whatever else is granted around it. */
static void
plan_sys(struct planner *pl)
{
	if (pl->s->has_sys && gives(above(pl, "/sys")) == ACCESS_WRITE &&
	    !emitted(pl, "/sys"))
		emit(pl, MOUNT_BIND_RO, "/sys");
}

/* Files that show something else; not where nothing can be read. */
static void
plan_shown(struct planner *pl)
{
	for (size_t i = 0; i < pl->s->nshown; i++) {
		const struct shown_file *f = &pl->s->shown[i];
		if (!emitted(pl, f->path) && gives(above(pl, f->path)) != ACCESS_NONE &&
		    above(pl, f->path)->kind != MOUNT_TMPFS)
			emit(pl, MOUNT_BIND_RO, f->path)->source = f->source;
	}
}

/* Every directory between a write root and what is protected inside it. */
static void
plan_pins(struct planner *pl)
{
	size_t n = pl->plan->n;
	for (size_t i = 0; i < n; i++) {
		struct mount_op op = pl->plan->ops[i];
		if (gives(&op) == ACCESS_WRITE || op.kind == MOUNT_LINK)
			continue;
		const char *dir = path_parent(pl->a, op.dest);
		while (strcmp(dir, "/") != 0 && pl->plan->n <= MOUNTS_LIMIT &&
		       !emitted(pl, dir)) {
			if (gives(above(pl, dir)) != ACCESS_WRITE ||
			    above(pl, dir)->kind == MOUNT_TMPFS)
				break;
			emit(pl, MOUNT_PIN, dir)->rule = op.rule;
			dir = path_parent(pl->a, dir);
		}
	}
}

/* Links that a granted path goes through must exist where a mount took them away. */
static void
plan_links(struct planner *pl)
{
	for (size_t i = 0; i < pl->s->nlayers; i++)
		for (size_t k = 0; k < pl->s->layers[i].nrules; k++) {
			const struct rule_fact *r = &pl->s->layers[i].rules[k];
			bool allow = r->rule->kind == RULE_ALLOW_READ ||
			             r->rule->kind == RULE_ALLOW_WRITE;
			for (size_t n = 0;
			     allow && r->fact.real != NULL && n < r->fact.nlinks; n++) {
				const struct link_hop *hop = &r->fact.links[n];
				struct mount_op *parent = above(pl, hop->path);
				bool hidden = gives(parent) == ACCESS_NONE ||
				              parent->kind == MOUNT_TMPFS;
				if (!hidden || emitted(pl, hop->path))
					continue;
				if (parent->kind == MOUNT_MASK_DIR)
					parent->kind = MOUNT_MASK_OPEN;
				emit(pl, MOUNT_LINK, hop->path)->source = hop->target;
			}
		}
}

static void
plan_root(struct planner *pl)
{
	static const enum mount_kind roots[] = {
	    [ACCESS_NONE] = MOUNT_ROOT_NONE,
	    [ACCESS_READ] = MOUNT_ROOT_RO,
	    [ACCESS_WRITE] = MOUNT_ROOT_RW,
	};
	const struct path_rule *why = NULL;
	enum access access = rules_decide(pl->s, "/", &why);
	emit(pl, roots[access], "/")->rule = why;
}

static void
plan_kernel(struct planner *pl)
{
	static const enum mount_kind how[] = {
	    [KERNEL_READ_ONLY] = MOUNT_BIND_RO,
	    [KERNEL_MASK_FILE] = MOUNT_MASK_FILE,
	    [KERNEL_MASK_DIR] = MOUNT_MASK_DIR,
	};
	emit(pl, MOUNT_DEV, "/dev");
	emit(pl, MOUNT_PROC, "/proc");
	for (size_t i = 0; i < pl->s->nkernel; i++) {
		const struct kernel_path *k = &pl->s->kernel[i];
		/* What is not there (an empty root has no /sys) needs no mask. */
		struct mount_op *op = find_op(pl, k->path);
		if (gives(above(pl, k->path)) == ACCESS_NONE ||
		    (op != NULL && gives(op) == ACCESS_NONE))
			continue;
		if (op == NULL)
			op = emit(pl, how[k->how], k->path);
		op->kind = how[k->how];
		if (op->kind == MOUNT_MASK_FILE)
			op->source = pl->s->closed_file;
	}
	for (size_t i = 0; i < pl->p->devices.n; i++)
		if (!emitted(pl, pl->s->devices[i].real))
			emit(pl, MOUNT_DEV_NODE, pl->s->devices[i].real);
	/* Or isatty(3) and ttyname(3) disagree inside, and tty(1) says that there is none. */
	if (pl->s->terminal != NULL && !emitted(pl, TERMINAL_NODE))
		emit(pl, MOUNT_DEV_NODE, TERMINAL_NODE)->source = pl->s->terminal;
}

static void
plan_temp(struct planner *pl)
{
	for (size_t i = 0; i < pl->s->nshared_temp; i++)
		emit(pl, MOUNT_TMPFS, pl->s->shared_temp[i]);
}

static int
compare_ops(const void *x, const void *y)
{
	const struct mount_op *a = x, *b = y;
	return path_compare(a->dest, b->dest);
}

const struct mount_plan *
mounts_plan(
    struct arena *a, const struct policy *p, const struct survey *s, struct errs *errs)
{
	struct mount_plan *plan = arena_alloc(a, sizeof(*plan));
	struct planner pl = {.a = a, .p = p, .s = s, .errs = errs, .plan = plan};
	size_t before = errs->text.n;

	collect_boundaries(&pl);
	judge_rules(&pl);
	plan_root(&pl);
	plan_temp(&pl);
	for (size_t i = 0; i < pl.nbounds; i++)
		plan_boundary(&pl, &pl.bounds[i]);
	plan_sys(&pl); /* before the pins, which would make it writable */
	plan_shown(&pl);
	plan_pins(&pl);
	plan_kernel(&pl);
	plan_links(&pl);
	if (plan->n > MOUNTS_LIMIT)
		errs_add(a, errs,
		    "the grant needs more than %d mounts, which would take too long "
		    "[deny "
		    "directories rather than files, and nearer to the write root]",
		    MOUNTS_LIMIT);
	qsort(plan->ops, plan->n, sizeof(*plan->ops), compare_ops);
	return errs->text.n == before ? plan : NULL;
}
