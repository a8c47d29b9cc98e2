/*
 * nocall.c: runs a command where one system call fails with an errno, as under a container's
 * filter or on an older kernel.
 *
 *	nocall NAME ENOSYS|EPERM COMMAND [ARG]...
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct {
	const char *name;
	long number;
} calls[] = {{"setns", SYS_setns}, {"open_tree", SYS_open_tree},
    {"move_mount", SYS_move_mount}, {"fsopen", SYS_fsopen}, {"fsmount", SYS_fsmount},
    {"mount_setattr", SYS_mount_setattr}, {"openat2", SYS_openat2},
    {"umount2", SYS_umount2}};

int
main(int argc, char **argv)
{
	long number = -1;
	if (argc < 4)
		return 2;
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (strcmp(calls[i].name, argv[1]) == 0)
			number = calls[i].number;
	unsigned err = strcmp(argv[2], "EPERM") == 0 ? EPERM : ENOSYS;
	struct sock_filter code[] = {
	    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number, 0, 1),
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | err),
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
	struct sock_fprog program = {sizeof(code) / sizeof(code[0]), code};
	if (number < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
		perror("nocall");
		return 2;
	}
	execvp(argv[3], argv + 3);
	perror(argv[3]);
	return 127;
}
