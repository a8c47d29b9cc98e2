/*
 * fake.h: for tests: a survey written as a line of text, so that rules and plans can be
 * judged without a file system.
 *
 *	dr /home; ar /home/u/pub | dw /w
 *
 * dr, ar, aw, dw: the four kinds of rule; ';' between rules, '|' between layers. After a
 * path, in any order: "file" (not a directory), "missing", "implied" (a default of srun),
 * "matched" (what a pattern means), "via=LINK>TEXT" (a link on the way, its canonical path and what it says).
 */
#ifndef SRUN_TEST_FAKE_H
#define SRUN_TEST_FAKE_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"
#include "mounts.h"
#include "policy.h"
#include "util.h"

struct fake {
	struct arena arena;
	struct policy policy;
	struct survey survey;
	struct errs errs;
};

#define FAKE_CLOSED "/run/srun/closed"

static inline void
fake_word(struct fake *f, const char *word, struct path_rule *r, struct path_fact *fact)
{
	if (strcmp(word, "file") == 0) {
		fact->kind = FILE_REGULAR;
	} else if (strcmp(word, "missing") == 0) {
		*fact = (struct path_fact){.path = fact->path,
		    .real = fact->real,
		    .kind = FILE_MISSING,
		    .err = ENOENT};
	} else if (strcmp(word, "implied") == 0) {
		r->optional = true;
	} else if (strcmp(word, "matched") == 0) {
		r->matched = true;
	} else if (strncmp(word, "via=", 4) == 0) {
		const char *text = strchr(word, '>');
		struct link_hop *hops = arena_grow(&f->arena,
		    (void *)(uintptr_t)fact->links, fact->nlinks, sizeof(*hops));
		hops[fact->nlinks].path =
		    arena_strndup(&f->arena, word + 4, (size_t)(text - word - 4));
		hops[fact->nlinks++].target = text + 1;
		fact->links = hops;
	} else {
		printf("Bail out! fake.h: '%s'\n", word);
		exit(1);
	}
}

static inline enum rule_kind
fake_kind(const char *word)
{
	static const char *const words[] = {
	    [RULE_DENY_READ] = "dr",
	    [RULE_ALLOW_READ] = "ar",
	    [RULE_ALLOW_WRITE] = "aw",
	    [RULE_DENY_WRITE] = "dw",
	};

	for (unsigned i = 0; i < SRUN_ARRAY_LEN(words); i++)
		if (strcmp(word, words[i]) == 0)
			return (enum rule_kind)i;
	printf("Bail out! fake.h: '%s'\n", word);
	exit(1);
}

/* The next word of *text up to a blank or one of ";|", or NULL at one of those. */
static inline char *
fake_next(struct fake *f, const char **text)
{
	const char *from = *text + strspn(*text, " ");
	size_t n = strcspn(from, " ;|");

	*text = from + n;
	return n > 0 ? arena_strndup(&f->arena, from, n) : NULL;
}

/* The line of a rule is its number, from 1, across all layers: "g.ini:3". */
static inline void
fake_rules(struct fake *f, const char *text)
{
	struct layer_facts *l = &f->survey.layers[f->survey.nlayers++];
	struct origin o = {"g.ini", 0};

	for (; *text != '\0'; text += *text != '\0') {
		char *word = fake_next(f, &text);

		if (word != NULL) {
			struct path_rule *r = arena_alloc(&f->arena, sizeof(*r));
			char *path = fake_next(f, &text);

			o.line++;
			*r = (struct path_rule){.kind = fake_kind(word),
			    .path = path,
			    .written = path,
			    .origin = o};
			l->rules =
			    arena_grow(&f->arena, l->rules, l->nrules, sizeof(*l->rules));
			struct path_fact *fact = &l->rules[l->nrules].fact;
			*fact = (struct path_fact){.path = path,
			    .real = path,
			    .kind = FILE_DIR,
			    .dev = 1,
			    .ino = o.line};
			l->rules[l->nrules++].rule = r;
			while ((word = fake_next(f, &text)) != NULL)
				fake_word(f, word, r, fact);
		}
		if (*text == '|')
			l = &f->survey.layers[f->survey.nlayers++];
	}
}

/* The working directory is /w, made by nobody's rule; /proc and /sys have nothing to close. */
static inline void
fake_init(struct fake *f, const char *rules)
{
	memset(f, 0, sizeof(*f));
	f->policy.temp = TEMP_PRIVATE;
	f->survey.layers = arena_alloc(&f->arena, 4 * sizeof(*f->survey.layers));
	f->survey.working_directory = (struct path_fact){
	    .path = "/w", .real = "/w", .kind = FILE_DIR, .dev = 1, .ino = 99};
	f->survey.closed_file = FAKE_CLOSED;
	fake_rules(f, rules);
}

static inline void
fake_free(struct fake *f)
{
	arena_free(&f->arena);
}

/* All of a NULL-safe list of errors, " | " between them. */
static inline const char *
fake_errors(struct fake *f)
{
	struct bytes out = {NULL, 0, 0};

	for (size_t i = 0; i < f->errs.text.n; i++)
		bytes_printf(&f->arena, &out, "%s%s", i ? " | " : "", f->errs.text.v[i]);
	bytes_add(&f->arena, &out, "", 1);
	return out.data;
}

#endif
