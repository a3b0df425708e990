/* SPDX-License-Identifier: MIT */
/*
 * wrap_wait.c - keeps our signals from ending waits.
 */
#undef _FORTIFY_SOURCE /* it would define these functions inline */
#include <errno.h>
#include <string.h>

#include "base/sys.h"
#include "resource/lock.h"
#include "signal/sample.h"
#include "wrap/eintr_restart.h"

/* ---- waits ----------------------------------------------------------------------------------- */
/*
 * Keeps our signals from ending sleeps, and waits for signals, semaphores and messages.
 *
 * In: the calls that the kernel never restarts. Out: the real calls, made again if need be. Some
 * are not here because the kernel restarts them: sem_wait (wrap_event.c), wait and the like
 * (wrap_process.c), record locks, mq_receive and mq_send. In sigwait, and on mutexes and condition
 * variables, the C library continues to wait.
 */

/* ---- sleeping -------------------------------------------------------------------------------- */

/* Sleeps for what is left. 0; or -1 with EINTR: a signal of the target's has ended it. */
static int sleep_on(struct cps_eintr_restart_wait *w, struct timespec *left)
{
	while (w->timeout->tv_sec || w->timeout->tv_nsec) {
		if (CPS_REAL(nanosleep)(w->timeout, left) == 0)
			return 0;
		if (!cps_eintr_restart(w))
			return -1;
	}
	return 0;
}

/* Under a filter that has come since the call began, the memory is taken to be there. */
int cps_eintr_restart_give(void *to, const void *left, size_t n)
{
	struct iovec here = {(void *)(uintptr_t)left, n}, there = {to, n};
	long written = -EPERM;

	if (cps_eintr_restart_has_ticks())
		written = cps_sys6(SYS_process_vm_writev, cps_sys_getpid(), (long)&here, 1,
				   (long)&there, 1, 0);
	if (written == -EFAULT)
		return -EFAULT;
	if (written < 0)
		memcpy(to, left, n);
	return 0;
}

/* The memory is written only when the sleep was interrupted. Returns EINTR or EFAULT. */
static int give(struct timespec *to, struct timespec *left)
{
	return to && cps_eintr_restart_give(to, left, sizeof(*left)) ? EFAULT : EINTR;
}

/* The kernel says what remains, but adds the timer's slack each time, so only its first answer is
 * used. */
CPS_EXPORT int nanosleep(const struct timespec *request, struct timespec *remaining)
{
	CPS_BLOCKS(CPS_WAIT, nanosleep);
	CPS_EINTR_RESTART_WAIT w = cps_eintr_restart_begin();
	struct timespec left = {0, 0};
	int result;

	if (!cps_eintr_restart_has_ticks())
		return CPS_REAL(nanosleep)(request, remaining);
	result = CPS_REAL(nanosleep)(request, &left);

	if (result < 0 && cps_eintr_restart(&w)) {
		cps_eintr_restart_set_remaining(&w, &left);
		result = sleep_on(&w, &left);
	}
	if (result < 0 && errno == EINTR)
		errno = give(remaining, &left);
	return result;
}

CPS_EXPORT int __nanosleep(const struct timespec *request, struct timespec *remaining)
	__attribute__((alias("nanosleep")));

/* The rest of a relative sleep is measured by the monotonic clock if its own clock can be set. */
int cps_eintr_restart_sleep(clockid_t clock, int flags, const struct timespec *request,
			    struct timespec *remaining, __typeof__(clock_nanosleep) *sleeps)
{
	struct cps_eintr_restart_wait w = cps_eintr_restart_begin();
	struct timespec left = {0, 0};
	int error;

	if (!cps_eintr_restart_has_ticks())
		return sleeps(clock, flags, request, remaining);
	while ((error = sleeps(clock, flags, request, &left)) == EINTR &&
	       cps_eintr_restart_after_eintr(&w)) {
		if (flags & TIMER_ABSTIME)
			continue;
		if (!w.timeout) {
			w.clock = clock == CLOCK_REALTIME || clock == CLOCK_TAI ? CLOCK_MONOTONIC
										: clock;
			cps_eintr_restart_set_remaining(&w, &left);
		}
		request = w.timeout;
		if (!request->tv_sec && !request->tv_nsec)
			return 0;
	}
	return error == EINTR && !(flags & TIMER_ABSTIME) ? give(remaining, &left) : error;
}

CPS_EXPORT int clock_nanosleep(clockid_t clock, int flags, const struct timespec *request,
			       struct timespec *remaining)
{
	CPS_BLOCKS(CPS_WAIT, clock_nanosleep);
	int error = cps_eintr_restart_sleep(clock, flags, request, remaining,
					    &CPS_REAL(clock_nanosleep));

