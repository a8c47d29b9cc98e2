/*
 * test_verify: the text of mountinfo against a plan: what is as planned passes, each
 * difference is named, and no text at all makes it read outside.
 */
#include <stdlib.h>

#include "tap.h"
#include "verify.h"

static struct arena arena;

static struct mount_op ops[] = {
    {.kind = MOUNT_ROOT_RO, .dest = "/", .source = "/"},
    {.kind = MOUNT_DEV, .dest = "/dev", .source = "/dev"},
    {.kind = MOUNT_MASK_OPEN, .dest = "/home", .source = "/home"},
    {.kind = MOUNT_LINK, .dest = "/home/u/l", .source = "/data"},
    {.kind = MOUNT_BIND_RW, .dest = "/home/u/my proj", .source = "/home/u/my proj"},
    {.kind = MOUNT_PIN, .dest = "/home/u/my proj/.git", .source = "/home/u/my proj/.git"},
    {.kind = MOUNT_BIND_RO, .dest = "/home/u/my proj/.git/hooks", .source = "/x"},
    {.kind = MOUNT_MASK_FILE, .dest = "/home/u/my proj/key", .source = "/closed"},
    {.kind = MOUNT_PROC, .dest = "/proc", .source = "/proc"},
    {.kind = MOUNT_HIDE_DIR, .dest = "/run", .source = "/run"},
    {.kind = MOUNT_MASK_DIR, .dest = "/srv", .source = "/srv"},
    {.kind = MOUNT_TMPFS, .dest = "/tmp", .source = "/tmp"},
};
static const struct mount_plan plan = {ops, SRUN_ARRAY_LEN(ops), 0};

#define ROOT "100 50 8:1 / / ro,nosuid,nodev,relatime master:1 - ext4 /dev/sda1 rw\n"
#define DEV  "101 100 0:30 / /dev rw,nosuid shared:2 master:3 - tmpfs tmpfs rw,mode=755\n"
#define PTS  "102 101 0:31 / /dev/pts rw,nosuid,noexec - devpts devpts rw,mode=620\n"
#define HOME "103 100 0:32 / /home ro,nosuid - tmpfs tmpfs rw,mode=111\n"
#define PROJ                                                                             \
	"104 103 8:1 /home/u/my\\040proj /home/u/my\\040proj rw,relatime - ext4 "        \
	"/dev/sda1 rw\n"
#define GIT                                                                              \
	"105 104 8:1 /p/.git /home/u/my\\040proj/.git rw,relatime - ext4 /dev/sda1 rw\n"
#define HOOKS                                                                            \
	"106 105 8:1 /p/.git/hooks /home/u/my\\040proj/.git/hooks ro - ext4 /dev/sda1 "  \
	"rw\n"
#define KEY   "107 104 8:1 /closed /home/u/my\\040proj/key ro,nosuid - ext4 /dev/sda1 rw\n"
#define PROC  "108 100 0:33 / /proc rw,nosuid - proc proc rw\n"
#define RUN   "109 100 0:34 / /run ro - tmpfs tmpfs rw,mode=755\n"
#define SRV   "110 100 0:35 / /srv ro - tmpfs tmpfs rw,mode=000\n"
#define TMP   "111 100 0:36 / /tmp rw - tmpfs tmpfs rw,mode=1777\n"
#define REST  PROC RUN SRV TMP
#define RIGHT ROOT DEV PTS HOME PROJ GIT HOOKS KEY REST

#define W(what) "'" what "' is writable inside, "

