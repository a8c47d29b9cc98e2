/*
 * test_narrow: the intersection of two grants, stated for every key: a key without a row
 * here fails the test.
 */
#include "build.h"

#define FS   "[filesystem]\n"
#define BOX  "[sandbox]\n"
#define NET  "[network]\n"
#define UNIX "[unix_sockets]\n"
#define LIM  "[limits]\n"
#define ENV  "[env]\n"
#define REP  "[report]\n"

/* What became of a key, as words. */
typedef void show_fn(struct arena *a, struct bytes *out, const struct policy *p);

static void
show_list(struct arena *a, struct bytes *out, const struct located_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		bytes_printf(a, out, "%s%s", i ? " " : "", l->v[i].text);
}

static void
show_isolation(struct arena *a, struct bytes *out, const struct policy *p)
{
	bytes_printf(a, out, "%d@%s", (int)p->isolation,
	    p->isolation_origin.file ? p->isolation_origin.file : "");
}

static void
show_require(struct arena *a, struct bytes *out, const struct policy *p)
{
	for (unsigned i = 0; enforce_names[i] != NULL; i++)
		if ((p->require >> i & 1) != 0)
			bytes_printf(
			    a, out, "%s%s", out->len ? " " : "", enforce_names[i]);
}

static void
show_working_directory(struct arena *a, struct bytes *out, const struct policy *p)
{
	bytes_puts(a, out,
	    p->working_directory_temp      ? "temp"
	    : p->working_directory != NULL ? p->working_directory
	                                   : "caller");
}

static void
show_shell(struct arena *a, struct bytes *out, const struct policy *p)
{
	bytes_puts(a, out, p->shell);
}

static void
show_timeout(struct arena *a, struct bytes *out, const struct policy *p)
{
	bytes_printf(a, out, "%lld", (long long)p->timeout_ms);
}

static void
show_kill_after(struct arena *a, struct bytes *out, const struct policy *p)
{
	bytes_printf(a, out, "%lld", (long long)p->kill_after_ms);
}

static void
show_temp(struct arena *a, struct bytes *out, const struct policy *p)
{
	static const char *const names[] = {"tmp", "private", "host"};

	bytes_puts(a, out, names[p->temp]);
}

static void
show_pass_env(struct arena *a, struct bytes *out, const struct policy *p)
{
	show_list(a, out, &p->pass_env);
}

static void
show_bool(struct arena *a, struct bytes *out, bool value)
{
	bytes_puts(a, out, value ? "yes" : "no");
}

static void
show_pass_ca(struct arena *a, struct bytes *out, const struct policy *p)
{
	show_bool(a, out, p->pass_ca);
}

static void
show_layers(struct arena *a, struct bytes *out, const struct policy *p)
{
	for (size_t i = 0; i < p->nlayers; i++) {
		const struct layer *l = &p->layers[i];

		bytes_printf(a, out, "%s%s", i ? " / " : "",
		    l->write_working_directory ? "wd" : "-");
		for (size_t j = 0; j < l->nrules; j++)
			bytes_printf(a, out, " %s:%s", rule_kind_names[l->rules[j].kind],
			    l->rules[j].path);
	}
}

static void
show_git_config(struct arena *a, struct bytes *out, const struct policy *p)
{
	show_bool(a, out, p->allow_git_config);
}

static void
show_create(struct arena *a, struct bytes *out, const struct policy *p)
{
	for (size_t i = 0; i < p->ncreate; i++)
		bytes_printf(a, out, "%s%s", i ? " " : "", p->create[i].path);
}

static void
show_devices(struct arena *a, struct bytes *out, const struct policy *p)
{
	show_list(a, out, &p->devices);
}

static void
show_net(struct arena *a, struct bytes *out, const struct policy *p)
{
	static const char *const names[] = {"none", "restricted", "all"};

	bytes_puts(a, out, names[p->net]);
}

static void
show_rules(struct arena *a, struct bytes *out, const struct host_rule_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		bytes_printf(a, out, "%s%s", i == 0 ? "" : " ", l->v[i].text);
}

