/*
 * test_report: words as a shell reads them back, and what --check and --print say of a
 * small made-up launch.
 */
#include "fake.h"
#include "filter.h"
#include "report.h"
#include "tap.h"

static struct arena arena;

/*
 * What a POSIX shell makes of a text that is one word of literal characters, '…' and \';
 * NULL if it is anything else to it.
 */
static const char *
unquote(const char *text)
{
	static const char special[] = "|&;<>()$`\"*?[#~{}! \t\n";
	struct bytes b = {NULL, 0, 0};

	if (*text == '\0')
		return NULL;
	for (const char *p = text; *p != '\0'; p++) {
		if (*p == '\'') {
			const char *end = strchr(p + 1, '\'');
			if (end == NULL)
				return NULL;
			bytes_add(&arena, &b, p + 1, (size_t)(end - p - 1));
			p = end;
		} else if (*p == '\\') {
			if (*++p != '\'')
				return NULL;
			bytes_add(&arena, &b, p, 1);
		} else if (strchr(special, *p) != NULL) {
			return NULL;
		} else {
			bytes_add(&arena, &b, p, 1);
		}
	}
	bytes_add(&arena, &b, "", 1);
	return b.data;
}

static void
test_quote(void)
{
	static const struct {
		const char *word, *want;
	} rows[] = {
	    {"ls", "ls"},
	    {"/usr/bin/gcc-12", "/usr/bin/gcc-12"},
	    {"--opt=a,b:c@d+e%f", "--opt=a,b:c@d+e%f"},
	    {"", "''"},
	    {" ", "' '"},
	    {"a b", "'a b'"},
	    {"it's", "'it'\\''s'"},
	    {"'", "''\\'''"},
	    {"''", "''\\'''\\'''"},
	    {"$HOME", "'$HOME'"},
	    {"a\nb", "'a\nb'"},
	    {"`id`", "'`id`'"},
	    {"\\", "'\\'"},
	    {"~", "'~'"},
	    {"*", "'*'"},
	    {"#", "'#'"},
	    {"!x", "'!x'"},
	    {"\xc3\xa4", "'\xc3\xa4'"},
	    {"a;b|c&d", "'a;b|c&d'"},
	};
	for (size_t i = 0; i < SRUN_ARRAY_LEN(rows); i++)
		is_str(report_quote(&arena, rows[i].word), rows[i].want, "<%s> quoted",
		    strchr(rows[i].word, '\n') ? "newline" : rows[i].word);
}

/* Every byte alone and between others is read back as it was. */
static void
test_bytes(void)
{
	unsigned seed = 5;
	bool same = true;

	for (int c = 1; c < 256; c++) {
		const char alone[] = {(char)c, '\0'},
		           among[] = {'a', (char)c, 'b', (char)c, '\0'};
		const char *got = unquote(report_quote(&arena, alone));
		const char *got2 = unquote(report_quote(&arena, among));
		if (got == NULL || strcmp(got, alone) != 0 || got2 == NULL ||
		    strcmp(got2, among) != 0)
			ok(false, "byte %d", c);
	}
	ok(true, "every byte is read back");
	for (int round = 0; round < 2000; round++) {
		char word[32];
		size_t n = (size_t)(round % 31);
		for (size_t i = 0; i < n; i++) {
			static const char hard[] = "'\\\" $a\n*";
			seed = seed * 1103515245 + 12345;
			word[i] = hard[(seed >> 16) % (sizeof(hard) - 1)];
		}
		word[n] = '\0';
		const char *got = unquote(report_quote(&arena, word));
		same = same && got != NULL && strcmp(got, word) == 0;
	}
	ok(same, "2000 words of quotes, backslashes and blanks are read back");
}

static bool
has_line(const char *text, const char *line)
{
	size_t n = strlen(line);

	for (; *text != '\0'; text += strcspn(text, "\n"), text += *text == '\n')
		if (strncmp(text, line, n) == 0 && text[n] == '\n')
			return true;
	return false;
}

#define LINE(text, line)                                                                 \
	do {                                                                             \
		if (!ok(has_line(text, line), "line '%.60s'", line))                     \
			printf("# in:\n%.2000s\n", text);                                \
	} while (0)

