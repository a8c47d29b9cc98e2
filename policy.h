/*
 * policy.h: a grant, read and checked, as an immutable policy.
 *
 * grant files --(grant.c)--> settings with their origin --(policy.c)--> policy.
 * Nothing here looks at the file tree but for the grant itself: paths are normalised
 * text; host.c resolves them, mounts.c turns them into operations.
 */
#ifndef SRUN_POLICY_H
#define SRUN_POLICY_H

#include <stdbool.h>
#include <stdint.h>

#include "grantfile.h" /* reading the text */
#include "hostrule.h"
#include "unbuilt.h"
#include "util.h"

/* ---- values ---- */

enum isolation {
	ISOLATION_AUTO,
	ISOLATION_SEATBELT,
	ISOLATION_BWRAP,
	ISOLATION_NATIVE,
	ISOLATION_LANDLOCK,
	ISOLATION_NONE,
};

/* What a backend can enforce and a policy can require: bits. */
enum {
	ENFORCE_FS = 1 << 0,
	ENFORCE_DENY_SET = 1 << 1,
	ENFORCE_NET = 1 << 2,
	ENFORCE_UNIX = 1 << 3,
	ENFORCE_PID = 1 << 4,
	ENFORCE_ALL = (1 << 5) - 1,
};
/* "fs", "deny-set", "net", "unix", "pid", in the order of the bits, NULL at the end. */
extern const char *const enforce_names[];

enum temp_mode { TEMP_TMP, TEMP_PRIVATE, TEMP_HOST }; /* least authority first */
enum net_mode { NET_NONE, NET_RESTRICTED, NET_ALL };  /* least authority first */
enum unix_mode { UNIX_NONE, UNIX_INSIDE, UNIX_ALL };  /* least authority first */
enum denials { DENIALS_OFF, DENIALS_WRITES, DENIALS_ALL };

enum rule_kind { RULE_DENY_READ, RULE_ALLOW_READ, RULE_ALLOW_WRITE, RULE_DENY_WRITE };
/* The words of the grant for each kind: "deny_read", … */
extern const char *const rule_kind_names[];

struct path_rule {
	enum rule_kind kind;
	const char *path;    /* normalised; ".." and symlinks not yet resolved */
	const char *written; /* as the grant has it, for messages */
	/*
	 * Where in path the components begin that can be a pattern; 0: there are none. What
	 * is before is a name, whatever is in it: the home or the working directory.
	 */
	size_t pattern_at;
	bool optional; /* from a named set: a missing one is not worth a word */
	bool matched; /* path is what the pattern in written means now; not in a policy */
	struct origin origin;
};

/*
 * What one grant says about the file system. The base grant is layer 0, each
 * --narrow file with a [filesystem] section another; access needs every layer.
 */
struct layer {
	struct path_rule *rules; /* in the order of the text; paired keys expanded */
	size_t nrules;
	bool write_working_directory;
};

/* A text value and where it was said. */
struct located {
	const char *text;
	struct origin origin;
};
struct located_list {
	struct located *v;
	size_t n;
};

struct env_setting {
	const char *name, *value;
	struct origin origin;
};

/* Each limit: set, and its value in the unit of setrlimit(2) (seconds, bytes, count). */
enum limit {
	LIMIT_MEMORY,
	LIMIT_CPU_TIME,
	LIMIT_PROCESSES,
	LIMIT_OPEN_FILES,
	LIMIT_FILE_SIZE,
	LIMIT_CORE,
	LIMIT_COUNT
};
struct limit_value {
	bool set;
	uint64_t value;
	struct origin origin;
};

struct policy {
	struct located source; /* what the base grant is called, for "--check" */

	enum isolation isolation;
	struct origin isolation_origin;
	unsigned require; /* ENFORCE_* bits */

	const char *working_directory; /* normalised; NULL = the caller's */
	bool working_directory_temp;
	struct origin working_directory_origin;
	const char *shell;
	int64_t timeout_ms; /* -1: none */
	int64_t kill_after_ms;
	enum temp_mode temp;

	struct layer *layers;
	size_t nlayers; /* at least 1 */
	bool allow_git_config;
	struct path_rule
	    *create; /* kind RULE_ALLOW_WRITE; only path, written, origin matter */
	size_t ncreate;
	struct located_list devices; /* absolute paths besides "minimal" */

	enum net_mode net;
	struct origin net_origin; /* the key that decided it */
	struct host_rule_list *allow_domains,
	    *deny_domains; /* one list a layer of narrowing */
	size_t ndomain_layers;
	struct located_list allow_host_ports, publish_ports;
	bool allow_local_binding;
	struct located parent_proxy, parent_no_proxy; /* text "env", "none" or a URL */
	bool java_proxy;

	enum unix_mode unix_mode;
	struct origin unix_origin; /* file NULL when nothing was said */
	struct path_rule *unix_allow;
	size_t nunix_allow;

	struct located_list pass_env; /* names and "PREFIX_*" */
	bool pass_ca;
	struct env_setting *env;
	size_t nenv;

	struct limit_value limits[LIMIT_COUNT];
	enum denials denials;
	bool denials_set;

	const struct origin
	    *key_origins; /* one a row of grant_keys[]; file NULL = not set */
};

/* ---- reading ---- */

/* One grant text in memory. name is what messages call it; base is ${GRANT_DIR}. */
struct grant_text {
	const char *name;
	const char *
	    dir; /* directory of the file; the working directory for stdin and descriptors */
	const char *data;
	size_t len;
	bool lineless; /* origins name no line: the built-in default */
};

/* One more line from the command line: "section.key=value", called by option ("--set"). */
struct grant_extra {
	const char *option;
	const char *section, *key, *value;
};

/* What the text of a grant may refer to. All strings outlive the policy. */
struct grant_context {
	const char *home; /* NULL if there is none */
	const char *cwd;  /* absolute */
	const char *const *environ;
};

/*
 * The built-in default grant, as text of the same dialect; name "default".
 */
struct grant_text grant_default(void);

/*
 * Builds the policy of base + extras, narrowed by each of narrow. Everything is made
 * from the arena. On any error (all are added to errs, FILE:LINE first) returns NULL.
 * An extra comes after the text: a single value overrides the file's, a list grows.
 */
const struct policy *policy_build(struct arena *a, const struct grant_text *base,
    const struct grant_extra *extra, size_t nextra, const struct grant_text *narrow,
    size_t nnarrow, const struct grant_context *ctx, struct errs *errs);

/* ---- the effective policy as text ---- */

/* Every section and key the parser knows, in the order of the manual. */
struct grant_key {
	const char *section, *key;
	const char *type, *fallback; /* words for the manual and --check */
	const char *help;
	bool list;
};
extern const struct grant_key grant_keys[];
extern const size_t grant_nkeys;

#endif