	cps_waiting_end();
	return error;
}

/* Returns 0; -1 if it is interrupted; less for another error. errno is not used. */
CPS_EXPORT int thrd_sleep(const struct timespec *request, struct timespec *remaining)
{
	CPS_BLOCKS(CPS_WAIT, thrd_sleep);
	CPS_EINTR_RESTART_WAIT w = cps_eintr_restart_begin();
	struct timespec left = {0, 0};
	int result;

	if (!cps_eintr_restart_has_ticks())
		return CPS_REAL(thrd_sleep)(request, remaining);
	while ((result = CPS_REAL(thrd_sleep)(request, &left)) == -1 &&
	       cps_eintr_restart_after_eintr(&w)) {
		if (!w.timeout)
			cps_eintr_restart_set_remaining(&w, &left);
		request = w.timeout;
		if (!request->tv_sec && !request->tv_nsec)
			return 0;
	}
	return result == -1 && give(remaining, &left) == EFAULT ? -2 : result;
}

CPS_EXPORT int usleep(useconds_t us)
{
	CPS_BLOCKS(CPS_WAIT, usleep);
	const struct timespec whole = {us / 1000000, us % 1000000 * 1000};
	CPS_EINTR_RESTART_WAIT w = cps_eintr_restart_begin_timeout(&whole);
	int result = CPS_REAL(usleep)(us);

	return result == 0 || !cps_eintr_restart(&w) ? result : sleep_on(&w, NULL);
}

/* Its result does not say whether it was interrupted: half a second left is rounded to 0. */
CPS_EXPORT unsigned sleep(unsigned seconds)
{
	CPS_BLOCKS(CPS_WAIT, sleep);
	const struct timespec whole = {seconds, 0};
	CPS_EINTR_RESTART_WAIT w = cps_eintr_restart_begin_timeout(&whole);
	unsigned left;

	errno = 0;
	left = CPS_REAL(sleep)(seconds);
	if (errno == 0)
		errno = w.error;
	else if (cps_eintr_restart(&w))
		left = sleep_on(&w, NULL) == 0
			       ? 0
			       : (unsigned)(cps_eintr_restart_ns_left(&w) / 1000000000);
	return left;
}

/* ---- signals: the mask is changed and the wait begun in one step, each time ------------------ */

CPS_EXPORT int pause(void)
{
	CPS_BLOCKS(CPS_WAIT, pause);
	CPS_EINTR_RESTART_WAIT w = cps_eintr_restart_begin();

	return CPS_EINTR_RESTART(w, CPS_REAL(pause)());
}

CPS_EXPORT int sigsuspend(const sigset_t *mask)
{
	CPS_BLOCKS(CPS_WAIT, sigsuspend);
	CPS_EINTR_RESTART_WAIT w = cps_eintr_restart_begin();

	return CPS_EINTR_RESTART(w, CPS_MASKED(mask, CPS_REAL(sigsuspend)(mask)));
}

CPS_EXPORT int __sigsuspend(const sigset_t *mask) __attribute__((alias("sigsuspend")));

CPS_EXPORT int __xpg_sigpause(int number)
{
	CPS_BLOCKS(CPS_WAIT, __xpg_sigpause);
	CPS_EINTR_RESTART_WAIT w = cps_eintr_restart_begin();

	return CPS_EINTR_RESTART(w, CPS_REAL(__xpg_sigpause)(number));
}

CPS_EXPORT int sigwaitinfo(const sigset_t *set, siginfo_t *info)
{
	CPS_BLOCKS(CPS_WAIT, sigwaitinfo);
	uint64_t copy;
	CPS_EINTR_RESTART_WAIT w = cps_eintr_restart_begin();

	set = cps_masked_awaited(set, &copy);
	return CPS_EINTR_RESTART(w, CPS_REAL(sigwaitinfo)(set, info));
}

CPS_EXPORT int sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *timeout)
{
	CPS_BLOCKS(CPS_WAIT, sigtimedwait);
	uint64_t copy;
	CPS_EINTR_RESTART_WAIT w = cps_eintr_restart_begin_timeout(timeout);

	set = cps_masked_awaited(set, &copy);
	return CPS_EINTR_RESTART(w, CPS_REAL(sigtimedwait)(set, info, w.timeout));
}

/* ---- semaphores and messages ----------------------------------------------------------------- */