static const enum unix_mode mode = UNIX_NONE;

static struct launch
made_up(struct fake *f, enum isolation id)
{
	struct launch l = {.backend = backend_by_id(id), .working_directory = "/w/a b"};

	l.enforced = l.backend->enforces;
	strv_push(&f->arena, &l.argv, "echo");
	strv_push(&f->arena, &l.argv, "it's");
	strv_push(&f->arena, &l.envp, "A=$x");
	strv_push(&f->arena, &l.envp, "PATH=/bin");
	l.filter = &mode;
	if (id == ISOLATION_BWRAP) {
		static const char args[] =
		    "--ro-bind\0/\0/\0--bind\0/w/a b\0/w/a b\0--chdir\0/";
		l.mounts = mounts_plan(&f->arena, &f->policy, &f->survey, &f->errs);
		strv_push(&f->arena, &l.helper_argv, "/usr/bin/bwrap");
		strv_push(&f->arena, &l.helper_argv, "--args");
		bytes_add(&f->arena, &l.helper_args, args, sizeof(args));
	}
	return l;
}

static void
test_print(void)
{
	struct fake f;

	fake_init(&f, "aw /w");
	struct launch l = made_up(&f, ISOLATION_BWRAP);
	struct errs notes = {{NULL, 0}};
	struct protection held = {.directories = 3};
	struct protected_name names[] = {{"/w/.git/hooks", "git runs it", false},
	    {"/w/.envrc", "a tool runs it", true}};
	held.v = names;
	held.n = 2;
	struct errs none = {{NULL, 0}};
	struct report r = {
	    &f.policy, NULL, &f.survey, &l, "", &notes, &held, &none, false};
	const char *text = report_print(&f.arena, &r);
	size_t filter_len;
	filter_for(mode, &filter_len);
	LINE(text, "isolation: bwrap");
	LINE(text, "helper: /usr/bin/bwrap --args");
	LINE(text, "  --ro-bind / /");
	LINE(text, "  --bind '/w/a b' '/w/a b'");
	LINE(text, "  --chdir /");
	LINE(text, arena_printf(&f.arena, "filter: %zu instructions", filter_len / 8));
	LINE(text, "working directory: '/w/a b'");
	LINE(text, "  'A=$x'");
	LINE(text, "  PATH=/bin");
	LINE(text, "command: echo 'it'\\''s'");

	l = made_up(&f, ISOLATION_NONE);
	l.argv.n = 0;
	text = report_print(&f.arena, &r);
	LINE(text, "isolation: none");
	ok(strstr(text, "helper") == NULL, "no helper where there is none");
	ok(strstr(text, "command") == NULL, "no command where there is none");
	fake_free(&f);
}

