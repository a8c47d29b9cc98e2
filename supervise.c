/*
 * supervise.c: the life of a run. Reads signals, events of inner and the clock in one
 * loop; sends orders. Takes no decision of policy and reads nothing hostile but the fixed
 * messages of inner.
 *
 * The terminal is handled as a shell handles it for a foreground job. The command's group
 * (inner's too) is put in the foreground when srun's own group was; a stop of the command
 * takes the terminal back and stops srun, a continue gives it again. Then ^C, ^Z, fg, bg
 * and an interactive shell inside work as without srun. ^C reaches the command's group from
 * the terminal; inner sees it too and srun passes it on to its own group, so a script or
 * pipeline around srun is interrupted as it would have been.
 *
 * Others of srun's group may need the terminal at the same time: the pager in
 * "srun make | less", a script that has srun in its background. They would be stopped at
 * their first read. Where that may be so the command has to ask, which a program does
 * without knowing, by being stopped with SIGTTIN or SIGTTOU; until then srun's group has
 * the terminal and srun passes on to the command's group what the terminal sends.
 */
#include "supervise.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "msg.h"
#include "sys.h"
#include "tree.h"

#define OPEN_FILES      1024
#define WAKE_AGAIN_NS   20000000
#define SIGNALS_AT_ONCE 64
#define HELPER_GRACE_MS 2000 /* from the command's end until the helper is killed */

/* What each signal that srun receives means. */
enum signal_action {
	ACTION_FORWARD,
	ACTION_STOP,
	ACTION_CONTINUE,
	ACTION_CHILD,
	ACTION_DROP
};
static const struct {
	int sig;
	enum signal_action action;
} signal_actions[] = {
    {SIGHUP, ACTION_FORWARD},
    {SIGINT, ACTION_FORWARD},
    {SIGQUIT, ACTION_FORWARD},
    {SIGTERM, ACTION_FORWARD},
    {SIGUSR1, ACTION_FORWARD},
    {SIGUSR2, ACTION_FORWARD},
    {SIGWINCH, ACTION_FORWARD},
    {SIGTSTP, ACTION_STOP},
    {SIGTTIN, ACTION_STOP},
    {SIGTTOU, ACTION_STOP},
    {SIGCONT, ACTION_CONTINUE},
    {SIGCHLD, ACTION_CHILD},
    {SIGPIPE, ACTION_DROP},
};

enum phase { PHASE_RUNNING, PHASE_GRACE, PHASE_ENDING };

struct run {
	struct arena *a;
	struct supervisor *sv;
	const struct launch *l;
	struct session *s;
	struct result *r;
	struct guardian *g;
	struct network *net;
	enum phase phase;
	bool ended, timed_out, helper_gone, helper_killed;
	pid_t *spare; /* children that are not of the command's tree */
	size_t nspare;
	bool wants_tty; /* the command is to have the terminal whenever srun has it */
	int64_t started_at, deadline; /* ms; -1: none */
	timer_t timer;                /* sends SIGCONT at the deadline */
	bool has_timer;
	struct termios tty_modes;
	bool have_modes;
};

/* A caller's soft limit can be too low for what srun and its helper need; the command's stays. */
static void
raise_open_files(struct supervisor *sv)
{
	struct rlimit r;
	if (getrlimit(RLIMIT_NOFILE, &r) != 0 || r.rlim_cur >= OPEN_FILES ||
	    r.rlim_cur == r.rlim_max)
		return;
	rlim_t before = r.rlim_cur;
	r.rlim_cur = r.rlim_max < OPEN_FILES ? r.rlim_max : OPEN_FILES;
	if (setrlimit(RLIMIT_NOFILE, &r) == 0)
		sv->open_files = before;
}