CPS_EXPORT int sem_timedwait(sem_t *semaphore, const struct timespec *until)
{
	CPS_BLOCKS(CPS_WAIT, sem_timedwait);
	CPS_EINTR_RESTART_WAIT w = cps_eintr_restart_begin();
	CPS_WAITS_FOR(semaphore, CPS_LOCK_SEMAPHORE);

	return CPS_EINTR_RESTART(w, CPS_REAL(sem_timedwait)(semaphore, until));
}

CPS_EXPORT int sem_clockwait(sem_t *semaphore, clockid_t clock, const struct timespec *until)
{
	CPS_BLOCKS(CPS_WAIT, sem_clockwait);
	CPS_EINTR_RESTART_WAIT w = cps_eintr_restart_begin();
	CPS_WAITS_FOR(semaphore, CPS_LOCK_SEMAPHORE);

	return CPS_EINTR_RESTART(w, CPS_REAL(sem_clockwait)(semaphore, clock, until));
}

CPS_EXPORT int semop(int id, struct sembuf *operations, size_t n)
{
	CPS_BLOCKS(CPS_WAIT, semop);
	CPS_EINTR_RESTART_WAIT w = cps_eintr_restart_begin();

	return CPS_EINTR_RESTART(w, CPS_REAL(semop)(id, operations, n));
}

CPS_EXPORT int semtimedop(int id, struct sembuf *operations, size_t n,
			  const struct timespec *timeout)
{
	CPS_BLOCKS(CPS_WAIT, semtimedop);
	CPS_EINTR_RESTART_WAIT w = cps_eintr_restart_begin_timeout(timeout);

	return CPS_EINTR_RESTART(w, CPS_REAL(semtimedop)(id, operations, n, w.timeout));
}

CPS_EXPORT ssize_t msgrcv(int id, void *message, size_t n, long type, int flags)
{
	CPS_BLOCKS(CPS_WAIT, msgrcv);
	CPS_EINTR_RESTART_WAIT w = cps_eintr_restart_begin();

	return CPS_EINTR_RESTART(w, CPS_REAL(msgrcv)(id, message, n, type, flags));
}

CPS_EXPORT int msgsnd(int id, const void *message, size_t n, int flags)
{
	CPS_BLOCKS(CPS_WAIT, msgsnd);
	CPS_EINTR_RESTART_WAIT w = cps_eintr_restart_begin();

	return CPS_EINTR_RESTART(w, CPS_REAL(msgsnd)(id, message, n, flags));
}

CPS_EXPORT int aio_suspend(const struct aiocb *const list[], int n, const struct timespec *timeout)
{
	CPS_BLOCKS(CPS_WAIT, aio_suspend);
	CPS_EINTR_RESTART_WAIT w = cps_eintr_restart_begin_timeout(timeout);

	return CPS_EINTR_RESTART(w, CPS_REAL(aio_suspend)(list, n, w.timeout));
}

CPS_EXPORT int aio_suspend64(const struct aiocb64 *const list[], int n,
			     const struct timespec *timeout)
{
	CPS_BLOCKS(CPS_WAIT, aio_suspend64);
	CPS_EINTR_RESTART_WAIT w = cps_eintr_restart_begin_timeout(timeout);

	return CPS_EINTR_RESTART(w, CPS_REAL(aio_suspend64)(list, n, w.timeout));
}

/* ---- poll and select ------------------------------------------------------------------------- */
/*
 * Keeps our signals from ending waits for descriptors.
 *
 * In: poll, select, epoll_wait and the like. Out: the real calls, made again if need be. The kernel
 * leaves sets and events as they were when such a call fails.
 */

CPS_EXPORT int poll(struct pollfd *fds, nfds_t n, int timeout)
{
	CPS_BLOCKS(CPS_WAIT, poll);
	CPS_EINTR_RESTART_WAIT w = cps_eintr_restart_begin_ms(timeout);
	int left = timeout, result;

	while ((result = CPS_REAL(poll)(fds, n, left)) < 0 && cps_eintr_restart(&w))
		left = cps_eintr_restart_ms_left(&w, timeout);
	return result;
}

CPS_EXPORT int __poll(struct pollfd *fds, nfds_t n, int timeout) __attribute__((alias("poll")));

CPS_EXPORT int __poll_chk(struct pollfd *fds, nfds_t n, int timeout, size_t bytes)
{
	CPS_BLOCKS(CPS_WAIT, __poll_chk);
	CPS_EINTR_RESTART_WAIT w = cps_eintr_restart_begin_ms(timeout);
	int left = timeout, result;

	while ((result = CPS_REAL(__poll_chk)(fds, n, left, bytes)) < 0 && cps_eintr_restart(&w))
		left = cps_eintr_restart_ms_left(&w, timeout);
	return result;
}

