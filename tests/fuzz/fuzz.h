/*
 * fuzz.h: what a fuzz target is: one function, called with bytes; it must come back, and
 * the sanitizers and must() decide whether all was well. To add one: tests/fuzz/fuzz_X.c
 * and some inputs in tests/fuzz/corpus/X. 'make fuzz' finds it.
 */
#ifndef SRUN_FUZZ_H
#define SRUN_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

/* An invariant: holds for every input. */
#define must(what)                                                                       \
	do {                                                                             \
		if (!(what))                                                             \
			abort();                                                         \
	} while (0)

#endif
