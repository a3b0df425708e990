/* SPDX-License-Identifier: MIT */
/*
 * wrap_socket.c - keeps our signals from ending connections on sockets that have a timeout, and the ends of those that linger.
 *
 * In: connect and accept; close, dup2 and dup3. Out: the real calls, made again if need be. The kernel restarts such
 * calls, except on a socket with SO_RCVTIMEO or SO_SNDTIMEO; and what closes a descriptor, held on one with SO_LINGER.
 */
#undef _FORTIFY_SOURCE /* it would define these functions inline */
#include <errno.h>

#include "door/socket_time.h"
#include "signal/gate.h"

static volatile bool has_lingering; /* the program has set how long sockets linger */

CPS_EXPORT int setsockopt(int fd, int level, int option, const void *value, socklen_t bytes)
{
	__typeof__(setsockopt) *next = &CPS_NEXT(setsockopt);

	if (level == SOL_SOCKET && (option == SO_RCVTIMEO || option == SO_SNDTIMEO))
		cps_again_watch_time();
	if (level == SOL_SOCKET && option == SO_LINGER)
		has_lingering = true;
	return next(fd, level, option, value, bytes);
}

/* ---- the end of a socket that lingers ----------------------------------------------------------- */

/* A signal ends the wait for what is still to be sent, and the result does not say so. */
#define CLOSING(name, parameters, arguments, closed)                                               \
	static __attribute__((noinline)) int name##_held parameters                                \
	{                                                                                          \
		return CPS_HELD(CPS_NEXT(name) arguments);                                         \
	}                                                                                          \
	CPS_EXPORT int name parameters                                                             \
	{                                                                                          \
		__typeof__(name) *next = &CPS_NEXT(name);                                          \
                                                                                                   \
		return has_lingering && lingers(closed) ? name##_held arguments : next arguments;  \
	}

/* Not where a filter might forbid the question. */
static __attribute__((noinline)) bool lingers(int fd)
{
	struct linger linger = {0, 0};
	socklen_t bytes = sizeof(linger);
	int error = errno;

	if (cps_again_is_plain() || !cps_gate_is_open())
		return false;
	getsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, &bytes);
	errno = error;
	return linger.l_onoff && linger.l_linger > 0;
}

CLOSING(close, (int fd), (fd), fd)
CLOSING(dup2, (int fd, int onto), (fd, onto), onto)
CLOSING(dup3, (int fd, int onto, int flags), (fd, onto, flags), onto)

/* A second connect on a TCP socket continues to wait for the connection that was begun. If that
 * takes too long it says that the connection was begun before. */
int cps_socket_time_connect(struct cps_again_wait *w, int fd, __CONST_SOCKADDR_ARG address,
			    socklen_t bytes)
{
	int result = -1, family = AF_UNSPEC, late;
	socklen_t room = sizeof(family);

	getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &family, &room);
	errno = EINTR;
	late = family == AF_UNIX ? EAGAIN : EINPROGRESS;
	while (result < 0 && cps_socket_time_again(w, fd, POLLOUT, late))
		result = CPS_NEXT(connect)(fd, address, bytes);
	if (result < 0 && errno == EALREADY)
		errno = late;
	return result;
}

static __attribute__((noinline)) int connect_watched(int fd, __CONST_SOCKADDR_ARG address,
						     socklen_t bytes)
{
	CPS_BLOCKS(CPS_IO, connect);
	CPS_AGAIN_WAIT w = cps_socket_time_begin();
	int result = CPS_NEXT(connect)(fd, address, bytes);

	return result == 0 || errno != EINTR ? result
					     : cps_socket_time_connect(&w, fd, address, bytes);
}

CPS_EXPORT int connect(int fd, __CONST_SOCKADDR_ARG address, socklen_t bytes)
{
	return cps_again_is_plain() ? cps_again_next.connect(fd, address, bytes)
				    : connect_watched(fd, address, bytes);
}

CPS_EXPORT int __connect(int fd, __CONST_SOCKADDR_ARG address, socklen_t bytes)
	__attribute__((alias("connect")));

#define WRAP_ACCEPT(name, parameters, arguments)                                                   \
	static __attribute__((noinline)) int name##_watched parameters                             \
	{                                                                                          \
		CPS_BLOCKS(CPS_WAIT, name);                                                        \
		CPS_AGAIN_WAIT w = cps_socket_time_begin();                                        \
		int result;                                                                        \
                                                                                                   \
		do                                                                                 \
			result = CPS_NEXT(name) arguments;                                         \
		while (result < 0 && cps_socket_time_again(&w, fd, POLLIN, EAGAIN));               \
		return result;                                                                     \
	}                                                                                          \
	CPS_EXPORT int name parameters                                                             \
	{                                                                                          \
		return cps_again_is_plain() ? cps_again_next.name arguments                        \
					    : name##_watched arguments;                            \
	}

WRAP_ACCEPT(accept, (int fd, __SOCKADDR_ARG from, socklen_t *bytes), (fd, from, bytes))
WRAP_ACCEPT(accept4, (int fd, __SOCKADDR_ARG from, socklen_t *bytes, int flags),
	    (fd, from, bytes, flags))
