/*
 * bpf.h: for tests: what a system call filter does with a call, by interpreting it as the
 * kernel would.
 */
#ifndef SRUN_TEST_BPF_H
#define SRUN_TEST_BPF_H

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define BPF_BROKEN 0xdeadbeefU /* no action of the kernel's: the program is not valid */

struct bpf {
	const struct sock_filter *code;
	size_t n;
};

/*
 * The kernel's own demands (seccomp_check_filter, bpf_check_classic): known instructions,
 * aligned loads inside struct seccomp_data, jumps that stay inside, a return at the end.
 * Gives the index of the first that is wrong, n when all are right.
 */
static inline size_t
bpf_first_invalid(const struct bpf *b)
{
	for (size_t i = 0; i < b->n; i++) {
		const struct sock_filter *f = &b->code[i];
		size_t left = b->n - i - 1; /* instructions after this one */
		switch (f->code) {
		case BPF_LD | BPF_W | BPF_ABS:
			if (f->k % 4 != 0 || f->k + 4 > sizeof(struct seccomp_data))
				return i;
			break;
		case BPF_ALU | BPF_AND | BPF_K:
			break;
		case BPF_JMP | BPF_JA:
			if (f->k >= left)
				return i;
			break;
		case BPF_JMP | BPF_JEQ | BPF_K:
		case BPF_JMP | BPF_JGT | BPF_K:
		case BPF_JMP | BPF_JGE | BPF_K:
		case BPF_JMP | BPF_JSET | BPF_K:
			if (f->jt >= left || f->jf >= left)
				return i;
			break;
		case BPF_RET | BPF_K:
			break;
		default:
			return i;
		}
	}
	return b->n > 0 && b->n <= BPF_MAXINSNS &&
	               b->code[b->n - 1].code == (BPF_RET | BPF_K)
	           ? b->n
	           : b->n - 1;
}

/* SECCOMP_RET_* with its data, or BPF_BROKEN. */
static inline uint32_t
bpf_run(const struct bpf *b, const struct seccomp_data *data)
{
	uint32_t acc = 0;

	for (size_t pc = 0; pc < b->n; pc++) {
		const struct sock_filter *f = &b->code[pc];
		bool yes = false;
		switch (f->code) {
		case BPF_LD | BPF_W | BPF_ABS:
			if (f->k + 4 > sizeof(*data))
				return BPF_BROKEN;
			memcpy(&acc, (const char *)data + f->k, 4);
			continue;
		case BPF_ALU | BPF_AND | BPF_K:
			acc &= f->k;
			continue;
		case BPF_JMP | BPF_JA:
			pc += f->k;
			continue;
		case BPF_JMP | BPF_JEQ | BPF_K:
			yes = acc == f->k;
			break;
		case BPF_JMP | BPF_JGT | BPF_K:
			yes = acc > f->k;
			break;
		case BPF_JMP | BPF_JGE | BPF_K:
			yes = acc >= f->k;
			break;
		case BPF_JMP | BPF_JSET | BPF_K:
			yes = (acc & f->k) != 0;
			break;
		case BPF_RET | BPF_K:
			return f->k;
		default:
			return BPF_BROKEN;
		}
		pc += yes ? f->jt : f->jf;
	}
	return BPF_BROKEN;
}

#endif
