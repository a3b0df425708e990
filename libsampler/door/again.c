/* SPDX-License-Identifier: MIT */
/*
 * again.c - finds out whether a tick has caused an EINTR, and how much of a call's time is left.
 *
 * In: a call that failed, and the handler's count of interruptions. Out: whether to call again.
 */
#undef _FORTIFY_SOURCE /* it would define the wrapped functions inline */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "base/moment.h"
#include "base/sys.h"
#include "door/again.h"
#include "door/find.h"
#include "signal/cut.h"
#include "signal/sample.h"

#define NS_PER_S UINT64_C(1000000000)

struct cps_again_next cps_again_next;

__thread uint32_t cps_again_settled;
__thread int *cps_again_errno;

int *cps_again_find_errno(void)
{
	cps_again_errno = &errno;
	return cps_again_errno;
}

static long missing(void)
{
	errno = ENOSYS;
	return -1;
}

static int ask_kernel(clockid_t clock, struct timespec *t)
{
	return (int)CPS_SYS(clock_gettime, clock, t, 0, 0);
}

void cps_again_find_clock(void)
{
	if (cps_moment_is_forbidden())
		cps_again_next.clock_gettime = ask_kernel;
}

void cps_again_resolve(void)
{
	static const struct {
		const char *name;
		size_t offset;
	} all[] = {
#define NAME(name) {#name, offsetof(struct cps_again_next, name)},
		CPS_NEXT_ALL(NAME)
#undef NAME
	};
	long (*const none)(void) = missing;
	bool is_first = !cps_again_next.poll;
	int saved = errno;
	void *found;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		found = cps_find_next(all[i].name);
		if (found) {
			memcpy((char *)&cps_again_next + all[i].offset, &found, sizeof(found));
		} else {
			memcpy((char *)&cps_again_next + all[i].offset, &none, sizeof(none));
		}
	}
	cps_again_find_clock();
	if (is_first) {
		atomic_store(&cps_again_next.is_light, true);
		atomic_store(&cps_again_next.is_plain, true);
	}
	errno = saved;
}

void cps_again_expect_ticks(void)
{
	atomic_store(&cps_again_next.has_ticks, true);
	if (atomic_load(&cps_again_next.has_timed))
		cps_again_watch_fully();
}

void cps_again_expect_none(void)
{
	atomic_store(&cps_again_next.has_ticks, false);
	atomic_store(&cps_again_next.is_plain, true);
}

void cps_again_watch(void)
{
	atomic_store(&cps_again_next.is_plain, !atomic_load(&cps_again_next.has_ticks));
}

void cps_again_look_closely(void)
{
	atomic_store(&cps_again_next.is_light, false);
}

void cps_again_watch_fully(void)
{
	cps_again_look_closely();
	cps_again_watch();
}

void cps_again_watch_time(void)
{
	atomic_store(&cps_again_next.has_timed, true);
	cps_again_watch_fully();
}

bool cps_again_unwatch(void)
{
	return cps_again_next.poll && !atomic_load(&cps_again_next.has_timed) &&
	       !atomic_exchange(&cps_again_next.is_plain, true);
}

static uint64_t ns_of(const struct timespec *t)
{
	if ((uint64_t)t->tv_sec >= UINT64_MAX / 4 / NS_PER_S)
		return UINT64_MAX / 4;
	return (uint64_t)t->tv_sec * NS_PER_S + (uint64_t)t->tv_nsec;
}

/* Threads may have little stack: the functions below are one frame above the clock's. */
static inline __attribute__((always_inline)) uint64_t time_of(clockid_t clock)
{
	struct timespec t = {0, 0};

	CPS_NEXT(clock_gettime)(clock, &t);
	return ns_of(&t);
}

uint64_t cps_again_time(clockid_t clock)
{
	return time_of(clock);
}

struct cps_again_wait cps_again_begin_timeout(const struct timespec *timeout)
{
	struct cps_again_wait w = cps_again_begin();

	w.timeout = timeout;
	if (timeout && cps_again_has_ticks())
		w.start = cps_again_time(CLOCK_MONOTONIC);
	return w;
}

struct cps_again_wait cps_again_begin_ms(int timeout)
{
	struct cps_again_wait w = cps_again_begin();

	if (timeout > 0 && cps_again_has_ticks())
		w.until = cps_again_time(CLOCK_MONOTONIC) + (uint64_t)timeout * 1000000;
	return w;
}

void cps_again_set_remaining(struct cps_again_wait *w, const struct timespec *remaining)
{
	w->until = time_of(w->clock) + ns_of(remaining);
	w->left = *remaining;
	w->timeout = &w->left;
}

uint64_t cps_again_now(const struct cps_again_wait *w)
{
	return time_of(w->clock);
}

static inline __attribute__((always_inline)) uint64_t ns_left(const struct cps_again_wait *w)
{
	uint64_t t = time_of(w->clock);

	return w->until > t ? w->until - t : 0;
}

uint64_t cps_again_ns_left(const struct cps_again_wait *w)
{
	return ns_left(w);
}

int cps_again_ms_left(const struct cps_again_wait *w, int timeout)
{
	return timeout > 0 ? (int)((ns_left(w) + 999999) / 1000000) : timeout;
}

static inline __attribute__((always_inline)) void shorten(struct cps_again_wait *w)
{
	uint64_t left;

	if (!w->timeout)
		return;
	if (!w->until)
		w->until = w->start + ns_of(w->timeout);
	left = ns_left(w);
	w->left.tv_sec = (time_t)(left / NS_PER_S);
	w->left.tv_nsec = (long)(left % NS_PER_S);
	w->timeout = &w->left;
}

void cps_again_shorten(struct cps_again_wait *w)
{
	shorten(w);
}

bool cps_again_after_eintr(struct cps_again_wait *w)
{
	uint32_t number = cps_sample_interruptions() - cps_again_settled;

	if (number == w->seen && !cps_displaced_since(w->displaced))
		return false;
	w->displaced = cps_displaced_now();
	cps_again_settled += number - w->seen;
	cps_sys_calls++;
	errno = w->error;
	cps_cut_number();
	shorten(w);
	return true;
}

bool cps_again(struct cps_again_wait *w)
{
	return errno == EINTR && cps_again_after_eintr(w);
}
