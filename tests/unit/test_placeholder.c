/*
 * test_placeholder.c: names held for the deny set: made, journalled, shared, removed only
 * as they were made, swept after a crash.
 */
#include "placeholder.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include "rmtree.h"
#include "scratch.h"
#include "tap.h"

static struct arena arena;
static int statefd;
static char top[4096];

static const char *
at(const char *name)
{
	return arena_printf(&arena, "%s/%s", top, name);
}

static bool
there(const char *name)
{
	struct stat st;
	return lstat(at(name), &st) == 0;
}

static size_t
journals_in(const char *dir)
{
	size_t n = 0;
	DIR *d = opendir(at(dir));
	for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL;)
		n += str_ends(e->d_name, ".hold");
	if (d != NULL)
		closedir(d);
	return n;
}

static size_t
journals(void)
{
	return journals_in("state");
}

/* The journal's name of a directory, as the room makes it. */
static const char *
journal_of(const char *name)
{
	struct holds h = {.statefd = statefd};
	int err;
	struct hold *one = hold_directory(&arena, &h, at(name), &err);
	const char *journal = one != NULL ? one->journal : "";
	holds_release(&arena, &h);
	return journal;
}

static struct hold *
take(struct holds *h, const char *name)
{
	int err;
	return hold_directory(&arena, h, at(name), &err);
}

static void
test_made_and_removed(void)
{
	struct holds h = {.statefd = statefd};
	struct hold *w = take(&h, "w");
	struct stat st;
	ok(w != NULL, "a directory is locked");
	ok(take(&h, "w") == w, "once a run");
	ok(hold_make(&arena, &h, w, "dir", HOLD_DIR) && there("w/dir"), "a directory");
	ok(hold_make(&arena, &h, w, "file", HOLD_EMPTY_FILE) && there("w/file"),
	    "an empty file");
	ok(hold_make(&arena, &h, w, "dot", HOLD_DOT_FILE) &&
	        lstat(at("w/dot"), &st) == 0 && st.st_size == 2,
	    "a file with a dot");
	ok(hold_make(&arena, &h, w, "sub", HOLD_PARENT), "a directory on the way");
	ok(hold_make(&arena, &h, take(&h, "w/sub"), "deep", HOLD_DIR), "and one in it");
	ok(hold_is_ours(&arena, &h, at("w/dir")) &&
	        hold_is_ours(&arena, &h, at("w/file")) &&
	        hold_is_ours(&arena, &h, at("w/dot")) &&
	        hold_is_ours(&arena, &h, at("w/sub")) &&
	        hold_is_ours(&arena, &h, at("w/sub/deep")),
	    "all are known as ours");
	is_int(mkdir(at("w/theirs"), 0700), 0, "somebody else makes one");
	ok(!hold_is_ours(&arena, &h, at("w/theirs")), "that is not");
	ok(!hold_make(&arena, &h, w, "theirs", HOLD_DIR) && errno == EEXIST,
	    "and cannot be made");
	is_int(journals(), 2, "there are two journals");
	holds_release(&arena, &h);
	ok(!there("w/dir") && !there("w/file") && !there("w/dot") && !there("w/sub"),
	    "all are gone at the end");
	ok(there("w/theirs"), "not what is somebody else's");
	is_int(journals(), 0, "and no journal is left");
	rmdir(at("w/theirs"));
}

static void
test_changed(void)
{
	struct holds h = {.statefd = statefd};
	struct hold *w = take(&h, "w");
	hold_make(&arena, &h, w, "dir", HOLD_DIR);
	hold_make(&arena, &h, w, "file", HOLD_EMPTY_FILE);
	hold_make(&arena, &h, w, "linked", HOLD_EMPTY_FILE);
	hold_make(&arena, &h, w, "swapped", HOLD_EMPTY_FILE);
	scratch_file(at("w/dir/x"));
	chmod(at("w/file"), 0600);
	int fd = open(at("w/file"), O_WRONLY | O_CLOEXEC);
	ok(fd >= 0 && write(fd, "x", 1) == 1, "one is written");
	close(fd);
	ok(link(at("w/linked"), at("w/other-name")) == 0, "one gets another name");
	unlink(at("w/swapped"));
	ok(symlink("/", at("w/swapped")) == 0, "one becomes a link");
	ok(!hold_is_ours(&arena, &h, at("w/dir")) &&
	        !hold_is_ours(&arena, &h, at("w/file")) &&
	        !hold_is_ours(&arena, &h, at("w/swapped")),
	    "they are no longer as made");
	holds_release(&arena, &h);
	ok(there("w/dir/x") && there("w/file") && there("w/linked") && there("w/swapped"),
	    "and stay");
	rmtree(AT_FDCWD, at("w"), 0);
	mkdir(at("w"), 0700);
}

