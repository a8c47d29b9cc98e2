/*
 * test_policy: what a grant means: defaults, typed values, paths and variables, named
 * sets, the rules between keys, options on top, and what is not built yet.
 */
#include <time.h>

#include "build.h"
#include "path.h"

#define FS   "[filesystem]\n"
#define BOX  "[sandbox]\n"
#define NET  "[network]\n"
#define UNIX "[unix_sockets]\n"
#define LIM  "[limits]\n"
#define ENV  "[env]\n"

static void
test_defaults(void)
{
	struct built b;
	const struct policy *p;

	build(&b, "");
	p = b.p;
	is_str(build_errors(&b), "", "an empty grant is one");
	is_str(p->source.text, "g.ini", "source");
	ok(p->isolation == ISOLATION_AUTO && p->isolation_origin.file == NULL,
	    "isolation");
	ok(p->require == 0 && p->working_directory == NULL && !p->working_directory_temp,
	    "require, working_directory");
	is_str(p->shell, "/bin/sh", "shell");
	ok(p->timeout_ms == -1 && p->kill_after_ms == 2000, "times");
	is_int(p->temp, TEMP_PRIVATE, "temp");
	ok(p->nlayers == 1 && p->layers[0].nrules == 0 &&
	        p->layers[0].write_working_directory,
	    "one layer, the working directory is writable");
	ok(!p->allow_git_config && p->ncreate == 0 && p->devices.n == 0, "filesystem");
	ok(p->net == NET_NONE && p->net_origin.file == NULL, "no network");
	ok(p->ndomain_layers == 1 && p->allow_domains[0].n == 0 &&
	        p->deny_domains[0].n == 0,
	    "no domains");
	ok(p->allow_local_binding && !p->java_proxy && !p->pass_ca, "switches");
	is_str(p->parent_proxy.text, "env", "parent_proxy");
	is_str(p->parent_no_proxy.text, "env", "parent_no_proxy");
	ok(p->unix_mode == UNIX_INSIDE && p->unix_origin.file == NULL,
	    "unix sockets inside");
	ok(p->pass_env.n == 0 && p->nenv == 0, "environment");
	ok(p->denials == DENIALS_WRITES && !p->denials_set, "denials");
	for (int i = 0; i < LIMIT_COUNT; i++)
		ok(!p->limits[i].set, "no limit %d", i);
	build_free(&b);
}

static void
test_builtin(void)
{
	struct arena a = {NULL};
	struct errs errs = {{NULL, 0}};
	struct grant_text text = grant_default();
	const struct policy *p =
	    policy_build(&a, &text, NULL, 0, NULL, 0, &build_context, &errs);
	bool ssh = false, env = false, plain = true;

	ok(p != NULL && errs.text.n == 0, "the built-in default is a good grant");
	for (size_t i = 0; p != NULL && i < p->layers[0].nrules; i++) {
		const struct path_rule *r = &p->layers[0].rules[i];

		ssh |= strcmp(r->path, "/home/u/.ssh") == 0;
		env |= strcmp(r->path, "/home/u/work/.env") == 0;
		plain &= r->kind == RULE_DENY_READ && r->optional &&
		         r->origin.line == 0 && tap_equal(r->origin.file, "default") &&
		         tap_equal(r->written, "@credentials");
	}
	ok(ssh && env && plain, "it closes @credentials and nothing else");
	ok(p->net == NET_NONE && p->unix_origin.file == NULL,
	    "no network, no host sockets");
	policy_unbuilt(&a, p, &errs);
	is_int(errs.text.n, 0, "all of it is built");
	arena_free(&a);
}