static void
show_domains(struct arena *a, struct bytes *out, const struct policy *p)
{
	bytes_printf(a, out, "%d:", (int)p->net);
	for (size_t i = 0; i < p->ndomain_layers; i++) {
		bytes_puts(a, out, " /+ ");
		show_rules(a, out, &p->allow_domains[i]);
		bytes_puts(a, out, " - ");
		show_rules(a, out, &p->deny_domains[i]);
	}
}

static void
show_host_ports(struct arena *a, struct bytes *out, const struct policy *p)
{
	show_list(a, out, &p->allow_host_ports);
}

static void
show_publish_ports(struct arena *a, struct bytes *out, const struct policy *p)
{
	show_list(a, out, &p->publish_ports);
}

static void
show_local_binding(struct arena *a, struct bytes *out, const struct policy *p)
{
	show_bool(a, out, p->allow_local_binding);
}

static void
show_parent_proxy(struct arena *a, struct bytes *out, const struct policy *p)
{
	bytes_puts(a, out, p->parent_proxy.text);
}

static void
show_parent_no_proxy(struct arena *a, struct bytes *out, const struct policy *p)
{
	bytes_puts(a, out, p->parent_no_proxy.text);
}

static void
show_java_proxy(struct arena *a, struct bytes *out, const struct policy *p)
{
	show_bool(a, out, p->java_proxy);
}

static void
show_unix(struct arena *a, struct bytes *out, const struct policy *p)
{
	static const char *const names[] = {"none", "inside", "all"};

	bytes_puts(a, out, names[p->unix_mode]);
}

static void
show_unix_allow(struct arena *a, struct bytes *out, const struct policy *p)
{
	for (size_t i = 0; i < p->nunix_allow; i++)
		bytes_printf(a, out, "%s%s", i ? " " : "", p->unix_allow[i].path);
}

static void
show_env(struct arena *a, struct bytes *out, const struct policy *p)
{
	for (size_t i = 0; i < p->nenv; i++)
		bytes_printf(
		    a, out, "%s%s=%s", i ? " " : "", p->env[i].name, p->env[i].value);
}

static void
show_limits(struct arena *a, struct bytes *out, const struct policy *p)
{
	for (size_t i = 0; i < LIMIT_COUNT; i++)
		if (p->limits[i].set)
			bytes_printf(a, out, "%s%zu=%llu", out->len ? " " : "", i,
			    (unsigned long long)p->limits[i].value);
}

static void
show_denials(struct arena *a, struct bytes *out, const struct policy *p)
{
	static const char *const names[] = {"off", "writes", "all"};

	bytes_printf(
	    a, out, "%s%s", names[p->denials], p->denials_set ? "" : " by default");
}

