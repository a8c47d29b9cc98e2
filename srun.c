/*
 * srun.c: main, and the order of the steps. Every step is another room's; here is only
 * what follows what, and what ends the program.
 *
 *   argv → options → grant texts → policy → the helper is started → survey of the host →
 *   state on the host → launch (backend) → arguments to the helper, wait for inner,
 *   verify → run → undo → exit
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend.h"
#include "connect.h"
#include "env.h"
#include "graft.h"
#include "grantfind.h"
#include "guardian.h"
#include "host.h"
#include "inherited.h"
#include "inner.h"
#include "launch.h"
#include "msg.h"
#include "network.h"
#include "options.h"
#include "path.h"
#include "policy.h"
#include "proof.h"
#include "protect.h"
#include "report.h"
#include "state.h"
#include "supervise.h"
#include "sys.h"
#include "tempdir.h"
#include "verify.h"

#ifndef SRUN_VERSION
#define SRUN_VERSION "unknown"
#endif

#define LOOKS 10 /* at the host, when something goes away between a look and its use */

/* One call of srun. */
struct call {
	struct arena arena;
	struct options options;
	struct host host;
	const struct policy *policy;
	struct survey *survey;
	struct protection protection;
	struct run_paths names;
	const char *id;
	struct errs errs, notes, protect_notes;
	const char *found; /* where the grant lies that no option names by path; NULL */
	struct supervisor supervisor;
	struct state state;
	struct guardian guardian;
	struct session session;
	struct graft graft;
	struct network network;
	const char
	    *fell_back; /* why "auto" did not take an earlier backend, "" if it did */
	unsigned looks;
	bool vanished; /* the backend did not start, and is to be tried anew */
};

static _Noreturn void
give_up(struct call *c)
{
	struct errs more = {{NULL, 0}};
	graft_end(&c->graft);
	network_end(&c->network);
	launch_abort(&c->session);
	state_end(&c->arena, &c->state, &more);
	guardian_end(&c->guardian);
	msg_errs(&c->errs);
	msg_errs(&more);
	_exit(EXIT_SRUN);
}

static void
check_errors(struct call *c)
{
	if (c->errs.text.n > 0)
		give_up(c);
}

static void
print_text(struct call *c, const char *text)
{
	if (sys_write_all(1, text, strlen(text)) != 0) {
		errs_add(&c->arena, &c->errs, "cannot write: %s", strerror(errno));
		give_up(c);
	}
}

/* ---- the grant ---- */

static void
load_policy(struct call *c)
{
	struct grant_text base, *narrow;
	size_t n = c->options.narrow.n;
	narrow = arena_alloc(&c->arena, (n + 1) * sizeof(*narrow));
	bool ok =
	    grant_find(&c->arena, &c->host, &c->options, &base, &c->found, &c->errs);
	for (size_t i = 0; i < n; i++)
		ok = grant_read_file(&c->arena, c->options.narrow.v[i], false, &narrow[i],
		         &c->errs) &&
		     ok;
	if (!ok)
		give_up(c);
	struct grant_context ctx = {
	    c->host.home, c->host.cwd != NULL ? c->host.cwd : "/", c->host.environ};
	c->policy = policy_build(&c->arena, &base, c->options.extra, c->options.nextra,
	    narrow, n, &ctx, &c->errs);
	if (c->policy == NULL)
		give_up(c);
	policy_unbuilt(&c->arena, c->policy, &c->errs);
	check_errors(c);
}

static void
survey(struct call *c)
{
	tempdir_choose(&c->arena, &c->host, &c->names);
	c->names.state_dir = state_dir(&c->arena, &c->host);
	c->survey =
	    host_survey(&c->arena, c->policy, &c->host, &c->names, &c->errs, &c->notes);
	if (c->survey == NULL)
		give_up(c);
}

/* ---- the launch ---- */

/* Whether the run gets a network of its own with srun's proxy as the only way out. */
static bool
has_proxy(const struct call *c, const struct backend *b)
{
	return c->policy->net == NET_RESTRICTED && (b->enforces & ENFORCE_NET) != 0;
}

