/* SPDX-License-Identifier: MIT */
/*
 * transfer_finish.c - transfers what a tick has left over, as the kernel would have done in the
 * same call.
 *
 * In: a transfer that was cut short. Out: the count that the target gets. On sockets this waits by
 * poll, and transfers without waiting. So an error of the socket is not taken away, and is found by
 * the target's next call, as it would be without us.
 */
#undef _FORTIFY_SOURCE /* it would define the wrapped functions inline */
#include <errno.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/sys.h"
#include "signal/gate.h"
#include "wrap/eintr_restart.h"
#include "wrap/transfer_finish.h"

#define PIECES 2	  /* buffers in one call */
#define MOST   0x7ffff000 /* bytes that the kernel transfers in one call (read(2)) */

/* Threads may have little stack: what such functions have on it is not there while others wait. */
#define LITTLE __attribute__((noinline))

/* A transfer, of which `done` bytes were made. */
struct transfer {
	struct cps_eintr_restart_wait *wait;
	int fd, flags;
	const struct iovec *all;
	unsigned n;
	bool is_one; /* CPS_WHOLE_ONE */
	size_t done;
	off64_t at;		/* the place of the file where it began; -1: where the file is */
	struct msghdr *message; /* the target's, if it has room for control data; else NULL */
	size_t room;		/* for that data */
};

static unsigned number_of(size_t n)
{
	return n == CPS_WHOLE_ONE ? 1 : (unsigned)n;
}

static inline __attribute__((always_inline)) struct transfer
transfer_of(struct cps_eintr_restart_wait *w, int fd, int flags, const struct iovec *all, size_t n,
	    ssize_t done, off64_t at)
{
	return (struct transfer){
		w, fd, flags, all, number_of(n), n == CPS_WHOLE_ONE, (size_t)done, at, NULL, 0};
}

size_t cps_transfer_finish_bytes(const struct iovec *all, size_t n)
{
	size_t bytes = 0;

	for (size_t i = 0; i < number_of(n); i++)
		bytes += all[i].iov_len;
	return cps_transfer_finish_most(bytes);
}

size_t cps_transfer_finish_most(size_t n)
{
	return n < MOST ? n : MOST;
}

bool cps_transfer_finish_waits(int fd)
{
	long flags = CPS_SYS(fcntl, fd, F_GETFL, 0, 0);

	return flags >= 0 && !(flags & O_NONBLOCK);
}

static bool get_status(int fd, struct stat *s)
{
	return CPS_SYS(fstat, fd, s, 0, 0) == 0;
}

LITTLE bool cps_transfer_finish_is(int fd, unsigned type)
{
	struct stat s;

	return get_status(fd, &s) && (s.st_mode & S_IFMT) == type;
}

/* Other sockets transfer a message in one piece. Neither MSG_WAITALL nor SO_RCVLOWAT makes them wait
 * for another one. */
static LITTLE bool is_stream(int fd)
{
	int type = 0;
	socklen_t bytes = sizeof(type);

	return getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &bytes) == 0 && type == SOCK_STREAM;
}

