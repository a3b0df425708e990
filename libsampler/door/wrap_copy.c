/* SPDX-License-Identifier: MIT */
/*
 * wrap_copy.c - keeps our signals from ending copies within the kernel before their time.
 *
 * In: sendfile and the like, getrandom. Out: the real calls, made again if they were cut short. The
 * kernel advances the offsets that the target has given.
 */
#undef _FORTIFY_SOURCE /* it would define these functions inline */
#include <errno.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "door/bytes.h"
#include "door/socket_time.h"
#include "door/whole.h"

/* Makes the call again until everything is copied, if and when it may. A call that is short without a tick has met what
 * would have ended the target's call, too. */
#define FINISH(may, call)                                                                          \
	do {                                                                                       \
		ssize_t more_ = 1;                                                                 \
                                                                                                   \
		while (is_cut && more_ > 0 && (size_t)done < cps_whole_most(n) && (may)) {         \
			more_ = CPS_CUTTABLE(&is_cut, call);                                       \
			done += more_ > 0 ? more_ : 0;                                             \
		}                                                                                  \
		if (done > 0)                                                                      \
			errno = w->error;                                                          \
	} while (0)

/* A call that begins where files must end raises SIGXFSZ; one that only gets there does not. A call
 * that writes to a pipe only fills it, and no signal cuts it short. This waits by poll, which is never
 * restarted after a handler of the target's. */
static bool may_write(struct cps_again_wait *w, int fd)
{
	struct rlimit limit = {0, 0};

	if (!cps_whole_waits(fd) || cps_whole_is(fd, S_IFIFO) ||
	    !(cps_socket_time_wait(w, fd, POLLOUT) & POLLOUT))
		return false;
	return !cps_whole_is(fd, S_IFREG) ||
	       (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur == RLIM_INFINITY);
}

/* A splice from a pipe returns what there is, without waiting for more. */
static bool has_more(struct cps_again_wait *w, int in, int out, unsigned flags)
{
	int bytes = 0;

	return !(flags & SPLICE_F_NONBLOCK) && cps_whole_is(in, S_IFIFO) &&
	       ioctl(in, FIONREAD, &bytes) == 0 && bytes > 0 && may_write(w, out);
}

#define WRAP(name, parameters, arguments, out, may, rest)                                          \
	static __attribute__((noinline)) ssize_t name##_watched parameters                         \
	{                                                                                          \
		CPS_BLOCKS(CPS_IO, name);                                                          \
		struct cps_again_wait wait = cps_socket_time_begin(), *w = &wait;                  \
		bool is_cut;                                                                       \
		ssize_t done;                                                                      \
                                                                                                   \
		do                                                                                 \
			done = CPS_CUTTABLE(&is_cut, CPS_NEXT(name) arguments);                    \
		while (done < 0 && cps_socket_time_again(w, out, POLLOUT, EAGAIN));                \
		FINISH(may, CPS_NEXT(name) rest);                                                  \
		cps_bytes_copy(done);                                                              \
		return done;                                                                       \
	}                                                                                          \
	CPS_EXPORT ssize_t name parameters                                                         \
	{                                                                                          \
		return cps_again_is_plain() ? cps_again_next.name arguments                        \
					    : name##_watched arguments;                            \
	}

#define LEFT (cps_whole_most(n) - (size_t)done)

WRAP(sendfile, (int out, int in, off_t *offset, size_t n), (out, in, offset, n), out,
     may_write(w, out), (out, in, offset, LEFT))
WRAP(sendfile64, (int out, int in, off64_t *offset, size_t n), (out, in, offset, n), out,
     may_write(w, out), (out, in, offset, LEFT))
WRAP(splice, (int in, off64_t *from, int out, off64_t *to, size_t n, unsigned flags),
     (in, from, out, to, n, flags), out, has_more(w, in, out, flags),
     (in, from, out, to, LEFT, flags))
WRAP(copy_file_range, (int in, off64_t *from, int out, off64_t *to, size_t n, unsigned flags),
     (in, from, out, to, n, flags), out, may_write(w, out), (in, from, out, to, LEFT, flags))

ssize_t cps_whole_random(struct cps_again_wait *w, void *to, size_t n, unsigned flags, ssize_t done)
{
	bool is_cut = true;

	FINISH(!(flags & GRND_RANDOM), CPS_NEXT(getrandom)((char *)to + done, LEFT, flags));
	return done;
}

static __attribute__((noinline)) ssize_t getrandom_watched(void *to, size_t n, unsigned flags)
{
	CPS_AGAIN_WAIT w = cps_again_begin();
	bool is_cut;
	ssize_t done = CPS_CUTTABLE(&is_cut, CPS_NEXT(getrandom)(to, n, flags));

	return is_cut ? cps_whole_random(&w, to, n, flags, done) : done;
}

CPS_EXPORT ssize_t getrandom(void *to, size_t n, unsigned flags)
{
	return cps_again_is_plain() ? cps_again_next.getrandom(to, n, flags)
				    : getrandom_watched(to, n, flags);
}
