/*
 * test_sbrun: commands under a fake sandbox-exec: what it is given, exact exit codes
 * whatever its own are, timeouts, and that nothing is left. The program has one path to
 * sandbox-exec; here its room is compiled with another, in this program alone.
 */
static char fake[300];
#define SBRUN_SANDBOX_EXEC fake
#define SBRUN_READY_MS     700
#include "sbrun.c" /* NOLINT */

#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>

#include "../../mac/guard.c" /* NOLINT */
#include "../seatbelt/standin.h"
#include "tap.h"

static char self[300];
static char scratch[] = "/tmp/t-sbrun.XXXXXX";
static struct arena arena;

/* Of this process: another flavour of this test runs at the same time. */
static char nonce[32];

static void
set_mode(const char *mode)
{
	char path[320];
	snprintf(path, sizeof(path), "%s.mode", fake);
	FILE *f = fopen(path, "w");
	fputs(mode, f);
	fclose(f);
}

/* What fake-sandbox-exec kept; "" for nothing. */
static const char *
kept(const char *name, size_t *len)
{
	struct bytes b = {NULL, 0, 0};
	if (sys_read_file(&arena, AT_FDCWD, arena_printf(&arena, "%s.log/%s", fake, name),
	        1 << 20, &b) != 0)
		return "";
	if (len != NULL)
		*len = b.len;
	return b.data;
}

/* Runs the words under a mode; more of the image can be set before. */
static struct sbrun_result
run_image(const char *mode, struct image *im, int64_t timeout_ms, int64_t kill_after_ms)
{
	struct strv params = {NULL, 0};
	struct sbrun_result out = {.reason = NULL};
	strv_push(&arena, &params, "W0=/a b\n\"c");
	strv_push(&arena, &params, "R1==");
	set_mode(mode);
	if (im->working_directory == NULL)
		im->working_directory = "/";
	im->shell = "/bin/sh";
	strv_push(&arena, &im->envp, "PATH=/usr/bin:/bin");
	strv_push(&arena, &im->envp, arena_printf(&arena, "SRUN_ID=%s", nonce));
	struct sbrun r = {"(version 1)\n(deny default)\n", &params, nonce, self, im,
	    timeout_ms, kill_after_ms};
	sbrun_command(&arena, &r, &out);
	return out;
}

static struct sbrun_result
run(const char *mode, const char *script)
{
	struct image im = {.shell = NULL};
	strv_push(&arena, &im.argv, "sh");
	strv_push(&arena, &im.argv, "-c");
	strv_push(&arena, &im.argv, script);
	return run_image(mode, &im, -1, -1);
}

static void
is_end(struct sbrun_result r, enum sbrun_end end, int code, const char *what)
{
	int got = r.end == SBRUN_SIGNAL || r.end == SBRUN_CANCELLED ? r.signal : r.code;
	ok(r.end == end && got == code, "%s", what);
	if (r.end != end || got != code)
		printf("# end %d, %d: %s\n", (int)r.end, got, r.reason ? r.reason : "");
}

static void
test_codes(void)
{
	/* 64, 65 and 71 are also sandbox-exec's, 124 to 127 also srun's. */
	static const int codes[] = {0, 1, 3, 64, 65, 71, 124, 125, 126, 127, 255};
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		is_end(run("ok", arena_printf(&arena, "exit %d", codes[i])), SBRUN_EXIT,
		    codes[i],
		    arena_printf(&arena, "the command's own exit %d", codes[i]));
	is_end(run("ok", "kill -KILL $$"), SBRUN_SIGNAL, SIGKILL, "death by SIGKILL");
	is_end(run("ok", "kill -TERM $$"), SBRUN_SIGNAL, SIGTERM, "death by SIGTERM");
}

static void
test_own_codes(void)
{
	is_end(run("apply", "exit 0"), SBRUN_UNAVAILABLE, 125, "71: unavailable, 125");
	is_end(run("profile", "exit 0"), SBRUN_NOT_STARTED, 125, "65: not started, 125");
	is_end(run("crash", "exit 0"), SBRUN_NOT_STARTED, 125, "a crash of it: 125");
	is_end(
	    run("hang", "exit 0"), SBRUN_UNAVAILABLE, 125, "it hangs: unavailable, 125");
	struct sbrun_result r = run("none", "exit 0");
	is_end(r, SBRUN_NOT_STARTED, 125, "no sandbox was made: nothing is started");
	is_str(r.reason, "sandbox-exec has made no sandbox", "… and that is said");
	size_t n = strlen(fake);
	fake[n - 1] = 'C';
	is_end(
	    run("ok", "exit 0"), SBRUN_UNAVAILABLE, 125, "sandbox-exec is missing: 125");
	unlink(arena_printf(&arena, "%s.mode", fake));
	fake[n - 1] = 'c';
}

