/* SPDX-License-Identifier: MIT */
/*
 * thread.h - what the recorder knows of each thread of the target.
 *
 * Memory grows with the number of threads that live at the same time: an entry is used again after
 * its thread has ended. Taking one needs no lock and may happen in a handler.
 */
#ifndef CPS_THREAD_H
#define CPS_THREAD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define CPS_THREAD_NAME_BYTES 16
#define CPS_THREAD_BASE	      6

struct cps_thread {
	_Atomic uint32_t state; /* enum cps_thread_state */
	uint32_t id;		/* counts up over the life of the process */
	int tid;
	atomic_bool busy; /* somebody adds a sample of it: a tick now is counted, not taken */
	bool is_sampled;
	bool announced; /* the stream has its record */
	bool has_timer;
	int rounds; /* of thread-local destructors, at its end */
	int timer;
	_Atomic(void *) event; /* the page that keeps its perf event alive */
	uint32_t remainder;    /* of the last weight, in gticks, less than a unit */
	uint64_t consumed;     /* reading of the resource's clock at the last sample, or reckoned */
	uint64_t period;       /* gticks from one tick to the next; 0: not known */
	uint64_t reading;      /* at the last tick, if `period` is set; may be reckoned */
	uint64_t settled;      /* reading when that tick was dealt with */
	uint64_t began;	       /* the moment of that tick; 0: there was none of this period */
	uint32_t reckoned;     /* ticks in a row for which the clock was not asked */
	uint32_t event_ticks;  /* that its event is good for */
	uint32_t left_over;    /* ticks of its event that came too soon, so far */
	uint32_t bad, good;    /* events in a row that had too many of them, or none */
	uint32_t slower;       /* so often were its periods doubled */
	uint64_t start_us;
	uint64_t random;
	uint64_t stack_bytes;		 /* as it was created */
	uintptr_t stack_low, stack_high; /* 0: not known */
	void *(*routine)(void *);	 /* what the target wants it to run */
	void *argument;
	uint64_t base[CPS_THREAD_BASE]; /* the frames below its routine, innermost first */
	uint32_t n_base;
	char name[CPS_THREAD_NAME_BYTES]; /* as announced */
};

enum cps_thread_state { CPS_THREAD_FREE, CPS_THREAD_TAKEN, CPS_THREAD_LIVE };

/* [signal] A new entry with a new id, in state TAKEN; NULL when there is no memory. */
struct cps_thread *cps_thread_take(void);

/* [signal] Make the entry that of the calling thread, which begins now. `stack_bytes`: the size of
 * its stack, 0 if not known. */
void cps_thread_enter(struct cps_thread *t, uint64_t stack_bytes);

/* [signal] The calling thread's entry is free again. */
void cps_thread_leave(struct cps_thread *t);

/* [signal] An entry that no thread ever entered is free again. */
void cps_thread_drop(struct cps_thread *t);

/* [signal] The calling thread's entry, or NULL. */
struct cps_thread *cps_thread_self(void);

/* [signal] Is this what the calling thread has after cps_thread_leave? */
bool cps_thread_is_gone(const struct cps_thread *t);

/* [signal] The live entry with this tid, or NULL. */
struct cps_thread *cps_thread_find(int tid);

/* [signal] Call f for every thread that is LIVE now. */
void cps_thread_each(void (*f)(struct cps_thread *t, void *context), void *context);

/* [signal] Where the stack of the first thread lies, and what it runs. */
void cps_thread_set_first_stack(uintptr_t low, uintptr_t high, void *(*entry)(void *));

/* [signal] In a child that fork has made: the calling thread, if it has an entry, is the only
 * one, and the first. Returns its entry, in state TAKEN, to be entered again. */
struct cps_thread *cps_thread_reset(void);

/* [signal] The thread's name as the kernel has it now, NUL-terminated. Works for any live thread. */
void cps_thread_read_name(const struct cps_thread *t, char name[CPS_THREAD_NAME_BYTES]);

#endif