bool
supervise_init(struct supervisor *sv)
{
	sigset_t handled, before;
	struct sigaction chld;
	sigemptyset(&handled);
	for (size_t i = 0; i < SRUN_ARRAY_LEN(signal_actions); i++)
		sigaddset(&handled, signal_actions[i].sig);
	*sv = (struct supervisor){.sigfd = -1, .tty = -1};
	if (sigprocmask(SIG_BLOCK, &handled, &before) != 0)
		return false;
	for (int sig = 1; sig <= 64; sig++)
		if (sigismember(&before, sig) == 1)
			sv->signal_mask |= 1ULL << (sig - 1);
	/* An ignored SIGCHLD would take the status away from us. */
	if (sigaction(SIGCHLD, NULL, &chld) == 0 && chld.sa_handler == SIG_IGN) {
		sv->sigchld_ignored = true;
		chld.sa_handler = SIG_DFL;
		sigaction(SIGCHLD, &chld, NULL);
	}
	raise_open_files(sv);
	siginfo_t si;
	sv->has_children = waitid(P_ALL, 0, &si, WEXITED | WNOHANG | WNOWAIT) == 0;
	sv->sigfd = signalfd(-1, &handled, SFD_CLOEXEC | SFD_NONBLOCK);
	sv->tty = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
	return sv->sigfd >= 0;
}

static bool
is_handled(int sig)
{
	for (size_t i = 0; i < SRUN_ARRAY_LEN(signal_actions); i++)
		if (signal_actions[i].sig == sig)
			return true;
	return false;
}

/* ---- the terminal ---- */

static bool
in_foreground(const struct supervisor *sv)
{
	return sv->tty >= 0 && tcgetpgrp(sv->tty) == getpgrp();
}

/*
 * srun is a job of its own: no pipe leads to another program of it, and no shell without
 * job control has put it into the background (it then has another stdin and no SIGINT).
 */
static bool
has_terminal_alone(void)
{
	struct sigaction sigint;
	struct stat st;
	for (int fd = 0; fd <= 2; fd++)
		if (fstat(fd, &st) == 0 && (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode)))
			return false;
	return isatty(0) && sigaction(SIGINT, NULL, &sigint) == 0 &&
	       sigint.sa_handler != SIG_IGN;
}

static void
give_terminal(struct run *run)
{
	if (!run->wants_tty || run->sv->tty_given || !in_foreground(run->sv))
		return;
	if (!run->have_modes)
		run->have_modes = tcgetattr(run->sv->tty, &run->tty_modes) == 0;
	run->sv->tty_given = tcsetpgrp(run->sv->tty, run->s->inner) == 0;
}

static void
take_terminal(struct run *run)
{
	/* SIGTTOU is blocked, so this works from the background. */
	if (run->sv->tty_given)
		tcsetpgrp(run->sv->tty, getpgrp());
	run->sv->tty_given = false;
}

/* A command that was killed has not put the terminal's modes back. */
static void
restore_modes(struct run *run)
{
	if (run->have_modes && (run->r->outcome != OUTCOME_EXIT))
		tcsetattr(run->sv->tty, TCSADRAIN, &run->tty_modes);
}

/* ---- the clock ---- */

/*
 * When time_is_up() is due. srun may be stopped then, by whomever, so the kernel continues
 * it: again and again, since a SIGCONT that comes just before a stop does not end it.
 */
static void
set_deadline(struct run *run, int64_t when)
{
	struct itimerspec t = {{0, 0}, {0, 0}};
	run->deadline = when;
	if (when >= 0)
		t = (struct itimerspec){{0, WAKE_AGAIN_NS},
		    {(time_t)(when / 1000), (long)(when % 1000) * 1000000}};
	if (run->has_timer)
		timer_settime(run->timer, TIMER_ABSTIME, &t, NULL);
}

static void
make_timer(struct run *run)
{
	struct sigevent e = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGCONT};
	run->has_timer = timer_create(CLOCK_MONOTONIC, &e, &run->timer) == 0;
}

static void
count_from_now(struct run *run)
{
	if (run->phase == PHASE_RUNNING && run->l->timeout_ms >= 0)
		set_deadline(run, sys_now_ms() + run->l->timeout_ms);
}

/* ---- orders ---- */

/*
 * False when it is lost: without a process namespace the command can stop inner and have
 * srun pass signals on until there is no room. srun does not wait for that.
 */