static const struct {
	const char *name, *text, *want; /* want: the errors, "" when all is well */
} rows[] = {
    {"as planned", RIGHT, ""},
    {"without a newline at the end",
        ROOT DEV PTS HOME PROJ GIT HOOKS KEY PROC RUN SRV
        "111 100 0:36 / /tmp rw - tmpfs tmpfs rw",
        ""},
    {"nothing at all", "",
        "'/' is not mounted inside as planned (root read-only) | "
        "'/dev' is not mounted inside as planned (devices) | "
        "'/home' is not mounted inside as planned (closed around) | "
        "'/home/u/my proj' is not mounted inside as planned (writable) | "
        "'/home/u/my proj/.git' is not mounted inside as planned (pinned) | "
        "'/home/u/my proj/.git/hooks' is not mounted inside as planned (read-only) | "
        "'/home/u/my proj/key' is not mounted inside as planned (closed file) | "
        "'/proc' is not mounted inside as planned (processes) | "
        "'/run' is not mounted inside as planned (hidden) | "
        "'/srv' is not mounted inside as planned (closed) | "
        "'/tmp' is not mounted inside as planned (private)"},

    /* something is missing */
    {"a mask is missing", ROOT DEV PTS HOME PROJ GIT HOOKS KEY PROC RUN TMP,
        "'/srv' is not mounted inside as planned (closed)"},
    {"a pin is missing", ROOT DEV PTS HOME PROJ HOOKS KEY REST,
        "'/home/u/my proj/.git' is not mounted inside as planned (pinned)"},
    {"a read-only bind is missing", ROOT DEV PTS HOME PROJ GIT KEY REST,
        "'/home/u/my proj/.git/hooks' is not mounted inside as planned (read-only)"},
    {"a closed file is missing", ROOT DEV PTS HOME PROJ GIT HOOKS REST,
        "'/home/u/my proj/key' is not mounted inside as planned (closed file)"},
    {"a mount of nearly that name",
        ROOT DEV PTS HOME PROJ GIT HOOKS KEY PROC RUN TMP
        "110 100 0:35 / /srv2 ro - tmpfs tmpfs rw\n",
        "'/srv' is not mounted inside as planned (closed)"},

    /* something is writable */
    {"the root is writable",
        "100 50 8:1 / / rw,relatime - ext4 /dev/sda1 rw\n" DEV PTS HOME PROJ GIT HOOKS KEY
            REST,
        W("/") "and nothing grants that | " W("/") "against the plan"},
    {"a mask is writable",
        ROOT DEV PTS HOME PROJ GIT HOOKS KEY PROC RUN TMP
        "110 100 0:35 / /srv rw - tmpfs tmpfs rw\n",
        W("/srv") "and nothing grants that | " W("/srv") "against the plan"},
    {"a protected directory is writable",
        ROOT DEV PTS HOME PROJ GIT KEY REST
        "106 105 8:1 /p /home/u/my\\040proj/.git/hooks rw - ext4 /dev/sda1 rw\n",
        W("/home/u/my proj/.git/hooks") "and nothing grants that | " W(
            "/home/u/my proj/.git/hooks") "against the plan"},
    {"a file system left over below the root",
        RIGHT "120 100 8:2 / /mnt/usb rw,relatime - vfat /dev/sdb1 rw\n",
        W("/mnt/usb") "and nothing grants that"},
    {"one below a protected directory",
        RIGHT "120 106 8:2 / /home/u/my\\040proj/.git/hooks/x rw - ext4 /dev/sdb1 rw\n",
        W("/home/u/my proj/.git/hooks/x") "and nothing grants that"},
    {"one below a mask", RIGHT "120 110 8:2 / /srv/data rw - ext4 /dev/sdb1 rw\n",
        W("/srv/data") "and nothing grants that"},
    {"a read-only one is no matter",
        RIGHT "120 100 8:2 / /mnt/usb ro - vfat /dev/sdb1 rw\n", ""},
    {"one in a write root comes with it",
        RIGHT "120 104 8:2 / /home/u/my\\040proj/disk rw - ext4 /dev/sdb1 rw\n", ""},
    {"an option that only begins with ro",
        RIGHT "120 100 8:2 / /mnt/usb rootcontext=x,rw - vfat /dev/sdb1 rw\n",
        W("/mnt/usb") "and nothing grants that"},
    {"ro of the file system is not ro of the mount",
        ROOT DEV PTS HOME PROJ GIT HOOKS KEY PROC RUN TMP
        "110 100 0:35 / /srv rw,relatime - tmpfs tmpfs ro\n",
        W("/srv") "and nothing grants that | " W("/srv") "against the plan"},

    /* something else is there */
    {"a mask is a disk",
        ROOT DEV PTS HOME PROJ GIT HOOKS KEY PROC RUN TMP
        "110 100 8:1 /srv /srv ro - ext4 /dev/sda1 rw\n",
        "'/srv' is not the empty directory that was planned"},
    {"a private directory is a disk",
        ROOT DEV PTS HOME PROJ GIT HOOKS KEY PROC RUN SRV
        "111 100 8:1 /tmp /tmp rw - ext4 /dev/sda1 rw\n",
        "'/tmp' is not the empty directory that was planned"},
    {"a hidden directory is a disk",
        ROOT DEV PTS HOME PROJ GIT HOOKS KEY PROC SRV TMP
        "109 100 8:1 /run /run ro - ext4 /dev/sda1 rw\n",
        "'/run' is not the empty directory that was planned"},
    {"a mask is something with tmpfs in its name",
        ROOT DEV PTS HOME PROJ GIT HOOKS KEY PROC RUN TMP
        "110 100 0:35 / /srv ro - devtmpfs tmpfs rw\n",
        "'/srv' is not the empty directory that was planned"},

    /* something lies on top */
    {"a writable mount on a mask", RIGHT "120 110 8:2 / /srv rw - ext4 /dev/sdb1 rw\n",
        W("/srv") "and nothing grants that | '/srv' is not the empty directory that was "
                  "planned | " W("/srv") "against the plan"},
    {"a read-only disk on a mask", RIGHT "120 110 8:2 / /srv ro - ext4 /dev/sdb1 rw\n",
        "'/srv' is not the empty directory that was planned"},
    {"a writable mount on a protected directory",
        RIGHT "120 106 8:2 / /home/u/my\\040proj/.git/hooks rw - ext4 /dev/sdb1 rw\n",
        W("/home/u/my proj/.git/hooks") "and nothing grants that | " W(
            "/home/u/my proj/.git/hooks") "against the plan"},
    {"what a mask covers may be writable",
        ROOT DEV PTS HOME PROJ GIT HOOKS KEY PROC RUN TMP
        "119 100 8:2 / /srv rw - ext4 /dev/sdb1 rw\n"
        "110 119 0:35 / /srv ro - tmpfs tmpfs rw\n",
        ""},

    /* escapes */
    {"octal escapes are undone",
        RIGHT "120 100 8:2 / /a\\134b\\011c\\012d rw - vfat /dev/sdb1 rw\n",
        W("/a\\b\tc\nd") "and nothing grants that"},
    {"an escape that is cut", RIGHT "120 100 8:2 / /mnt\\04 rw - vfat /dev/sdb1 rw\n",
        W("/mnt\\04") "and nothing grants that"},

    /* garbage */
    {"a word", "hello", "a line of mountinfo cannot be understood"},
    {"an empty line", ROOT "\n" DEV, "a line of mountinfo cannot be understood"},
    {"no dash", "100 50 8:1 / / ro,relatime ext4 /dev/sda1 rw\n",
        "a line of mountinfo cannot be understood"},
    {"a line that ends after its point", "100 50 8:1 / /",
        "a line of mountinfo cannot be understood"},
    {"blanks", "           \n", "a line of mountinfo cannot be understood"},
    {"numbers that are none", "x y 8:1 / / ro - ext4 /dev/sda1 rw\n",
        "a line of mountinfo cannot be understood"},
};

