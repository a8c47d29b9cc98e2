/*
 * main.c: main for macOS, and the order of the steps:
 *
 *   argv → options → grant texts → policy → temporary directory, guardian → survey →
 *   profile → sandbox-exec, inner, the command → undo → exit
 *
 * What of a grant is not built here is refused; so is --check.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "env.h"
#include "grantfind.h"
#include "guard.h"
#include "host.h"
#include "macsys.h"
#include "msg.h"
#include "options.h"
#include "path.h"
#include "protect.h"
#include "sbrun.h"
#include "seatbelt.h"
#include "state.h"
#include "sys.h"

#ifndef SRUN_VERSION
#define SRUN_VERSION "unknown"
#endif

struct call {
	struct arena arena;
	struct options options;
	struct host host;
	const struct policy *policy;
	struct survey *survey;
	struct run_paths names;
	struct protection protection;
	struct tempdirs temp;
	struct seatbelt_profile profile;
	char nonce[17];
	int guard;
	const char *found;
	struct errs errs, notes;
};

static _Noreturn void
give_up(struct call *c)
{
	struct errs more = {{NULL, 0}};
	tempdirs_remove(&c->arena, &c->temp, &more);
	if (c->guard >= 0)
		guard_dismiss(c->guard);
	msg_errs(&c->errs);
	_exit(EXIT_SRUN);
}

/* TMPDIR of macOS is shared by all programs of the user and too long for a socket below. */
static const char *const *
without_tmpdir(struct call *c, const char *const *environ)
{
	struct strv v = {NULL, 0};
	for (size_t i = 0; environ[i] != NULL; i++)
		if (!str_starts(environ[i], "TMPDIR="))
			strv_push(&c->arena, &v, environ[i]);
	return v.v;
}

static void
random_nonce(struct call *c)
{
	unsigned char bytes[8];
	if (getentropy(bytes, sizeof(bytes)) != 0)
		give_up(c);
	for (size_t i = 0; i < sizeof(bytes); i++)
		memcpy(c->nonce + 2 * i, arena_printf(&c->arena, "%02x", bytes[i]), 2);
}

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
	if (c->policy->isolation != ISOLATION_AUTO &&
	    c->policy->isolation != ISOLATION_SEATBELT)
		errs_add(&c->arena, &c->errs,
		    "isolation unavailable: on macOS there is 'seatbelt' [or leave it to "
		    "'auto']");
	if (c->policy->require & ENFORCE_PID)
		errs_add(&c->arena, &c->errs,
		    "isolation unavailable: seatbelt: it does not enforce pid, which "
		    "'require' "
		    "names");
	if (c->errs.text.n > 0)
		give_up(c);
}

static const char *
absolute(struct call *c, const char *path)
{
	return path_normalise(&c->arena, path, c->host.cwd != NULL ? c->host.cwd : "/");
}

/*
 * The mandatory deny set as far as it has to be looked for: what exists, wherever it leads,
 * and what steers srun. Nothing is made for what is missing: the profile has its names.
 */
static void
protect(struct call *c)
{
	struct protect_files files = {.state_dir = state_dir(&c->arena, &c->host)};
	struct strv places = {NULL, 0};
	const char *grant = c->options.grant != NULL ? c->options.grant : c->found;
	if (grant != NULL && strcmp(grant, "-") != 0)
		strv_push(&c->arena, &files.paths, absolute(c, grant));
	for (size_t i = 0; i < c->options.narrow.n; i++)
		strv_push(&c->arena, &files.paths, absolute(c, c->options.narrow.v[i]));
	grant_places(&c->arena, &c->host, &places);
	for (size_t i = 0; i < places.n; i++)
		strv_push(&c->arena, &files.places, path_parent(&c->arena, places.v[i]));
	const char *named = env_host(&c->host, "SRUN_GRANT");
	if (named != NULL && *named != '\0')
		strv_push(&c->arena, &files.paths, absolute(c, named));
	state_places(&c->arena, &c->host, &files.places);
	if (!protect_survey(&c->arena, c->policy, &c->host, c->survey, &files, NULL,
	        &c->protection, &c->errs, &c->notes))
		give_up(c);
	for (size_t i = 0; i < c->protection.stopped.n; i++)
		msg_warn(c->options.level, "%s", c->protection.stopped.v[i]);
}

static void
survey(struct call *c)
{
	c->names.state_dir = "/var/empty";
	tempdir_choose(&c->arena, &c->host, &c->names);
	c->survey =
	    host_survey(&c->arena, c->policy, &c->host, &c->names, &c->errs, &c->notes);
	if (c->survey == NULL)
		give_up(c);
	for (size_t i = 0; i < c->notes.text.n; i++)
		msg_warn(c->options.level, "%s", c->notes.text.v[i]);
}

static void
compile(struct call *c)
{
	struct seatbelt_facts facts = {c->nonce, 0};
	if (!seatbelt_compile(
	        &c->arena, c->policy, c->survey, &facts, &c->profile, &c->errs))
		give_up(c);
}