/* One key, and a look at what became of it. */
static void
test_values(void)
{
	struct built b;
	const struct policy *p;

	build(&b,
	    BOX "isolation = bwrap\nrequire = fs, deny-set\nrequire = pid\n"
	        "working_directory = sub/\nshell = ~/bin/sh\ntimeout = 5m\n"
	        "kill_after = 0\ntemp = tmp\npass_env = A, npm_config_*, x-y\npass_ca = "
	        "yes\n" FS "write_working_directory = no\nallow_git_config = yes\n"
	        "create = out, literal:/x[1]\ndevices = minimal, /dev/kvm, /dev/dri/\n"
	        "[report]\ndenials = all\n" UNIX "allow = ${XDG_RUNTIME_DIR}/bus\n" ENV
	        "A = 1\nB =\n");
	is_str(build_errors(&b), "", "a grant with every kind of value");
	p = b.p;
	is_int(p->isolation, ISOLATION_BWRAP, "isolation");
	is_int(p->isolation_origin.line, 2, "and its line");
	is_int(p->require, ENFORCE_FS | ENFORCE_DENY_SET | ENFORCE_PID, "require");
	is_str(p->working_directory, "/home/u/work/sub", "working_directory");
	is_str(p->shell, "/home/u/bin/sh", "shell");
	ok(p->timeout_ms == 300000 && p->kill_after_ms == 0, "times");
	is_int(p->temp, TEMP_TMP, "temp");
	ok(p->pass_env.n == 3 && tap_equal(p->pass_env.v[1].text, "npm_config_*"),
	    "pass_env");
	ok(p->pass_ca && p->allow_git_config && !p->layers[0].write_working_directory,
	    "yes and no");
	ok(p->ncreate == 2 && tap_equal(p->create[0].path, "/home/u/work/out") &&
	        p->create[1].pattern_at == 0 && tap_equal(p->create[1].path, "/x[1]"),
	    "create");
	ok(p->devices.n == 2 && tap_equal(p->devices.v[1].text, "/dev/dri"), "devices");
	ok(p->denials == DENIALS_ALL && p->denials_set, "denials");
	ok(p->nunix_allow == 1 && tap_equal(p->unix_allow[0].path, "/run/user/1000/bus"),
	    "unix allow");
	ok(p->nenv == 2 && tap_equal(p->env[1].name, "B") &&
	        tap_equal(p->env[1].value, ""),
	    "env");
	is_int(p->key_origins[KEY_TIMEOUT].line, 7, "where a key was set");
	ok(p->key_origins[KEY_NET_MODE].file == NULL, "and where not");
	build_free(&b);
	build(&b,
	    BOX "require = all\nworking_directory = temp\ntimeout = none\n" LIM
	        "memory = 2G\ncpu_time = 1500ms\nprocesses = 64\nopen_files = 1024\n"
	        "file_size = 10M\ncore = 0\n");
	p = b.p;
	ok(p->require == ENFORCE_ALL && p->working_directory_temp &&
	        p->working_directory == NULL && p->timeout_ms == -1,
	    "all, temp, none");
	ok(p->limits[LIMIT_MEMORY].value == UINT64_C(2) << 30 &&
	        p->limits[LIMIT_CPU_TIME].value == 2 &&
	        p->limits[LIMIT_PROCESSES].value == 64 &&
	        p->limits[LIMIT_OPEN_FILES].value == 1024 &&
	        p->limits[LIMIT_FILE_SIZE].value == 10 << 20 &&
	        p->limits[LIMIT_CORE].value == 0 && p->limits[LIMIT_CORE].set,
	    "limits");
	build_free(&b);
}

