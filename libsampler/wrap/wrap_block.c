/* SPDX-License-Identifier: MIT */
/*
 * wrap_block.c - notes where threads are blocked in calls that need no other care.
 *
 * In: waits for other threads, calls that write to disks and lock files. Out: the real calls. The
 * kernel or the C library goes on with them after a tick, except with tcdrain and tcsendbreak.
 * Unless the resource `real` is counted, each other wrapper is two loads and a jump.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <termios.h>
#include <threads.h>
#include <unistd.h>

#include "resource/lock.h"
#include "wrap/eintr_restart.h"
#include "wrap/wrap.h"

#define WRAP(type, state, name, parameters, arguments, missing)                                    \
	WRAP_IF(cps_blocking_is_watched(), type, CPS_BLOCKS_IN(state, cps_real.name), name,        \
		parameters, arguments, missing)

/* Who has locked the file is not known. */
#define WRAP_LOCK(name, parameters, arguments)                                                     \
	WRAP_IF(cps_blocking_is_watched() || cps_lock_is_on(), int,                                \
		CPS_WAITS_FOR(NULL, CPS_LOCK_FILE);                                                \
		CPS_BLOCKS_IN(CPS_LOCK, cps_real.name), name, parameters, arguments, NO_CALL)

#define WRAP_IF(is_counted, type, declaration, name, parameters, arguments, missing)               \
	static __attribute__((noinline)) type name##_counted parameters                            \
	{                                                                                          \
		declaration;                                                                       \
                                                                                                   \
		return cps_real.name arguments;                                                    \
	}                                                                                          \
	CPS_EXPORT type name parameters                                                            \
	{                                                                                          \
		CPS_REAL_FIRST(name, missing);                                                     \
		return is_counted ? name##_counted arguments : cps_real.name arguments;            \
	}

#define NO_CALL (errno = ENOSYS, -1)

/* ---- other threads --------------------------------------------------------------------------- */

WRAP(int, CPS_WAIT, pthread_join, (pthread_t thread, void **result), (thread, result), ENOSYS)
WRAP(int, CPS_WAIT, pthread_timedjoin_np,
     (pthread_t thread, void **result, const struct timespec *until), (thread, result, until),
     ENOSYS)
WRAP(int, CPS_WAIT, pthread_clockjoin_np,
     (pthread_t thread, void **result, clockid_t clock, const struct timespec *until),
     (thread, result, clock, until), ENOSYS)
WRAP(int, CPS_WAIT, pthread_barrier_wait, (pthread_barrier_t * barrier), (barrier), ENOSYS)
WRAP(int, CPS_WAIT, thrd_join, (thrd_t thread, int *result), (thread, result), thrd_error)

static __attribute__((noinline)) int sigwait_watched(const sigset_t *set, int *number)
{
	CPS_BLOCKS_IN(CPS_WAIT, cps_real.sigwait);
	uint64_t copy;

	return cps_real.sigwait(cps_masked_awaited(set, &copy), number);
}

CPS_EXPORT int sigwait(const sigset_t *set, int *number)
{
	CPS_REAL_FIRST(sigwait, ENOSYS);
	return cps_eintr_restart_is_plain() ? cps_real.sigwait(set, number)
					    : sigwait_watched(set, number);
}

/* ---- files ----------------------------------------------------------------------------------- */

WRAP(int, CPS_IO, fsync, (int fd), (fd), NO_CALL)
WRAP(int, CPS_IO, fdatasync, (int fd), (fd), NO_CALL)
WRAP(int, CPS_IO, syncfs, (int fd), (fd), NO_CALL)
WRAP(int, CPS_IO, msync, (void *start, size_t bytes, int flags), (start, bytes, flags), NO_CALL)
WRAP_LOCK(flock, (int fd, int operation), (fd, operation))
WRAP_LOCK(lockf, (int fd, int command, off_t bytes), (fd, command, bytes))
WRAP_LOCK(lockf64, (int fd, int command, off64_t bytes), (fd, command, bytes))

/* If a signal is there, the kernel says EINTR, even if all was sent. */
CPS_EXPORT int tcdrain(int fd)
{
	CPS_REAL_FIRST(tcdrain, NO_CALL);
	CPS_BLOCKS_IN(CPS_IO, cps_real.tcdrain);
	CPS_EINTR_RESTART_WAIT w = cps_eintr_restart_begin();

	return CPS_EINTR_RESTART(w, cps_real.tcdrain(fd));
}

static __attribute__((noinline)) int tcsendbreak_watched(int fd, int duration)
{
	CPS_BLOCKS_IN(CPS_IO, cps_real.tcsendbreak);

	return cps_eintr_restart_is_plain() ? cps_real.tcsendbreak(fd, duration)
					    : CPS_HELD(cps_real.tcsendbreak(fd, duration));
}

/* The kernel says so, too, and cuts the break short, which cannot be made again. */
CPS_EXPORT int tcsendbreak(int fd, int duration)
{
	CPS_REAL_FIRST(tcsendbreak, NO_CALL);
	return cps_eintr_restart_is_plain() && !cps_blocking_is_watched()
		       ? cps_real.tcsendbreak(fd, duration)
		       : tcsendbreak_watched(fd, duration);
}
