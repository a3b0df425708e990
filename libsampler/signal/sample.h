/* SPDX-License-Identifier: MIT */
/*
 * sample.h - the signal handler: a tick becomes a sample.
 */
#ifndef CPS_SAMPLE_H
#define CPS_SAMPLE_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#include "arch/arch.h"
#include "base/memory.h"
#include "signal/interruption.h"
#include "stream/kernel_names.h"
#include "stream/thread.h"

/* ---- reading --------------------------------------------------------------------------------- */
/*
 * Finds out what a thread's meter says at a tick, mostly without a system call.
 *
 * The members `period` to `reckoned` of struct cps_thread are its state. Only the thread itself
 * calls it, in its handler.
 */

#define CPS_READING_AWAITED 7u /* ticks of an event */

/* [signal] From now on ticks come at this distance, in gticks. Earlier ticks are forgotten. */
static inline void cps_reading_begin(struct cps_thread *t, uint64_t period)
{
	t->period = period;
	t->reading = t->settled = t->began = 0;
	t->n_awaited = 0;
}

/* [signal] The event of this period begins now, when the meter has this reading: the delays of some
 * of its ticks tell how long the kernel takes for a tick (loss.h). The first one would tell too
 * much, since making an event leaves cold caches. */
static inline void cps_reading_await(struct cps_thread *t, uint64_t now)
{
	t->awaited = now + 2 * t->period;
	t->n_awaited = CPS_READING_AWAITED;
}

/* ---- mode ------------------------------------------------------------------------------------ */
/*
 * Tells whether a tick has met its thread in the kernel or in the program's own code.
 *
 * Ticks of CPU timers come together with the kernel's own tick, at which that decides whether a
 * thread's time was user or system time. What it has decided can be read: the clocks of
 * getitimer(2) for a single thread, by their numbers (CPUCLOCK_VIRT and CPUCLOCK_PROF in the
 * kernel), count such ticks. So page faults are system time, too, as getrusage(2) has them. Other
 * ticks are told apart by the registers of the interrupted code, which know system calls only
 * (doc/decisions/0072).
 */

/* [signal] The atom of a sample of the calling thread (atoms.h), whose tick has come in this context, and the kernel's
 * functions that it has met. */
uint32_t cps_mode_atom(struct cps_thread *t, const ucontext_t *context,
		       struct cps_kernel_chain *chain);

/* ---- sample ---------------------------------------------------------------------------------- */
/*
 * Turns ticks into samples: the signal handler, and what it needs from a clock.
 */

/*
 * What the handler needs from a clock. A sample weighs what the meter of the resource has advanced
 * since the thread's previous sample, never the nominal interval. (Hall & Goldberg, 5.1, credit
 * several hits to a late sample; this is the same in gticks.) Only a tick that comes in time stands
 * for its period (sample.h, doc/decisions/0015).
 */
struct cps_meter {
	int signal; /* the signal of ticks: CPS_SIGNAL_OWN or SIGPROF */
	/* [signal] Whether this signal is a tick. */
	bool (*is_mine)(const siginfo_t *info);
	/* [signal] What the calling thread has used so far, in gticks. NULL: every tick weighs
	 * 1. */
	uint64_t (*read)(void);
	/* [signal] The same for any live thread. NULL if `read` is. */
	uint64_t (*read_of)(const struct cps_thread *t);
	/* [signal] Whether this tick is a sample, at this time and reading. If so, *reading becomes
	 * that up to which the thread is credited. NULL: every tick is one, and credited up to now. */
	bool (*admit)(struct cps_thread *t, const siginfo_t *info, const ucontext_t *context,
		      uint64_t now, uint64_t *reading);
	/* [signal] Arm the next tick of a thread, after the tick of `info`; or whatever has become
	 * of its last one, if `info` is NULL. May be NULL itself. */
	void (*rearm)(struct cps_thread *t, const siginfo_t *info);
	/* [signal] The tick came before recording begins: no tick is due any more. `rearm` follows. May be NULL. */
	void (*forget)(struct cps_thread *t);
	/* [signal] Whether the latest tick has met the calling thread in the kernel: 1, with the kernel's functions in
	 * the chain if they are known; or 0, or -1 if that is not known. May be NULL. */
	int (*mode)(struct cps_thread *t, struct cps_kernel_chain *chain);
	/* [signal] The calling thread is about to sleep, and goes on after a sleep (waiting.h). Not in a handler.
	 * Both may be NULL. Returns whether it is to be told when the thread goes on. */
	bool (*doze)(struct cps_thread *t);
	void (*wake)(struct cps_thread *t);
	/* [signal] No tick is to come into a call that the calling thread makes; and the call is over. Both may be NULL. */
	void (*hold)(struct cps_thread *t);
	void (*let_go)(struct cps_thread *t);
	/* [signal] Whether this tick may have ended a call before its time. NULL: none does, or the program expects it. */
	bool (*is_in_call)(const siginfo_t *info);
	bool is_kernels_tick; /* ticks come together with the kernel's own (sample.h) */
	bool adopts;	      /* ticks may come to threads that were never armed */
	uint32_t scale;	      /* gticks per unit of weight in the stream */
};

/* [signal] Set the meter, which must stay valid. The gate (gate.h) is not changed. When the time
 * that was set for recording has passed, or recording is turned off (gate.h), the handler calls
 * `over` with its context. */