static void
test_bad_values(void)
{
	static const char *const rows[][2] = {
	    {BOX "isolation = bwrp\n", "g.ini:2: isolation 'bwrp' is not auto, seatbelt, "
	                               "bwrap, native, landlock or "
	                               "none [did you mean 'bwrap'?]"},
	    {BOX "require = fs, network\n",
	        "g.ini:2: require 'network' is not fs, deny-set, net, unix, pid or all"},
	    {BOX "shell = bash\n",
	        "g.ini:2: shell 'bash' is not a path [as in '/bin/sh']"},
	    {BOX "timeout = soon\n", "g.ini:2: timeout 'soon' is not a time [as in "
	                             "'500ms', '30s', '5m' or '2h']"},
	    {BOX "timeout = 0\n",
	        "g.ini:2: timeout '0' leaves no time ['none' is no timeout]"},
	    {BOX "kill_after = -1s\n", "g.ini:2: kill_after '-1s' is not a time [as in "
	                               "'500ms', '30s', '5m' or '2h']"},
	    {BOX "timeout = 9000h\n", "g.ini:2: timeout '9000h' is out of range"},
	    {BOX "temp = shared\n", "g.ini:2: temp 'shared' is not tmp, private or host"},
	    {BOX "pass_ca = true\n", "g.ini:2: pass_ca 'true' is not no or yes"},
	    {FS "devices = kvm\n",
	        "g.ini:2: devices 'kvm' is neither 'minimal' nor a path below '/dev'"},
	    {FS "devices = /dev\n",
	        "g.ini:2: devices '/dev' is neither 'minimal' nor a path below '/dev'"},
	    {FS "devices = /etc/passwd\n", "g.ini:2: devices '/etc/passwd' is neither "
	                                   "'minimal' nor a path below '/dev'"},
	    {FS "devices = /dev/../etc\n", "g.ini:2: devices '/dev/../etc' is not the "
	                                   "name of one device or directory"},
	    {FS "devices = /dev/*\n",
	        "g.ini:2: devices '/dev/*' is not the name of one device or directory"},
	    {FS "create = out*\n", "g.ini:2: create 'out*' is a pattern, which names no "
	                           "directory to make [literal:...]"},
	    {NET "mode = some\n", "g.ini:2: mode 'some' is not none, restricted or all"},
	    {NET "allow_host_ports = 0\n", "g.ini:2: allow_host_ports '0' is not "
	                                   "[ADDRESS:]PORT with a port from 1 to 65535"},
	    {NET "publish_ports = 10.0.0.1:80\n",
	        "g.ini:2: publish_ports '10.0.0.1:80' is not an address of the loopback"},
	    {NET "parent_proxy = proxy\n",
	        "g.ini:2: parent_proxy 'proxy' is not a proxy URL (http://HOST:PORT or "
	        "socks5://HOST:PORT)"},
	    {UNIX "mode = outside\n",
	        "g.ini:2: mode 'outside' is not none, inside or all"},
	    {"[report]\ndenials = on\n",
	        "g.ini:2: denials 'on' is not off, writes or all"},
	    {LIM "memory = lots\n",
	        "g.ini:2: memory 'lots' is not a size [as in '512K', '64M' or '2G']"},
	    {LIM "memory = 0\n", "g.ini:2: memory '0' leaves nothing to run with"},
	    {LIM "cpu_time = 30\n",
	        "g.ini:2: cpu_time '30' has no unit [as in '30s' or '5m']"},
	    {LIM "processes = 4294967296\n",
	        "g.ini:2: processes '4294967296' is out of range"},
	    {LIM "open_files = 1K\n", "g.ini:2: open_files '1K' is not a number"},
	    {ENV "1A = x\n", "g.ini:2: '1A' is not a variable's name"},
	    {ENV "A-B = x\n", "g.ini:2: 'A-B' is not a variable's name"},
	    {ENV "A.B = x\n", "g.ini:2: 'A.B' is not a variable's name"},
	    {ENV "SRUN_ID = x\n", "g.ini:2: 'SRUN_ID' is set by srun itself"},
	    {BOX "pass_env = A=B\n", "g.ini:2: pass_env 'A=B' is not a variable's name"},
	    {BOX "pass_env = *\n",
	        "g.ini:2: pass_env '*' has a '*' that does not end a PREFIX_*"},
	    {BOX "pass_env = A*\n",
	        "g.ini:2: pass_env 'A*' has a '*' that does not end a PREFIX_*"},
	    {BOX "pass_env = A_*_B\n",
	        "g.ini:2: pass_env 'A_*_B' has a '*' that does not end a PREFIX_*"},
	    {BOX "pass_env = LD_*\n",
	        "g.ini:2: pass_env 'LD_*' would forward 'LD_*' [write "
	        "the names one by one]"},
	    {BOX "pass_env = LD_PRE_*\n", "g.ini:2: pass_env 'LD_PRE_*' would forward "
	                                  "'LD_*' [write the names one by "
	                                  "one]"},
	    {BOX "pass_env = DYLD_*\n", "g.ini:2: pass_env 'DYLD_*' would forward "
	                                "'DYLD_*' [write the names one by "
	                                "one]"},
	    {BOX "pass_env = BASH_*\n", "g.ini:2: pass_env 'BASH_*' would forward "
	                                "'BASH_FUNC_*' [write the names one "
	                                "by one]"},
	    {BOX "pass_env = NODE_*\n", "g.ini:2: pass_env 'NODE_*' would forward "
	                                "'NODE_OPTIONS' [write the names one "
	                                "by one]"},
	    {BOX "pass_env = GIT_AUTHOR_*\n", "g.ini:2: pass_env 'GIT_AUTHOR_*' would "
	                                      "forward 'GIT_*' [write the names one "
	                                      "by one]"},
	    {BOX "shel = x\nisolation = y\ntemp = z\n",
	        "g.ini:2: unknown key 'shel' in [sandbox] [did you mean 'shell'?] | "
	        "g.ini:3: isolation 'y' is not auto, seatbelt, bwrap, native, landlock "
	        "or none"
	        " | g.ini:4: temp 'z' is not tmp, private or host"},
	};
	static const char *const good[] = {
	    BOX "pass_env = LD_PRELOAD, LD_LIBRARY_PATH, BASH_ENV, ENV, GIT_DIR, "
	        "NODE_OPTIONS\n",
	    BOX "pass_env = CARGO_*, npm_config_*, CI_*, ENVIRON_*\n",
	    NET "parent_proxy = none\nparent_no_proxy = localhost,.corp, 10.0.0.0/8\n",
	    NET "parent_proxy = http://u:p@proxy:3128\n",
	    NET
	    "allow_host_ports = 5432, 127.0.0.1:80\npublish_ports = 8080, [::1]:8081\n",
	};

	for (size_t i = 0; i < SRUN_ARRAY_LEN(rows); i++)
		build_is(rows[i][0], rows[i][1]);
	for (size_t i = 0; i < SRUN_ARRAY_LEN(good); i++)
		build_is(good[i], "");
}

