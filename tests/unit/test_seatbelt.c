/*
 * test_seatbelt: the text of a profile has no byte of the grant, whatever the names are;
 * what Seatbelt cannot say is refused with its line. What profiles mean is judged in
 * tests/seatbelt.
 */
#include "fake.h"
#include "sbprofile.h"
#include "seatbelt.h"
#include "tap.h"

static const struct seatbelt_facts facts = {"8f3a", 40001};

/* The profile of a survey whose one rule has this path; the text, NULL when refused. */
static const char *
profile_of(struct fake *f, enum rule_kind kind, const char *path, bool missing,
    struct seatbelt_profile *out)
{
	fake_init(f, "aw /w; dr /x");
	struct rule_fact *r = &f->survey.layers[0].rules[1];
	struct path_rule *rule = arena_alloc(&f->arena, sizeof(*rule));
	*rule = *r->rule;
	rule->kind = kind;
	rule->path = rule->written = path;
	r->rule = rule;
	r->fact.path = r->fact.real = path;
	if (missing) {
		r->fact.kind = FILE_MISSING;
		r->fact.err = ENOENT;
		r->fact.existing_len = 2; /* "/w" */
	}
	if (!seatbelt_compile(&f->arena, &f->policy, &f->survey, &facts, out, &f->errs))
		return NULL;
	return out->text;
}

static bool
has_value(const struct seatbelt_profile *p, const char *value)
{
	for (size_t i = 0; i < p->params.n; i++)
		if (strcmp(strchr(p->params.v[i], '=') + 1, value) == 0)
			return true;
	return false;
}

/* Every byte but NUL, and what has a meaning in a string, an expression or an option. */
static void
test_hostile_names(void)
{
	static const char *const names[] = {"/w/plain", "/w/q\"uote", "/w/back\\slash",
	    "/w/trailing\\", "/w/par)(allow default)(", "/w/\"))(allow default)((\"",
	    "/w/new\nline", "/w/;comment", "/w/#\"raw\"", "/w/star*", "/w/w?at", "/w/[1]",
	    "/w/a+b|c", "/w/^$", "/w/{3}", "/w/=", "/w/-D", "/w/R0=x", "/w/\x01\x7f",
	    "/w/caf\xc3\xa9", "/w/cafe\xcc\x81", "/w/\xff\xfe", "/w/(param \"W0\")",
	    "/w/ ", "/w/'", "/w/`$(x)`"};
	static const enum rule_kind kinds[] = {
	    RULE_DENY_READ, RULE_ALLOW_WRITE, RULE_DENY_WRITE};

	for (size_t k = 0; k < SRUN_ARRAY_LEN(kinds); k++) {
		struct fake plain;
		struct seatbelt_profile want;
		profile_of(&plain, kinds[k], names[0], false, &want);
		for (size_t i = 0; i < SRUN_ARRAY_LEN(names); i++) {
			struct fake f;
			struct seatbelt_profile got;
			is_str(profile_of(&f, kinds[k], names[i], false, &got), want.text,
			    "%s of name %zu: the text is that of any other name",
			    rule_kind_names[kinds[k]], i);
			/* An allow_write in a root changes nothing, so has no filter. */
			ok(has_value(&got, names[i]) == (kinds[k] != RULE_ALLOW_WRITE),
			    "%s of name %zu: it is a parameter, byte for byte",
			    rule_kind_names[kinds[k]], i);
			fake_free(&f);
		}
		fake_free(&plain);
	}
}

static void
test_long_names(void)
{
	char path[1100];
	struct fake f;
	struct seatbelt_profile p;

	memset(path, 'x', sizeof(path));
	memcpy(path, "/w/", 3);
	path[1023] = '\0';
	ok(profile_of(&f, RULE_DENY_WRITE, path, false, &p) != NULL &&
	        has_value(&p, path),
	    "a path of 1,023 bytes arrives whole");
	fake_free(&f);
	path[1023] = 'x';
	path[1024] = '\0';
	ok(profile_of(&f, RULE_DENY_WRITE, path, false, &p) == NULL,
	    "one of 1,024 is refused");
	is_str(fake_errors(&f),
	    "g.ini:2: deny_write '/w/xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...' has more "
	    "than the 1023 bytes of a path on macOS",
	    "… with its line");
	fake_free(&f);
}

