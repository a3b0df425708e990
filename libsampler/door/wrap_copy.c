/* SPDX-License-Identifier: MIT */
/*
 * wrap_copy.c - keeps our signals from ending copies within the kernel before their time.
 *
 * In: sendfile and the like, getrandom, getdents64. Out: the real calls, made again if they were cut short. The
 * kernel advances the offsets that the target has given.
 */
#undef _FORTIFY_SOURCE /* it would define these functions inline */
#include <errno.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/sys.h"
#include "door/bytes.h"
#include "door/socket_time.h"
#include "door/whole.h"

#define LEFT (cps_whole_most(n) - (size_t)done)

/* Makes the call again until everything is copied. `more` is how many bytes it may copy then. A call that is short
 * without a tick has met what would have ended the target's call, too. */
#define FINISH(more, call)                                                                         \
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
static bool may_write(struct cps_again_wait *w, int fd)
{
	if (cps_whole_is(fd, S_IFREG) || cps_whole_writes_all(fd))
		return true;
	return cps_whole_waits(fd) && !cps_whole_is(fd, S_IFIFO) &&
	       cps_socket_time_wait(w, fd, POLLOUT) & POLLOUT;
}

/* A splice from a pipe returns what there is, without waiting for more. */
static bool has_more(struct cps_again_wait *w, int in, int out, unsigned flags)
{
	int bytes = 0;

	return !(flags & SPLICE_F_NONBLOCK) && cps_whole_is(in, S_IFIFO) &&
	       ioctl(in, FIONREAD, &bytes) == 0 && bytes > 0 && may_write(w, out);
}

/* The pages of a memory device that a pipe has room for. What does not wait says when it is full. */
static ssize_t fill(struct cps_again_wait *w, int in, off64_t *from, int pipe, size_t n,
		    ssize_t done)
{
	int room = fcntl(pipe, F_GETPIPE_SZ);

	if (room > done && n > (size_t)room)
		n = (size_t)room;
	FINISH(LEFT, CPS_NEXT(splice)(in, from, pipe, NULL, left, SPLICE_F_NONBLOCK));
	return done;
}

static bool is_filled(int in, int out)
{
	return cps_whole_is(out, S_IFIFO) && cps_whole_reads_all(in);
}

ssize_t cps_whole_sendfile(struct cps_again_wait *w, int out, int in, off64_t *from, size_t n,
			   ssize_t done)
{
	if (is_filled(in, out))
		return fill(w, in, from, out, n, done);
	FINISH(may_write(w, out) ? LEFT : 0, CPS_NEXT(sendfile64)(out, in, from, left));
	return done;
}

ssize_t cps_whole_splice(struct cps_again_wait *w, int in, off64_t *from, int out, off64_t *to,
			 size_t n, unsigned flags, ssize_t done)
{
	if (is_filled(in, out))
		return fill(w, in, from, out, n, done);
	FINISH(has_more(w, in, out, flags) ? LEFT : 0,
	       CPS_NEXT(splice)(in, from, out, to, left, flags));
	return done;
}

ssize_t cps_whole_copy(struct cps_again_wait *w, int in, off64_t *from, int out, off64_t *to,
		       size_t n, unsigned flags, ssize_t done)
{
	FINISH(may_write(w, out) ? until_limit(out, to, LEFT) : 0,
	       CPS_NEXT(copy_file_range)(in, from, out, to, left, flags));
	return done;
}

#define WRAP(name, parameters, arguments, out, rest)                                               \
	static __attribute__((noinline)) ssize_t name##_watched parameters                         \
	{                                                                                          \
		CPS_BLOCKS(CPS_IO, name);                                                          \
		CPS_AGAIN_WAIT w = cps_socket_time_begin();                                        \
		bool is_cut;                                                                       \
		ssize_t done;                                                                      \
                                                                                                   \
		do                                                                                 \
			done = CPS_CUTTABLE(&is_cut, CPS_NEXT(name) arguments);                    \
		while (done < 0 && cps_socket_time_again(&w, out, POLLOUT, EAGAIN));               \
		if (is_cut && done > 0)                                                            \
			done = rest;                                                               \
		cps_bytes_copy(done);                                                              \
		return done;                                                                       \
	}                                                                                          \
	CPS_EXPORT ssize_t name parameters                                                         \
	{                                                                                          \
		return cps_again_is_plain() ? cps_again_next.name arguments                        \
					    : name##_watched arguments;                            \
	}

WRAP(sendfile, (int out, int in, off_t *offset, size_t n), (out, in, offset, n), out,
     cps_whole_sendfile(&w, out, in, offset, n, done))
WRAP(sendfile64, (int out, int in, off64_t *offset, size_t n), (out, in, offset, n), out,
     cps_whole_sendfile(&w, out, in, offset, n, done))
WRAP(splice, (int in, off64_t *from, int out, off64_t *to, size_t n, unsigned flags),
     (in, from, out, to, n, flags), out, cps_whole_splice(&w, in, from, out, to, n, flags, done))
WRAP(copy_file_range, (int in, off64_t *from, int out, off64_t *to, size_t n, unsigned flags),
     (in, from, out, to, n, flags), out, cps_whole_copy(&w, in, from, out, to, n, flags, done))

/* ---- random bytes ---------------------------------------------------------------------------- */

ssize_t cps_whole_random(struct cps_again_wait *w, void *to, size_t n, unsigned flags, ssize_t done)
{
	FINISH(flags & GRND_RANDOM ? 0 : LEFT, CPS_NEXT(getrandom)((char *)to + done, left, flags));
	return done;
}

static __attribute__((noinline)) ssize_t getrandom_watched(void *to, size_t n, unsigned flags)
{
	CPS_AGAIN_WAIT w = cps_again_begin();
	bool is_cut;
	ssize_t done = CPS_CUTTABLE(&is_cut, CPS_NEXT(getrandom)(to, n, flags));

	return is_cut && done > 0 ? cps_whole_random(&w, to, n, flags, done) : done;
}

CPS_EXPORT ssize_t getrandom(void *to, size_t n, unsigned flags)
{
	return cps_again_is_plain() ? cps_again_next.getrandom(to, n, flags)
				    : getrandom_watched(to, n, flags);
}

/* ---- entries of directories ------------------------------------------------------------------ */

/* A call ends after any entry if a signal is there; otherwise, when the next one has no room. */
ssize_t cps_whole_entries(long number, int fd, void *to, size_t n, ssize_t done)
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
	CPS_AGAIN_WAIT w = cps_again_begin();
	bool is_cut;
	ssize_t done = CPS_CUTTABLE(&is_cut, CPS_NEXT(getdents64)(fd, to, n));

	(void)w;
	return is_cut && done > 0 ? cps_whole_entries(SYS_getdents64, fd, to, n, done) : done;
}

CPS_EXPORT ssize_t getdents64(int fd, void *to, size_t n)
{
	return cps_again_is_plain() ? cps_again_next.getdents64(fd, to, n)
				    : getdents64_watched(fd, to, n);
}
