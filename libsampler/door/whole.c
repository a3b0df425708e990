/* SPDX-License-Identifier: MIT */
/*
 * whole.c - transfers what a tick has left over, as the kernel would have done in the same call.
 *
 * In: a transfer that was cut short. Out: the count that the target gets. On sockets this waits by
 * poll, and transfers without waiting. So an error of the socket is not taken away, and is found by
 * the target's next call, as it would be without us.
 */
#undef _FORTIFY_SOURCE /* it would define the wrapped functions inline */
#include <errno.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <termios.h>

#include "base/sys.h"
#include "door/socket_time.h"
#include "door/whole.h"

#define PIECES 16
#define MOST   0x7ffff000 /* bytes that the kernel transfers in one call (read(2)) */

/* A transfer, of which `done` bytes were made. */
struct transfer {
	struct cps_again_wait *wait;
	int fd, flags;
	const struct iovec *all;
	size_t n, done;
};

size_t cps_whole_bytes(const struct iovec *all, size_t n)
{
	size_t bytes = 0;

	for (size_t i = 0; i < n; i++)
		bytes += all[i].iov_len;
	return cps_whole_most(bytes);
}

size_t cps_whole_most(size_t n)
{
	return n < MOST ? n : MOST;
}

bool cps_whole_waits(int fd)
{
	long flags = CPS_SYS(fcntl, fd, F_GETFL, 0, 0);

	return flags >= 0 && !(flags & O_NONBLOCK);
}

static bool get_status(int fd, struct stat *s)
{
	return CPS_SYS(fstat, fd, s, 0, 0) == 0;
}

bool cps_whole_is(int fd, unsigned type)
{
	struct stat s;

	return get_status(fd, &s) && (s.st_mode & S_IFMT) == type;
}

/* Other sockets transfer a message in one piece. Neither MSG_WAITALL nor SO_RCVLOWAT makes them wait
 * for another one. */
static bool is_stream(int fd)
{
	int type = 0;
	socklen_t bytes = sizeof(type);

	return getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &bytes) == 0 && type == SOCK_STREAM;
}

/* The next buffers, up to byte `end` of the transfer. Returns their number; *bytes is their sum. */
static int next_pieces(const struct transfer *t, size_t end, struct iovec pieces[PIECES],
		       size_t *bytes)
{
	size_t skip = t->done;
	int count = 0;

	*bytes = 0;
	for (size_t i = 0; i < t->n && count < PIECES && t->done + *bytes < end; i++) {
		struct iovec v = t->all[i];
		size_t skipped = skip < v.iov_len ? skip : v.iov_len;

		skip -= skipped;
		v.iov_base = (char *)v.iov_base + skipped;
		v.iov_len -= skipped;
		if (v.iov_len > end - t->done - *bytes)
			v.iov_len = end - t->done - *bytes;
		if (!v.iov_len)
			continue;
		*bytes += v.iov_len;
		pieces[count++] = v;
	}
	return count;
}

/* Transfers a part, neither to nor from a socket. False: that failed, or it is short without a tick,
 * and so has met what would have ended the target's call, too. */
static bool transfer_more(struct transfer *t, size_t end, __typeof__(readv) *call)
{
	struct iovec pieces[PIECES];
	bool is_cut;
	size_t bytes;
	int count = next_pieces(t, end, pieces, &bytes);
	ssize_t result = CPS_CUTTABLE(&is_cut, call(t->fd, pieces, count));

	t->done += result > 0 ? (size_t)result : 0;
	return result > 0 && (is_cut || (size_t)result == bytes);
}

/* ---- writing --------------------------------------------------------------------------------- */

static bool is_terminal(int fd)
{
	struct termios settings;

	return cps_whole_is(fd, S_IFCHR) && tcgetattr(fd, &settings) == 0;
}

/* Pipes and terminals. The kernel restarts a call that has transferred nothing, even after a handler
 * of the target's; the target's own call, which had transferred something, has ended then. So this
 * waits by poll, which is never restarted, until there is room. */
static void write_rest(struct transfer *t, size_t end)
{
	while (t->done < end && cps_socket_time_wait(t->wait, t->fd, POLLOUT) &&
	       transfer_more(t, end, &CPS_NEXT(writev)))
		;
}

/* Waits for a socket. An error of the socket stays for the target's next call. */
static bool is_ready(struct transfer *t, short events)
{
	int found = cps_socket_time_wait(t->wait, t->fd, events);

	return found && !(found & (POLLERR | POLLNVAL));
}

