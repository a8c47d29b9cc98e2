/*
 * proof.c: trying what must be refused; see proof.h. Runs in inner, before the filter.
 */
#include "proof.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A file without a name: if it could be made it is gone with its descriptor. */
static int
try_write(const char *dir)
{
	int fd = open(dir, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

static int
try_read(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

/* 198.51.100.0/24 is for documentation (RFC 5737); nothing is sent by a datagram connect. */
static int
try_connect(void)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(9)};
	to.sin_addr.s_addr = htonl(0xc6336401U);
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return errno;
	int err = connect(fd, (const struct sockaddr *)&to, sizeof(to)) == 0 ? 0 : errno;
	close(fd);
	return err;
}

/* No capability in any set, and no way to get one. */
static int
try_privilege(void)
{
	struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct caps[2];
	memset(caps, 0xff, sizeof(caps));
	if (syscall(SYS_capget, &head, caps) != 0)
		return errno;
	for (size_t i = 0; i < 2; i++)
		if ((caps[i].effective | caps[i].permitted | caps[i].inheritable) != 0)
			return 0;
	return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ? EPERM : 0;
}

bool
proof_holds(const struct proof *p, int *err)
{
	switch (p->kind) {
	case PROOF_WRITE:
		*err = try_write(p->path);
		return *err == EROFS;
	case PROOF_READ:
		*err = try_read(p->path);
		return *err == EACCES;
	case PROOF_CONNECT:
		*err = try_connect();
		return *err == ENETUNREACH;
	case PROOF_PRIVILEGE:
		*err = try_privilege();
		return *err == EPERM;
	}
	*err = EINVAL;
	return false;
}

void
proofs_choose(struct arena *a, struct launch *l)
{
	bool write = false, read = false;
	l->nproofs = 0;
	l->proofs = arena_alloc(a, 4 * sizeof(*l->proofs));
	for (size_t i = 0; l->mounts != NULL && i < l->mounts->n; i++) {
		const struct mount_op *op = &l->mounts->ops[i];
		if (!write && op->kind == MOUNT_ROOT_RO) {
			l->proofs[l->nproofs++] = (struct proof){PROOF_WRITE, op->dest};
			write = true;
		}
		if (!read &&
		    (op->kind == MOUNT_MASK_DIR || op->kind == MOUNT_MASK_FILE)) {
			l->proofs[l->nproofs++] = (struct proof){PROOF_READ, op->dest};
			read = true;
		}
	}
	if (l->own_network)
		l->proofs[l->nproofs++] = (struct proof){PROOF_CONNECT, ""};
	if (l->own_pids)
		l->proofs[l->nproofs++] = (struct proof){PROOF_PRIVILEGE, ""};
}
