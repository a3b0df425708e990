/* SPDX-License-Identifier: MIT */
/*
 * wrap_transfer.c - keeps our signals from ending reads and writes before their time.
 *
 * In: calls that read, write, send and receive. Out: the real calls, made again or finished if need
 * be. The kernel restarts them if they have transferred nothing, except on a socket with a timeout.
 * As long as no signal of ours comes inside of calls and the program has set no such timeout, each
 * wrapper is two loads and a jump, and does not appear in call stacks. What was transferred counts for the
 * resources read and write.
 */
#undef _FORTIFY_SOURCE /* it would define these functions inline */
#include <errno.h>
#include <stdatomic.h>

#include "base/sys.h"
#include "door/bytes.h"
#include "door/socket_time.h"
#include "door/whole.h"
#include "signal/gate.h"

#define UNPACK(...) __VA_ARGS__

/* Makes a call again that a tick has ended, and finishes one that was cut short, by `rest`. All of it is in the
 * frame of the function whose call it is: threads may have little stack. */
#define FINISH(w, name, arguments, fd, events, rest, done, is_cut)                                 \
	({                                                                                         \
		while (done < 0 && cps_socket_time_again(&w, fd, events, EAGAIN))                  \
			done = CPS_CUTTABLE(&is_cut, CPS_NEXT(name) arguments);                    \
		is_cut &&done > 0 ? rest : done;                                                   \
	})

/* Defines a wrapper. What it does when it has to watch the call are functions of their own, so that
 * the wrapper needs no frame: NAME_watched is for calls to which only our signals matter, and has little to do;
 * NAME_full is for all others. `kept` declares what must be known from before the call; `count` counts what was transferred. */
#define WRAP_KEEPING(kept, type, name, parameters, arguments, fd, events, rest, count)             \
	static __attribute__((noinline)) type name##_full parameters                               \
	{                                                                                          \
		kept;                                                                              \
		CPS_BLOCKS(CPS_IO, name);                                                          \
		CPS_AGAIN_WAIT w = cps_socket_time_begin();                                        \
		bool is_cut;                                                                       \
		type done = CPS_CUTTABLE(&is_cut, CPS_NEXT(name) arguments);                       \
                                                                                                   \
		done = FINISH(w, name, arguments, fd, events, rest, done, is_cut);                 \
		count;                                                                             \
		return done;                                                                       \
	}                                                                                          \
	static __attribute__((noinline)) type name##_watched parameters                            \
	{                                                                                          \
		kept;                                                                              \
		struct cps_again_start start = cps_again_start();                                  \
		uintptr_t outer = cps_cut_begin((uintptr_t)__builtin_frame_address(0));            \
		type done = cps_again_next.name arguments;                                         \
                                                                                                   \
		if (__builtin_expect(done >= 0 || errno != EINTR, 1) &&                            \
		    cps_whole_ends_unmet(outer))                                                   \
			return done;                                                               \
		{                                                                                  \
			CPS_AGAIN_WAIT w = cps_again_wait_of(start, 0);                            \
			bool is_cut = cps_cut_end(outer);                                          \
                                                                                                   \
			return FINISH(w, name, arguments, fd, events, rest, done, is_cut);         \
		}                                                                                  \
	}                                                                                          \
	CPS_EXPORT type name parameters                                                            \
	{                                                                                          \
		return cps_again_is_plain()   ? cps_again_next.name arguments                      \
		       : cps_again_is_light() ? name##_watched arguments                           \
					      : name##_full arguments;                             \
	}
#define WRAP(...) WRAP_KEEPING(, __VA_ARGS__)

#define ONE(start, bytes) &(struct iovec){(void *)(uintptr_t)(start), (bytes)}, CPS_WHOLE_ONE

/* ---- reading --------------------------------------------------------------------------------- */

