/*
 * test_rmtree: trees made to be hard to remove, and what lies outside of them.
 */
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>

#include "rmtree.h"
#include "scratch.h"
#include "tap.h"
#include "util.h"

static const char *top;

/* Gone, by its own word and by ours. */
static void
removed(const char *name, const char *what)
{
	struct stat st;
	bool said = rmtree(AT_FDCWD, name, 0);
	int err = errno;
	bool gone = lstat(name, &st) != 0;

	if (!ok(said && gone, "%s", what))
		printf("# said %d (errno %d) gone %d\n", said, err, gone);
}

static bool
exists(const char *name)
{
	struct stat st;

	return lstat(name, &st) == 0;
}

/* depth directories, each in the one before, with a file in each; back in the top after. */
static bool
make_chain(const char *name, int depth, mode_t mode)
{
	int fd = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool good = mkdir(name, 0700) == 0;

	for (int i = 0; good && i < depth; i++) {
		int next = -1;
		good =
		    (i > 0 || (next = openat(fd, name, O_RDONLY | O_DIRECTORY)) >= 0) &&
		    (next >= 0 || (next = openat(fd, "d", O_RDONLY | O_DIRECTORY)) >= 0);
		if (!good)
			break;
		/* Once its child is made and opened, the mode of the parent does not matter. */
		int file = openat(next, "f", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
		good = file >= 0 && mkdirat(next, "d", 0700) == 0;
		close(file);
		if (i > 0)
			fchmod(fd, mode);
		close(fd);
		fd = next;
	}
	close(fd);
	return good;
}

static void
test_plain(void)
{
	removed("none", "what never was");
	ok(mkdir("t", 0700) == 0, "an empty directory");
	removed("t", "an empty directory is removed");
	ok(mkdir("t", 0700) == 0 && scratch_file("t/a") && mkdir("t/b", 0700) == 0 &&
	        scratch_file("t/b/c") && mkdir("t/.d", 0700) == 0 &&
	        scratch_file("t/.d/.e") && mkdir("t/...", 0700) == 0,
	    "a few files");
	removed("t", "a few files are removed");
	ok(scratch_file("t"), "a file");
	removed("t", "a file instead of a directory");
}

static void
test_deep(void)
{
	struct rlimit limit = {32, 32};

	ok(make_chain("t", 5000, 0700), "5000 levels");
	/* Neither the stack nor descriptors may pay for depth. */
	setrlimit(RLIMIT_NOFILE, &limit);
	removed("t", "5000 levels are removed");
	ok(make_chain("t", 500, 0), "500 levels without any right");
	removed("t", "500 levels without any right are removed");
	ok(make_chain("t", 100, 0100), "100 levels that cannot be read");
	removed("t", "100 levels that cannot be read are removed");
	ok(make_chain("t", 100, 0500), "100 levels that cannot be written");
	removed("t", "100 levels that cannot be written are removed");
}

static void
test_modes(void)
{
	static const mode_t modes[] = {0, 0100, 0200, 0300, 0400, 0500, 0600};
	struct arena a = {NULL};

	for (size_t i = 0; i < SRUN_ARRAY_LEN(modes); i++) {
		bool made = mkdir("t", 0700) == 0 && mkdir("t/d", 0700) == 0 &&
		            scratch_file("t/d/f") && mkdir("t/d/e", 0700) == 0 &&
		            scratch_file("t/d/e/g") && chmod("t/d/e", modes[i]) == 0 &&
		            chmod("t/d", modes[i]) == 0 && chmod("t", modes[i]) == 0;
		ok(made, "directories of mode %03o", modes[i]);
		removed("t",
		    arena_printf(&a, "directories of mode %03o are removed", modes[i]));
	}
	arena_free(&a);
}

static void
test_wide(void)
{
	struct arena a = {NULL};
	bool made = mkdir("t", 0700) == 0;

	for (int i = 0; i < 300 && made; i++) {
		made = mkdir(arena_printf(&a, "t/%d", i), 0700) == 0;
		for (int k = 0; k < 5 && made; k++)
			made = mkdir(arena_printf(&a, "t/%d/%d", i, k), 0700) == 0 &&
			       scratch_file(arena_printf(&a, "t/%d/%d/f", i, k));
	}
	ok(made, "1800 directories");
	removed("t", "1800 directories are removed");
	arena_free(&a);
}

/* Names that the tool might use itself, and names that are odd. */
static void
test_names(void)
{
	static const char *const names[] = {"0.srun", "1.srun", "2.srun", "3.srun",
	    "a\nb", " ", "-rf", "..x", "\xff\xfe", "*"};
	struct arena a = {NULL};
	bool made = mkdir("t", 0700) == 0;

	for (size_t i = 0; i < SRUN_ARRAY_LEN(names) && made; i++)
		made =
		    mkdir(arena_printf(&a, "t/%s", names[i]), 0700) == 0 &&
		    mkdir(arena_printf(&a, "t/%s/%s", names[i], names[i]), 0700) == 0 &&
		    scratch_file(
		        arena_printf(&a, "t/%s/%s/0.srun", names[i], names[i])) &&
		    mkdir(arena_printf(&a, "t/%s/x", names[i]), 0700) == 0 &&
		    scratch_file(arena_printf(&a, "t/%s/x/y", names[i]));
	ok(made, "odd names");
	removed("t", "odd names are removed");
	arena_free(&a);
}

static void
test_links(void)
{
	struct stat before, after;
	bool made = mkdir("out", 0700) == 0 && scratch_file("out/keep") &&
	            mkdir("out/dir", 0500) == 0 && mkdir("t", 0700) == 0 &&
	            mkdir("t/d", 0700) == 0 && symlink("../out", "t/l") == 0 &&
	            symlink("../../out", "t/d/l") == 0 &&
	            symlink("../../out/keep", "t/d/f") == 0 &&
	            symlink("../../out/dir", "t/d/dir") == 0 &&
	            symlink("/", "t/root") == 0 && symlink("none", "t/dangling") == 0 &&
	            symlink("self", "t/self") == 0 && symlink(".", "t/d/dot") == 0 &&
	            symlink("..", "t/d/dotdot") == 0 && link("out/keep", "t/d/hard") == 0;

	stat("out/dir", &before);
	ok(made, "links that lead out");
	removed("t", "links that lead out are removed");
	ok(exists("out/keep") && exists("out/dir"), "and nothing that they lead to");
	stat("out/dir", &after);
	ok(before.st_mode == after.st_mode, "nor is a mode changed there");
	ok(symlink("out", "t") == 0, "a link instead of the tree");
	removed("t", "a link instead of the tree is removed");
	ok(exists("out/keep"), "and not what it leads to");
	removed("out", "that goes on its own");
}

/* Things that are neither file nor directory; one that is open stays open. */
static void
test_kinds(void)
{
	struct sockaddr_un un = {.sun_family = AF_UNIX, .sun_path = "t/d/sock"};
	int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool made = mkdir("t", 0700) == 0 && mkdir("t/d", 0700) == 0 &&
	            mkfifo("t/d/fifo", 0) == 0 &&
	            bind(s, (struct sockaddr *)&un, sizeof(un)) == 0;
	int dir = open("t/d", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	ok(made && dir >= 0, "a FIFO, a socket, an open directory");
	removed("t", "a FIFO, a socket, an open directory are removed");
	close(dir);
	close(s);
}

/* What cannot go is told; only the kernel's own files are safe to try that with. */
static void
test_refused(void)
{
	errno = 0;
	ok(!rmtree(AT_FDCWD, "/proc/self/fdinfo", 0) && errno != 0,
	    "what cannot be removed stays, and that is said");
	ok(!rmtree(AT_FDCWD, "/proc/self/task", 0) && exists("/proc/self/task"),
	    "so does a tree of it");
	ok(!rmtree(AT_FDCWD, "/proc/self/status", 0), "and a file");
}

/* Another directory at the name is not what was made there. */
static void
test_identity(void)
{
	struct stat made;
	int at = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	bool good = mkdir("t", 0700) == 0 && scratch_file("t/f") &&
	            stat("t", &made) == 0 && rename("t", "away") == 0 &&
	            mkdir("t", 0700) == 0;

	ok(good && !rmtree(at, "t", made.st_ino) && errno == ESTALE && exists("t"),
	    "another empty directory stays");
	ok(scratch_file("t/precious") && !rmtree(at, "t", made.st_ino) &&
	        errno == ESTALE && exists("t/precious"),
	    "another directory stays, with what is in it");
	removed("t", "that goes on its own");
	ok(symlink("away", "t") == 0 && !rmtree(at, "t", made.st_ino) &&
	        exists("away/f") && exists("t"),
	    "a link to what was made stays");
	ok(unlink("t") == 0 && scratch_file("t") && !rmtree(at, "t", made.st_ino) &&
	        exists("t"),
	    "a file stays");
	ok(unlink("t") == 0 && rmtree(at, "t", made.st_ino), "nothing there is gone");
	ok(rename("away", "t") == 0 && chmod("t", 0) == 0 &&
	        rmtree(at, "t", made.st_ino) && !exists("t"),
	    "the directory itself goes");
	close(at);
}

#define PAIRS 2

/* In t: directories without rights, and for each a link out of the tree. */
static bool
make_pairs(char names[PAIRS][2][16])
{
	bool good = mkdir("t", 0700) == 0;
	for (int i = 0; i < PAIRS && good; i++) {
		char file[32];
		snprintf(file, sizeof(file), "%.15s/f", names[i][0]);
		good = mkdir(names[i][0], 0700) == 0 && scratch_file(file) &&
		       chmod(names[i][0], 0) == 0 &&
		       symlink("../victim", names[i][1]) == 0;
	}
	return good;
}

static _Noreturn void
race(char names[PAIRS][2][16])
{
	for (unsigned i = 0;; i = (i + 1) % PAIRS) {
		syscall(SYS_renameat2, AT_FDCWD, names[i][0], AT_FDCWD, names[i][1],
		    2 /* RENAME_EXCHANGE */);
		/* The kernel's locks are not fair: the other side wants its turn too. */
		for (volatile int pause = 0; pause < 3000; pause++)
			;
	}
}

static void
test_race(void)
{
	char names[PAIRS][2][16];
	struct stat st = {0};
	unsigned changed = 0, rounds = 0;
	bool good = mkdir("victim", 0750) == 0;
	for (int i = 0; i < PAIRS; i++) {
		snprintf(names[i][0], sizeof(names[i][0]), "t/%d", i);
		snprintf(names[i][1], sizeof(names[i][1]), "t/l%d", i);
	}
	pid_t racer = fork();
	if (racer == 0)
		race(names);
	for (time_t end = time(NULL) + 3; good && time(NULL) < end; rounds++) {
		make_pairs(names);
		rmtree(AT_FDCWD, "t", 0);
		if (stat("victim", &st) != 0 || (st.st_mode & 07777) != 0750)
			changed++;
		chmod("victim", 0750);
	}
	kill(racer, SIGKILL);
	waitpid(racer, NULL, 0);
	ok(good && rounds > 20 && changed == 0,
	    "a link that takes the place of a directory leads to no other's mode");
	printf("# %u rounds, changed in %u\n", rounds, changed);
	removed("t", "and when the race is over all goes");
	removed("victim", "as does what it was about");
}

int
main(void)
{
	top = scratch_enter();
	test_plain();
	test_links();
	test_kinds();
	test_modes();
	test_wide();
	test_names();
	test_refused();
	test_identity();
	test_race();
	test_deep();
	ok(rmdir(top) == 0, "nothing else is left");
	return done();
}