static void
test_not_started(void)
{
	struct image im = {.shell = NULL};
	strv_push(&arena, &im.argv, "no-such-command");
	struct sbrun_result r = run_image("ok", &im, -1, -1);
	is_end(r, SBRUN_NOT_STARTED, 127, "a command that is not there: 127");
	ok(r.reason != NULL && strstr(r.reason, "no-such-command") != NULL, "… by name");
	im = (struct image){.shell = NULL};
	strv_push(&arena, &im.argv, "/etc/passwd");
	is_end(
	    run_image("ok", &im, -1, -1), SBRUN_NOT_STARTED, 126, "not executable: 126");
	im = (struct image){.working_directory = "/no/such/place"};
	strv_push(&arena, &im.argv, "true");
	is_end(run_image("ok", &im, -1, -1), SBRUN_NOT_STARTED, 125, "no directory: 125");
}

static void
test_given(void)
{
	struct image im = {.working_directory = scratch};
	strv_push(&arena, &im.argv, "sh");
	strv_push(&arena, &im.argv, "-c");
	strv_push(&arena, &im.argv,
	    "printf '%s|' \"$@\" \"$PWD\"; env | grep -v -e ^PWD= -e ^_= | sort | tr "
	    "'\\n' '|'");
	strv_push(&arena, &im.argv, "name");
	strv_push(&arena, &im.argv, "");
	strv_push(&arena, &im.argv, "new\nline \\ \"");
	im.limits[LIMIT_OPEN_FILES] = (struct limit_value){.set = true, .value = 77};
	int out[2], saved = dup(1);
	char got[4096];
	fflush(stdout);
	ok(pipe2(out, O_CLOEXEC) == 0 && dup2(out[1], 1) == 1,
	    "a pipe is standard output");
	fflush(stdout);
	ssize_t before = read(out[0], got, sizeof(got));
	struct sbrun_result r = run_image("ok", &im, -1, -1);
	dup2(saved, 1);
	close(out[1]);
	close(saved);
	if (before > 0)
		fwrite(got, 1, (size_t)before, stdout);
	ssize_t n = read(out[0], got, sizeof(got) - 1);
	close(out[0]);
	got[n > 0 ? n : 0] = '\0';
	is_end(r, SBRUN_EXIT, 0, "argv, directory and environment are asked for");
	is_str(got,
	    arena_printf(&arena, "|new\nline \\ \"|%s|PATH=/usr/bin:/bin|SRUN_ID=%s|",
	        scratch, nonce),
	    "the command has its own, byte for byte, and nothing of sandbox-exec's");
	is_str(kept("profile", NULL), "(version 1)\n(deny default)\n",
	    "the profile is given");
	is_str(kept("environ", NULL), "", "sandbox-exec has no environment");
	size_t len = 0, words = 0;
	const char *argv = kept("argv", &len);
	static const char *const want[] = {"-D", "W0=/a b\n\"c", "-D", "R1==", "-p",
	    "(version 1)\n(deny default)\n", self, SBRUN_INNER_WORD};
	for (const char *p = argv; p < argv + len; p += strlen(p) + 1, words++)
		if (words < 8)
			is_str(p, want[words], "word %zu of sandbox-exec", words);
	is_int(words, 9, "… and the descriptor, and nothing of the command");
}

static void
test_inherited(void)
{
	int fd = open("/dev/null", O_RDONLY);
	is_end(run("ok", "for f in /proc/self/fd/*; do case ${f##*/} in 0|1|2) ;; "
	                 "*) [ ! -e $f ] || exit 9 ;; esac; done"),
	    SBRUN_EXIT, 0, "the command inherits 0, 1, 2 and no other descriptor");
	int keep[] = {fd};
	struct image im = {.keep_fds = keep, .nkeep_fds = 1};
	strv_push(&arena, &im.argv, "test");
	strv_push(&arena, &im.argv, "-e");
	strv_push(&arena, &im.argv, arena_printf(&arena, "/proc/self/fd/%d", fd));
	is_end(run_image("ok", &im, -1, -1), SBRUN_EXIT, 0, "… but for one that is kept");
	close(fd);
	im = (struct image){.shell = NULL};
	im.limits[LIMIT_OPEN_FILES] = (struct limit_value){.set = true, .value = 77};
	strv_push(&arena, &im.argv, "sh");
	strv_push(&arena, &im.argv, "-c");
	strv_push(&arena, &im.argv, "test $(ulimit -n) = 77");
	is_end(run_image("ok", &im, -1, -1), SBRUN_EXIT, 0, "a limit is set");
	is_end(run("ok", "kill -TERM $$; sleep 5"), SBRUN_SIGNAL, SIGTERM,
	    "the signals that srun waits for are not blocked in the command");
}

