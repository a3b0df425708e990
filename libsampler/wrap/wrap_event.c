/* SPDX-License-Identifier: MIT */
/*
 * wrap_event.c - finds out who waits for condition variables and semaphores, and who wakes them.
 *
 * In: calls that wait for events, and that tell of them. Out: the real calls. The waits with a time
 * limit for semaphores, which a tick could end, are in wrap_wait.c. Unless `lock` or `real` is
 * counted, each wrapper is three loads and a jump.
 */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>

#include "resource/off_cpu.h"
#include "wrap/wrap.h"
#include "wrap/wrap_gives.h"

/* ---- condition variables --------------------------------------------------------------------- */

/* Who waits for the condition gives the mutex back first. */
static void give(const void *mutex)
{
	if (cps_lock_has_waiters(mutex, CPS_LOCK_MUTEX))
		cps_lock_blamed(cps_lock_blame(mutex, CPS_LOCK_MUTEX), CPS_LOCK_MUTEX);
}

#define WAIT(name, parameters, arguments, missing)                                                 \
	static __attribute__((noinline)) int name##_counted parameters                             \
	{                                                                                          \
		give(mutex);                                                                       \
		CPS_WAITS_FOR(condition, CPS_LOCK_CONDITION);                                      \
		CPS_BLOCKS_IN(CPS_WAIT, cps_real.name);                                            \
                                                                                                   \
		return cps_real.name arguments;                                                    \
	}                                                                                          \
	CPS_EXPORT int name parameters                                                             \
	{                                                                                          \
		CPS_REAL_FIRST(name, missing);                                                     \
		return cps_lock_is_on() || cps_blocking_is_watched() ? name##_counted arguments    \
								     : cps_real.name arguments;    \
	}

WAIT(pthread_cond_wait, (pthread_cond_t * condition, pthread_mutex_t *mutex), (condition, mutex),
     ENOSYS)
WAIT(pthread_cond_timedwait,
     (pthread_cond_t * condition, pthread_mutex_t *mutex, const struct timespec *until),
     (condition, mutex, until), ENOSYS)
WAIT(pthread_cond_clockwait,
     (pthread_cond_t * condition, pthread_mutex_t *mutex, clockid_t clock,
      const struct timespec *until),
     (condition, mutex, clock, until), ENOSYS)
WAIT(cnd_wait, (cnd_t * condition, mtx_t *mutex), (condition, mutex), thrd_error)
WAIT(cnd_timedwait, (cnd_t * condition, mtx_t *mutex, const struct timespec *until),
     (condition, mutex, until), thrd_error)
CPS_GIVES(pthread_cond_signal, pthread_cond_t, CPS_LOCK_CONDITION, ENOSYS)
CPS_GIVES(pthread_cond_broadcast, pthread_cond_t, CPS_LOCK_CONDITION, ENOSYS)
CPS_GIVES(cnd_signal, cnd_t, CPS_LOCK_CONDITION, thrd_error)
CPS_GIVES(cnd_broadcast, cnd_t, CPS_LOCK_CONDITION, thrd_error)

/* ---- semaphores ------------------------------------------------------------------------------ */

static __attribute__((noinline)) int sem_wait_counted(sem_t *semaphore)
{
	CPS_WAITS_FOR(semaphore, CPS_LOCK_SEMAPHORE);
	CPS_BLOCKS_IN(CPS_WAIT, cps_real.sem_wait);

	return cps_real.sem_wait(semaphore);
}

#define NO_CALL (errno = ENOSYS, -1)

/* It is tried first, as a lock is. A thread that is being cancelled ends here even if it need not wait. */
CPS_EXPORT int sem_wait(sem_t *semaphore)
{
	int saved = errno;

	CPS_REAL_FIRST(sem_wait, NO_CALL);
	if (!cps_lock_is_on() && !cps_blocking_is_watched())
		return cps_real.sem_wait(semaphore);
	cps_real.pthread_testcancel();
	if (cps_real.sem_trywait(semaphore) == 0)
		return 0;
	errno = saved;
	return sem_wait_counted(semaphore);
}

CPS_GIVES(sem_post, sem_t, CPS_LOCK_SEMAPHORE, NO_CALL)