static void
test_paths(void)
{
	static const struct {
		const char *value,
		    *want; /* want: the path, or the error behind the value */
	} rows[] = {
	    {"/a/", "/a"},
	    {"/W//e/./f", "/W/e/f"},
	    {"/d/x/ ", "/d/x"},
	    {"/W/../../etc", "/W/../../etc"},
	    {"/W/./a//b/..", "/W/a/b/.."},
	    {"rel/x", "/home/u/work/rel/x"},
	    {".", "/home/u/work"},
	    {"~", "/home/u"},
	    {"~/y", "/home/u/y"},
	    {"./~", "/home/u/work/~"},
	    {"${HOME}/x", "/home/u/x"},
	    {"${GRANT_DIR}/x", "/etc/grants/x"},
	    {"${TMPDIR}", "/tmp/u"},
	    {"${XDG_CONFIG_HOME}/git/", "/home/u/.config/git"},
	    {"/project[1]/secret", "/project[1]/secret"},
	    {"literal:/project[1]/secret", "/project[1]/secret"},
	    {"literal:/a$b/~/@c", "/a$b/~/@c"},
	    {"literal:@x", "/home/u/work/@x"},
	    {"literal:~/x", "/home/u/x"},
	    {"./@x", "/home/u/work/@x"},
	    {"/a b;c", "/a b;c"},
	    {"$TMPDIR", "has no meaning: '$' starts no '${NAME}' in '$TMPDIR'"},
	    {"/a/$b", "has no meaning: '$' starts no '${NAME}' in '$b'"},
	    {"~root/z",
	        "has no meaning: '~user' is not supported [write the whole path]"},
	    {"~nosuch/q",
	        "has no meaning: '~user' is not supported [write the whole path]"},
	    {"${XDG_CACHE_HOME}", "has no meaning: variable 'XDG_CACHE_HOME' is not set"},
	    {"${XDG_EMPTY}", "has no meaning: variable 'XDG_EMPTY' is not set"},
	    {"${XDG_BAD}/x", "has a variable whose value is not an absolute path"},
	    {"${OTHER}/x",
	        "has a variable that no grant knows [GRANT_DIR, HOME, TMPDIR and "
	        "XDG_... are]"},
	    {"${XDG_DATA_DIRS}/x", "has a variable that no grant knows [GRANT_DIR, HOME, "
	                           "TMPDIR and XDG_... are]"},
	    {"literal:", "is empty"},
	    {"@nope",
	        "is not a set that is known [a name that starts with '@' is written "
	        "'./@...']"},
	    {"@credential", "is not a set that is known [did you mean '@credentials'?]"},
	    {"@npm", "is a set of domains, not of paths"},
	};
	static const char *const keys[] = {"deny_read", "allow_read", "allow_write",
	    "deny_write", "read_only_paths", "read_write_paths", "create"};

	for (size_t k = 0; k < SRUN_ARRAY_LEN(keys); k++) {
		for (size_t i = 0; i < SRUN_ARRAY_LEN(rows); i++) {
			struct arena a = {NULL};
			struct built b;
			const char *text =
			    arena_printf(&a, FS "%s = %s\n", keys[k], rows[i].value);
			bool create = k + 1 == SRUN_ARRAY_LEN(keys);

			build(&b, text);
			if (b.p == NULL && create && rows[i].want[0] == '/')
				ok(path_has_pattern(rows[i].want), "create of a pattern");
			else if (b.p == NULL)
				is_str(build_errors(&b),
				    arena_printf(&a, "g.ini:2: %s '%s' %s", keys[k],
				        rows[i].value, rows[i].want),
				    "%s refuses row %zu", keys[k], i);
			else
				is_str(create ? b.p->create[0].path
				              : b.p->layers[0].rules[0].path,
				    rows[i].want, "%s takes row %zu", keys[k], i);
			build_free(&b);
			arena_free(&a);
		}
	}
}

/* Only what the grant itself says can be a pattern, not what stands for it. */
static void
test_pattern_at(void)
{
	static const struct grant_context odd = {"/h*me", "/w/[id]", build_environ};
	static const struct {
		const char *value, *pattern; /* the rest of the path, "" for none */
	} rows[] = {
	    {"/a/*.c", "*.c"},
	    {"/*", "*"},
	    {"/a//b?/./c/", "b?/c"},
	    {"/a/b", ""},
	    {"x", ""},
	    {".", ""},
	    {"x*", "x*"},
	    {"a/../x*", "x*"},
	    {"**/x", "**/x"},
	    {"~", ""},
	    {"~/x", ""},
	    {"~/x/[a]", "[a]"},
	    {"${HOME}/x", ""},
	    {"${HOME}/[x]/y", "[x]/y"},
	    {"literal:/a/*.c", ""},
	    {"literal:*.c", ""},
	};

	for (size_t i = 0; i < SRUN_ARRAY_LEN(rows); i++) {
		struct built b = {{NULL}, {{NULL, 0}}, NULL};
		const char *text =
		    arena_printf(&b.arena, FS "deny_read = %s\n", rows[i].value);
		struct grant_text g = build_text("g.ini", text);

		b.p = policy_build(&b.arena, &g, NULL, 0, NULL, 0, &odd, &b.errs);
		const struct path_rule *r = b.p != NULL ? &b.p->layers[0].rules[0] : NULL;
		is_str(r == NULL            ? build_errors(&b)
		       : r->pattern_at == 0 ? ""
		                            : r->path + r->pattern_at,
		    rows[i].pattern, "the pattern in '%s'", rows[i].value);
		build_free(&b);
	}
}

