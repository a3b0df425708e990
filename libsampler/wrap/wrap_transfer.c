/* SPDX-License-Identifier: MIT */
/*
 * wrap_transfer.c - keeps our signals from ending transfers before their time.
 */
#undef _FORTIFY_SOURCE /* it would define these functions inline */
#include <errno.h>
#include <stdatomic.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/sys.h"
#include "signal/gate.h"
#include "wrap/bytes.h"
#include "wrap/eintr_restart.h"
#include "wrap/transfer_finish.h"

/* ---- transfers ------------------------------------------------------------------------------- */
/*
 * Keeps our signals from ending reads and writes before their time.
 *
 * In: calls that read, write, send and receive. Out: the real calls, made again or finished if need
 * be. The kernel restarts them if they have transferred nothing, except on a socket with a timeout.
 * As long as no signal of ours comes inside of calls and the program has set no such timeout, each
 * wrapper is two loads and a jump, and does not appear in call stacks. What was transferred counts
 * for the resources read and write.
 */

#define UNPACK(...) __VA_ARGS__

/* Makes a call again that a tick has ended, and finishes one that was cut short, by `rest`. All of it is in the
 * frame of the function whose call it is: threads may have little stack. */
#define FINISH(w, name, arguments, fd, events, rest, done, is_cut)                                 \
	({                                                                                         \
		while (done < 0 && cps_socket_time_again(&w, fd, events, EAGAIN))                  \
			done = CPS_CUTTABLE(&is_cut, CPS_REAL(name) arguments);                    \
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
		CPS_EINTR_RESTART_WAIT w = cps_socket_time_begin();                                \
		bool is_cut;                                                                       \
		type done = CPS_CUTTABLE(&is_cut, CPS_REAL(name) arguments);                       \
                                                                                                   \
		done = FINISH(w, name, arguments, fd, events, rest, done, is_cut);                 \
		count;                                                                             \
		return done;                                                                       \
	}                                                                                          \
	static __attribute__((noinline)) type name##_watched parameters                            \
	{                                                                                          \
		kept;                                                                              \
		struct cps_eintr_restart_start start = cps_eintr_restart_start();                  \
		uintptr_t outer = cps_transfer_cut_begin((uintptr_t)__builtin_frame_address(0));   \
		type done = cps_real.name arguments;                                               \
                                                                                                   \
		if (__builtin_expect(done >= 0 || errno != EINTR, 1) &&                            \
		    cps_transfer_finish_ends_unmet(outer))                                         \
			return done;                                                               \
		{                                                                                  \
			CPS_EINTR_RESTART_WAIT w = cps_eintr_restart_wait_of(start, 0);            \
			bool is_cut = cps_transfer_cut_end(outer);                                 \
                                                                                                   \
			return FINISH(w, name, arguments, fd, events, rest, done, is_cut);         \
		}                                                                                  \
	}                                                                                          \
	CPS_EXPORT type name parameters                                                            \
	{                                                                                          \
		return cps_eintr_restart_is_plain()   ? cps_real.name arguments                    \
		       : cps_eintr_restart_is_light() ? name##_watched arguments                   \
						      : name##_full arguments;                     \
	}
#define WRAP(...) WRAP_KEEPING(, __VA_ARGS__)

#define ONE(start, bytes) &(struct iovec){(void *)(uintptr_t)(start), (bytes)}, CPS_WHOLE_ONE

/* ---- reading --------------------------------------------------------------------------------- */

WRAP(ssize_t, read, (int fd, void *to, size_t n), (fd, to, n), fd, POLLIN,
     cps_transfer_finish_read(&w, fd, ONE(to, n), 0, done), cps_bytes_read(done))
WRAP(ssize_t, __read_chk, (int fd, void *to, size_t n, size_t room), (fd, to, n, room), fd, POLLIN,
     cps_transfer_finish_read(&w, fd, ONE(to, n), 0, done), cps_bytes_read(done))
WRAP(ssize_t, readv, (int fd, const struct iovec *to, int n), (fd, to, n), fd, POLLIN,
     cps_transfer_finish_read(&w, fd, to, (size_t)n, 0, done), cps_bytes_read(done))
WRAP(ssize_t, recv, (int fd, void *to, size_t n, int flags), (fd, to, n, flags), fd, POLLIN,
     cps_transfer_finish_read(&w, fd, ONE(to, n), flags, done), cps_bytes_read(done))
WRAP(ssize_t, __recv_chk, (int fd, void *to, size_t n, size_t room, int flags),
     (fd, to, n, room, flags), fd, POLLIN,
     cps_transfer_finish_read(&w, fd, ONE(to, n), flags, done), cps_bytes_read(done))
WRAP(ssize_t, recvfrom,
     (int fd, void *to, size_t n, int flags, __SOCKADDR_ARG from, socklen_t *bytes),
     (fd, to, n, flags, from, bytes), fd, POLLIN,
     cps_transfer_finish_read(&w, fd, ONE(to, n), flags, done), cps_bytes_read(done))
WRAP(ssize_t, __recvfrom_chk,
     (int fd, void *to, size_t n, size_t room, int flags, __SOCKADDR_ARG from, socklen_t *bytes),
     (fd, to, n, room, flags, from, bytes), fd, POLLIN,
     cps_transfer_finish_read(&w, fd, ONE(to, n), flags, done), cps_bytes_read(done))
WRAP_KEEPING(const size_t room = cps_transfer_finish_room(message, flags), ssize_t, recvmsg,
	     (int fd, struct msghdr *message, int flags), (fd, message, flags), fd, POLLIN,
	     cps_transfer_finish_message(&w, fd, message, room, flags, done), cps_bytes_read(done))

/* ---- writing --------------------------------------------------------------------------------- */

WRAP(ssize_t, write, (int fd, const void *from, size_t n), (fd, from, n), fd, POLLOUT,
     cps_transfer_finish_write(&w, fd, ONE(from, n), 0, done), cps_bytes_write(done))
WRAP(ssize_t, writev, (int fd, const struct iovec *from, int n), (fd, from, n), fd, POLLOUT,
     cps_transfer_finish_write(&w, fd, from, (size_t)n, 0, done), cps_bytes_write(done))
WRAP(ssize_t, send, (int fd, const void *from, size_t n, int flags), (fd, from, n, flags), fd,
     POLLOUT, cps_transfer_finish_write(&w, fd, ONE(from, n), flags, done), cps_bytes_write(done))
WRAP(ssize_t, sendto,
     (int fd, const void *from, size_t n, int flags, __CONST_SOCKADDR_ARG to, socklen_t bytes),
     (fd, from, n, flags, to, bytes), fd, POLLOUT,
     cps_transfer_finish_write(&w, fd, ONE(from, n), flags, done), cps_bytes_write(done))
WRAP(ssize_t, sendmsg, (int fd, const struct msghdr *message, int flags), (fd, message, flags), fd,
     POLLOUT, cps_transfer_finish_write(&w, fd, message->msg_iov, message->msg_iovlen, flags, done),
     cps_bytes_write(done))

/* ---- at a place of the file: only memory devices, such as /dev/zero, are cut short there -------- */

#define READ_AT(name, parameters, arguments, flags, ...)                                           \
	WRAP(ssize_t, name, parameters, arguments, fd, POLLIN,                                     \
	     cps_transfer_finish_read_at(&w, fd, __VA_ARGS__, at, flags, done),                    \
	     cps_bytes_read(done))
#define WRITE_AT(name, parameters, arguments, flags, ...)                                          \
	WRAP(ssize_t, name, parameters, arguments, fd, POLLOUT,                                    \
	     cps_transfer_finish_write_at(&w, fd, __VA_ARGS__, at, flags, done),                   \
	     cps_bytes_write(done))

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
int cps_transfer_finish_sent(struct cps_eintr_restart_wait *w, int fd, struct mmsghdr *all,
			     unsigned n, int flags, int done)
{
	bool is_cut = !(flags & MSG_DONTWAIT) && cps_transfer_finish_waits(fd);
	int more;

	while (is_cut && done > 0 && (unsigned)done <= n) {
		struct mmsghdr *last = &all[done - 1];
		const struct iovec *buffers = last->msg_hdr.msg_iov;
		size_t count = last->msg_hdr.msg_iovlen;

		last->msg_len = (unsigned)cps_transfer_finish_write(w, fd, buffers, count, flags,
								    (ssize_t)last->msg_len);
		if (last->msg_len < cps_transfer_finish_bytes(buffers, count) ||
		    (unsigned)done == n || !(cps_socket_time_wait(w, fd, POLLOUT) & POLLOUT))
			break;
		more = CPS_CUTTABLE(&is_cut,
				    CPS_REAL(sendmmsg)(fd, all + done, n - (unsigned)done, flags));
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

uint64_t cps_transfer_finish_until(const struct timespec *timeout)
{
	const uint64_t ns_per_s = 1000000000, most = UINT32_MAX;
	struct timespec t;

	if (!timeout || !cps_gate_is_open() || !cps_sys_readable((uintptr_t)&timeout->tv_sec) ||
	    !cps_sys_readable((uintptr_t)&timeout->tv_nsec))
		return 0;
	t = *timeout;
	return cps_eintr_restart_time(CLOCK_MONOTONIC) +
	       ((uint64_t)t.tv_sec < most ? (uint64_t)t.tv_sec : most) * ns_per_s +
	       (uint64_t)t.tv_nsec;
}

/* What is left of the time. False: nothing. */
static bool has_time(struct cps_eintr_restart_wait *w, uint64_t until, struct timespec *left)
{
	uint64_t now = cps_eintr_restart_now(w), ns = until > now ? until - now : 0;

	*left = (struct timespec){(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
	return ns;
}

/* The kernel looks at the timeout after each message only, and says then how much is left: so one more message is waited
 * for, however long that takes. A socket's own timeout is for each message. */
int cps_transfer_finish_received(struct cps_eintr_restart_wait *w, int fd, struct mmsghdr *all,
				 unsigned n, int flags, struct timespec *timeout, uint64_t until,
				 int done)
{
	bool is_cut = !(flags & (MSG_DONTWAIT | MSG_WAITFORONE)) && cps_transfer_finish_waits(fd) &&
		      !timeout == !until;
	int more;

	while (is_cut && (unsigned)done < n && (!timeout || timeout->tv_sec || timeout->tv_nsec)) {
		struct timespec left = {0, 0};
		bool is_limited;

		w->start = cps_eintr_restart_now(w);
		if (!is_kept_signal(fd) || !(cps_socket_time_wait(w, fd, POLLIN) & POLLIN))
			break;
		is_limited = timeout && has_time(w, until, &left);
		more = CPS_CUTTABLE(
			&is_cut, CPS_REAL(recvmmsg)(fd, all + done,
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
     (fd, messages, n, flags), fd, POLLOUT,
     cps_transfer_finish_sent(&w, fd, messages, n, flags, done),
     cps_bytes_write(bytes_of(messages, done)))

WRAP_KEEPING(const uint64_t until = cps_transfer_finish_until(timeout), int, recvmmsg,
	     (int fd, struct mmsghdr *messages, unsigned n, int flags, struct timespec *timeout),
	     (fd, messages, n, flags, timeout), fd, POLLIN,
	     cps_transfer_finish_received(&w, fd, messages, n, flags, timeout, until, done),
	     cps_bytes_read(bytes_of(messages, done)))

CPS_EXPORT ssize_t __read(int fd, void *to, size_t n) __attribute__((alias("read")));
CPS_EXPORT ssize_t __write(int fd, const void *from, size_t n) __attribute__((alias("write")));
CPS_EXPORT ssize_t __send(int fd, const void *from, size_t n, int flags)
	__attribute__((alias("send")));
CPS_EXPORT ssize_t __pread64(int fd, void *to, size_t n, off64_t at)
	__attribute__((alias("pread64")));
CPS_EXPORT ssize_t __pwrite64(int fd, const void *from, size_t n, off64_t at)
	__attribute__((alias("pwrite64")));

/* ---- copies ---------------------------------------------------------------------------------- */
/*
 * Keeps our signals from ending copies within the kernel before their time.
 *
 * In: sendfile and the like, getrandom, getdents64. Out: the real calls, made again if they were
 * cut short. The kernel advances the offsets that the target has given.
 */

#define LEFT (cps_transfer_finish_most(n) - (size_t)done)

/* Makes the call again until everything is copied. `more` is how many bytes it may copy then. A call that is short
 * without a tick has met what would have ended the target's call, too. */
#define FINISH_COPY(more, call)                                                                    \
	do {                                                                                       \
		bool is_cut = true;                                                                \
		ssize_t more_ = 1;                                                                 \
		size_t left;                                                                       \
                                                                                                   \
		while (is_cut && more_ > 0 && LEFT && (left = (more)) > 0) {                       \
			more_ = CPS_CUTTABLE(&is_cut, call);                                       \
			done += more_ > 0 ? more_ : 0;                                             \
		}                                                                                  \
		errno = w->error;                                                                  \
	} while (0)

/* How much of n bytes a file takes until it must end. A copy_file_range that begins there raises SIGXFSZ; one that only
 * gets there does not. (The others do in any case, since they are many writes.) */
static size_t until_limit(int fd, const off64_t *to, size_t n)
{
	struct rlimit limit = {0, 0};
	off64_t at;

	if (getrlimit(RLIMIT_FSIZE, &limit) != 0)
		return 0;
	if (limit.rlim_cur == RLIM_INFINITY)
		return n;
	at = to ? *to : lseek64(fd, 0, SEEK_CUR);
	if (at < 0 || (rlim_t)at >= limit.rlim_cur)
		return 0;
	return limit.rlim_cur - (rlim_t)at < n ? limit.rlim_cur - (rlim_t)at : n;
}

/* Whether more may be written. This waits by poll, which is never restarted after a handler of the target's. A
 * call that writes to a pipe only fills it. */
static bool may_write(struct cps_eintr_restart_wait *w, int fd)
{
	if (cps_transfer_finish_is(fd, S_IFREG) || cps_transfer_finish_writes_all(fd))
		return true;
	return cps_transfer_finish_waits(fd) && !cps_transfer_finish_is(fd, S_IFIFO) &&
	       cps_socket_time_wait(w, fd, POLLOUT) & POLLOUT;
}

/* A splice from a pipe returns what there is, without waiting for more. */
static bool has_more(struct cps_eintr_restart_wait *w, int in, int out, unsigned flags)
{
	int bytes = 0;

	return !(flags & SPLICE_F_NONBLOCK) && cps_transfer_finish_is(in, S_IFIFO) &&
	       ioctl(in, FIONREAD, &bytes) == 0 && bytes > 0 && may_write(w, out);
}

/* The pages of a memory device that a pipe has room for. What does not wait says when it is full. */
static ssize_t fill(struct cps_eintr_restart_wait *w, int in, off64_t *from, int pipe, size_t n,
		    ssize_t done)
{
	int room = fcntl(pipe, F_GETPIPE_SZ);

	if (room > done && n > (size_t)room)
		n = (size_t)room;
	FINISH_COPY(LEFT, CPS_REAL(splice)(in, from, pipe, NULL, left, SPLICE_F_NONBLOCK));
	return done;
}

static bool is_filled(int in, int out)
{
	return cps_transfer_finish_is(out, S_IFIFO) && cps_transfer_finish_reads_all(in);
}

ssize_t cps_transfer_finish_sendfile(struct cps_eintr_restart_wait *w, int out, int in,
				     off64_t *from, size_t n, ssize_t done)
{
	if (is_filled(in, out))
		return fill(w, in, from, out, n, done);
	FINISH_COPY(may_write(w, out) ? LEFT : 0, CPS_REAL(sendfile64)(out, in, from, left));
	return done;
}

ssize_t cps_transfer_finish_splice(struct cps_eintr_restart_wait *w, int in, off64_t *from, int out,
				   off64_t *to, size_t n, unsigned flags, ssize_t done)
{
	if (is_filled(in, out))
		return fill(w, in, from, out, n, done);
	FINISH_COPY(has_more(w, in, out, flags) ? LEFT : 0,
		    CPS_REAL(splice)(in, from, out, to, left, flags));
	return done;
}

ssize_t cps_transfer_finish_copy(struct cps_eintr_restart_wait *w, int in, off64_t *from, int out,
				 off64_t *to, size_t n, unsigned flags, ssize_t done)
{
	FINISH_COPY(may_write(w, out) ? until_limit(out, to, LEFT) : 0,
		    CPS_REAL(copy_file_range)(in, from, out, to, left, flags));
	return done;
}

#define WRAP_COPY(name, parameters, arguments, out, rest)                                          \
	static __attribute__((noinline)) ssize_t name##_watched parameters                         \
	{                                                                                          \
		CPS_BLOCKS(CPS_IO, name);                                                          \
		CPS_EINTR_RESTART_WAIT w = cps_socket_time_begin();                                \
		bool is_cut;                                                                       \
		ssize_t done;                                                                      \
                                                                                                   \
		do                                                                                 \
			done = CPS_CUTTABLE(&is_cut, CPS_REAL(name) arguments);                    \
		while (done < 0 && cps_socket_time_again(&w, out, POLLOUT, EAGAIN));               \
		if (is_cut && done > 0)                                                            \
			done = rest;                                                               \
		cps_bytes_copy(done);                                                              \
		return done;                                                                       \
	}                                                                                          \
	CPS_EXPORT ssize_t name parameters                                                         \
	{                                                                                          \
		return cps_eintr_restart_is_plain() ? cps_real.name arguments                      \
						    : name##_watched arguments;                    \
	}

WRAP_COPY(sendfile, (int out, int in, off_t *offset, size_t n), (out, in, offset, n), out,
	  cps_transfer_finish_sendfile(&w, out, in, offset, n, done))
WRAP_COPY(sendfile64, (int out, int in, off64_t *offset, size_t n), (out, in, offset, n), out,
	  cps_transfer_finish_sendfile(&w, out, in, offset, n, done))
WRAP_COPY(splice, (int in, off64_t *from, int out, off64_t *to, size_t n, unsigned flags),
	  (in, from, out, to, n, flags), out,
	  cps_transfer_finish_splice(&w, in, from, out, to, n, flags, done))
WRAP_COPY(copy_file_range, (int in, off64_t *from, int out, off64_t *to, size_t n, unsigned flags),
	  (in, from, out, to, n, flags), out,
	  cps_transfer_finish_copy(&w, in, from, out, to, n, flags, done))

/* ---- random bytes ---------------------------------------------------------------------------- */

ssize_t cps_transfer_finish_random(struct cps_eintr_restart_wait *w, void *to, size_t n,
				   unsigned flags, ssize_t done)
{
	FINISH_COPY(flags & GRND_RANDOM ? 0 : LEFT,
		    CPS_REAL(getrandom)((char *)to + done, left, flags));
	return done;
}

static __attribute__((noinline)) ssize_t getrandom_watched(void *to, size_t n, unsigned flags)
{
	CPS_EINTR_RESTART_WAIT w = cps_eintr_restart_begin();
	bool is_cut;
	ssize_t done = CPS_CUTTABLE(&is_cut, CPS_REAL(getrandom)(to, n, flags));

	return is_cut && done > 0 ? cps_transfer_finish_random(&w, to, n, flags, done) : done;
}

CPS_EXPORT ssize_t getrandom(void *to, size_t n, unsigned flags)
{
	return cps_eintr_restart_is_plain() ? cps_real.getrandom(to, n, flags)
					    : getrandom_watched(to, n, flags);
}

/* ---- entries of directories ------------------------------------------------------------------ */

/* A call ends after any entry if a signal is there; otherwise, when the next one has no room. */
ssize_t cps_transfer_finish_entries(long number, int fd, void *to, size_t n, ssize_t done)
{
	bool is_cut = true;
	long more = 1;

	while (is_cut && more > 0) {
		more = CPS_CUTTABLE(&is_cut, cps_sys6(number, fd, (long)to + done,
						      (long)(n - (size_t)done), 0, 0, 0));
		done += more > 0 ? more : 0;
	}
	return done;
}

static __attribute__((noinline)) ssize_t getdents64_watched(int fd, void *to, size_t n)
{
	CPS_EINTR_RESTART_WAIT w = cps_eintr_restart_begin();
	bool is_cut;
	ssize_t done = CPS_CUTTABLE(&is_cut, CPS_REAL(getdents64)(fd, to, n));

	(void)w;
	return is_cut && done > 0 ? cps_transfer_finish_entries(SYS_getdents64, fd, to, n, done)
				  : done;
}

CPS_EXPORT ssize_t getdents64(int fd, void *to, size_t n)
{
	return cps_eintr_restart_is_plain() ? cps_real.getdents64(fd, to, n)
					    : getdents64_watched(fd, to, n);
}

/* ---- sockets --------------------------------------------------------------------------------- */
/*
 * Keeps our signals from ending connections on sockets that have a timeout, and the ends of those
 * that linger.
 *
 * In: connect and accept; close, dup2 and dup3. Out: the real calls, made again if need be. The
 * kernel restarts such calls, except on a socket with SO_RCVTIMEO or SO_SNDTIMEO; and what closes a
 * descriptor, held on one with SO_LINGER.
 */

static volatile bool has_lingering; /* the program has set how long sockets linger */

CPS_EXPORT int setsockopt(int fd, int level, int option, const void *value, socklen_t bytes)
{
	__typeof__(setsockopt) *next = &CPS_REAL(setsockopt);

	if (level == SOL_SOCKET && (option == SO_RCVTIMEO || option == SO_SNDTIMEO))
		cps_eintr_restart_watch_time();
	if (level == SOL_SOCKET && option == SO_LINGER)
		has_lingering = true;
	return next(fd, level, option, value, bytes);
}

/* ---- the end of a socket that lingers ----------------------------------------------------------- */

/* A signal ends the wait for what is still to be sent, and the result does not say so. */
#define CLOSING(name, parameters, arguments, closed)                                               \
	static __attribute__((noinline)) int name##_held parameters                                \
	{                                                                                          \
		return CPS_HELD(CPS_REAL(name) arguments);                                         \
	}                                                                                          \
	CPS_EXPORT int name parameters                                                             \
	{                                                                                          \
		__typeof__(name) *next = &CPS_REAL(name);                                          \
                                                                                                   \
		return has_lingering && lingers(closed) ? name##_held arguments : next arguments;  \
	}

/* Not where a filter might forbid the question. */
static __attribute__((noinline)) bool lingers(int fd)
{
	struct linger linger = {0, 0};
	socklen_t bytes = sizeof(linger);
	int error = errno;

	if (cps_eintr_restart_is_plain() || !cps_gate_is_open())
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
int cps_socket_time_connect(struct cps_eintr_restart_wait *w, int fd, __CONST_SOCKADDR_ARG address,
			    socklen_t bytes)
{
	int result = -1, family = AF_UNSPEC, late;
	socklen_t room = sizeof(family);

	getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &family, &room);
	errno = EINTR;
	late = family == AF_UNIX ? EAGAIN : EINPROGRESS;
	while (result < 0 && cps_socket_time_again(w, fd, POLLOUT, late))
		result = CPS_REAL(connect)(fd, address, bytes);
	if (result < 0 && errno == EALREADY)
		errno = late;
	return result;
}

static __attribute__((noinline)) int connect_watched(int fd, __CONST_SOCKADDR_ARG address,
						     socklen_t bytes)
{
	CPS_BLOCKS(CPS_IO, connect);
	CPS_EINTR_RESTART_WAIT w = cps_socket_time_begin();
	int result = CPS_REAL(connect)(fd, address, bytes);

	return result == 0 || errno != EINTR ? result
					     : cps_socket_time_connect(&w, fd, address, bytes);
}

CPS_EXPORT int connect(int fd, __CONST_SOCKADDR_ARG address, socklen_t bytes)
{
	return cps_eintr_restart_is_plain() ? cps_real.connect(fd, address, bytes)
					    : connect_watched(fd, address, bytes);
}

CPS_EXPORT int __connect(int fd, __CONST_SOCKADDR_ARG address, socklen_t bytes)
	__attribute__((alias("connect")));

#define WRAP_ACCEPT(name, parameters, arguments)                                                   \
	static __attribute__((noinline)) int name##_watched parameters                             \
	{                                                                                          \
		CPS_BLOCKS(CPS_WAIT, name);                                                        \
		CPS_EINTR_RESTART_WAIT w = cps_socket_time_begin();                                \
		int result;                                                                        \
                                                                                                   \
		do                                                                                 \
			result = CPS_REAL(name) arguments;                                         \
		while (result < 0 && cps_socket_time_again(&w, fd, POLLIN, EAGAIN));               \
		return result;                                                                     \
	}                                                                                          \
	CPS_EXPORT int name parameters                                                             \
	{                                                                                          \
		return cps_eintr_restart_is_plain() ? cps_real.name arguments                      \
						    : name##_watched arguments;                    \
	}

WRAP_ACCEPT(accept, (int fd, __SOCKADDR_ARG from, socklen_t *bytes), (fd, from, bytes))
WRAP_ACCEPT(accept4, (int fd, __SOCKADDR_ARG from, socklen_t *bytes, int flags),
	    (fd, from, bytes, flags))
