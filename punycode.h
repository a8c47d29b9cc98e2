/*
 * punycode.h: a label of any script as ASCII and back, RFC 3492. Pure. Without the
 * "xn--", and without IDNA's mapping: what may be a label is decided in hostname.c.
 */
#ifndef SRUN_PUNYCODE_H
#define SRUN_PUNYCODE_H

#include <stddef.h>
#include <stdint.h>

/* The length written to out (no NUL), or 0: nothing to encode, or it does not fit cap. */
size_t punycode_encode(const uint32_t *in, size_t n, char *out, size_t cap);

/*
 * The number of characters written to out, or 0: not punycode (lower case only), a
 * character that is none (above U+10FFFF, a surrogate), or more than cap.
 */
size_t punycode_decode(const char *in, size_t len, uint32_t *out, size_t cap);

#endif