static void
test_no_home(void)
{
	static const struct grant_context nowhere = {NULL, "/w", build_environ};
	struct arena a = {NULL};
	struct errs errs = {{NULL, 0}};
	struct grant_text text =
	    build_text("g.ini", FS "deny_read = ~/x, ${HOME}/y, @credentials\n");

	ok(policy_build(&a, &text, NULL, 0, NULL, 0, &nowhere, &errs) == NULL &&
	        errs.text.n == 3,
	    "without a home '~' is an error, also in a set");
	is_str(errs.text.v[0],
	    "g.ini:2: deny_read '~/x' has no meaning: HOME holds no absolute path, and "
	    "the "
	    "user database has no home for you [set HOME]",
	    "and says so");
	arena_free(&a);
}

static void
test_rules(void)
{
	static const struct {
		enum rule_kind kind;
		const char *path;
		unsigned line;
	} want[] = {
	    {RULE_DENY_READ, "/a", 2},
	    {RULE_ALLOW_READ, "/b", 3},
	    {RULE_DENY_WRITE, "/b", 3},
	    {RULE_ALLOW_READ, "/c", 4},
	    {RULE_ALLOW_WRITE, "/c", 4},
	    {RULE_ALLOW_READ, "/d", 4},
	    {RULE_ALLOW_WRITE, "/d", 4},
	    {RULE_ALLOW_WRITE, "/e", 5},
	    {RULE_DENY_WRITE, "/f", 6},
	    {RULE_ALLOW_READ, "/g", 7},
	};
	const struct layer *l;
	bool found = false;
	struct built b;

	build(&b, FS "deny_read = /a\nread_only_paths = /b\nread_write_paths = /c, /d\n"
	             "allow_write = /e\ndeny_write = /f\nallow_read = /g\n");
	l = &b.p->layers[0];
	is_int((long long)l->nrules, SRUN_ARRAY_LEN(want), "rules, with the pairs");
	for (size_t i = 0; i < SRUN_ARRAY_LEN(want); i++)
		ok(l->rules[i].kind == want[i].kind &&
		        tap_equal(l->rules[i].path, want[i].path) &&
		        l->rules[i].origin.line == want[i].line && !l->rules[i].optional,
		    "%s %s", rule_kind_names[want[i].kind], want[i].path);
	build_free(&b);
	build(&b, FS "allow_write = @caches\n");
	for (size_t i = 0; i < b.p->layers[0].nrules; i++)
		found |=
		    tap_equal(b.p->layers[0].rules[i].path, "/home/u/.cargo/registry") &&
		    b.p->layers[0].rules[i].optional;
	ok(found, "@caches becomes optional rules");
	build_free(&b);
}