/* How programs inside find the proxy, and srun as their way to it. */
static void
fill_proxy(const struct call *c, struct arena *a, struct env_proxy *proxy)
{
	const char *self = c->host.self;
	*proxy = (struct env_proxy){NETWORK_PORT, NULL, NULL, c->policy->java_proxy};
	if (self == NULL || !env_is_plain_path(self))
		return;
	proxy->self = self;
	const char *connect = arena_printf(a, "%s-connect", self);
	if (access(connect, X_OK) == 0)
		proxy->connect = connect;
}

static void
fill_command(struct call *c, struct launch *l)
{
	struct arena *a = &c->arena;
	const struct options *o = &c->options;
	if (o->string != NULL) {
		strv_push(a, &l->argv, c->policy->shell);
		strv_push(a, &l->argv, "-c");
		strv_push(a, &l->argv, o->string);
	}
	for (size_t i = 0; i < o->words.n; i++)
		strv_push(a, &l->argv, o->words.v[i]);
	bool terminal = isatty(0) || isatty(1) || isatty(2);
	const char *temp = c->survey->temp_dir;
	if (temp == NULL)
		temp = c->host.temp_host;
	struct env_proxy proxy;
	bool with = has_proxy(c, l->backend);
	if (with)
		fill_proxy(c, a, &proxy);
	env_build(a, c->policy, &c->host, temp, terminal, c->id, with ? &proxy : NULL,
	    &l->envp);
}

static const char *
absolute(struct call *c, const char *path)
{
	return path_normalise(&c->arena, path, c->host.cwd != NULL ? c->host.cwd : "/");
}

/* What a launch needs before there is a policy for it. */
static struct launch *
new_launch(struct call *c, const struct backend *b)
{
	struct launch *l = arena_alloc(&c->arena, sizeof(*l));
	l->backend = b;
	l->enforced = b->enforces;
	l->keep_fds = c->options.keep_fds;
	l->nkeep_fds = c->options.nkeep_fds;
	l->fd_base = launch_fd_base(l->keep_fds, l->nkeep_fds);
	l->nonce = state_random_id(&c->arena);
	/* Without namespaces there is nothing that the filter could protect. */
	if (b->compile_probe != NULL)
		l->filter = &c->policy->unix_mode;
	return l;
}

/* The decisions into the launch; errors end srun: another backend must not be easier. */
static void
set_directory(const struct call *c, struct launch *l)
{
	l->working_directory = c->survey->working_directory.real;
	l->working_directory_dev = c->survey->working_directory.dev;
	l->working_directory_ino = c->survey->working_directory.ino;
}

static void
compile(struct call *c, struct launch *l)
{
	const struct policy *p = c->policy;
	set_directory(c, l);
	l->shell = p->shell;
	memcpy(l->limits, p->limits, sizeof(l->limits));
	l->timeout_ms = p->timeout_ms;
	l->kill_after_ms = p->kill_after_ms;
	fill_command(c, l);
	if (!l->backend->compile(&c->arena, p, c->survey, l, &c->errs))
		give_up(c);
	proofs_choose(&c->arena, l);
}

/* ---- choosing a backend ---- */

/*
 * Inside srun nothing on the host is at fault: the outer sandbox lets nobody make another.
 * SRUN is only a hint, since everybody can set it; so the reason is shown all the same.
 */
static const char *
finding_text(struct call *c, const struct finding *f)
{
	const char *remedy = f->remedy, *outer = env_host(&c->host, "SRUN");
	if (outer != NULL && strcmp(outer, "1") == 0 && f->lasting)
		remedy =
		    "inside another srun (SRUN=1 is set) no second sandbox can be made; "
		    "the outer one still holds, so 'none' is the one to ask for";
	return remedy != NULL ? arena_printf(&c->arena, "%s [%s]", f->reason, remedy)
	                      : f->reason;
}

