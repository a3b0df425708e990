/* SPDX-License-Identifier: MIT */
/*
 * eintr_restart.c - makes calls again that a tick has interrupted, with what is left of their time.
 */
#undef _FORTIFY_SOURCE /* it would define the wrapped functions inline */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "base/moment.h"
#include "base/sys.h"
#include "signal/interruption.h"
#include "signal/sample.h"
#include "wrap/eintr_restart.h"
#include "wrap/wrap.h"

/* ---- eintr restart --------------------------------------------------------------------------- */
/*
 * Finds out whether a tick has caused an EINTR, and how much of a call's time is left.
 *
 * In: a call that failed, and the handler's count of interruptions. Out: whether to call again.
 */

#define NS_PER_S UINT64_C(1000000000)

struct cps_eintr_restart_state cps_eintr_restart_state;

__thread uint32_t cps_eintr_restart_settled;
__thread int *cps_eintr_restart_errno;

int *cps_eintr_restart_find_errno(void)
{
	cps_eintr_restart_errno = &errno;
	return cps_eintr_restart_errno;
}

static int ask_kernel(clockid_t clock, struct timespec *t)
{
	return (int)CPS_SYS(clock_gettime, clock, t, 0, 0);
}

void cps_eintr_restart_find_clock(void)
{
	if (cps_moment_is_forbidden())
		cps_real.clock_gettime = ask_kernel;
}

void cps_eintr_restart_found(void)
{
	static atomic_bool was_found;

	cps_eintr_restart_find_clock();
	if (atomic_exchange(&was_found, true))
		return;
	atomic_store(&cps_eintr_restart_state.is_light, true);
	atomic_store(&cps_eintr_restart_state.is_plain, true);
}

void cps_eintr_restart_expect_ticks(void)
{
	atomic_store(&cps_eintr_restart_state.has_ticks, true);
	if (atomic_load(&cps_eintr_restart_state.has_timed))
		cps_eintr_restart_watch_fully();
}

void cps_eintr_restart_expect_none(void)
{
	atomic_store(&cps_eintr_restart_state.has_ticks, false);
	atomic_store(&cps_eintr_restart_state.is_plain, true);
}

void cps_eintr_restart_watch(void)
{
	atomic_store(&cps_eintr_restart_state.is_plain,
		     !atomic_load(&cps_eintr_restart_state.has_ticks));
}

void cps_eintr_restart_look_closely(void)
{
	atomic_store(&cps_eintr_restart_state.is_light, false);
}

void cps_eintr_restart_watch_fully(void)
{
	cps_eintr_restart_look_closely();
	cps_eintr_restart_watch();
}

void cps_eintr_restart_watch_time(void)
{
	atomic_store(&cps_eintr_restart_state.has_timed, true);
	cps_eintr_restart_watch_fully();
}

bool cps_eintr_restart_unwatch(void)
{
	return cps_real.poll && !atomic_load(&cps_eintr_restart_state.has_timed) &&
	       !atomic_exchange(&cps_eintr_restart_state.is_plain, true);
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

	CPS_REAL(clock_gettime)(clock, &t);
	return ns_of(&t);
}

uint64_t cps_eintr_restart_time(clockid_t clock)
{
	return time_of(clock);
}

struct cps_eintr_restart_wait cps_eintr_restart_begin_timeout(const struct timespec *timeout)
{
	struct cps_eintr_restart_wait w = cps_eintr_restart_begin();

	w.timeout = timeout;
	if (timeout && cps_eintr_restart_has_ticks())
		w.start = cps_eintr_restart_time(CLOCK_MONOTONIC);
	return w;
}

struct cps_eintr_restart_wait cps_eintr_restart_begin_ms(int timeout)
{
	struct cps_eintr_restart_wait w = cps_eintr_restart_begin();

	if (timeout > 0 && cps_eintr_restart_has_ticks())
		w.until = cps_eintr_restart_time(CLOCK_MONOTONIC) + (uint64_t)timeout * 1000000;
	return w;
}

void cps_eintr_restart_set_remaining(struct cps_eintr_restart_wait *w,
				     const struct timespec *remaining)
{
	w->until = time_of(w->clock) + ns_of(remaining);
	w->left = *remaining;
	w->timeout = &w->left;
}

uint64_t cps_eintr_restart_now(const struct cps_eintr_restart_wait *w)
{
	return time_of(w->clock);
}