static void
test_clashes(void)
{
	static const char *const rows[][2] = {
	    {FS "deny_read = /a\nallow_write = /a/\n",
	        "g.ini:3: allow_write '/a/' is the same path as deny_read '/a' of "
	        "g.ini:2"},
	    {FS "read_write_paths = /a\ndeny_read = /a\n",
	        "g.ini:2: allow_write '/a' is the same path as deny_read '/a' of "
	        "g.ini:3"},
	    {FS "deny_write = /a\nallow_write = /a/b/c\n",
	        "g.ini:3: allow_write '/a/b/c' can have no effect below deny_write '/a' "
	        "of "
	        "g.ini:2"},
	    {FS "deny_write = /\nallow_write = /a\n",
	        "g.ini:3: allow_write '/a' can have no effect below deny_write '/' of "
	        "g.ini:2"},
	    {FS "read_only_paths = /a\nread_write_paths = /a/b\n",
	        "g.ini:3: allow_write '/a/b' can have no effect below deny_write '/a' of "
	        "g.ini:2"},
	    {FS "deny_read = @credentials\nallow_write = ~/.aws\n",
	        "g.ini:3: allow_write '~/.aws' is the same path as deny_read "
	        "'@credentials' "
	        "('/home/u/.aws') of g.ini:2"},
	    {FS "deny_write = ~\nallow_write = @caches\n",
	        "g.ini:3: allow_write '@caches' ('/home/u/.npm/_cacache') can have no "
	        "effect "
	        "below deny_write '~' of g.ini:2"},
	    {FS "deny_write = literal:/a[1]\nallow_write = literal:/a[1]/b\n",
	        "g.ini:3: allow_write 'literal:/a[1]/b' can have no effect below "
	        "deny_write "
	        "'literal:/a[1]' of g.ini:2"},
	    {NET "mode = none\nallow_domains = a.com\n",
	        "g.ini:3: allow_domains can have no effect with mode 'none' of g.ini:2"
	        " [it needs 'mode = restricted']"},
	    {NET "allow_host_ports = 80\nmode = none\n",
	        "g.ini:2: allow_host_ports can have no effect with mode 'none' of "
	        "g.ini:3 [it needs 'mode = restricted']"},
	    {NET "mode = all\nallow_domains = a.com\ndeny_domains = b.com\n"
	         "allow_host_ports = 80\n",
	        "g.ini:3: allow_domains can have no effect with mode 'all' of g.ini:2"
	        " [it needs 'mode = restricted'] | "
	        "g.ini:5: allow_host_ports can have no effect with mode 'all' of g.ini:2"
	        " [it needs 'mode = restricted'] | "
	        "g.ini:4: deny_domains can have no effect with mode 'all' of g.ini:2"
	        " [it needs 'mode = restricted']"},
	    {NET "allow_domains = a.com, @npm\ndeny_domains = *\n",
	        "g.ini:2: allow_domains 'a.com' can have no effect with deny_domains '*' "
	        "of g.ini:3"},
	    {NET "allow_domains = @npm, *.a.com\ndeny_domains = registry.npmjs.org, "
	         "b.a.com\n",
	        ""},
	    {UNIX "mode = none\nallow = /run/x\n",
	        "g.ini:3: allow can have no effect with mode 'none' of g.ini:2"
	        " [it needs 'mode = inside']"},
	    {UNIX "mode = all\nallow = /run/x\n",
	        "g.ini:3: allow can have no effect with mode 'all' of g.ini:2"
	        " [it needs 'mode = inside']"},
	    {NET "mode = restricted\n" ENV "https_proxy = http://x\nNO_PROXY = y\n",
	        "g.ini:4: 'https_proxy' is set by srun when the network is restricted | "
	        "g.ini:5: 'NO_PROXY' is set by srun when the network is restricted"},
	    {NET "allow_domains = a.com\n" BOX "pass_env = http_proxy\n",
	        "g.ini:4: pass_env 'http_proxy' is set by srun when the network is "
	        "restricted"},
	};
	static const char *const good[] = {
	    FS
	    "deny_write = /a\nallow_write = /a\n", /* deny_write wins, --check says so */
	    FS "deny_write = /a/b\nallow_write = /a\n",
	    FS "deny_write = /a\nallow_write = /ab\n",
	    FS "deny_read = /a\nallow_write = /a/b\n",
	    FS "deny_read = /a/b\nallow_write = /a\n",
	    FS "deny_read = /a\nallow_read = /a\n",
	    FS "deny_write = /a/x\nallow_write = /a/x/../y\n",
	    FS "deny_write = /a/*\nallow_write = /a/b/c\n",
	    FS "deny_read = @credentials\nallow_write = @caches\n",
	    FS "deny_read = @credentials\nallow_read = ~/.npmrc\n",
	    NET "mode = none\ndeny_domains = a.com\n",
	    NET "mode = all\n" ENV "http_proxy = x\n",
	    ENV "http_proxy = x\n",
	    NET "mode = restricted\n" ENV "PROXY = x\nNODE_USE_ENV_PROXY = 0\n",
	    NET "mode = restricted\n",
	};

	for (size_t i = 0; i < SRUN_ARRAY_LEN(rows); i++)
		build_is(rows[i][0], rows[i][1]);
	for (size_t i = 0; i < SRUN_ARRAY_LEN(good); i++)
		build_is(good[i], "");
}

