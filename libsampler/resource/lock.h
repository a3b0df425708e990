/* SPDX-License-Identifier: MIT */
/*
 * lock.h - who waits for locks, and for whom.
 */
#ifndef CPS_LOCK_H
#define CPS_LOCK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "arch/arch.h"
#include "resource/state.h"
#include "stream/thread.h"

/* ---- lock word ------------------------------------------------------------------------------- */
/*
 * A word that tells how many wait for an object, and for how long.
 *
 * The number of waiters is in its upper 12 bits, and below these is the sum, modulo 2^52, of the
 * times in ns since when they wait, or since when their waiting was last blamed on somebody. Times
 * are of cps_moment_ns.
 *
 * Order: there is one word, which is exchanged as a whole.
 */

typedef _Atomic uint64_t cps_lock_word;

#define CPS_LOCK_WORD_SHIFT 52

/* [signal] Whether anybody waits. */
static inline bool cps_lock_word_has_waiters(const cps_lock_word *w)
{
	return atomic_load_explicit(w, memory_order_relaxed) >> CPS_LOCK_WORD_SHIFT;
}

/* [signal] One more waits from now on; and one less. With 4,095 waiters no more are counted. Subtracting more than were
 * added does nothing. */
void cps_lock_word_add(cps_lock_word *w, uint64_t now);
/* [signal] */
void cps_lock_word_subtract(cps_lock_word *w, uint64_t now);

/* [signal] Returns what the waiters have waited that was not blamed on anybody yet, in ns. Now it was. */
uint64_t cps_lock_word_blame(cps_lock_word *w, uint64_t now);

/* ---- lock ------------------------------------------------------------------------------------ */
/*
 * Who waits for locks and the like, and who lets others wait.
 *
 * Where it can be had without waiting, nothing is counted. Otherwise the clock is read before and
 * after the wait, and the waiter is registered with the object that it waits for: a lock, or a
 * condition variable, which is an event. Who gives the lock back, or tells of the event, looks
 * whether anybody is: what they have waited is blamed on this thread, at once and with its own
 * stack. (Blame shifting: Tallent, Mellor-Crummey and Porterfield, Analyzing lock contention in
 * multithreaded applications, PPoPP 2010, section 3; there by samples, here by the waits
 * themselves.)
 *
 * A thread also tells where it waits (off_cpu.h), so that it is credited if the recording ends or
 * pauses meanwhile, and so that a wait which was left by longjmp or by the thread's end does not
 * stay registered.
 */

/* The states of `lock`, in the order of its atoms; events are those from CPS_LOCK_CONDITION on. Who has locked a
 * file may be another process, on which nothing is blamed. */
enum cps_lock_state {
	CPS_LOCK_MUTEX,
	CPS_LOCK_RWLOCK,
	CPS_LOCK_CONDITION,
	CPS_LOCK_SEMAPHORE,
	CPS_LOCK_FUTEX, /* of a program's own making: locks and events of Rust, std::atomic::wait */
	CPS_LOCK_FILE,
	CPS_LOCK_STATES
};

/* Objects that have the same word share it. Locks and events have each their half of the words: idle threads wait
 * long for events. */
#define CPS_LOCK_BITS 14u

extern _Atomic(cps_lock_word *) cps_lock_words; /* NULL: locks are not counted */

/* [signal] Whether locks are counted. */
static inline bool cps_lock_is_on(void)
{
	return __builtin_expect(atomic_load_explicit(&cps_lock_words, memory_order_relaxed) != NULL,
				0);
}

/* [signal] */
static inline cps_lock_word *cps_lock_word_of(cps_lock_word *words, const void *object,
					      enum cps_lock_state state)
{
	return words + (state >= CPS_LOCK_CONDITION ? UINT64_C(1) << CPS_LOCK_BITS : 0) +
	       (((uintptr_t)object * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - CPS_LOCK_BITS));
}

/* [signal] Whether anybody waits for the object, or for one that shares its word. */
static inline bool cps_lock_has_waiters(const void *object, enum cps_lock_state state)
{
	cps_lock_word *words = atomic_load_explicit(&cps_lock_words, memory_order_relaxed);

	return __builtin_expect(words != NULL, 0) &&
	       cps_lock_word_has_waiters(cps_lock_word_of(words, object, state));
}

/* A wait, until the wrapper returns. */
struct cps_lock_call {
	struct cps_thread *thread; /* NULL: it is not counted */
	const void *object;	   /* NULL: nobody is to be blamed */
	uint64_t since;
	uint32_t state;
	uint32_t sequence; /* of the thread's note; 0: that is of another wait, which encloses it */
};

/* [signal] The calling thread begins to wait for the object of this struct cps_lock_call, in the function with these
 * registers. errno stays as it is. */
void cps_lock_enter(void *call, const uint64_t regs[CPS_REGS_KEPT]);

/* [signal] It does not wait any more: credit that function's caller with what it has waited. errno stays as it is. */
void cps_lock_leave(const struct cps_lock_call *call);

/* [signal] The first of these two in a wrapper. */
static inline __attribute__((always_inline)) void cps_lock_begin(struct cps_lock_call *call)
{
	if (cps_lock_is_on())
		cps_regs_with_kept(cps_lock_enter, call);
}

/* [signal] */
static inline __attribute__((always_inline)) void cps_lock_end(const struct cps_lock_call *call)
{
	if (__builtin_expect(call->thread != NULL, 0))
		cps_lock_leave(call);
}

/* Declares in a wrapper that what follows may wait for the object. */
#define CPS_WAITS_FOR(object, state)                                                               \
	__attribute__((cleanup(cps_lock_end), unused)) struct cps_lock_call waits_ = {             \
		NULL, (object), 0, (state), 0};                                                    \
	cps_lock_begin(&waits_)

/* [signal] The calling thread gives the lock back for which others wait, or tells of the event. Returns what they have
 * waited that was not blamed on anybody yet, in ns. */
uint64_t cps_lock_blame(const void *object, enum cps_lock_state state);

/* [signal] It has done so: credit the calling function with that. errno stays as it is. */
void cps_lock_blamed(uint64_t blame, enum cps_lock_state state);

/* [signal] The calling thread is in a function with this frame: if that is not on top of a wait that it has noted, this was
 * left by longjmp, and is forgotten. */
void cps_lock_look(uintptr_t frame);

/* What the handler tells of ticks, and of pauses (signal/sample.h). */
struct cps_tick_riders;
extern const struct cps_tick_riders cps_lock_rider;

/* [outside] Another recording begins in the process. */
void cps_lock_reset(void);
/* [signal] Count from now on; and no more. 0 or -errno. */
int cps_lock_start(void);
/* [signal] */
void cps_lock_stop(void);

/* [signal] The calling thread ends: if a wait was left by cancellation, it is not registered any more. */
void cps_lock_disarm(struct cps_thread *t);

/* [signal] The recording ends or is paused: credit what the thread, which may be any, has waited until now, where it
 * waits. */
void cps_lock_credit_rest(struct cps_thread *t);

/* [signal] What the thread has waited since this was asked for the last time, in ns. */
uint64_t cps_lock_take_counted(struct cps_thread *t);

#endif
