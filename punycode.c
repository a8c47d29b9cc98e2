/*
 * punycode.c: RFC 3492, both ways.
 *
 * Owns the arithmetic. The order of the operations is that of sections 6.1 to 6.3; inputs
 * are one label, so that quadratic work and 32 bits with checks are enough.
 */
#include <stdbool.h>
#include <string.h>

#include "punycode.h"

#define BASE         36U
#define T_MIN        1U
#define T_MAX        26U
#define SKEW         38U
#define DAMP         700U
#define BIAS_FIRST   72U
#define N_FIRST      0x80U
#define LARGEST      0x10ffffU
#define OVERFLOW_MAX 0x7fffffffU

static uint32_t
adapt(uint32_t delta, uint32_t points, bool first)
{
	uint32_t k = 0;

	delta = first ? delta / DAMP : delta / 2;
	delta += delta / points;
	for (; delta > (BASE - T_MIN) * T_MAX / 2; k += BASE)
		delta /= BASE - T_MIN;
	return k + (BASE - T_MIN + 1) * delta / (delta + SKEW);
}

static uint32_t
threshold(uint32_t k, uint32_t bias)
{
	if (k <= bias + T_MIN)
		return T_MIN;
	return k >= bias + T_MAX ? T_MAX : k - bias;
}

static char
digit_of(uint32_t value)
{
	return (char)(value < 26 ? 'a' + value : '0' + value - 26);
}

/* BASE for a byte that is no digit. */
static uint32_t
value_of(char c)
{
	if (c >= 'a' && c <= 'z')
		return (uint32_t)(c - 'a');
	return c >= '0' && c <= '9' ? (uint32_t)(c - '0') + 26 : BASE;
}

struct output {
	char *text;
	size_t len, cap;
};

static bool
put(struct output *o, char c)
{
	if (o->len == o->cap)
		return false;
	o->text[o->len++] = c;
	return true;
}

static bool
put_delta(struct output *o, uint32_t q, uint32_t bias)
{
	for (uint32_t k = BASE;; k += BASE) {
		uint32_t t = threshold(k, bias);

		if (q < t)
			return put(o, digit_of(q));
		if (!put(o, digit_of(t + (q - t) % (BASE - t))))
			return false;
		q = (q - t) / (BASE - t);
	}
}

/* The smallest character that is not below n. */
static uint32_t
next_point(const uint32_t *in, size_t len, uint32_t n)
{
	uint32_t least = UINT32_MAX;

	for (size_t i = 0; i < len; i++)
		if (in[i] >= n && in[i] < least)
			least = in[i];
	return least;
}

size_t
punycode_encode(const uint32_t *in, size_t len, char *out, size_t cap)
{
	struct output o = {out, 0, cap};
	uint32_t n = N_FIRST, delta = 0, bias = BIAS_FIRST, done = 0, basic;

	for (size_t i = 0; i < len; i++) {
		if (in[i] > LARGEST)
			return 0;
		if (in[i] < N_FIRST && !put(&o, (char)in[i]))
			return 0;
	}
	done = basic = (uint32_t)o.len;
	if (basic != 0 && !put(&o, '-'))
		return 0;
	while (done < len) {
		uint32_t m = next_point(in, len, n);

		if ((m - n) > (OVERFLOW_MAX - delta) / (done + 1))
			return 0;
		delta += (m - n) * (done + 1);
		n = m;
		for (size_t i = 0; i < len; i++) {
			if (in[i] < n)
				delta++;
			if (in[i] != n)
				continue;
			if (!put_delta(&o, delta, bias))
				return 0;
			bias = adapt(delta, done + 1, done == basic);
			delta = 0;
			done++;
		}
		delta++;
		n++;
	}
	return o.len;
}

/* One number of variable length from *at on, added to *i; false when it is none. */
static bool
take_delta(const char *in, size_t len, size_t *at, uint32_t bias, uint32_t *i)
{
	uint32_t w = 1;

	for (uint32_t k = BASE;; k += BASE) {
		uint32_t digit, t = threshold(k, bias);

		if (*at == len)
			return false;
		digit = value_of(in[(*at)++]);
		if (digit == BASE || digit > (OVERFLOW_MAX - *i) / w)
			return false;
		*i += digit * w;
		if (digit < t)
			return true;
		if (w > OVERFLOW_MAX / (BASE - t))
			return false;
		w *= BASE - t;
	}
}

static bool
is_character(uint32_t c)
{
	return c <= LARGEST && (c < 0xd800 || c > 0xdfff);
}

size_t
punycode_decode(const char *in, size_t len, uint32_t *out, size_t cap)
{
	uint32_t n = N_FIRST, i = 0, bias = BIAS_FIRST;
	size_t count = 0, at = 0;

	for (size_t k = len; k > 0; k--) { /* the last '-' ends what is ASCII */
		if (in[k - 1] != '-')
			continue;
		count = k - 1;
		at = k;
		break;
	}
	if (count > cap)
		return 0;
	for (size_t k = 0; k < count; k++) {
		out[k] = (unsigned char)in[k];
		if (out[k] >= N_FIRST)
			return 0;
	}
	while (at < len) {
		uint32_t before = i, points = (uint32_t)count + 1;

		if (count == cap || !take_delta(in, len, &at, bias, &i))
			return 0;
		bias = adapt(i - before, points, before == 0);
		if (i / points > LARGEST - n)
			return 0;
		n += i / points;
		i %= points;
		if (!is_character(n))
			return 0;
		memmove(out + i + 1, out + i, (count - i) * sizeof(*out));
		out[i++] = n;
		count++;
	}
	return count;
}
