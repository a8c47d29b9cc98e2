/*
 * tls_sni.c: RFC 8446 section 4.1.2 and RFC 6066 section 3, as far as the server name.
 *
 * Must not make a system call. A cursor runs over the bytes of the handshake and steps
 * over the headers of records, so nothing is copied and a split anywhere is nothing
 * special. Whatever is not clear is BAD: the next hop might see another name there.
 */
#include "tls_sni.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define RECORD_MAX  16384
#define HELLO_TYPE  1
#define NAME_TYPE   0
#define SNI         0 /* number of the extension */
#define RECORD_HEAD 5

const unsigned char tls_alert_denied[TLS_ALERT_LEN] = {0x15, 3, 3, 0, 2, 2, 49};

struct cursor {
	const unsigned char *p;
	size_t len;    /* bytes there are */
	size_t record; /* bytes left of this record */
	size_t left;   /* bytes left of the handshake message */
	bool more, bad;
};

/* Goes to a byte of a record, over the heads of the next ones. */
static bool
at_byte(struct cursor *c)
{
	while (c->record == 0 && !c->bad) {
		if (c->len < RECORD_HEAD) {
			/* What is there of a head must be one. */
			c->bad = (c->len > 0 && c->p[0] != TLS_FIRST_BYTE) ||
			         (c->len > 1 && c->p[1] != 3);
			c->more = !c->bad;
			return false;
		}
		c->record = (size_t)(c->p[3] << 8 | c->p[4]);
		c->bad = c->p[0] != TLS_FIRST_BYTE || c->p[1] != 3 || c->record == 0 ||
		         c->record > RECORD_MAX;
		c->p += RECORD_HEAD;
		c->len -= RECORD_HEAD;
	}
	c->more = !c->bad && c->len == 0;
	return !c->bad && !c->more;
}

/* The next n bytes of the message as a number; n up to 4. */
static uint32_t
take(struct cursor *c, unsigned n)
{
	uint32_t value = 0;

	for (; n > 0 && !c->bad && !c->more; n--) {
		if (c->left == 0) {
			c->bad = true;
			break;
		}
		if (!at_byte(c))
			break;
		value = value << 8 | *c->p++;
		c->len--, c->record--, c->left--;
	}
	return value;
}

static void
skip(struct cursor *c, size_t n)
{
	if (n > c->left) {
		c->bad = true;
		return;
	}
	while (n > 0 && at_byte(c)) {
		size_t step = n < c->record ? n : c->record;
		step = step < c->len ? step : c->len;
		c->p += step;
		c->len -= step, c->record -= step, c->left -= step;
		n -= step;
	}
}

static bool
name_byte(uint32_t c)
{
	return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') ||
	       c == '-' || c == '_' || c == '.';
}

/* One list with one name of the type that there is. */
static void
read_name(struct cursor *c, size_t size, char *name)
{
	size_t list = take(c, 2), type = take(c, 1), len = take(c, 2);

	if (c->more || c->bad)
		return;
	if (size < 5 || list != size - 2 || type != NAME_TYPE || len != list - 3 ||
	    len == 0 || len > TLS_SNI_MAX) {
		c->bad = true;
		return;
	}
	for (size_t i = 0; i < len && !c->more && !c->bad; i++) {
		uint32_t byte = take(c, 1);
		if (!c->more && !name_byte(byte))
			c->bad = true;
		name[i] = (char)byte;
	}
	name[len] = '\0';
}

static enum tls_sni
read_extensions(struct cursor *c, char *name)
{
	bool found = false;
	size_t all = take(c, 2);

	if (!c->more && !c->bad && all != c->left)
		c->bad = true;
	while (!c->more && !c->bad && c->left > 0) {
		uint32_t type = take(c, 2);
		size_t size = take(c, 2);
		if (c->more || c->bad)
			break;
		if (type != SNI || size > c->left) {
			skip(c, size);
			continue;
		}
		if (found)
			c->bad = true;
		else
			read_name(c, size, name);
		found = true;
	}
	return found ? TLS_SNI_NAME : TLS_SNI_NONE;
}

enum tls_sni
tls_sni_read(const unsigned char *data, size_t len, char name[TLS_SNI_MAX + 1])
{
	struct cursor c = {data, len, 0, 4, false, false};
	enum tls_sni result = TLS_SNI_NONE;

	if (len == 0)
		return TLS_SNI_MORE;
	if (data[0] != TLS_FIRST_BYTE)
		return TLS_SNI_NOT_TLS;
	uint32_t type = take(&c, 1), size = take(&c, 3);
	if (!c.more && !c.bad) {
		c.left = size;
		c.bad = type != HELLO_TYPE || size > TLS_HELLO_MAX;
		skip(&c, 2 + 32);      /* version and random */
		skip(&c, take(&c, 1)); /* session */
		skip(&c, take(&c, 2)); /* ciphers */
		skip(&c, take(&c, 1)); /* compression */
		if (!c.more && !c.bad && c.left > 0)
			result = read_extensions(&c, name);
	}
	if (c.bad)
		return TLS_SNI_BAD;
	if (c.more)
		return len >= TLS_HELLO_MAX ? TLS_SNI_BAD : TLS_SNI_MORE;
	return result;
}