static bool
order(const struct run *run, enum order_type type, int a)
{
	struct order o = {(uint32_t)type, a};
	/* The command is not there yet, and what it is to be may still fill the socket. */
	int how = type == ORDER_GO ? 0 : MSG_DONTWAIT;
	return send(run->s->sock, &o, sizeof(o), MSG_NOSIGNAL | how) ==
	       (ssize_t)sizeof(o);
}

static void
kill_tree(struct run *run)
{
	if (run->l->own_pids && run->s->inner_pidfd >= 0)
		sys_pidfd_kill(run->s->inner_pidfd, SIGKILL);
	else if (run->l->own_pids)
		kill(run->s->inner, SIGKILL);
	else if (!order(run, ORDER_KILL, 0))
		kill(run->s->helper, SIGKILL); /* its tree comes to us: adopt() */
}

/* ---- stopping and going on ---- */

/*
 * Stops srun, and its group if the command's was, as the same signal would have without
 * srun. Returns when continued.
 */
static void
stop_by(int sig, bool group)
{
	struct sigaction dfl = {.sa_handler = SIG_DFL}, before;
	sigset_t one;
	if (sig == SIGSTOP || !is_handled(sig)) {
		raise(SIGSTOP);
		return;
	}
	sigemptyset(&one);
	sigaddset(&one, sig);
	sigaction(sig, &dfl, &before);
	if (group)
		kill(0, sig);
	else
		raise(sig);
	/* Here it stops, unless the group is orphaned: then the kernel drops the signal. */
	sigprocmask(SIG_UNBLOCK, &one, NULL);
	sigprocmask(SIG_BLOCK, &one, NULL);
	sigaction(sig, &before, NULL);
}

/*
 * A stopped srun still has a deadline to keep, and a command that others can continue or
 * kill: its timer and the guardian wake it for that. True when somebody else has continued srun, or
 * when it could not be stopped.
 */
static bool
stop_self(const struct run *run, int sig, bool group)
{
	struct timespec now = {0, 0};
	siginfo_t si;
	sigset_t cont;
	bool by_us = false, by_other = false;
	sigemptyset(&cont);
	sigaddset(&cont, SIGCONT);
	guardian_watch(run->g, run->s->sock);
	stop_by(sig, group);
	guardian_unwatch(run->g);
	while (sigtimedwait(&cont, &si, &now) == SIGCONT) {
		bool ours = si.si_code == SI_TIMER || si.si_pid == run->g->pid;
		by_us = by_us || ours;
		by_other = by_other || !ours;
	}
	return by_other || !by_us;
}

static void
resume(struct run *run)
{
	give_terminal(run);
	order(run, ORDER_CONTINUE, 0);
}

static void
command_stopped(struct run *run, int sig, bool group)
{
	bool asks = group && (sig == SIGTTIN || sig == SIGTTOU);
	run->wants_tty = run->wants_tty || asks;
	/* The terminal is srun's to give: from the start, or since it was brought forward. */
	if (asks && !run->sv->tty_given && in_foreground(run->sv)) {
		resume(run);
		return;
	}
	take_terminal(run);
	if (stop_self(run, sig, group))
		resume(run);
	else
		give_terminal(run);
}

/* ---- events ---- */

static void
fail(struct run *run, enum outcome outcome, int code, const char *reason)
{
	run->r->outcome = outcome;
	run->r->code = code;
	run->r->reason = reason;
	run->ended = true;
}

static void
command_ended(struct run *run, int status, const char *text, size_t len)
{
	struct result *r = run->r;
	run->ended = true;
	if (len == sizeof(r->usage))
		memcpy(&r->usage, text, len);
	if (run->timed_out) {
		r->outcome = OUTCOME_TIMEOUT;
		r->code = EXIT_TIMEOUT;
	} else if (WIFSIGNALED(status)) {
		r->outcome = OUTCOME_SIGNAL;
		r->signal = WTERMSIG(status);
		r->code = 128 + r->signal;
	} else {
		r->outcome = OUTCOME_EXIT;
		r->code = WEXITSTATUS(status);
	}
}