WRAP(ssize_t, read, (int fd, void *to, size_t n), (fd, to, n), fd, POLLIN,
     cps_whole_read(&w, fd, ONE(to, n), 0, done), cps_bytes_read(done))
WRAP(ssize_t, __read_chk, (int fd, void *to, size_t n, size_t room), (fd, to, n, room), fd, POLLIN,
     cps_whole_read(&w, fd, ONE(to, n), 0, done), cps_bytes_read(done))
WRAP(ssize_t, readv, (int fd, const struct iovec *to, int n), (fd, to, n), fd, POLLIN,
     cps_whole_read(&w, fd, to, (size_t)n, 0, done), cps_bytes_read(done))
WRAP(ssize_t, recv, (int fd, void *to, size_t n, int flags), (fd, to, n, flags), fd, POLLIN,
     cps_whole_read(&w, fd, ONE(to, n), flags, done), cps_bytes_read(done))
WRAP(ssize_t, __recv_chk, (int fd, void *to, size_t n, size_t room, int flags),
     (fd, to, n, room, flags), fd, POLLIN, cps_whole_read(&w, fd, ONE(to, n), flags, done),
     cps_bytes_read(done))
WRAP(ssize_t, recvfrom,
     (int fd, void *to, size_t n, int flags, __SOCKADDR_ARG from, socklen_t *bytes),
     (fd, to, n, flags, from, bytes), fd, POLLIN, cps_whole_read(&w, fd, ONE(to, n), flags, done),
     cps_bytes_read(done))
WRAP(ssize_t, __recvfrom_chk,
     (int fd, void *to, size_t n, size_t room, int flags, __SOCKADDR_ARG from, socklen_t *bytes),
     (fd, to, n, room, flags, from, bytes), fd, POLLIN,
     cps_whole_read(&w, fd, ONE(to, n), flags, done), cps_bytes_read(done))
WRAP_KEEPING(const size_t room = cps_whole_room(message, flags), ssize_t, recvmsg,
	     (int fd, struct msghdr *message, int flags), (fd, message, flags), fd, POLLIN,
	     cps_whole_message(&w, fd, message, room, flags, done), cps_bytes_read(done))

/* ---- writing --------------------------------------------------------------------------------- */

WRAP(ssize_t, write, (int fd, const void *from, size_t n), (fd, from, n), fd, POLLOUT,
     cps_whole_write(&w, fd, ONE(from, n), 0, done), cps_bytes_write(done))
WRAP(ssize_t, writev, (int fd, const struct iovec *from, int n), (fd, from, n), fd, POLLOUT,
     cps_whole_write(&w, fd, from, (size_t)n, 0, done), cps_bytes_write(done))
WRAP(ssize_t, send, (int fd, const void *from, size_t n, int flags), (fd, from, n, flags), fd,
     POLLOUT, cps_whole_write(&w, fd, ONE(from, n), flags, done), cps_bytes_write(done))
WRAP(ssize_t, sendto,
     (int fd, const void *from, size_t n, int flags, __CONST_SOCKADDR_ARG to, socklen_t bytes),
     (fd, from, n, flags, to, bytes), fd, POLLOUT,
     cps_whole_write(&w, fd, ONE(from, n), flags, done), cps_bytes_write(done))
WRAP(ssize_t, sendmsg, (int fd, const struct msghdr *message, int flags), (fd, message, flags), fd,
     POLLOUT, cps_whole_write(&w, fd, message->msg_iov, message->msg_iovlen, flags, done),
     cps_bytes_write(done))

/* ---- at a place of the file: only memory devices, such as /dev/zero, are cut short there -------- */

#define READ_AT(name, parameters, arguments, flags, ...)                                           \
	WRAP(ssize_t, name, parameters, arguments, fd, POLLIN,                                     \
	     cps_whole_read_at(&w, fd, __VA_ARGS__, at, flags, done), cps_bytes_read(done))
