/*
 * differ.c: random grants, and what they should mean, for tests/seatbelt/same.
 *
 *	differ DIRECTORY SEED GRANTS QUESTIONS
 *
 * DIRECTORY has a tree "w" (the working directory) and "home", made by the script. For
 * each grant that every step of srun accepts, this writes DIRECTORY/N/grant.ini, a profile
 * with questions and the answers of the policy to DIRECTORY/cases.scm, and those of the
 * questions that can be tried on this system to DIRECTORY/N/ops and N/want.
 *
 * The answer is stated here directly: rules_decide() about the path, the mandatory deny
 * set component by component, what must not be moved. It knows no profile.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend.h"
#include "deny_set.h"
#include "path.h"
#include "protect.h"
#include "rules.h"
#include "seatbelt.h"
#include "state.h"
#include "tempdir.h"

#define TRIED_A_GRANT 6 /* questions of a grant that are tried for real */

struct run {
	struct arena a;
	const char *dir;
	struct host host;
	const struct policy *policy;
	struct survey *survey;
	struct seatbelt_profile profile;
	const char *text; /* of the grant */
	uint64_t random;
};

static void
fail(const char *what)
{
	fprintf(stderr, "differ: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* xorshift64*: the same numbers everywhere. */
static unsigned
pick(struct run *r, unsigned n)
{
	r->random ^= r->random >> 12;
	r->random ^= r->random << 25;
	r->random ^= r->random >> 27;
	return (unsigned)((r->random * 0x2545F4914F6CDD1DU) >> 33) % n;
}

/* ---- the grant ---- */

/* Directories and files of the tree, below DIRECTORY. */
static const char *const places[] = {"w", "w/a", "w/a/x", "w/a/deep", "w/a/deep/er",
    "w/a/deep/er/f", "w/b", "w/b/c", "w/b/c/d", "w/sub", "w/sub/src", "w/we ird[1]",
    "w/we ird[1]/q\"x", "w/we ird[1]/q\"x/f", "w/Makefile", "home", "home/notes",
    "home/notes/n", "home/.config/app", "home/data", "home/data/one", "home/data/one/two",
    "home/data/one/two/f", "home/.ssh", "home/.aws", "other", "other/o1", "other/o2",
    "other/o2/o3"};

static void
add_lines(struct run *r, struct bytes *b, const char *key, unsigned most)
{
	for (unsigned n = pick(r, most + 1); n > 0; n--)
		bytes_printf(&r->a, b, "%s = \"literal:%s/%s\"\n", key, r->dir,
		    places[pick(r, SRUN_ARRAY_LEN(places))]);
}

static void
draw_grant(struct run *r)
{
	struct bytes b = {NULL, 0, 0};
	bytes_puts(&r->a, &b, "[filesystem]\n");
	add_lines(r, &b, "allow_write", 3);
	add_lines(r, &b, "deny_write", 2);
	add_lines(r, &b, "deny_read", 3);
	add_lines(r, &b, "allow_read", 2);
	if (pick(r, 4) == 0)
		bytes_puts(&r->a, &b, "write_working_directory = no\n");
	if (pick(r, 6) == 0)
		bytes_puts(&r->a, &b, "allow_git_config = yes\n");
	if (pick(r, 6) == 0)
		bytes_printf(&r->a, &b, "deny_write = %s/w/a/New.txt\n", r->dir);
	bytes_add(&r->a, &b, "", 1);
	r->text = b.data;
}

/* A line with a quote in the name would need another dialect: such names come as they are. */
static const char *
plain_text(struct run *r)
{
	struct bytes b = {NULL, 0, 0};
	for (const char *p = r->text; *p != '\0';) {
		size_t n = strcspn(p, "\n");
		const char *line = arena_strndup(&r->a, p, n);
		const char *from = strstr(line, "\"literal:");
		if (from != NULL)
			bytes_printf(&r->a, &b, "%.*s%.*s\n", (int)(from - line), line,
			    (int)(n - (size_t)(from - line) - 2), from + 1);
		else
			bytes_printf(&r->a, &b, "%s\n", line);
		p += n + (p[n] == '\n');
	}
	bytes_add(&r->a, &b, "", 1);
	return b.data;
}

static bool
compile(struct run *r, const char *grant_file)
{
	struct errs errs = {{NULL, 0}}, notes = {{NULL, 0}};
	struct grant_context ctx = {r->host.home, r->host.cwd, r->host.environ};
	struct grant_text text = {grant_file, r->dir, r->text, strlen(r->text), false};
	struct run_paths names = {.state_dir = "/nowhere"};
	struct protection protection = {.n = 0};
	struct protect_files files = {.state_dir = state_dir(&r->a, &r->host)};
	struct launch bwrap = {.fd_base = 10};
	static const struct seatbelt_facts facts = {"8f3a", 0};

	r->policy = policy_build(&r->a, &text, NULL, 0, NULL, 0, &ctx, &errs);
	if (r->policy == NULL)
		return false;
	tempdir_choose(&r->a, &r->host, &names);
	r->survey = host_survey(&r->a, r->policy, &r->host, &names, &errs, &notes);
	strv_push(&r->a, &files.paths, grant_file);
	return r->survey != NULL &&
	       protect_survey(&r->a, r->policy, &r->host, r->survey, &files, NULL,
	           &protection, &errs, &notes) &&
	       backend_by_id(ISOLATION_BWRAP)
	           ->compile(&r->a, r->policy, r->survey, &bwrap, &errs) &&
	       seatbelt_compile(&r->a, r->policy, r->survey, &facts, &r->profile, &errs);
}

/* ---- the answer of the policy ---- */

static bool
may_write(const struct run *r, const char *path)
{
	return rules_decide(r->survey, path, NULL) == ACCESS_WRITE;
}

/* The outermost directory above path from which on everything down to it is writable. */
static const char *
root_of(struct run *r, const char *path)
{
	const char *root = NULL;
	for (const char *up = path;; up = path_parent(&r->a, up)) {
		if (may_write(r, up))
			root = up;
		if (strcmp(up, "/") == 0)
			return root;
	}
}

static bool
is_git_part(const struct run *r, const struct strv *v, size_t i, bool *way)
{
	bool inner = i + 1 < v->n && (strcasecmp(v->v[i + 1], "modules") == 0 ||
	                                 strcasecmp(v->v[i + 1], "worktrees") == 0);
	*way = *way || i + 1 == v->n || (inner && v->n - i <= 3) ||
	       (i + 2 == v->n && strcasecmp(v->v[i + 1], "info") == 0);
	for (size_t at = i + 1; at < v->n && (inner || at == i + 1); at++)
		for (size_t e = 0; e < deny_set_size; e++) {
			const char *path = deny_set[e].path, *slash = strchr(path, '/');
			size_t len =
			    slash != NULL ? (size_t)(slash - path) : strlen(path);
			if (deny_set[e].scope != DENY_GIT || strlen(v->v[at]) != len ||
			    strncasecmp(v->v[at], path, len) != 0 ||
			    (inner && at < i + 2))
				continue;
			if (slash != NULL &&
			    (at + 1 >= v->n || strcasecmp(v->v[at + 1], slash + 1) != 0))
				continue;
			if (r->policy->allow_git_config && !inner &&
			    strcmp(path, "config") == 0)
				continue;
			return true;
		}
	return false;
}

static bool
is_home_part(const struct run *r, const char *path, bool *way)
{
	size_t n = r->host.home != NULL ? strlen(r->host.home) : 0;
	if (n == 0 || !path_within(path, r->host.home) || strlen(path) <= n + 1)
		return false;
	const char *rest = path + n + 1;
	for (size_t e = 0; e < deny_set_size; e++) {
		size_t len = strlen(deny_set[e].path), m = strlen(rest);
		if (deny_set[e].scope != DENY_HOME)
			continue;
		if (m >= len && strncasecmp(rest, deny_set[e].path, len) == 0 &&
		    (rest[len] == '\0' || rest[len] == '/'))
			return true;
		if (m < len && strncasecmp(rest, deny_set[e].path, m) == 0 &&
		    deny_set[e].path[m] == '/')
			*way = true;
	}
	return false;
}

/* Whether path is of the mandatory set; *way: it is a directory on the way to a name of it. */
static bool
is_mandatory(struct run *r, const char *path, bool *way)
{
	const char *root = root_of(r, path);
	struct strv v = {NULL, 0};
	*way = false;
	if (root == NULL ||
	    (r->survey->temp_dir != NULL && path_within(path, r->survey->temp_dir)))
		return false;
	for (const char *p = path + strlen(root); *p != '\0';) {
		p += strspn(p, "/");
		size_t n = strcspn(p, "/");
		strv_push(&r->a, &v, arena_strndup(&r->a, p, n));
		p += n;
	}
	for (size_t i = 0; i < v.n; i++) {
		if (deny_set_tree(i > 0 ? v.v[i - 1] : "", v.v[i], true) != NULL)
			return true;
		if (i + 1 == v.n && deny_set_way(v.v[i], true) != NULL)
			*way = true;
		if (strcasecmp(v.v[i], ".git") == 0 && is_git_part(r, &v, i, way))
			return true;
	}
	return is_home_part(r, path, way);
}

/* A root, or a directory above something that cannot be written: it stays where it is. */
static bool
must_stay(struct run *r, const char *path)
{
	if (!may_write(r, path_parent(&r->a, path)))
		return true;
	for (size_t i = 0; i < r->survey->nlayers; i++)
		for (size_t j = 0; j < r->survey->layers[i].nrules; j++) {
			const char *real = r->survey->layers[i].rules[j].fact.real;
			if (real != NULL && path_within(real, path) &&
			    strcmp(real, path) != 0 && !may_write(r, real))
				return true;
		}
	return false;
}

/* A missing name that is only denied in letters of another case, or on the way to one. */
static bool
denied_in_letters(struct run *r, const char *path)
{
	for (size_t i = 0; i < r->survey->nlayers; i++)
		for (size_t j = 0; j < r->survey->layers[i].nrules; j++) {
			const struct path_fact *f = &r->survey->layers[i].rules[j].fact;
			if (f->real != NULL && f->kind == FILE_MISSING &&
			    !may_write(r, f->real) &&
			    strncasecmp(path, f->real, strlen(f->real)) == 0)
				return true;
		}
	return false;
}

struct question {
	const char *verb, *path, *other;
	bool answer;
	bool mac_only; /* Linux says it at the end instead: a missing name of the set */
};

static bool
may_change(struct run *r, const char *path, bool there, struct question *q)
{
	bool way;
	bool mandatory = is_mandatory(r, path, &way);
	if (!may_write(r, path))
		return false;
	if (mandatory || way || (!there && denied_in_letters(r, path))) {
		q->mac_only = true;
		return false;
	}
	return true;
}

static void
answer(struct run *r, struct question *q)
{
	bool way = false;
	q->mac_only = false;
	if (strncmp(q->verb, "read", 4) == 0) {
		q->answer = rules_decide(r->survey, q->path, NULL) != ACCESS_NONE;
	} else if (strcmp(q->verb, "write") == 0) {
		q->answer = may_write(r, q->path) && !is_mandatory(r, q->path, &way) &&
		            !(way && strcasecmp(path_base(q->path), ".git") == 0);
		q->mac_only = may_write(r, q->path) && !q->answer;
	} else if (strcmp(q->verb, "create") == 0 || strcmp(q->verb, "mkdir") == 0) {
		q->answer = may_change(r, q->path, false, q);
	} else if (strcmp(q->verb, "unlink") == 0) {
		q->answer = may_change(r, q->path, true, q) && !must_stay(r, q->path);
	} else if (strcmp(q->verb, "link") == 0) {
		/* The first name gives the file away, the second is made. */
		bool from = may_write(r, q->path) && !is_mandatory(r, q->path, &way);
		q->mac_only = may_write(r, q->path) && !from;
		q->answer = may_change(r, q->other, false, q) && from;
	} else { /* rename, renamedir */
		bool from = may_change(r, q->path, true, q) && !must_stay(r, q->path);
		q->answer = may_change(r, q->other, false, q) && from;
	}
}

/* ---- questions ---- */

/* Files and directories that exist; the next list is of names that do not. */
static const char *const files[] = {"w/a/x", "w/a/deep/er/f", "w/b/c/d/f", "w/Makefile",
    "w/.git/config", "w/.git/HEAD", "w/.git/hooks/pre-commit", "w/.git/objects/o",
    "w/sub/.git/config", "w/sub/.git/index", "w/.vscode/settings.json", "w/.bashrc",
    "w/.claude/settings.json", "w/.claude/notes", "w/we ird[1]/q\"x/f", "w/sub/src/m.c",
    "home/.ssh/id", "home/.ssh/known_hosts", "home/.aws/credentials", "home/.zshrc",
    "home/.config/app/f", "home/notes/n", "home/data/one/two/f", "home/data/one/g",
    "other/o1", "other/o2/o3/f"};
static const char *const dirs[] = {"w", "w/a", "w/a/deep", "w/a/deep/er", "w/b", "w/b/c",
    "w/b/c/d", "w/.git", "w/.git/hooks", "w/.git/info", "w/.git/objects", "w/sub",
    "w/sub/.git", "w/sub/src", "w/.vscode", "w/.claude", "w/we ird[1]", "home",
    "home/.ssh", "home/.aws", "home/.config", "home/.config/app", "home/data",
    "home/data/one", "home/data/one/two", "other", "other/o2", "other/o2/o3"};
static const char *const missing[] = {"w/new", "w/a/new", "w/a/New.txt", "w/a/NEW.TXT",
    "w/b/c/new", "w/sub/new", "w/.envrc", "w/sub/src/.envrc", "w/a/.BashRC",
    "w/a/deep/.mcp.json", "w/a/.git", "w/b/.claude", "w/.git/commondir",
    "w/.git/objects/new", "w/sub/.git/hooks/new", "w/.git/info/attributes",
    "w/a/x.code-workspace", "w/.gitignore", "home/new", "home/.npmrc", "home/.profile",
    "home/.config/fish", "home/.config/new", "home/.local", "home/.ssh/new",
    "home/notes/new", "home/data/one/two/new", "other/new", "other/o2/new",
    "w/we ird[1]/q\"x/new"};

#define BELOW(r, list) path_join(&(r)->a, (r)->dir, (list)[pick(r, SRUN_ARRAY_LEN(list))])

static struct question
ask(struct run *r)
{
	static const char *const verbs[] = {"read", "readdir", "write", "create", "mkdir",
	    "unlink", "rename", "renamedir", "link"};
	struct question q = {
	    verbs[pick(r, SRUN_ARRAY_LEN(verbs))], NULL, NULL, false, false};
	bool new = strcmp(q.verb, "create") == 0 || strcmp(q.verb, "mkdir") == 0;
	bool dir = strcmp(q.verb, "readdir") == 0 || strcmp(q.verb, "renamedir") == 0;
	q.path = new ? BELOW(r, missing) : dir ? BELOW(r, dirs) : BELOW(r, files);
	if (strcmp(q.verb, "renamedir") == 0 || strcmp(q.verb, "rename") == 0 ||
	    strcmp(q.verb, "link") == 0)
		/* Beside it, where no file system and no mount lies between. */
		q.other = pick(r, 3) != 0 ? arena_printf(&r->a, "%s.new", q.path)
		                          : BELOW(r, missing);
	answer(r, &q);
	return q;
}

/* ---- output ---- */

static void
put_string(FILE *f, const char *text)
{
	putc('"', f);
	for (; *text != '\0'; text++) {
		if (*text == '"' || *text == '\\')
			putc('\\', f);
		putc(*text, f);
	}
	putc('"', f);
}

static FILE *
open_file(struct run *r, size_t n, const char *name)
{
	FILE *f = fopen(arena_printf(&r->a, "%s/%zu/%s", r->dir, n, name), "w");
	if (f == NULL)
		fail(name);
	return f;
}

static void
put_profile(struct run *r, FILE *f, size_t n)
{
	fprintf(f, "(grant %zu (", n);
	for (size_t i = 0; i < r->profile.params.n; i++)
		put_string(f, r->profile.params.v[i]);
	fputs(")\n(", f);
	fputs(r->profile.text, f);
	fputs(")\n", f);
}

/* Beside each other, so that a rename is not refused for the mount between. */
static bool
can_be_tried(const struct question *q)
{
	size_t n = strlen(q->path);
	return !q->mac_only && (q->other == NULL || (strncmp(q->path, q->other, n) == 0 &&
	                                                q->other[n] != '/'));
}

static void
put_questions(struct run *r, FILE *f, size_t n, unsigned questions)
{
	FILE *ops = open_file(r, n, "ops"), *want = open_file(r, n, "want");
	unsigned tried = 0;
	for (unsigned i = 0; i < questions; i++) {
		struct question q = ask(r);
		fprintf(f, "(%s %s ", q.answer ? "allow" : "deny", q.verb);
		put_string(f, q.path);
		if (q.other != NULL)
			put_string(f, q.other);
		fprintf(f, ")\n");
		if (tried == TRIED_A_GRANT || !can_be_tried(&q))
			continue;
		tried++;
		fprintf(ops, "%s\t%s\t%s\n", q.verb, q.path, q.other ? q.other : "");
		fprintf(want, "%s\n", q.answer ? "allow" : "deny");
	}
	fputs(")\n", f);
	if (fclose(ops) != 0 || fclose(want) != 0)
		fail("ops");
}

static void
put_grant(struct run *r, size_t n)
{
	FILE *f = open_file(r, n, "grant.ini");
	fputs(r->text, f);
	if (fclose(f) != 0)
		fail("grant.ini");
}

int
main(int argc, char **argv)
{
	extern char **environ;
	struct run r = {.dir = argc == 5 ? argv[1] : "", .random = 0};
	if (argc != 5)
		fail("use: differ DIRECTORY SEED GRANTS QUESTIONS");
	unsigned grants = (unsigned)strtoul(argv[3], NULL, 10), drawn = 0;
	r.random = strtoul(argv[2], NULL, 10) * 0x9E3779B97F4A7C15U + 1;
	FILE *f = fopen(arena_printf(&r.a, "%s/cases.scm", r.dir), "w");
	if (f == NULL)
		fail(r.dir);
	host_read(&r.a, &r.host, (const char *const *)environ);
	for (size_t n = 0; n < grants && drawn < 50 * grants; drawn++) {
		const char *dir = arena_printf(&r.a, "%s/%zu", r.dir, n);
		draw_grant(&r);
		r.text = plain_text(&r);
		if (!compile(&r, arena_printf(&r.a, "%s/grant.ini", dir)))
			continue;
		if (mkdir(dir, 0755) != 0)
			fail(dir);
		put_grant(&r, n);
		put_profile(&r, f, n++);
		put_questions(&r, f, n - 1, (unsigned)strtoul(argv[4], NULL, 10));
		if (n == grants)
			printf("%u grants of %u drawn\n", grants, drawn + 1);
	}
	arena_free(&r.a);
	return fclose(f) == 0 ? 0 : 1;
}
