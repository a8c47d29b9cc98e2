/*
 * protectalias.c: denied files by whatever other name they have: hard links in the write
 * roots and bind mounts (alias.c finds them).
 *
 * Must not: make anything by itself; protect.c does.
 */
#include "protectalias.h"

#include <fcntl.h>
#include <string.h>

#include "alias.h"
#include "path.h"
#include "sys.h"

#define MOUNTINFO_LIMIT (16U * 1024 * 1024)

static void
protect_mounted_names(struct protector *x, const struct strv *paths)
{
	struct bytes text = {NULL, 0, 0};
	struct alias_list found = {NULL, 0};
	if (sys_read_file(
	        x->a, AT_FDCWD, "/proc/self/mountinfo", MOUNTINFO_LIMIT, &text) != 0)
		return;
	alias_mounts(x->a, text.data, paths, &found);
	for (size_t i = 0; i < found.n; i++)
		protect_existing(x, found.v[i].path,
		    arena_printf(x->a, "'%s' by another mount", found.v[i].of));
}

static void
protect_hard_links(struct protector *x, const struct alias_files *files)
{
	struct alias_list found = {NULL, 0};
	bool all = true;
	for (size_t i = 0; files->n > 0 && i < x->roots.n; i++)
		all = alias_links(x->a, x->roots.v[i], files, &found) && all;
	for (size_t i = 0; i < found.n; i++)
		protect_existing(x, found.v[i].path,
		    arena_printf(x->a, "another name of '%s'", found.v[i].of));
	if (!all)
		errs_add(x->a, x->errs,
		    "'%s' has %lu names, and they cannot all be found in time to deny "
		    "them [make it a file of its own, or grant less]",
		    files->v[0].path, (unsigned long)files->v[0].names);
	/* A root can be a file itself. */
	for (size_t i = 0; i < x->s->layers[0].nrules; i++) {
		const struct rule_fact *r = &x->s->layers[0].rules[i];
		for (size_t k = 0; k < files->n; k++)
			if (r->rule->kind == RULE_ALLOW_WRITE && r->fact.real != NULL &&
			    r->fact.dev == files->v[k].dev &&
			    r->fact.ino == files->v[k].ino)
				protect_existing(x, r->fact.real,
				    arena_printf(
				        x->a, "another name of '%s'", files->v[k].path));
	}
}

/* Denied files, of the set and of the grant, by whatever other name there is. */
void
protect_other_names(struct protector *x)
{
	struct strv paths = {NULL, 0};
	struct alias_files files = {NULL, 0};
	for (size_t i = 0; i < x->out->n; i++)
		if (!x->out->v[i].missing)
			strv_push(x->a, &paths, x->out->v[i].path);
	for (size_t i = 0; i < x->s->nlayers; i++)
		for (size_t k = 0; k < x->s->layers[i].nrules; k++) {
			const struct rule_fact *r = &x->s->layers[i].rules[k];
			if (r->rule->kind == RULE_DENY_WRITE && !r->rule->optional &&
			    r->fact.real != NULL && r->fact.err == 0 && !r->fact.held)
				strv_push(x->a, &paths, r->fact.real);
		}
	for (size_t i = 0; i < paths.n; i++)
		alias_collect(x->a, paths.v[i], &files);
	protect_mounted_names(x, &paths);
	protect_hard_links(x, &files);
}
