/*
 * test_rules: rules → what the command may do with a path, and which rule says so. Every
 * sentence of srun.ini(5) on precedence has rows here.
 */
#include "fake.h"
#include "rules.h"
#include "tap.h"

struct row {
	const char *rules, *path;
	enum access access;
	unsigned why; /* the number of the deciding rule, 0 for the default */
};

#define NONE  ACCESS_NONE
#define READ  ACCESS_READ
#define WRITE ACCESS_WRITE

static const struct row rows[] = {
    /* read everywhere, write nowhere */
    {"", "/", READ, 0},
    {"", "/etc/passwd", READ, 0},
    {"", "/home/u", READ, 0},

    /* deny_read closes a subtree, and nothing beside it */
    {"dr /home", "/home", NONE, 1},
    {"dr /home", "/home/u/x", NONE, 1},
    {"dr /home", "/", READ, 0},
    {"dr /home", "/homes", READ, 0},
    {"dr /home", "/hom", READ, 0},
    {"dr /home", "/home.d/x", READ, 0},
    {"dr /home", "/etc", READ, 0},
    {"dr /", "/", NONE, 1},
    {"dr /", "/etc/passwd", NONE, 1},
    {"dr /a/b", "/a", READ, 0},

    /* allow_read opens again inside a deny, a deny inside that closes again */
    {"dr /home; ar /home/u/pub", "/home/u/pub", READ, 2},
    {"dr /home; ar /home/u/pub", "/home/u/pub/x/y", READ, 2},
    {"dr /home; ar /home/u/pub", "/home/u", NONE, 1},
    {"dr /home; ar /home/u/pub", "/home/u/pub2", NONE, 1},
    {"dr /home; ar /home/u/pub; dr /home/u/pub/key", "/home/u/pub/key", NONE, 3},
    {"dr /home; ar /home/u/pub; dr /home/u/pub/key", "/home/u/pub/key/x", NONE, 3},
    {"dr /home; ar /home/u/pub; dr /home/u/pub/key", "/home/u/pub/k", READ, 2},
    {"dr /; ar /usr; dr /usr/share; ar /usr/share/zoneinfo", "/usr/share/zoneinfo/UTC",
        READ, 4},
    {"dr /; ar /usr; dr /usr/share; ar /usr/share/zoneinfo", "/usr/share/doc", NONE, 3},
    {"dr /; ar /usr; dr /usr/share; ar /usr/share/zoneinfo", "/usr/bin/env", READ, 2},
    {"dr /; ar /usr; dr /usr/share; ar /usr/share/zoneinfo", "/etc", NONE, 1},
    /* … whatever the order of the lines */
    {"dr /home/u/pub/key; ar /home/u/pub; dr /home", "/home/u/pub/key", NONE, 1},
    {"dr /home/u/pub/key; ar /home/u/pub; dr /home", "/home/u/pub/x", READ, 2},

    /* at an equal path allow_read wins, in either order */
    {"dr /home/u; ar /home/u", "/home/u", READ, 2},
    {"ar /home/u; dr /home/u", "/home/u/x", READ, 1},
    {"dr /; ar /", "/etc", READ, 2},
    {"dr /home; ar /home; dr /home/u", "/home/u", NONE, 3},

    /* what a pattern matches is less specific than a name at the same path, and no less */
    {"dr /h/key; ar /h/key matched", "/h/key", NONE, 1},
    {"dr /h/key; aw /h/key matched", "/h/key/x", NONE, 1},
    {"dr /h/key matched; ar /h/key", "/h/key", READ, 2},
    {"dr /h/key matched; aw /h/key", "/h/key", WRITE, 2},
    {"dr /h/key matched; ar /h/key matched", "/h/key", READ, 2},
    {"dr /h/key matched; ar /h", "/h/key", NONE, 1},
    {"dr /h; ar /h/pub matched", "/h/pub/x", READ, 2},
    {"dr /h; ar /h/pub matched; dr /h/pub/key matched", "/h/pub/key", NONE, 3},
    {"aw /h; dw /h/x matched", "/h/x/y", READ, 2},
    {"aw /h matched; dw /h matched", "/h", READ, 2},
    {"dr / matched; ar /usr", "/usr/bin", READ, 2},
    {"dr / matched", "/usr", NONE, 1},

    /* allow_write opens a subtree and makes it readable */
    {"aw /w", "/w", WRITE, 1},
    {"aw /w", "/w/a/b", WRITE, 1},
    {"aw /w", "/", READ, 0},
    {"aw /w", "/w2", READ, 0},
    {"aw /", "/", WRITE, 1},
    {"aw /", "/etc/passwd", WRITE, 1},
    {"dr /home; aw /home/u/proj", "/home/u/proj", WRITE, 2},
    {"dr /home; aw /home/u/proj", "/home/u/proj/src", WRITE, 2},
    {"dr /home; aw /home/u/proj", "/home/u", NONE, 1},
    {"dr /; aw /w", "/w/x", WRITE, 2},
    {"dr /home/u; aw /home/u", "/home/u/x", WRITE, 2},

    /* deny_write always wins, whatever is more specific */
    {"aw /w; dw /w/.git", "/w/.git", READ, 2},
    {"aw /w; dw /w/.git", "/w/.git/hooks/x", READ, 2},
    {"aw /w; dw /w/.git", "/w/.gitignore", WRITE, 1},
    {"aw /w; dw /w/.git", "/w", WRITE, 1},
    {"aw /w; dw /w/a; aw /w/a/b", "/w/a/b", READ, 2},
    {"aw /w; dw /w/a; aw /w/a/b", "/w/a/b/c", READ, 2},
    {"dw /; aw /w", "/w/x", READ, 1},
    {"aw /w; dw /w", "/w", READ, 2},
    {"dw /w; aw /w", "/w/x", READ, 1},
    {"dw /etc", "/etc/passwd", READ, 1},
    /* … but it opens nothing for reading, and closes nothing */
    {"dr /home; dw /home/u", "/home/u", NONE, 1},
    {"dw /home; dr /home/u", "/home/u/x", NONE, 2},
    {"dr /home; dw /home", "/home", NONE, 1},
    {"dr /home; ar /home/u; dw /home/u", "/home/u/x", READ, 3},

    /* deny_read inside a write root denies writing too */
    {"aw /w; dr /w/secret", "/w/secret", NONE, 2},
    {"aw /w; dr /w/secret", "/w/secret/x", NONE, 2},
    {"aw /w; dr /w/secret", "/w/x", WRITE, 1},
    /* … and allow_read inside that gives reading alone, allow_write both */
    {"aw /w; dr /w/secret; ar /w/secret/pub", "/w/secret/pub", READ, 3},
    {"aw /w; dr /w/secret; ar /w/secret", "/w/secret/x", READ, 3},
    {"aw /w; dr /w/secret; aw /w/secret/out", "/w/secret/out/x", WRITE, 3},
    {"aw /w; dr /w/secret; aw /w/secret/out; dr /w/secret/out/k", "/w/secret/out/k", NONE,
        4},
    {"aw /w; dr /w/s; aw /w/s/out; dw /w/s/out/k", "/w/s/out/k", READ, 4},
    {"aw /w; ar /w/a", "/w/a", WRITE, 1},
    {"aw /w; aw /w/a", "/w/a/x", WRITE, 2},

    /* read_only_paths = allow_read + deny_write, read_write_paths = allow_read + allow_write */
    {"dr /home; ar /home/u/doc; dw /home/u/doc", "/home/u/doc/x", READ, 3},
    {"aw /w; ar /w/doc; dw /w/doc", "/w/doc/x", READ, 3},
    {"dr /home; ar /home/u/p; aw /home/u/p", "/home/u/p/x", WRITE, 3},

    /* the first of two equal rules is the one that is named */
    {"dr /a; dr /a", "/a", NONE, 1},
    {"aw /a; aw /a", "/a", WRITE, 1},

    /* layers of narrowing: as open as the strictest, which is the one that is named */
    {"aw /w | aw /w", "/w/x", WRITE, 1},
    {"aw /w |", "/w/x", READ, 0},
    {"| aw /w", "/w/x", READ, 0},
    {"aw /w | aw /w/src", "/w/src/x", WRITE, 1},
    {"aw /w | aw /w/src", "/w/x", READ, 0},
    {"aw /w/a | aw /w/b", "/w/a", READ, 0},
    {"aw /w/a | aw /w/b", "/w/b", READ, 0},
    {"| dr /home", "/home/u", NONE, 1},
    {"dr /home | ar /home/u", "/home/u", NONE, 1},
    {"dr /home; ar /home/u | dr /home", "/home/u", NONE, 3},
    {"dr /home; ar /home/u | dr /home; ar /home/u/pub", "/home/u/pub", READ, 2},
    {"aw /w | dw /w/.git; aw /w", "/w/.git", READ, 2},
    {"aw /w; dw /w/.git | aw /w/.git", "/w/.git", READ, 2},
    {"aw /w | dr /w/k; aw /w", "/w/k", NONE, 2},
    {"aw / | aw / | aw /w", "/w/x", WRITE, 1},
    {"aw / | aw / | aw /w", "/etc", READ, 0},
    {"aw / | aw /w | dr /w/a; aw /w", "/w/a", NONE, 3},
};