static const char *
proof_text(struct run *run, const struct event *e, const char *path)
{
	static const char *const what[] = {
	    [PROOF_WRITE] = "writing in",
	    [PROOF_READ] = "reading",
	    [PROOF_CONNECT] = "the network",
	    [PROOF_PRIVILEGE] = "keeping privileges",
	};
	const char *word = (size_t)e->a < SRUN_ARRAY_LEN(what) ? what[e->a] : "something";
	return arena_printf(run->a, "the sandbox does not hold: %s%s%s %s", word,
	    *path != '\0' ? " " : "", path,
	    e->b == 0 ? "succeeded" : arena_printf(run->a, "gave '%s'", strerror(e->b)));
}

static void
take_event(struct run *run, const struct event *e, const char *text)
{
	switch ((enum event_type)e->type) {
	case EVENT_PROOF_FAILED:
		fail(run, OUTCOME_INTERNAL, EXIT_SRUN, proof_text(run, e, text));
		break;
	case EVENT_SETUP_FAILED:
		fail(run, OUTCOME_INTERNAL, EXIT_SRUN,
		    e->a == 0 ? text
		              : arena_printf(run->a, "%s: %s", text, strerror(e->a)));
		break;
	case EVENT_EXEC_FAILED:
		fail(run, OUTCOME_NOT_STARTED, e->b, text);
		break;
	case EVENT_STARTED:
		run->r->started = true;
		run->started_at = sys_now_ms();
		count_from_now(run);
		break;
	case EVENT_TTY_SIGNAL:
		if (e->a == SIGINT || e->a == SIGQUIT)
			kill(0, e->a);
		break;
	case EVENT_STOPPED:
		command_stopped(run, e->a, e->b != 0);
		break;
	case EVENT_ENDED:
		command_ended(run, e->a, text, e->len);
		break;
	case EVENT_READY:
	case EVENT_CONTINUED:
		break;
	}
}

/* One event; false when inner is gone. Its messages are short and whole. */
static bool
read_event(struct run *run)
{
	struct event e;
	if (sys_read_all(run->s->sock, &e, sizeof(e)) != 0 || e.len > EVENT_TEXT_LIMIT)
		return false;
	char *text = arena_alloc(run->a, (size_t)e.len + 1);
	if (e.len > 0 && sys_read_all(run->s->sock, text, e.len) != 0)
		return false;
	take_event(run, &e, text);
	return true;
}

/*
 * Without a process namespace the command can stop the inner process, which then hears no
 * order, and the guardian. Nobody else has a reason to: what a terminal sends is blocked in
 * both.
 */
static void
keep_going(const struct run *run, pid_t pid)
{
	if (!run->l->own_pids && (pid == run->s->helper || pid == run->g->pid))
		kill(pid, SIGCONT);
}

/* Also children of whoever became srun by exec: they are nobody else's to wait for. */
static void
reap(struct run *run)
{
	pid_t pid;
	int status;
	while ((pid = waitpid(-1, &status, WNOHANG | WUNTRACED)) > 0) {
		if (WIFSTOPPED(status)) {
			keep_going(run, pid);
			continue;
		}
		if (pid == run->s->helper) {
			run->helper_gone = true;
			run->helper_killed = WIFSIGNALED(status);
		}
		guardian_reaped(run->g, pid);
		network_reaped(run->net, pid);
	}
}

static void
take_signal(struct run *run, const struct signalfd_siginfo *si)
{
	enum signal_action action = ACTION_DROP;
	for (size_t i = 0; i < SRUN_ARRAY_LEN(signal_actions); i++)
		if (signal_actions[i].sig == (int)si->ssi_signo)
			action = signal_actions[i].action;
	/* Our own kill(0, …) for the caller's job comes back to us. */
	if (si->ssi_pid == (uint32_t)getpid() && si->ssi_code <= 0)
		return;
	/* For a stop that is over, or never was. */
	if (si->ssi_signo == SIGCONT &&
	    (si->ssi_code == SI_TIMER || si->ssi_pid == (uint32_t)run->g->pid))
		return;
	switch (action) {
	case ACTION_FORWARD:
	case ACTION_STOP:
		/* The terminal's signals are for a whole group. */
		order(run, si->ssi_code == SI_KERNEL ? ORDER_GROUP : ORDER_SIGNAL,
		    (int)si->ssi_signo);
		break;
	case ACTION_CONTINUE:
		resume(run);
		break;
	case ACTION_CHILD:
		reap(run);
		break;
	case ACTION_DROP:
		break;
	}
}