/* The next buffers, up to byte `end` of the transfer. Returns their number; *bytes is their sum. */
static LITTLE int next_pieces(const struct transfer *t, size_t end, struct iovec pieces[PIECES],
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

static LITTLE ssize_t call(const struct transfer *t, bool writes, const struct iovec *pieces,
			   int count)
{
	off64_t at = t->at + (off64_t)t->done;

	if (t->at < 0)
		return writes ? CPS_REAL(writev)(t->fd, pieces, count)
			      : CPS_REAL(readv)(t->fd, pieces, count);
	return writes ? CPS_REAL(pwritev64)(t->fd, pieces, count, at)
		      : CPS_REAL(preadv64)(t->fd, pieces, count, at);
}

/* Counts what the call has transferred. False: it failed, or is short without a tick. */
static inline __attribute__((always_inline)) bool goes_on(struct transfer *t, ssize_t result,
							  size_t wanted, bool is_cut)
{
	t->done += result > 0 ? (size_t)result : 0;
	return result > 0 && (is_cut || (size_t)result == wanted);
}

static LITTLE bool transfer_pieces(struct transfer *t, size_t end, bool writes)
{
	struct iovec pieces[PIECES];
	bool is_cut;
	size_t bytes;
	int count = next_pieces(t, end, pieces, &bytes);
	ssize_t result = CPS_CUTTABLE(&is_cut, call(t, writes, pieces, count));

	return goes_on(t, result, bytes, is_cut);
}

/* By the function of the target's call, or one of its family: call stacks show it. */
static LITTLE ssize_t call_one(const struct transfer *t, bool writes, size_t n)
{
	char *at = (char *)t->all->iov_base + t->done;
	off64_t place = t->at + (off64_t)t->done;

	if (t->at < 0)
		return writes ? CPS_REAL(write)(t->fd, at, n) : CPS_REAL(read)(t->fd, at, n);
	return writes ? CPS_REAL(pwrite64)(t->fd, at, n, place)
		      : CPS_REAL(pread64)(t->fd, at, n, place);
}

static LITTLE bool transfer_one(struct transfer *t, size_t end, bool writes)
{
	size_t bytes = end - t->done;
	bool is_cut;
	ssize_t result = CPS_CUTTABLE(&is_cut, call_one(t, writes, bytes));

	return goes_on(t, result, bytes, is_cut);
}

/* Transfers a part, neither to nor from a socket. False: that failed, or it is short without a tick,
 * and so has met what would have ended the target's call, too. */
static bool transfer_more(struct transfer *t, size_t end, bool writes)
{
	return t->is_one ? transfer_one(t, end, writes) : transfer_pieces(t, end, writes);
}

/* The character device that it is, or 0. */
static LITTLE dev_t device_of(int fd)
{
	struct stat s;

	return get_status(fd, &s) && S_ISCHR(s.st_mode) ? s.st_rdev : 0;
}

/* /dev/mem, /dev/full and /dev/zero; /dev/random and /dev/urandom, and /dev/hwrng is like these. Writes to /dev/zero
 * and the like take no time. No signal cuts short a read or a write of a file on a disk, unless it kills. Other regular
 * files, such as those in /proc, return one record at a time. */
static bool is_memory_device(dev_t device, uint32_t minors)
{
	return major(device) == 1 && minor(device) < 32 && minors >> minor(device) & 1;
}

static bool reads_all(dev_t device)
{
	return is_memory_device(device, 1 << 1 | 1 << 5 | 1 << 7 | 1 << 8 | 1 << 9) ||
	       device == makedev(10, 183);
}

static bool writes_all(dev_t device)
{
	return is_memory_device(device, 1 << 1 | 1 << 8 | 1 << 9);
}

bool cps_transfer_finish_reads_all(int fd)
{
	return reads_all(device_of(fd));
}

bool cps_transfer_finish_writes_all(int fd)
{
	return writes_all(device_of(fd));
}

/* Transfers the rest to or from a memory device, whether or not it waits elsewhere. False: it is another file. */
static inline __attribute__((always_inline)) bool finish_memory(struct transfer *t, size_t end,
								bool writes)
{
	const dev_t device = device_of(t->fd);

	if (writes ? !writes_all(device) : !reads_all(device))
		return false;
	while (t->done < end && transfer_more(t, end, writes))
		;
	return true;
}

/* ---- writing --------------------------------------------------------------------------------- */

static LITTLE bool is_terminal(int fd)
{
	char settings[64]; /* some 40 of them */

	return cps_transfer_finish_is(fd, S_IFCHR) && CPS_SYS(ioctl, fd, TCGETS, settings, 0) == 0;
}

/* Pipes and terminals. The kernel restarts a call that has transferred nothing, even after a handler
 * of the target's; the target's own call, which had transferred something, has ended then. So this
 * waits by poll, which is never restarted, until there is room. */
static void write_rest(struct transfer *t, size_t end)
{
	while (t->done < end && cps_socket_time_wait(t->wait, t->fd, POLLOUT) &&
	       transfer_more(t, end, true))
		;
}

/* Waits for a socket. An error of the socket stays for the target's next call. */
static bool is_ready(struct transfer *t, short events)
{
	int found = cps_socket_time_wait(t->wait, t->fd, events);

	return found && !(found & (POLLERR | POLLNVAL));
}

/* Sends a part. The socket may have said that it is writable and still have no room for anything; then the next part
 * waits in the call, without *dont_wait. Memory that is sent without copying has its own rules for the target's next
 * calls, so the rest is copied. False: that was all. */
static LITTLE bool send_more(struct transfer *t, size_t end, int *dont_wait)
{
	int flags = (t->flags & ~(MSG_ZEROCOPY | MSG_FASTOPEN)) | MSG_NOSIGNAL | *dont_wait;
	struct iovec pieces[PIECES];
	struct msghdr message = {.msg_iov = pieces};
	ssize_t sent;
	size_t bytes;

	message.msg_iovlen = (size_t)next_pieces(t, end, pieces, &bytes);
	sent = t->is_one ? CPS_REAL(send)(t->fd, pieces->iov_base, bytes, flags)
			 : CPS_REAL(sendmsg)(t->fd, &message, flags);
	if (sent > 0)
		t->done += (size_t)sent;
	else if (!*dont_wait || sent == 0 || errno != EAGAIN)
		return false;
	*dont_wait = sent > 0 ? MSG_DONTWAIT : 0;
	return true;
}

static void send_rest(struct transfer *t, size_t end)
{
	int dont_wait = MSG_DONTWAIT;

	while (t->done < end && is_ready(t, POLLOUT) && send_more(t, end, &dont_wait))
		;
}

ssize_t cps_transfer_finish_write(struct cps_eintr_restart_wait *w, int fd, const struct iovec *all,
				  size_t n, int flags, ssize_t done)
{
	struct transfer t = transfer_of(w, fd, flags, all, n, done, -1);
	size_t end = cps_transfer_finish_bytes(all, n);

	if (t.done < end && !(flags & MSG_DONTWAIT) && !finish_memory(&t, end, true) &&
	    cps_transfer_finish_waits(fd)) {
		if (is_stream(fd))
			send_rest(&t, end);
		else if (cps_transfer_finish_is(fd, S_IFIFO) || is_terminal(fd))
			write_rest(&t, end);
	}
	errno = w->error;
	return (ssize_t)t.done;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* How many bytes the call waits for. A call that has got as many returns what it has. */
static LITTLE size_t socket_waits_for(const struct transfer *t, size_t end)
{
	int least = 1;
	socklen_t bytes = sizeof(least);

	if (t->flags & MSG_WAITALL)
		return end;
	getsockopt(t->fd, SOL_SOCKET, SO_RCVLOWAT, &least, &bytes);
	return least > 0 && (size_t)least < end ? (size_t)least : end;
}

/* The same room for control data as the target's call has. */
static void set_control(const struct transfer *t, struct msghdr *message)
{
	message->msg_control = t->message ? t->message->msg_control : NULL;
	message->msg_controllen = t->room;
}

/* Whether control data came with these bytes, or did not have room. A call ends after such bytes. */
static bool has_control(const struct transfer *t, const struct msghdr *message)
{
	if (t->message) {
		t->message->msg_controllen = message->msg_controllen;
		t->message->msg_flags |= message->msg_flags;
	}
	return message->msg_controllen || message->msg_flags & MSG_CTRUNC;
}

/* Receives a part. False: that was all. */
static LITTLE bool receive_more(struct transfer *t, size_t end)
{
	int flags = (t->flags & ~MSG_WAITALL) | MSG_DONTWAIT;
	struct iovec pieces[PIECES];
	struct msghdr message = {.msg_iov = pieces};
	size_t bytes;
	ssize_t got;

	set_control(t, &message);
	message.msg_iovlen = (size_t)next_pieces(t, end, pieces, &bytes);
	got = CPS_REAL(recvmsg)(t->fd, &message, flags);
	if (got > 0)
		t->done += (size_t)got;
	else if (got == 0 || errno != EAGAIN)
		return false;
	return got <= 0 || !has_control(t, &message);
}

static void receive_rest(struct transfer *t, size_t end)
{
	while (t->done < end && is_ready(t, POLLIN) && receive_more(t, end))
		;
}

/* Whether a call that takes nothing gives the same again, and has no time of which a part is over. */
static LITTLE bool can_peek_again(int fd)
{
	struct timeval limit = {0, 0};
	socklen_t bytes = sizeof(limit), at_bytes = sizeof(int);
	int at = -1;

	return getsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, &bytes) == 0 && !limit.tv_sec &&
	       !limit.tv_usec &&
	       (getsockopt(fd, SOL_SOCKET, SO_PEEK_OFF, &at, &at_bytes) != 0 || at < 0);
}

/* Makes the whole call again. False: that was all. */
static LITTLE bool peek_again(struct transfer *t)
{
	struct msghdr message = {.msg_iov = (struct iovec *)t->all, .msg_iovlen = t->n};
	bool is_cut;
	ssize_t got;

	set_control(t, &message);
	got = CPS_CUTTABLE(&is_cut, CPS_REAL(recvmsg)(t->fd, &message, t->flags));
	if (got <= 0)
		return false;
	t->done = (size_t)got;
	return !has_control(t, &message) && is_cut;
}

static void receive(struct transfer *t, size_t end)
{
	end = socket_waits_for(t, end);
	if (!(t->flags & MSG_PEEK))
		receive_rest(t, end);
	else if (can_peek_again(t->fd))
		while (t->done < end && peek_again(t))
			;
}

static size_t bytes_there(int fd)
{
	int bytes = 0;

	return CPS_SYS(ioctl, fd, FIONREAD, &bytes, 0) == 0 && bytes > 0 ? (size_t)bytes : 0;
}

/* Reads on until the terminal has given as many bytes as a call waits for. If there is a time between two bytes, poll tells
 * of each one; otherwise only of all that a call waits for, and so this one waits in read, for no more than it needs.
 * When the last byte came is not known, so that its time begins now. */
static LITTLE void read_terminal(struct transfer *t, size_t end)
{
	uint64_t gap;
	size_t least = cps_sys_terminal_least(t->fd, &gap);

	if (t->done >= least)
		return;
	least = least < end ? least : end;
	while (t->done < least) {
		size_t until = least;

		if (gap) {
			t->wait->until = cps_eintr_restart_now(t->wait) + gap;
			if (!(cps_socket_time_wait_until(t->wait, t->fd, POLLIN) & POLLIN))
				return;
			until = t->done + bytes_there(t->fd);
		}
		if (!transfer_more(t, until < end ? until : end, false))
			return;
	}
	least = t->done + bytes_there(t->fd);
	if (t->done < least && t->done < end)
		transfer_more(t, least < end ? least : end, false);
}

static inline __attribute__((always_inline)) ssize_t finish_read(struct transfer *t)
{
	size_t end = cps_transfer_finish_bytes(t->all, t->n);

	if (t->done < end && !(t->flags & MSG_DONTWAIT) && !finish_memory(t, end, false) &&
	    cps_transfer_finish_waits(t->fd)) {
		if (is_stream(t->fd))
			receive(t, end);
		else if (cps_transfer_finish_is(t->fd, S_IFCHR))
			read_terminal(t, end);
	}
	errno = t->wait->error;
	return (ssize_t)t->done;
}

ssize_t cps_transfer_finish_read(struct cps_eintr_restart_wait *w, int fd, const struct iovec *all,
				 size_t n, int flags, ssize_t done)
{
	struct transfer t = transfer_of(w, fd, flags, all, n, done, -1);

	return finish_read(&t);
}

/* ---- at a place of the file ------------------------------------------------------------------- */

/* Only memory devices are both cut short and have places. With RWF_NOWAIT they may be short anyway. */
static ssize_t finish_at(struct transfer *t, bool writes, int flags)
{
	size_t end = cps_transfer_finish_bytes(t->all, t->n);

	if (t->done < end && !(flags & RWF_NOWAIT))
		finish_memory(t, end, writes);
	errno = t->wait->error;
	return (ssize_t)t->done;
}

ssize_t cps_transfer_finish_write_at(struct cps_eintr_restart_wait *w, int fd,
				     const struct iovec *all, size_t n, off64_t at, int flags,
				     ssize_t done)
{
	struct transfer t = transfer_of(w, fd, 0, all, n, done, at);

	return finish_at(&t, true, flags);
}

ssize_t cps_transfer_finish_read_at(struct cps_eintr_restart_wait *w, int fd,
				    const struct iovec *all, size_t n, off64_t at, int flags,
				    ssize_t done)
{
	struct transfer t = transfer_of(w, fd, 0, all, n, done, at);

	return finish_at(&t, false, flags);
}

/* ---- messages --------------------------------------------------------------------------------- */

size_t cps_transfer_finish_read_room(const struct msghdr *m)
{
	return cps_gate_is_open() && cps_sys_readable((uintptr_t)&m->msg_controllen)
		       ? m->msg_controllen
		       : 0;
}

/* Control data comes with the bytes before which it was sent, and ends a call. The kernel has overwritten
 * msg_controllen: it is 0 if none has come. */
ssize_t cps_transfer_finish_message(struct cps_eintr_restart_wait *w, int fd, struct msghdr *m,
				    size_t room, int flags, ssize_t done)
{
	struct transfer t = transfer_of(w, fd, flags, m->msg_iov, m->msg_iovlen, done, -1);

	if (m->msg_flags & MSG_CTRUNC || (m->msg_control && (!room || m->msg_controllen)))
		return done;
	if (m->msg_control) {
		t.message = m;
		t.room = room;
	}
	return finish_read(&t);
}