/*
 * Whether b may be taken. Otherwise: a pinned backend ends srun, "auto" remembers why.
 */
static bool
admit(struct call *c, const struct backend *b, struct launch *l)
{
	struct finding f = {.reason = NULL};
	unsigned missing = c->policy->require & ~b->enforces;
	if (missing != 0)
		f.reason = arena_printf(&c->arena,
		    "%s does not enforce %s, which 'require' names", b->name,
		    enforce_text(&c->arena, missing));
	else if (b->find(&c->arena, &c->host, l, &f))
		return true;
	if (c->policy->isolation == b->id) {
		errs_add(&c->arena, &c->errs, "isolation unavailable: %s: %s", b->name,
		    finding_text(c, &f));
		give_up(c);
	}
	c->fell_back = finding_text(c, &f);
	return false;
}

/* Does the smallest sandbox of this kind start? Tells absence from a bad policy. */
static bool
probe(struct call *c, const struct backend *b, struct finding *f)
{
	struct launch l = {.backend = b, .fd_base = launch_fd_base(NULL, 0)};
	struct session s;
	const char *words = "";
	int sig = 0;
	struct errs errs = {{NULL, 0}};
	if (!b->find(&c->arena, &c->host, &l, f))
		return false;
	if (b->compile_probe == NULL)
		return true;
	b->compile_probe(&c->arena, &l);
	if (launch_start(&c->arena, &l, c->guardian.sock, &s, &c->errs) != LAUNCH_READY)
		give_up(c);
	launch_feed(&l, &s);
	enum launch_outcome o =
	    launch_wait(&c->arena, &s, c->supervisor.sigfd, &words, &sig, &errs);
	if (o == LAUNCH_READY)
		launch_abort(&s);
	else if (o == LAUNCH_FAILED)
		b->explain(&c->arena, words, f);
	return o == LAUNCH_READY;
}

/* What "auto" and "none" do not enforce is said aloud, in one line. */
static void
say_missing(struct call *c, const struct launch *l)
{
	unsigned missing = policy_needs(c->policy) & ~l->enforced;
	if (missing == 0)
		return;
	msg_warn(c->options.level, "isolation '%s' does not enforce: %s%s%s",
	    l->backend->name, enforce_text(&c->arena, missing),
	    *c->fell_back != '\0' ? "; " : "", c->fell_back);
}

/*
 * b does not work here. "auto" remembers why and goes on, but only when it will be so at
 * the next try too; otherwise, and where b is pinned, srun ends.
 */
static void
go_on(struct call *c, const struct backend *b, const struct finding *f)
{
	if (c->policy->isolation == ISOLATION_AUTO && f->lasting) {
		c->fell_back = finding_text(c, f);
		return;
	}
	errs_add(&c->arena, &c->errs, "isolation unavailable: %s: %s%s", b->name,
	    finding_text(c, f), f->lasting ? "" : " [this may pass: try again]");
	give_up(c);
}

static bool
may_look_again(struct call *c, bool vanished)
{
	c->vanished = vanished && ++c->looks < LOOKS;
	return c->vanished;
}

/*
 * The helper ended before inner was ready. True when "auto" may go on to the next backend;
 * a sandbox that cannot be set up for this policy ends srun, whatever was asked.
 */
static bool
start_failed(struct call *c, const struct launch *l, const char *words)
{
	struct finding f = {.reason = NULL}, why = {.reason = NULL};
	l->backend->explain(&c->arena, words, &why);
	if (may_look_again(c, why.vanished))
		return true;
	if (probe(c, l->backend, &f)) {
		errs_add(&c->arena, &c->errs, "%s cannot set up this grant: %s",
		    l->backend->name, finding_text(c, &why));
		give_up(c);
	}
	if (f.reason == NULL)
		f = why;
	go_on(c, l->backend, &f);
	return true;
}

/*
 * inner waits. Anything that is not as planned keeps the command from starting: something
 * may have been replaced meanwhile, which the next look would not find in its way.
 */