static void
test_network(void)
{
	struct built b;

	build(&b, NET "allow_domains = a.com, @npm\ndeny_domains = *.a.com\n");
	ok(b.p != NULL && b.p->net == NET_RESTRICTED && b.p->net_origin.line == 2,
	    "an allow key makes the network restricted");
	ok(b.p->allow_domains[0].n == 4 && b.p->deny_domains[0].n == 1,
	    "with its domains");
	is_str(b.p->allow_domains[0].v[1].text, "registry.npmjs.org", "a set's members");
	build_free(&b);
	build(&b, NET "allow_host_ports = 80\n");
	ok(b.p->net == NET_RESTRICTED && b.p->net_origin.line == 2,
	    "a host port as well");
	build_free(&b);
	build(&b,
	    NET "deny_domains = a.com\npublish_ports = 80\nallow_local_binding = yes\n");
	ok(b.p->net == NET_NONE && b.p->net_origin.file == NULL, "other keys do not");
	build_free(&b);
	build(&b, NET "mode = restricted\n");
	ok(b.p->net == NET_RESTRICTED && b.p->allow_domains[0].n == 0,
	    "restricted without an allow key allows nothing");
	build_free(&b);
	build_is(NET, "");
	build_is(
	    NET "allow_domains =\n", "g.ini:2: allow_domains: empty value in a list");
	build_is(NET "allow_domains = https://*.x, %2A.x, x/path, *, a..b\n",
	    "g.ini:2: allow_domains 'https://*.x' is a URL [write the host name alone] | "
	    "g.ini:2: allow_domains '%2A.x' has a '%' [write the name as it is] | "
	    "g.ini:2: allow_domains 'x/path' has a path [write the host name alone] | "
	    "g.ini:2: allow_domains '*' is every host ['*' is for deny_domains only] | "
	    "g.ini:2: allow_domains 'a..b' has an empty label");
	/* such an entry could have no effect. */
	build_is(NET "allow_domains = localhost:5555, *.localhost\n",
	    "g.ini:2: allow_domains 'localhost:5555' is the sandbox's own loopback "
	    "[allow_host_ports opens a port of the host's] | "
	    "g.ini:2: allow_domains '*.localhost' is the sandbox's own loopback "
	    "[allow_host_ports opens a port of the host's]");
	build_is(NET "allow_domains = @credentials\n",
	    "g.ini:2: allow_domains '@credentials' is a set of paths, not of domains");
	build_is(NET "allow_domains = @npn\n",
	    "g.ini:2: allow_domains '@npn' is not a set "
	    "that is known [did you mean '@npm'?]");
}

static void
test_extras(void)
{
	static const struct grant_extra over[] = {
	    {"--isolation", "sandbox", "isolation", "none"},
	    {"--net", "network", "mode", "none"},
	    {"--timeout", "sandbox", "timeout", "3s"},
	    {"--allow-write", "filesystem", "allow_write", "/more"},
	    {"--env", "env", "A", "2"},
	    {"--env", "env", "A", "3"},
	    {"--env", "env", "C", "4"},
	};
	static const struct grant_extra clash[] = {
	    {"--net", "network", "mode", "none"},
	    {"--allow-domain", "network", "allow_domains", "a.com"},
	};
	static const struct grant_extra wide[] = {{"--net", "network", "mode", "all"}};
	static const struct grant_extra bad[] = {
	    {"--timeout", "sandbox", "timeout", "x"},
	    {"--allow-write", "filesystem", "allow_write", "$HOME"},
	};
	static const struct grant_extra words[] = {
	    {"--cwd", "sandbox", "working_directory", "/a/$b/${c}, d"},
	    {"--allow-write", "filesystem", "allow_write", "/x,y"},
	    {"--allow-write", "filesystem", "allow_write", "./$z"},
	    {"--deny-read", "filesystem", "deny_read", "~/$w"},
	    {"--deny-read", "filesystem", "deny_read", "\"q\" # r"},
	};
	static const char text[] =
	    BOX "isolation = bwrap\ntimeout = 9s\n" FS "allow_write = /a\n" NET
	        "allow_domains = a.com\n" ENV "A = 1\nB = 2\n";
	struct built b;

	build_all(&b, text, over, SRUN_ARRAY_LEN(over), NULL);
	is_str(build_errors(&b), "", "options on top of a grant");
	ok(b.p->isolation == ISOLATION_NONE &&
	        tap_equal(b.p->isolation_origin.file, "--isolation"),
	    "a single value overrides");
	ok(b.p->net == NET_NONE && tap_equal(b.p->net_origin.file, "--net"),
	    "'--net none' closes what a file opens");
	is_int(b.p->timeout_ms, 3000, "a time overrides");
	ok(b.p->layers[0].nrules == 2 &&
	        tap_equal(b.p->layers[0].rules[1].path, "/more") &&
	        b.p->layers[0].rules[1].origin.line == 0,
	    "a list grows");
	ok(b.p->nenv == 3 && tap_equal(b.p->env[0].name, "B") &&
	        tap_equal(b.p->env[1].value, "3") && tap_equal(b.p->env[2].name, "C"),
	    "the last value of a variable wins");
	build_free(&b);
	build_all(&b, "", clash, SRUN_ARRAY_LEN(clash), NULL);
	is_str(build_errors(&b),
	    "--allow-domain: allow_domains can have no effect with mode "
	    "'none' of --net [it needs --net restricted]",
	    "two options that exclude each other");
	build_free(&b);
	build_all(&b, "", words, SRUN_ARRAY_LEN(words), NULL);
	is_str(build_errors(&b), "", "a path of an option is one path");
	is_str(b.p->working_directory, "/a/$b/${c}, d", "--cwd as the shell gave it");
	is_str(b.p->layers[0].rules[0].path, "/x,y", "a comma is a part of it");
	is_str(b.p->layers[0].rules[1].path, "/home/u/work/$z", "'$' is a character");
	is_str(b.p->layers[0].rules[2].path, "/home/u/$w", "'~/' is the home");
	is_str(b.p->layers[0].rules[3].path, "/home/u/work/\"q\" # r",
	    "quotes and comments too");
	build_free(&b);
	build_all(&b, text, wide, 1, NULL);
	is_str(build_errors(&b),
	    "g.ini:7: allow_domains can have no effect with mode 'all' of --net"
	    " [it needs 'mode = restricted']",
	    "'--net all' does not drop a file's domains silently");
	build_free(&b);
	build_all(&b, "", bad, SRUN_ARRAY_LEN(bad), NULL);
	is_str(build_errors(&b),
	    "--timeout: timeout 'x' is not a time [as in '500ms', '30s', '5m' or '2h'] | "
	    "--allow-write: allow_write '$HOME' "
	    "begins with a '$' that no shell replaced [--set replaces '${...}'; such a "
	    "name is written './$...']",
	    "errors name the option");
	build_free(&b);
}

