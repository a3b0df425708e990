/* SPDX-License-Identifier: MIT */
/*
 * wrap_socket.c - keeps our signals from ending connections on sockets that have a timeout.
 *
 * In: connect and accept. Out: the real calls, made again if need be. The kernel restarts such
 * calls, except on a socket with SO_RCVTIMEO or SO_SNDTIMEO.
 */
#undef _FORTIFY_SOURCE /* it would define these functions inline */
#include <errno.h>

#include "door/socket_time.h"

CPS_EXPORT int setsockopt(int fd, int level, int option, const void *value, socklen_t bytes)
{
	__typeof__(setsockopt) *next = &CPS_NEXT(setsockopt);

	if (level == SOL_SOCKET && (option == SO_RCVTIMEO || option == SO_SNDTIMEO))
		cps_again_watch_time();
	return next(fd, level, option, value, bytes);
}

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