static void
test_check(void)
{
	struct fake f;

	fake_init(&f, "aw /w; aw /w/x; dr /home/u/.ssh; dw /w/.git/hooks");
	/* A set of three, of which the survey found one, and a line of the same set below. */
	struct path_rule said[] = {{.kind = RULE_DENY_READ,
	                               .path = "/home/u/.ssh",
	                               .written = "@keys",
	                               .optional = true,
	                               .origin = {"g.ini", 7}},
	    {.path = "/home/u/.aws"}, {.path = "/home/u/.kube"}, {.path = "/w/.env"}};
	for (size_t i = 1; i < SRUN_ARRAY_LEN(said); i++) {
		const char *path = said[i].path;
		said[i] = said[0];
		said[i].path = path;
	}
	said[3].origin.line = 9;
	struct layer layer = {.rules = said, .nrules = SRUN_ARRAY_LEN(said)};
	f.policy.layers = &layer;
	f.policy.nlayers = 1;
	f.survey.layers[0].rules = arena_grow(&f.arena, f.survey.layers[0].rules,
	    f.survey.layers[0].nrules, sizeof(*f.survey.layers[0].rules));
	f.survey.layers[0].rules[f.survey.layers[0].nrules++] = (struct rule_fact){
	    &said[0], {.path = "/home/u/.ssh", .real = "/home/u/.ssh", .kind = FILE_DIR}};
	f.policy.source.origin = (struct origin){"g.ini", 0};
	f.policy.timeout_ms = 90500;
	f.policy.kill_after_ms = 2000;
	f.survey.layers[0].rules[2].rule = &(struct path_rule){.kind = RULE_DENY_READ,
	    .path = "/home/u/link",
	    .written = "~/link",
	    .origin = {"g.ini", 7}};
	f.survey.cwd_is_root = true;
	struct launch l = made_up(&f, ISOLATION_BWRAP);
	struct errs notes = {{NULL, 0}};
	errs_add(&f.arena, &notes, "a note");
	struct protection held = {.directories = 3};
	struct protected_name names[] = {{"/w/.git/hooks", "git runs it", false},
	    {"/w/.envrc", "a tool runs it", true},
	    {"/w/.git/commondir", "git reads it", true},
	    {"/w/.vs\033code", "an editor obeys it", true}};
	held.v = names;
	held.n = SRUN_ARRAY_LEN(names);
	struct errs none = {{NULL, 0}};
	struct report r = {
	    &f.policy, NULL, &f.survey, &l, "", &notes, &held, &none, false};
	const char *text = report_check(&f.arena, &r);
	LINE(text, "grant                g.ini");
	LINE(text, "isolation            bwrap");
	LINE(text, "enforced             fs, deny-set, net, unix, pid");
	LINE(text, "not enforced         nothing");
	LINE(text, "mandatory deny set   1 protected, 3 names held that do not exist (3 "
	           "directories seen)");
	LINE(text, "  read-only    /w/.git/hooks  [git runs it]");
	LINE(text, "  held         /w/: .envrc .vs?code");
	LINE(text, "  held         /w/.git/: commondir");
	LINE(text, "  deny_read    @keys: 3 paths, 1 exist here  [g.ini:7]");
	LINE(text, "  deny_read    @keys: 1 paths, 0 exist here  [g.ini:9]");
	LINE(text, "command              echo 'it'\\''s' (not started)");
	LINE(text, "working directory    /w (writable)");
	LINE(text, "temp                 private");
	LINE(text, "network              none");
	LINE(text, "timeout              90500ms, kill after 2s");
	LINE(text, "  allow_write  /w  [g.ini:1]");
	LINE(text, "  deny_read    /home/u/.ssh (written '~/link')  [g.ini:7]");
	LINE(text, "  deny_write   /w/.git/hooks  [g.ini:4]");
	LINE(text, "mounts               7 (1 root read-only, 1 read-only, 1 writable, 1 "
	           "pinned, "
	           "1 closed, 1 devices, 1 processes); 1 rules implied by others");
	LINE(text, "note                 a note");

	r.verbose = true;
	text = report_check(&f.arena, &r);
	LINE(text, "  held         /w/.envrc  [a tool runs it]");
	LINE(text, "  held         /w/.vs?code  [an editor obeys it]");
	LINE(text, "  deny_read    /home/u/.ssh  [g.ini:7]");
	ok(strstr(text, "@keys:") == NULL, "no summary where all is listed");

	f.policy.net = NET_ALL;
	f.policy.unix_mode = UNIX_ALL;
	f.policy.timeout_ms = -1;
	f.survey.cwd_is_root = false;
	f.survey.cwd_note = "it is the home directory";
	l = made_up(&f, ISOLATION_NONE);
	r.backend_reason = "because";
	text = report_check(&f.arena, &r);
	LINE(text, "isolation            none: because");
	LINE(text, "enforced             nothing");
	LINE(text, "not enforced         fs, deny-set, pid");
	LINE(text, "working directory    /w (read-only: it is the home directory)");
	LINE(text, "network              all");
	LINE(text, "unix sockets         all");
	LINE(text, "timeout              none, kill after 2s");
	ok(strstr(text, "mounts") == NULL, "no mounts without isolation");
	fake_free(&f);
}

int
main(void)
{
	test_quote();
	test_bytes();
	test_print();
	test_check();
	arena_free(&arena);
	return done();
}
