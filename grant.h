/*
 * grant.h: the text of a grant as a list of settings, each with its origin.
 *
 * Strict: whatever cannot be read as written is an error, all of them are reported.
 */
#ifndef SRUN_GRANT_H
#define SRUN_GRANT_H

#include <stdbool.h>
#include <stddef.h>

#include "policy.h"
#include "util.h"

/* One a section of the dialect, in the order of the manual. */
enum grant_section {
	SECTION_SANDBOX,
	SECTION_FILESYSTEM,
	SECTION_NETWORK,
	SECTION_UNIX_SOCKETS,
	SECTION_ENV,
	SECTION_LIMITS,
	SECTION_REPORT,
	SECTION_COUNT,
};

/* The rows of grant_keys[]: their index is the key's number. */
enum grant_key_id {
	KEY_ISOLATION,
	KEY_REQUIRE,
	KEY_WORKING_DIRECTORY,
	KEY_SHELL,
	KEY_TIMEOUT,
	KEY_KILL_AFTER,
	KEY_TEMP,
	KEY_PASS_ENV,
	KEY_PASS_CA,
	KEY_DENY_READ,
	KEY_ALLOW_READ,
	KEY_ALLOW_WRITE,
	KEY_DENY_WRITE,
	KEY_READ_ONLY_PATHS,
	KEY_READ_WRITE_PATHS,
	KEY_WRITE_WORKING_DIRECTORY,
	KEY_ALLOW_GIT_CONFIG,
	KEY_CREATE,
	KEY_DEVICES,
	KEY_NET_MODE,
	KEY_ALLOW_DOMAINS,
	KEY_DENY_DOMAINS,
	KEY_ALLOW_HOST_PORTS,
	KEY_PUBLISH_PORTS,
	KEY_ALLOW_LOCAL_BINDING,
	KEY_PARENT_PROXY,
	KEY_PARENT_NO_PROXY,
	KEY_JAVA_PROXY,
	KEY_UNIX_MODE,
	KEY_UNIX_ALLOW,
	KEY_ENV_NAME, /* stands for every name in [env] */
	KEY_LIMIT_MEMORY,
	KEY_LIMIT_CPU_TIME,
	KEY_LIMIT_PROCESSES,
	KEY_LIMIT_OPEN_FILES,
	KEY_LIMIT_FILE_SIZE,
	KEY_LIMIT_CORE,
	KEY_DENIALS,
	KEY_COUNT,
};

/* One value: a line with a list gives several. */
struct setting {
	enum grant_key_id id;
	const char *name; /* the key as written: in [env] the variable's name */
	const char *value;
	struct origin origin;
	bool plain; /* of an option of its own: a shell has expanded it already */
};

struct settings {
	struct setting *v;
	size_t n, cap;
	unsigned sections; /* 1 << enum grant_section for each one that was opened */
};

/* The section that a key belongs to. */
enum grant_section grant_key_section(enum grant_key_id id);

/* Adds the settings of the text to out. Errors go to errs; reading goes on after each. */
void grant_parse(struct arena *a, const struct grant_text *text, struct settings *out,
    struct errs *errs);

/*
 * Adds what the command line says. The value of "--set" is read as in a file. That of
 * another option is taken as it is, and is split at commas if the key is a list of
 * anything but paths: what names a path names one, whatever is in it.
 */
void grant_parse_extra(struct arena *a, const struct grant_extra *extra, size_t n,
    struct settings *out, struct errs *errs);

#endif