static void
fill_image(struct call *c, struct image *im)
{
	struct arena *a = &c->arena;
	const struct options *o = &c->options;
	if (o->string != NULL) {
		strv_push(a, &im->argv, c->policy->shell);
		strv_push(a, &im->argv, "-c");
		strv_push(a, &im->argv, o->string);
	}
	for (size_t i = 0; i < o->words.n; i++)
		strv_push(a, &im->argv, o->words.v[i]);
	bool terminal = isatty(0) || isatty(1) || isatty(2);
	const char *temp =
	    c->survey->temp_dir != NULL ? c->survey->temp_dir : c->host.temp_host;
	env_build(a, c->policy, &c->host, temp, terminal,
	    o->id != NULL ? o->id : c->nonce, NULL, &im->envp);
	/* zsh makes the files of its here-documents there, whatever TMPDIR says. */
	strv_push(a, &im->envp, arena_printf(a, "TMPPREFIX=%s/zsh", temp));
	im->working_directory = c->survey->working_directory.real;
	im->shell = c->policy->shell;
	memcpy(im->limits, c->policy->limits, sizeof(im->limits));
	im->keep_fds = o->keep_fds;
	im->nkeep_fds = o->nkeep_fds;
}

/* Ends as the command ended: by exit code, or by the same signal. */
static _Noreturn void
end_as(const struct sbrun_result *r)
{
	if (r->end == SBRUN_SIGNAL || r->end == SBRUN_CANCELLED) {
		sigset_t set;
		sigemptyset(&set);
		sigaddset(&set, r->signal);
		raise(r->signal);
		sigprocmask(SIG_UNBLOCK, &set, NULL);
		_exit(128 + r->signal);
	}
	_exit(r->code);
}

static void
make_temp(struct call *c)
{
	if (c->survey->temp_dir != NULL)
		tempdir_add(&c->arena, &c->temp, c->survey->temp_dir);
	if (!tempdirs_make(&c->arena, &c->host, &c->temp, &c->errs))
		give_up(c);
	c->guard = guard_start(c->nonce, &c->temp);
	if (c->guard < 0) {
		errs_add(
		    &c->arena, &c->errs, "cannot start a process: %s", strerror(errno));
		give_up(c);
	}
}

/* What changed in the protected set while the command ran; only said, whoever did it. */
static void
check_exit(struct call *c)
{
	struct errs changes = {{NULL, 0}};
	struct holds none = {.statefd = -1}; /* no name is held here */
	exit_check_compare(
	    &c->arena, &c->protection.exit, &protect_limits, &none, &changes);
	for (size_t i = 0; i < changes.text.n; i++)
		msg_warn(c->options.level, "%s", changes.text.v[i]);
}

static _Noreturn void
run(struct call *c)
{
	struct image im = {.shell = NULL};
	struct sbrun_result out = {.reason = NULL};
	make_temp(c);
	fill_image(c, &im);
	struct sbrun r = {c->profile.text, &c->profile.params, c->nonce, c->host.self,
	    &im, c->policy->timeout_ms, c->policy->kill_after_ms};
	macsys_hold_signals();
	sbrun_command(&c->arena, &r, &out);
	if (tcgetpgrp(0) > 0)
		tcsetpgrp(0, getpgrp());
	if (out.end == SBRUN_UNAVAILABLE)
		errs_add(&c->arena, &c->errs, "isolation unavailable: seatbelt: %s",
		    out.reason);
	else if (out.end == SBRUN_NOT_STARTED)
		errs_add(&c->arena, &c->errs, "%s", out.reason);
	else if (out.end == SBRUN_TIMEOUT)
		msg_warn(c->options.level, "timeout after %lld ms",
		    (long long)c->policy->timeout_ms);
	check_exit(c);
	tempdirs_remove(&c->arena, &c->temp, &c->errs);
	guard_dismiss(c->guard);
	msg_errs(&c->errs);
	end_as(&out);
}

static void
print_text(const char *text)
{
	if (sys_write_all(1, text, strlen(text)) != 0)
		msg_die("cannot write: %s", strerror(errno));
}

static void
print_profile(struct call *c)
{
	for (size_t i = 0; i < c->profile.params.n; i++)
		print_text(arena_printf(&c->arena, "; %s\n", c->profile.params.v[i]));
	print_text(c->profile.text);
}

int
main(int argc, char **argv)
{
	extern char **environ;
	struct call c = {.guard = -1};
	if (argc == 3 && strcmp(argv[1], SBRUN_INNER_WORD) == 0)
		return sbrun_inner_main(argv[2]);
	if (sys_fill_stdio() != 0)
		return EXIT_SRUN;
	if (!options_parse(&c.arena, argc, argv, &c.options, &c.errs))
		give_up(&c);
	if (c.options.mode == MODE_HELP || c.options.mode == MODE_VERSION) {
		print_text(c.options.mode == MODE_HELP ? options_help(&c.arena)
		                                       : "srun " SRUN_VERSION "\n");
		return 0;
	}
	if (c.options.mode == MODE_CHECK)
		errs_add(&c.arena, &c.errs, "--check is not built yet on macOS");
	else if (c.options.mode == MODE_RUN && c.options.string == NULL &&
	         c.options.words.n == 0)
		errs_add(&c.arena, &c.errs, "no command [see 'srun --help']");
	if (c.errs.text.n > 0)
		give_up(&c);
	host_read(&c.arena, &c.host, without_tmpdir(&c, (const char *const *)environ));
	random_nonce(&c);
	load_policy(&c);
	survey(&c);
	protect(&c);
	compile(&c);
	if (c.options.mode == MODE_PRINT)
		print_profile(&c);
	else
		run(&c);
	return 0;
}
