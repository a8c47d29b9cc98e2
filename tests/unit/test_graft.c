/*
 * test_graft: which mounts of a plan srun makes itself: what lies on itself or is empty,
 * where nothing that the helper makes lies on it or hides what is below.
 */
#include "graft.h"

#include "fake.h"
#include "tap.h"

static struct arena arena;

/* "KIND PATH; …" in, the paths that are chosen out. */
static const char *
choose(const char *text)
{
	static const struct {
		const char *word;
		enum mount_kind kind;
	} kinds[] = {{"ro", MOUNT_BIND_RO}, {"rw", MOUNT_BIND_RW}, {"pin", MOUNT_PIN},
	    {"dir", MOUNT_MASK_DIR}, {"open", MOUNT_MASK_OPEN}, {"file", MOUNT_MASK_FILE},
	    {"hide", MOUNT_HIDE_DIR}, {"hold", MOUNT_HOLD}, {"tmpfs", MOUNT_TMPFS},
	    {"dev", MOUNT_DEV}, {"node", MOUNT_DEV_NODE}, {"proc", MOUNT_PROC},
	    {"link", MOUNT_LINK}, {"root", MOUNT_ROOT_RO}, {"none", MOUNT_ROOT_NONE},
	    {"shown", MOUNT_BIND_RO}};
	struct mount_plan m = {NULL, 0, 0};
	struct bytes got = {NULL, 0, 0};
	while (*text != '\0') {
		size_t n = strcspn(text, " "), k = 0;
		while (strlen(kinds[k].word) != n || memcmp(kinds[k].word, text, n) != 0)
			k++;
		const char *path = text + n + 1;
		size_t len = strcspn(path, ";");
		m.ops = arena_grow(&arena, m.ops, m.n, sizeof(*m.ops));
		m.ops[m.n++] = (struct mount_op){.kind = kinds[k].kind,
		    .dest = arena_strndup(&arena, path, len),
		    .source = strcmp(kinds[k].word, "shown") == 0
		                  ? "/elsewhere"
		                  : arena_strndup(&arena, path, len)};
		text = path + len + strspn(path + len, "; ");
	}
	bool *chosen = graft_choose(&arena, &m);
	for (size_t i = 0; i < m.n; i++)
		if (chosen[i])
			bytes_printf(
			    &arena, &got, "%s%s", got.len > 0 ? " " : "", m.ops[i].dest);
	bytes_add(&arena, &got, "", 1);
	return got.data;
}

static const struct {
	const char *plan, *chosen;
} cases[] = {
    {"root /", ""},
    {"none /", ""},
    {"root /; dev /dev; proc /proc; ro /proc/sys; file /proc/keys",
        "/proc/sys /proc/keys"},
    {"root /; rw /w; pin /w/.git; ro /w/.git/hooks; hold /w/.idea",
        "/w/.git /w/.git/hooks /w/.idea"},
    {"root /; dir /a; file /b; hide /run", "/a /b /run"},
    /* What is below is not the host's. */
    {"none /; ro /usr; rw /w; ro /w/x", "/w/x"},
    {"root /; open /a; ro /a/b", ""},
    {"root /; tmpfs /tmp; ro /tmp/x; rw /tmp/w; hold /tmp/w/.idea", "/tmp/w/.idea"},
    {"root /; dev /dev; node /dev/kvm", ""},
    {"root /; dev /dev; ro /dev/shm", ""},
    {"root /; hide /run; ro /run/x", ""},
    /* What the helper makes must not come to lie below. */
    {"root /; ro /a; rw /a/b; ro /a/b/c", "/a/b/c"},
    {"root /; rw /w; pin /w/a; pin /w/a/b; rw /w/a/b/c; ro /w/d", "/w/d"},
    {"root /; ro /a; ro /a/b; ro /ab", "/a /a/b /ab"},
    {"root /; hide /run; rw /run/w", ""},
    /* What shows something else is a copy. */
    {"root /; shown /etc/resolv.conf; rw /w; shown /w/.git/info/exclude",
        "/etc/resolv.conf /w/.git/info/exclude"},
    {"root /; rw /w; pin /w/.git; shown /w/.git/exclude; ro /w/.git/hooks",
        "/w/.git /w/.git/exclude /w/.git/hooks"},
    {"root /; open /a; link /a/l; rw /a/t; pin /a/t/u", "/a/t/u"},
};

int
main(void)
{
	for (size_t i = 0; i < SRUN_ARRAY_LEN(cases); i++)
		is_str(choose(cases[i].plan), cases[i].chosen, "%s", cases[i].plan);

	/* A process that has nothing to enter says so, and is gone. */
	struct mount_plan none = {NULL, 0, 0};
	struct graft g = GRAFT_NONE;
	ok(graft_start(&g, &none, NULL), "the process starts");
	const char *why = graft_run(&arena, &g, &none, 0);
	ok(why != NULL && strstr(why, "namespace") != NULL, "without a sandbox: %s",
	    why != NULL ? why : "");
	ok(g.pid == 0 && g.sock == -1, "and is reaped");
	ok(graft_start(&g, &none, NULL), "one that is not used");
	graft_end(&g);
	graft_end(&g);
	ok(g.pid == 0, "ends");
	ok(graft_run(&arena, &g, &none, 0) != NULL, "none: an error");
	arena_free(&arena);
	return done();
}
