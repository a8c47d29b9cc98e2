/*
 * events.c: epoll, and a heap of deadlines.
 *
 * Must not read, write or close what it waits for. Edges, since a tunnel then costs one
 * epoll_ctl in its life, however often its buffers fill.
 */
#include "events.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#define BATCH_MAX 256

bool
events_open(struct events *e)
{
	e->fd = epoll_create1(EPOLL_CLOEXEC);
	return e->fd >= 0;
}

bool
events_add(struct events *e, int fd, struct source *source, bool edge)
{
	struct epoll_event ev = {.events = EPOLLIN, .data.ptr = source};

	if (edge)
		ev.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;
	return epoll_ctl(e->fd, EPOLL_CTL_ADD, fd, &ev) == 0;
}

void
events_remove(struct events *e, int fd)
{
	epoll_ctl(e->fd, EPOLL_CTL_DEL, fd, NULL);
}

static unsigned
ready_of(uint32_t events)
{
	unsigned ready = 0;

	if (events & EPOLLIN)
		ready |= READY_IN;
	if (events & EPOLLOUT)
		ready |= READY_OUT;
	if (events & EPOLLRDHUP)
		ready |= READY_IN | READY_EOF;
	if (events & (EPOLLERR | EPOLLHUP))
		ready |= READY_IN | READY_OUT | READY_EOF | READY_BROKEN;
	return ready;
}

int
events_wait(struct events *e, struct happening *v, int max, int timeout_ms)
{
	struct epoll_event got[BATCH_MAX];
	int n = epoll_wait(e->fd, got, max < BATCH_MAX ? max : BATCH_MAX, timeout_ms);

	if (n < 0)
		return errno == EINTR ? 0 : -1;
	for (int i = 0; i < n; i++) {
		v[i].source = got[i].data.ptr;
		v[i].ready = ready_of(got[i].events);
	}
	return n;
}

/* ---- deadlines ---- */

static void
place(struct timers *t, struct timer *timer, uint32_t slot)
{
	t->heap[slot] = timer;
	timer->slot = slot;
}

static void
sift(struct timers *t, struct timer *timer, uint32_t slot)
{
	while (slot > 1 && t->heap[slot / 2]->at > timer->at) {
		place(t, t->heap[slot / 2], slot);
		slot /= 2;
	}
	for (uint32_t child; (child = slot * 2) <= t->n; slot = child) {
		if (child < t->n && t->heap[child + 1]->at < t->heap[child]->at)
			child++;
		if (t->heap[child]->at >= timer->at)
			break;
		place(t, t->heap[child], slot);
	}
	place(t, timer, slot);
}

bool
timers_open(struct timers *t, uint32_t max)
{
	t->n = 0;
	t->heap = calloc((size_t)max + 1, sizeof(void *));
	return t->heap != NULL;
}

void
timers_set(struct timers *t, struct timer *timer, int64_t at)
{
	timer->at = at;
	if (timer->slot == 0)
		timer->slot = ++t->n;
	sift(t, timer, timer->slot);
}

void
timers_clear(struct timers *t, struct timer *timer)
{
	uint32_t slot = timer->slot;

	if (slot == 0)
		return;
	timer->slot = 0;
	struct timer *last = t->heap[t->n--];
	if (last != timer)
		sift(t, last, slot);
}

struct timer *
timers_first(const struct timers *t)
{
	return t->n > 0 ? t->heap[1] : NULL;
}