/* The verdict over exactly these bytes, so that one read too far is seen by a sanitizer. */
static bool
verdict(const char *text, size_t len, struct errs *errs)
{
	char *exact = malloc(len + 1);

	if (exact == NULL)
		exit(1);
	memcpy(exact, text, len);
	exact[len] = '\0';
	bool good = verify_mountinfo(&arena, &plan, exact, errs);
	free(exact);
	return good;
}

static void
check_row(const char *name, const char *text, const char *want)
{
	struct errs errs = {{NULL, 0}};
	struct bytes got = {NULL, 0, 0};
	bool good = verdict(text, strlen(text), &errs);

	for (size_t i = 0; i < errs.text.n; i++)
		bytes_printf(&arena, &got, "%s%s", i ? " | " : "", errs.text.v[i]);
	bytes_add(&arena, &got, "", 1);
	is_str(got.data, want, "%s", name);
	ok(good == (*want == '\0'), "%s: the verdict says so", name);
}

/* A text cut short lacks a mount or is odd: never right, but where only the tail is cut. */
static void
check_cuts(void)
{
	static const char right[] = RIGHT;
	size_t needed = (size_t)(strstr(right, " /tmp rw - tmpfs tmpfs") - right) + 18;
	bool refused = true;

	for (size_t n = 0; n < needed; n++) {
		struct errs errs = {{NULL, 0}};
		if (verdict(right, n, &errs) || errs.text.n == 0) {
			refused = false;
			printf("# accepted %zu of %zu bytes\n", n, needed);
		}
	}
	ok(refused, "every text that is cut is refused");
}

