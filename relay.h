/*
 * relay.h: one end of a connection: what was learned about its readiness, and the bytes
 * that wait to be sent to it. Bytes are read into one buffer that all connections share;
 * only what the other side did not take at once is kept.
 */
#ifndef SRUN_RELAY_H
#define SRUN_RELAY_H

#include <sys/types.h>

#include "events.h"

/*
 * 256 KiB: the fastest size measured for loopback; 64 KiB is the worst, since it is a few
 * bytes more than a segment of the loopback carries.
 */
#define RELAY_BUFFER     (256U * 1024)
#define RELAY_SPARES     8
#define RELAY_BUDGET     (64U * 1024 * 1024) /* of kept bytes; then reads get small */
#define RELAY_READ_LEAST 4096U
#define RELAY_KEPT_MAX   (256U * 1024 * 1024) /* heads beyond this are not taken */

struct relay {
	char *buffer; /* RELAY_BUFFER bytes; overwritten by every relay_read() */
	char *spare[RELAY_SPARES];
	unsigned nspare;
	size_t kept; /* bytes of memory in all ends' out */
};

struct end {
	struct source source;
	bool readable, writable;
	bool eof;      /* nothing more comes from it */
	bool eof_near; /* that is known to come: read until it is there */
	bool hup;  /* both directions are over, or it broke; there may be bytes to read */
	bool shut; /* nothing more is sent to it */
	bool reset; /* it broke: the other end must not see a clean end */
	int fd;     /* -1: none */
	char *out;  /* to be sent, from off on */
	uint32_t off, len, cap;
};

/* Bytes that came and are not understood yet. */
struct stash {
	char *data;
	uint32_t len, cap;
	size_t scanned; /* for http_head_end() */
};

bool relay_open(struct relay *r);

/* At most limit bytes into r->buffer. 0: none now, or the end (eof; reset too). */
size_t relay_read(struct relay *r, struct end *e, size_t limit);
/*
 * Sends, or keeps what is not taken. data may be r->buffer, which is then another one
 * afterwards. Bytes to an end that is shut are dropped. False when there is no memory.
 */
bool relay_write(struct relay *r, struct end *e, const void *data, size_t len);
/* Sends what was kept. True when nothing is left of it. */
bool relay_flush(struct relay *r, struct end *e);
void relay_drop(struct relay *r, struct end *e);

/* False when there is no memory for it. */
bool relay_stash(struct relay *r, struct stash *s, const char *data, size_t n);
/* The first n bytes are done with; the memory goes with the last. */
void relay_unstash(struct relay *r, struct stash *s, size_t n);

#endif