/* The socket may say that it is writable and still have no room for anything; then this waits in the
 * call. Memory that is sent without copying has its own rules for the target's next calls, so the rest
 * is copied. */
static void send_rest(struct transfer *t, size_t end)
{
	int flags = t->flags & ~(MSG_ZEROCOPY | MSG_FASTOPEN), dont_wait = MSG_DONTWAIT;
	struct iovec pieces[PIECES];
	struct msghdr message = {.msg_iov = pieces};
	ssize_t sent;
	size_t bytes;

	while (t->done < end && is_ready(t, POLLOUT)) {
		message.msg_iovlen = (size_t)next_pieces(t, end, pieces, &bytes);
		sent = CPS_NEXT(sendmsg)(t->fd, &message, flags | MSG_NOSIGNAL | dont_wait);
		if (sent > 0)
			t->done += (size_t)sent;
		else if (!dont_wait || sent == 0 || errno != EAGAIN)
			return;
		dont_wait = sent > 0 ? MSG_DONTWAIT : 0;
	}
}

ssize_t cps_whole_write(struct cps_again_wait *w, int fd, const struct iovec *all, size_t n,
			int flags, ssize_t done)
{
	struct transfer t = {w, fd, flags, all, n, (size_t)done};
	size_t end = cps_whole_bytes(all, n);

	if (t.done < end && !(flags & MSG_DONTWAIT) && cps_whole_waits(fd)) {
		if (is_stream(fd))
			send_rest(&t, end);
		else if (cps_whole_is(fd, S_IFIFO) || is_terminal(fd))
			write_rest(&t, end);
	}
	errno = w->error;
	return (ssize_t)t.done;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* How many bytes the call waits for. A call that has got as many returns what it has. */
static size_t socket_waits_for(const struct transfer *t, size_t end)
{
	int least = 1;
	socklen_t bytes = sizeof(least);

	if (t->flags & MSG_WAITALL)
		return end;
	getsockopt(t->fd, SOL_SOCKET, SO_RCVLOWAT, &least, &bytes);
	return least > 0 && (size_t)least < end ? (size_t)least : end;
}

/* MSG_CTRUNC says that descriptors came with these bytes, and dropped. A call ends after such
 * bytes. */
static void receive_rest(struct transfer *t, size_t end)
{
	int flags = (t->flags & ~MSG_WAITALL) | MSG_DONTWAIT;
	struct iovec pieces[PIECES];
	size_t bytes;

	while (t->done < end && is_ready(t, POLLIN)) {
		struct msghdr message = {.msg_iov = pieces};
		ssize_t got;

		message.msg_iovlen = (size_t)next_pieces(t, end, pieces, &bytes);
		got = CPS_NEXT(recvmsg)(t->fd, &message, flags);
		if (got > 0)
			t->done += (size_t)got;
		else if (got == 0 || errno != EAGAIN)
			return;
		if (got > 0 && message.msg_flags & MSG_CTRUNC)
			return;
	}
}

/* Whether a read of this file is short only after a signal: /dev/zero, /dev/random, /dev/urandom. No
 * signal cuts short a read of a file on a disk, unless it kills. Other regular files, such as those in
 * /proc, return one record at a time. */
static bool is_never_short(int fd)
{
	struct stat s;

	if (!get_status(fd, &s) || !S_ISCHR(s.st_mode))
		return false;
	return s.st_rdev == makedev(1, 5) || s.st_rdev == makedev(1, 8) ||
	       s.st_rdev == makedev(1, 9);
}

ssize_t cps_whole_read(struct cps_again_wait *w, int fd, const struct iovec *all, size_t n,
		       int flags, ssize_t done)
{
	struct transfer t = {w, fd, flags, all, n, (size_t)done};
	size_t end = cps_whole_bytes(all, n);

	if (t.done < end && !(flags & (MSG_DONTWAIT | MSG_PEEK)) && cps_whole_waits(fd)) {
		if (is_stream(fd))
			receive_rest(&t, socket_waits_for(&t, end));
		else if (is_never_short(fd))
			while (t.done < end && transfer_more(&t, end, &CPS_NEXT(readv)))
				;
	}
	errno = w->error;
	return (ssize_t)t.done;
}

/* Control data comes with the bytes before which it was sent, and ends a call. The kernel has
 * overwritten msg_controllen. */
ssize_t cps_whole_message(struct cps_again_wait *w, int fd, const struct msghdr *m, int flags,
			  ssize_t done)
{
	return m->msg_control || m->msg_flags & MSG_CTRUNC
		       ? done
		       : cps_whole_read(w, fd, m->msg_iov, m->msg_iovlen, flags, done);
}
