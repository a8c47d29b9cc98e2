/*
 * events.h: readiness of many descriptors, and deadlines. The one room that knows epoll.
 */
#ifndef SRUN_EVENTS_H
#define SRUN_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* First member of whatever is waited for; tells the loop what it is. */
struct source {
	uint8_t kind;
};

enum { READY_IN = 1, READY_OUT = 2, READY_EOF = 4, READY_BROKEN = 8 };

struct happening {
	struct source *source;
	unsigned ready; /* READY_* */
};

struct events {
	int fd;
};

/* False with errno. */
bool events_open(struct events *e);
/*
 * edge: both directions, told once for each change; else for as long as it is readable.
 * A descriptor leaves when it is closed. False with errno.
 */
bool events_add(struct events *e, int fd, struct source *source, bool edge);
void events_remove(struct events *e, int fd);
/* Up to max happenings; 0 after timeout_ms (-1: never) or a signal; -1 with errno. */
int events_wait(struct events *e, struct happening *v, int max, int timeout_ms);

/* A deadline; all zero when it is not set. */
struct timer {
	int64_t at;
	uint32_t slot; /* in the heap, from 1; 0: not set */
};
struct timers {
	struct timer **heap; /* from 1 */
	uint32_t n;
};
/* Room for max timers at once, so that setting one cannot fail. False: no memory. */
bool timers_open(struct timers *t, uint32_t max);
void timers_set(struct timers *t, struct timer *timer, int64_t at);
void timers_clear(struct timers *t, struct timer *timer);
/* The earliest, or NULL. */
struct timer *timers_first(const struct timers *t);

#endif