/* Each row of the table, by the error that it gives; "" is built. */
static void
test_unbuilt(void)
{
	static const char *const rows[][2] = {
	    {BOX "isolation = seatbelt\n", ""},
	    {BOX "isolation = native\n", "g.ini:2: isolation 'native' is not built yet"},
	    {BOX "isolation = landlock\n",
	        "g.ini:2: isolation 'landlock' is not built yet"},
	    {BOX "isolation = bwrap\n", ""},
	    {BOX "isolation = none\n", ""},
	    {BOX "pass_ca = yes\n", ""},
	    {BOX "pass_ca = no\n", ""},
	    {NET "mode = restricted\n", ""},
	    {NET "\nallow_domains = a.com\n", ""},
	    {NET "mode = all\n", ""},
	    {NET "publish_ports = 80\n", ""},
	    {NET "allow_local_binding = no\n",
	        "g.ini:2: allow_local_binding 'no' is not built yet"},
	    {NET "allow_local_binding = yes\n", ""},
	    {NET "java_proxy = yes\n", ""},
	    {UNIX "mode = inside\n",
	        "g.ini:2: unix_sockets mode 'inside' by name is not built yet"},
	    {UNIX "mode = none\n", ""},
	    {UNIX "mode = all\n", ""},
	    {UNIX "allow = /x\n", "g.ini:2: unix_sockets allow is not built yet"},
	    {LIM "memory = 1G\n", "g.ini:2: limit 'memory' is not built yet"},
	    {LIM "processes = 9\n", "g.ini:2: limit 'processes' is not built yet"},
	    {LIM "cpu_time = 1s\nopen_files = 9\nfile_size = 1G\ncore = 0\n", ""},
	    {"[report]\ndenials = writes\n",
	        "g.ini:2: denials other than 'off' is not built yet"},
	    {"[report]\ndenials = all\n",
	        "g.ini:2: denials other than 'off' is not built yet"},
	    {"[report]\ndenials = off\n", ""},
	    {"", ""},
	};

	for (size_t i = 0; i < SRUN_ARRAY_LEN(rows); i++) {
		struct built b;

		build(&b, rows[i][0]);
		policy_unbuilt(&b.arena, b.p, &b.errs);
		is_str(build_errors(&b), rows[i][1], "unbuilt row %zu", i);
		build_free(&b);
	}
}

/* An ordinary grant of 150 lines: a bound far above what it takes, for slow machines. */
static void
test_start_cost(void)
{
	struct arena a = {NULL};
	struct bytes text = {NULL, 0, 0};
	struct timespec from, to;
	double best = 1;

	bytes_puts(&a, &text, FS "deny_read = @credentials\nallow_write = @caches\n");
	for (int i = 0; i < 50; i++)
		bytes_printf(&a, &text,
		    "allow_read = ~/src/project-%d/include\nallow_write = build/%d, "
		    "out/%d\n"
		    "deny_write = ~/work/%d/.git/hooks\n",
		    i, i, i, i);
	bytes_add(&a, &text, "", 1);
	for (int i = 0; i < 200; i++) {
		struct built b;
		double took;

		clock_gettime(CLOCK_MONOTONIC, &from);
		build(&b, text.data);
		clock_gettime(CLOCK_MONOTONIC, &to);
		took = (double)(to.tv_sec - from.tv_sec) +
		       (double)(to.tv_nsec - from.tv_nsec) / 1e9;
		best = took < best ? took : best;
		build_free(&b);
	}
	ok(best < 0.003, "150 lines take %.0f us", best * 1e6);
	arena_free(&a);
}

int
main(void)
{
	test_defaults();
	test_builtin();
	test_values();
	test_bad_values();
	test_paths();
	test_pattern_at();
	test_no_home();
	test_rules();
	test_clashes();
	test_network();
	test_extras();
	test_unbuilt();
	test_start_cost();
	return done();
}