static const struct row {
	enum grant_key_id key;
	show_fn *show;
	const char *base, *narrow,
	    *want; /* want with '!' in front: an error that has it */
} rows[] = {
    {KEY_ISOLATION, show_isolation, BOX "isolation = bwrap\n", "", "2@g.ini"},
    {KEY_ISOLATION, show_isolation, BOX "isolation = bwrap\n", BOX "isolation = auto\n",
        "2@g.ini"},
    {KEY_ISOLATION, show_isolation, "", BOX "isolation = bwrap\n", "2@n0.ini"},
    {KEY_ISOLATION, show_isolation, BOX "isolation = bwrap\n", BOX "isolation = bwrap\n",
        "2@g.ini"},
    {KEY_ISOLATION, show_isolation, BOX "isolation = bwrap\n", BOX "isolation = native\n",
        "!n0.ini:2: isolation differs from the grant that is narrowed (g.ini:2)"},
    {KEY_ISOLATION, show_isolation, "", BOX "isolation = none\n",
        "!n0.ini:2: isolation differs from the grant that is narrowed (the default)"},
    {KEY_REQUIRE, show_require, BOX "require = fs\n", BOX "require = net, fs\n",
        "fs net"},
    {KEY_REQUIRE, show_require, BOX "require = fs\n", BOX, "fs"},
    {KEY_WORKING_DIRECTORY, show_working_directory, BOX "working_directory = /a\n", BOX,
        "/a"},
    {KEY_WORKING_DIRECTORY, show_working_directory, BOX "working_directory = /a\n",
        BOX "working_directory = /a/\n", "/a"},
    {KEY_WORKING_DIRECTORY, show_working_directory, "", BOX "working_directory = .\n",
        "caller"},
    {KEY_WORKING_DIRECTORY, show_working_directory, BOX "working_directory = temp\n",
        BOX "working_directory = temp\n", "temp"},
    {KEY_WORKING_DIRECTORY, show_working_directory, BOX "working_directory = /a\n",
        BOX "working_directory = temp\n", "!n0.ini:2: working_directory differs"},
    {KEY_WORKING_DIRECTORY, show_working_directory, "", BOX "working_directory = /b\n",
        "!n0.ini:2: working_directory differs"},
    {KEY_SHELL, show_shell, BOX "shell = /bin/x\n", BOX, "/bin/x"},
    {KEY_SHELL, show_shell, "", BOX "shell = /bin/sh\n", "/bin/sh"},
    {KEY_SHELL, show_shell, "", BOX "shell = /bin/x\n", "!n0.ini:2: shell differs"},
    {KEY_TIMEOUT, show_timeout, BOX "timeout = 9s\n", BOX "timeout = 3s\n", "3000"},
    {KEY_TIMEOUT, show_timeout, BOX "timeout = 3s\n", BOX "timeout = 9s\n", "3000"},
    {KEY_TIMEOUT, show_timeout, "", BOX "timeout = 9s\n", "9000"},
    {KEY_TIMEOUT, show_timeout, BOX "timeout = 3s\n", BOX "timeout = none\n", "3000"},
    {KEY_KILL_AFTER, show_kill_after, BOX "kill_after = 9s\n", BOX "kill_after = 3s\n",
        "3000"},
    {KEY_KILL_AFTER, show_kill_after, "", BOX "kill_after = 9s\n", "2000"},
    {KEY_KILL_AFTER, show_kill_after, BOX "kill_after = 9s\n", BOX, "9000"},
    {KEY_TEMP, show_temp, BOX "temp = host\n", BOX, "host"},
    {KEY_TEMP, show_temp, BOX "temp = host\n", BOX "temp = private\n", "private"},
    {KEY_TEMP, show_temp, "", BOX "temp = host\n", "private"},
    {KEY_TEMP, show_temp, "", BOX "temp = tmp\n", "tmp"},
    {KEY_PASS_ENV, show_pass_env, BOX "pass_env = A, B\n", "", "A B"},
    {KEY_PASS_ENV, show_pass_env, BOX "pass_env = A, B\n", BOX, ""},
    {KEY_PASS_ENV, show_pass_env, BOX "pass_env = A, B_*, C_D\n",
        BOX "pass_env = B_X, A, C_*, E\n", "A C_D B_X"},
    {KEY_PASS_ENV, show_pass_env, BOX "pass_env = A_*\n", BOX "pass_env = A_B_*\n",
        "A_B_*"},
    {KEY_PASS_CA, show_pass_ca, BOX "pass_ca = yes\n", BOX "pass_ca = yes\n", "yes"},
    {KEY_PASS_CA, show_pass_ca, BOX "pass_ca = yes\n", BOX, "no"},
    {KEY_PASS_CA, show_pass_ca, BOX "pass_ca = yes\n", FS, "yes"},
    {KEY_PASS_CA, show_pass_ca, "", BOX "pass_ca = yes\n", "no"},
    {KEY_DENY_READ, show_layers, FS "deny_read = /a\n", "", "wd deny_read:/a"},
    {KEY_DENY_READ, show_layers, FS "deny_read = /a\n", FS "deny_read = /b\n",
        "wd deny_read:/a / wd deny_read:/b"},
    {KEY_ALLOW_READ, show_layers, "", FS "allow_read = /b\n", "wd / wd allow_read:/b"},
    {KEY_ALLOW_WRITE, show_layers, FS "allow_write = /a\n", FS "allow_write = /b\n",
        "wd allow_write:/a / wd allow_write:/b"},
    {KEY_DENY_WRITE, show_layers, FS "allow_write = /a/b\n", FS "deny_write = /a\n",
        "wd allow_write:/a/b / wd deny_write:/a"},
    {KEY_READ_ONLY_PATHS, show_layers, "", FS "read_only_paths = /a\n",
        "wd / wd allow_read:/a deny_write:/a"},
    {KEY_READ_WRITE_PATHS, show_layers, "", FS "read_write_paths = /a\n",
        "wd / wd allow_read:/a allow_write:/a"},
    {KEY_WRITE_WORKING_DIRECTORY, show_layers, "", FS "write_working_directory = no\n",
        "wd / -"},
    {KEY_WRITE_WORKING_DIRECTORY, show_layers, FS "write_working_directory = no\n", FS,
        "- / wd"},
    {KEY_ALLOW_GIT_CONFIG, show_git_config, FS "allow_git_config = yes\n",
        FS "allow_git_config = yes\n", "yes"},
    {KEY_ALLOW_GIT_CONFIG, show_git_config, FS "allow_git_config = yes\n", FS, "no"},
    {KEY_ALLOW_GIT_CONFIG, show_git_config, FS "allow_git_config = yes\n", NET, "yes"},
    {KEY_CREATE, show_create, FS "create = out, /a/b/c\n",
        FS "allow_write = /a\ncreate = other\n", "/home/u/work/out /a/b/c"},
    {KEY_CREATE, show_create, FS "create = /a/b\n", NET, "/a/b"},
    {KEY_CREATE, show_create, FS "create = /a/b\n", FS,
        "!g.ini:2: create '/a/b' is nothing that 'n0.ini' lets be written"},
    {KEY_CREATE, show_create, FS "create = /a/b\n",
        FS "allow_write = /a\ndeny_read = /a/b\n", "!g.ini:2: create '/a/b'"},
    {KEY_CREATE, show_create, FS "create = /a/b/c\n",
        FS "allow_write = /a/b\ndeny_read = /a\n", "/a/b/c"},
    {KEY_CREATE, show_create, FS "create = /a/b/c\n",
        FS "allow_write = /a/b/c\ndeny_write = /a/*/c\n", "!g.ini:2: create '/a/b/c'"},
    {KEY_CREATE, show_create, FS "create = out\n", FS "write_working_directory = no\n",
        "!g.ini:2: create 'out'"},
    /* a pattern stays in its layer, whatever the other layer says of the same names */
    {KEY_ALLOW_WRITE, show_layers, FS "allow_write = /a\n", FS "allow_write = /a/*\n",
        "wd allow_write:/a / wd allow_write:/a/*"},
    {KEY_DENY_READ, show_layers, FS "deny_read = /a/*.env\n",
        FS "allow_read = /a/x.env, /a/[y]*\n",
        "wd deny_read:/a/*.env / wd allow_read:/a/x.env allow_read:/a/[y]*"},
    {KEY_DENY_WRITE, show_layers, FS "allow_write = /a/x\n", FS "deny_write = /**/x\n",
        "wd allow_write:/a/x / wd deny_write:/**/x"},
    {KEY_CREATE, show_create, FS "create = /a/b\n", FS "allow_write = /a/*\n", "/a/b"},
    {KEY_CREATE, show_create, FS "create = /a/b/c\n", FS "allow_write = /**/b\n",
        "/a/b/c"},
    {KEY_CREATE, show_create, FS "create = /a/b\n", FS "allow_write = /a/[!b]*\n",
        "!g.ini:2: create '/a/b'"},
    {KEY_CREATE, show_create, FS "create = /a/b\n", FS "allow_write = literal:/a/*\n",
        "!g.ini:2: create '/a/b'"},
    {KEY_CREATE, show_create, FS "create = /a/b/c\n",
        FS "allow_write = /a\ndeny_read = /*/b\n", "!g.ini:2: create '/a/b/c'"},
    {KEY_DEVICES, show_devices, FS "devices = /dev/kvm, /dev/dri\n",
        FS "devices = minimal, /dev/dri/card0, /dev/fuse\n", "/dev/dri/card0"},
    {KEY_DEVICES, show_devices, FS "devices = /dev/kvm\n", FS, ""},
    {KEY_DEVICES, show_devices, FS "devices = /dev/kvm\n", "", "/dev/kvm"},
    {KEY_NET_MODE, show_net, NET "mode = all\n", "", "all"},
    {KEY_NET_MODE, show_net, NET "mode = all\n", NET, "none"},
    {KEY_NET_MODE, show_net, NET "mode = all\n", NET "allow_domains = a.com\n",
        "restricted"},
    {KEY_NET_MODE, show_net, NET "mode = restricted\n", NET "mode = all\n", "restricted"},
    {KEY_NET_MODE, show_net, "", NET "mode = all\n", "none"},
    {KEY_ALLOW_DOMAINS, show_domains, NET "allow_domains = a.com\n", FS,
        "1: /+ a.com - "},
    {KEY_ALLOW_DOMAINS, show_domains, NET "allow_domains = a.com\n",
        NET "allow_domains = b.com\n", "1: /+ a.com -  /+ b.com - "},
    {KEY_ALLOW_DOMAINS, show_domains, NET "mode = all\n", NET "allow_domains = b.com\n",
        "1: /+ b.com - "},
    {KEY_ALLOW_DOMAINS, show_domains, NET "allow_domains = a.com\n", NET "mode = all\n",
        "1: /+ a.com - "},
    {KEY_DENY_DOMAINS, show_domains, NET "allow_domains = a.com\n",
        NET "mode = restricted\ndeny_domains = *\n", "1: /+ a.com -  /+  - *"},
    {KEY_ALLOW_HOST_PORTS, show_host_ports, NET "allow_host_ports = 80, 127.0.0.1:81\n",
        NET "allow_host_ports = [::1]:80, 81\n", "127.0.0.1:81 [::1]:80"},
    {KEY_ALLOW_HOST_PORTS, show_host_ports, NET "mode = all\n",
        NET "allow_host_ports = 80\n", "80"},
    {KEY_ALLOW_HOST_PORTS, show_host_ports, NET "allow_host_ports = 80\n",
        NET "mode = all\n", "80"},
    {KEY_ALLOW_HOST_PORTS, show_host_ports, NET "allow_host_ports = 80\n", NET, ""},
    {KEY_ALLOW_HOST_PORTS, show_host_ports, NET "allow_host_ports = 80\n", FS, "80"},
    {KEY_PUBLISH_PORTS, show_publish_ports, NET "publish_ports = 80, 81\n",
        NET "publish_ports = 81, 82\n", "81"},
    {KEY_PUBLISH_PORTS, show_publish_ports, NET "publish_ports = 80\n", FS, "80"},
    {KEY_ALLOW_LOCAL_BINDING, show_local_binding, "", NET "allow_local_binding = no\n",
        "no"},
    {KEY_ALLOW_LOCAL_BINDING, show_local_binding, NET "allow_local_binding = no\n",
        NET "allow_local_binding = yes\n", "no"},
    {KEY_ALLOW_LOCAL_BINDING, show_local_binding, "", NET, "yes"},
    {KEY_PARENT_PROXY, show_parent_proxy, NET "parent_proxy = none\n",
        NET "parent_proxy = none\n", "none"},
    {KEY_PARENT_PROXY, show_parent_proxy, NET "parent_proxy = none\n", NET, "none"},
    {KEY_PARENT_PROXY, show_parent_proxy, "", NET "parent_proxy = http://evil:80\n",
        "!n0.ini:2: parent_proxy differs"},
    {KEY_PARENT_NO_PROXY, show_parent_no_proxy, NET "parent_no_proxy = .corp\n", NET,
        ".corp"},
    {KEY_PARENT_NO_PROXY, show_parent_no_proxy, NET "parent_no_proxy = .corp\n",
        NET "parent_no_proxy = env\n", "!n0.ini:2: parent_no_proxy differs"},
    {KEY_JAVA_PROXY, show_java_proxy, NET "java_proxy = yes\n", NET "java_proxy = yes\n",
        "yes"},
    {KEY_JAVA_PROXY, show_java_proxy, NET "java_proxy = yes\n", NET, "no"},
    {KEY_JAVA_PROXY, show_java_proxy, "", NET "java_proxy = yes\n", "no"},
    {KEY_UNIX_MODE, show_unix, UNIX "mode = all\n", "", "all"},
    {KEY_UNIX_MODE, show_unix, UNIX "mode = all\n", UNIX, "inside"},
    {KEY_UNIX_MODE, show_unix, UNIX "mode = all\n", UNIX "mode = none\n", "none"},
    {KEY_UNIX_MODE, show_unix, UNIX "mode = none\n", UNIX "mode = all\n", "none"},
    {KEY_UNIX_ALLOW, show_unix_allow, UNIX "allow = /run/a, /run/b\n",
        UNIX "allow = /run/b/\n", "/run/b"},
    {KEY_UNIX_ALLOW, show_unix_allow, UNIX "allow = /run\n", UNIX "allow = /run/b, /x\n",
        "/run/b"},
    {KEY_UNIX_ALLOW, show_unix_allow, UNIX "allow = /run\n", UNIX "allow = /run/../x\n",
        ""},
    {KEY_UNIX_ALLOW, show_unix_allow, UNIX "allow = /run/a\n", UNIX, ""},
    {KEY_UNIX_ALLOW, show_unix_allow, UNIX "allow = /run/a\n", FS, "/run/a"},
    {KEY_UNIX_ALLOW, show_unix_allow, UNIX "mode = all\n", UNIX "allow = /run/a\n",
        "/run/a"},
    {KEY_UNIX_ALLOW, show_unix_allow, UNIX "allow = /run/a\n", UNIX "mode = all\n",
        "/run/a"},
    {KEY_ENV_NAME, show_env, ENV "A = 1\nB = 2\nC = 3\n", ENV "B = 2\nC = 4\nD = 5\n",
        "B=2"},
    {KEY_ENV_NAME, show_env, ENV "A = 1\n", ENV, ""},
    {KEY_ENV_NAME, show_env, ENV "A = 1\n", FS, "A=1"},
    {KEY_LIMIT_MEMORY, show_limits, LIM "memory = 2K\n", LIM "memory = 1K\n", "0=1024"},
    {KEY_LIMIT_MEMORY, show_limits, LIM "memory = 1K\n", LIM "memory = 2K\n", "0=1024"},
    {KEY_LIMIT_MEMORY, show_limits, LIM "memory = 1K\n", LIM, "0=1024"},
    {KEY_LIMIT_CPU_TIME, show_limits, "", LIM "cpu_time = 1s\n", "1=1"},
    {KEY_LIMIT_PROCESSES, show_limits, LIM "processes = 9\n", LIM "processes = 8\n",
        "2=8"},
    {KEY_LIMIT_OPEN_FILES, show_limits, LIM "core = 0\n", LIM "open_files = 8\n",
        "3=8 5=0"},
    {KEY_LIMIT_FILE_SIZE, show_limits, LIM "file_size = 1K\n", LIM "file_size = 0\n",
        "4=0"},
    {KEY_LIMIT_CORE, show_limits, LIM "core = 0\n", LIM "core = 9\n", "5=0"},
    {KEY_DENIALS, show_denials, REP "denials = off\n", REP "denials = all\n", "all"},
    {KEY_DENIALS, show_denials, REP "denials = all\n", REP "denials = off\n", "all"},
    {KEY_DENIALS, show_denials, "", REP "denials = off\n", "writes by default"},
    {KEY_DENIALS, show_denials, REP "denials = off\n", REP, "off"},
};

