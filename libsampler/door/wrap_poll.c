/* SPDX-License-Identifier: MIT */
/*
 * wrap_poll.c - keeps our signals from ending waits for descriptors.
 *
 * In: poll, select, epoll_wait and the like. Out: the real calls, made again if need be. The kernel
 * leaves sets and events as they were when such a call fails.
 */
#undef _FORTIFY_SOURCE /* it would define these functions inline */
#include "door/again.h"
#include "signal/sample.h"

CPS_EXPORT int poll(struct pollfd *fds, nfds_t n, int timeout)
{
	CPS_BLOCKS(CPS_WAIT, poll);
	CPS_AGAIN_WAIT w = cps_again_begin_ms(timeout);
	int left = timeout, result;

	while ((result = CPS_NEXT(poll)(fds, n, left)) < 0 && cps_again(&w))
		left = cps_again_ms_left(&w, timeout);
	return result;
}

CPS_EXPORT int __poll(struct pollfd *fds, nfds_t n, int timeout) __attribute__((alias("poll")));

CPS_EXPORT int __poll_chk(struct pollfd *fds, nfds_t n, int timeout, size_t bytes)
{
	CPS_BLOCKS(CPS_WAIT, __poll_chk);
	CPS_AGAIN_WAIT w = cps_again_begin_ms(timeout);
	int left = timeout, result;

	while ((result = CPS_NEXT(__poll_chk)(fds, n, left, bytes)) < 0 && cps_again(&w))
		left = cps_again_ms_left(&w, timeout);
	return result;
}

CPS_EXPORT int ppoll(struct pollfd *fds, nfds_t n, const struct timespec *timeout,
		     const sigset_t *mask)
{
	CPS_BLOCKS(CPS_WAIT, ppoll);
	CPS_AGAIN_WAIT w = cps_again_begin_timeout(timeout);

	return CPS_AGAIN(w, CPS_MASKED(mask, CPS_NEXT(ppoll)(fds, n, w.timeout, mask)));
}

CPS_EXPORT int __ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *timeout,
			   const sigset_t *mask, size_t bytes)
{
	CPS_BLOCKS(CPS_WAIT, __ppoll_chk);
	CPS_AGAIN_WAIT w = cps_again_begin_timeout(timeout);

	return CPS_AGAIN(w,
			 CPS_MASKED(mask, CPS_NEXT(__ppoll_chk)(fds, n, w.timeout, mask, bytes)));
}

/* Sets the timeout to what is left. Linux says how much that is, in whole microseconds, the last of
 * which has begun. */
static void go_on(struct cps_again_wait *w, struct timeval *timeout)
{
	struct timespec left = {timeout->tv_sec, (timeout->tv_usec + 1) * 1000};
	uint64_t us;

	if (!w->timeout)
		cps_again_set_remaining(w, &left);
	us = (cps_again_ns_left(w) + 999) / 1000;
	timeout->tv_sec = (time_t)(us / 1000000);
	timeout->tv_usec = (suseconds_t)(us % 1000000);
}

CPS_EXPORT int select(int n, fd_set *in, fd_set *out, fd_set *other, struct timeval *timeout)
{
	CPS_BLOCKS(CPS_WAIT, select);
	CPS_AGAIN_WAIT w = cps_again_begin();
	int result;

	while ((result = CPS_NEXT(select)(n, in, out, other, timeout)) < 0 && cps_again(&w))
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
	CPS_AGAIN_WAIT w = cps_again_begin_timeout(timeout);

	return CPS_AGAIN(w,
			 CPS_MASKED(mask, CPS_NEXT(pselect)(n, in, out, other, w.timeout, mask)));
}

CPS_EXPORT int epoll_wait(int fd, struct epoll_event *events, int n, int timeout)
{
	CPS_BLOCKS(CPS_WAIT, epoll_wait);
	CPS_AGAIN_WAIT w = cps_again_begin_ms(timeout);
	int left = timeout, result;

	while ((result = CPS_NEXT(epoll_wait)(fd, events, n, left)) < 0 && cps_again(&w))
		left = cps_again_ms_left(&w, timeout);
	return result;
}

CPS_EXPORT int epoll_pwait(int fd, struct epoll_event *events, int n, int timeout,
			   const sigset_t *mask)
{
	CPS_BLOCKS(CPS_WAIT, epoll_pwait);
	CPS_AGAIN_WAIT w = cps_again_begin_ms(timeout);
	int left = timeout, result;

	while ((result = CPS_MASKED(mask, CPS_NEXT(epoll_pwait)(fd, events, n, left, mask))) < 0 &&
	       cps_again(&w))
		left = cps_again_ms_left(&w, timeout);
	return result;
}

CPS_EXPORT int epoll_pwait2(int fd, struct epoll_event *events, int n,
			    const struct timespec *timeout, const sigset_t *mask)
{
	CPS_BLOCKS(CPS_WAIT, epoll_pwait2);
	CPS_AGAIN_WAIT w = cps_again_begin_timeout(timeout);

	return CPS_AGAIN(w,
			 CPS_MASKED(mask, CPS_NEXT(epoll_pwait2)(fd, events, n, w.timeout, mask)));
}