/* A child that holds, says so, and waits to be killed or told to end. */
static pid_t
other_run(int *to, int *from)
{
	int in[2], out[2];
	char c;
	if (pipe(in) != 0 || pipe(out) != 0)
		return -1;
	pid_t pid = fork();
	if (pid == 0) {
		struct arena a = {NULL};
		struct holds h = {.statefd = statefd};
		close(in[1]);
		struct hold *w = take(&h, "w");
		c = w != NULL && hold_make(&a, &h, w, "shared", HOLD_DIR) ? 'y' : 'n';
		if (write(out[1], &c, 1) == 1 && read(in[0], &c, 1) == 1)
			holds_release(&a, &h);
		_exit(0);
	}
	close(in[0]);
	close(out[1]);
	*to = in[1];
	*from = out[0];
	if (read(*from, &c, 1) != 1 || c != 'y')
		return -1;
	return pid;
}

static void
test_shared(void)
{
	struct holds h = {.statefd = statefd};
	int to, from;
	struct hold *w = take(&h, "w");
	ok(hold_make(&arena, &h, w, "shared", HOLD_DIR), "one run holds a name");
	pid_t pid = other_run(&to, &from);
	ok(pid > 0, "another holds the same");
	holds_release(&arena, &h);
	ok(there("w/shared"), "it survives the end of the first");
	holds_sweep(&arena, statefd);
	ok(there("w/shared"), "and a sweep");
	ok(write(to, "e", 1) == 1 && waitpid(pid, NULL, 0) == pid, "the other ends");
	ok(!there("w/shared") && journals() == 0, "then it is gone");
	close(to);
	close(from);

	pid = other_run(&to, &from);
	kill(pid, 9);
	waitpid(pid, NULL, 0);
	close(to);
	close(from);
	ok(there("w/shared") && journals() == 1, "a run that is killed leaves it");
	holds_sweep(&arena, statefd);
	ok(!there("w/shared") && journals() == 0, "the next run sweeps");
}

/*
 * A sweeper that opened a journal and came to lock it only after the run it belonged to had
 * removed it: what a new run holds under the same name is none of its business.
 */
static void
test_late(void)
{
	struct holds first = {.statefd = statefd}, second = {.statefd = statefd};
	struct hold *old = take(&first, "w"), late = *old;

	hold_make(&arena, &first, old, "name", HOLD_DIR);
	struct hold_lock lock = {
	    statefd, openat(statefd, old->journal, O_RDWR | O_CLOEXEC)};
	late.locks = &lock;
	late.dirfd = dup(old->dirfd);
	holds_release(&arena, &first);
	ok(!there("w/name") && journals() == 0, "the first run has ended");
	ok(hold_make(&arena, &second, take(&second, "w"), "name", HOLD_DIR),
	    "a second run holds the name");
	struct holds sweeper = {.statefd = statefd, .v = &late, .n = 1};
	holds_release(&arena, &sweeper);
	ok(there("w/name"), "who locks the removed journal removes nothing");
	ok(journals() == 1, "nor the new one");
	holds_release(&arena, &second);
	ok(!there("w/name") && journals() == 0, "the second run does it");
}