void cps_sample_use(const struct cps_meter *meter, void (*over)(const void *context));

struct cps_credit;

/* [signal] Add a sample of a thread of which it is not known where it was. To be called on a stack of the
 * recorder's, while the thread is busy. */
bool cps_sample_add_not_sampled(struct cps_thread *t, const struct cps_credit *credit);

/* [signal] That meter. */
const struct cps_meter *cps_sample_meter(void);

/* [signal] What the thread has used until this reading and was not credited with. Less than 0: it was
 * credited with more, because readings were reckoned or because of chance (t->slack). */
int64_t cps_sample_due(const struct cps_thread *t, uint64_t reading);

/* [signal] Add a sample, or a tail, that credits the thread up to this reading. `context` is where
 * the thread was; NULL: that is not known. at_ns: when, by cps_moment_ns; 0: now. */
void cps_sample_take(struct cps_thread *t, const ucontext_t *context, uint64_t reading,
		     uint64_t at_ns, bool is_tail);

/* [signal] Add a sample of the stack that the thread has in this context, and credit it so. To be called on a stack of
 * the recorder's. False: nothing could be recorded. */
bool cps_sample_add_stack(struct cps_thread *t, const ucontext_t *context,
			  const struct cps_credit *credit);

/* [signal] The same from any stack: it goes to a stack of the recorder's, and counts a loss if all are in use. */
bool cps_sample_credit(struct cps_thread *t, const ucontext_t *context,
		       const struct cps_credit *credit);

/* [signal] The signal of the meter's ticks. */
int cps_sample_signal(void);

/* The value that the timer of that time sends with CPS_SIGNAL_OWN. */
#define CPS_SAMPLE_DEADLINE UINT64_C(0xc95a3b7d00000000)

/* [signal] The handler, for cps_disposition_take. */
void cps_sample_handler(int number, siginfo_t *info, void *context);

/* [signal] To be called when the thread or the process ends: credit what the calling thread has
 * used since its last sample. In a signal handler it is credited to what was interrupted, which is
 * `context`. Elsewhere `context` is NULL: where the thread is now says nothing of where it was, so
 * it is credited to a frame that says that this is not known, below the thread's start. */
void cps_sample_tail(struct cps_thread *t, const void *context);
/* [signal] To be called when a thread ends, with all signals blocked: credits its tail. If there is no
 * recording yet this decides whether it is time to begin it: a program of many short threads may use
 * seconds before a tick meets it. What they have used until then is credited with this tail. If no more
 * is left than chance makes it (t->slack), or too much was credited, that goes to a thread that begins
 * later. */
void cps_sample_end_thread(struct cps_thread *t);
/* [signal] To be called when the recording ends or pauses. If no tick has met the process, although its threads have used
 * enough, because it blocks the signal past the C library or a debugger swallows it: begin it, for their tails. Returns whether it
 * has begun. */
bool cps_sample_begin_late(void);
/* [signal] The recording was thrown away, and may begin anew: what was credited so far, in sum, is left for it. */
void cps_sample_begin_anew(uint64_t gticks);
/* [signal] To be called when a thread begins, whose slack is set: it takes over what others have left. */
void cps_sample_take_over(struct cps_thread *t);

/* [signal] To be called before and after work of the recorder's in the calling thread, which a tick
 * should not interrupt because it would be charged twice, with what the first of the two has returned: the thread is not credited with it. */
uint64_t cps_sample_own_begin(void);
/* [signal] */
void cps_sample_own_end(struct cps_thread *t, uint64_t begin);

/* [signal] The same as the tail for another thread. */
void cps_sample_tail_of(struct cps_thread *t);

/* [signal] Credit nothing of what all threads have used until now, except `except` (NULL: no
 * exception). */
void cps_sample_skip(const struct cps_thread *except);

/* [signal] Forget what was used without a recording, for a child, which begins anew. */
void cps_sample_reset(void);

/* [signal] Arm the next tick of all threads, because it may have been lost. */
void cps_sample_rearm(void);

extern __thread uint32_t cps_sample_interrupted;

/*
 * [signal] How often a system call of the calling thread was interrupted by a signal of ours and by
 * no other. If the number has changed during a call that failed with EINTR, we have caused the
 * failure (signal(7) lists the calls that the kernel never restarts; doc/decisions/0010).
 */
static inline uint32_t cps_sample_interruptions(void)
{
	return cps_sample_interrupted;
}

/* [signal] To be called at the end of each handler of ours: counts such an interruption. A few calls
 * that no wrapper sees are made again when the handler returns. */
void cps_sample_note_interruption(void *context);

/* [signal] To be called before, of a tick that may have ended a call: if no wrapper has announced the call, the first that
 * may have been cut short counts as interrupted (stream/loss.h). */
void cps_sample_note_unseen(const ucontext_t *context);

/* [signal] Calls that the code at this address makes, and the file it is in, are not cut short: it goes on with them. That is
 * so of the C library. */
void cps_sample_trust(uintptr_t address);

/* [signal] A filter may forbid system calls from now on: after the end of the recording that function does
 * nothing. */
void cps_sample_confine(void);

/* [signal] The same, and the recording goes on: calls that no wrapper sees are judged without asking the kernel. */
void cps_sample_filter(void);

#endif