static void
test_row(const struct row *r)
{
	const char *const narrow[] = {r->narrow, NULL};
	const struct grant_key *k = &grant_keys[r->key];
	struct bytes out = {NULL, 0, 0};
	struct built b;

	build_all(&b, r->base, NULL, 0, narrow);
	if (b.p == NULL || r->want[0] == '!') {
		const char *errors = build_errors(&b);

		if (!ok(r->want[0] == '!' && b.p == NULL &&
		            str_starts(errors, r->want + 1),
		        "[%s] %s row %d: %s", k->section, k->key, (int)(r - rows),
		        r->want))
			printf("# got  %s\n", errors);
	} else {
		r->show(&b.arena, &out, b.p);
		bytes_add(&b.arena, &out, "", 1);
		is_str(out.data, r->want, "[%s] %s row %d", k->section, k->key,
		    (int)(r - rows));
	}
	build_free(&b);
}

static void
test_every_key(void)
{
	for (size_t id = 0; id < grant_nkeys; id++) {
		size_t n = 0;

		for (size_t i = 0; i < SRUN_ARRAY_LEN(rows); i++)
			n += rows[i].key == id;
		ok(n != 0, "[%s] %s has a row here", grant_keys[id].section,
		    grant_keys[id].key);
	}
}

static void
test_many(void)
{
	static const char *const two[] = {BOX
	    "timeout = 5s\n" NET "allow_domains = b.com\n" FS "deny_read = /b\n",
	    BOX "timeout = 4s\n" NET "allow_domains = c.com\n" FS "deny_read = /c\n",
	    NULL};
	static const char *const bad[] = {BOX "shel = x\n", NET "mode = x\n", NULL};
	static const char *const proxy[] = {NET "allow_domains = a.com\n", NULL};
	struct bytes out = {NULL, 0, 0};
	struct built b;

	build_all(&b, NET "mode = all\n", NULL, 0, two);
	show_domains(&b.arena, &out, b.p);
	bytes_puts(&b.arena, &out, "; ");
	show_layers(&b.arena, &out, b.p);
	bytes_puts(&b.arena, &out, "; ");
	show_timeout(&b.arena, &out, b.p);
	bytes_add(&b.arena, &out, "", 1);
	is_str(out.data,
	    "1: /+ b.com -  /+ c.com - ; wd / wd deny_read:/b / wd deny_read:/c; 4000",
	    "two narrow grants, one after the other");
	build_free(&b);
	build_all(&b, BOX "temp = x\n", NULL, 0, bad);
	is_str(build_errors(&b),
	    "g.ini:2: temp 'x' is not tmp, private or host | n0.ini:2: unknown key "
	    "'shel' in "
	    "[sandbox] [did you mean 'shell'?] | n1.ini:2: mode 'x' is not none, "
	    "restricted or "
	    "all",
	    "the errors of every file are told");
	build_free(&b);
	build_all(&b, NET "mode = all\n" ENV "http_proxy = x\n", NULL, 0, proxy);
	is_str(build_errors(&b),
	    "g.ini:4: 'http_proxy' is set by srun when the network is restricted",
	    "a proxy variable in a network that became restricted");
	build_free(&b);
	build_all(
	    &b, "", NULL, 0, (const char *const[]){UNIX, NET "mode = none\n", NULL});
	ok(b.p != NULL && b.p->unix_origin.file == NULL && b.p->net_origin.file == NULL,
	    "what narrows nothing leaves no trace");
	build_free(&b);
}

int
main(void)
{
	test_every_key();
	for (size_t i = 0; i < SRUN_ARRAY_LEN(rows); i++)
		test_row(&rows[i]);
	test_many();
	return done();
}