static bool
check_sandbox(struct call *c, const struct launch *l)
{
	if (l->mounts == NULL || verify_sandbox(&c->arena, l, c->session.inner, &c->errs))
		return true;
	if (!may_look_again(c, true))
		give_up(c);
	return false;
}

/* Waits until inner is ready; false when "auto" has to go on. */
static bool
await(struct call *c, const struct launch *l)
{
	const char *words = "";
	int sig = 0;
	switch (launch_wait(
	    &c->arena, &c->session, c->supervisor.sigfd, &words, &sig, &c->errs)) {
	case LAUNCH_READY:
		if (l->own_pids)
			guardian_tell(c->guardian.sock, WARD_INIT, c->session.inner,
			    c->session.inner_pidfd);
		return true;
	case LAUNCH_FAILED:
		if (l->backend->explain != NULL)
			return !start_failed(c, l, words);
		errs_add(
		    &c->arena, &c->errs, "the first process ended before it was ready");
		break;
	case LAUNCH_CANCELLED:
		graft_end(&c->graft);
		network_end(&c->network);
		state_end(&c->arena, &c->state, &c->errs);
		guardian_end(&c->guardian);
		supervise_die(sig);
	case LAUNCH_ERROR:
		break;
	}
	give_up(c);
}

static void
say_notes(const struct call *c)
{
	for (size_t i = 0; i < c->notes.text.n; i++)
		msg_warn(c->options.level, "%s", c->notes.text.v[i]);
}

/*
 * The mandatory deny set as rules of the survey; missing names are made where holds says.
 * False when the host has to be looked at again.
 */
static bool
protect(struct call *c, const struct launch *l, struct holds *holds)
{
	struct protect_files files = {
	    .state_dir =
	        holds != NULL ? c->state.hold_dir : state_hold_dir(&c->arena, &c->host)};
	if (c->options.grant != NULL && strcmp(c->options.grant, "-") != 0)
		strv_push(&c->arena, &files.paths, absolute(c, c->options.grant));
	else if (c->found != NULL)
		strv_push(&c->arena, &files.paths, absolute(c, c->found));
	for (size_t i = 0; i < c->options.narrow.n; i++)
		strv_push(&c->arena, &files.paths, absolute(c, c->options.narrow.v[i]));
	if (l->helper_argv.n > 0)
		strv_push(&c->arena, &files.paths, l->helper_argv.v[0]);
	/* Where the next run would look first. */
	struct strv places = {NULL, 0};
	grant_places(&c->arena, &c->host, &places);
	for (size_t i = 0; i < places.n; i++)
		strv_push(&c->arena, &files.places, path_parent(&c->arena, places.v[i]));
	const char *named = env_host(&c->host, "SRUN_GRANT");
	if (named != NULL && *named != '\0')
		strv_push(&c->arena, &files.paths, absolute(c, named));
	state_places(&c->arena, &c->host, &files.places);
	if (!protect_survey(&c->arena, c->policy, &c->host, c->survey, &files, holds,
	        &c->protection, &c->errs, &c->protect_notes)) {
		if (may_look_again(c, c->protection.vanished))
			return false;
		give_up(c);
	}
	for (size_t i = 0; i < c->protection.stopped.n; i++)
		msg_warn(c->options.level, "%s", c->protection.stopped.v[i]);
	return true;
}

/* Looking at the host and making what the run needs there: once, whatever the backend. */
static void
settle(struct call *c)
{
	if (c->survey != NULL)
		return;
	survey(c);
	say_notes(c);
	if (!state_begin(&c->arena, &c->host, c->policy, c->survey, &c->names, &c->state,
	        &c->errs))
		give_up(c);
}

/*
 * Gives the helper what it has to make before the deny set is known: while it does that the
 * set is looked for, and what the set adds is mounted by graft.c.
 */