static void
test_links(void)
{
	struct holds h = {.statefd = statefd};
	int err;
	mkdir(at("other"), 0700);
	mkdir(at("other/deep"), 0700);
	ok(symlink("other", at("link")) == 0, "a link");
	ok(hold_directory(&arena, &h, at("link"), &err) == NULL, "is not held through");
	ok(hold_directory(&arena, &h, at("link/deep"), &err) == NULL, "nor below it");
	struct hold *w = take(&h, "other/deep");
	hold_make(&arena, &h, w, "name", HOLD_DIR);
	/* The tree is moved, and a link leads the removal elsewhere: it does not follow. */
	ok(rename(at("other"), at("moved")) == 0, "the tree is moved");
	mkdir(at("victim"), 0700);
	mkdir(at("victim/deep"), 0700);
	mkdir(at("victim/deep/name"), 0700);
	ok(symlink("victim", at("other")) == 0, "the way is led elsewhere");
	holds_release(&arena, &h);
	ok(there("victim/deep/name"), "and nothing is removed there");
	ok(!there("moved/deep/name"), "but what was made, where it is now");

	/* The same after a crash: only the path is left to go by. */
	w = take(&h, "moved/deep");
	hold_make(&arena, &h, w, "name", HOLD_DIR);
	close(w->locks[0].fd);
	close(w->dirfd);
	h.n = 0;
	rename(at("moved"), at("away"));
	ok(symlink("victim", at("moved")) == 0 &&
	        rename(at("victim/deep/name"), at("victim/deep/n")) == 0 &&
	        mkdir(at("victim/deep/name"), 0700) == 0,
	    "a crash, and the way is led elsewhere");
	holds_sweep(&arena, statefd);
	ok(there("victim/deep/name") && journals() == 0, "the sweep does not follow");
	unlink(at("moved"));
	mkdir(at("moved"), 0700);
	mkdir(at("moved/deep"), 0700);
	w = take(&h, "moved/deep");
	hold_make(&arena, &h, w, "name", HOLD_DIR);
	close(w->locks[0].fd);
	close(w->dirfd);
	h.n = 0;
	rename(at("moved/deep"), at("moved/deep2"));
	mkdir(at("moved/deep"), 0700);
	mkdir(at("moved/deep/name"), 0700);
	holds_sweep(&arena, statefd);
	ok(there("moved/deep/name"), "nor does it take another directory for the same");
	ok(hold_directory(&arena, &h, at("absent"), &err) == NULL && err == 0,
	    "what is missing is not held");
	chmod(at("victim"), 0500);
	ok(hold_directory(&arena, &h, at("victim"), &err) == NULL && err == 0,
	    "nor what cannot be written");
	chmod(at("victim"), 0700);
}

/*
 * Another run's sweep can get the lock between the two that the last run has: then it
 * removes the names, and this run must not be over before it has.
 */
static void
test_swept_by_another(void)
{
	struct holds h = {.statefd = statefd};
	struct hold *w = take(&h, "w");
	int pair[2];
	char byte;
	ok(hold_make(&arena, &h, w, "name", HOLD_DIR) && pipe(pair) == 0, "a name");
	flock(w->locks[0].fd, LOCK_UN);
	pid_t pid = fork();
	if (pid == 0) {
		int fd = openat(statefd, w->journal, O_RDWR | O_CLOEXEC);
		flock(fd, LOCK_EX);
		byte = write(pair[1], "", 1) == 1 ? 0 : 1;
		usleep(100000);
		unlinkat(statefd, w->journal, 0);
		rmdir(at("w/name"));
		_exit(byte);
	}
	ok(read(pair[0], &byte, 1) == 1, "another run sweeps");
	holds_release(&arena, &h);
	ok(!there("w/name"), "the run is over when that is done");
	waitpid(pid, NULL, 0);
	close(pair[0]);
	close(pair[1]);
}

