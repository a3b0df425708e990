/* SPDX-License-Identifier: MIT */
/*
 * wrap_file.c - notes where threads are blocked when they open files, or lock parts of them; and
 * keeps our signals from ending what drivers and file systems do.
 *
 * In: calls with a variable number of arguments, and those that belong to them. Out: the real
 * calls. An open of a pipe with a name waits for the other end, and any open may wait for a disk or
 * a network. The kernel goes on with opens after a tick. Unless `real` or `lock` is counted, each
 * wrapper is two loads and a jump; those of ioctl and fallocate are more if our signals come inside
 * of calls.
 */
#undef _FORTIFY_SOURCE /* it would define these functions inline */
#include <errno.h>
#include <fcntl.h>
#include <linux/btrfs.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/swap.h>

#include "resource/lock.h"
#include "wrap/eintr_restart.h"
#include "wrap/wrap.h"

#define NO_CALL (errno = ENOSYS, -1)

/* `declaration` declares what of the real call's arguments is variable. */
#define WRAP(name, parameters, counted_parameters, arguments, declaration)                         \
	static __attribute__((noinline)) int name##_counted counted_parameters                     \
	{                                                                                          \
		CPS_BLOCKS_IN(CPS_IO, cps_real.name);                                              \
                                                                                                   \
		return cps_real.name arguments;                                                    \
	}                                                                                          \
	CPS_EXPORT int name parameters                                                             \
	{                                                                                          \
		declaration;                                                                       \
		CPS_REAL_FIRST(name, NO_CALL);                                                     \
		return cps_blocking_is_watched() ? name##_counted arguments                        \
						 : cps_real.name arguments;                        \
	}

/* The mode is given only where a file may be made; otherwise this is any number, which nobody reads. */
#define MODE                                                                                       \
	va_list rest;                                                                              \
	mode_t mode;                                                                               \
                                                                                                   \
	va_start(rest, flags);                                                                     \
	mode = va_arg(rest, mode_t);                                                               \
	va_end(rest)

#define OPEN(name)                                                                                 \
	WRAP(name, (const char *path, int flags, ...), (const char *path, int flags, mode_t mode), \
	     (path, flags, mode), MODE)
#define OPEN_AT(name)                                                                              \
	WRAP(name, (int directory, const char *path, int flags, ...),                              \
	     (int directory, const char *path, int flags, mode_t mode),                            \
	     (directory, path, flags, mode), MODE)
#define PLAIN(name, parameters, arguments) WRAP(name, parameters, parameters, arguments, )

OPEN(open)
OPEN(open64)
OPEN_AT(openat)
OPEN_AT(openat64)
PLAIN(creat, (const char *path, mode_t mode), (path, mode))
PLAIN(creat64, (const char *path, mode_t mode), (path, mode))
PLAIN(__open_2, (const char *path, int flags), (path, flags))
PLAIN(__open64_2, (const char *path, int flags), (path, flags))
PLAIN(__openat_2, (int directory, const char *path, int flags), (directory, path, flags))
PLAIN(__openat64_2, (int directory, const char *path, int flags), (directory, path, flags))

/* Of its commands these two wait for a lock; who holds it is not known. */
static bool waits(int command)
{
	return (command == F_SETLKW || command == F_OFD_SETLKW) &&
	       (cps_blocking_is_watched() || cps_lock_is_on());
}

#define CONTROL(name)                                                                              \
	static __attribute__((noinline)) int name##_counted(int fd, int command, void *argument)   \
	{                                                                                          \
		CPS_WAITS_FOR(NULL, CPS_LOCK_FILE);                                                \
		CPS_BLOCKS_IN(CPS_LOCK, cps_real.name);                                            \
                                                                                                   \
		return cps_real.name(fd, command, argument);                                       \
	}                                                                                          \
	CPS_EXPORT int name(int fd, int command, ...)                                              \
	{                                                                                          \
		va_list rest;                                                                      \
		void *argument;                                                                    \
                                                                                                   \
		va_start(rest, command);                                                           \
		argument = va_arg(rest, void *);                                                   \
		va_end(rest);                                                                      \
		CPS_REAL_FIRST(name, NO_CALL);                                                     \
		return waits(command) ? name##_counted(fd, command, argument)                      \
				      : cps_real.name(fd, command, argument);                      \
	}

CONTROL(fcntl)
CONTROL(fcntl64)

/* ---- drivers --------------------------------------------------------------------------------- */

/* A break that a signal cuts short is on the line nevertheless. Btrfs stops where it is, and says EAGAIN. */
bool cps_wrap_file_holds(long request, long argument)
{
	switch ((unsigned)request) {
	case TCSBRK:
		return !argument;
	case TCSBRKP:
	case BTRFS_IOC_DEFRAG:
	case BTRFS_IOC_DEFRAG_RANGE:
		return true;
	default:
		return false;
	}
}

static __attribute__((noinline)) int ioctl_held(int fd, unsigned long request, void *argument)
{
	return CPS_HELD(cps_real.ioctl(fd, request, argument));
}

/* Some drivers do not let the kernel make a call again. One that has failed with EINTR has done nothing, but for those
 * above. */
static __attribute__((noinline)) int ioctl_watched(int fd, unsigned long request, void *argument)
{
	CPS_EINTR_RESTART_WAIT w = cps_eintr_restart_wait_of(cps_eintr_restart_start(), 0);

	cps_transfer_cut_number();
	return CPS_EINTR_RESTART(w, cps_real.ioctl(fd, request, argument));
}

CPS_EXPORT int ioctl(int fd, unsigned long request, ...)
{
	va_list rest;
	void *argument;

	va_start(rest, request);
	argument = va_arg(rest, void *);
	va_end(rest);
	CPS_REAL_FIRST(ioctl, NO_CALL);
	if (cps_eintr_restart_is_plain())
		return cps_real.ioctl(fd, request, argument);
	return cps_wrap_file_holds((long)request, (long)argument)
		       ? ioctl_held(fd, request, argument)
		       : ioctl_watched(fd, request, argument);
}

/* ---- space on disks -------------------------------------------------------------------------- */

/* With some kernels files in memory give up all that they have got when a signal comes, so that such a call, made again,
 * might never end. */
#define HELD(name, parameters, arguments, missing)                                                 \
	static __attribute__((noinline)) int name##_held parameters                                \
	{                                                                                          \
		return CPS_HELD(cps_real.name arguments);                                          \
	}                                                                                          \
	CPS_EXPORT int name parameters                                                             \
	{                                                                                          \
		CPS_REAL_FIRST(name, missing);                                                     \
		return cps_eintr_restart_is_plain() ? cps_real.name arguments                      \
						    : name##_held arguments;                       \
	}

HELD(fallocate, (int fd, int mode, off_t at, off_t n), (fd, mode, at, n), NO_CALL)
HELD(fallocate64, (int fd, int mode, off64_t at, off64_t n), (fd, mode, at, n), NO_CALL)
HELD(posix_fallocate, (int fd, off_t at, off_t n), (fd, at, n), ENOSYS)
HELD(posix_fallocate64, (int fd, off64_t at, off64_t n), (fd, at, n), ENOSYS)

/* It stops where it is when a signal comes, and says EINTR. */
HELD(swapoff, (const char *path), (path), NO_CALL)