static void
feed_ahead(struct call *c, struct launch *l)
{
	struct launch early = *l;
	struct errs later = {{NULL, 0}}; /* said when all is known */
	set_directory(c, &early);
	if (!l->backend->compile(&c->arena, c->policy, c->survey, &early, &later) ||
	    early.grafted == NULL)
		return;
	launch_feed(&early, &c->session);
	l->helper_fed = early.helper_few;
}

/* Whether what was given ahead, if anything, is not what has to be given. */
static bool
fed_another(const struct launch *l)
{
	const struct bytes *fed = &l->helper_fed, *few = &l->helper_few;
	return fed->len > 0 && (l->grafted == NULL || fed->len != few->len ||
	                           memcmp(fed->data, few->data, fed->len) != 0);
}

static void
start_again(struct call *c, struct launch *l)
{
	launch_abort(&c->session);
	l->helper_fed.len = 0;
	if (launch_start(&c->arena, l, c->guardian.sock, &c->session, &c->errs) !=
	    LAUNCH_READY)
		give_up(c);
}

/* Gives the helper what it has to make and waits for it, then makes the rest. */
static bool
make_sandbox(struct call *c, struct launch *l)
{
	if (l->grafted != NULL && !graft_start(&c->graft, l->mounts, l->grafted))
		l->grafted = NULL;
	if (fed_another(l))
		start_again(c, l);
	launch_feed(l, &c->session);
	if (!await(c, l)) {
		graft_end(&c->graft);
		return false;
	}
	const char *why = NULL;
	if (l->grafted != NULL)
		why = graft_run(&c->arena, &c->graft, l->mounts, c->session.inner);
	if (why == NULL) {
		/* Read inside while it is looked at from outside; the mounts are all there. */
		supervise_prepare(&c->arena, &c->supervisor, l, &c->session);
		if (!check_sandbox(c, l))
			return false;
		if (has_proxy(c, l->backend) &&
		    !network_open(&c->arena, &c->network, c->session.inner, &c->errs))
			give_up(c);
		return true;
	}
	/* A kernel or a filter that does not let us: then the helper makes all of them. */
	msg_info(
	    c->options.level, "bubblewrap makes every mount, which is slower: %s", why);
	l->grafted = NULL;
	start_again(c, l);
	return make_sandbox(c, l);
}

/*
 * Starts b: the launch when inner is ready and as planned, NULL when "auto" has to go on.
 * The helper loads, on another processor, while the policy is compiled for it.
 */
static struct launch *
start(struct call *c, const struct backend *b)
{
	struct launch *l = new_launch(c, b);
	if (!admit(c, b, l))
		return NULL;
	if (launch_start(&c->arena, l, c->guardian.sock, &c->session, &c->errs) !=
	    LAUNCH_READY)
		give_up(c);
	if (has_proxy(c, b) && c->network.control < 0 &&
	    !network_begin(
	        &c->arena, c->policy, c->host.environ, &c->network, &c->notes, &c->errs))
		give_up(c);
	settle(c);
	/* Names are held only where something holds them. */
	if (b->enforces & ENFORCE_DENY_SET) {
		feed_ahead(c, l);
		if (!protect(c, l, &c->state.holds))
			return NULL;
	}
	compile(c, l);
	return make_sandbox(c, l) ? l : NULL;
}

/*
 * Another run or program may remove what was just seen. Everything is looked at and made
 * anew then, a few times.
 */
static struct launch *
start_and_look_again(struct call *c, const struct backend *b)
{
	struct launch *l;
	while ((l = start(c, b)) == NULL && c->vanished) {
		graft_end(&c->graft);
		launch_abort(&c->session);
		state_end(&c->arena, &c->state, &c->errs);
		c->survey = NULL;
		c->notes.text.n = c->protect_notes.text.n = c->errs.text.n = 0;
		c->protection = (struct protection){.n = 0};
	}
	return l;
}