static inline __attribute__((always_inline)) uint64_t
ns_left(const struct cps_eintr_restart_wait *w)
{
	uint64_t t = time_of(w->clock);

	return w->until > t ? w->until - t : 0;
}

uint64_t cps_eintr_restart_ns_left(const struct cps_eintr_restart_wait *w)
{
	return ns_left(w);
}

int cps_eintr_restart_ms_left(const struct cps_eintr_restart_wait *w, int timeout)
{
	return timeout > 0 ? (int)((ns_left(w) + 999999) / 1000000) : timeout;
}

static inline __attribute__((always_inline)) void shorten(struct cps_eintr_restart_wait *w)
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

void cps_eintr_restart_shorten(struct cps_eintr_restart_wait *w)
{
	shorten(w);
}

bool cps_eintr_restart_after_eintr(struct cps_eintr_restart_wait *w)
{
	uint32_t number = cps_sample_interruptions() - cps_eintr_restart_settled;

	if (number == w->seen && !cps_displaced_since(w->displaced))
		return false;
	w->displaced = cps_displaced_now();
	cps_eintr_restart_settled += number - w->seen;
	cps_sys_calls++;
	errno = w->error;
	cps_transfer_cut_number();
	shorten(w);
	return true;
}

bool cps_eintr_restart(struct cps_eintr_restart_wait *w)
{
	return errno == EINTR && cps_eintr_restart_after_eintr(w);
}

/* ---- socket time ----------------------------------------------------------------------------- */
/*
 * Finds out how much is left of a socket's timeout, and waits for that long.
 *
 * In: a call on a socket that was interrupted. Out: whether there is time to make it again.
 */

/* Timeouts that were set by another process, or by syscall(2), are found here. When the call began is
 * not known then; from now on it will be. */
static bool has_begun(const struct cps_eintr_restart_wait *w)
{
	if (!w->start)
		cps_eintr_restart_watch_time();
	return w->start;
}

/* How long a call on this socket may last, in ns; 0: for ever. */
static uint64_t timeout_of(int fd, short events)
{
	struct timeval timeout = {0, 0};
	socklen_t bytes = sizeof(timeout);
	int option = events == POLLIN ? SO_RCVTIMEO : SO_SNDTIMEO;

	if (getsockopt(fd, SOL_SOCKET, option, &timeout, &bytes) != 0)
		return 0;
	return (uint64_t)timeout.tv_sec * 1000000000 + (uint64_t)timeout.tv_usec * 1000;
}

/* Polls until w->until (0: for ever). The result is that of poll, whose EINTR is not our doing. */
static int poll_until(struct cps_eintr_restart_wait *w, struct pollfd *poll_fd)
{
	struct timespec left;
	uint64_t ns;
	int result;

	do {
		ns = w->until ? cps_eintr_restart_ns_left(w) : 0;
		left.tv_sec = (time_t)(ns / 1000000000);
		left.tv_nsec = (long)(ns % 1000000000);
		if (w->until && !ns)
			return 0;
		result = CPS_REAL(ppoll)(poll_fd, 1, w->until ? &left : NULL, NULL);
	} while (result < 0 && cps_eintr_restart(w));
	return result;
}

bool cps_socket_time_again(struct cps_eintr_restart_wait *w, int fd, short events, int late)
{
	struct pollfd poll_fd = {.fd = fd, .events = events};
	uint64_t timeout;
	int result;

	if (!cps_eintr_restart(w))
		return false;
	timeout = timeout_of(fd, events);
	errno = w->error; /* it need not be a socket */
	if (!timeout)
		return true;
	if (!has_begun(w))
		w->start = cps_eintr_restart_now(w);
	w->until = w->start + timeout;
	result = poll_until(w, &poll_fd);
	if (result == 0)
		errno = late;
	return result > 0;
}

int cps_socket_time_wait_until(struct cps_eintr_restart_wait *w, int fd, short events)
{
	struct pollfd poll_fd = {.fd = fd, .events = events};

	return poll_until(w, &poll_fd) > 0 ? poll_fd.revents : 0;
}

int cps_socket_time_wait(struct cps_eintr_restart_wait *w, int fd, short events)
{
	uint64_t timeout = timeout_of(fd, events);

	if (timeout && !has_begun(w))
		return 0;
	w->until = timeout ? w->start + timeout : 0;
	return cps_socket_time_wait_until(w, fd, events);
}