static void
read_signals(struct run *run)
{
	struct signalfd_siginfo si;
	/* Not until there is none: more may come as fast as they are read. */
	for (int i = 0; i < SIGNALS_AT_ONCE &&
	                read(run->sv->sigfd, &si, sizeof(si)) == (ssize_t)sizeof(si);
	     i++)
		take_signal(run, &si);
}

/* ---- time ---- */

static void
time_is_up(struct run *run)
{
	if (run->phase == PHASE_RUNNING) {
		run->timed_out = true;
		run->phase = PHASE_GRACE;
		order(run, ORDER_SIGNAL, SIGTERM);
		order(run, ORDER_SIGNAL, SIGCONT);
		set_deadline(run, sys_now_ms() + run->l->kill_after_ms);
		return;
	}
	if (run->phase == PHASE_GRACE) {
		kill_tree(run);
		set_deadline(run, sys_now_ms() + HELPER_GRACE_MS);
		run->phase = PHASE_ENDING;
		return;
	}
	kill_tree(run);
	kill(run->s->helper, SIGKILL);
	set_deadline(run, -1);
}

static int
poll_timeout(const struct run *run)
{
	if (run->deadline < 0)
		return -1;
	int64_t left = run->deadline - sys_now_ms();
	if (left < 0)
		return 0;
	return left > 1000000000 ? 1000000000 : (int)left;
}

void
supervise_prepare(struct arena *a, const struct supervisor *sv, const struct launch *l,
    const struct session *s)
{
	struct image im = {
	    .argv = l->argv,
	    .envp = l->envp,
	    .working_directory = l->working_directory,
	    .working_directory_dev = (uint64_t)l->working_directory_dev,
	    .working_directory_ino = (uint64_t)l->working_directory_ino,
	    .shell = l->shell,
	    .keep_fds = l->keep_fds,
	    .nkeep_fds = l->nkeep_fds,
	    .proofs = l->proofs,
	    .nproofs = l->nproofs,
	    .signal_mask = sv->signal_mask,
	    .sigchld_ignored = sv->sigchld_ignored,
	    .open_files = sv->open_files,
	};
	memcpy(im.limits, l->limits, sizeof(im.limits));
	struct bytes b = {NULL, 0, 0};
	uint32_t len = 0;
	bytes_add(a, &b, &len, sizeof(len));
	image_encode(a, &im, &b);
	len = (uint32_t)(b.len - sizeof(len));
	memcpy(b.data, &len, sizeof(len));
	/* A failure shows up as the end of the socket. */
	(void)!sys_write_all(s->sock, b.data, b.len);
}

/* Inner goes last of its namespace: the helper has nothing more to wait for either. */
static bool
is_over(const struct run *run, bool inner_gone)
{
	if (inner_gone || !run->helper_gone || run->s->inner_pidfd < 0)
		return inner_gone || run->helper_gone;
	/* The helper was killed, and inner is being killed for that. */
	sys_pidfd_kill(run->s->inner_pidfd, SIGKILL);
	return false;
}

/* Without the proxy nothing judges the network any more: the run fails closed. */
static void
proxy_ended(struct run *run)
{
	if (!run->ended)
		fail(run, OUTCOME_INTERNAL, EXIT_SRUN, "the proxy of the run ended");
	kill_tree(run);
}