/* Journals that a crash cut short, or that are none. */
static void
test_bad_journals(void)
{
	static const struct {
		const char *text;
		size_t len;
	} bad[] = {{"", 0}, {"x", 1}, {"/", 1}, {"/nowhere\0#1\0dname", 17},
	    {"\0\0\0", 3}, {"relative\0dname\0", 15}, {"/\0#2\0d../../tmp\0", 16},
	    {"/\0d\0", 4}, {"/\0", 2},
	    {"#x\0=\0= \0=1\0=99999999999999999999 x\0dx\0", 35}};
	struct holds h = {.statefd = statefd};
	const char *name = journal_of("w");
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		int fd =
		    openat(statefd, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
		if (write(fd, bad[i].text, bad[i].len) != (ssize_t)bad[i].len)
			ok(false, "the journal cannot be written");
		close(fd);
		hold_is_ours(&arena, &h, at("w/name"));
		hold_is_ours(&arena, &h, at("w/x"));
		holds_sweep(&arena, statefd);
	}
	is_int(journals(), 0, "bad journals are swept, and remove nothing");
	/* One whose last record was cut: what is before it counts. */
	struct bytes b = {NULL, 0, 0};
	struct stat st;
	mkdir(at("w/first"), 0700);
	mkdir(at("w/second"), 0700);
	lstat(at("w"), &st);
	const char *ino = arena_printf(&arena, "#%llu", (unsigned long long)st.st_ino);
	bytes_add(&arena, &b, at("w"), strlen(at("w")) + 1);
	bytes_add(&arena, &b, ino, strlen(ino) + 1);
	bytes_add(&arena, &b, "dfirst\0dsecond", 14);
	int fd = openat(statefd, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	ok(write(fd, b.data, b.len) == (ssize_t)b.len, "a journal cut short");
	close(fd);
	holds_sweep(&arena, statefd);
	ok(!there("w/first") && there("w/second"), "only whole records count");
	rmdir(at("w/second"));
}

/* What took the place of a held name looks the same, and is not it. */
static void
test_replaced(void)
{
	struct holds h = {.statefd = statefd};
	struct hold *w = take(&h, "w");
	hold_make(&arena, &h, w, "dir", HOLD_DIR);
	hold_make(&arena, &h, w, "file", HOLD_EMPTY_FILE);
	rename(at("w/dir"), at("w/olddir"));
	rename(at("w/file"), at("w/oldfile"));
	mkdir(at("w/dir"), 0755);
	scratch_file(at("w/file"));
	ok(truncate(at("w/file"), 0) == 0, "others are in their place");
	ok(!hold_is_ours(&arena, &h, at("w/dir")) &&
	        !hold_is_ours(&arena, &h, at("w/file")),
	    "which are not ours");
	holds_release(&arena, &h);
	ok(there("w/dir") && there("w/file"), "and stay");
	rmtree(AT_FDCWD, at("w"), 0);
	mkdir(at("w"), 0700);
}

/* Runs of one user that keep their journals in different places. */
static void
test_places(void)
{
	int second, err;
	mkdir(at("state2"), 0700);
	mkdir(at("state3"), 0755);
	second = open(at("state2"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct holds one = {.statefd = statefd}, two = {.statefd = second}, h = one;
	strv_push(&arena, &one.places, at("state2"));
	strv_push(&arena, &one.places, at("state"));
	strv_push(&arena, &one.places, at("absent"));
	strv_push(&arena, &one.places, at("state3"));
	strv_push(&arena, &two.places, at("state"));
	strv_push(&arena, &two.places, at("state2"));
	struct hold *a = hold_directory(&arena, &one, at("w"), &err);
	ok(hold_make(&arena, &one, a, "name", HOLD_DIR), "one run holds a name");
	ok(hold_make(&arena, &one, a, "own", HOLD_DIR), "and another");
	struct hold *b = hold_directory(&arena, &two, at("w"), &err);
	ok(hold_make(&arena, &two, b, "name", HOLD_DIR) && b->nlocks == 2,
	    "a run with another state directory shares it, and the lock");
	ok(hold_make(&arena, &two, b, "late", HOLD_DIR), "it makes one of its own");
	ok(hold_make(&arena, &one, a, "late", HOLD_DIR) && a->nlocks == 2,
	    "that the first finds");
	is_int(
	    one.nplacefds, 1, "only private directories are looked into, and not twice");
	holds_release(&arena, &one);
	ok(there("w/name") && there("w/own") && there("w/late"),
	    "the first ends: all stay, for the second relies on them");
	holds_sweep(&arena, statefd);
	ok(there("w/name"), "a sweep changes nothing");
	holds_release(&arena, &two);
	ok(!there("w/name") && !there("w/own") && !there("w/late"),
	    "the second ends: all are gone");
	ok(journals() == 0 && journals_in("state2") == 0, "and both journals");
	(void)h;
	close(second);
}

/* What cannot be held is told from what is not there to be held. */
static void
test_errors(void)
{
	struct holds h = {.statefd = statefd};
	struct rlimit old, none;
	int err = 0;
	ok(hold_directory(&arena, &h, at("absent/x"), &err) == NULL && err == 0,
	    "missing: nothing to hold");
	scratch_file(at("plain"));
	ok(hold_directory(&arena, &h, at("plain"), &err) == NULL && err == ENOTDIR,
	    "not a directory: an error");
	ok(symlink("w", at("swapped")) == 0 &&
	        hold_directory(&arena, &h, at("swapped"), &err) == NULL && err == ELOOP,
	    "a link: an error");
	getrlimit(RLIMIT_NOFILE, &old);
	none = old;
	none.rlim_cur = 3;
	setrlimit(RLIMIT_NOFILE, &none);
	ok(hold_directory(&arena, &h, at("w"), &err) == NULL && err == EMFILE,
	    "no descriptor: an error");
	setrlimit(RLIMIT_NOFILE, &old);
	struct rlimit size = {0, RLIM_INFINITY}, full;
	struct sigaction ignore = {.sa_handler = SIG_IGN}, was;
	sigaction(SIGXFSZ, &ignore, &was);
	getrlimit(RLIMIT_FSIZE, &full);
	size.rlim_max = full.rlim_max;
	setrlimit(RLIMIT_FSIZE, &size);
	ok(hold_directory(&arena, &h, at("w"), &err) == NULL && err == EFBIG,
	    "no journal: an error");
	setrlimit(RLIMIT_FSIZE, &full);
	sigaction(SIGXFSZ, &was, NULL);
	holds_release(&arena, &h);
	holds_sweep(&arena, statefd);
	is_int(journals(), 0, "and nothing is left");
}

/* One in sixteen looks at the others. */
static void
write_caches(const struct bytes *b)
{
	for (int i = 0; i < 64; i++) {
		pid_t pid = fork();
		if (pid == 0)
			_exit(!hold_write_cache(&arena, statefd, "cache/mine.scan", b));
		waitpid(pid, NULL, 0);
	}
}

/* Files that save work do not pile up. */
static void
test_caches(void)
{
	struct bytes b = {NULL, 0, 0};
	struct timespec old[2] = {{.tv_sec = time(NULL) - 40 * 24 * 60 * 60}};
	old[1] = old[0];
	bytes_puts(&arena, &b, "x");
	ok(hold_write_cache(&arena, statefd, "cache/old.scan", &b) &&
	        hold_write_cache(&arena, statefd, "cache/used.scan", &b) &&
	        hold_write_cache(&arena, statefd, "cache/new.exclude", &b),
	    "files of the state directory");
	utimensat(statefd, "cache/old.scan", old, 0);
	utimensat(statefd, "cache/used.scan", old, 0);
	hold_touch_cache(statefd, "cache/used.scan");
	write_caches(&b);
	ok(!there("state/cache/old.scan"), "the old one is gone");
	ok(there("state/cache/used.scan") && there("state/cache/new.exclude"),
	    "not what is used or new");
	for (int i = 0; i < 1500; i++)
		close(openat(statefd, arena_printf(&arena, "cache/%d.scan", i),
		    O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	write_caches(&b);
	size_t n = 0;
	for (int i = 0; i < 1500; i++)
		n += there(arena_printf(&arena, "state/cache/%d.scan", i));
	ok(n < 1024 && n > 400, "fifteen hundred become fewer: %zu", n);
}

int
main(void)
{
	const char *dir = scratch_enter();
	snprintf(top, sizeof(top), "%s", dir);
	mkdir("w", 0700);
	mkdir("state", 0700);
	statefd = open("state", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	test_made_and_removed();
	test_changed();
	test_shared();
	test_late();
	test_links();
	test_swept_by_another();
	test_bad_journals();
	test_replaced();
	test_places();
	test_errors();
	test_caches();
	close(statefd);
	if (chdir("/") == 0)
		rmtree(AT_FDCWD, top, 0);
	arena_free(&arena);
	return done();
}
