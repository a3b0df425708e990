/* SPDX-License-Identifier: MIT */
/*
 * socket_time.h - keeps to the time that the target gives to calls on a socket.
 *
 * The kernel does not restart calls on a socket that has a timeout (SO_RCVTIMEO, SO_SNDTIMEO). Made
 * again, such a call would have the whole of the time again.
 */
#ifndef CPS_SOCKET_TIME_H
#define CPS_SOCKET_TIME_H

#include <stdbool.h>

#include "door/again.h"

/* Begin a call whose socket may have a timeout. It is looked up only after an interruption. */
static inline __attribute__((always_inline)) struct cps_again_wait cps_socket_time_begin(void)
{
	return cps_again_begin_at(
		atomic_load_explicit(&cps_again_next.has_timed, memory_order_relaxed)
			? cps_again_time(CLOCK_MONOTONIC)
			: 0);
}

/* To be called when the call has failed. Returns whether it is to be made again: only a tick was the
 * cause, and what is left of the time was enough for the socket to become ready for `events`, which
 * is POLLIN or POLLOUT. If it was not, errno is `late`. */
bool cps_socket_time_again(struct cps_again_wait *w, int fd, short events, int late);

/* The same for connect: makes it again if and when it is to be made again. Returns what the target gets, with errno. */
int cps_socket_time_connect(struct cps_again_wait *w, int fd, __CONST_SOCKADDR_ARG address,
			    socklen_t bytes);

/* Wait until the descriptor is ready, for what is left of the time if it is a socket. Returns what
 * poll has found; 0 if the time is over or not known, or a handler of the target's has run. */
int cps_socket_time_wait(struct cps_again_wait *w, int fd, short events);

/* The same, until w->until (0: for ever), whatever it is. */
int cps_socket_time_wait_until(struct cps_again_wait *w, int fd, short events);

#endif
