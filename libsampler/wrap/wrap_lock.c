/* SPDX-License-Identifier: MIT */
/*
 * wrap_lock.c - finds out who waits for locks.
 *
 * In: calls that take locks and give them back. Out: the real calls. A lock is tried before it is
 * taken, so that only who has to wait pays for the clock. Unless `lock` or `real` is counted, each
 * wrapper is three loads and a jump.
 */
#include <errno.h>
#include <pthread.h>
#include <threads.h>

#include "resource/off_cpu.h"
#include "wrap/wrap.h"
#include "wrap/wrap_gives.h"

/* What the C library refuses even if the lock is free. */
static bool is_clock(clockid_t clock)
{
	return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC;
}

static bool is_time(const struct timespec *t)
{
	return t && t->tv_nsec >= 0 && t->tv_nsec < 1000000000;
}

/* A call that takes the lock. `attempt` does not wait, and says `held` if somebody holds it; what else it says is
 * what the call itself would, if it is given what is `valid`. */
#define TAKE(name, attempt, held, missing, state, valid, parameters, arguments)                    \
	static __attribute__((noinline)) int name##_held parameters                                \
	{                                                                                          \
		CPS_WAITS_FOR(lock, state);                                                        \
		CPS_BLOCKS_IN(CPS_LOCK, cps_real.name);                                            \
                                                                                                   \
		return cps_real.name arguments;                                                    \
	}                                                                                          \
	CPS_EXPORT int name parameters                                                             \
	{                                                                                          \
		int result;                                                                        \
                                                                                                   \
		CPS_REAL_FIRST(name, missing);                                                     \
		if ((!cps_lock_is_on() && !cps_blocking_is_watched()) || !(valid))                 \
			return cps_real.name arguments;                                            \
		result = cps_real.attempt(lock);                                                   \
		return result == (held) ? name##_held arguments : result;                          \
	}

/* ---- mutexes --------------------------------------------------------------------------------- */

TAKE(pthread_mutex_lock, pthread_mutex_trylock, EBUSY, ENOSYS, CPS_LOCK_MUTEX, true,
     (pthread_mutex_t * lock), (lock))
TAKE(pthread_mutex_timedlock, pthread_mutex_trylock, EBUSY, ENOSYS, CPS_LOCK_MUTEX, true,
     (pthread_mutex_t * lock, const struct timespec *until), (lock, until))
TAKE(pthread_mutex_clocklock, pthread_mutex_trylock, EBUSY, ENOSYS, CPS_LOCK_MUTEX, is_clock(clock),
     (pthread_mutex_t * lock, clockid_t clock, const struct timespec *until), (lock, clock, until))
CPS_GIVES(pthread_mutex_unlock, pthread_mutex_t, CPS_LOCK_MUTEX, ENOSYS)
TAKE(mtx_lock, mtx_trylock, thrd_busy, thrd_error, CPS_LOCK_MUTEX, true, (mtx_t * lock), (lock))
TAKE(mtx_timedlock, mtx_trylock, thrd_busy, thrd_error, CPS_LOCK_MUTEX, true,
     (mtx_t * lock, const struct timespec *until), (lock, until))
CPS_GIVES(mtx_unlock, mtx_t, CPS_LOCK_MUTEX, thrd_error)

/* ---- locks for many readers or one writer ------------------------------------------------------ */

TAKE(pthread_rwlock_rdlock, pthread_rwlock_tryrdlock, EBUSY, ENOSYS, CPS_LOCK_RWLOCK, true,
     (pthread_rwlock_t * lock), (lock))
TAKE(pthread_rwlock_timedrdlock, pthread_rwlock_tryrdlock, EBUSY, ENOSYS, CPS_LOCK_RWLOCK,
     is_time(until), (pthread_rwlock_t * lock, const struct timespec *until), (lock, until))
TAKE(pthread_rwlock_clockrdlock, pthread_rwlock_tryrdlock, EBUSY, ENOSYS, CPS_LOCK_RWLOCK,
     is_clock(clock) && is_time(until),
     (pthread_rwlock_t * lock, clockid_t clock, const struct timespec *until), (lock, clock, until))
TAKE(pthread_rwlock_wrlock, pthread_rwlock_trywrlock, EBUSY, ENOSYS, CPS_LOCK_RWLOCK, true,
     (pthread_rwlock_t * lock), (lock))
TAKE(pthread_rwlock_timedwrlock, pthread_rwlock_trywrlock, EBUSY, ENOSYS, CPS_LOCK_RWLOCK,
     is_time(until), (pthread_rwlock_t * lock, const struct timespec *until), (lock, until))
TAKE(pthread_rwlock_clockwrlock, pthread_rwlock_trywrlock, EBUSY, ENOSYS, CPS_LOCK_RWLOCK,
     is_clock(clock) && is_time(until),
     (pthread_rwlock_t * lock, clockid_t clock, const struct timespec *until), (lock, clock, until))
CPS_GIVES(pthread_rwlock_unlock, pthread_rwlock_t, CPS_LOCK_RWLOCK, ENOSYS)
