/* test_sets: every named set can be used where its type is expected. */
#include "hostrule.h"
#include "path.h"
#include "caches.h"
#include "sets.h"
#include "tap.h"
#include "util.h"

static const char *const known[] = {"credentials", "caches", "npm", "pypi", "crates",
    "golang", "debian", "github", "gitlab", "maven", "rubygems", "dockerhub",
    "huggingface"};

/* What a reader of the manual expects @credentials to close. */
static const char *const expected[] = {"~/.ssh", "~/.gnupg", "~/.aws", "~/.config/gcloud",
    "~/.azure", "~/.oci", "~/.docker", "~/.kube", "~/.npmrc", "~/.pypirc",
    "~/.cargo/credentials.toml", "~/.gem/credentials", "~/.m2/settings.xml",
    "~/.gradle/gradle.properties", "~/.mozilla", "~/.config/google-chrome",
    "~/.config/chromium", "~/.config/BraveSoftware", "~/.thunderbird",
    "~/.password-store", "~/.local/share/keyrings", "~/.netrc", "~/.git-credentials",
    "~/.config/gh", "~/.config/glab-cli", ".env", ".env.local"};

static bool
has(const struct named_set *set, const char *member)
{
	for (const char *m = set->members; *m != '\0'; m += strlen(m) + 1)
		if (strcmp(m, member) == 0)
			return true;
	return false;
}

/* Plain names below the home or in the working directory, in normal form. */
static bool
good_path(struct arena *a, const char *m)
{
	const char *rest = str_starts(m, "~/") ? m + 2 : m;

	if (rest[0] == '/' || strstr(rest, "..") != NULL || strchr(rest, '$') != NULL ||
	    path_has_pattern(rest))
		return false;
	return strcmp(path_normalise(a, rest, "/") + 1, rest) == 0;
}

static void
test_set(struct arena *a, const struct named_set *set)
{
	size_t n = 0;

	ok(set->source != NULL && set->source[0] != '\0', "@%s has a source", set->name);
	ok(named_set_find(set->name) == set, "@%s is found by its name", set->name);
	for (const char *m = set->members; *m != '\0'; m += strlen(m) + 1, n++) {
		const char *why = NULL;
		struct host_rule rule;
		bool good, twice = false;

		if (set->type == SET_DOMAINS)
			why = host_rule_parse(a, m, false, &rule);
		good = set->type == SET_DOMAINS ? why == NULL : good_path(a, m);
		for (const char *o = set->members; o != m; o += strlen(o) + 1)
			twice |= strcmp(m, o) == 0;
		ok(good && !twice, "@%s: %s%s", set->name, m, twice ? " twice" : "");
	}
	ok(n != 0, "@%s has members", set->name);
}

int
main(void)
{
	struct arena a = {NULL};
	const struct named_set *credentials = named_set_find("credentials");

	for (size_t i = 0; i < named_nsets; i++)
		test_set(&a, &named_sets[i]);
	for (size_t i = 0; i < SRUN_ARRAY_LEN(known); i++)
		ok(named_set_find(known[i]) != NULL, "@%s exists", known[i]);
	ok(named_set_find("nope") == NULL && named_set_find("") == NULL, "others do not");
	for (size_t i = 0; i < SRUN_ARRAY_LEN(expected); i++)
		ok(has(credentials, expected[i]), "@credentials has %s", expected[i]);
	/* Each cache of Linux has a program, or is no directory to make. */
	for (const char *m = named_set_find("caches")->members; *m != '\0';
	     m += strlen(m) + 1) {
		bool none = strncmp(m, "~/Library/", 10) == 0 ||
		            strcmp(m, "~/.cargo/.package-cache") == 0 ||
		            strcmp(m, "~/.ccache") == 0;
		ok((caches_program(m + 2) == NULL) == none, "the program of %s", m);
	}
	is_str(caches_program(".npm/_cacache"), "npm", "by a directory above it");
	ok(caches_program(".npmrc") == NULL, "not by the beginning of a name");
	arena_free(&a);
	return done();
}