/* What has to be there before the first process of the run. */
static void
begin(struct call *c, const struct strv *dirs)
{
	if (!supervise_init(&c->supervisor))
		errs_add(
		    &c->arena, &c->errs, "cannot set up signals: %s", strerror(errno));
	else if (!guardian_start(&c->guardian, dirs))
		errs_add(
		    &c->arena, &c->errs, "cannot start a process: %s", strerror(errno));
	check_errors(c);
}

static bool
is_candidate(const struct call *c, const struct backend *b)
{
	return c->policy->isolation == b->id ||
	       (c->policy->isolation == ISOLATION_AUTO && !b->elsewhere);
}

static void
say_end(const struct call *c, const struct result *r)
{
	switch (r->outcome) {
	case OUTCOME_NOT_STARTED:
	case OUTCOME_INTERNAL:
		msg_error("%s", r->reason);
		break;
	case OUTCOME_TIMEOUT:
		msg_warn(c->options.level, "timeout after %lld ms",
		    (long long)c->policy->timeout_ms);
		break;
	case OUTCOME_EXIT:
	case OUTCOME_SIGNAL:
		break;
	}
}

/* What changed in the protected set while the command ran; only said, whoever did it. */
static void
check_exit(struct call *c)
{
	struct errs changes = {{NULL, 0}};
	exit_check_compare(
	    &c->arena, &c->protection.exit, &protect_limits, &c->state.holds, &changes);
	for (size_t i = 0; i < changes.text.n; i++)
		msg_warn(c->options.level, "%s", changes.text.v[i]);
}

#define REFUSED_LINES 10

static void
say_refused(struct call *c)
{
	struct errs lines = {{NULL, 0}};
	network_end(&c->network);
	if (c->policy->denials_set && c->policy->denials == DENIALS_OFF)
		return;
	network_denials(&c->arena, &c->network, REFUSED_LINES, &lines);
	for (size_t i = 0; i < lines.text.n; i++)
		msg_warn(c->options.level, "%s", lines.text.v[i]);
}

static _Noreturn void
run(struct call *c)
{
	struct result r;
	struct launch *l = NULL;
	struct strv dirs = {NULL, 0};
	state_dirs(&c->arena, &c->host, &dirs);
	begin(c, &dirs);
	for (size_t i = 0; l == NULL && backends[i] != NULL; i++)
		if (is_candidate(c, backends[i]))
			l = start_and_look_again(c, backends[i]);
	if (l == NULL) {
		errs_add(&c->arena, &c->errs, "isolation unavailable: %s", c->fell_back);
		give_up(c);
	}
	say_missing(c, l);
	msg_info(c->options.level,
	    "isolation '%s', %zu mounts, %zu protected names, working directory '%s'%s",
	    l->backend->name, l->mounts != NULL ? l->mounts->n : 0, c->protection.n,
	    l->working_directory,
	    c->survey->working_directory.err != ENOENT ? ""
	    : c->policy->working_directory_temp        ? " made for this run"
	                                               : " made, and stays");
	supervise_run(
	    &c->arena, &c->supervisor, l, &c->session, &c->guardian, &c->network, &r);
	say_refused(c);
	check_exit(c);
	state_end(&c->arena, &c->state, &c->errs);
	msg_errs(&c->errs);
	guardian_dismiss(&c->guardian);
	launch_abort(&c->session);
	guardian_end(&c->guardian);
	say_end(c, &r);
	supervise_exit(&r);
}

/* --check and --print: the backend that a run would take, found by really starting one. */
static void
show(struct call *c)
{
	struct launch *l = NULL;
	const struct strv none = {NULL, 0};
	begin(c, &none);
	survey(c);
	for (size_t i = 0; l == NULL && backends[i] != NULL; i++) {
		struct finding f = {.reason = NULL};
		if (!is_candidate(c, backends[i]))
			continue;
		l = new_launch(c, backends[i]);
		/* What another system would be given can be read here. */
		if (backends[i]->elsewhere && c->options.mode == MODE_PRINT)
			break;
		if (admit(c, backends[i], l)) {
			if (probe(c, backends[i], &f))
				break;
			go_on(c, backends[i], &f);
		}
		l = NULL;
	}
	if (l == NULL) {
		errs_add(&c->arena, &c->errs, "isolation unavailable: %s: %s",
		    isolation_name(c->policy->isolation), c->fell_back);
		give_up(c);
	}
	if (l->backend->enforces & ENFORCE_DENY_SET)
		protect(c, l, NULL);
	compile(c, l);
	struct report r = {c->policy, &c->host, c->survey, l, c->fell_back, &c->notes,
	    &c->protection, &c->protect_notes, c->options.level == MSG_VERBOSE};
	guardian_end(&c->guardian);
	print_text(c, c->options.mode == MODE_CHECK ? report_check(&c->arena, &r)
	                                            : report_print(&c->arena, &r));
}