static void
test_time(void)
{
	struct image im = {.shell = NULL};
	strv_push(&arena, &im.argv, "sleep");
	strv_push(&arena, &im.argv, "60");
	int64_t start = sys_now_ms();
	is_end(run_image("ok", &im, 200, 5000), SBRUN_TIMEOUT, 124, "a timeout: 124");
	ok(sys_now_ms() - start < 4000, "… by TERM, at once");
	im = (struct image){.shell = NULL};
	strv_push(&arena, &im.argv, "sh");
	strv_push(&arena, &im.argv, "-c");
	strv_push(&arena, &im.argv, "trap '' TERM; setsid sleep 60 & sleep 60; sleep 60");
	is_end(
	    run_image("ok", &im, 300, 300), SBRUN_TIMEOUT, 124, "TERM is ignored: KILL");
	is_int(macsys_signal_run(nonce, 0), 0, "nothing of it is left, detached or not");
	is_end(run("ok",
	           "setsid sleep 60 & (setsid sh -c 'sleep 60 & sleep 60' &) ; exit 4"),
	    SBRUN_EXIT, 4, "a command that leaves processes behind");
	is_int(macsys_signal_run(nonce, 0), 0, "… has none left when it has ended");
	/* Sent now, and kept: it is noticed when the command runs. */
	kill(getpid(), SIGTERM);
	im = (struct image){.shell = NULL};
	strv_push(&arena, &im.argv, "sleep");
	strv_push(&arena, &im.argv, "60");
	is_end(run_image("ok", &im, -1, 5000), SBRUN_CANCELLED, SIGTERM,
	    "SIGTERM to srun ends the command");
}

static void
test_probe(void)
{
	const char *reason = NULL;
	set_mode("ok");
	ok(sbrun_probe(&arena, self, &reason), "a sandbox can be had");
	set_mode("apply");
	ok(!sbrun_probe(&arena, self, &reason), "none inside another");
	ok(reason != NULL && strstr(reason, "already") != NULL, "… and why");
	set_mode("none");
	ok(!sbrun_probe(&arena, self, &reason), "one that is none is not taken for one");
}

/* srun dies at once: what it started and the directory are gone soon after. */
static void
test_guard(void)
{
	char *dir = arena_printf(&arena, "%s/temp", scratch);
	struct tempdirs temp = {NULL, 0, NULL};
	struct host host = {.uid = getuid()};
	struct errs errs = {{NULL, 0}};
	tempdir_add(&arena, &temp, dir);
	ok(tempdirs_make(&arena, &host, &temp, &errs), "a directory of a run");
	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0) {
		guard_start(nonce, &temp);
		run("ok", "setsid sleep 60 & sleep 60");
		_exit(0);
	}
	for (int i = 0; i < 100 && macsys_signal_run(nonce, 0) < 2; i++)
		usleep(20000);
	ok(macsys_signal_run(nonce, 0) >= 2 && access(dir, F_OK) == 0, "it runs");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	for (int i = 0; i < 100 && access(dir, F_OK) == 0; i++)
		usleep(20000);
	is_int(
	    macsys_signal_run(nonce, 0), 0, "srun was killed: no process of it is left");
	ok(access(dir, F_OK) != 0, "… nor its directory");
}

static void
clean_up(void)
{
	static const char *const names[] = {
	    ".log/argv", ".log/environ", ".log/profile", ".mode", ""};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		unlink(arena_printf(&arena, "%s%s", fake, names[i]));
	rmdir(arena_printf(&arena, "%s.log", fake));
	rmdir(scratch);
}

int
main(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[1], SBRUN_INNER_WORD) == 0)
		return sbrun_inner_main(argv[2]);
	char target[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	self[n > 0 ? n : 0] = '\0';
	snprintf(nonce, sizeof(nonce), "5ea7be17%08x", (unsigned)getpid());
	if (mkdtemp(scratch) == NULL)
		printf("Bail out! no scratch directory\n");
	snprintf(fake, sizeof(fake), "%s/sandbox-exec", scratch);
	if (realpath("tests/seatbelt/fake-sandbox-exec", target) == NULL ||
	    symlink(target, fake) != 0)
		printf("Bail out! no fake sandbox-exec: run this from the top\n");
	macsys_hold_signals();
	test_codes();
	test_own_codes();
	test_not_started();
	test_given();
	test_inherited();
	test_time();
	test_probe();
	test_guard();
	clean_up();
	arena_free(&arena);
	return done();
}