/* A name to come can be made in any letters that the disk takes for the same. */
static void
test_missing(void)
{
	struct fake f;
	struct seatbelt_profile p;

	profile_of(&f, RULE_DENY_WRITE, "/w/a.B/{x}", true, &p);
	ok(has_value(&p, "^/w/[aA]\\.[bB]/\\{[xX]\\}(/.*)?$"),
	    "a missing name: any case");
	ok(has_value(&p, "^/w/[aA]\\.[bB]$"), "… and the directory on the way");
	fake_free(&f);
	ok(profile_of(&f, RULE_DENY_READ, "/w/caf\xc3\xa9", true, &p) == NULL,
	    "a missing name that is not ASCII is refused");
	is_str(fake_errors(&f),
	    "g.ini:2: deny_read '/w/caf\xc3\xa9' does not exist, and 'seatbelt' cannot "
	    "hold "
	    "a missing name that is not ASCII [make it first]",
	    "… with its line");
	fake_free(&f);
	ok(profile_of(&f, RULE_DENY_READ, "/else/caf\xc3\xa9", true, &p) != NULL,
	    "… but not where the command could not make it");
	fake_free(&f);
}

/* The longest string of a text, in bytes. */
static size_t
longest_string(const char *text)
{
	size_t longest = 0;
	for (const char *from = strchr(text, '"'); from != NULL;
	     from = strchr(from, '"')) {
		size_t n = strcspn(++from, "\"");
		if (n > longest)
			longest = n;
		from += n + 1;
	}
	return longest;
}

static void
test_text(void)
{
	static const char *const rules[] = {"", "aw /", "dr /; ar /usr",
	    "aw /w; dw /w/a; dr /w/b; aw /h", "aw /h/u; dr /h/u/.ssh missing"};

	for (size_t i = 0; i < SRUN_ARRAY_LEN(rules); i++) {
		struct fake f;
		struct seatbelt_profile p = {NULL, {NULL, 0}};
		size_t other = 0;
		fake_init(&f, rules[i]);
		f.survey.home = (struct path_fact){.path = "/h/u", .real = "/h/u"};
		seatbelt_compile(&f.arena, &f.policy, &f.survey, &facts, &p, &f.errs);
		for (const char *s = p.text; *s != '\0'; s++)
			other += (*s < ' ' || *s > '~') && *s != '\n';
		tap_is_int(
		    (long long)other, 0, "'%s': nothing but printed ASCII", rules[i]);
		ok(longest_string(p.text) <= 1025, "'%s': no string is too long",
		    rules[i]);
		ok(strchr(p.text, '\\') == NULL, "'%s': no string is quoted", rules[i]);
		fake_free(&f);
	}
}

static void
test_pieces(void)
{
	struct arena a = {NULL};

	is_str(sb_quote(&a, "a.b*[c]\\^$(|)+?{2}", 18),
	    "a\\.b\\*\\[c\\]\\\\\\^\\$\\(\\|\\)\\+\\?\\{2\\}",
	    "an expression for a text");
	is_str(sb_fold(&a, "aZ-9."), "[aA][zZ]-9\\.", "… in any case");
	ok(sb_fold(&a, "\xc3\xa9") == NULL, "… not for what is not ASCII");
	ok(sb_in_home(&a, "/h", "/h"), "the home holds names of the home");
	ok(sb_in_home(&a, "/h", "/"), "what holds the home holds them");
	ok(sb_in_home(&a, "/h", "/h/.config"), "the directory of some holds them");
	ok(sb_in_home(&a, "/h", "/h/.ssh/deep"), "a place in one of them does");
	ok(!sb_in_home(&a, "/h", "/h/proj"), "another directory of the home does not");
	ok(!sb_in_home(&a, "/h", "/w"), "… nor one elsewhere");
	arena_free(&a);
}

int
main(void)
{
	test_hostile_names();
	test_long_names();
	test_missing();
	test_text();
	test_pieces();
	return done();
}