/*
 * Under another name srun has no options: srun-sh gives every word to the grant's shell,
 * whose name starts with '-' for a login.
 */
static void
plain_words(struct call *c, enum mode mode, int argc, char **argv)
{
	c->options = (struct options){.mode = mode, .level = MSG_NORMAL, .grant_fd = -1};
	for (int i = 1; i < argc; i++)
		strv_push(&c->arena, &c->options.words, argv[i]);
}

static void
shell_command(struct call *c)
{
	struct strv words = {NULL, 0};
	strv_push(&c->arena, &words, c->policy->shell);
	for (size_t i = 0; i < c->options.words.n; i++)
		strv_push(&c->arena, &words, c->options.words.v[i]);
	c->options.words = words;
}

static int
connect_words(struct call *c)
{
	extern char **environ;
	const struct strv *w = &c->options.words;
	if (w->n == 2)
		return connect_main(env_get((const char *const *)environ, "SRUN_PROXY"),
		    w->v[0], w->v[1]);
	errs_add(&c->arena, &c->errs, "--connect needs HOST and PORT");
	give_up(c);
}

int
main(int argc, char **argv)
{
	extern char **environ;
	struct call c = {.state = STATE_NONE,
	    .session = SESSION_NONE,
	    .graft = GRAFT_NONE,
	    .network = NETWORK_NONE,
	    .guardian = GUARDIAN_NONE,
	    .fell_back = ""};

	if (argc == 4 && strcmp(argv[1], LAUNCH_INNER_WORD) == 0)
		return inner_exec_main(argv);
	if (sys_fill_stdio() != 0)
		return EXIT_SRUN;
	bool shell = argc > 0 && options_is_shell(argv[0]);
	if (shell)
		plain_words(&c, MODE_RUN, argc, argv);
	else if (argc > 0 && options_is_connect(argv[0]))
		plain_words(&c, MODE_CONNECT, argc, argv);
	else if (!options_parse(&c.arena, argc, argv, &c.options, &c.errs))
		give_up(&c);
	if (c.options.mode == MODE_HELP || c.options.mode == MODE_VERSION) {
		print_text(&c, c.options.mode == MODE_HELP ? options_help(&c.arena)
		                                           : "srun " SRUN_VERSION "\n");
		return 0;
	}
	if (!shell && c.options.mode == MODE_RUN && c.options.string == NULL &&
	    c.options.words.n == 0) {
		errs_add(&c.arena, &c.errs, "no command [see 'srun --help']");
		give_up(&c);
	}
	if (c.options.mode == MODE_CONNECT)
		return connect_words(&c);
	inherited_check(&c.arena, &c.options, &c.errs);
	check_errors(&c);
	inherited_close(&c.arena, &c.options);
	host_read(&c.arena, &c.host, (const char *const *)environ);
	c.id = c.options.id != NULL ? c.options.id : state_random_id(&c.arena);
	load_policy(&c);
	if (c.options.mode == MODE_RUN && c.policy->isolation != ISOLATION_NONE)
		inherited_no_directories(&c.arena, &c.options, &c.errs);
	check_errors(&c);
	if (shell)
		shell_command(&c);
	if (c.options.mode == MODE_RUN)
		run(&c);
	show(&c);
	return 0;
}
