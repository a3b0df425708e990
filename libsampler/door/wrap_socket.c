/* SPDX-License-Identifier: MIT */
/*
 * wrap_socket.c - keeps our signals from ending calls on sockets that have a timeout.
 *
 * In: calls that read, write, connect and accept. Out: the real calls, made again if need be. The
 * kernel restarts such calls, except on a socket with SO_RCVTIMEO or SO_SNDTIMEO. As long as the
 * program has set neither, each wrapper is two loads and a jump, and does not appear in call
 * stacks.
 */
#undef _FORTIFY_SOURCE /* it would define these functions inline */
#include <errno.h>
#include <stdatomic.h>

#include "door/again.h"

CPS_EXPORT int setsockopt(int fd, int level, int option, const void *value, socklen_t bytes)
{
	__typeof__(setsockopt) *next = &CPS_NEXT(setsockopt);

	if (level == SOL_SOCKET && (option == SO_RCVTIMEO || option == SO_SNDTIMEO))
		atomic_store(&cps_again_next.none_is_timed, false);
	return next(fd, level, option, value, bytes);
}

static bool none_is_timed(void)
{
	return __builtin_expect(
		atomic_load_explicit(&cps_again_next.none_is_timed, memory_order_relaxed), 1);
}

/* The socket's own timeout is looked up only after an interruption. */
static struct cps_again_wait begin(void)
{
	struct cps_again_wait w = cps_again_begin();

	w.start = cps_again_now(&w);
	return w;
}

/* When the call that began at w.start must end; 0: never. */
static uint64_t end_of(int fd, short events, const struct cps_again_wait *w)
{
	struct timeval timeout = {0, 0};
	socklen_t bytes = sizeof(timeout);
	int option = events == POLLIN ? SO_RCVTIMEO : SO_SNDTIMEO;

	if (getsockopt(fd, SOL_SOCKET, option, &timeout, &bytes) != 0 ||
	    (!timeout.tv_sec && !timeout.tv_usec))
		return 0;
	return w->start + (uint64_t)timeout.tv_sec * 1000000000 + (uint64_t)timeout.tv_usec * 1000;
}

/* Whether a call that has failed is to be made again. If it were made at once, it would have the
 * whole of the socket's time again. So this waits for what is left of the time. If nothing happens,
 * `late` is the error. */
static bool again(struct cps_again_wait *w, int fd, short events, int late)
{
	struct pollfd poll_fd = {.fd = fd, .events = events};
	struct timespec left;
	uint64_t ns;
	int result;

	do {
		if (!cps_again(w))
			return false;
		w->until = end_of(fd, events, w);
		if (!w->until)
			return true;
		ns = cps_again_ns_left(w);
		left.tv_sec = (time_t)(ns / 1000000000);
		left.tv_nsec = (long)(ns % 1000000000);
		result = ns ? CPS_NEXT(ppoll)(&poll_fd, 1, &left, NULL) : 0;
	} while (result < 0);
	if (result == 0)
		errno = late;
	return result > 0;
}

/* A second connect on a TCP socket continues to wait for the connection that was begun. If that
 * takes too long it says that the connection was begun before. */
static __attribute__((noinline)) int connect_timed(int fd, __CONST_SOCKADDR_ARG address,
						   socklen_t bytes)
{
	struct cps_again_wait w = begin();
	int result = CPS_NEXT(connect)(fd, address, bytes), family = AF_UNSPEC, late;
	socklen_t room = sizeof(family);

	if (result == 0 || errno != EINTR)
		return result;
	getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &family, &room);
	errno = EINTR;
	late = family == AF_UNIX ? EAGAIN : EINPROGRESS;
	while (result < 0 && again(&w, fd, POLLOUT, late))
		result = CPS_NEXT(connect)(fd, address, bytes);
	if (result < 0 && errno == EALREADY)
		errno = late;
	return result;
}

CPS_EXPORT int connect(int fd, __CONST_SOCKADDR_ARG address, socklen_t bytes)
{
	return none_is_timed() ? cps_again_next.connect(fd, address, bytes)
			       : connect_timed(fd, address, bytes);
}

CPS_EXPORT int __connect(int fd, __CONST_SOCKADDR_ARG address, socklen_t bytes)
	__attribute__((alias("connect")));