static void
check_row(const struct row *r)
{
	struct fake f;
	const struct path_rule *why = NULL;

	fake_init(&f, r->rules);
	enum access access = rules_decide(&f.survey, r->path, &why);
	unsigned number = why != NULL ? why->origin.line : 0;
	if (!ok(access == r->access && number == r->why, "'%s': %s", r->rules, r->path))
		printf("# got  %d by rule %u\n# want %d by rule %u\n", (int)access,
		    number, (int)r->access, r->why);
	fake_free(&f);
}

/* A rule whose path could not be resolved holds nowhere. */
static void
check_unresolved(void)
{
	struct fake f;

	fake_init(&f, "dr /home; ar /home/u");
	f.survey.layers[0].rules[1].fact.real = NULL;
	is_int(rules_decide(&f.survey, "/home/u", NULL), NONE,
	    "a rule without a real path is none");
	fake_free(&f);
}

/* What is written does not count, only where it leads. */
static void
check_real(void)
{
	struct fake f;

	fake_init(&f, "aw /link");
	f.survey.layers[0].rules[0].fact.real = "/data";
	is_int(rules_decide(&f.survey, "/data/x", NULL), WRITE,
	    "the target of a link is opened");
	is_int(
	    rules_decide(&f.survey, "/link", NULL), READ, "the name of the link is not");
	fake_free(&f);
}

/* Narrowing never opens: each row with itself again, and with a layer that closes. */
static void
check_layers(void)
{
	for (size_t i = 0; i < SRUN_ARRAY_LEN(rows); i++) {
		struct fake f;

		if (strchr(rows[i].rules, '|') != NULL)
			continue;
		fake_init(&f, rows[i].rules);
		f.survey.layers[1] = f.survey.layers[0];
		f.survey.nlayers = 2;
		bool same = rules_decide(&f.survey, rows[i].path, NULL) == rows[i].access;
		f.survey.layers[1] = (struct layer_facts){NULL, 0};
		enum access less = rules_decide(&f.survey, rows[i].path, NULL);
		ok(same && less <= READ && less <= rows[i].access,
		    "'%s' narrowed by itself and by nothing granted", rows[i].rules);
		fake_free(&f);
	}
}

int
main(void)
{
	for (size_t i = 0; i < SRUN_ARRAY_LEN(rows); i++)
		check_row(&rows[i]);
	check_unresolved();
	check_real();
	check_layers();
	return done();
}