CPS_EXPORT int ppoll(struct pollfd *fds, nfds_t n, const struct timespec *timeout,
		     const sigset_t *mask)
{
	CPS_BLOCKS(CPS_WAIT, ppoll);
	CPS_EINTR_RESTART_WAIT w = cps_eintr_restart_begin_timeout(timeout);

	return CPS_EINTR_RESTART(w, CPS_MASKED(mask, CPS_REAL(ppoll)(fds, n, w.timeout, mask)));
}

CPS_EXPORT int __ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *timeout,
			   const sigset_t *mask, size_t bytes)
{
	CPS_BLOCKS(CPS_WAIT, __ppoll_chk);
	CPS_EINTR_RESTART_WAIT w = cps_eintr_restart_begin_timeout(timeout);

	return CPS_EINTR_RESTART(
		w, CPS_MASKED(mask, CPS_REAL(__ppoll_chk)(fds, n, w.timeout, mask, bytes)));
}

/* Sets the timeout to what is left. Linux says how much that is, in whole microseconds, the last of
 * which has begun. */
static void go_on(struct cps_eintr_restart_wait *w, struct timeval *timeout)
{
	struct timespec left = {timeout->tv_sec, (timeout->tv_usec + 1) * 1000};
	uint64_t us;

	if (!w->timeout)
		cps_eintr_restart_set_remaining(w, &left);
	us = (cps_eintr_restart_ns_left(w) + 999) / 1000;
	timeout->tv_sec = (time_t)(us / 1000000);
	timeout->tv_usec = (suseconds_t)(us % 1000000);
}

CPS_EXPORT int select(int n, fd_set *in, fd_set *out, fd_set *other, struct timeval *timeout)
{
	CPS_BLOCKS(CPS_WAIT, select);
	CPS_EINTR_RESTART_WAIT w = cps_eintr_restart_begin();
	int result;

	while ((result = CPS_REAL(select)(n, in, out, other, timeout)) < 0 && cps_eintr_restart(&w))
		if (timeout)
			go_on(&w, timeout);
	return result;
}

CPS_EXPORT int __select(int n, fd_set *in, fd_set *out, fd_set *other, struct timeval *timeout)
	__attribute__((alias("select")));

CPS_EXPORT int pselect(int n, fd_set *in, fd_set *out, fd_set *other,
		       const struct timespec *timeout, const sigset_t *mask)
{
	CPS_BLOCKS(CPS_WAIT, pselect);
	CPS_EINTR_RESTART_WAIT w = cps_eintr_restart_begin_timeout(timeout);

	return CPS_EINTR_RESTART(
		w, CPS_MASKED(mask, CPS_REAL(pselect)(n, in, out, other, w.timeout, mask)));
}

CPS_EXPORT int epoll_wait(int fd, struct epoll_event *events, int n, int timeout)
{
	CPS_BLOCKS(CPS_WAIT, epoll_wait);
	CPS_EINTR_RESTART_WAIT w = cps_eintr_restart_begin_ms(timeout);
	int left = timeout, result;

	while ((result = CPS_REAL(epoll_wait)(fd, events, n, left)) < 0 && cps_eintr_restart(&w))
		left = cps_eintr_restart_ms_left(&w, timeout);
	return result;
}

CPS_EXPORT int epoll_pwait(int fd, struct epoll_event *events, int n, int timeout,
			   const sigset_t *mask)
{
	CPS_BLOCKS(CPS_WAIT, epoll_pwait);
	CPS_EINTR_RESTART_WAIT w = cps_eintr_restart_begin_ms(timeout);
	int left = timeout, result;

	while ((result = CPS_MASKED(mask, CPS_REAL(epoll_pwait)(fd, events, n, left, mask))) < 0 &&
	       cps_eintr_restart(&w))
		left = cps_eintr_restart_ms_left(&w, timeout);
	return result;
}

CPS_EXPORT int epoll_pwait2(int fd, struct epoll_event *events, int n,
			    const struct timespec *timeout, const sigset_t *mask)
{
	CPS_BLOCKS(CPS_WAIT, epoll_pwait2);
	CPS_EINTR_RESTART_WAIT w = cps_eintr_restart_begin_timeout(timeout);

	return CPS_EINTR_RESTART(
		w, CPS_MASKED(mask, CPS_REAL(epoll_pwait2)(fd, events, n, w.timeout, mask)));
}