/* Defines a wrapper. What it does once there are timeouts is a function of its own, so that the
 * wrapper needs no frame. */
#define WRAP(type, name, parameters, arguments, fd, events)                                        \
	static __attribute__((noinline)) type name##_timed parameters                              \
	{                                                                                          \
		struct cps_again_wait w = begin();                                                 \
		type result;                                                                       \
                                                                                                   \
		do                                                                                 \
			result = CPS_NEXT(name) arguments;                                         \
		while (result < 0 && again(&w, fd, events, EAGAIN));                               \
		return result;                                                                     \
	}                                                                                          \
	CPS_EXPORT type name parameters                                                            \
	{                                                                                          \
		return none_is_timed() ? cps_again_next.name arguments : name##_timed arguments;   \
	}

WRAP(int, accept, (int fd, __SOCKADDR_ARG from, socklen_t *bytes), (fd, from, bytes), fd, POLLIN)
WRAP(int, accept4, (int fd, __SOCKADDR_ARG from, socklen_t *bytes, int flags),
     (fd, from, bytes, flags), fd, POLLIN)

WRAP(ssize_t, recv, (int fd, void *to, size_t n, int flags), (fd, to, n, flags), fd, POLLIN)
WRAP(ssize_t, __recv_chk, (int fd, void *to, size_t n, size_t room, int flags),
     (fd, to, n, room, flags), fd, POLLIN)
WRAP(ssize_t, recvfrom,
     (int fd, void *to, size_t n, int flags, __SOCKADDR_ARG from, socklen_t *bytes),
     (fd, to, n, flags, from, bytes), fd, POLLIN)
WRAP(ssize_t, __recvfrom_chk,
     (int fd, void *to, size_t n, size_t room, int flags, __SOCKADDR_ARG from, socklen_t *bytes),
     (fd, to, n, room, flags, from, bytes), fd, POLLIN)
WRAP(ssize_t, recvmsg, (int fd, struct msghdr *message, int flags), (fd, message, flags), fd,
     POLLIN)
/* It fails with EINTR only before the first message, and looks at its own timeout after that
 * message. */
WRAP(int, recvmmsg,
     (int fd, struct mmsghdr *messages, unsigned n, int flags, struct timespec *timeout),
     (fd, messages, n, flags, timeout), fd, POLLIN)
WRAP(ssize_t, read, (int fd, void *to, size_t n), (fd, to, n), fd, POLLIN)
WRAP(ssize_t, __read_chk, (int fd, void *to, size_t n, size_t room), (fd, to, n, room), fd, POLLIN)
WRAP(ssize_t, readv, (int fd, const struct iovec *to, int n), (fd, to, n), fd, POLLIN)

/* These fail with EINTR only if nothing has been sent. */
WRAP(ssize_t, send, (int fd, const void *from, size_t n, int flags), (fd, from, n, flags), fd,
     POLLOUT)
WRAP(ssize_t, sendto,
     (int fd, const void *from, size_t n, int flags, __CONST_SOCKADDR_ARG to, socklen_t bytes),
     (fd, from, n, flags, to, bytes), fd, POLLOUT)
WRAP(ssize_t, sendmsg, (int fd, const struct msghdr *message, int flags), (fd, message, flags), fd,
     POLLOUT)
WRAP(int, sendmmsg, (int fd, struct mmsghdr *messages, unsigned n, int flags),
     (fd, messages, n, flags), fd, POLLOUT)
WRAP(ssize_t, sendfile, (int out, int in, off_t *offset, size_t n), (out, in, offset, n), out,
     POLLOUT)
WRAP(ssize_t, sendfile64, (int out, int in, off64_t *offset, size_t n), (out, in, offset, n), out,
     POLLOUT)
WRAP(ssize_t, write, (int fd, const void *from, size_t n), (fd, from, n), fd, POLLOUT)
WRAP(ssize_t, writev, (int fd, const struct iovec *from, int n), (fd, from, n), fd, POLLOUT)

CPS_EXPORT ssize_t __read(int fd, void *to, size_t n) __attribute__((alias("read")));
CPS_EXPORT ssize_t __write(int fd, const void *from, size_t n) __attribute__((alias("write")));
CPS_EXPORT ssize_t __send(int fd, const void *from, size_t n, int flags)
	__attribute__((alias("send")));
