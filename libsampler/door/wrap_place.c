/* SPDX-License-Identifier: MIT */
/*
 * wrap_place.c - counts the bytes of reads and writes that begin at a given place of a file.
 *
 * In: pread, pwrite and the like. Out: the real calls. They are for files that can be seeked, where no signal
 * cuts a transfer short, so they are looked at only if bytes are counted.
 */
#undef _FORTIFY_SOURCE /* it would define these functions inline */
#include "door/again.h"
#include "door/bytes.h"

#define WRAP(name, parameters, arguments, count)                                                   \
	static __attribute__((noinline)) ssize_t name##_counted parameters                         \
	{                                                                                          \
		CPS_BLOCKS(CPS_IO, name);                                                          \
		ssize_t done = CPS_NEXT(name) arguments;                                           \
                                                                                                   \
		count(done);                                                                       \
		return done;                                                                       \
	}                                                                                          \
	CPS_EXPORT ssize_t name parameters                                                         \
	{                                                                                          \
		return cps_bytes_are_wanted() || cps_blocking_is_watched()                         \
			       ? name##_counted arguments                                          \
			       : CPS_NEXT(name) arguments;                                         \
	}

/* ---- reading --------------------------------------------------------------------------------- */

WRAP(pread, (int fd, void *to, size_t n, off_t at), (fd, to, n, at), cps_bytes_read)
WRAP(pread64, (int fd, void *to, size_t n, off64_t at), (fd, to, n, at), cps_bytes_read)
WRAP(__pread_chk, (int fd, void *to, size_t n, off_t at, size_t room), (fd, to, n, at, room),
     cps_bytes_read)
WRAP(__pread64_chk, (int fd, void *to, size_t n, off64_t at, size_t room), (fd, to, n, at, room),
     cps_bytes_read)
WRAP(preadv, (int fd, const struct iovec *to, int n, off_t at), (fd, to, n, at), cps_bytes_read)
WRAP(preadv64, (int fd, const struct iovec *to, int n, off64_t at), (fd, to, n, at), cps_bytes_read)
WRAP(preadv2, (int fd, const struct iovec *to, int n, off_t at, int flags), (fd, to, n, at, flags),
     cps_bytes_read)
WRAP(preadv64v2, (int fd, const struct iovec *to, int n, off64_t at, int flags),
     (fd, to, n, at, flags), cps_bytes_read)

/* ---- writing --------------------------------------------------------------------------------- */

WRAP(pwrite, (int fd, const void *from, size_t n, off_t at), (fd, from, n, at), cps_bytes_write)
WRAP(pwrite64, (int fd, const void *from, size_t n, off64_t at), (fd, from, n, at), cps_bytes_write)
WRAP(pwritev, (int fd, const struct iovec *from, int n, off_t at), (fd, from, n, at),
     cps_bytes_write)
WRAP(pwritev64, (int fd, const struct iovec *from, int n, off64_t at), (fd, from, n, at),
     cps_bytes_write)
WRAP(pwritev2, (int fd, const struct iovec *from, int n, off_t at, int flags),
     (fd, from, n, at, flags), cps_bytes_write)
WRAP(pwritev64v2, (int fd, const struct iovec *from, int n, off64_t at, int flags),
     (fd, from, n, at, flags), cps_bytes_write)

CPS_EXPORT ssize_t __pread64(int fd, void *to, size_t n, off64_t at)
	__attribute__((alias("pread64")));
CPS_EXPORT ssize_t __pwrite64(int fd, const void *from, size_t n, off64_t at)
	__attribute__((alias("pwrite64")));
