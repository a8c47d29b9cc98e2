/*
 * confine.c: the stages by which the proxy and the resolver lock themselves in.
 *
 * Each stage says what it should bring and what the process must not be able to do after
 * it. They overlap on purpose: the filter alone refuses to open a file, and so does
 * Landlock, and so does the missing descriptor. tests/unit/test_confine.c tries each.
 */
#include "confine.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sys.h"
#include "util.h"

/* By number, so that headers older than the kernel do. */
#define LANDLOCK_CREATE   444
#define LANDLOCK_ADD      445
#define LANDLOCK_RESTRICT 446
#define LANDLOCK_FS_V1    0x1fffULL    /* up to MAKE_SYM */
#define LANDLOCK_REFER    (1ULL << 13) /* ABI 2 */
#define LANDLOCK_TRUNCATE (1ULL << 14) /* ABI 3 */
#define LANDLOCK_IOCTL    (1ULL << 15) /* ABI 5 */
#define LANDLOCK_BIND     (1ULL << 0)  /* ABI 4, of handled_access_net */
#define LANDLOCK_SCOPES   3ULL         /* ABI 6: abstract sockets, signals */
#define LANDLOCK_READ     (1ULL << 2)

struct ruleset {
	uint64_t fs, net, scoped;
};
struct beneath {
	uint64_t allowed;
	int32_t parent;
} __attribute__((packed));

/*
 * Should: only the sockets it works with remain, and nothing stands in their place.
 * Must not: reach a file, a terminal or a pipe that srun has or was given.
 */
static bool
close_others(const struct confine *c)
{
	for (int fd = 0; fd <= 2; fd++)
		if (sys_null_fd(fd) != 0)
			return false;
	return sys_close_except(c->keep, c->nkeep) == 0;
}

/*
 * Should: as many descriptors as the system lets it have; the limits of the command are
 * its own and are not touched.
 * Must not: write a file, leave a core, start a process (0 processes binds ordinary users
 * only; for root the filter does).
 */
static bool
set_limits(const struct confine *c)
{
	static const struct {
		int resource;
		rlim_t value;
	} zero[] = {{RLIMIT_FSIZE, 0}, {RLIMIT_CORE, 0}, {RLIMIT_NPROC, 0}};
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files) != 0)
		return false;
	files.rlim_cur = files.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &files) != 0)
		return false;
	for (size_t i = 0; i < SRUN_ARRAY_LEN(zero); i++) {
		const struct rlimit limit = {zero[i].value, zero[i].value};
		/* The resolver's threads count as processes. */
		if (zero[i].resource == RLIMIT_NPROC && c->role == FILTER_RESOLVER)
			continue;
		if (setrlimit(zero[i].resource, &limit) != 0)
			return false;
	}
	return true;
}

/*
 * Should: nothing.
 * Must not: be looked into or traced by another process of the same user; gain anything
 * by executing a program; hold or regain a capability (but the one it keeps, which is
 * over a run's own network).
 */
static bool
drop_privileges(const struct confine *c)
{
	struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
	const uint32_t kept = c->low_ports ? 1U << CAP_NET_BIND_SERVICE : 0;
	const struct __user_cap_data_struct left[2] = {{kept, kept, 0}, {0, 0, 0}};

	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0 ||
	    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return false;
	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	for (int cap = 0; cap <= 63; cap++)
		prctl(PR_CAPBSET_DROP, cap, 0, 0, 0); /* needs a capability itself */
	return syscall(SYS_capset, &head, left) == 0;
}

static bool
allow_file(int ruleset, const char *path)
{
	struct beneath rule = {LANDLOCK_READ, open(path, O_PATH | O_CLOEXEC)};
	bool good;

	if (rule.parent < 0)
		return errno == ENOENT || errno == ENOTDIR || errno == EACCES;
	good = syscall(LANDLOCK_ADD, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0;
	close(rule.parent);
	return good;
}

/*
 * Should: the files named, for reading; dialling.
 * Must not: touch another file in any way, listen on a port (from Linux 6.7), reach an
 * abstract unix socket or signal a process outside (from 6.12).
 */
static bool
enter_landlock(const struct confine *c)
{
	long abi = syscall(LANDLOCK_CREATE, NULL, 0, 1 /* version */);
	struct ruleset rights = {LANDLOCK_FS_V1, 0, 0};
	size_t size = sizeof(rights.fs);
	bool good = true;

	if (abi < 1)
		return true; /* not there, or not enabled: the filter stands alone */
	rights.fs |= (abi >= 2 ? LANDLOCK_REFER : 0) |
	             (abi >= 3 ? LANDLOCK_TRUNCATE : 0) | (abi >= 5 ? LANDLOCK_IOCTL : 0);
	if (abi >= 4) {
		/* The C library binds to ask a server for names; the proxy never binds. */
		rights.net = c->role == FILTER_PROXY ? LANDLOCK_BIND : 0;
		size += sizeof(rights.net);
	}
	if (abi >= 6) {
		rights.scoped = LANDLOCK_SCOPES;
		size += sizeof(rights.scoped);
	}
	int fd = (int)syscall(LANDLOCK_CREATE, &rights, size, 0);
	if (fd < 0)
		return false;
	for (size_t i = 0; good && c->files != NULL && c->files[i] != NULL; i++)
		good = allow_file(fd, c->files[i]);
	good = good && syscall(LANDLOCK_RESTRICT, fd, 0) == 0;
	close(fd);
	return good;
}

/*
 * Should: the calls of its row in seccomp.c.
 * Must not: any other: it dies by it, and the run ends.
 */
static bool
load_filter(const struct confine *c)
{
	size_t len;
	const struct sock_filter *code = filter_for_role(c->role, &len);
	struct sock_fprog program = {(unsigned short)(len / sizeof(*code)),
	    (struct sock_filter *)(uintptr_t)code}; /* the kernel only reads it */

	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0;
}

bool
confine_enter(const struct confine *c, const char **stage)
{
	*stage = "cannot close descriptors";
	if (!close_others(c))
		return false;
	*stage = "cannot set limits";
	if (!set_limits(c))
		return false;
	*stage = "cannot drop privileges";
	if (!drop_privileges(c))
		return false;
	*stage = "cannot enter Landlock";
	if (!enter_landlock(c))
		return false;
	*stage = "cannot load the system call filter";
	return load_filter(c);
}