static void
watch(struct run *run)
{
	struct pollfd p[4] = {
	    {.fd = run->s->sock, .events = POLLIN},
	    {.fd = run->sv->sigfd, .events = POLLIN},
	    {.fd = run->s->inner_pidfd, .events = POLLIN},
	    {.fd = run->net->control, .events = POLLIN},
	};
	while (!is_over(run, p[2].revents != 0)) {
		int n = poll(p, 4, poll_timeout(run));
		/* Not only when nothing else is to do: a command can see to it that there is. */
		if (poll_timeout(run) == 0)
			time_is_up(run);
		if (n <= 0)
			continue;
		if (p[0].revents != 0 && !read_event(run))
			p[0].fd = -1;
		if (p[1].revents != 0)
			read_signals(run);
		if (p[3].revents != 0 && !network_read(run->net)) {
			p[3].fd = -1;
			proxy_ended(run);
		}
		/* After the command only the tree's end is awaited, and not for ever. */
		if ((run->ended || p[0].fd < 0) && run->phase != PHASE_ENDING) {
			run->phase = PHASE_ENDING;
			set_deadline(run, sys_now_ms() + HELPER_GRACE_MS);
		}
	}
	/* What was sent before the end is still in the socket. */
	while (!run->ended && p[0].fd >= 0 && read_event(run))
		;
}

/*
 * Without a process namespace the command can kill the inner process, or stop it until we
 * have to. Its tree comes to us then, if we are a subreaper, among others' children.
 */
static void
adopt(struct run *run)
{
	if (run->l->own_pids)
		return;
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	if (run->sv->has_children)
		run->nspare = tree_children(run->a, getpid(), &run->spare);
	for (size_t i = 0; i < run->nspare; i++)
		if (run->spare[i] == run->s->helper)
			run->spare[i] = 0;
	run->spare = arena_grow(run->a, run->spare, run->nspare, sizeof(*run->spare));
	run->spare[run->nspare++] = run->g->pid;
}

static void
end_adopted(struct run *run)
{
	if (run->l->own_pids)
		return;
	reap(run);
	if (run->helper_killed)
		tree_kill(getpid(), run->spare, run->nspare);
}

void
supervise_run(struct arena *a, struct supervisor *sv, const struct launch *l,
    struct session *s, struct guardian *g, struct network *net, struct result *r)
{
	struct run run = {
	    .a = a, .sv = sv, .l = l, .s = s, .r = r, .g = g, .net = net, .deadline = -1};
	*r = (struct result){.outcome = OUTCOME_INTERNAL, .code = EXIT_SRUN};
	int64_t begin = sys_now_ms();

	run.wants_tty = has_terminal_alone();
	give_terminal(&run);
	adopt(&run);
	make_timer(&run);
	/* Counted again from the command's start, which it can keep inner from saying. */
	count_from_now(&run);
	order(&run, ORDER_GO, 0);
	/* The command's pipes are its own: ours would keep them open. stderr is for messages. */
	sys_null_fd(0);
	sys_null_fd(1);
	for (size_t i = 0; i < l->nkeep_fds; i++)
		close(l->keep_fds[i]);
	/* Their signal may have come while there was nothing to supervise yet. */
	reap(&run);
	watch(&run);
	set_deadline(&run, -1);
	end_adopted(&run);
	if (run.helper_gone)
		s->helper = -1;
	take_terminal(&run);
	if (!run.ended && run.timed_out) {
		r->outcome = OUTCOME_TIMEOUT;
		r->code = EXIT_TIMEOUT;
	} else if (!run.ended) {
		r->reason = r->started
		                ? "the sandbox ended before the command"
		                : "the sandbox ended before the command could start";
	}
	r->duration_ms = sys_now_ms() - (r->started ? run.started_at : begin);
	restore_modes(&run);
}

_Noreturn void
supervise_die(int sig)
{
	struct sigaction dfl = {.sa_handler = SIG_DFL};
	struct rlimit none = {0, 0};
	sigset_t one;
	/* The command's core, if any, is written; ours would only be in its way. */
	setrlimit(RLIMIT_CORE, &none);
	sigemptyset(&one);
	sigaddset(&one, sig);
	sigaction(sig, &dfl, NULL);
	sigprocmask(SIG_UNBLOCK, &one, NULL);
	raise(sig);
	_exit(128 + sig);
}

_Noreturn void
supervise_exit(const struct result *r)
{
	if (r->outcome == OUTCOME_SIGNAL)
		supervise_die(r->signal);
	_exit(r->code);
}