static void
check_mutations(void)
{
	static const char right[] = RIGHT;
	unsigned seed = 7;
	char text[sizeof(right)];

	for (int round = 0; round < 10000; round++) {
		struct errs errs = {{NULL, 0}};
		memcpy(text, right, sizeof(text));
		for (int k = 0; k <= round % 4; k++) {
			seed = seed * 1103515245 + 12345;
			char byte = (char)(seed >> 24);
			text[(seed >> 8) % (sizeof(text) - 1)] =
			    byte != '\0' ? byte : ' ';
		}
		bool good = verdict(text, sizeof(text) - 1, &errs);
		if (good != (errs.text.n == 0))
			ok(false, "mutation %d: verdict and errors agree", round);
		if (round % 100 == 0)
			arena_free(&arena);
	}
	ok(true, "10000 mutations are read without harm");
}

/* A writable root, as in allow_write = /, has only what is closed in it. */
static void
check_writable_root(void)
{
	static struct mount_op few[] = {
	    {.kind = MOUNT_ROOT_RW, .dest = "/", .source = "/"},
	    {.kind = MOUNT_BIND_RO, .dest = "/etc", .source = "/etc"},
	};
	static const struct mount_plan small = {few, 2, 0};
	static const struct {
		const char *text;
		bool good;
	} texts[] = {
	    {"1 0 8:1 / / rw - ext4 a rw\n2 1 8:1 /etc /etc ro - ext4 a rw\n", true},
	    {"1 0 8:1 / / rw - ext4 a rw\n2 1 8:1 /etc /etc ro - ext4 a rw\n"
	     "3 1 8:2 / /mnt rw - ext4 b rw\n",
	        true},
	    {"1 0 8:1 / / rw - ext4 a rw\n2 1 8:1 /etc /etc rw - ext4 a rw\n", false},
	    {"1 0 8:1 / / rw - ext4 a rw\n2 1 8:1 /etc /etc ro - ext4 a rw\n"
	     "3 2 8:2 / /etc/x rw - ext4 b rw\n",
	        false},
	    {"1 0 8:1 / / rw - ext4 a rw\n2 1 8:1 /etc2 /etc2 ro - ext4 a rw\n", false},
	};
	for (size_t i = 0; i < SRUN_ARRAY_LEN(texts); i++) {
		struct errs errs = {{NULL, 0}};
		ok(verify_mountinfo(&arena, &small, texts[i].text, &errs) ==
		        texts[i].good,
		    "a writable root, text %zu", i);
	}
}

int
main(void)
{
	for (size_t i = 0; i < SRUN_ARRAY_LEN(rows); i++)
		check_row(rows[i].name, rows[i].text, rows[i].want);
	check_cuts();
	check_mutations();
	check_writable_root();
	arena_free(&arena);
	return done();
}
