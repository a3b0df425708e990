/* SPDX-License-Identifier: MIT */
/*
 * socket_time.c - finds out how much is left of a socket's timeout, and waits for that long.
 *
 * In: a call on a socket that was interrupted. Out: whether there is time to make it again.
 */
#undef _FORTIFY_SOURCE /* it would define the wrapped functions inline */
#include <errno.h>

#include "door/socket_time.h"

/* Timeouts that were set by another process, or by syscall(2), are found here. When the call began is
 * not known then; from now on it will be. */
static bool has_begun(const struct cps_again_wait *w)
{
	if (!w->start)
		cps_again_watch_time();
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
static int poll_until(struct cps_again_wait *w, struct pollfd *poll_fd)
{
	struct timespec left;
	uint64_t ns;
	int result;

	do {
		ns = w->until ? cps_again_ns_left(w) : 0;
		left.tv_sec = (time_t)(ns / 1000000000);
		left.tv_nsec = (long)(ns % 1000000000);
		if (w->until && !ns)
			return 0;
		result = CPS_NEXT(ppoll)(poll_fd, 1, w->until ? &left : NULL, NULL);
	} while (result < 0 && cps_again(w));
	return result;
}

bool cps_socket_time_again(struct cps_again_wait *w, int fd, short events, int late)
{
	struct pollfd poll_fd = {.fd = fd, .events = events};
	uint64_t timeout;
	int result;

	if (!cps_again(w))
		return false;
	timeout = timeout_of(fd, events);
	errno = w->error; /* it need not be a socket */
	if (!timeout)
		return true;
	if (!has_begun(w))
		w->start = cps_again_now(w);
	w->until = w->start + timeout;
	result = poll_until(w, &poll_fd);
	if (result == 0)
		errno = late;
	return result > 0;
}

int cps_socket_time_wait_until(struct cps_again_wait *w, int fd, short events)
{
	struct pollfd poll_fd = {.fd = fd, .events = events};

	return poll_until(w, &poll_fd) > 0 ? poll_fd.revents : 0;
}

int cps_socket_time_wait(struct cps_again_wait *w, int fd, short events)
{
	uint64_t timeout = timeout_of(fd, events);

	if (timeout && !has_begun(w))
		return 0;
	w->until = timeout ? w->start + timeout : 0;
	return cps_socket_time_wait_until(w, fd, events);
}
