/*
 * msg.c: messages to the person on stderr.
 *
 * Owns their form: "srun: " in front, one line, one write(2), no control byte. Must not
 * allocate (a message about memory must get out) nor decide what is worth saying.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "msg.h"
#include "path.h"

/* Text of a message: a place in a grant, the longest path, and words around it. */
#define MSG_LIMIT (3 * PATH_LIMIT)

static const char msg_prefix[] = "srun: ";
static const char msg_cut[] = "...";

/*
 * A terminal obeys C0 controls, DEL, and the C1 controls, which are two bytes in UTF-8:
 * each byte of them becomes '?'. A continuation byte after another lead byte is text.
 */
static void
hide_controls(char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c < 0x20 || c == 0x7f) {
			text[i] = '?';
		} else if (c == 0xc2 && i + 1 < len) {
			unsigned char next = (unsigned char)text[i + 1];

			if (next >= 0x80 && next <= 0x9f)
				text[i] = text[i + 1] = '?';
		}
	}
}

static void
write_once(const char *data, size_t len)
{
	ssize_t n;

	do
		n = write(STDERR_FILENO, data, len);
	while (n < 0 && errno == EINTR);
}

static void SRUN_PRINTF(1, 0) msg_write(const char *fmt, va_list ap)
{
	char line[sizeof(msg_prefix) + MSG_LIMIT + sizeof(msg_cut) + 1];
	const size_t start = sizeof(msg_prefix) - 1;
	int saved = errno, n;
	size_t len;

	memcpy(line, msg_prefix, start);
	n = vsnprintf(line + start, MSG_LIMIT + 1, fmt, ap);
	len = start + (n < 0 ? 0 : (size_t)n);
	if (len > start + MSG_LIMIT) {
		len = start + MSG_LIMIT;
		memcpy(line + len, msg_cut, sizeof(msg_cut) - 1);
		len += sizeof(msg_cut) - 1;
	}
	hide_controls(line + start, len - start);
	line[len++] = '\n';
	write_once(line, len);
	errno = saved;
}

void
msg_error(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	msg_write(fmt, ap);
	va_end(ap);
}

void
msg_errs(const struct errs *e)
{
	for (size_t i = 0; i < e->text.n; i++)
		msg_error("%s", e->text.v[i]);
}

void
msg_warn(enum msg_level level, const char *fmt, ...)
{
	va_list ap;

	if (level < MSG_NORMAL)
		return;
	va_start(ap, fmt);
	msg_write(fmt, ap);
	va_end(ap);
}

void
msg_info(enum msg_level level, const char *fmt, ...)
{
	va_list ap;

	if (level < MSG_VERBOSE)
		return;
	va_start(ap, fmt);
	msg_write(fmt, ap);
	va_end(ap);
}

/* _exit: after a fork the parent's stdio buffers must not be written a second time. */
noreturn void
msg_die(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	msg_write(fmt, ap);
	va_end(ap);
	_exit(EXIT_SRUN);
}