#define WRITE_AT(name, parameters, arguments, flags, ...)                                          \
	WRAP(ssize_t, name, parameters, arguments, fd, POLLOUT,                                    \
	     cps_whole_write_at(&w, fd, __VA_ARGS__, at, flags, done), cps_bytes_write(done))

READ_AT(pread, (int fd, void *to, size_t n, off_t at), (fd, to, n, at), 0, ONE(to, n))
READ_AT(pread64, (int fd, void *to, size_t n, off64_t at), (fd, to, n, at), 0, ONE(to, n))
READ_AT(__pread_chk, (int fd, void *to, size_t n, off_t at, size_t room), (fd, to, n, at, room), 0,
	ONE(to, n))
READ_AT(__pread64_chk, (int fd, void *to, size_t n, off64_t at, size_t room), (fd, to, n, at, room),
	0, ONE(to, n))
READ_AT(preadv, (int fd, const struct iovec *to, int n, off_t at), (fd, to, n, at), 0, to,
	(size_t)n)
READ_AT(preadv64, (int fd, const struct iovec *to, int n, off64_t at), (fd, to, n, at), 0, to,
	(size_t)n)
READ_AT(preadv2, (int fd, const struct iovec *to, int n, off_t at, int flags),
	(fd, to, n, at, flags), flags, to, (size_t)n)
READ_AT(preadv64v2, (int fd, const struct iovec *to, int n, off64_t at, int flags),
	(fd, to, n, at, flags), flags, to, (size_t)n)
WRITE_AT(pwrite, (int fd, const void *from, size_t n, off_t at), (fd, from, n, at), 0, ONE(from, n))
WRITE_AT(pwrite64, (int fd, const void *from, size_t n, off64_t at), (fd, from, n, at), 0,
	 ONE(from, n))
WRITE_AT(pwritev, (int fd, const struct iovec *from, int n, off_t at), (fd, from, n, at), 0, from,
	 (size_t)n)
WRITE_AT(pwritev64, (int fd, const struct iovec *from, int n, off64_t at), (fd, from, n, at), 0,
	 from, (size_t)n)
WRITE_AT(pwritev2, (int fd, const struct iovec *from, int n, off_t at, int flags),
	 (fd, from, n, at, flags), flags, from, (size_t)n)
WRITE_AT(pwritev64v2, (int fd, const struct iovec *from, int n, off64_t at, int flags),
	 (fd, from, n, at, flags), flags, from, (size_t)n)

/* ---- several messages in one call ------------------------------------------------------------ */

static int64_t bytes_of(const struct mmsghdr *all, int n)
{
	int64_t bytes = 0;

	for (int i = 0; i < n; i++)
		bytes += all[i].msg_len;
	return bytes;
}

/* The last message may have been sent in part, if the socket is a stream. */
int cps_whole_sent(struct cps_again_wait *w, int fd, struct mmsghdr *all, unsigned n, int flags,
		   int done)
{
	bool is_cut = !(flags & MSG_DONTWAIT) && cps_whole_waits(fd);
	int more;

	while (is_cut && done > 0 && (unsigned)done <= n) {
		struct mmsghdr *last = &all[done - 1];
		const struct iovec *buffers = last->msg_hdr.msg_iov;
		size_t count = last->msg_hdr.msg_iovlen;

		last->msg_len = (unsigned)cps_whole_write(w, fd, buffers, count, flags,
							  (ssize_t)last->msg_len);
		if (last->msg_len < cps_whole_bytes(buffers, count) || (unsigned)done == n ||
		    !(cps_socket_time_wait(w, fd, POLLOUT) & POLLOUT))
			break;
		more = CPS_CUTTABLE(&is_cut,
				    CPS_NEXT(sendmmsg)(fd, all + done, n - (unsigned)done, flags));
		if (more <= 0)
			break;
		done += more;
	}
	errno = w->error;
	return done;
}

/* The kernel keeps the reason why it returned less than it was asked for, as the socket's error. If
 * that is a signal the error must be taken away: the target's next call would fail with the kernel's
 * own ERESTARTSYS. */
static bool is_kept_signal(int fd)
{
	enum { ERESTARTSYS = 512 };
	int error = 0;
	socklen_t bytes = sizeof(error);

	return getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &bytes) == 0 &&
	       (error == EINTR || error == ERESTARTSYS);
}

uint64_t cps_whole_until(const struct timespec *timeout)
{
	const uint64_t ns_per_s = 1000000000, most = UINT32_MAX;
	struct timespec t;

	if (!timeout || !cps_gate_is_open() || !cps_sys_readable((uintptr_t)&timeout->tv_sec) ||
	    !cps_sys_readable((uintptr_t)&timeout->tv_nsec))
		return 0;
	t = *timeout;
	return cps_again_time(CLOCK_MONOTONIC) +
	       ((uint64_t)t.tv_sec < most ? (uint64_t)t.tv_sec : most) * ns_per_s +
	       (uint64_t)t.tv_nsec;
}

/* What is left of the time. False: nothing. */
static bool has_time(struct cps_again_wait *w, uint64_t until, struct timespec *left)
{
	uint64_t now = cps_again_now(w), ns = until > now ? until - now : 0;

	*left = (struct timespec){(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
	return ns;
}

/* The kernel looks at the timeout after each message only, and says then how much is left: so one more message is waited
 * for, however long that takes. A socket's own timeout is for each message. */
int cps_whole_received(struct cps_again_wait *w, int fd, struct mmsghdr *all, unsigned n, int flags,
		       struct timespec *timeout, uint64_t until, int done)
{
	bool is_cut = !(flags & (MSG_DONTWAIT | MSG_WAITFORONE)) && cps_whole_waits(fd) &&
		      !timeout == !until;
	int more;

	while (is_cut && (unsigned)done < n && (!timeout || timeout->tv_sec || timeout->tv_nsec)) {
		struct timespec left = {0, 0};
		bool is_limited;

		w->start = cps_again_now(w);
		if (!is_kept_signal(fd) || !(cps_socket_time_wait(w, fd, POLLIN) & POLLIN))
			break;
		is_limited = timeout && has_time(w, until, &left);
		more = CPS_CUTTABLE(
			&is_cut, CPS_NEXT(recvmmsg)(fd, all + done,
						    timeout && !is_limited ? 1 : n - (unsigned)done,
						    flags, is_limited ? &left : NULL));
		if (more <= 0)
			break;
		done += more;
		if (timeout)
			*timeout = left;
	}
	errno = w->error;
	return done;
}

WRAP(int, sendmmsg, (int fd, struct mmsghdr *messages, unsigned n, int flags),
     (fd, messages, n, flags), fd, POLLOUT, cps_whole_sent(&w, fd, messages, n, flags, done),
     cps_bytes_write(bytes_of(messages, done)))

WRAP_KEEPING(const uint64_t until = cps_whole_until(timeout), int, recvmmsg,
	     (int fd, struct mmsghdr *messages, unsigned n, int flags, struct timespec *timeout),
	     (fd, messages, n, flags, timeout), fd, POLLIN,
	     cps_whole_received(&w, fd, messages, n, flags, timeout, until, done),
	     cps_bytes_read(bytes_of(messages, done)))

CPS_EXPORT ssize_t __read(int fd, void *to, size_t n) __attribute__((alias("read")));
CPS_EXPORT ssize_t __write(int fd, const void *from, size_t n) __attribute__((alias("write")));
CPS_EXPORT ssize_t __send(int fd, const void *from, size_t n, int flags)
	__attribute__((alias("send")));
CPS_EXPORT ssize_t __pread64(int fd, void *to, size_t n, off64_t at)
	__attribute__((alias("pread64")));
CPS_EXPORT ssize_t __pwrite64(int fd, const void *from, size_t n, off64_t at)
	__attribute__((alias("pwrite64")));
